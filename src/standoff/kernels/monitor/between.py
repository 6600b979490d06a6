"""The tests of the near pairs over the whole way from the last reading to this one.

A pair is let pass when its distance is proved to exceed its threshold at every instant. Where the
two ends do not prove it (see `.interval`), the way is halved, and its parts again, as often as
BETWEEN_TESTS allows; what is open then is a warning.

Once a pair is known to be too close, the same search goes on for the instant at which it is nearest
(an interval is passed over when nothing in it is nearer by NEAREST_INSTANT), as far as the tests
reach.
"""

from __future__ import annotations

import math

from standoff.constants import BETWEEN_TESTS, NEAREST_INSTANT
from standoff.kernels.arena import reals, wholes
from standoff.kernels.index.layout import BOXES, BOXES_FIRST, PAIR_TESTS, STATES, TECHNIQUES
from standoff.kernels.jit import entry, kernel
from standoff.kernels.kinematics import DEPTH
from standoff.kernels.layout import KIND, MESH, OUT_COLUMNS, SLACK
from standoff.kernels.monitor import layout as m
from standoff.kernels.monitor.instant import measure, note_stop, place_two, take_two
from standoff.kernels.monitor.interval import interval_free, separated
from standoff.kernels.monitor.judge import closing_speed, put_bodies
from standoff.kernels.monitor.near import extended_meet
from standoff.kernels.monitor.parting import parting
from standoff.kernels.monitor.step import STEP
from standoff.kernels.motion import CHAIN0, common_frame, curvature, path_length

#: Rows of ``stops``: the instant up to which all is free; then the ends of the intervals still
#: open, the nearest last; and the nearest instant of all.
LEFT = 0
RIGHT = 1
BEST = BETWEEN_TESTS + 2
STOP_ROWS = BETWEEN_TESTS + 3


@entry(STEP)
def judge_between(general, F, W, XF, XW, dt):
    """As `judge`, over the whole way: writes and counts the pairs that are not proved to keep their
    distance, and returns the smallest distance measured. A step of the cycle."""
    boxes, state = reals(XF, XW, BOXES), wholes(XW, STATES)
    counts, pairs, owner = wholes(W, m.T_COUNTS), wholes(W, m.T_PAIRS), wholes(W, m.T_OWNER)
    rows, refs, hits = reals(F, W, m.T_ROWS), wholes(W, m.T_REFS), reals(F, W, m.T_HITS)
    extended, motion = reals(F, W, m.T_EXTENDED), reals(F, W, m.T_MOTION)
    sway, thresholds = reals(F, W, m.T_SWAY), reals(F, W, m.T_THRESHOLDS)
    movers = counts[0, m.MOVERS]
    boxed = (state[0, TECHNIQUES] & BOXES_FIRST) != 0
    last = hits.shape[0] - 1
    found = 0
    clearance = math.inf
    for p in range(counts[0, m.PAIRS_USED]):
        a, b, rule = pairs[p, 0], pairs[p, 1], pairs[p, 2]
        if boxed and not extended_meet(extended, boxes, movers, a, b):
            continue
        state[0, PAIR_TESTS] += 1
        k = min(found, last)
        measure(general, F, W, rows, refs, a, b, hits, k)
        sweep, stray = sway[a, m.SWEEP], sway[a, m.STRAY]
        threshold = motion[a, m.BUFFER]
        if b < movers:
            sweep += sway[b, m.SWEEP]
            stray += sway[b, m.STRAY]
            threshold += motion[b, m.BUFFER]
        if rule != m.BUFFERS:
            threshold = thresholds[rule, 0]
        left = hits[k, 0] - hits[k, SLACK]
        free = left > threshold
        hits[k, m.WHEN] = 1.0
        if sweep > 0.0 and not left - sweep - stray > threshold:
            free = certify(general, F, W, a, b, threshold, stray, hits, k, state)
        clearance = min(clearance, hits[k, 0])
        if free:
            continue
        hits[k, m.THRESHOLD] = threshold
        hits[k, m.CLOSING] = closing_between(F, W, a, b, dt, hits, k)
        before = reals(F, W, m.T_BEFORE)
        hits[k, m.PARTS] = parting(rows, refs, before, motion, counts, a, b, rule, hits, k)
        put_bodies(hits, k, owner[a, 0], owner[b, 0])
        found += 1
    counts[0, m.HITS_USED] = found
    return clearance


