"""The exact segment check as paper 001 describes it, every pair by itself."""

from __future__ import annotations

import math
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from standoff.cell import Cell
from standoff.errors import Error
from standoff.geometry.pose import Array
from standoff.geometry.shape import IntArray
from standoff.papers.kernels import pairwise as bounds
from standoff.papers.kernels import pairwise as heap
from standoff.papers.kernels import pairwise as k
from standoff.papers.kernels import sampled as s
from standoff.papers.pair_tables001 import Checked, PairTables

Bound = Literal["paper", "sharp"]
Cover = Literal["a", "b", "c"]

#: Instants whose poses are kept while a segment is searched, and rows of them at most.
_SLOTS = 258
_SLOT_ROWS = 1 << 16

#: Entries that the queue has room for, at first.
_ENTRIES = 8192


class PairwiseChecker:
    """Paper 001's checker: one entry of a priority queue a pair, the least covered first.

    ``free`` is proven: no two bodies touch at any instant of the segment. It is kept as the paper
    has it, to be compared with; `PathChecker` gives the same answers sooner, and more of them.

    Args:
        delta: a pair found at this distance or nearer at an instant that is looked at ends the
            search, [m]; 0 asks for contact itself, and then a pair that all but touches may need
            the whole budget.
        bound: how far bodies can get: ``paper``, reach times angle; ``sharp``, speed and curvature
            where that is shorter.
        cover: where an uncovered stretch is split, (a), (b) or (c) of the paper's Fig. 4.
        shared: whether poses are kept and shared by all pairs, which (a) alone allows.
        lazy: whether a pair is measured only when its turn comes, by the balls around its bodies;
            the paper measures all pairs at both ends first.
        effort: pairs of volumes that may be split to raise a greedy distance; the paper's has 0.
        budget: most distances taken on one segment; ``undecided`` beyond.
    """

    def __init__(
        self,
        cell: Cell,
        delta: float = 0.001,
        bound: Bound = "sharp",
        cover: Cover = "a",
        shared: bool = True,
        *,
        lazy: bool = True,
        effort: int = 0,
        budget: int = 1_000_000,
    ) -> None:
        if not (isinstance(delta, (int, float)) and 0.0 <= delta < math.inf):
            raise Error("not a distance", element="delta", value=delta, allowed="metres, >= 0")
        for name, value, allowed in (
            ("bound", bound, get_args(Bound)),
            ("cover", cover, get_args(Cover)),
        ):
            if value not in allowed:
                raise Error(f"unknown {name}", value=value, allowed=", ".join(allowed))
        self.cell = cell
        self.delta = float(delta)
        self.bound, self.cover = bound, cover
        self.shared, self.lazy = bool(shared), bool(lazy)
        self.effort, self.budget = int(effort), int(budget)
        self._room = _ENTRIES
        self._prepare()

    def segment(self, qa: ArrayLike, qb: ArrayLike) -> Checked:
        """The segment from ``qa`` to ``qb``."""
        tree = self.cell.tree
        start, end = tree.configuration(qa, "qa"), tree.configuration(qb, "qb")
        found, where = self.run(start[None], end[None])
        return self._tables.checked(found[0], float(where[0]), start, end)

    def segments(self, QA: ArrayLike, QB: ArrayLike) -> NDArray[np.bool_]:
        """Whether each of many segments (n, joints) is free, in one compiled call."""
        tree = self.cell.tree
        found, _ = self.run(tree.configurations(QA, "QA"), tree.configurations(QB, "QB"))
        free: NDArray[np.bool_] = found[:, s.STATUS] == s.FREE
        return free

    def run(self, QA: Array, QB: Array) -> tuple[IntArray, Array]:
        """The tables of `papers.kernels.pairwise.pairwise_segments`: ``found`` and ``where``."""
        if self._tables.revision != self.cell.revision:
            self._prepare()
        found = np.zeros((len(QA), s.FOUND_COLUMNS), dtype=np.int64)
        where = np.zeros(len(QA))
        self._call(QA, QB, found, where)
        while (full := np.flatnonzero(found[:, s.STATUS] == k.FULL)).size:
            self._room *= 4
            self._prepare()
            again, at = found[full], where[full]
            self._call(QA[full], QB[full], again, at)
            found[full], where[full] = again, at
        return found, where

    def _call(self, QA: Array, QB: Array, found: IntArray, where: Array) -> None:
        t, bound = self._tables, self._tables.bound
        k.pairwise_segments(
            t.at, t.tree.reals, t.tree.ints, t.turns, QA, QB, self.delta,
            self.bound == "sharp", get_args(Cover).index(self.cover), self.shared, self.lazy,
            self.effort, self.budget, t.movers, t.frame, t.local, t.balls, self._rows, *t.tables,
            t.pairs,
            bound.bodies, bound.chain, bound.reach, bound.points, bound.extent, bound.size,
            self._motion, self._totals, self._limits, np.empty(len(t.tree.joints)),
            self._poses, self._twists, self._entries, self._tags, self._heap, self._intervals,
            self._state, t.work, t.iwork, t.out, found, where,
        )  # fmt: skip

    def _prepare(self) -> None:
        """Tables and room for the cell as it is now."""
        t = self._tables = PairTables(self.cell)
        prims, frames, pairs = len(t.rows), t.tree.frames, len(t.pairs)
        slots = max(3, min(_SLOTS, _SLOT_ROWS // max(prims, frames, 1))) if self.shared else 3
        self._rows = np.tile(t.rows, (slots, 1))
        self._poses, self._twists = np.zeros((slots * frames, 12)), np.zeros((slots * frames, 6))
        longest = max(frames, len(t.tree.joints), len(t.bound.reach))
        self._motion = np.zeros((bounds.MOTION_ROWS, longest))
        self._totals = np.zeros((len(t.bound.bodies), bounds.LIMIT_COLUMNS))
        self._limits = np.zeros((pairs, bounds.LIMIT_COLUMNS))
        self._entries = np.zeros((self._room, heap.ENTRY_COLUMNS))
        self._tags = np.zeros((self._room, heap.TAG_COLUMNS), dtype=np.int64)
        self._heap = np.zeros(self._room, dtype=np.int64)
        self._intervals = np.zeros((4 * slots, heap.INTERVAL_COLUMNS), dtype=np.int64)
        self._state = np.zeros(heap.STATE, dtype=np.int64)
