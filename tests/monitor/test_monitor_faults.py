"""Bad input: each kind is a fault of its own, none is an exception, and none leaves a trace."""

import math
from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

import standoff as so
from tests.oracles.monitor_answers import exact
from tests.worlds.monitor_worlds import PERIOD, MonitorWorld, write_rail

pytestmark = pytest.mark.interpreted

#: Without the compiler numpy warns of what overflows; compiled, it is infinite without a word.
overflowing = pytest.mark.filterwarnings("ignore::RuntimeWarning")

Q = np.array([0.1, 0.2, 0.3])


@pytest.fixture
def cell(tmp_path):
    cell = so.Cell()
    cell.add_robot(write_rail(tmp_path), name="rail")
    cell.add_body("cart", so.Sphere(0.1), so.pose((0, 0.4, 0.3)), moving=True)
    cell.add_body("crate", so.Box((0.1, 0.1, 0.1)), so.pose((0, -0.3, 0.3)), moving=True)
    cell.add_body("post", so.Sphere(0.1), so.pose((0.15, 0.4, 0.3)))
    return cell


def places():
    return np.array([so.pose((0, 0.4, 0.3)), so.pose((0, -0.3, 0.3))])


def kinds(cycle):
    return [(f.kind, f.element) for f in cycle.faults]


def changed(array, at, value):
    array = array.copy()
    array[at] = value
    return array


NAN_POSES = changed(places(), (1, 0, 3), math.nan)
STRETCHED = changed(places(), (0, 0, 0), 1.5)
MIRRORED = changed(places(), (0, 0, 0), -1.0)
BY_NAME = {"rail/x": 0.1, "rail/pitch": 0.2, "rail/roll": 0.3}
BODIES = dict(zip(("cart", "crate"), places()))

FAULTS = {
    "a joint is NaN": (changed(Q, 1, math.nan), places(), ("non-finite", "rail/pitch")),
    "a joint is infinite": (changed(Q, 0, math.inf), places(), ("non-finite", "rail/x")),
    "too few joints": (Q[:2], places(), ("length", "q")),
    "too many joints": (np.append(Q, 0.0), places(), ("length", "q")),
    "joints in rows": (Q[None], places(), ("length", "q")),
    "no joints": (None, places(), ("missing", "q")),
    "text for joints": ("abc", places(), ("missing", "q")),
    "numbers as text": (["0.1", "0.2", "0.3"], places(), ("missing", "q")),
    "complex joints": (Q + 0j, places(), ("missing", "q")),
    "joints of yes and no": (Q > 0.15, places(), ("missing", "q")),
    "a joint is missing": (dict(list(BY_NAME.items())[1:]), places(), ("missing", "rail/x")),
    "a joint is unknown": ({**BY_NAME, "rail/y": 1.0}, places(), ("unknown", "rail/y")),
    "a joint is text": ({**BY_NAME, "rail/x": "0.1"}, places(), ("non-finite", "rail/x")),
    "a joint is a list": ({**BY_NAME, "rail/x": [0.1]}, places(), ("non-finite", "rail/x")),
    "a joint is huge": ({**BY_NAME, "rail/x": 10**400}, places(), ("non-finite", "rail/x")),
    "a joint is None": ({**BY_NAME, "rail/x": None}, places(), ("non-finite", "rail/x")),
    "below its limit": (changed(Q, 0, -0.6), places(), ("limits", "rail/x")),
    "above its limit": (changed(Q, 1, 2.6), places(), ("limits", "rail/pitch")),
    "no poses": (Q, None, ("missing", "cart")),
    "a pose is missing": (Q, {"cart": places()[0]}, ("missing", "crate")),
    "a body is unknown": (Q, {**BODIES, "cat": np.eye(4)}, ("unknown", "cat")),
    "a body has a number for a name": (Q, {**BODIES, 7: np.eye(4)}, ("unknown", "7")),
    "too few poses": (Q, places()[:1], ("length", "poses")),
    "poses of 12 numbers": (Q, places()[:, :3], ("length", "poses")),
    "text for poses": (Q, "abc", ("pose", "poses")),
    "ragged poses": (Q, [[1.0], [1.0, 2.0]], ("pose", "poses")),
    "a pose is NaN": (Q, NAN_POSES, ("pose", "crate")),
    "a pose is stretched": (Q, STRETCHED, ("pose", "cart")),
    "a pose is mirrored": (Q, MIRRORED, ("pose", "cart")),
    "a pose is None": (Q, {**BODIES, "cart": None}, ("pose", "cart")),
    "a pose is text": (Q, {**BODIES, "cart": "abc"}, ("pose", "cart")),
    "a pose is too far off": (Q, changed(places(), (0, 1, 3), 1e12), ("pose", "cart")),
    "a body jumped": (Q, changed(places(), (1, 1, 3), -0.9), ("jump", "crate")),
}


