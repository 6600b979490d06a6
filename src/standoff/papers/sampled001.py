"""The segment check that most planners make: samples at a fixed resolution. It proves nothing."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from standoff.cell import Cell
from standoff.errors import Error
from standoff.geometry.pose import Array
from standoff.geometry.shape import IntArray
from standoff.papers.kernels import sampled as s
from standoff.papers.pair_tables001 import Checked, PairTables


class SampledChecker:
    """Tests configurations on a segment, breadth first, the middle first, until neighbours are less
    than ``epsilon`` apart (paper 001, section 2).

    A contact between two samples is missed: ``free`` means only that no sample touched. It is the
    baseline that the exact checkers are measured against. The distance of two configurations is
    the largest ``|dq|`` of any joint over its range, so that ``epsilon`` is a part of the ranges.

    Args:
        epsilon: the resolution, [-]; 0 goes on until there is a contact or the budget is used up.
        ends: whether both ends are tested as well; a planner knows them to be free.
        budget: most configurations on one segment.
    """

    def __init__(
        self, cell: Cell, epsilon: float, *, ends: bool = True, budget: int = 1_000_000
    ) -> None:
        if not (isinstance(epsilon, (int, float)) and 0.0 <= epsilon < math.inf):
            raise Error("not a resolution", value=epsilon, allowed="a number >= 0")
        self.cell = cell
        self.epsilon = float(epsilon)
        self.ends = bool(ends)
        self.budget = int(budget)
        self._tables = PairTables(cell)

    @property
    def scale(self) -> Array:
        """What ``|dq|`` of each joint is multiplied by: one over its range."""
        return self._tables.scale

    def segment(self, qa: ArrayLike, qb: ArrayLike) -> Checked:
        """The segment from ``qa`` to ``qb``: ``free``, ``collision`` or ``undecided``."""
        tree = self.cell.tree
        start, end = tree.configuration(qa, "qa"), tree.configuration(qb, "qb")
        found, where = self.run(start[None], end[None])
        return self._tables.checked(found[0], float(where[0]), start, end)

    def segments(self, QA: ArrayLike, QB: ArrayLike) -> NDArray[np.bool_]:
        """Whether no sample touches, on each of many segments (n, joints); one compiled call."""
        tree = self.cell.tree
        found, _ = self.run(tree.configurations(QA, "QA"), tree.configurations(QB, "QB"))
        free: NDArray[np.bool_] = found[:, s.STATUS] == s.FREE
        return free

    def run(self, QA: Array, QB: Array) -> tuple[IntArray, Array]:
        """The tables of `papers.kernels.sampled.sampled_segments`: ``found`` and ``where``."""
        if self._tables.revision != self.cell.revision:
            self._tables = PairTables(self.cell)
        t = self._tables
        found = np.zeros((len(QA), s.FOUND_COLUMNS), dtype=np.int64)
        where = np.zeros(len(QA))
        s.sampled_segments(
            t.at, t.tree.reals, t.tree.ints, t.turns, QA, QB, t.scale, self.epsilon, self.ends,
            self.budget, t.movers, t.frame, t.local, t.rows, *t.tables, t.pairs,
            np.empty(len(t.tree.joints)), np.empty((t.tree.frames, 12)), t.work, t.iwork, t.out,
            found, where,
        )  # fmt: skip
        return found, where
