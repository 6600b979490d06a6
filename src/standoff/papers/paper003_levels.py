"""Paper 003, Table 1 and Fig. 4: what a step costs against the number of levels."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from standoff.contact.levels import best_levels
from standoff.geometry.pose import Array
from standoff.papers.bench003 import LEVELS, Bench, Printed, Pushes, lowest
from standoff.papers.bodies003 import body, points_of, prism, shape, ways
from standoff.papers.kernels import contact_as_printed as p
from standoff.papers.result import UNSAID, Result
from standoff.view.plots import lines_plot

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
VERTICES = {"be": None, "de": None, "ba": 16, "bd": 19, "bc": 28, "dc": 31, "cc": 40}

#: Across a body of Fig. 3, [m]: what a tenth deep is a tenth of.
SIZE = 0.2

Table = dict[str, dict[int, float]]


def table(bench: Bench) -> Result:
    """Table 1."""
    ours, printed, _ = measured(bench)
    rows = []
    for pair, paper in PAPER.items():
        name = _title(pair)
        rows.append((f"{name}: paper [ms]", *_levels(dict(enumerate(paper)))))
        if pair in printed:
            rows.append(("  as printed [µs]", *_levels(printed[pair])))
        rows.append(("  Scene [µs]", *_levels(ours[pair])))
    slowest, quickest = printed["cc"][0], ours["cc"][0]

    def plot(path: Path) -> None:
        curves = {f"{_title(pair)}, paper": _relative(PAPER[pair]) for pair in ("ba", "cc")}
        for pair in ("ba", "cc"):
            curves[f"{_title(pair)}, as printed"] = _relative(list(printed[pair].values()))
            curves[f"{_title(pair)}, Scene"] = _relative(list(ours[pair].values()))
        lines_plot(LEVELS, curves, ("levels", "step, 1 at the best level"), path, log=(False, True))

    return Result(
        "Table 1: mean time of a step by pair of bodies and levels of their octrees (in brackets: "
        "over the best level)",
        ("bodies, vertices", *(f"L = {level}" for level in LEVELS), "best"),
        tuple(rows),
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
        {"ours": ours, "printed": printed},
        plot,
    )


def checks(bench: Bench) -> Result:
    """What the levels save, counted; and the paper's times from these counts."""
    _, printed, counts = measured(bench)
    nodes = {pair: [c[level][p.NODE_TESTS] for level in LEVELS] for pair, c in counts.items()}
    tests = {
        pair: [c[level][p.VF_CHECKS] + c[level][p.EE_CHECKS] for level in LEVELS]
        for pair, c in counts.items()
    }
    node, square, modelled = fitted(nodes, tests)
    rows = []
    for pair in counts:
        rows.append((f"{_title(pair)}: node tests", *(f"{n:,.0f}" for n in nodes[pair]), ""))
        rows.append(("  checks", *(f"{n:,.0f}" for n in tests[pair]), ""))
        rows.append(("  paper [ms]", *_levels(dict(enumerate(PAPER[pair])))))
        rows.append(("  from the counts [ms]", *_levels(dict(enumerate(modelled[pair])))))
    off = np.concatenate([np.array(modelled[pair]) / PAPER[pair] for pair in counts])
    far = float(np.exp(np.abs(np.log(off)).max()))
    near = float(np.exp(np.median(np.abs(np.log(off)))))
    dear = [square * tests[pair][0] / node for pair in counts]
    # At level 0 there are checks and hardly a node, at level 4 nodes and hardly a check.
    cheap = float(
        np.mean([printed[c][0] / tests[c][0] / (printed[c][4] / nodes[c][4]) for c in counts])
    )
    right = sum(int(np.argmin(modelled[c]) == np.argmin(PAPER[c])) for c in counts)

    def plot(path: Path) -> None:
        curves = {f"{_title(pair)}, paper": list(PAPER[pair]) for pair in ("ba", "cc")}
        curves |= {f"{_title(pair)}, from the counts": modelled[pair] for pair in ("ba", "cc")}
        lines_plot(LEVELS, curves, ("levels", "step [ms]"), path, log=(False, True))

    return Result(
        "What levels save: node tests and checks of a step as printed, and the paper's times",
        ("bodies, vertices", *(f"L = {level}" for level in LEVELS), "best"),
        tuple(rows),
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
        {"nodes": nodes, "checks": tests, "modelled": modelled, "fit": (node, square)},
        plot,
    )


