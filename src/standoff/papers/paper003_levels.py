"""Paper 003, Table 1, Figs. 4 and 5: what a step costs against the number of levels of the trees,
and against the number of vertices.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from standoff.contact import Body, Scene
from standoff.contact.packing import scene_tables
from standoff.geometry.pose import Array
from standoff.papers import toolkit
from standoff.papers.kernels import contact_as_printed as printing
from standoff.papers.paper003_bodies import body, points_of, prism, shape, ways
from standoff.papers.toolkit import Result, cells, heads, lines, slope

#: Table 1: mean time of a step [ms] by pair and level.
PAPER = {
    "be": (0.8, 0.5, 0.8, 1.6, 9.1),
    "de": (1.1, 0.9, 1.2, 2.1, 9.9),
    "ba": (48.0, 11.1, 6.7, 7.8, 36.0),
    "bd": (198.0, 62.8, 7.1, 8.9, 27.5),
    "bc": (250.0, 135.0, 59.0, 17.6, 60.0),
    "dc": (700.0, 480.0, 150.0, 34.0, 75.0),
    "cc": (1720.0, 800.0, 170.0, 41.0, 105.0),
}
LEVELS = (0, 1, 2, 3, 4)
VERTICES = {"be": None, "de": None, "ba": 16, "bd": 19, "bc": 28, "dc": 31, "cc": 40}

#: Across a body of Fig. 3, [m]: what a tenth deep is a tenth of.
SIZE = 0.2

#: Prisms of more vertices are not tried as printed: half a million checks a step at level 0.
_PRINTED = 100

#: By level.
Times = dict[int, float]


class Bench(toolkit.Bench):
    """How much is run.

    Attributes:
        ways, steps: on which one body is pushed into another, and steps on each.
        vertices: of the prisms of Figs. 4 and 5.
        hand: steps of the scripted hand.
    """

    def __init__(self, *, quick: bool = False) -> None:
        super().__init__(quick=quick, rounds=(3, 12))
        self.ways = 12 if quick else 80
        self.steps = 12
        self.vertices: tuple[int, ...] = (8, 20, 40, 100) if quick else (8, 20, 40, 100, 200, 400)
        self.hand = 500 if quick else 4000


class Pushes:
    """One body pushed into another that stands at the origin, way by way.

    The step's compiled call is timed, and not what leads to it from Python.
    """

    def __init__(self, still: Body, moved: Body, ways: Array) -> None:
        self.scene = Scene(continuous=False)
        self.scene.add("still", still, moving=False)
        self.scene.add("moved", moved)
        self.ways = ways
        self.contacts = 0
        for way in ways:
            self.scene.forget()
            for pose in way:
                # Once as anybody would: tables that are too short grow.
                self.contacts += len(self.scene.step({"moved": pose}))

    def run(self) -> Array:
        """The time of each step, (ways, steps), [µs]."""
        scene, clock = self.scene, time.perf_counter_ns
        times = np.empty(self.ways.shape[:2])
        for way, row in zip(self.ways, times):
            scene.forget()
            for k, pose in enumerate(way):
                scene._take({"moved": pose}, None)
                start = clock()
                scene._run()
                row[k] = clock() - start
        return times / 1e3


class Printed:
    """The same poses, both stages as printed; see `papers.kernels.contact_as_printed`.

    Attributes:
        counts: of all steps of the last run, by name.
    """

    def __init__(self, still: Body, moved: Body, ways: Array) -> None:
        world = scene_tables((still, moved))
        vertices, edges = len(world.vertices), len(world.edges)
        self._tables = printing.Steps(
            world=world,
            faces=(vertices, len(world.planes)),
            edges=(edges, edges),
            stack=len(world.nodes),
        )
        poses = ways.reshape(-1, 4, 4)
        place = poses[:, :3, 3] + poses[:, :3, :3] @ moved.centroid - still.centroid
        turn = poses[:, :3, :3]
        self._there = np.concatenate([turn.reshape(-1, 9), place], axis=1)
        back = turn.transpose(0, 2, 1)
        home = -np.einsum("kij,kj->ki", back, place)
        self._back = np.concatenate([back.reshape(-1, 9), home], axis=1)

    def run(self) -> Array:
        """The mean time of a step, (1,), [µs]."""
        tables = self._tables
        tables.faces[:] = 0
        tables.edges[:] = 0
        tables.counts = 1
        start = time.perf_counter_ns()
        printing.printed_steps(tables.address, self._there, self._back)
        return np.array([(time.perf_counter_ns() - start) / 1e3 / len(self._there)])

    @property
    def counts(self) -> dict[str, int]:
        return {name: int(self._tables.counts[name]) for name in printing.COUNTS.names or ()}


@dataclass(frozen=True, eq=False)
class Measured:
    """Two bodies: times of a step of Scene and as printed, [µs], and counts of a step as printed,
    all by level; none as printed where that was not tried."""

    ours: Times
    printed: Times = field(default_factory=dict)
    counts: dict[int, dict[str, float]] = field(default_factory=dict)

    @property
    def nodes(self) -> list[float]:
        """Node tests by level."""
        return [found["node_tests"] for found in self.counts.values()]

    @property
    def checks(self) -> list[float]:
        """Checks of features by level."""
        return [found["vf_checks"] + found["ee_checks"] for found in self.counts.values()]

    def modelled(self, fit: tuple[float, float]) -> list[float]:
        """The times that `fitted` costs give, by level, [ms]."""
        node, square = fit
        return [float(node * a + square * b * b) for a, b in zip(self.nodes, self.checks)]


def measured(
    bench: Bench, points: Sequence[Array | None], levels: Iterable[int], way: Array, printed: bool
) -> Measured:
    """One body pushed into another on all ways."""
    runners: dict[tuple[str, int], Pushes | Printed] = {}
    for level in levels:
        still, moved = (body(each, level) for each in points)
        runners["Scene", level] = Pushes(still, moved, way)
        if printed:
            runners["printed", level] = Printed(still, moved, way)
    best = toolkit.lowest({key: runner.run for key, runner in runners.items()}, bench.rounds)
    times = {key: float(each.mean()) for key, each in best.items()}
    steps = way.shape[0] * way.shape[1]
    return Measured(
        {level: time for (name, level), time in times.items() if name == "Scene"},
        {level: time for (name, level), time in times.items() if name == "printed"},
        {
            level: {name: count / steps for name, count in runner.counts.items()}
            for (_, level), runner in runners.items()
            if isinstance(runner, Printed)
        },
    )


def pairs(bench: Bench) -> dict[str, Measured]:
    """The pairs of Table 1; a sphere has no features to be tested as printed."""

    def measure() -> dict[str, Measured]:
        found = {}
        for k, pair in enumerate(bench.each(PAPER, "Table 1: {}")):
            points = [points_of(name) for name in pair]
            still, moved = map(shape, points)
            way = ways(still, moved, SIZE, bench.ways, bench.steps, k)
            found[pair] = measured(bench, points, LEVELS, way, "e" not in pair)
        return found

    return bench.once("pairs", measure)


def prisms(bench: Bench) -> dict[int, Measured]:
    """Two equal prisms, by their number of vertices."""

    def measure() -> dict[int, Measured]:
        found = {}
        levels = LEVELS if bench.quick else (*LEVELS, 5)
        for n in bench.each(bench.vertices, "prisms of {} vertices"):
            points = prism(n)
            one = shape(points)
            way = ways(one, one, SIZE, bench.ways // 4, bench.steps, n)
            found[n] = measured(bench, (points, points), levels, way, n <= _PRINTED)
        return found

    return bench.once("prisms", measure)


def table(bench: Bench) -> Result:
    """Table 1."""
    found = pairs(bench)
    rows = []
    for pair, paper in PAPER.items():
        name = _title(pair)
        rows.append((f"{name}: paper [ms]", *_levels(dict(enumerate(paper)))))
        if found[pair].printed:
            rows.append(("  as printed [µs]", *_levels(found[pair].printed)))
        rows.append(("  Scene [µs]", *_levels(found[pair].ours)))
    slowest, quickest = found["cc"].printed[0], found["cc"].ours[0]
    curves = {f"{_title(pair)}, paper": _relative(PAPER[pair]) for pair in ("ba", "cc")}
    for pair in ("ba", "cc"):
        curves[f"{_title(pair)}, as printed"] = _relative(found[pair].printed.values())
        curves[f"{_title(pair)}, Scene"] = _relative(found[pair].ours.values())
    return Result(
        "Table 1: mean time of a step by pair of bodies and levels of their octrees (in brackets: "
        "over the best level)",
        ("bodies, vertices", *(f"L = {level}" for level in LEVELS), "best"),
        rows,
        (
            f"Ours: {bench.ways} ways on which one body is pushed into the other from a hundredth "
            f"of its size apart to a tenth deep, {bench.steps} steps each; compiled code alone, "
            f"lowest of {bench.rounds} rounds of each step. 'As printed' tests every pair of "
            "features that two leaves name, once; 'Scene' is contact.Scene, with forces, and with "
            "the way from Python into compiled code.",
            f"Two cylinders without any tree: {slowest / quickest:.0f} times quicker by Scene than "
            "as printed. It tests no pairs of features, but cuts the edges that the leaves name "
            "with the other body; that costs so little that levels do not earn back their nodes. "
            "What they save: checks.",
        ),
        {"found": found},
        lines(LEVELS, curves, ("levels", "step, 1 at the best level"), log=(False, True)),
    )


def checks(bench: Bench) -> Result:
    """What the levels save, counted; and the paper's times from these counts."""
    counts = {pair: found for pair, found in pairs(bench).items() if found.printed}
    nodes = {pair: found.nodes for pair, found in counts.items()}
    tests = {pair: found.checks for pair, found in counts.items()}
    node, square = fit = fitted(nodes, tests)
    modelled = {pair: found.modelled(fit) for pair, found in counts.items()}
    rows: list[Sequence[str]] = []
    for pair in counts:
        rows.append((f"{_title(pair)}: node tests", *cells(nodes[pair], ",.0f"), ""))
        rows.append(("  checks", *cells(tests[pair], ",.0f"), ""))
        rows.append(("  paper [ms]", *_levels(dict(enumerate(PAPER[pair])))))
        rows.append(("  from the counts [ms]", *_levels(dict(enumerate(modelled[pair])))))
    off = np.concatenate([np.array(modelled[pair]) / PAPER[pair] for pair in counts])
    far = float(np.exp(np.abs(np.log(off)).max()))
    near = float(np.exp(np.median(np.abs(np.log(off)))))
    dear = [square * tests[pair][0] / node for pair in counts]
    # At level 0 there are checks and hardly a node, at level 4 nodes and hardly a check.
    cheap = float(np.mean([
        found.printed[0] / found.checks[0] / (found.printed[4] / found.nodes[4])
        for found in counts.values()
    ]))  # fmt: skip
    right = sum(int(np.argmin(modelled[c]) == np.argmin(PAPER[c])) for c in counts)
    curves = {f"{_title(pair)}, paper": list(PAPER[pair]) for pair in ("ba", "cc")}
    curves |= {f"{_title(pair)}, from the counts": modelled[pair] for pair in ("ba", "cc")}
    return Result(
        "What levels save: node tests and checks of a step as printed, and the paper's times",
        ("bodies, vertices", *(f"L = {level}" for level in LEVELS), "best"),
        rows,
        (
            "Checks: pairs of a vertex and a face, or of two edges, that meeting leaves name, "
            "without doubles. The paper's time at level 0 grows with the square of their number, "
            "as it does where a list is searched for doubles before each is put into it.",
            f"{1e3 * node:.1f} µs a node test and {1e3 * square:.2f} µs times the square of the "
            f"checks give its 25 times back within a factor of {near:.1f} at the median and "
            f"{far:.1f} at worst, and its best level for {right} of {len(counts)} pairs. So a "
            f"check at level 0 took it as long as {min(dear):.0f} to {max(dear):.0f} node tests; "
            f"here, with marks in place of lists, it takes as long as {cheap:.1f}. That is why the "
            "best level is a lower one now.",
        ),
        {"nodes": nodes, "checks": tests, "modelled": modelled, "fit": fit},
        lines(LEVELS, curves, ("levels", "step [ms]"), log=(False, True)),
    )


