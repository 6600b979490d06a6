"""Shapes as triangles, to be drawn."""

from __future__ import annotations

import math

import numpy as np

from standoff.errors import Error
from standoff.geometry.mesh import Mesh
from standoff.geometry.polyhedron import Polyhedron
from standoff.geometry.pose import Array
from standoff.geometry.primitives import Box, Capsule, Cylinder, HalfSpace, Sphere
from standoff.geometry.shape import Shape

#: Corners of what is round.
_AROUND = 24

#: Tiles along a side of the patch that stands for a half space; an even number.
TILES = 16


def triangles(shape: Shape) -> Array:
    """(n, 3, 3) in the shape's own frame, [m]; of a half space none, see `patch`."""
    if isinstance(shape, (Mesh, Polyhedron)):
        return np.asarray(shape.vertices)[np.asarray(shape.faces)]
    if isinstance(shape, Box):
        return _box(np.array(shape.size) / 2.0)
    if isinstance(shape, Sphere):
        return swept(*_cap(shape.radius, 0.0))
    if isinstance(shape, Capsule):
        return swept(*_cap(shape.radius, shape.length / 2.0))
    if isinstance(shape, Cylinder):
        half = shape.length / 2.0
        side = np.linspace(-half, half, 2 + int(shape.length / (2.0 * shape.radius)))
        radius = np.full(len(side), shape.radius)
        return swept(
            np.concatenate([[0.0], radius, [0.0]]), np.concatenate([[-half], side, [half]])
        )
    if isinstance(shape, HalfSpace):
        return np.zeros((0, 3, 3))
    raise Error("a shape that cannot be drawn", value=shape)


def patch(pose: Array, about: Array, half: float) -> tuple[Array, Array]:
    """What is shown of a half space at ``pose``: a square of tiles, ``half`` from its middle to a
    side, about the point of the plane below ``about``. Triangles (n, 3, 3) and which of two colours
    each has (n,)."""
    x, y, z = pose[:3, :3].T
    middle = about - z * float((about - pose[:3, 3]) @ z)
    grid = np.linspace(-half, half, TILES + 1)
    found, colours = [], []
    for i in range(TILES):
        for j in range(TILES):
            a, b, c, d = (
                middle + u * x + v * y
                for u, v in (
                    (grid[i], grid[j]), (grid[i + 1], grid[j]),
                    (grid[i + 1], grid[j + 1]), (grid[i], grid[j + 1]),
                )
            )  # fmt: skip
            found += [[a, b, c], [a, c, d]]
            colours += [(i + j) % 2] * 2
    return np.array(found), np.array(colours)


def _box(half: Array) -> Array:
    corner = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) * half
    quads = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))
    return np.array([corner[list(t)] for a, b, c, d in quads for t in ((a, b, c), (a, c, d))])


def _cap(radius: float, half: float) -> tuple[Array, Array]:
    """The outline of a capsule, from pole to pole: distance from the axis, and height."""
    angle = np.linspace(-math.pi / 2.0, math.pi / 2.0, _AROUND // 2 + 1)
    low, high = angle[angle <= 0.0], angle[angle >= 0.0]
    side = np.linspace(-half, half, 2 + int(half / radius))[1:-1]
    return (
        np.concatenate([radius * np.cos(low), np.full(len(side), radius), radius * np.cos(high)]),
        np.concatenate([radius * np.sin(low) - half, side, radius * np.sin(high) + half]),
    )


def swept(radius: Array, height: Array) -> Array:
    """The surface that an outline sweeps about z."""
    angle = np.linspace(0.0, 2.0 * math.pi, _AROUND + 1)
    rings = np.stack(
        [
            radius[:, None] * np.cos(angle),
            radius[:, None] * np.sin(angle),
            np.repeat(height[:, None], len(angle), axis=1),
        ],
        axis=-1,
    )
    a, b, c, d = rings[:-1, :-1], rings[:-1, 1:], rings[1:, 1:], rings[1:, :-1]
    found = np.concatenate([np.stack([a, b, c], axis=-2), np.stack([a, c, d], axis=-2)])
    return found.reshape(-1, 3, 3)
