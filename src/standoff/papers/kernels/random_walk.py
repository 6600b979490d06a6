"""A random walk that changes one joint a step, as paper 001 has it in its section 4.3.

From where it is, it picks a joint and a value for it, at most WIDTH from the present one and within
the limits; where the straight segment there is free it goes, else it stays. Every segment counts,
free or not.
"""

from __future__ import annotations

from standoff.compiled.arena import reals, wholes
from standoff.compiled.jit import entry
from standoff.paths.kernels.search import check_at
from standoff.plan.kernels import plan_tables as g

# float64 tables
W_ROWS = 0  #: (rows, joints) where it has been
W_RANGES = 1  #: (2, joints) lower and upper limits
W_HERE = 2  #: (1, joints)
W_NEXT = 3  #: (1, joints) where it may go
W_SETTINGS = 4  #: (1, 1) WIDTH

# int64 tables
W_TRIED = 5  #: (1, rows) segments that were checked until it came there
W_KINDS = 6  #: (1, 1)
W_HEADER = 7  #: (1, HEADER_COLUMNS)

# columns of W_HEADER
COUNT = 0  #: rows that are filled
TRIED = 1  #: segments checked
UNTIL = 2  #: segments at which to come back
CURSOR = 3
BUDGET = 4  #: tests of one segment
HEADER_COLUMNS = 5

#: Random numbers that a step takes.
TAKES = 2


@entry("int64(int64, int64, int64, float64[::1], int64[::1], float64[::1])")
def walk(checker, cell, search, WF, WW, U):
    """Walk until as many segments were checked as it was to check, or it needs more random numbers
    ``U``, more rows, or more scratch: AGAIN, DRY, CROWDED or CRAMPED."""
    header, tried, kinds = wholes(WW, W_HEADER), wholes(WW, W_TRIED), wholes(WW, W_KINDS)
    rows, here, there = reals(WF, WW, W_ROWS), reals(WF, WW, W_HERE), reals(WF, WW, W_NEXT)
    ranges = reals(WF, WW, W_RANGES)
    width, joints = reals(WF, WW, W_SETTINGS)[0, 0], here.shape[1]
    while header[0, TRIED] < header[0, UNTIL]:
        at, count = header[0, CURSOR], header[0, COUNT]
        if at + TAKES > U.shape[0]:
            return g.DRY
        if count >= rows.shape[0]:
            return g.CROWDED
        j = min(int(U[at] * joints), joints - 1)
        low, high = max(ranges[0, j], here[0, j] - width), min(ranges[1, j], here[0, j] + width)
        for e in range(joints):
            there[0, e] = here[0, e]
        there[0, j] = min(low + U[at + 1] * (high - low), high)
        done = check_at(
            checker, cell, search, here, there, header[0, BUDGET], 0, 1, kinds.reshape(kinds.size)
        )
        if done == 0:
            return g.CRAMPED
        header[0, CURSOR] = at + TAKES
        header[0, TRIED] += 1
        if kinds[0, 0] == 0:
            here[0, j] = there[0, j]
            for e in range(joints):
                rows[count, e] = here[0, e]
            tried[0, count] = header[0, TRIED]
            header[0, COUNT] = count + 1
    return g.AGAIN
