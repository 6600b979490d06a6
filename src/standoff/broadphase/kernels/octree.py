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

from standoff.broadphase.kernels import tables as x
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
    if link == x.NONE:
        return False
    index.state.free_links = links[link, x.AFTER]
    index.state.links_left -= 1
    links[link, x.ITEM] = i
    links[link, x.NODE] = node
    links[link, x.NEXT] = tree[node, x.LIST]
    tree[node, x.LIST] = link
    tree[node, x.COUNT] += 1
    links[link, x.AFTER] = items[i, x.HEAD]
    items[i, x.HEAD] = link
    return True


@inlined
def leave_node(index, link):
    """Take a link out of its leaf's list; it stays in the item's."""
    tree, links = index.tree, index.links
    node = links[link, x.NODE]
    before = tree[node, x.LIST]
    if before == link:
        tree[node, x.LIST] = links[link, x.NEXT]
    else:
        while links[before, x.NEXT] != link:
            before = links[before, x.NEXT]
        links[before, x.NEXT] = links[link, x.NEXT]
    tree[node, x.COUNT] -= 1


@inlined
def leave_item(index, link):
    """Take a link out of its item's list; it stays in the leaf's."""
    items, links = index.items, index.links
    i = links[link, x.ITEM]
    before = items[i, x.HEAD]
    if before == link:
        items[i, x.HEAD] = links[link, x.AFTER]
    else:
        while links[before, x.AFTER] != link:
            before = links[before, x.AFTER]
        links[before, x.AFTER] = links[link, x.AFTER]


@inlined
def free_link(index, link):
    """Back among the free; it must be in no list."""
    links = index.links
    links[link, x.AFTER] = index.state.free_links
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
    that hold N already, or in a region octree those that it does not cover. False where there is no
    room left; it is then in some leaves only."""
    tree, state = index.tree, index.state
    node = top
    while True:
        if overlaps(index, i, node):
            if tree[node, x.FIRST] == x.NONE:
                if state.kind != x.REGION:
                    if tree[node, x.COUNT] >= state.split_above:
                        split(index, node)
                elif tree[node, x.LEVEL] < state.deepest and not covered(index, i, node):
                    split(index, node)
                    if tree[node, x.FIRST] == x.NONE:
                        return False
            if tree[node, x.FIRST] != x.NONE:
                node = tree[node, x.FIRST]
                continue
            if not add_link(index, i, node):
                return False
        while node != top and tree[node, x.CHILD] == 7:
            node = tree[node, x.PARENT]
        if node == top:
            return True
        node += 1


@kernel
def split(index, node):
    """Give a leaf eight children and hand its items down to them. It stays a leaf, whatever it
    holds, where its children would be too small, and where there is no room for them: a tree that
    is not split is slower, and never wrong."""
    nodes, tree, links = index.nodes, index.tree, index.links
    if (
        tree[node, x.LEVEL] >= index.state.deepest
        or index.state.links_left < 8 * tree[node, x.COUNT]
    ):
        return
    first = take_block(index)
    if first == x.NONE:
        return
    index.state.splits += 1
    tree[node, x.FIRST] = first
    for c in range(8):
        child = first + c
        for axis in range(3):
            middle = 0.5 * (nodes[node, axis] + nodes[node, axis + 3])
            upper = (c >> axis) & 1
            nodes[child, axis] = middle if upper else nodes[node, axis]
            nodes[child, axis + 3] = nodes[node, axis + 3] if upper else middle
        tree[child, x.FIRST] = x.NONE
        tree[child, x.PARENT] = node
        tree[child, x.CHILD] = c
        tree[child, x.COUNT] = 0
        tree[child, x.LIST] = x.NONE
        tree[child, x.MARK] = index.state.visit
        tree[child, x.LEVEL] = tree[node, x.LEVEL] + 1
        tree[child, x.PENDING] = x.FREE
    link = tree[node, x.LIST]
    while link != x.NONE:
        following = links[link, x.NEXT]
        i = links[link, x.ITEM]
        leave_item(index, link)
        free_link(index, link)
        for child in range(first, first + 8):
            if overlaps(index, i, child):
                add_link(index, i, child)
        link = following
    tree[node, x.COUNT] = 0
    tree[node, x.LIST] = x.NONE


@inlined
def take_block(index):
    """The first of eight unused nodes, NONE where there are none."""
    tree = index.tree
    first = index.state.free_blocks
    if first != x.NONE:
        index.state.free_blocks = tree[first, x.PENDING]
        return first
    first = index.state.nodes_used
    if first + 8 > tree.shape[0]:
        return x.NONE
    index.state.nodes_used += 8
    return first


@kernel
def delete_item(index, i):
    """Take item ``i`` out of all its leaves, and merge what can be merged."""
    items, links = index.items, index.links
    pending = x.NONE
    link = items[i, x.HEAD]
    while link != x.NONE:
        following = links[link, x.AFTER]
        leave_node(index, link)
        pending = note_parent(index, links[link, x.NODE], pending)
        free_link(index, link)
        link = following
    items[i, x.HEAD] = x.NONE
    merge_pending(index, pending)


@inlined
def note_parent(index, node, pending):
    """Chain the parent of a leaf that lost an item to those to be tried for merging."""
    tree = index.tree
    parent = tree[node, x.PARENT]
    if parent != x.NONE and tree[parent, x.PENDING] == x.FREE:
        tree[parent, x.PENDING] = pending
        return parent
    return pending


@kernel
def merge_pending(index, pending):
    """Try the chained nodes, and from each upwards as long as it succeeds, up to the next one that
    is chained itself: so each of them has its children still when its turn comes, and as a node
    with children keeps its parent from being merged, none in the chain is ever freed."""
    tree = index.tree
    while pending != x.NONE:
        node = pending
        pending = tree[node, x.PENDING]
        tree[node, x.PENDING] = x.FREE
        while node != x.NONE and tree[node, x.PENDING] == x.FREE:
            if not merge(index, node):
                break
            node = tree[node, x.PARENT]


@kernel
def merge(index, node):
    """Make a node whose children are leaves with few items between them a leaf."""
    items, tree, links = index.items, index.tree, index.links
    first = tree[node, x.FIRST]
    for child in range(first, first + 8):
        if tree[child, x.FIRST] != x.NONE or tree[child, x.COUNT] > index.state.merge_within:
            return False
    visit = next_visit(index)
    distinct = 0
    for child in range(first, first + 8):
        link = tree[child, x.LIST]
        while link != x.NONE:
            i = links[link, x.ITEM]
            if items[i, x.SEEN] != visit:
                items[i, x.SEEN] = visit
                distinct += 1
            link = links[link, x.NEXT]
    if distinct > index.state.merge_within:
        return False
    index.state.merges += 1
    tree[node, x.FIRST] = x.NONE
    tree[node, x.LIST] = x.NONE
    tree[node, x.COUNT] = 0
    visit = next_visit(index)
    for child in range(first, first + 8):
        link = tree[child, x.LIST]
        while link != x.NONE:
            following = links[link, x.NEXT]
            i = links[link, x.ITEM]
            if items[i, x.SEEN] != visit:
                items[i, x.SEEN] = visit
                links[link, x.NODE] = node
                links[link, x.NEXT] = tree[node, x.LIST]
                tree[node, x.LIST] = link
                tree[node, x.COUNT] += 1
            else:
                leave_item(index, link)
                free_link(index, link)
            link = following
    tree[first, x.PENDING] = index.state.free_blocks
    index.state.free_blocks = first
    return True


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
