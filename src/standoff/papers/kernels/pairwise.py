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

import math

from standoff.compiled.jit import entry, kernel
from standoff.compiled.tables import Nested, Reals, Record, Records, Tables, Wholes, fields, viewer
from standoff.motion.kernels.bound import (
    BODY_FRAME,
    CHAIN0,
    CHAIN_FRAME,
    curvature,
    joint_magnitudes,
    path_length,
    widen_reach,
)
from standoff.motion.kernels.closing import nearing_speed
from standoff.papers.kernels.greedy import NEAR
from standoff.papers.kernels.sampled import (
    FOUND,
    FREE,
    FULL,
    HIT,
    UNDECIDED,
    Watched,
    apart,
    begin,
    contained,
    place_at,
)
from standoff.robots.kernels.kinematics import DEPTH
from standoff.tolerances import EPS, SMALLEST_LENGTH, SPAN_ROUNDING, SPEED_ROUNDING

#: Where an uncovered stretch is split: (a), (b), (c).
MIDDLE, EDGES, UNCOVERED_MIDDLE = range(3)

#: What rounding does to instants, which run from 0 to 1, and to their differences, [-].
INSTANT_SLACK = SPAN_ROUNDING

#: Largest free span of bodies that may meet at all, [units of time], and the largest distance it is
#: computed from, [m]: the largest float64, so that no intermediate result is infinite.
LARGEST_SPAN = 1.7976931348623157e308

#: In the place of an interval: one that nobody shares; the whole segment, at whose ends nothing but
#: balls was measured.
ALONE, UNMEASURED = -1, -2

#: Columns of ``intervals``: the slot of the poses in the middle, then both halves; -1 where there
#: is none yet.
MIDDLE_SLOT, FIRST_HALF = 0, 1
INTERVAL_COLUMNS = 3

#: Of a pair or a body over a segment: λ, M, what is taken from a distance once, what is added to a
#: speed.
LIMITS = fields(length=float, curvature=float, deviation=float, slack=float)

#: A stretch of a pair: priority [m], both ends, what is free from either end, the interval.
STRETCH = fields(key=float, ta=float, tb=float, sa=float, sb=float, pair=int, interval=int)


class Bound(Tables):
    """The tables of `motion.motion_bound.MotionBound`, and what a segment makes of them."""

    bodies = Wholes(4)
    chain = Wholes(2)
    reach = Reals()
    points = Reals(3)
    extent = Reals(doc="of each frame")
    size = Reals(doc="of each body")
    dq = Reals(doc="velocity of the segment")
    low = Reals(doc="of each joint")
    high = Reals(doc="of each joint")
    rounded = Reals(doc="what rounding does to each joint")
    speed = Reals(doc="of each frame")
    error = Reals(doc="of each frame")
    wide = Reals(doc="the reach, widened")
    totals = Records(LIMITS, "of each body, from the world on")


class Search(Tables):
    """A search by pairs."""

    watched = Nested(Watched)
    bound = Nested(Bound)
    settings = Record(fields(delta=float, sharp=int, cover=int, shared=int, lazy=int, budget=int))
    balls = Reals(4, "that hold the primitives: centre in the frame, radius")
    limits = Records(LIMITS, "of each pair")
    heap = Records(STRETCH, "the queue, the most uncovered first")
    now = Records(STRETCH, "one: what was taken out of it last")
    intervals = Wholes(INTERVAL_COLUMNS)
    state = Record(
        fields(size=int, slots=int, intervals=int),
        "entries in the heap, slots and intervals in use",
    )
    found = Records(FOUND, "of each segment")


search_at = viewer(Search)


@entry("void(int64, float64[:,::1], float64[:,::1])")
def pairwise_segments(tables, QA, QB):
    """``found`` for the segments from ``QA[s]`` to ``QB[s]``, each by itself. The first two slots
    are the ends, the last one is for what is not shared. No more than ``budget`` distances are
    taken: beyond it a segment is UNDECIDED; FULL where the tables are too short."""
    search = search_at(tables)
    for s in range(QA.shape[0]):
        found = search.found[s]
        begin(found)
        measure(search, QA[s], QB[s])
        found.status = _segment(search, (QA[s], QB[s]), found)


