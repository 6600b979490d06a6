"""Looking at a pair: the readings of both bodies, held against their bounds and against the last
ones, and what follows for the pair from them.
"""

from __future__ import annotations

import math

from standoff.compiled.by_address import called
from standoff.compiled.jit import inlined, kernel
from standoff.predict.kernels import predict_tables as p
from standoff.predict.kernels.time_to_contact import ACCELERATION as A
from standoff.predict.kernels.time_to_contact import GAP_RADIUS, SPEED, WORK_OUT, X
from standoff.predict.kernels.time_to_contact import VELOCITY as V
from standoff.tolerances import CLOCK_INSTANT, EPS, LARGEST_READING, URGENCY_STEP

#: How far beyond its bounds a body may seem to have moved, relative to what they allow, [-]: speeds
#: that are sums of many small steps, and the clock. PERIOD_SLACK is a thousand times as much.
BOUND_ROUNDING = 1e-9

#: The same in units of ``EPS`` times its coordinates, [-]: a few roundings of two readings. There
#: is one more for each step between them, as positions may be sums of small steps.
READING_ROUNDING = 64.0

#: `kernels.time_to_contact.work_out`, by the address in the state.
work_out_at = called(WORK_OUT)


@inlined
def look(positions, velocities, tables, k):
    """Take over what is read of body ``k`` in this step, once. Whether it can be believed: it is
    there, finite, no faster than its bound, and no farther from the last reading than bounds allow.
    A finite reading is taken over even if not, so that one jump is one fault."""
    state, body = tables.state, tables.bodies[k]
    step = state.step
    if body.seen_in != step:
        steps = 0 if body.seen_in < 0 else abs(step - body.seen_in)
        body.seen_in = step
        kind, value, allowed = p.MISSING, math.nan, 0.0
        if k < len(positions) and k < len(velocities):
            x, y, z = positions[k, 0], positions[k, 1], positions[k, 2]
            vx, vy, vz = velocities[k, 0], velocities[k, 1], velocities[k, 2]
            # One that is NaN or infinite makes the sum so, and squares of the others are numbers.
            if abs(x) + abs(y) + abs(z) + abs(vx) + abs(vy) + abs(vz) < LARGEST_READING:
                blur = CLOCK_INSTANT * state.blur
                now = state.now
                kind, value, allowed = held(body, (x, y, z), (vx, vy, vz), now, blur, steps)
                body.x, body.y, body.z = x, y, z
                body.vx, body.vy, body.vz = vx, vy, vz
                body.seen_at = now
        if kind >= 0:
            body.fault_in = step
            faults, count = tables.faults, state.faults
            if count < len(faults):
                fault = faults[count]
                fault.kind, fault.body, fault.value, fault.allowed = kind, k, value, allowed
            state.faults = count + 1
    return body.fault_in != step


@inlined
def held(body, position, velocity, now, blur, steps):
    """Which bound a reading breaks, by how much and what is allowed; -1: none. From the last
    reading, ``t`` and so many ``steps`` ago (0: there is none), with A and V the bounds:

        |v| <= V,    |v - v0| <= A t,    |x - x0 - v0 t| <= A t² / 2,    |x - x0| <= V t

    with t as long as it can have been by clocks that are ``blur`` off from each other, [s].
    """
    (x, y, z), (vx, vy, vz) = position, velocity
    fastest, most = body.speed, body.acceleration
    # Squares are compared; roots are taken where a bound is broken, to say by how much.
    speed = vx * vx + vy * vy + vz * vz
    limit = fastest * (1.0 + BOUND_ROUNDING)
    if speed > limit * limit:
        return p.TOO_FAST, math.sqrt(speed), fastest
    if steps == 0:
        return -1, 0.0, 0.0
    t = now - body.seen_at + blur
    ux, uy, uz = body.vx, body.vy, body.vz
    change = (vx - ux) ** 2 + (vy - uy) ** 2 + (vz - uz) ** 2
    allowed = most * t
    if change > allowed * allowed:
        # Seldom, so what rounding excuses is worked out here only.
        speeds = abs(vx) + abs(vy) + abs(vz) + abs(ux) + abs(uy) + abs(uz)
        limit = allowed + BOUND_ROUNDING * (allowed + speeds)
        if change > limit * limit:
            return p.ACCELERATED, math.sqrt(change), allowed
    px, py, pz = x - body.x, y - body.y, z - body.z
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
            return p.JUMPED, math.sqrt(off), aside
        if moved > (far + slack) ** 2:
            return p.JUMPED, math.sqrt(moved), far
    return -1, 0.0, 0.0


@inlined
def look_at_both(positions, velocities, tables, a, b):
    """Look at two bodies; whether both can be believed."""
    good = True
    for side in range(2):
        good = look(positions, velocities, tables, b if side else a) and good
    return good


@inlined
def gather(tables, i, a, b):
    """Write a pair into a column of the block, from the last readings; bounds are summed."""
    block, p, q = tables.block, tables.bodies[a], tables.bodies[b]
    block[X, i], block[X + 1, i], block[X + 2, i] = q.x - p.x, q.y - p.y, q.z - p.z
    block[V, i], block[V + 1, i], block[V + 2, i] = q.vx - p.vx, q.vy - p.vy, q.vz - p.vz
    block[A, i] = p.acceleration + q.acceleration
    block[GAP_RADIUS, i] = p.radius + q.radius
    block[SPEED, i] = p.speed + q.speed


@inlined
def work_out(tables, count):
    """The earliest contact of the first ``count`` pairs of the block, into its row TAU, [s]."""
    work_out_at(tables.state.work_out, tables.block, count, tables.state.urgency)


@inlined
def in_units(tau, period):
    """A time in units of a deadline, rounded down. The quotient and two products are off by a unit
    of rounding and a half, and more than that is taken off."""
    units = tau / period * p.UNIT * (1.0 - URGENCY_STEP)
    return int(units) if units < p.NEVER else p.NEVER


@inlined
def unmarked(a):
    """The smaller body of a pair, alarmed or not."""
    return int(a if a >= 0 else ~a)


@kernel
def is_off(off, a, b):
    """Whether a pair is among those switched off, which are sorted."""
    low, high = 0, len(off)
    while low < high:
        mid = (low + high) >> 1
        if off[mid, 0] < a or (off[mid, 0] == a and off[mid, 1] < b):
            low = mid + 1
        else:
            high = mid
    return low < len(off) and off[low, 0] == a and off[low, 1] == b


@inlined
def write_alarm(alarm, pair, units, periods):
    """No contact of a pair for so many units, and its next look done after so many periods."""
    alarm.a, alarm.b, alarm.new = unmarked(pair.a), pair.b, int(pair.a >= 0)
    alarm.units, alarm.periods = units, periods


@inlined
def said(state):
    """What a step says at once. Only one that comes late has voids, and it is looked at anyway."""
    if state.faults > 0 or state.expired > 0:
        return p.MORE
    return p.ALARMS if state.found > 0 else p.QUIET
