"""The worlds whose answers are written down, a section for each engine; all from fixed seeds."""

from __future__ import annotations

import hashlib
import json
import math
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

import standoff as so
from tests.golden.store import Answer
from tests.oracles.pinocchio import urdf_path
from tests.worlds import interference_scenes, plan_cells
from tests.worlds.contact_worlds import random_pose, random_solid
from tests.worlds.monitor_worlds import MonitorWorld
from tests.worlds.path_worlds import COUNTS, PLACES, SHAPES, somewhere
from tests.worlds.predict_worlds import World

STOPPING = so.Stopping(deceleration=5.0, reaction=0.02, acceleration=1.0, budget=500)

#: Ten worlds of the monitor: what to build, and what the monitor is asked for besides. Zones and
#: thresholds are among the rules of most of them.
MONITORS: tuple[tuple[dict[str, Any], dict[str, Any]], ...] = (
    ({"seed": 1, "robots": True, "movers": 1, "statics": 3}, {}),
    ({"seed": 2, "robots": False, "movers": 5, "statics": 4}, {}),
    ({"seed": 3, "robots": True, "movers": 0, "statics": 8}, {"index": "grid"}),
    ({"seed": 4, "robots": True, "movers": 1, "statics": 2}, {"between": True}),
    ({"seed": 5, "robots": False, "movers": 4, "statics": 4, "timed": False}, {"between": True}),
    (
        {"seed": 6, "robots": True, "movers": 0, "statics": 4, "faulty": False, "change": 0.005},
        {"stopping": STOPPING},
    ),
    (
        {"seed": 7, "robots": True, "movers": 1, "statics": 2, "change": 0.005},
        {"stopping": STOPPING, "between": True},
    ),
    ({"seed": 8, "robots": True, "movers": 2, "statics": 3, "faulty": False}, {}),
    ({"seed": 9, "robots": True, "movers": 2, "statics": 0}, {"index": "naive"}),
    ({"seed": 10, "robots": True, "movers": 3, "statics": 10, "kinds": 5}, {}),
)
CYCLES = 2_000


def monitor() -> Iterator[Answer]:
    """Every cycle: its warnings, faults and clearance."""
    for world, options in MONITORS:
        made = MonitorWorld(**{"change": 0.01, **world})
        watch = made.monitor(**options)
        for step in made.steps(CYCLES):
            yield _cycle(watch.update(step.q, step.poses, step.time))


def _cycle(cycle: so.Cycle) -> Answer:
    words, numbers = ["safe" if cycle.safe else "unsafe"], [cycle.clearance]
    for warning in cycle.warnings:
        words.append(f"{warning.a}~{warning.b}")
        numbers.append(warning.distance)
    words.extend(f"{fault.kind} {fault.element}" for fault in cycle.faults)
    if cycle.stopping is not None:
        stop = cycle.stopping
        words.append(f"stop {stop.kind} {stop.a}~{stop.b}")
    return " | ".join(words).replace("\n", " "), tuple(numbers)


#: Verdicts of each robot among each kind of obstacles.
SEGMENTS, CURVES = 1_200, 130


def _path_cell(robot: str, obstacles: str, rng: np.random.Generator) -> so.Cell:
    cell = so.Cell()
    place = PLACES["panda" if robot == "ur5" else robot]
    if robot == "ur5":
        cell.add_robot(urdf_path("ur5"), name="ur5")
    else:
        place.add(cell)
    for k in range(COUNTS[obstacles]):
        at = so.pose(somewhere(rng, place), rpy=rng.uniform(-np.pi, np.pi, 3))
        cell.add_body(f"thing{k}", SHAPES[obstacles](rng, place.size), at)
    return cell


def _path_worlds() -> Iterator[tuple[str, so.Cell, np.random.Generator]]:
    for r, robot in enumerate((*PLACES, "ur5")):
        for o, obstacles in enumerate(SHAPES):
            rng = np.random.default_rng((97, r, o))
            yield f"{robot} {obstacles}", _path_cell(robot, obstacles, rng), rng


