"""Wavefront OBJ: vertices and polygons; materials, normals and textures do not matter here."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from standoff.errors import MeshError
from standoff.geometry.pose import Array
from standoff.geometry.shape import IntArray

#: Statements that add nothing to the surface: attributes, names, materials, and single points and
#: lines, which have none.
_HARMLESS = frozenset(
    b"vt vn vp g o s mg mtllib usemtl usemap maplib l p bevel c_interp d_interp lod shadow_obj "
    b"trace_obj".split()
)

#: Corners of a polygon, [-]: all of them are tried, so the time grows with their square.
_CORNERS = 1000


def read_obj(data: bytes) -> tuple[Array, IntArray]:
    """Polygons are cut into triangles from a corner that sees all of the polygon."""
    if b"\0" in data:
        raise MeshError("not a text file")
    vertices: list[list[float]] = []
    faces: list[list[int]] = []
    polygons: list[tuple[int, list[int]]] = []
    for number, line in enumerate(data.replace(b"\\\n", b" ").splitlines(), 1):
        words = line.split(b"#", 1)[0].split()
        if not words:
            continue
        try:
            if words[0] == b"v":
                vertices.append([float(words[1]), float(words[2]), float(words[3])])
            elif words[0] == b"f":
                corners = [_index(word, len(vertices)) for word in words[1:]]
                if len(corners) == 3:
                    faces.append(corners)
                elif len(corners) > 3:
                    polygons.append((number, corners))
                else:
                    raise IndexError("a face of fewer than three corners")
            elif words[0] not in _HARMLESS:
                raise ValueError("not a statement that is read here")
        except (ValueError, IndexError) as error:
            raise MeshError(
                f"not a readable OBJ file: {error}",
                element=f"line {number}",
                value=line[:80].decode("utf-8", "replace"),
            ) from error
    points = np.array(vertices, dtype=np.float64).reshape(-1, 3)
    for number, corners in polygons:
        faces.extend(cut_polygon(points, corners, f"line {number}"))
    return points, np.array(faces, dtype=np.int64).reshape(-1, 3)


def _index(word: bytes, count: int) -> int:
    """Corners count from 1, or backwards from the last vertex given so far."""
    index = int(word.split(b"/", 1)[0])
    return index - 1 if index > 0 else count + index if index < 0 else -1


def cut_polygon(points: Array, corners: list[int], element: str) -> list[list[int]]:
    """The triangles of a polygon, from a corner that sees all of it."""
    if len(corners) > _CORNERS:
        raise MeshError(
            "a polygon with too many corners",
            element=element,
            value=len(corners),
            allowed=f"at most {_CORNERS}, or triangles",
        )
    if min(corners) < 0 or max(corners) >= len(points):
        raise MeshError(
            "index out of range",
            element=element,
            value=corners,
            allowed=f"{len(points)} vertices",
        )
    ring = points[corners] - points[corners[0]]
    normal = np.cross(ring, np.roll(ring, -1, axis=0)).sum(axis=0)
    best, fans = -np.inf, corners
    for start in range(len(corners)):
        turned = np.roll(ring, -start, axis=0) - ring[start]
        least = float((np.cross(turned[1:-1], turned[2:]) @ normal).min())
        if least > best:
            best, fans = least, corners[start:] + corners[:start]
    if best < 0.0 and len(corners) > 4:
        raise MeshError(
            "no corner sees all of this polygon",
            element=element,
            value=corners,
            allowed="triangles, or polygons that can be cut from one corner",
        )
    return [[fans[0], b, c] for b, c in pairwise(fans[1:])]
