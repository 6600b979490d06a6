"""Messages as JSON objects: one a line of a file, a pipe or a log, or one a message of a network.

``{"time": 1.25, "joints": {"left/elbow": 0.5}, "velocities": {…}, "poses": {"cart": {"position":
[x, y, z], "quaternion": [w, x, y, z]}}, "attach": {"body": "box", "link": "left/hand"}, "detach":
{"body": "box"}}``: any of them together. A `JointState` in the form that ROS tools give it
(``header``, ``name``, ``position``, ``velocity``) is read as well.
"""

from __future__ import annotations

import json
import math
from typing import Any, Final, NamedTuple

import numpy as np

from standoff.errors import Error
from standoff.geometry.pose import Array, as_pose, pose_of
from standoff.streams.limits import MAX_STREAM_MESSAGE, MAX_STREAM_NAMES
from standoff.streams.messages import BodyPose, Grasp, Joints, as_stamp
from standoff.streams.times import in_seconds, of_text
from standoff.streams.wire import GarbledError, checked_names, seconds_of

_NAN: Final = float("nan")
#: Keys that say something; an object with none of them is not a message of ours.
CONTENT: Final = ("joints", "name", "poses", "attach", "detach")
_POSE_KEYS: Final = {"position", "quaternion", "rpy"}


class Said(NamedTuple):
    """What one object says: its time on the clock of the recording, [s], NaN where it has none;
    and the messages: joints, then poses, then who was let go and who was taken."""

    time: float
    messages: tuple[Joints | BodyPose | Grasp, ...]


class JsonDecoder:
    """JSON in, messages out; it remembers the last names. Raises `GarbledError` and nothing else
    for what is no message.

    Args:
        unit: of ``time`` and ``stamp``.
    """

    def __init__(self, unit: str = "s") -> None:
        self._names: tuple[str, ...] = ()
        self._unit = unit

    def __call__(self, data: bytes) -> Said:
        if len(data) > MAX_STREAM_MESSAGE:
            raise GarbledError(f"{len(data)} bytes; at most {MAX_STREAM_MESSAGE} are read")
        try:
            content = json.loads(data.decode("utf-8-sig"), object_pairs_hook=_unique)
        except UnicodeDecodeError as error:
            raise GarbledError(f"not UTF-8: {error.reason} at byte {error.start}") from error
        except json.JSONDecodeError as error:
            raise GarbledError(f"not JSON: {error.msg} at column {error.colno}") from error
        except (RecursionError, ValueError) as error:
            raise GarbledError(f"not JSON that can be read: {str(error)[:100]}") from error
        return self.said(content)

    def said(self, content: Any) -> Said:
        """The messages of an object."""
        if not isinstance(content, dict):
            raise GarbledError(f"{_kind(content)}, not an object with {', '.join(CONTENT)}")
        if not any(key in content for key in CONTENT):
            raise GarbledError(f"an object with none of {', '.join(CONTENT)}")
        time = _time(content["time"], "time", self._unit) if "time" in content else _NAN
        stamp = _stamp(content, time, self._unit)
        found: list[Joints | BodyPose | Grasp] = []
        if "joints" in content:
            found.append(self._joints(stamp, content))
        if "name" in content:
            found.append(self._joint_state(stamp, content))
        if "poses" in content:
            found += _poses(stamp, content["poses"])
        for item in _listed(content.get("detach", [])):
            found.append(_let_go(stamp, item))
        for item in _listed(content.get("attach", [])):
            found.append(_taken(stamp, item))
        if not found:
            raise GarbledError("an object that says nothing")
        return Said(time if math.isfinite(time) else stamp, tuple(found))

    def _joints(self, stamp: float, content: dict[str, Any]) -> Joints:
        joints = content["joints"]
        if not isinstance(joints, dict):
            raise GarbledError(f"joints: {_kind(joints)}, not positions by name")
        names = self._kept(tuple(joints))
        positions = _numbers(list(joints.values()), "joints")
        velocities = content.get("velocities")
        if velocities is None:
            return Joints(stamp, names, positions)
        if not isinstance(velocities, dict) or velocities.keys() != joints.keys():
            raise GarbledError("velocities: not of the same joints")
        rates = _numbers([velocities[name] for name in names], "velocities")
        return Joints(stamp, names, positions, rates)

    def _joint_state(self, stamp: float, content: dict[str, Any]) -> Joints:
        names = content["name"]
        if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
            raise GarbledError("name: not a list of names")
        kept = self._kept(tuple(names))
        columns = []
        for key in ("position", "velocity"):
            values = content.get(key) or []
            if not isinstance(values, list):
                raise GarbledError(f"{key}: {_kind(values)}, not a list of numbers")
            if len(values) != len(names) and (values or key == "position"):
                raise GarbledError(f"{len(names)} names and {len(values)} of {key}")
            columns.append(_numbers(values, key) if values else None)
        assert columns[0] is not None
        return Joints(stamp, kept, columns[0], columns[1])

    def _kept(self, names: tuple[str, ...]) -> tuple[str, ...]:
        """The same tuple for as long as the names are the same."""
        if names != self._names:
            if not names:
                raise GarbledError("a reading of no joint")
            if len(names) > MAX_STREAM_NAMES:
                raise GarbledError(f"{len(names)} joints; at most {MAX_STREAM_NAMES} are read")
            self._names = checked_names(names)
        return self._names


