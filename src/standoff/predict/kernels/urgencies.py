"""Urgency functions by their kind, of one pair or of many at once.

To add one, give it a kind and a branch in `urgency_of`. All take the same numbers, and a smaller
result is more urgent.
"""

from __future__ import annotations

import math

from standoff.compiled.jit import entry, kernel
from standoff.predict.kernels.layout import BOUNDED, FREE, GAP
from standoff.predict.kernels.paper import tau_paper
from standoff.predict.kernels.urgency import (
    ACCELERATION,
    GAP_RADIUS,
    TAU,
    VELOCITY,
    X,
    gap_at,
    tau_bounded,
    tau_free,
    tau_free_block,
)

#: Beside the kinds of `layout`: the earliest contact as paper 004 has it, which may be too late.
PAPER = 4


@kernel
def urgency_of(kind, x, y, z, vx, vy, vz, acceleration, speed, gap_radius):
    """The urgency of one pair, 0 for NaN. ``speed`` does not matter to FREE and GAP, nor
    ``acceleration`` and the velocity to GAP and DISTANCE: the gap, [m], and the time, [s], that it
    takes at ``speed``."""
    if kind == FREE:
        return tau_free(x, y, z, vx, vy, vz, acceleration, gap_radius)
    if kind == BOUNDED:
        return tau_bounded(x, y, z, vx, vy, vz, acceleration, speed, gap_radius)
    if kind == PAPER:
        return tau_paper(x, y, z, vx, vy, vz, acceleration, speed, gap_radius)
    gap, _ = gap_at(x, y, z, 0.0, 0.0, 0.0, 0.0, gap_radius, 0.0)
    if not (gap > 0.0 and gap < math.inf):
        return 0.0  # touching, NaN, or a square that overflowed
    if kind == GAP:
        return gap
    if speed > 0.0:
        return gap / speed
    return math.inf if speed == 0.0 else 0.0


@entry(
    "void(int64, float64[:,::1], float64[:,::1], float64[::1], float64[::1], float64[::1],"
    " float64[::1])"
)
def urgency_many(kind, x, v, acceleration, speed, gap_radius, tau):
    """`urgency_of` of each row."""
    for i in range(tau.shape[0]):
        tau[i] = urgency_of(
            kind, x[i, 0], x[i, 1], x[i, 2], v[i, 0], v[i, 1], v[i, 2],
            acceleration[i], speed[i], gap_radius[i],
        )  # fmt: skip


@entry(
    "void(float64[:,::1], float64[:,::1], float64[::1], float64[::1], float64[:,::1], float64[::1])"
)
def tau_free_many(x, v, acceleration, gap_radius, block, tau):
    """`tau_free` of each row; ``block`` is scratch, BLOCK_ROWS by any width."""
    width = block.shape[1]
    for start in range(0, tau.shape[0], width):
        count = min(width, tau.shape[0] - start)
        for i in range(count):
            for k in range(3):
                block[X + k, i] = x[start + i, k]
                block[VELOCITY + k, i] = v[start + i, k]
            block[ACCELERATION, i] = acceleration[start + i]
            block[GAP_RADIUS, i] = gap_radius[start + i]
        tau_free_block(block, count)
        for i in range(count):
            tau[start + i] = block[TAU, i]
