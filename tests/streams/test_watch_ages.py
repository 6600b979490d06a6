"""Whoever speaks seldom may be silent for longer, and nobody else."""

import json
import threading
import time

import numpy as np
import pytest

import standoff as so
from standoff.streams.engine import WatchEngine
from standoff.streams.files import Peeked
from standoff.streams.history import History
from standoff.streams.messages import BodyPose, Joints
from standoff.streams.open_stream import open_sink, open_source
from standoff.streams.options import WatchOptions
from standoff.streams.outbox import Outbox
from standoff.streams.record.recorder import Recorder
from standoff.streams.record.replay import Replay
from standoff.streams.report import State
from standoff.streams.runner import Watch
from standoff.view.watch import _period
from tests.worlds.watch_worlds import Kept, Memory, at, sliders

SAFE, WARNING, STALE, FAULT = State


def watched(cell, *streams, sinks=(), speed=np.inf):
    """As the command has it: how often files speak is measured."""
    sources = [s if hasattr(s, "messages") else Memory(s, f"m{k}") for k, s in enumerate(streams)]
    peeked = [Peeked(source) for source in sources]
    options = _period(peeked, None, WatchOptions(), cell)
    return Watch(cell, peeked, sinks, options, speed=speed).run(), options


def robot(times, name="a"):
    return [(float(t), at(float(t), **{name: 0.0})) for t in times]


def ordered(*streams):
    return sorted((m for stream in streams for m in stream), key=lambda m: m[0])


def dropout(start=1.0):
    return [start + 0.01 * k for k in range(1000) if not 400 < k < 540]


def test_joints_that_are_not_in_the_cell_let_nobody_be_silent():
    gripper = robot(1.0037 + 0.9 * np.arange(10), "gripper")
    for streams in ([ordered(robot(dropout()), gripper)], [robot(dropout()), gripper]):
        summary, options = watched(sliders("a"), *streams)
        assert summary.kinds.keys() == {"silent"} and 2 <= summary.kinds["silent"] < 6
        assert options.age == 0.1 == options.age_of("a/x")


def test_a_robot_that_speaks_seldom_lets_no_other_be_silent():
    slow = robot(1.0 + 0.5 * np.arange(20), "b")
    summary, options = watched(sliders("a", "b"), robot(dropout()), slow)
    assert summary.kinds.keys() <= {"waiting", "silent"}
    assert options.age_of("a/x") == 0.1 and options.age_of("b/x") == 1.5
    assert 1 <= summary.kinds["silent"] < 10


def test_who_speaks_more_often_later_is_held_to_it():
    times = [*range(500), *(500 + t for t in dropout(0.0))]
    summary, options = watched(sliders("a"), robot(times))
    assert options.age_of("a/x") == 3.0 and summary.kinds == {"silent": 2}


def test_poses_that_come_seldom_are_no_fault():
    cell = sliders("a")
    cell.add_body("cart", so.Sphere(0.1), so.pose((-3.0, 0.0, 0.0)), moving=True)
    here = so.pose((-3.0, 0.0, 0.0))
    poses = [(1.002 + 0.2 * k, BodyPose(1.002 + 0.2 * k, "cart", here)) for k in range(15)]
    summary, _ = watched(cell, ordered(robot(1.0 + 0.01 * np.arange(300)), poses))
    assert summary.kinds.keys() <= {"waiting"} and summary.status == 0


def test_joints_that_come_seldom_beside_poses_that_come_often_are_no_fault():
    cell = sliders("a", "b")
    cell.add_body("cart", so.Sphere(0.1), so.pose((-3.0, 0.0, 0.0)), moving=True)
    here = so.pose((-3.0, 0.0, 0.0))
    times = 1.0 + 0.001 * np.arange(5000)
    poses = [(float(t), BodyPose(float(t), "cart", here)) for t in times]
    joints = [*robot(1.0001 + 0.25 * np.arange(20)), *robot(1.6 + 0.9 * np.arange(4), "b")]
    summary, options = watched(cell, ordered(poses, joints))
    assert summary.kinds.keys() == {"waiting"} and summary.states[SAFE] > 4400
    ages = [options.age_of(name) for name in ("cart", "a/x", "b/x")]
    assert ages == pytest.approx([0.1, 0.75, 2.7])


