"""The region octree as an index: a node that a box covers in part is split, down to the smallest.

It has the arena and the lists of the N-objects octree; what differs is when a leaf is split. What a
box covers wholly is a black leaf of it, and the smallest ones count as black. A leaf may hold
several items, each of which covers it or finds it too small to split.
"""

from __future__ import annotations

from standoff.broadphase.kernels.layout import CHILD, DEEPEST, FIRST, LEVEL, NONE, PARENT
from standoff.broadphase.kernels.links import add_link, overlaps
from standoff.broadphase.kernels.octree import split
from standoff.compiled.jit import inlined, kernel


@kernel
def insert_region(boxes, items, nodes, tree, links, state, i):
    """Insert item ``i`` into all leaves that its box meets, splitting those that it does not cover.
    False where there is no room left; it is then in some leaves only."""
    node = 0
    while True:
        if overlaps(boxes, i, nodes, node, state):
            if (
                tree[node, FIRST] == NONE
                and tree[node, LEVEL] < state[0, DEEPEST]
                and not covered(boxes, i, nodes, node)
            ):
                split(boxes, items, nodes, tree, links, state, node)
                if tree[node, FIRST] == NONE:
                    return False
            if tree[node, FIRST] != NONE:
                node = tree[node, FIRST]
                continue
            if not add_link(items, tree, links, state, i, node):
                return False
        while node != 0 and tree[node, CHILD] == 7:
            node = tree[node, PARENT]
        if node == 0:
            return True
        node += 1


@inlined
def covered(boxes, i, nodes, node):
    """Whether the box of item ``i`` holds all of a node."""
    return (
        boxes[i, 0] <= nodes[node, 0]
        and boxes[i, 1] <= nodes[node, 1]
        and boxes[i, 2] <= nodes[node, 2]
        and boxes[i, 3] >= nodes[node, 3]
        and boxes[i, 4] >= nodes[node, 4]
        and boxes[i, 5] >= nodes[node, 5]
    )
