"""The dynamic urgency algorithm of paper 004: one pair of each bucket in each step.

The pairs stand in buckets of 1, 2, 4, … places. In each step one place of each bucket is its
bucket's turn, in a circle, so that a place of a bucket of size s has its turn every s steps. The
pairs found there are looked at, ordered by how early they can touch, and put back into the same
places, the most urgent into the smallest bucket.

Why no contact goes unannounced. Let steps be at most Δt apart, and each be done within Δt of its
reading (paper 004, (27)). A pair that is looked at in a step read at t, can touch no earlier than
t + τ, and goes back into a bucket of size s has its next turn s steps later: in a step read no
later than t + s Δt and done by t + (s + 1) Δt. So where

    τ > (s + 1) Δt                                                                         (26)

it cannot touch before that next step has spoken, and where not, this one speaks now. Take any
contact, at t_c, and the last step with a turn of this pair that was done by t_c. The next one was
not done by then, so t_c <= t + (s + 1) Δt, and as τ <= t_c - t the earlier one has raised its
alarm, before t_c. The first step looks at all pairs and alarms by the same rule, and so there is
such an earlier one for every contact that is not within its own Δt.
"""

from __future__ import annotations

from standoff.compiled.jit import entry, inlined, kernel
from standoff.predict.kernels import predict_tables as p
from standoff.predict.kernels.look import (
    gather,
    in_units,
    is_off,
    look,
    look_at_both,
    said,
    unmarked,
    work_out,
    write_alarm,
)
from standoff.predict.kernels.sorting import copy, insertion_sort, partial_sort
from standoff.predict.kernels.time_to_contact import TAU

#: What is to be known of a pair besides its numbers: a body is in doubt, or it is switched off.
CLEAR, DOUBTED, SWITCHED_OFF = 0, 1, 2


@entry("int64(float64[:,::1], float64[:,::1], int64)")
def dua_start(positions, velocities, address):
    """Look at all bodies and all pairs, put the pairs into their buckets, and alarm by (26)."""
    tables = p.buckets_at(address)
    state, pairs, buckets, alarms = tables.state, tables.pairs, tables.buckets, tables.alarms
    for k in range(len(tables.bodies)):
        look(positions, velocities, tables, k)
    place = 0
    for a in range(len(tables.bodies)):
        for b in range(a + 1, len(tables.bodies)):
            pairs[place].a, pairs[place].b = a, b
            place += 1
    width = tables.block.shape[1]
    for first in range(0, len(pairs), width):
        count = min(width, len(pairs) - first)
        for i in range(count):
            read_pair(positions, velocities, tables, pairs[first + i], i)
        work_out(tables, count)
        for i in range(count):
            pairs[first + i].deadline = units_left(tables, i)
    partial_sort(pairs, len(pairs), buckets)
    found = 0
    for i in range(len(buckets)):
        first, size = buckets[i].first, buckets[i].length
        for place in range(first, first + size):
            pair = pairs[place]
            if pair.deadline <= (size + 1) * p.UNIT:
                if found < len(alarms):
                    write_alarm(alarms[found], pair, pair.deadline, size + 1)
                pair.a = ~int(pair.a)
                found += 1
    state.tests = len(pairs)
    state.found = state.new = found
    return said(state)


@entry("int64(float64[:,::1], float64[:,::1], int64, float64)")
def dua_step(positions, velocities, address, now):
    """One step, read at ``now``, [s] since the first: QUIET, ALARMS or MORE. All alarms are written
    down."""
    tables = p.buckets_at(address)
    state, pairs, seats, rows = tables.state, tables.pairs, tables.seats, tables.rows
    state.step += 1
    state.now = now
    state.faults = 0
    count = take_seats(tables)
    clock = in_units(now, state.period)
    state.clock = clock
    fetch(positions, velocities, tables, count)
    for i in range(count):
        read_pair(positions, velocities, tables, rows[i], i)
    work_out(tables, count)
    for i in range(count):
        rows[i].deadline = clock + units_left(tables, i)
    if tables.dua.partial:
        partial_sort(rows, count, tables.buckets)
    else:
        insertion_sort(rows, count)
    found = new = 0
    for i in range(count):
        row, wait = rows[i], seats[i].wait
        units = row.deadline - clock
        if units <= (wait + 1) * p.UNIT:
            write_alarm(tables.alarms[found], row, units, wait + 1)
            new += int(row.a >= 0)
            row.a = ~unmarked(row.a)
            found += 1
        else:
            row.a = unmarked(row.a)
        copy(row, pairs[seats[i].place])
    state.tests, state.found, state.new = count, found, new
    return said(state)


@inlined
def read_pair(positions, velocities, tables, pair, i):
    """Look at the two bodies of a pair, and write it into column ``i``."""
    a, b = unmarked(pair.a), int(pair.b)
    mark = CLEAR
    if len(tables.off) > 0 and is_off(tables.off, a, b):
        mark = SWITCHED_OFF
    elif not look_at_both(positions, velocities, tables, a, b):
        mark = DOUBTED
    tables.marks[i] = mark
    gather(tables, i, a, b)


