"""Can two bodies touch while their joints stay within limits? Branch and bound over boxes of joint
values: a box is done with when the bounds of `apart_bounds` keep the parts apart on all of it, and
halved otherwise, along the joint that promises most; the box whose centre has the parts nearest is
next, so that a configuration where they touch is found early.
"""

from __future__ import annotations

import math

from standoff.constants import DESCENT_OVERSHOOT, DESCENT_STEPS, DESCENT_STRIDE
from standoff.kernels.arena import reals, wholes
from standoff.kernels.jit import entry, kernel
from standoff.kernels.kinematics import INDEX, MULTIPLIER, REVOLUTE, place_frames
from standoff.kernels.layout import HALFSPACE, KIND, MESH, SLACK
from standoff.kernels.pairs.dispatch import DONE, closed_form
from standoff.kernels.pairs.general import general_pair
from standoff.kernels.paths import apart_layout as p
from standoff.kernels.paths.apart_bounds import (
    least_along,
    near_reaches,
    swept_ball,
    take_slopes,
)
from standoff.kernels.paths.apart_heap import pop_box, push_box


@entry("int64(int64, float64[::1], int64[::1])")
def search_apart(general, F, W):
    """Go on until all boxes are APART, a configuration is TOUCHING, the budget is SPENT, the nodes
    are FULL (none is lost: it goes on once there is more room) or it is STUCK. ``general`` is the
    address of `pair_distance`."""
    header, box, nodes = wholes(W, p.A_HEADER), wholes(W, p.A_BOX), wholes(W, p.A_NODES)
    joints, pairs = nodes.shape[1] - 2, wholes(W, p.A_PAIRS).shape[0]
    while header[0, p.STARTED] < pairs:
        if header[0, p.BOXES] >= header[0, p.BUDGET]:
            return p.SPENT
        if header[0, p.QUEUED] >= nodes.shape[0]:
            return p.FULL
        for i in range(joints):
            box[0, i] = 1
        box[0, joints] = header[0, p.STARTED]
        header[0, p.STARTED] += 1
        if _look(general, F, W):
            return p.TOUCHING
    while header[0, p.QUEUED] > 0:
        if header[0, p.BOXES] + 2 > header[0, p.BUDGET]:
            return p.SPENT
        if header[0, p.QUEUED] >= nodes.shape[0]:
            return p.FULL
        pop_box(F, W)
        i = box[0, joints + 1]
        whole = box[0, i]
        if whole >= p.SMALLEST_BOX:
            push_box(F, W, -math.inf)
            return p.STUCK
        for half in range(2):
            box[0, i] = 2 * whole + half
            if _look(general, F, W):
                return p.TOUCHING
    return p.APART


@kernel
def _look(general, F, W):
    """Look at the present box: prove it apart, or queue it. Whether a configuration was found that
    is not farther apart than the clearance."""
    header, box, pairs = wholes(W, p.A_HEADER), wholes(W, p.A_BOX), wholes(W, p.A_PAIRS)
    result, out, sizes = reals(F, W, p.A_RESULT), reals(F, W, p.A_OUT), reals(F, W, p.A_SIZES)
    refs = wholes(W, p.A_REFS)
    header[0, p.BOXES] += 1
    pair = box[0, box.shape[1] - 2]
    a, b = pairs[pair, 0], pairs[pair, 1]
    _place(F, W)
    clearance, margin = result[0, p.CLEARANCE], sizes[a, p.MARGIN] + sizes[b, p.MARGIN]
    proved = _balls_apart(F, W, a, b) - margin
    if proved > clearance:
        result[0, p.SEPARATION] = min(result[0, p.SEPARATION], proved)
        return False
    tops, gains = reals(F, W, p.A_TOPS), reals(F, W, p.A_GAINS)
    for i in range(tops.shape[1]):
        tops[0, i] = gains[0, i] = gains[1, i] = 0.0
    length_a, bend_a = near_reaches(F, W, a)
    length_b, bend_b = near_reaches(F, W, b)
    length, bend = length_a + length_b, 0.5 * (bend_a + bend_b)
    # What is above a half space is so with its hull, and needs not be convex.
    meshed = (refs[a, KIND] == MESH or refs[b, KIND] == MESH) and refs[b, KIND] != HALFSPACE
    status = _measure(general, F, W, a, b)
    d = out[0, 0]
    if status == DONE and not d - out[0, SLACK] > clearance:
        _note(F, W, d)
        return True
    away = d - out[0, SLACK] - margin
    by_length = away - length
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
    proved = max(by_length, by_slope)
    if proved > clearance:
        result[0, p.SEPARATION] = min(result[0, p.SEPARATION], proved)
        return False
    _queue(F, W, d, by_slope > by_length)
    if status != DONE:
        return False
    if d < result[0, p.NEAREST]:
        _note(F, W, d)
    # From the nearest centres, and now and then from another one.
    boxes = header[0, p.BOXES]
    if d < result[0, p.NEAREST_CENTRE] or boxes & (boxes - 1) == 0:
        result[0, p.NEAREST_CENTRE] = min(result[0, p.NEAREST_CENTRE], d)
        return _descend(general, F, W, a, b, clearance)
    return False


