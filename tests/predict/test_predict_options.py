"""Pairs switched off and on, the exact stage, the period, many bodies."""

import numpy as np
import pytest

import standoff as so
from tests.worlds.predict_worlds import World, near_pairs, pairs_of

PERIOD = 0.01
METHODS = {
    "dua": {"schedule": so.predict.DynamicUrgency()},
    "deadlines": {"schedule": so.predict.Deadlines()},
    "horizon": {"schedule": so.predict.Deadlines(horizon=0.5)},
}


def closing(k):
    """Two pairs of balls that approach each other at 1 m/s, and touch after 0.8 s."""
    v = np.array([[0.5, 0, 0], [-0.5, 0, 0], [0.5, 0, 0], [-0.5, 0, 0]])
    x = np.array([[0.0, 0, 0], [1, 0, 0], [0, 9, 0], [1, 9, 0]])
    return x + k * PERIOD * v, v


@pytest.mark.interpreted
@pytest.mark.parametrize("how", METHODS)
def test_a_pair_that_is_off_is_never_alarmed_and_comes_back_in_time(how):
    predictor = so.Predictor([0.1] * 4, 0.01, period=PERIOD, off=[(1, 0)], **METHODS[how])
    seen = []
    for k in range(79):
        step = predictor.step(*closing(k))
        assert step.keeping_up
        seen += map(tuple, step.alarms.tolist())
    assert (0, 1) not in seen
    assert (2, 3) in seen
    predictor.switch_on((0, 1))
    alarmed = {}
    for k in range(79, 82):
        step = predictor.step(*closing(k))
        assert step.keeping_up
        for (a, b), tau in zip(step.alarms.tolist(), step.tau):
            if (a, b) == (0, 1):
                alarmed.setdefault(k, tau)
    assert min(alarmed) == 79 and alarmed[79] < 0.02
    predictor.switch_off([(0, 1), (2, 3)])
    for k in range(82, 120):
        assert {*map(tuple, predictor.step(*closing(k)).alarms.tolist())}.isdisjoint(
            {(0, 1), (2, 3)}
        )
    # Inside each other now: switched on, both are alarmed at the next step.
    predictor.switch_on([(0, 1), (2, 3)])
    step = predictor.step(*closing(120))
    found = {*map(tuple, step.alarms.tolist())}
    assert {(0, 1), (2, 3)} <= found and step.tau[:2].tolist() == [0.0, 0.0]


@pytest.mark.parametrize("how", METHODS)
def test_never_late_with_pairs_that_come_and_go(how):
    """Pairs are switched off and on at random; those that are on when they touch were alarmed."""
    rng = np.random.default_rng(11)
    world = World(rng, 12, hostile=True, period=PERIOD, crowd=0.4)
    predictor = so.Predictor(world.radii, world.most, period=PERIOD, **METHODS[how])
    on_since, alarms, contacts = np.zeros((12, 12)), {}, 0
    off = set()
    for k in range(1500):
        for _ in range(2):
            a, b = sorted(rng.choice(12, 2, replace=False).tolist())
            if (a, b) in off:
                predictor.switch_on((a, b))
                off.discard((a, b))
                on_since[a, b] = k
            else:
                predictor.switch_off((a, b))
                off.add((a, b))
        step = predictor.step(world.x, world.v)
        assert step.keeping_up
        for (a, b), until in zip(step.alarms.tolist(), step.until):
            assert (a, b) not in off
            alarms.setdefault((a, b), []).append((k + 1, k + until / PERIOD))
        world.choose(PERIOD)
        for a, b, t in world.touches(PERIOD, 0.0):
            at = k + t / PERIOD
            if (a, b) not in off and on_since[a, b] + 1 <= at:
                contacts += 1
                assert any(
                    out <= at + 1e-6 <= last + 1e-3 for out, last in alarms.get((a, b), ())
                ), (k, a, b)
        world.advance(PERIOD)
    assert contacts > 20


