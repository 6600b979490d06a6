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
"""

from __future__ import annotations

from standoff.kernels.jit import entry, kernel
from standoff.kernels.kinematics import place_frames
from standoff.kernels.paths.pairwise_bounds import (
    LENGTH,
    ball_gap,
    first_order,
    measure,
    second_order,
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
    UNMEASURED,
    clear,
    covered,
    half_of,
    pop,
    push,
    release,
)
from standoff.kernels.paths.sampled import (
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
