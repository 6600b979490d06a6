"""Every stop that may follow a reading, laid out as one motion, and its search: in one call.

A joint at ``q`` with velocity ``v`` goes on until its brake acts, and then slows down evenly: with
``r`` the time until then and ``B`` the braking time, ``t`` seconds from now it has gone ``v g(t)``,

    g(t) = t  up to r,    r + τ - τ² / (2 B)  for τ = t - r up to B,    r + B / 2  from then on.

Neither is known exactly. The brake may act anywhen from ``r0`` (called at once, and quick) to
``r1`` (called at the next reading, and slow). It holds at least ``1 / SLOW`` and at most
``1 / FAST``. Until it acts the velocity is off by ``e0`` at first, and by GAIN a second more. All
these stops stay close to the one in the middle: for every joint and at every instant

    |other - middle|  <=  e0 r1 + GAIN r1² / 2 + |v| (r1 - r0) / 2 + (e1 (B + ΔB) + |v| ΔB) / 2,

``e1 = e0 + GAIN r1`` the velocity's error when the brake acts, ``ΔB`` by how much the braking time
may differ. (The first two terms: where it is by then. The third: two equal motions, one of which
lags. The last: velocities ``v φ(τ / B)`` with ``φ(x) = max(0, 1 - x)`` differ by ``e1 φ' + |v|
|φ' - φ|`` at most, and the integral of ``|φ' - φ|`` is ``|B' - B| / 2``.) This goes into the
rounding of the motion, and with it into the proof.

The middle motion itself is parabolas through three Chebyshev points of each piece, few pieces for
all joints whatever their braking times; how far they are from ``g`` at most is worked out exactly
and added as well.
"""

from __future__ import annotations

import math

import numpy as np

from standoff.compiled.arena import reals, wholes
from standoff.compiled.jit import entry, inlined, kernel
from standoff.paths.kernels import layout as p
from standoff.paths.kernels.motion import glide_pose
from standoff.paths.kernels.search import MOTION, search
from standoff.tolerances import COORDINATE_LIMIT, ENCODER_TOLERANCE, EPS, HALF_TURN_SINE

#: By how much of the larger one a velocity that is given and the change of position over the time
#: since the last reading may differ, [-], besides what acceleration, the stated error and encoders
#: explain: stamps that are off by a third of the time between two readings.
VELOCITY_MISMATCH = 0.5

#: Rounding of the parabola that a stop is laid out as, relative to the joint's position and its
#: speed times the time to standstill, [-]: values of the braking motion of some 5 units each, their
#: differences over NODE² with weights up to 11, sums of three, Horner's rule; and a bound of its
#: own error that is rounded as often.
STOP_ROUNDING = 256 * EPS


# Rows of the table of joints.
(
    SLOW,  #: one over the least that the brake holds, [s²/rad] or [s²/m]
    FAST,  #: one over the most that it holds
    GAIN,  #: the most by which the joint speeds up or slows down until then, [rad/s²] or [m/s²]
    OFF,  #: by how much a velocity that is given may be off
    STRAY,  #: by how much the joint may be off otherwise, [rad] or [m]
    LOWER,  #: its end stops: where the stop in the middle must stand before
    UPPER,
    LEAST,  #: the limits that proofs count on, which no stop at all may pass; infinite for none
    MOST,
    TURNS,  #: 1 for a joint without limits that turns: a whole turn more or less is no motion
    LAST,  #: where it was at the last reading; NaN where that is not known
    SPEED,  #: its velocity
    STANDS,  #: where it stands if the brake acts last and holds least
    BRAKING,  #: B
    SPREAD,  #: how far any of the stops is from the one in the middle
    LOWEST,  #: the farthest that any of the stops gets
    HIGHEST,
    MISMATCH,  #: what positions add to the error of a velocity that is given
    CONTRADICTS,  #: how far off the change of position that velocity is, where they contradict
) = range(19)
JOINT_ROWS = 19

# Columns of the table of bodies that move on their own: a row of glides, its time in seconds; the
# pose is that of the last reading, NaN where that is not known.
LINEAR = 12
ANGULAR = 15
CHANGE = 18  #: [m/s] by which the velocity of any of its points may change meanwhile
GLIDES = 19  #: 1: from the velocity that it has; 0: from standing still
BODY_COLUMNS = 20

# The plan.
REACTION = 0  #: r0, [s]
WAIT = 1  #: r1 - r0, [s]
TOGETHER = 2  #: 1: all joints stop together, on a straight line
PLAN = 3

#: What `check_stop` returns beside the outcome of a search: velocities are not known, or lead out
#: of this world; nothing was checked.
UNKNOWN = 16
#: Added where a joint would pass its limit.
OVERRUN = 32
#: Added where a velocity that is given contradicts the positions.
CONTRADICTION = 64

