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

import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

from standoff.errors import NOTHING, Error, PlanError, nearest
from standoff.geometry.pose import Array, pose, rigid
from standoff.geometry.primitives import Box, Cylinder
from standoff.geometry.regular_file import read_regular
from standoff.geometry.shape import Shape, frozen
from standoff.names import NAME_RULE, as_path, is_name
from standoff.paths.path_formats import parse_json
from standoff.plan.problems import Obstacle, Problem

#: Largest problem file that is read, [bytes]; a hundred problems are about 300 kB.
LARGEST_FILE = 64 * 2**20

_FILE = ("robot", "set", "quaternion", "problems")
_PROBLEM = ("index", "start", "goals", "obstacles")
_OBSTACLE = ("id", "type", "dim", "pos", "quat")
_POSE = ("pos", "quat")
#: The same in MotionBenchMaker's own files.
_ROS_POSE = ("position", "orientation")


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
    top = JsonItem(parse_json(data, file, PlanError), str(file), "", _FILE, ("source",))
    order = top.text("quaternion")
    if order != "xyzw":
        raise top.error("another order of quaternions", "quaternion", order, "xyzw")
    robot, set_name = top.name("robot"), top.text("set")
    found: dict[int, Problem] = {}
    for item in top.items("problems", _PROBLEM, ("attached",)):
        problem = _problem(item, robot, set_name)
        if problem.index in found:
            raise item.error("the number is taken", "index", problem.index, "one a problem")
        found[problem.index] = problem
    if not found:
        raise top.error("no problems", "problems", [], "one or more")
    return tuple(found.values())


def _problem(item: JsonItem, robot: str, set_name: str) -> Problem:
    held = item.value("attached", 0)
    if held != 0 or isinstance(held, bool):
        raise item.error("bodies that the robot holds are not read", "attached", held, "0")
    start = item.joints("start")
    return Problem(
        robot, set_name, item.whole("index"), _obstacles(item), start, _goals(item, start),
        item.file,
    )  # fmt: skip


def _goals(item: JsonItem, start: dict[str, float]) -> tuple[dict[str, float], ...]:
    """All of the same joints, in the order in which the start names them."""
    goals: list[dict[str, float]] = []
    for k, value in enumerate(item.rows("goals")):
        place = f"goals[{k}]"
        goal = item.joints(place, value)
        strange = [joint for joint in goal if joint not in start]
        if strange:
            raise item.error("joints without a start", place, strange, ", ".join(start))
        goals.append({joint: goal[joint] for joint in start if joint in goal})
        if goals[-1].keys() != goals[0].keys():
            allowed = ", ".join(goals[0])
            raise item.error("not the joints of the first goal", place, [*goal], allowed)
    if not goals:
        raise item.error("no goal", "goals", [], "one or more")
    return tuple(goals)


def _obstacles(item: JsonItem) -> tuple[Obstacle, ...]:
    found: dict[str, Obstacle] = {}
    for each in item.items("obstacles", _OBSTACLE, ("parent_pose",)):
        obstacle = Obstacle(each.name("id"), _shape(each), _pose(each))
        if obstacle.name in found:
            raise each.error("the name is taken", "id", obstacle.name, "one an obstacle")
        found[obstacle.name] = obstacle
    return tuple(found.values())


def _shape(item: JsonItem) -> Shape:
    kind = item.text("type")
    if kind == "box":
        return item.made("dim", Box, item.numbers("dim", 3, "three full sides [m]"))
    if kind == "cylinder":
        height, radius = item.numbers("dim", 2, "height and radius [m]")
        return item.made("dim", Cylinder, radius, height)
    raise item.error("no such type of obstacle", "type", kind, "box, cylinder")


def _pose(item: JsonItem) -> Array:
    own, parent = item.pose(), item.value("parent_pose")
    if parent is not None:
        place = f"{item.place}.parent_pose"
        ros = isinstance(parent, dict) and not parent.keys().isdisjoint(_ROS_POSE)
        keys = _ROS_POSE if ros else _POSE
        own = rigid(JsonItem(parent, item.file, place, keys).pose(keys) @ own)
    return frozen(own)


Made = TypeVar("Made")