def _motions(cell: so.Cell, rng: np.random.Generator, count: int) -> Iterator[np.ndarray]:
    """Starts and ends; short and long, of one joint and of all."""
    low, high = np.maximum(cell.tree.lower, -2.5), np.minimum(cell.tree.upper, 2.5)
    for _ in range(count):
        a = rng.uniform(0.6 * low, 0.6 * high)
        way = rng.normal(size=len(low))
        if rng.random() < 0.3:
            way *= np.arange(len(low)) == rng.integers(len(low))
        b = np.clip(a + way / np.linalg.norm(way) * 10.0 ** rng.uniform(-2.0, 0.4), low, high)
        yield np.array([a, b])


def paths() -> Iterator[Answer]:
    """Segments and curves of five robots: kind, pair, when, how near."""
    for name, cell, rng in _path_worlds():
        for clearance in (0.0, 0.005):
            checker = so.PathChecker(cell, clearance=clearance)
            for qa, qb in _motions(cell, rng, SEGMENTS // 2):
                yield _verdict(name, checker.segment(qa, qb))
        curved = so.PathChecker(cell, deviation=1e-4)
        for qa, qb in _motions(cell, rng, CURVES):
            middle = 0.5 * (qa + qb) + 0.1 * rng.normal(size=len(qa))
            bend = np.zeros((1, 6, len(qa)))
            bend[0, :3] = qa, 2.0 * (middle - qa), qa - 2.0 * middle + qb
            yield _verdict(name, curved.curve(so.paths.Pieces.make([0.0, 1.0], bend)))


def _verdict(name: str, verdict: so.Verdict) -> Answer:
    label = f"{name} {verdict.kind} {'~'.join(verdict.pair or ())}"
    numbers = (verdict.t, verdict.distance)
    return label, tuple(float(x) for x in numbers if x is not None)


def plans() -> Iterator[Answer]:
    """Waypoints by seed: a ball through two gates, a Panda among posts, both methods."""
    with tempfile.TemporaryDirectory() as folder:
        gate = plan_cells.gate(Path(folder))
    ends = {
        "gate": (gate, plan_cells.LEFT, plan_cells.RIGHT),
        "panda": (plan_cells.pandas(), plan_cells.PANDA_START, plan_cells.PANDA_GOAL),
    }
    for name, (cell, start, goal) in ends.items():
        for method in ("rrt-connect", "sbl"):
            planner = so.Planner(cell, clearance=0.001, method=method)
            for seed in range(50):
                plan = planner.plan(start, goal, seed=seed, timeout=60.0)
                label = f"{name} {method} {'solved' if plan.solved else plan.reason}"
                yield label, tuple(plan.waypoints.ravel().tolist())


def certificates() -> Iterator[Answer]:
    """Proofs as they are saved: a digest of all words; sum, size and count of all numbers."""
    for name, cell, rng in _path_worlds():
        if "thin" in name:
            continue
        checker = so.PathChecker(cell)
        verdicts = (checker.segment(*motion) for motion in _motions(cell, rng, 100))
        for _, verdict in zip(range(5), (v for v in verdicts if v.kind in ("free", "collision"))):
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder) / "proof.json"
                verdict.certificate().save(path, cell=cell)
                proof = json.loads(path.read_text())
                proof.pop("cell", None)  # where its files are differs from run to run
                words, numbers = _split(proof)
            digest = hashlib.sha256(json.dumps(words).encode()).hexdigest()[:16]
            total = (math.fsum(numbers), math.fsum(map(abs, numbers)), float(len(numbers)))
            yield f"{name} {verdict.kind} {digest}", total