def runs(cell, **how):
    return [
        so.Monitor(cell, 0.1, index=index, **how) for index in ("naive", "octree", "grid", "region")
    ]


@pytest.mark.parametrize("what", FAULTS)
def test_each_fault_is_named_and_leaves_no_trace(cell, what):
    q, poses, expected = FAULTS[what]
    for monitor in runs(cell):
        for _ in range(2):
            good = monitor.update(Q, places())
        assert good.faults == () and ("cart", "post") in [(w.a, w.b) for w in good.warnings]
        cycle = monitor.update(q, poses)
        assert expected in kinds(cycle) and not cycle.safe
        assert ("cart", "post") in [(w.a, w.b) for w in cycle.warnings]
        for _ in range(2):
            after = monitor.update(Q, places())
        assert exact(after) == exact(good)


def test_a_jump_is_flagged_and_still_answered_right(cell):
    for monitor in runs(cell):
        monitor.update(Q, places())
        there = places()
        there[1, :3, 3] = 0.15, 0.4, 0.55  # above the post
        cycle = monitor.update(Q, there)
        assert kinds(cycle) == [("jump", "crate")]
        fresh = so.Monitor(cell, 0.1, index="naive").update(Q, there)
        assert [(w.a, w.b, w.distance) for w in cycle.warnings] == [
            (w.a, w.b, w.distance) for w in fresh.warnings
        ]
        assert ("crate", "post") in [(w.a, w.b) for w in cycle.warnings]


def test_turning_faster_than_can_be_is_a_jump_too(cell):
    monitor = so.Monitor(cell, max_speed=1.0)
    monitor.update(Q, places())
    turned = places()
    turned[1] = so.pose((0, -0.3, 0.3), rpy=(0, 0, 0.5))
    assert kinds(monitor.update(Q, turned)) == [("jump", "crate")]


def test_times(cell):
    for monitor in runs(cell):
        say = lambda time: [f.kind for f in monitor.update(Q, places(), time).faults]  # noqa: B023, E731
        assert say(1.0) == [] and say(1.01) == []
        assert say(1.01) == ["time"] and say(0.5) == ["time"]
        assert say(0.51) == []  # the clock is believed again, wherever it stands
        assert say(1.0) == ["late"] and say(1.01) == []
        assert say(math.nan) == ["time"] and say(1.03) == []  # one reading had no time
        assert say(1.06) == ["late"] and say(1.08) == ["late"]
        assert say(math.nan) == ["time"] and say("late") == ["time"] and say(1.11) == []
        assert say(1e9) == ["late"] and say(1.12) == ["time"] and say(1.13) == []


def test_faults_of_all_kinds_at_once(cell):
    for monitor in runs(cell):
        monitor.update(Q, places(), 0.0)
        q = {"rail/x": 0.7, "rail/pitch": math.nan, "nobody": 1.0}
        poses = {"cart": np.zeros((4, 4)), "cat": 1}
        cycle = monitor.update(q, poses, -1.0)
        assert set(kinds(cycle)) == {
            ("limits", "rail/x"), ("non-finite", "rail/pitch"), ("unknown", "nobody"),
            ("missing", "rail/roll"), ("pose", "cart"), ("unknown", "cat"), ("missing", "crate"),
            ("time", "time"), *((k, e) for k, e in kinds(cycle) if k == "jump"),
        }  # fmt: skip
        assert ("cart", "post") in [(w.a, w.b) for w in cycle.warnings]
        for fault in cycle.faults:
            assert fault.element in str(fault) and fault.allowed


