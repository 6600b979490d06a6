"""Laws that verdicts obey among each other, whatever the cell: parts of a free motion are free, a
smaller clearance asks for less, a batch says what single checks say, a tube holds what is in it."""

import math
from functools import cache
from itertools import pairwise

import numpy as np
import pytest

import standoff as so
from tests.worlds.path_worlds import PathWorld

#: The tolerance of the checkers here, [m].
TOLERANCE = 1e-3
WORLDS = [("panda", "fat"), ("panda", "mesh"), ("irb2400", "thin"), ("chain", "thin")]


@cache
def world_of(robot, obstacles):
    world = PathWorld(robot, obstacles, 100)
    return world, *world.segments(120)


@pytest.fixture(params=WORLDS, ids="-".join)
def segments(request):
    return world_of(*request.param)


def close_but_free(verdict, clearance):
    """What may be said of a motion whose distances all exceed ``clearance``."""
    if verdict.kind == "too_close":
        return clearance < verdict.distance < clearance + TOLERANCE
    return verdict.kind == "free"


def test_what_is_free_stays_free_in_parts_and_backwards(segments):
    world, starts, ends = segments
    rng = np.random.default_rng(1)
    clearance = 0.004
    checker = so.PathChecker(world.cell, clearance=clearance, tolerance=TOLERANCE)
    looser = so.PathChecker(world.cell, clearance=clearance - TOLERANCE, tolerance=TOLERANCE)
    seen = 0
    for qa, qb in zip(starts, ends):
        if not checker.segment(qa, qb).free:
            continue
        seen += 1
        s, t = np.sort(rng.random(2))
        inner = qa + s * (qb - qa), qa + t * (qb - qa)
        for a, b in (inner, (qb, qa), inner[::-1]):
            assert close_but_free(checker.segment(a, b), clearance), (a, b)
            # Everything is farther than clearance = (clearance - tolerance) + tolerance.
            assert looser.segment(a, b).free, (a, b)
    assert seen > 10


def test_what_is_far_enough_is_called_free(segments):
    """The checker may not be lazy either: beyond clearance + tolerance there is no excuse."""
    world, starts, ends = segments
    checkers = [so.PathChecker(world.cell, c, TOLERANCE) for c in (0.0, 0.004, 0.03)]
    seen = 0
    for qa, qb in zip(starts[::2], ends[::2]):
        nearest = world.oracle.nearest(qa, qb)
        if nearest.distances < 0:
            continue
        for checker in checkers:
            verdict = checker.segment(qa, qb)
            if nearest.distance > checker.clearance + TOLERANCE + 2e-4:
                assert verdict.kind == "free", (qa, qb, nearest, verdict)
                seen += 1
            elif nearest.distance <= checker.clearance:
                assert verdict.kind in ("collision", "too_close"), (qa, qb, nearest, verdict)
    assert seen > 10


def test_a_clearance_just_above_the_nearest_is_never_free(segments):
    world, starts, ends = segments
    seen = 0
    for qa, qb in zip(starts[::3], ends[::3]):
        nearest = world.oracle.nearest(qa, qb)
        if nearest.distances < 0 or nearest.distance <= 1e-6:
            continue
        for hair in (1e-9, 1e-6, 1e-4):
            checker = so.PathChecker(world.cell, nearest.distance + hair, TOLERANCE)
            assert not checker.segment(qa, qb).free, (qa, qb, nearest, hair)
        seen += 1
    assert seen > 5


def test_a_smaller_clearance_asks_for_less(segments):
    world, starts, ends = segments
    clearances = (0.0, 0.002, 0.01, 0.05)
    free = np.array(
        [so.PathChecker(world.cell, c, TOLERANCE).segments(starts, ends) for c in clearances]
    )
    # Each differs from the next by more than the tolerance.
    assert (free[:-1] | ~free[1:]).all()
    assert free[0].any() and not free.all()


def test_the_part_that_is_free_is_free_and_the_check_can_go_on_from_its_end(segments):
    world, starts, ends = segments
    checker = so.PathChecker(world.cell, tolerance=TOLERANCE)
    precision, seen = 1e-6, 0
    for qa, qb in zip(starts, ends):
        verdict = checker.segment(qa, qb, first=True, precision=precision)
        until = verdict.free_until
        if verdict.free:
            assert until == 1.0
            continue
        assert 0.0 <= until <= verdict.t <= until + 2.0 * precision
        middle = qa + until * (qb - qa)
        if until > 0.0:
            seen += 1
            assert world.oracle.touches(qa, middle).distance == math.inf
            assert close_but_free(checker.segment(qa, middle), 0.0)
        rest = checker.segment(middle, qb, first=True, precision=precision)
        if verdict.kind == "collision":
            assert not rest.free
            assert until + rest.t * (1.0 - until) <= verdict.t + 4.0 * precision
        assert checker.segment(qa, qb).free_until == pytest.approx(until, abs=2.0 * precision)
    assert seen > 10


@pytest.mark.parametrize("clearance", [0.0, 0.01])
def test_a_batch_says_what_single_checks_say_on_any_number_of_threads(segments, clearance):
    world, starts, ends = segments
    checker = so.PathChecker(world.cell, clearance, TOLERANCE)
    alone = [checker.segment(qa, qb).free for qa, qb in zip(starts, ends)]
    for threads in (1, 2, 3, 7, None):
        assert checker.segments(starts, ends, threads=threads).tolist() == alone