def _split(value: Any) -> tuple[list[str], list[float]]:
    """All words and all numbers of a JSON document, each in order."""
    if isinstance(value, Mapping):
        parts = [_split(part) for pair in value.items() for part in pair]
    elif isinstance(value, list):
        parts = [_split(part) for part in value]
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        return [], [float(value)]
    else:
        return [str(value)], []
    return [w for words, _ in parts for w in words], [n for _, numbers in parts for n in numbers]


#: Ways to predict; 2,500 steps each.
PREDICTORS: dict[str, dict[str, Any]] = {
    "dua": {"schedule": so.predict.DynamicUrgency()},
    "dua, hostile": {"schedule": so.predict.DynamicUrgency()},
    "fibonacci": {"schedule": so.predict.DynamicUrgency(series="fibonacci", sort="partial")},
    "deadlines": {"schedule": so.predict.Deadlines()},
    "deadlines, hostile": {"schedule": so.predict.Deadlines()},
    "few tests": {"schedule": so.predict.Deadlines(tests=3)},
    "horizon": {"schedule": so.predict.Deadlines(horizon=0.5)},
    "many": {"schedule": so.predict.Deadlines(horizon=0.3)},
}
STEPS = 2_500


def predictor() -> Iterator[Answer]:
    """Every step: alarmed pairs and their times."""
    for k, (name, options) in enumerate(PREDICTORS.items()):
        n = 200 if name == "many" else 12
        rng = np.random.default_rng((98, k))
        world = World(rng, n, hostile="hostile" in name, period=0.01, speed=2.0)
        predict = so.Predictor(
            world.radii, max_acceleration=world.most, max_speed=world.limit, margin=0.01,
            period=0.01, **options,
        )  # fmt: skip
        for step in range(STEPS):
            world.choose(0.01)
            world.advance(0.01)
            if step % 500 == 499:  # one that cannot be seen
                world.x[3] = math.nan
            told = predict.step(world.x, world.v)
            if step % 500 == 499:
                world.x[3] = 0.0
            pairs = " ".join(f"{a}-{b}" for a, b in told.alarms.tolist())
            state = "keeping up" if told.keeping_up else "behind"
            yield f"{name} {state} {len(told.faults)} {pairs}", tuple(told.tau.tolist())


def contact() -> Iterator[Answer]:
    """200 scenes of four solids, ten steps each: pairs and kinds of contacts, all forces."""
    for seed in range(200):
        rng = np.random.default_rng((99, seed))
        scene = so.contact.Scene()
        names = "abcd"
        for name in names:
            scene.add(name, random_solid(rng), stiffness=2e4, damping=30.0)
        poses = {name: random_pose(rng, 0.15) for name in names}
        drift = {name: rng.normal(size=3) * 2e-3 for name in names}
        for _ in range(10):
            step = scene.step(poses, dt=1e-3)
            kinds = " ".join(f"{c.a}{c.b}{c.kind}" for c in step.contacts)
            forces = np.concatenate([step.forces[n] for n in names])
            yield f"{kinds} {step.passed}", tuple(forces.tolist())
            for name in names:
                poses[name] = poses[name].copy()
                poses[name][:3, 3] += drift[name]


def interference() -> Iterator[Answer]:
    """Pairs of parts that overlap, by each method, over 30 scenes of 12 parts."""
    for seed in range(30):
        parts = interference_scenes.scene(seed)
        for method in ("exact", "projection", "octree"):
            found = so.interference.compare(parts, method=method)
            for one in (*found.overlaps, *found.gaps):
                kind = type(one).__name__ + (" certain" if getattr(one, "certain", False) else "")
                distance = () if one.distance is None else (float(one.distance),)
                yield f"{method} {one.a}~{one.b} {kind}", distance


SECTIONS: dict[str, Callable[[], Iterator[Answer]]] = {
    "monitor": monitor,
    "paths": paths,
    "plans": plans,
    "certificates": certificates,
    "predictor": predictor,
    "contact": contact,
    "interference": interference,
}
