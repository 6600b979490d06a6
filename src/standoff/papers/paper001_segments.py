"""Paper 001, Tables 2 and 3: the exact checker against samples, on random segments; and the three
covering strategies of Fig. 4.

Random segments run between two configurations drawn evenly from within the joint limits, both free.
Whether a segment collides is settled by the exact checker. Contenders are timed over the same
segments, block after block in turn, so that a busy machine hits all alike; what counts is the time
of the processor, of all threads together.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeVar, get_args

import numpy as np

from standoff.cell.cell import Cell
from standoff.errors import Error
from standoff.geometry.pose import Array
from standoff.papers import toolkit
from standoff.papers.kernels.sampled import FREE, HIT
from standoff.papers.paper001_checkers import (
    Bound,
    Checker,
    Cover,
    PairwiseChecker,
    SampledChecker,
    exact_checkers,
)
from standoff.papers.paper001_scenes import scene
from standoff.papers.toolkit import Plot, Result, bars, cells, heads

N = TypeVar("N", bound=str)

#: Segments that are timed for themselves before the next contender has its turn.
_BLOCK = 20

#: Segments drawn at a time.
_DRAWN = 64


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


class Bench(toolkit.Bench):
    """Scenes and segments, made once, and how many of them an experiment takes.

    Attributes:
        count: segments of each kind; configurations: of Table 1; links: segments of Fig. 5.
        runs: runs by which ε is found, and segments in a run.
    """

    def __init__(self, *, quick: bool = False) -> None:
        super().__init__(quick=quick)
        self.count = self.configurations = 20 if quick else 1000
        self.links = 100 if quick else 1000
        self.runs = (10, 20) if quick else (10, 100)

    def cell(self, figure: str) -> Cell:
        """The scene of a figure."""

        def build() -> Cell:
            self.report(f"Fig. {figure}: building the scene", 0.0)
            return scene(figure)

        return self.once(("cell", figure), build)

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

        def draw() -> Segments:
            rng = np.random.default_rng([1, *_base(figure).encode()])
            Q = self.free_configurations(figure, 2 * count, rng)
            return Segments(Q[:count], Q[count:])

        return self.once((figure, count), draw)

    def colliding(self, figure: str) -> Segments:
        """That touch something on their way (Table 2)."""
        return self.once((figure, HIT), lambda: self._drawn(figure, "colliding", 0.0, HIT))

    def free(self, figure: str, delta: float) -> Segments:
        """Certified free, and not found nearer than ``delta`` (Table 3)."""
        kind = f"free {delta}"
        return self.once((figure, kind), lambda: self._drawn(figure, kind, delta, FREE))

    def _drawn(self, figure: str, kind: str, delta: float, wanted: int) -> Segments:
        checker = PairwiseChecker(self.cell(figure), delta)
        rng = np.random.default_rng([2, *_base(figure).encode(), *kind.encode()])
        ends = np.empty((2, 0, len(self.cell(figure).joints)))
        while ends.shape[1] < self.count:
            self.report(f"Fig. {figure}: drawing {kind} segments", ends.shape[1] / self.count)
            drawn = self.free_configurations(figure, 2 * _DRAWN, rng).reshape(2, _DRAWN, -1)
            kept = checker.run(drawn[0], drawn[1]).status == wanted
            ends = np.concatenate([ends, drawn[:, kept]], axis=1)
        QA, QB = (np.ascontiguousarray(side[: self.count]) for side in ends)
        return Segments(QA, QB)

    def epsilon(self, figure: str) -> float:
        """The resolution of the paper's rule: the largest at which ten runs of random segments, one
        after the other, are all answered rightly.

        Bisecting breadth first, samples at resolution ε find a contact where, and only where, it is
        found by the time that neighbours are ``ℓ / n`` apart, ``n`` the parts then: so each
        segment that collides asks for its own ``ε <= ℓ / n``, and the runs for the least."""
        base = _base(figure)
        return self.once(("epsilon", base), lambda: self._epsilon(base))

    def _epsilon(self, figure: str) -> float:
        cell, drawn = self.cell(figure), self.random_segments(figure, self.runs[0] * self.runs[1])
        self.report(f"Fig. {figure}: finding ε", 0.0)
        hit = PairwiseChecker(cell, 0.0).run(drawn.QA, drawn.QB).status == HIT
        if not hit.any():
            raise Error("no segment collides", element=f"Fig. {figure}")
        simple = SampledChecker(cell, 0.0, ends=False)
        found = simple.run(drawn.QA[hit], drawn.QB[hit])
        length = (np.abs(drawn.QB[hit] - drawn.QA[hit]) * simple.watched.scale).max(axis=1)
        return float((length / 2.0 ** np.floor(np.log2(found.configurations))).min())

    def timed(
        self, what: str, checkers: Mapping[N, Checker], given: Segments
    ) -> tuple[dict[N, float], dict[N, int]]:
        """Mean time of a segment by each checker, [ms], and how many each calls free."""
        spent = dict.fromkeys(checkers, 0.0)
        free = dict.fromkeys(checkers, 0)
        for checker in checkers.values():
            checker(given.QA[:1], given.QB[:1])
        for first in range(0, len(given), _BLOCK):
            self.report(what, first / len(given))
            block = given.part(first, first + _BLOCK)
            for name, checker in checkers.items():
                start = time.process_time_ns()
                answers = checker(block.QA, block.QB)
                spent[name] += time.process_time_ns() - start
                free[name] += int(np.count_nonzero(answers))
        return {name: t / 1e6 / len(given) for name, t in spent.items()}, free


def _base(figure: str) -> str:
    """The figure of which one is a variant: the same bodies, so the same segments."""
    return figure.removesuffix("-one")


#: Time of the new checker over that of the simple one, from the paper's milliseconds.
PAPER_COLLIDING = {
    "6a": 2.97 / 2.04,
    "6b": 3.38 / 2.18,
    "7a": 0.99 / 0.96,
    "7b": 1.3 / 2.2,
    "7c": 15.0 / 3.2,
}
PAPER_FREE = {
    0.001: {"6a": 44 / 90, "6b": 31 / 104, "7a": 26 / 52, "7b": 24 / 56, "7c": 81 / 295},
    0.01: {"6a": 14 / 90, "6b": 14 / 104, "7a": 6.5 / 52, "7b": 6.6 / 56, "7c": 16 / 295},
}
PAPER_EPSILON = {"6a": 0.012, "6b": 0.006, "7a": 0.0012, "7b": 0.012, "7c": 0.012}

#: The simple checker, which takes the ends for free; one that looks at them as well; and one at the
#: paper's resolution.
SIMPLE = "simple"
ENDS_TOO = "simple, ends too"
THEIRS = "simple, paper's ε"

#: The paper's scenes, and its two cages as one mesh each.
FIGURES = ("6a", "6b", "7a", "7b", "7c", "6a-one", "6b-one")


def colliding(bench: Bench) -> Result:
    """Table 2."""
    spent: dict[str, dict[str, float]] = {}
    wrong = 0
    for figure in FIGURES:
        cell = bench.cell(figure)
        given = bench.colliding(figure)
        checkers: dict[str, Checker] = {
            SIMPLE: SampledChecker(cell, 0.0, ends=False).segments,
            ENDS_TOO: SampledChecker(cell, 0.0).segments,
            **exact_checkers(cell, 0.0),
        }
        what = f"Table 2, Fig. {figure}: {len(given)} colliding segments"
        spent[figure], free = bench.timed(what, checkers, given)
        wrong += sum(free.values())
    names = [name for name in spent[FIGURES[0]] if not name.startswith(SIMPLE)]
    ratios = _ratios(spent, names)
    rows = [
        cells(
            (PAPER_COLLIDING.get(figure), times[SIMPLE], times[ENDS_TOO], *ratios[figure].values()),
            ".2f",
        )
        for figure, times in spent.items()
    ]
    worst = {name: max(ratios[figure][name] for figure in PAPER_COLLIDING) for name in names}
    return Result(
        "Table 2: colliding segments, time of the exact checker over that of the simple one",
        ("Fig.", "paper", "simple [ms]", "ends too [ms]", *names),
        [(figure, *row) for figure, row in zip(FIGURES, rows)],
        (
            f"{bench.count} random segments with free ends that touch something on their way; ε = "
            "0 and δ = 0. Simple begins with the middle, as in the paper: a planner knows the ends "
            "to be free. The exact ones look at them all the same; what simple takes then is "
            "beside (ends too).",
            "As published: transforms anew for each pair; shared: once for all pairs, which the "
            "paper had under way; lazy: pairs measured in their turn; our bound: that, with "
            "speed and curvature in place of reach times angle.",
            f"{_of(wrong)} colliding segments were called free. The largest ratios in the paper's "
            f"five scenes (the paper's: 4.7): {_listed(worst, '.2f')}.",
        ),
        {"spent": spent, "ratios": ratios, "wrong": wrong},
        _bars({"paper": PAPER_COLLIDING}, ratios, names),
    )


def _timed_free(bench: Bench, delta: float, missed: dict[str, int]) -> dict[str, dict[str, float]]:
    """Mean times on free segments by figure and checker, [ms]; ``missed`` is how many each did not
    call free, so far."""
    spent = {}
    for figure in FIGURES:
        cell, given = bench.cell(figure), bench.free(figure, delta)
        checkers: dict[str, Checker] = {
            SIMPLE: SampledChecker(cell, bench.epsilon(figure), ends=False).segments,
            THEIRS: SampledChecker(cell, _paper_epsilon(figure), ends=False).segments,
            **exact_checkers(cell, delta),
        }
        what = f"Table 3, Fig. {figure}: {len(given)} free segments, δ = {delta:g}"
        spent[figure], called = bench.timed(what, checkers, given)
        for name, free in called.items():
            missed[name] = missed.get(name, 0) + len(given) - free
    return spent


def _held(ratios: Mapping[float, Mapping[str, Mapping[str, float]]], part: float) -> dict[str, int]:
    """How many ratios of each checker are at most that ``part`` of the paper's."""
    held: dict[str, int] = {}
    for delta, of in PAPER_FREE.items():
        for figure, paper in of.items():
            for name, ratio in ratios[delta][figure].items():
                held[name] = held.get(name, 0) + int(ratio <= part * paper)
    return held


