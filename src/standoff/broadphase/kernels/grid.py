"""The grid: leaves of one size in a row, and no tree above them."""

from __future__ import annotations

import math

from standoff.broadphase.kernels.octree import add_link, overlaps
from standoff.broadphase.kernels.tables import NONE
from standoff.compiled.jit import inlined, kernel


@kernel
def insert_cells(index, i):
    """Insert item ``i`` into all cells that its box meets. False where the links ran out."""
    boxes, side = index.boxes, index.state.side
    scale = side / index.state.edge
    x0, x1 = span(boxes[i, 0], boxes[i, 3], index.low[0], scale, side)
    y0, y1 = span(boxes[i, 1], boxes[i, 4], index.low[1], scale, side)
    z0, z1 = span(boxes[i, 2], boxes[i, 5], index.low[2], scale, side)
    for z in range(z0, z1 + 1):
        for y in range(y0, y1 + 1):
            for x in range(x0, x1 + 1):
                cell = x + side * (y + side * z)
                if overlaps(index, i, cell) and not add_link(index, i, cell):
                    return False
    return True


@kernel
def span(low, high, origin, scale, side):
    """The cells that may meet [low, high] on one axis. One more on each side: the quotient may be
    off by a rounding, and what touches a face is in both cells. A box with no place yet begins at
    infinity, which no whole number is."""
    first = math.floor(min(max((low - origin) * scale, 0.0), float(side))) - 1
    last = math.floor(min(max((high - origin) * scale, 0.0), float(side))) + 1
    return max(first, 0), min(last, side - 1)


@inlined
def grid_neighbour(side, cell, dx, dy, dz):
    """The cell next to ``cell``; cells are numbered x first, then y, then z."""
    x = cell % side + dx
    y = (cell // side) % side + dy
    z = cell // (side * side) + dz
    if x < 0 or y < 0 or z < 0 or x >= side or y >= side or z >= side:
        return NONE
    return x + side * (y + side * z)
