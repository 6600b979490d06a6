"""The narrow phase over the whole motion from the last reading to this one.

A pair is let pass when its distance is proved to exceed its threshold at every instant. Where the
two ends do not prove it, the motion is halved, and its parts again, as often as BETWEEN_TESTS
allows; what is open then is a warning.

Once a pair is known to be too close, the same search goes on for the instant at which it is nearest
(an interval is passed over when nothing in it is nearer by NEAREST_INSTANT), as far as the tests
reach.

What proves that a pair keeps its distance between two instants:

The distances at the ends of an interval of length L, and λ and M of both bodies together (see
`monitor.kernels.sweep`), seen from the last frame that carries both, go into `ends_free`,
`agreeing_free` and `direction_free` of `motion.kernels.certify`. For the last, of convex bodies,
the normals of the distances at both ends are tried.
"""

from __future__ import annotations

import math

from standoff.compiled.jit import entry, inlined, kernel
from standoff.geometry.narrowphase import layout
from standoff.geometry.narrowphase.support import size_of, span_of_primitive
from standoff.monitor.kernels import tables as m
from standoff.monitor.kernels.judge import add_hit, closing_speed, measure, three, threshold_of
from standoff.monitor.kernels.near import extended_meet
from standoff.motion.kernels.bound import CHAIN0, common_frame, curvature, path_length
from standoff.motion.kernels.certify import agreeing_free, direction_free, ends_free, half_free
from standoff.motion.kernels.poses import place_row, turn_row
from standoff.robots.kernels.kinematics import DEPTH, place_frames
from standoff.tolerances import INSTANT_ROUNDING, MOTION_ROUNDING

#: Distances that may be measured to certify one pair from one reading to the next, [-]. Moves of a
#: cycle take one to three, jumps of a radian past an edge about 30; a pair that slides along its
#: threshold takes them all, some 50 µs, and is warned of.
BETWEEN_TESTS = 128

#: How much nearer than reported two bodies that are too close may get meanwhile, [m]: below it the
#: search for the nearest instant ends.
NEAREST_INSTANT = 1e-4


#: Rows of ``instants``: the instant up to which all is free; then the ends of the intervals still
#: open, the nearest last; and the nearest instant of all.
LEFT = 0
RIGHT = 1
BEST = BETWEEN_TESTS + 2
INSTANT_ROWS = BETWEEN_TESTS + 3


@entry(m.STEP)
def judge_between(tables, dt):
    """As `judge`, over the whole motion: writes and counts the pairs that are not proved to keep
    their distance, and returns the smallest distance measured. A step of the cycle."""
    monitor = m.monitor_at(tables)
    between, state = monitor.between, monitor.index.state
    pairs, out, motions = monitor.pairs, monitor.out, between.motions
    found = 0
    clearance = math.inf
    for p in range(monitor.answer.pairs):
        a, b, rule = pairs[p].a, pairs[p].b, pairs[p].rule
        if not extended_meet(monitor, a, b):
            continue
        state.pair_tests += 1
        measure(monitor, monitor.placed, a, b, out, 0)
        sweep, error = motions[a].sweep, motions[a].position_error
        if b < monitor.plan.movers:
            sweep += motions[b].sweep
            error += motions[b].position_error
        threshold = threshold_of(monitor, a, b, rule)
        left = out[0, layout.DISTANCE] - out[0, layout.SLACK]
        free, when, shrunk = left > threshold, 1.0, 0.0
        if sweep > 0.0 and not half_free(left - error - threshold, sweep, 0.0, 1.0):
            free, when, shrunk = search_between(monitor, between, a, b, threshold, error)
        clearance = min(clearance, out[0, layout.DISTANCE])
        if free:
            continue
        closing = math.nan
        if when == 1.0:
            closing = closing_speed(monitor, a, b, dt)
        elif seen_before(monitor, a) and seen_before(monitor, b):
            closing = shrunk / dt
        found = add_hit(monitor, found, p, threshold, when, closing)
    monitor.answer.hits = found
    return clearance


@kernel
def seen_before(monitor, i):
    """Whether a slot stands still or was seen at the last reading."""
    return i >= monitor.plan.movers or monitor.movers[i].known >= 2


