"""COLLADA (.dae): all geometry of the scene, in place, in metres."""

from __future__ import annotations

import io
import re
from typing import Any
from xml.etree import ElementTree

import collada
import numpy as np

from standoff.constants import MAX_MESH_TRIANGLES
from standoff.errors import MeshError
from standoff.shapes.mesh_collada_checks import check_counts, local_name, metres
from standoff.shapes.pose import Array
from standoff.shapes.shape import IntArray

#: What has no surface and may be broken without harm: it is cut out before anything is read.
_DECORATION = frozenset(
    (
        *("extra", "bind_material", "instance_camera", "instance_light", "instance_physics_scene"),
        *("library_materials", "library_effects", "library_images", "library_cameras"),
        *("library_lights", "library_animations", "library_animation_clips"),
        *("library_physics_materials", "library_physics_models", "library_physics_scenes"),
    )
)
#: What the text of these may hold; pycollada makes a 0 of anything else without a word.
_NUMBERS = {"float_array": re.compile(r"[-+.\deE\s]*"), "p": re.compile(r"[\d\s]*")}
_NUMBERS["vcount"] = _NUMBERS["p"]


def read_collada(data: bytes) -> tuple[Array, IntArray]:
    """Every instance of every geometry under its nodes' transforms, times the file's unit.

    The up axis is left alone, as robot descriptions expect: their meshes are drawn in the link's
    frame whatever the file says. Materials, cameras and lights are passed over; anything else that
    cannot be read whole is an error, so that no surface goes missing.
    """
    # DTD entities are not needed for a mesh, and are how small files become large ones
    if b"\0" in data or b"<!DOCTYPE" in data or b"<!ENTITY" in data:
        raise MeshError("not plain COLLADA: a DTD, entities or binary data inside")
    root = ElementTree.fromstring(data)
    for parent in list(root.iter()):
        for child in list(parent):
            if local_name(child) in _DECORATION:
                parent.remove(child)
    for node in root.iter():
        _check(node)
    check_counts(root)
    unit = metres(root)
    document = collada.Collada(io.BytesIO(ElementTree.tostring(root)))
    if document.scene is None:
        raise MeshError("no scene inside")
    corners = [np.zeros((0, 3))]
    triangles = 0
    for bound in document.scene.objects("geometry"):
        corners.append(_corners(bound))
        triangles += len(corners[-1]) // 3
        if triangles > MAX_MESH_TRIANGLES:
            raise MeshError("too many triangles", allowed=f"at most {MAX_MESH_TRIANGLES}")
    points = np.concatenate(corners) * unit
    return points, np.arange(len(points), dtype=np.int64).reshape(-1, 3)


def _corners(bound: Any) -> Array:
    """Three corners a triangle of one geometry where it stands."""
    found = [np.zeros((0, 3))]
    for primitive in bound.primitives():
        if isinstance(primitive.original, collada.lineset.LineSet):
            continue
        if not isinstance(primitive, collada.triangleset.BoundTriangleSet):
            primitive = primitive.triangleset()
        if len(primitive) > 0:
            found.append(primitive.vertex[primitive.vertex_index].reshape(-1, 3))
    return np.concatenate(found).astype(np.float64)


def _check(node: Any) -> None:
    """Refuse what pycollada would pass over or mend without a word."""
    name = local_name(node)
    pattern = _NUMBERS.get(name)
    if pattern is not None and not pattern.fullmatch(node.text or ""):
        raise MeshError("not all finite numbers", element=f"<{name}>")
    if name in ("ph", "instance_controller"):
        raise MeshError(
            "a surface that is not read",
            element=f"<{name}>",
            allowed="triangles and polygons without holes or skins",
        )
