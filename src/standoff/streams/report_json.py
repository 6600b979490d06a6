"""A report as JSON: one object on one line, the same whatever it goes through; and what 3D panels
draw of its warnings.

JSON has no infinity and no NaN: a clearance of null is that of a cell in which no pair is within
its threshold, an age of null is that of a source without a message, a speed of null is unknown. The
text is put together by hand: it is on the way of every warning, and a dict that is encoded takes
half as long again.

Readers of MCAP take few words of JSON Schema: each value has one plain type, each object its
``properties`` and each list its ``items``. Where JSON has no number for what is unknown or infinite
there is null; the type is that of all others, as nobody reads one that is two.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from standoff.monitor.report import PairWarning
from standoff.streams.report import Report

#: Made once: `json.dumps` makes a new one for each text that is not as it would write it itself.
_ENCODER = json.JSONEncoder(separators=(",", ":"), allow_nan=False)

#: Names that are written over and over.
_text = lru_cache(maxsize=4096)(_ENCODER.encode)


def one_line(value: Any) -> bytes:
    """UTF-8 and no line break: JSON text is ASCII here, so that no terminal takes a name in it for
    a command."""
    return _ENCODER.encode(value).encode()


def state_line(report: Report) -> bytes:
    """All of a report but the warnings."""
    return f"{_state(report)}}}".encode()


def report_line(report: Report) -> bytes:
    """All of a report."""
    return f'{_state(report)},"warnings":{_warnings(report)}}}'.encode()


def warnings_line(report: Report) -> bytes:
    """The number, the time and the warnings of a report."""
    head = f'{{"number":{report.number},"time":{_number(report.time)}'
    return f'{head},"warnings":{_warnings(report)}}}'.encode()


def _state(report: Report) -> str:
    """With its end open."""
    ages = ",".join(f"{_text(name)}:{_number(age)}" for name, age in report.ages.items())
    reasons = ",".join(
        f'{{"state":"{r.state.name}","kind":{_text(r.kind)},"element":{_text(r.element)},'
        f'"text":{_ENCODER.encode(r.text)}}}'
        for r in report.reasons
    )
    return (
        f'{{"number":{report.number},"time":{_number(report.time)},"state":"{report.state.name}",'
        f'"changed":{_flag(report.changed)},"clearance":{_number(report.clearance)},'
        f'"scale":{_number(report.scale)},"ages":{{{ages}}},"reasons":[{reasons}]'
    )


def _warnings(report: Report) -> str:
    """The pairs that are too close, the nearest first."""
    if report.cycle is None:
        return "[]"
    return f"[{','.join(map(_warning, report.cycle.warnings))}]"


def _warning(w: PairWarning) -> str:
    places = w.places
    return (
        f'{{"a":{_text(w.a)},"b":{_text(w.b)},"distance":{_number(w.distance)},'
        f'"threshold":{_number(w.threshold)},"approaching":{_flag(w.approaching)},'
        f'"closing_speed":{_number(w.closing_speed)},'
        f'"time_to_contact":{_number(w.time_to_contact)},"point_a":[{_numbers(places[:3])}],'
        f'"point_b":[{_numbers(places[3:6])}],"normal":[{_numbers(places[6:])}],'
        f'"when":{_number(w.when)}}}'
    )


def _numbers(values: Iterable[float]) -> str:
    return ",".join(map(_number, values))


def _number(value: float) -> str:
    return repr(float(value)) if math.isfinite(value) else "null"


def _flag(value: bool) -> str:
    return "true" if value else "false"


_RED = {"r": 0.9, "g": 0.1, "b": 0.1, "a": 1.0}
_UNTURNED = {"x": 0.0, "y": 0.0, "z": 0.0, "w": 1.0}
_ORIGIN = {"x": 0.0, "y": 0.0, "z": 0.0}

#: How thick lines and how large points are drawn, [m].
_THICK, _LARGE = 0.005, 0.02

#: A list of pairs of points, in the numbering of Foxglove.
_LINE_LIST = 2


def scene_update(report: Report) -> dict[str, Any]:
    """What is too close now instead of what was so before."""
    whole = math.floor(report.time)
    stamp = {"sec": whole, "nsec": min(int((report.time - whole) * 1e9), 999_999_999)}
    warnings = [] if report.cycle is None else report.cycle.warnings
    entities = []
    for w in warnings:
        a, b = _point(w.point_a.tolist()), _point(w.point_b.tolist())
        if a is not None and b is not None:
            name, text = f"{w.a} – {w.b}", f"{1e3 * w.distance:.1f} mm"
            entities.append(_entity(stamp, name, a, b, text))
    return _update(stamp, entities)


def _update(stamp: dict[str, int], entities: list[dict[str, Any]]) -> dict[str, Any]:
    return {"deletions": [{"timestamp": stamp, "type": 1, "id": ""}], "entities": entities}


def _entity(
    stamp: dict[str, int], name: str, a: dict[str, float], b: dict[str, float], text: str
) -> dict[str, Any]:
    """A line between two points, and how far they are apart."""
    middle = {axis: 0.5 * (a[axis] + b[axis]) for axis in "xyz"}
    line = {
        "type": _LINE_LIST, "pose": _pose(_ORIGIN), "thickness": _THICK, "scale_invariant": False,
        "points": [a, b], "color": _RED, "colors": [], "indices": [],
    }  # fmt: skip
    label = {
        "pose": _pose(middle), "billboard": True, "font_size": 0.05, "scale_invariant": False,
        "color": _RED, "text": text,
    }  # fmt: skip
    return {
        "timestamp": stamp, "frame_id": "world", "id": name, "lifetime": {"sec": 0, "nsec": 0},
        "frame_locked": False, "metadata": [], "arrows": [], "cubes": [],
        "spheres": [_sphere(a), _sphere(b)], "cylinders": [], "lines": [line], "triangles": [],
        "texts": [label], "models": [],
    }  # fmt: skip


def _pose(at: dict[str, float]) -> dict[str, Any]:
    return {"position": at, "orientation": _UNTURNED}


def _sphere(at: dict[str, float]) -> dict[str, Any]:
    return {"pose": _pose(at), "size": dict.fromkeys("xyz", _LARGE), "color": _RED}


def _point(xyz: list[float]) -> dict[str, float] | None:
    return dict(zip("xyz", xyz)) if all(map(math.isfinite, xyz)) else None


_TYPES = {bool: "boolean", int: "integer", float: "number", str: "string"}


def _schema(example: Any) -> dict[str, Any]:
    """Of all that looks like an example. What is in an empty list is an object of which nothing is
    said."""
    if isinstance(example, dict):
        return {"type": "object", "properties": {k: _schema(v) for k, v in example.items()}}
    if isinstance(example, list):
        return {"type": "array", "items": _schema(example[0] if example else {})}
    return {"type": _TYPES[type(example)]}


_STAMP = {"sec": 0, "nsec": 0}

#: Of the topics of a record, by name.
SCHEMAS: dict[str, dict[str, Any]] = {
    name: {"title": name, **_schema(example)}
    for name, example in {
        "standoff.State": {
            "number": 0, "time": 0.0, "state": "SAFE", "changed": True, "clearance": 0.0,
            "scale": 0.0, "ages": {},
            "reasons": [{"state": "FAULT", "kind": "", "element": "", "text": ""}],
        },
        "standoff.Warnings": {
            "number": 0, "time": 0.0,
            "warnings": [{
                "a": "", "b": "", "distance": 0.0, "threshold": 0.0, "approaching": True,
                "closing_speed": 0.0, "time_to_contact": 0.0, "point_a": [0.0], "point_b": [0.0],
                "normal": [0.0], "when": 0.0,
            }],
        },
        "foxglove.SceneUpdate": _update(_STAMP, [_entity(_STAMP, "", _ORIGIN, _ORIGIN, "")]),
    }.items()
}  # fmt: skip
SCHEMAS["standoff.State"]["properties"]["ages"]["additionalProperties"] = _schema(0.0)