def free(bench: Bench) -> Result:
    """Table 3."""
    missed: dict[str, int] = {}
    epsilons = {figure: bench.epsilon(figure) for figure in FIGURES}
    spent = {delta: _timed_free(bench, delta, missed) for delta in PAPER_FREE}
    names = [name for name in spent[0.001][FIGURES[0]] if not name.startswith(SIMPLE)]
    best = names[-1]
    ratios = {delta: _ratios(times, names) for delta, times in spent.items()}
    rows = [
        (
            figure,
            f"{_paper_epsilon(figure):.4f}",
            f"{epsilons[figure]:.4f}",
            f"{1e3 * delta:g}",
            f"{spent[delta][figure][SIMPLE]:.1f}",
            *cells([PAPER_FREE[delta].get(figure)], ".2f"),
            *cells(ratios[delta][figure].values(), ".3f"),
            f"{spent[delta][figure][best] / spent[delta][figure][THEIRS]:.3f}",
        )
        for figure in FIGURES
        for delta in PAPER_FREE
    ]
    held, half = (_held(ratios, part) for part in (1.0, 0.5))
    total = sum(map(len, PAPER_FREE.values()))
    return Result(
        "Table 3: free segments, time of the exact checker over that of the simple one",
        [*heads("Fig. | paper's ε | ε | δ [mm] | simple [ms] | paper"), *names, "at paper's ε"],
        rows,
        (
            f"{bench.count} random segments, certified free by the exact checker with δ. ε is the "
            f"largest at which {bench.runs[0]} runs of {bench.runs[1]} random segments were all "
            "answered rightly; it is a part of the joints' ranges.",
            f"The last column: {best} over samples at the paper's ε, be they right or not.",
            "All of them were called free by all."
            if not any(missed.values())
            else "A bound looks at other instants than another, and a pair may be nearer than δ "
            f"there; not called free: {_listed({n: k for n, k in missed.items() if k})}.",
            f"Of {total} ratios, at most the paper's: {_listed(held)}; at most half of it: "
            f"{_listed(half)}.",
        ),
        {"spent": spent, "ratios": ratios, "epsilon": epsilons, "missed": missed},
        _free_bars(ratios, (names[0], best)),
    )


