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

from pathlib import Path

from standoff.cell.names import as_path
from standoff.errors import PlanError
from standoff.paths.json_file import parse_json
from standoff.plan.json_item import JsonItem
from standoff.plan.problems import Obstacle, Problem
from standoff.shapes.pose import Array, rigid
from standoff.shapes.primitives import Box, Cylinder
from standoff.shapes.regular_file import read_regular
from standoff.shapes.shape import Shape, frozen

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
