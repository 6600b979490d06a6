"""Paper 004, Table 1, Fig. 8 and Fig. 9: what a step costs against the number of spheres."""

from __future__ import annotations

import math
import time
from functools import partial

import numpy as np

from standoff.geometry.pose import Array
from standoff.papers.kernels.predict_replay import ALL, DEADLINES, DUA, replay
from standoff.papers.paper004_worlds import OWN_DUA, SPHERES, Bench, Braking, buckets
from standoff.papers.toolkit import UNSAID, Result, cells, heads, lines, lowest
from standoff.predict.deadlines import Deadlines
from standoff.predict.dua import DynamicUrgency
from standoff.predict.kernels import predict_tables as p
from standoff.predict.kernels.time_to_contact import BLOCK_ROWS, FREE
from standoff.predict.schedule import NO_PAIRS, body_table, given_of

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
    """Table 1 and Fig. 8."""
    counts = _counts(bench)
    spent = _measured(bench, "Table 1")
    dua, every, single = spent["DUA"], spent["all"], spent[WAYS[3]]
    rows = []
    for k, n in enumerate(counts):
        paper = PAPER_DUA.get(n), PAPER_ALL.get(n)
        ratios = every[k] / dua[k], single[k] / dua[k], n * (n - 1) / 2 / buckets(n)
        times = cells((*paper, *(spent[way][k] for way in WAYS)), ".2f")
        ratio = cells([PAPER_ALL[n] / PAPER_DUA[n] if n in PAPER_DUA else None], ".1f")
        rows.append([str(n), *times[:2], *ratio, *times[2:], *cells(ratios, ".1f")])
    at = counts.index(40)
    return Result(
        "Table 1, Fig. 8: cost of a step",
        heads(
            "N | paper: DUA | all | all/DUA | ours [µs]: DUA | deadlines | all | all, one by one | "
            "all/DUA | one by one/DUA | pairs/buckets"
        ),
        rows,
        (
            "Paper: in 1/60 s (its Table 2 has the same in seconds), Lisp on a SPARC 470. Ours: "
            f"compiled code alone, lowest of {bench.rounds} rounds, in turn. 'all' is select-all, "
            f"SA(τ): up to {p.WIDTH} pairs worked out together, or one by one as in the paper. "
            "'deadlines' looks at as many pairs a step as there are buckets.",
            f"At 40 spheres select-all takes {single[at] / dua[at]:.0f} times a step of DUA one by "
            f"one, {every[at] / dua[at]:.0f} times in blocks (the paper: "
            f"{PAPER_ALL[40] / PAPER_DUA[40]:.0f}); by the pairs looked at it would be 78. DUA "
            "works in blocks, too, but of ten scattered pairs, which it sorts and puts back. So in "
            "blocks select-all lags behind by less than the paper found, and one by one by more. "
            "Where more pairs are due than deadlines look at, they take the time to alarm them.",
        ),
        {"counts": counts, "spent": spent},
        lines(counts, spent, ("spheres", "step [µs]"), log=(True, True)),
    )


def growth(bench: Bench) -> Result:
    """Fig. 9: how a step of DUA grows, beside the theory."""
    counts = _counts(bench)
    dua = _measured(bench, "Fig. 9")["DUA"]
    grown = {
        "theory": [theory(n) / theory(40) for n in counts],
        "paper": [PAPER_DUA[n] / PAPER_DUA[40] if n in PAPER_DUA else math.nan for n in counts],
        "ours": [t / dua[counts.index(40)] for t in dua],
    }
    rows = [
        (str(n), str(buckets(n)), *(UNSAID if math.isnan(g) else f"{g:.2f}" for g in of))
        for n, *of in zip(counts, *grown.values())
    ]
    return Result(
        "Fig. 9: growth of a step of DUA, beside that of 40 spheres",
        ("N", "buckets", *grown),
        rows,
        (
            "Theory: L log₂ L for L buckets, which is O(log N log log N). From 5 to 40 spheres it "
            f"grows {1.0 / grown['theory'][0]:.1f} times in theory, {1.0 / grown['paper'][0]:.1f} "
            f"times in the paper, {1.0 / grown['ours'][0]:.1f} times here: a part of each step is "
            "the same for all N.",
        ),
        {"counts": counts, "growth": grown},
        lines(counts, grown, ("spheres", "step of DUA, 1 at 40 spheres"), log=(True, False)),
    )


def _counts(bench: Bench) -> tuple[int, ...]:
    return SPHERES if bench.quick else (*SPHERES, *MORE)


def _measured(bench: Bench, what: str) -> dict[str, list[float]]:
    """The step of each way over all counts, [µs]; taken once."""
    counts, found = _counts(bench), {}
    for n in bench.each(counts, f"{what}: {{}} spheres"):
        found[n] = bench.once(n, partial(_lowest, bench, n))
    return {way: [found[n][way] for n in counts] for way in WAYS}


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

    def measured(way: str) -> Array:
        whose, tables = started(bench, way, count, period, x[0], v[0])
        first, steps = (0, few) if way.startswith("all") else (1, many)
        xs, vs = x[first : first + steps], v[first : first + steps]
        start = time.perf_counter_ns()
        replay(whose, xs, vs, tables.address, first * period, period)
        return np.array((time.perf_counter_ns() - start) / 1e3 / steps)

    best = lowest({way: partial(measured, way) for way in WAYS}, bench.rounds)
    return {way: float(took) for way, took in best.items()}


def started(
    bench: Bench, way: str, count: int, period: float, x: Array, v: Array
) -> tuple[int, p.Watched]:
    """Whose steps these are for `replay`, and what they work on after the first."""
    cube = bench.cube
    each: Array = np.full(count, 1.0)
    bodies = body_table(cube.radius * each, cube.acceleration * each, None, cube.margin)
    if way == "DUA":
        dua = DynamicUrgency().schedule(bodies, period, FREE, NO_PAIRS)
        dua.start(x, v)
        return DUA, dua.tables
    if way == "deadlines":
        wheel = Deadlines(tests=buckets(count)).schedule(bodies, period, FREE, NO_PAIRS)
        wheel.start(x, v)
        return DEADLINES, wheel.tables
    given = given_of(bodies, period, FREE, NO_PAIRS)
    if way != "all":
        given["block"] = np.zeros((BLOCK_ROWS, 1))
    return ALL, p.Watched(**given, alarms=count * count, faults=count)
