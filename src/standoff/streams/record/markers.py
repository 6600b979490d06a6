"""Warnings as things that a 3D panel of Foxglove draws: a line between the two nearest points."""

from __future__ import annotations

import math
from typing import Any

from standoff.streams.report import Report

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

SCHEMA: dict[str, Any] = {
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
