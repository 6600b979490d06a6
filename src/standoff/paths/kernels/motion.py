"""The motion of one piece: how far everything can get on an interval of it, and where it is at an
instant.

``q(u)`` is a polynomial, so on an interval of half width ``h`` about ``c`` Taylor's sum bounds its
derivatives, exactly and with no remainder:

    |q'(u)|   <=  Σ_k |q^(k+1)(c)| h^k / k!          |q''(u)|  <=  Σ_k |q^(k+2)(c)| h^k / k!

With speeds ``s_j`` and accelerations ``a_j`` from there, the bounds of `motion.kernels.bound` for
the chain of a mover from each depth on follow from the tip inwards: before a chain of length ``λ``
and bend ``M``, a revolute joint with reach ``R`` makes it ``λ + R s`` and ``M + s (R s + 2 λ) +
R a``, a prismatic one ``λ + s`` and ``M + a``.
"""

from __future__ import annotations

import math

from standoff.compiled.jit import inlined, kernel
from standoff.motion.kernels.bound import (
    CHAIN0,
    CHAIN_FRAME,
    CHAIN_KIND,
    MOTION_POINT0,
    MOTION_POINTS,
    slides_beyond,
    widen_reach,
)
from standoff.motion.kernels.poses import place_row
from standoff.paths.kernels import path_tables as p
from standoff.robots.kernels.kinematics import INDEX, MULTIPLIER, OFFSET, REVOLUTE, place_frames
from standoff.tolerances import MOTION_ROUNDING, PATH_ROUNDING, SPEED_ROUNDING


@kernel
def load_motion(cell, search, rounding, row, sparing):
    """Everything about a piece that holds on all of it; its coefficients and glides are in place.
    ``sparing``: ways of movers in a link sphere are left to `know_members`, which does for searches
    whose nodes list no mover before its sphere was opened, and where none but link spheres lead.
    ``rounding[row]`` is what they may be off by, beside the deviations: each joint, and after the
    joints each gliding body, [m]; where the row ends with the joints, bodies glide as they are."""
    header, counts = search.header, cell.counts
    C, deviation = search.coefficients, cell.deviation
    lows, highs, sizes = search.low, search.high, search.largest
    top = top_degree(C)
    for j in range(C.shape[1]):
        low, high, largest = C[0, j], C[0, j], abs(C[0, j])
        for k in range(1, top + 1):
            low, high = low + min(C[k, j], 0.0), high + max(C[k, j], 0.0)
            largest += (k + 1) * abs(C[k, j])
        off = deviation[j] + rounding[row, j]
        lows[j], highs[j] = low - off, high + off
        # Rounding of the position and of the speed, each relative to its own sum.
        sizes[j] = largest
    header.top_degree = top
    tree, linkage = cell.tree, cell.linkage
    position_error, position_size = search.position_error, search.position_size
    for f in range(1, counts.frames):
        j, times = linkage[f, INDEX], abs(tree[f, MULTIPLIER])
        position_error[f] = times * (deviation[j] + rounding[row, j])
        position_size[f] = times * sizes[j] + abs(tree[f, OFFSET])
    for g in range(len(search.glides)):
        at = C.shape[1] + g
        error = rounding[row, at] if at < rounding.shape[1] else 0.0
        position_error[counts.frames + g] = error
    beyond = counts.slides != 0 and slides_beyond(tree, linkage, lows, highs)
    if beyond or header.widened != 0:
        widen_reach(tree, linkage, cell.carried, cell.chain, cell.reach, lows, highs, search.wide)
        header.widened = int(beyond)
    header.settled = 0
    header.loads += 1
    if sparing and counts.sparing != 0 and top <= 1:
        pace_joints(cell, search, 0.5, 0.5)
        for i in range(counts.single, counts.movers):
            bound_mover(cell, search, i)
    else:
        bound_motion(cell, search, 0.5, 0.5)
    tails, longest = search.tails, 0.0
    for i in range(counts.single if sparing else 0, counts.movers):
        longest = max(longest, tails[i * (counts.deepest + 1)].length)
    header.longest = longest


@kernel
def top_degree(C):
    """The highest power with a coefficient that is not 0 (NaN is none)."""
    for k in range(p.DEGREE, 0, -1):
        some = False
        for j in range(C.shape[1]):
            some |= C[k, j] != 0.0
        if some:
            return k
    return 0


@kernel
def bound_motion(cell, search, c, h):
    """λ, M, position error and margin of every mover within ``h`` of ``c``."""
    pace_joints(cell, search, c, h)
    for i in range(cell.counts.movers):
        bound_mover(cell, search, i)


