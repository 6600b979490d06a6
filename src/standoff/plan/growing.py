"""Trees that grow in compiled code, and who looks after them: time, room, random numbers.

Random numbers for compiled code, and how long it runs at a time.

The checker's tables and scratch, as growing kernels take them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from time import perf_counter
from typing import Any

import numpy as np

from standoff.compiled.arenas import Arena
from standoff.errors import PlanError
from standoff.geometry.pose import Array
from standoff.paths.checker import PathChecker
from standoff.paths.options import LARGEST_BUDGET
from standoff.paths.verdict import Verdict
from standoff.plan.kernels import layout as g
from standoff.plan.query import Query
from standoff.plan.result import Progress, Reason

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


#: Random numbers that are drawn at once, at first and at most.
_FEW = 512
_MANY = 1 << 16

#: How long compiled code runs before the outside world is looked at, [s], about.
_SLICE = 0.02

#: Tries of the first slice, and the most of any.
_TRIES = 64
_MOST = 1 << 20


class Numbers:
    """Numbers from 0 to 1, 1 not among them, one stream for each seed.

    Attributes:
        values: those at hand.
    """

    def __init__(self, seed: int) -> None:
        self._random = np.random.default_rng(seed)
        self._draw = _FEW
        self.values: Array = np.zeros(0)

    def refill(self, used: int) -> None:
        """More behind those that are left after ``used`` ones: the stream does not depend on how
        many are drawn at once."""
        self.values = np.concatenate([self.values[used:], self._random.random(self._draw)])
        self._draw = min(2 * self._draw, _MANY)


class Pace:
    """How many tries make a slice; what is tried does not depend on it.

    Attributes:
        tries: of the next slice.
    """

    def __init__(self) -> None:
        self.tries = _TRIES

    def took(self, tries: int, seconds: float) -> None:
        """Learn from a slice that is over."""
        wanted = tries * _SLICE / max(seconds, _SLICE / _MOST)
        self.tries = int(min(max(wanted, 1.0), 4.0 * self.tries, _MOST))


class Borrowed:
    """Tables of a checker as they are now, with scratch that nobody else uses meanwhile.

    Attributes:
        resting: where moving bodies stand, as the scratch has them.
        stepper: address of what looks at one interval; the checker's own, unless it is changed.
    """

    def __init__(self, checker: PathChecker) -> None:
        self.tables = checker.tables
        self.scratch: Arena = checker.scratch(self.tables)
        self.resting: Array = self.scratch["glides"].copy()
        self.stepper = self.tables.stepper
        self._returned = False

    @property
    def arguments(self) -> tuple[Any, ...]:
        """``stepper, general, CF, CW, SF, SW`` of `check_segments`."""
        t = self.tables
        return self.stepper, t.general, t.arena.F, t.arena.W, self.scratch.F, self.scratch.W

    def grow(self) -> None:
        """Twice the room for what a segment leaves open."""
        names = ("nodes", "linked", "pool")
        self.scratch = self.scratch.grown({name: 2 * len(self.scratch[name]) for name in names})

    def give_back(self) -> None:
        """Let others use the scratch; a second time it does nothing."""
        if not self._returned:
            self.tables.spare.append(self.scratch)
        self._returned = True
