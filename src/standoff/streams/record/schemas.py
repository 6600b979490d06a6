"""What the JSON of a record looks like, for those who show it."""

from __future__ import annotations

from typing import Any

_NUMBER = {"type": ["number", "null"]}
_TEXT = {"type": "string"}
_POINT = {"type": "array", "items": _NUMBER}

STATE: dict[str, Any] = {
    "title": "standoff.State",
    "type": "object",
    "properties": {
        "number": {"type": "integer"},
        "time": {"type": "number"},
        "state": {"type": "string", "enum": ["SAFE", "WARNING", "STALE", "FAULT"]},
        "changed": {"type": "boolean"},
        "clearance": _NUMBER,
        "scale": {"type": "number"},
        "ages": {"type": "object", "additionalProperties": _NUMBER},
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
        "time": {"type": "number"},
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
