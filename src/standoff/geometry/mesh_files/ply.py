"""PLY, ASCII and binary: vertices and faces; other elements and properties are passed over."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from standoff.errors import MeshError
from standoff.geometry.mesh_files.obj import cut_polygon
from standoff.geometry.pose import Array
from standoff.geometry.shape import IntArray

_TYPES = {
    **dict.fromkeys(("char", "int8"), "i1"),
    **dict.fromkeys(("uchar", "uint8"), "u1"),
    **dict.fromkeys(("short", "int16"), "i2"),
    **dict.fromkeys(("ushort", "uint16"), "u2"),
    **dict.fromkeys(("int", "int32"), "i4"),
    **dict.fromkeys(("uint", "uint32"), "u4"),
    **dict.fromkeys(("float", "float32"), "f4"),
    **dict.fromkeys(("double", "float64"), "f8"),
}
_FORMATS = {"ascii": "", "binary_little_endian": "<", "binary_big_endian": ">"}
_HEADER = re.compile(rb"ply\r?\n(.*?\n)end_header[ \t]*\r?\n", re.DOTALL)


class Property(NamedTuple):
    name: str
    kind: str
    length: str | None = None  # the type of a list's length


def read_ply(data: bytes) -> tuple[Array, IntArray]:
    """Every element is read to its end, so that a file cut short is noticed."""
    header = _HEADER.match(data)
    if header is None:
        raise MeshError("not a PLY header", value=data[:20])
    order, elements = _declared(header.group(1).decode("ascii", "replace"))
    body: _Ascii | _Binary
    body = _Binary(data, header.end(), order) if order else _Ascii(data[header.end() :])
    points = np.zeros((0, 3))
    polygons: list[IntArray] = []
    for name, count, properties in elements:
        if count > len(data):  # no element takes less than a byte
            raise MeshError("cut short", element=f"element {name}", value=count)
        rows = body.rows(count, properties)
        if name == "vertex":
            given = np.stack([rows[axis] for axis in ("x", "y", "z")], axis=1)
            points = given.reshape(-1, 3).astype(np.float64)
        elif name == "face":
            lists = [p.name for p in properties if p.name in ("vertex_indices", "vertex_index")]
            polygons = list(rows[lists[0]])
    faces: list[list[int]] = []
    for number, polygon in enumerate(polygons):
        corners = [int(i) for i in polygon]
        if len(corners) < 3:
            raise MeshError("fewer than three corners", element=f"face {number}", value=corners)
        faces.extend(
            [corners] if len(corners) == 3 else cut_polygon(points, corners, f"face {number}")
        )
    return points, np.array(faces, dtype=np.int64).reshape(-1, 3)


def _declared(header: str) -> tuple[str, list[tuple[str, int, list[Property]]]]:
    order, elements = "", []
    properties: list[Property] = []
    for line in header.splitlines():
        match line.split():
            case ["format", kind, "1.0"] if kind in _FORMATS:
                order = _FORMATS[kind]
            case ["element", name, count] if count.isdecimal():
                properties = []
                elements.append((name, int(count), properties))
            case ["property", "list", count, kind, name] if {count, kind} <= _TYPES.keys():
                properties.append(Property(name, _TYPES[kind], _TYPES[count]))
            case ["property", kind, name] if kind in _TYPES:
                properties.append(Property(name, _TYPES[kind]))
            case [] | ["comment", *_] | ["obj_info", *_]:
                pass
            case _:
                raise MeshError("not a line of a PLY header", value=line)
    return order, elements


class _Ascii:
    def __init__(self, data: bytes) -> None:
        self.words = data.split()
        self.at = 0

    def take(self, count: int) -> list[bytes]:
        if count < 0 or self.at + count > len(self.words):
            raise MeshError("cut short")
        self.at += count
        return self.words[self.at - count : self.at]

    def rows(self, count: int, properties: list[Property]) -> dict[str, Any]:
        found: dict[str, list[Any]] = {p.name: [] for p in properties}
        for _ in range(count):
            for p in properties:
                if p.length is None:
                    found[p.name].append(float(self.take(1)[0]))
                else:
                    found[p.name].append([int(w) for w in self.take(int(self.take(1)[0]))])
        return found


class _Binary:
    def __init__(self, data: bytes, at: int, order: str) -> None:
        self.data, self.at, self.order = data, at, order

    def take(self, kind: Any, count: int) -> NDArray[Any]:
        dtype = np.dtype(kind)
        size = dtype.itemsize * count
        if self.at + size > len(self.data):
            raise MeshError("cut short")
        self.at += size
        return np.frombuffer(self.data, dtype=dtype, count=count, offset=self.at - size)

    def rows(self, count: int, properties: list[Property]) -> dict[str, Any]:
        if all(p.length is None for p in properties):
            row = np.dtype([(p.name, self.order + p.kind) for p in properties])
            table = self.take(row, count)
            return {p.name: table[p.name] for p in properties}
        found: dict[str, list[Any]] = {p.name: [] for p in properties}
        for _ in range(count):
            for p in properties:
                length = 1
                if p.length is not None:
                    length = int(self.take(self.order + p.length, 1)[0])
                    if length < 0:
                        raise MeshError("a list of negative length", element=p.name)
                found[p.name].append(self.take(self.order + p.kind, length))
        return found