def _mean_curves(every: Sequence[Measured]) -> dict[str, list[float]]:
    """The means over all pairs of Table 1 by level, over those of the best level."""
    curves = {
        "paper": np.array([*PAPER.values()]),
        "as printed": np.array([[*p.printed.values()] for p in every if p.printed]),
        "Scene": np.array([[*p.ours.values()] for p in every]),
    }
    return {f"{name}, all pairs": _relative(of.mean(axis=0)) for name, of in curves.items()}


def optimum(bench: Bench) -> Result:
    """Fig. 4: the best level, by number of vertices."""
    found, every = prisms(bench), pairs(bench)
    levels = [*found[bench.vertices[0]].ours]
    fit = fitted_to(every)
    printed = {n: p.printed for n, p in found.items() if p.printed}
    modelled = {n: dict(zip(levels, found[n].modelled(fit))) for n in printed}
    rows = [
        [str(n), *cells(p.ours.values(), ".1f"), str(_best(p.ours)),
         *cells(_best(of[n]) if n in of else None for of in (printed, modelled))]
        for n, p in found.items()
    ]  # fmt: skip
    mean = _mean_curves([*every.values()])
    grown, dear = ([_best(t) for t in times.values()] for times in (printed, modelled))
    curves = mean | {
        f"{name}, prisms of {n}": _relative(times[n][level] for level in LEVELS)
        for n in (min(modelled), max(modelled))
        for name, times in (("at the paper's cost", modelled), ("as printed", printed))
    }
    quickest = sorted({_best(p.ours) for p in found.values()})
    return Result(
        "Fig. 4: the best number of levels, two equal prisms",
        (
            "vertices each", *_scene_heads(levels),
            *heads("best | as printed | at the paper's cost"),
        ),
        rows,
        (
            "The paper: one best level, which grows with the number of vertices (2 for 8, 3 for "
            "20). At the paper's cost: node tests and checks counted here, times those costs that "
            "fit its Table 1.",
            f"As printed it grows from {grown[0]} to {grown[-1]}, at the "
            f"paper's cost from {dear[0]} to {dear[-1]}; Scene is quickest with "
            f"{' or '.join(map(str, quickest))} levels.",
        ),
        {"found": found, "modelled": modelled, "mean": mean},
        lines(LEVELS, curves, ("levels", "step, 1 at the best level"), log=(False, True)),
    )  # fmt: skip


