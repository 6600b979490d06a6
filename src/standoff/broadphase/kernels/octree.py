"""The N-objects octree: splitting and inserting, deleting and merging (paper 000, section III)."""

from __future__ import annotations

from standoff.broadphase.kernels.layout import (
    AFTER,
    CHILD,
    COUNT,
    DEEPEST,
    FIRST,
    FREE,
    FREE_BLOCKS,
    HEAD,
    ITEM,
    LEVEL,
    LINKS_LEFT,
    LIST,
    MARK,
    MERGE_WITHIN,
    MERGES,
    NEXT,
    NODE,
    NODES_USED,
    NONE,
    PARENT,
    PENDING,
    SEEN,
    SPLIT_ABOVE,
    SPLITS,
    VISIT,
    WRAP,
)
from standoff.broadphase.kernels.links import add_link, free_link, leave_item, leave_node, overlaps
from standoff.compiled.jit import inlined, kernel


@inlined
def next_visit(items, tree, state):
    """Advance the visit number, once for each item updated and each walk that marks items. When
    it has run to WRAP all marks are cleared, so that none is left from the last time round."""
    if state[0, VISIT] >= state[0, WRAP]:
        for node in range(state[0, NODES_USED]):
            tree[node, MARK] = 0
        for i in range(items.shape[0]):
            items[i, SEEN] = 0
        state[0, VISIT] = 0
    state[0, VISIT] += 1
    return state[0, VISIT]


@kernel
def insert_below(boxes, items, nodes, tree, links, state, i, top):
    """Insert item ``i`` into all leaves at or below ``top`` that its box meets, splitting those
    that hold N already. False where the links ran out; it is then in some leaves only."""
    node = top
    while True:
        if overlaps(boxes, i, nodes, node, state):
            if tree[node, FIRST] == NONE and tree[node, COUNT] >= state[0, SPLIT_ABOVE]:
                split(boxes, items, nodes, tree, links, state, node)
            if tree[node, FIRST] != NONE:
                node = tree[node, FIRST]
                continue
            if not add_link(items, tree, links, state, i, node):
                return False
        while node != top and tree[node, CHILD] == 7:
            node = tree[node, PARENT]
        if node == top:
            return True
        node += 1


@kernel
def split(boxes, items, nodes, tree, links, state, node):
    """Give a leaf eight children and hand its items down to them. It stays a leaf, whatever it
    holds, where its children would be too small, and where there is no room for them: a tree that
    is not split is slower, and never wrong."""
    if tree[node, LEVEL] >= state[0, DEEPEST] or state[0, LINKS_LEFT] < 8 * tree[node, COUNT]:
        return
    first = take_block(tree, state)
    if first == NONE:
        return
    state[0, SPLITS] += 1
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
        tree[child, MARK] = state[0, VISIT]
        tree[child, LEVEL] = tree[node, LEVEL] + 1
        tree[child, PENDING] = FREE
    link = tree[node, LIST]
    while link != NONE:
        following = links[link, NEXT]
        i = links[link, ITEM]
        leave_item(items, links, link)
        free_link(links, state, link)
        for child in range(first, first + 8):
            if overlaps(boxes, i, nodes, child, state):
                add_link(items, tree, links, state, i, child)
        link = following
    tree[node, COUNT] = 0
    tree[node, LIST] = NONE


@inlined
def take_block(tree, state):
    """The first of eight unused nodes, NONE where there are none."""
    first = state[0, FREE_BLOCKS]
    if first != NONE:
        state[0, FREE_BLOCKS] = tree[first, PENDING]
        return first
    first = state[0, NODES_USED]
    if first + 8 > tree.shape[0]:
        return NONE
    state[0, NODES_USED] += 8
    return first


@kernel
def delete_item(items, tree, links, state, i):
    """Take item ``i`` out of all its leaves, and merge what can be merged."""
    pending = NONE
    link = items[i, HEAD]
    while link != NONE:
        following = links[link, AFTER]
        leave_node(tree, links, link)
        pending = note_parent(tree, links[link, NODE], pending)
        free_link(links, state, link)
        link = following
    items[i, HEAD] = NONE
    merge_pending(items, tree, links, state, pending)


@inlined
def note_parent(tree, node, pending):
    """Chain the parent of a leaf that lost an item to those to be tried for merging."""
    parent = tree[node, PARENT]
    if parent != NONE and tree[parent, PENDING] == FREE:
        tree[parent, PENDING] = pending
        return parent
    return pending


@kernel
def merge_pending(items, tree, links, state, pending):
    """Try the chained nodes, and from each upwards as long as it succeeds, up to the next one that
    is chained itself: so each of them has its children still when its turn comes, and as a node
    with children keeps its parent from being merged, none in the chain is ever freed."""
    while pending != NONE:
        node = pending
        pending = tree[node, PENDING]
        tree[node, PENDING] = FREE
        while node != NONE and tree[node, PENDING] == FREE:
            if not merge(items, tree, links, state, node):
                break
            node = tree[node, PARENT]


@kernel
def merge(items, tree, links, state, node):
    """Make a node whose children are leaves with few items between them a leaf."""
    first = tree[node, FIRST]
    for child in range(first, first + 8):
        if tree[child, FIRST] != NONE or tree[child, COUNT] > state[0, MERGE_WITHIN]:
            return False
    visit = next_visit(items, tree, state)
    distinct = 0
    for child in range(first, first + 8):
        link = tree[child, LIST]
        while link != NONE:
            i = links[link, ITEM]
            if items[i, SEEN] != visit:
                items[i, SEEN] = visit
                distinct += 1
            link = links[link, NEXT]
    if distinct > state[0, MERGE_WITHIN]:
        return False
    state[0, MERGES] += 1
    tree[node, FIRST] = NONE
    tree[node, LIST] = NONE
    tree[node, COUNT] = 0
    visit = next_visit(items, tree, state)
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
                leave_item(items, links, link)
                free_link(links, state, link)
            link = following
    tree[first, PENDING] = state[0, FREE_BLOCKS]
    state[0, FREE_BLOCKS] = first
    return True