@kernel
def _segment(search, way, found):
    """One segment, a ``way`` from one configuration to another; returns its status."""
    clear(search)
    for end in range(2):
        _place(search, way, float(end), end, found)
    for p in range(search.watched.pairs.shape[0]):
        if search.settings.lazy:
            sa = first_order(search, p, ball_gap(search, p, 0))
            sb = first_order(search, p, ball_gap(search, p, search.watched.reals.shape[0]))
        else:
            sa, sb = _ends(search, p, found)
            if sa < 0.0:
                return HIT
        interval = UNMEASURED if search.settings.lazy else 0
        if not covered(0.0, 1.0, sa, sb) and not push(search, p, interval, 0.0, 1.0, sa, sb):
            return FULL
    while search.state.size > 0:
        pop(search)
        if search.now[0].interval == UNMEASURED:
            status = _measure_ends(search, found)
        else:
            status = _split(search, way, found)
        if status != FREE:
            return status
    return FREE


@kernel
def _measure_ends(search, found):
    """Of an entry of balls. The bodies are farther apart than those: it may be another pair's
    turn."""
    p = search.now[0].pair
    sa, sb = _ends(search, p, found)
    if sa < 0.0:
        return HIT
    if not covered(0.0, 1.0, sa, sb):
        push(search, p, 0, 0.0, 1.0, sa, sb)
    return FREE


@kernel
def _split(search, way, found):
    """An entry at one instant, or at two."""
    cover, stretch = search.settings.cover, search.now[0]
    p, ta, tb = stretch.pair, stretch.ta, stretch.tb
    if search.settings.sharp and tb - ta == 1.0:
        stretch.sa = second_order(search, p, stretch.sa, 0)
        stretch.sb = second_order(search, p, stretch.sb, 1)
        if covered(ta, tb, stretch.sa, stretch.sb):
            return FREE
    left, right = ta + stretch.sa - INSTANT_SLACK, tb - stretch.sb + INSTANT_SLACK
    apart = left > ta and right < tb
    if cover == EDGES and apart:
        return _at_edges(search, way, left, right, found)
    t = 0.5 * (left + right) if cover == UNCOVERED_MIDDLE and apart else 0.5 * (ta + tb)
    return _in_two(search, way, t, found)


@kernel
def _at_edges(search, way, left, right, found):
    """An entry at both edges of what is uncovered: what is left of it is between them."""
    stretch = search.now[0]
    p, sa = stretch.pair, _free_about(search, way, left, found)
    if sa < 0.0:
        return -int(sa)
    stretch.ta, stretch.sa = left, sa
    sb = _free_about(search, way, right, found)
    if sb < 0.0:
        return -int(sb)
    if not covered(left, right, sa, sb):
        push(search, p, ALONE, left, right, sa, sb)
    return FREE


@kernel
def _in_two(search, way, t, found):
    """An entry at one instant, which leaves two."""
    stretch = search.now[0]
    p, interval = stretch.pair, stretch.interval
    ta, tb, sa, sb = stretch.ta, stretch.tb, stretch.sa, stretch.sb
    span = _free_about(search, way, t, found)
    if span < 0.0:
        return -int(span)
    first = second = ALONE
    if search.settings.shared and interval >= 0:
        first, second = half_of(search, interval, 0), half_of(search, interval, 1)
    fits = covered(ta, t, sa, span) or push(search, p, first, ta, t, sa, span)
    fits = (covered(t, tb, span, sb) or push(search, p, second, t, tb, span, sb)) and fits
    return FREE if fits else FULL


@kernel
def _free_about(search, way, t, found):
    """How long the pair of an entry is free on either side of the instant ``t`` in it; minus HIT
    where it is not, minus UNDECIDED where the budget is used up."""
    if found.distances >= search.settings.budget:
        return -float(UNDECIDED)
    stretch = search.now[0]
    p, ta, tb = stretch.pair, stretch.ta, stretch.tb
    slot = _slot_at(search, way, stretch.interval, t, found)
    d = _distance(search, p, slot, tb - ta, False, found)
    if d == NEAR:
        found.pair, found.t = p, t
        return -float(HIT)
    span = first_order(search, p, d)
    if search.settings.sharp and not (
        covered(ta, t, stretch.sa, span) and covered(t, tb, span, stretch.sb)
    ):
        span = second_order(search, p, span, slot)
    return span


@kernel
def _slot_at(search, way, interval, t, found):
    """The slot in which everything stands at the instant ``t``. In the middle of an interval that
    pairs share it is kept, as long as there is room."""
    intervals, state, settings = search.intervals, search.state, search.settings
    kept = settings.shared and settings.cover == MIDDLE and interval >= 0
    if kept and intervals[interval, MIDDLE_SLOT] >= 0:
        return intervals[interval, MIDDLE_SLOT]
    spare = search.watched.poses.shape[0] // search.watched.reals.shape[0] - 1
    slot = spare
    if kept and state.slots < spare:
        slot = state.slots
        state.slots += 1
        intervals[interval, MIDDLE_SLOT] = slot
    _place(search, way, t, slot, found)
    return slot