def test_many_pairs_at_once_take_their_turns():
    rng = np.random.default_rng(0)
    x, v = rng.uniform(0, 50, (40, 3)), np.zeros((40, 3))
    every = [(a, b) for a in range(40) for b in range(a + 1, 40)]
    predictor = so.Predictor(
        [0.1] * 40, 0.001, period=PERIOD, off=every, schedule=so.predict.DynamicUrgency()
    )
    assert predictor.step(x, v).count == 0
    predictor.switch_on(every[:200])
    waiting = [predictor.step(x, v).keeping_up for _ in range(6)]
    assert waiting == [False, False, False, True, True, True]
    assert len(predictor.void()) == 0


def test_alarms_that_the_true_shapes_rule_out():
    """Two rods side by side: their balls overlap, they do not."""
    shapes = [so.Capsule(0.02, 1.0), so.Capsule(0.02, 1.0)]
    x, v = np.array([[0.0, 0, 0], [0.3, 0, 0]]), np.zeros((2, 3))
    how = {"period": PERIOD, "margin": 0.01, "schedule": so.predict.DynamicUrgency()}
    predictor = so.Predictor([0.52] * 2, 1.0, exact=so.predict.ExactShapes(shapes), **how)
    step = predictor.step(x, v)
    assert step.count == 1 and step.tau[0] == 0.0 and not step.true.any() and step.safe
    assert (predictor.raised, predictor.ruled_out) == (1, 1)
    for _ in range(5):
        step = predictor.step(x, v)
    assert (predictor.raised, predictor.repeated, predictor.ruled_out) == (1, 5, 1)
    # One of them lies down across the other.
    turn = np.stack([np.eye(3), [[0, 0, 1.0], [0, 1, 0], [-1, 0, 0]]])
    step = predictor.step(x, v, rotations=turn)
    assert step.true.all() and not step.safe
    # What may turn at 20 rad/s gets 0.4 m farther within two periods.
    turning = so.Predictor(
        [0.52] * 2, 1.0, exact=so.predict.ExactShapes(shapes, max_turn=20.0), **how
    )
    assert turning.step(x, v).true.all()
    # Fast towards each other, but two periods are too short for it; twenty are not.
    v[1] = (-10.0, 0, 0)
    for period, expected in ((0.005, False), (0.05, True)):
        fast = so.Predictor([0.52] * 2, 1.0, exact=so.predict.ExactShapes(shapes), period=period)
        assert fast.step(x, v).true.all() == expected
    # Rotations that are none leave the alarm standing.
    for bad in (np.full((2, 3, 3), np.nan), "x", np.zeros((1, 3, 3))):
        assert predictor.step(x, np.zeros((2, 3)), rotations=bad).true.all()


def test_a_rod_that_turns_in_a_way_nobody_told_is_not_ruled_out():
    """A rod spun into a pin beside it; the stage took it for upright, or for one that rests."""
    rod, pin = so.Capsule(0.02, 1.0), so.Capsule(0.02, 0.02)
    x, v = np.array([[0.0, 0, 0], [0.3, 0, 0]]), np.zeros((2, 3))
    lean = [[np.cos(1.0), 0, np.sin(1.0)], [0, 1.0, 0], [-np.sin(1.0), 0, np.cos(1.0)]]
    turned = np.stack([np.array(lean), np.eye(3)])
    upright = np.stack([np.eye(3), np.eye(3)])

    def stands(max_turn, *readings):
        exact = so.predict.ExactShapes([rod, pin], max_turn=max_turn)
        predictor = so.Predictor([0.52, 0.04], 0.0, period=PERIOD, exact=exact)
        return [bool(predictor.step(x, v, rotations=r).true.all()) for r in readings]

    # How it is turned is not told, though it may turn; how fast it may is not told.
    assert stands([0.5, 0.0], None, None) == [True, True]
    assert stands(None, upright) == [True] and stands(None, None) == [False]
    # What turns faster than it may cannot be foretold; what keeps to it can.
    assert stands([0.5, 0.0], upright, upright, turned, turned) == [False, False, True, False]
    assert stands([150.0, 0.0], upright, turned)[0]  # 3 rad within two periods: anywhere
    assert stands(0.0, turned, turned, upright, None) == [False, False, True, True]


