"""Pairs that keep their distance wherever a joint is: proved, not sampled."""

from __future__ import annotations

import math

import numpy as np

from standoff.constants import STILL_PAIR
from standoff.shapes.pose import Array
from standoff.shapes.primitives import Capsule, Cylinder, HalfSpace, Sphere
from standoff.shapes.shape import Shape


def keeps_distance(a: Shape, at: Array, b: Shape, other: Array) -> bool:
    """Whether the distance of two shapes varies by STILL_PAIR at most while the first turns about
    z; both poses are in a frame on that axis.

    To turn one is to turn the other backwards, so it is enough that one of the two sways little.
    """
    sways = (_sway(a, at), _sway(b, other), _over(a, at, b, other), _over(b, other, a, at))
    return min(sways) <= STILL_PAIR


def _sway(shape: Shape, at: Array) -> float:
    """How far a shape is from itself turned about z, at most, [m]: no point of the one is farther
    from the other; infinite where nothing is known.

    A point at e from the axis moves by 2 e at most, and those between two by no more than they. A
    cylinder's ends may tilt: its axis u, of length l, turns to u' with |u' - u| <= 4 e / l, and a
    point of its rim, at r from u, moves by r |u' - u| besides.
    """
    if isinstance(shape, Sphere):
        return 2.0 * math.hypot(*at[:2, 3])
    if not isinstance(shape, Capsule | Cylinder):
        return math.inf
    half = 0.5 * shape.length * at[:3, 2]
    most = max(math.hypot(*(at[:3, 3] + side * half)[:2]) for side in (-1.0, 1.0))
    if isinstance(shape, Capsule):
        return 2.0 * most
    return 2.0 * most * (1.0 + 2.0 * shape.radius / shape.length)


def _over(shape: Shape, at: Array, plane: Shape, other: Array) -> float:
    """By how much the height of a shape above a half space varies: a point at e from the axis by
    2 e |n|, n what the normal has across the axis."""
    if not (isinstance(plane, HalfSpace) and shape.bounded):
        return math.inf
    low, high = shape.bounds()
    corners = np.array([(x, y, z, 1.0) for x in (low[0], high[0]) for y in (low[1], high[1])
                        for z in (low[2], high[2])])  # fmt: skip
    far = np.hypot(*(corners @ at.T)[:, :2].T).max()
    return float(2.0 * far * math.hypot(*other[:2, 2]))
