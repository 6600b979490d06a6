"""Whether a pair that is too close surely parts.

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

from standoff.kernels.jit import kernel
from standoff.kernels.layout import KIND, MESH
from standoff.kernels.monitor.layout import (
    APPROACHES,
    BODIES_PART,
    BUFFERS,
    C0,
    CLOSING,
    MOVE,
    MOVERS,
    PRIMITIVES_PART,
    THRESHOLD,
    WHOLE,
)


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
