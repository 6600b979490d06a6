"""The convex polyhedron."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from standoff.errors import ShapeError
from standoff.geometry.convex_hull import convex_hull, hull_tolerance, points_of
from standoff.geometry.kernels.hull_audit import farthest_outside
from standoff.geometry.narrowphase import layout
from standoff.geometry.pose import Array
from standoff.geometry.shape import Geometry, IntArray, Shape, frozen, size_row

_FACES = "faces of at least 3 different indices into the vertices"
_MESH = "the faces of a closed convex body; a Mesh for any other"


class Polyhedron(Shape):
    """A solid convex polyhedron.

    Without ``faces`` it is the convex hull of ``vertices`` (n, 3), [m]. With ``faces``, each a
    sequence of vertex indices counter-clockwise seen from outside, the body must be closed and
    convex: no vertex may be in front of a face by more than `convex_hull.hull_tolerance`. Faces
    with more than three corners are cut into triangles; doubled vertices become one.

    Touching a face is a distance of 0, as for every shape; the polyhedron is a solid, so a body
    inside it overlaps it.

    Attributes:
        vertices: (v, 3), read-only, [m].
        faces: triangles (f, 3), counter-clockwise seen from outside, read-only.
    """

    kind = layout.POLYHEDRON

    def __init__(self, vertices: ArrayLike, faces: Any = None) -> None:
        if faces is None:
            corners, triangles = convex_hull(vertices, "Polyhedron.vertices")
        else:
            corners, triangles = _closed(points_of(vertices, "Polyhedron.vertices"), faces)
        self.vertices = frozen(corners)
        self.faces = frozen(triangles)
        self.size_row = size_row()
        self._geometry = Geometry(
            corners, triangles, np.zeros((0, 16)), np.zeros(0, dtype=np.int64)
        )

    @property
    def geometry(self) -> Geometry:
        return self._geometry

    @property
    def volume(self) -> float:
        return _volume(self.vertices, self.faces)

    def bounds(self) -> tuple[Array, Array]:
        return self.vertices.min(axis=0), self.vertices.max(axis=0)

    def core(self) -> tuple[Array, float]:
        return self.vertices, 0.0

    def parameters(self) -> dict[str, Any]:
        return {"vertices": self.vertices.tolist(), "faces": self.faces.tolist()}

    def __repr__(self) -> str:
        return f"Polyhedron({len(self.vertices)} vertices, {len(self.faces)} faces)"


def _volume(vertices: Array, faces: IntArray) -> float:
    # About a corner of the body, so that its distance from the origin does not cancel.
    a, b, c = (vertices[faces[:, k]] - vertices[0] for k in range(3))
    return float(np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6.0)


def _closed(vertices: Array, faces: Any) -> tuple[Array, IntArray]:
    """Vertices without doubles and triangles, checked to be a closed convex body."""
    triangles, source = _triangles(faces, len(vertices))
    _, first, renumber = np.unique(vertices, axis=0, return_index=True, return_inverse=True)
    # In the order they were given: a file written from the result reads back the same.
    triangles = first[renumber.reshape(-1)][triangles]
    used, triangles = np.unique(triangles, return_inverse=True)
    corners = np.ascontiguousarray(vertices[used])
    triangles = np.ascontiguousarray(triangles.reshape(-1, 3), dtype=np.int64)
    keep = _proper(triangles)
    triangles, source = np.ascontiguousarray(triangles[keep]), source[keep]
    _check_edges(triangles, source)
    tolerance = hull_tolerance(vertices)
    centre = 0.5 * (corners.min(axis=0) + corners.max(axis=0))
    convex_hull(corners, "Polyhedron.vertices")  # names what is flat
    if _volume(corners, triangles) < 0.0:
        raise ShapeError(
            "faces run clockwise seen from outside",
            element="Polyhedron.faces",
            allowed="counter-clockwise: reverse each face",
        )
    worst, point, face = farthest_outside(corners - centre, triangles, vertices - centre)
    if worst > tolerance:
        raise ShapeError(
            f"not convex: vertex {point} is {worst:.3g} m in front of face {source[face]}",
            element="Polyhedron",
            value=vertices[point].tolist(),
            allowed=f"{_MESH} ({tolerance:.3g} m of tolerance)",
        )
    return corners, triangles


def _triangles(faces: Any, count: int) -> tuple[IntArray, IntArray]:
    """Triangles of all faces, and by triangle the face it came from."""
    if not isinstance(faces, (Sequence, np.ndarray)) or len(faces) == 0:
        raise ShapeError("no faces", element="Polyhedron.faces", value=faces, allowed=_FACES)
    triangles: list[tuple[int, int, int]] = []
    source: list[int] = []
    for number, face in enumerate(faces):
        element = f"Polyhedron.faces[{number}]"
        try:
            given = np.asarray(face)
            corners = given.astype(np.int64)
        except (TypeError, ValueError, OverflowError) as error:
            raise ShapeError("not indices", element=element, value=face, allowed=_FACES) from error
        if given.ndim != 1 or len(given) < 3 or not np.array_equal(corners, given):
            raise ShapeError("not indices", element=element, value=face, allowed=_FACES)
        if corners.min() < 0 or corners.max() >= count:
            raise ShapeError(
                "no such vertex",
                element=element,
                value=corners.tolist(),
                allowed=f"indices 0 to {count - 1}",
            )
        if len(np.unique(corners)) < len(corners):
            raise ShapeError(
                "a vertex occurs twice", element=element, value=corners.tolist(), allowed=_FACES
            )
        for k in range(1, len(corners) - 1):
            triangles.append((int(corners[0]), int(corners[k]), int(corners[k + 1])))
            source.append(number)
    return np.array(triangles, dtype=np.int64), np.array(source, dtype=np.int64)


def _proper(triangles: IntArray) -> Any:
    """Triangles that keep three different corners once doubled vertices are one."""
    a, b, c = triangles.T
    return (a != b) & (b != c) & (c != a)


def _check_edges(triangles: IntArray, source: IntArray) -> None:
    """Each edge once in either direction: a closed surface, all faces turned the same way."""
    met: dict[tuple[int, int], int] = {}
    for triangle, face in zip(triangles.tolist(), source.tolist(), strict=True):
        for k in range(3):
            edge = (triangle[k], triangle[(k + 1) % 3])
            if edge in met:
                raise ShapeError(
                    f"faces {met[edge]} and {face} both run along an edge in the same direction",
                    element="Polyhedron.faces",
                    value=edge,
                    allowed=_MESH,
                )
            met[edge] = face
    for (start, end), face in met.items():
        if (end, start) not in met:
            raise ShapeError(
                f"open at an edge of face {face}",
                element="Polyhedron.faces",
                value=(start, end),
                allowed=_MESH,
            )
