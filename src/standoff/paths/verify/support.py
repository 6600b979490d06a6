"""Support functions of the shapes: how far each reaches in a direction, exactly.

``h(d) = max {d·x : x in the shape}``. Two convex bodies are separated along a unit vector ``n`` by
``min {n·x : x in a} - max {n·y : y in b} = -h_a(-n) - h_b(n)``, and no two of their points are
nearer: any direction gives a lower bound of the signed distance, and no search is needed. Where the
shapes are farthest they say themselves (`Shape.support`), which no kernel asks them.
"""

from __future__ import annotations

import math

import numpy as np

from standoff.geometry.pose import Array
from standoff.geometry.primitives import Cylinder, HalfSpace
from standoff.geometry.shape import Shape

#: Sides of the prism that stands for a cylinder where points are asked for, and of what stands for
#: another curved shape; it is wider by a factor of 1 / cos(pi / 360), 4e-5.
SIDES = 360


def core_support(shape: Shape, d: Array) -> Array:
    """``h`` (k,) of the core in directions ``d`` (k, 3), not necessarily of length 1, along the
    shape's own axes: of a point for a sphere, of the axis for a capsule, of all of any other."""
    return np.asarray((d * shape.support(d)).sum(axis=1))


def core_points(shape: Shape) -> Array:
    """Points (n, 3) along the shape's own axes; their hull holds the core, and is the core but for
    what has curved sides. None for a half space."""
    return shape.outline(SIDES)


def farthest(shape: Shape, centre: Array) -> float:
    """The distance from ``centre`` (3,) of the shape's farthest point."""
    if isinstance(shape, HalfSpace):
        return math.inf
    if isinstance(shape, Cylinder):
        across = math.hypot(centre[0], centre[1]) + shape.radius
        return math.hypot(across, abs(centre[2]) + shape.length / 2.0)
    ways = core_points(shape) - centre
    return float(np.sqrt((ways * ways).sum(axis=1).max())) + shape.swept_radius