def _free_bars(
    ratios: Mapping[float, Mapping[str, Mapping[str, float]]], names: tuple[str, str]
) -> Plot:
    """The ratios of two checkers at either δ."""
    both = {f"{name}, {1e3 * d:g} mm": (name, d) for name in names for d in PAPER_FREE}
    return _bars(
        {f"paper, {1e3 * d:g} mm": of for d, of in PAPER_FREE.items()},
        {f: {title: ratios[d][f][n] for title, (n, d) in both.items()} for f in PAPER_EPSILON},
        [*both],
    )


#: Scenes on which the coverings are compared.
_COVERED = ("6a", "7a")


def covers(bench: Bench) -> Result:
    """Fig. 4: where to split."""
    rows = []
    figures: dict[tuple[str, Bound, Cover], tuple[float, float]] = {}
    for figure in _COVERED:
        cell, given = bench.cell(figure), bench.free(figure, 0.001)
        for bound in get_args(Bound):
            checkers: dict[Cover, PairwiseChecker] = {
                cover: PairwiseChecker(cell, 0.001, bound, cover, shared=False)
                for cover in get_args(Cover)
            }
            what = f"Fig. 4, Fig. {figure}, bound: {bound}"
            spent, _ = bench.timed(what, {c: of.segments for c, of in checkers.items()}, given)
            for cover, checker in checkers.items():
                asked = float(checker.run(given.QA, given.QB).distances.mean())
                figures[figure, bound, cover] = asked, spent[cover]
                name = f"{figure}, {bound}, ({cover})"
                rows.append((name, f"{asked:.0f}", f"{spent[cover]:.2f}"))
    least = {
        (figure, bound): figures[figure, bound, "c"][0] / figures[figure, bound, "a"][0]
        for figure, bound, _ in figures
    }
    return Result(
        "Fig. 4: the three ways to split an uncovered stretch",
        ("Fig., bound, way", "distances a segment", "time [ms]"),
        rows,
        (
            "Free segments with δ = 0.001; transforms are not shared, which (a) alone would allow.",
            f"(c) takes {min(least.values()):.2f} to {max(least.values()):.2f} times the distances "
            "of (a); the paper saw no significant difference, and took (a) for the transforms it "
            "lets all pairs share.",
        ),
        {"covers": figures},
    )


def _paper_epsilon(figure: str) -> float:
    return PAPER_EPSILON[_base(figure)]


def _ratios(
    spent: Mapping[str, Mapping[str, float]], names: list[str]
) -> dict[str, dict[str, float]]:
    return {
        figure: {name: times[name] / times[SIMPLE] for name in names}
        for figure, times in spent.items()
    }


def _listed(values: Mapping[str, float], how: str = "") -> str:
    return ", ".join(f"{name} {value:{how}}" for name, value in values.items())


def _of(count: int) -> str:
    return "None of the" if count == 0 else f"{count} of the"


def _bars(
    paper: Mapping[str, Mapping[str, float]],
    ratios: Mapping[str, Mapping[str, float]],
    names: list[str],
) -> Plot:
    """The paper's ratios beside ours, for the scenes that are its own."""
    figures = list(PAPER_EPSILON)
    series = {title: {figure: of[figure] for figure in figures} for title, of in paper.items()}
    series |= {name: {figure: ratios[figure][name] for figure in figures} for name in names}
    assert np.isfinite([list(values.values()) for values in series.values()]).all()
    return bars(series, "time over that of the simple checker [-]")
