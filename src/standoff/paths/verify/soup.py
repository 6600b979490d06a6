"""Triangles of a mesh, a box or a polyhedron, with balls around halves of halves of them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from standoff.constants import INSIDE_WINDING
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
        closed: whether they bound a solid.
        seeds: (k, 3) a point of each connected part.
        centre, size: (nodes, 3) and (nodes,): a ball around the triangles of each node.
        left, right: (nodes,) its two halves, -1 for a leaf.
        first, last: (nodes,) its triangles, in that order.
    """

    triangles: Array
    closed: bool
    seeds: Array
    centre: Array
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
        inside and to none from outside; anything in doubt is inside."""
        result = np.zeros(len(points), dtype=bool)
        if not self.closed:
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
            result[k] = turns >= INSIDE_WINDING
        return result


def soup_of(shape: Shape) -> Soup:
    """The surface of a mesh, a box or a polyhedron."""
    if isinstance(shape, Box):
        signs = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], float)
        vertices, faces, closed = signs * (np.array(shape.size) / 2.0), _BOX, True
    elif isinstance(shape, (Mesh, Polyhedron)):
        vertices, faces = np.asarray(shape.vertices), np.asarray(shape.faces)
        closed = shape.closed if isinstance(shape, Mesh) else True
    else:
        raise TypeError(f"no triangles of {type(shape).__name__}")
    return _built(vertices[faces], closed, vertices[_seeds(faces, len(vertices))])


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


def _built(triangles: Array, closed: bool, seeds: Array) -> Soup:
    order = np.arange(len(triangles))
    middles = triangles.mean(axis=1)
    left: list[int] = []
    right: list[int] = []
    first: list[int] = []
    last: list[int] = []
    waiting = [(0, len(triangles), -1, False)]
    while waiting:
        low, high, above, is_right = waiting.pop()
        node = len(first)
        first.append(low)
        last.append(high)
        left.append(-1)
        right.append(-1)
        if above >= 0:
            (right if is_right else left)[above] = node
        if high - low > _LEAF:
            own = middles[order[low:high]]
            axis = int(np.argmax(own.max(axis=0) - own.min(axis=0)))
            half = (high - low) // 2
            order[low:high] = order[low:high][np.argpartition(own[:, axis], half)]
            waiting += [(low, low + half, node, False), (low + half, high, node, True)]
    placed = triangles[order]
    centre, size = np.empty((len(first), 3)), np.empty(len(first))
    for node, (low, high) in enumerate(zip(first, last, strict=True)):
        corners = placed[low:high].reshape(-1, 3)
        centre[node] = 0.5 * (corners.min(axis=0) + corners.max(axis=0))
        size[node] = np.sqrt(((corners - centre[node]) ** 2).sum(axis=1).max())
    arrays = (np.array(x, dtype=np.int64) for x in (left, right, first, last))
    return Soup(placed, closed, seeds, centre, size, *arrays)
