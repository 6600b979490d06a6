"""The narrow phase: of the near pairs the extended boxes first, then the exact distance.

`judge` decides which pairs warn: each that is not surely farther apart than its threshold is a
*hit*, which `monitor.report` shows as a `PairWarning`. Over the whole motion between two readings
`monitor.kernels.between` decides in its place, and about a stop `paths.stop_check`.

`parting` decides whether a pair that is too close surely separates (``PairWarning.approaching`` is
then False). Two convex bodies are apart by ``d`` along the normal of their witness points, and no
nearer for as long as every point of one moves away along it from every point of the other. From the
last reading to this one a point ``p`` of a body has moved by ``Δc + ΔR p``, so that of all its
points none has come less far along ``n`` than

    n · Δc - |ΔR| |p|.

If the body turns on as it did, the next move of a point is that move turned by the same rotation:
it differs by no more than ``|ΔR|`` times its length. A pair is said to part only if

    n · (Δc_a - Δc_b)  >  Σ |ΔR| |p| + |ΔR| move,

so it is not nearer at the next reading either, should both go on as they did. A mesh is not convex:
what leaves one side of it may come to another.

Of two bodies of several primitives those that are farther apart than their threshold are no hits.
They come no nearer than the nearest hit is, if ``d + moves <= threshold``, the moves being those of
any point of the two bodies.
"""

from __future__ import annotations

import math

from standoff.compiled.jit import inlined, kernel
from standoff.geometry.narrowphase import layout
from standoff.geometry.narrowphase.dispatch import closed_form, general_pair
from standoff.monitor.kernels import tables as m
from standoff.monitor.kernels.near import extended_meet


@kernel
def judge(monitor, dt):
    """Write every pair that is too close to the hits and count them all, also those for which there
    is no room. Returns the smallest distance of the pairs whose extended boxes meet.

    The value of a distance less its slack is a proved lower bound, so a pair is let pass only
    when it is farther apart than its threshold beyond doubt."""
    state, pairs, out = monitor.index.state, monitor.pairs, monitor.out
    found = 0
    clearance = math.inf
    for p in range(monitor.answer.pairs):
        a, b, rule = pairs[p].a, pairs[p].b, pairs[p].rule
        if not extended_meet(monitor, a, b):
            continue
        state.pair_tests += 1
        measure(monitor, monitor.placed, a, b, out, 0)
        value = out[0, layout.DISTANCE]
        clearance = min(clearance, value)
        threshold = threshold_of(monitor, a, b, rule)
        if not value - out[0, layout.SLACK] > threshold:
            found = add_hit(monitor, found, p, threshold, 1.0, closing_speed(monitor, a, b, dt))
    monitor.answer.hits = found
    return clearance


@inlined
def measure(monitor, bodies, a, b, out, k):
    """Row ``k`` of ``out``: the distance of rows ``a`` and ``b`` of a set of bodies."""
    if not closed_form(bodies, a, bodies, b, out, k):
        general_pair(monitor.plan.general, bodies, a, bodies, b, monitor.scratch, out, k)


@inlined
def threshold_of(monitor, a, b, rule):
    """The distance at which a pair of slots is too close."""
    if rule != m.BUFFERS:
        return monitor.thresholds[rule]
    threshold = monitor.movers[a].buffer
    if b < monitor.plan.movers:
        threshold += monitor.movers[b].buffer
    return threshold


@kernel
def add_hit(monitor, found, p, threshold, when, closing):
    """Put the result in ``out``, of pair ``p``, behind the hits ``found`` so far, the body with the
    smaller number first; how many there are then."""
    if found >= len(monitor.hits):
        return found + 1
    hit, pair, out = monitor.hits[found], monitor.pairs[p], monitor.out
    hit.threshold, hit.when, hit.closing = threshold, when, closing
    hit.parts = parting(monitor, pair.a, pair.b, pair.rule, hit)
    hit.distance, hit.slack = out[0, layout.DISTANCE], out[0, layout.SLACK]
    first, second = monitor.owner[pair.a], monitor.owner[pair.b]
    one, two, sign = layout.POINT_A, layout.POINT_B, 1.0
    if first > second:
        first, second, one, two, sign = second, first, layout.POINT_B, layout.POINT_A, -1.0
    hit.a, hit.b = first, second
    hit.ax, hit.ay, hit.az = three(out, 0, one)
    hit.bx, hit.by, hit.bz = three(out, 0, two)
    nx, ny, nz = three(out, 0, layout.NORMAL)
    hit.nx, hit.ny, hit.nz = sign * nx, sign * ny, sign * nz
    return found + 1


@inlined
def three(out, k, at):
    """The point or vector in row ``k`` of results that begins at column ``at``."""
    return out[k, at], out[k, at + 1], out[k, at + 2]


