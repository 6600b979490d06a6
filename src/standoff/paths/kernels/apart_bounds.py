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

Which of them holds is decided by `motion.kernels.certify.uncovered`, as everywhere: from the centre
outwards, a box is a bundle of straight motions that take one unit of time. By lengths the most that
two points near each other is the sum of lengths; by slopes the first-order part has been taken off
for all directions at once, and `drift` has the second order alone. The balls hold the parts, so
that their distance is one of the parts, and no motion is left to be taken off.
"""

from __future__ import annotations

import math

from standoff.compiled.jit import kernel
from standoff.geometry.narrowphase.dispatch import DONE, closed_form, general_pair
from standoff.geometry.narrowphase.layout import FLAGS, HALFSPACE, KIND, MESH, OPEN_SOLID, SLACK
from standoff.geometry.narrowphase.rows import unrotate
from standoff.motion.kernels.certify import drift, uncovered
from standoff.motion.kernels.poses import place_row
from standoff.paths.kernels.path_tables import DISTANCE, NORMAL
from standoff.robots.kernels.kinematics import INDEX, MULTIPLIER, REVOLUTE, place_frames
from standoff.tolerances import MOTION_ROUNDING


@kernel
def place_box(proof):
    """Centre and half widths of the present box, and all frames at its centre.

    A number ``k = 2^l + i`` is interval ``i`` of ``2^l``; ``k + 1/2 = m 2^(l+1)`` with ``m`` from
    1/2 to 1 has its centre at the fraction ``2 m - 1`` of the range, exactly."""
    joints, q = proof.joints, proof.q
    for i in range(len(joints)):
        joint = joints[i]
        m, e = math.frexp(proof.intervals[i] + 0.5)
        q[i] = joint.lower + joint.width * (2.0 * m - 1.0)
        joint.half = math.ldexp(joint.width, -e) + joint.pad
    tree, linkage, paces = proof.tree, proof.linkage, proof.paces
    for f in range(1, tree.shape[0]):
        paces[f] = abs(tree[f, MULTIPLIER]) * joints[linkage[f, INDEX]].half
    place_joints(proof)


@kernel
def place_joints(proof):
    """All frames where ``q`` has them."""
    q, poses = proof.q, proof.poses
    place_frames(proof.tree, proof.linkage, q, q, proof.turns, poses, poses, False)


@kernel
def measure(proof, a, b):
    """The answer: the distance of two parts where the frames are; DONE, or why not."""
    bodies, parts, out = proof.bodies, proof.parts, proof.answer
    place_row(proof.poses, parts[a].frame, proof.local, a, bodies.rows, a)
    place_row(proof.poses, parts[b].frame, proof.local, b, bodies.rows, b)
    if closed_form(bodies, a, bodies, b, out, 0):
        return DONE
    return general_pair(proof.header.general, bodies, a, bodies, b, proof.room, out, 0)


@kernel
def swept_ball(proof, part):
    """Centre and radius of a ball that holds the part over the whole box."""
    own, poses, links = proof.parts[part], proof.poses, proof.links
    f, x, y, z = own.frame, own.x, own.y, own.z
    x, y, z = (
        poses[f, 0] * x + poses[f, 1] * y + poses[f, 2] * z + poses[f, 3],
        poses[f, 4] * x + poses[f, 5] * y + poses[f, 6] * z + poses[f, 7],
        poses[f, 8] * x + poses[f, 9] * y + poses[f, 10] * z + poses[f, 11],
    )
    radius = own.ball
    for k in range(own.first_link + own.links - 1, own.first_link - 1, -1):
        j = links[k].frame
        s = proof.paces[j]
        if links[k].kind != REVOLUTE:
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
def near_reaches(proof, part):
    """The sum of lengths and ``M`` of a part over the box; the gains of each joint are raised by
    what halving it would take off about."""
    own, poses, links = proof.parts[part], proof.poses, proof.links
    linkage, paces, joints = proof.linkage, proof.paces, proof.joints
    f, first, past = own.frame, own.first_link, own.first_link + own.links
    length, way, bend = 0.0, 0.0, 0.0
    for k in range(past - 1, first - 1, -1):
        link = links[k]
        j = link.frame
        s = paces[j]
        if link.kind != REVOLUTE:
            link.near_reach = 1.0
            length += s
            way += s
            continue
        # The axis in the part's own frame: a point there is at p - (its foot on the axis).
        axis = unrotate(poses, f, poses[j, 2], poses[j, 6], poses[j, 10])
        at = unrotate(
            poses, f, poses[j, 3] - poses[f, 3], poses[j, 7] - poses[f, 7],
            poses[j, 11] - poses[f, 11],
        )  # fmt: skip
        lever = min(link.reach, _lever(proof, own, axis, at))
        near = min(link.reach, lever + length)
        link.near_reach = near
        bend += s * (near * s + 2.0 * way)
        joints[linkage[j, INDEX]].second_gain += s * (0.375 * near * s + 0.5 * way)
        length += lever * min(s, 2.0)
        way += near * s
    turning = 0.0
    for k in range(first, past):
        j = links[k].frame
        moved = links[k].near_reach * paces[j]
        joint = joints[linkage[j, INDEX]]
        joint.first_gain += 0.5 * moved
        joint.second_gain += 0.5 * moved * turning
        if links[k].kind == REVOLUTE:
            turning += paces[j]
    return (1.0 + MOTION_ROUNDING) * length, (1.0 + MOTION_ROUNDING) * bend


@kernel
def _lever(proof, own, axis, at):
    """How far the farthest point of a part is from an axis through a point, all in its frame."""
    cores, farthest = proof.cores, 0.0
    ax, ay, az = axis
    for i in range(own.first_point, own.first_point + own.points):
        x, y, z = cores[i, 0] - at[0], cores[i, 1] - at[1], cores[i, 2] - at[2]
        u, v, w = ay * z - az * y, az * x - ax * z, ax * y - ay * x
        farthest = max(farthest, u * u + v * v + w * w)
    return math.sqrt(farthest)


@kernel
def take_slopes(proof, a, b, n):
    """``n·v_i(p)`` of both parts: of ``a`` for joint ``i`` in row ``i`` of the slopes, of ``b`` in
    row ``joints + i``. Where both move with ``q_i``, that of b's first point is taken off both."""
    slopes, parts, cores, joints = proof.slopes, proof.parts, proof.cores, len(proof.joints)
    for i in range(2 * joints):
        slopes[i].s = slopes[i].x = slopes[i].y = slopes[i].z = 0.0
    _add_slopes(proof, a, 0, n)
    _add_slopes(proof, b, joints, n)
    if parts[b].points == 0:
        return
    first = parts[b].first_point
    x, y, z = cores[first, 0], cores[first, 1], cores[first, 2]
    for i in range(joints):
        own, other = slopes[i], slopes[joints + i]
        if own.s != 0.0 or own.x != 0.0 or own.y != 0.0 or own.z != 0.0:
            shared = other.s + other.x * x + other.y * y + other.z * z
            own.s -= shared
            other.s -= shared


