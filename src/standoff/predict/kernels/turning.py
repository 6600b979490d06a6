"""How long a point takes to get somewhere when its speed and its acceleration are both bounded.

In units where both bounds are 1, with a unit direction ``e``, how far can the point come along it
within ``T``? For any vector function ``p`` of time with ``p(T) = 0``, integration by parts gives

    ∫ e·v = p(0)·v₀ + ∫ (e + p')·v + ∫ p·v'  <=  p(0)·v₀ + ∫ |e + p'| + ∫ |p|.

The best ``p`` makes it an equation, as the admissible velocities are a convex set. It belongs to
the motion that accelerates along ``p``, then turns at full speed, then goes straight:

- for a while ``p' = -e``: the velocity crosses the disc of speeds up to 1 and lands on its rim, at
  an angle ``phi`` to ``e``;
- while the velocity slides along the rim from ``phi`` to ``last``, ``p`` is tangent to it and of
  length ``cos(last) - cos(angle)``. That is the best as long as ``2 cos(phi) >= cos(last)``;
- after that ``p = 0``. Only with ``last = 0`` is there anything after it.

Paper 004 goes straight on from where the rim is reached, (16), which takes longer.
"""

from __future__ import annotations

import math

from standoff.compiled.jit import inlined, kernel
from standoff.tolerances import EPS

#: Rounding of how far a turning point gets, relative to all lengths that enter, [-]: some twelve
#: sums and products, sines, a root and a logarithm, and cosines whose differences carry their own.
TURNING_ROUNDING = 64 * EPS

#: Steps of a search for the best turn, [-], and the angle at which it ends, [rad], which is also
#: how far before the contact it aims, as a part of the distance. An angle that is off makes the
#: bound lower by its square.
TURNING_STEPS = 12
TURNING_TOLERANCE = 1e-6

#: The last step of such a search from which on it has found what it looked for, [rad]: the bound is
#: lower by 1e-4 of itself at most then.
TURNING_NEAR = 0.01

#: The lengths of a turn itself, in units of the turning radius V²/A, [-]: an angle of up to pi/2,
#: its sine, and the squares of speeds of up to twice the bound.
TURNING_LENGTHS = 8.0

#: Longest step of the search for the direction of a turn, [rad]; the part of the angle at which the
#: motion without a bound on speed reaches the rim that the search begins with, [-]; for a contact
#: in the turn, how many guesses there are and how much each part is less than the one before, [-].
#: Of 1,500 such contacts 1,485 are right to 0.01 % with these, and all to 0.5 %.
TURNING_STRIDE = 0.5
TURNING_GUESS = 0.8
TURNING_GUESSES = 4
TURNING_LESS = 0.03


@kernel
def turning(ahead, aside, speed, radius, angle, phi, last):
    """For a point at the origin with velocity ``speed`` along the first axis, a disc at ``(ahead,
    aside)`` and a direction at an ``angle`` to the first axis: the time at which the motion above
    ends, and what is then left to the disc along the direction, for any angles whatever.

    What is left is never too large. Where it is not negative, there is no contact up to that time:
    of the farthest that a motion gets along the direction, it is there at the start, before the
    disc, or moves forwards there and could go on until then. -1 where the start is not before it.
    """
    c, s = math.cos(angle), math.sin(angle)
    along, across = speed * c, speed * s
    end, turn_c, turn_s = math.cos(last), math.cos(phi), math.sin(phi)
    length = end - turn_c
    if not (last >= 0.0 and last <= phi and length >= 0.0 and 2.0 * turn_c >= end):
        return 0.0, -1.0
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
    return straight + (phi - last), gap - gained if gap > 0.0 else -1.0


@kernel
def refine(ahead, aside, speed, radius, angle, phi, last, coasting):
    """The three angles of the best motion, and whether they were found, by Newton's method from a
    guess: it lands on the rim, it does not pass aside of the disc, and it ends just before the
    disc, or with ``coasting`` at ``last = 0``. Whatever comes out, `turning` says what it proves.
    """
    size = 1.0
    for _ in range(TURNING_STEPS):
        c, s = math.cos(angle), math.sin(angle)
        along, across = speed * c, speed * s
        turn_c, turn_s = math.cos(phi), math.sin(phi)
        end, end_s = math.cos(last), math.sin(last)
        length, first = end - turn_c, end - along
        p = length * turn_c
        side = first * first - p * p
        if not (length > 0.0 and first > 0.0 and side > 0.0):
            return angle, phi, last, False
        y = math.sqrt(side)
        log = math.log((y + first) / (length * (1.0 + turn_s)))
        # Derivatives with respect to angle, phi and last, in this order.
        p_phi, p_last = turn_s * (turn_c - length), -end_s * turn_c
        y_angle, y_phi = first * across / y, -p * p_phi / y
        y_last = -(first * end_s + p * p_last) / y
        log_angle = (y_angle + across) / (y + first)
        log_phi = y_phi / (y + first) - turn_s / length - turn_c / (1.0 + turn_s)
        log_last = (y_last - end_s) / (y + first) + end_s / length
        lands = across - p * log - turn_s
        a1, a2 = along - p * log_angle, -p_phi * log - p * log_phi - turn_c
        a3 = -p_last * log - p * log_last
        aim = aside * c - ahead * s
        towards = ahead * c + aside * s
        passes = aim + across * y + p * along
        b1 = -towards + along * y + across * (y_angle - p)
        b2, b3 = across * y_phi + p_phi * along, across * y_last + p_last * along
        if coasting:
            misses, c1, c2, c3 = last, 0.0, 0.0, 1.0
        else:
            gained = along * y - p * across + turn_s - end_s
            gained += 0.5 * (y * first - length * length * turn_s + p * p * log)
            misses = towards - radius - gained - TURNING_TOLERANCE * towards
            c1 = aim + across * y + p * along
            c1 -= along * y_angle + 0.5 * (y_angle * first + y * across + p * p * log_angle)
            c2 = p_phi * across - along * y_phi - turn_c
            c2 -= 0.5 * (
                y_phi * first - 2.0 * length * turn_s * turn_s - length * length * turn_c
            ) + p * (p_phi * log + 0.5 * p * log_phi)
            c3 = p_last * across - along * y_last + end
            c3 -= 0.5 * (y_last * first - y * end_s + 2.0 * length * end_s * turn_s) + p * (
                p_last * log + 0.5 * p * log_last
            )
        solved, step = solve((a1, a2, a3, lands), (b1, b2, b3, passes), (c1, c2, c3, misses))
        if not solved:
            return angle, phi, last, False
        angle, phi, last = stepped(angle, phi, last, step)
        size = abs(step[0]) + abs(step[1]) + abs(step[2])
        if not (size > TURNING_TOLERANCE and angle > 0.0 and angle < math.pi):
            break
    # From full speed on, the landing is a double root, and steps only halve what is left.
    return angle, phi, last, size < TURNING_NEAR


