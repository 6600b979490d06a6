"""What a warning says: names, distance, points, speeds; and what a quiet cycle does not make."""

import math

import numpy as np
import pytest

import standoff as so
from tests.oracles.monitor_answers import exact
from tests.worlds.monitor_worlds import PERIOD, MonitorWorld, nudge, solid, turned

NONE = np.zeros(0)


def place(*position):
    return so.pose(position)


def check_witnesses(warning):
    """``point_a - point_b == distance * normal``, and the normal has length 1."""
    apart = warning.point_a - warning.point_b
    scale = 1.0 + np.abs(warning.point_a).max()
    assert np.linalg.norm(warning.normal) == pytest.approx(1.0, abs=1e-9)
    np.testing.assert_allclose(apart, warning.distance * warning.normal, atol=1e-9 * scale)
    assert np.linalg.norm(apart) == pytest.approx(abs(warning.distance), abs=1e-9 * scale)


@pytest.mark.parametrize("seed", range(30, 36))
def test_witness_points_names_and_order(seed):
    world = MonitorWorld(seed, faulty=False, movers=6, statics=12)
    world.options["buffer"] = 0.1
    monitor = world.monitor()
    seen = 0
    for step in world.steps(60):
        cycle = monitor.update(step.q, step.poses, step.time)
        names = [*world.cell.model.names, *(zone.name for zone in world.options["zones"])]
        for w in cycle.warnings:
            check_witnesses(w)
            assert names.index(w.a) < names.index(w.b)
            assert w.distance <= w.threshold + 1e-9
            assert str(w).startswith(f"{w.a} – {w.b}")
        distances = [w.distance for w in cycle.warnings]
        assert distances == sorted(distances)
        pairs = [(w.a, w.b) for w in cycle.warnings]
        assert len(set(pairs)) == len(pairs)
        assert cycle.pairs == [(w.a, w.b, w.distance) for w in cycle.warnings]
        if distances:
            assert cycle.clearance <= distances[0]
        assert cycle.number and cycle.time == step.time
        seen += len(pairs)
    assert seen > 20


def test_the_nearest_primitives_of_two_bodies_stand_for_them(tmp_path):
    from tests.worlds.monitor_worlds import write_rail

    cell = so.Cell()
    cell.add_robot(write_rail(tmp_path), name="rail")
    cell.add_body("ball", so.Sphere(0.1), moving=True)
    q = np.array([0.0, 0.5, 0.3])
    tip = cell.tree.link_pose(q, "rail/tip")
    for z in (0.1, 0.24, 0.36):
        there = tip @ so.pose((0.16, 0.0, z))
        cycle = so.Monitor(cell, 0.3).update(q, there[None])
        found = [w for w in cycle.warnings if (w.a, w.b) == ("rail/tip", "ball")]
        link = cell.robots["rail"].robot.links["tip"]
        expected = min(
            so.distance(e.shape, tip @ e.origin, so.Sphere(0.1), there).distance
            for e in link.elements
        )
        assert len(found) == 1 and found[0].distance == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("kinds", [(0, 0), (0, 2), (1, 1), (1, 2), (2, 3), (0, 4), (1, 5)])
def test_closing_speed_is_the_rate_of_the_true_distance(kinds):
    """Against finite differences on a fine motion of two bodies that drift and turn. The rate of a
    distance is that of its witness points along the normal; where the witnesses change from one
    feature to another, only one side of it is, so a few steps in a hundred may be off."""
    rng = np.random.default_rng(kinds)
    bodies = [solid(rng, kind) for kind in kinds]
    cell = so.Cell()
    cell.add_body("a", bodies[0], moving=True)
    cell.add_body("b", bodies[1], moving=True)
    dt = 1e-4
    monitor = so.Monitor(cell, 5.0, period=dt, max_speed=100.0)
    pa, pb = turned(rng), turned(rng)
    pb[:3, 3] = 0.6, 0.3, 0.2
    va, vb = rng.normal(size=(2, 3)) * 0.3
    wa, wb = rng.normal(size=(2, 3))
    before, bad, total = None, 0, 0
    for _ in range(400):
        cycle = monitor.update(NONE, np.array([pa, pb]))
        (w,) = cycle.warnings
        d = so.distance(bodies[0], pa, bodies[1], pb).distance
        assert w.distance == pytest.approx(d, abs=1e-9)
        if before is None:
            assert math.isnan(w.closing_speed) and w.approaching and math.isnan(w.time_to_contact)
        elif min(d, before) > 0.01:
            rate = (before - d) / dt
            total += 1
            bad += abs(rate - w.closing_speed) > 2e-3
            assert w.approaching or w.closing_speed < 0.0
            if w.closing_speed > 0.0:
                assert w.time_to_contact == pytest.approx(w.distance / w.closing_speed)
            else:
                assert w.time_to_contact == math.inf
        before = d
        pa, pb = nudge(pa, va * dt, wa * dt), nudge(pb, vb * dt, wb * dt)
    assert total > 200 and bad <= 0.03 * total


