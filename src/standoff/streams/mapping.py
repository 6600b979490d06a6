"""Joints as a stream names them, found among those of the cell."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from standoff.cell import Cell
from standoff.shapes.pose import Array
from standoff.shapes.shape import IntArray


@dataclass(frozen=True, eq=False)
class Route:
    """Attributes:
    picks: which values of a message are joints of the cell; columns: which of ``cell.joints`` each.
    scale, offset: the joint is ``scale value + offset``; None where it is the value itself.
    problem: what is wrong with the names, if anything.
    """

    picks: IntArray
    columns: IntArray
    scale: Array | None = None
    offset: Array | None = None
    problem: str = ""


class Mapping:
    """Of one source."""

    def __init__(self, cell: Cell, source: str) -> None:
        self._cell = cell

    def route(self, names: tuple[str, ...]) -> Route:
        """Where the values of these names go."""
        joints = self._cell.joints
        full = {name: k for k, name in enumerate(joints)}
        short: dict[str, list[int]] = {}
        for k, name in enumerate(joints):
            short.setdefault(name.partition("/")[2], []).append(k)
        picks, columns, problem = [], [], ""
        for i, name in enumerate(names):
            found = [full[name]] if name in full else short.get(name, [])
            if len(found) > 1:
                problem = f"{name} is a joint of several robots"
            elif found:
                picks.append(i)
                columns.append(found[0])
        return Route(np.array(picks, np.int64), np.array(columns, np.int64), problem=problem)
