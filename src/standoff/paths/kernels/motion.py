"""The motion of one piece: how far everything can get on an interval of it, and where it is at an
instant.

``q(u)`` is a polynomial, so on an interval of half width ``h`` about ``c`` Taylor's sum bounds its
derivatives, exactly and with no remainder:

    |q'(u)|   <=  Σ_k |q^(k+1)(c)| h^k / k!          |q''(u)|  <=  Σ_k |q^(k+2)(c)| h^k / k!

With speeds ``s_j`` and accelerations ``a_j`` from there, the bounds of `motion.kernels.bound` for
the
chain of a mover from each depth on follow from the tip inwards: before a chain of length ``λ`` and
bend ``M``, a revolute joint with reach ``R`` makes it ``λ + R s`` and ``M + s (R s + 2 λ) + R a``,
a prismatic one ``λ + s`` and ``M + a``.
"""

from __future__ import annotations

import math

from standoff.compiled.arena import real_rows, reals, wholes
from standoff.compiled.jit import inlined, kernel
from standoff.motion.kernels.bound import slides_beyond, widen_reach
from standoff.paths.kernels import layout as p
from standoff.robots.kernels.kinematics import INDEX, MULTIPLIER, OFFSET, REVOLUTE, place_frames
from standoff.tolerances import MOTION_ROUNDING, PATH_ROUNDING, SPEED_ROUNDING


@kernel
def load_motion(CF, CW, SF, SW, rounding, row, sparing):
    """Everything about a piece that holds on all of it; its coefficients and glides are in place.
    ``sparing``: ways of movers in a crowd are left to `know_members`, which does for searches whose
    nodes list no mover before its crowd was opened, and where no movers but crowds lead.
    ``rounding[row]`` is what they may be off by, beside the deviations: each joint, and after the
    joints each gliding body, [m]; where the row ends with the joints, bodies glide as they are."""
    header, counts = wholes(SW, p.S_HEADER), wholes(CW, p.C_COUNTS)
    C, joints = reals(SF, SW, p.S_COEFFICIENTS), reals(SF, SW, p.S_JOINTS)
    deviation = reals(CF, CW, p.C_DEVIATION)
    top = top_degree(C)
    for j in range(C.shape[1]):
        low, high, largest = C[0, j], C[0, j], abs(C[0, j])
        for k in range(1, top + 1):
            low, high = low + min(C[k, j], 0.0), high + max(C[k, j], 0.0)
            largest += (k + 1) * abs(C[k, j])
        off = deviation[0, j] + rounding[row, j]
        joints[p.LOW, j], joints[p.HIGH, j] = low - off, high + off
        # Rounding of the position and of the speed, each relative to its own sum.
        joints[p.LARGEST, j] = largest
    header[0, p.TOP_DEGREE] = top
    tree, linkage = reals(CF, CW, p.C_TREE), wholes(CW, p.C_LINKAGE)
    paces = reals(SF, SW, p.S_PACES)
    for f in range(1, counts[0, p.FRAMES]):
        j, times = linkage[f, INDEX], abs(tree[f, MULTIPLIER])
        paces[p.STRAY, f] = times * (deviation[0, j] + rounding[row, j])
        paces[p.SIZE_OF, f] = times * joints[p.LARGEST, j] + abs(tree[f, OFFSET])
    for g in range(reals(SF, SW, p.S_GLIDES).shape[0]):
        at = C.shape[1] + g
        stray = rounding[row, at] if at < rounding.shape[1] else 0.0
        paces[p.STRAY, counts[0, p.FRAMES] + g] = stray
    beyond = counts[0, p.SLIDES] != 0 and slides_beyond(
        tree, linkage, joints[p.LOW], joints[p.HIGH]
    )
    if beyond or header[0, p.WIDENED] != 0:
        reach, wide = reals(CF, CW, p.C_REACH), reals(SF, SW, p.S_WIDE)
        widen_reach(
            tree, linkage, wholes(CW, p.C_CARRIED), wholes(CW, p.C_CHAIN),
            reach.reshape(reach.size), joints[p.LOW], joints[p.HIGH], wide.reshape(wide.size),
        )  # fmt: skip
        header[0, p.WIDENED] = int(beyond)
    header[0, p.SETTLED] = 0
    header[0, p.LOADS] += 1
    if sparing and counts[0, p.SPARING] != 0 and top <= 1:
        pace_joints(CF, CW, SF, SW, 0.5, 0.5)
        for i in range(counts[0, p.SINGLE], counts[0, p.MOVERS]):
            bound_mover(CF, CW, SF, SW, i)
    else:
        bound_motion(CF, CW, SF, SW, 0.5, 0.5)
    tails, longest = reals(SF, SW, p.S_TAILS), 0.0
    for i in range(counts[0, p.SINGLE] if sparing else 0, counts[0, p.MOVERS]):
        longest = max(longest, tails[i * (counts[0, p.DEEPEST] + 1), p.WAY])
    reals(SF, SW, p.S_LONGEST)[0, 0] = longest


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
def bound_motion(CF, CW, SF, SW, c, h):
    """λ, M, stray and margin of every mover on the interval of half width ``h`` about ``c``."""
    pace_joints(CF, CW, SF, SW, c, h)
    for i in range(wholes(CW, p.C_COUNTS)[0, p.MOVERS]):
        bound_mover(CF, CW, SF, SW, i)


