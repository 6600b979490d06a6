"""Can two bodies touch while their joints stay within limits? Branch and bound over boxes of joint
values: a box is done with when the bounds of `apart_bounds` keep the parts apart on all of it, and
halved otherwise, along the joint that promises most.

`search_apart` looks for an answer: the box whose centre has the parts nearest is next, so that a
configuration where they touch is found early, and from some centres it goes downhill (`descend`).
The open boxes are a binary heap of nodes, the nearest first. The heap is a permutation of all rows
of nodes: those before ``queued`` are in use, and a row that is taken off goes to the end of them
and is the next one to be used.

`map_apart` looks for a map: each joint's range is cut into ``2^levels`` equal intervals, boxes are
halved down to cells of these, and all that could not be proved is marked. To mark too much does no
harm.
"""

from __future__ import annotations

import math

from standoff.compiled.jit import entry, kernel
from standoff.geometry.narrowphase.dispatch import DONE
from standoff.geometry.narrowphase.layout import SLACK
from standoff.paths.kernels import apart_tables as p
from standoff.paths.kernels.apart_bounds import (
    measure,
    place_box,
    place_joints,
    proved_gap,
    widest_joint,
)
from standoff.paths.kernels.heap import sift
from standoff.paths.kernels.path_tables import DISTANCE, NORMAL, POINT_A, POINT_B
from standoff.robots.kernels.kinematics import INDEX, MULTIPLIER, REVOLUTE

#: Steps downhill from a configuration in search of a contact, [-]; most end after five. How far no
#: joint goes in one, [rad] or [m]: beyond it a slope says little. And how much farther than to the
#: contact a step aims, [-], so that it ends behind it and not just before.
DESCENT_STEPS = 24
DESCENT_STRIDE = 0.5
DESCENT_OVERSHOOT = 1.1


@entry("int64(int64)")
def search_apart(tables):
    """Go on until all boxes are APART, a configuration is TOUCHING, the budget is SPENT, the nodes
    are FULL (none is lost: it goes on once there is more room) or it is STUCK."""
    proof = p.apart_at(tables)
    header, intervals = proof.header, proof.intervals
    while header.started < len(proof.pairs):
        if header.boxes >= header.budget:
            return p.SPENT
        if header.queued >= len(proof.nodes):
            return p.FULL
        for i in range(len(intervals)):
            intervals[i] = 1
        header.pair = header.started
        header.started += 1
        if _look(proof):
            return p.TOUCHING
    while header.queued > 0:
        if header.boxes + 2 > header.budget:
            return p.SPENT
        if header.queued >= len(proof.nodes):
            return p.FULL
        pop_box(proof)
        i = header.halved
        if i < 0:
            push_box(proof, -math.inf)
            return p.STUCK
        whole = intervals[i]
        for half in range(2):
            intervals[i] = 2 * whole + half
            if _look(proof):
                return p.TOUCHING
    return p.APART


@kernel
def _look(proof):
    """Look at the present box: prove it apart, or queue it. Whether a configuration was found that
    is not farther apart than the clearance."""
    header, out = proof.header, proof.answer
    header.boxes += 1
    pair = proof.pairs[header.pair]
    place_box(proof)
    proved, status = proved_gap(proof, pair.a, pair.b)
    if proved > header.clearance:
        header.separation = min(header.separation, proved)
        return False
    d = out[0, DISTANCE]
    if status == DONE and not d - out[0, SLACK] > header.clearance:
        note_nearest(proof, d)
        return True
    header.halved = widest_joint(proof, p.SMALLEST_BOX)
    push_box(proof, d)
    if status != DONE:
        return False
    if d < header.nearest:
        note_nearest(proof, d)
    # From the nearest centres, and now and then from another one.
    boxes = header.boxes
    if d < header.nearest_centre or boxes & (boxes - 1) == 0:
        header.nearest_centre = min(header.nearest_centre, d)
        return descend(proof, pair.a, pair.b)
    return False


@kernel
def note_nearest(proof, d):
    """The present configuration is the nearest one."""
    proof.header.nearest = d
    for i in range(len(proof.joints)):
        proof.joints[i].nearest = proof.q[i]


@kernel
def descend(proof, a, b):
    """Follow the distance of two parts downhill from the present configuration, within the limits:
    a contact in a corner is at the centre of no box. Each step goes as far as would close the gap
    if the distance went on to shrink as it does here, but no joint farther than ``stride``; one
    that leads nowhere is taken back and tried shorter. The poses and the answer are those of the
    start, and lost. Whether it ended no farther apart than the clearance."""
    joints, q, out, clearance = proof.joints, proof.q, proof.answer, proof.header.clearance
    d, stride, fresh = out[0, DISTANCE], DESCENT_STRIDE, True
    for _ in range(DESCENT_STEPS):
        if fresh:
            _take_gradient(proof, a, b)
            for i in range(len(joints)):
                joints[i].start = q[i]
        steep, most = 0.0, 0.0
        for i in range(len(joints)):
            joint = joints[i]
            slope, start = joint.slope, joint.start
            if start > joint.lower if slope > 0.0 else start < joint.upper:
                steep += slope * slope
                most = max(most, abs(slope))
        if not steep > 0.0:
            return False
        way = min(DESCENT_OVERSHOOT * (d - clearance) / steep, stride / most)
        for i in range(len(joints)):
            joint = joints[i]
            q[i] = min(max(joint.start - way * joint.slope, joint.lower), joint.upper)
        place_joints(proof)
        if measure(proof, a, b) != DONE:
            return False
        fresh = out[0, DISTANCE] < d
        if not fresh:
            stride = 0.25 * min(stride, way * most)
            continue
        d = out[0, DISTANCE]
        if d < proof.header.nearest:
            note_nearest(proof, d)
        if not d - out[0, SLACK] > clearance:
            return True
    return False


