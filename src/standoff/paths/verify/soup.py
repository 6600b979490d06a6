"""Triangles of a mesh, a box or a polyhedron, with boxes around halves of halves."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from standoff.constants import EPS, INSIDE_WINDING
from standoff.shapes.mesh import Mesh
from standoff.shapes.polyhedron import Polyhedron
from standoff.shapes.pose import Array
from standoff.shapes.primitives import Box
from standoff.shapes.shape import Shape

_LEAF = 4

#: Corners of a box as `support.core_points` lists them, two triangles a side, outwards.
_BOX = np.array(
    [
        [0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1],
        [2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3],
    ]
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class Soup:
    """Triangles along the shape's own axes.

    Attributes:
        triangles: (n, 3, 3), in the order of the leaves.
        solid: whether there is something inside.
        seeds: (k, 3) a point of each connected part; of a box, its middle.
        centre, half, size: (nodes, 3), (nodes, 3) and (nodes,): a box along the axes around the
            triangles of each node, and the radius of the ball around that.
        left, right: (nodes,) its two halves, -1 for a leaf.
        first, last: (nodes,) its triangles, in that order.
    """

    triangles: Array
    solid: bool
    seeds: Array
    centre: Array
    half: Array
    size: Array
    left: NDArray[np.int64]
    right: NDArray[np.int64]
    first: NDArray[np.int64]
    last: NDArray[np.int64]

    @cached_property
    def bounds(self) -> tuple[Array, Array]:
        return self.triangles.min(axis=(0, 1)), self.triangles.max(axis=(0, 1))

    def holds(self, points: Array) -> NDArray[np.bool_]:
        """Which of the points (n, 3) are inside the solid.

        The solid angles of all triangles, seen from a point, add up to one full turn around it from
        inside and to none from outside. An open mesh counts from half a turn on, either way round;
        anything in doubt is inside."""
        result = np.zeros(len(points), dtype=bool)
        if not self.solid:
            return result
        low, high = self.bounds
        near = np.flatnonzero(((points >= low) & (points <= high)).all(axis=1))
        for k in near:
            a, b, c = (self.triangles[:, i] - points[k] for i in range(3))
            x, y, z = (np.sqrt((v * v).sum(axis=1)) for v in (a, b, c))
            over = (a * np.cross(b, c)).sum(axis=1)
            under = x * y * z + (a * b).sum(axis=1) * z
            under += (b * c).sum(axis=1) * x + (c * a).sum(axis=1) * y
            turns = float(np.arctan2(over, under).sum()) / (2.0 * np.pi)
            result[k] = abs(turns) >= INSIDE_WINDING
        return result


def soup_of(shape: Shape) -> Soup:
    """The surface of a mesh, a box or a polyhedron."""
    if isinstance(shape, Box):
        signs = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], float)
        vertices = signs * (np.array(shape.size) / 2.0)
        return _built(vertices[_BOX], True, np.zeros((1, 3)))
    if isinstance(shape, (Mesh, Polyhedron)):
        vertices, faces = np.asarray(shape.vertices), np.asarray(shape.faces)
        solid = shape.closed or not shape.sheet if isinstance(shape, Mesh) else True
        return _built(vertices[faces], solid, vertices[_seeds(faces, len(vertices))])
    raise TypeError(f"no triangles of {type(shape).__name__}")


def _seeds(faces: NDArray[np.int64], count: int) -> NDArray[np.int64]:
    """One vertex of each connected part: the smallest label wanders along the edges."""
    label = np.arange(count)
    while True:
        least = label[faces].min(axis=1)
        spread = label.copy()
        for i in range(3):
            np.minimum.at(spread, faces[:, i], least)
        spread = spread[spread]
        if np.array_equal(spread, label):
            used = np.unique(faces)
            return np.unique(label[used])
        label = spread


def _built(triangles: Array, solid: bool, seeds: Array) -> Soup:
    """Halves of halves, all nodes of a level at once."""
    order, middles = np.arange(len(triangles)), triangles.mean(axis=1)
    low, high = triangles.min(axis=1), triangles.max(axis=1)
    first, last = np.array([0]), np.array([len(triangles)])
    levels, count = [], 1
    while len(first):
        place = np.arange(len(triangles) + 1)  # of each triangle the node of this level
        node = np.searchsorted(first, place, side="right") - 1
        inside = (node >= 0) & (place < last[np.maximum(node, 0)])
        at = place[inside]
        node = node[at]
        starts = np.searchsorted(at, first)
        own = order[at]
        corner = np.minimum.reduceat(low[own], starts), np.maximum.reduceat(high[own], starts)
        centre, half = 0.5 * (corner[0] + corner[1]), 0.5 * (corner[1] - corner[0])
        split = last - first > _LEAF
        number = count + 2 * (np.cumsum(split) - 1)
        levels.append(
            (centre, half, np.where(split, number, -1), np.where(split, number + 1, -1),
             first, last)
        )  # fmt: skip
        m = middles[own]
        spread = np.maximum.reduceat(m, starts) - np.minimum.reduceat(m, starts)
        along = m[np.arange(len(at)), np.argmax(spread, axis=1)[node]]
        order[at] = own[np.lexsort((along, node))]
        first, last = first[split], last[split]
        middle = first + (last - first) // 2
        first, last = (
            np.stack(pair, axis=1).reshape(-1) for pair in ((first, middle), (middle, last))
        )
        count += len(first)
    centre, half, *rest = (np.concatenate(x) for x in zip(*levels, strict=True))
    # Rounding of the middle of a box, which its corners then stand out of.
    half = half + 4.0 * EPS * (np.abs(centre) + half)
    size = np.sqrt((half * half).sum(axis=1)) * (1.0 + 8.0 * EPS)
    return Soup(triangles[order], solid, seeds, centre, half, size, *rest)
