"""World boxes of parts: which pairs are near enough to be looked at, and how far the others are."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from standoff.geometry.mesh import Mesh
from standoff.geometry.narrowphase import layout
from standoff.geometry.narrowphase.aabb import bound_all
from standoff.geometry.pose import Array
from standoff.geometry.shape import IntArray
from standoff.overlap.finding import Gap
from standoff.overlap.part import Part
from standoff.tolerances import EPS

#: The root of a sum of three squares is good to a few roundings.
_SURELY = 1.0 - 4.0 * EPS


class WorldBoxes:
    """Axis-aligned boxes of parts in the world, a rounding wider than the parts.

    Attributes:
        low, high: corners (n, 3), [m]; infinite where a part is.
    """

    def __init__(self, parts: Sequence[Part]) -> None:
        boxes = np.empty((len(parts), 6))
        for k, part in enumerate(parts):
            boxes[k] = _box(part)
        self.low: Array = boxes[:, :3]
        self.high: Array = boxes[:, 3:]

    def gap(self, i: int, j: int) -> float:
        """Parts ``i`` and ``j`` are at least so far apart, [m]; 0 where the boxes meet."""
        return float(self.gaps(i, np.array([j]))[0])

    def gaps(self, i: int, others: IntArray) -> Array:
        """The same against several."""
        apart = np.maximum(self.low[others] - self.high[i], self.low[i] - self.high[others])
        return np.asarray(_SURELY * np.sqrt((np.maximum(apart, 0.0) ** 2).sum(axis=1)))

    def shared(self, i: int, j: int, clearance: float) -> tuple[Array, Array]:
        """Corners of the box of all places where the two can be as near as ``clearance``: the
        boxes, each grown by it, in common."""
        low = np.maximum(self.low[i], self.low[j]) - clearance
        high = np.minimum(self.high[i], self.high[j]) + clearance
        return low, np.maximum(low, high)

    def near(self, reach: float) -> IntArray:
        """(m, 2): the pairs i < j whose boxes are not farther apart than ``reach``, in the order of
        the parts. Sort and sweep, along the axis on which the boxes are spread most."""
        n = len(self.low)
        spread = (
            np.ptp(np.where(np.isfinite(self.low), self.low, 0.0), axis=0) if n else np.zeros(3)
        )
        axis = int(np.argmax(spread))
        order = np.argsort(self.low[:, axis], kind="stable")
        starts = self.low[order, axis]
        # Everything that starts before a box ends may reach it; the one after that may not.
        ends = np.searchsorted(starts, self.high[order, axis] + reach, side="right")
        found = [np.zeros((0, 2), dtype=np.int64)]
        for k, i in enumerate(order.tolist()):
            others = order[k + 1 : ends[k]]
            others = others[self.gaps(i, others) <= reach]
            if len(others):
                found.append(np.stack([np.minimum(i, others), np.maximum(i, others)], axis=1))
        pairs = np.concatenate(found)
        return pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))]


def box_gap(parts: Sequence[Part], i: int, j: int, method: str, distance: float) -> Gap:
    """What is said of a pair whose boxes are apart."""
    return Gap(parts[i].name, parts[j].name, method, distance, None, "their world boxes are apart")


def _box(part: Part) -> Array:
    shape = part.shape
    rows = np.zeros((1, layout.ROW_COLUMNS))
    rows[0, : layout.SIZE] = part.pose[:3].reshape(12)
    rows[0, layout.SIZE :] = shape.size_row
    # The vertices and not the geometry of a mesh, whose tree nobody may need.
    points = np.array(shape.vertices) if isinstance(shape, Mesh) else shape.geometry.points
    refs = np.zeros((1, layout.REF_COLUMNS), dtype=np.int64)
    refs[0, layout.KIND], refs[0, layout.POINTS] = shape.kind, len(points)
    box = np.empty((1, 6))
    bound_all(rows, refs, points, box)
    return np.asarray(box[0])
