"""Where two region octrees of one root meet: the parallel traversal of corresponding nodes.

Two trees that are sorted arrays are traversed by one pass over both, which steps over all that is
white in the other. The nodes that the paper's traversal looks at are counted all the same: the root
and the eight children of each node that is grey in both. A node is grey in both when it holds a
leaf of either, so when it holds two leaves, one of either tree, that follow each other in the order
of their codes; it has been counted already when it also holds the first of the two such leaves
before.

Where several region octrees of one root meet, traversed together as paper 002 tells it.
"""

from __future__ import annotations

from standoff.compiled.jit import entry, kernel
from standoff.overlap.kernels.region_codes import (
    FULL,
    LEVEL,
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


#: Columns of a row of what was found: the numbers of the two trees, then code and level with the
#: bit SURE where both are sure of all of the place.
FIRST_TREE, SECOND_TREE, PLACE, MARK = range(4)
FOUND_COLUMNS = 4


@entry(
    "int64(int64[::1], uint8[::1], int64[::1], int64, int64[:,::1], int64[:,::1], int64[:,::1], "
    "int64[::1])"
)
def meet_many(codes, levels, starts, deepest, stack, runs, found, visited):
    """Write where any two of the trees meet into ``found`` and return how many; FULL where there is
    no room. The leaves of tree k are those from ``starts[k]`` to ``starts[k + 1]``.

    The traversal goes on below a node as long as two trees are grey there. A tree that is black
    meets all others that are not white in this very node, and none of them below it again.
    ``stack`` holds code and level, ``runs`` (as many rows, twice as many columns as trees) the run
    of each tree below the node; a tree that is white or was black above has an empty one."""
    trees = len(starts) - 1
    count = looked = 0
    stack[0, 0] = stack[0, 1] = 0
    for k in range(trees):
        runs[0, 2 * k], runs[0, 2 * k + 1] = starts[k], starts[k + 1]
    top = 1
    while top > 0:
        top -= 1
        looked += 1
        code, level = stack[top, 0], stack[top, 1]
        count = meetings(codes, levels, runs, top, trees, code, level, found, count)
        if count == FULL:
            return FULL
        grey = 0
        for k in range(trees):
            first, last = runs[top, 2 * k], runs[top, 2 * k + 1]
            if first < last and int(levels[first]) & LEVEL > level:
                grey += 1
            else:
                runs[top, 2 * k + 1] = first
        if grey < 2:
            continue
        part = cells(deepest, level + 1)
        # From the last child down to the first, which takes the place of its parent's row.
        for c in range(7, -1, -1):
            row = top + 7 - c
            stack[row, 0], stack[row, 1] = code + c * part, level + 1
        for k in range(trees):
            first, last = runs[top, 2 * k], runs[top, 2 * k + 1]
            for c in range(8):
                end = last if c == 7 else first_at(codes, first, last, code + (c + 1) * part)
                runs[top + 7 - c, 2 * k], runs[top + 7 - c, 2 * k + 1] = first, end
                first = end
        top += 8
    visited[0] = looked
    return count


@kernel
def meetings(codes, levels, runs, top, trees, code, level, found, count):
    """Append the leaves below the node of row ``top`` that lie in a tree that is black there."""
    for k in range(trees):
        first = runs[top, 2 * k]
        if first >= runs[top, 2 * k + 1] or int(levels[first]) & LEVEL > level:
            continue
        for m in range(trees):
            other = runs[top, 2 * m]
            if m == k or other >= runs[top, 2 * m + 1]:
                continue
            if m < k and int(levels[other]) & LEVEL <= level:
                continue  # black as well, and met already
            for leaf in range(other, runs[top, 2 * m + 1]):
                if count >= len(found):
                    return FULL
                smaller = int(levels[leaf]) & LEVEL > level
                found[count, FIRST_TREE], found[count, SECOND_TREE] = min(k, m), max(k, m)
                found[count, PLACE] = codes[leaf] if smaller else code
                found[count, MARK] = max(int(levels[leaf]) & LEVEL, level)
                found[count, MARK] |= int(levels[first]) & int(levels[leaf]) & SURE
                count += 1
    return count
