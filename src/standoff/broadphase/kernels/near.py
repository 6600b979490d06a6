"""Which items share a node with an item and have a box that meets its box."""

from __future__ import annotations

from standoff.broadphase.kernels import tables as x
from standoff.broadphase.kernels.octree import next_visit
from standoff.compiled.jit import inlined, kernel
from standoff.geometry.narrowphase.aabb import boxes_meet


@kernel
def candidates(index, i, found):
    """Write the items whose boxes meet that of item ``i`` into ``found`` (as long as ``items``)
    and return how many they are. An item outside is held against all, and all against it."""
    items, tree, links = index.items, index.tree, index.links
    count = 0
    if items[i, x.STATE] == x.OUTSIDE:
        for j in range(items.shape[0]):
            if j != i and items[j, x.STATE] != x.ABSENT:
                count = take(index, i, j, found, count)
        return count
    visit = next_visit(index)
    items[i, x.SEEN] = visit
    link = items[i, x.HEAD]
    while link != x.NONE:
        other = tree[links[link, x.NODE], x.LIST]
        while other != x.NONE:
            j = links[other, x.ITEM]
            other = links[other, x.NEXT]
            if items[j, x.SEEN] != visit:
                items[j, x.SEEN] = visit
                count = take(index, i, j, found, count)
        link = links[link, x.AFTER]
    j = index.state.out_first
    while j != x.NONE:
        count = take(index, i, j, found, count)
        j = items[j, x.OUT_NEXT]
    return count


@inlined
def take(index, i, j, found, count):
    """Write item ``j`` behind the ``count`` found, if its box meets that of item ``i``; how many
    there are then."""
    index.state.box_tests += 1
    if not boxes_meet(index.boxes, i, index.boxes, j):
        return count
    found[count] = j
    return count + 1
