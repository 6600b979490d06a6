"""The tests of the near pairs over the whole way from the last reading to this one.

A pair is let pass when its distance is proved to exceed its threshold at every instant. Where the
two ends do not prove it (see `monitor.kernels.between`), the way is halved, and its parts again, as
often as BETWEEN_TESTS allows; what is open then is a warning.

Once a pair is known to be too close, the same search goes on for the instant at which it is nearest
(an interval is passed over when nothing in it is nearer by NEAREST_INSTANT), as far as the tests
reach.

One pair at one instant between two readings: where both stand, and how far apart.

Whether a pair keeps its distance between two instants, from what is known of it there.

Let distances ``d_i`` and ``d_j`` be measured at the ends of an interval of length L, and λ and M be
those of both bodies together (see `monitor.kernels.sweep`), seen from the last frame that carries
both. The distance exceeds δ throughout when one of these holds:

    d_i + d_j - L λ > 2 δ               any two bodies: what was moved since one end, and what is
                                        still to be moved to the other, is L λ at most
    d_i + d_j - D - L² M / 4 > 2 δ      the same for motions that agree: D is how far the bodies
                                        move against each other from end to end, see `moved_apart`
    min(s_i, s_j) - L² M / 8 > δ        convex bodies, for any unit vector n that is fixed in that
                                        frame; s: by how much n separates them at either end

The last: for two points ``n·(a(t) - b(t))`` differs from the straight line between its values at
the ends by L² M / 8 at most, and the signed distance of convex bodies is the largest separation
along any direction. The normals of the distances at both ends are tried for n.
"""

from __future__ import annotations

import math

from standoff.broadphase.kernels.layout import BOXES, BOXES_FIRST, PAIR_TESTS, STATES, TECHNIQUES
from standoff.compiled.arena import reals, wholes
from standoff.compiled.jit import entry, kernel
from standoff.geometry.narrowphase.layout import (
    BOX,
    CAPSULE,
    CYLINDER,
    HALFSPACE,
    KIND,
    MESH,
    OUT_COLUMNS,
    POINT0,
    POINTS,
    REF_COLUMNS,
    ROW_COLUMNS,
    SIZE,
    SLACK,
    SPHERE,
)
from standoff.geometry.narrowphase.unpacked import closed_form, general_pair
from standoff.monitor.kernels import layout as m
from standoff.monitor.kernels.judge import closing_speed, parting, put_bodies
from standoff.monitor.kernels.near import extended_meet
from standoff.monitor.kernels.step import STEP
from standoff.monitor.kernels.sweep import place_row, turn_row
from standoff.motion.kernels.bound import CHAIN0, common_frame, curvature, path_length
from standoff.robots.kernels.kinematics import DEPTH, place_frames
from standoff.tolerances import INSTANT_ROUNDING, MOTION_ROUNDING

#: Distances that may be measured to certify one pair from one reading to the next, [-]. Moves of a
#: cycle take one to three, jumps of a radian past an edge about 30; a pair that slides along its
#: threshold takes them all, some 50 µs, and is warned of.
BETWEEN_TESTS = 128

#: How much nearer than reported two bodies that are too close may get on the way, [m]: below it the
#: search for the nearest instant ends.
NEAREST_INSTANT = 1e-4


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


@kernel
def measure(general, F, W, rows, refs, a, b, out, k):
    """Row ``k`` of ``out``: the distance of rows ``a`` and ``b``."""
    points = reals(F, W, m.T_POINTS)
    if closed_form(rows, refs, a, points, rows, refs, b, points, out, k):
        return
    faces, solids, ints = wholes(W, m.T_FACES), reals(F, W, m.T_SOLIDS), wholes(W, m.T_INTS)
    work, iwork = reals(F, W, m.T_WORK), wholes(W, m.T_IWORK)
    general_pair(
        general, rows, refs, a, points, faces, solids, ints.reshape(ints.size),
        rows, refs, b, points, faces, solids, ints.reshape(ints.size),
        work.reshape(work.size), iwork.reshape(iwork.size), out, k,
    )  # fmt: skip


@kernel
def take_two(rows, refs, a, b, two, two_refs):
    """Make a table of the pair alone: what they are, and where they are now."""
    for c in range(ROW_COLUMNS):
        two[0, c], two[1, c] = rows[a, c], rows[b, c]
    for c in range(REF_COLUMNS):
        two_refs[0, c], two_refs[1, c] = refs[a, c], refs[b, c]


