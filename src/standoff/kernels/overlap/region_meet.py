"""Where two region octrees of one root meet: the parallel traversal of corresponding nodes.

Two trees that are sorted arrays are traversed by one pass over both, which steps over all that is
white in the other. The nodes that the paper's traversal looks at are counted all the same: the root
and the eight children of each node that is grey in both. A node is grey in both when it holds a
leaf of either, so when it holds two leaves, one of either tree, that follow each other in the order
of their codes; it has been counted already when it also holds the first of the two such leaves
before.
"""

from __future__ import annotations

from standoff.kernels.jit import entry
from standoff.kernels.overlap.region_codes import (
    FULL,
    SURE,
    cells,
    first_at,
    level_of,
    shared_level,
)


@entry(
    "int64(int64[::1], uint8[::1], int64[::1], uint8[::1], int64, int64, int64[::1], uint8[::1], "
    "int64[::1])"
)
def meet_pair(A, LA, B, LB, deepest, most, codes, levels, visited):
    """Write the smaller leaf of each two that overlap, sure where both are, and return how many;
    FULL where there is no room. No more than ``most`` are looked for. ``visited[0]`` becomes the
    number of corresponding nodes that the paper's traversal looks at on the way."""
    i = j = count = grey = 0
    before = -1
    while i < len(A) and j < len(B) and count < most:
        a, b = A[i], B[j]
        first = min(a, b)
        if a + cells(deepest, level_of(LA, i)) <= b:
            i = first_at(A, i + 1, len(A), b)
            if A[i - 1] + cells(deepest, level_of(LA, i - 1)) > b:
                i -= 1
                continue
            first = A[i - 1]
            above = shared_level(first, b, deepest)
        elif b + cells(deepest, level_of(LB, j)) <= a:
            j = first_at(B, j + 1, len(B), a)
            if B[j - 1] + cells(deepest, level_of(LB, j - 1)) > a:
                j -= 1
                continue
            first = B[j - 1]
            above = shared_level(first, a, deepest)
        else:
            if count >= len(codes):
                return FULL
            level_a, level_b = level_of(LA, i), level_of(LB, j)
            above = min(level_a, level_b) - 1
            codes[count] = a if level_a >= level_b else b
            levels[count] = max(level_a, level_b) | (int(LA[i]) & int(LB[j]) & SURE)
            count += 1
            if level_a >= level_b:
                i += 1
            else:
                j += 1
        known = -1 if before < 0 else shared_level(before, first, deepest)
        grey += max(above - known, 0)
        before = first
    visited[0] = 1 + 8 * grey
    return count
