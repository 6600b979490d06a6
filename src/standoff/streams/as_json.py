"""A report as JSON: one object on one line, the same whatever it goes through.

JSON has no infinity and no NaN: a clearance of null is that of a cell in which no pair
is within its threshold, an
age of null is that of a source never heard of, a speed of null is unknown.
"""

from __future__ import annotations

import json
import math
from typing import Any

from standoff.monitor.report import Warning
from standoff.shapes.pose import Array
from standoff.streams.report import Report

#: Made once: `json.dumps` makes a new one for each text that is not as it would write it itself.
_ENCODER = json.JSONEncoder(separators=(",", ":"), allow_nan=False)


def report_json(report: Report) -> dict[str, Any]:
    """All of a report."""
    out = state_json(report)
    out["warnings"] = warnings_json(report)
    return out


def state_json(report: Report) -> dict[str, Any]:
    """All of a report but the warnings."""
    return {
        "number": report.number,
        "time": report.time,
        "state": report.state.name,
        "changed": report.changed,
        "clearance": _number(report.clearance),
        "scale": report.scale,
        "ages": {name: _number(age) for name, age in report.ages.items()},
        "reasons": [
            {"state": r.state.name, "kind": r.kind, "element": r.element, "text": r.text}
            for r in report.reasons
        ],
    }


def warnings_json(report: Report) -> list[dict[str, Any]]:
    """The pairs that are too close, the nearest first."""
    if report.cycle is None:
        return []
    return [_warning(warning) for warning in report.cycle.warnings]


def one_line(value: Any) -> bytes:
    """UTF-8 and no line break: JSON text is ASCII here, so that no terminal takes a name in it for
    a command."""
    return _ENCODER.encode(value).encode()


def with_warnings(line: bytes, warnings: list[dict[str, Any]]) -> bytes:
    """The line of a state with the warnings in it, as `one_line` of all of it would be."""
    return b'%b,"warnings":%b}' % (line[:-1], one_line(warnings))


def _warning(w: Warning) -> dict[str, Any]:
    return {
        "a": w.a,
        "b": w.b,
        "distance": _number(w.distance),
        "threshold": _number(w.threshold),
        "approaching": w.approaching,
        "closing_speed": _number(w.closing_speed),
        "time_to_contact": _number(w.time_to_contact),
        "point_a": _numbers(w.point_a),
        "point_b": _numbers(w.point_b),
        "normal": _numbers(w.normal),
        "when": _number(w.when),
    }


def _numbers(values: Array) -> list[float | None]:
    return [_number(x) for x in values.tolist()]


def _number(value: float) -> float | None:
    return value if math.isfinite(value) else None
