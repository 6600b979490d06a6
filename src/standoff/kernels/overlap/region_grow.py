"""A region octree grown by a distance: all that lies as near to one of its leaves.

Distances of nodes and leaves are counted in cells of the finest level: whole numbers, squared and
summed without rounding as long as the cube has no more than 2^20 of them along an edge.
"""

from __future__ import annotations

from standoff.kernels.jit import entry, inlined
from standoff.kernels.overlap.region_codes import (
    FULL,
    LEVEL,
    SCRATCH_FULL,
    SURE,
    emit,
    gathered,
    push_children,
)


@entry(
    "int64(int64[::1], uint8[::1], int64, float64, float64, int64[:,::1], int64[:,::1], "
    "int64[::1], int64[::1], uint8[::1])"
)
def grown_leaves(A, LA, deepest, outer, inner, corners, stack, lists, codes, levels):
    """Write the leaves of the tree grown by a distance and return how many; FULL or SCRATCH_FULL
    where there is no room.

    ``outer`` and ``inner`` are the square of the distance in cells, rounded up and down: white is
    what is farther than ``outer`` from all leaves, sure what is wholly within ``inner`` of a sure
    one. ``corners`` (leaves, 3) is scratch."""
    for k in range(len(A)):
        corners[k, 0], corners[k, 1], corners[k, 2] = (
            gathered(A[k]),
            gathered(A[k] >> 1),
            gathered(A[k] >> 2),
        )
        lists[k] = k
    count = 0
    stack[0, 0] = stack[0, 1] = stack[0, 2] = stack[0, 3] = stack[0, 4] = stack[0, 5] = 0
    stack[0, 6] = len(A)
    top = 1
    while top > 0:
        top -= 1
        code, level = stack[top, 0], stack[top, 4]
        x, y, z = stack[top, 1], stack[top, 2], stack[top, 3]
        first, last = stack[top, 5], stack[top, 6]
        if len(lists) < 2 * last - first:
            return SCRATCH_FULL
        size = 1 << (deepest - level)
        end = last
        filled = doubted = hopeful = False
        for n in range(first, last):
            k = lists[n]
            mark = int(LA[k])
            long = 1 << (deepest - (mark & LEVEL))
            a, b, c = x - corners[k, 0], y - corners[k, 1], z - corners[k, 2]
            if _square(_gap(a, size, long), _gap(b, size, long), _gap(c, size, long)) > outer:
                continue
            lists[end] = k
            end += 1
            sure = mark & SURE != 0
            hopeful = hopeful or sure
            if _square(_far(a, size, long), _far(b, size, long), _far(c, size, long)) <= inner:
                filled = filled or sure
                doubted = doubted or not sure
                if filled:
                    break
        if end == last:
            continue
        if filled or level == deepest or (doubted and not hopeful):
            mark = level | (SURE if filled else 0)
            count = emit(codes, levels, count, code, mark, deepest)
            if count == FULL:
                return FULL
            continue
        top = push_children(stack, top, code, x, y, z, level, deepest)
        for row in range(top - 8, top):
            stack[row, 5], stack[row, 6] = last, end
    return count


@inlined
def _gap(a, size, long):
    """Between [a, a + size] and [0, long]."""
    return max(a - long, -a - size, 0)


@inlined
def _far(a, size, long):
    """How far [a, a + size] stands out of [0, long]."""
    return max(-a, a + size - long, 0)


@inlined
def _square(a, b, c):
    return float(a * a + b * b + c * c)
