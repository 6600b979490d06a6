"""Paper 004, Table 2 and Fig. 10: how many alarms are raised for nothing; Table 3: does DUA know
which pair is the most urgent, and does distance? And beyond the paper, alarms against Δt, where its
own is what a processor of its time took.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np

from standoff.errors import Error
from standoff.geometry.pose import Array
from standoff.papers.paper004_worlds import (
    ITERATIONS,
    OWN_ALL,
    OWN_DUA,
    SPHERES,
    Bench,
    Bouncing,
    Braking,
    Cube,
    Marks,
    Pairs,
    Printed,
    SelectAll,
    buckets,
)
from standoff.papers.toolkit import Result, cells, heads, lines
from standoff.predict.deadlines import Deadlines
from standoff.predict.dua import DynamicUrgency, UrgencySchedule
from standoff.predict.kernels.buckets import place_of
from standoff.predict.predictor import Predictor

#: Table 2, after each of ITERATIONS: DUA, repetitions counted; select-all without and with them.
PAPER_DUA = {
    5: (0, 0, 0, 0, 0), 10: (52, 75, 104, 134, 153), 15: (96, 133, 189, 246, 284),
    20: (124, 174, 248, 323, 370), 30: (164, 226, 319, 410, 471), 40: (196, 270, 379, 485, 557),
}  # fmt: skip
PAPER_NEW = {
    5: (0, 0, 0, 0, 0), 10: (88, 109, 127, 153, 177), 15: (496, 655, 914, 1199, 1368),
    20: (897, 1144, 1538, 1988, 2315), 30: (2193, 2822, 3746, 4763, 5433),
    40: (3988, 5118, 6717, 8539, 9668),
}  # fmt: skip
PAPER_EVERY = {
    5: (0, 0, 0, 0, 0), 10: (102, 125, 146, 172, 196), 15: (1203, 1516, 1944, 2398, 2671),
    20: (3581, 4955, 6937, 8909, 10168), 30: (8317, 11462, 16076, 20822, 23927),
    40: (15489, 21593, 30649, 39892, 45958),
}  # fmt: skip


#: The schedule of the paper.
_PAPER = DynamicUrgency()


class Ours:
    """A `Predictor` with what `SelectAll` has.

    ``bounces``: each reading is a new beginning for it. Walls turn spheres round in no time, and it
    would say so with a fault, and alarm all their pairs.
    """

    def __init__(
        self,
        pairs: Pairs,
        period: float,
        schedule: Deadlines | DynamicUrgency = _PAPER,
        *,
        bounces: bool = False,
    ) -> None:
        cube, count = pairs.cube, int(pairs.b[-1]) + 1
        self.pairs, self.bounces = pairs, bounces
        self.predictor = Predictor(
            np.full(count, cube.radius), cube.acceleration, margin=cube.margin, period=period,
            schedule=schedule,
        )  # fmt: skip
        self.looks = 0

    def step(self, x: Array, v: Array) -> tuple[int, int]:
        if self.bounces:
            self.predictor._bodies["seen_in"] = -1
        found = self.predictor.step(x, v)
        if found.faults or not found.keeping_up:
            raise Error("the world breaks its bounds", value="; ".join(map(str, found.faults)))
        self.looks = found.tests
        return found.count, int(found.new.sum())

    def has_first(self, number: int) -> bool:
        """Whether a pair is the one in the first bucket of DUA."""
        schedule = self.predictor._schedule
        assert isinstance(schedule, UrgencySchedule)
        a, b = int(self.pairs.a[number]), int(self.pairs.b[number])
        return bool(place_of(schedule.address, a, b) == 0)

    @property
    def marks(self) -> Marks:
        marks: Marks = np.zeros(len(self.pairs), dtype=bool)
        alarmed = self.predictor.alarmed()
        marks[self.pairs.number(alarmed[:, 0], alarmed[:, 1])] = True
        return marks


#: A way to predict, made for pairs and a period.
Way = Callable[[Pairs, float], SelectAll | Printed | Ours]


class Tally:
    """What one way did in all worlds.

    Attributes:
        alarms: of each world and step, the first look included, with repetitions and without,
            (worlds, steps + 1, 2).
        looks: pairs looked at in a step, the first not counted; the mean.
        standing: which part of the pairs stands under an alarm; the mean.
        contacts: pairs that touched at a reading, in all worlds.
    """

    def __init__(self, worlds: int, steps: int) -> None:
        self.alarms = np.zeros((worlds, steps + 1, 2))
        self.looks = self.standing = 0.0
        self.contacts = 0

    def upto(self, iterations: int, *, first: bool) -> tuple[float, float]:
        """Alarms with repetitions and without, mean of all worlds. ``first``: of so many readings
        from the first on; or without the first, which is the start, and so many after it."""
        begin = 0 if first else 1
        counted = self.alarms[:, begin : begin + iterations].sum(axis=1).mean(axis=0)
        return float(counted[0]), float(counted[1])

    def spread(self, readings: int) -> float:
        """Standard deviation from world to world of the alarms without repetitions."""
        return float(self.alarms[:, :readings, 1].sum(axis=1).std())


def tally(
    kind: type[Bouncing] | type[Braking],
    cube: Cube,
    count: int,
    period: float,
    ways: Mapping[str, Way],
    worlds: int,
    steps: int = ITERATIONS[-1],
) -> dict[str, Tally]:
    """All ways over the same readings, ``period`` apart."""
    pairs = Pairs(cube, count)
    found = {name: Tally(worlds, steps) for name in ways}
    for k in range(worlds):
        world = kind(cube, count, np.random.default_rng([4, count, k]))
        running = {name: way(pairs, period) for name, way in ways.items()}
        touched: Marks = np.zeros(len(pairs), dtype=bool)
        for step in range(steps + 1):
            for name, way in running.items():
                mine = found[name]
                mine.alarms[k, step] = way.step(world.x, world.v)
                mine.looks += way.looks / (worlds * steps) if step else 0
                mine.standing += way.marks.mean() / (worlds * (steps + 1))
            touched |= pairs.gap(world.x) <= 0.0
            world.advance(period)
        for mine in found.values():
            mine.contacts += int(touched.sum())
    return found


class OwnPeriods(dict[int, dict[str, Tally]]):
    """By number of spheres what each way did at the Δt of its own step."""

    def mean_alarms(self, n: int, name: str, iterations: int) -> tuple[float, float]:
        """Its alarms with repetitions and without; the first look counts for select-all only."""
        return self[n][name].upto(iterations, first=name == "all")

    @property
    def contacts(self) -> int:
        """Pairs that touched at a reading, in the worlds of either Δt."""
        return sum(of["printed"].contacts + of["all"].contacts for of in self.values())


def own_periods(bench: Bench) -> OwnPeriods:
    """All worlds of Table 2."""
    cube, found = bench.cube, OwnPeriods()
    for n in bench.each(SPHERES, "Table 2: {} spheres"):
        looks = buckets(n)
        few: dict[str, Way] = {
            "printed": Printed,
            "DUA": lambda pairs, dt: Ours(pairs, dt, bounces=True),
            "deadlines": lambda pairs, dt, looks=looks: Ours(  # type: ignore[misc]
                pairs, dt, Deadlines(tests=looks), bounces=True
            ),
        }
        found[n] = tally(Bouncing, cube, n, OWN_DUA[n], few, bench.worlds)
        found[n] |= tally(Bouncing, cube, n, OWN_ALL[n], {"all": SelectAll}, bench.worlds)
    return found


def own(bench: Bench) -> Result:
    """Table 2 and Fig. 10 as in the paper: each way at the Δt of its own step."""
    found = own_periods(bench)
    alarms = found.mean_alarms
    rows = tuple(
        (
            str(n), str(t), str(PAPER_DUA[n][i]),
            f"{alarms(n, 'printed', t)[0]:.0f}", f"{alarms(n, 'DUA', t)[0]:.0f}",
            _both(*alarms(n, "deadlines", t)),
            _both(PAPER_EVERY[n][i], PAPER_NEW[n][i]), _both(*alarms(n, "all", t)),
        )
        for n in SPHERES
        for i, t in enumerate(ITERATIONS)
    )  # fmt: skip
    curves = {
        "paper: DUA": [float(PAPER_DUA[n][-1]) for n in SPHERES],
        "paper: SA(τ)": [float(PAPER_NEW[n][-1]) for n in SPHERES],
        "DUA as printed": [alarms(n, "printed", ITERATIONS[-1])[0] for n in SPHERES],
        "SA(τ)": [alarms(n, "all", ITERATIONS[-1])[1] for n in SPHERES],
        "deadlines": [alarms(n, "deadlines", ITERATIONS[-1])[1] for n in SPHERES],
    }
    return Result(
        "Table 2, Fig. 10: false alarms, each way at the Δt of its own step",
        heads(
            "N | iterations | paper: DUA | ours: DUA as printed | so.Predictor, DUA | deadlines | "
            "paper: SA(τ) | ours: SA(τ)"
        ),
        rows,
        _own_remarks(bench, found),
        {"tallies": found},
        lines(SPHERES, curves, ("spheres", "alarms in 75 iterations")),
    )


def _own_remarks(bench: Bench, found: OwnPeriods) -> tuple[str, ...]:
    cube, alarms = bench.cube, found.mean_alarms
    return (
        "DUA with repetitions, SA(τ) and deadlines without them (with them in brackets); Δt of "
        f"DUA {OWN_DUA[5]} to {OWN_DUA[40]} s, of SA(τ) {OWN_ALL[5]} to {OWN_ALL[40]} s. "
        "Deadlines look at as many pairs a step as DUA, so at its Δt. The first look at all "
        f"pairs is not counted but for SA(τ). Mean of {bench.worlds} worlds; the paper seems "
        f"to have run one. {found.contacts} pairs touched at a reading (the paper: none).",
        "Fitted: what the paper leaves open was chosen to reproduce its counts, so the "
        f"agreement says little. A cube of {cube.side:g} m, radius "
        f"{cube.radius:g} m, margin {cube.margin:g} m, acceleration up to "
        f"{cube.acceleration:g} m/s² (each component even within that over √3, new in each "
        f"step), first velocities up to {cube.speed:g} m/s in each component; walls throw "
        f"back with {cube.restitution:g} of the speed.",
        "These walls break the bound on acceleration, and the paper's must, too: in 53.75 s "
        "a fifth of its pairs of 40 spheres cannot touch. They separate at 27 s times their "
        "acceleration, and whoever keeps that bound needs 180 s² times it to stop; but of the "
        "pairs of 10 spheres up to a tenth can touch within 2.23 s. A predictor reports such "
        "walls as faults; here each reading is a new beginning for it.",
        "Farthest from the paper are SA(τ) of 15 spheres after 75 iterations, "
        f"{alarms(15, 'all', 75)[1]:.0f} ± {found[15]['all'].spread(75):.0f} (one standard "
        f"deviation) against {PAPER_NEW[15][-1]}, and of 10 after 25, "
        f"{alarms(10, 'all', 25)[1]:.0f} ± {found[10]['all'].spread(25):.0f} against "
        f"{PAPER_NEW[10][0]}: the paper's calm down as they go on, ours do not.",
        "DUA as printed fills the last bucket up with dummies and looks at it in some steps "
        "only; so.Predictor looks at a pair of it in each.",
        "DUA raises at most one alarm a bucket and step: at 40 spheres "
        f"{100 * alarms(40, 'DUA', 75)[0] / 750:.0f} % of its 750 looks are alarms, and "
        f"{100 * found[40]['DUA'].standing:.1f} % of all pairs are under alarm all the time. "
        "Deadlines alarm at once what is due and not looked at, so that they raise fewer up "
        f"to 30 spheres ({alarms(15, 'deadlines', 75)[0]:.0f} "
        f"against {alarms(15, 'DUA', 75)[0]:.0f} at 15) and more at 40 "
        f"({alarms(40, 'deadlines', 75)[0]:.0f} against {alarms(40, 'DUA', 75)[0]:.0f}). "
        "See the next tables for all ways at one Δt, and for shorter ones.",
    )


def _ways(n: int) -> dict[str, Way]:
    """What is compared at one Δt."""
    looks = buckets(n)
    return {
        "SA(τ)": lambda pairs, dt: SelectAll(pairs, dt, 2),
        "SA(d)": lambda pairs, dt: SelectAll(pairs, dt, 2, by_distance=True),
        "DUA as printed": Printed,
        "DUA": Ours,
        "DUA, Fibonacci": lambda pairs, dt: Ours(pairs, dt, DynamicUrgency(series="fibonacci")),
        "deadlines, looks as DUA": lambda pairs, dt: Ours(pairs, dt, Deadlines(tests=looks)),
        "deadlines, 4 times as many": lambda pairs, dt: Ours(pairs, dt, Deadlines(tests=4 * looks)),
        "deadlines, all that are due": lambda pairs, dt: Ours(pairs, dt, Deadlines()),
    }


def one(bench: Bench) -> Result:
    """All ways at DUA's Δt, repetitions removed for all, in a world that keeps its bounds."""
    found: dict[int, dict[str, Tally]] = {}
    for n in bench.each(SPHERES, "one Δt: {} spheres"):
        found[n] = tally(Braking, bench.cube, n, OWN_DUA[n], _ways(n), bench.worlds)
    names = tuple(_ways(5))
    most = SPHERES[-1]

    def raised(n: int, name: str) -> float:
        return found[n][name].upto(ITERATIONS[-1] + 1, first=True)[1]

    rows = tuple(
        (
            name,
            *cells((raised(n, name) for n in SPHERES), ".0f"),
            f"{100.0 * found[most][name].standing:.0f} %",
            f"{found[most][name].looks:.1f}",
        )
        for name in names
    )
    curves = {name: [raised(n, name) for n in SPHERES] for name in names}
    labels = ("spheres", "alarms in 75 iterations, no repetitions")
    due, every = names[-1], names[0]
    contacts = sum(found[n][every].contacts for n in SPHERES)
    return Result(
        f"All at one Δt, that of DUA: alarms in {ITERATIONS[-1]} iterations, repetitions removed",
        ("", *(f"N = {n}" for n in SPHERES), "pairs under alarm, N = 40", "looks a step"),
        rows,
        (
            "Spheres brake before the walls, so that all bounds hold at all times, and each way "
            "promises the same: an alarm before any contact, with a step that may take as long as "
            "Δt (select-all alarms by τ ≤ 2 Δt). The first look at all pairs is counted. An alarm "
            "is a repetition where the pair was alarmed when it was last looked at. "
            f"{contacts} pairs touched at a reading, in {bench.worlds} worlds each.",
            "At one Δt the paper's comparison turns round: at 40 spheres DUA keeps "
            f"{100 * found[most]['DUA'].standing:.0f} % of all pairs under alarm, SA(τ) "
            f"{100 * found[most][every].standing:.0f} %. A pair in a bucket of 256 waits 256 steps "
            "for its turn, and nothing here is that far from touching.",
            "Deadlines that look at all that is due alarm what SA(τ) does, from "
            f"{found[most][due].looks:.0f} looks a step at 40 spheres instead of 780. With fewer "
            "looks than are due the rest is alarmed without a look, and counts anew whenever a "
            "look has cleared it. SA(d) knows the highest speed only, "
            f"{bench.cube.fastest:.1f} m/s here, and no velocity.",
        ),
        {"tallies": found},
        lines(SPHERES, curves, labels),
    )