@kernel
def certify(general, F, W, a, b, threshold, stray, hits, k, state):
    """Whether slots ``a`` and ``b`` keep farther apart than ``threshold`` on the whole way. Hit
    ``k`` holds their distance now, and in the end that of the nearest instant looked at. CLOSING is
    then how fast their distance shrank up to that instant since the last reading; if they were
    nearest there, how fast it did since: less than 0, as they parted."""
    rows, refs, stops = reals(F, W, m.T_ROWS), wholes(W, m.T_REFS), reals(F, W, m.T_STOPS)
    two, two_refs, points = reals(F, W, m.T_TWO), wholes(W, m.T_TWO_REFS), reals(F, W, m.T_POINTS)
    free = hits[k, 0] - hits[k, SLACK] > threshold
    c, length, bend, doubt = relative_motion(F, W, a, b)
    take_two(rows, refs, a, b, two, two_refs)
    note_stop(stops, RIGHT, 1.0, two, reals(F, W, m.T_FRAMES), c)
    for e in range(OUT_COLUMNS):
        stops[RIGHT, e] = hits[k, e]
    copy_stop(stops, RIGHT, BEST)
    if not length > 0.0:
        return free
    place_two(F, W, a, b, 0.0)
    note_stop(stops, LEFT, 0.0, two, reals(F, W, m.T_START_FRAMES), c)
    convex = two_refs[0, KIND] < MESH and two_refs[1, KIND] < MESH
    if free and convex and separated(
        stops, LEFT, RIGHT, RIGHT, two, two_refs, points, bend, stray, threshold
    ):  # fmt: skip
        return True
    measure(general, F, W, two, two_refs, 0, 1, stops, LEFT)
    tests, before, now = 2, stops[LEFT, 0], hits[k, 0]
    free = free and stops[LEFT, 0] - stops[LEFT, SLACK] > threshold
    if stops[LEFT, 0] < stops[BEST, 0]:
        copy_stop(stops, LEFT, BEST)
    # Seen from the world alone the motions of both can be compared.
    motion = reals(F, W, m.T_MOTION)
    reach_a, reach_b = motion[a, m.REACH] if c == 0 else math.inf, 0.0
    if b < wholes(W, m.T_COUNTS)[0, m.MOVERS]:
        reach_b = motion[b, m.REACH]
    top = RIGHT
    while top >= RIGHT:
        level = threshold if free else min(threshold, stops[BEST, 0] - NEAREST_INSTANT)
        if interval_free(
            stops, LEFT, top, two, two_refs, points, reach_a, reach_b, length, bend, stray, level
        ):  # fmt: skip
            copy_stop(stops, top, LEFT)
            top -= 1
            continue
        t0, t1 = stops[LEFT, m.TIME], stops[top, m.TIME]
        # Motion that rounding hides is not worth another look.
        hidden = not (t1 - t0) * length > stray + stops[top, SLACK]
        # A mesh that overlaps has no distance to compare with; a way without end has no middle.
        blind = (not convex and stops[BEST, 0] <= 0.0) or not length < math.inf
        if tests == BETWEEN_TESTS or doubt or hidden or blind:
            free = False
            break
        t = 0.5 * (t0 + t1)
        top += 1
        place_two(F, W, a, b, t)
        note_stop(stops, top, t, two, reals(F, W, m.T_AT_FRAMES), c)
        measure(general, F, W, two, two_refs, 0, 1, stops, top)
        tests += 1
        free = free and stops[top, 0] - stops[top, SLACK] > threshold
        if stops[top, 0] < stops[BEST, 0]:
            copy_stop(stops, top, BEST)
    state[0, PAIR_TESTS] += tests - 1
    for e in range(OUT_COLUMNS):
        hits[k, e] = stops[BEST, e]
    when = stops[BEST, m.TIME]
    hits[k, m.WHEN] = when
    hits[k, m.CLOSING] = (before - hits[k, 0]) / when if when > 0.0 else before - now
    return free


@kernel
def relative_motion(F, W, a, b):
    """The last frame that carries both, λ and M of both together as seen from there, and whether
    nobody knows how one of them turns."""
    counts, sway, frame = wholes(W, m.T_COUNTS), reals(F, W, m.T_SWAY), wholes(W, m.T_FRAME)
    if b >= counts[0, m.MOVERS]:
        return 0, sway[a, m.LENGTH], sway[a, m.BEND], sway[a, m.DOUBT] > 0.0
    doubt = sway[a, m.DOUBT] + sway[b, m.DOUBT] > 0.0
    fa, fb = frame[a, 0], frame[b, 0]
    linkage = wholes(W, m.T_LINKAGE)
    c = 0
    if max(fa, fb) < counts[0, m.TREE_FRAMES]:
        c = common_frame(linkage, fa, fb)
    if c == 0:
        return 0, sway[a, m.LENGTH] + sway[b, m.LENGTH], sway[a, m.BEND] + sway[b, m.BEND], doubt
    carried, chain, wide = wholes(W, m.T_CARRIED), wholes(W, m.T_CHAIN), reals(F, W, m.T_WIDE_REACH)
    reach, change = wide.reshape(wide.size), reals(F, W, m.T_JOINT_SUMS)[0]
    length, bend = 0.0, 0.0
    for k in range(2):
        i = a if k == 0 else b
        first, last = linkage[c, DEPTH], linkage[frame[i, 0], DEPTH]
        first, last = first + carried[i, CHAIN0], last + carried[i, CHAIN0]
        length += path_length(chain, reach, first, last, change)
        bend += curvature(chain, reach, first, last, change)
    return c, length, bend, doubt


@kernel
def copy_stop(stops, k, to):
    for c in range(m.STOP_COLUMNS):
        stops[to, c] = stops[k, c]


@kernel
def closing_between(F, W, a, b, dt, hits, k):
    """How fast the pair of hit ``k`` drew near: at this reading as `closing_speed` has it, at an
    instant before as `certify` noted it; NaN where one of them was not seen before."""
    motion, movers = reals(F, W, m.T_MOTION), wholes(W, m.T_COUNTS)[0, m.MOVERS]
    if hits[k, m.WHEN] == 1.0:
        rows = reals(F, W, m.T_ROWS)
        return closing_speed(rows, reals(F, W, m.T_BEFORE), motion, movers, a, b, dt, hits, k)
    if motion[a, m.KNOWN] < 2.0 or (b < movers and motion[b, m.KNOWN] < 2.0):
        return math.nan
    return hits[k, m.CLOSING] / dt
