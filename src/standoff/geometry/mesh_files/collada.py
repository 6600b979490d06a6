"""COLLADA (.dae): all geometry of the scene, in place, in metres.

What pycollada takes for granted about a COLLADA file, checked before it reads.
"""

from __future__ import annotations

import io
import math
import re
from collections.abc import Iterator
from typing import Any
from xml.etree import ElementTree

import collada
import numpy as np

from standoff.errors import MeshError
from standoff.geometry.pose import Array
from standoff.geometry.shape import IntArray

#: Largest mesh file that is read, [bytes]; the largest of real robots are below 64 MiB. Beyond it,
#: reading on would only fill the memory.
MAX_MESH_BYTES = 512 * 2**20

#: Most triangles of a scene that repeats its meshes, [-]: as many as a binary STL file of that size
#: holds, at 50 bytes each. A small file could otherwise ask for any number.
MAX_MESH_TRIANGLES = MAX_MESH_BYTES // 50


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
    triangles = vertices = 0
    for bound in document.scene.objects("geometry"):
        for primitive in _surfaces(bound):
            triangles += len(primitive)
            vertices += len(primitive.vertex)
            check_size(triangles, vertices)
            if len(primitive) > 0:
                corners.append(primitive.vertex[primitive.vertex_index].reshape(-1, 3))
    points = np.concatenate(corners).astype(np.float64) * unit
    return points, np.arange(len(points), dtype=np.int64).reshape(-1, 3)


def check_size(triangles: int, vertices: int) -> None:
    """Refuse a scene of too many: each part of a mesh may share all its vertices with others."""
    if triangles > MAX_MESH_TRIANGLES or vertices > 3 * MAX_MESH_TRIANGLES:
        raise MeshError(
            "too large a scene",
            value=f"{triangles} triangles, {vertices} vertices",
            allowed=f"at most {MAX_MESH_TRIANGLES} triangles, and three vertices for each",
        )


def _surfaces(bound: Any) -> Iterator[Any]:
    """The parts of one geometry where it stands, in triangles."""
    for primitive in bound.primitives():
        if isinstance(primitive.original, collada.lineset.LineSet):
            continue
        if not isinstance(primitive, collada.triangleset.BoundTriangleSet):
            primitive = primitive.triangleset()
        yield primitive


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


_POLYGONAL = frozenset(("triangles", "polylist", "polygons", "tristrips", "trifans"))


def local_name(node: Any) -> str:
    return str(node.tag).rpartition("}")[2]


def metres(root: Any) -> float:
    """The length of the file's unit; 1 where none is given."""
    found = {node.get("meter", "1").strip() for node in root.iter() if local_name(node) == "unit"}
    if len(found) > 1:
        raise MeshError("several units", element="<unit meter>", value=sorted(found), allowed="one")
    text = found.pop() if found else "1"
    try:
        unit = float(text) if "_" not in text else math.nan
    except ValueError:
        unit = math.nan
    if not 0.0 < unit < math.inf:
        raise MeshError(
            "not a unit", element="<unit meter>", value=text, allowed="a finite number above 0"
        )
    return unit


def check_counts(root: Any) -> None:
    """Positions must be x, y, z one after another from the first number on, as pycollada assumes,
    and all counts those of the data, so that what was cut short is noticed."""
    sources = {node.get("id"): node for node in root.iter() if local_name(node) == "source"}
    for node in root.iter():
        name = local_name(node)
        if name == "vertices":
            for given in _children(node, "input"):
                if given.get("semantic") == "POSITION":
                    _check_positions(sources.get(given.get("source", "").removeprefix("#")))
        elif name in _POLYGONAL:
            _check_primitive(node, name)


def _check_positions(source: Any) -> None:
    if source is None:
        raise MeshError("positions from no <source>", element="<vertices>")
    element = f"<source id={source.get('id')!r}>"
    arrays = _children(source, "float_array")
    accessors = [
        accessor
        for technique in _children(source, "technique_common")
        for accessor in _children(technique, "accessor")
    ]
    if len(arrays) != 1 or len(accessors) != 1:
        raise MeshError("not one <float_array> and one <accessor>", element=element)
    array, accessor = arrays[0], accessors[0]
    if accessor.get("source") != f"#{array.get('id')}":
        raise MeshError("an accessor of other data", element=element, value=accessor.get("source"))
    axes = [param.get("name", "").upper() for param in _children(accessor, "param")]
    numbers = len((array.text or "").split())
    if axes != ["X", "Y", "Z"]:
        raise MeshError("not positions", element=element, value=axes, allowed="X, Y, Z")
    _expect(accessor, "stride", 3, element, "1")
    _expect(accessor, "offset", 0, element, "0")
    _expect(array, "count", numbers, element)
    if numbers % 3:
        raise MeshError("not three numbers a point", element=element, value=numbers)
    _expect(accessor, "count", numbers // 3, element)


def _check_primitive(node: Any, name: str) -> None:
    element = f"<{name}>"
    lists = [len((p.text or "").split()) for p in _children(node, "p")]
    if name in ("triangles", "polylist"):
        offsets = [_whole(given, "offset", element) for given in _children(node, "input")]
        width = max(offsets, default=0) + 1
        if name == "polylist":
            counts = [int(w) for v in _children(node, "vcount") for w in (v.text or "").split()]
            _expect(node, "count", len(counts), element)
            corners = sum(counts)
        else:
            corners = 3 * _whole(node, "count", element)
        if sum(lists) != width * corners:
            raise MeshError(
                "cut short or too long",
                element=element,
                value=f"{sum(lists)} indices",
                allowed=f"{width * corners} for {corners} corners",
            )
    else:
        _expect(node, "count", len(lists), element)


def _expect(node: Any, key: str, wanted: int, element: str, default: str | None = None) -> None:
    text = node.get(key, default)
    if text is None or not text.strip().isdecimal() or int(text) != wanted:
        raise MeshError(
            f"the {key} of <{local_name(node)}> is not that of its data",
            element=element,
            value=text,
            allowed=str(wanted),
        )


def _whole(node: Any, key: str, element: str) -> int:
    text = node.get(key, "")
    if not text.strip().isdecimal():
        raise MeshError(
            f"not a whole number: {key} of <{local_name(node)}>", element=element, value=text
        )
    return int(text)


def _children(node: Any, name: str) -> list[Any]:
    return [child for child in node if local_name(child) == name]
