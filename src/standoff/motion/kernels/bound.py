"""The motion bound: how far a body can be, for a while, from where its velocity takes it.

Over ``q(t)``, on an interval of half width ``h`` about ``tc``, for every point ``p`` of a body seen
from a frame ``c`` on its chain, with ``v`` the point's exact velocity at ``tc`` seen from there:

    |p(t) - p(tc) - (t - tc) v|  <=  (t - tc)² M / 2,
    M = Σ_j s_j R_j (o_j s_j + 2 Σ_{k<j, k revolute} s_k)  +  Σ_j R_j a_j

over the joints ``j`` from ``c`` outwards to the body: ``s_j`` the largest speed of the joint over
the interval and ``a_j`` its largest acceleration (0 on a straight segment), ``R_j`` the reach of
`motion.kernels.reach`, ``o_j`` 1 for revolute and 0 for prismatic joints. The reason: each pair of
joints ``k <= j`` adds ``s_k s_j`` times (axis of k) x (lever of p on j) to the acceleration of
``p``, once for ``k = j`` and twice otherwise, and a lever is no longer than ``R_j``.

The tables, made once by `motion.motion_bound`
    ``bodies`` int64 (n, 4): frame, first entry of its chain, first point, number of points
    ``chain``  int64 (m, 2): frame of the joint and its kind; body after body, each outwards from
               the world, so that the chain from any common frame on is the tail of the row's own
    ``reach``  float64 (m,): ``R_j``, beside ``chain``
    ``points`` float64 (k, 3), in the body's frame: a set whose hull, grown by the body's own
               radius, is the body (see `motion.motion_bound`)
    ``speed``  float64 (frames,): ``|dq|`` of each frame's joint, mimic joints included
"""

from __future__ import annotations

from standoff.compiled.jit import entry, kernel
from standoff.robots.kernels.kinematics import (
    DEPTH,
    HIGHEST,
    INDEX,
    JOINT_KIND,
    LOWEST,
    MULTIPLIER,
    OFFSET,
    PARENT,
    PRISMATIC,
    REVOLUTE,
)
from standoff.tolerances import MOTION_ROUNDING

BODY_FRAME = 0
CHAIN0 = 1
MOTION_POINT0 = 2
MOTION_POINTS = 3

CHAIN_FRAME = 0
CHAIN_KIND = 1


@entry("void(float64[:,::1], int64[:,::1], float64[::1], float64[::1])")
def joint_magnitudes(reals, ints, dq, speed):
    """``speed[f] = |multiplier * dq|`` for each frame: speeds, accelerations or deviations of the
    joints that ``q`` sets, handed on to the joints that mimic them."""
    speed[0] = 0.0
    for f in range(1, reals.shape[0]):
        speed[f] = abs(reals[f, MULTIPLIER] * dq[ints[f, INDEX]])


@kernel
def common_frame(ints, a, b):
    """The last frame that carries both frames; a parent stands before its children."""
    while a != b:
        if a > b:
            a = ints[a, PARENT]
        else:
            b = ints[b, PARENT]
    return a


@entry("float64(int64[:,::1], float64[::1], int64, int64, float64[::1])")
def path_length(chain, reach, start, stop, speed):
    """``Σ_j R_j s_j``: no point of the body moves by more while the joints of ``chain[start:stop]``
    move by ``s_j``. The bound of paper 001, section 3.3; and what deviations ``e_j`` of the joints
    add to every bound. A joint at rest adds nothing, however far the body may reach about it."""
    total = 0.0
    for i in range(start, stop):
        s = speed[chain[i, CHAIN_FRAME]]
        if s != 0.0:
            total += reach[i] * s
    return (1.0 + MOTION_ROUNDING) * total


@entry("float64(int64[:,::1], float64[::1], int64, int64, float64[::1])")
def curvature(chain, reach, start, stop, speed):
    """``M`` without the part of the accelerations, which is their `path_length`."""
    total = 0.0
    turning = 0.0
    for i in range(start, stop):
        s = speed[chain[i, CHAIN_FRAME]]
        if s == 0.0:
            continue
        if chain[i, CHAIN_KIND] == REVOLUTE:
            total += s * reach[i] * (s + 2.0 * turning)
            turning += s
        else:
            total += s * reach[i] * (2.0 * turning)
    return (1.0 + MOTION_ROUNDING) * total


@entry(
    "void(float64[:,::1], int64[:,::1], int64[:,::1], int64[:,::1], float64[::1],"
    " float64[::1], float64[::1], float64[::1])"
)
def widen_reach(reals, ints, bodies, chain, reach, low, high, widened):
    """The reaches where ``q`` runs from ``low`` to ``high`` and may leave the joint limits.

    What a prismatic joint travels beyond LOWEST or HIGHEST lengthens the reach about every joint
    before it by as much: the travel counted is that of the limits and of the motion together."""
    for b in range(bodies.shape[0]):
        first = bodies[b, CHAIN0]
        beyond = 0.0
        for i in range(first + ints[bodies[b, BODY_FRAME], DEPTH] - 1, first - 1, -1):
            if chain[i, CHAIN_KIND] == PRISMATIC:
                widened[i] = reach[i]
                beyond += excess(reals, ints, chain[i, CHAIN_FRAME], low, high)
            else:
                widened[i] = reach[i] + beyond


@kernel
def slides_beyond(reals, ints, low, high):
    """Whether any prismatic joint leaves LOWEST or HIGHEST where ``q`` runs from ``low`` to
    ``high``."""
    beyond = False
    for f in range(1, reals.shape[0]):
        if ints[f, JOINT_KIND] == PRISMATIC:
            beyond |= not excess(reals, ints, f, low, high) <= 0.0
    return beyond


@kernel
def excess(reals, ints, f, low, high):
    """How far beyond LOWEST or HIGHEST joint ``f`` gets. A multiplier of 0 leaves it at its offset,
    even where its master has no limits."""
    a, b = reals[f, OFFSET], reals[f, OFFSET]
    if reals[f, MULTIPLIER] != 0.0:
        a += reals[f, MULTIPLIER] * low[ints[f, INDEX]]
        b += reals[f, MULTIPLIER] * high[ints[f, INDEX]]
    return max(0.0, max(reals[f, LOWEST] - min(a, b), max(a, b) - reals[f, HIGHEST]))