@inlined
def fetch(positions, velocities, tables, count):
    """Ask for everything that will be read, before any of it is worked with: a body is seldom near
    in memory to the last one, and so the waits are one and not one after another. Of 10,000 bodies
    a step is done in half the time."""
    bodies, rows, block = tables.bodies, tables.rows, tables.block
    for i in range(count):
        copy(tables.pairs[tables.seats[i].place], rows[i])
    last = min(len(positions), len(velocities)) - 1
    for i in range(count):
        a, b = unmarked(rows[i].a), int(rows[i].b)
        touched = bodies[a].radius + bodies[b].radius
        touched += float(bodies[a].fault_in + bodies[b].fault_in)
        if last >= 0:
            a, b = min(a, last), min(b, last)
            touched += positions[a, 0] + positions[b, 0] + velocities[a, 0] + velocities[b, 0]
            touched += positions[a, 2] + positions[b, 2] + velocities[a, 2] + velocities[b, 2]
        block[TAU, i] = touched


@inlined
def units_left(tables, i):
    """How long a pair surely stays apart, in units; 0 where one of its bodies is in doubt."""
    mark = tables.marks[i]
    if mark == CLEAR:
        return in_units(tables.block[TAU, i], tables.state.period)
    return 0 if mark == DOUBTED else p.NEVER


@inlined
def take_seats(tables):
    """The places whose turn it is and in how many steps each has its next one, the soonest first;
    among them those that were woken, whose numbers stand behind the others. How many."""
    buckets, seats, dua = tables.buckets, tables.seats, tables.dua
    count = len(buckets)
    for i in range(count):
        bucket = buckets[i]
        cursor = bucket.cursor + 1
        if cursor == bucket.length:
            cursor = 0
        bucket.cursor = cursor
        seats[i].place, seats[i].wait = bucket.first + cursor, bucket.length
    for w in range(len(buckets), len(buckets) + dua.woken):
        place = seats[w].place
        wait = turns_until(buckets, place)
        if wait == 0:
            continue  # its turn is now
        i = count
        while i > 0 and seats[i - 1].wait > wait:
            seats[i].place, seats[i].wait = seats[i - 1].place, seats[i - 1].wait
            i -= 1
        seats[i].place, seats[i].wait = place, wait
        count += 1
    dua.woken = 0
    return count


@kernel
def turns_until(buckets, place):
    """Steps from this one until the place has its turn; 0: now."""
    i = len(buckets) - 1
    while buckets[i].first > place:
        i -= 1
    steps = place - buckets[i].first - buckets[i].cursor
    return steps if steps >= 0 else steps + buckets[i].length


@entry("int64(int64, int64, int64)")
def place_of(address, a, b):
    """Where a pair stands; -1: nowhere. A look at all of them."""
    pairs = p.buckets_at(address).pairs
    for place in range(len(pairs)):
        if pairs[place].b == b and unmarked(pairs[place].a) == a:
            return place
    return -1


@entry("int64(int64, int64[:,::1], int64, int64)")
def dua_void(address, voids, doubt, since):
    """For how many pairs nothing is promised at the moment; they are written as far as ``voids``
    reaches: those that are watched, were not alarmed at their last turn, and
    - may touch before their next turn is done: steps were farther apart than Δt, or
    - had their last turn before one of their bodies broke its bounds, or before step ``doubt``,
      the last one with a fault of all bodies; faults up to step ``since`` are settled. (A pair that
      went to a place out of turn may have been looked at after that place's last turn, never
      before it.)
    An alarm that an exact stage may have ruled out until the next turn is as good as none, where
    that turn came late or one of the bodies has broken its bounds.
    ``state.wait``: steps until all of them have had a turn."""
    tables = p.buckets_at(address)
    state, bodies, pairs, buckets = tables.state, tables.bodies, tables.pairs, tables.buckets
    found = 0
    state.wait = 0
    for i in range(len(buckets)):
        first, size = buckets[i].first, buckets[i].length
        for place in range(first, first + size):
            pair = pairs[place]
            alarmed = pair.a < 0
            if alarmed and not state.judged:
                continue
            a, b = unmarked(pair.a), int(pair.b)
            wait = turns_until(buckets, place)
            if wait == 0:
                wait = size
            last = max(state.step - (size - wait), 0)
            broken = max(bodies[a].fault_in, bodies[b].fault_in, doubt)
            late = pair.deadline - state.clock <= (wait + 1) * p.UNIT
            if alarmed:
                late, broken = False, max(broken, state.late_in)
            if ((last < broken and broken > since) or late) and not is_off(tables.off, a, b):
                if found < len(voids):
                    voids[found, 0], voids[found, 1] = a, b
                found += 1
                state.wait = max(state.wait, wait)
    return found
