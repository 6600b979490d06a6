"""Interference by region octrees: parts meet where their trees have a node in common."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from standoff.geometry.distance import distance
from standoff.geometry.pose import Array
from standoff.overlap.amounts import amount
from standoff.overlap.finding import Gap, Overlap
from standoff.overlap.part import Part
from standoff.overlap.region import (
    CELL_ROUNDING,
    RegionTree,
    TooManyLeavesError,
    corners_of,
    placed_box,
)
from standoff.overlap.region_meets import Meeting, meets
from standoff.overlap.region_root import check_leaves, common_root, levels_for, too_fine
from standoff.tolerances import EPS, ROUNDING_UNITS

#: Smallest and largest number of levels that a comparison of parts by region octrees chooses where
#: no resolution is asked for, [-]: 1/32 and 1/256 of the scene, and how many cells the smallest
#: part is to be long, [-].
USUAL_REGION_LEVELS = (5, 8)
USUAL_REGION_CELLS = 16.0


class OctreeMethod:
    """Trees of all parts with one root cube around them, each made when it is first needed. Half
    spaces are cut off at the cube: what else there is lies inside it, and can meet them nowhere
    else.

    Args:
        parts: what is compared.
        resolution: the finest nodes are no wider, [m]; None: a sixteenth of the smallest part, but
            not below 1/256 of the scene.
        clearance: parts that are no farther apart overlap, [m]; each is grown by half of it.

    Attributes:
        tests: "trees" built, "leaves" in them, "nodes" that parallel traversals looked at.
    """

    def __init__(
        self, parts: Sequence[Part], *, resolution: float | None, clearance: float
    ) -> None:
        self.parts = tuple(parts)
        self.clearance = amount("clearance", clearance, "m")
        # Twice the half, rounded up, is no less than the clearance.
        self.grow = math.nextafter(0.5 * self.clearance, math.inf) if self.clearance else 0.0
        self.root = common_root(self.parts, grow=self.grow)
        self.levels = (
            self._usual_levels() if resolution is None else levels_for(self.root[1], resolution)
        )
        check_leaves(self.parts, self.root[1] / 2.0**self.levels, self.grow)
        self.tests = {"trees": 0, "leaves": 0, "nodes": 0}
        self._trees: dict[int, RegionTree] = {}

    def tree(self, i: int) -> RegionTree:
        """The tree of part ``i``, grown by half the clearance."""
        if i not in self._trees:
            part = self.parts[i]
            try:
                tree = RegionTree.build(
                    part.shape, part.pose, root=self.root, levels=self.levels, grow=self.grow
                )
            except TooManyLeavesError as error:
                cell = self.root[1] / 2.0**self.levels
                raise too_fine(part.name, cell, 2.0 * cell) from error
            self._trees[i] = tree
            self.tests["trees"] += 1
            self.tests["leaves"] += len(tree)
        return self._trees[i]

    def judge(self, i: int, j: int) -> Overlap | Gap:
        """Part ``i`` against part ``j``."""
        a, b = self.tree(i), self.tree(j)
        if a.outside and b.outside:
            return self._of_half_spaces(i, j)
        found = meets(a, b)
        self.tests["nodes"] += found.visited
        return self._overlap(i, j, found) if found else self._gap(i, j, found.visited)

    def _overlap(self, i: int, j: int, found: Meeting) -> Overlap:
        certain = bool(found.sure.any())
        words = f"{len(found.places)} common nodes"
        words += f", {int(found.sure.sum())} of them inside both" if certain else ", none for sure"
        return Overlap(
            self.parts[i].name,
            self.parts[j].name,
            "octree",
            certain,
            None,
            found.places[:, :3].min(axis=0),
            found.places[:, 3:].max(axis=0),
            f"{words}; {self._resolution()}",
        )

    def _gap(self, i: int, j: int, visited: int) -> Gap:
        a, b = self.tree(i), self.tree(j)
        return Gap(
            self.parts[i].name,
            self.parts[j].name,
            "octree",
            self.clearance + _apart(a, b),
            None,
            f"no common node among {visited}; {self._resolution()}",
        )

    def _of_half_spaces(self, i: int, j: int) -> Overlap | Gap:
        """Two parts that both reach beyond the cube: half spaces, whose distance is known."""
        a, b = self.parts[i], self.parts[j]
        value = distance(a.shape, a.pose, b.shape, b.pose).value
        far = float(np.abs(a.pose[:3, 3]).sum() + np.abs(b.pose[:3, 3]).sum())
        value -= ROUNDING_UNITS * EPS * far
        if value > self.clearance:
            words = "two half spaces that face away from each other"
            return Gap(a.name, b.name, "octree", value, None, words, exact=True)
        low, high = np.full(3, -np.inf), np.full(3, np.inf)
        words = "two half spaces that overlap"
        return Overlap(a.name, b.name, "octree", True, value, low, high, words)

    def _resolution(self) -> str:
        return f"nodes of {self.root[1] / 2.0**self.levels:.3g} m"

    def _usual_levels(self) -> int:
        sizes = [
            float(_extents(placed_box(part.shape, part.pose)).max())
            for part in self.parts
            if part.shape.bounded
        ]
        least, most = USUAL_REGION_LEVELS
        if not sizes:
            return least
        cells = USUAL_REGION_CELLS * self.root[1] / min(sizes)
        return min(max(math.ceil(math.log2(cells)), least), most)


def _apart(a: RegionTree, b: RegionTree) -> float:
    """No leaf of one tree is nearer to one of the other, [m]: how far the boxes around all leaves
    are apart, counted in cells."""
    if not len(a) or not len(b):  # nothing is inside the cube, and it holds all parts
        return 0.0
    one, two = (corners_of(t.codes, t.marks, t.levels) for t in (a, b))
    between = np.maximum(
        one[:, :3].min(axis=0) - two[:, 3:].max(axis=0),
        two[:, :3].min(axis=0) - one[:, 3:].max(axis=0),
    )
    cells = math.sqrt(float((np.maximum(between, 0) ** 2).sum()))
    return cells * a.cell * (1.0 - CELL_ROUNDING)


def _extents(box: Array) -> Array:
    return np.asarray(box[3:] - box[:3])
