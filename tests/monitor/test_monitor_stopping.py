"""Stopping in the monitor: as long as it does not warn, stopping now or until the next reading is
free; it warns in time; and whatever it is given, it answers."""

import contextlib
import io
import math
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import standoff as so
from standoff.monitor.options import LATE_PERIODS
from standoff.paths.stop_check import StopCheck, StopModel
from standoff.tolerances import ENCODER_TOLERANCE
from tests.oracles.stops import Ride, StopDistances, brake, drift
from tests.worlds.monitor_worlds import PERIOD, MonitorWorld, nudge, write_rail

LAWS = settings(deadline=None, max_examples=60, derandomize=True)
SEEDS = st.integers(0, 2**32 - 1)
NO_POSES = np.zeros((0, 4, 4))
CART = so.pose((3, 3, 3))[None]
#: Coal's own distances are right to about this, [m].
COAL = 1e-6
DOCS = Path(__file__).parents[2] / "docs"
#: Quick enough without the compiler.
interpreted = pytest.mark.interpreted


@pytest.fixture(scope="module")
def rail(tmp_path_factory):
    """A slide, a boom and a tip that turns without end, alone."""
    cell = so.Cell()
    cell.add_robot(write_rail(tmp_path_factory.mktemp("rail")), name="rail")
    return cell


@pytest.fixture(scope="module")
def crowded(tmp_path_factory):
    """The same with a cart that moves."""
    cell = so.Cell()
    cell.add_robot(write_rail(tmp_path_factory.mktemp("rail")), name="rail")
    cell.add_body("cart", so.Sphere(0.1), CART[0], moving=True)
    return cell


def model(joints, **given_):
    one = np.ones(joints)
    usual = {
        "reaction": 0.02, "wait": 0.015, "synchronised": False, "limits": True, "least": 4.0 * one,
        "most": 4.0 * one, "gain": 0.0 * one, "velocity_error": 0.0 * one, "deviation": 0.0 * one,
        "body_change": np.zeros(0), "body_glides": np.zeros(0),
    }  # fmt: skip
    return StopModel(**{**usual, **given_})


def new_check(cell, its, budget=5000):
    return StopCheck(cell, its, clearance=0.0, tolerance=1e-3, clearances={}, budget=budget)


def laid_out(check, t):
    """Where the motion of the last look is at times ``t``, and how far off it may be."""
    times = check._stops.times[np.isfinite(check._stops.times)]
    k = np.clip(np.searchsorted(times, t, side="right") - 1, 0, len(times) - 2)
    u = np.minimum((t - times[k]) / (times[k + 1] - times[k]), 1.0)[:, None]
    c = check._motion.pieces[k]
    q = sum(c[:, power] * u**power for power in range(6))
    return q, check._motion.rounding[k][:, : q.shape[1]]


def random_model(rng, joints, synchronised):
    least = 10.0 ** rng.uniform(-0.5, 1.5, joints)
    return model(
        joints,
        reaction=float(rng.choice([0.0, rng.uniform(0, 0.2)])),
        wait=float(rng.choice([1e-3, rng.uniform(1e-3, 0.1)])),
        synchronised=synchronised,
        limits=False,
        least=least,
        most=least * rng.choice([1.0, np.inf, rng.uniform(1, 5)], joints),
        gain=least * rng.choice([0.0, rng.uniform(0, 1)], joints),
        velocity_error=rng.choice([0.0, rng.uniform(0, 0.3)], joints),
        deviation=rng.choice([0.0, 0.01], joints),
    )


@interpreted
@LAWS
@given(SEEDS)
def test_every_stop_that_may_follow_is_part_of_what_is_proved(rail, seed):
    """Each joint with a history, an error, a moment to brake and a brake of its own."""
    rng = np.random.default_rng(seed)
    its = random_model(rng, 3, False)
    check = new_check(rail, its)
    dt = float(rng.uniform(1e-3, 0.05))
    q, v = rng.uniform(-0.3, 0.3, 3), rng.normal(size=3) * rng.choice([0.0, 0.5, 2.0], 3)
    measured = rng.random() < 0.5
    now, before = np.empty(3), np.empty(3)
    rides = []
    for j in range(3):
        ride = Ride(q[j], v[j])
        drift(ride, rng, dt, its.gain[j])
        before[j], now[j] = ride.at(0.0), ride.at(dt)
        ride = Ride(now[j], ride.velocity)
        v[j] = ride.velocity + rng.uniform(-1, 1) * its.velocity_error[j]
        drift(ride, rng, its.reaction + its.wait * rng.uniform(), its.gain[j])
        most = its.most[j] if np.isfinite(its.most[j]) else 1e3 * its.least[j]
        brake(ride, rng, its.least[j], most)
        rides.append(ride)
    check.free(before, NO_POSES, dt)
    check.free(now, NO_POSES, dt, *([v] if measured else []))
    assert check.known
    t = np.linspace(0.0, 1.2 * max(ride.times[-1] for ride in rides) + 0.01, 200)
    truth = np.stack([ride.at(t) for ride in rides], axis=1)
    middle, off = laid_out(check, t)
    strayed = rng.choice([-1.0, 1.0], 3) * its.deviation
    assert (np.abs(truth + strayed - middle) <= off + 1e-12).all()


