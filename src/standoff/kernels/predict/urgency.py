"""How early two balls can touch, whatever they do within bounds on their acceleration and speed.

The pair is one point: ``x = x_b - x_a`` with velocity ``v = v_b - v_a``, the sum ``A`` of both
bounds on acceleration, the sum ``V`` of both on speed, and ``epsilon``, the radii and the margin.
Contact is ``|x| <= epsilon``. Without a bound on speed the point can get to anywhere within
``A t² / 2`` of ``x + v t``, so contact at ``t`` needs (paper 004, (11))

    gap(t) = |x + v t| - epsilon - A t² / 2 <= 0.

No result is later than the earliest contact: where rounding enters, it is taken off.
"""

from __future__ import annotations

import math

from standoff.constants import (
    LARGEST_READING,
    SPEED_BOUND_STEPS,
    URGENCY_BLOCK_STEPS,
    URGENCY_ROUNDING,
    URGENCY_STEP,
    URGENCY_STEPS,
    URGENCY_TOLERANCE,
    URGENCY_UNDERFLOW,
)
from standoff.kernels.jit import inlined, kernel
from standoff.kernels.predict.turning import turning_time

#: Rows of a block of pairs, which has a pair to a column.
X, VELOCITY, ACCELERATION, GAP_RADIUS, TAU, LAST_STEP, BLOCK_ROWS = 0, 3, 6, 7, 8, 9, 10

#: Pairs that the processor works out at once.
LANES = 8


@inlined
def gap_at(x, y, z, vx, vy, vz, acceleration, gap_radius, t):
    """The gap at a time ahead, never too large, and how fast the distance grows there if nobody
    accelerates, never too large either."""
    ux, uy, uz = x + t * vx, y + t * vy, z + t * vz
    length = math.sqrt(ux * ux + uy * uy + uz * uz)
    speed = abs(vx) + abs(vy) + abs(vz)
    ball = gap_radius + 0.5 * acceleration * t * t
    lengths = abs(x) + abs(y) + abs(z) + t * speed + ball
    growth = (ux * vx + uy * vy + uz * vz) / (length if length > 0.0 else 1.0)
    return length - ball - URGENCY_ROUNDING * lengths, growth - URGENCY_ROUNDING * speed


@inlined
def advance(x, y, z, vx, vy, vz, acceleration, gap_radius, t):
    """How much longer than until ``t`` there is no contact, given that there is none up to ``t``;
    0 where the gap is closed, and for NaN. Without branches, so that many are done at once.

    With ``n`` the direction of ``x + v t``, ``|x + v (t + s)| >= |x + v t| + s n·v``, as a distance
    is convex. So there is no contact before the first ``s`` at which

        gap(t) = s (A t - n·v) + A s² / 2.
    """
    gap, growth = gap_at(x, y, z, vx, vy, vz, acceleration, gap_radius, t)
    closing = acceleration * t - growth
    speed = abs(closing)
    squared = closing * closing + 2.0 * acceleration * gap
    root = math.sqrt(squared if squared > 0.0 else 0.0)
    both = speed + (root if root > speed else speed)
    # The root with the sum of two positive numbers, not their difference. Underflow may have
    # lowered `both`: it is raised where it divides. Divided by 0, it is a step without end.
    above = 2.0 * gap if closing > 0.0 else both
    below = both + URGENCY_UNDERFLOW if closing > 0.0 else acceleration
    ends = below > 0.0
    step = (above if ends else math.inf) / (below if ends else 1.0) * (1.0 - URGENCY_STEP)
    # Infinite where a square overflowed, and then nothing is known.
    return step if gap > 0.0 and gap + both < math.inf else 0.0


@kernel
def tau_free(x, y, z, vx, vy, vz, acceleration, gap_radius):
    """The earliest contact, [s], with no bound on speed: the smallest positive root of (13). 0 for
    bodies that touch or overlap and for NaN, infinity for those that never can. Steps of `advance`
    come to the root from below, each squaring what is left: three to five in all.
    """
    return finish(x, y, z, vx, vy, vz, acceleration, gap_radius, 0.0)


@kernel
def finish(x, y, z, vx, vy, vz, acceleration, gap_radius, t):
    """`tau_free` from a time up to which there is no contact."""
    for _ in range(URGENCY_STEPS):
        step = advance(x, y, z, vx, vy, vz, acceleration, gap_radius, t)
        t += step
        if not (step > URGENCY_TOLERANCE * t and t < math.inf):
            break
    return t


