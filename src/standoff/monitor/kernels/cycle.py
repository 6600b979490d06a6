"""One safety cycle: joint angles in, imminent collisions out (paper 000, section III).

Cycle after cycle in one call, for as long as there is nothing to tell.
"""

from __future__ import annotations

import math

from standoff.broadphase.kernels.layout import BOXES, FULL, ITEMS, LINKS, NODES, SPACE, STATES, TREE
from standoff.compiled.arena import reals, wholes
from standoff.compiled.jit import entry, kernel
from standoff.geometry.narrowphase.batch import plain_pose
from standoff.monitor.kernels import layout as m
from standoff.monitor.kernels.judge import judge, rank
from standoff.monitor.kernels.near import refresh_pairs
from standoff.monitor.kernels.place import place_movers, put_fault
from standoff.monitor.kernels.register import update_index
from standoff.monitor.kernels.step import take_step
from standoff.monitor.kernels.sweep import note_joints
from standoff.robots.kernels.kinematics import place_frames
from standoff.tolerances import ENCODER_TOLERANCE


@entry(
    "Tuple((int64, float64))(int64, float64[::1], int64[::1], float64[::1], int64[::1], "
    "float64[::1], float64[:,:,::1], float64, float64, int64)"
)
def cycle(general, F, W, XF, XW, q, poses, dt, grace, stale):
    """Kinematics, buffers, update of the index and tests, for one reading.

    Args:
        general: address of `pair_distance`; 0 where all pairs have a closed form.
        F, W: the monitor's arena, see `monitor.kernels.layout`.
        XF, XW: the arena of its index.
        q: the joints.
        poses: of the moving bodies, each 4 x 4.
        dt: time since the last reading, [s]; no speed is taken to be lower than over this time.
        grace: time in which a mover may go as far as its limit takes it, [s].
        stale: not 0 where old values stand in for some of the input: speeds are then unknown.

    Returns:
        What there is to tell, bits of `monitor.kernels.layout`; and the clearance.
    """
    counts, faults = wholes(W, m.T_COUNTS), reals(F, W, m.T_FAULTS)
    counts[0, m.FAULTS_USED] = 0
    limits = reals(F, W, m.T_LIMITS)
    trouble = check_input(q, poses, limits, faults, counts)
    if trouble != 0:
        return trouble, math.inf
    for j in range(len(q)):
        limits[j, m.LAST] = q[j]
    sweep = counts[0, m.SWEEP_STEP]
    if sweep != 0:
        note_joints(reals(F, W, m.T_WAY), q)
    frames = reals(F, W, m.T_FRAMES)
    tree_frames = counts[0, m.TREE_FRAMES]
    place_frames(
        reals(F, W, m.T_TREE), wholes(W, m.T_LINKAGE), q, q, 0, reals(F, W, m.T_TURNS),
        frames, frames, 0, False,
    )  # fmt: skip
    for b in range(poses.shape[0]):
        for r in range(3):
            for c in range(4):
                frames[tree_frames + b, 4 * r + c] = poses[b, r, c]
    motion, extended = reals(F, W, m.T_MOTION), reals(F, W, m.T_EXTENDED)
    items = wholes(XW, ITEMS)
    place_movers(
        frames, wholes(W, m.T_FRAME), reals(F, W, m.T_LOCAL), tree_frames, reals(F, W, m.T_ROWS),
        wholes(W, m.T_REFS), reals(F, W, m.T_BEFORE), motion, items, dt, grace, stale, faults,
        counts, extended,
    )  # fmt: skip
    if sweep != 0:
        take_step(sweep, general, F, W, XF, XW, dt)
    update_index(
        reals(XF, XW, BOXES), items, reals(XF, XW, NODES), reals(XF, XW, SPACE),
        wholes(XW, TREE), wholes(XW, LINKS), wholes(XW, STATES), motion, extended,
        reals(F, W, m.T_FRESH), reals(F, W, m.T_BASIS), counts, reals(F, W, m.T_SCALES),
    )  # fmt: skip
    return tests(general, F, W, XF, XW, math.nan if stale != 0 else dt)


@entry(
    "Tuple((int64, float64))(int64, float64[::1], int64[::1], float64[::1], int64[::1], float64)"
)
def test_again(general, F, W, XF, XW, dt):
    """The tests of the last cycle once more, after its tables were enlarged; ``dt`` is NaN where
    speeds are unknown."""
    return tests(general, F, W, XF, XW, dt)