@interpreted
@pytest.mark.parametrize("alone", [True, False])
@LAWS
@given(seed=SEEDS)
def test_joints_that_stop_together_stay_on_the_line_that_is_proved(rail, crowded, alone, seed):
    """Whenever that is; where bodies move, at the right time."""
    rng = np.random.default_rng(seed)
    its, poses = random_model(rng, 3, True), NO_POSES
    if not alone:
        its, poses = replace(its, body_change=np.ones(1), body_glides=np.zeros(1)), CART
    check = new_check(rail if alone else crowded, its)
    q, v = rng.uniform(-0.3, 0.3, 3), rng.normal(size=3) * rng.choice([0.0, 0.5, 2.0], 3)
    rides = [Ride(x, y + rng.uniform(-1, 1) * e) for x, y, e in zip(q, v, its.velocity_error)]
    until = its.reaction + its.wait * rng.uniform()
    for ride, gain in zip(rides, its.gain):
        drift(ride, rng, until, gain)
    speeds = np.array([ride.velocity for ride in rides])
    most = np.where(np.isfinite(its.most), its.most, 1e3 * its.least)
    shortest, longest = (np.abs(speeds) / most).max(), (np.abs(speeds) / its.least).max()
    time = rng.choice([shortest, longest, rng.uniform(shortest, longest)])
    for ride, speed in zip(rides, speeds):
        if time > 0.0:
            ride.add(time, -speed / time)
        ride.stop()
    check.free(q, poses, 0.01, v)
    times = check._stops.times[np.isfinite(check._stops.times)]
    t = np.linspace(0.0, until + time, 60)
    truth = np.stack([ride.at(t) for ride in rides], axis=1)
    if not alone:
        assert times[-1] >= until + time - 1e-12
        middle, off = laid_out(check, t)
        assert (np.abs(truth - middle) <= off + 1e-12).all()
        return
    middle, off = laid_out(check, np.linspace(0.0, times[-1], 4000))
    excess = np.abs(truth[:, None] - middle[None]) - off[None]
    # Between two of the instants looked at the middle moves by no more than this.
    step = np.abs(np.diff(middle, axis=0)).max(initial=0.0)
    assert (excess.max(axis=2).min(axis=1) <= step + 1e-12).all()


@interpreted
@LAWS
@given(SEEDS)
def test_parabolas_are_as_far_off_as_they_say_and_no_farther(rail, seed):
    """With nothing unknown but the moment of the call, the widening is the parabolas' own error."""
    rng = np.random.default_rng(seed)
    its = model(3, wait=1e-9, least=10.0 ** rng.uniform(-0.5, 1.5, 3), limits=False)
    its = replace(its, most=its.least)
    check = new_check(rail, its)
    v = rng.normal(size=3)
    check.free(np.zeros(3), NO_POSES, 0.01, v)
    t = np.linspace(0.0, check._stops.times[-1], 3000)
    curve = so.paths.braking_curve(rail, np.zeros(3), v, its.least, its.reaction)
    truth = curve.at(np.minimum(t, curve.end))
    middle, off = laid_out(check, t)
    error = np.abs(truth - middle)
    assert (error <= off + 1e-8).all()
    for j in range(3):
        for k in range(2):
            inside = (t >= check._stops.times[k]) & (t <= check._stops.times[k + 1])
            assert error[inside, j].max() >= 0.9 * off[inside, j].max() - 1e-4 * abs(v[j])


@interpreted
def test_whole_turns_of_an_endless_joint_are_no_motion(rail):
    check = new_check(rail, model(3))
    check.free(np.array([0.0, 0.0, math.pi - 0.01]), NO_POSES, 0.01)
    check.free(np.array([0.0, 0.0, 0.01 - math.pi]), NO_POSES, 0.01)
    assert check._stops.joints.speed == pytest.approx([0.0, 0.0, 2.0])


# ------------------------------------------------------------------------------------------------


def swinging(rng, joints, middle, reach):
    """q(t), its velocity, and the largest acceleration of each joint."""
    pace, phase = rng.uniform(0.8, 3.0, joints), rng.uniform(0, 6.28, joints)

    def at(t):
        return middle + reach * np.sin(pace * t + phase)

    def velocity(t):
        return reach * pace * np.cos(pace * t + phase)

    return at, velocity, reach * pace**2


def arm_among_boxes(rng):
    """An arm, a configuration that is clear, and boxes near it."""
    cell = so.Cell()
    cell.add_robot("builtin:arm7", name="arm")
    limit = np.minimum(np.minimum(np.abs(cell.tree.lower), cell.tree.upper), 2.0)
    middle = rng.uniform(-0.5, 0.5, len(cell.joints)) * limit
    while StopDistances(cell).nearest(middle)[0] < 0.01:
        middle = rng.uniform(-0.5, 0.5, len(cell.joints)) * limit
    while len(cell.bodies) < 8:
        turn = rng.normal(size=4)
        place = (*rng.uniform(-0.8, 0.8, 2), rng.uniform(0.0, 1.2))
        box = so.Box(rng.uniform(0.02, 0.4, 3))
        cell.add_body(f"box{len(cell.bodies)}", box, so.pose(place, turn / np.linalg.norm(turn)))
        if StopDistances(cell).nearest(middle)[0] < 0.03:
            cell.remove_body(f"box{len(cell.bodies) - 1}")
    return cell, middle