class Angry:
    def __array__(self, *_, **__):
        raise RuntimeError("no")

    def __float__(self):
        raise ZeroDivisionError

    def __repr__(self):
        raise RecursionError

    def __eq__(self, other):
        raise OSError

    __hash__ = None


class AngryMapping(Mapping):
    def __getitem__(self, key):
        raise LookupError(key)

    def __iter__(self):
        raise KeyboardInterrupt if False else ArithmeticError

    def __len__(self):
        return 3


GARBAGE = [
    None, "", "abc", b"abc", 0, 1, -1.5, True, 1j, math.nan, math.inf, 10**400, [], (), {}, set(),
    [None] * 3, ["a"] * 3, [[1, 2], [3]], [1j, 2, 3], [10**400] * 3, [True] * 3, np.zeros(0),
    np.zeros((3, 3)), np.zeros(3, dtype=complex), np.array(["a", "b", "c"]), np.zeros(3, dtype=int),
    np.zeros(3, dtype=np.float32), np.zeros(3, dtype=">f8"), np.zeros(6)[::2], np.full(3, np.nan),
    np.full(3, 1e308), np.full(3, -1e200), np.array([object()] * 3), np.zeros((2, 4, 4)),
    np.full((2, 4, 4), 1e308), np.zeros((2, 4, 4), dtype="M8[s]"), np.ma.masked_all(3),
    np.array(None), Angry(), [Angry()] * 3, AngryMapping(), object(), lambda: 1, range(3),
    {"rail/x": Angry()}, {Ellipsis: 1}, {("a", "b"): 2}, {None: None}, {"cart": Angry()},
    {"cart": [[10**400] * 4] * 4}, {"cart": 1j * np.eye(4)}, {"cart": np.full((4, 4), np.inf)},
    {"cart": "abc", "crate": []}, {1.5: 2}, Decimal("0.1"), Fraction(1, 3), [Fraction(1, 3)] * 3,
    iter([1, 2, 3]), (x for x in ()), memoryview(b"abc"), bytearray(3), Ellipsis, NotImplemented,
    type, np, [[[1.0]]], np.float32(3), np.datetime64("2020-01-01"), 1e400, -(10**30),
]  # fmt: skip


@overflowing
def test_no_garbage_is_an_exception(cell):
    """Everything in every place, and all places at once; a good reading afterwards is answered as
    if nothing had been."""
    rng = np.random.default_rng(1)
    expected = so.Monitor(cell, 0.1, index="naive")
    for _ in range(2):
        good = expected.update(Q, places())
    monitor = so.Monitor(cell, 0.1)
    monitor.update(Q, places())
    tries = [(g, places(), None) for g in GARBAGE] + [(Q, g, None) for g in GARBAGE]
    tries += [(Q, places(), g) for g in GARBAGE]
    pick = lambda: GARBAGE[int(rng.integers(len(GARBAGE)))]  # noqa: E731
    tries += [(pick(), pick(), pick()) for _ in range(200)]
    for q, poses, time in tries:
        cycle = monitor.update(q, poses, time)
        assert cycle.safe == (not cycle.warnings and not cycle.faults)
        tuple(map(str, cycle.faults)), tuple(map(str, cycle.warnings)), repr(cycle)
    for _ in range(3):
        after = monitor.update(Q, places())
    assert exact(after) == exact(good)


@overflowing
@pytest.mark.parametrize("huge", [1e9, 1e100, 1e200, 1e308])
def test_huge_joints_are_faults_and_do_not_stay(cell, huge):
    for monitor in runs(cell):
        for _ in range(2):
            good = monitor.update(Q, places())
        for sign in (1.0, -1.0):
            cycle = monitor.update(np.array([sign * huge, huge, -huge]), places())
            assert "limits" in [f.kind for f in cycle.faults]
        for _ in range(3):
            after = monitor.update(Q, places())
        assert exact(after) == exact(good)