#: What a configuration looks like.
_CONFIGURATION = "positions by joint name, one or more, finite, [rad] or [m]"


class JsonItem:
    """An object with known keys; errors name the file, the place in it and what is allowed.

    Args:
        place: where it stands, such as ``problems[3].obstacles[0]``.
        keys: those it must have.
        more: those it may have; any other is an error.
    """

    def __init__(
        self, value: Any, file: str, place: str, keys: Sequence[str], more: Sequence[str] = ()
    ) -> None:
        self.file, self.place = file, place
        known = (*keys, *more)
        if not isinstance(value, dict):
            raise self.error("not an object", "", value, "an object with " + ", ".join(known))
        for key in value:
            if key not in known:
                hint = ", ".join(map(repr, nearest(key, known, 1)))
                allowed = f"{', '.join(known)} (did you mean {hint}?)"
                raise self.error(f"unknown key {key!r}", "", NOTHING, allowed)
        for key in keys:
            if key not in value:
                raise self.error(f"missing key {key!r}", "", NOTHING, ", ".join(known))
        self._value: dict[str, Any] = value

    def error(self, problem: str, key: str, value: Any, allowed: str | None) -> PlanError:
        """An error at a key, or of the whole object where it is empty."""
        place = ".".join(part for part in (self.place, key) if part)
        return PlanError(
            problem, file=self.file, element=place or None, value=value, allowed=allowed
        )

    def value(self, key: str, default: Any = None) -> Any:
        """Whatever stands at a key."""
        return self._value.get(key, default)

    def text(self, key: str, default: str | None = None) -> str:
        """A text."""
        value = self.value(key, default)
        if not isinstance(value, str):
            raise self.error("not text", key, value, "text")
        return value

    def name(self, key: str) -> str:
        """A text that can name a robot or a body."""
        value = self.text(key)
        if "/" in value or not is_name(value):
            raise self.error("not a name", key, value, f"text without '/', {NAME_RULE}")
        return value

    def whole(self, key: str) -> int:
        """A whole number."""
        value = self.value(key)
        if isinstance(value, bool) or not isinstance(value, int):
            raise self.error("not a whole number", key, value, "a whole number")
        return value

    def rows(self, key: str) -> list[Any]:
        """A list."""
        value = self.value(key)
        if not isinstance(value, list):
            raise self.error("not a list", key, value, "a list")
        return value

    def items(self, key: str, keys: Sequence[str], more: Sequence[str] = ()) -> list[JsonItem]:
        """A list of objects."""
        place = f"{self.place}.{key}" if self.place else key
        return [
            JsonItem(row, self.file, f"{place}[{k}]", keys, more)
            for k, row in enumerate(self.rows(key))
        ]

    def joints(self, key: str, given: Any = NOTHING) -> dict[str, float]:
        """Positions by joint name; of ``given``, where they do not stand at the key itself."""
        value = self.value(key) if given is NOTHING else given
        if not isinstance(value, dict) or not value or not all(map(_finite, value.values())):
            raise self.error("not a configuration", key, value, _CONFIGURATION)
        return {name: float(position) for name, position in value.items()}

    def numbers(self, key: str, count: int, what: str) -> list[float]:
        """So many finite numbers."""
        value = self.value(key)
        if not isinstance(value, list) or len(value) != count or not all(map(_finite, value)):
            raise self.error(f"not {count} finite numbers", key, value, what)
        return [float(number) for number in value]

    def pose(self, keys: Sequence[str] = ("pos", "quat")) -> Array:
        """The pose of a position and a quaternion at these keys."""
        at, turned = keys
        position = self.numbers(at, 3, "x, y, z [m]")
        x, y, z, w = self.numbers(turned, 4, "x, y, z, w")
        return self.made(turned, pose, position, (w, x, y, z))

    def made(self, key: str, make: Callable[..., Made], *arguments: Any) -> Made:
        """What ``make`` makes of the arguments; what it refuses is an error of this key."""
        try:
            return make(*arguments)
        except Error as error:
            value = error.value if error.given else NOTHING
            raise self.error(error.problem, key, value, error.allowed) from error


def _finite(value: Any) -> bool:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return False
    try:
        return math.isfinite(float(value))
    except OverflowError:
        return False
