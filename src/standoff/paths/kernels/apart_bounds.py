"""How near two parts can come while the joints are anywhere in a box.

The box has centre ``c`` and half widths ``w_i``; a joint ``j`` of the tree, which follows entry
``i`` of ``q`` by its multiplier ``m_j``, gets up to ``s_j = |m_j| w_i`` from where it is at the
centre. Three bounds hold, for every ``q`` in the box; all places are seen from the root.

*Balls* (`swept_ball`). A ball about a point at distance ``l`` from the axis of a revolute joint is,
while the joint turns by up to ``s`` either way, within a ball about the point at distance ``C l``
in the middle, grown by ``S l``, where ``C = max(0, 1 - s²/2) <= cos s`` and ``S = sqrt(1 - C²)``:
for ``|θ| <= s``, ``|e^{iθ} - C|² = 1 + C² - 2 C cos θ <= 1 - C²``. A prismatic joint grows it by
``s``. From the part inwards, joint by joint, this ends in a ball that holds the part over the whole
box: however large the box is, no farther than the links are long.

*Lengths* (`near_reaches`). Take the joints from ``c`` to ``q`` one after the other, the innermost
first. While ``j`` moves, all joints beyond it are still where they are at ``c``, so that a point
gets as far as the chord of a turn about the axis that is as far away as at ``c``: by ``l_j
min(s_j, 2)``, by ``s_j`` where ``j`` is prismatic. So no point is farther from where it is at ``c``
than the sum of these, and distances shrink by no more than both parts' sums.

*Slopes* (`least_along`). On the straight line from ``c`` to ``q``, which stays in the box, with
``t`` from 0 to 1, joint speeds are ``<= s_j``, so that by `motion.kernels.bound` (h = 1), with
``v_i(p)`` the velocity of a point for a unit of ``q_i`` at ``c``,

    n·p(q)  >=  n·p(c) + Σ_i (q_i - c_i) n·v_i(p) - M/2
            >=  n·p(c) - Σ_i w_i |n·v_i(p)| - M/2.

A part is in the hull of its points grown by its radius, so its least ``n·x`` is that of one of the
points, less the radius; for the other part the same holds of ``-n``, and the sum of both bounds is
a separation along ``n``, whatever unit vector ``n`` is and whether or not the parts are convex. If
convex parts are at distance ``d`` along ``n``, ``d`` less the largest sums ``Σ_i w_i |n·v_i|`` and
``M/2`` of both holds as well, and is the better one where the points are only those of a box around
the part. An entry of ``q`` that moves both parts counts for their difference: any ``m_i`` may be
taken off ``n·v_i`` of both.

``M`` takes the reach within the box, which is ``l_j`` and the sum of lengths of the joints beyond
``j`` at most, by how far a point gets as seen from ``j``; or the reach over all ranges
(`motion.kernels.reach`), where that is less.

What keeps two parts apart on a box of joint values, and how the box is best halved.
"""

from __future__ import annotations

import math

from standoff.compiled.arena import reals, wholes
from standoff.compiled.jit import kernel
from standoff.geometry.narrowphase.dispatch import DONE
from standoff.geometry.narrowphase.layout import FLAGS, HALFSPACE, KIND, MESH, OPEN_SOLID, SLACK
from standoff.geometry.narrowphase.rows import unrotate
from standoff.paths.kernels import apart_layout as p
from standoff.paths.kernels.apart_place import measure
from standoff.robots.kernels.kinematics import INDEX, MULTIPLIER, REVOLUTE
from standoff.tolerances import MOTION_ROUNDING


