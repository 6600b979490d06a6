"""Binary glTF 2.0 (.glb): all triangles of the scene, in place, in metres."""

from __future__ import annotations

import base64
import json
import re
import struct
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from standoff.errors import MeshError
from standoff.geometry.mesh_files.collada import check_size
from standoff.geometry.pose import QUATERNION_TOLERANCE, Array
from standoff.geometry.shape import IntArray

_JSON, _BIN = 0x4E4F534A, 0x004E4942
_TRIANGLES = 4
_FLOAT = 5126
_COMPONENTS = {5121: "<u1", 5123: "<u2", 5125: "<u4", _FLOAT: "<f4"}
_WIDTHS = {"SCALAR": 1, "VEC3": 3}
#: Extensions that leave the surface alone. Others compress, quantize, repeat or replace it.
_DECORATION = re.compile(r"[A-Z]+_(?:materials|texture|lights|xmp|animation)(?:_\w*)?")


def read_glb(data: bytes) -> tuple[Array, IntArray]:
    """Every mesh of every node under its transforms.

    The up axis is left alone, as it is for COLLADA. What cannot be read whole is an error, so that
    no surface goes missing: other primitives than triangles, skins, morphs, sparse or compressed
    data, more than one scene, files beside this one.
    """
    document = _Document(data)
    points: list[Array] = []
    faces: list[IntArray] = []
    vertices = triangles = 0
    for mesh, matrix in document.instances():
        for number, primitive in enumerate(document.item("meshes", mesh)["primitives"]):
            own, corners = document.triangles(primitive, f"meshes[{mesh}].primitives[{number}]")
            triangles += len(corners)
            check_size(triangles, vertices + len(own))
            # a mirror turns the faces inside out, which glTF says to undo
            mirrored = np.linalg.det(matrix[:3, :3]) < 0.0
            points.append(own @ matrix[:3, :3].T + matrix[:3, 3])
            faces.append((corners[:, ::-1] if mirrored else corners) + vertices)
            vertices += len(own)
    none = np.zeros((0, 3), dtype=np.int64)
    return np.concatenate([np.zeros((0, 3)), *points]), np.concatenate([none, *faces])


class _Document:
    def __init__(self, data: bytes) -> None:
        chunks = _chunks(data)
        if not chunks or chunks[0][0] != _JSON:
            raise MeshError("no JSON chunk")
        self.tree = json.loads(chunks[0][1])
        _refuse_extensions(self.tree.get("extensionsUsed", []), "extensionsUsed")
        _refuse_extensions(self.tree.get("extensionsRequired", []), "extensionsRequired")
        embedded = chunks[1][1] if len(chunks) > 1 and chunks[1][0] == _BIN else None
        self.buffers = [
            _buffer(buffer, embedded if k == 0 else None, f"buffers[{k}]")
            for k, buffer in enumerate(self.tree.get("buffers", []))
        ]

    def item(self, kind: str, index: Any) -> Any:
        items = self.tree.get(kind, [])
        if type(index) is not int or not 0 <= index < len(items):
            raise MeshError(
                "no such item", element=kind, value=index, allowed=f"{len(items)} items"
            )
        return items[index]

    def instances(self) -> list[tuple[int, Array]]:
        """The meshes of the scene and where they stand."""
        scenes, nodes = self.tree.get("scenes", []), self.tree.get("nodes", [])
        if len(scenes) > 1:
            raise MeshError("more than one scene", element="scenes", value=len(scenes), allowed="1")
        if scenes:
            roots = scenes[0].get("nodes", [])
        else:
            children = {child for node in nodes for child in node.get("children", [])}
            roots = [k for k in range(len(nodes)) if k not in children]
        found = []
        seen = set()
        todo = [(root, np.eye(4)) for root in reversed(roots)]
        while todo:
            index, above = todo.pop()
            node = self.item("nodes", index)
            if index in seen:
                raise MeshError("stands in the scene twice", element=f"nodes[{index}]")
            seen.add(index)
            if "skin" in node:
                raise MeshError("a skin, which is not read", element=f"nodes[{index}]")
            _refuse_extensions(node.get("extensions", {}), f"nodes[{index}]")
            matrix = above @ _transform(node, f"nodes[{index}]")
            if "mesh" in node:
                found.append((node["mesh"], matrix))
            todo += [(child, matrix) for child in reversed(node.get("children", []))]
        return found

    def triangles(self, primitive: Any, element: str) -> tuple[Array, IntArray]:
        mode = primitive.get("mode", _TRIANGLES)
        if type(mode) is not int or mode != _TRIANGLES:
            raise MeshError(
                "a primitive that is not read", element=f"{element}.mode", value=mode, allowed="4"
            )
        if primitive.get("targets"):
            raise MeshError("morph targets, which are not read", element=element)
        _refuse_extensions(primitive.get("extensions", {}), element)
        points = self.array(primitive["attributes"]["POSITION"], "VEC3").astype(np.float64)
        if "indices" in primitive:
            corners = self.array(primitive["indices"], "SCALAR").ravel().astype(np.int64)
        else:
            corners = np.arange(len(points), dtype=np.int64)
        if len(corners) % 3 or (len(corners) and corners.max() >= len(points)):
            raise MeshError(
                "corners that make no triangles",
                element=element,
                value=f"{len(corners)} indices up to {corners.max(initial=-1)}",
                allowed=f"three for each triangle, below {len(points)}",
            )
        return points, corners.reshape(-1, 3)

    def array(self, index: Any, kind: str) -> NDArray[Any]:
        """What an accessor shows: (count, 3) floats, or (count, 1) indices."""
        accessor = self.item("accessors", index)
        element = f"accessors[{index}]"
        component = accessor["componentType"]
        if (
            accessor["type"] != kind
            or component not in _COMPONENTS
            or (component == _FLOAT) != (kind == "VEC3")
            or "sparse" in accessor
            or accessor.get("normalized", False)
        ):
            allowed = "VEC3 of floats for positions, SCALAR of unsigned integers for indices"
            raise MeshError(
                "data of another kind", element=element, value=accessor, allowed=allowed
            )
        view = self.item("bufferViews", accessor["bufferView"])
        self.item("buffers", view["buffer"])
        dtype = np.dtype(_COMPONENTS[component])
        width = dtype.itemsize * _WIDTHS[kind]
        count, stride = accessor["count"], view.get("byteStride", width)
        first, inside = view.get("byteOffset", 0), accessor.get("byteOffset", 0)
        length = view["byteLength"]
        buffer = self.buffers[view["buffer"]]
        if (
            any(type(n) is not int or n < 0 for n in (count, stride, first, inside, length))
            or stride < width
            or first + length > len(buffer)
            or (count > 0 and inside + stride * (count - 1) + width > length)
        ):
            raise MeshError("reaches beyond its data", element=element, value=accessor)
        return np.ndarray(
            (count, _WIDTHS[kind]), dtype, buffer, first + inside, (stride, dtype.itemsize)
        )


