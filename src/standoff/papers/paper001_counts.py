"""Paper 001, Table 1: what four algorithms visit, and how good their bounds are."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from standoff.cell import Cell
from standoff.geometry.narrowphase.unpacked import GREEDY_IWORK, GREEDY_WORK, greedy_distances
from standoff.geometry.pose import Array
from standoff.geometry.shape import IntArray
from standoff.papers.bench001 import Bench
from standoff.papers.coal001 import CoalBounds, have_coal
from standoff.papers.kernels.placing import place
from standoff.papers.kernels.visits import counted_walks
from standoff.papers.result import UNSAID, Result

FIGURES = ("1", "6a", "6b", "7a", "7b", "7c")

#: Splits that may be spent on raising a greedy bound, where it is to be as good as it gets.
EFFORT = 8


@dataclass(frozen=True)
class Counts:
    """Means over all configurations and pairs: tests of volumes and of triangles of the collision
    test, of greedy distance, of the exact and of the 0.5-approximate one; and what part of the
    distance [%] greedy and approximate distance are where it is not 0."""

    collision: tuple[float, float]
    greedy: tuple[float, float]
    exact: tuple[float, float]
    approximate: tuple[float, float]
    ratio: float
    approximate_ratio: float


#: The paper's.
PAPER = {
    "1": Counts((2.1, 0.03), (2.1, 0.03), (822, 226), (8.0, 0.17), 78, 59),
    "6a": Counts((11, 0.12), (13, 0.15), (502, 51), (29, 0.66), 91, 64),
    "6b": Counts((4.8, 0.17), (4.7, 0.14), (466, 47), (23, 0.78), 88, 63),
    "7a": Counts((14, 0.52), (14, 0.45), (2342, 458), (69, 2.4), 65, 60),
    "7b": Counts((73, 2.1), (85, 2.2), (1363, 216), (174, 6.6), 52, 57),
    "7c": Counts((44, 0.52), (52, 0.66), (1845, 215), (172, 4.2), 58, 59),
}


@dataclass(frozen=True)
class Measured:
    """One scene: the paper's columns; the greedy bound raised by up to EFFORT splits as a part of
    the distance [%], and what that tests; and Coal's bound likewise, None without Coal."""

    counts: Counts
    raised_ratio: float
    raised: tuple[float, float]
    coal_ratio: float | None


def counts(bench: Bench) -> Result:
    """Table 1."""
    rows = []
    found: dict[str, Measured] = {}
    for figure in FIGURES:
        ours = found[figure] = measured(bench, figure)
        coal = UNSAID if ours.coal_ratio is None else f"{ours.coal_ratio:.0f}"
        more = f"{ours.raised_ratio:.0f}", _two(ours.raised)
        rows.append((f"{figure} paper", *_cells(PAPER[figure]), *[UNSAID] * 3))
        rows.append((f"{figure} ours", *_cells(ours.counts), coal, *more))
    plain = [ours.counts.ratio for ours in found.values()]
    raised = [ours.raised_ratio for ours in found.values()]
    return Result(
        "Table 1: pairs of volumes / of triangles that a query tests, and bound over distance [%]",
        (
            "Fig.", "collision", "greedy", "exact", "0.5-approx.", "ρ", "ρ'", "Coal", "ρ raised",
            "its tests",
        ),
        tuple(rows),
        (
            f"{bench.configurations} random configurations, all moving links against all "
            "obstacles (no robot's foot is one), means over all pairs; δ = 0. The collision test "
            "is over boxes, the rest over swept spheres, as in the paper. The scenes are ours, to "
            "the paper's counts.",
            "ρ: greedy bound over distance, ρ' the 0.5-approximate one over it, where bodies are "
            f"apart: {min(plain):.0f} to {max(plain):.0f} %, mean {np.mean(plain):.0f} % (the "
            "paper's: 52 to 91 %). Coal: the bound that its collision test over trees of oriented "
            "boxes leaves, likewise" + ("." if have_coal() else "; it is not installed here."),
            f"ρ raised, and its tests: with up to {EFFORT} more splits of the pair that is "
            f"nearest, {min(raised):.0f} to {max(raised):.0f} %, mean {np.mean(raised):.0f} %.",
        ),
        {"counts": found},
    )  # fmt: skip