def swing_and_stop(seed, way):
    """Readings that were free, warnings, and stops that Coal found close; none of those that were
    proved free may touch anything."""
    free = warned = near = 0
    rng = np.random.default_rng((seed, len(way)))
    cell, middle = arm_among_boxes(rng)
    joints, coal = len(cell.joints), StopDistances(cell)
    q, velocity, gain = swinging(rng, joints, middle, rng.uniform(0.1, 0.5, joints))
    deceleration = dict(zip(cell.joints, rng.uniform(3, 10, joints).tolist()))
    limits = np.array(list(deceleration.values()))
    stop = so.Stopping(
        deceleration=deceleration,
        hardest={**deceleration, "arm/joint2": math.inf} if way == "each" else None,
        reaction=0.01,
        acceleration=dict(zip(cell.joints, gain.tolist())),
        synchronised=way == "together",
        limits=False,
    )
    monitor = so.Monitor(cell, buffer=0.0, period=PERIOD, stopping=stop)

    def nearest_of_a_stop(now):
        """Called sooner or later, the robot going on meanwhile as it does in truth."""
        until = rng.choice([0.0, stop.reaction])
        until += LATE_PERIODS * PERIOD * rng.choice([0.0, 1.0, rng.uniform()])
        speeds, start = velocity(now + until), q(now + until)
        time = np.abs(speeds) / limits
        if way == "together":
            time = np.full(joints, time.max())
        elif way == "each":
            time[1] *= rng.choice([1.0, rng.uniform(), 1e-3])
        least = min(coal.nearest(q(now + t)) for t in np.linspace(0.0, until, 3))
        for t in np.linspace(0.0, time.max(), 12):
            part = np.minimum(t, time)
            gone = speeds * part * (1 - 0.5 * part / np.maximum(time, 1e-12))
            least = min(least, coal.nearest(start + gone))
        return least

    good = None
    for k in range(500):
        now = k * PERIOD
        given_ = velocity(now) if way == "measured" else None
        cycle = monitor.update(q(now), time=now, dq=given_)
        if k > 0 and cycle.safe:
            good, free = now, free + 1
            if k % 25:
                continue
        elif good is None:
            continue
        # Of the readings that are free, those before a warning are the ones to look at.
        warned += not cycle.safe
        least = nearest_of_a_stop(good)
        assert least[0] > -COAL, (seed, k, least)
        near += least[0] < 0.05
        good = None
    return free, warned, near


@pytest.mark.parametrize("way", ["each", "together", "measured"])
def test_as_long_as_it_does_not_warn_stopping_is_free(way):
    free, warned, near = np.sum([swing_and_stop(seed, way) for seed in range(6)], axis=0)
    assert free > 300 and warned > 5 and near > 5


def test_it_warns_while_there_is_time_to_stop():
    """An arm leans down to a table: the stop that the warning calls is free, and the warning does
    not come much before it must."""
    cell = so.Cell()
    cell.add_robot("builtin:panda", name="left")
    cell.add_body("table", so.Box((0.6, 1.6, 0.04)), so.pose((0.65, 0.0, 0.2)))
    q = np.zeros(len(cell.joints))
    q[1], q[3], q[5] = 0.2, -1.5708, 1.5708
    v = np.zeros(len(cell.joints))
    v[1], v[3] = 0.8, 0.3
    deceleration, reaction = 3.0, 0.02
    checker = so.PathChecker(cell)

    def free(t, synchronised):
        at = q + t * v
        return so.paths.check_stop(
            checker, at, v, deceleration, reaction, synchronised=synchronised
        ).free  # fmt: skip

    for synchronised in (False, True):
        low, high = 0.0, 0.6
        assert free(low, synchronised) and not free(high, synchronised)
        while high - low > 1e-4:
            middle = 0.5 * (low + high)
            low, high = (middle, high) if free(middle, synchronised) else (low, middle)
        stop = so.Stopping(
            deceleration=deceleration, reaction=reaction, acceleration=0.0,
            synchronised=synchronised,
        )  # fmt: skip
        monitor = so.Monitor(cell, buffer=0.0, period=PERIOD, stopping=stop)
        monitor.update(q - PERIOD * v)
        for k in range(100):
            cycle = monitor.update(q + k * PERIOD * v)
            if not cycle.safe:
                break
        warned = k * PERIOD
        assert cycle.faults == () and warned <= low
        assert warned >= low - 0.06
        told = cycle.stopping
        assert cycle.warnings == (told,) and "table" in (told.a, told.b)
        assert told.kind in ("collision", "too_close", "undecided") and 0.0 < told.time < 0.5
        assert told.when > 1.0 and told.time_to_contact == told.time and told.approaching
        assert told.point_a - told.point_b == pytest.approx(told.distance * told.normal, abs=1e-12)
        assert "into the stop" in str(told) and told.a in repr(told)
        assert cycle.pairs == [(told.a, told.b, told.distance)]


def test_mimic_joints_and_what_a_robot_holds_take_part():
    cell = so.Cell()
    cell.add_robot("builtin:panda", name="left")
    cell.add_body("stick", so.Capsule(0.01, 0.3), so.pose((0.4, 0, 0.3)))
    cell.add_body("plate", so.Box((1, 1, 0.02)), so.pose((0.7, 0, 0.0)))
    q = np.zeros(len(cell.joints))
    q[3], q[5], q[7] = -1.5708, 1.5708, 0.02
    cell.set_state(q)
    v = np.zeros(len(cell.joints))
    v[1], v[7] = 0.5, 0.01
    stop = so.Stopping(deceleration={"default": 4.0}, reaction=0.0, acceleration=0.0)
    monitor = so.Monitor(cell, buffer=0.0, stopping=stop)
    assert monitor.update(q, dq=v).safe
    reach = so.pose((0, 0, 0.3))
    cell.remove_body("stick")
    cell.add_body("stick", so.Capsule(0.01, 0.3), cell.pose("left/panda_hand", q) @ reach)
    cell.attach("stick", "left/panda_hand", q=q)
    for k in range(1, 100):
        cycle = monitor.update(q + k * PERIOD * v, dq=v)
        if cycle.stopping is not None:
            break
    assert cycle.faults == ()
    assert {"stick", "plate"} == {cycle.stopping.a, cycle.stopping.b}
    assert cycle.stopping.q[1] >= k * PERIOD * v[1]


# ------------------------------------------------------------------------------------------------


