"""Beyond paper 004: alarms against Δt. The paper's Δt is what a processor of its time took."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from standoff.papers.bench004 import OWN_DUA, Bench, buckets
from standoff.papers.paper004_alarms import Ours, Way
from standoff.papers.printed004 import Pairs, SelectAll
from standoff.papers.result import Result
from standoff.papers.worlds004 import Braking, Cube
from standoff.predict.deadlines import Deadlines
from standoff.view.plots import lines_plot

SPHERES = 40

#: For how many stretches with one acceleration each, as long as Δt of the paper.
STRETCHES = 30

#: Steps in each of them.
PARTS = (1, 2, 4, 8, 16, 32, 64)

#: Few of them, and the one that tells most.
FEW = (1, 4, 16)
TELLING = 16

WAYS = ("SA(τ)", "DUA", "deadlines, looks as DUA", "deadlines, all that are due")


def _ways(pairs: Pairs, period: float) -> dict[str, Way]:
    looks = buckets(SPHERES)
    ways: tuple[Way, ...] = (
        SelectAll(pairs, period, 2),
        Ours(pairs, period),
        Ours(pairs, period, Deadlines(tests=looks)),
        Ours(pairs, period, Deadlines()),
    )
    return dict(zip(WAYS, ways))


def watched(cube: Cube, parts: int, stretches: int, seed: int) -> dict[str, tuple[float, ...]]:
    """For each way: alarms without repetitions, the part of the pairs under alarm, and looks a
    step; spheres get new accelerations after every ``parts`` steps."""
    pairs = Pairs(cube, SPHERES)
    period = OWN_DUA[SPHERES] / parts
    world = Braking(cube, SPHERES, np.random.default_rng([7, seed]))
    ways = _ways(pairs, period)
    found = {name: np.zeros(3) for name in WAYS}
    steps = stretches * parts
    for k in range(steps + 1):
        for name, way in ways.items():
            found[name][0] += way.step(world.x, world.v)[1]
            found[name][2] += way.looks / steps if k else 0.0
            if k and k % parts == 0:
                found[name][1] += way.marks.mean() / stretches
        world.advance(period, draw=k % parts == 0)
    return {name: tuple(map(float, values)) for name, values in found.items()}


def shorter(bench: Bench) -> Result:
    """Alarms of 40 spheres against Δt, from the paper's down to milliseconds."""
    chosen = FEW if bench.quick else PARTS
    worlds = max(1, bench.worlds // 5)
    found = {}
    for k, parts in enumerate(chosen):
        bench.tell(f"Δt: {1e3 * OWN_DUA[SPHERES] / parts:.3g} ms", k / len(chosen))
        each = [watched(bench.cube, parts, STRETCHES, seed) for seed in range(worlds)]
        found[parts] = {
            name: tuple(float(np.mean([one[name][i] for one in each])) for i in range(3))
            for name in WAYS
        }
    periods = [1e3 * OWN_DUA[SPHERES] / parts for parts in chosen]
    rows = tuple(
        (
            f"{period:.3g}",
            *(f"{found[n][w][0]:.0f} ({100 * found[n][w][1]:.1f} %)" for w in WAYS),
            f"{found[n][WAYS[-1]][2]:.1f}",
        )
        for period, n in zip(periods, chosen)
    )

    def plot(path: Path) -> None:
        curves = {name: [100.0 * found[n][name][1] for n in chosen] for name in WAYS}
        labels = ("Δt [ms]", "pairs under alarm [%]")
        lines_plot(periods, curves, labels, path, log=(True, False))

    told = found[TELLING]
    return Result(
        "Beyond the paper, Δt: alarms of 40 spheres, repetitions removed, and pairs under alarm",
        ("Δt [ms]", *WAYS, "looks a step"),
        rows,
        (
            f"{STRETCHES * OWN_DUA[SPHERES]:.0f} s; spheres that brake before the walls, a new "
            f"acceleration every {OWN_DUA[SPHERES]} s; mean of {worlds} worlds. Looks: those of "
            f"the last way; SA(τ) has 780, the others {buckets(SPHERES)}.",
            f"With Δt = {1e3 * OWN_DUA[SPHERES] / TELLING:.2g} ms DUA has "
            f"{100 * told[WAYS[1]][1]:.0f} % of the pairs under alarm, deadlines with as many "
            f"looks {100 * told[WAYS[2]][1]:.1f} %; and they need but {told[WAYS[3]][2]:.0f} looks "
            "a step to alarm no more than SA(τ) does with 780. A schedule is as good as the looks "
            "that it can spend before things move: the paper's processor had one in 66 ms.",
        ),
        {"found": found},
        plot,
    )
