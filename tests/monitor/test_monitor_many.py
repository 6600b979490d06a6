"""Many readings in one call are answered as one by one, bit for bit."""

import numpy as np
import pytest

import standoff as so
from standoff.papers import testbed


def watched(index, between):
    cell = testbed.testbed_cell()
    cell.add_body("cart", so.Box((0.3, 0.3, 0.3)), so.pose((3.0, 0.0, 0.2)), moving=True)
    return so.Monitor(cell, buffer=testbed.BUFFER, index=index, between=between, period=0.05)


def readings(cell, seed):
    """Two tasks on end, with what goes wrong now and then: no number, a jump, a clock that waits,
    stands or runs back."""
    rng = np.random.default_rng(seed)
    Q = np.concatenate([task.joints(cell)[-150:] for task in testbed.TASKS[:2]])
    times = 0.05 * np.arange(1.0, len(Q) + 1.0)
    for k in rng.choice(np.arange(20, len(Q) - 1), 5, replace=False):
        what = rng.integers(4)
        if what == 0:
            Q[k, rng.integers(Q.shape[1])] = np.nan
        elif what == 1:
            Q[k] += 0.5
        elif what == 2:
            times[k:] += 1.0
        else:
            times[k] = times[k - 1] - rng.choice([0.0, 0.02])
    return Q, times


def said(cycle):
    faults = [(fault.kind, fault.element, str(fault.value)) for fault in cycle.faults]
    return cycle.number, cycle.time, cycle.clearance, cycle.bits, faults


@pytest.mark.parametrize("index", ["octree", "grid", "naive"])
@pytest.mark.parametrize("between", [False, True])
def test_the_answers_are_those_of_one_by_one(index, between):
    one, many = watched(index, between), watched(index, between)
    pose = so.pose((3.0, 0.0, 0.2))[None]
    for seed in range(3):
        Q, times = readings(one.cell, seed)
        times += 1e3 * seed
        expected = [said(one.update(q, pose, float(t))) for q, t in zip(Q, times)]
        answers, warned = [], 0
        while len(answers) < len(Q):
            k = len(answers)
            clearances = np.full(len(Q) - k, np.nan)
            quiet, cycle = many.update_many(Q[k:], times[k:], clearances, pose)
            for j in range(quiet):
                number = expected[k + j][0]
                answers.append((number, float(times[k + j]), clearances[j], b"", []))
            if cycle is None and len(answers) < len(Q):
                cycle = many.update(Q[k + quiet], pose, float(times[k + quiet]))
            if cycle is not None:
                answers.append(said(cycle))
                warned += bool(cycle.warnings)
        assert answers == expected
        assert warned


def test_what_cannot_be_handed_over_is_left_to_update():
    monitor = watched("octree", False)
    pose = so.pose((3.0, 0.0, 0.2))[None]
    Q, times = readings(monitor.cell, 0)
    Q, times = Q[:10], times[:10]
    room = np.zeros(10)
    assert monitor.update_many(Q, times, room, pose) == (0, None)  # nothing was read before
    monitor.update(Q[0], pose, float(times[0]) - 0.05)
    for q, t, p in (
        (Q[:, :-1], times, pose),
        (np.asfortranarray(Q), times, pose),
        (Q.astype(np.float32), times, pose),
        (Q[:9], times, pose),
        (Q, times.astype(int), pose),
        (Q, times, None),
        (Q, times, pose[:, :3]),
    ):
        assert monitor.update_many(q, t, room, p) == (0, None)
    for short in (room[:9], room.astype(np.float32), np.zeros(20)[::2], None):
        with pytest.raises(so.errors.MonitorError, match="clearances"):
            monitor.update_many(Q, times, short, pose)
    assert monitor.update_many(Q, times, room, pose)[0] == 10
