"""The boundary of a convex polyhedron: vertices, edges, faces and who meets whom.

As paper 003 has it (section 3.1): each vertex with the edges that end in it, each edge with its
tail, its head and the faces to its left and right, each face with its outward normal and its
corners, counter-clockwise seen from outside.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from standoff.errors import ShapeError
from standoff.geometry.pose import Array
from standoff.geometry.shape import SMALLEST_SIZE, IntArray
from standoff.tolerances import EPS

#: How far off its plane a corner of a contact body's face may be, relative to the body's extent,
#: [-]: triangles of a hull that are nearer than this to one plane are one face. Points of a face
#: that went through a file with ten digits are off by as much.
CONTACT_FLAT = 1e-9


@dataclass(frozen=True, eq=False)
class Features:
    """Vertices, edges and faces of a convex polyhedron, in the frame of its body.

    Attributes:
        vertices: (v, 3), [m].
        edges: (e, 4): tail, head, left face, right face. Seen from outside, with the tail below
            the head, the left face is on the left.
        planes: (f, 4): outward unit normal n and offset d, [m]; ``n x <= d`` for all vertices.
        loops: by face its corners, counter-clockwise seen from outside.
        spokes: by vertex its edges.
    """

    vertices: Array
    edges: IntArray
    planes: Array
    loops: tuple[IntArray, ...]
    spokes: tuple[IntArray, ...]

    @property
    def reach(self) -> float:
        """The largest coordinate, [m]."""
        return float(np.abs(self.vertices).max())


def features_of(vertices: Array, triangles: IntArray, element: str) -> Features:
    """The features of a closed convex surface of triangles: those in one plane become one face,
    where they are within ``CONTACT_FLAT`` of the extent.

    Raises:
        ShapeError: the faces that result do not make up a closed surface (Euler's formula): the
            body is too thin; or it is too small.
    """
    extent = float((vertices.max(axis=0) - vertices.min(axis=0)).max())
    if extent < SMALLEST_SIZE:
        raise ShapeError(
            "too small", element=element, value=extent, allowed=f"{SMALLEST_SIZE:g} m and more"
        )
    flat = CONTACT_FLAT * extent + 16.0 * EPS * float(np.abs(vertices).max())
    try:
        loops = [_loop(group) for group in _flat_groups(vertices, triangles, flat)]
    except KeyError as error:
        raise ShapeError(
            "too thin for its extent: faces on both sides are one within rounding",
            element=element,
            value=extent,
            allowed=f"thicker than some {CONTACT_FLAT:g} of the extent",
        ) from error
    used, renumbered = np.unique(np.concatenate(loops), return_inverse=True)
    corners = np.ascontiguousarray(vertices[used])
    ends = np.cumsum([len(loop) for loop in loops])
    rings = [np.ascontiguousarray(part) for part in np.split(renumbered.reshape(-1), ends[:-1])]
    planes = np.array([_plane(corners, ring) for ring in rings])
    edges = _edges(rings, element)
    if len(corners) - len(edges) + len(rings) != 2:
        raise ShapeError(
            "not the surface of a convex body (Euler's formula)",
            element=element,
            value=f"{len(corners)} vertices, {len(edges)} edges, {len(rings)} faces",
            allowed="vertices - edges + faces = 2",
        )
    ends_at: list[list[int]] = [[] for _ in corners]
    for number, (tail, head) in enumerate(edges[:, :2].tolist()):
        ends_at[tail].append(number)
        ends_at[head].append(number)
    spokes = tuple(np.array(numbers, dtype=np.int64) for numbers in ends_at)
    return Features(corners, edges, planes, tuple(rings), spokes)


def _flat_groups(vertices: Array, triangles: IntArray, flat: float) -> list[IntArray]:
    """The triangles by plane. The largest triangle that is left gives the plane, and all that hang
    together with it and have no corner farther off join: the normal of a sliver means nothing."""
    a, b, c = (vertices[triangles[:, k]] for k in range(3))
    normals = np.cross(b - a, c - a)
    areas = np.linalg.norm(normals, axis=1)
    beside = _beside(triangles)
    group = np.full(len(triangles), -1)
    groups: list[IntArray] = []
    for seed in np.argsort(-areas, kind="stable").tolist():
        if group[seed] >= 0:
            continue
        normal = normals[seed] / areas[seed]
        off = np.abs((vertices - a[seed]) @ normal) <= flat
        here = off[triangles].all(axis=1)
        group[seed] = len(groups)
        found = [seed]
        for triangle in found:
            for other in beside[triangle]:
                if group[other] < 0 and here[other]:
                    group[other] = len(groups)
                    found.append(other)
        groups.append(triangles[np.array(found)])
    return groups


def _beside(triangles: IntArray) -> list[list[int]]:
    """By triangle, those beyond its three edges."""
    owner = {
        (row[k], row[(k + 1) % 3]): number
        for number, row in enumerate(triangles.tolist())
        for k in range(3)
    }
    return [[owner[row[(k + 1) % 3], row[k]] for k in range(3)] for row in triangles.tolist()]


def _loop(triangles: IntArray) -> IntArray:
    """The corners around a connected group of triangles; a KeyError where it has no single rim."""
    inner = {(row[k], row[(k + 1) % 3]) for row in triangles.tolist() for k in range(3)}
    after = {tail: head for tail, head in inner if (head, tail) not in inner}
    start = min(after, default=-1)
    loop = [start]
    while after[loop[-1]] != start:
        loop.append(after[loop[-1]])
        if len(loop) > len(after):
            raise KeyError(start)
    if len(loop) < len(after):
        raise KeyError(start)
    return np.array(loop, dtype=np.int64)


def _plane(vertices: Array, ring: IntArray) -> Array:
    """Outward unit normal and offset of a face; no vertex of the body lies beyond it."""
    corners = vertices[ring] - vertices[ring[0]]
    normal = np.cross(corners[1:-1], corners[2:]).sum(axis=0)
    normal /= np.linalg.norm(normal)
    return np.append(normal, (vertices @ normal).max())


def _edges(rings: list[IntArray], element: str) -> IntArray:
    """Each pair of neighbours on a ring once: with the face on its left, and the one that runs
    along it in the other direction on its right."""
    left = {
        (int(tail), int(head)): face
        for face, ring in enumerate(rings)
        for tail, head in zip(ring, np.roll(ring, -1))
    }
    rows = []
    for (tail, head), face in left.items():
        if (head, tail) not in left:
            raise ShapeError("open at an edge", element=element, value=(tail, head))
        if tail < head:
            rows.append((tail, head, face, left[head, tail]))
    return np.array(sorted(rows), dtype=np.int64)
