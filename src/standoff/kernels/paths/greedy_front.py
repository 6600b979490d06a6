"""A heap of pairs of nodes by their lower bound, the least first; see `greedy`.

A pair has three numbers: its two nodes, and whether its bound is the exact distance of the two.
"""

from __future__ import annotations

from standoff.kernels.jit import kernel


@kernel
def push(bounds, pairs, size, bound, p, q, sharp):
    """Add a pair to a heap of ``size`` that has room for it."""
    at = size
    while at > 0 and bound < bounds[(at - 1) // 2]:
        _move(bounds, pairs, (at - 1) // 2, at)
        at = (at - 1) // 2
    bounds[at], pairs[at, 0], pairs[at, 1], pairs[at, 2] = bound, p, q, sharp


@kernel
def pop(bounds, pairs, size):
    """Take the first of ``size`` pairs away; it is to be read beforehand."""
    last = size - 1
    at = 0
    while 2 * at + 1 < last:
        below = 2 * at + 1
        if below + 1 < last and bounds[below + 1] < bounds[below]:
            below += 1
        if bounds[last] <= bounds[below]:
            break
        _move(bounds, pairs, below, at)
        at = below
    _move(bounds, pairs, last, at)


@kernel
def _move(bounds, pairs, a, b):
    bounds[b] = bounds[a]
    for k in range(3):
        pairs[b, k] = pairs[a, k]
