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

from standoff.monitor.report import Warning
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


def _warning(w: Warning) -> str:
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


SCHEMA_NAME = "foxglove.SceneUpdate"


def _object(**properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


def _list(items: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": items}


_NUMBER, _WHOLE, _FLAG = {"type": "number"}, {"type": "integer"}, {"type": "boolean"}
_TEXT = {"type": "string"}
_TIME = _object(sec=_WHOLE, nsec=_WHOLE)
_VECTOR = _object(x=_NUMBER, y=_NUMBER, z=_NUMBER)
_TURN = _object(x=_NUMBER, y=_NUMBER, z=_NUMBER, w=_NUMBER)
_POSE = _object(position=_VECTOR, orientation=_TURN)
_COLOUR = _object(r=_NUMBER, g=_NUMBER, b=_NUMBER, a=_NUMBER)
_SPHERE = _object(pose=_POSE, size=_VECTOR, color=_COLOUR)
_LINE = _object(
    type=_WHOLE, pose=_POSE, thickness=_NUMBER, scale_invariant=_FLAG, points=_list(_VECTOR),
    color=_COLOUR, colors=_list(_COLOUR), indices=_list(_WHOLE),
)  # fmt: skip
_LABEL = _object(
    pose=_POSE, billboard=_FLAG, font_size=_NUMBER, scale_invariant=_FLAG, color=_COLOUR,
    text=_TEXT,
)  # fmt: skip
_KEPT_EMPTY = _list(_object())

MARKERS_SCHEMA: dict[str, Any] = {
    "title": SCHEMA_NAME,
    **_object(
        deletions=_list(_object(timestamp=_TIME, type=_WHOLE, id=_TEXT)),
        entities=_list(
            _object(
                timestamp=_TIME, frame_id=_TEXT, id=_TEXT, lifetime=_TIME, frame_locked=_FLAG,
                metadata=_list(_object(key=_TEXT, value=_TEXT)), arrows=_KEPT_EMPTY,
                cubes=_KEPT_EMPTY, spheres=_list(_SPHERE), cylinders=_KEPT_EMPTY,
                lines=_list(_LINE), triangles=_KEPT_EMPTY, texts=_list(_LABEL), models=_KEPT_EMPTY,
            )
        ),
    ),
}  # fmt: skip

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
        if a is None or b is None:
            continue
        middle = {axis: 0.5 * (a[axis] + b[axis]) for axis in "xyz"}
        entities.append(
            {
                "timestamp": stamp,
                "frame_id": "world",
                "id": f"{w.a} – {w.b}",
                "lifetime": {"sec": 0, "nsec": 0},
                "frame_locked": False,
                "metadata": [],
                "arrows": [],
                "cubes": [],
                "spheres": [_sphere(a), _sphere(b)],
                "cylinders": [],
                "lines": [
                    {
                        "type": _LINE_LIST,
                        "pose": {"position": _ORIGIN, "orientation": _UNTURNED},
                        "thickness": _THICK,
                        "scale_invariant": False,
                        "points": [a, b],
                        "color": _RED,
                        "colors": [],
                        "indices": [],
                    }
                ],
                "triangles": [],
                "texts": [
                    {
                        "pose": {"position": middle, "orientation": _UNTURNED},
                        "billboard": True,
                        "font_size": 0.05,
                        "scale_invariant": False,
                        "color": _RED,
                        "text": f"{1e3 * w.distance:.1f} mm",
                    }
                ],
                "models": [],
            }
        )
    return {"deletions": [{"timestamp": stamp, "type": 1, "id": ""}], "entities": entities}


def _sphere(at: dict[str, float]) -> dict[str, Any]:
    size = dict.fromkeys("xyz", _LARGE)
    return {"pose": {"position": at, "orientation": _UNTURNED}, "size": size, "color": _RED}


def _point(xyz: list[float]) -> dict[str, float] | None:
    return dict(zip("xyz", xyz)) if all(map(math.isfinite, xyz)) else None


_POINT = _list(_NUMBER)

_REASON = _object(state=_TEXT, kind=_TEXT, element=_TEXT, text=_TEXT)
_WARNING = _object(
    a=_TEXT, b=_TEXT, distance=_NUMBER, threshold=_NUMBER, approaching=_FLAG,
    closing_speed=_NUMBER, time_to_contact=_NUMBER, point_a=_POINT, point_b=_POINT, normal=_POINT,
    when=_NUMBER,
)  # fmt: skip

STATE_SCHEMA: dict[str, Any] = {
    "title": "standoff.State",
    **_object(
        number=_WHOLE,
        time=_NUMBER,
        state={"type": "string", "enum": ["SAFE", "WARNING", "STALE", "FAULT"]},
        changed=_FLAG,
        clearance=_NUMBER,
        scale=_NUMBER,
        ages={"type": "object", "properties": {}, "additionalProperties": _NUMBER},
        reasons=_list(_REASON),
    ),
}

WARNINGS_SCHEMA: dict[str, Any] = {
    "title": "standoff.Warnings",
    **_object(number=_WHOLE, time=_NUMBER, warnings=_list(_WARNING)),
}
