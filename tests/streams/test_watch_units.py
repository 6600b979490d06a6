"""A recording in degrees is one fault that names what mends it, not one of each joint and link."""

import numpy as np

from standoff.streams.engine import WatchEngine
from standoff.streams.report import State
from tests.worlds.watch_worlds import OPTIONS, engine, new_cell, only_safe, readings, run, task


def reasons(reports):
    return {(r.kind, r.element) for report in reports for r in report.reasons}


def test_a_recording_in_degrees_is_one_fault_that_names_the_option():
    reports = run(engine(), readings(np.rad2deg(task(1))))
    assert {r.state for r in reports} == {State.FAULT}
    faults = reasons(reports) - {k for k in reasons(reports) if k[0] == "warning"}
    assert faults == {("limits", "arms")}
    (text,) = {r.text for report in reports for r in report.reasons if r.kind == "limits"}
    assert "look like degrees" in text and 'angles = "deg"' in text and "[[stream]]" in text
    assert "left/joint" in text
    assert sum(r.changed for r in reports) <= 2


def test_the_option_that_is_named_mends_it():
    cell = new_cell()
    cell.map_stream("arms", angles="deg")
    watch = WatchEngine(cell, OPTIONS, ["arms"])
    assert only_safe(run(watch, readings(np.rad2deg(task(1)))))


def test_one_source_of_two_in_degrees_is_the_one_that_is_named():
    names = new_cell().joints
    watch = engine(sources=("left.csv", "right.csv"))
    left = readings(task(1)[:30, :7], names=names[:7])
    right = readings(np.rad2deg(task(1)[:30, 7:]), names=names[7:])
    reports = [
        watch.cycle(now, ((0, a), (1, b))) for (now, a), (_, b) in zip(left, right, strict=True)
    ]
    found = {k for k in reasons(reports) if k[0] not in ("warning", "waiting")}
    assert found == {("limits", "right.csv")}


def test_it_ends_like_any_fault_of_limits():
    Q = task(1)[:40].copy()
    Q[10:12] = np.rad2deg(Q[10:12])
    reports = run(engine(), readings(Q))
    assert only_safe(reports[:10]) and ("limits", "arms") in reasons(reports[10:12])
    assert only_safe(reports[-10:])


def test_one_spoilt_joint_is_a_fault_of_this_joint():
    Q = task(1)[:20].copy()
    Q[10, 3] = 70.0
    reports = run(engine(), readings(Q))
    texts = [r.text for r in reports[10].reasons if r.element == "left/joint4"]
    assert texts and "these look like degrees" in texts[0]
    assert ("limits", "arms") not in reasons(reports)
