"""Soups from outside: arrays checked at the border, and shapes."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from standoff.errors import ShapeError
from standoff.geometry.hull import points_of
from standoff.geometry.mesh import Mesh
from standoff.geometry.polyhedron import Polyhedron
from standoff.geometry.pose import Array
from standoff.geometry.primitives import Box, Capsule, Cylinder, Sphere
from standoff.geometry.shape import IntArray, Shape
from standoff.geometry.soup import Soup
from standoff.tolerances import COORDINATE_LIMIT

#: Sides of the prism around a cylinder; it is 1 / cos(pi / sides) wider, 0.5 %.
_PRISM_SIDES = 32

#: The triangles of a box whose corners are counted with z fastest, as `Box.core` gives them.
_BOX_FACES = np.array(
    [
        *((0, 1, 3), (0, 3, 2), (4, 6, 7), (4, 7, 5)),
        *((0, 4, 5), (0, 5, 1), (2, 3, 7), (2, 7, 6)),
        *((0, 2, 6), (0, 6, 4), (1, 5, 7), (1, 7, 3)),
    ],
    dtype=np.int64,
)


def soup_of_arrays(points: ArrayLike, faces: ArrayLike | None, radii: ArrayLike | None) -> Soup:
    """A soup from what `cover` is given, checked."""
    centres = points_of(points, "points")
    n = len(centres)
    return Soup(np.column_stack([centres, _radii(radii, n)]), _faces(faces, n))


def soup_of_shapes(elements: Sequence[tuple[Shape, Array]]) -> Soup:
    """One soup of bounded shapes at their poses. All are exact but cylinders, which become prisms
    around them."""
    balls, faces, first = [], [], 0
    for shape, pose in elements:
        points, table, radius = _parts(shape)
        placed = points @ pose[:3, :3].T + pose[:3, 3]
        balls.append(np.column_stack([placed, np.full(len(points), radius)]))
        faces.append(table + first)
        first += len(points)
    return Soup(np.concatenate(balls), np.concatenate(faces))


def _parts(shape: Shape) -> tuple[Array, IntArray, float]:
    """Points, faces between them, and the one radius of all."""
    if isinstance(shape, Sphere):
        return np.zeros((1, 3)), np.zeros((1, 3), dtype=np.int64), shape.radius
    if isinstance(shape, Capsule):
        points, radius = shape.core()
        return points, np.array([[0, 1, 1]]), radius
    if isinstance(shape, Box):
        return shape.core()[0], _BOX_FACES, 0.0
    if isinstance(shape, Cylinder):
        return *_prism(shape), 0.0
    if isinstance(shape, (Polyhedron, Mesh)):
        return shape.vertices, shape.faces, 0.0
    raise ShapeError(
        "cannot be covered by capsules", element=type(shape).__name__, allowed="a bounded shape"
    )


def _prism(shape: Cylinder) -> tuple[Array, IntArray]:
    n = _PRISM_SIDES
    angles = np.arange(n) * (2.0 * math.pi / n)
    rim = shape.radius / math.cos(math.pi / n) * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    half = shape.length / 2
    points = np.concatenate([np.insert(rim, 2, -half, axis=1), np.insert(rim, 2, half, axis=1)])
    k = np.arange(n)
    after = (k + 1) % n
    inner = k[1:-1]
    faces = [
        np.stack([k, after, n + k], axis=1),
        np.stack([after, n + after, n + k], axis=1),
        np.stack([np.zeros_like(inner), inner + 1, inner], axis=1),
        np.stack([np.full_like(inner, n), n + inner, n + inner + 1], axis=1),
    ]
    return points, np.concatenate(faces)


def _radii(radii: ArrayLike | None, n: int) -> Array:
    if radii is None:
        return np.zeros(n)
    allowed = f"({n},) numbers from 0 to {COORDINATE_LIMIT:g} [m]"
    try:
        result = np.array(radii, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise ShapeError("not numbers", element="radii", value=radii, allowed=allowed) from error
    if result.shape != (n,):
        raise ShapeError("wrong shape", element="radii", value=result.shape, allowed=allowed)
    bad = ~((result >= 0.0) & (result <= COORDINATE_LIMIT))
    if bad.any():
        i = int(np.argmax(bad))
        raise ShapeError(
            "not a possible radius",
            element=f"radii[{i}]",
            value=float(result[i]),
            allowed=allowed,
        )
    return result


def _faces(faces: ArrayLike | None, n: int) -> IntArray:
    if faces is None:
        return np.zeros((0, 3), dtype=np.int64)
    allowed = f"(m, 3) indices from 0 to {n - 1}"
    try:
        result = np.array(faces)
    except (TypeError, ValueError, OverflowError) as error:
        raise ShapeError("not numbers", element="faces", value=faces, allowed=allowed) from error
    if result.size == 0:
        return np.zeros((0, 3), dtype=np.int64)
    if result.ndim != 2 or result.shape[1] != 3 or not np.issubdtype(result.dtype, np.integer):
        raise ShapeError(
            "wrong shape or type",
            element="faces",
            value=f"{result.shape} {result.dtype}",
            allowed=allowed,
        )
    bad = (result < 0) | (result >= n)
    if bad.any():
        i = int(np.argmax(bad.any(axis=1)))
        raise ShapeError(
            "index out of range", element=f"faces[{i}]", value=result[i].tolist(), allowed=allowed
        )
    return np.ascontiguousarray(result, dtype=np.int64)