def _both(every: float, new: float) -> str:
    return f"{new:.0f} ({every:.0f})"


#: Spheres of Table 3, and how many iterations it was run for.
TEN = 10
LENGTHS = (25, 50, 75, 100, 150, 200, 250)

#: Mean and standard deviation for each of LENGTHS, and overall, [%].
PAPER_BELIEF = (
    (63.6, 27.29), (64.2, 19.58), (67.87, 19.30), (70.9, 19.61), (68.73, 18.46), (68.4, 16.61),
    (64.56, 20.94), (66.89, 20.26),
)  # fmt: skip
PAPER_DISTANCE = (
    (16.8, 17.66), (15.4, 13.98), (19.73, 10.73), (19.4, 8.56), (21.67, 9.25), (24.0, 8.92),
    (21.6, 9.13), (19.8, 11.18),
)  # fmt: skip


def agreement(cube: Cube, iterations: int, rng: np.random.Generator) -> Array:
    """In which part of the iterations the pair in the first bucket of DUA as printed, that of
    `Predictor`, and the nearest pair are the most urgent one, (3,)."""
    pairs = Pairs(cube, TEN)
    period = OWN_DUA[TEN]
    printed, ours = Printed(pairs, period), Ours(pairs, period, bounces=True)
    world = Bouncing(cube, TEN, rng)
    agreed = np.zeros(3)
    for step in range(iterations + 1):
        printed.step(world.x, world.v)
        ours.step(world.x, world.v)
        if step:
            urgent = int(pairs.urgency(world.x, world.v).argmin())
            nearest = int(pairs.gap(world.x).argmin())
            agreed += (printed.places[0] == urgent, ours.has_first(urgent), nearest == urgent)
        world.advance(period)
    part: Array = agreed / iterations
    return part