def test_how_often_a_file_speaks_is_not_looked_for_for_ever():
    peeked = Peeked(Memory(robot(1.0 + 0.01 * np.arange(100_000))))
    assert peeked.periods(sliders("a", "b")).keys() == {"a/x"}
    assert len(peeked._first) < 10_000 and len(list(peeked.messages())) == 100_000
    still = Memory([(1.0, m) for _, m in robot(1.0 + 0.01 * np.arange(50_000))])
    peeked = Peeked(still)
    assert not peeked.periods(sliders("a", "b")) and len(peeked._first) < 40_000


def test_names_that_are_made_up_are_not_kept_while_it_is_looked_for():
    """A bag of 191 kB took 1.2 GB: each of its messages had a list of 1,000 names of its own."""
    made_up = [
        (1.0, Joints(1.0, (f"x{k}", *(f"y{i}" for i in range(999))), np.zeros(1000)))
        for k in range(2000)
    ]
    peeked = Peeked(Memory(made_up))
    assert not peeked.periods(sliders("a"))
    assert len(peeked._first) < 600 and len(list(peeked.messages())) == 2000


def test_robots_with_different_rates_fit_into_one_table(tmp_path):
    rows = ["time,a/x,b/x"]
    rows += [f"{1 + 0.01 * k:.3f},0.0,{'' if k % 2 else '0.0'}" for k in range(400)]
    rows += [f"{5 + 0.01 * k:.3f},0.0," for k in range(30)]
    (tmp_path / "run.csv").write_text("\n".join(rows))
    source = open_source(str(tmp_path / "run.csv"))
    summary, _ = watched(sliders("a", "b"), source, sinks=[Recorder(tmp_path / "run.mcap")])
    # The second robot is silent in the end.
    assert summary.states[SAFE] > 400 and summary.kinds.keys() == {"silent"}
    assert Replay(tmp_path / "run.mcap").run(verify=True).verified


def test_seven_robots_at_their_own_rates_fit_into_one_table(tmp_path):
    names, every = [f"r{k}" for k in range(7)], (2, 3, 5, 7, 8, 11, 13)
    rows = ["time," + ",".join(f"{name}/x" for name in names)]
    for k in range(2000):
        cells = ["" if k % n else "0" for n in every]
        if any(cells):
            rows.append(f"{1 + 0.01 * k:.3f}," + ",".join(cells))
    (tmp_path / "run.csv").write_text("\n".join(rows))
    source = open_source(str(tmp_path / "run.csv"))
    summary, _ = watched(sliders(*names), source, sinks=[Recorder(tmp_path / "run.mcap")])
    assert summary.states[SAFE] == len(rows) - 1 and summary.status == 0
    assert Replay(tmp_path / "run.mcap").run(verify=True).verified


@pytest.mark.parametrize(("every", "lines"), [("0", 1756), ("1", 18)])
def test_a_sink_gets_as_many_quiet_reports_as_it_asks_for(tmp_path, every, lines):
    sink = open_sink(f"jsonl:{tmp_path / 'out.jsonl'}?every={every}")
    watched(sliders("a"), robot(1.0 + 0.01 * np.arange(1756)), sinks=[sink])
    said = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    assert lines <= len(said) <= lines + 6


def test_quiet_reports_are_those_of_a_watch_one_by_one():
    left, right = robot(1.0 + 0.01 * np.arange(300)), robot(1.003 + 0.09 * np.arange(33), "b")
    kept = []
    for speed in (np.inf, 100.0):
        sink = Kept()
        sink.every = 0.0
        watched(sliders("a", "b"), left, right, sinks=[sink], speed=speed)
        kept.append([(r.number, r.time, r.cycle and r.cycle.number, r.ages) for r in sink.reports])
    assert kept[0] == kept[1] and len(kept[0]) > 300


def test_a_sink_that_failed_at_any_time_is_told():
    class Broken(Kept):
        def close(self):
            raise OSError(28, "No space left on device")

    summary, _ = watched(sliders("a"), robot(1.0 + 0.01 * np.arange(50)), sinks=[Broken()])
    assert summary.status == 3 and "No space" in summary.sinks["kept"]


