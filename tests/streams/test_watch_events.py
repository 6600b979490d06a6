"""Bodies that streams move, take and let go are where the streams say, or it is a fault."""

import math

import pytest

import standoff as so
from standoff.streams.messages import Trouble
from standoff.streams.options import WatchOptions
from standoff.streams.report import State
from tests.worlds.watch_player import Player, grasp, pose, reading, with_box
from tests.worlds.watch_worlds import at, kinds, only_safe, sliders

SAFE, WARNING, STALE, FAULT = State


def drive(play, x, to):
    """The first hand position at which it is not SAFE, or where it ended."""
    while x < to:
        x += 0.015
        if play(reading(x)).state is not SAFE:
            return x
    return x


def test_what_is_attached_before_the_first_reading_is_where_the_stream_has_it():
    play = with_box()
    play(pose(-1.9))
    play(grasp())
    report = None
    for _ in range(5):
        report = play(reading(-2.0))
    assert report.state is SAFE
    assert play.cell.pose("box", play.engine.received.q)[0, 3] == pytest.approx(-1.9)
    # The box is ahead by 0.1 m, and has a buffer of 0.03 m: 1.95 - 0.15 - 0.03.
    assert drive(play, -2.0, 1.8) == pytest.approx(1.77, abs=0.016)


def test_what_is_attached_waits_for_another_body():
    play = with_box(x=-4.0)
    play.cell.add_body("cart", so.Sphere(0.1), so.pose((0.0, -4.0, 0.0)), moving=True)
    for _ in range(5):
        play(reading(0.29), pose(0.4))
    play(grasp())
    for _ in range(5):
        report = play(reading(0.29), pose(0.0, "cart", -4.0))
    assert report.cycle is not None
    assert play.cell.pose("box", play.engine.received.q)[0, 3] == pytest.approx(0.4)


def test_what_is_attached_is_where_this_very_cycle_has_it():
    play = with_box()
    for _ in range(5):
        play(reading(0.0), pose(0.1))
    play(grasp(), reading(0.01), pose(0.13))
    held = play.cell.pose("box", [0.01])
    assert held[0, 3] == pytest.approx(0.13) and not play.cell.moving


def test_events_of_bodies_that_are_made_up_take_no_memory():
    play = with_box(moving=False)
    play(reading(0.0))
    for k in range(300):
        report = play(reading(0.0), grasp(f"x{k}"))
    assert report.state is FAULT and len(report.reasons) < 100


def test_stamps_of_events_count():
    play = with_box(moving=False)
    play(reading(0.0))
    assert play(reading(0.0), grasp(stamp=100.01)).state is SAFE
    assert kinds(play(reading(0.0), grasp(stamp=100.01))) == {"doubled"}
    assert only_safe([play(reading(0.0)) for _ in range(5)][3:])
    assert kinds(play(reading(0.0), grasp(link=None, stamp=100.0))) == {"grasp"}
    assert [play(reading(0.0)).state for _ in range(9)] == [FAULT] * 9
    assert play.cell.bodies["box"].attachment is not None


def tracked(count=10):
    play = with_box()
    for _ in range(count):
        assert play(reading(0.0), pose(-1.9)).state is SAFE
    return play


def test_a_tracker_that_repeats_its_last_pose_is_at_fault():
    play = tracked()
    frozen = play.time
    for k in range(20):
        report = play(reading(0.0), pose(-1.9, stamp=frozen))
        assert report.state is FAULT and "doubled" in kinds(report)
        assert ("silent" in kinds(report)) == (k >= 9)


def test_poses_that_run_back_or_come_late():
    play = tracked()
    assert kinds(play(reading(0.0), pose(-1.9, stamp=60.0))) == {"backwards"}
    play = tracked()
    start = play.time
    for k in range(30):
        report = play(reading(0.0), pose(-1.9, stamp=start + 0.002 * k + 0.001))
    assert report.state is STALE and kinds(report) == {"late"}


