"""The planner of paper 001's section 4.3: a random walk that changes one joint a step, until it is
where it is to be.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter, process_time

import numpy as np
from numpy.typing import NDArray

from standoff.compiled.arenas import Arena
from standoff.geometry.pose import Array
from standoff.papers.kernels import random_walk as w
from standoff.paths.checker import PathChecker
from standoff.paths.search import grow_room
from standoff.plan.growing import (
    EDGE_BUDGET,
    Borrowed,
    Numbers,
    Pace,
    address_of_check,
    compile_for,
)
from standoff.plan.kernels import plan_tables as g

#: Configurations that there is room for at first.
_ROWS = 4096


@dataclass(frozen=True, eq=False)
class Walk:
    """A walk.

    Attributes:
        waypoints: (n, joints), from the start on; each segment of it is free.
        segments: checked, free or not.
        arrived: whether its last waypoint is where it was to be.
        time: of the processor, [s].
    """

    waypoints: Array
    segments: int
    arrived: bool
    time: float


def random_walk(
    checker: PathChecker,
    start: Array,
    arrived: Callable[[Array], NDArray[np.bool_]],
    *,
    width: float,
    seed: int,
    most: int,
    tell: Callable[[int], object] = lambda segments: None,
) -> Walk:
    """Walk from ``start``, which is free, until ``arrived``, which is asked of many configurations
    (n, joints) at a time, or until ``most`` segments are checked. A step changes a joint by up to
    ``width`` [rad], within its limits; ``tell`` hears how many segments there were."""
    compile_for("papers.kernels.random_walk.walk")
    lent, numbers, pace = Borrowed(checker), Numbers(seed), Pace()
    budget = min(checker.budget, EDGE_BUDGET)
    room = _laid_out(start, checker.cell.tree.lower, checker.cell.tree.upper, width, budget)
    begun, seen, last = process_time(), 0, -1
    try:
        while last < 0 and room["header"][0, w.TRIED] < most:
            header = room["header"][0]
            since, tried = perf_counter(), int(header[w.TRIED])
            header[w.UNTIL] = min(most, tried + pace.tries)
            status = w.walk(address_of_check(), *lent.addresses, room.F, room.W, numbers.values)
            if status == g.DRY:
                numbers.refill(int(header[w.CURSOR]))
                header[w.CURSOR] = 0
            elif status == g.CRAMPED:
                grow_room(lent.scratch)
            elif status == g.CROWDED:
                room = _larger(room)
                header = room["header"][0]
            else:
                pace.took(int(header[w.TRIED]) - tried, perf_counter() - since)
                tell(int(header[w.TRIED]))
            count = int(header[w.COUNT])
            if count > seen:
                there = np.flatnonzero(arrived(room["rows"][seen:count]))
                if len(there):
                    last = seen + int(there[0])
            seen = count
    finally:
        lent.give_back()
    done = last >= 0
    if not done:
        last = seen - 1
    segments = int(room["tried"][0, last] if done else room["header"][0, w.TRIED])
    return Walk(room["rows"][: last + 1].copy(), segments, done, process_time() - begun)


def _laid_out(start: Array, low: Array, high: Array, width: float, budget: int) -> Arena:
    """The tables of `papers.kernels.random_walk`, with the start as the first row."""
    room = _room(_ROWS, len(start))
    room["rows"][0] = room["here"][0] = start
    room["ranges"][:] = low, high
    room["settings"][0, 0] = width
    room["header"][0, [w.COUNT, w.BUDGET]] = 1, budget
    return room


def _larger(old: Arena) -> Arena:
    """With room for twice as many rows."""
    count, joints = old["rows"].shape
    room = _room(2 * count, joints)
    room["rows"][:count], room["tried"][:, :count] = old["rows"], old["tried"]
    for name in ("ranges", "here", "settings", "header"):
        room[name][:] = old[name]
    return room


def _room(rows: int, joints: int) -> Arena:
    row = (1, joints)
    return Arena(
        {
            "rows": (rows, joints),
            "ranges": (2, joints),
            "here": row,
            "next": row,
            "settings": (1, 1),
        },
        {"tried": (1, rows), "kinds": (1, 1), "header": (1, w.HEADER_COLUMNS)},
    )
