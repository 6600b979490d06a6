"""Location links: an item in a leaf, chained both ways."""

from __future__ import annotations

from standoff.broadphase.kernels.layout import (
    AFTER,
    COUNT,
    FREE_LINKS,
    HEAD,
    ITEM,
    LINKS_LEFT,
    LIST,
    NEXT,
    NODE,
    NODE_TESTS,
    NONE,
)
from standoff.compiled.jit import inlined
from standoff.geometry.narrowphase.aabb import boxes_meet


@inlined
def overlaps(boxes, i, nodes, node, state):
    """Whether the box of item ``i`` meets a node; touching is meeting."""
    state[0, NODE_TESTS] += 1
    return boxes_meet(boxes, i, nodes, node)


@inlined
def add_link(items, tree, links, state, i, node):
    """Put item ``i`` into the leaf's list and the leaf into the item's; False: no link is left."""
    link = state[0, FREE_LINKS]
    if link == NONE:
        return False
    state[0, FREE_LINKS] = links[link, AFTER]
    state[0, LINKS_LEFT] -= 1
    links[link, ITEM] = i
    links[link, NODE] = node
    links[link, NEXT] = tree[node, LIST]
    tree[node, LIST] = link
    tree[node, COUNT] += 1
    links[link, AFTER] = items[i, HEAD]
    items[i, HEAD] = link
    return True


@inlined
def leave_node(tree, links, link):
    """Take a link out of its leaf's list; it stays in the item's."""
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
def leave_item(items, links, link):
    """Take a link out of its item's list; it stays in the leaf's."""
    i = links[link, ITEM]
    before = items[i, HEAD]
    if before == link:
        items[i, HEAD] = links[link, AFTER]
    else:
        while links[before, AFTER] != link:
            before = links[before, AFTER]
        links[before, AFTER] = links[link, AFTER]


@inlined
def free_link(links, state, link):
    """Back among the free; it must be in no list."""
    links[link, AFTER] = state[0, FREE_LINKS]
    state[0, FREE_LINKS] = link
    state[0, LINKS_LEFT] += 1