@kernel
def place_two(F, W, a, b, t):
    """Both at instant ``t`` (0 the last reading; not 1), into ``two``."""
    start, two, movers = reals(F, W, m.T_START), reals(F, W, m.T_TWO), wholes(W, m.T_COUNTS)
    for k in range(2):
        i = a if k == 0 else b
        if i >= movers[0, m.MOVERS]:
            continue
        if t == 0.0:
            for c in range(12):
                two[k, c] = start[i, c]
        elif wholes(W, m.T_FRAME)[i, 0] < movers[0, m.TREE_FRAMES]:
            place_tree(F, W, t)
            f, local = wholes(W, m.T_FRAME)[i, 0], reals(F, W, m.T_LOCAL)
            place_row(reals(F, W, m.T_AT_FRAMES), f, local, i, two, k)
        else:
            sway, rows = reals(F, W, m.T_SWAY), reals(F, W, m.T_ROWS)
            x, y, z = sway[i, m.AXIS], sway[i, m.AXIS + 1], sway[i, m.AXIS + 2]
            turn_row(start, i, x, y, z, t * sway[i, m.ANGLE], two, k)
            for c in range(3, 12, 4):
                two[k, c] = start[i, c] + t * (rows[i, c] - start[i, c])


@kernel
def place_tree(F, W, t):
    """The tree at instant ``t``, unless that is where it stands."""
    scales, way = reals(F, W, m.T_SCALES), reals(F, W, m.T_WAY)
    if scales[0, m.INSTANT] == t:
        return
    for j in range(way.shape[1]):
        way[m.AT, j] = way[m.FROM, j] + t * (way[m.TO, j] - way[m.FROM, j])
    flat, frames = way.reshape(way.size), reals(F, W, m.T_AT_FRAMES)
    place_frames(
        reals(F, W, m.T_TREE), wholes(W, m.T_LINKAGE), flat, flat, m.AT * way.shape[1],
        reals(F, W, m.T_TURNS), frames, frames, 0, False,
    )  # fmt: skip
    scales[0, m.INSTANT] = t


@kernel
def note_stop(stops, k, t, two, frames, c):
    """Stop ``k``: the instant, where both stand, and how the frame ``c`` that carries both is
    turned; the row of results is for `measure`."""
    stops[k, m.TIME] = t
    for r in range(3):
        for column in range(3):
            stops[k, m.TURN + 3 * r + column] = frames[c, 4 * r + column]
    for e in range(12):
        stops[k, m.POSE_A + e] = two[0, e]
        stops[k, m.POSE_B + e] = two[1, e]


@kernel
def interval_free(stops, i, j, two, refs, points, reach_a, reach_b, length, bend, stray, level):
    """Whether the pair is farther apart than ``level`` from stop ``i`` to stop ``j``."""
    span = stops[j, m.TIME] - stops[i, m.TIME]
    both = stops[i, 0] - stops[i, SLACK] + (stops[j, 0] - stops[j, SLACK])
    both -= 2.0 * (stray + level)
    if both > span * length:
        return True
    bend *= span * span
    if refs[0, KIND] < MESH and refs[1, KIND] < MESH:
        return separated(
            stops, i, j, j, two, refs, points, bend, stray, level
        ) or separated(stops, i, j, i, two, refs, points, bend, stray, level)  # fmt: skip
    return both > moved_apart(stops, i, j, reach_a, reach_b) + 0.25 * bend


@kernel
def moved_apart(stops, i, j, reach_a, reach_b):
    """How far from where it would be any point gets, from stop ``i`` to stop ``j``, if both bodies
    moved as the origin of one of them does: ``|Δ_a - Δ_b| + |ΔR_a| r_a + |ΔR_b| r_b``."""
    A, B, square = m.POSE_A, m.POSE_B, 0.0
    for c in range(3, 12, 4):
        x = stops[j, A + c] - stops[i, A + c] - (stops[j, B + c] - stops[i, B + c])
        square += x * x
    turns = turned_by(stops, i, j, A) * reach_a + turned_by(stops, i, j, B) * reach_b
    return (1.0 + MOTION_ROUNDING) * (math.sqrt(square) + turns)


@kernel
def turned_by(stops, i, j, pose):
    """The norm of the difference of two rotations: its Frobenius norm over √2."""
    square = 0.0
    for r in range(pose, pose + 12, 4):
        for c in range(3):
            square += (stops[j, r + c] - stops[i, r + c]) ** 2
    return math.sqrt(0.5 * square)