@kernel
def _place(F, W):
    """Centre and half widths of the present box, and all frames at its centre.

    A number ``k = 2^l + i`` is interval ``i`` of ``2^l``; ``k + 1/2 = m 2^(l+1)`` with ``m`` from
    1/2 to 1 has its centre at the fraction ``2 m - 1`` of the range, exactly."""
    box, joints = wholes(W, p.A_BOX), reals(F, W, p.A_JOINTS)
    for i in range(joints.shape[1]):
        m, e = math.frexp(box[0, i] + 0.5)
        joints[p.Q, i] = joints[p.LOWER, i] + joints[p.WIDTH, i] * (2.0 * m - 1.0)
        joints[p.HALF, i] = math.ldexp(joints[p.WIDTH, i], -e) + joints[p.PAD, i]
    tree, linkage, paces = reals(F, W, p.A_TREE), wholes(W, p.A_LINKAGE), reals(F, W, p.A_PACES)
    for f in range(1, tree.shape[0]):
        paces[0, f] = abs(tree[f, MULTIPLIER]) * joints[p.HALF, linkage[f, INDEX]]
    _place_frames(F, W)


@kernel
def _place_frames(F, W):
    q, poses = reals(F, W, p.A_JOINTS)[p.Q], reals(F, W, p.A_POSES)
    place_frames(
        reals(F, W, p.A_TREE), wholes(W, p.A_LINKAGE), q, q, 0, reals(F, W, p.A_TURNS),
        poses, poses, 0, False,
    )  # fmt: skip


@kernel
def _balls_apart(F, W, a, b):
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
def _measure(general, F, W, a, b):
    """Row 0 of A_OUT: the distance of two parts where the frames are; DONE, or why not."""
    _place_part(F, W, a)
    _place_part(F, W, b)
    rows, refs, points = reals(F, W, p.A_ROWS), wholes(W, p.A_REFS), reals(F, W, p.A_POINTS)
    out = reals(F, W, p.A_OUT)
    if closed_form(rows, refs, a, points, rows, refs, b, points, out, 0):
        return DONE
    faces, solids, ints = wholes(W, p.A_FACES), reals(F, W, p.A_SOLIDS), wholes(W, p.A_INTS)
    work, iwork = reals(F, W, p.A_WORK), wholes(W, p.A_IWORK)
    return general_pair(
        general, rows, refs, a, points, faces, solids, ints.reshape(ints.size),
        rows, refs, b, points, faces, solids, ints.reshape(ints.size),
        work.reshape(work.size), iwork.reshape(iwork.size), out, 0,
    )  # fmt: skip


@kernel
def _place_part(F, W, i):
    local, rows, poses = reals(F, W, p.A_LOCAL), reals(F, W, p.A_ROWS), reals(F, W, p.A_POSES)
    f = wholes(W, p.A_PARTS)[i, p.FRAME]
    for r in range(0, 12, 4):
        a, b, c = poses[f, r], poses[f, r + 1], poses[f, r + 2]
        rows[i, r] = a * local[i, 0] + b * local[i, 4] + c * local[i, 8]
        rows[i, r + 1] = a * local[i, 1] + b * local[i, 5] + c * local[i, 9]
        rows[i, r + 2] = a * local[i, 2] + b * local[i, 6] + c * local[i, 10]
        rows[i, r + 3] = poses[f, r + 3] + (a * local[i, 3] + b * local[i, 7] + c * local[i, 11])


