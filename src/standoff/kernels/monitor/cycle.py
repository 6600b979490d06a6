"""One safety cycle: joint angles in, imminent collisions out (paper 000, section III)."""

from __future__ import annotations

import math

from standoff.constants import AHEAD, ASIDE, BEHIND, EARLY, USUAL_SHARE
from standoff.kernels.arena import reals, wholes
from standoff.kernels.index.entries import empty
from standoff.kernels.index.layout import (
    ABSENT,
    BOXES,
    FULL,
    ITEMS,
    LINKS,
    MOVED,
    NODES,
    SPACE,
    STATE,
    STATES,
    TREE,
)
from standoff.kernels.index.update import insert, move, remove
from standoff.kernels.jit import entry, inlined, kernel
from standoff.kernels.kinematics import place_frames
from standoff.kernels.monitor import layout as m
from standoff.kernels.monitor.judge import judge, rank
from standoff.kernels.monitor.near import refresh_pairs
from standoff.kernels.monitor.place import place_movers, put_fault
from standoff.kernels.monitor.step import take_step
from standoff.kernels.monitor.way import note_joints
from standoff.kernels.pairs.batch import plain_pose


@entry(
    "Tuple((int64, float64))(int64, float64[::1], int64[::1], float64[::1], int64[::1], "
    "float64[::1], float64[:,:,::1], float64, float64, int64)"
)
def cycle(general, F, W, XF, XW, q, poses, dt, grace, stale):
    """Kinematics, buffers, update of the index and tests, for one reading.

    Args:
        general: address of `pair_distance`; 0 where all pairs have a closed form.
        F, W: the monitor's arena, see `kernels.monitor.layout`.
        XF, XW: the arena of its index.
        q: the joints.
        poses: of the moving bodies, each 4 x 4.
        dt: time since the last reading, [s]; no speed is taken to be lower than over this time.
        grace: time in which a mover may go as far as its limit takes it, [s].
        stale: not 0 where old values stand in for some of the input: speeds are then unknown.

    Returns:
        What there is to tell, bits of `kernels.monitor.layout`; and the clearance.
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
    """Nothing is changed by input that cannot be used; joints beyond their limits are noted."""
    for j in range(len(q)):
        if not math.isfinite(q[j]):
            return m.BAD_JOINT
    for b in range(poses.shape[0]):
        if not plain_pose(poses[b]):
            return m.BAD_POSE
    for j in range(len(q)):
        if q[j] < limits[j, 0]:
            put_fault(faults, counts, m.LIMITS_FAULT, j, q[j], limits[j, 0])
        elif q[j] > limits[j, 1]:
            put_fault(faults, counts, m.LIMITS_FAULT, j, q[j], limits[j, 1])
    return 0


@kernel
def update_index(boxes, items, nodes, space, tree, links, state, motion, extended, fresh, basis,
                 counts, scales):  # fmt: skip
    """Register anew every mover that left the room it is registered with; in the two ways that the
    paper rejected, by taking it out and putting it in again, or by building everything anew.

    With a reserve, those who are about to leave are registered in cycles in which fewer than usual
    did leave, so that the work is spread over the cycles."""
    mode = counts[0, m.UPDATE_MODE]
    if mode == m.REBUILD:
        rebuild(boxes, items, nodes, space, tree, links, state, extended, counts[0, m.MOVERS])
        return
    smallest = scales[0, m.SMALLEST]
    usual = max(1.0, scales[0, m.REGISTERED])
    registered, waiting = 0, 0
    for i in range(counts[0, m.MOVERS]):
        if items[i, STATE] == ABSENT:
            continue
        reserve = motion[i, m.RESERVE]
        if reserve > 0.0:
            if within(extended, boxes, i, EARLY * reserve):
                continue
            if within(extended, boxes, i, 0.0):
                waiting += 1
                continue
            widen(extended, basis, i, reserve * spread(counts), fresh)
            move(boxes, items, nodes, space, tree, links, state, i, fresh, 0, smallest)
            registered += 1
            continue
        # Without a reserve it must be where it was: a box that shrinks may leave nodes.
        stays = True
        for c in range(6):
            stays = stays and extended[i, c] == boxes[i, c]
            fresh[0, c] = extended[i, c]
        if stays:
            continue
        if mode == m.REINSERT:
            remove(items, tree, links, state, i)
            for c in range(6):
                boxes[i, c] = extended[i, c]
            insert(boxes, items, nodes, space, tree, links, state, i)
        else:
            move(boxes, items, nodes, space, tree, links, state, i, fresh, 0, smallest)
    for i in range(counts[0, m.MOVERS]):
        if waiting == 0 or registered >= usual:
            break
        reserve = motion[i, m.RESERVE]
        if items[i, STATE] != ABSENT and reserve > 0.0:
            # Those of above are not met again: BEHIND times the least of `spread` exceeds EARLY.
            if not within(extended, boxes, i, EARLY * reserve):
                widen(extended, basis, i, reserve * spread(counts), fresh)
                move(boxes, items, nodes, space, tree, links, state, i, fresh, 0, smallest)
                registered += 1
                waiting -= 1
    scales[0, m.REGISTERED] += USUAL_SHARE * (registered - scales[0, m.REGISTERED])


@inlined
def within(extended, boxes, i, margin):
    """Whether mover ``i`` is inside the room it is registered with, and so far from its faces."""
    return (
        extended[i, 0] >= boxes[i, 0] + margin
        and extended[i, 1] >= boxes[i, 1] + margin
        and extended[i, 2] >= boxes[i, 2] + margin
        and extended[i, 3] <= boxes[i, 3] - margin
        and extended[i, 4] <= boxes[i, 4] - margin
        and extended[i, 5] <= boxes[i, 5] - margin
    )


@kernel
def widen(extended, basis, i, reserve, fresh):
    """The box to register mover ``i`` with, into ``fresh[0]``: wide where it is heading, narrow
    where it comes from. It heads where it went since it was last registered, from ``basis``: of the
    faces of its box, the one that moved farthest is given AHEAD of the reserve if it moved
    outwards and BEHIND if inwards, one that stood still ASIDE, and the rest what lies between."""
    farthest = 0.0
    for c in range(6):
        farthest = max(farthest, abs(extended[i, c] - basis[i, c]))
    for c in range(6):
        part = 1.0
        if 0.0 < farthest < math.inf:
            outwards = (extended[i, c] - basis[i, c]) / farthest
            if c < 3:
                outwards = -outwards
            part = ASIDE + outwards * (AHEAD - ASIDE if outwards > 0.0 else ASIDE - BEHIND)
        basis[i, c] = extended[i, c]
        fresh[0, c] = extended[i, c] + (part * reserve if c >= 3 else -part * reserve)


@kernel
def spread(counts):
    """A number from 0.6 to 1, another one each time. With one reserve for all, movers that begin
    together and come back together would be registered anew all in one cycle."""
    counts[0, m.DICE] = (counts[0, m.DICE] * 1103515245 + 12345) & 0x7FFFFFFF
    return 0.6 + 0.4 * (counts[0, m.DICE] / 0x7FFFFFFF)


@kernel
def rebuild(boxes, items, nodes, space, tree, links, state, extended, movers):
    """Empty the index and insert everything."""
    # MOVED remembers who is there: whoever is inserted has moved.
    for i in range(items.shape[0]):
        items[i, MOVED] = 0 if items[i, STATE] == ABSENT else 1
    empty(nodes, space, items, tree, links, state)
    for i in range(items.shape[0]):
        if items[i, MOVED] == 0:
            continue
        if i < movers:
            for c in range(6):
                boxes[i, c] = extended[i, c]
        insert(boxes, items, nodes, space, tree, links, state, i)
