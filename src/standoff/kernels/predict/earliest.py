"""How early a pair of bodies can touch, by whichever urgency was chosen."""

from __future__ import annotations

import math

from standoff.constants import URGENCY_STEP
from standoff.kernels.jit import inlined, kernel
from standoff.kernels.predict.layout import (
    ACCELERATION,
    BODY_BITS,
    BODY_MASK,
    BOUNDED,
    FREE,
    GAP,
    NEVER,
    POSITION,
    RADIUS,
    SPEED,
    UNIT,
    VELOCITY,
)
from standoff.kernels.predict.urgency import gap_at, tau_bounded, tau_free


@kernel
def earliest(bodies, a, b, urgency):
    """The earliest contact of two bodies from their last readings, [s]; never too late. Bounds are
    summed over the two. The urgency DISTANCE is the time that the present gap takes at the highest
    speeds, whatever the velocities: what Culley and Kempf go by."""
    p, q = bodies[a], bodies[b]
    x, y, z = q[POSITION] - p[POSITION], q[POSITION + 1] - p[POSITION + 1], q[5] - p[5]
    vx, vy, vz = q[VELOCITY] - p[VELOCITY], q[VELOCITY + 1] - p[VELOCITY + 1], q[8] - p[8]
    radius = p[RADIUS] + q[RADIUS]
    acceleration = p[ACCELERATION] + q[ACCELERATION]
    if urgency == FREE:
        return tau_free(x, y, z, vx, vy, vz, acceleration, radius)
    speed = p[SPEED] + q[SPEED]
    if urgency == BOUNDED:
        return tau_bounded(x, y, z, vx, vy, vz, acceleration, speed, radius)
    gap, _ = gap_at(x, y, z, 0.0, 0.0, 0.0, 0.0, radius, 0.0)
    if not gap > 0.0:
        return 0.0
    if urgency == GAP:
        return gap
    return gap / speed if speed > 0.0 else math.inf


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