def test_a_path_is_free_where_all_its_segments_are(segments):
    world, _, _ = segments
    rng = np.random.default_rng(2)
    for seed in range(12):
        chosen = world.starts[rng.integers(len(world.starts), size=5)]
        # Small steps, so that some of the paths are free.
        waypoints = chosen[0] + np.cumsum(0.1 ** (seed % 3) * (chosen - chosen[0]), axis=0)
        checker = so.PathChecker(world.cell, tolerance=TOLERANCE)
        verdict = checker.path(waypoints)
        alone = [checker.segment(a, b) for a, b in pairwise(waypoints)]
        assert verdict.free == all(v.free for v in alone)
        again = checker.path(waypoints)
        assert again.kind == verdict.kind
        if verdict.free:
            assert verdict.free_until == len(alone)
            continue
        assert not alone[verdict.segment].free
        a, b = waypoints[verdict.segment], waypoints[verdict.segment + 1]
        assert np.allclose(verdict.q, a + verdict.t * (b - a), rtol=0, atol=1e-12)
        assert verdict.free_until <= verdict.segment + verdict.t or verdict.kind == "too_close"
        first = checker.path(waypoints, first=True)
        bad = next(k for k, v in enumerate(alone) if not v.free)
        assert first.segment == bad


def test_every_motion_within_a_certified_tube_keeps_the_clearance(segments):
    world, starts, ends = segments
    rng = np.random.default_rng(3)
    joints = starts.shape[1]
    units = np.array([1.0 if unit == "rad" else 0.1 for unit in world.cell.tree.units])
    deviation = 0.01 * units * rng.uniform(0.2, 1.0, joints)
    clearance = 0.002
    checker = so.PathChecker(world.cell, clearance, TOLERANCE, deviation=deviation)
    seen = 0
    for qa, qb in zip(starts, ends):
        if not checker.segment(qa, qb).free:
            continue
        seen += 1
        # Both ends anywhere in the tube: the segment between them stays in it. Corners are worst.
        for _ in range(3):
            a = qa + deviation * rng.choice([-1.0, 1.0], joints)
            b = qb + deviation * rng.choice([-1.0, 0.0, 1.0], joints)
            found = world.oracle.touches(a, b, clearance)
            assert found.distance == math.inf, (qa, qb, a, b, found)
    assert seen > 5


def test_a_pool_of_any_size_says_the_same(segments, monkeypatch):
    """The tables of a search grow when they are full; no pair may get lost at the brim."""
    world, starts, ends = segments
    roomy = so.PathChecker(world.cell, 0.004, TOLERANCE)
    expected = [roomy.segment(qa, qb) for qa, qb in zip(starts[:15], ends[:15])]
    for pool in (1, 700, 1500, 2500):
        monkeypatch.setattr("standoff.paths.path_search._POOL", pool)
        monkeypatch.setattr("standoff.paths.path_search._NODES", 4)
        for qa, qb, verdict in zip(starts, ends, expected):
            tight = so.PathChecker(world.cell, 0.004, TOLERANCE)
            tight.tables.spare.clear()
            got = tight.segment(qa, qb)
            assert (got.kind, got.t, got.pair) == (verdict.kind, verdict.t, verdict.pair)


def test_a_gliding_body_is_as_good_as_one_on_rails(tmp_path):
    """A cart pushed by a prismatic joint, and one that glides at the same speed, past a Panda."""
    rail = (
        '<robot name="rail"><link name="base"/><link name="cart"><collision><geometry>'
        '<box size="0.2 0.1 0.05"/></geometry></collision></link><joint name="push" '
        'type="prismatic"><parent link="base"/><child link="cart"/><axis xyz="1 0 0"/>'
        '<limit lower="-5" upper="5" velocity="1" effort="1"/></joint></robot>'
    )
    path = tmp_path / "rail.urdf"
    path.write_text(rail)
    rng = np.random.default_rng(4)
    kinds = set()
    for _ in range(60):
        base = so.pose(
            (-0.5, rng.uniform(-0.6, 0.6), rng.uniform(0.1, 1.0)), rpy=rng.uniform(-1, 1, 3)
        )
        arm = so.Cell()
        arm.add_robot("builtin:panda", name="panda")
        qa = rng.uniform(arm.tree.lower, arm.tree.upper)
        qb = np.clip(qa + 0.4 * rng.normal(size=len(qa)), arm.tree.lower, arm.tree.upper)
        railed = so.Cell()
        railed.add_robot("builtin:panda", name="panda")
        railed.add_robot(path, name="rail", base=base)
        arm.add_body("cart", so.Box((0.2, 0.1, 0.05)), base, moving=True)
        way = float(rng.uniform(-1, 1))
        glide = so.Glide(base, way * base[:3, 0])
        left = so.PathChecker(arm).segment(qa, qb, moving={"cart": glide})
        right = so.PathChecker(railed).segment([*qa, 0.0], [*qb, way])
        assert (
            left.free == right.free
            or min(v.distance for v in (left, right) if v.distance is not None) > 0.0
        )
        kinds.add(left.kind)
    assert {"free", "collision"} <= kinds
