"""Trees that grow in compiled code, and who looks after them: time, room, random numbers."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter

from standoff.index.arena import Arena
from standoff.kernels.plan import checking
from standoff.kernels.plan import layout as g
from standoff.kernels.plan.connect import grow_connect
from standoff.paths.checker import PathChecker
from standoff.plan.borrowed import Borrowed
from standoff.plan.query import Query
from standoff.plan.result import Progress, Reason
from standoff.plan.stream import Numbers, Pace
from standoff.plan.trees import new_trees, plant, roomier, sizes

#: Distances and configurations that one edge may take. Most take less than a hundred; one that
#: comes so close that it takes more costs more than a way around it.
EDGE_BUDGET = 20_000


class Growing:
    """The search of one query by RRT-Connect.

    Attributes:
        trees: the tables of `kernels.plan.layout`.
        time: spent in `run`, [s].
    """

    def __init__(self, checker: PathChecker, query: Query, step: float, seed: int) -> None:
        self._query = query
        self._lent = Borrowed(checker)
        self._numbers = Numbers(seed)
        self._pace = Pace()
        self.trees: Arena = new_trees(query, step, min(checker.budget, EDGE_BUDGET))
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
                status = self._grow()
                if status == g.SOLVED:
                    return None
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

    def _grow(self) -> int:
        """One slice, and what it needs to go on."""
        trees, header = self.trees, self.trees["header"][0]
        begun, edges = perf_counter(), self.edges
        header[g.UNTIL] = edges + self._pace.tries
        status = int(
            grow_connect(
                checking.address(), *self._lent.arguments, trees.F, trees.W, self._numbers.values
            )
        )
        if status == g.AGAIN:
            self._pace.took(self.edges - edges, perf_counter() - begun)
        elif status == g.DRY:
            self._numbers.refill(int(header[g.CURSOR]))
            header[g.CURSOR] = 0
        elif status == g.CROWDED:
            self.trees = roomier(trees, self._query)
        elif status == g.CRAMPED:
            self._lent.grow()
        return status

    def close(self) -> None:
        """Let others use the scratch."""
        self._lent.give_back()
