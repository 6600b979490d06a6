"""How far and how fast two primitives can move against each other over an interval.

For all rows of a batch at once. ``s_j`` and ``a_j`` are the largest speed and acceleration of joint
``j`` over the interval and ``R_j`` the reach about it, over the joints that carry one of the two
primitives and not the other:

    λ = Σ_j R_j s_j,     M = Σ_j s_j R_j (o_j s_j + 2 Σ_{k<j, k turns} s_k) + Σ_j R_j a_j,

``o_j`` being 1 where the joint turns and 0 where it slides. Of both primitives together. A gliding
body has ``λ = |linear| + |angular| r`` and ``M = |angular|² r``, ``r`` its farthest point from its
origin.

The reach of a set of points about each joint that carries it (`reaches`): seen from the joint,
while all joints beyond it take any value, the points reach a set ``A``, and the farthest point of
``A`` from the axis is one of its convex hull. So the support function ``h(d) = max {d·x : x in A}``
is all that is carried inwards:

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
from numpy.typing import NDArray

from standoff.geometry.pose import Array
from standoff.paths.certificate import Certificate
from standoff.paths.verify.cell_model import Bools, Ints, Model
from standoff.paths.verify.kinematics import derivative, extremes, largest, shortened
from standoff.tolerances import EPS, REACH_DIRECTIONS

#: What `verify` takes off every distance and adds to every speed for its own rounding, relative to
#: the lengths (speeds) it was computed from, once for each frame between the world and the body and
#: twice for the part and its support, [-]. A frame is a product of rotations and a sum, less than
#: 20 units of rounding (5e-15), and the rotation of a pose given may itself be off by as much
#: (`ROTATION_EXACT` / 2). Far below the checker's own margin, so that what is free there is free
#: here.
VERIFY_ROUNDING = 1e-14

#: By how much `verify` lengthens a reach, relative to it and to the length of the chain, [-]. Where
#: two tangents of a profile meet is a difference of two nearly equal numbers, 100 units of rounding
#: a joint; 100 joints stay below this.
VERIFY_REACH_ROUNDING = 1e-11

#: By how much `verify` raises its sums of reaches and speeds, relative to themselves, [-]: 100
#: joints are 400 products and sums of half a unit each.
VERIFY_SUM_ROUNDING = 1e-13


@dataclass(frozen=True, eq=False)
class Reaches:
    """How far each part, and the centre of each bounding sphere, gets from the joints' axes.

    Attributes:
        parts, centres: (parts, frames).
        part_size, centre_size: (parts,) how far their points are from their frame's origin, [m].
        beyond: (pieces, frames) how far each slide gets past the travel counted on, [m].
        length: (frames,) how far each frame can get from the world's origin within it, [m].
    """

    parts: Array
    centres: Array
    part_size: Array
    centre_size: Array
    beyond: Array
    length: Array


@dataclass(frozen=True, eq=False)
class Bound:
    """Of each row: ``length`` λ and ``curvature`` M of both primitives; ``position_error``, what
    deviations and rounding of the joints take from a distance; ``blur``, what rounding takes from a
    distance computed here, and ``haste`` what it takes from a speed."""

    length: Array
    curvature: Array
    position_error: Array
    blur: Array
    haste: Array


def measure(model: Model, certificate: Certificate, centres: Array) -> Reaches:
    """Reaches of all parts and of the centres (parts, 3) of their spheres."""
    low, high = _positions(model, certificate)
    bottom, top = model.range[:, 0], model.range[:, 1]
    travel = np.stack(
        [np.clip(low.min(axis=0), bottom, top), np.clip(high.max(axis=0), bottom, top)], axis=1
    )
    beyond = np.maximum(0.0, np.maximum(travel[:, 0] - low, high - travel[:, 1]))
    beyond[:, ~model.slides] = 0.0
    size = np.zeros((2, len(model.parts)))
    found = np.zeros((2, len(model.parts), model.frames))
    jointed: list[int] = []
    for number, part in enumerate(model.parts):
        if part.shape.bounded:
            size[0, number] = np.sqrt((part.core**2).sum(axis=1).max())
            size[1, number] = np.sqrt((centres[number] ** 2).sum())
        else:
            size[:, number] = np.sqrt((part.local[:3, 3] ** 2).sum())
        if 0 < part.frame < model.frames:
            jointed.append(number)
    frames = [model.parts[i].frame for i in jointed]
    sets = [PointSet(model.parts[i].core, model.parts[i].support) for i in jointed]
    sets += [_single(centres[i]) for i in jointed]
    both = reaches(model, frames + frames, sets, travel)
    found[0, jointed], found[1, jointed] = np.split(both, 2)
    length = np.zeros(model.frames)
    for f in range(1, model.frames):
        step = float(np.sqrt((model.origin[f, :3, 3] ** 2).sum()))
        step += float(np.abs(travel[f]).max()) if model.slides[f] else 0.0
        length[f] = length[model.parent[f]] + step
    return Reaches(found[0], found[1], size[0], size[1], beyond, length)


def _single(point: Array) -> PointSet:
    return PointSet(point[None], lambda d: np.asarray(d @ point))


def _positions(model: Model, certificate: Certificate) -> tuple[Array, Array]:
    """(pieces, frames): lowest and highest position of each frame's joint, deviations included."""
    powers = np.moveaxis(certificate.coefficients, 1, -1)
    zero, one = np.zeros(powers.shape[:-1]), np.ones(powers.shape[:-1])
    low, high = extremes(powers, zero, one)
    error = certificate.deviation + certificate.rounding
    low, high = low - error, high + error
    if not model.names:
        zeros = np.zeros((len(low), model.frames))
        return zeros, zeros
    ends = [
        model.multiplier * end[:, model.index] + model.offset for end in (low, high)
    ]  # (pieces, frames) each
    return np.minimum(*ends), np.maximum(*ends)


