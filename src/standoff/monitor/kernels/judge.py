"""The tests of the near pairs: extended boxes first, then the exact distance.

Whether a pair that is too close surely parts.

Two convex bodies are apart by ``d`` along the normal of their witness points, and no nearer for as
long as every point of one moves away along it from every point of the other. From the last reading
to this one a point ``p`` of a body has moved by ``Δc + ΔR p``, so that of all its points none has
come less far along ``n`` than

    n · Δc - |ΔR| |p|.

If the body turns on as it did, the next move of a point is that move turned by the same rotation:
it differs by no more than ``|ΔR|`` times its length. A pair is said to part only if

    n · (Δc_a - Δc_b)  >  Σ |ΔR| |p| + |ΔR| MOVE,

so it is not nearer at the next reading either, should both go on as they did. A mesh is not convex:
what leaves one side of it may come to another.

Of two bodies of several primitives those that are farther apart than their threshold are no hits.
They come no nearer than the nearest hit is, if ``d + moves <= threshold``, the moves being those of
any point of the two bodies.
"""

from __future__ import annotations

import math

import numpy as np

from standoff.broadphase.kernels.layout import BOXES_FIRST, PAIR_TESTS, TECHNIQUES
from standoff.compiled.jit import kernel
from standoff.geometry.narrowphase.dispatch import swap
from standoff.geometry.narrowphase.layout import KIND, MESH, SLACK
from standoff.geometry.narrowphase.unpacked import closed_form, general_pair
from standoff.monitor.kernels.layout import (
    APPROACHES,
    BODIES_PART,
    BODY_A,
    BODY_B,
    BUFFER,
    BUFFERS,
    C0,
    CLOSING,
    HIT_COLUMNS,
    HITS_USED,
    KNOWN,
    MOVE,
    MOVERS,
    PAIRS_USED,
    PARTS,
    PRIMITIVES_PART,
    THRESHOLD,
    WHEN,
    WHOLE,
)
from standoff.monitor.kernels.near import extended_meet


@kernel
def judge(general, rows, refs, points, faces, solids, ints, before, motion, boxes, extended,
          thresholds, pairs, dt, work, iwork, hits, owner, counts, state):  # fmt: skip
    """Write every pair that is too close to ``hits`` and count them all, also those for which there
    is no row left. Returns the smallest distance of the pairs whose extended boxes meet.

    The value of a distance less its slack is a proved lower bound, so a pair is let pass only
    when it is farther apart than its threshold beyond doubt."""
    movers = counts[0, MOVERS]
    boxed = (state[0, TECHNIQUES] & BOXES_FIRST) != 0
    last = hits.shape[0] - 1
    found = 0
    clearance = math.inf
    for p in range(counts[0, PAIRS_USED]):
        a, b, rule = pairs[p, 0], pairs[p, 1], pairs[p, 2]
        if boxed and not extended_meet(extended, boxes, movers, a, b):
            continue
        state[0, PAIR_TESTS] += 1
        # The row after the last hit serves as scratch.
        k = min(found, last)
        if not closed_form(rows, refs, a, points, rows, refs, b, points, hits, k):
            general_pair(
                general, rows, refs, a, points, faces, solids, ints,
                rows, refs, b, points, faces, solids, ints, work, iwork, hits, k,
            )  # fmt: skip
        value = hits[k, 0]
        clearance = min(clearance, value)
        if rule == BUFFERS:
            threshold = motion[a, BUFFER]
            if b < movers:
                threshold += motion[b, BUFFER]
        else:
            threshold = thresholds[rule, 0]
        if not value - hits[k, SLACK] > threshold:
            hits[k, THRESHOLD] = threshold
            hits[k, CLOSING] = closing_speed(rows, before, motion, movers, a, b, dt, hits, k)
            hits[k, WHEN] = 1.0
            hits[k, PARTS] = parting(rows, refs, before, motion, counts, a, b, rule, hits, k)
            put_bodies(hits, k, owner[a, 0], owner[b, 0])
            found += 1
    counts[0, HITS_USED] = found
    return clearance


@kernel
def put_bodies(hits, k, first, second):
    """Whose hit ``k`` is, the smaller number first."""
    if first > second:
        swap(hits, k)
        first, second = second, first
    hits[k, BODY_A] = np.int64(first).view(np.float64)
    hits[k, BODY_B] = np.int64(second).view(np.float64)


@kernel
def rank(hits, count):
    """Sort the first ``count`` hits: nearest first, those equally near by their bodies, then by
    where they are; never by a speed, which may be no number. For few of them."""
    for k in range(count - 1):
        nearest = k
        for i in range(k + 1, count):
            if precedes(hits, i, nearest):
                nearest = i
        if nearest != k:
            for c in range(HIT_COLUMNS):
                hits[k, c], hits[nearest, c] = hits[nearest, c], hits[k, c]


@kernel
def precedes(hits, i, j):
    """Whether hit ``i`` comes before hit ``j``."""
    if hits[i, 0] != hits[j, 0]:
        return hits[i, 0] < hits[j, 0]
    for c in (BODY_A, BODY_B):
        body, other = np.float64(hits[i, c]).view(np.int64), np.float64(hits[j, c]).view(np.int64)
        if body != other:
            return body < other
    for c in range(1, 10):
        if hits[i, c] != hits[j, c]:
            return hits[i, c] < hits[j, c]
    return False


@kernel
def closing_speed(rows, before, motion, movers, a, b, dt, hits, k):
    """How fast the witness points of hit ``k`` near each other along the normal, from the last
    reading to this one; NaN where one of them was not seen before."""
    vx, vy, vz = point_velocity(rows, before, a, hits[k, 1], hits[k, 2], hits[k, 3])
    if motion[a, KNOWN] < 2.0:
        return math.nan
    if b < movers:
        if motion[b, KNOWN] < 2.0:
            return math.nan
        ux, uy, uz = point_velocity(rows, before, b, hits[k, 4], hits[k, 5], hits[k, 6])
        vx, vy, vz = vx - ux, vy - uy, vz - uz
    return -(vx * hits[k, 7] + vy * hits[k, 8] + vz * hits[k, 9]) / dt


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
def parting(rows, refs, before, motion, counts, a, b, rule, hits, k):
    """APPROACHES, or what surely parts of the slots ``a`` and ``b`` of hit ``k``, whose distance,
    normal from ``b`` to ``a``, threshold and closing speed are written: the two primitives, or all
    of their bodies."""
    # NaN where a speed is unknown.
    if not hits[k, CLOSING] < 0.0 or refs[a, KIND] >= MESH or refs[b, KIND] >= MESH:
        return APPROACHES
    away, moves, threshold = 0.0, 0.0, 0.0
    for side in range(2):
        i, sign = (a, 1.0) if side == 0 else (b, -1.0)
        if i >= counts[0, MOVERS]:
            continue
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
        # MOVE is shift + |ΔR| |p|.
        away += sign * (x * hits[k, 7] + y * hits[k, 8] + z * hits[k, 9])
        away -= motion[i, MOVE] - shift + turn * motion[i, MOVE]
        moves += shift + turn * motion[i, WHOLE]
        threshold += motion[i, C0]
    if not away > 0.0:
        return APPROACHES
    # The buffer of another primitive is C0 at least.
    if rule != BUFFERS:
        threshold = hits[k, THRESHOLD]
    return BODIES_PART if hits[k, 0] + moves <= threshold else PRIMITIVES_PART
