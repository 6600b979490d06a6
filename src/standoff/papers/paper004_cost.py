"""Paper 004, Table 1, Fig. 8 and Fig. 9: what a step costs against the number of spheres."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from standoff.kernels.predict import layout as p
from standoff.kernels.predict.replay import replay_all, replay_dua, replay_wheel
from standoff.papers.bench004 import OWN_DUA, SPHERES, Bench, buckets
from standoff.papers.result import UNSAID, Result
from standoff.papers.worlds004 import Braking
from standoff.predict.deadlines import Deadlines
from standoff.predict.dua import Dua
from standoff.predict.schedule import body_table, new_block
from standoff.shapes.pose import Array
from standoff.view.plots import lines_plot

#: Table 1. Its cycles are sixtieths of a second, as Table 2 has the same as Δt in seconds.
PAPER_DUA = {5: 12.01, 10: 18.74, 15: 22.42, 20: 26.65, 30: 31.14, 40: 39.69}
PAPER_ALL = {5: 29.53, 10: 135.133, 15: 323.90, 20: 607.45, 30: 1543.02, 40: 3294.18}

#: Numbers beyond the paper's.
MORE = (100, 300, 1000)

WAYS = ("DUA", "deadlines", "all", "all, one by one")


def theory(count: int) -> float:
    """L log₂ L for L buckets: looking at a pair of each, and sorting them."""
    return buckets(count) * math.log2(buckets(count))


def cost(bench: Bench) -> Result:
    """Table 1, with Figs. 8 and 9."""
    counts = (*SPHERES, *(() if bench.quick else MORE))
    spent: dict[str, list[float]] = {way: [] for way in WAYS}
    for k, count in enumerate(counts):
        bench.tell(f"Table 1: {count} spheres", k / len(counts))
        for way, value in _lowest(bench, count).items():
            spent[way].append(value)
    dua, every = spent["DUA"], spent["all"]
    at = counts.index(40)
    grown = {
        "theory": [theory(n) / theory(40) for n in counts],
        "paper": [PAPER_DUA[n] / PAPER_DUA[40] if n in PAPER_DUA else math.nan for n in counts],
        "ours": [t / dua[at] for t in dua],
    }
    rows = tuple(
        (
            str(n),
            *((f"{PAPER_DUA[n]:.2f}", f"{PAPER_ALL[n]:.2f}", f"{PAPER_ALL[n] / PAPER_DUA[n]:.1f}")
              if n in PAPER_DUA else (UNSAID,) * 3),
            *(f"{spent[way][k]:.2f}" for way in WAYS),
            f"{every[k] / dua[k]:.1f}",
            f"{spent[WAYS[3]][k] / dua[k]:.1f}",
            f"{n * (n - 1) / 2 / buckets(n):.1f}",
            *(UNSAID if math.isnan(g[k]) else f"{g[k]:.2f}" for g in grown.values()),
        )
        for k, n in enumerate(counts)
    )  # fmt: skip

    def plot(path: Path) -> None:
        curves = {way: spent[way] for way in WAYS[:3]}
        lines_plot(counts, curves, ("spheres", "step [µs]"), path, log=(True, True))
        few = len(SPHERES)
        growth = {name: values[:few] for name, values in grown.items()}
        fig9 = path.with_name("fig9.png")
        lines_plot(SPHERES, growth, ("spheres", "step of DUA, 1 at 40 spheres"), fig9)

    ratio = PAPER_ALL[40] / PAPER_DUA[40]
    return Result(
        "Table 1, Figs. 8 and 9: cost of a step",
        (
            "N", "paper: DUA", "all", "all/DUA", "ours [µs]: DUA", "deadlines", "all",
            "all, one by one", "all/DUA", "one by one/DUA", "pairs/buckets", "growth: theory",
            "paper", "ours",
        ),
        rows,
        (
            f"Paper: 1/60 s on a SPARC 470, in Lisp. Ours: compiled code alone, lowest of "
            f"{bench.rounds} rounds, in turn. 'all' is select-all, SA(τ): {p.WIDTH} pairs worked "
            "out together, or one by one as the paper has it. 'deadlines' looks at as many pairs a "
            "step as there are buckets.",
            f"At 40 spheres select-all takes {spent[WAYS[3]][at] / dua[at]:.0f} times a step of "
            f"DUA pair by pair, and {every[at] / dua[at]:.0f} times in blocks (the paper: "
            f"{ratio:.0f}); looking alone would make it {780 / 10:.0f}. What DUA does besides "
            "looking, sorting and putting back, is what it lags by; a row of pairs is also worked "
            "out faster than ten that lie scattered.",
            "Growth: a step of DUA beside that of 40 spheres. Theory: L log₂ L, L buckets "
            f"(Fig. 9). From 5 to 40 spheres it grows {theory(40) / theory(5):.1f} times in "
            f"theory, {PAPER_DUA[40] / PAPER_DUA[5]:.1f} times in the paper, "
            f"{dua[at] / dua[0]:.1f} times here, where a part of each step is the same for all N.",
        ),
        {"counts": counts, "spent": spent, "growth": grown},
        plot,
    )  # fmt: skip


def _lowest(bench: Bench, count: int) -> dict[str, float]:
    """Each way's step, [µs], over the same readings."""
    period = OWN_DUA.get(count, OWN_DUA[40])
    many = bench.readings
    world = Braking(bench.cube, count, np.random.default_rng([1, count]))
    x, v = np.empty((many + 1, count, 3)), np.empty((many + 1, count, 3))
    for k in range(many + 1):
        x[k], v[k] = world.x, world.v
        world.advance(period)
    few = max(3, min(many, 200_000 // (count * count)))
    clock = time.perf_counter_ns
    best = dict.fromkeys(WAYS, math.inf)
    for _ in range(bench.rounds):
        for way in WAYS:
            run, begin = _start(bench, way, count, period, x[0], v[0])
            steps = few if way.startswith("all") else many
            first = 0 if way.startswith("all") else 1
            xs, vs = x[first : first + steps], v[first : first + steps]
            start = clock()
            run(xs, vs, *begin, first * period)
            best[way] = min(best[way], (clock() - start) / 1e3 / steps)
    return best


def _start(
    bench: Bench, way: str, count: int, period: float, x: Array, v: Array
) -> tuple[Callable[..., int], tuple[Any, ...]]:
    """A replay of this way, and what it works on after the first step."""
    cube = bench.cube
    each: Array = np.full(count, 1.0)
    bodies = body_table(cube.radius * each, cube.acceleration * each, None, cube.margin)
    none = np.zeros(0, dtype=np.int64)
    if way == "DUA":
        dua = Dua(bodies, period, p.FREE, none, "binary", False)
        dua.start(x, v)
        return replay_dua, dua.tables
    if way == "deadlines":
        wheel = Deadlines(bodies, period, p.FREE, none, buckets(count), None)
        wheel.start(x, v)
        return replay_wheel, wheel.tables
    block = new_block() if way == "all" else np.zeros((len(new_block()), 1))
    alarms = np.zeros((count * count, 3), dtype=np.int64)
    faults, state = np.zeros((count, p.FAULT_COLUMNS)), np.zeros(p.STATE, dtype=np.int64)
    return replay_all, (bodies, block, alarms, faults, state, period, p.FREE, 1)