def test_an_alarm_of_the_exact_stage_is_never_wrongly_ruled_out():
    """Boxes that fly at each other: the alarm stands in the last step before they touch."""
    rng = np.random.default_rng(4)
    for _ in range(20):
        shapes = [so.Box(rng.uniform(0.1, 0.5, 3)), so.Box(rng.uniform(0.1, 0.5, 3))]
        radii = [0.5 * np.linalg.norm(s.size) for s in shapes]
        x = np.array([[0.0, 0, 0], rng.normal(size=3)])
        x[1] *= 2.0 / np.linalg.norm(x[1])
        v = np.array([[0.0, 0, 0], -x[1] * rng.uniform(0.3, 1.0)])
        predictor = so.Predictor(radii, 0.0, period=0.02, exact=so.predict.ExactShapes(shapes))
        stood = False
        for _ in range(400):
            poses = [so.pose(p) for p in x]
            if so.distance(shapes[0], poses[0], shapes[1], poses[1]).distance <= 0.0:
                break
            step = predictor.step(x, v)
            stood = bool(step.true.any())
            x = x + 0.02 * v
        else:
            raise AssertionError("they never met")
        assert stood


@pytest.mark.parametrize("speed", [None, 1.5])
def test_with_a_horizon_only_pairs_that_could_meet_are_held(speed):
    rng = np.random.default_rng(3)
    world = World(rng, 400, hostile=True, period=PERIOD, speed=speed, crowd=3.0)
    predictor = so.Predictor(
        world.radii,
        world.most,
        world.limit,
        period=PERIOD,
        schedule=so.predict.Deadlines(horizon=0.4),
    )
    held = []
    for k in range(120):
        step = predictor.step(world.x, world.v, time=PERIOD * k)
        assert step.keeping_up and not step.faults
        held.append(predictor.pairs)
        # All that can touch within two periods has been taken in: balls of that reach overlap.
        reach = world.radii + np.linalg.norm(world.v, axis=1) * 2 * PERIOD
        reach += world.most * 2 * PERIOD**2
        have = {*map(tuple, pairs_of(predictor).tolist())}
        assert {(int(a), int(b)) for a, b in near_pairs(world.x, reach)} <= have
        world.choose(PERIOD)
        world.advance(PERIOD)
    assert max(held) < 0.2 * 400 * 399 / 2
    assert predictor.nbytes <= 16 * 4 * max(held) + 16 * 8 * 400


def test_a_predictor_cannot_be_copied():
    import copy
    import pickle

    predictor = so.Predictor([0.1, 0.1], 1.0)
    for way in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(so.errors.PredictError, match="copied"):
            way(predictor)


def test_a_cell_is_watched_by_its_joints():
    cell = so.Cell()
    cell.add_robot("builtin:arm7", name="arm")
    cell.add_body("post", so.Box((0.1, 0.1, 0.5)), so.pose((0.6, 0.0, 0.4)))
    predictor = so.Predictor.from_cell(cell, 5.0, period=0.005, max_joint_speed=1.0)
    joints = len(cell.joints)
    q, dq = np.zeros(joints), np.zeros(joints)
    q[1] = 1.2
    q[0], dq[0] = -0.8, 0.9
    seen = set()
    for k in range(200):
        step = predictor.step_cell(q, dq, time=0.005 * k)
        assert not step.faults and step.keeping_up
        names = predictor.spheres.names
        seen |= {frozenset((names[a], names[b])) for a, b in step.alarms.tolist()}
        q = q + 0.005 * dq
    assert any("post" in pair for pair in seen)
    dq[2] = 3.0
    step = predictor.step_cell(q, dq, time=1.0)
    assert any(f.kind == "speed" and "joint3" in str(f.value) for f in step.faults)
    assert predictor.step_cell(None, dq, time=1.005).faults
    with pytest.raises(so.errors.PredictError, match="cell"):
        so.Predictor([0.1, 0.1], 1.0).step_cell(q, dq)