def fitted_to(every: Mapping[str, Measured]) -> tuple[float, float]:
    """`fitted` costs of the pairs that were tried as printed."""
    tried = {pair: found for pair, found in every.items() if found.printed}
    nodes = {pair: found.nodes for pair, found in tried.items()}
    return fitted(nodes, {pair: found.checks for pair, found in tried.items()})


def fitted(
    nodes: Mapping[str, Sequence[float]], tests: Mapping[str, Sequence[float]]
) -> tuple[float, float]:
    """Costs of a node test and of the square of the checks [ms] that give the paper's Table 1 with
    the least relative errors."""
    n = np.concatenate([nodes[pair] for pair in nodes])
    c = np.concatenate([np.square(tests[pair]) for pair in nodes])
    t = np.concatenate([PAPER[pair] for pair in nodes])
    (node, square), *_ = np.linalg.lstsq(np.stack([n / t, c / t], axis=1), np.ones(len(t)))
    return float(node), float(square)


def _scene_heads(levels: Iterable[int]) -> list[str]:
    return [f"Scene [µs]: L = {level}" for level in levels]


def _title(pair: str) -> str:
    vertices = VERTICES[pair]
    return f"({pair[0]})-({pair[1]})" + (f", {vertices}" if vertices else "")


def _best(times: dict[int, float]) -> int:
    return min(times, key=lambda level: times[level])


