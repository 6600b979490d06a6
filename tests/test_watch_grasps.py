"""A body that is taken or let go is where the watch has it, or that is said not to be known."""

import math

import numpy as np
import pytest

import standoff as so
from standoff.streams.messages import BodyPose
from standoff.streams.options import WatchOptions
from standoff.streams.report import State
from tests.watch_player import Player, grasp, pose, reading, with_box
from tests.watch_worlds import at, kinds, sliders

SAFE, WARNING, STALE, FAULT = State
TWO = {"robots": ("a", "b")}


def both(a, b=0.0):
    return lambda t: at(t, a=a, b=b)


def boxed(moving=False, x=0.1, **more):
    """A watch that runs, and a box just ahead of the first hand."""
    play = with_box(moving=moving, x=x, **TWO, **more)
    for _ in range(4):
        play(both(0.0), *([pose(x)] * moving))
    assert play.engine.state is SAFE
    return play


def states(play, *inputs, count=9):
    return {play(*inputs).state for _ in range(count)}


def x_of(play, body="box"):
    return play.cell.pose(body, play.engine.senses.q)[0, 3]


def test_a_body_goes_from_hand_to_hand_in_one_instant():
    play = boxed()
    assert play(both(0.0), grasp()).state is SAFE
    for x in np.arange(0.0, 0.5, 0.015):
        assert play(both(x, x)).state is SAFE
    report = play(both(x, x), grasp(link=None), grasp(link="b/hand"))
    assert report.state is SAFE and play.cell.bodies["box"].attachment.link == "b/hand"
    there = x_of(play)
    while x < 1.9 and report.state is SAFE:
        x += 0.015
        report = play(both(0.5, x))
    # It is carried to the wall by the second hand.
    assert kinds(report) == {"warning"} and x_of(play) > there + 1.0


def test_what_is_told_twice_with_one_stamp_is_doubled():
    play = boxed()
    play(both(0.0), grasp(stamp=100.04))
    assert kinds(play(both(0.0), grasp(stamp=100.04))) == {"doubled"}
    assert kinds(play(both(0.0), grasp(link="b/hand", stamp=100.04))) >= {"grasp"}


def test_an_event_waits_for_its_own_robot_and_for_no_other():
    play = with_box(moving=False, x=0.3, sources=("one", "other"), **TWO)
    play(reading(0.0))
    play(reading(0.0), grasp())
    for x in np.arange(0.0, 1.0, 0.015):
        assert play(reading(x)).state is STALE  # nobody has told of the other robot
    assert x_of(play) == pytest.approx(x + 0.3)
    assert play(reading(x), (1, lambda t: at(t, b=0.0))).state is SAFE


def test_a_robot_that_is_first_heard_of_long_after_has_gone_nobody_knows_where():
    play = with_box(moving=False, x=0.3)
    play(grasp())
    assert play(reading(0.0)).state is SAFE
    play = with_box(moving=False, x=0.3)
    play(grasp())
    for _ in range(20):
        play()
    report = play(reading(1.0))
    assert kinds(report) == {"grasp"} and "first heard of" in report.reasons[0].text
    assert states(play, reading(1.0)) == {FAULT}


def test_an_event_that_is_told_late_is_where_nobody_knows():
    play = boxed()
    for x in np.arange(0.0, 1.0, 0.015):
        play(both(x))
    report = play(both(x), grasp(stamp=play.time - 0.5))
    assert kinds(report) == {"grasp"} and "0.5" in report.reasons[0].text
    assert states(play, both(x)) == {FAULT}
    # As it was told, so it is in the cell: nearer to the truth than where it was.
    assert play.cell.bodies["box"].attachment is not None


def test_an_event_without_a_stamp_is_told_just_then():
    play = boxed()
    assert play(both(0.0), grasp(stamp=0.0)).state is SAFE


