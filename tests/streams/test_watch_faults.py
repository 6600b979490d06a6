"""Each fault of a stream has its state, its message and its recovery, and none ends the watch."""

import math

import numpy as np
import pytest

import standoff as so
from standoff.errors import MonitorError, StreamError
from standoff.streams.batch import gathered
from standoff.streams.engine import WatchEngine
from standoff.streams.faults import (
    AFTER_GOOD,
    AT_ONCE,
    NEXT_GOOD,
    POSE_RECEIVED,
    RULES,
    SINK_BACK,
)
from standoff.streams.messages import BodyPose, End, Grasp, Joints, Trouble
from standoff.streams.options import WatchOptions
from standoff.streams.report import State
from tests.worlds.watch_worlds import (
    OPTIONS,
    PERIOD,
    at,
    engine,
    kinds,
    new_cell,
    only_safe,
    readings,
    run,
    sliders,
    states,
    task,
    with_value,
)

SAFE, WARNING, STALE, FAULT = State


@pytest.fixture
def quiet():
    """A watch that has seen twenty good readings, and those that come next."""
    messages = readings(task(1)[:60])
    watch = engine()
    assert only_safe(run(watch, messages[:20]))
    return watch, messages[20:]


def recovers(watch, messages, kind, after=OPTIONS.recover):
    """The fault goes on for all but the last of ``after`` good readings."""
    reports = run(watch, messages[: after + 2])
    for report in reports[: after - 1]:
        assert kind in kinds(report) and report.state is RULES[kind].state
    assert only_safe(reports[after - 1 :])
    return reports


def test_nothing_is_known_before_every_joint_was_heard_of():
    messages = readings(task(1)[:4])
    left = [name for name in messages[0][1].names if name.startswith("left/")]
    watch = engine(sources=("left", "right"))
    for now, message in messages[:2]:
        half = Joints(message.stamp, tuple(left), message.positions[:7])
        report = watch.cycle(now, ((0, half),))
        assert report.state is STALE and kinds(report) == {"waiting"} and report.cycle is None
        assert "right/joint1" in report.reasons[0].text and report.scale == 0.0
    right = Joints(math.nan, messages[2][1].names[7:], messages[2][1].positions[7:])
    assert watch.cycle(messages[2][0], ((1, right),)).state is SAFE


def test_joints_at_rest_need_not_be_heard_of():
    options = WatchOptions(period=PERIOD, rest=True)
    names, q = new_cell().joints, new_cell().q
    watch = WatchEngine(new_cell(), options, ["left"])
    report = watch.cycle(1.0, ((0, Joints(1.0, names[:7], q[:7])),))
    assert report.cycle is not None and "waiting" not in kinds(report)


@pytest.mark.parametrize(("first", "value", "state"), [(0.02, 1.0, SAFE), (2.0, 1.0, FAULT),
                                                       (2.0, 0.0, SAFE)])  # fmt: skip
def test_a_joint_that_rested_and_is_first_told_of_elsewhere_is_a_fault(first, value, state):
    options = WatchOptions(period=0.5, max_age=0.1, rest=True)
    watch = WatchEngine(sliders("a", "b"), options, ("s",))
    run(watch, [(1.0 + 0.01 * k, at(1.0 + 0.01 * k, a=0.0)) for k in range(round(100 * first))])
    report = watch.cycle(1.0 + first, ((0, at(1.0 + first, b=value)),))
    assert report.state is state and kinds(report) == ({"jump"} if state is FAULT else set())


def test_a_pair_too_close_is_a_warning_for_as_long_as_it_is():
    messages = readings([*task(2), *task(2)[::-1]])
    reports = run(engine(), messages)
    warned = [r for r in reports if r.state is WARNING]
    assert 1 <= len(warned) < 20 and kinds(warned[0]) == {"warning"}
    assert warned[0].reasons[0].element == "left/link7 – front_table"
    assert warned[0].changed and warned[0].scale <= 1.0
    after = reports[warned[-1].number :]
    assert after and only_safe(after) and after[0].changed


