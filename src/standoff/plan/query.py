"""What is asked of a planner, checked: from where, to where, with which joints."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from standoff.cell import Cell
from standoff.errors import PlanError
from standoff.geometry.pose import Array
from standoff.geometry.shape import IntArray
from standoff.paths.joints import LIMIT_ROUNDING
from standoff.plan.space import Space, build_space, chosen_joints
from standoff.robots.joint_values import joint_values
from standoff.tolerances import ENCODER_TOLERANCE


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
    origin = joint_values(start, cell.joints, "start")
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
    """One or several goals; a dict may leave joints out, which stay where they start."""
    rows = listed(goal)
    if not rows:
        raise PlanError("no goal", element="goal", allowed="one configuration or more")
    known = dict(zip(cell.joints, start.tolist()))
    return np.array(
        [
            joint_values({**known, **g} if isinstance(g, Mapping) else g, cell.joints, "goal")
            for g in rows
        ]
    )


def listed(goal: Any) -> list[Any]:
    """One goal or several, as a list: several are a list of configurations, or a table of them."""
    several = isinstance(goal, np.ndarray) and goal.ndim == 2
    if isinstance(goal, (list, tuple)):
        several = all(isinstance(g, (Mapping, list, tuple, np.ndarray)) for g in goal)
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
    beyond = (values < low - ENCODER_TOLERANCE) | (values > high + ENCODER_TOLERANCE)
    bad = np.argwhere(beyond[:, planned])
    if len(bad):
        row, joint = int(bad[0, 0]), int(planned[bad[0, 1]])
        unit = cell.tree.units[joint]
        raise PlanError(
            f"joint {cell.joints[joint]!r} is beyond its limits",
            element=what if len(values) == 1 else f"{what}[{row}]",
            value=float(values[row, joint]),
            allowed=f"{low[joint]:g} to {high[joint]:g} [{unit}], or limits=False",
        )
