"""Paper 003, Fig. 5: how a step grows with the number of vertices."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np

from standoff.papers.bench003 import Bench
from standoff.papers.paper003_levels import PAPER, VERTICES, prisms
from standoff.papers.result import UNSAID, Result
from standoff.view.plots import lines_plot


def growth(bench: Bench) -> Result:
    """Fig. 5."""
    found = prisms(bench)
    ours, printed, levels = found["ours"], found["printed"], found["levels"]
    total = [2 * n for n in bench.vertices]
    best = {n: min(ours[n].values()) for n in bench.vertices}
    paper = {count: min(PAPER[pair]) for pair, count in VERTICES.items() if count}
    flat = {count: PAPER[pair][0] for pair, count in VERTICES.items() if count}
    rows = tuple(
        (
            str(2 * n),
            *(f"{ours[n][level]:.1f}" for level in levels),
            f"{best[n]:.1f}",
            f"{1e3 * best[n] / (2 * n):.0f}",
            f"{printed[n][0]:.1f}" if n in printed else UNSAID,
            f"{min(printed[n].values()):.1f}" if n in printed else UNSAID,
        )
        for n in bench.vertices
    )
    exponents = {
        "paper, L = 0": exponent(flat),
        "paper, best level": exponent(paper),
        "as printed, L = 0": exponent({2 * n: t[0] for n, t in printed.items()}),
        "as printed, best level": exponent({2 * n: min(t.values()) for n, t in printed.items()}),
        "Scene, best level": exponent({2 * n: t for n, t in best.items()}),
    }

    def plot(path: Path) -> None:
        curves = {
            f"Scene, L = {level}": [ours[n][level] for n in bench.vertices] for level in levels
        }
        curves["Scene, best"] = [best[n] for n in bench.vertices]
        curves["as printed, L = 0"] = [
            printed[n][0] if n in printed else math.nan for n in bench.vertices
        ]
        curves["as printed, best"] = [
            min(printed[n].values()) if n in printed else math.nan for n in bench.vertices
        ]
        lines_plot(total, curves, ("vertices of both", "step [µs]"), path, log=(True, True))

    said = ", ".join(f"{name} {value:.2f}" for name, value in exponents.items())
    return Result(
        "Fig. 5: a step against the number of vertices of both bodies, two equal prisms",
        (
            "vertices", *(f"Scene [µs]: L = {level}" for level in levels), "best",
            "best: ns a vertex", "as printed [µs]: L = 0", "best",
        ),
        rows,
        (
            "The paper: the deeper the trees, the nearer to linear; linear at the best level. "
            f"Exponents of time over vertices: {said}.",
            "The paper's five pairs are of different bodies and of 16 to 40 vertices, so its "
            "exponents, taken from its Table 1, say little; linear is what it calls them.",
        ),
        {"exponents": exponents, "best": best, "vertices": total},
        plot,
    )  # fmt: skip


def exponent(times: dict[int, float]) -> float:
    """The slope of time over number, both as logarithms."""
    count, took = np.log(list(times)), np.log(list(times.values()))
    return float(np.polyfit(count, took, 1)[0])