def test_silence_is_stale_until_the_next_good_reading(quiet):
    watch, messages = quiet
    due = watch.due()
    assert due == watch.time + OPTIONS.age
    report = watch.tick(math.nextafter(due, 0.0))
    assert report.state is SAFE
    report = watch.tick(due)
    assert report.state is STALE and kinds(report) == {"silent"} and report.changed
    assert "arms: no valid message for 0.200 s" in report.reasons[0].text and report.scale == 0.0
    assert watch.due() == math.inf
    late = [(now + 1.0, m) for now, m in messages]
    reports = run(watch, [(now, Joints(now, m.names, m.positions)) for now, m in late[:3]])
    assert states(reports) == [STALE, SAFE, SAFE]


def test_a_gap_is_stale_even_where_nobody_ticked(quiet):
    watch, messages = quiet
    late = [(now + 1.0, Joints(now + 1.0, m.names, m.positions)) for now, m in messages]
    reports = run(watch, late[:3])
    assert states(reports) == [STALE, SAFE, SAFE]


def test_a_joint_that_is_left_out_is_a_fault(quiet):
    watch, messages = quiet
    now, message = messages[0]
    short = Joints(message.stamp, message.names[:-1], message.positions[:-1])
    report = watch.cycle(now, ((0, short),))
    assert report.state is FAULT and kinds(report) == {"missing"}
    assert report.reasons[0].element == "right/joint7"
    recovers(watch, messages[1:], "missing")


def test_one_of_two_publishers_that_is_silent_is_stale():
    names, Q = new_cell().joints, task(1)
    watch = engine()
    for k in range(40):
        now = 1.0 + 0.05 * k
        inputs = [(0, Joints(now, names[:7], Q[k][:7]))]
        report = watch.cycle(now, inputs)
        if k < 20:  # the other publisher of the same topic
            report = watch.cycle(now + 0.01, ((0, Joints(now + 0.01, names[7:], Q[k][7:])),))
    assert report.state is STALE and kinds(report) == {"silent"}
    assert [r.element for r in report.reasons] == ["arms (right/joint1, …)"]


def test_two_publishers_of_one_topic_are_no_fault():
    names, Q = new_cell().joints, task(1)
    watch = engine()
    reports = []
    for k in range(20):
        now = 1.0 + 0.05 * k
        reports += run(watch, [(now, Joints(now, names[:7], Q[k][:7]))])
        # Its clock is behind, and its names in another order, with one more.
        mixed = (*names[7:][::-1], "gripper")
        values = np.array([*Q[k][7:][::-1], 9.0])
        reports += run(watch, [(now + 0.01, Joints(now - 0.5, mixed, values))])
    assert only_safe(reports[1:])


def test_two_publishers_are_not_held_to_a_list_of_both_that_came_once():
    watch = WatchEngine(sliders("a", "b"), WatchOptions(period=0.01, max_age=0.1), ("s",))
    told = [at(1.0, a=0.0, b=0.0)]
    told += [at(1.0 + 0.01 * k, **{"ab"[k % 2]: 0.0}) for k in range(1, 40)]
    reports = run(watch, [(m.stamp, m) for m in told])
    # Nobody knows at first whether anybody will tell of the other.
    assert kinds(reports[1]) == {"missing"} and only_safe(reports[8:])
    # One of them is gone.
    now = watch.time
    alone = run(watch, [(now + 0.01 * k, at(now + 0.01 * k, a=0.0)) for k in range(1, 30)])
    assert kinds(alone[-1]) == {"silent", "missing"} and "b/x" in alone[-1].reasons[0].text