def optimum(bench: Bench) -> Result:
    """Fig. 4: the best level, by number of vertices; and what "auto" takes."""
    found = prisms(bench)
    ours, printed, modelled, auto = (
        found[name] for name in ("ours", "printed", "modelled", "auto")
    )
    levels = found["levels"]
    rows = []
    for n in bench.vertices:
        taken, best = ours[n][auto[n]], min(ours[n].values())
        rows.append(
            (
                str(n),
                *(f"{ours[n][level]:.1f}" for level in levels),
                str(_best(ours[n])),
                str(_best(printed[n])) if n in printed else UNSAID,
                str(_best(modelled[n])) if n in modelled else UNSAID,
                str(auto[n]),
                f"{taken / best:.2f}",
            )
        )
    mean = {
        "paper, all pairs": _relative(np.mean([PAPER[pair] for pair in PAPER], axis=0)),
        "as printed, all pairs": _relative(_mean(measured(bench)[1])),
        "Scene, all pairs": _relative(_mean(measured(bench)[0])),
    }
    grown, dear = ([_best(t) for t in times.values()] for times in (printed, modelled))
    worst = max(ours[n][auto[n]] / min(ours[n].values()) for n in bench.vertices)

    def plot(path: Path) -> None:
        curves = dict(mean)
        for n in (min(modelled), max(modelled)):
            for name, times in (("at the paper's cost", modelled), ("as printed", printed)):
                curves[f"{name}, prisms of {n}"] = _relative([times[n][level] for level in LEVELS])
        lines_plot(LEVELS, curves, ("levels", "step, 1 at the best level"), path, log=(False, True))

    return Result(
        "Fig. 4: the best number of levels, two equal prisms",
        (
            "vertices each", *(f"Scene [µs]: L = {level}" for level in levels), "best",
            "as printed", "at the paper's cost", 'levels="auto"', "its time over the best",
        ),
        tuple(rows),
        (
            "The paper: one best level, which grows with the number of vertices (2 for 8, 3 for "
            "20). At the paper's cost: node tests and checks counted here, times those costs that "
            "fit its Table 1.",
            f"As printed it grows from {grown[0]} to {grown[-1]}, at the "
            f"paper's cost from {dear[0]} to {dear[-1]}; Scene is quickest with "
            f"{' or '.join(map(str, sorted({_best(ours[n]) for n in bench.vertices})))} levels.",
            f"levels=\"auto\" tries the body against itself and comes within {worst:.2f} times of "
            "the best level's time.",
        ),
        {**found, "mean": mean},
        plot,
    )  # fmt: skip


def measured(bench: Bench) -> tuple[Table, Table, dict[str, dict[int, list[float]]]]:
    """Times of Scene and as printed [µs], and counts as printed of a step; taken once."""
    kept = bench.told.get("pairs")
    if kept is None:
        ours: Table = {}
        printed: Table = {}
        counts: dict[str, dict[int, list[float]]] = {}
        for k, pair in enumerate(PAPER):
            bench.tell(f"Table 1: {_title(pair)}", k / len(PAPER))
            points = [points_of(name) for name in pair]
            still, moved = map(shape, points)
            way = ways(still, moved, SIZE, bench.ways, bench.steps, k)
            runners: dict[Any, Pushes | Printed] = {}
            for level in LEVELS:
                bodies = [body(each, level) for each in points]
                runners["Scene", level] = Pushes(bodies[0], bodies[1], way)
                if "e" not in pair:
                    runners["printed", level] = Printed(bodies[0], bodies[1], way)
            times = lowest(runners, bench.rounds)
            ours[pair] = {level: times["Scene", level] for level in LEVELS}
            if "e" not in pair:
                printed[pair] = {level: times["printed", level] for level in LEVELS}
                counts[pair] = {level: _counts(runners["printed", level], way) for level in LEVELS}
        kept = bench.told["pairs"] = (ours, printed, counts)
    return kept  # type: ignore[return-value]


