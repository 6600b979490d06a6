"""What pycollada takes for granted about a COLLADA file, checked before it reads."""

from __future__ import annotations

import math
from typing import Any

from standoff.errors import MeshError

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