def test_a_joint_that_its_publisher_leaves_out_is_a_fault_though_it_is_fresh():
    watch = WatchEngine(sliders("a", "b"), WatchOptions(period=0.01, max_age=5.0), ("s",))
    told = [at(1.0, a=0.0, b=0.0), *(at(1.0 + 0.01 * k, a=0.0) for k in range(1, 20))]
    reports = run(watch, [(m.stamp, m) for m in told])
    assert all(kinds(report) == {"missing"} for report in reports[1:])


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_a_joint_that_is_no_number(quiet, value):
    watch, messages = quiet
    now, message = messages[0]
    report = watch.cycle(now, ((0, with_value(message, 3, value)),))
    assert report.state is FAULT and kinds(report) == {"non-finite"}
    assert report.reasons[0].element == "left/joint4" and report.scale == 0.0
    assert "finite" in report.reasons[0].text
    recovers(watch, messages[1:], "non-finite")


def test_a_source_that_is_good_does_not_end_the_fault_of_another():
    names, Q = new_cell().joints, task(1)
    watch = engine(sources=("left", "right"))
    for k in range(10):
        now = 1.0 + 0.05 * k
        left, right = Joints(now, names[:7], Q[k][:7]), Joints(now, names[7:], Q[k][7:])
        watch.cycle(now, ((0, left), (1, right)))
    now += 0.02
    bad = Joints(now, names[7:], np.full(7, math.nan))
    assert watch.cycle(now, ((1, bad),)).state is FAULT
    for _ in range(5):
        now += 0.01
        report = watch.cycle(now, ((0, Joints(now, names[:7], Q[9][:7])),))
        assert report.state is FAULT and kinds(report) == {"non-finite"}


def test_a_joint_beyond_its_limits(quiet):
    watch, messages = quiet
    low, high = new_cell().tree.lower, new_cell().tree.upper
    j = int(np.flatnonzero(np.isfinite(high))[0])
    now, message = messages[0]
    report = watch.cycle(now, ((0, with_value(message, j, high[j] + 0.01)),))
    assert report.state is FAULT and "limits" in kinds(report)
    limits = next(r for r in report.reasons if r.kind == "limits")
    assert f"{low[j]:g} to {high[j]:g}" in limits.text
    run(watch, messages[1:20])
    assert watch.state is SAFE


def test_a_jump_beyond_the_speed_bound(quiet):
    watch, messages = quiet
    now, message = messages[0]
    report = watch.cycle(now, ((0, with_value(message, 0, message.positions[0] - 0.8)),))
    assert report.state is FAULT and kinds(report) >= {"jump"}
    jump = next(r for r in report.reasons if r.kind == "jump")
    assert "moved by" in jump.text and "allowed: a move of up to" in jump.text
    run(watch, messages[1:12])
    assert watch.state is SAFE


def test_stamps_that_run_back_are_a_fault_until_they_pass_the_newest(quiet):
    watch, messages = quiet
    q = watch.received.q.tolist()
    for now, message in messages[:12]:
        back = Joints(message.stamp - 50.0, message.names, message.positions + 0.5)
        report = watch.cycle(now, ((0, back),))
        assert "backwards" in kinds(report) and report.state is FAULT
    assert any("is older than" in reason.text for reason in report.reasons)
    assert watch.received.q.tolist() == q


def test_old_messages_between_new_ones_are_never_believed(quiet):
    watch, messages = quiet
    for k, (now, message) in enumerate(messages):
        old = Joints(message.stamp - 3.0 * (k % 4 > 1), message.names, message.positions)
        assert watch.cycle(now, ((0, old),)).state is (FAULT if k > 1 else SAFE)


@pytest.mark.parametrize("stamped", [True, False])
def test_a_relay_with_its_names_in_another_order_is_not_believed_with_old_messages(quiet, stamped):
    watch, messages = quiet
    for now, message in messages:
        stamp = now - 0.5 if stamped else math.nan
        old = Joints(stamp, message.names[::-1], message.positions[::-1])
        assert watch.cycle(now, ((0, old),)).state >= STALE


