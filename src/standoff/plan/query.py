"""What is asked of a planner, checked: from where, to where, with which joints, in which space."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from standoff.cell.cell import Cell
from standoff.errors import PlanError
from standoff.geometry.pose import Array
from standoff.geometry.shape import IntArray
from standoff.paths.joints import LIMIT_ROUNDING, beyond_limits
from standoff.robots.kernels import kinematics
from standoff.scalars import number

#: Weights of joints in a planner's distance, [-]: squares of them times squares of angles are added
#: up, and stay between the smallest and the largest float64 with these.
LEAST_WEIGHT = 1e-100
LARGEST_WEIGHT = 1e100


#: How far beyond start and goals a joint without limits is tried, [rad] and [m].
_BEYOND = {"rad": math.pi, "m": 1.0}


@dataclass(frozen=True, eq=False)
class Space:
    """The planned joints of a cell.

    Attributes:
        joints: their places in a configuration, in order.
        low, high: what is searched, for all joints of the cell; where a joint is not planned, both
            are its value at the start.
        weights: how much each joint counts, 1 by default for a radian and for a metre:
            ``d(a, b)² = Σ (weight_j (a_j - b_j))²``.
        period: 2π for a joint that may go round, 0 for the others.
    """

    joints: IntArray
    low: Array
    high: Array
    weights: Array
    period: Array

    def distances(self, a: Array, b: Array) -> Array:
        """Between configurations, row by row, circles the shorter way round."""
        way = b - a
        way = (self.weights * (way - self.turns(way)))[..., self.joints]
        return np.asarray(np.sqrt((way * way).sum(axis=-1)))

    def length(self, waypoints: Array) -> float:
        """Of a path, as it goes."""
        way = self.weights * np.diff(waypoints, axis=0)
        return float(np.sqrt((way * way).sum(axis=-1)).sum())

    def turns(self, way: Array) -> Array:
        """The whole periods to take off a difference so that it comes nearest to 0."""
        if not self.period.any():
            return np.zeros_like(way)
        period = np.where(self.period > 0.0, self.period, 1.0)
        return np.where(self.period > 0.0, period * np.floor(way / period + 0.5), 0.0)


def build_space(cell: Cell, start: Array, goals: Array, joints: IntArray, weights: Array) -> Space:
    """The space of the planned ``joints``: their limits, and start and goals where they are beyond
    them."""
    tree = cell.tree
    ends = np.concatenate([start[None], goals])
    first, last = ends.min(axis=0), ends.max(axis=0)
    beyond = np.array([_BEYOND[unit] for unit in tree.units])
    low = np.where(np.isfinite(tree.lower), np.minimum(tree.lower, first), first - beyond)
    high = np.where(np.isfinite(tree.upper), np.maximum(tree.upper, last), last + beyond)
    period = np.where(circles(cell), 2.0 * math.pi, 0.0)
    low = np.where(period > 0.0, start - math.pi, low)
    high = np.where(period > 0.0, start + math.pi, high)
    planned = np.zeros(len(start), dtype=bool)
    planned[joints] = True
    low, high = np.where(planned, low, start), np.where(planned, high, start)
    return Space(joints, low, high, weights, np.where(planned, period, 0.0))


def circles(cell: Cell) -> NDArray[np.bool_]:
    """Which joints are where they were after a full turn: continuous ones, unless another joint
    follows them by a fraction of the angle, or slides."""
    tree = cell.tree
    result: NDArray[np.bool_] = np.array([kind == "continuous" for kind in tree.kinds], dtype=bool)
    if not result.any():
        return result
    for row, ints in zip(tree.reals[1:], tree.ints[1:]):
        turning = ints[kinematics.JOINT_KIND] == kinematics.REVOLUTE
        if not (turning and float(row[kinematics.MULTIPLIER]).is_integer()):
            result[ints[kinematics.INDEX]] = False
    return result


def chosen_joints(cell: Cell, joints: Any) -> IntArray:
    """The places of joints by name, of a group or of a robot; None for all of the cell."""
    if joints is None:
        return np.arange(len(cell.joints))
    found = cell.tree.names.columns(joints)
    if not found:
        raise PlanError("no joint to plan", element="joints", value=joints, allowed="one or more")
    return np.array(found, dtype=np.int64)


def joint_weights(cell: Cell, weights: Any) -> Array:
    """One weight a joint; a dict may leave joints out, which count 1."""
    if weights is None:
        return np.ones(len(cell.joints))
    found = cell.tree.values(weights, "weights", others=np.ones(len(cell.joints)))
    # Squares of weights and of ways are added up: from these on they stay numbers above 0.
    good = (found >= LEAST_WEIGHT) & (found <= LARGEST_WEIGHT)
    if not good.all():
        at = int(np.argmin(good))
        raise PlanError(
            f"no weight for joint {cell.joints[at]!r}",
            element="weights",
            value=float(found[at]),
            allowed=f"{LEAST_WEIGHT:g} to {LARGEST_WEIGHT:g}",
        )
    return found


@dataclass(frozen=True, eq=False)
class Query:
    """A start (joints,), goals (n, joints), n >= 1, and the space to plan in."""

    start: Array
    goals: Array
    space: Space


def build_query(
    cell: Cell, start: Any, goal: Any, joints: Any, weights: Array, limits: bool
) -> Query:
    """Raises PlanError or ConfigurationError for what makes no sense; see `Planner.plan`."""
    planned = chosen_joints(cell, joints)
    origin = cell.configuration(start, "start")
    goals = _goals(cell, goal, origin)
    moves = np.zeros(len(origin), dtype=bool)
    moves[planned] = True
    still = np.flatnonzero(~moves)
    _check_still(cell, origin, goals, still)
    goals[:, still] = origin[still]
    if limits:
        _check_limits(cell, origin[None], planned, "start")
        _check_limits(cell, goals, planned, "goal")
    return Query(origin, goals, build_space(cell, origin, goals, planned, weights))


def _goals(cell: Cell, goal: Any, start: Array) -> Array:
    """One or several goals; joints that a dict or a named state leaves out end where they start."""
    rows = listed(goal)
    if not rows:
        raise PlanError("no goal", element="goal", allowed="one configuration or more")
    return np.array([cell.tree.configuration(g, "goal", start) for g in rows])


def listed(goal: Any) -> list[Any]:
    """One goal or several, as a list: several are a list of configurations, or a table of them."""
    several = isinstance(goal, np.ndarray) and goal.ndim == 2
    if isinstance(goal, (list, tuple)):
        several = all(isinstance(g, (Mapping, list, tuple, np.ndarray, str)) for g in goal)
    return list(goal) if several else [goal]


def _check_still(cell: Cell, start: Array, goals: Array, still: IntArray) -> None:
    away = np.argwhere(np.abs(goals[:, still] - start[still]) > LIMIT_ROUNDING)
    if len(away):
        row, column = away[0]
        joint = int(still[column])
        raise PlanError(
            f"joint {cell.joints[joint]!r} is not planned, and its goal is not where it starts",
            element=f"goal[{row}]",
            value=float(goals[row, joint]),
            allowed=f"{start[joint]:g}, or to have it among the joints",
        )


def _check_limits(cell: Cell, values: Array, planned: IntArray, what: str) -> None:
    low, high = cell.tree.lower, cell.tree.upper
    bad = np.argwhere(beyond_limits(values, cell.tree)[:, planned])
    if len(bad):
        row, joint = int(bad[0, 0]), int(planned[bad[0, 1]])
        unit = cell.tree.units[joint]
        raise PlanError(
            f"joint {cell.joints[joint]!r} is beyond its limits",
            element=what if len(values) == 1 else f"{what}[{row}]",
            value=float(values[row, joint]),
            allowed=f"{low[joint]:g} to {high[joint]:g} [{unit}], or limits=False",
        )


def above_zero(value: Any, name: str) -> float:
    """A number above 0; it may be infinite."""
    return number(name, value, PlanError, above=0.0, most=math.inf)
