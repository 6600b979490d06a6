"""Trees that grow in compiled code, and who looks after them: time, room, random numbers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from time import perf_counter

import numpy as np

from standoff.errors import PlanError
from standoff.kernels.plan import layout as g
from standoff.paths.checker import PathChecker
from standoff.paths.options import LARGEST_BUDGET
from standoff.paths.verdict import Verdict
from standoff.plan.borrowed import Borrowed
from standoff.plan.query import Query
from standoff.plan.result import Progress, Reason
from standoff.plan.stream import Numbers, Pace
from standoff.shapes.pose import Array

#: Distances and configurations that one edge may take. Most take less than a hundred; one that
#: comes so close that it takes more costs more than a way around it.
EDGE_BUDGET = 20_000


class Growing(ABC):
    """The search of one query, in slices. What it finds does not depend on how long they are.

    Attributes:
        time: spent in `run`, [s].
    """

    #: Entry of the kernel that grows.
    kernel: str

    def __init__(self, checker: PathChecker, query: Query, seed: int) -> None:
        self.query = query
        self._checker = checker
        self.lent = Borrowed(checker)
        self.numbers = Numbers(seed)
        self.pace = Pace()
        self.budget = min(checker.budget, EDGE_BUDGET)
        self.time = 0.0

    @property
    @abstractmethod
    def edges(self) -> int:
        """Checked so far."""

    @property
    @abstractmethod
    def nodes(self) -> tuple[int, int]:
        """Of the tree from the start, and of that from the goals."""

    @abstractmethod
    def grow(self) -> int:
        """One slice, and what it needs to go on: why the kernel came back."""

    @abstractmethod
    def path(self) -> tuple[Array, int]:
        """The waypoints where the trees have met, and which goal they lead to."""

    @abstractmethod
    def restart(self) -> None:
        """From the roots, with other random numbers."""

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
                status = self.grow()
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

    def close(self) -> None:
        """Let others use the scratch, until it goes on."""
        self.lent.give_back()

    def reopen(self) -> None:
        """Go on from the roots, with other random numbers.

        Raises:
            PlanError: the cell is not the one that the trees grew in.
        """
        before = self.lent
        self.lent = Borrowed(self._checker)
        moved = self.lent.tables is not before.tables
        if moved or not np.array_equal(self.lent.resting, before.resting):
            raise PlanError(
                "the cell changed while a path was searched",
                element="cell",
                allowed="a cell that stays as it is until plan returns",
            )
        self.restart()


def prove(checker: PathChecker, waypoints: Array, budget: int) -> Verdict:
    """The verdict on a path whose every segment was proved with no more than ``budget`` tests: as
    many for each, so that no path is too long for its proof."""
    enough = min(budget * max(len(waypoints) - 1, 1), LARGEST_BUDGET)
    return checker.path(waypoints, budget=max(checker.budget, enough))
