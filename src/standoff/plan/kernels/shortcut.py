"""Shortcuts of a path, as paper 001 has them in its section 4.3.

Two configurations are picked at random on the path within a window of it, half of them moved to
the nearest vertex; where the straight segment between them is free it takes the place of what lies
between. The window follows: it narrows by NARROWER after a segment that was not free, and widens by
WIDER after one that was, and where there was nothing to gain, both points being on one edge.

A part of a free segment is a segment of its own, with other instants to be looked at, so both
parts that are left over are checked like the shortcut itself: every edge of the path was checked as
it stands, at any time.

The vertices are rows in any order; H_ORDER has them along the path, and H_LENGTHS the lengths of
the edges behind them.
"""

from __future__ import annotations

import math

from standoff.compiled.arena import HEAD, reals, table, wholes
from standoff.compiled.jit import entry, kernel
from standoff.plan.kernels.checking import check_at

#: The least part of what it replaces that a shortcut must save, [-]. A corner of 0.09 rad saves as
#: much at best; without it, corners would be rounded off by ever more and shorter edges.
SHORTCUT_GAIN = 1e-3


# float64 tables
H_ROWS = 0  #: (rows, joints) vertices
H_LENGTHS = 1  #: (1, rows) of the edge from each vertex of the path to the next
H_WEIGHTS = 2  #: (1, joints)
H_ENDS = 3  #: (4, joints) the edge before, the shortcut and the edge behind it
H_NONE = 4  #: (1, joints) zeros
H_SETTINGS = 5  #: (1, SETTINGS)

# int64 tables
H_ORDER = 6  #: (1, rows)
H_KINDS = 7  #: (1, 3)
H_HEADER = 8  #: (1, HEADER_COLUMNS)

# columns of H_SETTINGS
LENGTH = 0  #: of the path
WINDOW = 1  #: as a part of the path
SETTINGS = 2

# columns of H_HEADER
COUNT = 0  #: of vertices
USED = 1  #: rows
TRIED = 2
TAKEN = 3
LAST = 4  #: tries up to the last shortcut that was taken
UNTIL = 5  #: tries at which to come back
CURSOR = 6
BUDGET = 7
CHECKED = 8  #: segments
HEADER_COLUMNS = 9

#: What the window is multiplied by; three failures narrow it by as much as one success widens it.
WIDER = 1.5
NARROWER = 0.8735804647362988

#: Random numbers that a try takes.
TAKES = 5

#: The least part of a path that a window is, as a part of an edge of average length, [-].
NARROWEST = 0.5

# what became of a try
FULL = -1
BLOCKED = 0
SHORTER = 1
POINTLESS = 2

# why it came back
DONE = 0
DRY = 1
CROWDED = 2
CRAMPED = 3


@entry(
    "int64(int64, int64, int64, float64[::1], int64[::1], float64[::1], int64[::1],"
    " float64[::1], int64[::1], float64[::1])"
)
def shorten(checker, stepper, general, CF, CW, SF, SW, HF, HW, U):
    """Try shortcuts until there were as many as it was to try, or it needs more random numbers
    ``U``, more rows, or more scratch."""
    header, settings = wholes(HW, H_HEADER), reals(HF, HW, H_SETTINGS)
    while header[0, TRIED] < header[0, UNTIL]:
        at = header[0, CURSOR]
        if at + TAKES > U.shape[0]:
            return DRY
        if header[0, USED] + 2 > reals(HF, HW, H_ROWS).shape[0]:
            return CROWDED
        total, part = settings[0, LENGTH], settings[0, WINDOW]
        wide = part * total
        start = U[at] * (total - wide)
        low, high = min(U[at + 1], U[at + 2]), max(U[at + 1], U[at + 2])
        taken = try_shortcut(
            checker, stepper, general, CF, CW, SF, SW, HF, HW,
            start + low * wide, start + high * wide, U[at + 3] < 0.5, U[at + 4] < 0.5,
        )  # fmt: skip
        if taken == FULL:
            return CRAMPED
        header[0, CURSOR] = at + TAKES
        header[0, TRIED] += 1
        if taken == SHORTER:
            header[0, TAKEN] += 1
            header[0, LAST] = header[0, TRIED]
        narrowest = min(1.0, NARROWEST / max(1, header[0, COUNT] - 1))
        part *= NARROWER if taken == BLOCKED else WIDER
        settings[0, WINDOW] = min(1.0, max(narrowest, part))
    return DONE


