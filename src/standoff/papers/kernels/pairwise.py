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

A pair is first put in by the balls around its bodies, and their distances are taken when its turn
comes (``lazy``): where a segment collides, most pairs never get it.

With δ > 0 a pair found nearer than that at one of these instants ends the search as a hit (the
paper's pseudo-collision); in between, only contact is ruled out.

How far the pairs of `pairwise` can move, and how long that keeps them apart.

The priority queue of `pairwise`, most uncovered length first, and the tree of its intervals.
"""

from __future__ import annotations

import math

from standoff.compiled.jit import entry, kernel
from standoff.motion.kernels.bound import (
    BODY_FRAME,
    CHAIN0,
    curvature,
    joint_magnitudes,
    path_length,
    speed_slack,
    travel_beyond,
    widen_reach,
)
from standoff.motion.kernels.certify import free_span
from standoff.motion.kernels.closing import nearing_speed
from standoff.papers.kernels.sampled import (
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
from standoff.robots.kernels.kinematics import DEPTH, place_frames
from standoff.tolerances import EPS, SPAN_ROUNDING

#: No room for another entry: to be run again with longer tables.
FULL = 3

MIDDLE = 0
EDGES = 1
UNCOVERED_MIDDLE = 2


@entry(
    "void(int64[::1], float64[:,::1], int64[:,::1], float64[:,::1], float64[:,::1], float64[:,::1],"
    " float64, boolean, int64, boolean, boolean, int64, int64, int64[::1], int64[::1],"
    " float64[:,::1], float64[:,::1], float64[:,::1], int64[:,::1], float64[:,::1],"
    " int64[:,::1], float64[:,::1], int64[::1], int64[:,::1], int64[:,::1], int64[:,::1],"
    " float64[::1], float64[:,::1], float64[::1],"
    " float64[::1], float64[:,::1], float64[:,::1], float64[:,::1], float64[::1], float64[:,::1],"
    " float64[:,::1], float64[:,::1], int64[:,::1], int64[::1], int64[:,::1], int64[::1],"
    " float64[::1], int64[::1], float64[:,::1], int64[:,::1], float64[::1])"
)
def pairwise_segments(
    at, reals, ints, turns, QA, QB, delta, sharp, cover, shared, lazy, effort, budget,
    movers, frame, local, balls, rows, refs, points, faces, nodes, gints, pairs,
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
            at, reals, ints, turns, QA[s], QB[s], delta, sharp, cover, shared, lazy, effort, budget,
            movers, frame, local, balls, rows, refs, points, faces, nodes, gints, pairs,
            bodies, mpoints, motion[1], limits, q, poses, twists,
            entries, tags, heap, intervals, state, work, iwork, out, found, where, s,
        )  # fmt: skip


@kernel
def _segment(
    at, reals, ints, turns, qa, qb, delta, sharp, cover, shared, lazy, effort, budget,
    movers, frame, local, balls, rows, refs, points, faces, nodes, gints, pairs,
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
        length = limits[p, LENGTH]
        if lazy:
            sa = first_order(ball_gap(poses, balls, frame, pairs, p, 0), limits, p)
            sb = first_order(ball_gap(poses, balls, frame, pairs, p, frames), limits, p)
            if covered(0.0, 1.0, sa, sb):
                continue
            interval = UNMEASURED
        else:
            sa, sb = _ends(
                at, delta, effort, rows, refs, points, faces, nodes, gints, pairs, limits,
                work, iwork, out, found, where, s, p,
            )  # fmt: skip
            if sa < 0.0:
                return HIT
            interval = 0
        if not covered(0.0, 1.0, sa, sb) and not push(
            entries, tags, heap, state, length, p, interval, 0.0, 1.0, sa, sb, -1
        ):
            return FULL
    while state[SIZE] > 0:
        e = pop(entries, heap, state)
        p, interval = tags[e, PAIR], tags[e, INTERVAL]
        ta, tb, sa, sb = entries[e, TA], entries[e, TB], entries[e, SA], entries[e, SB]
        i, j = pairs[p, PRIM_A], pairs[p, PRIM_B]
        if interval == UNMEASURED:
            # The bodies are farther apart than the balls: it may be another pair's turn.
            sa, sb = _ends(
                at, delta, effort, rows, refs, points, faces, nodes, gints, pairs, limits,
                work, iwork, out, found, where, s, p,
            )  # fmt: skip
            if sa < 0.0:
                return HIT
            if covered(0.0, 1.0, sa, sb):
                release(tags, state, e)
            else:
                push(entries, tags, heap, state, limits[p, LENGTH], p, 0, 0.0, 1.0, sa, sb, e)
            continue
        if sharp and tb - ta == 1.0:
            sa = second_order(sa, limits, p, poses, twists, frames, 0, bodies, mpoints, pairs)
            sb = second_order(sb, limits, p, poses, twists, frames, 1, bodies, mpoints, pairs)
            if covered(ta, tb, sa, sb):
                release(tags, state, e)
                continue
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
                t, ta, sa = right, left, span
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
            if d == NEAR or contained(
                at, d, False, here, refs, i, j, points, faces, nodes, gints, work, iwork
            ):
                found[s, HIT_PAIR], where[s] = p, t
                return HIT
            span = first_order(d, limits, p)
            if sharp and not (covered(ta, t, sa, span) and covered(t, tb, span, sb)):
                span = second_order(
                    span, limits, p, poses, twists, frames, slot, bodies, mpoints, pairs
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
def _ends(
    at, delta, effort, rows, refs, points, faces, nodes, gints, pairs, limits, work, iwork, out,
    found, where, s, p,
):  # fmt: skip
    """What is free of a whole segment from either end; -1 where the pair is not apart at one, or
    one of the two is inside the other."""
    prims = refs.shape[0]
    i, j = pairs[p, PRIM_A], pairs[p, PRIM_B]
    sa = sb = 0.0
    for end in range(2):
        here = rows[end * prims : (end + 1) * prims]
        found[s, DISTANCES] += 1
        # What lies beyond the whole way is of no use.
        d = apart(at, here, refs, i, j, points, faces, nodes, gints, delta, limits[p, LENGTH],
                  effort, work, iwork, out)  # fmt: skip
        inside = False
        if d != NEAR:
            inside = contained(
                at, d, end == 0, here, refs, i, j, points, faces, nodes, gints, work, iwork
            )
        if d == NEAR or inside:
            found[s, HIT_PAIR], where[s] = p, float(end)
            return -1.0, -1.0
        sa, sb = sb, first_order(d, limits, p)
    return sa, sb


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


@kernel
def first_order(d, limits, p):
    """How long the pair stays free by the paper's bound."""
    return free_span(d - limits[p, STRAY], limits[p, LENGTH], 0.0)


@kernel
def second_order(span, limits, p, poses, twists, frames, slot, bodies, mpoints, pairs):
    """The same by the speed at this instant and the curvature, where that is longer. The distance
    is what the first order made its ``span`` of."""
    d = span * limits[p, LENGTH]
    if not d < math.inf:
        return span
    first, last = slot * frames, (slot + 1) * frames
    speed = limits[p, SLACK] + nearing_speed(
        poses[first:last], twists[first:last], bodies, mpoints,
        pairs[p, BODY_A], pairs[p, BODY_B], pairs[p, COMMON],
    )  # fmt: skip
    return max(span, free_span(d, speed, limits[p, CURVATURE]))


@kernel
def ball_gap(poses, balls, frame, pairs, p, first):
    """The gap between the balls around the two primitives of a pair, at the frames from row
    ``first`` of ``poses`` on."""
    i, j = pairs[p, PRIM_A], pairs[p, PRIM_B]
    f, g = first + frame[i], first + frame[j]
    total = 0.0
    for r in range(0, 12, 4):
        x = poses[f, r + 3] - poses[g, r + 3]
        for c in range(3):
            x += poses[f, r + c] * balls[i, c] - poses[g, r + c] * balls[j, c]
        total += x * x
    return math.sqrt(total) - balls[i, 3] - balls[j, 3]


#: Columns of ``entries``: priority [m], both ends, what is free from either end.
KEY = 0
TA = 1
TB = 2
SA = 3
SB = 4
ENTRY_COLUMNS = 5

#: Columns of ``tags``: the pair, and the interval (-1: one that nobody shares; -2: the whole
#: segment, at whose ends nothing but balls was measured).
PAIR = 0
INTERVAL = 1
TAG_COLUMNS = 2
UNMEASURED = -2

#: Columns of ``intervals``: the slot of the poses in the middle, then both halves; -1 where there
#: is none yet.
MIDDLE_SLOT = 0
FIRST_HALF = 1
INTERVAL_COLUMNS = 3

#: Numbers of ``state``: entries in the heap, rows ever used, slots and intervals in use, and the
#: first row that is free again (-1: none).
SIZE = 0
MADE = 1
SLOTS = 2
INTERVALS = 3
SPARE = 4
STATE = 5

#: What rounding does to instants, which run from 0 to 1, and to their differences, [-].
INSTANT_SLACK = SPAN_ROUNDING


@kernel
def clear(intervals, state):
    """Nothing but the whole segment, whose ends have the slots 0 and 1."""
    state[SIZE], state[MADE], state[SPARE] = 0, 0, -1
    state[SLOTS], state[INTERVALS] = 2, 1
    for c in range(INTERVAL_COLUMNS):
        intervals[0, c] = -1


@kernel
def covered(ta, tb, sa, sb):
    """Whether what is free from both ends meets."""
    return sa + sb > tb - ta + INSTANT_SLACK


@kernel
def half_of(intervals, state, interval, which):
    """The number of a half of an interval; -1 where there is no room to remember it."""
    half = intervals[interval, FIRST_HALF + which]
    if half < 0 and state[INTERVALS] < intervals.shape[0]:
        half = state[INTERVALS]
        state[INTERVALS] += 1
        intervals[interval, FIRST_HALF + which] = half
        for c in range(INTERVAL_COLUMNS):
            intervals[half, c] = -1
    return half


@kernel
def push(entries, tags, heap, state, length, p, interval, ta, tb, sa, sb, row):
    """Put a stretch that is not covered into the queue, in a ``row`` that is no longer needed, or
    where it is -1 in another; false where there is no room."""
    if row < 0:
        row = state[SPARE]
        if row >= 0:
            state[SPARE] = tags[row, PAIR]
        elif state[MADE] < entries.shape[0]:
            row = state[MADE]
            state[MADE] += 1
        else:
            return False
    key = length * (tb - ta - sa - sb)
    entries[row, KEY], entries[row, TA], entries[row, TB] = key, ta, tb
    entries[row, SA], entries[row, SB] = sa, sb
    tags[row, PAIR], tags[row, INTERVAL] = p, interval
    at = state[SIZE]
    state[SIZE] += 1
    while at > 0 and key > entries[heap[(at - 1) // 2], KEY]:
        heap[at] = heap[(at - 1) // 2]
        at = (at - 1) // 2
    heap[at] = row
    return True


@kernel
def release(tags, state, row):
    """Let another entry have this one's row."""
    tags[row, PAIR] = state[SPARE]
    state[SPARE] = row


@kernel
def pop(entries, heap, state):
    """The entry with the most uncovered length, taken out of the queue."""
    first = heap[0]
    state[SIZE] -= 1
    size = state[SIZE]
    row = heap[size]
    key = entries[row, KEY]
    at = 0
    while 2 * at + 1 < size:
        below = 2 * at + 1
        if below + 1 < size and entries[heap[below + 1], KEY] > entries[heap[below], KEY]:
            below += 1
        if key >= entries[heap[below], KEY]:
            break
        heap[at] = heap[below]
        at = below
    heap[at] = row
    return first