def _time(value: Any, what: str, unit: str) -> float:
    time = of_text(value) if isinstance(value, str) else None
    return in_seconds(_number(value, what), unit, what) if time is None else time


def _stamp(content: dict[str, Any], time: float, unit: str) -> float:
    """When it was taken: ``stamp``, or that of a header, or ``time``."""
    if "stamp" in content:
        return _time(content["stamp"], "stamp", unit)
    if "header" not in content:
        return as_stamp(time)
    header = content["header"]
    stamp = header.get("stamp") if isinstance(header, dict) else None
    if not isinstance(stamp, dict):
        raise GarbledError("header: without a stamp")
    seconds = stamp.get("sec", stamp.get("secs"))
    nanoseconds = stamp.get("nanosec", stamp.get("nsecs"))
    if type(seconds) is not int or type(nanoseconds) is not int:
        raise GarbledError("header.stamp: not sec and nanosec")
    if not -(1 << 31) <= seconds < 1 << 32:
        raise GarbledError("header.stamp: a time that ROS cannot write")
    return seconds_of(seconds, nanoseconds)


def _poses(stamp: float, poses: Any) -> list[BodyPose]:
    if not isinstance(poses, dict):
        raise GarbledError(f"poses: {_kind(poses)}, not poses by name")
    if len(poses) > MAX_STREAM_NAMES:
        raise GarbledError(f"{len(poses)} poses; at most {MAX_STREAM_NAMES} are read")
    checked_names(tuple(poses))
    return [BodyPose(stamp, body, _pose(body, value)) for body, value in poses.items()]


def _pose(body: str, value: Any) -> Array:
    """A table as in a cell file: position with quaternion or rpy, or matrix."""
    keys = value.keys() if isinstance(value, dict) else set()
    whole = keys == {"matrix"}
    if not (whole or {"position"} <= keys <= _POSE_KEYS):
        raise GarbledError(f"pose of {body!r}: not position with quaternion or rpy, nor a matrix")
    for key, rows in value.items():
        # None would be "no rotation" to `pose`, and null is what JavaScript makes of NaN.
        for row in rows if isinstance(rows, list) else [rows]:
            _numbers(row if isinstance(row, list) else [row], f"pose of {body!r}: {key}")
    try:
        return as_pose(value["matrix"]) if whole else pose_of(**value)
    except Error as error:
        raise GarbledError(f"pose of {body!r}: {error}") from error


def _taken(stamp: float, item: Any) -> Grasp:
    if not isinstance(item, dict) or not {"body", "link"} <= item.keys() <= {
        "body", "link", "touch",
    }:  # fmt: skip
        raise GarbledError("attach: not a body, a link and perhaps touch")
    touch = item.get("touch", [])
    if not isinstance(touch, list) or len(touch) > MAX_STREAM_NAMES:
        raise GarbledError("attach: touch is not a list of names")
    names = (item["body"], item["link"], *touch)
    if not all(isinstance(name, str) for name in names):
        raise GarbledError("attach: a name that is not text")
    checked_names((item["body"], item["link"]))
    return Grasp(stamp, item["body"], item["link"], checked_names(tuple(touch)))


def _let_go(stamp: float, item: Any) -> Grasp:
    body = item.get("body") if isinstance(item, dict) and item.keys() == {"body"} else item
    if not isinstance(body, str):
        raise GarbledError("detach: not the name of a body")
    checked_names((body,))
    return Grasp(stamp, body, None)


def _listed(value: Any) -> list[Any]:
    items = value if isinstance(value, list) else [value]
    if len(items) > MAX_STREAM_NAMES:
        raise GarbledError(f"{len(items)} events; at most {MAX_STREAM_NAMES} are read")
    return items


def _numbers(values: list[Any], what: str) -> Array:
    """Numbers, NaN and infinity among them: they are the monitor's to judge."""
    for value in values:
        if type(value) is not float and type(value) is not int:
            raise GarbledError(f"{what}: {_kind(value)} among the numbers")
    try:
        return np.array(values, dtype=np.float64)
    except (OverflowError, ValueError) as error:
        raise GarbledError(f"{what}: a number that is too large") from error


def _number(value: Any, what: str) -> float:
    number = float(_numbers([value], what)[0])
    if not math.isfinite(number):
        raise GarbledError(f"{what}: {number}, not a time")
    return number


def _kind(value: Any) -> str:
    words = {dict: "an object", list: "a list", str: "a text", bool: "a truth value"}
    return words.get(type(value), "null" if value is None else "a number")


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key stands twice in one object")
    return found