@kernel
def try_shortcut(checker, stepper, general, CF, CW, SF, SW, HF, HW, low, high, snap_low, snap_high):
    """Replace the path between two of its lengths, or the vertices nearest to them, by a straight
    segment, if that is shorter by a
    part of SHORTCUT_GAIN and free: SHORTER, POINTLESS or BLOCKED; FULL where scratch is too
    small."""
    header, lengths, ends = wholes(HW, H_HEADER), reals(HF, HW, H_LENGTHS), reals(HF, HW, H_ENDS)
    count = header[0, COUNT]
    i, past_i = locate(lengths, count, low)
    j, past_j = locate(lengths, count, high)
    if snap_low:
        past_i = 0.0 if past_i < 0.5 * lengths[0, i] else lengths[0, i]
    if snap_high:
        past_j = 0.0 if past_j < 0.5 * lengths[0, j] else lengths[0, j]
    # A vertex is the beginning of the edge behind it for the one, the end of that before for the
    # other.
    if past_i == lengths[0, i]:
        i, past_i = i + 1, 0.0
    if past_j == 0.0 and j > 0:
        j -= 1
        past_j = lengths[0, j]
    if i >= j:
        return POINTLESS
    point_on(HF, HW, i, past_i, 1)
    point_on(HF, HW, j, past_j, 2)
    order, rows, joints = wholes(HW, H_ORDER), reals(HF, HW, H_ROWS), ends.shape[1]
    for e in range(joints):
        ends[0, e] = rows[order[0, i], e]
        ends[3, e] = rows[order[0, j + 1], e]
    before, short, behind = apart(HF, HW, 0), apart(HF, HW, 1), apart(HF, HW, 2)
    # Lengths of this path alone, so that rounding never lengthens it.
    there = 0.0
    for k in range(i, j + 1):
        there += lengths[0, k]
    if not before + short + behind < there - SHORTCUT_GAIN * (high - low):
        return POINTLESS
    free = three_are_free(checker, stepper, general, CF, CW, SF, SW, HF, HW)
    if free == SHORTER:
        replace(HF, HW, i, j, before, short, behind)
    return free


@kernel
def locate(lengths, count, at):
    """The edge that lies ``at`` a length from the start, and how far along it that is."""
    k = 0
    while k < count - 2 and at > lengths[0, k]:
        at -= lengths[0, k]
        k += 1
    return k, min(max(at, 0.0), lengths[0, k])


@kernel
def point_on(HF, HW, k, along, row):
    """Into a row of H_ENDS: the point on an edge; exactly a vertex at its ends."""
    order, rows, ends = wholes(HW, H_ORDER), reals(HF, HW, H_ROWS), reals(HF, HW, H_ENDS)
    a, b, length = order[0, k], order[0, k + 1], reals(HF, HW, H_LENGTHS)[0, k]
    if along == length:
        a, along = b, 0.0
    t = along / length if along > 0.0 else 0.0
    for e in range(ends.shape[1]):
        x, y = rows[a, e], rows[b, e]
        # Between the two, whatever rounding does.
        ends[row, e] = min(max(x + t * (y - x), min(x, y)), max(x, y))


@kernel
def apart(HF, HW, row):
    """The weighed distance of two neighbouring rows of H_ENDS."""
    ends, weights = reals(HF, HW, H_ENDS), reals(HF, HW, H_WEIGHTS)
    square = 0.0
    for e in range(ends.shape[1]):
        way = weights[0, e] * (ends[row + 1, e] - ends[row, e])
        square += way * way
    return math.sqrt(square)


@kernel
def three_are_free(checker, stepper, general, CF, CW, SF, SW, HF, HW):
    """Whether the shortcut, the edge before and the edge behind it are free, the shortcut asked
    first: SHORTER or BLOCKED; FULL where scratch is too small. Edges of no length are not asked."""
    header, ends, kinds = wholes(HW, H_HEADER), reals(HF, HW, H_ENDS), wholes(HW, H_KINDS)
    none, found, joints = reals(HF, HW, H_NONE), kinds.reshape(kinds.size), ends.shape[1]
    # The same table from its second row on: each segment goes from a row to the next.
    nexts = table(HF, HW[HEAD * H_ENDS] + joints, 3, joints)
    for turn in range(3):
        row = (turn + 1) % 3
        if row == 1 or apart(HF, HW, row) > 0.0:
            done = check_at(
                checker, stepper, general, CF, CW, SF, SW, ends, nexts, none,
                header[0, BUDGET], row, row + 1, found,
            )  # fmt: skip
            if done == row:
                return FULL
            header[0, CHECKED] += 1
            if kinds[0, row] != 0:
                return BLOCKED
    return SHORTER


@kernel
def replace(HF, HW, i, j, before, short, behind):
    """Put the two inner rows of H_ENDS in place of the vertices ``i + 1`` to ``j``."""
    header, order, rows = wholes(HW, H_HEADER), wholes(HW, H_ORDER), reals(HF, HW, H_ROWS)
    lengths, ends = reals(HF, HW, H_LENGTHS), reals(HF, HW, H_ENDS)
    count, used = header[0, COUNT], header[0, USED]
    # A point that is a vertex is not put in twice.
    first = 1 if before > 0.0 else 0
    second = 1 if behind > 0.0 else 0
    shift = first + second - (j - i)
    if shift < 0:
        for k in range(j + 1, count):
            order[0, k + shift], lengths[0, k + shift] = order[0, k], lengths[0, k]
    else:
        for k in range(count - 1, j, -1):
            order[0, k + shift], lengths[0, k + shift] = order[0, k], lengths[0, k]
    at = i
    if first == 1:
        for e in range(rows.shape[1]):
            rows[used, e] = ends[1, e]
        lengths[0, at] = before
        at += 1
        order[0, at] = used
        used += 1
    lengths[0, at] = short
    if second == 1:
        for e in range(rows.shape[1]):
            rows[used, e] = ends[2, e]
        at += 1
        order[0, at] = used
        lengths[0, at] = behind
        used += 1
    header[0, COUNT], header[0, USED] = count + shift, used
    total = 0.0
    for k in range(header[0, COUNT] - 1):
        total += lengths[0, k]
    reals(HF, HW, H_SETTINGS)[0, LENGTH] = total
