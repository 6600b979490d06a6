"""The index as Python calls it: build, insert, remove, move, ask."""

from __future__ import annotations

from standoff.broadphase.kernels.near import candidates
from standoff.broadphase.kernels.octree import free_link
from standoff.broadphase.kernels.octree_update import insert, move, remove
from standoff.broadphase.kernels.tables import (
    ABSENT,
    AFTER,
    CHILD,
    COUNT,
    FIRST,
    FREE,
    GRID,
    HEAD,
    LEVEL,
    LIST,
    MARK,
    MOVED,
    NONE,
    OUTSIDE,
    PARENT,
    PENDING,
    SEEN,
    STATE,
    index_at,
)
from standoff.compiled.jit import entry, kernel


@entry("void(int64)")
def clear(tables):
    """Make the index empty: the root alone, or the cells of the grid, and all links free."""
    empty(index_at(tables))


@kernel
def empty(index):
    """See `clear`."""
    state, nodes, tree = index.state, index.nodes, index.tree
    side = state.side if state.kind == GRID else 1
    low, edge = index.low, state.edge
    for node in range(side * side * side):
        at = (node % side, (node // side) % side, node // (side * side))
        for axis in range(3):
            nodes[node, axis] = low[axis] + at[axis] * (edge / side)
            nodes[node, axis + 3] = low[axis] + (at[axis] + 1) * (edge / side)
            if at[axis] + 1 == side:
                nodes[node, axis + 3] = low[axis] + edge
        tree[node, FIRST] = NONE
        tree[node, PARENT] = NONE
        tree[node, CHILD] = 0
        tree[node, COUNT] = 0
        tree[node, LIST] = NONE
        tree[node, MARK] = 0
        tree[node, LEVEL] = 0
        tree[node, PENDING] = FREE
    state.nodes_used = side * side * side
    state.free_blocks = NONE
    items, links = index.items, index.links
    for i in range(items.shape[0]):
        items[i, HEAD] = NONE
        items[i, STATE] = ABSENT
        items[i, SEEN] = 0
    state.visit = 0
    state.out_first = NONE
    for link in range(links.shape[0]):
        links[link, AFTER] = link + 1
    links[links.shape[0] - 1, AFTER] = NONE
    state.free_links = 0
    state.links_left = links.shape[0]
    state.full = 0


@entry("void(int64, int64[::1])")
def insert_all(tables, which):
    """Insert the items ``which``, with the boxes in the table."""
    index = index_at(tables)
    for k in range(len(which)):
        insert(index, which[k])


@entry("void(int64, int64[::1])")
def remove_all(tables, which):
    """Take the items ``which`` out."""
    index = index_at(tables)
    for k in range(len(which)):
        remove(index, which[k])


@entry("void(int64, int64[::1], float64[:,::1], float64)")
def move_all(tables, which, fresh, smallest):
    """Register the items ``which`` with the boxes ``fresh``, one by one."""
    index = index_at(tables)
    for k in range(len(which)):
        move(index, which[k], fresh, k, smallest)


@entry("void(int64)")
def retry_outside(tables):
    """Insert anew whatever is outside: after more room was made. The boxes are the same, so none of
    them has moved: a floor that had would be for movers to find again, and they would not look."""
    index = index_at(tables)
    items = index.items
    index.state.full = 0
    for i in range(items.shape[0]):
        if items[i, STATE] == OUTSIDE:
            moved = items[i, MOVED]
            remove(index, i)
            insert(index, i)
            items[i, MOVED] = moved


@entry("void(int64, int64)")
def free_links(tables, first):
    """Put the links from ``first`` on, never used before, among the free."""
    index = index_at(tables)
    for link in range(first, index.links.shape[0]):
        free_link(index, link)


@entry("int64(int64, int64, int64[::1])")
def near(tables, i, found):
    """`candidates` of one item."""
    return candidates(index_at(tables), i, found)
