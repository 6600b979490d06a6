"""What to plan, from what stands on the command line."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from standoff.cell import Cell
from standoff.errors import Error, PlanError
from standoff.plan.problem_file import read_problem, read_problems
from standoff.plan.query import chosen_joints
from standoff.view.configurations import check_planned, given_goals, given_start
from standoff.view.plan import Wanted


def request(
    cell: Cell,
    start: str | None,
    goals: Sequence[str],
    joints: Sequence[str],
    *,
    limits: bool,
    clearance: float,
    tolerance: float,
) -> Wanted:
    """From start to goals, in the cell as it is; without a start, from where the cell has the
    joints."""
    if not goals:
        raise PlanError("no goal", element="--goal", allowed="--goal, once or more, or --problem")
    names = [name.strip() for text in joints for name in text.split(",") if name.strip()]
    try:
        planned = chosen_joints(cell, names if joints else None)
    except Error as error:
        raise error.at("--joints") from error
    notes = []
    origin = cell.q
    if start is None:
        notes.append("the start is where the cell has the joints; --start says another")
        if limits:
            check_planned(origin[None], cell, planned, "the cell", ["its state"])
    else:
        given = given_start(start, cell, planned, limits=limits)
        origin = given.values[0]
        if given.silent:
            left = ", ".join(given.silent)
            notes.append(f"joints that --start leaves out start where the cell has them: {left}")
    ends = given_goals(goals, cell, planned, origin, limits=limits)
    if cell.moving:
        bodies = ", ".join(cell.moving)
        notes.append(f"bodies that move by themselves stand where the cell has them: {bodies}")
    return Wanted(
        cell, origin, ends, tuple(cell.joints[k] for k in planned), limits, clearance, tolerance,
        tuple(notes),
    )  # fmt: skip


def problem_request(
    cell: Cell, file: Path, index: int | None, *, clearance: float, tolerance: float
) -> Wanted:
    """A problem of a file, its obstacles put into the cell. Limits are not looked at: some problems
    open a gripper wider than its URDF says."""
    if index is None:
        first = read_problems(file)[0]
        problem, note = first, f"problem {first.index} of {file}; --index takes another"
    else:
        problem = read_problem(file, index)
        note = f"problem {index} of {file}"
    placed = problem.place(cell)
    notes = [note]
    if placed.ignored:
        notes.append(
            "ignored joints of the problem, which are fixed or which the robot does not have: "
            + ", ".join(placed.ignored)
        )
    ends = np.concatenate([placed.start[None], placed.goals])
    if not np.array_equal(ends, np.clip(ends, cell.tree.lower, cell.tree.upper)):
        notes.append("it goes beyond joint limits, so standoff check takes it with --no-limits")
    return Wanted(
        cell,
        placed.start,
        placed.goals,
        placed.joints,
        False,
        clearance,
        tolerance,
        tuple(notes),
    )
