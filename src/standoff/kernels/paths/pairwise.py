"""The exact segment check as paper 001 has it: one entry of a priority queue for each pair.

An entry is a stretch [ta, tb] of the segment on which one pair is still open, with what is known
to be free from either end: ``sa`` from ta onwards, ``sb`` from tb back. What lies between,

    tb - ta - sa - sb,

is uncovered; times the pair's top speed λ, in metres, it is the entry's priority. With the paper's
``s = d / λ`` that is ``λ_i + λ_j - d(q_a) - d(q_b)``, the left side of (2) less the right. The
entry with most of it is split next, in one of the three ways of Fig. 4:

    (a) in the middle, so that all pairs are asked at the same instants, and poses can be shared;
    (b) at both edges of what is uncovered, which leaves one entry, but covers half in vain;
    (c) in the middle of what is uncovered.

With δ > 0 a pair found nearer than that at one of these instants ends the search as a hit (the
paper's pseudo-collision); in between, only contact is ruled out.
"""

from __future__ import annotations

from standoff.constants import EPS
from standoff.kernels.closing import nearing_speed
from standoff.kernels.jit import entry, kernel
from standoff.kernels.kinematics import DEPTH, place_frames
from standoff.kernels.motion import (
    BODY_FRAME,
    CHAIN0,
    curvature,
    joint_magnitudes,
    path_length,
    speed_slack,
    travel_beyond,
    widen_reach,
)
from standoff.kernels.paths.pairwise_queue import (
    INSTANT_SLACK,
    INTERVAL,
    MIDDLE_SLOT,
    PAIR,
    SA,
    SB,
    SIZE,
    SLOTS,
    TA,
    TB,
    clear,
    covered,
    half_of,
    pop,
    push,
    release,
)
from standoff.kernels.paths.sampled import (
    BODY_A,
    BODY_B,
    COMMON,
    CONFIGURATIONS,
    DISTANCES,
    FREE,
    HIT,
    HIT_PAIR,
    NEAR,
    PRIM_A,
    PRIM_B,
    STATUS,
    UNDECIDED,
    apart,
    contained,
    instant,
    place_movers,
)
from standoff.kernels.separation import free_span

#: No room for another entry: to be run again with longer tables.
FULL = 3

MIDDLE = 0
EDGES = 1
UNCOVERED_MIDDLE = 2

#: Columns of ``limits``: λ, M, what is taken from a distance once, what is added to a speed.
LENGTH = 0
CURVATURE = 1
STRAY = 2
SLACK = 3
LIMIT_COLUMNS = 4

MOTION_ROWS = 8


@kernel
def measure(reals, ints, bodies, chain, reach, extent, size, pairs, qa, qb, motion, totals, limits):
    """``limits`` of every pair over the segment, ``totals`` of every body from the world on;
    ``motion`` is scratch of MOTION_ROWS rows, as long as there are joints, frames or chains."""
    frames, joints, links = reals.shape[0], qa.shape[0], reach.shape[0]
    low, high, moved, rounded = motion[0], motion[1], motion[2], motion[3]
    speed, error, beyond, wide = motion[4], motion[5], motion[6], motion[7]
    for j in range(joints):
        low[j], high[j] = min(qa[j], qb[j]), max(qa[j], qb[j])
        moved[j] = abs(qb[j] - qa[j])
        rounded[j] = EPS * (abs(qa[j]) + abs(qb[j]))
    joint_magnitudes(reals, ints, moved, speed)
    joint_magnitudes(reals, ints, rounded, error)
    widen_reach(reals, ints, bodies, chain, reach, low, high, wide[:links])
    travel_beyond(reals, ints, low, high, beyond[:frames])
    for j in range(joints):
        low[j] = max(abs(qa[j]), abs(qb[j]))
    for body in range(bodies.shape[0]):
        frame, first = bodies[body, BODY_FRAME], bodies[body, CHAIN0]
        last = first + ints[frame, DEPTH]
        far = extent[frame] + beyond[frame] + size[body]
        totals[body, LENGTH] = path_length(chain, wide, first, last, speed)
        totals[body, CURVATURE] = curvature(chain, wide, first, last, speed)
        totals[body, STRAY] = path_length(chain, wide, first, last, error)
        totals[body, SLACK] = speed_slack(
            reals, ints, chain, wide, first, last, speed, low, far
        )  # fmt: skip
    for p in range(pairs.shape[0]):
        a, b, common = pairs[p, BODY_A], pairs[p, BODY_B], pairs[p, COMMON]
        for k in range(LIMIT_COLUMNS):
            limits[p, k] = totals[a, k] + totals[b, k]
        if common == 0:
            continue
        limits[p, LENGTH] = limits[p, CURVATURE] = 0.0
        for side in range(2):
            body = pairs[p, BODY_A + side]
            first = bodies[body, CHAIN0]
            start, stop = first + ints[common, DEPTH], first + ints[bodies[body, BODY_FRAME], DEPTH]
            limits[p, LENGTH] += path_length(chain, wide, start, stop, speed)
            limits[p, CURVATURE] += curvature(chain, wide, start, stop, speed)