@kernel
def search_between(monitor, between, a, b, threshold, error):
    """Whether slots ``a`` and ``b`` keep farther apart than ``threshold`` all the time. ``out``
    holds their distance now, and in the end that of the nearest instant looked at. Also: that
    instant, and how much their distance shrank up to it since the last reading; if they were
    nearest there, how much it did since: less than 0, as they parted."""
    out, at, two = monitor.out, between.instants, between.two
    free = out[0, layout.DISTANCE] - out[0, layout.SLACK] > threshold
    common, path, bend, doubt = relative_motion(monitor, between, a, b)
    take_two(monitor, two, a, b)
    note_instant(at, RIGHT, 1.0, two.rows, monitor.frames, common)
    copy_result(out, 0, at, RIGHT)
    copy_instant(at, RIGHT, BEST)
    if not path > 0.0:
        return free, 1.0, 0.0
    place_two(monitor, between, a, b, 0.0)
    note_instant(at, LEFT, 0.0, two.rows, between.start_frames, common)
    convex = two.refs[0, layout.KIND] != layout.MESH and two.refs[1, layout.KIND] != layout.MESH
    if free and convex and separated(between, LEFT, RIGHT, RIGHT, bend, threshold + error):
        return True, 1.0, 0.0
    free = measure_instant(monitor, two, at, LEFT) > threshold and free
    tests, before, now = 2, at[LEFT, layout.DISTANCE], out[0, layout.DISTANCE]
    reaches = reaches_of(monitor, a, b, common)
    top = RIGHT
    while top >= RIGHT:
        level = threshold if free else min(threshold, at[BEST, layout.DISTANCE] - NEAREST_INSTANT)
        span = at[top, m.TIME] - at[LEFT, m.TIME]
        apart = math.inf if convex else moved_apart(at, LEFT, top, reaches)
        if interval_free(between, top, span * path, span * span * bend, apart, level + error):
            copy_instant(at, top, LEFT)
            top -= 1
            continue
        if tests == BETWEEN_TESTS or pointless(at, top, span * path, error, convex, doubt):
            free = False
            break
        t = 0.5 * (at[LEFT, m.TIME] + at[top, m.TIME])
        top += 1
        place_two(monitor, between, a, b, t)
        note_instant(at, top, t, two.rows, between.frames, common)
        free = measure_instant(monitor, two, at, top) > threshold and free
        tests += 1
    monitor.index.state.pair_tests += tests - 1
    copy_result(at, BEST, out, 0)
    when = at[BEST, m.TIME]
    return free, when, (before - out[0, layout.DISTANCE]) / when if when > 0.0 else before - now


@kernel
def measure_instant(monitor, two, at, k):
    """Measure the pair as it stands at instant ``k``: what the distance is at least. BEST is the
    nearest so far."""
    measure(monitor, two, 0, 1, at, k)
    if at[k, layout.DISTANCE] < at[BEST, layout.DISTANCE]:
        copy_instant(at, k, BEST)
    return at[k, layout.DISTANCE] - at[k, layout.SLACK]


@inlined
def pointless(at, top, path, error, convex, doubt):
    """Whether another look between LEFT and instant ``top`` can show nothing: nobody knows how one
    turns, rounding hides the motion, a mesh that overlaps has no distance to compare with, or an
    endless motion has no middle."""
    hidden = doubt or not path > error + at[top, layout.SLACK]
    return hidden or (not convex and at[BEST, layout.DISTANCE] <= 0.0) or not path < math.inf


@inlined
def reaches_of(monitor, a, b, common):
    """The reaches of both about their origins. Only as seen from the world can the motions of both
    be compared."""
    reach_a = monitor.movers[a].reach if common == 0 else math.inf
    return reach_a, monitor.movers[b].reach if b < monitor.plan.movers else 0.0


@inlined
def copy_result(a, i, b, j):
    """A row of results of `measure`."""
    for e in range(layout.OUT_COLUMNS):
        b[j, e] = a[i, e]


@kernel
def relative_motion(monitor, between, a, b):
    """The last frame that carries both, λ and M of both together as seen from there, and whether
    nobody knows how one of them turns."""
    movers, motions, linkage = monitor.movers, between.motions, monitor.linkage
    one = motions[a]
    if b >= monitor.plan.movers:
        return 0, one.length, one.bend, one.doubt > 0
    two = motions[b]
    doubt = one.doubt + two.doubt > 0
    fa, fb = movers[a].frame, movers[b].frame
    c = 0
    if max(fa, fb) < monitor.plan.tree_frames:
        c = common_frame(linkage, fa, fb)
    if c == 0:
        return 0, one.length + two.length, one.bend + two.bend, doubt
    path, bend = 0.0, 0.0
    for k in range(2):
        i = a if k == 0 else b
        first = linkage[c, DEPTH] + between.carried[i, CHAIN0]
        last = linkage[movers[i].frame, DEPTH] + between.carried[i, CHAIN0]
        path += path_length(between.chain, between.wide, first, last, between.frame_change)
        bend += curvature(between.chain, between.wide, first, last, between.frame_change)
    return c, path, bend, doubt