def _levels(times: dict[int, float]) -> tuple[str, ...]:
    least = min(times.values())
    texts = [f"{t:.3g} ({t / least:.1f})" for t in times.values()]
    return (*texts, str(_best(times)))


def _relative(times: Iterable[float]) -> list[float]:
    many = [*times]
    return [time / min(many) for time in many]


def growth(bench: Bench) -> Result:
    """Fig. 5."""
    found = prisms(bench)
    levels = [*found[bench.vertices[0]].ours]
    best = {2 * n: min(p.ours.values()) for n, p in found.items()}
    printed = {2 * n: p.printed for n, p in found.items() if p.printed}
    flat = {total: times[0] for total, times in printed.items()}
    quick = {total: min(times.values()) for total, times in printed.items()}
    rows = [
        [str(total), *cells(p.ours.values(), ".1f"), f"{best[total]:.1f}",
         f"{1e3 * best[total] / total:.0f}", *cells([flat.get(total), quick.get(total)], ".1f")]
        for total, p in zip(best, found.values())
    ]  # fmt: skip
    paper = {count: PAPER[pair] for pair, count in VERTICES.items() if count}
    exponents = {
        "paper, L = 0": exponent({n: times[0] for n, times in paper.items()}),
        "paper, best level": exponent(dict(zip(paper, map(min, paper.values())))),
        "as printed, L = 0": exponent(flat),
        "as printed, best level": exponent(quick),
        "Scene, best level": exponent(best),
    }
    curves = {f"Scene, L = {level}": [p.ours[level] for p in found.values()] for level in levels}
    curves["Scene, best"] = [*best.values()]
    for name, times in (("L = 0", flat), ("best", quick)):
        curves[f"as printed, {name}"] = [times.get(total, math.nan) for total in best]
    said = ", ".join(f"{name} {value:.2f}" for name, value in exponents.items())
    return Result(
        "Fig. 5: a step against the number of vertices of both bodies, two equal prisms",
        [
            "vertices",
            *_scene_heads(levels),
            *heads("best | best: ns a vertex | as printed [µs]: L = 0 | best"),
        ],
        rows,
        (
            "The paper: the deeper the trees, the nearer to linear; linear at the best level. "
            f"Exponents of time over vertices: {said}.",
            "The paper's five pairs are of different bodies and of 16 to 40 vertices, so its "
            "exponents, taken from its Table 1, say little; linear is what it calls them.",
        ),
        {"exponents": exponents, "best": best},
        lines(best, curves, ("vertices of both", "step [µs]"), log=(True, True)),
    )


def exponent(times: Mapping[int, float]) -> float:
    """The slope of time over number, both as logarithms."""
    return slope(times.keys(), times.values())
