"""One suite for all ways to run a monitor: the same answer on every cycle, and that of Coal."""

import os
from functools import cache

import coal
import numpy as np
import pytest

import standoff as so
from tests import coal_oracle
from tests.monitor_answers import exact, explain
from tests.monitor_worlds import WAYS, MonitorWorld

SOAK = bool(os.environ.get("STANDOFF_SOAK"))
WORLDS, CYCLES = (200, 500) if SOAK else (12, 70)


def run_alike(world, cycles, ways=WAYS):
    """Every way beside naive on one world; returns how many warnings and faults there were."""
    monitors = {name: world.monitor(**way) for name, way in ways.items()}
    said = np.zeros(2, dtype=int)
    for number, step in enumerate(world.steps(cycles)):
        answers = {}
        for name, monitor in monitors.items():
            cycle = monitor.update(step.q, step.poses, step.time)
            answers[name] = exact(cycle), cycle
        expected, naive = answers["naive"]
        said += len(naive.warnings), len(naive.faults)
        for name, (answer, cycle) in answers.items():
            assert answer == expected, (
                f"world {world.seed}, cycle {number} ({step.what}): {name} says\n"
                f"{explain(cycle, naive)}\nand naive says\n{explain(naive, cycle)}"
            )
    return said


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(WORLDS))
def test_all_ways_answer_alike(seed):
    run_alike(MonitorWorld(seed), CYCLES)


@pytest.mark.parametrize("seed", [112, 127])
def test_worlds_in_which_ways_once_differed(seed):
    """112: as many hits as the table had rows; 127: a clearance of 0 and of -0."""
    ways = {k: WAYS[k] for k in ("naive", "octree", "region", "grid 2")}
    run_alike(MonitorWorld(seed), 300, ways)


@pytest.mark.interpreted
@pytest.mark.parametrize("seed", [1000, 1001])
def test_all_ways_answer_alike_in_a_small_world(seed):
    """Without meshes and polyhedra, so that it is quick without the compiler."""
    world = MonitorWorld(seed, robots=seed == 1001, kinds=3, movers=3, statics=4)
    ways = {
        k: WAYS[k] for k in ("naive", "octree", "reserve 0, N 1", "wrap 7", "grid 2", "rebuild")
    }
    assert run_alike(world, 40, ways).all()


#: Coal's own distances are right to about this, of curved and convex bodies to a part of their
#: size, [m]. Nearer than this to its threshold, a pair may be on either side of it.
TOLERANCE, PART = 1e-6, 1e-5


@cache
def coal_object(shape):
    return coal_oracle.geometry(shape)


def coal_distances(cell, q, poses):
    """Distance of each watched pair, with how far off it may be; by Coal, but for how two solids
    that overlap are said to: there only the sign is compared."""
    world = cell.world
    frames = cell.tree.forward(q)
    placed = {}
    for name, frame, parts in zip(world.names, world.frame, world.parts):
        if frame < cell.tree.frames:
            at = frames[frame]
        else:
            at = poses[frame - cell.tree.frames]
        placed[name] = [(shape, at @ local) for shape, local in parts]
    request, result = coal.DistanceRequest(True, True), coal.DistanceResult()
    for a, b in cell.pairs.watched():
        best, off = np.inf, TOLERANCE
        for shape_a, at_a in placed[a]:
            for shape_b, at_b in placed[b]:
                if isinstance(shape_a, so.HalfSpace) and isinstance(shape_b, so.HalfSpace):
                    continue
                value, _, _ = coal_oracle.distance(
                    coal_object(shape_a), at_a, coal_object(shape_b), at_b, request, result
                )
                if value < best:
                    convex = {type(shape_a), type(shape_b)} & {so.Cylinder, so.Polyhedron, so.Mesh}
                    best, off = value, TOLERANCE + (PART if convex else 0.0)
        yield a, b, best, off


def threshold_of(world, monitor, a, b):
    """When a pair is too close, by the rules as they are written; None: by the buffers."""
    thresholds, cell = world.options["thresholds"], world.cell

    def robot(name):
        body = cell.bodies.get(name)
        if body is not None:
            return body.attachment.link.partition("/")[0] if body.attachment else None
        return name.partition("/")[0]

    single = None
    for (x, y), value in thresholds.pairs.items():
        if {x, y} == {a, b}:
            single = value
    if single is not None:
        return single
    ra, rb = robot(a), robot(b)
    if ra is not None and rb is not None:
        kind = thresholds.self_ if ra == rb else thresholds.robot_robot
    elif ra is not None or rb is not None:
        kind = thresholds.robot_scene
    else:
        kind = None
    if kind is not None:
        return kind
    buffers = monitor.buffers
    return buffers.get(a, 0.0) + buffers.get(b, 0.0)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(2000, 2000 + (60 if SOAK else 8)))
def test_warnings_are_those_of_coal(seed):
    """Every fifth cycle: which pairs are too close, and how far apart they are."""
    world = MonitorWorld(seed, faulty=False)
    world.options["zones"] = []
    monitor = world.monitor()
    for number, step in enumerate(world.steps(60)):
        cycle = monitor.update(step.q, step.poses, step.time)
        if number % 5:
            continue
        warned = {frozenset((w.a, w.b)): w for w in cycle.warnings}
        for a, b, distance, off in coal_distances(world.cell, step.q, step.poses):
            at = threshold_of(world, monitor, a, b)
            warning = warned.pop(frozenset((a, b)), None)
            if warning is None:
                assert distance > at - off, (number, a, b, distance, at)
                continue
            assert distance <= at + off, (number, a, b, distance, warning.distance, at)
            assert warning.threshold <= at + 1e-12
            if distance > off:
                assert abs(warning.distance - distance) <= off, (number, a, b)
            else:
                assert warning.distance <= off, (number, a, b)
        assert not warned
