"""STL, binary and ASCII."""

from __future__ import annotations

import re

import numpy as np

from standoff.errors import MeshError
from standoff.geometry.pose import Array
from standoff.geometry.shape import IntArray

_HEADER = 84
_RECORD = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
#: Lines with names, which may hold any words.
_NAMES = re.compile(rb"^[ \t]*(?:end)?solid\b[^\r\n]*", re.IGNORECASE | re.MULTILINE)
#: The words of a facet; empty where a number stands.
_CORNER = (b"vertex", b"", b"", b"")
_FACET = (
    *(b"facet", b"normal", b"", b"", b"", b"outer", b"loop"),
    *(_CORNER * 3),
    *(b"endloop", b"endfacet"),
)
_COORDINATES = (8, 9, 10, 12, 13, 14, 16, 17, 18)


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
        if _is_text(data):
            raise MeshError(
                "text, but not that of an STL file",
                value=data[:40].decode(errors="replace"),
                allowed="a text that begins with 'solid', or a binary STL file",
            )
        raise MeshError(
            "neither ASCII nor a whole binary STL file",
            value=f"{len(data)} bytes",
            allowed=f"{expected} bytes for the {count} triangles of its header"
            if count >= 0
            else f"a header of {_HEADER} bytes",
        )
    return _soup(_ascii_corners(data))


def _is_text(data: bytes) -> bool:
    """Whether the beginning has no byte that only binary files have, and is not empty."""
    head = data[:_HEADER]
    return len(head) > 0 and not any(byte < 32 and byte not in b"\t\n\r\f" for byte in head)


def _ascii_corners(data: bytes) -> Array:
    """A facet is 21 words, of which twelve are numbers; anything else is an error."""
    words = _NAMES.sub(b"", data).split()
    given = len(words) // len(_FACET)
    wrong = [
        facet
        for k, keyword in enumerate(_FACET)
        if keyword
        for facet, word in enumerate(words[k :: len(_FACET)])
        if word.lower() != keyword
    ]
    if wrong or len(words) % len(_FACET):
        raise MeshError(
            "cut short or not a triangle of three vertices",
            element=f"facet {min(wrong, default=given) + 1}",
        )
    corners = np.empty((given, 9))
    try:
        for column, k in enumerate(_COORDINATES):
            corners[:, column] = list(map(float, words[k :: len(_FACET)]))
    except ValueError as error:
        raise MeshError(f"not a number among the vertices: {error}") from error
    return corners.reshape(-1, 3)


def _soup(corners: Array) -> tuple[Array, IntArray]:
    return corners, np.arange(len(corners), dtype=np.int64).reshape(-1, 3)
