"""Codes of a region octree and coordinates, many at a time."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np

from standoff.kernels.overlap.region_codes import LEVEL, gathered, spread
from standoff.overlap.region_leaves import Marks
from standoff.shapes.pose import Array
from standoff.shapes.shape import IntArray

# The kernels' own functions on whole numbers serve whole arrays where they are not compiled.
_spread = getattr(spread, "py_func", spread)
_gathered = getattr(gathered, "py_func", gathered)


def corners_of(codes: IntArray, marks: Marks, levels: int) -> IntArray:
    """Low and high corners (n, 6) of leaves, in cells of the finest level."""
    low = np.stack([_gathered(codes >> axis) for axis in range(3)], axis=1)
    size = np.left_shift(1, levels - (marks & LEVEL).astype(np.int64))
    return np.concatenate((low, low + size[:, None]), axis=1)


def cell_codes(
    points: Array, slack: Array, low: Array, cell: float, levels: int
) -> Iterator[IntArray]:
    """The codes of the finest nodes that points within the root cube may lie in: up to eight, as a
    point on a face, as far as rounding can tell, lies in both."""
    last = (1 << levels) - 1
    sides = [
        np.clip(np.floor((points + sign * slack - low) / cell), 0, last).astype(np.int64)
        for sign in (-1.0, 1.0)
    ]
    for choice in product((0, 1), repeat=3):
        codes = [_spread(sides[side][:, axis]) << axis for axis, side in enumerate(choice)]
        yield codes[0] | codes[1] | codes[2]
