"""How far and how fast two primitives can move against each other over an interval.

For all rows of a batch at once. ``s_j`` and ``a_j`` are the largest speed and acceleration of joint
``j`` over the interval and ``R_j`` the reach about it, over the joints that carry one of the two
primitives and not the other:

    λ = Σ_j R_j s_j,     M = Σ_j s_j R_j (o_j s_j + 2 Σ_{k<j, k turns} s_k) + Σ_j R_j a_j,

``o_j`` being 1 where the joint turns and 0 where it slides. Of both primitives together. A gliding
body has ``λ = |linear| + |angular| r`` and ``M = |angular|² r``, ``r`` its farthest point from its
origin.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from standoff.constants import EPS, VERIFY_ROUNDING, VERIFY_SUM_ROUNDING
from standoff.paths.certificate import Certificate
from standoff.paths.verify.model import Ints, Model
from standoff.paths.verify.polynomials import derivative, extremes, largest
from standoff.paths.verify.reach import reaches
from standoff.shapes.pose import Array


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
    """Of each row: ``length`` λ and ``curvature`` M of both primitives; ``stray``, what deviations
    and rounding of the joints take from a distance; ``blur``, what rounding takes from a distance
    computed here, and ``haste`` what it takes from a speed."""

    length: Array
    curvature: Array
    stray: Array
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
    by_frame: dict[int, list[int]] = {}
    for number, part in enumerate(model.parts):
        if part.shape.bounded:
            size[0, number] = np.sqrt((part.core**2).sum(axis=1).max())
            size[1, number] = np.sqrt((centres[number] ** 2).sum())
        else:
            size[:, number] = np.sqrt((part.local[:3, 3] ** 2).sum())
        if 0 < part.frame < model.frames:
            by_frame.setdefault(part.frame, []).append(number)
    for frame, numbers in by_frame.items():
        sets = [model.parts[i].core for i in numbers] + [centres[i : i + 1] for i in numbers]
        both = reaches(model, frame, sets, travel)
        found[0, numbers], found[1, numbers] = np.split(both, 2)
    length = np.zeros(model.frames)
    for f in range(1, model.frames):
        step = float(np.sqrt((model.origin[f, :3, 3] ** 2).sum()))
        step += float(np.abs(travel[f]).max()) if model.slides[f] else 0.0
        length[f] = length[model.parent[f]] + step
    return Reaches(found[0], found[1], size[0], size[1], beyond, length)


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
    rows: np.ndarray[tuple[int], np.dtype[np.void]],
    parts: tuple[Ints, Ints | None],
    *,
    centres: bool,
) -> Bound:
    """The bound over the intervals of ``rows``, between the two parts of each; the second one
    stands still in the world where there is none. With ``centres`` it is the centres of the
    bounding spheres that move."""
    piece, count = rows["piece"], len(rows)
    powers = np.moveaxis(certificate.coefficients, 1, -1)[piece]
    first = derivative(powers)
    ends = rows["start"][:, None], rows["end"][:, None]
    speed = largest(first, *ends)
    acceleration = largest(derivative(first), *ends)
    # Where the joints are at the instant is off by the rounding of the polynomial, and so is the
    # position of a mimic joint by that of a product and a sum.
    error = certificate.deviation + certificate.rounding[piece]
    noise = 8.0 * EPS * np.abs(powers).sum(axis=-1)
    factor = np.abs(model.multiplier)
    s, a, e, x = (
        factor * (v[:, model.index] if model.names else np.zeros((count, model.frames)))
        for v in (speed, acceleration, error, noise)
    )
    x = x + 2.0 * EPS * np.abs(model.offset)
    turns = ~model.slides
    frames = np.array([part.frame for part in model.parts], dtype=np.int64)
    carried = [
        model.carried[frames[part]] if part is not None else np.zeros((count, model.frames), bool)
        for part in parts
    ]
    length, curvature, stray, blur, haste = (np.zeros(count) for _ in range(5))
    for side, part in enumerate(parts):
        if part is None:
            continue
        R = (reach.centres if centres else reach.parts)[part]
        own = carried[side]
        past = np.where(own, reach.beyond[piece], 0.0)
        after = np.cumsum(past[:, ::-1], axis=1)[:, ::-1] - past
        R = np.where(own, R + np.where(turns, after, 0.0), 0.0)
        between = own & ~carried[1 - side]
        sb, Rb = np.where(between, s, 0.0), np.where(between, R, 0.0)
        turning = np.cumsum(sb * turns, axis=1) - sb * turns
        length += (Rb * sb).sum(axis=1)
        curvature += (sb * Rb * (turns * sb + 2.0 * turning)).sum(axis=1)
        curvature += (Rb * a).sum(axis=1)
        stray += (Rb * e).sum(axis=1)
        # Rounding counts over all joints: poses are worked out from the world outwards.
        depth = own.sum(axis=1) + 2
        size = (reach.centre_size if centres else reach.part_size)[part] + past.sum(axis=1)
        extent = np.append(reach.length, np.zeros(len(model.moving)))[frames[part]] + size
        glides = model.is_moving_body(frames[part])
        if glides.any():
            which = np.flatnonzero(glides)
            row = certificate.glides[piece[which], frames[part][which] - model.frames]
            way, turn = _glide(model, part[which], row, centres, reach)
            length[which] += way + turn
            curvature[which] += turn * np.sqrt((row[:, 15:] ** 2).sum(axis=1))
            extent[which] += np.sqrt((row[:, [3, 7, 11]] ** 2).sum(axis=1)) + way
            blur[which] += 8.0 * EPS * turn
            haste[which] += VERIFY_ROUNDING * 4.0 * (way + turn)
        blur += VERIFY_ROUNDING * depth * extent + (R * np.where(own, x, 0.0)).sum(axis=1)
        fast = np.where(own, s, 0.0)
        haste += VERIFY_ROUNDING * depth * (fast * (R + turns * extent[:, None])).sum(axis=1)
        haste += fast.sum(axis=1) * (R * np.where(own, x, 0.0)).sum(axis=1)
        haste += (fast * R).sum(axis=1) * np.where(own & turns, x, 0.0).sum(axis=1)
    up = 1.0 + VERIFY_SUM_ROUNDING
    return Bound(up * length, up * curvature, up * stray, blur, haste)


def _glide(
    model: Model, part: Ints, rows: Array, centres: bool, reach: Reaches
) -> tuple[Array, Array]:
    """``|linear|`` and ``|angular| r`` of gliding parts."""
    way = np.sqrt((rows[:, 12:15] ** 2).sum(axis=1))
    spin = np.sqrt((rows[:, 15:] ** 2).sum(axis=1))
    far = (reach.centre_size if centres else reach.part_size)[part]
    return way, spin * far