def two_rails(folder, apart=1.0, **bodies):
    cell = so.Cell()
    path = write_rail(folder)
    cell.add_robot(path, name="a")
    cell.add_robot(path, name="b", base=so.pose((0, apart, 0)))
    for name, (shape, pose, moving) in bodies.items():
        cell.add_body(name, shape, pose, moving=moving)
    return cell


@interpreted
def test_two_robots_that_near_each_other_are_told(tmp_path):
    """Two tips turn towards each other."""
    cell = two_rails(tmp_path, 0.5)
    v = np.array([0.0, 0.0, -1.0, 0.0, 0.0, 1.0])
    stop = so.Stopping(deceleration=5.0, reaction=0.02, acceleration=0.0)
    monitor = so.Monitor(cell, buffer=0.0, period=PERIOD, stopping=stop)
    coal = StopDistances(cell)
    start = np.array([0.0, 0.0, -0.4, 0.0, 0.0, -0.2])

    def stands(k):
        return start + (k * PERIOD + stop.reaction + 0.5 / 5.0) * v

    for k in range(200):
        cycle = monitor.update(start + k * PERIOD * v, dq=v)
        assert cycle.faults == ()
        if cycle.stopping is not None:
            break
        assert coal.nearest(stands(k))[0] > 0.0
    assert (cycle.stopping.a, cycle.stopping.b) == ("a/tip", "b/tip")
    assert coal.nearest(stands(k))[0] > 0.0, "it is not too late"
    assert coal.nearest(stands(k + 6))[0] < 0.0, "it was not too early"


@interpreted
@pytest.mark.parametrize("known", [True, False])
def test_moving_bodies_stay_clear_of_what_is_proved(tmp_path, known):
    """A cart goes on give or take what was said, or does anything at its highest speed; what was
    free at the last reading before a warning is looked at."""
    rng = np.random.default_rng(int(known))
    speed, change = 1.0, 0.2
    cell = two_rails(tmp_path, cart=(so.Box((0.2, 0.3, 0.2)), so.pose((2, 0, 0.4)), True))
    stop = so.Stopping(
        deceleration=4.0, reaction=(0.08, 0.1), acceleration=0.5, bodies=change if known else None,
        limits=False,
    )  # fmt: skip
    monitor = so.Monitor(cell, buffer=0.0, max_speed={"default": speed, "a": 50, "b": 50},
                         period=PERIOD, stopping=stop)  # fmt: skip
    coal = StopDistances(cell)
    v = np.array([0.05, 0.2, 0.1] * 2)

    def nearest_of_a_stop(q, pose, pace, turning):
        until = rng.uniform(*stop.reaction) + LATE_PERIODS * PERIOD * rng.choice([0.0, 1.0])
        other = rng.normal(size=3) if rng.random() < 0.3 else pace
        other = other / np.linalg.norm(other) * rng.choice([1.0, -1.0], p=[0.8, 0.2])
        time, found = v / 4.0, []
        for t in np.linspace(0.0, until + time.max(), 8):
            part = np.clip(t - until, 0.0, time)
            joints = q + v * (min(t, until) + part * (1 - 0.5 * part / time))
            if known:
                place = nudge(pose, t * (pace + change * other), t * turning)
            else:
                place = nudge(pose, t * speed * other, np.zeros(3))
            found.append(coal.nearest(joints, [place])[0])
        return min(found)

    near = []
    for run in range(30):
        way = rng.normal(size=3) * (1, 1, 0.3)
        way /= np.linalg.norm(way)
        pace, turning = -way * rng.uniform(0.5, 0.8), rng.normal(size=3) * 0.3
        start, middle = so.pose(way * 0.9 + (0, rng.choice([0, 1]), 0.4)), rng.uniform(-0.2, 0.2, 6)
        good = None
        for k in range(80):
            now = k * PERIOD
            q, pose = middle + now * v, nudge(start, now * pace, now * turning)
            cycle = monitor.update(q, poses=pose[None], time=now + 10 * run, dq=v)
            if cycle.stopping is not None:
                break
            good = (q, pose, pace, turning) if cycle.safe else good
        if good is not None and cycle.stopping is not None:
            near += [nearest_of_a_stop(*good) for _ in range(4)]
    assert len(near) > 20 and min(near) > -COAL, min(near)
    assert min(near) < 0.04


def test_a_cart_that_meets_the_wall_is_not_the_robots_matter(tmp_path):
    cell = two_rails(
        tmp_path,
        cart=(so.Box((0.2, 0.2, 0.2)), so.pose((3, 0, 0)), True),
        other=(so.Box((0.2, 0.2, 0.2)), so.pose((3, 1, 0)), True),
        wall=(so.Box((0.1, 4, 1)), so.pose((4, 0, 0)), False),
    )
    stop = so.Stopping(deceleration=5.0, reaction=0.5, acceleration=0.0, bodies=0.1)
    monitor = so.Monitor(cell, buffer=0.0, period=PERIOD, stopping=stop)
    for k in range(80):
        poses = [so.pose((3 + k * PERIOD, 0, 0)), so.pose((3 + k * PERIOD, 0.25, 0))]
        cycle = monitor.update(np.zeros(6), poses=np.array(poses))
        assert cycle.stopping is None
        assert k == 0 or cycle.safe


# ------------------------------------------------------------------------------------------------


@pytest.fixture
def watched(tmp_path):
    cell = two_rails(tmp_path, cart=(so.Sphere(0.1), so.pose((3, 3, 3)), True))
    stop = so.Stopping(deceleration=5.0, reaction=0.02, bodies=1.0)
    return so.Monitor(cell, buffer=0.0, period=PERIOD, stopping=stop)


