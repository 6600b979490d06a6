"""Pairs that cannot meet within a horizon H are left out, and taken in again in time.

Each body is registered with a ball that it cannot leave for H: with velocity v and bounds A and V
that of radius |v| H / 2 + A H² / 2 about x + v H / 2, or of V H about x, whichever is smaller, and
its own radius on top. A pair is in the table if the balls of its bodies overlap.

Why no contact goes unannounced. Each body is registered anew no later than H - 2 Δt after the last
time. Take a contact at t, and the balls that both bodies have at t - 2 Δt. Each was registered no
earlier than t - H, so both hold at t: they overlap. The later of the two was registered by
t - 2 Δt, and found the other; so from then on the pair was in the table and looked at, and the
promise of the wheel holds for it.

Which balls overlap a ball: bodies are listed by the cells of a grid that the centres of their balls
are in, one grid for each size of balls. To list a ball anew and to find those that overlap it takes
0.5, 0.6 and 1.7 µs with 1,000, 10,000 and 100,000 balls at one density. The octree of `broadphase`
takes 0.9, 1.8 and 3.8 µs for it, its grid of 64 cells an edge 5.9, 3.8 and 2.9 µs: a ball is in all
nodes that its box meets there, for questions about parts of space that nobody asks here. And bodies
that spread have no root cube. So the grid stays.
"""

from __future__ import annotations

import math

from standoff.compiled.jit import entry, inlined, kernel
from standoff.predict.kernels.look import is_off, look, said
from standoff.predict.kernels.predict_tables import END, LEVELS, wheel_at
from standoff.predict.kernels.wheel import (
    apart,
    flush,
    known,
    new_entry,
    put_into,
    serve,
    spare,
)
from standoff.tolerances import BALL_ROUNDING

#: What registering says where the table of pairs is full; otherwise what a step says.
FULL = -1


@entry("int64(float64[:,::1], float64[:,::1], int64, int64)")
def near_start(positions, velocities, address, again):
    """Look at all bodies and register them. FULL: call it again with a larger table, ``again``
    set."""
    tables = wheel_at(address)
    wheel, count = tables.wheel, len(tables.bodies)
    if not again:
        for k in range(count):
            look(positions, velocities, tables, k)
            lay_ball(tables, k)
            # As wide as balls are on average, whatever the widest of them.
            wheel.edge += 2.0 * tables.balls[k].reach / count
        spare(address, 0)
    while wheel.next_body < count:
        if not register(positions, velocities, tables, wheel.next_body):
            flush(tables)
            return FULL
        wheel.next_body += 1
    wheel.next_body = 0
    flush(tables)
    return said(tables.state)


@entry("int64(float64[:,::1], float64[:,::1], int64, int64)")
def near_step(positions, velocities, address, quota):
    """After `wheel_step`, register the next ``quota`` bodies anew, and all whose time would be up
    before the next step. Bodies that broke their bounds in this step are not where their balls are:
    they are registered at once. FULL: call it again with a larger table; what is done is not done
    twice."""
    tables = wheel_at(address)
    state, wheel, balls = tables.state, tables.wheel, tables.balls
    now, count = state.now, len(tables.bodies)
    left = quota
    lasting = wheel.horizon - 2.0 * state.period
    for _ in range(count):
        k = wheel.next_body
        if left <= 0 and balls[k].since + lasting >= now + state.period:
            break
        if balls[k].since == now:
            break  # all were registered in this step
        if not register(positions, velocities, tables, k):
            flush(tables)
            return FULL
        left -= 1
        wheel.next_body = k + 1 if k + 1 < count else 0
    i = 0
    while i < state.faults:  # registering may find more
        k = tables.faults[i].body
        since = balls[k].since
        if since != now:
            full = not register(positions, velocities, tables, k)
            # Its turn comes when it would have come, so that bodies stay in the order of turns.
            balls[k].since = since
            if full:
                flush(tables)
                return FULL
        i += 1
    flush(tables)
    return said(tables.state)


@entry("int64(int64, int64, int64)")
def take_in(address, a, b):
    """Have a pair that was switched on looked at in the next step. False: there is no room."""
    tables = wheel_at(address)
    entry_ = known(tables, a, b)
    if entry_ == END:
        entry_ = new_entry(tables, a, b)
    if entry_ == END:
        return False
    put_into(tables, entry_)
    return True


@kernel
def lay_ball(tables, k):
    """The ball that body ``k`` cannot leave for a horizon, from its last reading."""
    horizon, body, ball = tables.wheel.horizon, tables.bodies[k], tables.balls[k]
    x, y, z = body.x, body.y, body.z
    vx, vy, vz = body.vx, body.vy, body.vz
    way = 0.5 * horizon * math.sqrt(vx * vx + vy * vy + vz * vz)
    reach = way + 0.5 * body.acceleration * horizon * horizon
    if body.speed * horizon < reach:
        reach = body.speed * horizon
    else:
        x += 0.5 * horizon * vx
        y += 0.5 * horizon * vy
        z += 0.5 * horizon * vz
    ball.x, ball.y, ball.z = x, y, z
    reach += body.radius
    ball.reach = reach + BALL_ROUNDING * (reach + abs(x) + abs(y) + abs(z) + way)
    ball.since = tables.state.now


