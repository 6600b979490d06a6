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

from standoff.compiled.jit import entry, inlined, kernel
from standoff.predict.kernels.turning import turning_time
from standoff.tolerances import (
    LARGEST_READING,
    URGENCY_ROUNDING,
    URGENCY_STEP,
    URGENCY_TOLERANCE,
)

#: What is added to a closing speed by which a gap is divided, [m/s], for what its square may have
#: lost to underflow: less than 1e-153. It only makes contact earlier, and such a speed is a
#: standstill for the age of the universe.
URGENCY_UNDERFLOW = 1e-150

#: Steps to the earliest time of contact, [-]. Each at least halves what is left to a contact in
#: passing, 52 for all bits; any number is sound, as every step ends before the contact.
URGENCY_STEPS = 64

#: Steps that all pairs of a block take, [-]: after 4, one in eight goes on alone, after 5, one in
#: 140. And the pairs of a block where nothing else is said: its rows stay in the first cache.
URGENCY_BLOCK_STEPS = 5

#: Steps towards the best time to stop counting on acceleration and count on speed, [-]; any time is
#: sound, and `turning_time` is sharper in all but a few cases.
SPEED_BOUND_STEPS = 3


#: Rows of a block of pairs, which has a pair to a column; SPEED is the bound on the relative speed.
X, VELOCITY, ACCELERATION, GAP_RADIUS, TAU, LAST_STEP, SPEED, BLOCK_ROWS = 0, 3, 6, 7, 8, 9, 10, 11

#: Urgencies: whether the speed is bounded, or the acceleration alone.
FREE = 0
BOUNDED = 1

#: Pairs that the processor works out at once.
LANES = 8


@inlined
def triple(block, row, i):
    """A point or a velocity, which takes three rows of a block."""
    return block[row, i], block[row + 1, i], block[row + 2, i]


@inlined
def gap_at(x, v, acceleration, gap_radius, t):
    """The gap at a time ahead, never too large, and how fast the distance grows there if nobody
    accelerates, never too large either."""
    (x, y, z), (vx, vy, vz) = x, v
    ux, uy, uz = x + t * vx, y + t * vy, z + t * vz
    length = math.sqrt(ux * ux + uy * uy + uz * uz)
    speed = abs(vx) + abs(vy) + abs(vz)
    ball = gap_radius + 0.5 * acceleration * t * t
    lengths = abs(x) + abs(y) + abs(z) + t * speed + ball
    growth = (ux * vx + uy * vy + uz * vz) / (length if length > 0.0 else 1.0)
    return length - ball - URGENCY_ROUNDING * lengths, growth - URGENCY_ROUNDING * speed


@inlined
def advance(x, v, acceleration, gap_radius, t):
    """How much longer than until ``t`` there is no contact, given that there is none up to ``t``;
    0 where the gap is closed, and for NaN. Without branches, so that many are done at once.

    With ``n`` the direction of ``x + v t``, ``|x + v (t + s)| >= |x + v t| + s n·v``, as a distance
    is convex. So there is no contact before the first ``s`` at which

        gap(t) = s (A t - n·v) + A s² / 2.
    """
    gap, growth = gap_at(x, v, acceleration, gap_radius, t)
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
def tau_free(x, v, acceleration, gap_radius):
    """The earliest contact, [s], with no bound on speed: the smallest positive root of (13). 0 for
    bodies that touch or overlap and for NaN, infinity for those that never can. Steps of `advance`
    come to the root from below, each squaring what is left: three to five in all.
    """
    return finish(x, v, acceleration, gap_radius, 0.0)


@kernel
def finish(x, v, acceleration, gap_radius, t):
    """`tau_free` from a time up to which there is no contact."""
    for _ in range(URGENCY_STEPS):
        step = advance(x, v, acceleration, gap_radius, t)
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
            triple(block, X, 0), triple(block, VELOCITY, 0),
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
                triple(block, X, i), triple(block, VELOCITY, i),
                block[ACCELERATION, i], block[GAP_RADIUS, i], t,
            )  # fmt: skip
            block[LAST_STEP, i] = step
            block[TAU, i] = t + step
    for i in range(count):
        if block[LAST_STEP, i] > URGENCY_TOLERANCE * block[TAU, i]:
            block[TAU, i] = finish(
                triple(block, X, i), triple(block, VELOCITY, i),
                block[ACCELERATION, i], block[GAP_RADIUS, i], block[TAU, i],
            )  # fmt: skip