def kinds(cycle):
    return [(f.kind, f.element) for f in cycle.faults]


UNKNOWN = ("missing", "velocities")


@interpreted
def test_it_takes_two_readings_to_know_velocities(watched):
    assert kinds(watched.update(np.zeros(6), CART)) == [UNKNOWN]
    assert watched.update(np.zeros(6), CART).safe


@interpreted
def test_velocities_that_are_given_do_for_joints_and_not_for_bodies(watched):
    cycle = watched.update(np.zeros(6), CART, dq=np.zeros(6))
    assert kinds(cycle) == [UNKNOWN] and cycle.faults[0].value == "cart"
    assert watched.update(np.zeros(6), CART, dq=np.zeros(6)).safe
    watched.cell.remove_body("cart")
    assert watched.update(np.zeros(6), dq=dict.fromkeys(watched.cell.joints, 0.0)).safe


@interpreted
@pytest.mark.parametrize(
    "q, time, told",
    [
        (np.full(6, np.nan), None, "non-finite"),
        (None, None, "missing"),
        (np.zeros(5), None, "length"),
        (np.zeros(6), 0.5, "late"),
        (np.zeros(6), -5.0, "time"),
        (np.array([0.4, 0.8, 0, 0, 0, 0]), None, "jump"),
    ],
)
def test_after_doubt_velocities_are_unknown_until_two_readings_are_good(watched, q, time, told):
    timed = time is not None
    for k in range(3):
        watched.update(np.zeros(6), CART, time=k * PERIOD if timed else None)
    cycle = watched.update(q, CART, time=time)
    assert told in [f.kind for f in cycle.faults] and not cycle.safe
    rest = np.zeros(6) if q is None or len(q) != 6 or np.isnan(q).any() else q
    last = None if not timed else time
    cycles = [
        watched.update(rest, CART, time=None if last is None else last + (k + 1) * PERIOD)
        for k in range(3)
    ]
    assert not any(cycle.stopping for cycle in cycles)
    stale = told in ("non-finite", "missing", "length", "time")
    assert [cycle.safe for cycle in cycles] == [not stale, True, True]


@interpreted
@pytest.mark.parametrize(
    "dq, told",
    [
        (np.zeros(5), ("length", "dq")),
        ("fast", ("missing", "dq")),
        (np.full(6, np.nan), ("non-finite", "dq of a/x")),
        ({"a/x": 1.0}, ("missing", "dq of a/pitch")),
        ({**dict.fromkeys(["a/x", "a/pitch", "a/roll", "b/x", "b/pitch", "b/roll"], 0.0), "c": 1},
         ("unknown", "dq of c")),
        ({**dict.fromkeys(["a/x", "a/pitch", "a/roll", "b/x", "b/pitch"], 0.0), "b/roll": "no"},
         ("non-finite", "dq of b/roll")),
        (object(), ("missing", "dq")),
        (np.full(6, 1e200), UNKNOWN),
        (np.full(6, 1e308), UNKNOWN),
    ],
)  # fmt: skip
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_velocities_that_are_none_are_faults(watched, dq, told):
    watched.update(np.zeros(6), CART)
    cycle = watched.update(np.zeros(6), CART, dq=dq)
    assert told in kinds(cycle) and not cycle.safe
    assert watched.update(np.zeros(6), CART).safe


@interpreted
def test_a_joint_that_cannot_stop_before_its_end_stop_is_a_fault(tmp_path):
    cell = two_rails(tmp_path)
    for limits in (True, False):
        stop = so.Stopping(deceleration=5.0, reaction=0.0, acceleration=0.0, limits=limits)
        monitor = so.Monitor(cell, buffer=0.0, period=PERIOD, stopping=stop)
        q, v = np.zeros(6), np.zeros(6)
        q[0], v[0] = 0.38, 1.0
        assert monitor.update(q, dq=v).safe
        q[0] = 0.39
        assert monitor.update(q, dq=v).safe is not limits
        q[0] = 0.4
        cycle = monitor.update(q, dq=v)
        if limits:
            assert kinds(cycle) == [("limits", "a/x")] and not cycle.safe
            assert cycle.faults[0].value == pytest.approx(0.4 + 0.015 + 0.1, abs=1e-6)
            assert "up to 0.5" in str(cycle.faults[0])
        else:
            assert cycle.safe
        q[0] = 0.39
        assert monitor.update(q, dq=-v).safe
        monitor = so.Monitor(cell, buffer=0.0, period=PERIOD, stopping=stop)
        assert monitor.update(-q, dq=-v).safe is not limits


@interpreted
def test_a_proof_beyond_its_budget_is_a_warning(tmp_path):
    post = (so.Sphere(0.1), so.pose((0.35, 0.0, 0.75)), False)
    cell = two_rails(tmp_path, post=post)
    stop = so.Stopping(deceleration=5.0, reaction=0.1, acceleration=0.0, budget=1)
    monitor = so.Monitor(cell, buffer=0.0, period=PERIOD, stopping=stop)
    v = np.array([0.4, 0.3, 0.2, -0.1, 0.2, 0.3])
    cycle = monitor.update(np.zeros(6), dq=v)
    assert not cycle.safe and cycle.faults == ()
    told = cycle.stopping
    assert told.kind == "undecided" and math.isnan(told.distance) and told.a != told.b
    assert cycle.warnings[-1] is told and str(told) and repr(cycle)


