"""How long does it take to check an edge of a Panda? Standoff, HPP and MuJoCo in the same run.

    python benchmarks/paths.py [--quick] [--scene capsules] [--hpp PYTHON]

A Panda among 20 boxes and 12 spheres at random, edges of 1 to 3 rad, self-collision included: the
links watched against each other are the same for all. Once with capsules for links, the builtin
model, and once with the meshes of `example-robot-data`.

Standoff and HPP's `Dichotomy(0)` prove an edge free at every instant; MuJoCo samples it every
0.01 rad and stops at the first contact. Standoff is timed as `checker.segments`, a block of edges
in one compiled call on one thread, and as `checker.segment`, one by one with its witness. HPP runs
in a process of its own, told on a pipe which edges to check; the clock runs there, about
`validate` alone, its paths made before. It is timed twice: with real capsules, which Pinocchio
reads from an element of its own, and with a cylinder and two spheres for each, which is all that
URDF has. The floors are ratios to the quicker of the two.

All edges are first given to every engine; where they disagree, the smallest distance by dense
samples says who is right. Free and colliding edges are then timed apart, the engines taking turns
with a block of edges each; times are of the processor, so that what else runs on the machine is
not counted. A ratio is that of means over a block, at the median of the blocks.

HPP is looked for under the Python named by ``--hpp`` or ``STANDOFF_HPP_PYTHON``, then under this
one (`pip install hpp-python`); without it, its rows are left out.
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass

import mujoco
import numpy as np
from monitor import processor
from peers.paths_contest import (
    Batch,
    Continuous,
    EdgeEngine,
    EdgeTimes,
    OneByOne,
    Sampled,
    contest,
    verdicts,
)
from peers.paths_hpp import Hpp, interpreter
from peers.paths_referee import nearest
from peers.paths_scene import SCENES, PathScene
from rich.console import Console
from rich.table import Table

import standoff as so

#: Edges of each scene, and how often each is timed.
EDGES = {"capsules": 1000, "meshes": 200}
ROUNDS = 3

BATCH, SINGLE = "Standoff, segments", "Standoff, segment"
HPP, PLAIN_HPP, MUJOCO = "HPP", "HPP, cylinders and spheres", "MuJoCo 0.01 rad"

Times = dict[str, dict[str, EdgeTimes]]


@dataclass(frozen=True)
class Claim:
    """So many times faster than a peer: a floor that must hold, and a goal."""

    scene: str
    kind: str
    peer: str
    floor: float
    goal: float


CLAIMS = (
    Claim("capsules", "free", HPP, 100, 400),
    Claim("capsules", "free", MUJOCO, 100, 400),
    Claim("capsules", "colliding", HPP, 100, 400),
    Claim("meshes", "free", HPP, 10, 50),
    Claim("meshes", "colliding", HPP, 10, 50),
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a fifth of the edges, once")
    parser.add_argument("--scene", action="append", choices=SCENES, help="this scene alone")
    parser.add_argument("--hpp", metavar="PYTHON", help="a Python that has hpp-python")
    arguments = parser.parse_args()
    console = Console(width=150)
    python = interpreter(arguments.hpp)
    if python is None:
        console.print(
            "HPP is not installed here, so its rows are left out: pip install hpp-python, or name "
            "a Python that has it with --hpp or STANDOFF_HPP_PYTHON"
        )
    results: dict[str, Times] = {}
    wrong = False
    console.print(f"Standoff {so.__version__}, MuJoCo {mujoco.__version__}, ", end="")
    console.print(f"Python {platform.python_version()}, {processor()}, {os.cpu_count()} cores")
    for name in arguments.scene or SCENES:
        count = EDGES[name] // (5 if arguments.quick else 1)
        scene = SCENES[name](count)
        with ExitStack() as stack:
            engines = build(scene, python, stack)
            with console.status(f"{name}: asking every engine about {count} edges"):
                said = verdicts(engines, count)
            wrong |= report_agreement(console, scene, said)
            free = said[BATCH]
            rounds = 1 if arguments.quick else ROUNDS
            with console.status(f"{name}: timing"):
                results[name] = {
                    "free": contest(engines, np.flatnonzero(free), rounds),
                    "colliding": contest(engines, np.flatnonzero(~free), rounds),
                }
        console.print(times_table(name, results[name]))
    console.print(claims_table(results))
    if wrong:
        sys.exit("Standoff's verdicts are not those of dense samples")


def build(scene: PathScene, python: str | None, stack: ExitStack) -> dict[str, EdgeEngine]:
    checker = so.PathChecker(scene.cell)
    engines: dict[str, EdgeEngine] = {
        BATCH: Batch(scene, checker),
        SINGLE: OneByOne(scene, checker),
    }
    if scene.name == "capsules":
        engines[MUJOCO] = Sampled(scene)
    if python is not None:
        edges = scene.cell, scene.frozen, scene.starts, scene.ends
        engines[HPP] = Continuous(stack.enter_context(Hpp(python, *edges)))
        if scene.name == "capsules":
            plain = Hpp(python, *edges, capsules=False)
            engines[PLAIN_HPP] = Continuous(stack.enter_context(plain))
    return engines


def report_agreement(console: Console, scene: PathScene, said: Mapping[str, np.ndarray]) -> bool:
    """Print who says what where they disagree; whether Standoff is wrong anywhere."""
    ours = said[BATCH]
    table = Table(title=f"{scene.name}: {len(ours)} edges, {int(ours.sum())} of them free")
    table.add_column("edge")
    for column in ("nearest, sampled \\[m]", "at", "pair", *said):
        table.add_column(column)
    wrong = False
    disputed = np.flatnonzero(np.ptp(np.array([*said.values()], dtype=int), axis=0))
    for k in disputed:
        distance, a, b, t = nearest(scene.cell, scene.starts[k], scene.ends[k])
        words = ["free" if answer[k] else "colliding" for answer in said.values()]
        table.add_row(str(k), f"{distance:.2e}", f"{t:.4f}", f"{a}, {b}", *words)
        # Between 0 and the tolerance, `too_close` is an answer too, and counts as not free.
        wrong |= bool(ours[k]) != (distance > 0.0) and not 0.0 < distance < TOLERANCE
        wrong |= bool(said[SINGLE][k] != ours[k])
    if len(disputed):
        console.print(table)
    else:
        console.print(f"{table.title}; all engines agree on every one: {', '.join(said)}")
    return wrong


#: What `PathChecker` takes by default: a nearer pass may be called too close, [m].
TOLERANCE = 1e-3


def times_table(scene: str, times: Times) -> Table:
    table = Table(title=f"{scene}: one edge [µs]".replace("[", "\\["))
    table.add_column("edges")
    table.add_column("engine")
    for column in ("count", "mean", "median", "95 %", f"× {BATCH}"):
        table.add_column(column, justify="right")
    for kind, engines in times.items():
        ours = engines[BATCH].block
        for n, (name, t) in enumerate(engines.items()):
            values = (f"{v:.1f}" for v in (t.block, t.median, t.late))
            table.add_row("" if n else kind, name, str(t.edges), *values, f"{t.block / ours:.1f}")
        table.add_section()
    return table


def claims_table(results: Mapping[str, Times]) -> Table:
    table = Table(title="Floors and goals: so many times faster")
    for column in ("scene", "edges", "than"):
        table.add_column(column)
    for column in ("measured", "floor", "goal"):
        table.add_column(column, justify="right")
    for claim in CLAIMS:
        times = results.get(claim.scene, {}).get(claim.kind, {})
        if claim.peer not in times:
            continue
        ratio = times[claim.peer].block / times[BATCH].block
        marks = (f"{n:g} {'✓' if ratio >= n else '✗'}" for n in (claim.floor, claim.goal))
        table.add_row(claim.scene, claim.kind, claim.peer, f"{ratio:.0f}", *marks)
    return table


if __name__ == "__main__":
    main()
