"""What nobody has said is not SAFE: monitors that were not asked, stamps that are none, sources
that died while others went on, names that fit nothing."""

import math

import numpy as np
import pytest

import standoff as so
from standoff.streams.engine import WatchEngine
from standoff.streams.messages import BodyPose, Grasp, Joints
from standoff.streams.options import WatchOptions
from standoff.streams.report import State
from tests.worlds.watch_worlds import Kept, Memory, at, kinds, only_safe, sliders

SAFE, WARNING, STALE, FAULT = State
OPTIONS = WatchOptions(period=0.01, max_age=0.1)
REST = WatchOptions(period=0.01, max_age=0.1, rest=True)


def near_the_wall(*robots):
    cell = sliders(*robots)
    cell.set_state(np.full(len(robots), 1.9))
    return cell


def texts(report):
    return "; ".join(reason.text for reason in report.reasons)


def other(t, names=("tool_screw",)):
    return Joints(t, names, np.zeros(len(names)))


def test_a_source_of_names_that_fit_nothing_is_waited_for_at_rest():
    watch = WatchEngine(near_the_wall("a"), REST, ["bag"])
    for k in range(50):
        report = watch.cycle(1.0 + 0.01 * k, ((0, other(1.0 + 0.01 * k)),))
        assert report.state is FAULT and report.cycle is None and report.scale == 0.0
        assert kinds(report) == {"names", "waiting"}
        assert "waiting for bag; bag has unknown names: tool_screw" in texts(report)


def test_a_second_source_of_strange_names_does_not_end_the_waiting():
    watch = WatchEngine(near_the_wall("a"), REST, ["arm", "tool"])
    assert watch.cycle(1.0, ((0, at(1.0, a=1.9)),)).state is STALE
    for k in range(1, 20):
        report = watch.cycle(1.0 + 0.01 * k, ((k % 2, at(1.0 + 0.01 * k, a=1.9) if k % 2 == 0
                                              else other(1.0 + 0.01 * k)),))  # fmt: skip
        assert report.state is STALE and "tool has unknown names: tool_screw" in texts(report)
    assert report.reasons[0].element == "tool"


@pytest.mark.parametrize("last", [Grasp(1.01, "nothing", "a/hand"), Grasp(1.01, "wall", None)])
def test_an_event_that_ends_the_waiting_has_the_monitor_asked(last):
    watch = WatchEngine(near_the_wall("a"), REST, ["arm", "events"])
    watch.cycle(1.0, ((0, at(1.0, a=1.9)),))
    report = watch.cycle(1.01, ((1, last),))
    assert report.cycle is not None and report.state is FAULT
    assert kinds(report) == {"grasp", "warning"}


def test_a_cell_that_nobody_has_to_tell_of_is_watched_all_the_same():
    cell = so.Cell(unwatched="allow")
    cell.add_body("box", so.Box((1.0, 1.0, 1.0)))
    report = WatchEngine(cell, OPTIONS, ["bag"]).tick(1.0)
    assert report.state is SAFE and report.cycle is not None and report.cycle.number == 1


def test_the_waiting_says_which_names_fit_nothing():
    watch = WatchEngine(sliders("a", "b"), OPTIONS, ["bag"])
    report = watch.cycle(1.0, ((0, at(1.0, a=0.0)),))
    assert texts(report) == "waiting for b/x" and report.changed
    strange = ("c/x", "d/x", "e\x1b/x", "f/x")
    report = watch.cycle(1.01, ((0, other(1.01, strange)),))
    assert report.changed and kinds(report) == {"waiting"}
    said = "waiting for b/x; bag has unknown names: c/x, d/x, e\\x1b/x, …"
    assert texts(report) == said


@pytest.mark.parametrize("stamp", [math.inf, -math.inf, -1.0, 1e300, -1e9, -1e-9])
def test_a_stamp_that_is_no_time_is_a_fault_and_not_used(stamp):
    for stamped in (True, False):
        watch = WatchEngine(sliders("a"), OPTIONS)
        for k in range(5):
            now = 1.0 + 0.01 * k
            assert watch.cycle(now, ((0, at(now if stamped else 0.0, a=0.0)),)).state is SAFE
        report = watch.cycle(1.05, ((0, at(stamp, a=0.01)),))
        assert report.state is FAULT and kinds(report) == {"backwards"}
        assert "is no time" in texts(report) and watch.received.q[0] == 0.0
        good = [
            watch.cycle(t, ((0, at(t if stamped else 0.0, a=0.0)),)) for t in (1.06, 1.07, 1.08)
        ]
        assert [r.state for r in good] == [FAULT, FAULT, SAFE]