@kernel
def tau_free_block(block, count):
    """`tau_free` of up to as many pairs as a block has columns: rows X to GAP_RADIUS in, row TAU
    out. All take the same few steps, eight pairs to an instruction; the odd one goes on alone."""
    if count == 1:
        block[TAU, 0] = tau_free(
            block[X, 0], block[X + 1, 0], block[X + 2, 0],
            block[VELOCITY, 0], block[VELOCITY + 1, 0], block[VELOCITY + 2, 0],
            block[ACCELERATION, 0], block[GAP_RADIUS, 0],
        )  # fmt: skip
        return
    # Whole instructions: what stands in the columns after the last is worked out and not used.
    whole = min((count + LANES - 1) // LANES * LANES, block.shape[1])
    for i in range(whole):
        block[TAU, i] = 0.0
    for _ in range(URGENCY_BLOCK_STEPS):
        for i in range(whole):
            t = block[TAU, i]
            step = advance(
                block[X, i], block[X + 1, i], block[X + 2, i],
                block[VELOCITY, i], block[VELOCITY + 1, i], block[VELOCITY + 2, i],
                block[ACCELERATION, i], block[GAP_RADIUS, i], t,
            )  # fmt: skip
            block[LAST_STEP, i] = step
            block[TAU, i] = t + step
    for i in range(count):
        if block[LAST_STEP, i] > URGENCY_TOLERANCE * block[TAU, i]:
            block[TAU, i] = finish(
                block[X, i], block[X + 1, i], block[X + 2, i],
                block[VELOCITY, i], block[VELOCITY + 1, i], block[VELOCITY + 2, i],
                block[ACCELERATION, i], block[GAP_RADIUS, i], block[TAU, i],
            )  # fmt: skip


@kernel
def tau_bounded(x, y, z, vx, vy, vz, acceleration, speed, gap_radius):
    """The earliest contact, [s], where the relative speed never exceeds ``speed`` either. Never
    before `tau_free`, and the same edges. A velocity above the bound counts as the bound.

    Where the motion that makes contact at `tau_free` never gets too fast, that is the answer. Else
    it is the larger of two bounds. Whatever happens up to ``s``, what is left of the gap then takes
    at least ``gap(s) / V``: no contact before ``s + gap(s) / V``, for any ``s`` before `tau_free`;
    the best has ``A s = V + n·v``, with ``n`` the direction of ``x + v s``. And `turning_time` is
    exact except for bodies that pass each other before they turn.
    """
    if not abs(x) + abs(y) + abs(z) + abs(vx) + abs(vy) + abs(vz) < LARGEST_READING:
        return 0.0  # squares would overflow
    free = tau_free(x, y, z, vx, vy, vz, acceleration, gap_radius)
    start = math.sqrt(vx * vx + vy * vy + vz * vz)
    fastest = max(speed, start) * (1.0 + URGENCY_STEP)
    if not (free > 0.0 and free < math.inf and speed < math.inf and acceleration > 0.0):
        return free if speed >= 0.0 else 0.0
    if not fastest > 0.0:
        return math.inf
    _, growth = gap_at(x, y, z, vx, vy, vz, acceleration, gap_radius, free)
    # |v - A t n|² = |v|² - 2 A t n·v + A² t²
    gained = acceleration * free
    if start * start + gained * (gained - 2.0 * growth) <= speed * speed:
        return free
    best, s = free, free
    for _ in range(SPEED_BOUND_STEPS):
        s = min((fastest + growth) / acceleration, free)
        gap, growth = gap_at(x, y, z, vx, vy, vz, acceleration, gap_radius, s)
        time = (s + gap / fastest) * (1.0 - URGENCY_STEP)
        if time > best and gap < math.inf:
            best = time
    unit = acceleration / (fastest * fastest)
    if start > 0.0:
        ahead = -(x * vx + y * vy + z * vz) / start
        cx, cy, cz = y * vz - z * vy, z * vx - x * vz, x * vy - y * vx
        aside = math.sqrt(cx * cx + cy * cy + cz * cz) / start
    else:
        ahead, aside = math.sqrt(x * x + y * y + z * z), 0.0
    pace = acceleration / fastest
    time = (
        turning_time(unit * ahead, unit * aside, start / fastest, unit * gap_radius, pace * free)
        / pace
        * (1.0 - URGENCY_STEP)
    )
    return time if time > best else best
