"""How far a set of points can get from the axis of each joint that carries it.

Seen from a joint, while all joints beyond it take any value, the points reach a set ``A``, and the
farthest point of ``A`` from the axis is one of its convex hull. So the support function
``h(d) = max {d·x : x in A}`` is all that is carried inwards:

- a slide from ``low`` to ``high`` along z adds ``max(low d_z, high d_z)``;
- a link moves ``A`` rigidly: ``d·t + h(R'd)``;
- a turning joint makes it a body of revolution, held by the tangents of its profile at many
  elevations. Between two tangents the corner where they meet bounds ``h``.

Around an axis ``h`` is known in `REACH_DIRECTIONS` directions, those of the checker, whose bounds
between them are wider. Between two of them, ``d = α d1 + β d2 +
(α + β - 1) w`` with ``w`` along the axis, straight down for a ``d`` that points up; ``h`` is
sublinear, so ``h(d) + h(w) <= α (h(d1) + h(w)) + β (h(d2) + h(w))``, and the largest value of the
right side over all ``d`` between is that of a harmonic.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from standoff.constants import REACH_DIRECTIONS, VERIFY_REACH_ROUNDING
from standoff.paths.verify.model import Ints, Model
from standoff.shapes.pose import Array

_STEPS = REACH_DIRECTIONS // 2
_STEP = 2.0 * math.pi / REACH_DIRECTIONS
_HEIGHTS = np.linspace(-1.0, 1.0, _STEPS + 1)
_LEVEL = np.stack([1.0 - np.abs(_HEIGHTS), _HEIGHTS], axis=1)
_LEVEL = _LEVEL / np.hypot(_LEVEL[:, 0], _LEVEL[:, 1])[:, None]
_TURNS = _STEP * np.arange(REACH_DIRECTIONS)
_DIRECTIONS = np.empty((_STEPS + 1, REACH_DIRECTIONS, 3))
_DIRECTIONS[..., 0] = _LEVEL[:, :1] * np.cos(_TURNS)
_DIRECTIONS[..., 1] = _LEVEL[:, :1] * np.sin(_TURNS)
_DIRECTIONS[..., 2] = _LEVEL[:, 1:]


@dataclass(frozen=True, eq=False)
class PointSet:
    """A body in its frame: points (n, 3) whose hull holds it, and its own support function, which
    takes directions (k, 3)."""

    points: Array
    support: Callable[[Array], Array]


@dataclass(frozen=True, eq=False)
class _Carried:
    """Sets that move alike, on their way inwards.

    Attributes:
        numbers: which sets.
        corners: (sets, levels - 1, 2) of the profiles that the last turning joint made of them;
            None before the first.
        turn, place: from there to the present frame.
        slides: since then: axis in the present frame, lowest and highest position.
    """

    numbers: Ints
    corners: Array | None
    turn: Array
    place: Array
    slides: tuple[tuple[Array, float, float], ...] = ()


def reaches(model: Model, frames: Sequence[int], sets: Sequence[PointSet], travel: Array) -> Array:
    """(sets, frames): the reach of each set, fixed in its frame, about each joint that carries it,
    and 1 for a slide: what a unit of it moves every point by. Joints turn to any angle, and slides
    run through ``travel`` (frames, 2). 0 for joints that do not carry it."""
    result = np.zeros((len(sets), model.frames))
    extent = np.array([np.sqrt((own.points**2).sum(axis=1).max()) for own in sets])
    at = np.asarray(frames, dtype=np.int64)
    arrived: list[list[_Carried]] = [[] for _ in range(model.frames)]
    for f in range(model.frames - 1, 0, -1):
        own = np.flatnonzero(at == f)
        if len(own):
            arrived[f].append(_Carried(own, None, np.eye(3), np.zeros(3)))
        if not arrived[f]:
            continue
        here = np.concatenate([some.numbers for some in arrived[f]])
        if model.slides[f]:
            result[here, f] = 1.0
            low, high = travel[f]
            extent[here] += max(abs(low), abs(high))
            slide = (np.array([0.0, 0.0, 1.0]), low, high)
            after = [replace(some, slides=(*some.slides, slide)) for some in arrived[f]]
        else:
            tangents = np.concatenate([_revolved(sets, some) for some in arrived[f]])
            far = tangents[:, _STEPS // 2]
            result[here, f] = far + VERIFY_REACH_ROUNDING * (far + extent[here])
            after = [_Carried(here, _corners(tangents), np.eye(3), np.zeros(3))]
        turn, place = model.origin[f, :3, :3], model.origin[f, :3, 3]
        extent[here] += float(np.sqrt((place**2).sum()))
        arrived[int(model.parent[f])] += [
            _Carried(
                some.numbers,
                some.corners,
                turn @ some.turn,
                turn @ some.place + place,
                tuple((turn @ axis, low, high) for axis, low, high in some.slides),
            )
            for some in after
        ]
    return result


def _swept(points: Array) -> Array:
    """Tangents of what points sweep about z, exactly."""
    r = np.hypot(points[:, 0], points[:, 1])
    flat = np.stack([r, points[:, 2]])
    return np.asarray((_LEVEL @ flat).max(axis=1))


def _revolved(sets: Sequence[PointSet], some: _Carried) -> Array:
    """Tangents (sets, levels) of the bodies of revolution about z."""
    if some.corners is None and not some.slides:
        own = (sets[k].points @ some.turn.T + some.place for k in some.numbers)
        return np.array([_swept(points) for points in own])
    d = _DIRECTIONS.reshape(-1, 3)
    inner = d @ some.turn
    if some.corners is None:
        h = np.array([sets[k].support(inner) for k in some.numbers])
    else:
        h = _profile_support(some.corners, inner)
    h += d @ some.place
    for axis, low, high in some.slides:
        along = d @ axis
        h += np.maximum(low * along, high * along)
    h = h.reshape(len(h), _STEPS + 1, REACH_DIRECTIONS)
    down, up = h[:, 0].max(axis=1), h[:, _STEPS].max(axis=1)
    sine = _LEVEL[:, 1]
    opposite = np.where(sine > 0.0, sine * down[:, None], -sine * up[:, None])
    h += opposite[:, :, None]
    # A harmonic is above the larger of both ends by no more than a factor of 1 / cos(step / 2), so
    # that only few directions can have the peak; those, and some more, are looked at.
    top = h.max(axis=2)
    peaks = h >= (top - (1.0 - math.cos(_STEP)) * np.abs(top))[:, :, None]
    peaks |= np.roll(peaks, -1, axis=2)  # the interval to the next direction has two ends
    i, j, k = np.nonzero(peaks)
    x, y = h[i, j, k], h[i, j, (k + 1) % REACH_DIRECTIONS]
    across = (y - x * math.cos(_STEP)) / math.sin(_STEP)
    within = (across >= 0.0) & (across * math.cos(_STEP) <= x * math.sin(_STEP))
    np.maximum.at(top, (i, j), np.where(within, np.hypot(x, across), x))
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
