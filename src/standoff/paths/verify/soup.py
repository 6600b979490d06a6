"""Triangles of a mesh or a polyhedron, with boxes around halves of halves."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from standoff.geometry.mesh import Mesh
from standoff.geometry.polyhedron import Polyhedron
from standoff.geometry.pose import Array
from standoff.geometry.shape import Shape
from standoff.paths.verify.triangles import cross, dot
from standoff.tolerances import EPS, INSIDE_WINDING

_LEAF = 4

#: Cells across the longest side of a mesh, in which its triangles are sorted.
_CELLS = 1 << 20


@dataclass(frozen=True, eq=False)
class Soup:
    """Triangles along the shape's own axes.

    Attributes:
        triangles: (n, 3, 3), in the order of the leaves.
        solid: whether there is something inside; closed: whether all that is inside is known.
        vertices, faces: of the shape, as it has them.
        centre, half, size: (nodes, 3), (nodes, 3) and (nodes,): a box along the axes around the
            triangles of each node, and the radius of the ball around that.
        left, right: (nodes,) its two halves, -1 for a leaf.
        first, last: (nodes,) its triangles, in that order.
    """

    triangles: Array
    solid: bool
    closed: bool
    vertices: Array
    faces: NDArray[np.int64]
    centre: Array
    half: Array
    size: Array
    left: NDArray[np.int64]
    right: NDArray[np.int64]
    first: NDArray[np.int64]
    last: NDArray[np.int64]

    @cached_property
    def seeds(self) -> Array:
        """(k, 3) a point of each connected part."""
        label = _labels(self.faces, len(self.vertices))
        return np.asarray(self.vertices[np.unique(label[self.faces])])

    @cached_property
    def parts(self) -> NDArray[np.int64]:
        """(n,) the connected part of each face; of a closed surface all are one."""
        if self.closed:
            return np.zeros(len(self.faces), dtype=np.int64)
        label = _labels(self.faces, len(self.vertices))[self.faces[:, 0]]
        return np.unique(label, return_inverse=True)[1].reshape(-1)

    def holds(self, points: Array) -> NDArray[np.bool_]:
        """Which of the points (n, 3) are inside the solid.

        The solid angles of all triangles, seen from a point, add up to one full turn around it from
        inside and to none from outside. An open mesh counts from half a turn on, either way round,
        all of it or one of its connected parts; anything in doubt is inside."""
        result = np.zeros(len(points), dtype=bool)
        if not self.solid:
            return result
        low, high = self.centre[0] - self.half[0], self.centre[0] + self.half[0]
        near = np.flatnonzero(((points >= low) & (points <= high)).all(axis=1))
        for k in near:
            a, b, c = (self.vertices[self.faces[:, i]] - points[k] for i in range(3))
            x, y, z = (np.sqrt(dot(v, v)) for v in (a, b, c))
            over = dot(a, cross(b, c))
            under = x * y * z + dot(a, b) * z + dot(b, c) * x + dot(c, a) * y
            turns = np.bincount(self.parts, weights=np.arctan2(over, under)) / (2.0 * np.pi)
            result[k] = max(abs(turns.sum()), np.abs(turns).max()) >= INSIDE_WINDING
        return result


def soup_of(shape: Shape) -> Soup:
    """The surface of a mesh or a polyhedron."""
    if not isinstance(shape, (Mesh, Polyhedron)):
        raise TypeError(f"no triangles of {type(shape).__name__}")
    vertices, faces = np.asarray(shape.vertices), np.asarray(shape.faces)
    closed = shape.closed if isinstance(shape, Mesh) else True
    return _built(vertices, faces, closed or (isinstance(shape, Mesh) and not shape.sheet), closed)


def _labels(faces: NDArray[np.int64], count: int) -> NDArray[np.int64]:
    """The least vertex of each vertex's connected part: it wanders along the edges."""
    label = np.arange(count)
    while True:
        a, b, c = (label[faces[:, i]] for i in range(3))
        least = np.minimum(np.minimum(a, b), c)
        spread = label.copy()
        for i in range(3):
            np.minimum.at(spread, faces[:, i], least)
        spread = spread[spread]
        if np.array_equal(spread, label):
            return label
        label = spread


