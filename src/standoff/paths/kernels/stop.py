"""Every stop that may follow a reading, laid out as one motion, and its search: in one call.
`paths.stop_check` calls it, for `monitor.stops`.

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

from standoff.compiled.jit import entry, inlined, kernel
from standoff.compiled.tables import Nested, Reals, Record, Records, Tables, fields, viewer
from standoff.paths.kernels import path_tables as p
from standoff.paths.kernels.links import links_of
from standoff.paths.kernels.motion import glide_pose
from standoff.paths.kernels.search import empty_search, search_motion
from standoff.paths.kernels.statics import packed, skipped
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


JOINT = fields(
    slow=float,  #: one over the least that the brake holds, [s²/rad] or [s²/m]
    fast=float,  #: one over the most that it holds
    gain=float,  #: the most by which the joint speeds up or slows down until then, [rad/s²]
    off=float,  #: by how much a velocity that is given may be off
    error=float,  #: by how much the joint may be off otherwise, [rad] or [m]
    lower=float,  #: its end stops: the farthest stop must stand before them
    upper=float,
    least=float,  #: the limits that proofs count on, which no stop may pass; infinite for none
    most=float,
    turns=int,  #: 1 for a joint without limits that turns: a whole turn more or less is no motion
    last=float,  #: where it was at the last reading; NaN where that is not known
    speed=float,  #: its velocity
    stands=float,  #: where it stands if the brake acts last and holds least
    braking=float,  #: B
    spread=float,  #: how far any of the stops is from the one in the middle
    lowest=float,  #: the farthest that any of the stops gets
    highest=float,
    mismatch=float,  #: what positions add to the error of a velocity that is given
    contradicts=float,  #: how far off the change of position that velocity is, where they do
)

BODY = fields(
    change=float,  #: [m/s] by which the velocity of any of its points may change meanwhile
    glides=int,  #: 1: from the velocity that it has; 0: from standing still
)

PLAN = fields(
    reaction=float,  #: r0, [s]
    wait=float,  #: r1 - r0, [s]
    together=int,  #: 1: all joints stop together, on a straight line
    acts=float,  #: r: when the brake acts on the stop in the middle
    end=float,  #: when all stand
)

#: What was found of a reading.
REPORT = fields(
    outcome=int,  #: of the search
    known=int,  #: 1: the velocities are known and lead to a place in this world, so it was checked
    overrun=int,  #: 1: a joint would pass its limit
    contradiction=int,  #: 1: a velocity that is given contradicts the positions
    pieces=int,  #: of the motion that was laid out
    piece=int,  #: of a pair that is open still, see `note_open`
    u=float,
    a=int,
    b=int,
)


class Stops(Tables):
    """What is known of the stops that may follow a reading, and the motion they are laid out as."""

    joints = Records(JOINT)
    bodies = Records(BODY, "that move on their own")
    last = Records(p.GLIDE, "bodies: pose of the last reading, NaN for none, and velocity")
    plan = Record(PLAN)
    times = Reals(doc="ends of the pieces, [s] from the reading; NaN beyond the last")
    motion = Nested(p.Motion, "its rounding has a column for each joint, then one for each body")
    report = Record(REPORT)


stops_at = viewer(Stops)

#: The outer Chebyshev points are this far from the middle of a piece.
NODE = math.sqrt(3.0) / 4.0


@entry(
    "boolean(int64, int64, int64, float64[::1], float64[:, :, ::1], float64[::1], float64, int64)"
)
def check_stop(cell, search, stops, q, poses, dq, dt, budget):
    """Whether all stops that may follow this reading are proved free, and no joint passes its
    limits, no velocity contradicts the positions; the report says more. Joints and poses are kept
    for the next call.

    Args:
        cell, search: as for `search`.
        stops: the address of `Stops`.
        q, poses: the reading, finite and rigid.
        dq: velocities of the joints; empty: from the last reading, ``dt`` seconds ago.
        budget: of the search.
    """
    its, scratch = stops_at(stops), p.search_at(search)
    report, plan = its.report, its.plan
    report.outcome, report.known, report.pieces = p.SPENT, 0, 0
    report.overrun = report.contradiction = 0
    take_velocities(its, q, dq, dt)
    known = body_velocities(its, poses, dt)
    r0, r1 = plan.reaction, plan.reaction + plan.wait
    # On one line, whoever stops sooner stands on the way of whoever stops last.
    alone = plan.together != 0 and len(its.bodies) == 0
    plan.acts = r1 if alone else 0.5 * (r0 + r1)
    longest, latest = spread_joints(its, q, 0.0 if len(dq) > 0 else dt, alone)
    plan.end = plan.acts + longest if len(its.bodies) == 0 else r1 + latest
    known = stay_in_limits(its, q) and known
    if not (known and plan.end < math.inf):
        return False
    report.pieces = len(its.times) - 1 if longest > 0.0 or len(its.bodies) > 0 else 1
    if not lay_out(its, q):
        return False
    report.known = 1
    empty_search(scratch)
    scratch.header.budget, scratch.header.hasty = budget, 1
    report.outcome = search_motion(p.cell_at(cell), scratch, its.motion, report.pieces)
    return report.outcome == p.FREE and report.overrun == 0 and report.contradiction == 0


@entry("void(int64, int64, int64)")
def note_open(cell, search, stops):
    """Into the report: piece, instant and primitives of a pair that the search left open."""
    fixed, scratch, report = p.cell_at(cell), p.search_at(search), stops_at(stops).report
    links, movers = fixed.links, fixed.movers
    # Where not one interval was looked at, every pair is open.
    code = -1 if len(links) > 0 else fixed.counts.movers
    report.piece, report.u = 0, 0.5
    for piece in range(report.pieces):
        k = scratch.pieces[piece].root
        if k < 0:
            continue
        node = scratch.nodes[k]
        report.piece, report.u = piece, 0.5 * (node.start + node.end)
        if node.first >= 0 and node.count > 0:
            code = scratch.pool[node.first]
            break
    if code < 0:
        first, _, _ = links_of(fixed, code)
        report.a, report.b = links[first].a, links[first].b
        return
    a, report.b = packed(code)
    report.a = movers[a].first_member
    for k in range(movers[a].first_member, movers[a].past_members):
        if not skipped(fixed, k, report.b):
            report.a = k
            break


@kernel
def take_velocities(stops, q, dq, dt):
    """The velocity of each joint, as given or from the last reading."""
    measured = len(dq) > 0
    for j in range(len(stops.joints)):
        joint = stops.joints[j]
        moved = q[j] - joint.last
        if joint.turns != 0:
            moved -= 2.0 * math.pi * np.floor(moved / (2.0 * math.pi) + 0.5)
        joint.speed = dq[j] if measured else moved / dt
        joint.last = q[j]
        if compare(joint, moved / dt, dt):
            stops.report.contradiction = 1


@kernel
def stay_in_limits(stops, q):
    """Whether all joints stand in this world; notes those that would pass their limits."""
    known = True
    for j in range(len(stops.joints)):
        joint = stops.joints[j]
        stands = joint.stands
        known = known and abs(stands) <= COORDINATE_LIMIT
        # An end stop ends a stop that goes farther than the one in the middle, which leaves it as
        # near to that one as it was: min(x, UPPER) is no farther from m <= UPPER than x is.
        if stands > max(q[j], joint.upper) or stands < min(q[j], joint.lower):
            stops.report.overrun = 1
        # Where that one stands within the tolerance beyond, the end stop may end it sooner.
        beyond = ENCODER_TOLERANCE
        if stands > joint.upper - beyond or stands < joint.lower + beyond:
            joint.spread += beyond
        if not (joint.lowest >= joint.least and joint.highest <= joint.most):
            stops.report.overrun = 1
    return known


@kernel
def lay_out(stops, q):
    """The motion in the middle of all, piece by piece; False where a body leaves this world."""
    times, end, n, known = stops.times, stops.plan.end, stops.report.pieces, True
    joints, rounding = len(stops.joints), stops.motion.rounding
    for k in range(len(times)):
        times[k] = end * k / n if k <= n else math.nan
    for k in range(n):
        for j in range(joints):
            fit_joint(stops, q, k, j)
        for b in range(len(stops.bodies)):
            known = glide_body(stops, k, b) and known
            rounding[k, joints + b] = times[k + 1] * stops.bodies[b].change
    return known


@kernel
def spread_joints(stops, q, since, alone):
    """B and the spread of each joint, and where it stands at the farthest. ``since``: the velocity
    is the mean over this time, so that it may be off by ``gain`` times half of it. Returns the
    longest B, and the longest B + ΔB."""
    joints, plan = stops.joints, stops.plan
    r1 = plan.reaction + plan.wait
    together = plan.together != 0
    slowest, fastest, more = 0.0, 0.0, 0.0
    if together:
        for j in range(len(joints)):
            joint = joints[j]
            v = abs(joint.speed)
            e1 = joint.off + joint.mismatch + joint.gain * (0.5 * since + r1)
            slowest = max(slowest, v * joint.slow)
            fastest = max(fastest, v * joint.fast)
            more = max(more, e1 * joint.slow)
    longest, latest = 0.0, 0.0
    for j in range(len(joints)):
        joint = joints[j]
        v = abs(joint.speed)
        gain = joint.gain
        e0 = joint.off + joint.mismatch + 0.5 * gain * since
        e1 = e0 + gain * r1
        slow, fast, late = slowest, fastest, more
        if not together:
            slow, fast, late = v * joint.slow, v * joint.fast, e1 * joint.slow
        joint.stands = q[j] + joint.speed * (r1 + 0.5 * slow)
        for sign in (1.0, -1.0):
            far = farthest(joint, sign, e0, r1, slow + late if together else math.inf)
            far += joint.error + STOP_ROUNDING * (abs(q[j]) + far)
            if sign > 0.0:
                joint.highest = q[j] + far
            else:
                joint.lowest = q[j] - far
        B, dB, lag = slow, late, 0.0
        if not alone:
            B, dB, lag = 0.5 * (slow + fast), late + 0.5 * (slow - fast), 0.5 * plan.wait
        joint.braking = B
        until, braking = r1 * (e0 + 0.5 * gain * r1), 0.5 * (e1 * (B + dB) + v * dB)
        joint.spread = joint.error + until + v * lag + braking
        longest, latest = max(longest, B), max(latest, B + dB)
    return longest, latest


@inlined
def farthest(joint, sign, e0, r1, longest):
    """How far a joint gets upwards, or downwards, on any of its stops: its velocity is
    ``w = v + e0`` now and ``w + GAIN t`` at most until the brake acts, at r1 the latest; from
    ``u = w + GAIN r1`` it stands after ``B = u SLOW`` at the latest, or ``longest`` where all stop
    together:

        max(w, 0) r1 + GAIN r1² / 2 + max(u, 0) B / 2.
    """
    gain = joint.gain
    w = sign * joint.speed + e0
    u = max(w + gain * r1, 0.0)
    B = u * joint.slow if longest == math.inf else longest
    return max(w, 0.0) * r1 + 0.5 * gain * r1 * r1 + 0.5 * u * B


@inlined
def compare(joint, mean, dt):
    """Hold the velocity of a joint against its ``mean`` since the last reading; whether they
    contradict each other. Where there was no last reading, nothing is known.

    Stops from both are part of the proof. The velocity now is within GAIN dt / 2 of the mean; where
    that, and the error of a velocity that is given, do not explain the difference, nobody knows
    which is right, and all that either allows is. From where on that is a contradiction: each
    position may be off by ENCODER_TOLERANCE, and the time between them by a part."""
    v, error, slack = joint.speed, joint.off, 0.5 * joint.gain * dt
    off, more, doubt = abs(v - mean), 0.0, 0.0
    if off > error:
        more = off - error
    if more > slack:
        more = off + slack
        allowed = 2.0 * ENCODER_TOLERANCE / dt + VELOCITY_MISMATCH * max(abs(v), abs(mean))
        if off - error - slack > allowed:
            doubt = off
    joint.mismatch, joint.contradicts = more, doubt
    return doubt > 0.0


@inlined
def gone(t, r, B):
    """g(t)"""
    after = t - r
    if after <= 0.0:
        return t
    return r + 0.5 * B if after >= B else r + after - 0.5 * after * after / B


@kernel
def fit_joint(stops, q, k, j):
    """The parabola of joint ``j`` in piece ``k``, and how far all its stops are from it."""
    joint, times, r, end = stops.joints[j], stops.times, stops.plan.acts, stops.plan.end
    pieces, first_row = stops.motion.pieces, p.POWERS * k
    v, B = joint.speed, joint.braking
    start, size = times[k], times[k + 1] - times[k]
    low, mid, high = (
        gone(start + (0.5 - NODE) * size, r, B),
        gone(start + 0.5 * size, r, B),
        gone(start + (0.5 + NODE) * size, r, B),
    )
    slope, bend = (high - low) / (2.0 * NODE), (high - 2.0 * mid + low) / (2.0 * NODE * NODE)
    c0, c1 = mid - 0.5 * slope + 0.25 * bend, slope - bend
    pieces[first_row, j], pieces[first_row + 1, j] = q[j] + v * c0, v * c1
    pieces[first_row + 2, j] = v * bend
    for power in range(3, p.POWERS):
        pieces[first_row + power, j] = 0.0
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
    rounded = STOP_ROUNDING * (abs(q[j]) + abs(v) * end)
    stops.motion.rounding[k, j] = joint.spread + abs(v) * off + rounded


@kernel
def body_velocities(stops, poses, dt):
    """Velocities of the bodies that glide, from the last poses to these, the shorter turn; False
    where they are not known, or half a turn lies between. Keeps the poses."""
    known = True
    for b in range(len(stops.bodies)):
        last, pose = stops.last[b], poses[b]
        for axis in range(3):
            last.linear[axis] = last.angular[axis] = 0.0
        if stops.bodies[b].glides != 0:
            for axis in range(3):
                last.linear[axis] = (pose[axis, 3] - last.pose[4 * axis + 3]) / dt
            known = turning_velocity(last, pose, dt) and known
        for e in range(12):
            last.pose[e] = pose[e // 4, e % 4]
    return known


@kernel
def turning_velocity(last, pose, dt):
    """R(1) R(0)^T has the axis times twice the sine in what is not symmetric, and the cosine on its
    diagonal."""
    xx, xy, xz = turned_row(last.pose, pose, 0)
    yx, yy, yz = turned_row(last.pose, pose, 1)
    zx, zy, zz = turned_row(last.pose, pose, 2)
    x, y, z = 0.5 * (zy - yz), 0.5 * (xz - zx), 0.5 * (yx - xy)
    sine, cosine = math.sqrt(x * x + y * y + z * z), 0.5 * (xx + yy + zz - 1.0)
    if sine > 0.0:
        rate = math.atan2(sine, cosine) / (sine * dt)
        last.angular[0], last.angular[1], last.angular[2] = rate * x, rate * y, rate * z
    return cosine > 0.0 or sine >= HALF_TURN_SINE


@inlined
def turned_row(last, pose, r):
    """Row ``r`` of R(1) R(0)^T."""
    u, v, w = pose[r, 0], pose[r, 1], pose[r, 2]
    return (
        u * last[0] + v * last[1] + w * last[2],
        u * last[4] + v * last[5] + w * last[6],
        u * last[8] + v * last[9] + w * last[10],
    )


@kernel
def glide_body(stops, k, b):
    """Body ``b`` in piece ``k``, from where it is at the start; False where it leaves this world,
    or nobody knows where it goes."""
    last, times = stops.last[b], stops.times
    glide = stops.motion.glides[k * len(stops.bodies) + b]
    size = times[k + 1] - times[k]
    glide_pose(last, times[k], glide.pose)
    known = True
    for axis in range(3):
        linear, angular = size * last.linear[axis], size * last.angular[axis]
        glide.linear[axis], glide.angular[axis] = linear, angular
        for value in (linear, angular, glide.pose[4 * axis + 3]):
            known = known and abs(value) <= COORDINATE_LIMIT
    return known