@kernel
def _take_gradient(proof, a, b):
    """How the distance grows with each joint, from the witness points of the answer."""
    for i in range(len(proof.joints)):
        proof.joints[i].slope = 0.0
    _add_nearing(proof, a, 1.0, POINT_A)
    _add_nearing(proof, b, -1.0, POINT_B)


@kernel
def _add_nearing(proof, part, sign, point):
    """Add to the joints' slopes how fast the distance grows by what moves the witness of one part,
    which the answer has from column ``point`` on."""
    own, links, poses, out = proof.parts[part], proof.links, proof.poses, proof.answer
    x, y, z = out[0, point], out[0, point + 1], out[0, point + 2]
    nx, ny, nz = out[0, NORMAL], out[0, NORMAL + 1], out[0, NORMAL + 2]
    for k in range(own.first_link, own.first_link + own.links):
        j = links[k].frame
        ax, ay, az = poses[j, 2], poses[j, 6], poses[j, 10]
        vx, vy, vz = ax, ay, az
        if links[k].kind == REVOLUTE:
            dx, dy, dz = x - poses[j, 3], y - poses[j, 7], z - poses[j, 11]
            vx, vy, vz = ay * dz - az * dy, az * dx - ax * dz, ax * dy - ay * dx
        slope = nx * vx + ny * vy + nz * vz
        proof.joints[proof.linkage[j, INDEX]].slope += sign * proof.tree[j, MULTIPLIER] * slope


@kernel
def push_box(proof, key):
    """The present box as a node. The caller has made sure of an unused row."""
    header, heap, nodes, own = proof.header, proof.heap, proof.nodes, proof.node_intervals
    at = header.queued
    header.queued = at + 1
    row = heap[at]
    for k in range(own.shape[1]):
        own[row, k] = proof.intervals[k]
    nodes[row].key, nodes[row].pair, nodes[row].halved = key, header.pair, header.halved
    sift(heap, at + 1, nodes, at, _nearer, proof)


@kernel
def pop_box(proof):
    """Take the nearest node off; it becomes the present box."""
    header, heap, nodes, own = proof.header, proof.heap, proof.nodes, proof.node_intervals
    row, count = heap[0], header.queued - 1
    for k in range(own.shape[1]):
        proof.intervals[k] = own[row, k]
    header.pair, header.halved = nodes[row].pair, nodes[row].halved
    header.queued = count
    heap[0], heap[count] = heap[count], row
    if count > 0:
        sift(heap, count, nodes, 0, _nearer, proof)


@kernel
def _nearer(proof, a, b):
    return proof.nodes[a].key < proof.nodes[b].key


@entry("void(int64, int64, int64, int64[::1])")
def map_apart(tables, levels, budget, cells):
    """Set ``cells``, the last joint's intervals next to each other, to 1 where the bodies were not
    proved farther apart than the clearance. After ``budget`` boxes what is left is marked as it
    is. The nodes are a stack: at most one more than there are halvings."""
    proof = p.apart_at(tables)
    intervals, stack = proof.intervals, proof.node_intervals
    joints, looked = len(intervals), 0
    for pair in range(len(proof.pairs)):
        for i in range(joints):
            stack[0, i] = 1
        waiting = 1
        while waiting > 0:
            waiting -= 1
            for i in range(joints):
                intervals[i] = stack[waiting, i]
            looked += 1
            i = open_joint(proof, proof.pairs[pair].a, proof.pairs[pair].b, 1 << levels)
            if i == PROVED:
                continue
            if i == CELL or looked > budget or waiting + 2 > len(stack):
                mark(intervals, levels, cells)
                continue
            for half in range(2):
                for k in range(joints):
                    stack[waiting, k] = intervals[k]
                stack[waiting, i] = 2 * intervals[i] + half
                waiting += 1


#: What `open_joint` says beside a joint.
CELL = -1
PROVED = -2


@kernel
def open_joint(proof, a, b, smallest):
    """The joint along which the present box is to be halved; PROVED; or CELL where it is not worth
    halving: a cell, or parts that are too close all over it."""
    place_box(proof)
    header = proof.header
    proved, status = proved_gap(proof, a, b)
    if proved > header.clearance:
        return PROVED
    if status == DONE and proof.answer[0, DISTANCE] + header.length < header.clearance:
        return CELL
    return widest_joint(proof, smallest)


@kernel
def mark(intervals, levels, cells):
    """Set all cells of the present box."""
    joints = len(intervals)
    first, count = 0, 1
    for i in range(joints):
        first = (first << levels) + finest(intervals[i], levels)
        count <<= levels - level(intervals[i])
    for n in range(count):
        rest, at = n, first
        shift = 0
        for i in range(joints - 1, -1, -1):
            free = levels - level(intervals[i])
            at += (rest & ((1 << free) - 1)) << shift
            rest >>= free
            shift += levels
        cells[at] = 1


@kernel
def level(number):
    """How often a range was halved for the interval of this number."""
    result = 0
    while number > 1:
        number >>= 1
        result += 1
    return result


@kernel
def finest(number, levels):
    """The first of the finest intervals within the one of this number."""
    return (number << (levels - level(number))) - (1 << levels)