#: The outer Chebyshev points are this far from the middle of a piece.
NODE = math.sqrt(3.0) / 4.0


@entry(
    f"int64(int64, {p.ARENAS}, float64[:, ::1], float64[:, ::1], float64[::1], float64[::1],"
    f" float64[:, :, ::1], float64[::1], float64, {MOTION}, float64[::1], int64)"
)
def check_stop(
    stepper, general, CF, CW, SF, SW, joints, bodies, plan, q, poses, dq, dt,
    pieces, glides, rounding, times, budget,
):  # fmt: skip
    """Whether all stops that may follow this reading are free: the outcome of the search, or
    UNKNOWN; and OVERRUN, CONTRADICTION. Joints and poses are kept for the next call.

    Args:
        stepper, general, CF, CW, SF, SW: as for `search`.
        joints, bodies, plan: see above.
        q, poses: the reading, finite and rigid.
        dq: velocities of the joints; empty: from the last reading, ``dt`` seconds ago.
        pieces, glides, rounding, times: room for the motion; ``rounding`` has a column for each
            joint, and then one for each body.
        budget: of the search.
    """
    measured = len(dq) > 0
    told = 0
    for j in range(joints.shape[1]):
        moved = q[j] - joints[LAST, j]
        if joints[TURNS, j] != 0.0:
            moved -= 2.0 * math.pi * np.floor(moved / (2.0 * math.pi) + 0.5)
        joints[SPEED, j] = dq[j] if measured else moved / dt
        joints[LAST, j] = q[j]
        if compare(joints, j, moved / dt, dt):
            told |= CONTRADICTION
    known = body_velocities(bodies, poses, dt)
    r0, r1 = plan[REACTION], plan[REACTION] + plan[WAIT]
    # On one line, whoever stops sooner stands on the way of whoever stops last.
    alone = plan[TOGETHER] != 0.0 and bodies.shape[0] == 0
    r = r1 if alone else 0.5 * (r0 + r1)
    longest, latest = spread_joints(joints, q, plan, 0.0 if measured else dt, alone)
    end = r + longest if bodies.shape[0] == 0 else r1 + latest
    for j in range(joints.shape[1]):
        stands = joints[STANDS, j]
        known = known and abs(stands) <= COORDINATE_LIMIT
        # An end stop ends a stop that goes farther than the one in the middle, which leaves it as
        # near to that one as it was: min(x, UPPER) is no farther from m <= UPPER than x is.
        if stands > max(q[j], joints[UPPER, j]) or stands < min(q[j], joints[LOWER, j]):
            told |= OVERRUN
        # Where that one stands within the tolerance beyond, the end stop may end it sooner.
        beyond = ENCODER_TOLERANCE
        if stands > joints[UPPER, j] - beyond or stands < joints[LOWER, j] + beyond:
            joints[SPREAD, j] += beyond
        if not (joints[LOWEST, j] >= joints[LEAST, j] and joints[HIGHEST, j] <= joints[MOST, j]):
            told |= OVERRUN
    if not (known and end < math.inf):
        return UNKNOWN
    n = pieces.shape[0] if longest > 0.0 or bodies.shape[0] > 0 else 1
    for k in range(len(times)):
        times[k] = end * k / n if k <= n else math.nan
    for k in range(n):
        for j in range(joints.shape[1]):
            fit_joint(joints, q, r, end, times, k, j, pieces, rounding)
        for b in range(bodies.shape[0]):
            known = glide_body(bodies, times, k, b, glides) and known
            rounding[k, joints.shape[1] + b] = times[k + 1] * bodies[b, CHANGE]
    if not known:
        return UNKNOWN
    empty_search(SF, SW, budget)
    motion = pieces[:n], glides[:n], rounding[:n]
    return search(stepper, general, CF, CW, SF, SW, *motion, 1) + told


@kernel
def empty_search(SF, SW, budget):
    """Scratch as a new search expects it."""
    header, open_pieces = wholes(SW, p.S_HEADER), wholes(SW, p.S_PIECES)
    for k in (p.NODES_USED, p.POOL_USED, p.QUEUED, p.DISTANCES, p.INTERVALS, p.EARLIEST, p.PROVING):
        header[0, k] = 0
    header[0, p.LOADED], header[0, p.BUDGET], header[0, p.HASTY] = -1, budget, 1
    reals(SF, SW, p.S_RESULT)[0, p.KIND] = p.NOTHING
    for k in range(open_pieces.shape[0]):
        open_pieces[k, p.ROOT] = open_pieces[k, p.PLACE] = -1