@kernel
def tests(general, F, W, XF, XW, dt):
    """Near pairs and their distances, as everything stands."""
    counts, state = wholes(W, m.T_COUNTS), wholes(XW, STATES)
    boxes, items, owner = reals(XF, XW, BOXES), wholes(XW, ITEMS), wholes(W, m.T_OWNER)
    thresholds, pairs = reals(F, W, m.T_THRESHOLDS), wholes(W, m.T_PAIRS)
    hits = reals(F, W, m.T_HITS)
    found, iwork = wholes(W, m.T_FOUND), wholes(W, m.T_IWORK)
    work, ints = reals(F, W, m.T_WORK), wholes(W, m.T_INTS)
    if not refresh_pairs(
        boxes, items, wholes(XW, TREE), wholes(XW, LINKS), state, owner, wholes(W, m.T_BODIES),
        wholes(W, m.T_EXCEPTIONS), thresholds, found.reshape(found.size), pairs, counts,
    ):  # fmt: skip
        return m.PAIRS_FULL, math.inf
    if counts[0, m.JUDGE_STEP] != 0:
        clearance = take_step(counts[0, m.JUDGE_STEP], general, F, W, XF, XW, dt)
    else:
        clearance = judge(
            general, reals(F, W, m.T_ROWS), wholes(W, m.T_REFS), reals(F, W, m.T_POINTS),
            wholes(W, m.T_FACES), reals(F, W, m.T_SOLIDS), ints.reshape(ints.size),
            reals(F, W, m.T_BEFORE), reals(F, W, m.T_MOTION), boxes, reals(F, W, m.T_EXTENDED),
            thresholds, pairs, dt, work.reshape(work.size), iwork.reshape(iwork.size), hits,
            owner, counts, state,
        )  # fmt: skip
    told = 0
    # The last row is scratch for the pairs that are no hits, and a hit in it would be written over.
    if counts[0, m.HITS_USED] >= hits.shape[0]:
        return m.HITS_FULL, clearance
    if counts[0, m.HITS_USED] > 0:
        told |= m.HITS_FOUND + m.EACH_HIT * counts[0, m.HITS_USED]
        if counts[0, m.HITS_USED] <= m.FEW_HITS:
            rank(hits, counts[0, m.HITS_USED])
    if counts[0, m.FAULTS_USED] > 0:
        told |= m.FAULTS_FOUND
    if state[0, FULL] != 0:
        told |= m.INDEX_FULL
    # Of 0 and -0 the smaller is whichever came first; added to 0 both are 0.
    return told, clearance + 0.0


@kernel
def check_input(q, poses, limits, faults, counts):
    """Nothing is changed by input that cannot be used; joints that are beyond their
    limits by more than ENCODER_TOLERANCE are noted."""
    for j in range(len(q)):
        if not math.isfinite(q[j]):
            return m.BAD_JOINT
    for b in range(poses.shape[0]):
        if not plain_pose(poses[b]):
            return m.BAD_POSE
    for j in range(len(q)):
        if q[j] < limits[j, 0] - ENCODER_TOLERANCE:
            put_fault(faults, counts, m.LIMITS_FAULT, j, q[j], limits[j, 0])
        elif q[j] > limits[j, 1] + ENCODER_TOLERANCE:
            put_fault(faults, counts, m.LIMITS_FAULT, j, q[j], limits[j, 1])
    return 0


@entry(
    "Tuple((int64, int64, float64))(int64, float64[::1], int64[::1], float64[::1], int64[::1], "
    "float64[:,::1], float64[:,:,::1], float64[::1], float64, float64, float64, float64[::1])"
)
def quiet_cycles(general, F, W, XF, XW, Q, poses, times, last, period, late, clearances):
    """A `cycle` for each row of ``Q`` at its time, up to the first with something to tell.

    Args:
        poses: of the moving bodies, the same for all rows.
        last: time of the reading before the first row, [s].
        period, late: least time that a mover is given to move, and the longest between two
            readings, [s].
        clearances: where those of the quiet cycles go.

    Returns:
        How many were quiet; what the next one told, 0 where there is none, and -1 where it was not
        run, as its time is none to follow the one before; and its clearance.
    """
    for k in range(Q.shape[0]):
        dt = times[k] - last
        if not 0.0 < dt <= late:
            return k, -1, math.inf
        told, clearance = cycle(
            general, F, W, XF, XW, Q[k], poses, dt, dt if dt > period else period, 0
        )
        if told != 0:
            return k, told, clearance
        clearances[k] = clearance
        last = times[k]
    return Q.shape[0], 0, math.inf