@inlined
def know_members(CF, CW, SF, SW, crowd):
    """Bound the ways of a crowd's members, unless that is done for the present piece."""
    stamps, loads = wholes(SW, p.S_STAMPS), wholes(SW, p.S_HEADER)[0, p.LOADS]
    if stamps[crowd, p.MEMBERS_OF] != loads:
        stamps[crowd, p.MEMBERS_OF] = loads
        movers = wholes(CW, p.C_MOVERS)
        for i in range(movers[crowd, p.MEMBER0], movers[crowd, p.MEMBERS]):
            bound_mover(CF, CW, SF, SW, i)


@kernel
def bound_mover(CF, CW, SF, SW, i):
    """λ, M, stray and margin of mover ``i`` with the paces that the joints have."""
    counts, movers = wholes(CW, p.C_COUNTS), wholes(CW, p.C_MOVERS)
    chain, wide, paces = wholes(CW, p.C_CHAIN), reals(SF, SW, p.S_WIDE), reals(SF, SW, p.S_PACES)
    tails, margin = real_rows(SF, SW, p.S_TAILS, p.TAIL_COLUMNS), reals(SF, SW, p.S_MARGIN)
    extent, settings = reals(CF, CW, p.C_EXTENT), reals(CF, CW, p.C_SETTINGS)
    steps = counts[0, p.DEEPEST] + 1
    curved, straight = settings[0, p.CURVED] != 0.0, settings[0, p.STRAIGHT] != 0.0
    more = 1.0 + MOTION_ROUNDING
    first, depth = movers[i, p.CHAIN0], movers[i, p.JOINTS]
    if depth == 0:
        f = movers[i, p.FRAME]
        stray = paces[p.STRAY, f]
        _bound_glide(SF, SW, i, f - counts[0, p.FRAMES], steps, extent, stray, margin)
    else:
        length, bend, sway, hidden = 0.0, 0.0, 0.0, 0.0
        far, turning = extent[i, 0], 0.0
        row = i * steps + depth
        for column in range(p.TAIL_COLUMNS):
            tails[row, column] = 0.0
        for k in range(depth - 1, -1, -1):
            f, R = chain[first + k, 0], wide[0, first + k]
            s = paces[p.SPEED, f]
            if chain[first + k, 1] == REVOLUTE:
                bend += s * (R * s + 2.0 * length)
                turning += s
            else:
                far += paces[p.SIZE_OF, f]
            bend += R * paces[p.ACCELERATION, f]
            length += R * s
            sway += R * paces[p.STRAY, f]
            hidden += R * (s + paces[p.SIZE_OF, f])
            row -= 1
            tails[row, p.LENGTH] = tails[row, p.WAY] = more * length
            tails[row, p.BEND] = more * bend
            tails[row, p.SWAY] = more * sway
        margin[i, 0] = PATH_ROUNDING * (hidden + (1.0 + turning) * far)
    if not (curved and straight):
        for row in range(i * steps, i * steps + depth + 1):
            tails[row, p.LENGTH] = tails[row, p.LENGTH] if straight else math.inf
            tails[row, p.BEND] = tails[row, p.BEND] if curved else math.inf


@kernel
def _bound_glide(SF, SW, i, g, steps, extent, stray, margin):
    """A body that glides: ``λ = |v| + |w| r``, ``M = |w|² r``, ``r`` its farthest core point; no
    point of it is farther than ``stray`` from where it glides."""
    glides, tails = reals(SF, SW, p.S_GLIDES), reals(SF, SW, p.S_TAILS)
    v = math.sqrt(glides[g, 12] ** 2 + glides[g, 13] ** 2 + glides[g, 14] ** 2)
    w = math.sqrt(glides[g, 15] ** 2 + glides[g, 16] ** 2 + glides[g, 17] ** 2)
    far = abs(glides[g, 3]) + abs(glides[g, 7]) + abs(glides[g, 11]) + v + extent[i, 0]
    more = 1.0 + MOTION_ROUNDING
    tails[i * steps, p.LENGTH] = tails[i * steps, p.WAY] = more * (v + w * extent[i, 1])
    tails[i * steps, p.BEND] = more * w * w * extent[i, 1]
    tails[i * steps, p.SWAY] = more * stray
    margin[i, 0] = PATH_ROUNDING * (1.0 + w) * (far + v)