def _built(vertices: Array, faces: NDArray[np.int64], solid: bool, closed: bool) -> Soup:
    """Triangles in the order of a space-filling curve; each node has half of its parent's."""
    triangles = vertices[faces]
    a, b, c = triangles[:, 0], triangles[:, 1], triangles[:, 2]
    low, high = np.minimum(np.minimum(a, b), c), np.maximum(np.maximum(a, b), c)
    order = np.argsort(_curve(low + high))
    count = len(triangles)
    depth = max(0, int(np.ceil(np.log2(count / _LEAF))))
    edges = np.arange((1 << depth) + 1) * count >> depth
    corner = (
        np.minimum.reduceat(low[order], edges[:-1]),
        np.maximum.reduceat(high[order], edges[:-1]),
    )
    levels = [(*corner, edges[:-1], edges[1:])]
    for _ in range(depth):
        lower, upper, first, last = levels[-1]
        levels.append(
            (
                np.minimum(lower[::2], lower[1::2]),
                np.maximum(upper[::2], upper[1::2]),
                first[::2],
                last[1::2],
            )
        )
    lower, upper, first, last = (np.concatenate(x) for x in zip(*levels[::-1], strict=True))
    centre, half = 0.5 * (lower + upper), 0.5 * (upper - lower)
    # Rounding of the middle of a box, which its corners then stand out of.
    half = half + 4.0 * EPS * (np.abs(centre) + half)
    size = np.sqrt((half * half).sum(axis=1)) * (1.0 + 8.0 * EPS)
    node = np.arange(len(first))
    inner = node < (1 << depth) - 1
    left, right = np.where(inner, 2 * node + 1, -1), np.where(inner, 2 * node + 2, -1)
    return Soup(
        triangles[order], solid, closed, vertices, faces,
        centre, half, size, left, right, first, last,
    )  # fmt: skip


def _curve(points: Array) -> NDArray[np.int64]:
    """Places (n,) of points along a curve through all cells of a cube (Morton order)."""
    points = points - points.min(axis=0)
    longest = float(points.max())
    cells = (points * ((_CELLS - 1) / longest if longest > 0.0 else 0.0)).astype(np.int64)
    for shift, mask in (
        (32, 0x1F00000000FFFF), (16, 0x1F0000FF0000FF), (8, 0x100F00F00F00F00F),
        (4, 0x10C30C30C30C30C3), (2, 0x1249249249249249),
    ):  # fmt: skip
        cells = (cells | cells << shift) & mask
    return np.asarray(cells[:, 0] | cells[:, 1] << 1 | cells[:, 2] << 2)


def joined(soups: Sequence[Soup]) -> tuple[Soup, NDArray[np.int64]]:
    """Many trees as one, and the root of each; it bounds no solid."""
    nodes = np.cumsum([0, *(len(soup.size) for soup in soups)])
    places = np.cumsum([0, *(len(soup.triangles) for soup in soups)])

    def moved(values: Iterable[NDArray[np.int64]], by: NDArray[np.int64]) -> NDArray[np.int64]:
        return np.concatenate([np.where(v < 0, -1, v + n) for v, n in zip(values, by)])

    return (
        Soup(
            triangles=np.concatenate([soup.triangles for soup in soups]),
            solid=False,
            closed=False,
            vertices=np.zeros((0, 3)),
            faces=np.zeros((0, 3), dtype=np.int64),
            centre=np.concatenate([soup.centre for soup in soups]),
            half=np.concatenate([soup.half for soup in soups]),
            size=np.concatenate([soup.size for soup in soups]),
            left=moved((soup.left for soup in soups), nodes),
            right=moved((soup.right for soup in soups), nodes),
            first=moved((soup.first for soup in soups), places),
            last=moved((soup.last for soup in soups), places),
        ),
        nodes[:-1],
    )