@pytest.mark.parametrize("link", ["a/hand", None])
def test_an_event_while_the_joints_are_silent(link):
    play = boxed(sources=("arms", "events"))
    if link is None:
        play(both(0.0), (1, grasp()))
    for _ in range(20):
        play()
    report = play((1, grasp(link=link)))
    assert kinds(report) >= {"grasp", "silent"}
    assert "nothing recent is known of a/hand" in " ".join(r.text for r in report.reasons)
    assert states(play, both(1.2)) == {FAULT}


def test_an_event_while_the_joints_are_no_numbers():
    play = boxed()
    for _ in range(20):
        play(both(math.nan))
    play(both(math.nan), grasp())
    assert states(play, both(1.0)) == {FAULT} and "grasp" in kinds(play(both(1.0)))


def test_an_event_while_the_readings_are_late():
    play = boxed()
    for k in range(30):
        play(lambda t, k=k: at(100.04 + 1e-4 * (k + 1), a=0.0, b=0.0))
    play(lambda t: at(100.05, a=0.0, b=0.0), grasp())
    assert "grasp" in kinds(play(lambda t: at(100.06, a=0.0, b=0.0)))


def test_a_body_that_nobody_saw_of_late_is_taken_nobody_knows_where():
    play = boxed(moving=True)
    for _ in range(20):
        play(both(0.0))
    report = play(both(0.0), grasp())
    assert "nothing recent is known of box" in " ".join(r.text for r in report.reasons)
    assert states(play, both(0.0)) == {FAULT}
    # Until whoever tracks it finds it in the hand.
    for _ in range(4):
        report = play(both(0.0), pose(0.1))
    assert report.state is SAFE


def test_a_body_that_was_let_go_in_doubt_is_known_when_it_is_told_of():
    play = boxed(moving=True)
    play(both(0.0), pose(0.1), grasp())
    states(play, both(0.0), count=50)
    play(both(0.0), grasp(link=None, stamp=play.time - 0.3))
    assert "grasp" in kinds(play(both(0.0)))
    for _ in range(4):
        report = play(both(0.0), pose(0.4))
    assert report.state is SAFE
    assert play.engine.senses.poses()[0][0, 3] == pytest.approx(0.4)


def test_an_event_that_is_refused_leaves_a_doubt_that_no_event_ends():
    play = boxed()
    assert kinds(play(both(0.0), grasp(link="a/hnd"))) == {"grasp"}
    for x in np.arange(0.0, 1.2, 0.015):
        play(both(x))
    for event in (grasp(link=None), grasp(), grasp(link=None)):
        assert play(both(x), event).state is FAULT
        assert states(play, both(x)) == {FAULT}


def test_a_body_that_two_say_they_have():
    play = boxed()
    assert play(both(0.0), grasp()).state is SAFE
    assert kinds(play(both(0.0), grasp(link="b/hand"))) == {"grasp"}
    assert play(both(0.0), grasp()).state is FAULT
    assert states(play, both(0.0)) == {FAULT}


def test_a_static_body_that_a_stream_has_elsewhere_is_not_known_once_it_is_taken():
    play = boxed(x=-1.9)
    assert kinds(play(both(0.0), pose(0.3))) == {"pose"}
    play(both(0.0), grasp())
    assert states(play, both(0.0)) == {FAULT}


def test_what_nobody_took_is_let_go():
    play = boxed()
    assert kinds(play(both(0.0), grasp(link=None))) == {"grasp"}


def test_what_is_let_go_twice_is_let_go():
    play = boxed()
    play(both(0.0), grasp())
    for _ in range(3):
        assert play(both(0.0), grasp(link=None)).state is SAFE


def test_a_body_of_another_cell_is_at_fault_while_it_is_held():
    play = boxed()
    assert kinds(play(both(0.0), grasp("stranger"))) == {"grasp"}
    assert states(play, both(0.0)) == {FAULT}
    assert play(both(0.0), grasp("stranger", link=None)).state is SAFE


