"""Segments and clocks for the experiments of paper 001.

Random segments run between two configurations drawn evenly from within the joint limits, both free.
Whether a segment collides is settled by the exact checker. Contenders are timed over the same
segments, block after block in turn, so that a busy machine hits all alike; what counts is the time
of the processor, of all threads together.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

import standoff as so
from standoff.cell import Cell
from standoff.errors import Error
from standoff.geometry.pose import Array
from standoff.papers.kernels import sampled as s
from standoff.papers.pairwise001 import PairwiseChecker
from standoff.papers.sampled001 import SampledChecker
from standoff.papers.scenes001 import scene

#: Where an experiment asks for contact itself, a checker that needs a tolerance above 0 is given
#: this one, [m]: a thousandth of the smallest distance that the experiments tell apart.
CONTACT_TOLERANCE = 1e-6


K = TypeVar("K", bound=str)

#: Says what is under way, and how far it is: 0 to 1.
Progress = Callable[[str, float], None]

#: Segments that are timed for themselves before the next contender has its turn.
_BLOCK = 20

#: Segments drawn at a time.
_DRAWN = 64


class Checker(Protocol):
    """All that an experiment needs of a checker."""

    def segments(self, QA: Array, QB: Array) -> NDArray[np.bool_]:
        """Whether each segment is free."""
        ...


@dataclass(frozen=True, eq=False)
class Segments:
    """From ``QA[k]`` to ``QB[k]``."""

    QA: Array
    QB: Array

    def __len__(self) -> int:
        return len(self.QA)

    def part(self, first: int, last: int) -> Segments:
        """Some of them."""
        return Segments(self.QA[first:last], self.QB[first:last])


class Bench:
    """Scenes and segments, made once, and how many of them an experiment takes.

    Attributes:
        quick: few segments and configurations.
        count: segments of each kind; configurations: of Table 1; links: segments of Fig. 5.
        runs: runs by which ε is found, and segments in a run.
    """

    def __init__(self, *, quick: bool = False, progress: Progress | None = None) -> None:
        self.quick = quick
        self.count = 20 if quick else 1000
        self.configurations = 20 if quick else 1000
        self.runs = (10, 20) if quick else (10, 100)
        self.tell: Progress = progress or (lambda what, part: None)
        self._cells: dict[str, Cell] = {}
        self._segments: dict[tuple[str, str], Segments] = {}
        self._epsilon: dict[str, float] = {}

    def cell(self, figure: str) -> Cell:
        """The scene of a figure."""
        if figure not in self._cells:
            self.tell(f"Fig. {figure}: building the scene", 0.0)
            self._cells[figure] = scene(figure)
        return self._cells[figure]

    def free_configurations(self, figure: str, count: int, rng: np.random.Generator) -> Array:
        """Configurations that touch nothing, (count, joints)."""
        cell = self.cell(figure)
        test = SampledChecker(cell, np.finfo(float).max)
        found = np.empty((0, len(cell.joints)))
        while len(found) < count:
            Q = rng.uniform(cell.tree.lower, cell.tree.upper, (count, len(cell.joints)))
            found = np.concatenate([found, Q[test.segments(Q, Q)]])
        return found[:count]

    def random_segments(self, figure: str, count: int) -> Segments:
        """Between two free configurations each, whatever is between."""
        key = figure, f"random {count}"
        if key not in self._segments:
            rng = np.random.default_rng([1, *_base(figure).encode()])
            Q = self.free_configurations(figure, 2 * count, rng)
            self._segments[key] = Segments(Q[:count], Q[count:])
        return self._segments[key]

    def colliding(self, figure: str) -> Segments:
        """That touch something on their way (Table 2)."""
        checker = PairwiseChecker(self.cell(figure), 0.0)
        return self._drawn(figure, "colliding", checker, lambda status: status == s.HIT)

    def free(self, figure: str, delta: float) -> Segments:
        """Certified free, and not found nearer than ``delta`` (Table 3)."""
        checker = PairwiseChecker(self.cell(figure), delta)
        return self._drawn(figure, f"free {delta}", checker, lambda status: status == s.FREE)

    def _drawn(
        self, figure: str, kind: str, checker: PairwiseChecker, wanted: Callable[[Any], Any]
    ) -> Segments:
        key = figure, kind
        if key not in self._segments:
            rng = np.random.default_rng([2, *_base(figure).encode(), *kind.encode()])
            kept: list[Segments] = []
            have = 0
            while have < self.count:
                self.tell(f"Fig. {figure}: drawing {kind} segments", have / self.count)
                Q = self.free_configurations(figure, 2 * _DRAWN, rng)
                found, _ = checker.run(Q[:_DRAWN], Q[_DRAWN:])
                which = wanted(found[:, s.STATUS])
                kept.append(Segments(Q[:_DRAWN][which], Q[_DRAWN:][which]))
                have += int(np.count_nonzero(which))
            whole = Segments(
                np.concatenate([k.QA for k in kept]), np.concatenate([k.QB for k in kept])
            )
            self._segments[key] = whole.part(0, self.count)
        return self._segments[key]

    def epsilon(self, figure: str) -> float:
        """The resolution of the paper's rule: the largest at which ten runs of random segments, one
        after the other, are all answered rightly.

        Bisecting breadth first, samples at resolution ε find a contact where, and only where, it is
        found by the time that neighbours are ``ℓ / n`` apart, ``n`` the parts then: so each
        segment that collides asks for its own ``ε <= ℓ / n``, and the runs for the least."""
        figure = _base(figure)
        if figure in self._epsilon:
            return self._epsilon[figure]
        runs, size = self.runs
        cell = self.cell(figure)
        drawn = self.random_segments(figure, runs * size)
        self.tell(f"Fig. {figure}: finding ε", 0.0)
        hit = PairwiseChecker(cell, 0.0).run(drawn.QA, drawn.QB)[0][:, s.STATUS] == s.HIT
        simple = SampledChecker(cell, 0.0, ends=False)
        found, _ = simple.run(drawn.QA[hit], drawn.QB[hit])
        if not hit.any():
            raise Error("no segment collides", element=f"Fig. {figure}")
        length = (np.abs(drawn.QB[hit] - drawn.QA[hit]) * simple.scale).max(axis=1)
        parts = 2.0 ** np.floor(np.log2(found[:, s.CONFIGURATIONS]))
        self._epsilon[figure] = float((length / parts).min())
        return self._epsilon[figure]

    def timed(
        self, what: str, checkers: Mapping[K, Checker], given: Segments
    ) -> tuple[dict[K, float], dict[K, int]]:
        """Mean time of a segment by each checker, [ms], and how many each calls free."""
        spent = dict.fromkeys(checkers, 0.0)
        free = dict.fromkeys(checkers, 0)
        for checker in checkers.values():
            checker.segments(given.QA[:1], given.QB[:1])
        for first in range(0, len(given), _BLOCK):
            self.tell(what, first / len(given))
            block = given.part(first, first + _BLOCK)
            for name, checker in checkers.items():
                start = time.process_time_ns()
                answers = checker.segments(block.QA, block.QB)
                spent[name] += time.process_time_ns() - start
                free[name] += int(np.count_nonzero(answers))
        return {name: t / 1e6 / len(given) for name, t in spent.items()}, free


def _base(figure: str) -> str:
    """The figure of which one is a variant: the same bodies, so the same segments."""
    return figure.removesuffix("-one")


def exact_checkers(cell: Cell, delta: float) -> dict[str, Checker]:
    """The exact ones: as published; with shared transforms; with pairs measured when their turn
    comes; with our bound as well; and our own."""
    found: dict[str, Checker] = {
        "as published": PairwiseChecker(cell, delta, "paper", shared=False, lazy=False),
        "shared": PairwiseChecker(cell, delta, "paper", lazy=False),
        "lazy": PairwiseChecker(cell, delta, "paper"),
        "our bound": PairwiseChecker(cell, delta, "sharp"),
    }
    if "PathChecker" in so.__all__:
        found["PathChecker"] = _OneThread(cell, max(delta, CONTACT_TOLERANCE))
    return found


class _OneThread:
    """Our own checker, on one thread as all the others."""

    def __init__(self, cell: Cell, tolerance: float) -> None:
        self._checker = so.PathChecker(cell, tolerance=tolerance)

    def segments(self, QA: Array, QB: Array) -> NDArray[np.bool_]:
        """Whether each segment is free."""
        free: NDArray[np.bool_] = self._checker.segments(QA, QB, threads=1)
        return free