def belief(bench: Bench) -> Result:
    """Table 3."""
    found = np.empty((len(LENGTHS), bench.beliefs, 3))
    for i, iterations in enumerate(bench.each(LENGTHS, "Table 3: {} iterations")):
        for k in range(bench.beliefs):
            rng = np.random.default_rng([5, iterations, k])
            found[i, k] = 100.0 * agreement(bench.cube, iterations, rng)
    resting = replace(bench.cube, speed=0.0)
    rest = np.mean(
        [agreement(resting, 100, np.random.default_rng([6, k])) for k in range(bench.beliefs)],
        axis=0,
    )
    mean = np.vstack([found.mean(axis=1), found.mean(axis=(0, 1))])
    spread = np.vstack([found.std(axis=1), found.std(axis=(0, 1))])
    rows = tuple(
        (
            name, _shown(PAPER_BELIEF[i]), _shown((mean[i, 0], spread[i, 0])),
            _shown((mean[i, 1], spread[i, 1])), _shown(PAPER_DISTANCE[i]),
            _shown((mean[i, 2], spread[i, 2])),
        )
        for i, name in enumerate((*map(str, LENGTHS), "overall"))
    )  # fmt: skip
    return Result(
        "Table 3: agreement on the most urgent pair of 10 spheres [%], mean ± standard deviation",
        heads(
            "iterations | paper: DUA | ours: DUA as printed | so.Predictor, DUA | paper: SA(d) | "
            "ours: SA(d)"
        ),
        rows,
        (
            f"How often the pair in the first bucket is the one that SA(τ) finds, at Δt = "
            f"{OWN_DUA[TEN]} s, and how often the nearest pair is. {bench.beliefs} worlds each "
            "(the paper: 10), as in Table 2.",
            f"Overall {mean[-1, 0]:.0f} % and {mean[-1, 2]:.0f} %, in the paper 67 % and 20 %. The "
            "first velocities, which the paper does not give, decide on it: from rest it would be "
            f"{100 * rest[0]:.0f} % and {100 * rest[2]:.0f} % in 100 iterations. The paper's "
            "worlds differ more from each other than ours do, even after 250 iterations.",
        ),
        {"mean": mean, "spread": spread, "rest": 100.0 * rest},
    )