@entry(
    "void(int64[::1], float64[:,::1], int64[:,::1], float64[:,::1], float64[:,::1], float64[:,::1],"
    " float64, boolean, int64, boolean, int64, int64, int64[::1], int64[::1], float64[:,::1],"
    " float64[:,::1], int64[:,::1], float64[:,::1], int64[:,::1], float64[:,::1], int64[::1],"
    " int64[:,::1], int64[:,::1], int64[:,::1], float64[::1], float64[:,::1], float64[::1],"
    " float64[::1], float64[:,::1], float64[:,::1], float64[:,::1], float64[::1], float64[:,::1],"
    " float64[:,::1], float64[:,::1], int64[:,::1], int64[::1], int64[:,::1], int64[::1],"
    " float64[::1], int64[::1], float64[:,::1], int64[:,::1], float64[::1])"
)
def pairwise_segments(
    at, reals, ints, turns, QA, QB, delta, sharp, cover, shared, effort, budget,
    movers, frame, local, rows, refs, points, faces, nodes, gints, pairs,
    bodies, chain, reach, mpoints, extent, size, motion, totals, limits, q, poses, twists,
    entries, tags, heap, intervals, state, work, iwork, out, found, where,
):  # fmt: skip
    """Rows of ``found`` and ``where`` (the instant of the hit) for the segments from ``QA[s]`` to
    ``QB[s]``, each by itself. ``poses``, ``twists`` and ``rows`` hold the tables of many instants
    (slots) one after the other, the last for what is not shared. No more than ``budget`` distances
    are taken: beyond it a segment is UNDECIDED; FULL where the tables are too short."""
    for s in range(QA.shape[0]):
        found[s, HIT_PAIR], where[s] = -1, -1.0
        found[s, CONFIGURATIONS] = found[s, DISTANCES] = 0
        measure(
            reals, ints, bodies, chain, reach, extent, size, pairs, QA[s], QB[s],
            motion, totals, limits,
        )  # fmt: skip
        for j in range(q.shape[0]):
            motion[1, j] = QB[s, j] - QA[s, j]  # the velocity of the segment, from here on
        found[s, STATUS] = _segment(
            at, reals, ints, turns, QA[s], QB[s], delta, sharp, cover, shared, effort, budget,
            movers, frame, local, rows, refs, points, faces, nodes, gints, pairs,
            bodies, mpoints, motion[1], limits, q, poses, twists,
            entries, tags, heap, intervals, state, work, iwork, out, found, where, s,
        )  # fmt: skip


