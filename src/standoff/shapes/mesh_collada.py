"""COLLADA (.dae): all geometry of the scene, in place, in metres."""

from __future__ import annotations

import io
from typing import Any

import collada
import numpy as np

from standoff.errors import MeshError
from standoff.shapes.pose import Array
from standoff.shapes.shape import IntArray

_SURFACES = ("triangles", "polylist", "polygons", "tristrips", "trifans")
_READ = (collada.triangleset.TriangleSet, collada.polylist.Polylist)


def read_collada(data: bytes) -> tuple[Array, IntArray]:
    """Every instance of every geometry under its nodes' transforms, times the file's unit.

    The up axis is left alone, as robot descriptions expect: their meshes are drawn in the link's
    frame whatever the file says. Broken materials and textures do not matter, but a surface that
    cannot be read is an error.
    """
    # DTD entities are not needed for a mesh, and are how small files become large ones
    if b"\0" in data or b"<!DOCTYPE" in data or b"<!ENTITY" in data:
        raise MeshError("not plain COLLADA: a DTD, entities or binary data inside")
    document = collada.Collada(io.BytesIO(data), ignore=[collada.common.DaeError])
    if document.scene is None:
        raise MeshError("no scene inside")
    if next(iter(document.scene.objects("controller")), None) is not None:
        raise MeshError("skinned geometry is not read", allowed="plain geometry")
    corners = []
    bound: Any
    for bound in document.scene.objects("geometry"):
        _check_whole(bound.original)
        for primitive in bound.primitives():
            if not isinstance(primitive.original, _READ):
                continue
            if not isinstance(primitive, collada.triangleset.BoundTriangleSet):
                primitive = primitive.triangleset()
            if primitive.vertex is not None and len(primitive) > 0:
                corners.append(primitive.vertex[primitive.vertex_index].reshape(-1, 3))
    if not corners:
        raise MeshError("no triangles")
    unit = document.assetInfo.unitmeter
    points = np.concatenate(corners).astype(np.float64) * (1.0 if unit is None else float(unit))
    return points, np.arange(len(points), dtype=np.int64).reshape(-1, 3)


def _check_whole(geometry: Any) -> None:
    """Refuse a geometry of which pycollada passed over a surface."""
    written = sum(str(node.tag).rpartition("}")[2] in _SURFACES for node in geometry.xmlnode.iter())
    read = sum(isinstance(primitive, _READ) for primitive in geometry.primitives)
    if read < written:
        raise MeshError(
            f"{written - read} of {written} surfaces cannot be read",
            element=f"geometry {geometry.id!r}",
            allowed="triangles, polylist and polygons with positions",
        )
