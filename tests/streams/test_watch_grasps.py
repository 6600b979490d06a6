"""A body that is taken or let go is where the watch has it, or that is said not to be known."""

import math

import numpy as np
import pytest

import standoff as so
from standoff.streams.messages import BodyPose, Grasp
from standoff.streams.options import WatchOptions
from standoff.streams.report import State
from tests.worlds.watch_player import Player, grasp, pose, reading, with_box
from tests.worlds.watch_worlds import at, kinds, sliders

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
    return play.cell.pose(body, play.engine.received.q)[0, 3]


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
    assert kinds(report) == {"grasp"} and "the first pose of" in report.reasons[0].text
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
    assert play.engine.received.bodies.poses()[0][0, 3] == pytest.approx(0.4)


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


def test_nobody_need_tell_of_a_body_that_is_held():
    play = boxed(moving=True)
    play(both(0.0), pose(0.1), grasp())
    assert states(play, both(0.0), count=30) == {SAFE}


@pytest.mark.parametrize(("kind", "told"), [
    ("backwards", lambda t: BodyPose(0.0, "box", so.pose((1.2, 0.0, 0.3)))),
    ("doubled", lambda t: BodyPose(200.0, "box", so.pose((1.2, 0.0, 0.3)))),
    ("late", lambda t: BodyPose(t - 0.5, "box", so.pose((1.2, 0.0, 0.3)))),
    ("pose", lambda t: BodyPose(t, "box", np.full((4, 4), math.nan))),
])  # fmt: skip
def test_what_is_wrong_with_the_poses_of_a_held_body_is_told(kind, told):
    play = boxed(moving=True)
    play(both(0.0), pose(0.1), grasp())
    states(play, both(0.0), count=60)
    for _ in range(20):
        report = play(both(0.0), told)
    assert report.state >= STALE and kind in kinds(report)


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


@pytest.mark.parametrize("wrong", [1.0, -7.0])
@pytest.mark.parametrize("moving", [False, True])
def test_a_reading_that_is_wrong_as_a_body_is_taken_leaves_it_nobody_knows_where(moving, wrong):
    options = WatchOptions(period=0.01, max_age=0.1)
    play = boxed(moving=moving, options=options)
    play(both(wrong), grasp())
    assert "grasp" in kinds(play(both(0.0)))
    assert states(play, both(0.0)) == {FAULT}


def test_a_load_that_slipped_is_not_known_once_it_is_let_go_and_taken_again():
    for between in (0, 1, 6):
        play = boxed(moving=True)
        play(both(0.0), pose(0.1), grasp())
        states(play, both(0.0))
        assert kinds(play(both(0.0), pose(-1.5))) == {"pose"}
        if between:
            play(both(0.0), grasp(link=None))
            states(play, both(0.0), count=between)
            play(both(0.0), grasp(link="b/hand"))
        else:
            play(both(0.0), grasp(link=None), grasp())
        assert states(play, both(0.0)) == {FAULT}, between


def test_a_body_that_jumped_just_before_it_was_taken_is_not_known():
    for cycles in (0, 1):
        play = boxed(moving=True)
        play(both(0.0), pose(1.1), *([] if cycles else [grasp()]))
        if cycles:
            play(both(0.0), grasp())
        assert states(play, both(0.0)) == {FAULT}, cycles


@pytest.mark.parametrize("event", [
    lambda t: Grasp(t - 0.035, "box", None), lambda t: Grasp(t, "box", "b/hnd")
])  # fmt: skip
def test_poses_do_not_tell_who_has_a_body(event):
    play = boxed(moving=True)
    play(both(0.0), pose(0.1), grasp())
    states(play, both(0.0), pose(0.1), count=2)
    play(both(0.0), pose(0.1), event)
    assert states(play, both(0.0), pose(0.1)) == {FAULT}
    # An event that is carried out, and poses, do.
    play(both(0.0), pose(0.1), grasp(link=None))
    states(play, both(0.0), pose(0.1), count=4)
    assert states(play, both(0.0), pose(0.1)) == {SAFE}


def test_an_event_is_late_by_the_poses_of_its_source():
    play = boxed(moving=True, sources=("arms", "tracker"))
    for k in range(60):
        play(both(0.01 * k), (1, pose(0.1)))
    report = play(both(0.6), (1, pose(0.1)), (1, grasp(stamp=play.time - 0.45)))
    assert "grasp" in kinds(report)


def test_the_same_event_twice_in_one_cycle_is_doubled():
    play = boxed()
    assert kinds(play(both(0.0), grasp(), grasp())) == {"doubled"}
    states(play, both(0.0), count=4)
    assert states(play, both(0.0)) == {SAFE}


def test_links_that_are_made_up_take_no_memory():
    play = boxed()
    for k in range(300):
        play(both(0.0), grasp(link=f"a/x{k}", stamp=0.0))
    assert all(len(links) < 100 for _, links in play.engine._grasps._last_event.values())


def test_poses_of_a_load_tell_nothing_while_its_robot_is_late():
    """Both are told as they move, and agree; but the hand is somewhere else by then."""
    play = boxed(moving=True, sources=("arms", "tracker"))

    def moving(late, k):
        return lambda t: at(t - late, a=0.01 * k - late, b=0.0)

    states(play, both(0.0), (1, pose(0.1)), count=3)
    for k in range(150):
        # 0.5 s late after a silence; the box is taken on the way.
        told = [moving(0.5, k)] if k >= 60 else [moving(0.0, k)] if k < 10 else []
        truth = 0.1 if k < 80 else 0.1 + 0.01 * (k - 80)
        report = play(*told, (1, pose(truth)), *([(1, grasp())] if k == 80 else []))
    assert "grasp" in kinds(report)
    for k in range(150, 170):
        report = play(moving(0.0, k))
    assert "grasp" in kinds(report)
