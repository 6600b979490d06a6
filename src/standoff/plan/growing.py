"""Trees that grow in compiled code, and who looks after them: time, room, random numbers."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter

import numpy as np

from standoff.index.arena import Arena
from standoff.kernels.plan import checking
from standoff.kernels.plan import layout as g
from standoff.kernels.plan.connect import grow_connect
from standoff.paths.checker import PathChecker
from standoff.plan.query import Query
from standoff.plan.result import Method, Progress, Reason
from standoff.plan.scratch import Borrowed
from standoff.plan.trees import new_trees, plant, roomier, sizes

#: How long compiled code runs before the outside world is looked at, [s], about.
_SLICE = 0.02

#: Edges of the first slice, and the most and fewest of any.
_EDGES = 64
_MOST = 1 << 20

#: Random numbers that are drawn at once, at first and at most.
_FEW = 512
_MANY = 1 << 16

#: Distances and configurations that one edge may take. Most take less than a hundred; one that
#: comes as close as this takes more time than a way around it.
_EDGE_BUDGET = 20_000


class Growing:
    """The search of one query.

    Attributes:
        trees: the tables of `kernels.plan.layout`.
        time: spent in `run`, [s].
    """

    def __init__(
        self, checker: PathChecker, query: Query, method: Method, step: float, seed: int
    ) -> None:
        self._query = query
        self._lent = Borrowed(checker)
        self._checker = checking.address()
        self._random = np.random.default_rng(seed)
        self._numbers = np.zeros(0)
        self._draw = _FEW
        self._slice = _EDGES
        self.trees: Arena = new_trees(query, step, min(checker.budget, _EDGE_BUDGET))
        self.time = 0.0

    @property
    def edges(self) -> int:
        """Checked so far."""
        return int(self.trees["header"][0, g.EDGES])

    @property
    def nodes(self) -> tuple[int, int]:
        """Of either tree."""
        return sizes(self.trees)

    def run(
        self,
        begun: float,
        end: float,
        progress: Callable[[Progress], object] | None,
        cancelled: Callable[[], bool] | None,
    ) -> Reason | None:
        """Grow until the trees meet (None), or until there is a reason to give up. ``begun`` and
        ``end`` are times of `perf_counter`."""
        since = perf_counter()
        try:
            while True:
                status = self._grow(since)
                if status == g.SOLVED:
                    return None
                if status == g.DRY:
                    self._refill()
                elif status == g.CROWDED:
                    self.trees = roomier(self.trees, self._query)
                elif status == g.CRAMPED:
                    self._lent.grow()
                now = perf_counter()
                if progress is not None and status == g.AGAIN:
                    progress(Progress(now - begun, self.edges, self.nodes))
                if cancelled is not None and cancelled():
                    return "cancelled"
                if now > end:
                    return "timeout"
        finally:
            self.time += perf_counter() - since

    def restart(self) -> None:
        """From the roots, with other random numbers."""
        plant(self.trees, self._query)
        self.trees["header"][0, g.PHASE] = g.SAMPLING

    def _grow(self, since: float) -> int:
        header = self.trees["header"][0]
        header[g.UNTIL] = header[g.EDGES] + self._slice
        begun, edges = perf_counter(), self.edges
        status = int(
            grow_connect(
                self._checker, *self._lent.arguments, self.trees.F, self.trees.W, self._numbers
            )
        )
        spent, checked = perf_counter() - begun, self.edges - edges
        if status == g.AGAIN:
            wanted = checked * _SLICE / max(spent, _SLICE / _MOST)
            self._slice = int(min(max(wanted, 1.0), 4.0 * self._slice, _MOST))
        return status

    def _refill(self) -> None:
        """More random numbers behind those that are left: the stream does not depend on how many
        are drawn at once."""
        header = self.trees["header"][0]
        left = self._numbers[int(header[g.CURSOR]) :]
        self._numbers = np.concatenate([left, self._random.random(self._draw)])
        header[g.CURSOR] = 0
        self._draw = min(2 * self._draw, _MANY)
