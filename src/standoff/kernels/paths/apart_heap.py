"""The open boxes of a proof, the nearest first: a binary heap of rows of A_NODES.

A_HEAP is a permutation of all rows. Those before QUEUED are the heap, the others are unused: a row
that is taken off goes to the end of the heap, and is the next one to be used."""

from __future__ import annotations

from standoff.kernels.arena import reals, wholes
from standoff.kernels.jit import kernel
from standoff.kernels.paths import apart_layout as p


@kernel
def push_box(F, W, key):
    """The present box as a node. The caller has made sure of an unused row."""
    header, heap, keys = wholes(W, p.A_HEADER), wholes(W, p.A_HEAP), reals(F, W, p.A_KEYS)
    nodes, box = wholes(W, p.A_NODES), wholes(W, p.A_BOX)
    at = header[0, p.QUEUED]
    header[0, p.QUEUED] = at + 1
    row = heap[at, 0]
    for k in range(box.shape[1]):
        nodes[row, k] = box[0, k]
    keys[row, 0] = key
    while at > 0:
        above = (at - 1) // 2
        if not key < keys[heap[above, 0], 0]:
            break
        heap[at, 0] = heap[above, 0]
        at = above
    heap[at, 0] = row


@kernel
def pop_box(F, W):
    """Take the nearest node off; it becomes the present box."""
    header, heap, keys = wholes(W, p.A_HEADER), wholes(W, p.A_HEAP), reals(F, W, p.A_KEYS)
    nodes, box = wholes(W, p.A_NODES), wholes(W, p.A_BOX)
    row, count = heap[0, 0], header[0, p.QUEUED] - 1
    for k in range(box.shape[1]):
        box[0, k] = nodes[row, k]
    header[0, p.QUEUED] = count
    last = heap[count, 0]
    heap[count, 0] = row
    at = 0
    while 2 * at + 1 < count:
        below = 2 * at + 1
        if below + 1 < count and keys[heap[below + 1, 0], 0] < keys[heap[below, 0], 0]:
            below += 1
        if not keys[heap[below, 0], 0] < keys[last, 0]:
            break
        heap[at, 0] = heap[below, 0]
        at = below
    if count > 0:
        heap[at, 0] = last
