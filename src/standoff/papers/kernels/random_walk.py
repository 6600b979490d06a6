"""A random walk that changes one joint a step, as paper 001 has it in its section 4.3.

From where it is, it picks a joint and a value for it, at most ``width`` from the present one and
within the limits; where the straight segment there is free it goes, else it stays. Every segment
counts, free or not.
"""

from __future__ import annotations

from standoff.compiled.jit import entry
from standoff.compiled.tables import ANY, Reals, Record, Tables, Wholes, fields, viewer
from standoff.paths.kernels.search import check_at
from standoff.plan.kernels import plan_tables as g

#: Rows that are filled, segments checked, segments at which to come back, random numbers that were
#: taken, tests of one segment at most; the widest step.
PROGRESS = fields(count=int, tried=int, until=int, cursor=int, budget=int, width=float)

#: Random numbers that a step takes.
TAKES = 2


class Walking(Tables):
    """A walk."""

    progress = Record(PROGRESS)
    rows = Reals(ANY, "where it has been")
    tried = Wholes(doc="segments that were checked until it came there")
    low = Reals(doc="limits")
    high = Reals(doc="limits")
    here = Reals(ANY, "one row")
    there = Reals(ANY, "one row: where it may go")
    kind = Wholes(doc="of the last segment: 0 where it is free")
    numbers = Reals(doc="random ones from 0 to 1")


walking_at = viewer(Walking)


@entry("int64(int64, int64, int64, int64)")
def walk(checker, cell, search, walking):
    """Walk until as many segments were checked as it was to check, or it needs more random numbers,
    more rows, or more scratch: AGAIN, NO_NUMBERS, NODES_FULL or SCRATCH_FULL."""
    w = walking_at(walking)
    progress, rows, here, there, U = w.progress, w.rows, w.here, w.there, w.numbers
    width, joints = progress.width, here.shape[1]
    while progress.tried < progress.until:
        at, count = progress.cursor, progress.count
        if at + TAKES > U.shape[0]:
            return g.NO_NUMBERS
        if count >= rows.shape[0]:
            return g.NODES_FULL
        j = min(int(U[at] * joints), joints - 1)
        low, high = max(w.low[j], here[0, j] - width), min(w.high[j], here[0, j] + width)
        for e in range(joints):
            there[0, e] = here[0, e]
        there[0, j] = min(low + U[at + 1] * (high - low), high)
        done = check_at(checker, cell, search, here, there, progress.budget, 0, 1, w.kind)
        if done == 0:
            return g.SCRATCH_FULL
        progress.cursor = at + TAKES
        progress.tried += 1
        if w.kind[0] == 0:
            here[0, j] = there[0, j]
            for e in range(joints):
                rows[count, e] = here[0, e]
            w.tried[count] = progress.tried
            progress.count = count + 1
    return g.AGAIN