@inlined
def solve(a, b, c):
    """Three linear equations, each its coefficients and what they add up to, by Cramer's rule:
    whether there is one solution, and it."""
    a1, a2, a3, lands = a
    b1, b2, b3, passes = b
    c1, c2, c3, misses = c
    d1, d2, d3 = b2 * c3 - b3 * c2, b3 * c1 - b1 * c3, b1 * c2 - b2 * c1
    determinant = a1 * d1 + a2 * d2 + a3 * d3
    if not abs(determinant) > 0.0:
        return False, (0.0, 0.0, 0.0)
    scale = 1.0 / determinant
    return True, (
        scale * (lands * d1 + passes * (a3 * c2 - a2 * c3) + misses * (a2 * b3 - a3 * b2)),
        scale * (lands * d2 + passes * (a1 * c3 - a3 * c1) + misses * (a3 * b1 - a1 * b3)),
        scale * (lands * d3 + passes * (a2 * c1 - a1 * c2) + misses * (a1 * b2 - a2 * b1)),
    )


@inlined
def stepped(angle, phi, last, step):
    """The three angles after a step of Newton's method, kept to where a motion has them."""
    angle -= min(max(step[0], -TURNING_STRIDE), TURNING_STRIDE)
    last = between(0.0, last, last - step[2], phi)
    top = math.acos(0.5 * math.cos(last))
    return angle, between(last, min(phi, top), phi - step[1], top), last


@kernel
def between(low, now, wanted, high):
    """The number wanted, or half way from now to the limit that it would be beyond."""
    if wanted > high:
        return 0.5 * (now + high)
    if wanted < low:
        return 0.5 * (now + low)
    return wanted


@kernel
def turning_time(ahead, aside, speed, radius, free):
    """The earliest contact of a point at the origin with velocity ``speed`` along the first axis
    with a disc at ``(ahead, aside)``, never too late; ``aside`` is not negative, and ``free`` is
    the earliest contact where speed has no bound. Infinity never comes out, 0 where no best motion
    was found."""
    # Contact after the turn: the direction is that from where full speed would be reached, which
    # is before contact then.
    s = 0.0
    for _ in range(2):
        before = ahead - s * speed
        length = math.sqrt(before * before + aside * aside)
        s = min(1.0 - (speed * before / length if length > 0.0 else speed), free)
    best = 0.0
    if s < free:
        angle = math.atan2(aside, ahead - s * speed)
        phi = TURNING_GUESS * min(math.asin(min(1.0, speed * math.sin(angle))), math.pi / 3.0)
        angle, phi, last, found = refine(ahead, aside, speed, radius, angle, phi, 0.0, True)
        time, left = turning(ahead, aside, speed, radius, angle, phi, last)
        if left >= 0.0:
            best = time + left
            if found:
                return best
    # Contact while it turns. The motion without a bound on speed hits the rim and could slide on
    # from there: landing, end and direction are a little less.
    centre = math.atan2(aside, ahead)
    beyond = math.atan2(aside, ahead - free * speed) - centre
    part = 1.0
    for _ in range(TURNING_GUESSES):
        angle = centre + part * beyond
        along, across = speed * math.cos(angle), min(1.0, speed * math.sin(angle))
        rim = math.asin(across)
        part -= TURNING_LESS
        last = part * max(0.0, rim - max(0.0, free - math.sqrt(1.0 - across * across) + along))
        top = math.acos(0.5 * math.cos(last))
        phi = part * rim if last < part * rim and part * rim < top else 0.5 * (last + top)
        angle, phi, last, found = refine(ahead, aside, speed, radius, angle, phi, last, False)
        time, left = turning(ahead, aside, speed, radius, angle, phi, last)
        if left >= 0.0 and time + left > best:
            best = time + left
            if found:
                break
    return best