@kernel
def _add_slopes(proof, part, row0, n):
    own, poses, links = proof.parts[part], proof.poses, proof.links
    f, (nx, ny, nz) = own.frame, n
    for k in range(own.first_link, own.first_link + own.links):
        j = links[k].frame
        slope, times = proof.slopes[row0 + proof.linkage[j, INDEX]], proof.tree[j, MULTIPLIER]
        ax, ay, az = times * poses[j, 2], times * poses[j, 6], times * poses[j, 10]
        if links[k].kind != REVOLUTE:
            slope.s += nx * ax + ny * ay + nz * az
            continue
        # n·(a x (x - o)) = (n x a)·(x - o)
        gx, gy, gz = ny * az - nz * ay, nz * ax - nx * az, nx * ay - ny * ax
        dx, dy, dz = (
            poses[f, 3] - poses[j, 3],
            poses[f, 7] - poses[j, 7],
            poses[f, 11] - poses[j, 11],
        )
        slope.s += gx * dx + gy * dy + gz * dz
        x, y, z = unrotate(poses, f, gx, gy, gz)
        slope.x += x
        slope.y += y
        slope.z += z


@kernel
def least_along(proof, part, row0, n):
    """The least ``n·p - Σ w_i |n·v_i(p)|`` over the points of a part, and the largest sum; the
    joints' slopes are raised to the steepest. A half space has no points, and no least."""
    own, poses, cores = proof.parts[part], proof.poses, proof.cores
    slopes, joints = proof.slopes, proof.joints
    if own.points == 0:
        return -math.inf, 0.0
    f, (nx, ny, nz) = own.frame, n
    base = nx * poses[f, 3] + ny * poses[f, 7] + nz * poses[f, 11]
    ux, uy, uz = unrotate(poses, f, nx, ny, nz)
    least, most = math.inf, 0.0
    for e in range(own.first_point, own.first_point + own.points):
        x, y, z = cores[e, 0], cores[e, 1], cores[e, 2]
        total = 0.0
        for i in range(len(joints)):
            form = slopes[row0 + i]
            slope = abs(form.s + form.x * x + form.y * y + form.z * z)
            joints[i].slope = max(joints[i].slope, slope)
            total += joints[i].half * slope
        most = max(most, total)
        least = min(least, base + ux * x + uy * y + uz * z - total)
    return least, (1.0 + MOTION_ROUNDING) * most


