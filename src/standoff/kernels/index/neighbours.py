"""Neighbours of a node across faces, edges and corners, in the octree and in the grid."""

from __future__ import annotations

from standoff.kernels.index.layout import (
    CHILD,
    FIRST,
    GRID,
    KIND,
    NEIGHBOURS,
    NONE,
    PARENT,
    SIDE,
)
from standoff.kernels.jit import inlined


@inlined
def neighbour(tree, state, node, dx, dy, dz):
    """The node next to ``node`` in the direction (dx, dy, dz), each -1, 0 or 1: of its size, or a
    larger leaf; NONE beyond the root."""
    state[0, NEIGHBOURS] += 1
    if state[0, KIND] == GRID:
        return grid_neighbour(state[0, SIDE], node, dx, dy, dz)
    # Upwards: a step that stays within the parent is done on that axis; one that leaves it is the
    # parent's own step. The way back down is the same with the sides stepped over changed, three
    # bits a level; 20 levels, the deepest a tree gets, fit into 63 bits.
    path = 0
    levels = 0
    while dx != 0 or dy != 0 or dz != 0:
        if tree[node, PARENT] == NONE:
            return NONE
        c = tree[node, CHILD]
        node = tree[node, PARENT]
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
    while levels > 0 and tree[node, FIRST] != NONE:
        node = tree[node, FIRST] + (path & 7)
        path >>= 3
        levels -= 1
    return node


@inlined
def grid_neighbour(side, cell, dx, dy, dz):
    """The cell next to ``cell``; cells are numbered x first, then y, then z."""
    x = cell % side + dx
    y = (cell // side) % side + dy
    z = cell // (side * side) + dz
    if x < 0 or y < 0 or z < 0 or x >= side or y >= side or z >= side:
        return NONE
    return x + side * (y + side * z)