@kernel
def pace_joints(CF, CW, SF, SW, c, h):
    """The largest speed and acceleration of each frame's joint within ``h`` of ``c``."""
    C, header = reals(SF, SW, p.S_COEFFICIENTS), wholes(SW, p.S_HEADER)
    tree, linkage = reals(CF, CW, p.C_TREE), wholes(CW, p.C_LINKAGE)
    paces, top = reals(SF, SW, p.S_PACES), header[0, p.TOP_DEGREE]
    for f in range(1, wholes(CW, p.C_COUNTS)[0, p.FRAMES]):
        j, times = linkage[f, INDEX], abs(tree[f, MULTIPLIER])
        if top <= 1:
            paces[p.SPEED, f], paces[p.ACCELERATION, f] = times * abs(C[1, j]), 0.0
            continue
        speed, acceleration, power = 0.0, 0.0, 1.0
        # The n-th derivative at c over (n - 1)!, resp. (n - 2)!, times the power of h.
        for n in range(1, top + 1):
            d = abs(derivative(C, j, top, n, c)) + SPEED_ROUNDING * largest_derivative(C, j, top, n)
            speed += d * power
            if n >= 2:
                acceleration += d * (n - 1) * (power / h)
            power *= h / n
        paces[p.SPEED, f] = times * speed
        paces[p.ACCELERATION, f] = times * acceleration


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
def place_at(CF, CW, SF, SW, u):
    """All frames and their velocities at ``u``."""
    C, joints = reals(SF, SW, p.S_COEFFICIENTS), reals(SF, SW, p.S_JOINTS)
    header, counts = wholes(SW, p.S_HEADER), wholes(CW, p.C_COUNTS)
    top = header[0, p.TOP_DEGREE]
    for j in range(C.shape[1]):
        if top <= 1:
            joints[p.Q, j], joints[p.DQ, j] = C[0, j] + u * C[1, j], C[1, j]
        else:
            joints[p.Q, j] = derivative(C, j, top, 0, u)
            joints[p.DQ, j] = derivative(C, j, top, 1, u)
    poses, twists = reals(SF, SW, p.S_POSES), reals(SF, SW, p.S_TWISTS)
    place_frames(
        reals(CF, CW, p.C_TREE), wholes(CW, p.C_LINKAGE), joints[p.Q], joints[p.DQ], 0,
        reals(SF, SW, p.S_TURNS), poses, twists, 0, True,
    )  # fmt: skip
    glides = reals(SF, SW, p.S_GLIDES)
    for g in range(glides.shape[0]):
        _glide(glides, g, u, poses, twists, counts[0, p.FRAMES] + g)
    header[0, p.INSTANT] += 1


@kernel
def _glide(glides, g, u, poses, twists, f):
    """Frame ``f`` of gliding body ``g`` at ``u``."""
    glide_pose(glides, g, u, poses, f)
    for axis in range(3):
        twists[f, axis] = glides[g, 15 + axis]
        twists[f, 3 + axis] = glides[g, 12 + axis]


@kernel
def glide_pose(glides, g, u, poses, f):
    """Row ``f``: the pose of gliding body ``g`` at ``u``, its origin moved straight, its axes
    turned by ``u`` times the spin: each column ``e`` becomes
    ``e cos + (n x e) sin + n (n·e) (1 - cos)``."""
    wx, wy, wz = glides[g, 15], glides[g, 16], glides[g, 17]
    w = math.sqrt(wx * wx + wy * wy + wz * wz)
    s, c = math.sin(u * w), math.cos(u * w)
    x, y, z = 0.0, 0.0, 0.0
    if w > 0.0:
        x, y, z = wx / w, wy / w, wz / w
    for column in range(3):
        ex, ey, ez = glides[g, column], glides[g, 4 + column], glides[g, 8 + column]
        along = (x * ex + y * ey + z * ez) * (1.0 - c)
        poses[f, column] = ex * c + (y * ez - z * ey) * s + x * along
        poses[f, 4 + column] = ey * c + (z * ex - x * ez) * s + y * along
        poses[f, 8 + column] = ez * c + (x * ey - y * ex) * s + z * along
    for axis in range(3):
        poses[f, 4 * axis + 3] = glides[g, 4 * axis + 3] + u * glides[g, 12 + axis]


