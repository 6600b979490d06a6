"""The leaves of a region octree: split until a node is wholly inside a body, wholly outside of all,
or as small as the resolution allows. Counted level by level, without keeping the tree."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from standoff.cell import Cell
from standoff.shapes.pose import Array
from standoff.shapes.primitives import Box, Capsule

#: Halvings of an interval that find the point of an axis nearest to a cube, [-]: 1e-9 of it left.
_THIRDS = 52


@dataclass(frozen=True)
class Leaves:
    """How many leaves, and how many of them hold something."""

    total: int
    filled: int


@dataclass(frozen=True, eq=False)
class Solid:
    """The points within ``radius`` of a box with corners ``low``, ``high`` along the axes of
    coordinates, or of the segment from ``low`` to ``high``, [m]."""

    low: Array
    high: Array
    radius: float
    segment: bool

    def meets(self, centres: Array, half: float) -> np.ndarray:
        """Which cubes (n, 3) of that half edge overlap it; touching is not enough."""
        if not self.segment:
            inside = (centres + half > self.low) & (centres - half < self.high)
            return np.asarray(inside.all(axis=1))
        # The distance from a convex body is convex along a segment: thirds close in on the least.
        start, end = np.zeros(len(centres)), np.ones(len(centres))
        for _ in range(_THIRDS):
            third = (end - start) / 3.0
            a, b = start + third, end - third
            nearer = self._apart(a, centres, half) < self._apart(b, centres, half)
            start, end = np.where(nearer, start, a), np.where(nearer, b, end)
        return self._apart(0.5 * (start + end), centres, half) < self.radius

    def _apart(self, t: Array, centres: Array, half: float) -> Array:
        point = self.low + t[:, None] * (self.high - self.low)
        gap = np.maximum(np.abs(point - centres) - half, 0.0)
        return np.asarray(np.linalg.norm(gap, axis=1))

    def holds(self, centres: Array, half: float) -> np.ndarray:
        """Which cubes are wholly inside: all corners are, as it is convex."""
        if not self.segment:
            inside = (centres - half >= self.low) & (centres + half <= self.high)
            return np.asarray(inside.all(axis=1))
        axis = self.high - self.low
        length = float(axis @ axis)
        found = np.ones(len(centres), dtype=bool)
        for corner in np.ndindex(2, 2, 2):
            point = centres + half * (2.0 * np.array(corner) - 1.0)
            t = np.clip((point - self.low) @ axis / length, 0.0, 1.0) if length else 0.0
            nearest = self.low + np.multiply.outer(t, axis)
            found &= np.linalg.norm(point - nearest, axis=1) <= self.radius
        return found


def solids_of(cell: Cell, q: Array, names: Collection[str] | None = None) -> list[Solid]:
    """The capsules and boxes of a cell at ``q``, or of the bodies named; boxes must stand along the
    axes of coordinates, as those of the test bed do."""
    world = cell.world
    frames = cell.tree.forward(q)
    found = []
    for name, parts, frame in zip(world.names, world.parts, world.frame):
        if names is not None and name not in names:
            continue
        for shape, local in parts:
            pose = frames[frame] @ local
            centre = pose[:3, 3]
            if isinstance(shape, Capsule):
                along = pose[:3, 2] * shape.length / 2.0
                found.append(Solid(centre - along, centre + along, shape.radius, True))
            elif isinstance(shape, Box) and np.array_equal(pose[:3, :3], np.eye(3)):
                half = np.array(shape.size) / 2.0
                found.append(Solid(centre - half, centre + half, 0.0, False))
            else:
                raise TypeError(f"{name}: neither a capsule nor a box along the axes")
    return found


def region_leaves(
    solids: Sequence[Solid], root: tuple[Sequence[float], float], levels: int
) -> Leaves:
    """Count the leaves of the region octree with its smallest nodes ``levels`` below the root."""
    centres = np.array(root[0], dtype=float)[None]
    half = root[1] / 2.0
    total = filled = 0
    for level in range(levels + 1):
        touched = np.zeros(len(centres), dtype=bool)
        inside = np.zeros(len(centres), dtype=bool)
        for solid in solids:
            touched |= solid.meets(centres, half)
            inside |= solid.holds(centres, half)
        split = touched & ~inside if level < levels else np.zeros(len(centres), dtype=bool)
        total += int((~split).sum())
        filled += int((touched & ~split).sum())
        half /= 2.0
        steps = half * (2.0 * np.array(list(np.ndindex(2, 2, 2))) - 1.0)
        centres = (centres[split][:, None] + steps).reshape(-1, 3)
    return Leaves(total, filled)
