"""OFF, the text form: vertices and polygons; colours, normals and textures are passed over."""

from __future__ import annotations

import re

import numpy as np

from standoff.errors import MeshError
from standoff.geometry.mesh_files.obj import cut_polygon
from standoff.geometry.pose import Array
from standoff.geometry.shape import IntArray

#: The header: textures, colours and normals may follow the coordinates of a vertex, a fourth
#: coordinate (4OFF, nOFF) may not. Some writers leave no space before the counts.
_HEADER = re.compile(rb"(?:ST)?C?N?OFF(?![A-Za-z])")


def read_off(data: bytes) -> tuple[Array, IntArray]:
    """One vertex or polygon a line, as many as the counts say, and nothing after them."""
    if b"\0" in data:
        raise MeshError("not a text file")
    lines = _words(data)
    header = _HEADER.match(lines[0][1][0]) if lines else None
    if header is None:
        raise MeshError("not an OFF header", value=data[:20], allowed="OFF, COFF, NOFF, STOFF")
    first = lines.pop(0)[1]
    rest = first[0][header.end() :]
    counts = [*([rest] if rest else []), *first[1:]] or (lines.pop(0)[1] if lines else [])
    if not 2 <= len(counts) <= 3 or not all(word.isdigit() for word in counts):
        raise MeshError("not the counts of vertices, faces and edges", value=counts)
    vertices, polygons = int(counts[0]), int(counts[1])
    if len(lines) != vertices + polygons:
        raise MeshError(
            "cut short or too long",
            value=f"{len(lines)} lines",
            allowed=f"{vertices} vertices and {polygons} faces, a line each",
        )
    points = np.array([_coordinates(*line) for line in lines[:vertices]]).reshape(-1, 3)
    faces: list[list[int]] = []
    for number, words in lines[vertices:]:
        corners = _corners(number, words)
        faces.extend(
            [corners] if len(corners) == 3 else cut_polygon(points, corners, f"line {number}")
        )
    return points, np.array(faces, dtype=np.int64).reshape(-1, 3)


def _words(data: bytes) -> list[tuple[int, list[bytes]]]:
    """The lines that say something: number and words, without comments."""
    split = (line.split(b"#", 1)[0].split() for line in data.splitlines())
    return [(number, words) for number, words in enumerate(split, 1) if words]


def _coordinates(number: int, words: list[bytes]) -> list[float]:
    try:
        return [float(words[0]), float(words[1]), float(words[2])]
    except (ValueError, IndexError) as error:
        raise MeshError("not a vertex", element=f"line {number}", value=words) from error


def _corners(number: int, words: list[bytes]) -> list[int]:
    try:
        count = int(words[0])
        corners = [int(word) for word in words[1 : count + 1]]
    except ValueError as error:
        raise MeshError("not a face", element=f"line {number}", value=words) from error
    if count < 3 or len(corners) != count:
        raise MeshError(
            "not as many corners as the line says, or fewer than three",
            element=f"line {number}",
            value=words,
        )
    return corners
