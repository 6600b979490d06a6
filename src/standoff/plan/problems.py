"""Planning problems as others publish them: obstacles, a start, goals; and a cell made of one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from standoff.cell.cell import Cell
from standoff.errors import ConfigurationError, Error, PlanError, UnknownNameError, nearest
from standoff.geometry.pose import Array
from standoff.geometry.shape import Shape
from standoff.robots.joint_values import joint_values
from standoff.robots.simplify import GeometryName


@dataclass(frozen=True, eq=False)
class Obstacle:
    """A body that stands at ``pose`` (4 x 4) in the frame of the robot's root link, [m]."""

    name: str
    shape: Shape
    pose: Array


@dataclass(frozen=True, eq=False)
class Problem:
    """From where to where, among what. Read one with `read_problem` or `read_problems`.

    Attributes:
        robot: which robot it was made for, as the file calls it.
        set_name, index: the set of problems it belongs to, and its number there.
        start: position of every joint by its name in the URDF, [rad] or [m].
        goals: one or more, of the joints that are to move; the others stay where they start.
        file: where it came from, for messages.

    Raises:
        PlanError: values that are no finite numbers, no goal, goals of different joints, joints
            without a start, obstacles that are none.
    """

    robot: str
    set_name: str
    index: int
    obstacles: tuple[Obstacle, ...]
    start: Mapping[str, float]
    goals: tuple[Mapping[str, float], ...]
    file: str = ""

    def __post_init__(self) -> None:
        if not isinstance(self.goals, (list, tuple)) or not self.goals or not self.goals[0]:
            raise self._error("no goal", "goals", self.goals, "one or more")
        for element, values in (
            ("start", self.start), *((f"goals[{k}]", goal) for k, goal in enumerate(self.goals))
        ):  # fmt: skip
            if not isinstance(values, Mapping):
                raise self._error("not a configuration", element, values, "numbers by joint")
            place = f"{self.file or self.name}: {self._element(element)}"
            joint_values([*values.values()], [*values], place)
            if element != "start" and set(values) != set(self.goals[0]):
                raise self._error(
                    "not the joints of the first goal", element, [*values],
                    ", ".join(self.goals[0]),
                )  # fmt: skip
        strange = [joint for joint in self.goals[0] if joint not in self.start]
        if strange:
            raise self._error("joints without a start", "goals[0]", strange, ", ".join(self.start))
        if not isinstance(self.obstacles, (list, tuple)):
            raise self._error("not obstacles", "obstacles", self.obstacles, "a tuple of Obstacle")
        for k, obstacle in enumerate(self.obstacles):
            if not isinstance(obstacle, Obstacle):
                raise self._error("not an obstacle", f"obstacles[{k}]", obstacle, "an Obstacle")
            if np.shape(obstacle.pose) != (4, 4):
                raise self._error("not a pose", f"obstacles[{k}]", obstacle.pose, "4 x 4")

    @property
    def name(self) -> str:
        """Such as ``panda_box 12``."""
        return f"{self.robot}_{self.set_name} {self.index}"

    @property
    def joints(self) -> tuple[str, ...]:
        """The joints that are to move: those the goals are given for, in the order of the start."""
        return tuple(joint for joint in self.start if joint in self.goals[0])

    def build(
        self,
        urdf_path: str | Path,
        srdf: str | Path | None = None,
        geometry: GeometryName = "auto",
        *,
        capsules_per_link: int = 2,
        search_paths: Iterable[str | Path] = (),
    ) -> PlacedProblem:
        """A cell of its own with the robot of these files (see `Cell.add_robot`), under the name
        that the problem gives it, at the origin, among the obstacles."""
        cell = Cell()
        cell.add_robot(
            urdf_path, self.robot, srdf=srdf, geometry=geometry,
            capsules_per_link=capsules_per_link, search_paths=search_paths,
        )  # fmt: skip
        return self.place(cell)

    def place(self, cell: Cell, robot: str | None = None) -> PlacedProblem:
        """Add the obstacles to a cell that has the robot, and put the robot at the start.

        Obstacles are placed relative to the robot's base. Values of the start for joints that are
        fixed in the URDF, or that the robot does not have, are ignored (`PlacedProblem.ignored`).
        Every joint that the robot does have must be given, so a misspelt one is an error.
        Limits are not checked: some problems open a gripper wider than its URDF says.

        Args:
            robot: which one it is for; the only one by default. The others stay where they are.

        Raises:
            PlanError: joints of a goal that the robot does not have, joints of the robot without a
                start, a mimic joint that does not follow.
            CellError: a name that is taken. The cell is left as it was.
        """
        name = self._robot(cell, robot)
        mounted = cell.robots[name]
        start, ignored = self._configuration(cell, name, self.start, cell.q, "start")
        goals = [
            self._configuration(cell, name, goal, start, f"goals[{k}]")[0]
            for k, goal in enumerate(self.goals)
        ]
        self._check_complete(cell, name)
        done: list[str] = []
        try:
            for obstacle in self.obstacles:
                cell.add_body(obstacle.name, obstacle.shape, mounted.base @ obstacle.pose)
                done.append(obstacle.name)
        except Error as error:
            for other in done:
                cell.remove_body(other)
            raise error.at(self.file or self.name, self._element("obstacles")) from error
        cell.set_state(start)
        names = cell.tree.names
        moved = (names.find(joint, "goals", robot=name) for joint in self.joints)
        joints = tuple(joint.name for joint in moved if not joint.mimic)
        return PlacedProblem(self, cell, start, np.array(goals), joints, ignored)

    def _robot(self, cell: Cell, robot: str | None) -> str:
        names = list(cell.robots)
        if robot is None:
            if len(names) != 1:
                raise self._error(
                    "which robot is it for?", "robot", names, "the name of one robot of the cell"
                )
            return names[0]
        if robot not in names:
            raise UnknownNameError(str(robot), names, what="robot")
        return robot

    def _configuration(
        self, cell: Cell, robot: str, values: Mapping[str, float], others: Array, element: str
    ) -> tuple[Array, tuple[str, ...]]:
        """All joints of the cell: those of ``values`` as given, the rest as in ``others``; and the
        joints that the robot cannot move, which a start alone may have."""
        names, given, ignored = cell.tree.names, {}, []
        for joint, value in values.items():
            if names.could_be(joint, robot):
                given[names.find(joint, element, robot=robot).name] = value
            elif element == "start":
                ignored.append(joint)
            else:
                hint = ", ".join(map(repr, nearest(joint, cell.robots[robot].robot.joints)))
                what = f"robot {robot!r} has no joint {joint!r} that moves"
                raise self._error(what, element, None, f"joints like {hint}")
        try:
            q = names.values(given, element, kind="position", others=others)
        except ConfigurationError as error:
            raise self._error(error.problem, element, error.value, error.allowed or "") from error
        return q, tuple(ignored)

    def _check_complete(self, cell: Cell, robot: str) -> None:
        """Refuse a start that leaves out a joint of the robot."""
        own = [j.removeprefix(f"{robot}/") for j in cell.joints if j.startswith(f"{robot}/")]
        missing = [joint for joint in own if joint not in self.start]
        if missing:
            strange = [j for j in self.start if j not in cell.robots[robot].robot.joints]
            beside = f"; robot {robot!r} has no {', '.join(map(repr, strange))}" if strange else ""
            raise self._error(
                f"no start of joints of robot {robot!r}", "start", missing,
                f"a start value for each joint{beside}",
            )  # fmt: skip

    def _error(self, what: str, element: str, value: object, allowed: str) -> PlanError:
        place = self._element(element)
        where = self.file or self.name
        if value is None:
            return PlanError(what, file=where, element=place, allowed=allowed)
        return PlanError(what, file=where, element=place, value=value, allowed=allowed)

    def _element(self, element: str) -> str:
        return f"problem {self.index} / {element}"


@dataclass(frozen=True, eq=False)
class PlacedProblem:
    """A problem in a cell.

    Attributes:
        start: (joints of the cell,)
        goals: (n, joints of the cell)
        joints: names in the cell of those that are to move.
        ignored: joints of the problem's start that are fixed, or that the robot does not have.
    """

    problem: Problem
    cell: Cell
    start: Array
    goals: Array
    joints: tuple[str, ...]
    ignored: tuple[str, ...] = ()
