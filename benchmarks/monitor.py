"""How long does a safety cycle take? Standoff's monitor, MuJoCo, Coal and python-fcl from Python.

    python benchmarks/monitor.py [--quick] [--scene boxes-21 --scene movers-1000 ...]

Two arms of seven capsules among 21 to 10,000 boxes, and 10 to 1,000 capsules that move freely. A
cycle sets the state, updates, finds every pair within 0.015 m of a box or 0.03 m of another mover,
and reads the pairs into Python with their distances. Standoff and MuJoCo are given joint angles in
the scenes with arms, Coal and python-fcl poses: their forward kinematics is not counted. Coal is
timed twice: with its transforms made from the poses in the cycle, as one has to (the floors are
ratios to this), and with transforms that are ready before the clock starts.

The engines' answers are first compared with every pair tried by brute force. Then they take turns,
a block of cycles each, so that drift of the machine hits all alike; every engine goes on from the
cycle where it stopped, and the first cycles of a block, on cold caches, do not count; nor does a
cycle in which the system gave the processor to another process. Garbage collection is on; what was
built before is frozen, so that no engine pays for another's objects.

The 99.9th percentile of that is mostly the machine's, which interrupts all engines alike; so in the
scenes whose tails are compared every engine's own tail is measured as well: the same cycles over
and over, each at its lowest time (see `peers.own`).
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
from collections.abc import Mapping
from pathlib import Path

from peers import coal_engine, fcl_engine, mujoco_engine, standoff_engine
from peers.agreement import Agreement, compare
from peers.claims import TAIL_SCENES, Claim, claims
from peers.engine import Engine
from peers.own import ROUNDS, OwnTimes, own_times
from peers.scene import SCENES, build
from peers.times import Times, contest
from rich.console import Console
from rich.table import Table

ENGINES: dict[str, type[Engine]] = {
    "Standoff": standoff_engine.Standoff,
    "MuJoCo": mujoco_engine.MuJoCo,
    "Coal": coal_engine.Coal,
    "Coal, transforms ready": coal_engine.ReadyCoal,
    "python-fcl": fcl_engine.Fcl,
}
VERSIONS = [m.VERSION for m in (standoff_engine, mujoco_engine, coal_engine, fcl_engine)]

CYCLES = 10_000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a tenth of the cycles, fewer rounds")
    parser.add_argument("--scene", action="append", choices=SCENES, help="this scene alone")
    arguments = parser.parse_args()
    cycles = CYCLES // 10 if arguments.quick else CYCLES
    chosen = arguments.scene or list(SCENES)
    console = Console(width=150)

    rounds = ROUNDS // 4 if arguments.quick else ROUNDS
    agreements, results, own = {}, {}, {}
    for scene in chosen:
        with console.status(f"{scene}: comparing and timing"):
            agreements[scene], results[scene] = measured(scene, cycles)
        if scene in TAIL_SCENES:
            with console.status(f"{scene}: the same cycles {rounds} times over"):
                own[scene] = own_times(ENGINES, build(scene), rounds)
    grown = {}
    if {"boxes-21", "boxes-10000"} <= set(chosen):
        with console.status("growth: 21 and 10,000 boxes by turns"):
            grown = {name: growth(engine, cycles // 4) for name, engine in ENGINES.items()}

    console.print(", ".join([*VERSIONS, f"Python {platform.python_version()}"]))
    console.print(f"{processor()}, {os.cpu_count()} cores, one thread")
    console.print(agreement_table(agreements))
    console.print(times_table(results))
    if own:
        console.print(own_table(own))
    if grown:
        shares = ", ".join(f"{name} {ratio:.2f}" for name, ratio in grown.items())
        console.print(f"Cycle with 10,000 boxes over cycle with 21, by turns: {shares}")
    console.print(claims_table(claims(results, own, grown.get("Standoff"))))
    wrong = [name for name, a in agreements.items() if a["Standoff"].missed or a["Standoff"].false]
    if wrong:
        sys.exit(f"Standoff's pairs are not those by brute force: {', '.join(wrong)}")


def measured(name: str, cycles: int) -> tuple[dict[str, Agreement], dict[str, Times]]:
    scene = build(name)
    engines = {label: engine(scene) for label, engine in ENGINES.items()}
    agreement = compare(scene, engines)
    return agreement, contest({n: (e, scene.loop) for n, e in engines.items()}, cycles)


def growth(engine: type[Engine], cycles: int) -> float:
    """Median cycle with 10,000 boxes over that with 21, the two scenes taking turns."""
    scenes = {n: build(f"boxes-{n}") for n in (21, 10_000)}
    times = contest({str(n): (engine(s), s.loop) for n, s in scenes.items()}, cycles)
    return times["10000"].median / times["21"].median


def agreement_table(agreements: Mapping[str, Mapping[str, Agreement]]) -> Table:
    table = Table(title="Pairs reported, beside every pair tried (ties within 1e-6 m left out)")
    table.add_column("scene")
    table.add_column("engine")
    for column in ("cycles", "pairs", "missed", "false", r"distance off by, worst \[m]"):
        table.add_column(column, justify="right")
    for scene, engines in agreements.items():
        for n, (engine, a) in enumerate(engines.items()):
            counts = (f"{c:,}" for c in (a.cycles, a.pairs, a.missed, a.false))
            table.add_row("" if n else scene, engine, *counts, f"{a.off:.1e}")
        table.add_section()
    return table


def times_table(results: Mapping[str, Mapping[str, Times]]) -> Table:
    table = Table(title="One cycle, pairs read back, garbage collection on")
    table.add_column("scene")
    table.add_column("engine")
    for column in (r"median \[µs]", r"99.9 % \[µs]", r"worst \[µs]", "99.9 % / median"):
        table.add_column(column, justify="right")
    table.add_column("× Standoff", justify="right")
    for column in ("cycles", "preempted"):
        table.add_column(column, justify="right")
    for scene, engines in results.items():
        ours = engines["Standoff"]
        for n, (engine, t) in enumerate(engines.items()):
            ratio = f"{t.median / ours.median:.1f}"
            values = f"{t.median:.1f}", f"{t.late:.1f}", f"{t.worst:.0f}", f"{t.tail:.2f}"
            counts = f"{t.cycles:,}", f"{t.preempted:,}"
            table.add_row("" if n else scene, engine, *values, ratio, *counts)
        table.add_section()
    return table


def own_table(own: Mapping[str, Mapping[str, OwnTimes]]) -> Table:
    table = Table(title="The same cycles over and over, each at its lowest time: the engines' own")
    table.add_column("scene")
    table.add_column("engine")
    for column in (r"median \[µs]", r"99.9 % \[µs]", r"worst \[µs]", "99.9 % / median"):
        table.add_column(column, justify="right")
    for column in ("cycles", "rounds"):
        table.add_column(column, justify="right")
    for scene, engines in own.items():
        for n, (engine, t) in enumerate(engines.items()):
            values = f"{t.median:.2f}", f"{t.late:.2f}", f"{t.worst:.2f}", f"{t.tail:.2f}"
            table.add_row("" if n else scene, engine, *values, f"{t.cycles:,}", f"{t.rounds}")
        table.add_section()
    return table


def claims_table(found: list[Claim]) -> Table:
    table = Table(title="Floors and goals: at most")
    table.add_column("scene")
    table.add_column("what")
    for column in ("measured", "floor", "goal"):
        table.add_column(column, justify="right")
    for claim in found:
        marks = (
            "" if limit is None else f"{limit:.3g} {'✓' if claim.value <= limit else '✗'}"
            for limit in (claim.floor, claim.goal)
        )
        table.add_row(claim.scene, claim.what, f"{claim.value:.3f}", *marks)
    return table


def processor() -> str:
    """The processor's name where the system tells it."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.machine())


if __name__ == "__main__":
    main()