@kernel
def spread_joints(joints, q, plan, since, alone):
    """B and the spread of each joint, and where it stands at the farthest. ``since``: the velocity
    is the mean over this time, so that it may be off by GAIN times half of it. Returns the longest
    B, and the longest B + ΔB."""
    r1 = plan[REACTION] + plan[WAIT]
    together = plan[TOGETHER] != 0.0
    slowest, fastest, more = 0.0, 0.0, 0.0
    if together:
        for j in range(joints.shape[1]):
            v = abs(joints[SPEED, j])
            e1 = joints[OFF, j] + joints[MISMATCH, j] + joints[GAIN, j] * (0.5 * since + r1)
            slowest = max(slowest, v * joints[SLOW, j])
            fastest = max(fastest, v * joints[FAST, j])
            more = max(more, e1 * joints[SLOW, j])
    longest, latest = 0.0, 0.0
    for j in range(joints.shape[1]):
        v = abs(joints[SPEED, j])
        gain = joints[GAIN, j]
        e0 = joints[OFF, j] + joints[MISMATCH, j] + 0.5 * gain * since
        e1 = e0 + gain * r1
        slow, fast, late = slowest, fastest, more
        if not together:
            slow, fast, late = v * joints[SLOW, j], v * joints[FAST, j], e1 * joints[SLOW, j]
        joints[STANDS, j] = q[j] + joints[SPEED, j] * (r1 + 0.5 * slow)
        for sign in (1.0, -1.0):
            far = farthest(joints, j, sign, e0, r1, slow + late if together else math.inf)
            far += joints[STRAY, j] + STOP_ROUNDING * (abs(q[j]) + far)
            joints[HIGHEST if sign > 0.0 else LOWEST, j] = q[j] + sign * far
        B, dB, lag = slow, late, 0.0
        if not alone:
            B, dB, lag = 0.5 * (slow + fast), late + 0.5 * (slow - fast), 0.5 * plan[WAIT]
        joints[BRAKING, j] = B
        until, braking = r1 * (e0 + 0.5 * gain * r1), 0.5 * (e1 * (B + dB) + v * dB)
        joints[SPREAD, j] = joints[STRAY, j] + until + v * lag + braking
        longest, latest = max(longest, B), max(latest, B + dB)
    return longest, latest


@inlined
def farthest(joints, j, sign, e0, r1, longest):
    """How far joint ``j`` gets upwards, or downwards, on any of its stops: its velocity is
    ``w = v + e0`` now and ``w + GAIN t`` at most until the brake acts, at r1 the latest; from
    ``u = w + GAIN r1`` it stands after ``B = u SLOW`` at the latest, or ``longest`` where all stop
    together:

        max(w, 0) r1 + GAIN r1² / 2 + max(u, 0) B / 2.
    """
    gain = joints[GAIN, j]
    w = sign * joints[SPEED, j] + e0
    u = max(w + gain * r1, 0.0)
    B = u * joints[SLOW, j] if longest == math.inf else longest
    return max(w, 0.0) * r1 + 0.5 * gain * r1 * r1 + 0.5 * u * B


@inlined
def compare(joints, j, mean, dt):
    """Hold the velocity of joint ``j`` against its ``mean`` since the last reading; whether they
    contradict each other. Where there was no last reading, nothing is known.

    Stops from both are part of the proof. The velocity now is within GAIN dt / 2 of the mean; where
    that, and the error of a velocity that is given, do not explain the difference, nobody knows
    which is right, and all that either allows is. From where on that is a contradiction: each
    position may be off by ENCODER_TOLERANCE, and the time between them by a part."""
    v, error, slack = joints[SPEED, j], joints[OFF, j], 0.5 * joints[GAIN, j] * dt
    off, more, doubt = abs(v - mean), 0.0, 0.0
    if off > error:
        more = off - error
    if more > slack:
        more = off + slack
        allowed = 2.0 * ENCODER_TOLERANCE / dt + VELOCITY_MISMATCH * max(abs(v), abs(mean))
        if off - error - slack > allowed:
            doubt = off
    joints[MISMATCH, j], joints[CONTRADICTS, j] = more, doubt
    return doubt > 0.0


@inlined
def gone(t, r, B):
    """g(t)"""
    after = t - r
    if after <= 0.0:
        return t
    return r + 0.5 * B if after >= B else r + after - 0.5 * after * after / B