def measured(bench: Bench, figure: str) -> Measured:
    """One scene."""
    cell = bench.cell(figure)
    tables = cell.world.tables
    pairs = links_and_obstacles(cell)
    rng = np.random.default_rng([3, *figure.encode()])
    Q = rng.uniform(cell.tree.lower, cell.tree.upper, (bench.configurations, len(cell.joints)))
    walks = {0.0: _Sums(), 1.0: _Sums(), 0.5: _Sums()}
    greedy, raised, peer = _Sums(), _Sums(), _Sums()
    work, iwork = np.zeros(GREEDY_WORK), np.zeros(GREEDY_IWORK, dtype=np.int64)
    g, refs = tables.geometry, tables.refs
    rows, out = tables.rows.copy(), np.zeros((len(pairs), 11))
    values, visits = np.zeros(len(pairs)), np.zeros((len(pairs), 2), dtype=np.int64)
    shapes = [shape for parts in cell.world.parts for shape, _ in parts]
    coal = CoalBounds(shapes) if have_coal() else None
    for k, q in enumerate(Q):
        bench.tell(f"Table 1, Fig. {figure}", k / len(Q))
        poses = np.ascontiguousarray(cell.tree.forward(q)[:, :3].reshape(-1, 12))
        place(poses, tables.frame, tables.local, rows)
        bodies = rows, refs, g.points, g.faces, g.nodes, g.ints, pairs
        exact = np.zeros(len(pairs))
        for part, sums in sorted(walks.items(), reverse=True):
            counted_walks(*bodies, part, work, iwork, values, visits)
            if part == 1.0:
                exact[:] = values
            sums.add(visits, values, exact)
        for effort, sums in ((0, greedy), (EFFORT, raised)):
            greedy_distances(0, *bodies, 0.0, math.inf, effort, work, iwork, out, visits)
            sums.add(visits, np.where(exact > 0.0, out[:, 0], 0.0), exact)
        if coal is not None:
            peer.add(visits, coal(rows, pairs), exact)
    ours = Counts(
        walks[0.0].tests, greedy.tests, walks[1.0].tests, walks[0.5].tests,
        100.0 * greedy.ratio, 100.0 * walks[0.5].ratio,
    )  # fmt: skip
    theirs = None if coal is None else 100.0 * peer.ratio
    return Measured(ours, 100.0 * raised.ratio, raised.tests, theirs)


def links_and_obstacles(cell: Cell) -> IntArray:
    """Every primitive of a link that moves with every one of an obstacle that it may not touch. The
    foot of a robot stands still as well, but is none."""
    tables, names = cell.world.tables, cell.world.names
    watched = {frozenset(pair) for pair in cell.pairs.watched()}
    body = [names[k] for k in tables.owner.tolist()]
    obstacle = [name in cell.bodies for name in body]
    found = [
        (i, j)
        for i in np.flatnonzero(tables.frame != 0).tolist()
        for j in range(len(body))
        if obstacle[j] and not obstacle[i] and frozenset((body[i], body[j])) in watched
    ]
    return np.array(found, dtype=np.int64).reshape(-1, 2)


class _Sums:
    """Running means of one algorithm."""

    def __init__(self) -> None:
        self._visits = np.zeros(2)
        self._asked = self._apart = 0
        self._ratios = 0.0

    def add(self, visits: IntArray, values: Array, exact: Array) -> None:
        """The queries of one configuration."""
        apart = exact > 0.0
        self._visits += visits.sum(axis=0)
        self._asked += len(visits)
        self._apart += int(np.count_nonzero(apart))
        self._ratios += float((values[apart] / exact[apart]).sum())

    @property
    def tests(self) -> tuple[float, float]:
        """Of volumes and of triangles, a query."""
        volumes, triangles = self._visits / self._asked
        return float(volumes), float(triangles)

    @property
    def ratio(self) -> float:
        """Value over distance."""
        return self._ratios / self._apart


def _cells(found: Counts) -> tuple[str, ...]:
    tests = found.collision, found.greedy, found.exact, found.approximate
    return (*map(_two, tests), f"{found.ratio:.0f}", f"{found.approximate_ratio:.0f}")


def _two(tests: tuple[float, float]) -> str:
    return f"{_short(tests[0])}/{_short(tests[1])}"


def _short(value: float) -> str:
    return f"{value:.0f}" if value >= 10.0 else f"{value:.2g}"
