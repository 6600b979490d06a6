"""How early a pair of bodies can touch, by whichever urgency was chosen."""

from __future__ import annotations

from standoff.compiled.jit import inlined, kernel
from standoff.predict.kernels.layout import (
    ACCELERATION,
    BODY_BITS,
    BODY_MASK,
    FREE,
    NEVER,
    POSITION,
    RADIUS,
    SPEED,
    UNIT,
    VELOCITY,
)
from standoff.predict.kernels.urgencies import urgency_of
from standoff.predict.kernels.urgency import ACCELERATION as A
from standoff.predict.kernels.urgency import BLOCK_ROWS, GAP_RADIUS, TAU, X, tau_free_block
from standoff.predict.kernels.urgency import VELOCITY as V
from standoff.tolerances import URGENCY_STEP

#: Rows of a block beyond those of `urgency`: the bound on the relative speed, and what the owner of
#: the block wants to know of a column.
SPEEDS = BLOCK_ROWS
OWN = BLOCK_ROWS + 1
ALL_ROWS = BLOCK_ROWS + 2


@inlined
def gather(bodies, block, i, a, b):
    """Write a pair into a column of a block, from the last readings; bounds are summed."""
    p, q = bodies[a], bodies[b]
    block[X, i] = q[POSITION] - p[POSITION]
    block[X + 1, i] = q[POSITION + 1] - p[POSITION + 1]
    block[X + 2, i] = q[POSITION + 2] - p[POSITION + 2]
    block[V, i] = q[VELOCITY] - p[VELOCITY]
    block[V + 1, i] = q[VELOCITY + 1] - p[VELOCITY + 1]
    block[V + 2, i] = q[VELOCITY + 2] - p[VELOCITY + 2]
    block[A, i] = p[ACCELERATION] + q[ACCELERATION]
    block[GAP_RADIUS, i] = p[RADIUS] + q[RADIUS]
    block[SPEEDS, i] = p[SPEED] + q[SPEED]


@kernel
def work_out(block, count, urgency):
    """The urgency of each pair of a block; but for GAP, its earliest contact, [s]."""
    if urgency == FREE:
        tau_free_block(block, count)
        return
    for i in range(count):
        block[TAU, i] = urgency_of(
            urgency, block[X, i], block[X + 1, i], block[X + 2, i], block[V, i], block[V + 1, i],
            block[V + 2, i], block[A, i], block[SPEEDS, i], block[GAP_RADIUS, i],
        )  # fmt: skip


@inlined
def in_units(tau, period):
    """A time in units of a deadline, rounded down. The quotient and two products are off by a unit
    of rounding and a half, and more than that is taken off."""
    units = tau / period * UNIT * (1.0 - URGENCY_STEP)
    return int(units) if units < NEVER else NEVER


@inlined
def pair_of(a, b):
    """Two bodies as one number, a < b."""
    return (a << BODY_BITS) | b


@inlined
def smaller(pair):
    return (pair >> BODY_BITS) & BODY_MASK


@inlined
def larger(pair):
    return pair & BODY_MASK


@kernel
def is_off(off, pair):
    """Whether a pair is among those switched off, which are sorted."""
    low, high = 0, len(off)
    while low < high:
        mid = (low + high) >> 1
        if off[mid] < pair:
            low = mid + 1
        else:
            high = mid
    return low < len(off) and off[low] == pair