@kernel
def swept_ball(F, W, part):
    """Centre and radius of a ball that holds the part over the whole box."""
    parts, chain, balls = wholes(W, p.A_PARTS), wholes(W, p.A_CHAIN), reals(F, W, p.A_BALLS)
    poses, paces = reals(F, W, p.A_POSES), reals(F, W, p.A_PACES)
    f, first = parts[part, p.FRAME], parts[part, p.CHAIN0]
    x, y, z = balls[part, 0], balls[part, 1], balls[part, 2]
    x, y, z = (
        poses[f, 0] * x + poses[f, 1] * y + poses[f, 2] * z + poses[f, 3],
        poses[f, 4] * x + poses[f, 5] * y + poses[f, 6] * z + poses[f, 7],
        poses[f, 8] * x + poses[f, 9] * y + poses[f, 10] * z + poses[f, 11],
    )
    radius = balls[part, 3]
    for k in range(first + parts[part, p.JOINTS] - 1, first - 1, -1):
        j = chain[k, 0]
        s = paces[0, j]
        if chain[k, 1] != REVOLUTE:
            radius += s
            continue
        ax, ay, az = poses[j, 2], poses[j, 6], poses[j, 10]
        dx, dy, dz = x - poses[j, 3], y - poses[j, 7], z - poses[j, 11]
        along = ax * dx + ay * dy + az * dz
        lx, ly, lz = dx - along * ax, dy - along * ay, dz - along * az
        near, grown = 0.0, 1.0
        if s * s < 2.0:
            near, grown = 1.0 - 0.5 * s * s, s * math.sqrt(1.0 - 0.25 * s * s)
        radius += grown * math.sqrt(lx * lx + ly * ly + lz * lz)
        x, y, z = x - (1.0 - near) * lx, y - (1.0 - near) * ly, z - (1.0 - near) * lz
    return x, y, z, radius


@kernel
def near_reaches(F, W, part):
    """The sum of lengths and ``M`` of a part over the box; A_GAINS is raised by what halving each
    joint would take off about."""
    parts, chain, linkage = wholes(W, p.A_PARTS), wholes(W, p.A_CHAIN), wholes(W, p.A_LINKAGE)
    poses, paces, cores = reals(F, W, p.A_POSES), reals(F, W, p.A_PACES), reals(F, W, p.A_CORES)
    reach, near, gains = (
        reals(F, W, p.A_REACH), reals(F, W, p.A_NEAR_REACH), reals(F, W, p.A_GAINS)
    )  # fmt: skip
    f, first, joints = parts[part, p.FRAME], parts[part, p.CHAIN0], parts[part, p.JOINTS]
    point0, points = parts[part, p.POINT0], parts[part, p.POINTS]
    length, way, bend = 0.0, 0.0, 0.0
    for k in range(first + joints - 1, first - 1, -1):
        j = chain[k, 0]
        s = paces[0, j]
        if chain[k, 1] != REVOLUTE:
            near[0, k] = 1.0
            length += s
            way += s
            continue
        # The axis in the part's own frame: a point there is at p - (its foot on the axis).
        ax, ay, az = unrotate(poses, f, poses[j, 2], poses[j, 6], poses[j, 10])
        ox, oy, oz = unrotate(
            poses, f, poses[j, 3] - poses[f, 3], poses[j, 7] - poses[f, 7],
            poses[j, 11] - poses[f, 11],
        )  # fmt: skip
        lever = 0.0
        for i in range(point0, point0 + points):
            x, y, z = cores[i, 0] - ox, cores[i, 1] - oy, cores[i, 2] - oz
            u, v, w = ay * z - az * y, az * x - ax * z, ax * y - ay * x
            lever = max(lever, u * u + v * v + w * w)
        lever = min(reach[0, k], math.sqrt(lever))
        near[0, k] = min(reach[0, k], lever + length)
        bend += s * (near[0, k] * s + 2.0 * way)
        gains[1, linkage[j, INDEX]] += s * (0.375 * near[0, k] * s + 0.5 * way)
        length += lever * min(s, 2.0)
        way += near[0, k] * s
    turning = 0.0
    for k in range(first, first + joints):
        j = chain[k, 0]
        moved = near[0, k] * paces[0, j]
        gains[0, linkage[j, INDEX]] += 0.5 * moved
        gains[1, linkage[j, INDEX]] += 0.5 * moved * turning
        if chain[k, 1] == REVOLUTE:
            turning += paces[0, j]
    return (1.0 + MOTION_ROUNDING) * length, (1.0 + MOTION_ROUNDING) * bend