@pytest.mark.parametrize("none", [0.0, -0.0, math.nan])
def test_whoever_had_stamps_goes_on_to_have_them(none):
    watch = WatchEngine(sliders("a"), OPTIONS)
    assert watch.cycle(1.0, ((0, at(none, a=0.0)),)).state is SAFE
    assert watch.cycle(1.01, ((0, at(0.5, a=0.0)),)).state is SAFE
    report = watch.cycle(1.02, ((0, at(none, a=0.01)),))
    assert report.state is FAULT and kinds(report) == {"backwards"} and "no stamp" in texts(report)
    assert watch.received.q[0] == 0.0
    good = [watch.cycle(1.02 + t, ((0, at(0.52 + t, a=0.0)),)) for t in (0.01, 0.02, 0.03)]
    assert [r.state for r in good] == [FAULT, FAULT, SAFE]


def test_a_table_that_begins_before_zero_is_no_fault(tmp_path):
    rows = ["time,a/x", *(f"{-1.0 + 0.01 * k:.2f},0.0" for k in range(300))]
    (tmp_path / "run.csv").write_text("\n".join(rows))
    lines = ['{"time": %.2f, "joints": {"a/x": 0.0}}' % (-1.0 + 0.01 * k) for k in range(300)]
    (tmp_path / "run.jsonl").write_text("\n".join(lines))
    for name in ("run.csv", "run.jsonl"):
        summary = so.Watch(sliders("a"), [so.open_source(str(tmp_path / name))], []).run()
        assert summary.status == 0 and summary.cycles == 300, (name, summary)


def test_a_source_that_dies_is_silent_though_another_tells_the_same_joints():
    watch = WatchEngine(sliders("a", "b"), OPTIONS, ["left", "right"])
    for k in range(40):
        now = 1.0 + 0.01 * k
        inputs = [(0, at(now, a=0.0, b=0.0))] if k < 20 else []
        report = watch.cycle(now, (*inputs, (1, at(now, a=0.0, b=0.0))))
        assert report.state is (SAFE if now < 1.19 + 0.1 - 1e-9 else STALE), now
    assert kinds(report) == {"silent"} and report.reasons[0].element == "left"
    back = [watch.cycle(t, ((0, at(t, a=0.0, b=0.0)),)) for t in (1.4, 1.41, 1.42)]
    assert [r.state for r in back] == [STALE, SAFE, SAFE]


def test_a_source_of_poses_that_dies_is_silent_though_another_tells_the_same_body():
    cell = sliders("a")
    cell.add_body("cart", so.Sphere(0.1), so.pose((-3.0, 0.0, 0.0)), moving=True)
    watch, here = WatchEngine(cell, OPTIONS, ["arm", "one", "two"]), so.pose((-3.0, 0.0, 0.0))
    for k in range(40):
        now = 1.0 + 0.01 * k
        # In turn: two poses at one time would be a fault.
        teller = 1 if k % 2 and k < 20 else 2
        report = watch.cycle(now, ((0, at(now, a=0.0)), (teller, BodyPose(now, "cart", here))))
        assert report.state is (SAFE if now < 1.19 + 0.1 - 1e-9 else STALE), now
    assert [(r.kind, r.element) for r in report.reasons] == [("silent", "one")]


def test_who_lets_a_body_go_need_not_tell_where_it_is():
    cell = sliders("a")
    cell.add_body("box", so.Sphere(0.05), so.pose((-1.9, 0.0, 0.3)), moving=True)
    watch, here = WatchEngine(cell, OPTIONS, ["arm", "events"]), so.pose((-1.9, 0.0, 0.3))
    for k in range(60):
        now = 1.0 + 0.01 * k
        inputs = [(0, at(now, a=0.0))]
        if k == 10:
            inputs += [(1, Grasp(now, "box", "a/hand"))]
        elif k == 20:
            inputs += [(1, Grasp(now, "box", None))]
        elif k < 10 or k > 20:
            inputs += [(0, BodyPose(now, "box", here))]
        assert watch.cycle(now, tuple(inputs)).state is SAFE, k


@pytest.mark.parametrize("names", [("b/x", "a/x"), ("a/x", "b/x", "c/x"), ("b/x", "a/x", "grip")])
def test_a_publisher_that_starts_again_with_other_names_is_its_own_successor(names):
    watch, values = WatchEngine(sliders("a", "b", "c"), OPTIONS, ["arms", "third"]), np.zeros(3)
    for k in range(60):
        now = 1.0 + 0.01 * k
        told = Joints(
            now, ("a/x", "b/x") if k < 20 else names, values[: 2 if k < 20 else len(names)]
        )
        report = watch.cycle(now, ((0, told), (1, at(now, c=0.0))))
        assert report.state is SAFE, (k, report.reasons)


