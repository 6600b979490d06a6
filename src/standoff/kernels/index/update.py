"""The update of one item (paper 000, section III): the tree changes only where its box enters or
leaves a node.

Nodes and boxes are closed. Let ``d`` be the farthest that a face of the box moved outwards, less
than the smallest node's edge. A leaf ``M`` that the new box meets and the old one did not lies
within ``d`` of a leaf ``L`` that the old box met, on every axis; two leaves that do not touch are
apart by at least the smallest edge on some axis; so ``M`` touches ``L``: it is a neighbour across a
face, an edge or a corner. Take a point of the new box in ``M``, and for ``L`` the leaf with the
nearest point of the old box: on an axis where no face moved outwards the two points agree, and
``L`` and ``M`` are not to either side of each other there. So only directions made of faces that
moved outwards lead to a new leaf.

This is why an item is in the nodes that its *box* meets, and not in those that the body itself
meets: a long body that turns can enter a node well inside a box whose faces do not move at all.
"""

from __future__ import annotations

from standoff.kernels.index.grid import insert_cells
from standoff.kernels.index.layout import (
    ABSENT,
    AFTER,
    ANYWHERE,
    CHILD,
    FIRST,
    FROM_ABOVE,
    FULL,
    GRID,
    HEAD,
    INSIDE,
    INSIDE_CHECK,
    KIND,
    MARK,
    MOVED,
    NAIVE,
    NODE,
    NONE,
    OUT_FIRST,
    OUT_NEXT,
    OUT_PREV,
    OUTSIDE,
    OUTWARD_ONLY,
    PARENT,
    REGION,
    REINSERTED,
    STATE,
    TECHNIQUES,
    UPDATES,
    VISIT,
)
from standoff.kernels.index.links import free_link, leave_item, leave_node, overlaps
from standoff.kernels.index.neighbours import neighbour
from standoff.kernels.index.octree import (
    delete_item,
    insert_below,
    merge_pending,
    next_visit,
    note_parent,
)
from standoff.kernels.index.region import insert_region
from standoff.kernels.jit import inlined, kernel


@kernel
def insert(boxes, items, nodes, space, tree, links, state, i):
    """Insert item ``i``, which is nowhere, with the box it is registered with, from the root."""
    items[i, MOVED] = 1
    if state[0, KIND] == NAIVE or not within_root(boxes, i, space):
        put_outside(items, state, i)
        return
    if state[0, KIND] == GRID:
        done = insert_cells(boxes, items, nodes, space, tree, links, state, i)
    elif state[0, KIND] == REGION:
        done = insert_region(boxes, items, nodes, tree, links, state, i)
    else:
        done = insert_below(boxes, items, nodes, tree, links, state, i, 0)
    if done:
        items[i, STATE] = INSIDE
    else:
        state[0, FULL] = 1
        delete_item(items, tree, links, state, i)
        put_outside(items, state, i)


@kernel
def remove(items, tree, links, state, i):
    """Take item ``i`` out, wherever it is; what its nodes no longer need is merged."""
    if items[i, STATE] == INSIDE:
        delete_item(items, tree, links, state, i)
    elif items[i, STATE] == OUTSIDE:
        before, after = items[i, OUT_PREV], items[i, OUT_NEXT]
        if before == NONE:
            state[0, OUT_FIRST] = after
        else:
            items[before, OUT_NEXT] = after
        if after != NONE:
            items[after, OUT_PREV] = before
    items[i, STATE] = ABSENT


@inlined
def put_outside(items, state, i):
    """Into the list of those that are held against everything."""
    first = state[0, OUT_FIRST]
    items[i, STATE] = OUTSIDE
    items[i, OUT_PREV] = NONE
    items[i, OUT_NEXT] = first
    if first != NONE:
        items[first, OUT_PREV] = i
    state[0, OUT_FIRST] = i


@inlined
def within_root(boxes, i, space):
    """Whether the whole box is in the root cube."""
    edge = space[0, 3]
    for axis in range(3):
        low = space[0, axis]
        if not (boxes[i, axis] >= low and boxes[i, axis + 3] <= low + edge):
            return False
    return True


@kernel
def move(boxes, items, nodes, space, tree, links, state, i, fresh, k, smallest):
    """Register item ``i`` with the box ``fresh[k]``. From its neighbours where no face moved
    outwards by as much as the edge of the smallest node, from the root otherwise; with FROM_ABOVE
    from the smallest node that holds all of the box, however far it moved."""
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
    items[i, MOVED] = 1
    state[0, UPDATES] += 1
    if state[0, KIND] == NAIVE and items[i, STATE] == OUTSIDE:
        return
    near_by = farthest < smallest
    if (state[0, TECHNIQUES] & FROM_ABOVE) != 0:
        outward = ANYWHERE
        near_by = items[i, HEAD] != NONE
    elif (state[0, TECHNIQUES] & OUTWARD_ONLY) == 0:
        outward = 63
    if items[i, STATE] == INSIDE and near_by and within_root(boxes, i, space):
        follow(boxes, items, nodes, tree, links, state, i, outward)
        return
    if items[i, STATE] == INSIDE:
        state[0, REINSERTED] += 1
    remove(items, tree, links, state, i)
    insert(boxes, items, nodes, space, tree, links, state, i)


