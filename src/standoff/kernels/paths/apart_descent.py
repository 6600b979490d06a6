"""Downhill from one configuration, in search of one where two bodies touch."""

from __future__ import annotations

from standoff.constants import DESCENT_OVERSHOOT, DESCENT_STEPS, DESCENT_STRIDE
from standoff.kernels.arena import reals, wholes
from standoff.kernels.jit import kernel
from standoff.kernels.kinematics import INDEX, MULTIPLIER, REVOLUTE
from standoff.kernels.layout import SLACK
from standoff.kernels.pairs.dispatch import DONE
from standoff.kernels.paths import apart_layout as p
from standoff.kernels.paths.apart_place import measure, note_nearest, place_joints


@kernel
def descend(general, F, W, a, b, clearance):
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
        place_joints(F, W)
        if measure(general, F, W, a, b) != DONE:
            return False
        fresh = out[0, 0] < d
        if not fresh:
            stride = 0.25 * min(stride, way * most)
            continue
        d = out[0, 0]
        if d < reals(F, W, p.A_RESULT)[0, p.NEAREST]:
            note_nearest(F, W, d)
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
