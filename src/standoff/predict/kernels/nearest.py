"""How near two balls can get within a time, whatever they do within bounds: (3) of paper 004."""

from __future__ import annotations

import math

from standoff.compiled.jit import entry, kernel
from standoff.predict.kernels.time_to_contact import gap_at
from standoff.tolerances import LARGEST_READING, NEAREST_HALVINGS, URGENCY_ROUNDING


@kernel
def least_free(x, v, acceleration, gap_radius, interval):
    """The smallest gap, [m], within ``interval``, [s], never too large; negative where contact is
    possible by then. ``gap' = n·v - A t``: before the nearest point of the line ``x + v t`` it
    falls; after it, ``n·v`` is concave, and exceeds ``A t`` on one stretch of time at most, at
    whose begin the gap is smallest."""
    now, growth = gap_at(x, v, acceleration, gap_radius, 0.0)
    least, _ = gap_at(x, v, acceleration, gap_radius, interval)
    least = now if now < least else least
    (px, py, pz), (vx, vy, vz) = x, v
    squared = vx * vx + vy * vy + vz * vz
    if not (growth < 0.0 and squared > 0.0 and acceleration >= 0.0):
        return least
    speed = math.sqrt(squared)
    low = min(max(0.0, -(px * vx + py * vy + pz * vz) / squared), interval)
    nearest, _ = gap_at(x, v, acceleration, gap_radius, low)
    least = min(least, nearest)
    # (n·v)' = |v|² d² / |x + v t|³ is A where n·v - A t is largest.
    cx, cy, cz = py * vz - pz * vy, pz * vx - px * vz, px * vy - py * vx
    aside = math.sqrt(cx * cx + cy * cy + cz * cz) / speed
    aside = max(aside, URGENCY_ROUNDING * (abs(px) + abs(py) + abs(pz)))
    far = interval
    if acceleration > 0.0:
        reach = (speed * aside) ** (2.0 / 3.0) / acceleration ** (1.0 / 3.0)
        if reach > aside:
            far = min(far, low + math.sqrt(reach * reach - aside * aside) / speed)
    high = far
    for _ in range(NEAREST_HALVINGS):
        middle = 0.5 * (low + high)
        _, growth = gap_at(x, v, acceleration, gap_radius, middle)
        if growth < acceleration * middle:
            low = middle
        else:
            high = middle
    nearest, _ = gap_at(x, v, acceleration, gap_radius, low)
    return min(least, nearest)


@kernel
def least_distance(x, v, acceleration, speed, gap_radius, interval):
    """The smallest gap, [m], within ``interval``, [s], never too large and never below 0: 0 where
    contact is possible by then, for NaN, and for lengths too large to be squared. ``speed`` may be
    infinite.

    From any ``s`` on, a gap shrinks by ``V`` times the time at most: within the interval it is no
    less than the least up to ``s``, or than ``gap(s) - V (interval - s)``.
    """
    (px, py, pz), (vx, vy, vz) = x, v
    lengths = abs(px) + abs(py) + abs(pz) + abs(vx) + abs(vy) + abs(vz)
    lengths += interval * (abs(vx) + abs(vy) + abs(vz) + acceleration * interval)
    if not lengths < LARGEST_READING:
        return 0.0  # squares would overflow
    least = least_free(x, v, acceleration, gap_radius, interval)
    fastest = max(speed, math.sqrt(vx * vx + vy * vy + vz * vz)) * (1.0 + URGENCY_ROUNDING)
    if acceleration > 0.0 and fastest < math.inf:
        s = 0.0
        for _ in range(NEAREST_HALVINGS):
            _, growth = gap_at(x, v, acceleration, gap_radius, s)
            following = min((fastest + growth) / acceleration, interval)
            if not following > s:
                break
            s = following
        gap, _ = gap_at(x, v, acceleration, gap_radius, s)
        gap -= fastest * (interval - s) * (1.0 + URGENCY_ROUNDING)
        gap -= URGENCY_ROUNDING * abs(gap)
        early = least_free(x, v, acceleration, gap_radius, s)
        gap = gap if gap < early else early
        least = gap if gap > least else least
    return least if least > 0.0 else 0.0


@entry(
    "void(float64[:,::1], float64[:,::1], float64[::1], float64[::1], float64[::1], float64[::1],"
    " float64[::1])"
)
def least_many(x, v, acceleration, speed, gap_radius, interval, least):
    """`least_distance` of each row."""
    for i in range(least.shape[0]):
        least[i] = least_distance(
            (x[i, 0], x[i, 1], x[i, 2]), (v[i, 0], v[i, 1], v[i, 2]),
            acceleration[i], speed[i], gap_radius[i], interval[i],
        )  # fmt: skip
