"""One suite for all ways to run a monitor: the same answer on every cycle, and that of Coal."""

import os

import numpy as np
import pytest

import standoff as so
from tests.oracles.coal import CoalCell, holds
from tests.oracles.monitor_answers import exact, explain
from tests.worlds.monitor_worlds import WAYS, MonitorWorld

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
    ways = {k: WAYS[k] for k in ("naive", "octree", "neighbours, N 1", "N 1", "grid 2", "region")}
    assert run_alike(world, 40, ways).all()


#: Coal's own distances are right to about this, of curved and convex bodies to a part of their
#: size, [m]. Nearer than this to its threshold, a pair may be on either side of it.
TOLERANCE, PART = 1e-6, 1e-5


def coal_distances(cell, q, poses):
    """Of each watched pair the distances of all its primitives: the number of either, the distance
    and how far off it may be. By Coal, but for how two solids that overlap are said to: there only
    the sign is compared. A mesh is a surface to Coal: what is inside is as deep as its gap."""
    coal = CoalCell(cell)
    placed = coal.placed(coal.frames(q, poses))
    for a, b in coal.pairs:
        found = []
        for i, x in enumerate(placed[a]):
            for j, y in enumerate(placed[b]):
                if isinstance(x.shape, so.HalfSpace) and isinstance(y.shape, so.HalfSpace):
                    continue
                value = coal.distance(x, y)
                if value > 0.0 and (holds(x, y) or holds(y, x)):
                    value = -value
                convex = {type(x.shape), type(y.shape)} & {so.Cylinder, so.Polyhedron, so.Mesh}
                found.append((i, j, value, TOLERANCE + (PART if convex else 0.0)))
        yield a, b, found


def threshold_of(world, monitor, a, b):
    """When a pair is too close, by the rules as they are written; None: at the sum of the buffers
    of its primitives."""
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
        kind = thresholds.self_collision if ra == rb else thresholds.robot_robot
    elif ra is not None or rb is not None:
        kind = thresholds.robot_scene
    else:
        kind = None
    return kind


def buffers_of(monitor):
    """The buffer of each primitive that moves, by body and number. That of a body is the largest of
    its primitives, as those farther out are faster."""
    scene = monitor.scene
    return {
        (p.body, p.part): float(scene.tables.movers[slot].buffer)
        for p, slot in scene._slots.items()
        if p.frame != 0
    }


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
        buffers = buffers_of(monitor)
        for a, b, found in coal_distances(world.cell, step.q, step.poses):
            rule = threshold_of(world, monitor, a, b)
            warning = warned.pop(frozenset((a, b)), None)
            nearest = np.inf
            for i, j, distance, off in found:
                at = rule
                if at is None:
                    at = buffers.get((a, i), 0.0) + buffers.get((b, j), 0.0)
                if warning is None:
                    assert distance > at - off, (number, a, b, distance, at)
                elif distance <= at + off:
                    nearest = min(nearest, distance)
                    assert warning.distance <= max(distance, 0.0) + off, (number, a, b, distance)
            if warning is not None:
                assert nearest < np.inf, (number, a, b, warning.distance)
                if nearest > TOLERANCE + PART:
                    assert warning.distance >= nearest - TOLERANCE - PART, (number, a, b, nearest)
        assert not warned