@kernel
def fit_joint(joints, q, r, end, times, k, j, pieces, rounding):
    """The parabola of joint ``j`` in piece ``k``, and how far all its stops are from it."""
    v, B = joints[SPEED, j], joints[BRAKING, j]
    start, size = times[k], times[k + 1] - times[k]
    low, mid, high = (
        gone(start + (0.5 - NODE) * size, r, B),
        gone(start + 0.5 * size, r, B),
        gone(start + (0.5 + NODE) * size, r, B),
    )
    slope, bend = (high - low) / (2.0 * NODE), (high - 2.0 * mid + low) / (2.0 * NODE * NODE)
    c0, c1 = mid - 0.5 * slope + 0.25 * bend, slope - bend
    pieces[k, 0, j], pieces[k, 1, j], pieces[k, 2, j] = q[j] + v * c0, v * c1, v * bend
    for power in range(3, p.POWERS):
        pieces[k, power, j] = 0.0
    # g less the parabola is a parabola on each of its three stretches: farthest from 0 at an end
    # of a stretch, or at its vertex.
    off = 0.0
    for stretch in range(3):
        first = start if stretch == 0 else max(start, r if stretch == 1 else r + B)
        last = min(start + size, r if stretch == 0 else (r + B if stretch == 1 else math.inf))
        if not last > first:
            continue
        rate, curve = 1.0, 0.0
        if stretch == 1:
            rate, curve = 1.0 - (first - r) / B, -1.0 / B
        elif stretch == 2:
            rate = 0.0
        a, b = (first - start) / size, (last - start) / size
        off = max(off, abs(gone(first, r, B) - (c0 + a * (c1 + a * bend))))
        off = max(off, abs(gone(last, r, B) - (c0 + b * (c1 + b * bend))))
        # In u: the slope at ``a`` and its change.
        difference, change = rate * size - (c1 + 2.0 * a * bend), curve * size * size - 2.0 * bend
        if change != 0.0:
            u = a - difference / change
            if a < u and u < b:
                top = gone(start + u * size, r, B) - (c0 + u * (c1 + u * bend))
                off = max(off, abs(top))
    rounding[k, j] = joints[SPREAD, j] + abs(v) * off + STOP_ROUNDING * (abs(q[j]) + abs(v) * end)


@kernel
def body_velocities(bodies, poses, dt):
    """Velocities of the bodies that glide, from the last poses to these, the shorter turn; False
    where they are not known, or half a turn lies between. Keeps the poses."""
    known = True
    for b in range(bodies.shape[0]):
        for e in range(6):
            bodies[b, LINEAR + e] = 0.0
        if bodies[b, GLIDES] != 0.0:
            for axis in range(3):
                bodies[b, LINEAR + axis] = (poses[b, axis, 3] - bodies[b, 4 * axis + 3]) / dt
            known = turning_velocity(bodies, poses, b, dt) and known
        for e in range(12):
            bodies[b, e] = poses[b, e // 4, e % 4]
    return known


@kernel
def turning_velocity(bodies, poses, b, dt):
    """R(1) R(0)^T has the axis times twice the sine in what is not symmetric, and the cosine on its
    diagonal."""
    xx, xy, xz = turned_row(bodies, poses, b, 0)
    yx, yy, yz = turned_row(bodies, poses, b, 1)
    zx, zy, zz = turned_row(bodies, poses, b, 2)
    x, y, z = 0.5 * (zy - yz), 0.5 * (xz - zx), 0.5 * (yx - xy)
    sine, cosine = math.sqrt(x * x + y * y + z * z), 0.5 * (xx + yy + zz - 1.0)
    if sine > 0.0:
        rate = math.atan2(sine, cosine) / (sine * dt)
        bodies[b, ANGULAR] = rate * x
        bodies[b, ANGULAR + 1] = rate * y
        bodies[b, ANGULAR + 2] = rate * z
    return cosine > 0.0 or sine >= HALF_TURN_SINE


@inlined
def turned_row(bodies, poses, b, r):
    """Row ``r`` of R(1) R(0)^T."""
    u, v, w = poses[b, r, 0], poses[b, r, 1], poses[b, r, 2]
    return (
        u * bodies[b, 0] + v * bodies[b, 1] + w * bodies[b, 2],
        u * bodies[b, 4] + v * bodies[b, 5] + w * bodies[b, 6],
        u * bodies[b, 8] + v * bodies[b, 9] + w * bodies[b, 10],
    )


@kernel
def glide_body(bodies, times, k, b, glides):
    """Body ``b`` in piece ``k``, from where it is at the start; False where it leaves this world,
    or nobody knows where it goes."""
    size = times[k + 1] - times[k]
    glide_pose(bodies, b, times[k], glides[k], b)
    known = True
    for e in range(LINEAR, LINEAR + 6):
        glides[k, b, e] = size * bodies[b, e]
        known = known and abs(glides[k, b, e]) <= COORDINATE_LIMIT
    for axis in range(3):
        known = known and abs(glides[k, b, 4 * axis + 3]) <= COORDINATE_LIMIT
    return known