def _shown(value: tuple[float, float]) -> str:
    return f"{value[0]:.1f} ± {value[1]:.1f}"


#: Spheres of the sweep over Δt.
FORTY = 40

#: For how many stretches with one acceleration each, as long as Δt of the paper.
STRETCHES = 30

#: Steps in each of them.
PARTS = (1, 2, 4, 8, 16, 32, 64)

#: Few of them, and the one that the note names.
FEW = (1, 4, 16)
NAMED = 16

WAYS = ("SA(τ)", "DUA", "deadlines, looks as DUA", "deadlines, all that are due")


def watched(cube: Cube, parts: int, stretches: int, seed: int) -> dict[str, tuple[float, ...]]:
    """For each way: alarms without repetitions, the part of the pairs under alarm, and looks a
    step; spheres get new accelerations after every ``parts`` steps."""
    pairs = Pairs(cube, FORTY)
    period = OWN_DUA[FORTY] / parts
    world = Braking(cube, FORTY, np.random.default_rng([7, seed]))
    of = _ways(FORTY)
    ways = {name: of[name](pairs, period) for name in WAYS}
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
    for parts in bench.each(chosen, "Δt over {}"):
        each = [watched(bench.cube, parts, STRETCHES, seed) for seed in range(worlds)]
        found[parts] = {
            name: tuple(float(np.mean([one[name][i] for one in each])) for i in range(3))
            for name in WAYS
        }
    periods = [1e3 * OWN_DUA[FORTY] / parts for parts in chosen]
    rows = tuple(
        (
            f"{period:.3g}",
            *(f"{found[n][w][0]:.0f} ({100 * found[n][w][1]:.1f} %)" for w in WAYS),
            f"{found[n][WAYS[-1]][2]:.1f}",
        )
        for period, n in zip(periods, chosen)
    )
    curves = {name: [100.0 * found[n][name][1] for n in chosen] for name in WAYS}
    shown = found[NAMED]
    return Result(
        "Beyond the paper, Δt: alarms of 40 spheres, repetitions removed, and pairs under alarm",
        ("Δt [ms]", *WAYS, "looks a step"),
        rows,
        (
            f"{STRETCHES * OWN_DUA[FORTY]:.0f} s; spheres that brake before the walls, a new "
            f"acceleration every {OWN_DUA[FORTY]} s; mean of {worlds} worlds. Looks: those of "
            f"the last way; SA(τ) has 780, the others {buckets(FORTY)}.",
            f"With Δt = {1e3 * OWN_DUA[FORTY] / NAMED:.2g} ms DUA has "
            f"{100 * shown[WAYS[1]][1]:.0f} % of the pairs under alarm, deadlines with as many "
            f"looks {100 * shown[WAYS[2]][1]:.1f} %; and they need but "
            f"{shown[WAYS[3]][2]:.0f} looks a step to alarm no more than SA(τ) does "
            "with 780. A schedule is as good as the looks that it can spend before things "
            "move: the paper's processor had one in 66 ms.",
        ),
        {"found": found},
        lines(periods, curves, ("Δt [ms]", "pairs under alarm [%]"), log=(True, False)),
    )