@kernel
def follow(boxes, items, nodes, tree, links, state, i, outward):
    """Bring the leaves of item ``i`` up to date with its box, of which the faces in ``outward``
    moved outwards (bits low x, high x, low y, …), or ANYWHERE."""
    visit = next_visit(items, tree, state)
    old = items[i, HEAD]
    link = old
    while link != NONE:
        tree[links[link, NODE], MARK] = visit
        link = links[link, AFTER]
    if outward == ANYWHERE:
        done = enter_below_common(boxes, items, nodes, tree, links, state, i, links[old, NODE])
    else:
        # Leaves entered are put before ``old`` in the item's list: this loop does not meet them.
        done = True
        link = old
        while done and link != NONE:
            leaf = links[link, NODE]
            done = enter_from(boxes, items, nodes, tree, links, state, i, leaf, outward)
            link = links[link, AFTER]
    if not done:
        state[0, FULL] = 1
        delete_item(items, tree, links, state, i)
        put_outside(items, state, i)
        return
    pending = NONE
    link = old
    while link != NONE:
        after = links[link, AFTER]
        node = links[link, NODE]
        if not overlaps(boxes, i, nodes, node, state):
            leave_node(tree, links, link)
            leave_item(items, links, link)
            free_link(links, state, link)
            pending = note_parent(tree, node, pending)
        link = after
    merge_pending(items, tree, links, state, pending)


@kernel
def enter_below_common(boxes, items, nodes, tree, links, state, i, node):
    """Insert item ``i`` into the leaves that its box has entered, however far it moved: down from
    the smallest node above one of its leaves that holds all of its box. False where the links ran
    out."""
    visit = state[0, VISIT]
    while tree[node, PARENT] != NONE and not holds(nodes, node, boxes, i):
        node = tree[node, PARENT]
    top = node
    while True:
        if overlaps(boxes, i, nodes, node, state):
            if tree[node, FIRST] != NONE:
                node = tree[node, FIRST]
                continue
            if tree[node, MARK] != visit:
                tree[node, MARK] = visit
                if not insert_below(boxes, items, nodes, tree, links, state, i, node):
                    return False
        while node != top and tree[node, CHILD] == 7:
            node = tree[node, PARENT]
        if node == top:
            return True
        node += 1


@inlined
def holds(nodes, node, boxes, i):
    """Whether the whole box lies within a node, and does not touch its faces."""
    return (
        boxes[i, 0] > nodes[node, 0]
        and boxes[i, 1] > nodes[node, 1]
        and boxes[i, 2] > nodes[node, 2]
        and boxes[i, 3] < nodes[node, 3]
        and boxes[i, 4] < nodes[node, 4]
        and boxes[i, 5] < nodes[node, 5]
    )


@kernel
def enter_from(boxes, items, nodes, tree, links, state, i, leaf, outward):
    """Insert item ``i`` into the leaves about ``leaf`` that its box has entered. False where the
    links ran out."""
    across = 0
    for axis in range(3):
        if boxes[i, axis] <= nodes[leaf, axis]:
            across |= 1 << (2 * axis)
        if boxes[i, axis + 3] >= nodes[leaf, axis + 3]:
            across |= 2 << (2 * axis)
    if (state[0, TECHNIQUES] & INSIDE_CHECK) == 0:
        across = 63
    across &= outward
    if across == 0:
        return True
    for dx in range(-1, 2):
        if (dx < 0 and (across & 1) == 0) or (dx > 0 and (across & 2) == 0):
            continue
        for dy in range(-1, 2):
            if (dy < 0 and (across & 4) == 0) or (dy > 0 and (across & 8) == 0):
                continue
            for dz in range(-1, 2):
                if (dz < 0 and (across & 16) == 0) or (dz > 0 and (across & 32) == 0):
                    continue
                if dx == 0 and dy == 0 and dz == 0:
                    continue
                top = neighbour(tree, state, leaf, dx, dy, dz)
                if top != NONE and not enter(
                    boxes, items, nodes, tree, links, state, i, top, dx, dy, dz
                ):
                    return False
    return True


@inlined
def enter(boxes, items, nodes, tree, links, state, i, top, dx, dy, dz):
    """Insert item ``i`` into the leaves of ``top`` that its box meets and that touch the face, edge
    or corner by which ``top`` lies in the direction (dx, dy, dz). False where the links ran out."""
    visit = state[0, VISIT]
    node = top
    while True:
        if overlaps(boxes, i, nodes, node, state):
            if tree[node, FIRST] != NONE:
                node = tree[node, FIRST]
                if near_side(0, dx, dy, dz):
                    continue
            elif tree[node, MARK] != visit:
                tree[node, MARK] = visit
                if not insert_below(boxes, items, nodes, tree, links, state, i, node):
                    return False
        elif tree[node, FIRST] == NONE:
            tree[node, MARK] = visit
        while True:
            while node != top and tree[node, CHILD] == 7:
                node = tree[node, PARENT]
            if node == top:
                return True
            node += 1
            if near_side(tree[node, CHILD], dx, dy, dz):
                break


@inlined
def near_side(child, dx, dy, dz):
    """Whether a child lies on the side of its parent that a step (dx, dy, dz) arrives at."""
    return (
        (dx == 0 or (child & 1) == (dx < 0))
        and (dy == 0 or ((child >> 1) & 1) == (dy < 0))
        and (dz == 0 or ((child >> 2) & 1) == (dz < 0))
    )
