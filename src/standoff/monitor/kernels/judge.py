"""The tests of the near pairs: extended boxes first, then the exact distance.

`judge` decides which pairs warn: each that is not surely farther apart than its threshold is a
*hit*, which `monitor.report` shows as a `Warning`.

`parting` decides whether a pair that is too close surely separates (``Warning.approaching`` is then
False). Two convex bodies are apart by ``d`` along the normal of their witness points, and no nearer
for as long as every point of one moves away along it from every point of the other. From the last
reading to this one a point ``p`` of a body has moved by ``Δc + ΔR p``, so that of all its points
none has come less far along ``n`` than

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

from standoff.broadphase.kernels.tables import BOXES_FIRST
from standoff.compiled.jit import inlined, kernel
from standoff.geometry.narrowphase.dispatch import closed_form, general_pair
from standoff.geometry.narrowphase.layout import KIND, MESH, SLACK
from standoff.monitor.kernels.near import extended_meet
from standoff.monitor.kernels.tables import (
    APPROACHES,
    BODIES_PART,
    BUFFERS,
    HIT_COLUMNS,
    PRIMITIVES_PART,
)


@kernel
def judge(monitor, dt):
    """Write every pair that is too close to the hits and count them all, also those for which there
    is no room. Returns the smallest distance of the pairs whose extended boxes meet.

    The value of a distance less its slack is a proved lower bound, so a pair is let pass only
    when it is farther apart than its threshold beyond doubt."""
    state, pairs, out = monitor.index.state, monitor.pairs, monitor.out
    boxed = (state.techniques & BOXES_FIRST) != 0
    found = 0
    clearance = math.inf
    for p in range(monitor.answer.pairs):
        a, b, rule = pairs[p].a, pairs[p].b, pairs[p].rule
        if boxed and not extended_meet(monitor, a, b):
            continue
        state.pair_tests += 1
        measure(monitor, monitor.placed, a, b, out, 0)
        value = out[0, 0]
        clearance = min(clearance, value)
        threshold = threshold_of(monitor, a, b, rule)
        if not value - out[0, SLACK] > threshold:
            if found < len(monitor.hits):
                hit = monitor.hits[found]
                hit.threshold, hit.when = threshold, 1.0
                hit.closing = closing_speed(monitor, a, b, dt)
                hit.parts = parting(monitor, a, b, rule, hit)
                put_hit(monitor, hit, a, b)
            found += 1
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
    if rule != BUFFERS:
        return monitor.thresholds[rule]
    threshold = monitor.movers[a].buffer
    if b < monitor.plan.movers:
        threshold += monitor.movers[b].buffer
    return threshold


@kernel
def put_hit(monitor, hit, a, b):
    """The result in ``out`` into a hit of the slots ``a`` and ``b``, the body with the smaller
    number first."""
    out, first, second = monitor.out, monitor.owner[a], monitor.owner[b]
    hit.distance, hit.slack = out[0, 0], out[0, SLACK]
    if first <= second:
        hit.a, hit.b = first, second
        hit.ax, hit.ay, hit.az = out[0, 1], out[0, 2], out[0, 3]
        hit.bx, hit.by, hit.bz = out[0, 4], out[0, 5], out[0, 6]
        hit.nx, hit.ny, hit.nz = out[0, 7], out[0, 8], out[0, 9]
    else:
        hit.a, hit.b = second, first
        hit.ax, hit.ay, hit.az = out[0, 4], out[0, 5], out[0, 6]
        hit.bx, hit.by, hit.bz = out[0, 1], out[0, 2], out[0, 3]
        hit.nx, hit.ny, hit.nz = -out[0, 7], -out[0, 8], -out[0, 9]


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
            for c in range(HIT_COLUMNS):
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
    vx, vy, vz = point_velocity(rows, before, a, out[0, 1], out[0, 2], out[0, 3])
    if movers[a].known < 2:
        return math.nan
    if b < monitor.plan.movers:
        if movers[b].known < 2:
            return math.nan
        ux, uy, uz = point_velocity(rows, before, b, out[0, 4], out[0, 5], out[0, 6])
        vx, vy, vz = vx - ux, vy - uy, vz - uz
    return -(vx * out[0, 7] + vy * out[0, 8] + vz * out[0, 9]) / dt


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
    if not hit.closing < 0.0 or refs[a, KIND] == MESH or refs[b, KIND] == MESH:
        return APPROACHES
    away, moves, threshold = 0.0, 0.0, 0.0
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
        away += sign * (x * out[0, 7] + y * out[0, 8] + z * out[0, 9])
        away -= own.move - shift + turn * own.move
        moves += shift + turn * own.whole
        threshold += own.c0
    if not away > 0.0:
        return APPROACHES
    # The buffer of another primitive is c0 at least.
    if rule != BUFFERS:
        threshold = hit.threshold
    return BODIES_PART if out[0, 0] + moves <= threshold else PRIMITIVES_PART