@kernel
def take_slopes(F, W, a, b, nx, ny, nz):
    """``n·v_i(p)`` of both parts as numbers (s, g) with ``s + g·p``, ``p`` in the part's frame: row
    ``i`` of A_SLOPES for ``a``, row ``joints + i`` for ``b``. Where both move with ``q_i``, that of
    b's first point is taken off both."""
    slopes, parts, cores = reals(F, W, p.A_SLOPES), wholes(W, p.A_PARTS), reals(F, W, p.A_CORES)
    joints = slopes.shape[0] // 2
    for i in range(2 * joints):
        slopes[i, 0] = slopes[i, 1] = slopes[i, 2] = slopes[i, 3] = 0.0
    _add_slopes(F, W, a, 0, nx, ny, nz)
    _add_slopes(F, W, b, joints, nx, ny, nz)
    if parts[b, p.POINTS] == 0:
        return
    first = parts[b, p.POINT0]
    x, y, z = cores[first, 0], cores[first, 1], cores[first, 2]
    for i in range(joints):
        k = joints + i
        own = slopes[i, 0] != 0.0 or slopes[i, 1] != 0.0 or slopes[i, 2] != 0.0
        if own or slopes[i, 3] != 0.0:
            shared = slopes[k, 0] + slopes[k, 1] * x + slopes[k, 2] * y + slopes[k, 3] * z
            slopes[i, 0] -= shared
            slopes[k, 0] -= shared


@kernel
def _add_slopes(F, W, part, row0, nx, ny, nz):
    parts, chain, linkage = wholes(W, p.A_PARTS), wholes(W, p.A_CHAIN), wholes(W, p.A_LINKAGE)
    poses, tree, slopes = reals(F, W, p.A_POSES), reals(F, W, p.A_TREE), reals(F, W, p.A_SLOPES)
    f, first = parts[part, p.FRAME], parts[part, p.CHAIN0]
    for k in range(first, first + parts[part, p.JOINTS]):
        j = chain[k, 0]
        row, times = row0 + linkage[j, INDEX], tree[j, MULTIPLIER]
        ax, ay, az = times * poses[j, 2], times * poses[j, 6], times * poses[j, 10]
        if chain[k, 1] != REVOLUTE:
            slopes[row, 0] += nx * ax + ny * ay + nz * az
            continue
        # n·(a x (x - o)) = (n x a)·(x - o)
        gx, gy, gz = ny * az - nz * ay, nz * ax - nx * az, nx * ay - ny * ax
        dx, dy, dz = (
            poses[f, 3] - poses[j, 3],
            poses[f, 7] - poses[j, 7],
            poses[f, 11] - poses[j, 11],
        )
        slopes[row, 0] += gx * dx + gy * dy + gz * dz
        x, y, z = unrotate(poses, f, gx, gy, gz)
        slopes[row, 1] += x
        slopes[row, 2] += y
        slopes[row, 3] += z


@kernel
def least_along(F, W, part, row0, nx, ny, nz):
    """The least ``n·p - Σ w_i |n·v_i(p)|`` over the points of a part, and the largest sum; A_TOPS
    is raised to the steepest slopes. A half space has no points, and no least."""
    parts, cores, poses = wholes(W, p.A_PARTS), reals(F, W, p.A_CORES), reals(F, W, p.A_POSES)
    slopes, joints, tops = reals(F, W, p.A_SLOPES), reals(F, W, p.A_JOINTS), reals(F, W, p.A_TOPS)
    f, first = parts[part, p.FRAME], parts[part, p.POINT0]
    base = nx * poses[f, 3] + ny * poses[f, 7] + nz * poses[f, 11]
    ux, uy, uz = unrotate(poses, f, nx, ny, nz)
    least, most = math.inf, 0.0
    if parts[part, p.POINTS] == 0:
        return -math.inf, 0.0
    for e in range(first, first + parts[part, p.POINTS]):
        x, y, z = cores[e, 0], cores[e, 1], cores[e, 2]
        total = 0.0
        for i in range(joints.shape[1]):
            k = row0 + i
            slope = abs(slopes[k, 0] + slopes[k, 1] * x + slopes[k, 2] * y + slopes[k, 3] * z)
            tops[0, i] = max(tops[0, i], slope)
            total += joints[p.HALF, i] * slope
        most = max(most, total)
        least = min(least, base + ux * x + uy * y + uz * z - total)
    return least, (1.0 + MOTION_ROUNDING) * most


