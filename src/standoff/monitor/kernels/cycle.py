"""One safety cycle: joint angles in, imminent collisions out (paper 000, section III).

`quiet_cycles` runs cycle after cycle in one call, up to the first with anything to report.
"""

from __future__ import annotations

import math

from standoff.compiled.jit import entry, kernel
from standoff.geometry.narrowphase.batch import plain_pose
from standoff.monitor.kernels import tables as m
from standoff.monitor.kernels.judge import judge, rank
from standoff.monitor.kernels.near import refresh_pairs
from standoff.monitor.kernels.place import place_movers, put_fault
from standoff.monitor.kernels.register import update_index
from standoff.monitor.kernels.sweep import note_joints
from standoff.robots.kernels.kinematics import place_frames
from standoff.tolerances import ENCODER_TOLERANCE


@entry("Tuple((int64, float64))(int64, float64[::1], float64[:,:,::1], float64, float64, int64)")
def cycle(tables, q, poses, dt, grace, stale):
    """Kinematics, buffers, update of the index and tests, for one reading.

    Args:
        tables: the monitor's.
        q: the joints.
        poses: of the moving bodies, each 4 x 4.
        dt: time since the last reading, [s]; no speed is taken to be lower than over this time.
        grace: time in which a mover may go as far as its limit takes it, [s].
        stale: not 0 where old values stand in for some of the input: speeds are then unknown.

    Returns:
        Whether there is anything to tell, QUIET, HITS, EVENTS or UNUSABLE; and the clearance.
    """
    monitor = m.monitor_at(tables)
    if not check_input(monitor, q, poses):
        return m.UNUSABLE, math.inf
    plan, limits = monitor.plan, monitor.limits
    for j in range(len(q)):
        limits[j].last = q[j]
    if plan.sweep != 0:
        note_joints(monitor.between, q)
    place_tree(monitor, q)
    frames = monitor.frames
    for b in range(poses.shape[0]):
        for r in range(3):
            for c in range(4):
                frames[plan.tree_frames + b, 4 * r + c] = poses[b, r, c]
    place_movers(monitor, dt, grace, stale)
    if plan.sweep != 0:
        m.take_step(plan.sweep, tables, dt)
    update_index(monitor, monitor.index)
    return tests(tables, math.nan if stale != 0 else dt)


@kernel
def place_tree(monitor, q):
    """The frames of the joint tree."""
    frames = monitor.frames
    place_frames(monitor.tree, monitor.linkage, q, q, monitor.turns, frames, frames, False)


@entry("Tuple((int64, float64))(int64, float64)")
def test_again(tables, dt):
    """The tests of the last cycle once more, after its tables were enlarged; ``dt`` is NaN where
    speeds are unknown."""
    return tests(tables, dt)


@kernel
def tests(tables, dt):
    """Near pairs and their distances, as everything stands."""
    monitor = m.monitor_at(tables)
    plan, answer = monitor.plan, monitor.answer
    answer.pairs_full = answer.hits_full = 0
    if not refresh_pairs(monitor, monitor.index):
        answer.pairs_full = 1
        return m.EVENTS, math.inf
    if plan.judge != 0:
        clearance = m.take_step(plan.judge, tables, dt)
    else:
        clearance = judge(monitor, dt)
    if answer.hits > len(monitor.hits):
        answer.hits_full = 1
        return m.EVENTS, clearance
    if 1 < answer.hits <= m.FEW_HITS:
        rank(monitor, answer.hits)
    answer.index_full = monitor.index.state.full
    outcome = m.HITS if answer.hits > 0 else m.QUIET
    if answer.faults > 0 or answer.index_full != 0:
        outcome = m.EVENTS
    # Of 0 and -0 the smaller is whichever came first; added to 0 both are 0.
    return outcome, clearance + 0.0


@kernel
def check_input(monitor, q, poses):
    """Whether the input can be used; nothing is changed where not. Joints that are beyond their
    limits by more than ENCODER_TOLERANCE are noted."""
    monitor.answer.faults = 0
    for j in range(len(q)):
        if not math.isfinite(q[j]):
            return False
    for b in range(poses.shape[0]):
        if not plain_pose(poses[b]):
            return False
    limits = monitor.limits
    for j in range(len(q)):
        if q[j] < limits[j].lower - ENCODER_TOLERANCE:
            put_fault(monitor, m.LIMITS_FAULT, j, q[j], limits[j].lower)
        elif q[j] > limits[j].upper + ENCODER_TOLERANCE:
            put_fault(monitor, m.LIMITS_FAULT, j, q[j], limits[j].upper)
    return True


@entry(
    "Tuple((int64, int64, float64))(int64, float64[:,::1], float64[:,:,::1], float64[::1], "
    "float64, float64, float64, float64[::1])"
)
def quiet_cycles(tables, Q, poses, times, last, period, late, clearances):
    """A `cycle` for each row of ``Q`` at its time, up to the first with something to tell.

    Args:
        poses: of the moving bodies, the same for all rows.
        last: time of the reading before the first row, [s].
        period, late: least time that a mover is given to move, and the longest between two
            readings, [s].
        clearances: where those of the quiet cycles go.

    Returns:
        How many were quiet; the outcome of the next one, QUIET where there is none, and UNUSABLE
        where it was not run, as its time is none to follow the one before; and its clearance.
    """
    for k in range(Q.shape[0]):
        dt = times[k] - last
        if not 0.0 < dt <= late:
            return k, m.UNUSABLE, math.inf
        outcome, clearance = cycle(tables, Q[k], poses, dt, dt if dt > period else period, 0)
        if outcome != m.QUIET:
            return k, outcome, clearance
        clearances[k] = clearance
        last = times[k]
    return Q.shape[0], m.QUIET, math.inf