@kernel
def register(positions, velocities, tables, k):
    """Lay a new ball around body ``k``, and take all pairs in that it now makes possible. False
    where the table is full: nothing is lost then but the rest of the pairs. A body without a
    reading keeps its ball, which says nothing of where it is once its time is up: a fault, and
    nothing is promised until it was registered again."""
    state, wheel, counts, ball = tables.state, tables.wheel, tables.counts, tables.balls[k]
    since = ball.since
    if state.now > since + wheel.horizon - 2.0 * state.period:
        state.expired += 1
    look(positions, velocities, tables, k)
    if tables.bodies[k].seen_at != state.now:
        return True
    lay_ball(tables, k)
    move(tables, k)
    full = False
    edge = wheel.edge
    for level in range(LEVELS):
        if counts[level] > 0 and not full:
            full = not meet_level(positions, velocities, tables, k, level, edge)
        edge *= 2.0
    if full:
        ball.since = since
    return not full


@kernel
def meet_level(positions, velocities, tables, k, level, edge):
    """Take in the pairs of body ``k`` with the balls of one level. None of them is wider than a
    cell, so the centres of all that it overlaps are within its own reach and half an edge. False
    where the table is full."""
    places, cells, ball, count = tables.places, tables.cells, tables.balls[k], len(tables.bodies)
    x, y, z = ball.x, ball.y, ball.z
    far = ball.reach + 0.5 * edge * (1.0 + BALL_ROUNDING)
    x0, x1 = as_cell((x - far) / edge), as_cell((x + far) / edge)
    y0, y1 = as_cell((y - far) / edge), as_cell((y + far) / edge)
    z0, z1 = as_cell((z - far) / edge), as_cell((z + far) / edge)
    many = float(x1 - x0 + 1) * float(y1 - y0 + 1) * float(z1 - z0 + 1) > count
    if many or level == LEVELS - 1:
        for other in range(count):
            if places[other].cell != END and not meet(positions, velocities, tables, k, other):
                return False
        return True
    for i in range(x0, x1 + 1):
        for j in range(y0, y1 + 1):
            for h in range(z0, z1 + 1):
                other = int(cells[cell_of(cells, level, i, j, h)].first)
                while other != END:
                    if not meet(positions, velocities, tables, k, other):
                        return False
                    other = int(places[other].after)
    return True


@kernel
def meet(positions, velocities, tables, k, other):
    """Take a pair whose balls overlap in if it is not there yet, and look at it. False where there
    is no room for it."""
    if apart(tables.balls, k, other):
        return True
    a, b = min(k, other), max(k, other)
    if a == b or known(tables, a, b) != END:
        return True
    if len(tables.off) > 0 and is_off(tables.off, a, b):
        return True
    entry_ = new_entry(tables, a, b)
    if entry_ == END:
        return False
    serve(positions, velocities, tables, entry_)
    return True


@inlined
def cell_of(cells, level, x, y, z):
    """Where the balls of a cell are listed; several cells may share a list."""
    return ((x * 73856093) ^ (y * 19349663) ^ (z * 83492791) ^ (level * 50331653)) & (
        len(cells) - 1
    )


@kernel
def as_cell(scaled):
    """The number of a cell; those too far out to be counted share one."""
    return math.floor(min(max(scaled, -1e6), 1e6))


@kernel
def level_of(reach, edge):
    """The level whose cells are as wide as a ball, each level twice as wide as the one before; the
    last one is for all that are wider."""
    level = 0
    while 2.0 * reach > edge and level < LEVELS - 1:
        edge *= 2.0
        level += 1
    return level


@kernel
def move(tables, k):
    """List a body under the cell and on the level of its ball."""
    cells, places, counts = tables.cells, tables.places, tables.counts
    ball, place = tables.balls[k], tables.places[k]
    level = level_of(ball.reach, tables.wheel.edge)
    edge = tables.wheel.edge * 2.0**level
    cell = cell_of(
        cells, level, as_cell(ball.x / edge), as_cell(ball.y / edge), as_cell(ball.z / edge)
    )
    old = int(place.cell)
    if old != END:
        counts[place.level] -= 1
    counts[level] += 1
    place.level = level
    if old == cell:
        return
    if old != END:
        before = int(cells[old].first)
        if before == k:
            cells[old].first = place.after
        else:
            while places[before].after != k:
                before = int(places[before].after)
            places[before].after = place.after
    place.cell = cell
    place.after = cells[cell].first
    cells[cell].first = k