@kernel
def separated(stops, i, j, n, two, refs, points, bend, stray, level):
    """Whether the normal that was found at stop ``n``, one of ``i`` and ``j``, separates the pair
    by more than ``level`` all the way between them; ``bend`` is L² M."""
    x, y, z = stops[n, 7], stops[n, 8], stops[n, 9]
    if refs[1, KIND] == HALFSPACE:
        x, y, z = stops[n, m.POSE_B + 2], stops[n, m.POSE_B + 6], stops[n, m.POSE_B + 10]
    if not abs(x * x + y * y + z * z - 1.0) <= INSTANT_ROUNDING:
        return False
    least = separation_along(stops, n, two, refs, points, x, y, z) - 0.125 * bend - stray
    if not least > level:
        return False
    # The same direction at the other end: fixed in the frame that carries both.
    T, o = stops, i + j - n
    t = m.TURN
    u = T[n, t] * x + T[n, t + 3] * y + T[n, t + 6] * z
    v = T[n, t + 1] * x + T[n, t + 4] * y + T[n, t + 7] * z
    w = T[n, t + 2] * x + T[n, t + 5] * y + T[n, t + 8] * z
    x = T[o, t] * u + T[o, t + 1] * v + T[o, t + 2] * w
    y = T[o, t + 3] * u + T[o, t + 4] * v + T[o, t + 5] * w
    z = T[o, t + 6] * u + T[o, t + 7] * v + T[o, t + 8] * w
    least = separation_along(stops, o, two, refs, points, x, y, z) - 0.125 * bend - stray
    return least > level


@kernel
def separation_along(stops, k, two, two_refs, points, nx, ny, nz):
    """By how much the unit vector ``n`` separates the pair as it stands at stop ``k``, at least.
    Their signed distance, if both are convex, is the largest of these over all ``n``."""
    low, _, far = span(stops, k, m.POSE_A, two, two_refs, 0, points, nx, ny, nz)
    _, top, away = span(stops, k, m.POSE_B, two, two_refs, 1, points, nx, ny, nz)
    return low - top - INSTANT_ROUNDING * (far + away)


@kernel
def span(stops, k, pose, two, refs, i, points, nx, ny, nz):
    """Smallest and largest ``n·p`` over the points of body ``i`` of the pair, and the sum of the
    lengths it was computed from. A half space is asked along its own normal only."""
    S, kind = stops, refs[i, KIND]
    cx, cy, cz = S[k, pose + 3], S[k, pose + 7], S[k, pose + 11]
    along, far = nx * cx + ny * cy + nz * cz, abs(cx) + abs(cy) + abs(cz)
    if kind == HALFSPACE:
        return -math.inf, along, far
    if kind == SPHERE:
        half = two[i, SIZE]
        return along - half, along + half, far + half
    x = nx * S[k, pose] + ny * S[k, pose + 4] + nz * S[k, pose + 8]
    y = nx * S[k, pose + 1] + ny * S[k, pose + 5] + nz * S[k, pose + 9]
    z = nx * S[k, pose + 2] + ny * S[k, pose + 6] + nz * S[k, pose + 10]
    if kind == CAPSULE:
        half = two[i, SIZE] + two[i, SIZE + 1] * abs(z)
    elif kind == BOX:
        half = two[i, SIZE] * abs(x) + two[i, SIZE + 1] * abs(y) + two[i, SIZE + 2] * abs(z)
    elif kind == CYLINDER:
        half = two[i, SIZE] * math.sqrt(x * x + y * y) + two[i, SIZE + 1] * abs(z)
    else:
        return span_points(points, refs, i, x, y, z, along, far)
    return along - half, along + half, far + half


@kernel
def span_points(points, refs, i, x, y, z, along, far):
    """`span` of a polyhedron; (x, y, z) is the direction in its own axes."""
    low, high, size = math.inf, -math.inf, 0.0
    first = refs[i, POINT0]
    for p in range(first, first + refs[i, POINTS]):
        s = x * points[p, 0] + y * points[p, 1] + z * points[p, 2]
        low, high = min(low, s), max(high, s)
        size = max(size, abs(points[p, 0]) + abs(points[p, 1]) + abs(points[p, 2]))
    return along + low, along + high, far + size