@kernel
def proved_gap(general, F, W, a, b):
    """The best of the bounds of `apart_bounds` on the present box, which is placed: parts ``a`` and
    ``b`` keep farther apart than that on all of it. Where that does not do, row 0 of A_OUT is their
    distance at its centre: its status and value follow, whether the better bound was that by
    slopes, and how far the parts can get towards each other and apart at most."""
    refs, out, sizes = wholes(W, p.A_REFS), reals(F, W, p.A_OUT), reals(F, W, p.A_SIZES)
    margin = sizes[a, p.MARGIN] + sizes[b, p.MARGIN]
    proved = balls_apart(F, W, a, b) - margin
    if proved > reals(F, W, p.A_RESULT)[0, p.CLEARANCE]:
        return proved, DONE, math.inf, False, 0.0
    tops, gains = reals(F, W, p.A_TOPS), reals(F, W, p.A_GAINS)
    for i in range(tops.shape[1]):
        tops[0, i] = gains[0, i] = gains[1, i] = 0.0
    length_a, bend_a = near_reaches(F, W, a)
    length_b, bend_b = near_reaches(F, W, b)
    length, bend = length_a + length_b, 0.5 * (bend_a + bend_b)
    # What is above a half space is so with its hull, and needs not be convex.
    meshed = (refs[a, KIND] == MESH or refs[b, KIND] == MESH) and refs[b, KIND] != HALFSPACE
    status = measure(general, F, W, a, b)
    away = out[0, 0] - out[0, SLACK] - margin
    # Through a hole a body gets into an open mesh without meeting its surface: only hulls that
    # keep apart prove something.
    opened = (refs[a, FLAGS] | refs[b, FLAGS]) & OPEN_SOLID != 0
    by_length = -math.inf if opened else away - length
    by_slope = -math.inf
    size = math.sqrt(out[0, 7] ** 2 + out[0, 8] ** 2 + out[0, 9] ** 2)
    if 0.5 < size < 2.0:  # a pair without an answer has no normal
        nx, ny, nz = out[0, 7] / size, out[0, 8] / size, out[0, 9] / size
        take_slopes(F, W, a, b, nx, ny, nz)
        least_a, most_a = least_along(F, W, a, 0, nx, ny, nz)
        least_b, most_b = least_along(F, W, b, tops.shape[1], -nx, -ny, -nz)
        by_slope = least_a + least_b - sizes[a, p.RADIUS] - sizes[b, p.RADIUS] - margin - bend
        if not meshed:
            by_slope = max(by_slope, away - most_a - most_b - bend)
    return max(by_length, by_slope), status, out[0, 0], by_slope > by_length, length


@kernel
def balls_apart(F, W, a, b):
    """The distance of the balls that hold two parts over the whole box."""
    x, y, z, r = swept_ball(F, W, a)
    if wholes(W, p.A_REFS)[b, KIND] == HALFSPACE:
        local = reals(F, W, p.A_LOCAL)
        nx, ny, nz = local[b, 2], local[b, 6], local[b, 10]
        high = nx * (x - local[b, 3]) + ny * (y - local[b, 7]) + nz * (z - local[b, 11])
        return high - r
    u, v, w, s = swept_ball(F, W, b)
    return math.sqrt((x - u) ** 2 + (y - v) ** 2 + (z - w) ** 2) - r - s


@kernel
def widest_joint(F, W, sloped, smallest):
    """The joint whose halving gains the better bound most, of those whose interval has a number
    below ``smallest``; -1 where there is none."""
    joints, box = reals(F, W, p.A_JOINTS), wholes(W, p.A_BOX)
    tops, gains = reals(F, W, p.A_TOPS), reals(F, W, p.A_GAINS)
    best, most = -1, -1.0
    for i in range(joints.shape[1]):
        gain = gains[0, i]
        if sloped:
            gain = gains[1, i] + 0.5 * joints[p.HALF, i] * tops[0, i]
        if gain > most and box[0, i] < smallest:
            best, most = i, gain
    return best
