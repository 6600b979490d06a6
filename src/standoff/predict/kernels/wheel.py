"""Deadlines instead of buckets: each pair is looked at again just before it could touch.

A pair that is looked at in a step read at t and can touch no earlier than D = t + τ is put into the
slot ``floor(D / Δt) - 2`` of a wheel with one slot for each period of time, or into the present
slot if that is past. A step serves all slots up to its own time.

Why no contact goes unannounced. Let steps be at most Δt apart, and each be done within Δt of its
reading. A pair in slot k is served in the first step read at k Δt or later. The step before that
was read before k Δt, so this one before (k + 1) Δt, and it is done before (k + 2) Δt <= D. A pair
whose slot would be past waits in the present one for the next step, which is done by t + 2 Δt. So
unless

    τ <= 2 Δt

it cannot touch before it is looked at again, and only then there is an alarm: the least that any
schedule gets by with, as that of looking at all pairs in all steps does.

Where a step may make a given number of tests only and more pairs are due, the rest is alarmed
without a test, in time, and becomes overdue. Nobody knows when an overdue pair will be looked at
again, so its alarm is for ever, until then. One test in every few steps is kept for that which has
waited longest, so that none waits without end.

With a horizon not all pairs are in the table (`kernels.horizon`): there, each is also in a list
that follows from its bodies, by which it is found.
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
from standoff.predict.kernels.time_to_contact import TAU

#: How far ahead in the wheel a step with tests to spare looks for more, [periods].
WHEEL_AHEAD = 64

#: One test in so many steps is kept for a pair that is overdue, [-]: none waits without end. More
#: would leave more of those that are due without a test, and one that is cleared is soon due again.
OVERDUE_STEPS = 8


@entry("int64(float64[:,::1], float64[:,::1], int64)")
def wheel_start(positions, velocities, address):
    """Look at all bodies and all pairs."""
    tables = p.wheel_at(address)
    pairs = tables.pairs
    for k in range(len(tables.bodies)):
        look(positions, velocities, tables, k)
    entry_ = 0
    for a in range(len(tables.bodies)):
        for b in range(a + 1, len(tables.bodies)):
            pairs[entry_].a, pairs[entry_].b = a, b
            serve(positions, velocities, tables, entry_)
            entry_ += 1
    flush(tables)
    tables.wheel.live = entry_
    return 0


@entry("int64(float64[:,::1], float64[:,::1], int64, float64)")
def wheel_step(positions, velocities, address, now):
    """One step, read at ``now``, [s] since the first. QUIET, ALARMS or MORE."""
    tables = p.wheel_at(address)
    state, wheel, pairs = tables.state, tables.wheel, tables.pairs
    budget = wheel.budget
    state.step += 1
    state.now = now
    state.faults = state.tests = state.found = state.voids = state.new = 0
    state.expired = 0
    overdue, overdue_last = wheel.overdue, wheel.overdue_last
    wheel.overdue = wheel.overdue_last = p.END
    due = take_due(tables)
    share = min(budget, int(state.step % OVERDUE_STEPS == 0))
    while overdue != p.END and state.tests < share:
        overdue = serve(positions, velocities, tables, overdue)
    while due != p.END:
        if state.tests < budget:
            due = serve(positions, velocities, tables, due)
        else:
            due = postpone(tables, due)
    while overdue != p.END and state.tests < budget:
        overdue = serve(positions, velocities, tables, overdue)
    if overdue != p.END:
        # Those that have waited longest stay in front.
        pairs[overdue_last].next = wheel.overdue
        if wheel.overdue == p.END:
            wheel.overdue_last = overdue_last
        wheel.overdue = overdue
    elif budget < wheel.live:
        look_ahead(positions, velocities, tables)
    flush(tables)
    return said(state)


@kernel
def take_due(tables):
    """Take all that is due by now out of the wheel, before any of it is put back: a late step would
    find again what it has just put far ahead. The first of it; pairs that are too late are written
    down."""
    state, wheel, pairs, slots = tables.state, tables.wheel, tables.pairs, tables.slots
    before = state.clock
    state.clock = in_units(state.now, state.period)
    last, tick = wheel.tick, state.clock // p.UNIT
    wheel.tick = tick
    mask = len(slots) - 1
    due = due_last = p.END
    for slot in range(last, min(tick, last + mask) + 1):
        entry_ = int(slots[slot & mask].first)
        slots[slot & mask].first = p.END
        if due == p.END:
            due = entry_
        elif entry_ != p.END:
            pairs[due_last].next = entry_
        # What the last step put into its own slot it has looked at, and found τ > 2 Δt.
        deadline = before + 2 * p.UNIT if slot == last else (slot + 2) * p.UNIT
        while entry_ != p.END:
            note_void(tables, entry_, deadline)
            due_last = entry_
            entry_ = int(pairs[entry_].next)
    return due


@kernel
def look_ahead(positions, velocities, tables):
    """Spend the tests that are left on the pairs that are due next."""
    state, wheel, pairs, slots = tables.state, tables.wheel, tables.pairs, tables.slots
    mask = len(slots) - 1
    for slot in range(wheel.tick + 1, wheel.tick + 1 + min(WHEEL_AHEAD, mask)):
        entry_ = int(slots[slot & mask].first)
        slots[slot & mask].first = p.END
        while entry_ != p.END and state.tests < wheel.budget:
            entry_ = serve(positions, velocities, tables, entry_)
        if entry_ != p.END:
            # Behind what was put here meanwhile would take a walk; in front it is as right.
            tail = entry_
            while pairs[tail].next != p.END:
                tail = int(pairs[tail].next)
            pairs[tail].next = slots[slot & mask].first
            slots[slot & mask].first = entry_
            return


@kernel
def serve(positions, velocities, tables, entry_):
    """Have a pair looked at with others, in a block; or take it out of the wheel, where it is
    switched off or, with a horizon, cannot meet within it. Which one was next to it."""
    state, pair = tables.state, tables.pairs[entry_]
    a, b, following = unmarked(pair.a), int(pair.b), int(pair.next)
    if len(tables.off) > 0 and is_off(tables.off, a, b):
        take_out(tables, entry_)
        return following
    good = look_at_both(positions, velocities, tables, a, b)
    if len(tables.balls) > 0 and good and apart(tables.balls, a, b):
        forget(tables, entry_)
        return following
    state.tests += 1
    i = state.queued
    gather(tables, i, a, b)
    tables.queue[i].entry, tables.queue[i].good = entry_, int(good)
    state.queued = i + 1
    if i + 1 == tables.block.shape[1]:
        flush(tables)
    return following


@kernel
def flush(tables):
    """Work out the pairs that were gathered, alarm if need be, and put them back into the wheel."""
    state, wheel, pairs, slots = tables.state, tables.wheel, tables.pairs, tables.slots
    count = state.queued
    state.queued = 0
    work_out(tables, count)
    tick, last = wheel.tick, wheel.tick + len(slots) - 1
    all_pairs = len(tables.balls) == 0
    for i in range(count):
        entry_, units = tables.queue[i].entry, 0
        if tables.queue[i].good:
            units = in_units(tables.block[TAU, i], state.period)
        pair = pairs[entry_]
        a = unmarked(pair.a)
        if units <= 2 * p.UNIT:
            alarm(tables, entry_, units, 2)
            pair.a = ~a
        else:
            pair.a = a
        if all_pairs:
            pair.seen = state.step
        slot = max((state.clock + units) // p.UNIT - 2, tick)
        slot = min(slot, last) & (len(slots) - 1)
        pair.next = slots[slot].first
        slots[slot].first = entry_


@kernel
def alarm(tables, entry_, units, periods):
    """Count an alarm, and write it down where there is room."""
    state, alarms, pair = tables.state, tables.alarms, tables.pairs[entry_]
    found = state.found
    if found < len(alarms):
        write_alarm(alarms[found], pair, units, periods)
    state.found = found + 1
    state.new += int(pair.a >= 0)


@kernel
def note_void(tables, entry_, deadline):
    """Write down a pair for which the promise was void: no alarm of it stands for sure, and it is
    served in a step that will not be done by its deadline, before which it could not touch."""
    state, pair = tables.state, tables.pairs[entry_]
    a, b = unmarked(pair.a), int(pair.b)
    if (
        state.clock + p.UNIT > deadline
        and (pair.a >= 0 or state.judged)
        and not is_off(tables.off, a, b)
    ):
        if state.voids < len(tables.voids):
            void = tables.voids[state.voids]
            void.a, void.b = a, b
        state.voids += 1


@kernel
def postpone(tables, entry_):
    """Alarm a pair without a test, and let it wait. One that was alarmed before is alarmed again:
    that alarm was until this step. One that is switched off does not wait: when it is switched on
    again, it has to be looked at, or alarmed, in the step after. Which one was next to it."""
    pair = tables.pairs[entry_]
    a, b, following = unmarked(pair.a), int(pair.b), int(pair.next)
    if len(tables.off) > 0 and is_off(tables.off, a, b):
        take_out(tables, entry_)
        return following
    alarm(tables, entry_, 0, p.NEVER)
    pair.a = ~a
    wait_behind(tables, entry_)
    return following


@kernel
def wait_behind(tables, entry_):
    """Put a pair behind all that are overdue."""
    wheel, pairs = tables.wheel, tables.pairs
    pairs[entry_].next = p.END
    if wheel.overdue == p.END:
        wheel.overdue = entry_
    else:
        pairs[wheel.overdue_last].next = entry_
    wheel.overdue_last = entry_


@kernel
def take_out(tables, entry_):
    """Take a pair that is switched off out of the wheel; with a horizon, out of the table."""
    pair = tables.pairs[entry_]
    pair.a = unmarked(pair.a)
    pair.next = p.OUT
    if len(tables.balls) > 0:
        forget(tables, entry_)


@entry("int64(int64)")
def leave_overdue(address):
    """Let no pair that is switched off wait among those that are overdue."""
    tables = p.wheel_at(address)
    entry_, tables.wheel.overdue = tables.wheel.overdue, p.END
    while entry_ != p.END:
        pair = tables.pairs[entry_]
        following = int(pair.next)
        if is_off(tables.off, unmarked(pair.a), int(pair.b)):
            take_out(tables, entry_)
        else:
            wait_behind(tables, entry_)
        entry_ = following
    return 0


@entry("int64(int64, int64)")
def put_in(address, entry_):
    """Let a pair that is out of the wheel be looked at in the next step; one that is in it still
    has its deadline."""
    put_into(p.wheel_at(address), entry_)
    return 0


@kernel
def put_into(tables, entry_):
    """`put_in`, for kernels."""
    slots, pair = tables.slots, tables.pairs[entry_]
    if pair.next == p.OUT:
        slot = tables.wheel.tick & (len(slots) - 1)
        pair.next = slots[slot].first
        slots[slot].first = entry_


@entry("int64(int64, int64[:,::1], int64, int64)")
def wheel_void(address, voids, doubt, since):
    """For how many pairs nothing is promised at the moment; they are written as far as ``voids``
    reaches: watched, not alarmed, and with a body that broke its bounds (or step ``doubt``) after
    the pair was last looked at, or, with a horizon, where pairs do not say when that was, ever.
    Faults up to step ``since`` are settled. ``state.wait``: how many more would be among them if
    they were switched on, as they still have the slot of their last look."""
    tables = p.wheel_at(address)
    bodies, pairs, all_pairs = tables.bodies, tables.pairs, len(tables.balls) == 0
    found = wait = 0
    for entry_ in range(len(pairs)):
        pair = pairs[entry_]
        a, b = int(pair.a), int(pair.b)
        if a < 0 or b <= a:
            continue
        last = max(int(pair.seen), since) if all_pairs else since
        broken = max(bodies[a].fault_in, bodies[b].fault_in, doubt)
        if last < broken:
            if is_off(tables.off, a, b):
                wait += int(pair.next != p.OUT)
                continue
            if found < len(voids):
                voids[found, 0], voids[found, 1] = a, b
            found += 1
    tables.state.wait = wait
    return found


# With a horizon: which pairs there are.


@inlined
def apart(balls, a, b):
    """Whether two balls surely do not overlap."""
    p, q = balls[a], balls[b]
    x, y, z = q.x - p.x, q.y - p.y, q.z - p.z
    reach = p.reach + q.reach
    return x * x + y * y + z * z > reach * reach


@entry("int64(int64, int64)")
def spare(address, first):
    """Hand out the entries from ``first`` on as unused, and list all others anew."""
    tables = p.wheel_at(address)
    pairs, lists = tables.pairs, tables.lists
    tables.wheel.unused = p.END
    for entry_ in range(len(pairs) - 1, first - 1, -1):
        pair = pairs[entry_]
        pair.a = pair.b = 0
        pair.next = tables.wheel.unused
        tables.wheel.unused = entry_
    for i in range(len(lists)):
        lists[i].first = p.END
    for entry_ in range(first):
        a, b = unmarked(pairs[entry_].a), int(pairs[entry_].b)
        if b > a:
            enlist(tables, entry_, a, b)
    return 0


@inlined
def list_of(lists, a, b):
    """The list of a pair: a different one for each pair of a body, as far as there are so many."""
    return ((a * 73856093) ^ (b * 19349663)) & (len(lists) - 1)


@inlined
def known(tables, a, b):
    """The entry of a pair; END: it is not in the table."""
    pairs, lists = tables.pairs, tables.lists
    entry_ = int(lists[list_of(lists, a, b)].first)
    while entry_ != p.END:
        first = int(pairs[entry_].a)
        if pairs[entry_].b == b and (first == a or first == ~a):
            break
        entry_ = int(pairs[entry_].beside)
    return entry_


@kernel
def enlist(tables, entry_, a, b):
    """Put a pair into its list."""
    first = tables.lists[list_of(tables.lists, a, b)]
    tables.pairs[entry_].beside = first.first
    first.first = entry_


@kernel
def new_entry(tables, a, b):
    """An entry for a pair, out of the wheel; END where there is none left."""
    wheel = tables.wheel
    entry_ = wheel.unused
    if entry_ != p.END:
        pair = tables.pairs[entry_]
        wheel.unused = int(pair.next)
        wheel.live += 1
        pair.a, pair.b, pair.next = a, b, p.OUT
        enlist(tables, entry_, a, b)
    return entry_


@kernel
def forget(tables, entry_):
    """Take a pair out of the table."""
    wheel, pairs, lists, pair = tables.wheel, tables.pairs, tables.lists, tables.pairs[entry_]
    list_ = list_of(lists, unmarked(pair.a), int(pair.b))
    before = int(lists[list_].first)
    if before == entry_:
        lists[list_].first = pair.beside
    else:
        while pairs[before].beside != entry_:
            before = int(pairs[before].beside)
        pairs[before].beside = pair.beside
    pair.a = pair.b = 0
    pair.next = wheel.unused
    wheel.unused = entry_
    wheel.live -= 1
