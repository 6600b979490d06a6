"""How far a set of points can get from the axis of each joint that carries it.

Seen from a joint, while all joints beyond it take any value, the points reach a set ``A``, and the
farthest point of ``A`` from the axis is one of its convex hull. So the support function
``h(d) = max {d·x : x in A}`` is all that is carried inwards:

- a slide from ``low`` to ``high`` along z adds ``max(low d_z, high d_z)``;
- a link moves ``A`` rigidly: ``d·t + h(R'd)``;
- a turning joint makes it a body of revolution, held by the tangents of its profile at many
  elevations. Between two tangents the corner where they meet bounds ``h``.

Around an axis ``h`` is known in `_AROUND` directions. Between two of them, ``d = α d1 + β d2 +
(α + β - 1) w`` with ``w`` along the axis, straight down for a ``d`` that points up; ``h`` is
sublinear, so ``h(d) + h(w) <= α (h(d1) + h(w)) + β (h(d2) + h(w))``, and the largest value of the
right side over all ``d`` between is that of a harmonic.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from standoff.constants import VERIFY_REACH_ROUNDING
from standoff.paths.verify.model import Model
from standoff.shapes.pose import Array

_STEPS = 128
_AROUND = 256

_STEP = 2.0 * math.pi / _AROUND
_HEIGHTS = np.linspace(-1.0, 1.0, _STEPS + 1)
_LEVEL = np.stack([1.0 - np.abs(_HEIGHTS), _HEIGHTS], axis=1)
_LEVEL = _LEVEL / np.hypot(_LEVEL[:, 0], _LEVEL[:, 1])[:, None]
_TURNS = _STEP * np.arange(_AROUND)
_DIRECTIONS = np.empty((_STEPS + 1, _AROUND, 3))
_DIRECTIONS[..., 0] = _LEVEL[:, :1] * np.cos(_TURNS)
_DIRECTIONS[..., 1] = _LEVEL[:, :1] * np.sin(_TURNS)
_DIRECTIONS[..., 2] = _LEVEL[:, 1:]


@dataclass(frozen=True, eq=False)
class PointSet:
    """A body in its frame: points (n, 3) whose hull holds it, and its own support function, which
    takes directions (k, 3)."""

    points: Array
    support: Callable[[Array], Array]


def reaches(model: Model, frame: int, sets: Sequence[PointSet], travel: Array) -> Array:
    """(sets, frames): the reach of each set, all fixed in ``frame``, about each joint that carries
    it, and 1 for a slide: what a unit of it moves every point by. Joints turn to any angle, and
    slides run through ``travel`` (frames, 2). 0 for joints that do not carry it."""
    result = np.zeros((len(sets), model.frames))
    extent = np.array([np.sqrt((own.points**2).sum(axis=1).max()) for own in sets])
    # A support function in the present frame: h(d) = base(turn' d) + place·d + slides.
    turn, place = np.eye(3), np.zeros(3)
    slides: list[tuple[Array, float, float]] = []  # axis in the present frame, low, high
    corners: Array | None = None
    f = frame
    while f:
        if model.slides[f]:
            result[:, f] = 1.0
            low, high = travel[f]
            slides.append((np.array([0.0, 0.0, 1.0]), low, high))
            extent = extent + max(abs(low), abs(high))
        else:
            if corners is None and not slides:
                tangents = np.array([_swept(own.points @ turn.T + place) for own in sets])
            else:
                tangents = _revolved(sets, corners, turn, place, slides)
            far = tangents[:, _STEPS // 2]
            result[:, f] = far + VERIFY_REACH_ROUNDING * (far + extent)
            corners = _corners(tangents)
            turn, place, slides = np.eye(3), np.zeros(3), []
        origin = model.origin[f]
        turn, place = origin[:3, :3] @ turn, origin[:3, :3] @ place + origin[:3, 3]
        slides = [(origin[:3, :3] @ axis, low, high) for axis, low, high in slides]
        extent = extent + float(np.sqrt((origin[:3, 3] ** 2).sum()))
        f = int(model.parent[f])
    return result


def _swept(points: Array) -> Array:
    """Tangents of what points sweep about z, exactly."""
    r = np.hypot(points[:, 0], points[:, 1])
    flat = np.stack([r, points[:, 2]])
    return np.asarray((_LEVEL @ flat).max(axis=1))


def _revolved(
    sets: Sequence[PointSet],
    corners: Array | None,
    turn: Array,
    place: Array,
    slides: list[tuple[Array, float, float]],
) -> Array:
    """Tangents (sets, levels) of the bodies of revolution about z."""
    d = _DIRECTIONS.reshape(-1, 3)
    inner = d @ turn
    if corners is None:
        h = np.array([own.support(inner) for own in sets])
    else:
        h = _profile_support(corners, inner)
    h = h + d @ place
    for axis, low, high in slides:
        along = d @ axis
        h = h + np.maximum(low * along, high * along)
    h = h.reshape(len(h), _STEPS + 1, _AROUND)
    down, up = h[:, 0].max(axis=1), h[:, _STEPS].max(axis=1)
    sine = _LEVEL[:, 1]
    opposite = np.where(sine > 0.0, sine * down[:, None], -sine * up[:, None])
    x = h + opposite[:, :, None]
    # A harmonic is not above the larger of both ends by more than a factor of 1 / cos(step / 2), so
    # that only few directions can have the peak; those are looked at.
    top = x.max(axis=2)
    most = top - (1.0 + 1e-9) * (1.0 - math.cos(0.5 * _STEP)) * np.abs(top)
    high = x >= most[:, :, None]
    high |= np.roll(high, 1, axis=2) | np.roll(high, -1, axis=2)
    i, j, k = np.nonzero(high)
    x, y = x[i, j, k], x[i, j, (k + 1) % _AROUND]
    across = (y - x * math.cos(_STEP)) / math.sin(_STEP)
    within = (across >= 0.0) & (across * math.cos(_STEP) <= x * math.sin(_STEP))
    peak = np.where(within, np.hypot(x, across), np.maximum(x, y))
    np.maximum.at(top, (i, j), peak)
    return np.asarray(top - opposite)


def _profile_support(corners: Array, d: Array) -> Array:
    """``h`` (sets, k) of bodies of revolution about z in directions ``d`` (k, 3)."""
    across = np.hypot(d[:, 0], d[:, 1])
    height = d[:, 2] / (across + np.abs(d[:, 2]))
    level = np.clip(np.floor((height + 1.0) * (0.5 * _STEPS)), 0, _STEPS - 1).astype(int)
    r, z = (np.take(np.ascontiguousarray(corners[:, :, k]), level, axis=1) for k in (0, 1))
    return np.asarray(r * across + z * d[:, 2])


def _corners(tangents: Array) -> Array:
    """Where neighbouring tangents ``r cos + z sin = h`` meet: (sets, levels - 1, 2)."""
    (c, s), (c1, s1) = _LEVEL[:-1].T, _LEVEL[1:].T
    scale = c * s1 - s * c1
    h, h1 = tangents[:, :-1], tangents[:, 1:]
    return np.stack([(h * s1 - h1 * s) / scale, (h1 * c - h * c1) / scale], axis=2)
