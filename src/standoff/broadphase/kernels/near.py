"""Which items share a node with an item and have a box that meets its box."""

from __future__ import annotations

from standoff.broadphase.kernels.layout import (
    ABSENT,
    AFTER,
    BOX_TESTS,
    BOXES_FIRST,
    HEAD,
    ITEM,
    LIST,
    NEXT,
    NODE,
    NONE,
    ONCE_A_PAIR,
    OUT_FIRST,
    OUT_NEXT,
    OUTSIDE,
    SEEN,
    STATE,
    TECHNIQUES,
)
from standoff.broadphase.kernels.octree import next_visit
from standoff.compiled.jit import kernel
from standoff.geometry.narrowphase.aabb import boxes_meet


@kernel
def candidates(boxes, items, tree, links, state, i, found):
    """Write the items whose boxes meet that of item ``i`` into ``found`` (as long as ``items``)
    and return how many they are. An item outside is held against all, and all against it.

    Without ONCE_A_PAIR an item is written once for each node they share, as long as ``found`` has
    room for them beyond that for every item once."""
    count = 0
    boxed = (state[0, TECHNIQUES] & BOXES_FIRST) != 0
    if items[i, STATE] == OUTSIDE:
        for j in range(items.shape[0]):
            if j != i and items[j, STATE] != ABSENT:
                state[0, BOX_TESTS] += 1
                if not boxed or boxes_meet(boxes, i, boxes, j):
                    found[count] = j
                    count += 1
        return count
    once = (state[0, TECHNIQUES] & ONCE_A_PAIR) != 0
    spare = len(found) - items.shape[0]
    visit = next_visit(items, tree, state)
    items[i, SEEN] = visit
    link = items[i, HEAD]
    while link != NONE:
        other = tree[links[link, NODE], LIST]
        while other != NONE:
            j = links[other, ITEM]
            again = items[j, SEEN] == visit
            if not again or not (once or j == i):
                items[j, SEEN] = visit
                state[0, BOX_TESTS] += 1
                if again and count >= spare:
                    pass  # no room to have it twice
                elif not boxed or boxes_meet(boxes, i, boxes, j):
                    found[count] = j
                    count += 1
            other = links[other, NEXT]
        link = links[link, AFTER]
    j = state[0, OUT_FIRST]
    while j != NONE:
        state[0, BOX_TESTS] += 1
        if not boxed or boxes_meet(boxes, i, boxes, j):
            found[count] = j
            count += 1
        j = items[j, OUT_NEXT]
    return count
