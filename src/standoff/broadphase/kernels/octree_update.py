"""The octree's update of one item: the tree changes only where its box enters or leaves a node.

Nodes and boxes are closed. Between two operations

1. the leaves fill the root cube without a gap, and have no inner point in common;
2. an item that is INSIDE has its box within the root cube, and is in the list of each leaf that its
   box meets, once, and of no other;
3. every other item is ABSENT, or OUTSIDE and in the list of those held against everything.

So no pair is missed: two boxes that meet have a point in common. If both items are INSIDE, that
point is in the root cube, by 1 in a leaf, and by 2 both are in the list of this leaf. Otherwise one
of them is held against everything. What is registered may be larger than the body, as with the
monitor's reserve: this finds more pairs, never fewer (the proof for the monitor's kept pairs is at
the head of `monitor.kernels.register`). Nothing here depends on when leaves are split
or merged. A box meets a node exactly where it meets one of its eight children, which fill it: so
both keep 1 and 2.

**From above** (``state.from_above``, the default). `enter_below_common` begins at a leaf that the
old box met, and goes up to a node ``T`` that holds the new box and is not touched by it from
inside, or to the root. Let the new box meet a leaf ``M`` at a point ``p``. If ``T`` is not the
root, ``p`` is an inner point of ``T``; a leaf that is not below ``T`` has only points of its faces
in common with it; so ``M`` is ``T`` or below it. The walk down from ``T`` leaves out what is below
a node that the box does not meet, and ``M`` is not: it comes to ``M``. ``M`` is passed over only if
it bears the number of this visit, which no leaf has from before. Then the item was in it already,
or was put into it by this walk, or ``M`` came from a leaf that was split for the item, which was
handed down at once. So the item is in every leaf that its new box meets, once. Leaves that it was
in are not split meanwhile, as they bear the number; those that the new box does not meet are left
at the end. How far the box moved, and how small a node is, does not matter. Where the links run out
the item becomes OUTSIDE. A box without a point (a body with no pose yet) is in no leaf, there is
nothing to begin at, and its next box is inserted from the root.

**From the neighbours** (paper 000, section III). Let ``d`` be the farthest that a face of the box
moved outwards, less than the smallest node's edge. A leaf ``M`` that the new box meets and the old
one did not lies within ``d`` of a leaf ``L`` that the old box met, on every axis; two leaves that
do not touch are apart by at least the smallest edge on some axis; so ``M`` touches ``L``: it is a
neighbour across a face, an edge or a corner. Take a point of the new box in ``M``, and for ``L``
the leaf with the nearest point of the old box: on an axis where no face moved outwards the two
points agree, and ``L`` and ``M`` are not to either side of each other there. So only directions
made of faces that moved outwards lead to a new leaf.

This is why an item is in the nodes that its *box* meets, and not in those that the body itself
meets: a long body that turns can enter a node well inside a box whose faces do not move at all.
"""

from __future__ import annotations

from standoff.broadphase.kernels import tables as x
from standoff.broadphase.kernels.grid import grid_neighbour, insert_cells
from standoff.broadphase.kernels.octree import (
    delete_item,
    free_link,
    insert_below,
    leave_item,
    leave_node,
    merge_pending,
    next_visit,
    note_parent,
    overlaps,
)
from standoff.compiled.jit import inlined, kernel


@kernel
def insert(index, i):
    """Insert item ``i``, which is nowhere, with the box it is registered with, from the root."""
    items = index.items
    items[i, x.MOVED] = 1
    if index.state.kind == x.NAIVE or not within_root(index, i):
        put_outside(index, i)
        return
    if index.state.kind == x.GRID:
        done = insert_cells(index, i)
    else:
        done = insert_below(index, i, 0)
    if done:
        items[i, x.STATE] = x.INSIDE
    else:
        index.state.full = 1
        delete_item(index, i)
        put_outside(index, i)


@kernel
def remove(index, i):
    """Take item ``i`` out, wherever it is; what its nodes no longer need is merged."""
    items = index.items
    if items[i, x.STATE] == x.INSIDE:
        delete_item(index, i)
    elif items[i, x.STATE] == x.OUTSIDE:
        before, after = items[i, x.OUT_PREV], items[i, x.OUT_NEXT]
        if before == x.NONE:
            index.state.out_first = after
        else:
            items[before, x.OUT_NEXT] = after
        if after != x.NONE:
            items[after, x.OUT_PREV] = before
    items[i, x.STATE] = x.ABSENT


@inlined
def put_outside(index, i):
    """Into the list of those that are held against everything."""
    items = index.items
    first = index.state.out_first
    items[i, x.STATE] = x.OUTSIDE
    items[i, x.OUT_PREV] = x.NONE
    items[i, x.OUT_NEXT] = first
    if first != x.NONE:
        items[first, x.OUT_PREV] = i
    index.state.out_first = i


