"""Warnings as things that a 3D panel of Foxglove draws: a line between the two nearest points."""

from __future__ import annotations

import math
from typing import Any

from standoff.streams.report import Report

SCHEMA_NAME = "foxglove.SceneUpdate"

_ANY = {"type": "object"}
SCHEMA: dict[str, Any] = {
    "title": SCHEMA_NAME,
    "type": "object",
    "properties": {
        "deletions": {"type": "array", "items": _ANY},
        "entities": {"type": "array", "items": _ANY},
    },
}

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
