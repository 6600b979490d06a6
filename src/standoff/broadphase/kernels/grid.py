"""The grid: leaves of one size in a row, and no tree above them."""

from __future__ import annotations

import math

from standoff.broadphase.kernels.layout import SIDE
from standoff.broadphase.kernels.links import add_link, overlaps
from standoff.compiled.jit import kernel


@kernel
def insert_cells(boxes, items, nodes, space, tree, links, state, i):
    """Insert item ``i`` into all cells that its box meets. False where the links ran out."""
    side = state[0, SIDE]
    scale = side / space[0, 3]
    x0, x1 = span(boxes[i, 0], boxes[i, 3], space[0, 0], scale, side)
    y0, y1 = span(boxes[i, 1], boxes[i, 4], space[0, 1], scale, side)
    z0, z1 = span(boxes[i, 2], boxes[i, 5], space[0, 2], scale, side)
    for z in range(z0, z1 + 1):
        for y in range(y0, y1 + 1):
            for x in range(x0, x1 + 1):
                cell = x + side * (y + side * z)
                if overlaps(boxes, i, nodes, cell, state) and not add_link(
                    items, tree, links, state, i, cell
                ):
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
