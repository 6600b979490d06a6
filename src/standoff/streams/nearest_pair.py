"""Which pair is nearest while none is too close: for lines that people read."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass

import numpy as np

from standoff.cell import Cell
from standoff.constants import COORDINATE_LIMIT, NEAREST_PAIRS, NEAREST_SHARE
from standoff.errors import Error
from standoff.paths.nearest_now import NearestFinder, NearPair
from standoff.shapes.pose import Array
from standoff.streams.report import Report


@dataclass(frozen=True)
class Nearby:
    """Attributes:
    pair: two bodies, and how far apart they are.
    sure: whether no other pair was nearer.
    """

    pair: NearPair
    sure: bool


class NearestPair:
    """Looks for the nearest pair of a cell at the places of a report, on the thread of a sink.

    The links of a robot are always near each other: pairs within a robot are looked at only in a
    cell that has no others. A search takes as much time as NEAREST_SHARE allows; between two of
    them the pair of the last is measured anew. The monitor does not need any of this: whatever is
    too close is in its report.

    Attributes:
        useful: whether there are pairs to look for, and not too many.
    """

    def __init__(self, cell: Cell) -> None:
        self._cell = cell
        self._moving, self._due = 0, -math.inf
        self._build()
        if self.useful:  # the kernels are ready before the first reading comes
            poses = [cell.pose(name) for name in cell.moving]
            self._finder.at(self._frames(cell.q, np.array(poses).reshape(-1, 4, 4)))

    def at(self, report: Report) -> Nearby | None:
        """The nearest pair; None where places are missing or no numbers, or the cell changes."""
        poses = np.zeros((0, 4, 4)) if report.poses is None else report.poses
        if report.cycle is None or report.q is None or not self._current():
            return None
        if len(poses) != self._moving or not (np.abs(poses) <= COORDINATE_LIMIT).all():
            return None
        frames, begun = self._frames(report.q, poses), time.monotonic()
        sure = begun >= self._due
        pair = self._finder.at(frames) if sure else self._finder.again(frames)
        if sure:
            self._due = begun + (time.monotonic() - begun) / NEAREST_SHARE
        return None if pair is None else Nearby(pair, sure)

    def _build(self) -> None:
        cell = self._cell
        self._due = -math.inf
        self._revision, self._tree, self._moving = cell.revision, cell.tree, len(cell.moving)
        finder = NearestFinder(cell, "others")
        self._finder = finder if finder.any else NearestFinder(cell)
        self.useful = 0 < self._finder.count <= NEAREST_PAIRS

    def _current(self) -> bool:
        """Whether the finder is that of the cell. The watch may change the cell at any time, also
        now: what was read of it meanwhile does not count, whatever came of it."""
        if self._cell.revision != self._revision:
            try:
                self._build()
            except (Error, RuntimeError, LookupError, ValueError):
                self._revision = -1
        return self.useful and self._cell.revision == self._revision

    def _frames(self, q: Array, poses: Array) -> Array:
        return np.concatenate([self._tree.forward(q), poses])