def test_two_poses_of_one_body_at_one_time():
    play = tracked()
    assert kinds(play(reading(0.0), pose(-0.2), pose(-1.9))) >= {"doubled"}


def test_a_static_body_that_a_stream_moves_is_a_fault():
    play = with_box(moving=False)
    play(reading(0.0))
    report = play(reading(0.0), pose(0.0, z=0.0))
    assert kinds(report) == {"pose"} and "static" in report.reasons[0].text
    assert [play(reading(0.0)).state for _ in range(9)] == [FAULT] * 9
    assert only_safe([play(reading(0.0), pose(3.0, "somebody")) for _ in range(3)]) is False


def test_a_body_that_is_let_go_is_where_it_was_left():
    play = tracked()
    play(reading(0.0), grasp())
    x = 0.0
    while x < 1.0:
        x += 0.015
        assert play(reading(x)).state is SAFE
    report = play(reading(x), grasp(link=None))
    assert report.state is SAFE
    assert play.engine.received.bodies.poses()[0][0, 3] == pytest.approx(x - 1.9)
    for _ in range(15):
        report = play(reading(x))
    assert report.state is STALE and "box" in report.reasons[0].element


def test_a_source_of_events_alone_recovers():
    play = Player(with_box(moving=False).cell, ("arm", "events"))
    play(reading(0.0))
    assert play(reading(0.0), (1, lambda t: Trouble("garbled", "x"))).state is FAULT
    assert [play(reading(0.0)).state for _ in range(9)] == [FAULT] * 9
    for k in range(4):
        report = play(reading(0.0), (1, grasp(link=None if k % 2 else "a/hand")))
    assert report.state is SAFE


def test_a_source_of_events_alone_need_not_tell_joints_for_rest():
    options = WatchOptions(period=0.01, max_age=0.1, rest=True)
    play = Player(with_box(moving=False).cell, ("arm", "events"), options)
    assert "waiting" in kinds(play(reading(0.0)))
    assert play(reading(0.0), (1, grasp())).state is SAFE


def test_a_time_that_is_none_leaves_everything_as_it_was():
    for wrong in (math.nan, math.inf, -math.inf, 1e300):
        play = Player(sliders("a", "b"))
        for _ in range(5):
            play(lambda t: at(t, a=0.0), lambda t: at(t, b=0.0))
        report = play.engine.cycle(wrong, [(0, at(100.0, a=0.0))])
        assert report.state is FAULT and math.isfinite(report.time)
        for _ in range(50):
            report = play(lambda t: at(t, a=0.0))
        assert report.state is STALE and kinds(report) == {"silent"}


def test_a_second_tick_at_one_time_is_a_fault_that_ends():
    play = Player(sliders("a"))
    play(reading(0.0))
    assert play.engine.tick(play.time).state is FAULT
    assert only_safe([play(reading(0.0)) for _ in range(6)][3:])


@pytest.mark.parametrize("sources", [("both",), ("a", "b")])
def test_one_robot_does_not_end_the_fault_of_another(sources):
    other = len(sources) - 1
    play = Player(sliders("a", "b"), sources, WatchOptions(period=0.05, max_age=0.3))
    for k in range(100):
        told = [(other, lambda t: at(t, b=0.0))]
        if k % 10 == 0:
            told.append((0, lambda t, k=k: at(t, a=0.0 if k < 20 else math.nan)))
        report = play(*told)
        assert (report.state is SAFE) == (k < 20)


def test_two_robots_in_one_file_at_equal_times():
    play = Player(sliders("a", "b"))
    for k in range(20):
        report = play(lambda t: at(t, a=0.0), lambda t: at(t, b=0.0))
        assert report.state is SAFE, k
    report = play(lambda t: at(t, a=0.0), lambda t: at(t, a=0.1, b=0.0))
    assert "doubled" in kinds(report)