@kernel
def rank(monitor, count):
    """Sort the first ``count`` hits: nearest first, those equally near by their bodies, then by
    where they are; never by a speed, which may be no number. For few of them."""
    hits, words = monitor.hits, monitor.hit_words
    for k in range(count - 1):
        nearest = k
        for i in range(k + 1, count):
            if precedes(hits[i], hits[nearest]):
                nearest = i
        if nearest != k:
            for c in range(m.HIT_COLUMNS):
                words[k, c], words[nearest, c] = words[nearest, c], words[k, c]


@kernel
def precedes(one, two):
    """Whether a hit comes before another one."""
    if one.distance != two.distance:
        return one.distance < two.distance
    if one.a != two.a:
        return one.a < two.a
    if one.b != two.b:
        return one.b < two.b
    for x, y in (
        (one.ax, two.ax), (one.ay, two.ay), (one.az, two.az),
        (one.bx, two.bx), (one.by, two.by), (one.bz, two.bz),
        (one.nx, two.nx), (one.ny, two.ny), (one.nz, two.nz),
    ):  # fmt: skip
        if x != y:
            return x < y
    return False


@kernel
def closing_speed(monitor, a, b, dt):
    """How fast the witness points in ``out`` near each other along the normal, from the last
    reading to this one; NaN where one of them was not seen before."""
    out, movers = monitor.out, monitor.movers
    rows, before = monitor.placed.rows, monitor.before
    x, y, z = three(out, 0, layout.POINT_A)
    vx, vy, vz = point_velocity(rows, before, a, x, y, z)
    if movers[a].known < 2:
        return math.nan
    if b < monitor.plan.movers:
        if movers[b].known < 2:
            return math.nan
        x, y, z = three(out, 0, layout.POINT_B)
        ux, uy, uz = point_velocity(rows, before, b, x, y, z)
        vx, vy, vz = vx - ux, vy - uy, vz - uz
    nx, ny, nz = three(out, 0, layout.NORMAL)
    return -(vx * nx + vy * ny + vz * nz) / dt


@kernel
def point_velocity(rows, before, i, x, y, z):
    """How far the point of mover ``i`` that is now at (x, y, z) has come, [m]."""
    x, y, z = x - rows[i, 3], y - rows[i, 7], z - rows[i, 11]
    lx = rows[i, 0] * x + rows[i, 4] * y + rows[i, 8] * z
    ly = rows[i, 1] * x + rows[i, 5] * y + rows[i, 9] * z
    lz = rows[i, 2] * x + rows[i, 6] * y + rows[i, 10] * z
    return (
        x + rows[i, 3] - (before[i, 0] * lx + before[i, 1] * ly + before[i, 2] * lz + before[i, 3]),
        y + rows[i, 7] - (before[i, 4] * lx + before[i, 5] * ly + before[i, 6] * lz + before[i, 7]),
        z + rows[i, 11]
        - (before[i, 8] * lx + before[i, 9] * ly + before[i, 10] * lz + before[i, 11]),
    )  # fmt: skip


@kernel
def parting(monitor, a, b, rule, hit):
    """APPROACHES, or what surely parts of the slots ``a`` and ``b``, whose distance and normal from
    ``b`` to ``a`` are in ``out``, and threshold and closing speed in the hit: the two primitives,
    or all of their bodies."""
    rows, refs, before, out = monitor.placed.rows, monitor.placed.refs, monitor.before, monitor.out
    # NaN where a speed is unknown.
    if (
        not hit.closing < 0.0
        or refs[a, layout.KIND] == layout.MESH
        or refs[b, layout.KIND] == layout.MESH
    ):
        return m.APPROACHES
    away, moves, threshold = 0.0, 0.0, 0.0
    nx, ny, nz = three(out, 0, layout.NORMAL)
    for side in range(2):
        i, sign = (a, 1.0) if side == 0 else (b, -1.0)
        if i >= monitor.plan.movers:
            continue
        own = monitor.movers[i]
        x, y, z = (
            rows[i, 3] - before[i, 3],
            rows[i, 7] - before[i, 7],
            rows[i, 11] - before[i, 11],
        )
        square = 0.0
        for r in range(3):
            for c in range(3):
                square += (rows[i, 4 * r + c] - before[i, 4 * r + c]) ** 2
        shift, turn = math.sqrt(x * x + y * y + z * z), math.sqrt(0.5 * square)
        # The move is shift + |ΔR| |p|.
        away += sign * (x * nx + y * ny + z * nz)
        away -= own.move - shift + turn * own.move
        moves += shift + turn * own.whole
        threshold += own.c0
    if not away > 0.0:
        return m.APPROACHES
    # The buffer of another primitive is c0 at least.
    if rule != m.BUFFERS:
        threshold = hit.threshold
    return m.BODIES_PART if out[0, layout.DISTANCE] + moves <= threshold else m.PRIMITIVES_PART
