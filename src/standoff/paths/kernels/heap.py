"""Two levels of queues, as paper 001 has them in its section 3.4: each piece keeps a heap of its
open intervals, and a queue of pieces is ordered by the most pressing interval of each.

The heap of a piece is a leftist tree over the nodes themselves, so that any number of them share
one table: the shorter way to a missing child is always on the right, and merging two heaps walks
down the right sides, log n steps. The queue is a binary heap in one array, where each piece knows
its own place.

Open intervals that go on where an earlier search left them.
"""

from __future__ import annotations

from standoff.compiled.arena import reals, wholes
from standoff.compiled.jit import entry, kernel
from standoff.paths.kernels import layout as p


@kernel
def merged(reals_of, linked, a, b):
    """The root of the heap of two heaps' nodes. Walks down the right sides with the larger root
    first, then up again by the way it came, which LEFT keeps for as long."""
    if a < 0:
        return b
    if b < 0:
        return a
    up = -1
    while b >= 0:
        if reals_of[a, p.PRESSING] < reals_of[b, p.PRESSING]:
            a, b = b, a
        right = linked[a, p.RIGHT]
        linked[a, p.RIGHT] = up
        up = a
        if right < 0:
            a = b
            break
        a = right
    while up >= 0:
        above = linked[up, p.RIGHT]
        left = linked[up, p.LEFT]
        rank_left = 0 if left < 0 else linked[left, p.RANK]
        if rank_left < linked[a, p.RANK]:
            linked[up, p.LEFT], linked[up, p.RIGHT] = a, left
            linked[up, p.RANK] = rank_left + 1
        else:
            linked[up, p.RIGHT] = a
            linked[up, p.RANK] = linked[a, p.RANK] + 1
        a, up = up, above
    return a


@kernel
def push_node(SF, SW, piece, start, end, pressing, first, count, standing):
    """A new node on the heap of a piece. The caller has made sure of a free row."""
    nodes, linked = reals(SF, SW, p.S_NODES), wholes(SW, p.S_LINKED)
    header, pieces = wholes(SW, p.S_HEADER), wholes(SW, p.S_PIECES)
    k = header[0, p.NODES_USED]
    header[0, p.NODES_USED] = k + 1
    nodes[k, p.START], nodes[k, p.END], nodes[k, p.PRESSING] = start, end, pressing
    linked[k, p.FIRST], linked[k, p.COUNT], linked[k, p.STANDING] = first, count, standing
    linked[k, p.LEFT] = linked[k, p.RIGHT] = -1
    linked[k, p.RANK] = 1
    pieces[piece, p.ROOT] = merged(nodes, linked, pieces[piece, p.ROOT], k)


@kernel
def pop_node(SF, SW, piece):
    """Take the most pressing node of a piece off its heap."""
    nodes, linked = reals(SF, SW, p.S_NODES), wholes(SW, p.S_LINKED)
    pieces = wholes(SW, p.S_PIECES)
    k = pieces[piece, p.ROOT]
    pieces[piece, p.ROOT] = merged(nodes, linked, linked[k, p.LEFT], linked[k, p.RIGHT])


@kernel
def pressing_of(SF, SW, piece):
    """Of its most pressing node."""
    return reals(SF, SW, p.S_NODES)[wholes(SW, p.S_PIECES)[piece, p.ROOT], p.PRESSING]


@kernel
def requeue(SF, SW, piece):
    """Put a piece where it belongs after its heap has changed: into the queue, out of it where
    nothing is open, or to another place."""
    pieces, queue, header = wholes(SW, p.S_PIECES), wholes(SW, p.S_QUEUE), wholes(SW, p.S_HEADER)
    at = pieces[piece, p.PLACE]
    if pieces[piece, p.ROOT] < 0:
        if at >= 0:
            last = header[0, p.QUEUED] - 1
            header[0, p.QUEUED] = last
            pieces[piece, p.PLACE] = -1
            if at < last:
                queue[0, at] = queue[0, last]
                pieces[queue[0, at], p.PLACE] = at
                _sift(SF, SW, at)
        return
    if at < 0:
        at = header[0, p.QUEUED]
        header[0, p.QUEUED] = at + 1
        queue[0, at] = piece
        pieces[piece, p.PLACE] = at
    _sift(SF, SW, at)


@kernel
def _sift(SF, SW, at):
    """Move the entry ``at`` up or down until the queue is in order. Of two equally pressing ones
    the earlier piece goes first."""
    pieces, queue, header = wholes(SW, p.S_PIECES), wholes(SW, p.S_QUEUE), wholes(SW, p.S_HEADER)
    piece = queue[0, at]
    while at > 0:
        above = (at - 1) // 2
        if not _before(SF, SW, piece, queue[0, above]):
            break
        queue[0, at] = queue[0, above]
        pieces[queue[0, at], p.PLACE] = at
        at = above
    while 2 * at + 1 < header[0, p.QUEUED]:
        below = 2 * at + 1
        other = below + 1
        if other < header[0, p.QUEUED] and _before(SF, SW, queue[0, other], queue[0, below]):
            below = other
        if not _before(SF, SW, queue[0, below], piece):
            break
        queue[0, at] = queue[0, below]
        pieces[queue[0, at], p.PLACE] = at
        at = below
    queue[0, at] = piece
    pieces[piece, p.PLACE] = at


@kernel
def _before(SF, SW, a, b):
    x, y = pressing_of(SF, SW, a), pressing_of(SF, SW, b)
    return x > y or (x == y and a < b)


@entry("void(float64[::1], int64[::1], int64, float64[:, ::1], int64[:, ::1], int64[::1])")
def put_back(SF, SW, piece, spans, lists, codes):
    """Put nodes back on the heap of a piece: ``spans`` (n, 3) as S_NODES, ``lists`` (n, 2) how many
    pairs each has and how many of them are with statics, ``codes`` the pairs of all, one after
    another. A node with a count of -1 is fresh. There is room for all."""
    pool, header = wholes(SW, p.S_POOL), wholes(SW, p.S_HEADER)
    taken = 0
    for n in range(spans.shape[0]):
        first, count = header[0, p.POOL_USED], lists[n, 0]
        if count < 0:
            first, count = -1, 0
        for e in range(count):
            pool[first + e, 0] = codes[taken + e]
        taken += count
        header[0, p.POOL_USED] += count
        push_node(
            SF, SW, piece, spans[n, p.START], spans[n, p.END], spans[n, p.PRESSING],
            first, count, lists[n, 1],
        )  # fmt: skip
    requeue(SF, SW, piece)
