"""Maps of where two links of a robot may come too close, over the joints between them.

Two links with few joints between them are near each other all the time, so that a search would
measure them again and again. What they do depends on these few joints alone, and is worked out once
(`kernels.paths.apart_map`): a motion that passes through none of the marked cells need not look at
them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import product

import numpy as np

from standoff.cell.world import World
from standoff.constants import LIMIT_ROUNDING
from standoff.kernels import layout
from standoff.kernels.pairs.dispatch import has_closed_form
from standoff.kernels.paths import apart_layout as a
from standoff.kernels.paths.apart_map import map_apart
from standoff.paths.apart_problem import Problem
from standoff.robots.tree import Tree
from standoff.shapes.pose import Array
from standoff.shapes.shape import IntArray

#: Halvings of each joint's range, by the number of joints.
_LEVELS = {1: 6, 2: 5, 3: 4}
#: Boxes that one map may take.
_BUDGET = 20_000


@dataclass(frozen=True, eq=False)
class JointMap:
    """Attributes:
    joints: entries of ``q``.
    low, high: their ranges, within which the map holds.
    cells: (n, n, ...) whether two bodies may come too close in a cell.
    """

    joints: tuple[int, ...]
    low: Array
    high: Array
    cells: IntArray

    @property
    def empty(self) -> bool:
        return not self.cells.any()

    def sums(self) -> IntArray:
        """How many marked cells there are before each corner, (n + 1, n + 1, ...)."""
        total: IntArray = np.zeros([n + 1 for n in self.cells.shape], dtype=np.int64)
        total[(slice(1, None),) * self.cells.ndim] = self.cells
        for axis in range(self.cells.ndim):
            total = total.cumsum(axis=axis)
        return total


def joint_map(
    tree: Tree, world: World, pairs: Iterable[tuple[int, int]], clearance: float
) -> JointMap | None:
    """The map of all these pairs of bodies, which two frames carry; None where there are too many
    joints between them, one has no limits, or a distance would take long."""
    cells: IntArray | None = None
    joints: tuple[int, ...] = ()
    limits: Array = np.zeros((2, 0))
    for first, second in pairs:
        kinds = [{shape.kind for shape, _ in world.parts[body]} for body in (first, second)]
        if not all(has_closed_form(x, y) for x, y in product(*kinds)):
            return None
        names = world.names[first], world.names[second]
        problem = Problem(tree, world, *names, clearance)
        if problem.endless is not None or len(problem.joints) not in _LEVELS:
            return None
        joints, limits = problem.joints, problem.arena["joints"][[a.LOWER, a.UPPER]].copy()
        levels = _LEVELS[len(joints)]
        if cells is None:
            cells = np.zeros((1 << levels) ** len(joints), dtype=np.int64)
        map_apart(0, problem.arena.F, problem.arena.W, levels, _BUDGET, cells)
    if cells is None:
        return None
    shape = (1 << _LEVELS[len(joints)],) * len(joints)
    return JointMap(joints, limits[0], limits[1], cells.reshape(shape))
