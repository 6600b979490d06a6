"""The index as Python calls it: build, insert, remove, move, ask; tables in one arena."""

from __future__ import annotations

from standoff.broadphase.kernels.layout import (
    ABSENT,
    AFTER,
    BOXES,
    CHILD,
    COUNT,
    FIRST,
    FREE,
    FREE_BLOCKS,
    FREE_LINKS,
    FULL,
    GRID,
    HEAD,
    ITEMS,
    KIND,
    LEVEL,
    LINKS,
    LINKS_LEFT,
    LIST,
    MARK,
    MOVED,
    NODES,
    NODES_USED,
    NONE,
    OUT_FIRST,
    OUTSIDE,
    PARENT,
    PENDING,
    SEEN,
    SIDE,
    SPACE,
    STATE,
    STATES,
    TREE,
    VISIT,
)
from standoff.broadphase.kernels.links import free_link
from standoff.broadphase.kernels.near import candidates
from standoff.broadphase.kernels.update import insert, move, remove
from standoff.compiled.arena import reals, wholes
from standoff.compiled.jit import entry, kernel


@entry("void(float64[::1], int64[::1])")
def clear(F, W):
    """Make the index empty: the root alone, or the cells of the grid, and all links free."""
    empty(
        reals(F, W, NODES), reals(F, W, SPACE), wholes(W, ITEMS), wholes(W, TREE),
        wholes(W, LINKS), wholes(W, STATES),
    )  # fmt: skip


@kernel
def empty(nodes, space, items, tree, links, state):
    """See `clear`."""
    side = state[0, SIDE] if state[0, KIND] == GRID else 1
    low, edge = space[0], space[0, 3]
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
    state[0, NODES_USED] = side * side * side
    state[0, FREE_BLOCKS] = NONE
    for i in range(items.shape[0]):
        items[i, HEAD] = NONE
        items[i, STATE] = ABSENT
        items[i, SEEN] = 0
    state[0, VISIT] = 0
    state[0, OUT_FIRST] = NONE
    for link in range(links.shape[0]):
        links[link, AFTER] = link + 1
    links[links.shape[0] - 1, AFTER] = NONE
    state[0, FREE_LINKS] = 0
    state[0, LINKS_LEFT] = links.shape[0]
    state[0, FULL] = 0


@entry("void(float64[::1], int64[::1], int64[::1])")
def insert_all(F, W, which):
    """Insert the items ``which``, with the boxes in the table."""
    boxes, nodes, space = reals(F, W, BOXES), reals(F, W, NODES), reals(F, W, SPACE)
    items, tree = wholes(W, ITEMS), wholes(W, TREE)
    links, state = wholes(W, LINKS), wholes(W, STATES)
    for k in range(len(which)):
        insert(boxes, items, nodes, space, tree, links, state, which[k])


@entry("void(float64[::1], int64[::1], int64[::1])")
def remove_all(F, W, which):
    """Take the items ``which`` out."""
    items, tree, links = wholes(W, ITEMS), wholes(W, TREE), wholes(W, LINKS)
    for k in range(len(which)):
        remove(items, tree, links, wholes(W, STATES), which[k])


@entry("void(float64[::1], int64[::1], int64[::1], float64[:,::1], float64)")
def move_all(F, W, which, fresh, smallest):
    """Register the items ``which`` with the boxes ``fresh``, one by one."""
    boxes, nodes, space = reals(F, W, BOXES), reals(F, W, NODES), reals(F, W, SPACE)
    items, tree = wholes(W, ITEMS), wholes(W, TREE)
    links, state = wholes(W, LINKS), wholes(W, STATES)
    for k in range(len(which)):
        move(boxes, items, nodes, space, tree, links, state, which[k], fresh, k, smallest)


@entry("void(float64[::1], int64[::1])")
def retry_outside(F, W):
    """Insert anew whatever is outside: after more room was made. The boxes are the same, so none of
    them has moved: a floor that had would be for movers to find again, and they would not look."""
    boxes, nodes, space = reals(F, W, BOXES), reals(F, W, NODES), reals(F, W, SPACE)
    items, tree = wholes(W, ITEMS), wholes(W, TREE)
    links, state = wholes(W, LINKS), wholes(W, STATES)
    state[0, FULL] = 0
    for i in range(items.shape[0]):
        if items[i, STATE] == OUTSIDE:
            moved = items[i, MOVED]
            remove(items, tree, links, state, i)
            insert(boxes, items, nodes, space, tree, links, state, i)
            items[i, MOVED] = moved


@entry("void(int64[::1], int64)")
def free_links(W, first):
    """Put the links from ``first`` on, never used before, among the free."""
    links, state = wholes(W, LINKS), wholes(W, STATES)
    for link in range(first, links.shape[0]):
        free_link(links, state, link)


@entry("int64(float64[::1], int64[::1], int64, int64[::1])")
def near(F, W, i, found):
    """`candidates` of one item."""
    return candidates(
        reals(F, W, BOXES), wholes(W, ITEMS), wholes(W, TREE), wholes(W, LINKS),
        wholes(W, STATES), i, found,
    )  # fmt: skip