@kernel
def _segment(
    at, reals, ints, turns, qa, qb, delta, sharp, cover, shared, effort, budget,
    movers, frame, local, rows, refs, points, faces, nodes, gints, pairs,
    bodies, mpoints, dq, limits, q, poses, twists,
    entries, tags, heap, intervals, state, work, iwork, out, found, where, s,
):  # fmt: skip
    """One segment; returns its status."""
    frames, prims = reals.shape[0], refs.shape[0]
    spare = poses.shape[0] // frames - 1
    clear(intervals, state)
    for end in range(2):
        _place(reals, ints, turns, qa, qb, dq, float(end), q, poses, twists, movers, frame, local,
               rows, end, prims, sharp)  # fmt: skip
        found[s, CONFIGURATIONS] += 1
    for p in range(pairs.shape[0]):
        d = da = sa = span = 0.0
        for end in range(2):
            here = rows[end * prims : (end + 1) * prims]
            i, j = pairs[p, PRIM_A], pairs[p, PRIM_B]
            found[s, DISTANCES] += 1
            # What lies beyond the whole way is of no use.
            d = apart(at, here, refs, i, j, points, faces, nodes, gints, delta, limits[p, LENGTH],
                      effort, work, iwork, out)  # fmt: skip
            if d == NEAR or (
                end == 0
                and contained(at, d, here, refs, i, j, points, faces, nodes, gints, work, iwork)
            ):
                found[s, HIT_PAIR], where[s] = p, float(end)
                return HIT
            span = _first_order(d, limits, p)
            if end == 0:
                da, sa = d, span
        if sharp and not covered(0.0, 1.0, sa, span):
            sa = _second_order(da, sa, limits, p, poses, twists, frames, 0, bodies, mpoints, pairs)
            span = _second_order(
                d, span, limits, p, poses, twists, frames, 1, bodies, mpoints, pairs
            )
        if not covered(0.0, 1.0, sa, span) and not push(
            entries, tags, heap, state, limits[p, LENGTH], p, 0, 0.0, 1.0, sa, span, -1
        ):
            return FULL
    while state[SIZE] > 0:
        e = pop(entries, heap, state)
        p, interval = tags[e, PAIR], tags[e, INTERVAL]
        ta, tb, sa, sb = entries[e, TA], entries[e, TB], entries[e, SA], entries[e, SB]
        i, j = pairs[p, PRIM_A], pairs[p, PRIM_B]
        left, right = ta + sa - INSTANT_SLACK, tb - sb + INSTANT_SLACK
        edges = cover == EDGES and left > ta and right < tb
        count = 2 if edges else 1
        t, span = 0.5 * (ta + tb), 0.0
        if edges:
            t = left
        elif cover == UNCOVERED_MIDDLE and left > ta and right < tb:
            t = 0.5 * (left + right)
        for k in range(count):
            if found[s, DISTANCES] >= budget:
                return UNDECIDED
            slot = spare
            if k == 1:
                t, sa = right, span
            if shared and cover == MIDDLE and interval >= 0:
                slot = intervals[interval, MIDDLE_SLOT]
            if slot < 0 and state[SLOTS] == spare:
                slot = spare
            if slot < 0 or slot == spare:
                if slot < 0:
                    slot = state[SLOTS]
                    state[SLOTS] += 1
                    intervals[interval, MIDDLE_SLOT] = slot
                _place(reals, ints, turns, qa, qb, dq, t, q, poses, twists, movers, frame, local,
                       rows, slot, prims, sharp)  # fmt: skip
                found[s, CONFIGURATIONS] += 1
            here = rows[slot * prims : (slot + 1) * prims]
            found[s, DISTANCES] += 1
            d = apart(at, here, refs, i, j, points, faces, nodes, gints, delta,
                      limits[p, LENGTH] * (tb - ta), effort, work, iwork, out)  # fmt: skip
            if d == NEAR:
                found[s, HIT_PAIR], where[s] = p, t
                return HIT
            span = _first_order(d, limits, p)
            if sharp:
                span = _second_order(
                    d, span, limits, p, poses, twists, frames, slot, bodies, mpoints, pairs
                )
        if edges:
            if covered(left, right, sa, span):
                release(tags, state, e)
            else:
                push(entries, tags, heap, state, limits[p, LENGTH], p, -1, left, right, sa, span, e)
            continue
        first, second = -1, -1
        if shared and interval >= 0:
            first = half_of(intervals, state, interval, 0)
            second = half_of(intervals, state, interval, 1)
        earlier, later = not covered(ta, t, sa, span), not covered(t, tb, span, sb)
        fits = True
        if earlier:
            fits = push(entries, tags, heap, state, limits[p, LENGTH], p, first, ta, t, sa, span, e)
        if later:
            row = -1 if earlier else e
            fits &= push(
                entries, tags, heap, state, limits[p, LENGTH], p, second, t, tb, span, sb, row
            )
        if not fits:
            return FULL
        if not (earlier or later):
            release(tags, state, e)
    return FREE


@kernel
def _place(
    reals, ints, turns, qa, qb, dq, t, q, poses, twists, movers, frame, local, rows, slot, prims,
    sharp,
):  # fmt: skip
    """Everything at the instant ``t``, into a slot; with velocities where they are needed."""
    frames = reals.shape[0]
    instant(qa, qb, t, q)
    place_frames(reals, ints, q, dq, 0, turns, poses, twists, slot * frames, sharp)
    here = rows[slot * prims : (slot + 1) * prims]
    place_movers(poses[slot * frames : (slot + 1) * frames], movers, frame, local, here)


@kernel
def _first_order(d, limits, p):
    """How long the pair stays free by the paper's bound."""
    return free_span(d - limits[p, STRAY], limits[p, LENGTH], 0.0)


@kernel
def _second_order(d, span, limits, p, poses, twists, frames, slot, bodies, mpoints, pairs):
    """The same by the speed at this instant and the curvature, where that is longer."""
    first, last = slot * frames, (slot + 1) * frames
    speed = limits[p, SLACK] + nearing_speed(
        poses[first:last], twists[first:last], bodies, mpoints,
        pairs[p, BODY_A], pairs[p, BODY_B], pairs[p, COMMON],
    )  # fmt: skip
    return max(span, free_span(d - limits[p, STRAY], speed, limits[p, CURVATURE]))
