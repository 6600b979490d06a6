"""Joints as others name them, found among those of a cell."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from standoff.cell import Cell
from standoff.errors import PathError, UnknownNameError
from standoff.kernels.kinematics import INDEX, MULTIPLIER, OFFSET


class Found(NamedTuple):
    """A joint of the cell: ``multiplier q[column] + offset``, which is ``q[column]`` itself but for
    mimic joints."""

    name: str
    column: int
    multiplier: float = 1.0
    offset: float = 0.0
    mimic: bool = False


def find_joints(
    cell: Cell, names: Sequence[Any], *, robot: str | None = None, element: str = "joints"
) -> list[Found]:
    """The joints of these names, written with their robot (``left/elbow``) or, where only one robot
    has such a joint, without (``elbow``).

    Args:
        robot: look at this one alone.

    Raises:
        UnknownNameError: a name that no joint bears, with the nearest ones.
        PathError: a name that several robots have, or that is given twice.
    """
    known = _known(cell)
    if robot is not None:
        if robot not in cell.robots:
            raise UnknownNameError(str(robot), cell.robots, what="robot")
        known = {name: f for name, f in known.items() if name.startswith(f"{robot}/")}
    result: list[Found] = []
    for k, name in enumerate(names):
        found = _find(name, known, f"{element}[{k}]")
        if any(found.name == other.name for other in result):
            raise PathError("a joint twice", element=f"{element}[{k}]", value=name, allowed="once")
        result.append(found)
    return result


def _find(name: Any, known: dict[str, Found], element: str) -> Found:
    if isinstance(name, str) and name in known:
        return known[name]
    several = [full for full in known if full.partition("/")[2] == name]
    if len(several) == 1:
        return known[several[0]]
    if several:
        whole = "so.joint_trajectory(cell, message, robot=…) names it for all"
        beside = f"; {whole}" if element.startswith("joint_names") else ""
        raise PathError(
            "a joint of several robots",
            element=element,
            value=name,
            allowed=f"{' or '.join(several)}{beside}",
        )
    raise UnknownNameError(str(name), known, what="joint", element=element)


def _known(cell: Cell) -> dict[str, Found]:
    tree = cell.tree
    known = {name: Found(name, column) for column, name in enumerate(tree.joints)}
    for f in range(1, tree.frames):
        name = tree.frame_joint[f]
        if name not in known:
            row = tree.reals[f]
            known[name] = Found(
                name, int(tree.ints[f, INDEX]), float(row[MULTIPLIER]), float(row[OFFSET]), True
            )
    return known