@inlined
def know_members(cell, search, sphere):
    """Bound the ways of a link sphere's members, unless that is done for the present piece."""
    stamp, loads = search.stamps[sphere], search.header.loads
    if stamp.members != loads:
        stamp.members = loads
        mover = cell.movers[sphere]
        for i in range(mover.first_member, mover.past_members):
            bound_mover(cell, search, i)


@kernel
def bound_mover(cell, search, i):
    """λ, M, position error and margin of mover ``i`` with the speeds that the joints have."""
    if cell.movers[i].joints == 0:
        _bound_glide(cell, search, i)
    else:
        _bound_chain(cell, search, i)


@kernel
def _bound_chain(cell, search, i):
    """A mover that joints carry: `path_length` and `curvature` from the tip inwards, see above; and
    the margin, what rounding can hide of where it is and of what its velocity makes of that."""
    mover, chain, wide, tails = cell.movers[i], cell.chain, search.wide, search.tails
    speed, acceleration = search.speed, search.acceleration
    position_error, position_size = search.position_error, search.position_size
    more, depth = 1.0 + MOTION_ROUNDING, mover.joints
    first = cell.motion_bodies[i, CHAIN0]
    length, bend, error, hidden = 0.0, 0.0, 0.0, 0.0
    far, turning = mover.farthest, 0.0
    row = i * (cell.counts.deepest + 1) + depth
    tip = tails[row]
    tip.length = tip.bend = tip.error = 0.0
    for k in range(depth - 1, -1, -1):
        f, R = chain[first + k, CHAIN_FRAME], wide[first + k]
        s = speed[f]
        if chain[first + k, CHAIN_KIND] == REVOLUTE:
            bend += s * (R * s + 2.0 * length)
            turning += s
        else:
            far += position_size[f]
        bend += R * acceleration[f]
        length += R * s
        error += R * position_error[f]
        hidden += R * (s + position_size[f])
        row -= 1
        tail = tails[row]
        tail.length = more * length
        tail.bend = more * bend
        tail.error = more * error
    search.margin[i] = PATH_ROUNDING * (hidden + (1.0 + turning) * far)


@kernel
def _bound_glide(cell, search, i):
    """A body that glides: ``λ = |v| + |w| r``, ``M = |w|² r``, ``r`` its farthest core point; no
    point of it is farther than its position error from where it glides."""
    mover = cell.movers[i]
    glide = search.glides[mover.frame - cell.counts.frames]
    at, linear, angular = glide.pose, glide.linear, glide.angular
    v = math.sqrt(linear[0] ** 2 + linear[1] ** 2 + linear[2] ** 2)
    w = math.sqrt(angular[0] ** 2 + angular[1] ** 2 + angular[2] ** 2)
    far = abs(at[3]) + abs(at[7]) + abs(at[11]) + v + mover.farthest
    more, tail = 1.0 + MOTION_ROUNDING, search.tails[i * (cell.counts.deepest + 1)]
    tail.length = more * (v + w * mover.core)
    tail.bend = more * w * w * mover.core
    tail.error = more * search.position_error[mover.frame]
    search.margin[i] = PATH_ROUNDING * (1.0 + w) * (far + v)


@kernel
def pace_joints(cell, search, c, h):
    """The largest speed and acceleration of each frame's joint within ``h`` of ``c``."""
    C, header = search.coefficients, search.header
    tree, linkage = cell.tree, cell.linkage
    speeds, accelerations, top = search.speed, search.acceleration, header.top_degree
    for f in range(1, cell.counts.frames):
        j, times = linkage[f, INDEX], abs(tree[f, MULTIPLIER])
        if top <= 1:
            speeds[f], accelerations[f] = times * abs(C[1, j]), 0.0
            continue
        speed, acceleration, power = 0.0, 0.0, 1.0
        # The n-th derivative at c over (n - 1)!, resp. (n - 2)!, times the power of h.
        for n in range(1, top + 1):
            d = abs(derivative(C, j, top, n, c)) + SPEED_ROUNDING * largest_derivative(C, j, top, n)
            speed += d * power
            if n >= 2:
                acceleration += d * (n - 1) * (power / h)
            power *= h / n
        speeds[f], accelerations[f] = times * speed, times * acceleration


@kernel
def derivative(C, j, top, n, u):
    """The n-th derivative of joint ``j`` at ``u``."""
    total = 0.0
    for k in range(top, n - 1, -1):
        factor = 1.0
        for m in range(k - n + 1, k + 1):
            factor *= m
        total = total * u + factor * C[k, j]
    return total


