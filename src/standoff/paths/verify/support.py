"""Support functions of the shapes: how far each reaches in a direction, exactly.

``h(d) = max {d·x : x in the shape}``. Two convex bodies are separated along a unit vector ``n`` by
``min {n·x : x in a} - max {n·y : y in b} = -h_a(-n) - h_b(n)``, and no two of their points are
nearer: any direction gives a lower bound of the signed distance, and no search is needed.
"""

from __future__ import annotations

import math

import numpy as np

from standoff.geometry.mesh import Mesh
from standoff.geometry.polyhedron import Polyhedron
from standoff.geometry.pose import Array
from standoff.geometry.primitives import Box, Capsule, Cylinder, HalfSpace, Sphere
from standoff.geometry.shape import Shape

#: Sides of the prism that stands for a cylinder where points are asked for; it is wider by a factor
#: of 1 / cos(pi / 360), 4e-5.
PRISM_SIDES = 360


def radius(shape: Shape) -> float:
    """What a shape is grown by around its core: spheres and capsules are, no other is."""
    return shape.radius if isinstance(shape, (Sphere, Capsule)) else 0.0


def core_support(shape: Shape, d: Array) -> Array:
    """``h`` (k,) of the core in directions ``d`` (k, 3), not necessarily of length 1, along the
    shape's own axes: of a point for a sphere, of the axis for a capsule, of all of any other."""
    if isinstance(shape, Sphere):
        return np.zeros(len(d))
    if isinstance(shape, Capsule):
        return np.asarray(np.abs(d[:, 2]) * (shape.length / 2.0))
    if isinstance(shape, Box):
        return np.asarray(np.abs(d) @ (np.array(shape.size) / 2.0))
    if isinstance(shape, Cylinder):
        across = np.hypot(d[:, 0], d[:, 1])
        return np.asarray(across * shape.radius + np.abs(d[:, 2]) * (shape.length / 2.0))
    if isinstance(shape, (Polyhedron, Mesh)):
        best = np.full(len(d), -np.inf)
        for rows in range(0, len(shape.vertices), 4096):
            best = np.maximum(best, (d @ shape.vertices[rows : rows + 4096].T).max(axis=1))
        return best
    raise TypeError(f"no support function of {type(shape).__name__}")


def core_extreme(shape: Shape, d: Array) -> Array:
    """Points (k, 3) of the core where `core_support` is taken."""
    if isinstance(shape, Sphere):
        return np.zeros((len(d), 3))
    if isinstance(shape, Capsule):
        half = np.copysign(shape.length / 2.0, d[:, 2])
        return np.stack([np.zeros(len(d)), np.zeros(len(d)), half], axis=1)
    if isinstance(shape, Box):
        return np.asarray(np.copysign(np.array(shape.size) / 2.0, d))
    if isinstance(shape, Cylinder):
        across = np.hypot(d[:, 0], d[:, 1])
        scale = shape.radius / np.where(across > 0.0, across, 1.0)
        half = np.copysign(shape.length / 2.0, d[:, 2])
        return np.stack([scale * d[:, 0], scale * d[:, 1], half], axis=1)
    if isinstance(shape, (Polyhedron, Mesh)):
        return np.asarray(shape.vertices[np.argmax(d @ shape.vertices.T, axis=1)])
    raise TypeError(f"no extreme point of {type(shape).__name__}")


def core_points(shape: Shape) -> Array:
    """Points (n, 3) along the shape's own axes; their hull holds the core, and is the core but for
    cylinders. None for a half space."""
    if isinstance(shape, Sphere):
        return np.zeros((1, 3))
    if isinstance(shape, Capsule):
        return np.array([[0.0, 0.0, -shape.length / 2.0], [0.0, 0.0, shape.length / 2.0]])
    if isinstance(shape, Box):
        signs = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], float)
        return np.asarray(signs * (np.array(shape.size) / 2.0))
    if isinstance(shape, Cylinder):
        turns = np.arange(PRISM_SIDES) * (2.0 * math.pi / PRISM_SIDES)
        wide = shape.radius / math.cos(math.pi / PRISM_SIDES)
        rim = np.stack([wide * np.cos(turns), wide * np.sin(turns)], axis=1)
        half = np.full((PRISM_SIDES, 1), shape.length / 2.0)
        return np.concatenate([np.hstack([rim, half]), np.hstack([rim, -half])])
    if isinstance(shape, (Polyhedron, Mesh)):
        return np.asarray(shape.vertices)
    return np.zeros((0, 3))


def farthest(shape: Shape, centre: Array) -> float:
    """The distance from ``centre`` (3,) of the shape's farthest point."""
    if isinstance(shape, HalfSpace):
        return math.inf
    if isinstance(shape, Cylinder):
        across = math.hypot(centre[0], centre[1]) + shape.radius
        return math.hypot(across, abs(centre[2]) + shape.length / 2.0)
    ways = core_points(shape) - centre
    return float(np.sqrt((ways * ways).sum(axis=1).max())) + radius(shape)
