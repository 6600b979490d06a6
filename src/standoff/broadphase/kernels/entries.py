"""The index as Python calls it: build, insert, remove, move, ask."""

from __future__ import annotations

from standoff.broadphase.kernels import tables as x
from standoff.broadphase.kernels.near import candidates
from standoff.broadphase.kernels.octree import free_link
from standoff.broadphase.kernels.octree_update import insert, move, remove
from standoff.compiled.jit import entry, kernel


@entry("void(int64)")
def clear(tables):
    """Make the index empty: the root alone, or the cells of the grid, and all links free."""
    empty(x.index_at(tables))


@kernel
def empty(index):
    """See `clear`."""
    state, nodes, tree = index.state, index.nodes, index.tree
    side = state.side if state.kind == x.GRID else 1
    low, edge = index.low, state.edge
    for node in range(side * side * side):
        at = (node % side, (node // side) % side, node // (side * side))
        for axis in range(3):
            nodes[node, axis] = low[axis] + at[axis] * (edge / side)
            nodes[node, axis + 3] = low[axis] + (at[axis] + 1) * (edge / side)
            if at[axis] + 1 == side:
                nodes[node, axis + 3] = low[axis] + edge
        tree[node, x.FIRST] = x.NONE
        tree[node, x.PARENT] = x.NONE
        tree[node, x.CHILD] = 0
        tree[node, x.COUNT] = 0
        tree[node, x.LIST] = x.NONE
        tree[node, x.MARK] = 0
        tree[node, x.LEVEL] = 0
        tree[node, x.PENDING] = x.FREE
    state.nodes_used = side * side * side
    state.free_blocks = x.NONE
    items, links = index.items, index.links
    for i in range(items.shape[0]):
        items[i, x.HEAD] = x.NONE
        items[i, x.STATE] = x.ABSENT
        items[i, x.SEEN] = 0
    state.visit = 0
    state.out_first = x.NONE
    for link in range(links.shape[0]):
        links[link, x.AFTER] = link + 1
    links[links.shape[0] - 1, x.AFTER] = x.NONE
    state.free_links = 0
    state.links_left = links.shape[0]
    state.full = 0


@entry("void(int64, int64[::1])")
def insert_all(tables, which):
    """Insert the items ``which``, with the boxes in the table."""
    index = x.index_at(tables)
    for k in range(len(which)):
        insert(index, which[k])


@entry("void(int64, int64[::1])")
def remove_all(tables, which):
    """Take the items ``which`` out."""
    index = x.index_at(tables)
    for k in range(len(which)):
        remove(index, which[k])


@entry("void(int64, int64[::1], float64[:,::1], float64)")
def move_all(tables, which, fresh, smallest):
    """Register the items ``which`` with the boxes ``fresh``, one by one."""
    index = x.index_at(tables)
    for k in range(len(which)):
        move(index, which[k], fresh, k, smallest)


@entry("void(int64)")
def retry_outside(tables):
    """Insert anew whatever is outside: after more room was made. The boxes are the same, so none of
    them has moved: a floor that had would be for movers to find again, and they would not look."""
    index = x.index_at(tables)
    items = index.items
    index.state.full = 0
    for i in range(items.shape[0]):
        if items[i, x.STATE] == x.OUTSIDE:
            moved = items[i, x.MOVED]
            remove(index, i)
            insert(index, i)
            items[i, x.MOVED] = moved


@entry("void(int64, int64)")
def free_links(tables, first):
    """Put the links from ``first`` on, never used before, among the free."""
    index = x.index_at(tables)
    for link in range(first, index.links.shape[0]):
        free_link(index, link)


@entry("int64(int64, int64, int64[::1])")
def near(tables, i, found):
    """`candidates` of one item."""
    return candidates(x.index_at(tables), i, found)