@kernel
def tau_bounded(x, v, acceleration, speed, gap_radius):
    """The earliest contact, [s], where the relative speed never exceeds ``speed`` either. Never
    before `tau_free`, and the same edges. A velocity above the bound counts as the bound.

    Where the motion that makes contact at `tau_free` never gets too fast, that is the answer. Else
    it is the larger of two bounds. Whatever happens up to ``s``, what is left of the gap then takes
    at least ``gap(s) / V``: no contact before ``s + gap(s) / V``, for any ``s`` before `tau_free`;
    the best has ``A s = V + n·v``, with ``n`` the direction of ``x + v s``. And `turning_time` is
    exact except for bodies that pass each other before they turn.
    """
    (px, py, pz), (vx, vy, vz) = x, v
    if not abs(px) + abs(py) + abs(pz) + abs(vx) + abs(vy) + abs(vz) < LARGEST_READING:
        return 0.0  # squares would overflow
    free = tau_free(x, v, acceleration, gap_radius)
    start = math.sqrt(vx * vx + vy * vy + vz * vz)
    fastest = max(speed, start) * (1.0 + URGENCY_STEP)
    if not (free > 0.0 and free < math.inf and speed < math.inf and acceleration > 0.0):
        return free if speed >= 0.0 else 0.0
    if not fastest > 0.0:
        return math.inf
    _, growth = gap_at(x, v, acceleration, gap_radius, free)
    # |v - A t n|² = |v|² - 2 A t n·v + A² t²
    gained = acceleration * free
    if start * start + gained * (gained - 2.0 * growth) <= speed * speed:
        return free
    best, s = free, free
    for _ in range(SPEED_BOUND_STEPS):
        s = min((fastest + growth) / acceleration, free)
        gap, growth = gap_at(x, v, acceleration, gap_radius, s)
        time = (s + gap / fastest) * (1.0 - URGENCY_STEP)
        if time > best and gap < math.inf:
            best = time
    unit = acceleration / (fastest * fastest)
    if start > 0.0:
        ahead = -(px * vx + py * vy + pz * vz) / start
        cx, cy, cz = py * vz - pz * vy, pz * vx - px * vz, px * vy - py * vx
        aside = math.sqrt(cx * cx + cy * cy + cz * cz) / start
    else:
        ahead, aside = math.sqrt(px * px + py * py + pz * pz), 0.0
    pace = acceleration / fastest
    time = (
        turning_time(unit * ahead, unit * aside, start / fastest, unit * gap_radius, pace * free)
        / pace
        * (1.0 - URGENCY_STEP)
    )
    return time if time > best else best


#: The signature of `work_out`, for those who call it by its address.
WORK_OUT = "int64(float64[:,::1], int64, int64)"


@entry(WORK_OUT)
def work_out(block, count, kind):
    """The earliest contact of the first pairs of a block by one kind of urgency, into its row
    TAU."""
    if kind == FREE:
        tau_free_block(block, count)
        return 0
    for i in range(count):
        block[TAU, i] = tau_bounded(
            triple(block, X, i), triple(block, VELOCITY, i),
            block[ACCELERATION, i], block[SPEED, i], block[GAP_RADIUS, i],
        )  # fmt: skip
    return 0


@entry(
    "void(int64, float64[:,::1], float64[:,::1], float64[::1], float64[::1], float64[::1],"
    " float64[:,::1], float64[::1])"
)
def urgency_many(kind, x, v, acceleration, speed, gap_radius, block, tau):
    """`work_out` of each row; ``block`` is scratch, BLOCK_ROWS by any width."""
    width = block.shape[1]
    for start in range(0, tau.shape[0], width):
        count = min(width, tau.shape[0] - start)
        for i in range(count):
            for k in range(3):
                block[X + k, i] = x[start + i, k]
                block[VELOCITY + k, i] = v[start + i, k]
            block[ACCELERATION, i] = acceleration[start + i]
            block[GAP_RADIUS, i] = gap_radius[start + i]
            if kind != FREE:
                block[SPEED, i] = speed[start + i]
        work_out(block, count, kind)
        for i in range(count):
            tau[start + i] = block[TAU, i]
