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

Putting the most urgent pairs first: repeated medians, in time proportional to the pairs.
"""

from __future__ import annotations

from standoff.compiled.jit import entry, inlined, kernel
from standoff.predict.kernels.earliest import (
    OWN,
    gather,
    in_units,
    is_off,
    larger,
    pair_of,
    smaller,
    work_out,
)
from standoff.predict.kernels.layout import (
    ALARMED,
    CLOCK,
    CURSOR,
    FAULT,
    FAULT_IN,
    FAULTS,
    FIRST,
    JUDGED,
    LATE_IN,
    NEVER,
    NEW,
    PAIR_MASK,
    SIZE,
    STEP,
    TESTS,
    UNIT,
    WAIT,
    WOKEN,
)
from standoff.predict.kernels.reading import look
from standoff.predict.kernels.urgency import TAU

#: What is to be known of a pair besides its numbers: a body is in doubt, or it is switched off.
CLEAR, DOUBTED, SWITCHED_OFF = 0.0, 1.0, 2.0


@entry(
    "(f8[:,::1],f8[:,::1],f8[:,::1],i8[:,::1],i8[:,::1],i8[::1],f8[:,::1],i8[:,::1],f8[:,::1],"
    "i8[::1],f8,i8)"
)
def dua_start(
    positions, velocities, bodies, pairs, buckets, off, block, alarms, faults, state, period,
    urgency,
):  # fmt: skip
    """Look at all bodies and all pairs, put the pairs into their buckets, and alarm by (26). How
    many alarms there are; as many of the most urgent as have room are written down."""
    state[STEP] = state[FAULTS] = state[CLOCK] = 0
    for k in range(len(bodies)):
        look(positions, velocities, bodies, faults, state, k, 0, 0.0)
    place = 0
    for a in range(len(bodies)):
        for b in range(a + 1, len(bodies)):
            pairs[place, 0] = pair_of(a, b)
            place += 1
    width = block.shape[1]
    for first in range(0, len(pairs), width):
        count = min(width, len(pairs) - first)
        for i in range(count):
            read_pair(
                positions, velocities, bodies, off, block, faults, state, pairs[first + i, 0],
                i, 0, 0.0,
            )  # fmt: skip
        work_out(block, count, urgency)
        for i in range(count):
            pairs[first + i, 1] = units_left(block, i, period)
    partial_sort(pairs, len(pairs), buckets)
    found = 0
    for i in range(len(buckets)):
        limit = (buckets[i, SIZE] + 1) * UNIT
        buckets[i, CURSOR] = 0
        for place in range(buckets[i, FIRST], buckets[i, FIRST] + buckets[i, SIZE]):
            if pairs[place, 1] <= limit:
                if found < len(alarms):
                    alarms[found, 0], alarms[found, 1] = pairs[place, 0], pairs[place, 1]
                    alarms[found, 2] = buckets[i, SIZE] + 1
                pairs[place, 0] |= ALARMED
                found += 1
    state[TESTS] = len(pairs)
    state[NEW] = found
    return found


@entry(
    "(f8[:,::1],f8[:,::1],f8[:,::1],i8[:,::1],i8[:,::1],i8[::1],f8[:,::1],i8[:,::1],i8[:,::1],"
    "i8[:,::1],f8[:,::1],i8[::1],f8,i8,i8,f8)"
)
def dua_step(
    positions, velocities, bodies, pairs, buckets, off, block, seats, rows, alarms, faults, state,
    period, urgency, partial, now,
):  # fmt: skip
    """One step, read at ``now``, [s] since the first. ``partial``: what is looked at is sorted as
    at the start. How many alarms there are, all of them written down: the pair, marked where it was
    alarmed at its last turn, its τ in units, and after how many periods its next turn will be
    done; and, times FAULT, how many faults."""
    step = state[STEP] + 1
    state[STEP] = step
    state[FAULTS] = 0
    count = take_seats(buckets, seats, state)
    clock = in_units(now, period)
    state[CLOCK] = clock
    fetch(positions, velocities, bodies, pairs, seats, rows, block, count)
    for i in range(count):
        pair = rows[i, 0]
        read_pair(positions, velocities, bodies, off, block, faults, state, pair, i, step, now)
    work_out(block, count, urgency)
    for i in range(count):
        rows[i, 1] = clock + units_left(block, i, period)
    if partial:
        partial_sort(rows, count, buckets)
    else:
        insertion_sort(rows, count)
    found = new = 0
    for i in range(count):
        pair, deadline = rows[i, 0], rows[i, 1]
        if deadline - clock <= (seats[i, 1] + 1) * UNIT:
            alarms[found, 0], alarms[found, 1] = pair, deadline - clock
            alarms[found, 2] = seats[i, 1] + 1
            new += pair & ALARMED == 0
            pair |= ALARMED
            found += 1
        else:
            pair &= PAIR_MASK
        pairs[seats[i, 0], 0], pairs[seats[i, 0], 1] = pair, deadline
    state[TESTS] = count
    state[NEW] = new
    return found + FAULT * state[FAULTS]


@inlined
def read_pair(
    positions, velocities, bodies, off, block, faults, state, pair, i, step, now
):  # fmt: skip
    """Look at the two bodies of a pair, and write it into column ``i``."""
    a, b = smaller(pair), larger(pair)
    block[OWN, i] = CLEAR
    if len(off) > 0 and is_off(off, pair & PAIR_MASK):
        block[OWN, i] = SWITCHED_OFF
    else:
        good = look(positions, velocities, bodies, faults, state, a, step, now)
        if not (look(positions, velocities, bodies, faults, state, b, step, now) and good):
            block[OWN, i] = DOUBTED
    gather(bodies, block, i, a, b)


@inlined
def fetch(positions, velocities, bodies, pairs, seats, rows, block, count):
    """Ask for everything that will be read, before any of it is worked with: a body is seldom near
    in memory to the last one, and so the waits are one and not one after another. Of 10,000 bodies
    a step is done in half the time."""
    for i in range(count):
        rows[i, 0] = pairs[seats[i, 0], 0]
    last = min(len(positions), len(velocities)) - 1
    for i in range(count):
        a, b = smaller(rows[i, 0]), larger(rows[i, 0])
        touched = bodies[a, 0] + bodies[a, -1] + bodies[b, 0] + bodies[b, -1]
        if last >= 0:
            a, b = min(a, last), min(b, last)
            touched += positions[a, 0] + positions[b, 0] + velocities[a, 0] + velocities[b, 0]
            touched += positions[a, 2] + positions[b, 2] + velocities[a, 2] + velocities[b, 2]
        block[TAU, i] = touched


@inlined
def units_left(block, i, period):
    """How long a pair surely stays apart, in units; 0 where one of its bodies is in doubt."""
    if block[OWN, i] == CLEAR:
        return in_units(block[TAU, i], period)
    return 0 if block[OWN, i] == DOUBTED else NEVER


@inlined
def take_seats(buckets, seats, state):
    """The places whose turn it is and in how many steps each has its next one, the soonest first;
    among them those that were woken, whose numbers stand behind the others. How many."""
    count = len(buckets)
    for i in range(count):
        cursor = buckets[i, CURSOR] + 1
        if cursor == buckets[i, SIZE]:
            cursor = 0
        buckets[i, CURSOR] = cursor
        seats[i, 0] = buckets[i, FIRST] + cursor
        seats[i, 1] = buckets[i, SIZE]
    for w in range(len(buckets), len(buckets) + state[WOKEN]):
        place = seats[w, 0]
        delay = turns_until(buckets, place)
        if delay == 0:
            continue  # its turn is now
        i = count
        while i > 0 and seats[i - 1, 1] > delay:
            seats[i, 0], seats[i, 1] = seats[i - 1, 0], seats[i - 1, 1]
            i -= 1
        seats[i, 0], seats[i, 1] = place, delay
        count += 1
    state[WOKEN] = 0
    return count


@kernel
def turns_until(buckets, place):
    """Steps from this one until the place has its turn; 0: now."""
    i = len(buckets) - 1
    while buckets[i, FIRST] > place:
        i -= 1
    steps = place - buckets[i, FIRST] - buckets[i, CURSOR]
    return steps if steps >= 0 else steps + buckets[i, SIZE]


@entry("(i8[:,::1],i8)")
def place_of(pairs, pair):
    """Where a pair stands; -1: nowhere. A look at all of them."""
    for place in range(len(pairs)):
        if pairs[place, 0] & PAIR_MASK == pair:
            return place
    return -1


@entry("(i8[:,::1],i8[:,::1],f8[:,::1],i8[::1],i8[::1],i8[::1],i8,i8)")
def dua_void(pairs, buckets, bodies, off, places, state, doubt, since):
    """For how many pairs nothing is promised at the moment, and where they stand, as far as
    ``places`` reaches: those that are watched, were not alarmed at their last turn, and
    - may touch before their next turn is done: steps were farther apart than Δt, or
    - had their last turn before one of their bodies broke its bounds, or before step ``doubt``,
      the last one with a fault of all bodies; faults up to step ``since`` are settled. (A pair that
      went to a place out of turn may have been looked at after that place's last turn, never
      before it.)
    An alarm that an exact stage may have ruled out until the next turn is as good as none, where
    that turn came late or one of the bodies has broken its bounds.
    ``state[WAIT]``: steps until all of them have had a turn."""
    found = 0
    state[WAIT] = 0
    for i in range(len(buckets)):
        size = buckets[i, SIZE]
        for place in range(buckets[i, FIRST], buckets[i, FIRST] + size):
            pair = pairs[place, 0]
            alarmed = pair & ALARMED != 0
            if alarmed and not state[JUDGED]:
                continue
            pair &= PAIR_MASK
            wait = turns_until(buckets, place)
            if wait == 0:
                wait = size
            last = max(state[STEP] - (size - wait), 0)
            broken = max(bodies[smaller(pair), FAULT_IN], bodies[larger(pair), FAULT_IN], doubt)
            left = pairs[place, 1] - state[CLOCK]
            late = left <= (wait + 1) * UNIT
            if alarmed:
                late, broken = False, max(broken, state[LATE_IN])
            if ((last < broken and broken > since) or late) and not is_off(off, pair):
                if found < len(places):
                    places[found] = place
                found += 1
                state[WAIT] = max(state[WAIT], wait)
    return found


@kernel
def partial_sort(rows, count, buckets):
    """Order the first ``count`` rows (pair, deadline) so that no deadline in a bucket comes after
    one in a later bucket; ``buckets`` begin with first row and size. The order within a bucket is
    left as it falls. The last bucket is cut off first: with sizes in a geometric series the parts
    that are left shrink alike, and the whole is O(rows) (paper 004, 7.3)."""
    for i in range(len(buckets) - 1, 0, -1):
        if buckets[i, 0] < count:
            select(rows, count, buckets[i, 0])
            count = buckets[i, 0]


@kernel
def select(rows, count, k):
    """Order the first ``count`` rows so that those before ``k`` are no later than those from
    ``k`` on. Quickselect; should the pivots be bad too often, they are taken from the middle of
    the range of values, which halves at most 62 times, so that time is linear whatever comes."""
    low, high = 0, count - 1
    patience = 8
    size = count
    while size > 0:
        patience += 2
        size >>= 1
    while low < high:
        if patience > 0:
            pivot = sampled(rows, low, high)
        else:
            pivot = middle(rows, low, high)
        patience -= 1
        i, j = low, high
        while i <= j:
            while rows[i, 1] < pivot:
                i += 1
            while rows[j, 1] > pivot:
                j -= 1
            if i <= j:
                swap(rows, i, j)
                i += 1
                j -= 1
        # All of low..j <= pivot <= all of i..high, and what lies between equals the pivot.
        if k <= j:
            high = j
        elif k >= i:
            low = i
        else:
            return


@kernel
def sampled(rows, low, high):
    """The median of nine, or of three where there are few; one of the values."""
    step = (high - low) // 8
    mid = (low + high) // 2
    if step < 8:
        return median(rows[low, 1], rows[mid, 1], rows[high, 1])
    return median(
        median(rows[low, 1], rows[low + step, 1], rows[low + 2 * step, 1]),
        median(rows[mid - step, 1], rows[mid, 1], rows[mid + step, 1]),
        median(rows[high - 2 * step, 1], rows[high - step, 1], rows[high, 1]),
    )


@inlined
def median(a, b, c):
    return max(min(a, b), min(max(a, b), c))


@kernel
def middle(rows, low, high):
    """The value half way from the smallest to the largest; at least one row is no smaller and one
    no larger, so that a partition with it ends within the rows."""
    least = most = rows[low, 1]
    for i in range(low + 1, high + 1):
        least = min(least, rows[i, 1])
        most = max(most, rows[i, 1])
    return least + (most - least) // 2


@inlined
def swap(rows, i, j):
    pair, deadline = rows[i, 0], rows[i, 1]
    rows[i, 0], rows[i, 1] = rows[j, 0], rows[j, 1]
    rows[j, 0], rows[j, 1] = pair, deadline


@inlined
def insertion_sort(rows, count):
    """Order the first ``count`` rows by deadline, those with the same deadline as they came."""
    for i in range(1, count):
        pair, deadline = rows[i, 0], rows[i, 1]
        j = i
        while j > 0 and rows[j - 1, 1] > deadline:
            rows[j, 0], rows[j, 1] = rows[j - 1, 0], rows[j - 1, 1]
            j -= 1
        rows[j, 0], rows[j, 1] = pair, deadline