def _refuse_extensions(names: Iterable[str], element: str) -> None:
    for name in names:
        if not _DECORATION.fullmatch(name):
            raise MeshError("an extension that is not read", element=element, value=name)


def _chunks(data: bytes) -> list[tuple[int, bytes]]:
    if len(data) < 12 or data[:4] != b"glTF":
        raise MeshError("not a GLB header", value=data[:12])
    version, length = struct.unpack_from("<II", data, 4)
    if version != 2 or length != len(data):
        raise MeshError(
            "another version of glTF, or cut short",
            value=f"version {version}, {len(data)} bytes",
            allowed=f"version 2, {length} bytes",
        )
    chunks = []
    at = 12
    while at < len(data):
        size, kind = struct.unpack_from("<II", data, at)
        if at + 8 + size > len(data):
            raise MeshError("a chunk cut short", element=f"byte {at}")
        chunks.append((kind, data[at + 8 : at + 8 + size]))
        at += 8 + size
    return chunks


def _buffer(buffer: Any, embedded: bytes | None, element: str) -> bytes:
    uri = buffer.get("uri")
    if uri is None:
        content = embedded
    elif uri.startswith("data:") and ";base64," in uri:
        content = base64.b64decode(uri.partition(";base64,")[2], validate=True)
    else:
        raise MeshError("a file beside this one, which is not read", element=element, value=uri)
    length = buffer["byteLength"]
    if content is None or type(length) is not int or not 0 <= length <= len(content):
        raise MeshError("cut short", element=element, value=length)
    return content[:length]


def _transform(node: Any, element: str) -> Array:
    """The node's matrix, or its scale, rotation (x, y, z, w) and translation in that order."""
    if "matrix" in node and node.keys() & {"scale", "rotation", "translation"}:
        raise MeshError("a matrix and a second transform", element=element, allowed="one of them")
    if "matrix" in node:
        matrix = np.array(node["matrix"], dtype=np.float64).reshape(4, 4).T
    else:
        rotation = np.array(node.get("rotation", (0, 0, 0, 1)), dtype=np.float64).reshape(4)
        length = float(np.linalg.norm(rotation))
        if not abs(length - 1.0) <= QUATERNION_TOLERANCE:
            raise MeshError("not a rotation", element=element, value=node["rotation"])
        x, y, z, w = rotation / length
        matrix = np.eye(4)
        matrix[:3, :3] = [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
        matrix[:3, :3] *= np.array(node.get("scale", (1, 1, 1)), dtype=np.float64).reshape(3)
        matrix[:3, 3] = np.array(node.get("translation", (0, 0, 0)), dtype=np.float64).reshape(3)
    if not np.isfinite(matrix).all() or matrix[3].tolist() != [0.0, 0.0, 0.0, 1.0]:
        raise MeshError("not a transform", element=element, value=matrix.tolist())
    return matrix
