"""What does a step of prediction cost? DUA, deadlines, select-all, MuJoCo and SciPy.

    python benchmarks/predict.py [--quick]

N balls swing about places of their own, each within its bounds, at a density that does not depend
on N. Steps are timed from Python, the median of each; loops in compiled code by the processor's
time of the thread. MuJoCo and SciPy find all pairs within a margin anew in each step, the state
set and the pairs read back.
"""

from __future__ import annotations

import argparse
import resource
import threading
import time

import mujoco
import numpy as np
from numba import njit
from rich.console import Console
from rich.table import Table
from scipy.spatial import cKDTree

import standoff as so
from standoff.papers.kernels.predict_replay import select_all
from standoff.predict.kernels import predict_tables as p
from standoff.predict.kernels.buckets import dua_step, read_pair, take_seats, units_left
from standoff.predict.kernels.look import work_out
from standoff.predict.kernels.sorting import copy
from standoff.predict.kernels.time_to_contact import BLOCK_ROWS, FREE, urgency_many
from standoff.predict.schedule import NO_PAIRS, body_table, given_of

RADIUS, MARGIN, PERIOD = 0.05, 0.03, 0.01
#: Edge of the cube that a ball has to itself, [m].
ROOM = 0.4

console = Console()


class Swing:
    """Balls that swing about places of their own: bounded, exact, each at its own pace."""

    def __init__(self, n: int, seed: int = 0) -> None:
        rng = np.random.default_rng(seed)
        self.n = n
        self.centre = rng.uniform(0.0, ROOM * n ** (1 / 3), (n, 3))
        self.ways = rng.normal(size=(2, n, 3)) * 0.1
        self.pace = rng.uniform(0.5, 2.0, n)
        reach = np.linalg.norm(self.ways, axis=2).sum(axis=0)
        self.acceleration = self.pace**2 * reach
        self.x, self.v = np.empty((n, 3)), np.empty((n, 3))
        self.at(0)

    def at(self, k: int) -> tuple[np.ndarray, np.ndarray]:
        """The reading of a step, written into the same two arrays each time."""
        a, b = self.ways
        angle = self.pace * (PERIOD * k)
        sine, cosine = np.sin(angle)[:, None], np.cos(angle)[:, None]
        self.x[:] = self.centre + a * sine + b * cosine
        self.v[:] = self.pace[:, None] * (a * cosine - b * sine)
        return self.x, self.v

    def predictor(self, **how: object) -> so.Predictor:
        radii = np.full(self.n, RADIUS)
        how = {"schedule": so.predict.DynamicUrgency()} | how
        return so.Predictor(radii, self.acceleration, margin=MARGIN, period=PERIOD, **how)


def median_step(world: Swing, predictor: so.Predictor, steps: int) -> tuple[float, float]:
    """Median and 99th percentile of a step, [µs]."""
    times = []
    for k in range(1, steps + 1):
        x, v = world.at(k)
        start = time.perf_counter_ns()
        predictor.step(x, v)
        times.append(time.perf_counter_ns() - start)
    return float(np.median(times)) / 1e3, float(np.percentile(times, 99)) / 1e3


def resting_step(n: int, steps: int) -> float:
    """Median of a step whose readings are in the cache already, [µs]: nobody moves, and nothing
    but the predictor runs."""
    world = Swing(n)
    x, v = world.x, np.zeros((n, 3))
    predictor = world.predictor()
    predictor.step(x, v)
    times = []
    for _ in range(steps):
        start = time.perf_counter_ns()
        predictor.step(x, v)
        times.append(time.perf_counter_ns() - start)
    return float(np.median(times)) / 1e3


def tau_rate() -> float:
    """Pairs a second, τ without a bound on speed, one thread."""
    rng = np.random.default_rng(1)
    n = 1 << 18
    x, v = rng.uniform(-5, 5, (n, 3)), rng.normal(size=(n, 3))
    acceleration, radius = rng.uniform(0.1, 3.0, n), np.full(n, 0.1)
    block, tau = np.zeros((BLOCK_ROWS, p.WIDTH)), np.zeros(n)
    best = np.inf
    for _ in range(8):
        start = time.thread_time()
        urgency_many(FREE, x, v, acceleration, radius, radius, block, tau)
        best = min(best, time.thread_time() - start)
    return n / best


