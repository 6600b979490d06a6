"""Can two bodies touch while their joints stay within limits? Branch and bound over boxes of joint
values: a box is done with when the bounds of `apart_bounds` keep the parts apart on all of it, and
halved otherwise, along the joint that promises most; the box whose centre has the parts nearest is
next, so that a configuration where they touch is found early.

Downhill from one configuration, in search of one where two bodies touch.

The open boxes of a proof, the nearest first: a binary heap of rows of A_NODES.

A_HEAP is a permutation of all rows. Those before QUEUED are the heap, the others are unused: a row
that is taken off goes to the end of the heap, and is the next one to be used.
"""

from __future__ import annotations

import math

from standoff.compiled.arena import reals, wholes
from standoff.compiled.jit import entry, kernel
from standoff.geometry.narrowphase.dispatch import DONE
from standoff.geometry.narrowphase.layout import SLACK
from standoff.paths.kernels import apart_layout as p
from standoff.paths.kernels.apart_bounds import proved_gap, widest_joint
from standoff.paths.kernels.apart_place import measure, note_nearest, place_box, place_joints
from standoff.robots.kernels.kinematics import INDEX, MULTIPLIER, REVOLUTE

#: Steps downhill from a configuration in search of a contact, [-]; most end after five. How far no
#: joint goes in one, [rad] or [m]: beyond it a slope says little. And how much farther than to the
#: contact a step aims, [-], so that it ends behind it and not just before.
DESCENT_STEPS = 24
DESCENT_STRIDE = 0.5
DESCENT_OVERSHOOT = 1.1


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
    result, out = reals(F, W, p.A_RESULT), reals(F, W, p.A_OUT)
    header[0, p.BOXES] += 1
    pair = box[0, box.shape[1] - 2]
    a, b = pairs[pair, 0], pairs[pair, 1]
    place_box(F, W)
    clearance = result[0, p.CLEARANCE]
    proved, status, d, sloped, _ = proved_gap(general, F, W, a, b)
    if proved > clearance:
        result[0, p.SEPARATION] = min(result[0, p.SEPARATION], proved)
        return False
    if status == DONE and not d - out[0, SLACK] > clearance:
        note_nearest(F, W, d)
        return True
    box[0, box.shape[1] - 1] = widest_joint(F, W, sloped, p.SMALLEST_BOX)
    push_box(F, W, d)
    if status != DONE:
        return False
    if d < result[0, p.NEAREST]:
        note_nearest(F, W, d)
    # From the nearest centres, and now and then from another one.
    boxes = header[0, p.BOXES]
    if d < result[0, p.NEAREST_CENTRE] or boxes & (boxes - 1) == 0:
        result[0, p.NEAREST_CENTRE] = min(result[0, p.NEAREST_CENTRE], d)
        return descend(general, F, W, a, b, clearance)
    return False


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


@kernel
def push_box(F, W, key):
    """The present box as a node. The caller has made sure of an unused row."""
    header, heap, keys = wholes(W, p.A_HEADER), wholes(W, p.A_HEAP), reals(F, W, p.A_KEYS)
    nodes, box = wholes(W, p.A_NODES), wholes(W, p.A_BOX)
    at = header[0, p.QUEUED]
    header[0, p.QUEUED] = at + 1
    row = heap[at, 0]
    for k in range(box.shape[1]):
        nodes[row, k] = box[0, k]
    keys[row, 0] = key
    while at > 0:
        above = (at - 1) // 2
        if not key < keys[heap[above, 0], 0]:
            break
        heap[at, 0] = heap[above, 0]
        at = above
    heap[at, 0] = row


@kernel
def pop_box(F, W):
    """Take the nearest node off; it becomes the present box."""
    header, heap, keys = wholes(W, p.A_HEADER), wholes(W, p.A_HEAP), reals(F, W, p.A_KEYS)
    nodes, box = wholes(W, p.A_NODES), wholes(W, p.A_BOX)
    row, count = heap[0, 0], header[0, p.QUEUED] - 1
    for k in range(box.shape[1]):
        box[0, k] = nodes[row, k]
    header[0, p.QUEUED] = count
    last = heap[count, 0]
    heap[count, 0] = row
    at = 0
    while 2 * at + 1 < count:
        below = 2 * at + 1
        if below + 1 < count and keys[heap[below + 1, 0], 0] < keys[heap[below, 0], 0]:
            below += 1
        if not keys[heap[below, 0], 0] < keys[last, 0]:
            break
        heap[at, 0] = heap[below, 0]
        at = below
    if count > 0:
        heap[at, 0] = last
