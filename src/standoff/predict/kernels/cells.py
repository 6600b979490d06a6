"""Which balls overlap a ball: bodies in the cells of a grid, by the centres of their balls."""

from __future__ import annotations

import math

from standoff.compiled.jit import entry, inlined, kernel
from standoff.predict.kernels.deadlines import begin, flush, put_in, serve
from standoff.predict.kernels.earliest import is_off, pair_of
from standoff.predict.kernels.layout import (
    END,
    EXPIRED,
    FAULTS,
    LIVE,
    NEXT_BODY,
    OUT,
    REACH,
    SEEN_AT,
    SINCE,
    STEP,
    UNUSED,
)
from standoff.predict.kernels.near import apart, enlist, enlist_all, known, lay_ball
from standoff.predict.kernels.reading import look
from standoff.tolerances import BALL_ROUNDING

#: What `register` says.
DONE = 0
FULL = 1

#: Numbers of ``grid``, float64: edge of a cell on level 0, the horizon, and from COUNTS on how many
#: balls there are on each level.
EDGE = 0
HORIZON = 1
COUNTS = 2
LEVELS = 32
GRID = COUNTS + LEVELS

#: Columns of ``places``, int32: the list of a body, who comes after it there, its level.
LIST = 0
AFTER = 1
LEVEL = 2


@inlined
def cell_of(cells, level, x, y, z):
    """Where the balls of a cell are listed; several cells may share a list."""
    return ((x * 73856093) ^ (y * 19349663) ^ (z * 83492791) ^ (level * 50331653)) & (
        len(cells) - 1
    )


@kernel
def level_of(reach, edge):
    """The level whose cells are as wide as a ball, each level twice as wide as the one before; the
    last one is for all that are wider."""
    level = 0
    while 2.0 * reach > edge and level < LEVELS - 1:
        edge *= 2.0
        level += 1
    return level


@entry(
    "(f8[:,::1],f8[:,::1],f8[:,::1],i4[:,::1],i4[::1],i4[::1],f8[:,::1],i8[::1],f8[:,::1],"
    "i8[:,::1],f8[:,::1],i8[::1],i8[::1],f8,i8,i8,f8,i4[::1],i4[:,::1],f8[::1],i8)"
)
def near_start(
    positions, velocities, bodies, pairs, slots, firsts, balls, off, block, alarms, faults, voids,
    state, period, urgency, budget, now, cells, places, grid, again,
):  # fmt: skip
    """Look at all bodies and register them. FULL: call it again with a larger table, ``again``
    set."""
    if not again:
        begin(slots, state)
        for i in range(len(cells)):
            cells[i] = END
        for k in range(len(bodies)):
            places[k, LIST] = END
            look(positions, velocities, bodies, faults, state, k, 0, 0.0)
            lay_ball(balls, bodies, k, grid[HORIZON], now)
            # As wide as balls are on average, whatever the widest of them.
            grid[EDGE] += 2.0 * balls[k, REACH] / len(bodies)
        spare(pairs, state, 0)
        enlist_all(pairs, firsts)
    while state[NEXT_BODY] < len(bodies):
        if not register(
            positions, velocities, bodies, pairs, slots, firsts, balls, off, block, alarms, faults,
            state, period, urgency, now, cells, places, grid, state[NEXT_BODY],
        ):  # fmt: skip
            flush(pairs, slots, balls, block, alarms, state, period, urgency)
            return FULL
        state[NEXT_BODY] += 1
    state[NEXT_BODY] = 0
    flush(pairs, slots, balls, block, alarms, state, period, urgency)
    return DONE


@entry("(i4[:,::1],i8[::1],i8)")
def spare(pairs, state, first):
    """Hand out the rows from ``first`` on as unused."""
    state[UNUSED] = END
    for entry_ in range(len(pairs) - 1, first - 1, -1):
        pairs[entry_, 0] = pairs[entry_, 1] = 0
        pairs[entry_, 2] = state[UNUSED]
        state[UNUSED] = entry_
    return 0