@kernel
def _place(search, way, t, slot, found):
    """Everything at the instant ``t``, into a slot; with velocities where they are needed."""
    place_at(search.watched, way, t, search.bound.dq, slot, search.settings.sharp != 0)
    found.configurations += 1


@kernel
def _distance(search, p, slot, part, first, found):
    """How far apart a pair is at the instant of a slot, beyond what ``part`` of the segment can
    bring it nearer it does not matter; NEAR where it is not apart, or one of the two is inside the
    other, which at the ``first`` instant is asked of all."""
    watched, settings = search.watched, search.settings
    prims = watched.frame.shape[0]
    i, j = slot * prims + watched.pairs[p].a, slot * prims + watched.pairs[p].b
    found.distances += 1
    d = apart(watched, i, j, settings.delta, search.limits[p].length * part)
    return NEAR if d == NEAR or contained(watched, i, j, d, first) else d


@kernel
def _ends(search, p, found):
    """What is free of a whole segment from either end; -1 where the pair is not apart at one, or
    one of the two is inside the other."""
    sa = sb = 0.0
    for end in range(2):
        d = _distance(search, p, end, 1.0, end == 0, found)
        if d == NEAR:
            found.pair, found.t = p, float(end)
            return -1.0, -1.0
        sa, sb = sb, first_order(search, p, d)
    return sa, sb


@kernel
def measure(search, qa, qb):
    """``limits`` of every pair over the segment, ``totals`` of every body from the world on."""
    reals, ints, pairs = search.watched.reals, search.watched.ints, search.watched.pairs
    bound = search.bound
    dq, low, high, rounded = bound.dq, bound.low, bound.high, bound.rounded
    bodies, chain, wide, totals = bound.bodies, bound.chain, bound.wide, bound.totals
    for j in range(qa.shape[0]):
        low[j], high[j] = min(qa[j], qb[j]), max(qa[j], qb[j])
        dq[j] = abs(qb[j] - qa[j])
        rounded[j] = EPS * (abs(qa[j]) + abs(qb[j]))
    joint_magnitudes(reals, ints, dq, bound.speed)
    joint_magnitudes(reals, ints, rounded, bound.error)
    widen_reach(reals, ints, bodies, chain, bound.reach, low, high, wide)
    for j in range(qa.shape[0]):
        dq[j] = qb[j] - qa[j]
    for body in range(bodies.shape[0]):
        frame, first = bodies[body, BODY_FRAME], bodies[body, CHAIN0]
        last = first + ints[frame, DEPTH]
        far = bound.extent[frame] + bound.size[body]
        total = totals[body]
        total.length = path_length(chain, wide, first, last, bound.speed)
        total.curvature = curvature(chain, wide, first, last, bound.speed)
        total.deviation = path_length(chain, wide, first, last, bound.error)
        total.slack = speed_slack(chain[first:last], wide[first:last], bound.speed, far)
    for p in range(pairs.shape[0]):
        a, b, common = pairs[p].mover_a, pairs[p].mover_b, pairs[p].common
        limit = search.limits[p]
        limit.length = totals[a].length + totals[b].length
        limit.curvature = totals[a].curvature + totals[b].curvature
        limit.deviation = totals[a].deviation + totals[b].deviation
        limit.slack = totals[a].slack + totals[b].slack
        if common == 0:
            continue
        limit.length = limit.curvature = 0.0
        for body in (a, b):
            first = bodies[body, CHAIN0]
            start, stop = first + ints[common, DEPTH], first + ints[bodies[body, BODY_FRAME], DEPTH]
            limit.length += path_length(chain, wide, start, stop, bound.speed)
            limit.curvature += curvature(chain, wide, start, stop, bound.speed)


@kernel
def speed_slack(chain, reach, speed, extent):
    """What the rounding of products can take from a velocity of a body, where ``chain`` is its
    whole chain from the world and no point of it, nor of a frame that carries it, gets farther than
    ``extent`` from there. What rounds an angle itself, a mimic's offset or multiplier, is refused
    by `PairwiseChecker`."""
    total = 0.0
    for i in range(len(chain)):
        total += (reach[i] + extent) * speed[chain[i, CHAIN_FRAME]]
    return SPEED_ROUNDING * total


