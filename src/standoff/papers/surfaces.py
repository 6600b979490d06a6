"""Surfaces of triangles made by formula, for the scenes of paper 001, whose models are not public.

A closed surface has an even number of triangles, as each has three edges and each edge two
triangles; splitting one edge adds two. So `refined` brings any surface to any larger count that it
can have, and one of an odd count (the paper's robot of 2,991) must be open somewhere.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from standoff.errors import MeshError
from standoff.geometry.mesh import Mesh
from standoff.geometry.pose import Array
from standoff.geometry.shape import IntArray

Mask = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Surface:
    """Vertices (n, 3) [m] and triangles (m, 3), counter-clockwise as seen from outside."""

    vertices: Array
    faces: IntArray

    @property
    def count(self) -> int:
        """How many triangles there are."""
        return len(self.faces)

    def at(self, x: float = 0.0, y: float = 0.0, z: float = 0.0) -> Surface:
        """Moved by a vector."""
        return Surface(self.vertices + np.array([x, y, z]), self.faces)

    def turned(self, axis: str) -> Surface:
        """With what was along z now along ``axis`` (x, y or z), the others following in turn."""
        return Surface(np.roll(self.vertices, "zxy".index(axis), axis=1), self.faces)

    def mesh(self) -> Mesh:
        """The shape of it."""
        return Mesh(self.vertices, self.faces, sheet=True)  # where it is open

    def save(self, path: Path) -> None:
        """Write an OBJ file, with all digits."""
        lines = [f"v {x!r} {y!r} {z!r}" for x, y, z in self.vertices.tolist()]
        lines += [f"f {a} {b} {c}" for a, b, c in (self.faces + 1).tolist()]
        path.write_text("\n".join(lines) + "\n")


def joined(*surfaces: Surface) -> Surface:
    """Several surfaces as one; where they overlap, they are left as they are."""
    first = np.cumsum([0, *(len(s.vertices) for s in surfaces)])
    return Surface(
        np.concatenate([s.vertices for s in surfaces]),
        np.concatenate([s.faces + k for s, k in zip(surfaces, first)]),
    )


def block(low: ArrayLike, high: ArrayLike) -> Surface:
    """A box from corner to corner, along the axes: 12 triangles."""
    ends = np.array([low, high], dtype=float)
    corners = np.array([[ends[i, 0], ends[j, 1], ends[k, 2]] for i, j, k in np.ndindex(2, 2, 2)])
    sides = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))
    faces = [t for a, b, c, d in sides for t in ((a, b, c), (a, c, d))]
    return Surface(corners, np.array(faces, dtype=np.int64))


def lathe(profile: Sequence[tuple[float, float]], sides: int, *, below: bool = True) -> Surface:
    """What a profile of k points (radius > 0, height), heights rising, sweeps about z:
    ``2 sides (k - 1)`` triangles, and ``sides - 2`` at either end; ``below`` False leaves the lower
    end open."""
    turns = 2.0 * math.pi / sides * np.arange(sides)
    around = np.stack([np.cos(turns), np.sin(turns)], axis=1)
    rings = [np.column_stack([r * around, np.full(sides, z)]) for r, z in profile]
    ring = np.arange(sides)
    after = (ring + 1) % sides
    faces = []
    for k in range(len(profile) - 1):
        a, b = k * sides, (k + 1) * sides
        faces.append(np.stack([a + ring, a + after, b + after], axis=1))
        faces.append(np.stack([a + ring, b + after, b + ring], axis=1))
    fan = np.stack([np.zeros(sides - 2, dtype=np.int64), ring[1:-1], ring[2:]], axis=1)
    if below:
        faces.append(fan[:, ::-1])
    faces.append(fan + (len(profile) - 1) * sides)
    return Surface(np.concatenate(rings), np.concatenate(faces))


def rod(start: ArrayLike, end: ArrayLike, radius: float, sides: int) -> Surface:
    """A straight prism of ``sides`` between two points: ``4 sides - 4`` triangles."""
    a, b = np.array(start, dtype=float), np.array(end, dtype=float)
    length = float(np.linalg.norm(b - a))
    z = (b - a) / length
    x = np.cross(np.eye(3)[int(np.argmin(np.abs(z)))], z)
    x /= np.linalg.norm(x)
    straight = lathe([(radius, 0.0), (radius, length)], sides)
    return Surface(straight.vertices @ np.stack([x, np.cross(z, x), z]) + a, straight.faces)


def torus(ring: float, tube: float, around: int, across: int) -> Surface:
    """About z, ``ring`` and ``tube`` its two radii: ``2 around across`` triangles."""
    u = 2.0 * math.pi / around * np.arange(around)[:, None]
    v = 2.0 * math.pi / across * np.arange(across)[None, :]
    reach = ring + tube * np.cos(v)
    points = np.stack([reach * np.cos(u), reach * np.sin(u), tube * np.sin(v) + 0.0 * u], axis=-1)
    i, j = np.meshgrid(np.arange(around), np.arange(across), indexing="ij")
    k, m = (i + 1) % around, (j + 1) % across
    a, b, c, d = i * across + j, k * across + j, k * across + m, i * across + m
    faces = np.concatenate([np.stack([a, b, c], axis=-1), np.stack([a, c, d], axis=-1)])
    return Surface(points.reshape(-1, 3), faces.reshape(-1, 3))


def sheet(points: Array, thickness: float, kept: Mask | None = None) -> Surface:
    """A thin closed shell: a grid of points (n, m, 3), thickened against its own normal. Cells
    (n - 1, m - 1) that are not ``kept`` are holes."""
    n, m = points.shape[:2]
    cells = np.ones((n - 1, m - 1), dtype=bool) if kept is None else np.asarray(kept, dtype=bool)
    du, dv = np.gradient(points, axis=0), np.gradient(points, axis=1)
    normal = np.cross(du, dv)
    normal /= np.linalg.norm(normal, axis=-1, keepdims=True)
    both = np.concatenate([points.reshape(-1, 3), (points - thickness * normal).reshape(-1, 3)])
    number = np.arange(n * m).reshape(n, m)
    a, b = number[:-1, :-1][cells], number[1:, :-1][cells]
    c, d = number[1:, 1:][cells], number[:-1, 1:][cells]
    outer = np.concatenate([np.stack([a, b, c], axis=1), np.stack([a, c, d], axis=1)])
    sides = np.concatenate([np.stack(e, axis=1) for e in ((a, b), (b, c), (c, d), (d, a))])
    known = set(map(tuple, sides.tolist()))
    rim = np.array([(p, q) for p, q in sides.tolist() if (q, p) not in known], dtype=np.int64)
    p, q = rim[:, 0], rim[:, 1]
    under = n * m
    edge = np.concatenate(
        [np.stack([q, p, p + under], axis=1), np.stack([q, p + under, q + under], axis=1)]
    )
    faces = np.concatenate([outer, outer[:, ::-1] + under, edge])
    used, renumbered = np.unique(faces, return_inverse=True)
    return Surface(both[used], renumbered.reshape(-1, 3).astype(np.int64))


def refined(surface: Surface, count: int) -> Surface:
    """The same surface of just ``count`` triangles: its longest edges are split in the middle, one
    after the other. Where one triangle is missing at the end, an open edge is split, which adds
    only one.

    Raises:
        MeshError: it has more triangles already, or an odd difference and no open edge.
    """
    grid = _Splitting(surface)
    missing = count - surface.count
    if missing < 0 or (missing % 2 and not grid.opens()):
        raise MeshError(
            "cannot be refined to this count",
            value=count,
            allowed=f"from {surface.count} on in steps of 2, or of 1 where the surface is open",
        )
    while missing > 0:
        missing -= grid.split(grid.longest() if missing > 1 else grid.opens()[0])
    return Surface(np.array(grid.points), np.array(grid.faces, dtype=np.int64))


_Edge = tuple[int, int]


class _Splitting:
    """A surface while its edges are being split."""

    def __init__(self, surface: Surface) -> None:
        self.points: list[list[float]] = surface.vertices.tolist()
        self.faces: list[list[int]] = surface.faces.tolist()
        self._beside: dict[_Edge, list[int]] = {}
        for f, face in enumerate(self.faces):
            for edge in _edges(face):
                self._beside.setdefault(edge, []).append(f)
        self._heap = [(-self._length(edge), edge) for edge in self._beside]
        heapq.heapify(self._heap)

    def longest(self) -> _Edge:
        """The longest edge there is; it must be split next."""
        return heapq.heappop(self._heap)[1]

    def opens(self) -> list[_Edge]:
        """Edges of one triangle only, the longest first."""
        found = [edge for edge, beside in self._beside.items() if len(beside) == 1]
        return sorted(found, key=lambda edge: (-self._length(edge), edge))

    def split(self, edge: _Edge) -> int:
        """Cut an edge in two; returns how many triangles that added."""
        a, b = edge
        middle = len(self.points)
        self.points.append([(p + q) / 2.0 for p, q in zip(self.points[a], self.points[b])])
        beside = self._beside.pop(edge)
        for f in beside:
            face = self.faces[f]
            self.faces[f] = [middle if v == b else v for v in face]
            self.faces.append([middle if v == a else v for v in face])
            far = next(v for v in face if v not in edge)
            across = self._beside[_edge(b, far)]
            across[across.index(f)] = len(self.faces) - 1
            self._note(_edge(middle, far), f, len(self.faces) - 1)
            self._note(_edge(a, middle), f)
            self._note(_edge(middle, b), len(self.faces) - 1)
        return len(beside)

    def _note(self, edge: _Edge, *faces: int) -> None:
        if edge not in self._beside:
            heapq.heappush(self._heap, (-self._length(edge), edge))
        self._beside.setdefault(edge, []).extend(faces)

    def _length(self, edge: _Edge) -> float:
        return math.dist(self.points[edge[0]], self.points[edge[1]])


def _edge(a: int, b: int) -> _Edge:
    return (a, b) if a < b else (b, a)


def _edges(face: list[int]) -> tuple[_Edge, _Edge, _Edge]:
    a, b, c = face
    return _edge(a, b), _edge(b, c), _edge(c, a)
