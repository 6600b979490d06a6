"""A shape as points and a radius whose hull holds it: what is projected."""

from __future__ import annotations

import math
from functools import cache

import numpy as np

from standoff.constants import PRISM_SIDES
from standoff.shapes.pose import Array
from standoff.shapes.primitives import Cylinder
from standoff.shapes.shape import Shape


def outline_points(shape: Shape) -> tuple[Array, float]:
    """Points (n, 3) in the shape's own frame and a radius, [m]: the shape is, or for cylinders lies
    within, the hull of the points grown by the radius. None for a half space."""
    if not shape.bounded:
        return np.zeros((0, 3)), 0.0
    if isinstance(shape, Cylinder):
        return _prism() * (shape.radius, shape.radius, shape.length / 2), 0.0
    points, radius = shape.core()
    return np.ascontiguousarray(points, dtype=np.float64), radius


@cache
def _prism() -> Array:
    """A prism around the cylinder of radius 1 between z = -1 and 1; its sides touch the cylinder
    in their middles, so its corners are 1 / cos(pi / n) away from the axis."""
    turn = np.arange(PRISM_SIDES) * (2.0 * math.pi / PRISM_SIDES)
    away = 1.0 / math.cos(math.pi / PRISM_SIDES)
    x, y = away * np.cos(turn), away * np.sin(turn)
    ends = [np.column_stack([x, y, np.full(PRISM_SIDES, z)]) for z in (-1.0, 1.0)]
    return np.concatenate(ends)
