"""The union of two region octrees of one root, and their level of detail.

A region octree grown by a distance: all that lies as near to one of its leaves.

Distances of nodes and leaves are counted in cells of the finest level: whole numbers, squared and
summed without rounding as long as the cube has no more than 2^20 of them along an edge.
"""

from __future__ import annotations

from standoff.compiled.jit import entry, inlined, kernel
from standoff.overlap.kernels.region_codes import (
    FULL,
    LEVEL,
    SCRATCH_FULL,
    SURE,
    cells,
    emit,
    first_at,
    gathered,
    push_children,
)

#: Columns of a row of the stack: code, level, and the run of leaves of either tree.
UNION_COLUMNS = 6

NOTHING, PARTLY, DOUBTED, FILLED = range(4)


@entry(
    "int64(int64[::1], uint8[::1], int64[::1], uint8[::1], int64, int64[:,::1], int64[::1], "
    "uint8[::1])"
)
def union_leaves(A, LA, B, LB, deepest, stack, codes, levels):
    """Write the leaves of the union and return how many; FULL where there is no room. A place is
    sure where it is in either."""
    count = 0
    stack[0, 0] = stack[0, 1] = stack[0, 2] = stack[0, 4] = 0
    stack[0, 3], stack[0, 5] = len(A), len(B)
    top = 1
    while top > 0:
        top -= 1
        code, level = stack[top, 0], stack[top, 1]
        i, i_end, j, j_end = stack[top, 2], stack[top, 3], stack[top, 4], stack[top, 5]
        a = _colour(LA, i, i_end, level)
        b = _colour(LB, j, j_end, level)
        if a == NOTHING and b == NOTHING:
            continue
        if a == FILLED or b == FILLED:
            count = emit(codes, levels, count, code, level | SURE, deepest)
        elif a != PARTLY and b != PARTLY:
            count = emit(codes, levels, count, code, level, deepest)
        elif a == NOTHING:
            count = _copy(B, LB, j, j_end, deepest, codes, levels, count)
        elif b == NOTHING:
            count = _copy(A, LA, i, i_end, deepest, codes, levels, count)
        else:
            part = cells(deepest, level + 1)
            i_last, j_last = i_end, j_end
            for c in range(7, -1, -1):
                start = code + c * part
                # A leaf that covers the whole node is in all of its children.
                i_first = i if a == DOUBTED else first_at(A, i, i_last, start)
                j_first = j if b == DOUBTED else first_at(B, j, j_last, start)
                stack[top, 0], stack[top, 1] = start, level + 1
                stack[top, 2], stack[top, 3] = i_first, i_last
                stack[top, 4], stack[top, 5] = j_first, j_last
                top += 1
                if a != DOUBTED:
                    i_last = i_first
                if b != DOUBTED:
                    j_last = j_first
        if count == FULL:
            return FULL
    return count


@inlined
def _colour(levels, first, last, level):
    """What the leaves ``first`` to ``last`` make of a node of that level."""
    if first >= last:
        return NOTHING
    if int(levels[first]) & LEVEL > level:
        return PARTLY
    return FILLED if int(levels[first]) & SURE else DOUBTED


@kernel
def _copy(A, LA, first, last, deepest, codes, levels, count):
    """Append leaves as they are."""
    for k in range(first, last):
        count = emit(codes, levels, count, A[k], int(LA[k]), deepest)
        if count == FULL:
            break
    return count


@entry("int64(int64[::1], uint8[::1], int64, int64, int64[::1], uint8[::1])")
def coarser_leaves(A, LA, deepest, coarse, codes, levels):
    """The same leaves in a tree of ``coarse`` levels: smaller ones become the node of that level
    they are in, which is not sure. Returns how many; there is room for as many as before."""
    shift = 3 * (deepest - coarse)
    count = 0
    last = -1
    for k in range(len(A)):
        code, mark = A[k] >> shift, int(LA[k])
        if mark & LEVEL > coarse:
            if code == last:
                continue
            mark = coarse
        last = code
        count = emit(codes, levels, count, code, mark, coarse)
    return count


@entry("int64(int64[::1], uint8[::1], int64)")
def inner_nodes(A, LA, deepest):
    """How many nodes have a black leaf below them. Each leaf has as many of its own as it lies
    deeper than the smallest node that holds it and the leaf before it."""
    count = 0
    for k in range(len(A)):
        above = 0
        if k > 0:
            difference = A[k] ^ A[k - 1]
            above = deepest + 1
            while difference > 0:
                difference >>= 3
                above -= 1
        count += (int(LA[k]) & LEVEL) - above
    return count


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