def bound(
    model: Model,
    certificate: Certificate,
    reach: Reaches,
    rows: NDArray[np.void],
    parts: tuple[Ints, Ints | None],
    *,
    centres: bool,
) -> Bound:
    """The bound over the intervals of ``rows``, between the two parts of each; the second one
    stands still in the world where there is none. With ``centres`` it is the centres of the
    bounding spheres that move."""
    joints = _joints(model, certificate, rows)
    frames = np.array([part.frame for part in model.parts], dtype=np.int64)
    nothing = np.zeros((len(rows), model.frames), dtype=bool)
    carried = [nothing if part is None else model.carried[frames[part]] for part in parts]
    total = np.zeros((5, len(rows)))
    for side, part in enumerate(parts):
        if part is not None:
            R, size = (
                (reach.centres[part], reach.centre_size[part])
                if centres
                else (reach.parts[part], reach.part_size[part])
            )
            own = _Side(model, reach, rows["piece"], frames[part], carried[side], R, size)
            total += own.moved(joints, ~carried[1 - side])
            total += own.glided(certificate, rows["piece"])
            total += own.rounded(joints)
    length, curvature, error, blur, haste = total
    up = 1.0 + VERIFY_SUM_ROUNDING
    return Bound(up * length, up * curvature, up * error, blur, haste)


@dataclass(frozen=True, eq=False)
class _Joints:
    """(rows, frames) of the joint of each frame over the interval of each row: the largest speed
    and acceleration, what it may be off, and the rounding of where it is."""

    speed: Array
    acceleration: Array
    error: Array
    noise: Array