@kernel
def proved_gap(proof, a, b):
    """The best of the bounds above on the present box, which is placed: parts ``a`` and ``b`` keep
    farther apart than that on all of it. Where that does not do, the answer is their distance at
    its centre: DONE, or why not. The header then says which bound was the better one, and how far
    the parts can get."""
    parts, refs, out, joints = proof.parts, proof.bodies.refs, proof.answer, proof.joints
    margin = parts[a].margin + parts[b].margin
    proved = balls_apart(proof, a, b) - margin
    if proved > proof.header.clearance:
        return proved, DONE
    for i in range(len(joints)):
        joints[i].slope = joints[i].first_gain = joints[i].second_gain = 0.0
    length_a, bend_a = near_reaches(proof, a)
    length_b, bend_b = near_reaches(proof, b)
    length = length_a + length_b
    # What is above a half space is so with its hull, and needs not be convex.
    meshed = (refs[a, KIND] == MESH or refs[b, KIND] == MESH) and refs[b, KIND] != HALFSPACE
    status = measure(proof, a, b)
    away = out[0, DISTANCE] - out[0, SLACK] - margin
    # Through a hole a body gets into an open mesh without meeting its surface: only hulls that
    # keep apart prove something.
    opened = (refs[a, FLAGS] | refs[b, FLAGS]) & OPEN_SOLID != 0
    by_length = -math.inf if opened else -uncovered(away, math.inf, length)
    by_slope = -math.inf
    nx, ny, nz = out[0, NORMAL], out[0, NORMAL + 1], out[0, NORMAL + 2]
    size = math.sqrt(nx**2 + ny**2 + nz**2)
    if 0.5 < size < 2.0:  # a pair without an answer has no normal
        nx, ny, nz = nx / size, ny / size, nz / size
        take_slopes(proof, a, b, (nx, ny, nz))
        least_a, most_a = least_along(proof, a, 0, (nx, ny, nz))
        least_b, most_b = least_along(proof, b, len(joints), (-nx, -ny, -nz))
        left = least_a + least_b - parts[a].radius - parts[b].radius - margin
        if not meshed:
            left = max(left, away - most_a - most_b)
        by_slope = -uncovered(left, drift(0.0, bend_a + bend_b, 1.0), math.inf)
    proof.header.sloped, proof.header.length = int(by_slope > by_length), length
    return max(by_length, by_slope), status


@kernel
def balls_apart(proof, a, b):
    """The distance of the balls that hold two parts over the whole box."""
    x, y, z, r = swept_ball(proof, a)
    if proof.bodies.refs[b, KIND] == HALFSPACE:
        local = proof.local
        nx, ny, nz = local[b, 2], local[b, 6], local[b, 10]
        high = nx * (x - local[b, 3]) + ny * (y - local[b, 7]) + nz * (z - local[b, 11])
        return high - r
    u, v, w, s = swept_ball(proof, b)
    return math.sqrt((x - u) ** 2 + (y - v) ** 2 + (z - w) ** 2) - r - s


@kernel
def widest_joint(proof, smallest):
    """The joint whose halving gains the better bound most, of those whose interval has a number
    below ``smallest``; -1 where there is none."""
    best, most, sloped = -1, -1.0, proof.header.sloped != 0
    for i in range(len(proof.joints)):
        joint = proof.joints[i]
        gain = joint.first_gain
        if sloped:
            gain = joint.second_gain + 0.5 * joint.half * joint.slope
        if gain > most and proof.intervals[i] < smallest:
            best, most = i, gain
    return best
