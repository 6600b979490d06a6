"""Corners of the watch that random streams reach too seldom."""

import math

import numpy as np
import pytest

import standoff as so
from standoff.streams.batch import gathered
from standoff.streams.engine import WatchEngine
from standoff.streams.history import Episodes
from standoff.streams.messages import BodyPose, Grasp, Joints, Trouble
from standoff.streams.options import WatchOptions
from standoff.streams.publishers import Clock
from standoff.streams.report import State
from standoff.streams.scale import Ramp, SpeedScale
from tests.worlds.stream_reports import cycle, hit
from tests.worlds.watch_worlds import at, kinds, sliders

SAFE, WARNING, STALE, FAULT = State
OPTIONS = WatchOptions(period=0.01, max_age=0.1)


def checked(pace, seconds=3000):
    """What a clock that gains so much says of a message each second."""
    clock = Clock(0, frozenset({0}), 0.1, 0.1)
    return {clock.check(1.0 + k, (1.0 + k) * (1.0 + pace))[0] for k in range(seconds)}


def test_clocks_drift_apart_and_no_further():
    assert checked(-1.5e-4) == {""} == checked(1.5e-4)
    assert checked(-3e-4) == {"", "late"}


@pytest.mark.parametrize("step", [1e-5, 5e-4, 0.5])
def test_a_stamp_that_runs_back_by_however_little(step):
    clock = Clock(0, frozenset({0}), 0.1, 0.1)
    assert [clock.check(1.0, 1.0)[0], clock.check(1.01, 1.0 - step)[0]] == ["", "backwards"]


def test_all_joints_that_are_left_out_are_named():
    watch = WatchEngine(sliders("a", "b", "c"), OPTIONS)
    watch.cycle(1.0, ((0, at(1.0, a=0.0, b=0.0, c=0.0)),))
    report = watch.cycle(1.01, ((0, at(1.01, a=0.0)),))
    assert [(r.kind, r.element) for r in report.reasons] == [("missing", "b/x"), ("missing", "c/x")]


def test_a_joint_that_is_no_number_for_long_is_missing():
    watch = WatchEngine(sliders("a", "b"), OPTIONS)
    watch.cycle(1.0, ((0, at(1.0, a=0.0, b=0.0)),))
    for k in range(1, 15):
        now = 1.0 + 0.01 * k
        report = watch.cycle(now, ((0, at(now, a=0.0, b=math.nan)),))
        assert ("missing" in kinds(report)) == (k >= 10)


def test_a_second_pose_at_one_time_is_not_used():
    cell = sliders("a")
    cell.add_body("cart", so.Sphere(0.1), so.pose((-3.0, 0.0, 0.0)), moving=True)
    watch = WatchEngine(cell, OPTIONS, ["arm", "one", "two"])
    first, second = (BodyPose(math.nan, "cart", so.pose((x, 0.0, 0.0))) for x in (-3.0, -3.001))
    report = watch.cycle(1.0, ((0, at(1.0, a=0.0)), (1, first), (2, second)))
    assert kinds(report) == {"doubled"} and report.poses[0][0, 3] == -3.0


def test_a_jump_of_what_is_carried_ends_with_good_readings_of_who_carries_it():
    cell = sliders("a")
    cell.add_body("box", so.Sphere(0.05), so.pose((-1.0, 0.0, 0.3)), moving=True)
    watch = WatchEngine(cell, OPTIONS)
    box = BodyPose(math.nan, "box", so.pose((-1.0, 0.0, 0.3)))
    watch.cycle(1.0, ((0, at(1.0, a=-1.0)), (0, box)))
    assert (
        watch.cycle(1.01, ((0, at(1.01, a=-1.0)), (0, Grasp(1.01, "box", "a/hand")))).state is SAFE
    )
    report = watch.cycle(1.02, ((0, at(1.02, a=0.0)),))
    assert {("jump", "box")} <= {(r.kind, r.element) for r in report.reasons}
    for k in range(20):
        report = watch.cycle(1.03 + 0.01 * k, ((0, at(1.03 + 0.01 * k, a=0.0)),))
    assert report.state is SAFE


def test_a_good_message_beside_a_bad_one_of_its_source_ends_no_fault():
    watch = WatchEngine(sliders("a"), OPTIONS)
    watch.cycle(1.0, ((0, Trouble("garbled", "x")),))
    for k in range(1, 9):
        now = 1.0 + 0.01 * k
        report = watch.cycle(now, ((0, at(now, a=0.0)), (0, Trouble("flood", "x"))))
        assert kinds(report) == {"garbled", "flood"}


def test_one_trouble_of_two_publishers_ends_when_both_are_well():
    watch = WatchEngine(sliders("a", "b"), OPTIONS)
    watch.cycle(1.0, ((0, at(1.0, a=0.0)), (0, at(1.0, b=0.0))))
    assert kinds(watch.cycle(1.01, ((0, at(1.0, a=0.0)), (0, at(1.0, b=0.0))))) == {"doubled"}
    for k in range(2, 8):
        report = watch.cycle(1.0 + 0.01 * k, ((0, at(1.0 + 0.01 * k, b=0.0)),))
        assert report.state is FAULT
    for k in range(8, 11):
        now = 1.0 + 0.01 * k
        report = watch.cycle(now, ((0, at(now, a=0.0)), (0, at(now, b=0.0))))
    assert report.state is SAFE


