"""A heap of pairs of nodes by their lower bound, the least first; see `greedy`."""

from __future__ import annotations

from standoff.kernels.jit import kernel


@kernel
def push(bounds, pairs, size, bound, p, q):
    """Add a pair to a heap of ``size`` that has room for it."""
    at = size
    while at > 0 and bound < bounds[(at - 1) // 2]:
        above = (at - 1) // 2
        bounds[at], pairs[at, 0], pairs[at, 1] = bounds[above], pairs[above, 0], pairs[above, 1]
        at = above
    bounds[at], pairs[at, 0], pairs[at, 1] = bound, p, q


@kernel
def pop(bounds, pairs, size):
    """Take the first of ``size`` pairs away; it is to be read beforehand."""
    size -= 1
    bound, p, q = bounds[size], pairs[size, 0], pairs[size, 1]
    at = 0
    while 2 * at + 1 < size:
        below = 2 * at + 1
        if below + 1 < size and bounds[below + 1] < bounds[below]:
            below += 1
        if bound <= bounds[below]:
            break
        bounds[at], pairs[at, 0], pairs[at, 1] = bounds[below], pairs[below, 0], pairs[below, 1]
        at = below
    bounds[at], pairs[at, 0], pairs[at, 1] = bound, p, q
