"""Two levels of queues, as paper 001 has them in its section 3.4: each piece keeps a heap of its
open intervals, and a queue of pieces is ordered by the most urgent interval of each.

The heap of a piece is a leftist tree over the nodes themselves, so that any number of them share
one table: the shorter way to a missing child is always on the right, and merging two heaps walks
down the right sides, log n steps. The queue is a binary heap in one array (`sift`, by which `apart`
queues its boxes, too), where each piece knows its own place.
"""

from __future__ import annotations

from standoff.compiled.jit import kernel, spliced


@kernel
def merged(nodes, a, b):
    """The root of the heap of two heaps' nodes. Walks down the right sides with the larger root
    first, then up again by the way it came, which `right` keeps for as long."""
    if a < 0:
        return b
    if b < 0:
        return a
    up = -1
    while b >= 0:
        if nodes[a].priority < nodes[b].priority:
            a, b = b, a
        right = nodes[a].right
        nodes[a].right = up
        up = a
        if right < 0:
            a = b
            break
        a = right
    while up >= 0:
        above = nodes[up].right
        left = nodes[up].left
        rank_left = 0 if left < 0 else nodes[left].rank
        if rank_left < nodes[a].rank:
            nodes[up].left, nodes[up].right = a, left
            nodes[up].rank = rank_left + 1
        else:
            nodes[up].right = a
            nodes[up].rank = nodes[a].rank + 1
        a, up = up, above
    return a


@kernel
def push_node(search, piece, start, end, priority, first, count, standing):
    """A new node on the heap of a piece. The caller has made sure of a free row."""
    nodes = search.nodes
    header, pieces = search.header, search.pieces
    k = header.nodes_used
    header.nodes_used = k + 1
    nodes[k].start, nodes[k].end, nodes[k].priority = start, end, priority
    nodes[k].first, nodes[k].count, nodes[k].standing = first, count, standing
    nodes[k].left = nodes[k].right = -1
    nodes[k].rank = 1
    pieces[piece].root = merged(nodes, pieces[piece].root, k)


@kernel
def pop_node(search, piece):
    """Take the most urgent node of a piece off its heap."""
    nodes = search.nodes
    pieces = search.pieces
    k = pieces[piece].root
    pieces[piece].root = merged(nodes, nodes[k].left, nodes[k].right)


@kernel
def priority_of(search, piece):
    """Of its most urgent node."""
    return search.nodes[search.pieces[piece].root].priority


@kernel
def requeue(search, piece):
    """Put a piece where it belongs after its heap has changed: into the queue, out of it where
    nothing is open, or to another place."""
    pieces, queue, header = search.pieces, search.queue, search.header
    at = pieces[piece].place
    if pieces[piece].root < 0:
        if at >= 0:
            last = header.queued - 1
            header.queued = last
            pieces[piece].place = -1
            if at < last:
                queue[at] = queue[last]
                sift(queue, header.queued, pieces, at, _before, search)
        return
    if at < 0:
        at = header.queued
        header.queued = at + 1
        queue[at] = piece
    sift(queue, header.queued, pieces, at, _before, search)


@spliced
def sift(heap, count, rows, at, before, owner):
    """Move entry ``at`` of a binary heap of ``count`` rows up or down until they are in order: the
    first one is ``before(owner, row, other)`` all others. Each row knows its ``place``."""
    row = heap[at]
    while at > 0:
        above = (at - 1) // 2
        if not before(owner, row, heap[above]):
            break
        heap[at] = heap[above]
        rows[heap[at]].place = at
        at = above
    while 2 * at + 1 < count:
        below = 2 * at + 1
        other = below + 1
        if other < count and before(owner, heap[other], heap[below]):
            below = other
        if not before(owner, heap[below], row):
            break
        heap[at] = heap[below]
        rows[heap[at]].place = at
        at = below
    heap[at] = row
    rows[row].place = at


@kernel
def _before(search, a, b):
    """Of two equally urgent pieces the earlier one goes first."""
    x, y = priority_of(search, a), priority_of(search, b)
    return x > y or (x == y and a < b)