@kernel
def _queue(F, W, key, sloped):
    """Queue the present box, with the joint whose halving gains the better bound most."""
    box, joints = wholes(W, p.A_BOX), reals(F, W, p.A_JOINTS)
    tops, gains = reals(F, W, p.A_TOPS), reals(F, W, p.A_GAINS)
    best, most = 0, -1.0
    for i in range(joints.shape[1]):
        gain = gains[0, i]
        if sloped:
            gain = gains[1, i] + 0.5 * joints[p.HALF, i] * tops[0, i]
        if gain > most:
            best, most = i, gain
    box[0, joints.shape[1] + 1] = best
    push_box(F, W, key)


@kernel
def _note(F, W, d):
    """The present configuration is the nearest one."""
    q, nearest = reals(F, W, p.A_JOINTS), reals(F, W, p.A_NEAREST)
    reals(F, W, p.A_RESULT)[0, p.NEAREST] = d
    for i in range(q.shape[1]):
        nearest[0, i] = q[p.Q, i]


@kernel
def _descend(general, F, W, a, b, clearance):
    """Follow the distance of two parts downhill from the present configuration, within the limits:
    a contact in a corner is at the centre of no box. Each step goes as far as would close the gap
    if the distance went on to shrink as it does here, but no joint farther than ``stride``; one
    that leads nowhere is taken back and tried shorter. The poses and A_OUT are those of the start,
    and lost. Whether it ended no farther apart than the clearance."""
    joints, tops, start = reals(F, W, p.A_JOINTS), reals(F, W, p.A_TOPS), reals(F, W, p.A_START)
    out, count = reals(F, W, p.A_OUT), joints.shape[1]
    d, stride, fresh = out[0, 0], DESCENT_STRIDE, True
    for _ in range(DESCENT_STEPS):
        if fresh:
            _take_gradient(F, W, a, b)
            for i in range(count):
                start[0, i] = joints[p.Q, i]
        steep, most = 0.0, 0.0
        for i in range(count):
            q, slope = start[0, i], tops[0, i]
            if q > joints[p.LOWER, i] if slope > 0.0 else q < joints[p.UPPER, i]:
                steep += slope * slope
                most = max(most, abs(slope))
        if not steep > 0.0:
            return False
        way = min(DESCENT_OVERSHOOT * (d - clearance) / steep, stride / most)
        for i in range(count):
            q = start[0, i] - way * tops[0, i]
            joints[p.Q, i] = min(max(q, joints[p.LOWER, i]), joints[p.UPPER, i])
        _place_frames(F, W)
        if _measure(general, F, W, a, b) != DONE:
            return False
        fresh = out[0, 0] < d
        if not fresh:
            stride = 0.25 * min(stride, way * most)
            continue
        d = out[0, 0]
        if d < reals(F, W, p.A_RESULT)[0, p.NEAREST]:
            _note(F, W, d)
        if not d - out[0, SLACK] > clearance:
            return True
    return False


@kernel
def _take_gradient(F, W, a, b):
    """A_TOPS: how the distance grows with each entry of ``q``, from the witness points in A_OUT."""
    tops, out = reals(F, W, p.A_TOPS), reals(F, W, p.A_OUT)
    for i in range(tops.shape[1]):
        tops[0, i] = 0.0
    _add_nearing(F, W, a, 1.0, out[0, 1], out[0, 2], out[0, 3])
    _add_nearing(F, W, b, -1.0, out[0, 4], out[0, 5], out[0, 6])


@kernel
def _add_nearing(F, W, part, sign, x, y, z):
    """Add to A_TOPS how fast the distance grows with each entry of ``q``, by what moves the point
    (x, y, z) of one part."""
    parts, chain, linkage = wholes(W, p.A_PARTS), wholes(W, p.A_CHAIN), wholes(W, p.A_LINKAGE)
    poses, tree = reals(F, W, p.A_POSES), reals(F, W, p.A_TREE)
    tops, out = reals(F, W, p.A_TOPS), reals(F, W, p.A_OUT)
    nx, ny, nz = out[0, 7], out[0, 8], out[0, 9]
    first = parts[part, p.CHAIN0]
    for k in range(first, first + parts[part, p.JOINTS]):
        j = chain[k, 0]
        ax, ay, az = poses[j, 2], poses[j, 6], poses[j, 10]
        vx, vy, vz = ax, ay, az
        if chain[k, 1] == REVOLUTE:
            dx, dy, dz = x - poses[j, 3], y - poses[j, 7], z - poses[j, 11]
            vx, vy, vz = ay * dz - az * dy, az * dx - ax * dz, ax * dy - ay * dx
        slope = nx * vx + ny * vy + nz * vz
        tops[0, linkage[j, INDEX]] += sign * tree[j, MULTIPLIER] * slope
