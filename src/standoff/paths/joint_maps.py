"""Maps of where two links of a robot may come too close, over the joints between them.

Two links with few joints between them are near each other all the time, so that a search would
measure them again and again. What they do depends on these few joints alone, and is worked out once
(`paths.kernels.apart.map_apart`): a motion that passes through none of the marked cells need not
look at them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product

import numpy as np

from standoff.cell.model import Model
from standoff.compiled.jit import INTERPRETED
from standoff.geometry.narrowphase.dispatch import has_closed_form
from standoff.geometry.pose import Array
from standoff.geometry.shape import IntArray
from standoff.paths.apart_problem import Problem
from standoff.paths.kernels.apart import map_apart
from standoff.robots.kernels import kinematics
from standoff.robots.tree import Tree

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

    @cached_property
    def empty(self) -> bool:
        return not self.cells.any()

    @cached_property
    def sums(self) -> IntArray:
        """How many marked cells there are before each corner, (n + 1, n + 1, ...)."""
        total: IntArray = np.zeros([n + 1 for n in self.cells.shape], dtype=np.int64)
        total[(slice(1, None),) * self.cells.ndim] = self.cells
        for axis in range(self.cells.ndim):
            total = total.cumsum(axis=axis)
        return total


def joint_map(model: Model, a: str, b: str, clearance: float) -> JointMap | None:
    """The map of two bodies that are to keep farther apart than ``clearance``; None where there are
    many joints between them or one without limits, or where a distance would take long."""
    few = 0 < joints_between(model.tree, model.frame_of(a), model.frame_of(b)) <= max(_LEVELS)
    kinds = [{x.shape.kind for x in model.entries[name].primitives} for name in (a, b)]
    # Maps save time, and would take too much of it where kernels are interpreted.
    if INTERPRETED or not few or not all(has_closed_form(x, y) for x, y in product(*kinds)):
        return None
    problem = Problem(model, a, b, clearance)
    if problem.endless is not None:
        return None
    levels, count = _LEVELS[len(problem.joints)], len(problem.joints)
    cells = np.zeros((1 << levels) ** count, dtype=np.int64)
    map_apart(problem.tables.address, levels, _BUDGET, cells)
    low, high = problem.limits
    return JointMap(problem.joints, low, high, cells.reshape((1 << levels,) * count))


def merged(maps: Sequence[JointMap | None]) -> JointMap | None:
    """One map of several pairs of bodies that the same two frames carry: a cell is marked where it
    is for one of them. None where one has none."""
    found = [m for m in maps if m is not None]
    if len(found) < len(maps) or not found:
        return None
    if len(found) == 1:
        return found[0]
    return replace(found[0], cells=np.maximum.reduce([m.cells for m in found]))


def joints_between(tree: Tree, a: int, b: int) -> int:
    """How many joints there are from one frame to another."""
    depth = tree.ints[:, kinematics.DEPTH]
    return int(depth[a] + depth[b] - 2 * depth[tree.common(a, b)])
