"""Looking at a body: its reading now, held against its bounds and against the last one."""

from __future__ import annotations

import math

from standoff.compiled.jit import inlined
from standoff.predict.kernels.layout import (
    ACCELERATED,
    ACCELERATION,
    BLUR,
    FAULT_IN,
    FAULTS,
    JUMPED,
    MISSING,
    POSITION,
    SEEN_AT,
    SEEN_IN,
    SPEED,
    TOO_FAST,
    VELOCITY,
)
from standoff.tolerances import CLOCK_INSTANT, EPS, LARGEST_READING

#: How far beyond its bounds a body may seem to have moved, relative to what they allow, [-]: speeds
#: that are sums of many small steps, and the clock. PERIOD_SLACK is a thousand times as much.
BOUND_ROUNDING = 1e-9

#: The same in units of ``EPS`` times its coordinates, [-]: a few roundings of two readings. There
#: is one more for each step between them, as positions may be sums of small steps.
READING_ROUNDING = 64.0


@inlined
def look(positions, velocities, bodies, faults, state, k, step, now):
    """Take over what is read of body ``k`` in this step, once. Whether it can be believed: it is
    there, finite, no faster than its bound, and no farther from the last reading than bounds allow.
    A finite reading is taken over even if not, so that one jump is one fault."""
    body = bodies[k]
    if body[SEEN_IN] != step:
        first = body[SEEN_IN] < 0.0
        steps = abs(step - body[SEEN_IN])
        body[SEEN_IN] = step
        kind, value, allowed = 0, math.nan, 0.0
        good = False
        if k < len(positions) and k < len(velocities):
            x, y, z = positions[k, 0], positions[k, 1], positions[k, 2]
            vx, vy, vz = velocities[k, 0], velocities[k, 1], velocities[k, 2]
            # One that is NaN or infinite makes the sum so, and squares of the others are numbers.
            if abs(x) + abs(y) + abs(z) + abs(vx) + abs(vy) + abs(vz) < LARGEST_READING:
                blur = CLOCK_INSTANT * state[BLUR]
                kind, value, allowed = held(body, x, y, z, vx, vy, vz, now, blur, steps, first)
                good = kind < 0
                body[POSITION], body[POSITION + 1], body[POSITION + 2] = x, y, z
                body[VELOCITY], body[VELOCITY + 1], body[VELOCITY + 2] = vx, vy, vz
                body[SEEN_AT] = now
            else:
                kind = MISSING
        else:
            kind = MISSING
        if not good:
            body[FAULT_IN] = step
            count = state[FAULTS]
            if count < len(faults):
                faults[count, 0], faults[count, 1] = kind, k
                faults[count, 2], faults[count, 3] = value, allowed
            state[FAULTS] = count + 1
    return body[FAULT_IN] != step


@inlined
def held(body, x, y, z, vx, vy, vz, now, blur, steps, first):
    """Which bound a reading breaks, by how much and what is allowed; -1: none. From the last
    reading, ``t`` and so many ``steps`` ago, with A and V the bounds:

        |v| <= V,    |v - v0| <= A t,    |x - x0 - v0 t| <= A t² / 2,    |x - x0| <= V t

    with t as long as it can have been by clocks that are ``blur`` off from each other, [s].
    """
    fastest, most = body[SPEED], body[ACCELERATION]
    # Squares are compared; roots are taken where a bound is broken, to say by how much.
    speed = vx * vx + vy * vy + vz * vz
    limit = fastest * (1.0 + BOUND_ROUNDING)
    if speed > limit * limit:
        return TOO_FAST, math.sqrt(speed), fastest
    if first:
        return -1, 0.0, 0.0
    t = now - body[SEEN_AT] + blur
    ux, uy, uz = body[VELOCITY], body[VELOCITY + 1], body[VELOCITY + 2]
    change = (vx - ux) ** 2 + (vy - uy) ** 2 + (vz - uz) ** 2
    allowed = most * t
    if change > allowed * allowed:
        # Seldom, so what rounding excuses is worked out here only.
        speeds = abs(vx) + abs(vy) + abs(vz) + abs(ux) + abs(uy) + abs(uz)
        limit = allowed + BOUND_ROUNDING * (allowed + speeds)
        if change > limit * limit:
            return ACCELERATED, math.sqrt(change), allowed
    px, py, pz = x - body[POSITION], y - body[POSITION + 1], z - body[POSITION + 2]
    off = (px - ux * t) ** 2 + (py - uy * t) ** 2 + (pz - uz * t) ** 2
    moved = px * px + py * py + pz * pz
    aside, far = 0.5 * allowed * t, fastest * t
    if off > aside * aside or moved > far * far:
        # The rounding of coordinates, and that v0 t may be for up to twice the blur too long.
        before = abs(ux) + abs(uy) + abs(uz)
        slack = (READING_ROUNDING + steps) * EPS * (abs(x) + abs(y) + abs(z))
        slack += BOUND_ROUNDING * (abs(px) + abs(py) + abs(pz) + (before + allowed) * t)
        slack += 2.0 * blur * before
        if off > (aside + slack) ** 2:
            return JUMPED, math.sqrt(off), aside
        if moved > (far + slack) ** 2:
            return JUMPED, math.sqrt(moved), far
    return -1, 0.0, 0.0
