"""How early two balls can touch, whatever they do within bounds on their acceleration and speed.

The pair is one point: ``x = x_b - x_a`` with velocity ``v = v_b - v_a``, the sum ``A`` of both
bounds on acceleration, the sum ``V`` of both on speed, and ``epsilon``, the radii and the margin.
Contact is ``|x| <= epsilon``. Without a bound on speed the point can be anywhere within ``A t² / 2``
of ``x + v t``, so contact at ``t`` needs (paper 004, (11))

    gap(t) = |x + v t| - epsilon - A t² / 2 <= 0.

No result is later than the earliest contact: where rounding enters, it is taken off.
"""

from __future__ import annotations

import math

from standoff.constants import (
    SPEED_BOUND_STEPS,
    URGENCY_ROUNDING,
    URGENCY_STEP,
    URGENCY_STEPS,
    URGENCY_TOLERANCE,
    URGENCY_UNDERFLOW,
)
from standoff.kernels.jit import kernel
from standoff.kernels.predict.turning import turning_time


@kernel
def gap_at(x, y, z, vx, vy, vz, acceleration, gap_radius, t):
    """The gap at a time ahead, never too large, and how fast the distance grows there if nobody
    accelerates, never too large either."""
    ux, uy, uz = x + t * vx, y + t * vy, z + t * vz
    length = math.sqrt(ux * ux + uy * uy + uz * uz)
    speed = math.sqrt(vx * vx + vy * vy + vz * vz)
    ball = gap_radius + 0.5 * acceleration * t * t
    lengths = math.sqrt(x * x + y * y + z * z) + t * speed + ball
    growth = (ux * vx + uy * vy + uz * vz) / length if length > 0.0 else 0.0
    return length - ball - URGENCY_ROUNDING * lengths, growth - URGENCY_ROUNDING * speed


@kernel
def tau_free(x, y, z, vx, vy, vz, acceleration, gap_radius):
    """The earliest contact, [s], with no bound on speed: the smallest positive root of (13). 0 for
    bodies that touch or overlap and for NaN, infinity for those that never can.

    From a time ``t`` before which there is no contact, with ``n`` the direction of ``x + v t``, the
    distance is convex: ``|x + v (t + s)| >= |x + v t| + s n·v``. So there is none before

        gap(t) + s n·v = A t s + A s² / 2

    either, and there the next step begins. It lands on the root in two to five steps, from below.
    """
    t = 0.0
    for _ in range(URGENCY_STEPS):
        gap, growth = gap_at(x, y, z, vx, vy, vz, acceleration, gap_radius, t)
        if not gap > 0.0:
            break
        closing = acceleration * t - growth
        if acceleration == 0.0 and closing <= 0.0:
            return math.inf
        squared = closing * closing + 2.0 * acceleration * gap + URGENCY_UNDERFLOW
        sum_ = abs(closing) + max(math.sqrt(squared), abs(closing))
        step = 2.0 * gap / sum_ if closing >= 0.0 else sum_ / acceleration
        step -= URGENCY_STEP * step
        t += step
        if not step > URGENCY_TOLERANCE * t:
            break
    return t


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
    free = tau_free(x, y, z, vx, vy, vz, acceleration, gap_radius)
    start = math.sqrt(vx * vx + vy * vy + vz * vz)
    fastest = max(speed, start) * (1.0 + URGENCY_STEP)
    if not (free > 0.0 and free < math.inf and speed < math.inf):
        return free if speed >= 0.0 else 0.0
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
        if time > best:
            best = time
    unit = acceleration / (fastest * fastest)
    if start > 0.0:
        ahead = -(x * vx + y * vy + z * vz) / start
        cx, cy, cz = y * vz - z * vy, z * vx - x * vz, x * vy - y * vx
        aside = math.sqrt(cx * cx + cy * cy + cz * cz) / start
    else:
        ahead, aside = math.sqrt(x * x + y * y + z * z), 0.0
    time = turning_time(unit * ahead, unit * aside, start / fastest, unit * gap_radius)
    time *= fastest / acceleration * (1.0 - URGENCY_STEP)
    return time if time > best else best
