"""STL, binary and ASCII."""

from __future__ import annotations

import re

import numpy as np

from standoff.errors import MeshError
from standoff.shapes.pose import Array
from standoff.shapes.shape import IntArray

_HEADER = 84
_RECORD = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
_VERTEX = re.compile(rb"\bvertex\s+(\S+)\s+(\S+)\s+(\S+)", re.IGNORECASE)
_FACET = re.compile(rb"\bendfacet\b", re.IGNORECASE)


def read_stl(data: bytes) -> tuple[Array, IntArray]:
    """Three vertices of its own for each triangle. Normals are left to the corners' order.

    A file is binary when its length is what the count in its header says: many binary files begin
    with the word "solid" as well.
    """
    count = int.from_bytes(data[80:_HEADER], "little") if len(data) >= _HEADER else -1
    expected = _HEADER + count * _RECORD.itemsize
    if count >= 0 and len(data) == expected:
        records = np.frombuffer(data, dtype=_RECORD, offset=_HEADER)
        return _soup(records["corners"].astype(np.float64).reshape(-1, 3))
    if data.lstrip()[:5].lower() != b"solid":
        raise MeshError(
            "neither ASCII nor a whole binary STL file",
            value=f"{len(data)} bytes",
            allowed=f"{expected} bytes for the {count} triangles of its header"
            if count >= 0
            else f"a header of {_HEADER} bytes",
        )
    corners = _VERTEX.findall(data)
    facets = len(_FACET.findall(data))
    if len(corners) != 3 * facets:
        raise MeshError(
            "cut short or not triangles", value=f"{len(corners)} vertices in {facets} facets"
        )
    try:
        return _soup(np.array(corners, dtype="S").astype(np.float64).reshape(-1, 3))
    except ValueError as error:
        raise MeshError(f"not a number among the vertices: {error}") from error


def _soup(corners: Array) -> tuple[Array, IntArray]:
    return corners, np.arange(len(corners), dtype=np.int64).reshape(-1, 3)