def test_a_sink_that_fails_is_a_fault_while_a_file_is_run_through():
    class Broken(Kept):
        def flush(self):
            raise OSError(28, "No space left on device")

    class Slow(Memory):
        def messages(self):
            for k, message in enumerate(super().messages()):
                if k % 5000 == 4999:
                    time.sleep(0.5)  # longer than between two flushes
                yield message

    source = Slow(robot(1.0 + 0.001 * np.arange(20_000)))
    summary, _ = watched(sliders("a"), source, sinks=[Broken()])
    assert summary.kinds["sink"] > 1000 and summary.states[FAULT] > 1000 and summary.status == 3


def test_what_a_recorder_missed_comes_after_what_it_did_not(tmp_path):
    class Noting(Recorder):
        said: list[object]

        def skipped(self, cycles):
            self.said.append(("skipped", cycles))

    recorder = Noting(tmp_path / "run.mcap")
    recorder.said = []
    gate = threading.Event()
    outbox = Outbox(recorder, lambda kind, text: None, depth=4)
    outbox.do(lambda: gate.wait(300.0) and None, 1)
    for k in range(12):
        outbox.do(lambda k=k: recorder.said.append(k), 1)
    gate.set()
    outbox.close()
    *taken, last = recorder.said
    assert taken == [*range(len(taken))] and last == ("skipped", outbox.lost) and outbox.lost > 0


def test_a_history_takes_any_time():
    history = History()
    cell = sliders("a")
    times = [(-1e308, at(1.0, a=0.0)), (1e308, at(2.0, a=0.0)), (5.0, at(5.0, a=0.0))]
    Watch(cell, [Memory(times)], [], WatchOptions(), history=history).run()
    history.finish()
    assert history.cycles >= 2


def watched_stamps(*stretches):
    """Reports of a watch of stretches: times, and how far the stamps are behind."""
    watch = WatchEngine(sliders("a"), WatchOptions(period=0.01, max_age=0.1))
    return [
        watch.cycle(float(now), ((0, at(float(now) - behind, a=0.0)),))
        for times, behind in stretches
        for now in times
    ]


@pytest.mark.parametrize("back", [0.5, 5.0, 15.0, 3600.0])
def test_a_relay_that_replays_what_is_old_is_never_safe(back):
    """From 15 s ago it was SAFE after 0.13 s, from 5 s ago after 5 s."""
    before, after = 1e4 + np.arange(100) * 0.01, 1e4 + 1.0 + np.arange(3000) * 0.01
    reports = watched_stamps((before, 0.0), (after, back))
    assert {r.state for r in reports[:100]} == {SAFE}
    # Behind the newest stamp they are not used; beyond it they are late.
    caught = sum(now - back <= before[-1] for now in after)
    assert {r.state for r in reports[100 : 100 + caught]} == {FAULT}
    assert all(r.state in (STALE, FAULT) for r in reports[100:])
    # Once the robot itself is heard again, good readings in a row end it.
    reports = watched_stamps((before, 0.0), (after[:10], back), (after[10:40], 0.0))
    assert reports[-1].state is SAFE


def test_one_old_message_does_not_make_the_next_one_newer():
    times = 100.0 + 0.01 * np.arange(40)
    stretches = [((now,), 5.0 if k % 2 else 0.0) for k, now in enumerate(times)]
    reports = watched_stamps((times[:10] - 1.0, 0.0), *stretches)
    assert {r.state for r in reports[11:]} == {FAULT}


def test_a_file_whose_time_runs_back_is_a_fault_until_it_passes_the_newest():
    """Also without stamps."""
    times = [*(100.0 + 0.01 * np.arange(500)), *(98.0 + 0.01 * np.arange(900))]
    watch = WatchEngine(sliders("a"), WatchOptions(period=0.01, max_age=0.1))
    for k, now in enumerate(times):
        report = watch.cycle(float(now), ((0, at(np.nan, a=0.0)),))
        if k >= 500:
            assert (report.state is FAULT) or now > times[499] + 0.02, now
    assert report.state is SAFE


