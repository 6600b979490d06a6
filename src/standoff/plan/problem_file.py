"""Problem files in, strictly: MotionBenchMaker's problems as JSON.

One file is one set for one robot::

    {"robot": "panda", "set": "box", "quaternion": "xyzw", "problems": [
        {"index": 1, "start": {"panda_joint1": 0.0, …}, "goals": [{"panda_joint1": 0.4, …}],
         "obstacles": [
            {"id": "can", "type": "cylinder", "dim": [height, radius],
             "pos": [x, y, z], "quat": [x, y, z, w]},
            {"id": "side", "type": "box", "dim": [three full sides], "pos": …, "quat": …,
             "parent_pose": {"pos": …, "quat": …}}]}]}

Metres, radians. The pose of an obstacle that has a parent is ``parent_pose * pose``; the
parent's may be ``position`` and ``orientation`` as well. An unknown key is an error, since it might
be an obstacle nobody would see.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from standoff.errors import PlanError
from standoff.geometry.pose import Array, pose, rigid
from standoff.geometry.primitives import Box, Cylinder
from standoff.geometry.regular_file import read_regular
from standoff.geometry.shape import Shape, frozen
from standoff.names import NAME_RULE, as_path, is_name
from standoff.paths.strict_json import Maybe, Place, Reader, Row, parse_json
from standoff.plan.problems import Obstacle, Problem

#: Largest problem file that is read, [bytes]; a hundred problems are about 300 kB.
LARGEST_FILE = 64 * 2**20

_POSITION = Row("x, y, z [m]", (float,) * 3)
_QUATERNION = Row("x, y, z, w", (float,) * 4)
_POSE = {"pos": _POSITION, "quat": _QUATERNION}
#: The same in MotionBenchMaker's own files.
_ROS_POSE = {"position": _POSITION, "orientation": _QUATERNION}
_OBSTACLE = {"id": str, "type": str, "dim": object, **_POSE, "parent_pose": Maybe(object)}
_FORM = {
    "robot": str,
    "set": str,
    "quaternion": str,
    "problems": [
        {
            "index": int,
            "start": {str: float},
            "goals": [{str: float}],
            "obstacles": [_OBSTACLE],
            "attached": Maybe(object),
        }
    ],
    "source": Maybe(object),
}

#: Obstacles by their type: what makes one of the numbers in ``dim``.
_SHAPES: dict[str, tuple[Row, Callable[..., Shape]]] = {
    "box": (Row("three full sides [m]", (float,) * 3), lambda *size: Box(size)),
    "cylinder": (
        Row("height and radius [m]", (float,) * 2), lambda height, radius: Cylinder(radius, height)
    ),
}  # fmt: skip


def read_problems(path: str | Path) -> tuple[Problem, ...]:
    """The problems of a file, or of all ``.json`` files of a folder in the order of their names.

    Raises:
        PlanError: what cannot be read, or makes no sense; it names file and element.
    """
    place = as_path(path, "path")
    if not place.is_dir():
        return _read_file(place)
    files = sorted(place.glob("*.json"))
    if not files:
        raise PlanError("no problem files", file=place, allowed="a folder with .json files")
    return tuple(problem for file in files for problem in _read_file(file))


def read_problem(path: str | Path, index: int) -> Problem:
    """The problem of a file that bears this number (``index`` in the file)."""
    place = as_path(path, "path")
    found = {problem.index: problem for problem in _read_file(place)}
    if index not in found:
        some = ", ".join(map(str, [*found][:8])) + (", …" if len(found) > 8 else "")
        raise PlanError("no such problem", file=place, element="index", value=index, allowed=some)
    return found[index]


def _read_file(file: Path) -> tuple[Problem, ...]:
    data = read_regular(file, LARGEST_FILE, "a file of problems", PlanError)
    reader = Reader(file, PlanError)
    top = reader.read(parse_json(data, file, PlanError), _FORM)
    if top["quaternion"] != "xyzw":
        order = top["quaternion"]
        raise reader.error("another order of quaternions", ("quaternion",), order, "xyzw")
    _check_name(reader, ("robot",), top["robot"])
    found: dict[int, Problem] = {}
    for k, item in enumerate(top["problems"]):
        place, index = ("problems", k), item["index"]
        held = item["attached"]
        if held not in (0, None) or isinstance(held, bool):
            raise reader.error(
                "bodies that the robot holds are not read", (*place, "attached"), held, "0"
            )
        if index in found:
            raise reader.error("the number is taken", (*place, "index"), index, "one a problem")
        found[index] = Problem(
            top["robot"], top["set"], index, _obstacles(reader, place, item["obstacles"]),
            item["start"], tuple(item["goals"]), str(file),
        )  # fmt: skip
    if not found:
        raise reader.error("no problems", ("problems",), [], "one or more")
    return tuple(found.values())


def _obstacles(reader: Reader, place: Place, rows: list[dict[str, Any]]) -> tuple[Obstacle, ...]:
    found: dict[str, Obstacle] = {}
    for k, row in enumerate(rows):
        at, name, kind = (*place, "obstacles", k), row["id"], row["type"]
        _check_name(reader, (*at, "id"), name)
        if name in found:
            raise reader.error("the name is taken", (*at, "id"), name, "one an obstacle")
        if kind not in _SHAPES:
            allowed = ", ".join(_SHAPES)
            raise reader.error("no such type of obstacle", (*at, "type"), kind, allowed)
        form, make = _SHAPES[kind]
        shape = reader.made((*at, "dim"), make, *reader.read(row["dim"], form, (*at, "dim")))
        found[name] = Obstacle(name, shape, frozen(_placed(reader, at, row)))
    return tuple(found.values())


def _placed(reader: Reader, at: Place, row: dict[str, Any]) -> Array:
    """Where an obstacle is, on its parent if it has one."""
    own, parent = _pose(reader, at, row, _POSE), row["parent_pose"]
    if parent is None:
        return own
    ros = isinstance(parent, dict) and not parent.keys().isdisjoint(_ROS_POSE)
    keys, at = _ROS_POSE if ros else _POSE, (*at, "parent_pose")
    return rigid(_pose(reader, at, reader.read(parent, keys, at), keys) @ own)


def _pose(reader: Reader, at: Place, row: dict[str, Any], keys: Iterable[str]) -> Array:
    position, turned = keys
    x, y, z, w = row[turned]
    return reader.made((*at, turned), pose, row[position], (w, x, y, z))


def _check_name(reader: Reader, place: Place, name: str) -> None:
    """Refuse what cannot name a robot or a body."""
    if "/" in name or not is_name(name):
        raise reader.error("not a name", place, name, f"text without '/', {NAME_RULE}")