def test_a_clock_that_ran_back_leaves_nobody_more_time():
    cell = sliders("a", "b")
    cell.add_body("cart", so.Sphere(0.1), so.pose((-3.0, 0.0, 0.0)), moving=True)
    watch = WatchEngine(cell, OPTIONS, ["a", "b", "cart"])
    cart = BodyPose(math.nan, "cart", so.pose((-3.0, 0.0, 0.0)))
    watch.cycle(50.0, ((0, at(0.0, a=0.0)), (1, at(0.0, b=0.0)), (2, cart)))
    for k in range(30):
        report = watch.cycle(1.0 + 0.01 * k, ((0, at(0.0, a=0.0)),))
        silent = {r.element for r in report.reasons if r.kind == "silent"}
        assert silent == ({"b", "cart"} if k >= 10 else set()), k
        assert min(report.ages.values()) >= 0.0


def test_what_a_pair_was_before_a_fault_does_not_count():
    scale = SpeedScale(Ramp(0.01, 0.1), Ramp(0.0, 0.02), hysteresis=0.005)
    near, far = hit(0.02, 0, 1, closing=0.1), hit(0.05, 0, 1, closing=-0.1)
    assert scale.update(WARNING, cycle(near)) < 0.2
    assert scale.update(WARNING, cycle(far)) == 1.0  # it has parted
    assert scale.update(WARNING, cycle(near)) < 0.2
    assert scale.update(FAULT, cycle(near)) == 0.0
    assert scale.update(WARNING, cycle(far)) < 0.6  # from where is not known any more


def test_an_unknown_distance_is_the_worst_and_kept():
    episodes = Episodes(most=2, most_keys=9)
    for k, value in enumerate([math.nan, 0.3, 0.2, 0.1]):
        episodes.take(float(k), [(k, value, 0.0)])
    episodes.finish()
    first, second = episodes.worst()
    assert math.isnan(first.value) and second.value == 0.1


def test_a_reading_that_leaves_joints_out_is_not_quiet_among_many():
    watch = WatchEngine(sliders("a", "b"), OPTIONS)
    whole, short = ("a/x", "b/x"), ("a/x",)
    watch.cycle(1.0, ((0, Joints(1.0, short, np.zeros(1))),))
    for k in range(1, 6):
        watch.cycle(1.0 + 0.01 * k, ((0, Joints(1.0 + 0.01 * k, whole, np.zeros(2))),))
    assert watch.quiet
    rows = [(1.06 + 0.01 * k, 0, Joints(1.06 + 0.01 * k, short, np.zeros(1))) for k in range(5)]
    stretch, report = watch.stretch(gathered(rows))
    assert len(stretch) == 0 and report is None


def many(watch, start, stamps):
    rows = [(start + 0.01 * k, 0, at(stamp, a=0.0)) for k, stamp in enumerate(stamps)]
    return len(watch.stretch(gathered(rows))[0])


def test_a_late_reading_is_not_quiet_among_many():
    watch = WatchEngine(sliders("a"), OPTIONS)
    watch.cycle(1.0, ((0, at(1.0, a=0.0)),))
    # Each is newer than the one before; the third is 0.13 s old.
    assert many(watch, 1.14, [1.14, 1.15]) == 0  # silent before
    for k in range(4):
        watch.cycle(2.0 + 0.01 * k, ((0, at(1.9 + 0.01 * k, a=0.0)),))
    watch.cycle(2.04, ((0, at(2.04, a=0.0)),))
    assert watch.quiet
    old = [2.041, 2.042, 2.043, 2.044, 2.045, 2.046, 2.047, 2.048, 2.049, 2.0491, 2.0492, 2.0493]
    assert many(watch, 2.05, old) == 10


def test_a_warning_at_full_speed_is_not_quiet():
    options = WatchOptions(period=0.01, max_age=0.1, stop=0.001, slow=0.01)
    watch = WatchEngine(sliders("a"), options)
    for k in range(5):
        report = watch.cycle(1.0 + 0.01 * k, ((0, at(1.0 + 0.01 * k, a=1.88)),))
    assert report.state is WARNING and report.scale == 1.0 and not watch.quiet


def test_a_pose_that_is_none_is_given_to_nobody_later():
    cell = sliders("a")
    cell.add_body("cart", so.Sphere(0.1), so.pose((-3.0, 0.0, 0.0)), moving=True)
    watch, here = WatchEngine(cell, OPTIONS), so.pose((-3.0, 0.0, 0.0))
    watch.cycle(1.0, ((0, at(1.0, a=0.0)), (0, BodyPose(1.0, "cart", here))))
    bad = BodyPose(1.01, "cart", np.full((4, 4), math.nan))
    assert watch.cycle(1.01, ((0, at(1.01, a=0.0)), (0, bad))).state is FAULT
    assert np.array_equal(watch.cycle(1.02, ((0, at(1.02, a=0.0)),)).poses[0], here)