_TURNING = """<robot name="turning"><link name="base"/><link name="hand"><collision>
<origin xyz="1 0 0"/><geometry><box size="0.1 0.1 0.1"/></geometry></collision></link>
<joint name="x" type="continuous"><parent link="base"/><child link="hand"/><axis xyz="0 0 1"/>
<limit velocity="2" effort="1"/></joint></robot>"""


@pytest.mark.parametrize("speed", [np.inf, 200.0])
@pytest.mark.parametrize(("post", "state"), [(1.0, SAFE), (-1.0, WARNING)])
def test_angles_that_are_wrapped_go_the_shorter_way_between_readings(tmp_path, speed, post, state):
    """Through pi, where a post stands or not, and not all the way back through 0."""
    (tmp_path / "turning.urdf").write_text(_TURNING)
    cell, kept = so.Cell(), Kept()
    cell.add_robot(tmp_path / "turning.urdf", name="a")
    cell.add_body("post", so.Sphere(0.01), so.pose((post, 0.0, 0.0)))
    turned = 1.7 + 0.4 * np.arange(40)
    wrapped = (turned + np.pi) % (2.0 * np.pi) - np.pi
    rows = [(1.0 + 0.5 * k, at(1.0 + 0.5 * k, a=x)) for k, x in enumerate(wrapped)]
    rows = rows[:8] if state is SAFE else rows  # it comes round in the end
    summary, _ = watched(cell, rows, sinks=[kept, Recorder(tmp_path / "run.mcap")], speed=speed)
    assert summary.states[state] and (summary.warned > 0) == (state is WARNING)
    assert kept.reports[-1].q[0] == pytest.approx(turned[len(rows) - 1])
    assert Replay(tmp_path / "run.mcap").run(verify=True).verified


@pytest.mark.parametrize("speed", [np.inf, 200.0])
@pytest.mark.parametrize(("kind", "multiplier"), [
    ("continuous", 1), ("revolute", -1), ("continuous", 0.5), ("prismatic", 1)
])  # fmt: skip
def test_a_wrapped_angle_that_a_mimic_joint_follows_went_the_longer_way(
    tmp_path, speed, kind, multiplier
):
    """It passed through a post between two readings, and the watch was SAFE all along."""
    follower = (
        f'<link name="gear"/><joint name="y" type="{kind}"><parent link="base"/><child link="gear"'
        '/><axis xyz="0 0 1"/><limit lower="-9" upper="9" velocity="9" effort="1"/>'
        f'<mimic joint="x" multiplier="{multiplier}"/></joint></robot>'
    )
    (tmp_path / "turning.urdf").write_text(_TURNING.replace("</robot>", follower))
    cell = so.Cell()
    cell.add_robot(tmp_path / "turning.urdf", name="a")
    cell.add_body("post", so.Sphere(0.01), so.pose((-1.0, 0.0, 0.0)))
    wrapped = [2.4, 2.7, 3.0, -2.98, -2.7, -2.4]
    rows = [(1.0 + 0.5 * k, at(1.0 + 0.5 * k, a=x)) for k, x in enumerate(wrapped)]
    summary, _ = watched(cell, rows, speed=speed)
    if multiplier in (1, -1) and kind != "prismatic":
        assert summary.warned and not summary.states[FAULT]
    else:
        assert summary.states[FAULT]


def test_after_an_endless_angle_of_a_continuous_joint_its_pose_is_right_again(tmp_path):
    (tmp_path / "turning.urdf").write_text(_TURNING)
    cell = so.Cell()
    cell.add_robot(tmp_path / "turning.urdf", name="a")
    cell.add_body("post", so.Sphere(0.01), so.pose((-1.0, 0.0, 0.0)))
    watch = WatchEngine(cell, WatchOptions(between=True))
    values = [0.1] * 5 + [np.inf, 1e300, -np.inf, 1e17] + [0.1] * 10
    reports = [
        watch.cycle(t, ((0, at(t, a=value)),))
        for t, value in zip(1.0 + 0.01 * np.arange(len(values)), values)
    ]
    assert [r.state for r in reports[5:9]] == [FAULT] * 4 and reports[-1].state is SAFE
    assert reports[-1].q[0] == pytest.approx(0.1, abs=1e-9)