def test_a_publisher_whose_successor_has_not_all_of_its_joints_is_silent():
    watch = WatchEngine(sliders("a", "b"), OPTIONS, ["arms"])
    for k in range(40):
        now = 1.0 + 0.01 * k
        report = watch.cycle(now, ((0, at(now, a=0.0, b=0.0) if k < 20 else at(now, a=0.0)),))
        assert report.state is (SAFE if k < 20 else FAULT)
    assert kinds(report) == {"missing", "silent"} and "b/x" in texts(report)


def test_no_number_from_the_start_is_called_so():
    watch = WatchEngine(sliders("a", "b"), OPTIONS)
    report = watch.cycle(1.0, ((0, at(1.0, a=0.0, b=math.nan)),))
    assert report.state is FAULT and kinds(report) == {"waiting", "non-finite"}
    fault = report.reasons[0]
    assert fault.element == "b/x" and "nan" in fault.text and "finite" in fault.text
    good = [watch.cycle(t, ((0, at(t, a=0.0, b=0.0)),)) for t in (1.01, 1.02, 1.03)]
    assert [r.state for r in good] == [FAULT, FAULT, SAFE]
    # Said once, though the monitor is asked now.
    report = watch.cycle(1.04, ((0, at(1.04, a=0.0, b=math.inf)),))
    assert [(r.kind, r.element) for r in report.reasons] == [("non-finite", "b/x")]


def test_two_files_of_the_same_joints_each_at_its_own_rate_are_no_fault():
    from tests.streams.test_watch_ages import robot, watched

    quick, slow = robot(1.0 + 0.01 * np.arange(1000)), robot(1.003 + 0.5 * np.arange(20))
    sink = Kept()
    summary, _ = watched(sliders("a"), Memory(quick, "quick"), Memory(slow, "slow"), sinks=[sink])
    assert summary.status == 0 and only_safe(sink.reports)
    short = [m for m in quick if m[0] < 5.0]
    summary, _ = watched(sliders("a"), Memory(short, "quick"), Memory(slow, "slow"))
    assert summary.kinds.keys() == {"silent"} and summary.status == 3


def test_a_body_that_a_source_is_not_to_tell_of_is_waited_for():
    cell = sliders("a")
    cell.add_body("cart", so.Box((0.1, 0.1, 0.1)), so.pose((-3.0, 0.0, 0.0)), moving=True)
    cell.map_stream("one", ignore=["ca*"])
    watch = WatchEngine(cell, OPTIONS, ("one", "two"))
    cart = BodyPose(math.nan, "cart", so.pose((-3.0, 0.0, 0.0)))
    report = watch.cycle(1.0, ((0, at(1.0, a=0.0)), (0, cart)))
    assert report.state is STALE and "waiting for cart" in texts(report)
    assert watch.cycle(1.01, ((0, at(1.01, a=0.0)), (1, cart))).state is SAFE


def test_a_body_that_is_renamed_and_comes_under_its_own_name_is_a_fault():
    cell = sliders("a")
    cell.add_body("cart", so.Box((0.1, 0.1, 0.1)), so.pose((-3.0, 0.0, 0.0)), moving=True)
    cell.map_stream(rename={"marker": "cart"})
    watch = WatchEngine(cell, OPTIONS, ("s",))
    for k in range(20):
        t = 1.0 + 0.01 * k
        pose = BodyPose(math.nan, ("cart", "marker")[k % 2], so.pose((-3.0, 0.0, 0.0)))
        report = watch.cycle(t, ((0, at(t, a=0.0)), (0, pose)))
        assert report.state is FAULT and "names" in kinds(report)
    assert "calls cart 'marker', and it came as 'cart'" in texts(report)


def test_events_of_a_body_that_a_source_is_not_to_tell_of_change_nothing():
    cell = sliders("a")
    cell.add_body("box", so.Box((0.1, 0.1, 0.1)), so.pose((-3.0, 0.0, 0.0)))
    cell.map_stream("one", ignore=["box"])
    watch = WatchEngine(cell, REST, ("one", "two"))
    taken, let_go = Grasp(math.nan, "box", "a/hand"), Grasp(math.nan, "box", None)
    for t, event in ((1.0, taken), (1.01, let_go)):
        report = watch.cycle(t, ((0, event), (1, at(t, a=0.0))))
        assert kinds(report) == {"waiting"} and "waiting for one" in texts(report)
        assert cell.bodies["box"].attachment is None
