"""What the JSON of a record looks like, for those who show it.

Readers of MCAP take few words of JSON Schema: each value has one plain type, each object its
``properties`` and each list its ``items``. Where JSON has no number for what is unknown or infinite
there is null; the type is that of all others, as nobody reads one that is two.
"""

from __future__ import annotations

from typing import Any

_NUMBER = {"type": "number"}
_TEXT = {"type": "string"}
_POINT = {"type": "array", "items": _NUMBER}

STATE: dict[str, Any] = {
    "title": "standoff.State",
    "type": "object",
    "properties": {
        "number": {"type": "integer"},
        "time": _NUMBER,
        "state": {"type": "string", "enum": ["SAFE", "WARNING", "STALE", "FAULT"]},
        "changed": {"type": "boolean"},
        "clearance": _NUMBER,
        "scale": _NUMBER,
        "ages": {"type": "object", "properties": {}, "additionalProperties": _NUMBER},
        "reasons": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"state": _TEXT, "kind": _TEXT, "element": _TEXT, "text": _TEXT},
            },
        },
    },
}

WARNINGS: dict[str, Any] = {
    "title": "standoff.Warnings",
    "type": "object",
    "properties": {
        "number": {"type": "integer"},
        "time": _NUMBER,
        "warnings": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "a": _TEXT,
                    "b": _TEXT,
                    "distance": _NUMBER,
                    "threshold": _NUMBER,
                    "approaching": {"type": "boolean"},
                    "closing_speed": _NUMBER,
                    "time_to_contact": _NUMBER,
                    "point_a": _POINT,
                    "point_b": _POINT,
                    "normal": _POINT,
                    "when": _NUMBER,
                },
            },
        },
    },
}