@entry("float64(float64, float64, float64)")
def free_span(d, closing, M):
    """How long it stays free: the largest ``h`` that `motion.kernels.certify.half_free` proves, as
    its root from below.

    Infinite where the bodies can never meet, ``M = 0`` and ``closing <= 0``, and only there. 0
    where ``d`` is not positive (or so small that its root would lose digits), and where anything
    is in doubt: not a number, an infinite ``closing`` or ``M``, a negative ``M``. An infinite ``d``
    counts as the largest number there is."""
    if not (d > SMALLEST_LENGTH and 0.0 <= M < math.inf and abs(closing) < math.inf):
        return 0.0
    if M == 0.0 and closing <= 0.0:
        return math.inf
    d = min(d, LARGEST_SPAN)
    root = math.hypot(closing, math.sqrt(2.0) * math.sqrt(d) * math.sqrt(M))
    span = d / (0.5 * closing + 0.5 * root) if closing > 0.0 else (root - closing) / M
    return (1.0 - SPAN_ROUNDING) * min(span, LARGEST_SPAN)


@kernel
def first_order(search, p, d):
    """How long the pair stays free by the paper's bound."""
    return free_span(d - search.limits[p].deviation, search.limits[p].length, 0.0)


@kernel
def second_order(search, p, span, slot):
    """The same by the speed at this instant and the curvature, where that is longer. The distance
    is what the first order made its ``span`` of."""
    watched, bound, limit, pair = (
        search.watched, search.bound, search.limits[p], search.watched.pairs[p]
    )  # fmt: skip
    d = span * limit.length
    if not d < math.inf:
        return span
    frames = watched.reals.shape[0]
    first, last = slot * frames, (slot + 1) * frames
    speed = limit.slack + nearing_speed(
        watched.poses[first:last], watched.twists[first:last], bound.bodies, bound.points,
        pair.mover_a, pair.mover_b, pair.common,
    )  # fmt: skip
    return max(span, free_span(d, speed, limit.curvature))


@kernel
def ball_gap(search, p, first):
    """The gap between the balls around the two primitives of a pair, at the frames from row
    ``first`` of ``poses`` on."""
    watched, balls, poses = search.watched, search.balls, search.watched.poses
    i, j = watched.pairs[p].a, watched.pairs[p].b
    f, g = first + watched.frame[i], first + watched.frame[j]
    total = 0.0
    for r in range(0, 12, 4):
        x = poses[f, r + 3] - poses[g, r + 3]
        for c in range(3):
            x += poses[f, r + c] * balls[i, c] - poses[g, r + c] * balls[j, c]
        total += x * x
    return math.sqrt(total) - balls[i, 3] - balls[j, 3]


@kernel
def clear(search):
    """Nothing but the whole segment, whose ends have the slots 0 and 1."""
    state = search.state
    state.size, state.slots, state.intervals = 0, 2, 1
    for c in range(INTERVAL_COLUMNS):
        search.intervals[0, c] = -1


@kernel
def covered(ta, tb, sa, sb):
    """Whether what is free from both ends meets."""
    return sa + sb > tb - ta + INSTANT_SLACK


@kernel
def half_of(search, interval, which):
    """The number of a half of an interval; ALONE where there is no room to remember it."""
    intervals, state = search.intervals, search.state
    half = intervals[interval, FIRST_HALF + which]
    if half < 0 and state.intervals < intervals.shape[0]:
        half = state.intervals
        state.intervals += 1
        intervals[interval, FIRST_HALF + which] = half
        for c in range(INTERVAL_COLUMNS):
            intervals[half, c] = -1
    return half


@kernel
def push(search, p, interval, ta, tb, sa, sb):
    """Put a stretch that is not covered into the queue; false where there is no room."""
    heap, at = search.heap, search.state.size
    if at == len(heap):
        return False
    search.state.size += 1
    key = search.limits[p].length * (tb - ta - sa - sb)
    while at > 0 and key > heap[(at - 1) // 2].key:
        heap[at] = heap[(at - 1) // 2]
        at = (at - 1) // 2
    stretch = heap[at]
    stretch.key, stretch.ta, stretch.tb, stretch.sa, stretch.sb = key, ta, tb, sa, sb
    stretch.pair, stretch.interval = p, interval
    return True


@kernel
def pop(search):
    """Take the stretch with the most uncovered length out of the queue, into ``now``."""
    heap, at = search.heap, 0
    search.now[0] = heap[0]
    search.state.size -= 1
    size = search.state.size
    while 2 * at + 1 < size:
        below = 2 * at + 1
        if below + 1 < size and heap[below + 1].key > heap[below].key:
            below += 1
        if heap[size].key >= heap[below].key:
            break
        heap[at] = heap[below]
        at = below
    heap[at] = heap[size]
