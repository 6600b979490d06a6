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
"""

from __future__ import annotations

from standoff.compiled.jit import entry, kernel
from standoff.predict.kernels.earliest import OWN, gather, in_units, is_off, pair_of, work_out
from standoff.predict.kernels.layout import (
    ALARMED,
    BLUR,
    CLOCK,
    END,
    FAULT,
    FAULT_IN,
    FAULTS,
    FOUND,
    JUDGED,
    LIVE,
    NEVER,
    NEW,
    OUT,
    OVERDUE,
    OVERDUE_LAST,
    QUEUED,
    STEP,
    TESTS,
    TICK,
    UNIT,
    UNTESTED,
    VOIDS,
    WAIT,
)
from standoff.predict.kernels.near import apart, forget
from standoff.predict.kernels.reading import look
from standoff.predict.kernels.urgency import TAU

#: How far ahead in the wheel a step with tests to spare looks for more, [periods].
WHEEL_AHEAD = 64

#: One test in so many steps is kept for a pair that is overdue, [-]: none waits without end. More
#: would leave more of those that are due without a test, and one that is cleared is soon due again.
OVERDUE_STEPS = 8


@entry(
    "(f8[:,::1],f8[:,::1],f8[:,::1],i4[:,::1],i4[::1],i4[::1],f8[:,::1],i8[::1],f8[:,::1],"
    "i8[:,::1],f8[:,::1],i8[::1],i8[::1],f8,i8,i8,f8)"
)
def wheel_start(
    positions, velocities, bodies, pairs, slots, firsts, balls, off, block, alarms, faults, voids,
    state, period, urgency, budget, now,
):  # fmt: skip
    """Look at all bodies and all pairs. How many alarms there are."""
    begin(slots, state)
    for k in range(len(bodies)):
        look(positions, velocities, bodies, faults, state, k, 0, 0.0)
    entry_ = 0
    for a in range(len(bodies)):
        for b in range(a + 1, len(bodies)):
            pairs[entry_, 0], pairs[entry_, 1] = a, b
            serve(
                positions, velocities, bodies, pairs, slots, firsts, balls, off, block, alarms,
                faults, state, period, urgency, now, entry_,
            )  # fmt: skip
            entry_ += 1
    flush(pairs, slots, balls, block, alarms, state, period, urgency)
    state[LIVE] = entry_
    return state[FOUND]


@kernel
def begin(slots, state):
    """An empty wheel."""
    for i in range(len(slots)):
        slots[i] = END
    for i in range(len(state)):
        state[i] = state[i] if i == BLUR else 0
    state[OVERDUE] = state[OVERDUE_LAST] = END


@entry(
    "(f8[:,::1],f8[:,::1],f8[:,::1],i4[:,::1],i4[::1],i4[::1],f8[:,::1],i8[::1],f8[:,::1],"
    "i8[:,::1],f8[:,::1],i8[::1],i8[::1],f8,i8,i8,f8)"
)
def wheel_step(
    positions, velocities, bodies, pairs, slots, firsts, balls, off, block, alarms, faults, voids,
    state, period, urgency, budget, now,
):  # fmt: skip
    """One step, read at ``now``, [s] since the first, with no more than ``budget`` tests. How many
    alarms there are; as many as have room are written down, as by `dua_step`."""
    state[STEP] += 1
    state[FAULTS] = state[TESTS] = state[FOUND] = state[VOIDS] = state[UNTESTED] = 0
    state[NEW] = 0
    before = state[CLOCK]
    state[CLOCK] = in_units(now, period)
    last, tick = state[TICK], state[CLOCK] // UNIT
    state[TICK] = tick
    mask = len(slots) - 1
    overdue, state[OVERDUE] = state[OVERDUE], END
    overdue_last, state[OVERDUE_LAST] = state[OVERDUE_LAST], END
    # All that is due is taken out of the wheel before any of it is put back: a late step would find
    # again what it has just put far ahead.
    due = due_last = END
    for slot in range(last, min(tick, last + mask) + 1):
        entry_ = slots[slot & mask]
        slots[slot & mask] = END
        if due == END:
            due = entry_
        elif entry_ != END:
            pairs[due_last, 2] = entry_
        # What the last step put into its own slot it has looked at, and found τ > 2 Δt.
        deadline = before + 2 * UNIT if slot == last else (slot + 2) * UNIT
        while entry_ != END:
            note_void(pairs, off, voids, state, entry_, deadline)
            due_last = entry_
            entry_ = pairs[entry_, 2]
    share = min(budget, state[STEP] % OVERDUE_STEPS == 0)
    while overdue != END and state[TESTS] < share:
        following = pairs[overdue, 2]
        serve(
            positions, velocities, bodies, pairs, slots, firsts, balls, off, block, alarms, faults,
            state, period, urgency, now, overdue,
        )  # fmt: skip
        overdue = following
    while due != END:
        following = pairs[due, 2]
        if state[TESTS] < budget:
            serve(
                positions, velocities, bodies, pairs, slots, firsts, balls, off, block, alarms,
                faults, state, period, urgency, now, due,
            )  # fmt: skip
        else:
            postpone(pairs, firsts, balls, alarms, off, state, due)
        due = following
    while overdue != END and state[TESTS] < budget:
        following = pairs[overdue, 2]
        serve(
            positions, velocities, bodies, pairs, slots, firsts, balls, off, block, alarms, faults,
            state, period, urgency, now, overdue,
        )  # fmt: skip
        overdue = following
    if overdue != END:
        # Those that have waited longest stay in front.
        pairs[overdue_last, 2] = state[OVERDUE]
        if state[OVERDUE] == END:
            state[OVERDUE_LAST] = overdue_last
        state[OVERDUE] = overdue
    elif budget < state[LIVE]:
        look_ahead(
            positions, velocities, bodies, pairs, slots, firsts, balls, off, block, alarms, faults,
            state, period, urgency, budget, now,
        )  # fmt: skip
    flush(pairs, slots, balls, block, alarms, state, period, urgency)
    return state[FOUND] + FAULT * state[FAULTS]


@kernel
def look_ahead(
    positions, velocities, bodies, pairs, slots, firsts, balls, off, block, alarms, faults, state,
    period, urgency, budget, now,
):  # fmt: skip
    """Spend the tests that are left on the pairs that are due next."""
    mask = len(slots) - 1
    for slot in range(state[TICK] + 1, state[TICK] + 1 + min(WHEEL_AHEAD, mask)):
        entry_ = slots[slot & mask]
        slots[slot & mask] = END
        while entry_ != END and state[TESTS] < budget:
            following = pairs[entry_, 2]
            serve(
                positions, velocities, bodies, pairs, slots, firsts, balls, off, block, alarms,
                faults, state, period, urgency, now, entry_,
            )  # fmt: skip
            entry_ = following
        if entry_ != END:
            # Behind what was put here meanwhile would take a walk; in front it is as right.
            tail = entry_
            while pairs[tail, 2] != END:
                tail = pairs[tail, 2]
            pairs[tail, 2] = slots[slot & mask]
            slots[slot & mask] = entry_
            return


@kernel
def serve(
    positions, velocities, bodies, pairs, slots, firsts, balls, off, block, alarms, faults, state,
    period, urgency, now, entry_,
):  # fmt: skip
    """Have a pair looked at with others, in a block; or take it out of the wheel, where it is
    switched off or, with a horizon, cannot meet within it."""
    first, b = int(pairs[entry_, 0]), int(pairs[entry_, 1])
    a = first if first >= 0 else ~first
    if len(off) > 0 and is_off(off, pair_of(a, b)):
        take_out(pairs, firsts, balls, state, entry_)
        return
    step = state[STEP]
    good = look(positions, velocities, bodies, faults, state, a, step, now)
    good = look(positions, velocities, bodies, faults, state, b, step, now) and good
    if len(balls) > 0 and good and apart(balls, a, b):
        forget(pairs, firsts, state, entry_)
        return
    state[TESTS] += 1
    i = state[QUEUED]
    gather(bodies, block, i, a, b)
    # A pair in doubt is marked by the number that no entry has.
    block[OWN, i] = entry_ if good else ~entry_
    state[QUEUED] = i + 1
    if i + 1 == block.shape[1]:
        flush(pairs, slots, balls, block, alarms, state, period, urgency)


@kernel
def flush(pairs, slots, balls, block, alarms, state, period, urgency):
    """Work out the pairs that were gathered, alarm if need be, and put them back into the wheel."""
    count = state[QUEUED]
    state[QUEUED] = 0
    work_out(block, count, urgency)
    tick, last = state[TICK], state[TICK] + len(slots) - 1
    for i in range(count):
        entry_, units = int(block[OWN, i]), 0
        if entry_ >= 0:
            units = in_units(block[TAU, i], period)
        else:
            entry_ = ~entry_
        first, b = int(pairs[entry_, 0]), int(pairs[entry_, 1])
        a = first if first >= 0 else ~first
        if units <= 2 * UNIT:
            state[NEW] += first >= 0
            write_alarm(alarms, state, pair_of(a, b) | (ALARMED if first < 0 else 0), units, 2)
            pairs[entry_, 0] = ~a
        else:
            pairs[entry_, 0] = a
        if len(balls) == 0:
            pairs[entry_, 3] = state[STEP]
        slot = max((state[CLOCK] + units) // UNIT - 2, tick)
        slot = min(slot, last) & (len(slots) - 1)
        pairs[entry_, 2] = slots[slot]
        slots[slot] = entry_


@kernel
def write_alarm(alarms, state, pair, units, periods):
    """No contact for so many units, and the next look done after so many periods."""
    found = state[FOUND]
    if found < len(alarms):
        alarms[found, 0], alarms[found, 1], alarms[found, 2] = pair, units, periods
    state[FOUND] = found + 1


@kernel
def note_void(pairs, off, voids, state, entry_, deadline):
    """Write down a pair for which the promise was void: no alarm of it stands for sure, and it is
    served in a step that will not be done by its deadline, before which it could not touch."""
    first, b = int(pairs[entry_, 0]), int(pairs[entry_, 1])
    a = first if first >= 0 else ~first
    if (
        state[CLOCK] + UNIT > deadline
        and (first >= 0 or state[JUDGED])
        and not is_off(off, pair_of(a, b))
    ):
        if state[VOIDS] < len(voids):
            voids[state[VOIDS]] = pair_of(a, b)
        state[VOIDS] += 1


@kernel
def postpone(pairs, firsts, balls, alarms, off, state, entry_):
    """Alarm a pair without a test, and let it wait. One that was alarmed before is alarmed again:
    that alarm was until this step. One that is switched off does not wait: when it is switched on
    again, it has to be looked at, or alarmed, in the step after."""
    first, b = int(pairs[entry_, 0]), int(pairs[entry_, 1])
    a = first if first >= 0 else ~first
    if is_off(off, pair_of(a, b)):
        take_out(pairs, firsts, balls, state, entry_)
        return
    write_alarm(alarms, state, pair_of(a, b) | (ALARMED if first < 0 else 0), 0, NEVER)
    pairs[entry_, 0] = ~a
    state[UNTESTED] += 1
    state[NEW] += first >= 0
    wait_behind(pairs, state, entry_)


@kernel
def wait_behind(pairs, state, entry_):
    """Put a pair behind all that are overdue."""
    pairs[entry_, 2] = END
    if state[OVERDUE] == END:
        state[OVERDUE] = entry_
    else:
        pairs[state[OVERDUE_LAST], 2] = entry_
    state[OVERDUE_LAST] = entry_


@kernel
def take_out(pairs, firsts, balls, state, entry_):
    """Take a pair that is switched off out of the wheel; with a horizon, out of the table."""
    first = int(pairs[entry_, 0])
    pairs[entry_, 0] = first if first >= 0 else ~first
    pairs[entry_, 2] = OUT
    if len(balls) > 0:
        forget(pairs, firsts, state, entry_)


@entry("(i4[:,::1],i4[::1],f8[:,::1],i8[::1],i8[::1])")
def leave_overdue(pairs, firsts, balls, off, state):
    """Let no pair that is switched off wait among those that are overdue."""
    entry_, state[OVERDUE] = state[OVERDUE], END
    while entry_ != END:
        following = int(pairs[entry_, 2])
        # All that wait were alarmed, and are marked by it.
        if is_off(off, pair_of(~int(pairs[entry_, 0]), int(pairs[entry_, 1]))):
            take_out(pairs, firsts, balls, state, entry_)
        else:
            wait_behind(pairs, state, entry_)
        entry_ = following
    return 0


@entry("(i4[:,::1],i4[::1],i8[::1],i8)")
def put_in(pairs, slots, state, entry_):
    """Let a pair that is out of the wheel be looked at in the next step; one that is in it still
    has its deadline."""
    if pairs[entry_, 2] == OUT:
        slot = state[TICK] & (len(slots) - 1)
        pairs[entry_, 2] = slots[slot]
        slots[slot] = entry_
    return 0


@entry("(i4[:,::1],f8[:,::1],i8[::1],i8[::1],i8[::1],i8,i8,i8)")
def wheel_void(pairs, bodies, off, entries, state, doubt, since, looks):
    """For how many pairs nothing is promised at the moment, and which, as far as ``entries``
    reaches: watched, not alarmed, and with a body that broke its bounds (or step ``doubt``) after
    the pair was last looked at, or, where pairs do not tell when that was (``looks`` is 0), ever.
    Faults up to step ``since`` are settled. ``state[WAIT]``: how many more would be among them if
    they were switched on, as they still have the slot of their last look."""
    found = 0
    state[WAIT] = 0
    for entry_ in range(len(pairs)):
        a, b = int(pairs[entry_, 0]), int(pairs[entry_, 1])
        if a < 0 or b <= a:
            continue
        last = max(pairs[entry_, 3], since) if looks else since
        broken = max(bodies[a, FAULT_IN], bodies[b, FAULT_IN], doubt)
        if last < broken:
            if is_off(off, pair_of(a, b)):
                state[WAIT] += pairs[entry_, 2] != OUT
                continue
            if found < len(entries):
                entries[found] = entry_
            found += 1
    return found
