"""Shortcuts of a path, as paper 001 has them in its section 4.3.

Two configurations are picked at random on the path within a window of it, half of them moved to
the nearest vertex; where the straight segment between them is free it takes the place of what lies
between. The window follows: it narrows by NARROWER after a segment that was not free, and widens by
WIDER after one that was, and where there was nothing to gain, both points being on one edge.

A part of a free segment is a segment of its own, with other instants to be looked at, so both
parts that are left over are checked like the shortcut itself: every edge of the path was checked as
it stands, at any time.
"""

from __future__ import annotations

import math

from standoff.compiled.jit import entry, kernel
from standoff.paths.kernels.search import check_at
from standoff.plan.kernels import plan_tables as g

#: The least part of what it replaces that a shortcut must save, [-]. A corner of 0.09 rad saves as
#: much at best; without it, corners would be rounded off by ever more and shorter edges.
SHORTCUT_GAIN = 1e-3

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


@entry("int64(int64, int64, int64, int64, float64[::1])")
def shorten(checker, cell, search, path, U):
    """Try shortcuts until there were as many as it was to try, or it needs more random numbers
    ``U``, more rows, or more scratch. ``checker`` is the address of `check_segments`, ``cell`` and
    ``search`` are what it takes."""
    its = g.shortcuts_at(path)
    header = its.header
    while header.tried < header.until:
        at = header.cursor
        if at + TAKES > len(U):
            return g.NO_NUMBERS
        if header.used + 2 > its.rows.shape[0]:
            return g.NODES_FULL
        total, part = header.length, header.window
        wide = part * total
        start = U[at] * (total - wide)
        low, high = min(U[at + 1], U[at + 2]), max(U[at + 1], U[at + 2])
        low, high = start + low * wide, start + high * wide
        i, j = lay_out_ends(its, low, high, U[at + 3] < 0.5, U[at + 4] < 0.5)
        taken = try_shortcut(checker, cell, search, its, i, j, high - low)
        if taken == FULL:
            return g.SCRATCH_FULL
        header.cursor = at + TAKES
        header.tried += 1
        if taken == SHORTER:
            header.taken += 1
            header.latest = header.tried
        narrowest = min(1.0, NARROWEST / max(1, header.count - 1))
        part *= NARROWER if taken == BLOCKED else WIDER
        header.window = min(1.0, max(narrowest, part))
    return g.AGAIN


@kernel
def lay_out_ends(path, low, high, snap_low, snap_high):
    """Into ``ends``: what a shortcut between two lengths of the path, or the vertices nearest to
    them, would replace. Returns the edges that it begins and ends on; the same one where it is
    pointless."""
    lengths, ends, order, rows = path.lengths, path.ends, path.order, path.rows
    count = path.header.count
    i, past_i = locate(lengths, count, low)
    j, past_j = locate(lengths, count, high)
    if snap_low:
        past_i = 0.0 if past_i < 0.5 * lengths[i] else lengths[i]
    if snap_high:
        past_j = 0.0 if past_j < 0.5 * lengths[j] else lengths[j]
    # A vertex is the beginning of the edge behind it for the one, the end of that before for the
    # other.
    if past_i == lengths[i]:
        i, past_i = i + 1, 0.0
    if past_j == 0.0 and j > 0:
        j -= 1
        past_j = lengths[j]
    if i >= j:
        return j, j
    point_on(path, i, past_i, 1)
    point_on(path, j, past_j, 2)
    for e in range(ends.shape[1]):
        ends[0, e] = rows[order[i], e]
        ends[3, e] = rows[order[j + 1], e]
    return i, j


@kernel
def try_shortcut(checker, cell, search, path, i, j, wide):
    """Replace the path from edge ``i`` to edge ``j`` by what was laid out, if that is shorter by a
    part of SHORTCUT_GAIN of the ``wide`` stretch between, and free: SHORTER, POINTLESS or BLOCKED;
    FULL where scratch is too small."""
    if i >= j:
        return POINTLESS
    before, short, behind = apart(path, 0), apart(path, 1), apart(path, 2)
    # Lengths of this path alone, so that rounding never lengthens it.
    there = 0.0
    for k in range(i, j + 1):
        there += path.lengths[k]
    if not before + short + behind < there - SHORTCUT_GAIN * wide:
        return POINTLESS
    free = three_are_free(checker, cell, search, path)
    if free == SHORTER:
        replace(path, i, j, before, short, behind)
    return free


@kernel
def locate(lengths, count, at):
    """The edge that lies ``at`` a length from the start, and how far along it that is."""
    k = 0
    while k < count - 2 and at > lengths[k]:
        at -= lengths[k]
        k += 1
    return k, min(max(at, 0.0), lengths[k])


@kernel
def point_on(path, k, along, row):
    """Into a row of ``ends``: the point on an edge; exactly a vertex at its ends."""
    order, rows, ends = path.order, path.rows, path.ends
    a, b, length = order[k], order[k + 1], path.lengths[k]
    if along == length:
        a, along = b, 0.0
    t = along / length if along > 0.0 else 0.0
    for e in range(ends.shape[1]):
        x, y = rows[a, e], rows[b, e]
        # Between the two, whatever rounding does.
        ends[row, e] = min(max(x + t * (y - x), min(x, y)), max(x, y))


@kernel
def apart(path, row):
    """The weighed distance of two neighbouring rows of ``ends``."""
    ends, weights = path.ends, path.weights
    square = 0.0
    for e in range(ends.shape[1]):
        way = weights[e] * (ends[row + 1, e] - ends[row, e])
        square += way * way
    return math.sqrt(square)


@kernel
def three_are_free(checker, cell, search, path):
    """Whether the shortcut, the edge before and the edge behind it are free, the shortcut asked
    first: SHORTER or BLOCKED; FULL where scratch is too small. Edges of no length are not asked."""
    header, ends, nexts, kinds = path.header, path.ends, path.nexts, path.kinds
    for turn in range(3):
        row = (turn + 1) % 3
        if row == 1 or apart(path, row) > 0.0:
            done = check_at(checker, cell, search, ends, nexts, header.budget, row, row + 1, kinds)
            if done == row:
                return FULL
            header.checked += 1
            if kinds[row] != 0:
                return BLOCKED
    return SHORTER


@kernel
def replace(path, i, j, before, short, behind):
    """Put the two inner rows of ``ends`` in place of the vertices ``i + 1`` to ``j``."""
    header, order, lengths = path.header, path.order, path.lengths
    count = header.count
    # A point that is a vertex is not put in twice.
    first = 1 if before > 0.0 else 0
    second = 1 if behind > 0.0 else 0
    shift = first + second - (j - i)
    if shift < 0:
        for k in range(j + 1, count):
            order[k + shift], lengths[k + shift] = order[k], lengths[k]
    else:
        for k in range(count - 1, j, -1):
            order[k + shift], lengths[k + shift] = order[k], lengths[k]
    at = i
    if first == 1:
        lengths[at] = before
        at = put_vertex(path, 1, at + 1)
    lengths[at] = short
    if second == 1:
        at = put_vertex(path, 2, at + 1)
        lengths[at] = behind
    header.count = count + shift
    total = 0.0
    for k in range(header.count - 1):
        total += lengths[k]
    header.length = total


@kernel
def put_vertex(path, row, at):
    """A row of ``ends`` becomes the vertex ``at`` of the path, which is returned."""
    rows, used = path.rows, path.header.used
    for e in range(rows.shape[1]):
        rows[used, e] = path.ends[row, e]
    path.order[at] = used
    path.header.used = used + 1
    return at