@inlined
def within_root(index, i):
    """Whether the whole box is in the root cube."""
    boxes = index.boxes
    edge = index.state.edge
    for axis in range(3):
        low = index.low[axis]
        if not (boxes[i, axis] >= low and boxes[i, axis + 3] <= low + edge):
            return False
    return True


@kernel
def move(index, i, fresh, k, smallest):
    """Register item ``i`` with the box ``fresh[k]``. From its neighbours where no face moved
    outwards by as much as the edge of the smallest node, from the root otherwise; from above from
    the smallest node that holds all of the box, however far it moved."""
    items = index.items
    outward, farthest = register(index, i, fresh, k)
    if index.state.kind == x.NAIVE and items[i, x.STATE] == x.OUTSIDE:
        return
    near_by = items[i, x.HEAD] != x.NONE if index.state.from_above != 0 else farthest < smallest
    if items[i, x.STATE] == x.INSIDE and near_by and within_root(index, i):
        follow(index, i, outward)
    else:
        reinsert(index, i)


@inlined
def register(index, i, fresh, k):
    """Give item ``i`` the box ``fresh[k]``. Which faces moved outwards (bits low x, high x, low y,
    …), and how far the farthest of them did."""
    boxes = index.boxes
    outward = 0
    farthest = 0.0
    for axis in range(3):
        low = boxes[i, axis] - fresh[k, axis]
        high = fresh[k, axis + 3] - boxes[i, axis + 3]
        if low > 0.0:
            outward |= 1 << (2 * axis)
        if high > 0.0:
            outward |= 2 << (2 * axis)
        farthest = max(farthest, low, high)
    for c in range(6):
        boxes[i, c] = fresh[k, c]
    index.items[i, x.MOVED] = 1
    index.state.updates += 1
    return outward, farthest


@kernel
def reinsert(index, i):
    """Take item ``i`` out, and insert it with the box it is registered with, from the root."""
    if index.items[i, x.STATE] == x.INSIDE:
        index.state.reinserted += 1
    remove(index, i)
    insert(index, i)


@kernel
def follow(index, i, outward):
    """Bring the leaves of item ``i`` up to date with its box, of which the faces in ``outward``
    moved outwards."""
    links = index.links
    old = mark_leaves(index, i)
    if index.state.from_above != 0:
        done = enter_below_common(index, i, links[old, x.NODE])
    else:
        # Leaves entered are put before ``old`` in the item's list: this loop does not meet them.
        done = True
        link = old
        while done and link != x.NONE:
            leaf = links[link, x.NODE]
            done = enter_from(index, i, leaf, outward & reached(index, i, leaf))
            link = links[link, x.AFTER]
    leave_old(index, i, old, done)


@inlined
def mark_leaves(index, i):
    """Put the number of a visit on the leaves of item ``i``; the first of its links."""
    items, tree, links = index.items, index.tree, index.links
    visit = next_visit(index)
    old = items[i, x.HEAD]
    link = old
    while link != x.NONE:
        tree[links[link, x.NODE], x.MARK] = visit
        link = links[link, x.AFTER]
    return old


@inlined
def leave_old(index, i, old, done):
    """Take item ``i`` out of those leaves, from its link ``old`` on, that its box meets no longer.
    Unless it was ``done``, entering the others: then the links ran out, and it is OUTSIDE."""
    links = index.links
    if not done:
        index.state.full = 1
        delete_item(index, i)
        put_outside(index, i)
        return
    pending = x.NONE
    link = old
    while link != x.NONE:
        after = links[link, x.AFTER]
        node = links[link, x.NODE]
        if not overlaps(index, i, node):
            leave_node(index, link)
            leave_item(index, link)
            free_link(index, link)
            pending = note_parent(index, node, pending)
        link = after
    merge_pending(index, pending)


@kernel
def enter_below_common(index, i, node):
    """Insert item ``i`` into the leaves that its box has entered, however far it moved: down from
    the smallest node above one of its leaves that holds all of its box. False where the links ran
    out."""
    tree = index.tree
    visit = index.state.visit
    while tree[node, x.PARENT] != x.NONE and not holds(index, i, node):
        node = tree[node, x.PARENT]
    top = node
    while True:
        if overlaps(index, i, node):
            if tree[node, x.FIRST] != x.NONE:
                node = tree[node, x.FIRST]
                continue
            if tree[node, x.MARK] != visit:
                tree[node, x.MARK] = visit
                if not insert_below(index, i, node):
                    return False
        while node != top and tree[node, x.CHILD] == 7:
            node = tree[node, x.PARENT]
        if node == top:
            return True
        node += 1