def test_a_held_body_that_is_told_to_be_elsewhere_has_slipped():
    play = boxed(moving=True)
    play(both(0.0), pose(0.1), grasp())
    for x in np.arange(0.0, 1.0, 0.015):
        # A tracker that is a little behind is no slip.
        assert play(both(x), pose(x + 0.07)).state is SAFE
    for _ in range(3):
        report = play(both(x), pose(0.5))
    assert kinds(report) == {"pose"} and "a/hand holds it" in report.reasons[0].text
    assert states(play, both(x)) == {FAULT}
    for _ in range(4):
        report = play(both(x), pose(x + 0.1))
    assert report.state is SAFE


def test_a_held_body_that_turned_has_slipped():
    cell = sliders("a")
    cell.add_body("bar", so.Box((1.0, 0.02, 0.02)), so.pose((0.1, 0.0, 0.5)), moving=True)
    play = Player(cell)

    def bar(turn):
        return lambda t: BodyPose(t, "bar", so.pose((0.1, 0.0, 0.5), rpy=(0.0, 0.0, turn)))

    for _ in range(4):
        play(reading(0.0), bar(0.0))
    play(reading(0.0), grasp("bar"))
    assert play(reading(0.0), bar(0.1)).state is SAFE
    assert kinds(play(reading(0.0), bar(0.5))) == {"pose"}


def test_how_far_is_a_slip_may_be_said():
    options = WatchOptions(period=0.01, max_age=0.1, slip=0.01)
    play = boxed(moving=True, options=options)
    play(both(0.0), pose(0.1), grasp())
    assert play(both(0.0), pose(0.105)).state is SAFE
    assert kinds(play(both(0.0), pose(0.12))) == {"pose"}
    with pytest.raises(so.Error, match="slip"):
        WatchOptions(slip=-1.0)


def test_nothing_is_asked_of_who_tracks_a_body_that_is_held():
    play = boxed(moving=True)
    play(both(0.0), pose(0.1), grasp())
    nan = lambda t: BodyPose(t, "box", np.full((4, 4), math.nan))  # noqa: E731
    assert states(play, both(0.0), nan) == {SAFE}
    assert states(play, both(0.0), pose(0.7, stamp=90.0)) == {SAFE}
    assert states(play, both(0.0), count=30) == {SAFE}


def test_what_a_load_may_touch_can_be_narrowed():
    play = boxed()
    assert play(both(0.0), grasp(touch=("wall",))).state is SAFE
    assert play.cell.bodies["box"].attachment.touch == ("wall",)
    there = x_of(play)
    assert play(both(0.0), grasp()).state is SAFE
    assert play.cell.bodies["box"].attachment.touch == () and x_of(play) == pytest.approx(there)
    assert kinds(play(both(0.0), grasp(touch=("nowhere",)))) == {"grasp"}
    assert play.cell.bodies["box"].attachment.touch == ()


@pytest.mark.parametrize("wrong", [
    lambda play: (pose(0.1), pose(0.1)),  # at one time
    lambda play: (pose(0.1, stamp=play.time - 0.02),),  # runs back
    lambda play: (lambda t: BodyPose(t, "box", np.zeros((4, 4))),),
])  # fmt: skip
def test_what_was_wrong_with_a_body_before_it_was_taken_is_over(wrong):
    play = boxed(moving=True)
    assert play(both(0.0), *wrong(play)).state is FAULT
    assert play(both(0.0), pose(0.1), grasp()).state is FAULT
    assert states(play, both(0.0)) == {SAFE}


def test_two_trackers_that_say_the_same_at_one_time():
    play = with_box(sources=("one", "other"))
    for _ in range(5):
        report = play(reading(0.0), pose(0.5), (1, pose(0.5)))
        assert report.state is SAFE
    assert "doubled" in kinds(play(reading(0.0), pose(0.5), (1, pose(0.51))))
    # The first that is heard may be no pose at all.
    play = with_box(sources=("one", "other"))
    play(reading(0.0), lambda t: BodyPose(t, "box", np.zeros((4, 4))), (1, pose(0.5)))