@kernel
def copy_instant(at, k, to):
    for c in range(m.INSTANT_COLUMNS):
        at[to, c] = at[k, c]


@kernel
def take_two(monitor, two, a, b):
    """Make a set of the pair alone: what they are, and where they are now."""
    rows, refs = monitor.placed.rows, monitor.placed.refs
    for c in range(layout.ROW_COLUMNS):
        two.rows[0, c], two.rows[1, c] = rows[a, c], rows[b, c]
    for c in range(layout.REF_COLUMNS):
        two.refs[0, c], two.refs[1, c] = refs[a, c], refs[b, c]


@kernel
def place_two(monitor, between, a, b, t):
    """Both at instant ``t`` (0 the last reading; not 1), into ``two``."""
    start, two, plan = between.rows, between.two.rows, monitor.plan
    for k in range(2):
        i = a if k == 0 else b
        if i >= plan.movers:
            continue
        f = monitor.movers[i].frame
        if t == 0.0:
            for c in range(12):
                two[k, c] = start[i, c]
        elif f < plan.tree_frames:
            place_between(monitor, between, t)
            place_row(between.frames, f, monitor.local, i, two, k)
        else:
            motion, rows = between.motions[i], monitor.placed.rows
            turn_row(start, i, motion.x, motion.y, motion.z, t * motion.angle, two, k)
            for c in range(3, 12, 4):
                two[k, c] = start[i, c] + t * (rows[i, c] - start[i, c])


@kernel
def place_between(monitor, between, t):
    """The tree at instant ``t``, unless that is where it stands."""
    if between.header.time == t:
        return
    q, frames = between.joints, between.frames
    for j in range(len(q)):
        q[j] = between.before[j] + t * (between.now[j] - between.before[j])
    place_frames(monitor.tree, monitor.linkage, q, q, monitor.turns, frames, frames, False)
    between.header.time = t


@kernel
def note_instant(at, k, t, two, frames, c):
    """Instant ``k``: when it is, where both stand, and how the frame ``c`` that carries both is
    turned; the row of results is for `measure`."""
    at[k, m.TIME] = t
    for r in range(3):
        for column in range(3):
            at[k, m.TURN + 3 * r + column] = frames[c, 4 * r + column]
    for e in range(12):
        at[k, m.POSE_A + e] = two[0, e]
        at[k, m.POSE_B + e] = two[1, e]


@kernel
def interval_free(between, top, path, bend, apart, level):
    """Whether the pair is farther apart than ``level`` from LEFT to instant ``top``: no point of
    one goes farther than ``path`` from the other, ``bend`` is L² M, and of bodies that are not
    convex ``apart`` is how far they move against each other."""
    at = between.instants
    left, right = (
        at[LEFT, layout.DISTANCE] - at[LEFT, layout.SLACK],
        at[top, layout.DISTANCE] - at[top, layout.SLACK],
    )
    if ends_free(left, right, path, 0.0, level):
        return True
    if apart < math.inf:
        return agreeing_free(left, right, apart, bend, level)
    if (
        between.two.refs[0, layout.KIND] == layout.MESH
        or between.two.refs[1, layout.KIND] == layout.MESH
    ):
        return False
    return separated(between, LEFT, top, top, bend, level) or separated(
        between, LEFT, top, LEFT, bend, level
    )


@kernel
def moved_apart(at, i, j, reaches):
    """How far from where it would be any point gets, from instant ``i`` to instant ``j``, if both
    bodies moved as the origin of one of them does: ``|Δ_a - Δ_b| + |ΔR_a| r_a + |ΔR_b| r_b``, with
    r their ``reaches``."""
    square = 0.0
    for c in range(3, 12, 4):
        x = at[j, m.POSE_A + c] - at[i, m.POSE_A + c] - (at[j, m.POSE_B + c] - at[i, m.POSE_B + c])
        square += x * x
    turns = turned_by(at, i, j, m.POSE_A) * reaches[0] + turned_by(at, i, j, m.POSE_B) * reaches[1]
    return (1.0 + MOTION_ROUNDING) * (math.sqrt(square) + turns)