def test_lists_tuples_and_names_are_as_good_as_arrays(cell):
    monitors = [so.Monitor(cell, 0.1) for _ in range(5)]
    given = [
        (Q, places()),
        (Q.tolist(), places().tolist()),
        (tuple(Q), dict(zip(cell.moving, places()))),
        (dict(zip(cell.joints, Q)), list(places())),
        (np.array(Q, dtype=">f8"), np.asfortranarray(places())),
    ]
    answers = [exact(monitor.update(*g)) for monitor, g in zip(monitors, given)]
    assert all(answer == answers[0] for answer in answers) and answers[0][1] == ()


@pytest.mark.parametrize("seed", range(4))
def test_after_bad_readings_the_answer_is_that_of_a_fresh_monitor(seed):
    """But for speeds, which it cannot know: buffers here are fixed."""
    world = MonitorWorld(seed, robots=False, changing=False, kinds=3, movers=4, statics=6)
    world.options["buffer"] = 0.05
    monitor = world.monitor()
    for step in world.steps(60):
        cycle = monitor.update(step.q, step.poses, step.time)
        if cycle.faults:
            continue
        fresh = world.monitor(index="naive").update(step.q, step.poses)
        assert [(w.a, w.b, w.distance, w.threshold) for w in cycle.warnings] == [
            (w.a, w.b, w.distance, w.threshold) for w in fresh.warnings
        ]
        assert cycle.clearance == fresh.clearance


def test_a_pose_a_little_off_is_tidied_up_or_a_fault_and_never_silence(cell):
    """Whatever the kernel does not take as it is must come out of the border as one it takes."""
    rng = np.random.default_rng(2)
    monitor = so.Monitor(cell, 0.1)
    monitor.update(Q, places())
    for exponent in np.repeat(np.arange(-17, -4), 12):
        poses = places()
        q = rng.normal(size=4)
        poses[0] = so.pose((0, 0.4, 0.3), q / np.linalg.norm(q))
        poses[0, :3, :3] += rng.normal(size=(3, 3)) * 10.0**exponent
        poses[0, 3, :] += rng.normal(size=4) * (10.0**exponent if rng.random() < 0.3 else 0.0)
        cycle = monitor.update(Q, poses)
        assert {f.kind for f in cycle.faults} <= {"pose"}
        assert ("cart", "post") in [(w.a, w.b) for w in cycle.warnings]


def test_out_of_limits_is_told_each_time_and_does_not_hide_warnings(cell):
    monitor = so.Monitor(cell, 0.1)
    for _ in range(3):
        cycle = monitor.update(changed(Q, 0, 0.55), places())
        assert ("limits", "rail/x") in kinds(cycle)
        fault = next(f for f in cycle.faults if f.kind == "limits")
        assert fault.value == 0.55 and fault.allowed == "-0.5 to 0.5"
        assert cycle.warnings


def test_the_period_is_what_late_is_measured_by(cell):
    monitor = so.Monitor(cell, period=0.1)
    for k, time in enumerate((0.0, 0.1, 0.249, 0.35)):
        assert kinds(monitor.update(Q, places(), time)) == [], k
    assert kinds(monitor.update(Q, places(), 0.51)) == [("late", "time")]
    assert PERIOD == 0.01


def test_a_mimic_joint_by_name_was_unknown():
    """Messages of a Panda have both fingers, and the second one follows the first."""
    cell = so.Cell()
    cell.add_robot("builtin:panda")
    monitor = so.Monitor(cell, 0.0, stopping=so.Stopping(deceleration=5.0, reaction=0.0))
    second = "panda/panda_finger_joint2"
    q = dict(zip(cell.joints, [0.0, 0.0, 0.0, -1.57, 0.0, 1.57, 0.0, 0.02]))
    dq = dict.fromkeys(cell.joints, 0.0)
    for _ in range(2):
        cycle = monitor.update({**q, second: 0.02}, dq={**dq, second: 0.0})
    assert cycle.faults == ()
    assert monitor.update({**q, "panda/panda_finger_joint3": 0.02}).faults[0].kind == "unknown"