@entry(
    "(f8[:,::1],f8[:,::1],f8[:,::1],i4[:,::1],i4[::1],i4[::1],f8[:,::1],i8[::1],f8[:,::1],"
    "i8[:,::1],f8[:,::1],i8[::1],i8[::1],f8,i8,i8,f8,i4[::1],i4[:,::1],f8[::1],i8)"
)
def near_step(
    positions, velocities, bodies, pairs, slots, firsts, balls, off, block, alarms, faults, voids,
    state, period, urgency, budget, now, cells, places, grid, quota,
):  # fmt: skip
    """Register the next ``quota`` bodies anew, and all whose time would be up before the next step.
    Bodies that broke their bounds in this step are not where their balls are: they are registered
    at once. FULL: call it again with a larger table; what is done is not done twice."""
    count = len(bodies)
    left = quota
    lasting = grid[HORIZON] - 2.0 * period
    for _ in range(count):
        k = state[NEXT_BODY]
        if left <= 0 and balls[k, SINCE] + lasting >= now + period:
            break
        if balls[k, SINCE] == now:
            break  # all were registered in this step
        if not register(
            positions, velocities, bodies, pairs, slots, firsts, balls, off, block, alarms, faults,
            state, period, urgency, now, cells, places, grid, k,
        ):  # fmt: skip
            flush(pairs, slots, balls, block, alarms, state, period, urgency)
            return FULL
        left -= 1
        state[NEXT_BODY] += 1
        if state[NEXT_BODY] == count:
            state[NEXT_BODY] = 0
    i = 0
    while i < state[FAULTS]:  # registering may find more
        k = int(faults[i, 1])
        since = balls[k, SINCE]
        if since != now:
            full = not register(
                positions, velocities, bodies, pairs, slots, firsts, balls, off, block, alarms,
                faults, state, period, urgency, now, cells, places, grid, k,
            )  # fmt: skip
            # Its turn comes when it would have come, so that bodies stay in the order of turns.
            balls[k, SINCE] = since
            if full:
                flush(pairs, slots, balls, block, alarms, state, period, urgency)
                return FULL
        i += 1
    flush(pairs, slots, balls, block, alarms, state, period, urgency)
    return DONE


@kernel
def register(
    positions, velocities, bodies, pairs, slots, firsts, balls, off, block, alarms, faults, state,
    period, urgency, now, cells, places, grid, k,
):  # fmt: skip
    """Lay a new ball around body ``k``, and take all pairs in that it now makes possible. False
    where the table is full: nothing is lost then but the rest of the pairs. A body without a
    reading keeps its ball, which says nothing of where it is once its time is up: a fault, and
    nothing is promised until it was registered again."""
    if now > balls[k, SINCE] + grid[HORIZON] - 2.0 * period:
        state[EXPIRED] += 1
    since = balls[k, SINCE]
    look(positions, velocities, bodies, faults, state, k, state[STEP], now)
    if bodies[k, SEEN_AT] != now:
        return True
    lay_ball(balls, bodies, k, grid[HORIZON], now)
    move(cells, places, balls, grid, k)
    full = False
    edge = grid[EDGE]
    for level in range(LEVELS):
        if grid[COUNTS + level] > 0.0 and not full:
            full = not meet_level(
                positions, velocities, bodies, pairs, slots, firsts, balls, off, block, alarms,
                faults, state, period, urgency, now, cells, places, k, level, edge,
            )  # fmt: skip
        edge *= 2.0
    if full:
        balls[k, SINCE] = since
    return not full


@kernel
def as_cell(scaled):
    """The number of a cell; those too far out to be counted share one."""
    return math.floor(min(max(scaled, -1e6), 1e6))