@kernel
def turned_by(at, i, j, pose):
    """The norm of the difference of two rotations: its Frobenius norm over √2."""
    square = 0.0
    for r in range(pose, pose + 12, 4):
        for c in range(3):
            square += (at[j, r + c] - at[i, r + c]) ** 2
    return math.sqrt(0.5 * square)


@kernel
def separated(between, i, j, n, bend, level):
    """Whether the normal that was found at instant ``n``, one of ``i`` and ``j``, separates the
    pair by more than ``level`` from one to the other; ``bend`` is L² M."""
    at = between.instants
    x, y, z = three(at, n, layout.NORMAL)
    if between.two.refs[1, layout.KIND] == layout.HALFSPACE:
        x, y, z = at[n, m.POSE_B + 2], at[n, m.POSE_B + 6], at[n, m.POSE_B + 10]
    if not abs(x * x + y * y + z * z - 1.0) <= INSTANT_ROUNDING:
        return False
    here = separation_along(between, n, x, y, z)
    if not direction_free(here, here, bend, level):
        return False
    # The same direction at the other end: fixed in the frame that carries both.
    o, t = i + j - n, m.TURN
    u = at[n, t] * x + at[n, t + 3] * y + at[n, t + 6] * z
    v = at[n, t + 1] * x + at[n, t + 4] * y + at[n, t + 7] * z
    w = at[n, t + 2] * x + at[n, t + 5] * y + at[n, t + 8] * z
    x = at[o, t] * u + at[o, t + 1] * v + at[o, t + 2] * w
    y = at[o, t + 3] * u + at[o, t + 4] * v + at[o, t + 5] * w
    z = at[o, t + 6] * u + at[o, t + 7] * v + at[o, t + 8] * w
    return direction_free(here, separation_along(between, o, x, y, z), bend, level)


@kernel
def separation_along(between, k, nx, ny, nz):
    """By how much the unit vector ``n`` separates the pair as it stands at instant ``k``, at least.
    Their signed distance, if both are convex, is the largest of these over all ``n``."""
    low, _, far = span_along(between, k, 0, nx, ny, nz)
    _, top, away = span_along(between, k, 1, nx, ny, nz)
    return low - top - INSTANT_ROUNDING * (far + away)


@kernel
def span_along(between, k, i, nx, ny, nz):
    """Smallest and largest ``n·p`` over the points of body ``i`` of the pair, and the sum of the
    lengths it was computed from. A half space is asked along its own normal only."""
    at, two, refs = between.instants, between.two.rows, between.two.refs
    pose, kind = m.POSE_A if i == 0 else m.POSE_B, refs[i, layout.KIND]
    cx, cy, cz = at[k, pose + 3], at[k, pose + 7], at[k, pose + 11]
    along, far = nx * cx + ny * cy + nz * cz, abs(cx) + abs(cy) + abs(cz)
    if kind == layout.HALFSPACE:
        return -math.inf, along, far
    x = nx * at[k, pose] + ny * at[k, pose + 4] + nz * at[k, pose + 8]
    y = nx * at[k, pose + 1] + ny * at[k, pose + 5] + nz * at[k, pose + 9]
    z = nx * at[k, pose + 2] + ny * at[k, pose + 6] + nz * at[k, pose + 10]
    if not layout.is_primitive(kind):
        return span_points(between.two, i, x, y, z, along, far)
    low, high = span_of_primitive(kind, size_of(two, i), x, y, z)
    return along + low, along + high, far + abs(low) + abs(high)


@kernel
def span_points(two, i, x, y, z, along, far):
    """`span` of a polyhedron; (x, y, z) is the direction in its own axes."""
    points, refs = two.solids.points, two.refs
    low, high, size = math.inf, -math.inf, 0.0
    first = refs[i, layout.POINT0]
    for p in range(first, first + refs[i, layout.POINTS]):
        s = x * points[p, 0] + y * points[p, 1] + z * points[p, 2]
        low, high = min(low, s), max(high, s)
        size = max(size, abs(points[p, 0]) + abs(points[p, 1]) + abs(points[p, 2]))
    return along + low, along + high, far + size
