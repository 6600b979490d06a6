"""Joint trajectories as ROS writes them: messages, dicts, JSON and YAML, made into numbers."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from standoff.constants import MAX_TRAJECTORY_BYTES
from standoff.errors import Error, MissingPackageError, PathError, PoseError
from standoff.shapes.pose import Array, numbers

#: What may stand around a trajectory: MoveIt's RobotTrajectory, the goal of an action.
_AROUND = ("joint_trajectory", "trajectory", "goal")

#: How deep it may stand in them.
_DEEPEST = 6

_ALLOWED = "joint_names and points, as in trajectory_msgs/JointTrajectory"


class Message(NamedTuple):
    """A trajectory as it was written, one row a point.

    Attributes:
        joint_names: as written.
        times: (n,) [s].
        positions: (n, names).
        velocities, accelerations: the same, or None, for each point.
    """

    joint_names: tuple[str, ...]
    times: Array
    positions: Array
    velocities: list[Array | None]
    accelerations: list[Array | None]


def is_trajectory(value: Any) -> bool:
    """Whether this looks like a trajectory or like something that holds one."""
    return _has(value, "points") or any(_has(value, name) for name in _AROUND)


def read_message(source: Any) -> Message:
    """The trajectory in a message object, a dict, a text of JSON or YAML, or a file of either.

    Raises:
        PathError: not a trajectory, an unknown kind of file, or numbers that are none.
    """
    if isinstance(source, Path) or (isinstance(source, str) and _is_path(source)):
        path = Path(source)
        try:
            return _message(_content(_text(path), path.suffix.lower()))
        except Error as error:
            raise error.at(path) from error
    if isinstance(source, str):
        return _message(_content(source, ".json" if source.lstrip()[:1] == "{" else ".yaml"))
    return _message(source)


def _is_path(text: str) -> bool:
    return "\n" not in text and text.lstrip()[:1] != "{"


def _text(path: Path) -> str:
    if path.suffix.lower() not in (".json", ".yaml", ".yml"):
        raise PathError(
            "not a kind of file that holds a trajectory",
            value=path.suffix,
            allowed=".json, .yaml or .yml",
        )
    try:
        size = path.stat().st_size
        if size > MAX_TRAJECTORY_BYTES:
            raise PathError("too large", value=size, allowed=f"{MAX_TRAJECTORY_BYTES} bytes")
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise PathError(f"cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise PathError("not UTF-8 text") from error


def _content(text: str, suffix: str) -> Any:
    if suffix == ".json":
        try:
            return json.loads(text)
        except (ValueError, RecursionError) as error:
            raise PathError(f"not JSON: {error}") from error
    try:
        yaml = import_module("yaml")
    except ImportError as error:
        raise MissingPackageError("PyYAML", "pyyaml", "YAML (JSON needs nothing)") from error
    try:
        # `ros2 topic echo` ends each message with a line of dashes.
        documents = [d for d in yaml.safe_load_all(text) if d is not None]
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise PathError(f"not YAML: {error}") from error
    if len(documents) != 1:
        raise PathError("not one message", value=len(documents), allowed="one trajectory")
    return documents[0]


def _message(value: Any) -> Message:
    value = _unpacked(value)
    names = _listed(_get(value, "joint_names"), "joint_names")
    points = _listed(_get(value, "points"), "points")
    for k, name in enumerate(names):
        if not isinstance(name, str):
            raise PathError("not a name", element=f"joint_names[{k}]", value=name, allowed="text")
    if not points:
        raise PathError("no point", element="points", allowed="one or more")
    times, positions = np.empty(len(points)), np.empty((len(points), len(names)))
    velocities: list[Array | None] = []
    accelerations: list[Array | None] = []
    for k, point in enumerate(points):
        where = f"points[{k}]"
        times[k] = _seconds(_get(point, "time_from_start"), f"{where}.time_from_start")
        row = _row(point, "positions", len(names), where)
        if row is None:
            raise PathError("no positions", element=where, allowed=f"{len(names)} numbers")
        positions[k] = row
        velocities.append(_row(point, "velocities", len(names), where))
        accelerations.append(_row(point, "accelerations", len(names), where))
        if accelerations[-1] is not None and velocities[-1] is None:
            raise PathError(
                "accelerations without velocities",
                element=where,
                allowed="both, velocities alone, or neither",
            )
    return Message(tuple(names), times, positions, velocities, accelerations)


def _unpacked(value: Any) -> Any:
    """The trajectory inside what may stand around it; what else stands there must not move."""
    for _ in range(_DEEPEST):
        if _has(value, "points"):
            return value
        if isinstance(value, Sequence) and not isinstance(value, str) and len(value) == 1:
            value = value[0]
            continue
        inside = [name for name in _AROUND if _has(value, name)]
        if not inside:
            seen = list(value) if isinstance(value, Mapping) else value
            raise PathError("not a trajectory", value=seen, allowed=_ALLOWED)
        other = _get(value, "multi_dof_joint_trajectory")
        if other is not None and len(_listed(_get(other, "points"), "points")):
            raise PathError(
                "joints of several degrees of freedom are not supported",
                element="multi_dof_joint_trajectory",
                allowed="joint_trajectory alone",
            )
        value = _get(value, inside[0])
    raise PathError("not a trajectory", value=value, allowed=_ALLOWED)


def _row(point: Any, name: str, count: int, where: str) -> Array | None:
    value = _get(point, name)
    if value is None or (count > 0 and len(_listed(value, f"{where}.{name}")) == 0):
        return None
    element, allowed = f"{where}.{name}", f"{count} finite numbers, one a joint"
    try:
        row = numbers(value, element)
    except PoseError as error:
        if "..." in list(value):
            allowed += "; this message was cut short when it was printed (ros2: --full-length)"
        raise PathError("not numbers", element=element, value=value, allowed=allowed) from error
    if row.shape != (count,):
        raise PathError("wrong length", element=element, value=row.shape, allowed=allowed)
    if not np.isfinite(row).all():
        raise PathError("not finite", element=element, value=row.tolist(), allowed=allowed)
    return row


def _seconds(value: Any, element: str) -> float:
    """A duration of ROS 1 or 2, of Python, or plain seconds; the nearest float64 of it."""
    nanoseconds = None
    for whole, part in (("sec", "nanosec"), ("secs", "nsecs")):
        if _has(value, whole) and _has(value, part):
            parts = _get(value, whole), _get(value, part)
            if all(isinstance(p, (int, np.integer)) and not isinstance(p, bool) for p in parts):
                nanoseconds = int(parts[0]) * 10**9 + int(parts[1])
    if nanoseconds is None and isinstance(getattr(value, "nanoseconds", None), int):
        nanoseconds = value.nanoseconds
    if nanoseconds is not None:
        return nanoseconds / 10**9
    try:
        if hasattr(value, "total_seconds"):
            value = value.total_seconds()
        if isinstance(value, (bool, np.bool_, str, bytes)):
            raise TypeError("not a number")
        result = float(value)
    except (TypeError, ValueError, OverflowError):
        result = math.nan
    if not math.isfinite(result):
        raise PathError(
            "not a duration",
            element=element,
            value=value,
            allowed="sec and nanosec, secs and nsecs, or seconds",
        )
    return result


def _listed(value: Any, element: str) -> Any:
    """A list, a tuple, or an array of one of the ROS libraries."""
    if value is None:
        raise PathError("missing", element=element, allowed=_ALLOWED)
    if isinstance(value, (str, bytes, Mapping)) or not hasattr(value, "__len__"):
        raise PathError("not a list", element=element, value=value, allowed="a list")
    return value


def _has(value: Any, name: str) -> bool:
    return name in value if isinstance(value, Mapping) else hasattr(value, name)


def _get(value: Any, name: str) -> Any:
    return value.get(name) if isinstance(value, Mapping) else getattr(value, name, None)
