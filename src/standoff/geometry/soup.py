"""A body as a soup of triangles between balls: from shapes, and parted by a plane."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from standoff.errors import ShapeError
from standoff.geometry.convex_hull import convex_hull
from standoff.geometry.mesh import Mesh
from standoff.geometry.polyhedron import Polyhedron
from standoff.geometry.pose import Array
from standoff.geometry.primitives import Box, Capsule, Cylinder, Sphere
from standoff.geometry.shape import IntArray, Shape

#: Sides of the polytope around a curved shape; it is 1 / cos(pi / sides) wider, 0.5 %.
_SIDES = 32

#: The triangles of a box whose corners are counted with z fastest, as `Box.core` gives them.
_BOX_FACES = np.array(
    [
        *((0, 1, 3), (0, 3, 2), (4, 6, 7), (4, 7, 5)),
        *((0, 4, 5), (0, 5, 1), (2, 3, 7), (2, 7, 6)),
        *((0, 2, 6), (0, 6, 4), (1, 5, 7), (1, 7, 3)),
    ],
    dtype=np.int64,
)

_Ring = list[int]


@dataclass(frozen=True)
class Soup:
    """Balls (n, 4) as rows (x, y, z, radius), and faces (m, 3) of them.

    The body is all that the faces hold, and all that the triangles of their centres shut in. A face
    holds the hull of its three balls, two or all of which may be the same; a ball outside all
    faces stands for itself.
    """

    balls: Array
    faces: IntArray

    def edges(self) -> IntArray:
        """Each edge of each face once, (k, 2), the lower index first."""
        ends = np.sort(self.faces[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1)
        ends = ends[ends[:, 0] != ends[:, 1]]
        n = len(self.balls)
        codes = np.unique(ends[:, 0] * n + ends[:, 1])
        return np.stack([codes // n, codes % n], axis=1)

    def thinned(self, cells: int) -> Soup:
        """One ball for all whose centres share a cell of a grid of ``cells``³: for a search only,
        as it may be smaller than the body."""
        centres = self.balls[:, :3]
        lower = centres.min(axis=0)
        step = max(float(np.ptp(centres, axis=0).max()), np.finfo(float).tiny) / cells
        index = np.minimum((centres - lower) // step, cells - 1).astype(np.int64)
        codes = (index[:, 0] * cells + index[:, 1]) * cells + index[:, 2]
        _, kept, new = np.unique(codes, return_index=True, return_inverse=True)
        return Soup(self.balls[kept], np.ascontiguousarray(new.reshape(-1)[self.faces]))

    def parted(self, plane: Array) -> tuple[Soup, Soup]:
        """The parts above and below a plane (normal, offset), each closed by a cap.

        Together they hold the body. A face goes to the side of each of its centres: the radius
        changes linearly along it, so at a cut as well. The cap closes the solid's section: it is
        the cone of triangles from one point of the plane over the section's segments, and the
        ray from there through any point that the segments shut in crosses one of them. So the
        parts can be parted again, any number of times.
        """
        heights = self.balls[:, :3] @ plane[:3] - plane[3]
        edges = self.edges()
        crossed = edges[heights[edges].min(axis=1) * np.sign(heights[edges].max(axis=1)) < 0.0]
        low, high = heights[crossed].T
        start, end = self.balls[crossed[:, 0]], self.balls[crossed[:, 1]]
        cuts = start + (low / (low - high))[:, None] * (end - start)
        cut_of = {(i, j): len(self.balls) + k for k, (i, j) in enumerate(crossed.tolist())}

        signs = np.sign(heights[self.faces])
        astride = (signs.min(axis=1) < 0.0) & (signs.max(axis=1) > 0.0)
        grazing = ((signs == 0.0).sum(axis=1) == 2) & ~astride
        above = [self.faces[signs.min(axis=1) >= 0.0]]
        below = [self.faces[signs.max(axis=1) <= 0.0]]
        segments: list[_Ring] = []
        for face in self.faces[astride | grazing].tolist():
            upper, lower, section = _rings(face, heights, cut_of)
            if len(section) == 2:
                segments.append(sorted(section))
            above.append(_fan(upper))
            below.append(_fan(lower))

        balls = np.concatenate([self.balls, cuts])
        if segments:
            apex = np.append(balls[np.unique(segments), :3].mean(axis=0), 0.0)
            cap = np.insert(np.array(segments), 0, len(balls), axis=1)
            balls = np.concatenate([balls, apex[None]])
            above.append(cap)
            below.append(cap)
        alone = np.ones(len(self.balls), dtype=bool)
        alone[self.faces] = False
        return (
            _compact(balls, above, np.flatnonzero(alone & (heights >= 0.0))),
            _compact(balls, below, np.flatnonzero(alone & (heights <= 0.0))),
        )


def _rings(
    face: list[int], heights: Array, cut_of: dict[tuple[int, int], int]
) -> tuple[_Ring, _Ring, set[int]]:
    """The parts of a face above and below the plane as rings of balls, and the balls on it."""
    upper: _Ring = []
    lower: _Ring = []
    section: set[int] = set()
    for i, j in zip(face, face[1:] + face[:1], strict=True):
        if heights[i] >= 0.0:
            upper.append(i)
        if heights[i] <= 0.0:
            lower.append(i)
        if heights[i] == 0.0:
            section.add(i)
        cut = cut_of.get((min(i, j), max(i, j)))
        if cut is not None:
            upper.append(cut)
            lower.append(cut)
            section.add(cut)
    return upper, lower, section


def _fan(ring: _Ring) -> IntArray:
    triangles = [(ring[0], a, b) for a, b in pairwise(ring[1:])]
    return np.array(triangles, dtype=np.int64).reshape(-1, 3)


def _compact(balls: Array, faces: list[IntArray], alone: IntArray) -> Soup:
    """A soup of only the balls in use."""
    table = np.concatenate(faces)
    used = np.unique(np.concatenate([table.reshape(-1), alone]))
    return Soup(np.ascontiguousarray(balls[used]), np.searchsorted(used, table))


def soup_of_shapes(elements: Sequence[tuple[Shape, Array]]) -> Soup:
    """One soup of bounded shapes at their poses. All are exact but those with curved sides other
    than spheres and capsules, which become polytopes around them."""
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
    name = type(shape).__name__
    if not shape.bounded:
        raise ShapeError("cannot be covered by capsules", element=name, allowed="a bounded shape")
    if isinstance(shape, (Polyhedron, Mesh)):
        return shape.vertices, shape.faces, 0.0
    points, radius = shape.outline(_SIDES), shape.swept_radius
    if isinstance(shape, Sphere):
        return points, np.zeros((1, 3), dtype=np.int64), radius
    if isinstance(shape, Capsule):
        return points, np.array([[0, 1, 1]]), radius
    if isinstance(shape, Box):
        return points, _BOX_FACES, radius
    if isinstance(shape, Cylinder):
        return points, _prism_faces(), radius
    return *convex_hull(points, name), radius


def _prism_faces() -> IntArray:
    """The triangles of a prism whose lower corners are counted first."""
    n = _SIDES
    k = np.arange(n)
    after = (k + 1) % n
    inner = k[1:-1]
    faces = [
        np.stack([k, after, n + k], axis=1),
        np.stack([after, n + after, n + k], axis=1),
        np.stack([np.zeros_like(inner), inner + 1, inner], axis=1),
        np.stack([np.full_like(inner, n), n + inner, n + inner + 1], axis=1),
    ]
    return np.concatenate(faces)
