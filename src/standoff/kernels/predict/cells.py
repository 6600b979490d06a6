"""Which balls overlap a ball: bodies in the cells of a grid, by the centres of their balls."""

from __future__ import annotations

import math

from standoff.kernels.jit import entry, kernel
from standoff.kernels.predict.earliest import is_off, pair_of
from standoff.kernels.predict.layout import (
    END,
    EXPIRED,
    LIVE,
    NEXT_BODY,
    OUT,
    REACH,
    SINCE,
    STEP,
    UNUSED,
)
from standoff.kernels.predict.near import apart, known, lay_ball
from standoff.kernels.predict.reading import look
from standoff.kernels.predict.wheel import begin, flush, put_in, serve

#: What `register` says.
DONE = 0
FULL = 1

#: Columns of ``grid``, float64: edge of a cell, largest radius of a ball in the last round and in
#: this one, and the horizon.
EDGE = 0
LARGEST = 1
LARGEST_NEXT = 2
HORIZON = 3


@kernel
def cell_of(cells, x, y, z):
    """Where the bodies of a cell are listed; several cells may share a list."""
    return ((x * 73856093) ^ (y * 19349663) ^ (z * 83492791)) & (len(cells) - 1)


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
            firsts[k] = places[k, 0] = places[k, 1] = END
            look(positions, velocities, bodies, faults, state, k, 0, 0.0)
            lay_ball(balls, bodies, k, grid[HORIZON], now)
            grid[LARGEST] = max(grid[LARGEST], balls[k, REACH])
        grid[EDGE] = max(2.0 * grid[LARGEST], grid[EDGE])
        spare(pairs, state, 0)
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
    FULL: call it again with a larger table; what is done is not done twice."""
    count = len(bodies)
    left = quota
    lasting = grid[HORIZON] - 2.0 * period
    while left > 0 or balls[state[NEXT_BODY], SINCE] + lasting < now + period:
        k = state[NEXT_BODY]
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
            grid[LARGEST] = grid[LARGEST_NEXT]
            grid[LARGEST_NEXT] = 0.0
    flush(pairs, slots, balls, block, alarms, state, period, urgency)
    return DONE


@kernel
def register(
    positions, velocities, bodies, pairs, slots, firsts, balls, off, block, alarms, faults, state,
    period, urgency, now, cells, places, grid, k,
):  # fmt: skip
    """Lay a new ball around body ``k``, and take all pairs in that it now makes possible. False
    where the table is full: nothing is lost then but the rest of the pairs."""
    if now > balls[k, SINCE] + grid[HORIZON] - 2.0 * period:
        state[EXPIRED] += 1
    since = balls[k, SINCE]
    look(positions, velocities, bodies, faults, state, k, state[STEP], now)
    lay_ball(balls, bodies, k, grid[HORIZON], now)
    grid[LARGEST_NEXT] = max(grid[LARGEST_NEXT], balls[k, REACH])
    edge = grid[EDGE]
    x, y, z = balls[k, 0], balls[k, 1], balls[k, 2]
    move(cells, places, k, cell_of(cells, as_cell(x / edge), as_cell(y / edge), as_cell(z / edge)))
    far = balls[k, REACH] + max(grid[LARGEST], grid[LARGEST_NEXT])
    x0, x1 = as_cell((x - far) / edge), as_cell((x + far) / edge)
    y0, y1 = as_cell((y - far) / edge), as_cell((y + far) / edge)
    z0, z1 = as_cell((z - far) / edge), as_cell((z + far) / edge)
    full = False
    if float(x1 - x0 + 1) * float(y1 - y0 + 1) * float(z1 - z0 + 1) > len(bodies):
        for other in range(len(bodies)):
            full = full or not meet(
                positions, velocities, bodies, pairs, slots, firsts, balls, off, block, alarms,
                faults, state, period, urgency, now, k, other,
            )  # fmt: skip
    else:
        for i in range(x0, x1 + 1):
            for j in range(y0, y1 + 1):
                for h in range(z0, z1 + 1):
                    other = cells[cell_of(cells, i, j, h)]
                    while other != END:
                        full = full or not meet(
                            positions, velocities, bodies, pairs, slots, firsts, balls, off,
                            block, alarms, faults, state, period, urgency, now, k, other,
                        )  # fmt: skip
                        other = places[other, 1]
    if full:
        balls[k, SINCE] = since
    return not full


@kernel
def as_cell(scaled):
    """The number of a cell; those too far out to be counted share one."""
    return math.floor(min(max(scaled, -1e6), 1e6))


@kernel
def move(cells, places, k, cell):
    """List a body under another cell."""
    old = places[k, 0]
    if old == cell:
        return
    if old != END:
        before = cells[old]
        if before == k:
            cells[old] = places[k, 1]
        else:
            while places[before, 1] != k:
                before = places[before, 1]
            places[before, 1] = places[k, 1]
    places[k, 0] = cell
    places[k, 1] = cells[cell]
    cells[cell] = k


@kernel
def meet(
    positions, velocities, bodies, pairs, slots, firsts, balls, off, block, alarms, faults, state,
    period, urgency, now, k, other,
):  # fmt: skip
    """Take a pair in if its balls overlap and it is not there yet, and look at it. False where
    there is no room for it."""
    a, b = min(k, int(other)), max(k, int(other))
    if a == b or apart(balls, a, b) or known(pairs, firsts, a, b) != END:
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
        pairs[entry_, 2], pairs[entry_, 3] = OUT, firsts[a]
        firsts[a] = entry_
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