@pytest.mark.parametrize("count", [1, 14])
@pytest.mark.parametrize("stamp", [0.0, -1.0])
def test_a_relay_whose_first_message_had_no_stamp_is_not_believed_with_old_ones(count, stamp):
    """It came before the list of names that had stamps, so it had a clock of its own: SAFE."""
    watch, messages = engine(), readings(task(1)[:30])
    now, message = messages[0]
    first = Joints(stamp, message.names[::-1], message.positions[::-1][:count])
    watch.cycle(now - 0.01, ((0, first),))
    assert run(watch, messages[:15])[-1].state is SAFE
    names = message.names[::-1]
    old = [(now, 0, Joints(now - 0.5, names, m.positions[::-1])) for now, m in messages[15:]]
    stretch, report = watch.stretch(gathered(old))
    assert len(stretch) == 0 and report is None
    for now, source, reading in old:
        assert watch.cycle(now, ((source, reading),)).state >= STALE


def test_a_clock_that_runs_back(quiet):
    watch, messages = quiet
    reports = run(watch, [(now - 50.0, message) for now, message in messages[:8]])
    assert {r.state for r in reports} == {FAULT} and kinds(reports[0]) == {"backwards"}


def test_a_doubled_message_is_not_used(quiet):
    watch, messages = quiet
    now, message = messages[0]
    run(watch, messages[:1])
    again = Joints(message.stamp, message.names, message.positions + 0.5)
    report = watch.cycle(now + 0.01, ((0, again),))
    assert report.state is FAULT and kinds(report) == {"doubled"}
    assert watch.received.q.tolist() == message.positions.tolist()
    recovers(watch, messages[1:], "doubled")


def test_two_readings_of_one_source_at_one_time(quiet):
    watch, messages = quiet
    now, message = messages[0]
    report = watch.cycle(now, ((0, message), (0, messages[1][1])))
    assert report.state is FAULT and kinds(report) == {"doubled"}


def test_a_late_message_is_used_and_stale(quiet):
    watch, messages = quiet
    slow = [(now + 0.3, m) for now, m in messages]
    ticked = watch.tick(watch.due())
    assert ticked.state is STALE
    reports = run(watch, slow[:3])
    assert all("late" in kinds(r) and r.state is STALE for r in reports)
    assert "late" in reports[0].reasons[0].text
    assert watch.received.q.tolist() == slow[2][1].positions.tolist()
    # It catches up.
    now = slow[2][0]
    caught = [(now + 0.01 * k, Joints(now + 0.01 * k, m.names, m.positions))
              for k, (_, m) in enumerate(messages[3:], 1)]  # fmt: skip
    recovers(watch, caught, "late")


def test_a_clock_that_drifts_is_not_late():
    Q = np.tile(task(1)[0], (4000, 1))
    watch = engine()
    drifting = [
        (100.0 + PERIOD * k, Joints((100.0 + PERIOD * k) * (1.0 - 1e-4), m.names, m.positions))
        for k, (_, m) in enumerate(readings(Q))
    ]
    assert only_safe(run(watch, drifting))


def test_garbled_and_flood_and_behind_are_faults_that_pass(quiet):
    watch, messages = quiet
    for kind in ("garbled", "flood", "behind"):
        now = watch.time + 0.01
        report = watch.cycle(now, ((0, Trouble(kind, "what it was")),))
        assert report.state is FAULT and kinds(report) == {kind}
        assert report.reasons[0].text == "arms: what it was"
        good = [(m.stamp, m) for _, m in messages if m.stamp > watch.time]
        recovers(watch, good, kind)


def test_a_source_that_dies_and_comes_back(quiet):
    watch, messages = quiet
    lost = watch.cycle(watch.time + 0.01, ((0, Trouble("lost", "connection refused")),))
    assert lost.state is STALE and kinds(lost) == {"lost"}
    assert "connection refused" in lost.reasons[0].text
    assert kinds(watch.tick(watch.due())) == {"lost", "silent"}
    back = watch.cycle(watch.time + 1.0, ((0, Trouble("back", "")),))
    assert kinds(back) == {"lost", "silent"}
    now = watch.time + 0.05
    again = [(now + PERIOD * k, Joints(now + PERIOD * k, m.names, m.positions))
             for k, (_, m) in enumerate(messages[:3])]  # fmt: skip
    assert states(run(watch, again)) == [STALE, SAFE, SAFE]


