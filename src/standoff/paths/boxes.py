"""A tree of boxes around what stands still, so that a motion asks only for what it can reach."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from standoff.constants import BOX_ROUNDING, EPS
from standoff.shapes.pose import Array
from standoff.shapes.shape import IntArray, Shape

#: Statics in a leaf at most: their balls are tested four at a time, so that many cost as much as a
#: few more boxes.
LEAF = 64


@dataclass(frozen=True, eq=False)
class BoxTree:
    """A binary tree of boxes, halved along the longest side of the middles.

    Attributes:
        order: the statics in the order of the leaves.
        boxes: (nodes, 6) low and high corner; the root is the first.
        leaves: (nodes, 3) left and right child and -1; or -1, first and past the last of the
            statics in ``order``.
    """

    order: IntArray
    boxes: Array
    leaves: IntArray

    def span(self, node: int) -> tuple[int, int]:
        """First and past the last place in ``order`` of what is under a node."""
        first = last = node
        while self.leaves[first, 0] >= 0:
            first = int(self.leaves[first, 0])
        while self.leaves[last, 0] >= 0:
            last = int(self.leaves[last, 1])
        return int(self.leaves[first, 1]), int(self.leaves[last, 2])


def world_box(shape: Shape, pose: Array) -> Array:
    """Low and high corner around a shape at a pose, rounded outwards."""
    low, high = shape.bounds()
    half = 0.5 * (high - low)
    middle = pose[:3, :3] @ (low + half) + pose[:3, 3]
    grown = np.abs(pose[:3, :3]) @ half
    grown += BOX_ROUNDING * EPS * (np.abs(middle).sum() + np.abs(pose[:3, 3]).sum() + grown.sum())
    return np.concatenate([middle - grown, middle + grown])


def box_tree(boxes: Array) -> BoxTree:
    """The tree of so many boxes (n, 6)."""
    order = np.arange(len(boxes), dtype=np.int64)
    made: list[Array] = []
    links: list[list[int]] = []
    middles = boxes[:, :3] + boxes[:, 3:]

    def build(first: int, last: int) -> int:
        inside = order[first:last]
        at = len(made)
        made.append(np.concatenate([boxes[inside, :3].min(axis=0), boxes[inside, 3:].max(axis=0)]))
        links.append([-1, first, last])
        if last - first > LEAF:
            spread = np.ptp(middles[inside], axis=0)
            along = middles[inside, int(np.argmax(spread))]
            order[first:last] = inside[np.argsort(along, kind="stable")]
            cut = (first + last) // 2
            links[at] = [build(first, cut), build(cut, last), -1]
        return at

    if len(boxes):
        build(0, len(boxes))
    return BoxTree(
        order,
        np.array(made).reshape(-1, 6),
        np.array(links, dtype=np.int64).reshape(-1, 3),
    )
