"""The index that a monitor was asked for, around all that it watches."""

from __future__ import annotations

import numpy as np

from standoff.cell import Cell
from standoff.constants import REGION_INDEX_LEVELS, ROOT_MARGIN
from standoff.index import Grid, Index, Naive, Octree, Region
from standoff.monitor.limits import Reaches
from standoff.monitor.options import Options
from standoff.monitor.tables import own_box
from standoff.shapes.pose import Array


def new_index(
    cell: Cell, options: Options, slots: int, boxes: Array, reaches: Reaches, smallest: float
) -> Index:
    """An empty index for ``slots`` items; ``boxes`` are those of what stands still, and no node is
    to be smaller than ``smallest``."""
    if options.index == "naive":
        return Naive(slots)
    low, edge = _root_cube(cell, options, boxes, reaches)
    if options.index == "grid":
        return Grid(slots, low, edge, side=options.grid, wrap=options.wrap)
    if options.index == "region":
        if options.smallest is None:
            smallest = max(smallest, edge / 2.0**REGION_INDEX_LEVELS)
        return Region(slots, low, edge, smallest=smallest, wrap=options.wrap)
    octree = Octree(slots, low, edge, split=options.split, smallest=smallest, wrap=options.wrap)
    if options.reserve != 0.0:
        octree.search_from_above()
    return octree


def _root_cube(cell: Cell, options: Options, boxes: Array, reaches: Reaches) -> tuple[Array, float]:
    """Low corner and edge of a cube around all that stands still, all that the joints reach and
    where the moving bodies are now."""
    if options.root is not None:
        centre, edge = options.root
        return centre - 0.5 * edge, edge
    still = boxes[np.isfinite(boxes).all(axis=1)]
    corners = [still[:, :3], still[:, 3:]]
    far = float(reaches.farthest[np.isfinite(reaches.farthest)].max(initial=0.0))
    if far:
        corners.append(np.array([[-far] * 3, [far] * 3]))
    for name in cell.moving:
        body = cell.bodies[name]
        _, _, reach = own_box(body.shape)
        at = body.pose[:3, 3]
        corners.append(np.array([at - 2.0 * reach, at + 2.0 * reach]))
    points = np.concatenate(corners)
    if not len(points):
        return np.full(3, -0.5), 1.0
    low, high = points.min(axis=0), points.max(axis=0)
    edge = float((high - low).max()) * (1.0 + 2.0 * ROOT_MARGIN) or 1.0
    return 0.5 * (low + high) - 0.5 * edge, edge