@inlined
def holds(index, i, node):
    """Whether the whole box lies within a node, and does not touch its faces."""
    boxes, nodes = index.boxes, index.nodes
    return (
        boxes[i, 0] > nodes[node, 0]
        and boxes[i, 1] > nodes[node, 1]
        and boxes[i, 2] > nodes[node, 2]
        and boxes[i, 3] < nodes[node, 3]
        and boxes[i, 4] < nodes[node, 4]
        and boxes[i, 5] < nodes[node, 5]
    )


@kernel
def enter_from(index, i, leaf, across):
    """Insert item ``i`` into the leaves about ``leaf``, past its faces ``across``, that its box has
    entered. False where the links ran out."""
    if across == 0:
        return True
    for dx in range(-1, 2):
        if not leads(across, 0, dx):
            continue
        for dy in range(-1, 2):
            if not leads(across, 1, dy):
                continue
            for dz in range(-1, 2):
                if not leads(across, 2, dz) or (dx == 0 and dy == 0 and dz == 0):
                    continue
                top = neighbour(index, leaf, dx, dy, dz)
                if top != x.NONE and not enter(index, i, top, dx, dy, dz):
                    return False
    return True


@inlined
def reached(index, i, node):
    """The faces of a node that the box of item ``i`` reaches or passes (bits low x, high x, …)."""
    boxes, nodes = index.boxes, index.nodes
    faces = 0
    for axis in range(3):
        if boxes[i, axis] <= nodes[node, axis]:
            faces |= 1 << (2 * axis)
        if boxes[i, axis + 3] >= nodes[node, axis + 3]:
            faces |= 2 << (2 * axis)
    return faces


@inlined
def leads(across, axis, step):
    """Whether a step of -1, 0 or 1 along an axis crosses no face but those ``across``."""
    return step == 0 or (across >> (2 * axis) & (1 if step < 0 else 2)) != 0


@inlined
def enter(index, i, top, dx, dy, dz):
    """Insert item ``i`` into the leaves of ``top`` that its box meets and that touch the face, edge
    or corner by which ``top`` lies in the direction (dx, dy, dz). False where the links ran out."""
    tree = index.tree
    visit = index.state.visit
    node = top
    while True:
        if overlaps(index, i, node):
            if tree[node, x.FIRST] != x.NONE:
                node = tree[node, x.FIRST]
                if near_side(0, dx, dy, dz):
                    continue
            elif tree[node, x.MARK] != visit:
                tree[node, x.MARK] = visit
                if not insert_below(index, i, node):
                    return False
        elif tree[node, x.FIRST] == x.NONE:
            tree[node, x.MARK] = visit
        while True:
            while node != top and tree[node, x.CHILD] == 7:
                node = tree[node, x.PARENT]
            if node == top:
                return True
            node += 1
            if near_side(tree[node, x.CHILD], dx, dy, dz):
                break


@inlined
def near_side(child, dx, dy, dz):
    """Whether a child lies on the side of its parent that a step (dx, dy, dz) arrives at."""
    return (
        (dx == 0 or (child & 1) == (dx < 0))
        and (dy == 0 or ((child >> 1) & 1) == (dy < 0))
        and (dz == 0 or ((child >> 2) & 1) == (dz < 0))
    )


@inlined
def neighbour(index, node, dx, dy, dz):
    """The node next to ``node`` in the direction (dx, dy, dz), each -1, 0 or 1: of its size, or a
    larger leaf; NONE beyond the root."""
    tree = index.tree
    index.state.neighbours += 1
    if index.state.kind == x.GRID:
        return grid_neighbour(index.state.side, node, dx, dy, dz)
    # Upwards: a step that stays within the parent is done on that axis; one that leaves it is the
    # parent's own step. The way back down is the same with the sides stepped over changed, three
    # bits a level; 20 levels, the deepest a tree gets, fit into 63 bits.
    path = 0
    levels = 0
    while dx != 0 or dy != 0 or dz != 0:
        if tree[node, x.PARENT] == x.NONE:
            return x.NONE
        c = tree[node, x.CHILD]
        node = tree[node, x.PARENT]
        if dx != 0:
            if (c & 1) == (dx < 0):
                dx = 0
            c ^= 1
        if dy != 0:
            if ((c >> 1) & 1) == (dy < 0):
                dy = 0
            c ^= 2
        if dz != 0:
            if ((c >> 2) & 1) == (dz < 0):
                dz = 0
            c ^= 4
        path = (path << 3) | c
        levels += 1
    while levels > 0 and tree[node, x.FIRST] != x.NONE:
        node = tree[node, x.FIRST] + (path & 7)
        path >>= 3
        levels -= 1
    return node