def _joints(model: Model, certificate: Certificate, rows: NDArray[np.void]) -> _Joints:
    piece = rows["piece"]
    powers = shortened(np.moveaxis(certificate.coefficients, 1, -1))[piece]
    first = derivative(powers)
    ends = rows["start"][:, None], rows["end"][:, None]
    error = certificate.deviation + certificate.rounding[piece]
    noise = 8.0 * EPS * np.abs(powers).sum(axis=-1)

    def framed(values: Array) -> Array:
        if not model.names:
            return np.zeros((len(rows), model.frames))
        return np.asarray(np.abs(model.multiplier) * values[:, model.index])

    return _Joints(
        speed=framed(largest(first, *ends)),
        acceleration=framed(largest(derivative(first), *ends)),
        error=framed(error),
        # The position of a mimic joint is a product and a sum more.
        noise=framed(noise) + 2.0 * EPS * np.abs(model.offset),
    )


class _Side:
    """One primitive of each row: what it adds to the five figures of `Bound`, (5, rows)."""

    def __init__(
        self, model: Model, reach: Reaches, piece: Ints, frame: Ints, carried: Bools, R: Array,
        size: Array,
    ) -> None:  # fmt: skip
        self.model, self.frame, self.carried, self.size = model, frame, carried, size
        self.turns = ~model.slides
        past = np.where(carried, reach.beyond[piece], 0.0)
        after = np.cumsum(past[:, ::-1], axis=1)[:, ::-1] - past
        self.R = np.where(carried, R + np.where(self.turns, after, 0.0), 0.0)
        lengths = np.append(reach.length, np.zeros(len(model.moving)))
        self.extent = lengths[frame] + size + past.sum(axis=1)

    def moved(self, joints: _Joints, free: Bools) -> Array:
        """λ, M and position error, over the joints that carry this primitive and not the other."""
        between = self.carried & free
        s, R = np.where(between, joints.speed, 0.0), np.where(between, self.R, 0.0)
        turning = np.cumsum(s * self.turns, axis=1) - s * self.turns
        M = s * R * (self.turns * s + 2.0 * turning) + R * joints.acceleration
        none = np.zeros(len(s))
        sums = [(R * s).sum(axis=1), M.sum(axis=1), (R * joints.error).sum(axis=1)]
        return np.stack([*sums, none, none])

    def glided(self, certificate: Certificate, piece: Ints) -> Array:
        """The same of gliding bodies, and their rounding."""
        result = np.zeros((5, len(piece)))
        which = np.flatnonzero(self.frame >= self.model.frames)
        rows = certificate.glides[piece[which], self.frame[which] - self.model.frames]
        way, spin, start = (
            np.sqrt((rows[:, columns] ** 2).sum(axis=1))
            for columns in ([12, 13, 14], [15, 16, 17], [3, 7, 11])
        )
        turn = spin * self.size[which]
        result[0, which] = way + turn
        result[1, which] = turn * spin
        # Two frames' worth: a turn by a part of an angle, and the sum with the way.
        result[3, which] = 2.0 * VERIFY_ROUNDING * (start + way) + 8.0 * EPS * turn
        result[4, which] = 4.0 * VERIFY_ROUNDING * (way + turn)
        return result

    def rounded(self, joints: _Joints) -> Array:
        """What rounding takes from distances and speeds. Over all joints that carry the primitive,
        since poses are worked out from the world outwards.

        An error ``x_k`` of a position moves points by ``R_k x_k``; it turns the velocity
        ``s_j R_j`` that each joint beyond adds, and moves points under the turning of each one
        before."""
        depth = self.carried.sum(axis=1) + 2
        x = np.where(self.carried, joints.noise, 0.0)
        s = np.where(self.carried, joints.speed, 0.0)
        shift, fast = (self.R * x).sum(axis=1), s * self.R
        blur = VERIFY_ROUNDING * depth * self.extent + shift
        haste = (fast + s * self.turns * self.extent[:, None]).sum(axis=1)
        haste = VERIFY_ROUNDING * depth * haste + (s * self.turns).sum(axis=1) * shift
        haste += fast.sum(axis=1) * (x * self.turns).sum(axis=1)
        none = np.zeros(len(s))
        return np.stack([none, none, none, blur, haste])


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
