"""How long a point takes to get somewhere when its speed and its acceleration are both bounded.

In units where both bounds are 1, with a unit direction ``e``, how far can the point come along it
within ``T``? For any vector function ``p`` of time with ``p(T) = 0``, integration by parts gives

    ∫ e·v = p(0)·v₀ + ∫ (e + p')·v + ∫ p·v'  <=  p(0)·v₀ + ∫ |e + p'| + ∫ |p|.

The best ``p`` makes it an equation, as the admissible velocities are a convex set. It belongs to
the motion that accelerates along ``p``, then turns at full speed, then goes straight:

- for ``s`` seconds ``p' = -e``: the velocity crosses the disc of speeds up to 1 and lands on its
  rim, at an angle ``phi`` to ``e``;
- while the velocity slides along the rim from ``phi`` to ``last``, ``p`` is tangent to it and of
  length ``cos(last) - cos(angle)``. That is the best as long as ``2 cos(phi) >= cos(last)``;
- after that ``p = 0``. Only with ``last = 0`` is there anything after it.

Paper 004 goes straight on from where the rim is reached, (16), which takes longer.
"""

from __future__ import annotations

import math

from standoff.constants import (
    TURNING_LENGTHS,
    TURNING_ROUNDING,
    TURNING_STEPS,
    TURNING_TOLERANCE,
)
from standoff.kernels.jit import kernel


@kernel
def landing(along, across, last):
    """The angle at which a velocity ``(along, across)`` relative to ``e`` lands on the rim, given
    the angle it ends at. Newton's method within a bracket; any angle in it is admissible."""
    low, high = last, math.acos(0.5 * math.cos(last))
    if not across > math.sin(last):
        return low
    phi = min(max(low, math.asin(min(1.0, across))), high)
    end = math.cos(last)
    for _ in range(TURNING_STEPS):
        c, s = math.cos(phi), math.sin(phi)
        length = end - c
        first = end - along
        side = first * first - length * length * c * c
        if not (length > 0.0 and side > 0.0):
            high = phi
            phi = 0.5 * (low + high)
            continue
        reach = math.sqrt(side)
        log = math.log((reach + first) / (length * (1.0 + s)))
        missing = across - length * c * log - s
        if missing > 0.0:
            low = phi
        else:
            high = phi
        slope_log = (
            -length * c * s * (c - length) / (reach * (reach + first)) - s / length - c / (1.0 + s)
        )
        slope = -s * (c - length) * log - length * c * slope_log - c
        following = phi - missing / slope if slope < 0.0 else high
        if not (low < following and following < high):
            following = 0.5 * (low + high)
        if abs(following - phi) < TURNING_TOLERANCE:
            return following
        phi = following
    return phi


@kernel
def turning(ahead, aside, speed, angle, last, radius):
    """For a point at the origin with velocity ``speed`` along the first axis, a disc at ``(ahead,
    aside)`` and a direction at an ``angle`` to the first axis: the time at which the motion above
    ends, what is then left to the disc along the direction, and by how much it would pass aside.

    What is left is never too large. Where it is not negative, there is no contact up to that time:
    of the farthest that a motion gets along the direction, it is there at the start, before the
    disc, or moves forwards there and could go on until then. -1 where the start is not before it.
    """
    c, s = math.cos(angle), math.sin(angle)
    along, across = speed * c, speed * s
    phi = landing(along, across, last)
    end, turn_c, turn_s = math.cos(last), math.cos(phi), math.sin(phi)
    length = max(0.0, end - turn_c)
    p_along, p_across = length * turn_s, length * turn_c
    first = max(0.0, end - along)
    # |p| at the start is `first`; p's part along e falls from y to p_along within `straight`.
    straight = max(0.0, math.sqrt(max(0.0, first * first - p_across * p_across)) - p_along)
    y = straight + p_along
    hypot = math.sqrt(y * y + p_across * p_across)
    cost = 0.5 * (y * hypot - p_along * length)
    if p_across > 0.0 and straight > 0.0:
        cost += 0.5 * p_across * p_across * math.log((y + hypot) / (p_along + length))
    gained = along * y - p_across * across + cost + (turn_s - math.sin(last))
    lengths = abs(ahead) + abs(aside) + radius + y * (speed + y) + TURNING_LENGTHS
    gap = ahead * c + aside * s - radius - TURNING_ROUNDING * lengths
    left = gap - gained if gap > 0.0 else -1.0
    return straight + (phi - last), left, aside * c - ahead * s + across * y + p_across * along


@kernel
def direction_time(ahead, aside, speed, angle, radius):
    """The earliest time at which a motion can have come far enough along one direction, never too
    late, and by how much the one that does passes aside."""
    time, left, miss = turning(ahead, aside, speed, angle, 0.0, radius)
    if left >= 0.0:
        return time + left, miss
    # It comes far enough before it has turned to the end: for the least angle that is not enough.
    low, low_left = 0.0, left
    high = math.acos(min(1.0, max(0.0, speed * math.cos(angle))))
    time, high_left, miss = turning(ahead, aside, speed, angle, high, radius)
    if not high_left >= 0.0:
        return 0.0, miss
    best = time + high_left
    for _ in range(TURNING_STEPS):
        last = low + (high - low) * low_left / (low_left - high_left)
        if not (low < last and last < high):
            break
        time, left, side = turning(ahead, aside, speed, angle, last, radius)
        if left >= 0.0:
            best, miss = max(best, time + left), side
            low_left = 0.5 * low_left if high_left < 2.0 * left else low_left
            high, high_left = last, left
            if left < TURNING_TOLERANCE * best:
                break
        else:
            high_left = 0.5 * high_left
            low, low_left = last, left
    return best, miss


@kernel
def turning_time(ahead, aside, speed, radius):
    """The earliest contact of a point at the origin with velocity ``speed`` along the first axis
    with a disc at ``(ahead, aside)``, never too late; ``aside`` is not negative. The best direction
    is the one whose motion does not pass aside: it lies beyond the disc's centre, seen from the
    velocity, as the turn leaves the point on the near side."""
    distance = math.sqrt(ahead * ahead + aside * aside)
    low = math.atan2(aside, ahead)
    high = min(math.pi, low + math.acos(min(1.0, radius / distance)))
    best, low_miss = direction_time(ahead, aside, speed, low, radius)
    if not low_miss > 0.0:
        return best
    high_miss = -distance
    for _ in range(TURNING_STEPS):
        angle = low + (high - low) * low_miss / (low_miss - high_miss)
        if not (low < angle and angle < high):
            break
        time, miss = direction_time(ahead, aside, speed, angle, radius)
        best = max(best, time)
        if miss > 0.0:
            step = angle - low
            low, low_miss, high_miss = angle, miss, 0.5 * high_miss
        else:
            step = high - angle
            high, high_miss, low_miss = angle, miss, 0.5 * low_miss
        if not min(step, high - low) > TURNING_TOLERANCE:
            break
    return best