def test_a_stranger_does_not_bring_back_a_robot_that_is_gone():
    watch = WatchEngine(sliders("a", "b"), WatchOptions(period=0.01, max_age=5.0), ("s",))
    assert watch.cycle(1.0, ((0, at(1.0, a=0.0)), (0, at(1.0, b=0.0)))).state is SAFE
    assert kinds(watch.cycle(1.01, ((0, Trouble("lost", "the last peer is gone")),))) == {"lost"}
    for told in ((0, Trouble("back", "")), (0, at(1.02, c=0.0)), (0, at(1.03, b=0.0))):
        report = watch.cycle(watch.time + 0.01, (told,))
        assert report.state is STALE and kinds(report) == {"lost"} and report.scale == 0.0
    assert watch.cycle(1.05, ((0, at(1.05, a=0.0)),)).state is SAFE


def test_a_source_of_poses_is_back_with_a_pose_and_one_of_nothing_at_once():
    cell = sliders("a")
    cell.add_body("cart", so.Box((0.1, 0.1, 0.1)), so.pose((-3.0, 0.0, 0.0)), moving=True)
    watch = WatchEngine(cell, WatchOptions(period=0.01, max_age=5.0), ("s", "poses", "events"))
    cart = BodyPose(math.nan, "cart", so.pose((-3.0, 0.0, 0.0)))
    assert watch.cycle(1.0, ((0, at(1.0, a=0.0)), (1, cart))).state is SAFE
    for source in (1, 2):
        assert watch.cycle(watch.time + 0.01, ((source, Trouble("lost", "")),)).state is STALE
    back = watch.cycle(watch.time + 0.01, tuple((s, Trouble("back", "")) for s in (1, 2)))
    assert [(r.kind, r.element) for r in back.reasons] == [("lost", "poses")]
    assert watch.cycle(watch.time + 0.01, ((1, cart),)).state is SAFE


def test_a_sink_in_trouble_is_a_fault_until_it_is_back():
    watch = engine(sinks=("mcap:run.mcap",))
    messages = readings(task(1)[:20])
    run(watch, messages[:10])
    full = watch.cycle(watch.time + 0.01, ((1, Trouble("sink", "No space left on device")),))
    assert full.state is FAULT and kinds(full) == {"sink"}
    assert full.reasons[0].text == "mcap:run.mcap: No space left on device"
    assert states(run(watch, messages[11:15])) == [FAULT] * 4
    back = watch.cycle(watch.time + 0.01, ((1, Trouble("back", "")),))
    assert back.state is SAFE and back.changed


def test_names_that_mean_several_joints(quiet):
    watch, messages = quiet
    now, message = messages[0]
    bare = Joints(message.stamp, tuple(f"joint{k % 7 + 1}" for k in range(14)), message.positions)
    report = watch.cycle(now, ((0, bare),))
    assert report.state is FAULT and kinds(report) == {"names"}
    recovers(watch, messages[1:], "names")


def test_a_source_that_makes_names_up_takes_no_memory_for_it(quiet):
    watch, _ = quiet
    for k in range(500):
        watch.cycle(watch.time + 1e-3, ((0, Joints(math.nan, (f"x{k}",), np.zeros(1))),))
    assert watch.state is FAULT and len(watch.received.publishers[0]._by_names) < 100
    names = tuple(f"x{k}" for k in range(1000))
    for k in range(200):
        row = Joints(math.nan, (*names[:k], *names[k + 1 :]), np.zeros(999), partial=True)
        watch.cycle(watch.time + 1e-3, ((0, row),))
    assert watch.state is FAULT and len(watch.received.publishers[0]._by_names) < 200
    assert {"too many lists of names" in r.text for r in watch.tick(watch.time).reasons} & {True}


