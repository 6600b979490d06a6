"""Pairs that cannot meet within a horizon H are left out, and taken in again in time.

Each body is registered with a ball that it cannot leave for H: with velocity v and bounds A and V
that of radius |v| H / 2 + A H² / 2 about x + v H / 2, or of V H about x, whichever is smaller, and
its own radius on top. A pair is in the table if the balls of its bodies overlap.

Why no contact goes unannounced. Each body is registered anew no later than H - 2 Δt after the last
time. Take a contact at t, and the balls that both bodies have at t - 2 Δt. Each was registered no
earlier than t - H, so both hold at t: they overlap. The later of the two was registered by
t - 2 Δt, and found the other; so from then on the pair was in the table and looked at, and the
promise of the wheel holds for it.
"""

from __future__ import annotations

import math

from standoff.compiled.jit import entry, inlined, kernel
from standoff.predict.kernels.layout import (
    ACCELERATION,
    END,
    LIVE,
    POSITION,
    RADIUS,
    REACH,
    SINCE,
    SPEED,
    UNUSED,
    VELOCITY,
)
from standoff.tolerances import BALL_ROUNDING


@inlined
def apart(balls, a, b):
    """Whether two balls surely do not overlap."""
    x, y, z = balls[b, 0] - balls[a, 0], balls[b, 1] - balls[a, 1], balls[b, 2] - balls[a, 2]
    reach = balls[a, REACH] + balls[b, REACH]
    return x * x + y * y + z * z > reach * reach


@kernel
def lay_ball(balls, bodies, k, horizon, now):
    """The ball that body ``k`` cannot leave for a horizon, from its last reading."""
    body = bodies[k]
    x, y, z = body[POSITION], body[POSITION + 1], body[POSITION + 2]
    vx, vy, vz = body[VELOCITY], body[VELOCITY + 1], body[VELOCITY + 2]
    way = 0.5 * horizon * math.sqrt(vx * vx + vy * vy + vz * vz)
    reach = way + 0.5 * body[ACCELERATION] * horizon * horizon
    if body[SPEED] * horizon < reach:
        reach = body[SPEED] * horizon
    else:
        x += 0.5 * horizon * vx
        y += 0.5 * horizon * vy
        z += 0.5 * horizon * vz
    balls[k, 0], balls[k, 1], balls[k, 2] = x, y, z
    reach += body[RADIUS]
    balls[k, REACH] = reach + BALL_ROUNDING * (reach + abs(x) + abs(y) + abs(z) + way)
    balls[k, SINCE] = now


@kernel
def forget(pairs, firsts, state, entry_):
    """Take a pair out of the table."""
    a = int(pairs[entry_, 0])
    a = a if a >= 0 else ~a
    list_ = list_of(firsts, a, int(pairs[entry_, 1]))
    before = int(firsts[list_])
    if before == entry_:
        firsts[list_] = pairs[entry_, 3]
    else:
        while pairs[before, 3] != entry_:
            before = int(pairs[before, 3])
        pairs[before, 3] = pairs[entry_, 3]
    pairs[entry_, 0] = pairs[entry_, 1] = 0
    pairs[entry_, 2] = state[UNUSED]
    state[UNUSED] = entry_
    state[LIVE] -= 1


@inlined
def list_of(firsts, a, b):
    """The list of a pair: a different one for each pair of a body, as far as there are so many."""
    return ((a * 73856093) ^ (b * 19349663)) & (len(firsts) - 1)


@inlined
def known(pairs, firsts, a, b):
    """The entry of a pair, a < b; END: it is not in the table."""
    entry_ = int(firsts[list_of(firsts, a, b)])
    while entry_ != END:
        first = int(pairs[entry_, 0])
        if pairs[entry_, 1] == b and (first == a or first == ~a):
            break
        entry_ = int(pairs[entry_, 3])
    return entry_


@kernel
def enlist(pairs, firsts, entry_, a, b):
    """Put a pair into its list."""
    list_ = list_of(firsts, a, b)
    pairs[entry_, 3] = firsts[list_]
    firsts[list_] = entry_


@entry("(i4[:,::1],i4[::1])")
def enlist_all(pairs, firsts):
    """Make the lists of all pairs in the table."""
    for i in range(len(firsts)):
        firsts[i] = END
    for entry_ in range(len(pairs)):
        first, b = int(pairs[entry_, 0]), int(pairs[entry_, 1])
        a = first if first >= 0 else ~first
        if b > a:
            enlist(pairs, firsts, entry_, a, b)
    return 0