@njit(nogil=True)
def loop_dua(x, v, times, address):
    found = 0
    for now in times:
        found += dua_step(x, v, address, now)
    return found


@njit(nogil=True)
def loop_all(x, v, times, address):
    found = 0
    for now in times:
        found += select_all(x, v, address, 2, now)
    return found


def against_all(n: int, rounds: int) -> tuple[float, float, float]:
    """A step of DUA, of select-all pair by pair, and of select-all in blocks, [µs], all in compiled
    code and with the balls at rest: what they do makes no difference to the work."""
    world = Swing(n)
    x, v = world.x, np.zeros((n, 3))
    predictor = world.predictor()
    predictor.step(x, v)
    schedule = predictor._schedule
    period = predictor._late_after
    bodies = body_table(np.full(n, RADIUS), world.acceleration, None, MARGIN)
    given = given_of(bodies, period, FREE, NO_PAIRS)
    blocks = [
        p.Watched(**given | {"block": np.zeros((BLOCK_ROWS, width))}, alarms=n * n, faults=n)
        for width in (1, p.WIDTH)
    ]
    dua, every = [], ([], [])
    few = max(2, 40_000 // (n * n))
    for k in range(rounds + 1):
        times = PERIOD * np.arange(2000 * k + 1, 2000 * k + 2001)
        start = time.thread_time()
        loop_dua(x, v, times, schedule.address)
        dua.append((time.thread_time() - start) / len(times))
        for tables, kept in zip(blocks, every):
            start = time.thread_time()
            loop_all(x, v, times[:few], tables.address)
            kept.append((time.thread_time() - start) / few)
    # The first round has compiled.
    dua_us, single, wide = (1e6 * float(np.median(t[1:])) for t in (dua, *every))
    return dua_us, single, wide


@njit(nogil=True)
def look_at_share(x, v, address, first, last):
    """What one worker does, on tables with a block and marks of its own: the buckets from ``first``
    to ``last``."""
    tables = p.buckets_at(address)
    rows = tables.rows
    for i in range(first, last):
        copy(tables.pairs[tables.seats[i].place], rows[i])
        read_pair(x, v, tables, rows[i], i - first)
    work_out(tables, last - first)
    for i in range(first, last):
        rows[i].deadline = units_left(tables, i - first)
    return 0


@njit(nogil=True)
def turn(address, now):
    tables = p.buckets_at(address)
    tables.state.step += 1
    tables.state.now = now
    return take_seats(tables)


def workers(n: int, count: int, steps: int) -> float:
    """A step with threads that share the buckets, up to the sort, [µs]."""
    world = Swing(n)
    predictor = world.predictor()
    predictor.step(world.x, world.v)
    whole = predictor._schedule.tables
    shares = np.linspace(0, len(whole.buckets), count + 1).astype(int)
    gate, reading = threading.Barrier(count + 1), [world.x, world.v, True]
    own = [
        p.Buckets(**whole.arrays | {"block": 0.0 * whole.block, "marks": 0 * whole.marks})
        for _ in range(count)
    ]

    def work(i: int) -> None:
        while True:
            gate.wait()
            x, v, running = reading
            if not running:
                return
            look_at_share(x, v, own[i].address, int(shares[i]), int(shares[i + 1]))
            gate.wait()

    threads = [threading.Thread(target=work, args=(i,)) for i in range(count)]
    for thread in threads:
        thread.start()
    times = []
    for k in range(steps):
        world.at(k + 1)
        start = time.perf_counter_ns()
        turn(whole.address, PERIOD * (k + 1))
        gate.wait()
        gate.wait()
        times.append(time.perf_counter_ns() - start)
    reading[2] = False
    gate.wait()
    for thread in threads:
        thread.join()
    return float(np.median(times)) / 1e3


def mujoco_step(world: Swing, steps: int) -> float:
    balls = "".join(
        f'<body pos="{x:.6f} {y:.6f} {z:.6f}"><freejoint/>'
        f'<geom type="sphere" size="{RADIUS}" margin="{MARGIN / 2}"/></body>'
        for x, y, z in world.x
    )
    model = mujoco.MjModel.from_xml_string(
        f'<mujoco><size memory="1G"/><worldbody>{balls}</worldbody></mujoco>'
    )
    data = mujoco.MjData(model)
    qpos = data.qpos.reshape(world.n, 7)
    times = []
    for k in range(steps):
        x, _ = world.at(k)
        start = time.perf_counter_ns()
        qpos[:, :3] = x
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        mujoco.mj_collision(model, data)
        data.contact.geom.tolist()
        times.append(time.perf_counter_ns() - start)
    return float(np.median(times)) / 1e3


def scipy_step(world: Swing, steps: int) -> float:
    times = []
    for k in range(steps):
        x, _ = world.at(k)
        start = time.perf_counter_ns()
        cKDTree(x).query_pairs(2 * RADIUS + MARGIN, output_type="ndarray")
        times.append(time.perf_counter_ns() - start)
    return float(np.median(times)) / 1e3


def alarms_of(n: int, steps: int) -> None:
    """How many alarms each way raises at one Δt, and what it looks at for them."""
    world = Swing(n)
    gap = 2 * RADIUS + MARGIN
    touching: set[tuple[int, int]] = set()
    for k in range(steps):
        touching |= {tuple(sorted(q)) for q in cKDTree(world.at(k)[0]).query_pairs(gap)}
    buckets = int(np.log2(n * (n - 1) / 2)) + 1
    ways = {
        "DUA": so.predict.DynamicUrgency(),
        "DUA, Fibonacci": so.predict.DynamicUrgency(series="fibonacci"),
        "DUA, partial sort": so.predict.DynamicUrgency(sort="partial"),
        f"deadlines, {buckets} tests a step": so.predict.Deadlines(tests=buckets),
        f"deadlines, {4 * buckets} tests a step": so.predict.Deadlines(tests=4 * buckets),
        "deadlines, those that are due": so.predict.Deadlines(),
    }
    table = Table(title=f"{n} balls, {steps} steps, {len(touching)} pairs that touch")
    for column in ("way", "pairs alarmed", "of them falsely", "alarms raised", "tests a step"):
        table.add_column(column, justify="left" if column == "way" else "right")
    for name, schedule in ways.items():
        predictor = world.predictor(schedule=schedule)
        seen: set[tuple[int, int]] = set()
        tests = 0
        for k in range(steps):
            step = predictor.step(*world.at(k))
            assert not step.faults
            seen |= {*map(tuple, step.alarms.tolist())}
            tests += step.tests if k else 0
        assert touching <= seen
        table.add_row(
            name, f"{len(seen):,}", f"{len(seen - touching):,}", f"{predictor.raised:,}",
            f"{tests / (steps - 1):.1f}",
        )  # fmt: skip
    console.print(table)


def many_bodies(n: int, horizon: float, steps: int) -> None:
    world = Swing(n)
    predictor = world.predictor(schedule=so.predict.Deadlines(horizon=horizon))
    start = time.perf_counter()
    first = predictor.step(world.x, world.v)
    begun = time.perf_counter() - start
    times, tests = [], 0
    for k in range(steps):
        x, v = world.at(k + 1)
        start = time.perf_counter()
        step = predictor.step(x, v)
        times.append(time.perf_counter() - start)
        tests += step.tests
        assert not step.faults and step.keeping_up
    console.print(
        f"{n:,} balls, horizon {horizon:g} s: started in {begun:.2f} s, {first.count:,} alarms; "
        f"{predictor.pairs:,} of {n * (n - 1) // 2:,} pairs in {predictor.nbytes / 2**20:.0f} MiB; "
        f"a step {1e3 * np.median(times):.1f} ms, {tests / steps:,.0f} tests"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="without 10,000 and 100,000 balls")
    quick = parser.parse_args().quick
    claims: list[tuple[str, float, float, float, str]] = []
    rate = tau_rate() / 1e6
    claims.append(("τ without speed bound, M a second", rate, 10.0, 40.0, "at least"))

    table = Table(title="A step in compiled code, µs")
    for column in ("N", "DUA", "all, pair by pair", "all, in blocks", "over DUA", "in blocks"):
        table.add_column(column, justify="right")
    for n in (40, 1000):
        dua, single, blocks = against_all(n, 10 if n == 40 else 5)
        part = n * (n - 1) / 2 / (int(np.log2(n * (n - 1) / 2)) + 1)
        table.add_row(
            str(n), f"{dua:.2f}", f"{single:,.1f}", f"{blocks:,.1f}", f"{single / dua:,.0f}",
            f"{blocks / dua:,.0f}",
        )  # fmt: skip
        for name, ratio in (("pair by pair", single / dua), ("in blocks", blocks / dua)):
            claims.append(
                (f"select-all {name} over DUA, N = {n}", ratio, 0.5 * part, 0.9 * part, "at least")
            )
    console.print(table)

    table = Table(title="A step from Python, µs")
    for column in ("N", "start, s", "DUA", "99 %", "at rest", "deadlines", "MuJoCo", "SciPy"):
        table.add_column(column, justify="right")
    taken, resting = {}, {}
    for n in (40, 1000) if quick else (40, 1000, 10_000):
        world = Swing(n)
        predictor = world.predictor()
        start = time.perf_counter()
        predictor.step(*world.at(0))
        begun = time.perf_counter() - start
        taken[n], tail = median_step(world, predictor, 3000)
        bytes_ = predictor.nbytes / predictor.pairs
        del predictor
        resting[n] = resting_step(n, 3000)
        near = world.predictor(schedule=so.predict.Deadlines(horizon=0.3))
        near.step(*world.at(0))
        few = 200 if n < 10_000 else 30
        table.add_row(
            f"{n:,}", f"{begun:.2f}", f"{taken[n]:.1f}", f"{tail:.1f}", f"{resting[n]:.1f}",
            f"{median_step(world, near, few)[0]:.1f}", f"{mujoco_step(world, few):,.0f}",
            f"{scipy_step(world, few):,.0f}",
        )  # fmt: skip
        if n == 10_000:
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
            claims.append(("start at N = 10,000, s", begun, 20.0, 20.0, "at most"))
            claims.append(("peak memory of this process, GiB", peak, 2.0, 2.0, "at most"))
            claims.append(("bytes a pair", bytes_, 16.0, 16.0, "at most"))
    console.print(table)
    for n, floor, goal in ((1000, 10.0, 4.0), (10_000, 20.0, 8.0)):
        if n in taken:
            claims.append((f"a DUA step at N = {n:,}, µs", taken[n], floor, goal, "at most"))
    if 10_000 in taken:
        for name, took in (("caches used by all that moves", taken), ("at rest", resting)):
            growth = took[10_000] / took[1000]
            claims.append((f"growth to N = 10,000, {name}", growth, 2.0, 1.4, "at most"))

    for count in (1, 2, 19):
        console.print(f"DUA at N = 1,000, {count} workers: {workers(1000, count, 500):.1f} µs")
    alarms_of(40, 400)
    alarms_of(150, 400)
    if not quick:
        many_bodies(100_000, 0.3, 40)

    table = Table(title="Floors and goals")
    for column in ("", "measured", "floor", "goal", "met"):
        table.add_column(column, justify="left" if not column else "right")
    for name, value, floor, goal, sense in claims:
        sign = 1.0 if sense == "at least" else -1.0
        met = (
            "goal"
            if sign * value >= sign * goal
            else "floor"
            if sign * value >= sign * floor
            else "no"
        )
        table.add_row(name, f"{value:,.4g}", f"{floor:,.4g}", f"{goal:,.4g}", met)
    console.print(table)


if __name__ == "__main__":
    main()