@pytest.mark.interpreted
def test_speeds_of_a_head_on_approach_and_of_a_retreat():
    cell = so.Cell()
    cell.add_body("cart", so.Sphere(0.1), moving=True)
    cell.add_body("wall", so.HalfSpace(), so.pose((1.0, 0, 0), rpy=(0, -math.pi / 2, 0)))
    monitor = so.Monitor(cell, 2.0)
    xs = [0.0, 0.02, 0.04, 0.03, 0.03, 0.95]
    for before, x in zip([None, *xs], xs):
        cycle = monitor.update(NONE, place(x, 0, 0)[None])
        (w,) = cycle.warnings
        assert w.distance == pytest.approx(0.9 - x)
        if before is not None:
            assert w.closing_speed == pytest.approx((x - before) / PERIOD)
            assert w.approaching == (x >= before)
    assert w.distance < 0 and w.time_to_contact == 0.0 and cycle.faults[0].kind == "jump"


@pytest.mark.interpreted
def test_touching_the_threshold_warns():
    cell = so.Cell()
    cell.add_body("cart", so.Box((1, 1, 1)), moving=True)
    cell.add_body("wall", so.Box((1, 1, 1)), place(2, 0, 0))
    for index in ("naive", "octree", "grid", "region"):
        monitor = so.Monitor(cell, 0.25, index=index)
        assert len(monitor.update(NONE, place(0.75, 0, 0)[None]).warnings) == 1
        assert monitor.update(NONE, place(0.74, 0, 0)[None]).warnings == ()


@pytest.mark.interpreted
def test_a_quiet_cycle_makes_nothing():
    cell = so.Cell()
    cell.add_body("cart", so.Sphere(0.1), moving=True)
    cell.add_body("wall", so.Sphere(0.1), place(2, 0, 0))
    monitor = so.Monitor(cell)
    for k in range(4):
        cycle = monitor.update(NONE, place(0.01 * k, 0, 0)[None], 0.01 * k)
        assert cycle._warnings == () and cycle._hits is None
        assert cycle.warnings == () and cycle.pairs == [] and cycle.faults == () and cycle.safe
        assert cycle.clearance == math.inf and cycle.number == k + 1 and cycle.time == 0.01 * k
    loud = monitor.update(NONE, place(1.8, 0, 0)[None])
    assert loud._warnings is None  # not before they are asked for
    assert loud.warnings is loud.warnings and not loud.safe


def test_an_answer_stays_as_it_was_when_the_next_comes():
    world = MonitorWorld(40, robots=False, faulty=False, movers=5, statics=10)
    world.options["buffer"] = 0.2
    monitor = world.monitor()
    kept = []
    for step in world.steps(30):
        cycle = monitor.update(step.q, step.poses, step.time)
        kept.append((cycle, exact(cycle) if len(kept) % 2 else None))
    again = MonitorWorld(40, robots=False, faulty=False, movers=5, statics=10)
    again.options["buffer"] = 0.2
    monitor = again.monitor()
    for (cycle, said), step in zip(kept, again.steps(30)):
        fresh = exact(monitor.update(step.q, step.poses, step.time))
        assert exact(cycle) == fresh and said in (None, fresh)


@pytest.mark.parametrize("seed", [50, 51, 52])
@pytest.mark.parametrize(
    "way", [{}, {"index": so.Octree(2, follow="neighbours")}, {"index": "grid"}]
)
def test_the_same_input_gives_the_same_output_bit_for_bit(seed, way):
    runs = []
    for _ in range(2):
        world = MonitorWorld(seed)
        monitor = world.monitor(**way)
        runs.append([exact(monitor.update(s.q, s.poses, s.time)) for s in world.steps(80)])
    assert runs[0] == runs[1]


@pytest.mark.interpreted
def test_input_is_not_written_to():
    cell = so.Cell(unwatched="allow")
    cell.add_body("cart", so.Sphere(0.1), moving=True)
    monitor = so.Monitor(cell)
    for spoil in (None, math.nan):
        poses = place(0.0, 0, 0)[None].copy()
        if spoil is not None:
            poses[0, 0, 3] = spoil
        before = poses.copy()
        monitor.update(NONE, poses)
        np.testing.assert_array_equal(poses, before)