@interpreted
def test_clearances_of_the_stop_and_thresholds_of_the_reading_are_two_things(tmp_path):
    post = (so.Sphere(0.1), so.pose((0.22, 0.0, 0.75)), False)
    cell = two_rails(tmp_path, post=post)
    rest = np.zeros(6)

    def at_rest(thresholds=None, **settings_):
        stop = so.Stopping(deceleration=5.0, reaction=0.02, acceleration=0.0, **settings_)
        monitor = so.Monitor(cell, buffer=0.0, thresholds=thresholds, stopping=stop)
        return monitor.update(rest, dq=rest)

    assert at_rest().safe
    cycle = at_rest(so.Thresholds(robot_scene=0.5))
    assert not cycle.safe and cycle.stopping is None
    cycle = at_rest(clearance=0.3)
    assert cycle.warnings == (cycle.stopping,) and cycle.stopping.threshold == 0.3
    cycle = at_rest(clearances={("post", "a/tip"): 0.3})
    assert (cycle.stopping.a, cycle.stopping.b) == ("a/tip", "post")
    assert cycle.stopping.threshold == 0.3
    assert at_rest(so.Thresholds(robot_scene=0.5), clearances={("post", "a/tip"): 0.3}).pairs[-1][
        :2
    ] == ("a/tip", "post")


@interpreted
def test_it_follows_the_cell(tmp_path):
    cell = two_rails(tmp_path)
    stop = so.Stopping(
        deceleration={"a": 5.0, "b": 4.0, "a/x": 3.0}, reaction=0.02, acceleration=0.0,
        bodies={"cart": 0.1, "default": 0.2}, clearances={("a/tip", "b/tip"): 0.01},
    )  # fmt: skip
    with pytest.raises(so.errors.UnknownNameError, match="cart"):
        so.Monitor(cell, stopping=stop)
    cell.add_body("cart", so.Sphere(0.1), CART[0], moving=True)
    monitor = so.Monitor(cell, buffer=0.0, period=PERIOD, stopping=stop)
    v = np.array([0.5, 0, 0, 0, 0, 0])

    def update(k, poses=CART):
        return monitor.update(k * PERIOD * v, poses if len(cell.moving) else None)

    assert [update(k).safe for k in range(3)] == [False, True, True]
    cell.add_body("post", so.Sphere(0.1), so.pose((0.6, 0.0, 0.5)))
    assert update(3).safe  # the joints go on from where they were
    cell.add_body("pole", so.Sphere(0.1), so.pose((0.21, 0.0, 0.2)))
    assert update(4).stopping.b == "pole"
    cell.remove_body("pole")
    cell.remove_body("cart")
    assert update(5).safe
    cell.add_body("cart", so.Sphere(0.1), CART[0], moving=True)
    assert kinds(update(6)) == [UNKNOWN]
    assert update(7).safe
    cell.remove_robot("b")
    v = v[:3]
    assert update(8).safe
    cell.add_robot(tmp_path / "rail.urdf", name="c", base=so.pose((0, 2.0, 0)))
    v = np.array([0.5, 0, 0, 0, 0, 0])
    cycle = monitor.update(9 * PERIOD * v[:3], CART)
    assert kinds(cycle) == [("cell", "cell")] and "c/x" in str(cycle.faults[0])
    cell.remove_robot("c")
    v = v[:3]
    assert update(10).safe


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_whatever_happens_it_answers_and_the_rest_is_as_without(seed):
    """Cells that change, input of every kind: the same warnings and faults, and the stop's after
    them; never an exception."""
    world = MonitorWorld(seed, faulty=True, changing=True, change=0.05)
    rng = np.random.default_rng(seed)
    stop = so.Stopping(
        deceleration=float(rng.uniform(1, 20)), reaction=float(rng.choice([0.0, 0.05])),
        bodies=None if seed % 2 else 0.5, synchronised=bool(seed % 3 == 0), budget=300,
    )  # fmt: skip
    plain, stopping = world.monitor(), world.monitor(stopping=stop)
    told = 0
    for step in world.steps(120):
        a, b = (m.update(step.q, step.poses, step.time) for m in (plain, stopping))
        assert a.stopping is None and b.faults[: len(a.faults)] == a.faults
        assert b.pairs[: len(a.pairs)] == a.pairs and a.clearance == b.clearance
        more = len(b.warnings) - len(a.warnings)
        assert more == (b.stopping is not None)
        assert b.safe == (a.safe and not more and len(b.faults) == len(a.faults))
        told += more
    assert isinstance(told, int)


@interpreted
def test_no_robot_and_no_body_is_nothing_to_stop():
    cell = so.Cell()
    cell.add_body("cart", so.Sphere(0.1), CART[0], moving=True)
    cell.add_body("wall", so.Box((1, 1, 1)), so.pose((3, 3, 3.5)))
    stop = so.Stopping(deceleration=1.0, reaction=0.1)
    monitor = so.Monitor(cell, buffer=0.0, stopping=stop)
    assert monitor.update([], CART).stopping is None