def test_bodies_that_are_taken_and_let_go_and_poses_that_are_none():
    import standoff as so

    cell = new_cell()
    cell.add_body("cart", so.Box((0.1, 0.1, 0.1)), so.pose((5.0, 0.0, 0.0)), moving=True)
    watch = WatchEngine(cell, OPTIONS, ["arms"])
    messages = readings(task(1)[:30])
    assert run(watch, messages[:1])[0].reasons[0].text == "waiting for cart"
    at = so.pose((5.0, 0.0, 0.0))
    for now, message in messages[1:10]:
        report = watch.cycle(now, ((0, message), (0, BodyPose(now, "cart", at))))
    assert report.state is SAFE
    now, message = messages[10]
    bad = watch.cycle(now, ((0, message), (0, BodyPose(now, "cart", np.zeros((4, 4))))))
    assert bad.state is FAULT and "pose" in kinds(bad)
    for now, message in messages[11:15]:
        report = watch.cycle(now, ((0, message), (0, BodyPose(now, "cart", at))))
    assert report.state is SAFE
    held = watch.cycle(watch.time + 0.01, ((0, Grasp(now, "cart", "left/link7")),))
    assert held.state is SAFE and not cell.moving
    no = watch.cycle(watch.time + 0.01, ((0, Grasp(now, "nothing", "left/link7")),))
    assert no.state is FAULT and kinds(no) == {"grasp"} and "nothing" in no.reasons[0].text
    watch.cycle(watch.time + 0.01, ((0, End()),))


def test_a_flood_of_everything_wrong_never_raises():
    rng = np.random.default_rng(7)
    watch = engine(sources=("a", "b"), sinks=("s",))
    names = new_cell().joints
    for _ in range(3000):
        size = int(rng.integers(0, 15))
        values = rng.choice([0.0, math.nan, math.inf, 1e300, -1e9, 0.3], size)
        which = tuple(rng.choice([*names, "x", ""], int(rng.choice([size, size + 1]))))
        now = watch.time + float(rng.choice([0.01, -5.0, 0.0, 3.0]))
        now = now if math.isfinite(now) else 0.0
        stamp = float(rng.choice([now, math.nan, -1.0, 0.0, 1e18, math.inf]))
        message = Joints(stamp, which, np.array(values))
        report = watch.cycle(now, ((int(rng.integers(0, 2)), message),))
        assert report.state in State


def test_the_table_of_the_docs_is_that_of_the_code():
    from pathlib import Path

    ends = {
        AT_ONCE: "as soon as it is over",
        AFTER_GOOD: "after `recover` good readings in a row",
        NEXT_GOOD: "with the next good reading",
        SINK_BACK: "when it takes reports again",
        POSE_RECEIVED: "after `recover` good poses of that body in a row",
    }
    text = (Path(__file__).parents[2] / "docs" / "watch.md").read_text()
    table = text.partition("| kind | state | when |")[2].partition("\n\n")[0].splitlines()[2:]
    rows = [[cell.strip() for cell in row.strip("|").split("|")] for row in table]
    assert [(row[0], row[1]) for row in rows] == [
        (f"`{kind}`", rule.state.name) for kind, rule in RULES.items()
    ]
    for row, rule in zip(rows, RULES.values(), strict=True):
        assert len(row) == 5 and row[2] and row[3] and row[4].startswith(ends[rule.ends])


def test_options_are_checked():
    for wrong in ({"buffer": -1.0}, {"period": 0.0}, {"max_age": math.nan}, {"recover": 0}):
        with pytest.raises(MonitorError):
            WatchOptions(**wrong)
    with pytest.raises(StreamError):
        WatchOptions.from_dict({"speed": 3})
    assert WatchOptions(period=1.0).age == 3.0
