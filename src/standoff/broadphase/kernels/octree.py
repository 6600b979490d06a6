"""The octrees: lists of items in leaves, splitting and inserting, deleting and merging.

What happens to the tree when an item moves, and the proof that no pair is missed then, is in
`broadphase.kernels.octree_update`.

The N-objects octree (paper 000, section III) splits a leaf that holds N items already. The region
octree (paper 002) has the tables and the lists of it; there a node that a box covers in part is
split, down to the smallest. What a box covers wholly is a black leaf of it, and the smallest ones
count as black. A leaf may hold several items, each of which covers it or finds it too small to
split.

A location link is an item in a leaf, chained both ways.
"""

from __future__ import annotations

from standoff.broadphase.kernels.tables import (
    AFTER,
    CHILD,
    COUNT,
    FIRST,
    FREE,
    HEAD,
    ITEM,
    LEVEL,
    LIST,
    MARK,
    NEXT,
    NODE,
    NONE,
    PARENT,
    PENDING,
    SEEN,
)
from standoff.compiled.jit import inlined, kernel
from standoff.geometry.narrowphase.aabb import boxes_meet


@inlined
def overlaps(index, i, node):
    """Whether the box of item ``i`` meets a node; touching is meeting."""
    boxes, nodes = index.boxes, index.nodes
    index.state.node_tests += 1
    return boxes_meet(boxes, i, nodes, node)


@inlined
def add_link(index, i, node):
    """Put item ``i`` into the leaf's list and the leaf into the item's; False: no link is left."""
    items, tree, links = index.items, index.tree, index.links
    link = index.state.free_links
    if link == NONE:
        return False
    index.state.free_links = links[link, AFTER]
    index.state.links_left -= 1
    links[link, ITEM] = i
    links[link, NODE] = node
    links[link, NEXT] = tree[node, LIST]
    tree[node, LIST] = link
    tree[node, COUNT] += 1
    links[link, AFTER] = items[i, HEAD]
    items[i, HEAD] = link
    return True


@inlined
def leave_node(index, link):
    """Take a link out of its leaf's list; it stays in the item's."""
    tree, links = index.tree, index.links
    node = links[link, NODE]
    before = tree[node, LIST]
    if before == link:
        tree[node, LIST] = links[link, NEXT]
    else:
        while links[before, NEXT] != link:
            before = links[before, NEXT]
        links[before, NEXT] = links[link, NEXT]
    tree[node, COUNT] -= 1


@inlined
def leave_item(index, link):
    """Take a link out of its item's list; it stays in the leaf's."""
    items, links = index.items, index.links
    i = links[link, ITEM]
    before = items[i, HEAD]
    if before == link:
        items[i, HEAD] = links[link, AFTER]
    else:
        while links[before, AFTER] != link:
            before = links[before, AFTER]
        links[before, AFTER] = links[link, AFTER]


@inlined
def free_link(index, link):
    """Back among the free; it must be in no list."""
    links = index.links
    links[link, AFTER] = index.state.free_links
    index.state.free_links = link
    index.state.links_left += 1


@inlined
def next_visit(index):
    """Advance the visit number, once for each item updated and each walk that marks items. The
    paper's has 32 bits, and clears all marks when it has run round; at a thousand million visits a
    second, 64 bits last for 292 years."""
    index.state.visit += 1
    return index.state.visit


@kernel
def insert_below(index, i, top):
    """Insert item ``i`` into all leaves at or below ``top`` that its box meets, splitting those
    that hold N already. False where the links ran out; it is then in some leaves only."""
    tree = index.tree
    node = top
    while True:
        if overlaps(index, i, node):
            if tree[node, FIRST] == NONE and tree[node, COUNT] >= index.state.split_above:
                split(index, node)
            if tree[node, FIRST] != NONE:
                node = tree[node, FIRST]
                continue
            if not add_link(index, i, node):
                return False
        while node != top and tree[node, CHILD] == 7:
            node = tree[node, PARENT]
        if node == top:
            return True
        node += 1


@kernel
def split(index, node):
    """Give a leaf eight children and hand its items down to them. It stays a leaf, whatever it
    holds, where its children would be too small, and where there is no room for them: a tree that
    is not split is slower, and never wrong."""
    nodes, tree, links = index.nodes, index.tree, index.links
    if tree[node, LEVEL] >= index.state.deepest or index.state.links_left < 8 * tree[node, COUNT]:
        return
    first = take_block(index)
    if first == NONE:
        return
    index.state.splits += 1
    tree[node, FIRST] = first
    for c in range(8):
        child = first + c
        for axis in range(3):
            middle = 0.5 * (nodes[node, axis] + nodes[node, axis + 3])
            upper = (c >> axis) & 1
            nodes[child, axis] = middle if upper else nodes[node, axis]
            nodes[child, axis + 3] = nodes[node, axis + 3] if upper else middle
        tree[child, FIRST] = NONE
        tree[child, PARENT] = node
        tree[child, CHILD] = c
        tree[child, COUNT] = 0
        tree[child, LIST] = NONE
        tree[child, MARK] = index.state.visit
        tree[child, LEVEL] = tree[node, LEVEL] + 1
        tree[child, PENDING] = FREE
    link = tree[node, LIST]
    while link != NONE:
        following = links[link, NEXT]
        i = links[link, ITEM]
        leave_item(index, link)
        free_link(index, link)
        for child in range(first, first + 8):
            if overlaps(index, i, child):
                add_link(index, i, child)
        link = following
    tree[node, COUNT] = 0
    tree[node, LIST] = NONE