def prisms(bench: Bench) -> dict[str, Any]:
    """The same of two equal prisms, by their number of vertices; taken once."""
    kept: Any = bench.told.get("prisms")
    if kept is not None:
        return kept  # type: ignore[no-any-return]
    levels = LEVELS if bench.quick else (*LEVELS, 5)
    ours: dict[int, dict[int, float]] = {}
    printed: dict[int, dict[int, float]] = {}
    counts: dict[int, dict[int, list[float]]] = {}
    auto = {}
    for k, n in enumerate(bench.vertices):
        bench.tell(f"prisms of {n} vertices", k / len(bench.vertices))
        points = prism(n)
        way = ways(shape(points), shape(points), SIZE, bench.ways // 4, bench.steps, n)
        runners: dict[Any, Pushes | Printed] = {}
        for level in levels:
            one = body(points, level)
            runners["Scene", level] = Pushes(one, one, way)
            if n <= _PRINTED:
                runners["printed", level] = Printed(one, one, way)
        times = lowest(runners, bench.rounds)
        ours[n] = {level: times["Scene", level] for level in levels}
        if n <= _PRINTED:
            printed[n] = {level: times["printed", level] for level in levels}
            counts[n] = {level: _counts(runners["printed", level], way) for level in levels}
        auto[n] = min(best_levels(body(points, "auto")), levels[-1])
    _, _, small = measured(bench)
    node, square, _ = fitted(
        {pair: [c[level][p.NODE_TESTS] for level in LEVELS] for pair, c in small.items()},
        {pair: [_checks(c[level]) for level in LEVELS] for pair, c in small.items()},
    )
    modelled = {
        n: {
            level: node * c[level][p.NODE_TESTS] + square * _checks(c[level]) ** 2
            for level in levels
        }
        for n, c in counts.items()
    }
    found = {
        "ours": ours, "printed": printed, "modelled": modelled, "counts": counts, "auto": auto,
        "levels": levels,
    }  # fmt: skip
    bench.told["prisms"] = found
    return found


#: Prisms of more vertices are not tried as printed: half a million checks a step at level 0.
_PRINTED = 100


def fitted(
    nodes: dict[str, list[float]], tests: dict[str, list[float]]
) -> tuple[float, float, dict[str, list[float]]]:
    """Costs of a node test and of the square of the checks [ms] that give the paper's Table 1 with
    the least relative errors, and the times that follow."""
    n = np.concatenate([nodes[pair] for pair in nodes])
    c = np.concatenate([np.square(tests[pair]) for pair in nodes])
    t = np.concatenate([PAPER[pair] for pair in nodes])
    (node, square), *_ = np.linalg.lstsq(np.stack([n / t, c / t], axis=1), np.ones(len(t)))
    modelled = {
        pair: [float(node * a + square * b * b) for a, b in zip(nodes[pair], tests[pair])]
        for pair in nodes
    }
    return float(node), float(square), modelled


def _checks(counts: list[float]) -> float:
    return counts[p.VF_CHECKS] + counts[p.EE_CHECKS]


def _counts(runner: Any, way: Array) -> list[float]:
    return (runner.counts / (way.shape[0] * way.shape[1])).tolist()  # type: ignore[no-any-return]


def _title(pair: str) -> str:
    vertices = VERTICES[pair]
    return f"({pair[0]})-({pair[1]})" + (f", {vertices}" if vertices else "")


def _best(times: dict[int, float]) -> int:
    return min(times, key=lambda level: times[level])


def _levels(times: dict[int, float]) -> tuple[str, ...]:
    least = min(times.values())
    texts = [f"{t:.3g} ({t / least:.1f})" for t in times.values()]
    return (*texts, str(_best(times)))


def _relative(times: Any) -> list[float]:
    return (np.asarray(times) / np.min(times)).tolist()  # type: ignore[no-any-return]


def _mean(times: Table) -> list[float]:
    return np.mean([list(t.values()) for t in times.values()], axis=0).tolist()  # type: ignore[no-any-return]