@pytest.mark.parametrize(
    "settings_, problem",
    [
        ({"deceleration": 0.0}, "stopping: deceleration"),
        ({"deceleration": "much"}, "stopping: deceleration"),
        ({"deceleration": math.inf}, "stopping: deceleration"),
        ({"deceleration": {"a": -1.0}}, "stopping: deceleration of a"),
        ({"reaction": -0.1}, "stopping: reaction"),
        ({"reaction": (0.2, 0.1)}, "stopping: reaction"),
        ({"reaction": (0.1,)}, "stopping: reaction"),
        ({"hardest": 1.0}, "stopping: hardest of a/x"),
        ({"hardest": math.nan}, "stopping: hardest"),
        ({"acceleration": -1.0}, "stopping: acceleration"),
        ({"velocity_error": None}, "stopping: velocity_error"),
        ({"deviation": [1.0]}, "stopping: deviation"),
        ({"bodies": -1.0}, "stopping: bodies"),
        ({"clearance": -0.1}, "stopping: clearance"),
        ({"clearances": {"post": 0.1}}, "stopping: clearances"),
        ({"clearances": 0.1}, "stopping: clearances"),
        ({"tolerance": 0.0}, "stopping: tolerance"),
        ({"synchronised": "yes"}, "stopping: synchronised"),
        ({"limits": None}, "stopping: limits"),
        ({"budget": 0}, "stopping: budget"),
        ({"deceleration": {"b": 1.0}}, "nothing is said of a joint"),
        ({"deceleration": {"default": 1.0, "c": 1.0}}, "unknown name 'c'"),
        ({"clearances": {("a/tip", "nobody"): 0.1}}, "unknown name 'nobody'"),
        ({"bodies": {"nobody": 1.0}}, "unknown name 'nobody'"),
    ],
)
def test_what_makes_no_sense_is_refused(tmp_path, settings_, problem):
    cell = two_rails(tmp_path)
    with pytest.raises(so.Error, match=problem):
        given_ = {"deceleration": 5.0, "reaction": 0.1, **settings_}
        so.Monitor(cell, stopping=so.Stopping(**given_))
    with pytest.raises(so.errors.MonitorError, match="stopping"):
        so.Monitor(cell, stopping=0.5)


def test_options_are_nobody_elses():
    limits = {"default": 5.0}
    stop = so.Stopping(deceleration=limits, reaction=0.1)
    limits["default"] = 0.1
    assert stop.deceleration == {"default": 5.0}
    with pytest.raises(TypeError):
        stop.deceleration["default"] = 1.0


def test_the_page_on_stopping_tells_what_happens():
    (code, printed) = re.findall(
        r"```(?:python)?\n(.*?)```", (DOCS / "stopping.md").read_text(), re.S
    )
    out, names = io.StringIO(), {}
    with contextlib.redirect_stdout(out):
        exec(code, names)
    assert out.getvalue() == printed
    assert names["cycle"].faults == () and names["step"] > 5


# ------------------------------------------------------------------------------------------------


def slide_before_wall(folder):
    """A slide whose limit is a millimetre before a wall that is not watched: proved apart."""
    path = folder / "slide.urdf"
    path.write_text(
        '<robot name="r"><link name="a"/><link name="b"><collision><geometry>'
        '<box size="0.2 0.2 0.2"/></geometry></collision></link><joint name="j" type="prismatic">'
        '<parent link="a"/><child link="b"/><axis xyz="1 0 0"/>'
        '<limit lower="-0.3" upper="0.7" velocity="2" effort="1"/></joint></robot>'
    )
    cell = so.Cell()
    cell.add_robot(path, name="r")
    cell.add_body("wall", so.Box((0.1, 2, 2)), so.pose((0.7 + 0.15 + 1e-3, 0, 0)))
    cell.prove_apart().allow(cell)
    assert cell.pairs.count() == 0
    return cell


@interpreted
@pytest.mark.parametrize("synchronised", [True, False])
@pytest.mark.parametrize(
    ("gain", "error", "deviation"), [(10.0, 0.0, 0.0), (0.0, 1.0, 0.0), (2.0, 0.1, 0.002)]
)
@pytest.mark.parametrize("speed", [0.5, 0.02])
def test_no_permitted_stop_leaves_the_limits_of_a_proof(
    tmp_path, gain, error, deviation, synchronised, speed
):
    """Beyond them is a wall that nobody watches: the farthest stand counts, not the nominal one."""
    cell = slide_before_wall(tmp_path)
    stop = so.Stopping(
        deceleration=5.0, reaction=0.03, acceleration=gain, velocity_error=error,
        deviation=deviation, limits=False, synchronised=synchronised,
    )  # fmt: skip
    monitor = so.Monitor(cell, buffer=0.0, period=PERIOD, stopping=stop)
    farthest = -math.inf
    for q in np.arange(0.2, 0.75, speed * PERIOD):
        cycle = monitor.update(np.array([q]), dq=np.array([speed]))
        if cycle.safe:
            ride = Ride(q, speed + error)
            ride.add(0.03 + LATE_PERIODS * PERIOD, gain)
            ride.add(ride.velocity / 5.0, -5.0)
            farthest = max(farthest, ride.at(ride.times[-1]) + deviation)
        elif q < 0.7:
            assert ("limits", "r/j") in kinds(cycle)
    assert farthest <= 0.7 + 2.0 * ENCODER_TOLERANCE
    assert farthest > 0.7 - 2.0 * speed * PERIOD


@interpreted
@LAWS
@given(SEEDS)
def test_the_farthest_stand_is_beyond_every_stop(rail, seed):
    rng = np.random.default_rng(seed)
    its = random_model(rng, 3, bool(rng.integers(2)))
    check = new_check(rail, its)
    q, v = rng.uniform(-0.3, 0.3, 3), rng.normal(size=3) * rng.choice([0.0, 0.5, 2.0], 3)
    rides = [Ride(x, y + rng.choice([-1, 1]) * e) for x, y, e in zip(q, v, its.velocity_error)]
    until = its.reaction + its.wait
    for ride, gain in zip(rides, its.gain):
        ride.add(until, float(rng.choice([-1, 1])) * gain)
    speeds = np.array([ride.velocity for ride in rides])
    time = np.abs(speeds) / its.least
    if its.synchronised:
        time[:] = time.max()
    for ride, speed, length in zip(rides, speeds, time):
        if length > 0.0:
            ride.add(length, -speed / length)
        ride.stop()
    check.free(q, NO_POSES, 0.01, v)
    t = np.linspace(0.0, until + time.max(), 60)
    truth = np.stack([ride.at(t) for ride in rides], axis=1)
    assert (truth.max(axis=0) + its.deviation <= check._stops.joints.highest + 1e-12).all()
    assert (truth.min(axis=0) - its.deviation >= check._stops.joints.lowest - 1e-12).all()