@inlined
def take_block(index):
    """The first of eight unused nodes, NONE where there are none."""
    tree = index.tree
    first = index.state.free_blocks
    if first != NONE:
        index.state.free_blocks = tree[first, PENDING]
        return first
    first = index.state.nodes_used
    if first + 8 > tree.shape[0]:
        return NONE
    index.state.nodes_used += 8
    return first


@kernel
def delete_item(index, i):
    """Take item ``i`` out of all its leaves, and merge what can be merged."""
    items, links = index.items, index.links
    pending = NONE
    link = items[i, HEAD]
    while link != NONE:
        following = links[link, AFTER]
        leave_node(index, link)
        pending = note_parent(index, links[link, NODE], pending)
        free_link(index, link)
        link = following
    items[i, HEAD] = NONE
    merge_pending(index, pending)


@inlined
def note_parent(index, node, pending):
    """Chain the parent of a leaf that lost an item to those to be tried for merging."""
    tree = index.tree
    parent = tree[node, PARENT]
    if parent != NONE and tree[parent, PENDING] == FREE:
        tree[parent, PENDING] = pending
        return parent
    return pending


@kernel
def merge_pending(index, pending):
    """Try the chained nodes, and from each upwards as long as it succeeds, up to the next one that
    is chained itself: so each of them has its children still when its turn comes, and as a node
    with children keeps its parent from being merged, none in the chain is ever freed."""
    tree = index.tree
    while pending != NONE:
        node = pending
        pending = tree[node, PENDING]
        tree[node, PENDING] = FREE
        while node != NONE and tree[node, PENDING] == FREE:
            if not merge(index, node):
                break
            node = tree[node, PARENT]


@kernel
def merge(index, node):
    """Make a node whose children are leaves with few items between them a leaf."""
    items, tree, links = index.items, index.tree, index.links
    first = tree[node, FIRST]
    for child in range(first, first + 8):
        if tree[child, FIRST] != NONE or tree[child, COUNT] > index.state.merge_within:
            return False
    visit = next_visit(index)
    distinct = 0
    for child in range(first, first + 8):
        link = tree[child, LIST]
        while link != NONE:
            i = links[link, ITEM]
            if items[i, SEEN] != visit:
                items[i, SEEN] = visit
                distinct += 1
            link = links[link, NEXT]
    if distinct > index.state.merge_within:
        return False
    index.state.merges += 1
    tree[node, FIRST] = NONE
    tree[node, LIST] = NONE
    tree[node, COUNT] = 0
    visit = next_visit(index)
    for child in range(first, first + 8):
        link = tree[child, LIST]
        while link != NONE:
            following = links[link, NEXT]
            i = links[link, ITEM]
            if items[i, SEEN] != visit:
                items[i, SEEN] = visit
                links[link, NODE] = node
                links[link, NEXT] = tree[node, LIST]
                tree[node, LIST] = link
                tree[node, COUNT] += 1
            else:
                leave_item(index, link)
                free_link(index, link)
            link = following
    tree[first, PENDING] = index.state.free_blocks
    index.state.free_blocks = first
    return True


@kernel
def insert_region(index, i):
    """Insert item ``i`` into all leaves that its box meets, splitting those that it does not cover.
    False where there is no room left; it is then in some leaves only."""
    tree = index.tree
    node = 0
    while True:
        if overlaps(index, i, node):
            if (
                tree[node, FIRST] == NONE
                and tree[node, LEVEL] < index.state.deepest
                and not covered(index, i, node)
            ):
                split(index, node)
                if tree[node, FIRST] == NONE:
                    return False
            if tree[node, FIRST] != NONE:
                node = tree[node, FIRST]
                continue
            if not add_link(index, i, node):
                return False
        while node != 0 and tree[node, CHILD] == 7:
            node = tree[node, PARENT]
        if node == 0:
            return True
        node += 1


@inlined
def covered(index, i, node):
    """Whether the box of item ``i`` holds all of a node."""
    boxes, nodes = index.boxes, index.nodes
    return (
        boxes[i, 0] <= nodes[node, 0]
        and boxes[i, 1] <= nodes[node, 1]
        and boxes[i, 2] <= nodes[node, 2]
        and boxes[i, 3] >= nodes[node, 3]
        and boxes[i, 4] >= nodes[node, 4]
        and boxes[i, 5] >= nodes[node, 5]
    )
