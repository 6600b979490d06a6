"""The priority queue of `pairwise`, most uncovered length first, and the tree of its intervals."""

from __future__ import annotations

from standoff.constants import SPAN_ROUNDING
from standoff.kernels.jit import kernel

#: Columns of ``entries``: priority [m], both ends, what is free from either end.
KEY = 0
TA = 1
TB = 2
SA = 3
SB = 4
ENTRY_COLUMNS = 5

#: Columns of ``tags``: the pair, and the interval (-1: one that nobody shares; -2: the whole
#: segment, at whose ends nothing but balls was measured).
PAIR = 0
INTERVAL = 1
TAG_COLUMNS = 2
UNMEASURED = -2

#: Columns of ``intervals``: the slot of the poses in the middle, then both halves; -1 where there
#: is none yet.
MIDDLE_SLOT = 0
FIRST_HALF = 1
INTERVAL_COLUMNS = 3

#: Numbers of ``state``: entries in the heap, rows ever used, slots and intervals in use, and the
#: first row that is free again (-1: none).
SIZE = 0
MADE = 1
SLOTS = 2
INTERVALS = 3
SPARE = 4
STATE = 5

#: What rounding does to instants, which run from 0 to 1, and to their differences, [-].
INSTANT_SLACK = SPAN_ROUNDING


@kernel
def clear(intervals, state):
    """Nothing but the whole segment, whose ends have the slots 0 and 1."""
    state[SIZE], state[MADE], state[SPARE] = 0, 0, -1
    state[SLOTS], state[INTERVALS] = 2, 1
    for c in range(INTERVAL_COLUMNS):
        intervals[0, c] = -1


@kernel
def covered(ta, tb, sa, sb):
    """Whether what is free from both ends meets."""
    return sa + sb > tb - ta + INSTANT_SLACK


@kernel
def half_of(intervals, state, interval, which):
    """The number of a half of an interval; -1 where there is no room to remember it."""
    half = intervals[interval, FIRST_HALF + which]
    if half < 0 and state[INTERVALS] < intervals.shape[0]:
        half = state[INTERVALS]
        state[INTERVALS] += 1
        intervals[interval, FIRST_HALF + which] = half
        for c in range(INTERVAL_COLUMNS):
            intervals[half, c] = -1
    return half


@kernel
def push(entries, tags, heap, state, length, p, interval, ta, tb, sa, sb, row):
    """Put a stretch that is not covered into the queue, in a ``row`` that is no longer needed, or
    where it is -1 in another; false where there is no room."""
    if row < 0:
        row = state[SPARE]
        if row >= 0:
            state[SPARE] = tags[row, PAIR]
        elif state[MADE] < entries.shape[0]:
            row = state[MADE]
            state[MADE] += 1
        else:
            return False
    key = length * (tb - ta - sa - sb)
    entries[row, KEY], entries[row, TA], entries[row, TB] = key, ta, tb
    entries[row, SA], entries[row, SB] = sa, sb
    tags[row, PAIR], tags[row, INTERVAL] = p, interval
    at = state[SIZE]
    state[SIZE] += 1
    while at > 0 and key > entries[heap[(at - 1) // 2], KEY]:
        heap[at] = heap[(at - 1) // 2]
        at = (at - 1) // 2
    heap[at] = row
    return True


@kernel
def release(tags, state, row):
    """Let another entry have this one's row."""
    tags[row, PAIR] = state[SPARE]
    state[SPARE] = row


@kernel
def pop(entries, heap, state):
    """The entry with the most uncovered length, taken out of the queue."""
    first = heap[0]
    state[SIZE] -= 1
    size = state[SIZE]
    row = heap[size]
    key = entries[row, KEY]
    at = 0
    while 2 * at + 1 < size:
        below = 2 * at + 1
        if below + 1 < size and entries[heap[below + 1], KEY] > entries[heap[below], KEY]:
            below += 1
        if key >= entries[heap[below], KEY]:
            break
        heap[at] = heap[below]
        at = below
    heap[at] = row
    return first