@kernel
def meet_level(
    positions, velocities, bodies, pairs, slots, firsts, balls, off, block, alarms, faults, state,
    period, urgency, now, cells, places, k, level, edge,
):  # fmt: skip
    """Take in the pairs of body ``k`` with the balls of one level. None of them is wider than a
    cell, so the centres of all that it overlaps are within its own reach and half an edge. False
    where the table is full."""
    x, y, z = balls[k, 0], balls[k, 1], balls[k, 2]
    far = balls[k, REACH] + 0.5 * edge * (1.0 + BALL_ROUNDING)
    x0, x1 = as_cell((x - far) / edge), as_cell((x + far) / edge)
    y0, y1 = as_cell((y - far) / edge), as_cell((y + far) / edge)
    z0, z1 = as_cell((z - far) / edge), as_cell((z + far) / edge)
    many = float(x1 - x0 + 1) * float(y1 - y0 + 1) * float(z1 - z0 + 1) > len(bodies)
    if many or level == LEVELS - 1:
        for other in range(len(bodies)):
            if places[other, LIST] != END and not apart(balls, k, other) and not meet(
                positions, velocities, bodies, pairs, slots, firsts, balls, off, block, alarms,
                faults, state, period, urgency, now, k, other,
            ):  # fmt: skip
                return False
        return True
    for i in range(x0, x1 + 1):
        for j in range(y0, y1 + 1):
            for h in range(z0, z1 + 1):
                other = cells[cell_of(cells, level, i, j, h)]
                while other != END:
                    if not apart(balls, k, other) and not meet(
                        positions, velocities, bodies, pairs, slots, firsts, balls, off, block,
                        alarms, faults, state, period, urgency, now, k, other,
                    ):  # fmt: skip
                        return False
                    other = places[other, AFTER]
    return True


@kernel
def move(cells, places, balls, grid, k):
    """List a body under the cell and on the level of its ball."""
    level = level_of(balls[k, REACH], grid[EDGE])
    edge = grid[EDGE] * 2.0**level
    cell = cell_of(
        cells, level, as_cell(balls[k, 0] / edge), as_cell(balls[k, 1] / edge),
        as_cell(balls[k, 2] / edge),
    )  # fmt: skip
    old = places[k, LIST]
    if old != END:
        grid[COUNTS + places[k, LEVEL]] -= 1.0
    grid[COUNTS + level] += 1.0
    places[k, LEVEL] = level
    if old == cell:
        return
    if old != END:
        before = cells[old]
        if before == k:
            cells[old] = places[k, AFTER]
        else:
            while places[before, AFTER] != k:
                before = places[before, AFTER]
            places[before, AFTER] = places[k, AFTER]
    places[k, LIST] = cell
    places[k, AFTER] = cells[cell]
    cells[cell] = k


@kernel
def meet(
    positions, velocities, bodies, pairs, slots, firsts, balls, off, block, alarms, faults, state,
    period, urgency, now, k, other,
):  # fmt: skip
    """Take a pair whose balls overlap in if it is not there yet, and look at it. False where there
    is no room for it."""
    a, b = min(k, int(other)), max(k, int(other))
    if a == b or known(pairs, firsts, a, b) != END:
        return True
    if len(off) > 0 and is_off(off, pair_of(a, b)):
        return True
    entry_ = new_entry(pairs, firsts, state, a, b)
    if entry_ == END:
        return False
    serve(
        positions, velocities, bodies, pairs, slots, firsts, balls, off, block, alarms, faults,
        state, period, urgency, now, entry_,
    )  # fmt: skip
    return True


@kernel
def new_entry(pairs, firsts, state, a, b):
    """A row for a pair; END where there is none left."""
    entry_ = state[UNUSED]
    if entry_ != END:
        state[UNUSED] = pairs[entry_, 2]
        state[LIVE] += 1
        pairs[entry_, 0], pairs[entry_, 1] = a, b
        pairs[entry_, 2] = OUT
        enlist(pairs, firsts, entry_, a, b)
    return entry_


@entry("(i4[:,::1],i4[::1],i4[::1],i8[::1],i8,i8)")
def take_in(pairs, slots, firsts, state, a, b):
    """Have a pair that was switched on looked at in the next step. False: there is no room."""
    entry_ = known(pairs, firsts, a, b)
    if entry_ == END:
        entry_ = new_entry(pairs, firsts, state, a, b)
    if entry_ == END:
        return False
    put_in(pairs, slots, state, entry_)
    return True