@inlined
def place_ball(CF, CW, SF, SW, i):
    """Centre and velocity of mover ``i``'s ball, unless they are known for this instant."""
    stamps, instant = wholes(SW, p.S_STAMPS), wholes(SW, p.S_HEADER)[0, p.INSTANT]
    if stamps[i, p.BALL_AT] == instant:
        return
    stamps[i, p.BALL_AT] = instant
    balls, centres = reals(CF, CW, p.C_BALLS), reals(SF, SW, p.S_CENTRES)
    poses, twists = reals(SF, SW, p.S_POSES), reals(SF, SW, p.S_TWISTS)
    f = wholes(CW, p.C_MOVERS)[i, p.FRAME]
    x, y, z = balls[i, 0], balls[i, 1], balls[i, 2]
    rx = poses[f, 0] * x + poses[f, 1] * y + poses[f, 2] * z
    ry = poses[f, 4] * x + poses[f, 5] * y + poses[f, 6] * z
    rz = poses[f, 8] * x + poses[f, 9] * y + poses[f, 10] * z
    wx, wy, wz = twists[f, 0], twists[f, 1], twists[f, 2]
    centres[i, 0], centres[i, 1], centres[i, 2] = (
        poses[f, 3] + rx,
        poses[f, 7] + ry,
        poses[f, 11] + rz,
    )
    centres[i, 3] = twists[f, 3] + wy * rz - wz * ry
    centres[i, 4] = twists[f, 4] + wz * rx - wx * rz
    centres[i, 5] = twists[f, 5] + wx * ry - wy * rx


@inlined
def place_body(CF, CW, SF, SW, i):
    """Where mover ``i`` is, unless that is known for this instant."""
    stamps, instant = wholes(SW, p.S_STAMPS), wholes(SW, p.S_HEADER)[0, p.INSTANT]
    if stamps[i, p.ROW_AT] == instant:
        return
    stamps[i, p.ROW_AT] = instant
    local, rows, poses = reals(CF, CW, p.C_LOCAL), reals(SF, SW, p.S_ROWS), reals(SF, SW, p.S_POSES)
    place_row(poses, wholes(CW, p.C_MOVERS)[i, p.FRAME], local, rows, i)


@inlined
def place_row(poses, f, local, rows, i):
    """Row ``i``: the pose of a shape that is at ``local[i]`` in frame ``f``."""
    for r in range(0, 12, 4):
        a, b, c = poses[f, r], poses[f, r + 1], poses[f, r + 2]
        rows[i, r] = a * local[i, 0] + b * local[i, 4] + c * local[i, 8]
        rows[i, r + 1] = a * local[i, 1] + b * local[i, 5] + c * local[i, 9]
        rows[i, r + 2] = a * local[i, 2] + b * local[i, 6] + c * local[i, 10]
        rows[i, r + 3] = poses[f, r + 3] + (a * local[i, 3] + b * local[i, 7] + c * local[i, 11])


@inlined
def place_ends(CF, CW, SF, SW, i):
    """Both ends of the axis of mover ``i``, a sphere or a capsule, unless they are known."""
    stamps, instant = wholes(SW, p.S_STAMPS), wholes(SW, p.S_HEADER)[0, p.INSTANT]
    if stamps[i, p.ENDS_AT] == instant:
        return
    stamps[i, p.ENDS_AT] = instant
    movers, cores = wholes(CW, p.C_MOVERS), reals(CF, CW, p.C_CORES)
    poses, twists, ends = (
        reals(SF, SW, p.S_POSES), reals(SF, SW, p.S_TWISTS), reals(SF, SW, p.S_ENDS)
    )  # fmt: skip
    f, first = movers[i, p.FRAME], movers[i, p.POINT0]
    wx, wy, wz = twists[f, 0], twists[f, 1], twists[f, 2]
    for end in range(2):
        k = first + min(end, movers[i, p.POINTS] - 1)
        x, y, z = cores[k, 0], cores[k, 1], cores[k, 2]
        rx = poses[f, 0] * x + poses[f, 1] * y + poses[f, 2] * z
        ry = poses[f, 4] * x + poses[f, 5] * y + poses[f, 6] * z
        rz = poses[f, 8] * x + poses[f, 9] * y + poses[f, 10] * z
        at = 6 * end
        ends[i, at], ends[i, at + 1] = poses[f, 3] + rx, poses[f, 7] + ry
        ends[i, at + 2] = poses[f, 11] + rz
        ends[i, at + 3] = twists[f, 3] + wy * rz - wz * ry
        ends[i, at + 4] = twists[f, 4] + wz * rx - wx * rz
        ends[i, at + 5] = twists[f, 5] + wx * ry - wy * rx