@kernel
def largest_derivative(C, j, top, n):
    """A bound of it for all u, and the scale of its rounding."""
    total = 0.0
    for k in range(n, top + 1):
        factor = abs(C[k, j])
        for m in range(k - n + 1, k + 1):
            factor *= m
        total += factor
    return total


@kernel
def place_at(cell, search, u):
    """All frames and their velocities at ``u``."""
    C, q, dq = search.coefficients, search.q, search.dq
    header, counts = search.header, cell.counts
    top = header.top_degree
    for j in range(C.shape[1]):
        if top <= 1:
            q[j], dq[j] = C[0, j] + u * C[1, j], C[1, j]
        else:
            q[j] = derivative(C, j, top, 0, u)
            dq[j] = derivative(C, j, top, 1, u)
    poses, twists = search.poses, search.twists
    place_frames(cell.tree, cell.linkage, q, dq, search.turns, poses, twists, True)
    for g in range(len(search.glides)):
        glide, f = search.glides[g], counts.frames + g
        glide_pose(glide, u, poses[f])
        for axis in range(3):
            twists[f, axis] = glide.angular[axis]
            twists[f, 3 + axis] = glide.linear[axis]
    header.instant += 1


@kernel
def glide_pose(glide, u, pose):
    """The pose of a gliding body at ``u``, its origin moved straight, its axes turned by ``u``
    times the spin: each column ``e`` becomes ``e cos + (n x e) sin + n (n·e) (1 - cos)``."""
    start, linear, angular = glide.pose, glide.linear, glide.angular
    wx, wy, wz = angular[0], angular[1], angular[2]
    w = math.sqrt(wx * wx + wy * wy + wz * wz)
    s, c = math.sin(u * w), math.cos(u * w)
    x, y, z = 0.0, 0.0, 0.0
    if w > 0.0:
        x, y, z = wx / w, wy / w, wz / w
    for column in range(3):
        ex, ey, ez = start[column], start[4 + column], start[8 + column]
        along = (x * ex + y * ey + z * ez) * (1.0 - c)
        pose[column] = ex * c + (y * ez - z * ey) * s + x * along
        pose[4 + column] = ey * c + (z * ex - x * ez) * s + y * along
        pose[8 + column] = ez * c + (x * ey - y * ex) * s + z * along
    for axis in range(3):
        pose[4 * axis + 3] = start[4 * axis + 3] + u * linear[axis]


@inlined
def move_point(poses, twists, f, x, y, z, to):
    """Where the point (x, y, z) of frame ``f`` is, and its velocity."""
    rx = poses[f, 0] * x + poses[f, 1] * y + poses[f, 2] * z
    ry = poses[f, 4] * x + poses[f, 5] * y + poses[f, 6] * z
    rz = poses[f, 8] * x + poses[f, 9] * y + poses[f, 10] * z
    wx, wy, wz = twists[f, 0], twists[f, 1], twists[f, 2]
    to.x, to.y, to.z = poses[f, 3] + rx, poses[f, 7] + ry, poses[f, 11] + rz
    to.vx = twists[f, 3] + wy * rz - wz * ry
    to.vy = twists[f, 4] + wz * rx - wx * rz
    to.vz = twists[f, 5] + wx * ry - wy * rx


@inlined
def place_ball(cell, search, i):
    """Centre and velocity of mover ``i``'s ball, unless they are known for this instant."""
    stamp, instant = search.stamps[i], search.header.instant
    if stamp.ball != instant:
        stamp.ball = instant
        ball, f = cell.balls[i], cell.movers[i].frame
        move_point(search.poses, search.twists, f, ball.x, ball.y, ball.z, search.centres[i])


@inlined
def place_body(cell, search, i):
    """Where mover ``i`` is, unless that is known for this instant."""
    stamp, instant = search.stamps[i], search.header.instant
    if stamp.row != instant:
        stamp.row = instant
        place_row(search.poses, cell.movers[i].frame, cell.local, i, search.bodies.rows, i)


@inlined
def place_ends(cell, search, i):
    """Both ends of the axis of mover ``i``, a sphere or a capsule, unless they are known."""
    stamp, instant = search.stamps[i], search.header.instant
    if stamp.ends != instant:
        stamp.ends = instant
        bodies, cores, f = cell.motion_bodies, cell.cores, cell.movers[i].frame
        for end in range(2):
            k = bodies[i, MOTION_POINT0] + min(end, bodies[i, MOTION_POINTS] - 1)
            x, y, z = cores[k, 0], cores[k, 1], cores[k, 2]
            move_point(search.poses, search.twists, f, x, y, z, search.ends[2 * i + end])