# ------------------------------------------------------------------------------------------------


@interpreted
@pytest.mark.parametrize("wrong", ["zeros", "backwards", "degrees", "stuck"])
def test_velocities_that_contradict_the_positions_are_a_fault(tmp_path, wrong):
    """A driver that tells zeros: the slide goes on at 0.5 m/s into a wall that is watched."""
    cell = slide_before_wall(tmp_path)
    cell.forbid("r/b", "wall")
    stop = so.Stopping(deceleration=2.0, reaction=0.02, acceleration=1.0)
    monitor = so.Monitor(cell, buffer=0.0, period=PERIOD, stopping=stop)
    speed = 0.5 if wrong != "stuck" else 0.0
    told = {"zeros": 0.0, "backwards": -0.5, "degrees": 0.5 * 57.3, "stuck": 0.4}[wrong]
    free_until = None
    for k, q in enumerate(0.2 + speed * PERIOD * np.arange(100)):
        cycle = monitor.update(np.array([q]), dq=np.array([told]))
        if k > 0:
            assert ("velocity", "r/j") in kinds(cycle)
            assert "r/j" in str(cycle.faults[0])
        if cycle.stopping is None:
            free_until = q
        if q > 0.7:
            break
    # The larger speed counts: from the last reading without a warning, a stop at 0.5 m/s is free.
    if wrong in ("zeros", "backwards"):
        assert free_until + 0.5 * (0.02 + LATE_PERIODS * PERIOD) + 0.5**2 / 4.0 <= 0.701


@interpreted
def test_velocities_of_a_real_driver_are_no_fault(tmp_path):
    """Encoder steps, a clock that jitters, acceleration, an error of the velocity."""
    cell = slide_before_wall(tmp_path)
    rng = np.random.default_rng(0)
    stop = so.Stopping(deceleration=5.0, reaction=0.02, velocity_error=0.01, limits=False)
    for period in (0.001, 0.01):
        monitor = so.Monitor(cell, buffer=0.0, period=period, stopping=stop)
        for k in range(300):
            t = k * period
            q, v = 0.3 * math.sin(2.0 * t), 0.6 * math.cos(2.0 * t) + rng.uniform(-0.01, 0.01)
            q = ENCODER_TOLERANCE * round(q / ENCODER_TOLERANCE)
            stamp = t + 0.1 * period * rng.uniform(-1, 1)
            cycle = monitor.update(np.array([q]), time=stamp, dq=np.array([v]))
            assert "velocity" not in [f.kind for f in cycle.faults]


@interpreted
@pytest.mark.parametrize("told", [0.0, 0.5, 0.8])
@pytest.mark.parametrize("gain", [0.0, 1.0, 5.0])
def test_a_velocity_too_low_that_is_no_fault_yet_proves_no_stop_from_the_true_one(
    tmp_path, told, gain
):
    """The velocity from the positions is part of the proof, and where the two contradict each
    other all that acceleration can add to it."""
    cell = slide_before_wall(tmp_path)
    cell.forbid("r/b", "wall")
    stop = so.Stopping(deceleration=5.0, reaction=0.02, acceleration=gain, limits=False)
    until, believed, doubted = 0.02 + LATE_PERIODS * PERIOD, 0, 0
    for v in (0.01, 0.04, 0.08, 0.2, 0.6):
        unexplained = (1.0 - told) * v > 0.5 * gain * PERIOD
        true = v + 0.5 * gain * PERIOD * unexplained
        fast = true + gain * until
        way = true * until + 0.5 * gain * until**2 + 0.5 * fast**2 / 5.0
        monitor = so.Monitor(cell, buffer=0.0, period=PERIOD, stopping=stop)
        q = 0.701 - way + 1e-5  # at 0.701 it touches the wall
        for x in (q - v * PERIOD, q):
            cycle = monitor.update(np.array([x]), dq=np.array([told * v]))
        believed += cycle.faults == ()
        doubted += cycle.stopping is not None
    assert believed > 0 and doubted == 5


@interpreted
def test_only_the_joint_whose_velocity_contradicts_its_positions_is_named(rail):
    check = new_check(rail, model(3))
    v = np.array([0.5, 0.4, 0.3])
    check.free(np.zeros(3), NO_POSES, 0.01)
    check.free(0.01 * v, NO_POSES, 0.01, v * [0.0, 0.9, 1.0])
    ((name, told, off),) = check.contradictions
    assert (name, told) == ("rail/x", 0.0) and off == pytest.approx(0.5)


@interpreted
@pytest.mark.parametrize("side", [-1.0, 1.0])
def test_a_stop_that_the_end_stop_ends_within_its_tolerance_is_part_of_the_proof(rail, side):
    """Proved was where the joint would stand, a hair beyond its limit; it stands at the limit."""
    its = model(3, reaction=0.1, wait=0.01)
    limit = (rail.tree.upper if side > 0 else rail.tree.lower)[0]
    for beyond in (0.1, 0.5, 0.99):
        check = new_check(rail, its)
        v = side * beyond * ENCODER_TOLERANCE / 0.11
        check.free(np.array([limit, 0.0, 0.0]), NO_POSES, 0.01, np.array([v, 0.3, 0.0]))
        assert check.known and not check.overruns
        middle, off = laid_out(check, np.linspace(0.0, check._stops.times[-1], 50))
        assert (np.abs(limit - middle[:, 0]) <= off[:, 0]).all()
