"""Can two bodies touch while their joints stay within limits? Branch and bound over boxes of joint
values: a box is done with when the bounds of `apart_bounds` keep the parts apart on all of it, and
halved otherwise, along the joint that promises most; the box whose centre has the parts nearest is
next, so that a configuration where they touch is found early.
"""

from __future__ import annotations

import math

from standoff.kernels.arena import reals, wholes
from standoff.kernels.jit import entry, kernel
from standoff.kernels.layout import HALFSPACE, KIND, MESH, SLACK
from standoff.kernels.pairs.dispatch import DONE
from standoff.kernels.paths import apart_layout as p
from standoff.kernels.paths.apart_bounds import (
    least_along,
    near_reaches,
    swept_ball,
    take_slopes,
)
from standoff.kernels.paths.apart_descent import descend
from standoff.kernels.paths.apart_heap import pop_box, push_box
from standoff.kernels.paths.apart_place import measure, note_nearest, place_box


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
    place_box(F, W)
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
    status = measure(general, F, W, a, b)
    d = out[0, 0]
    if status == DONE and not d - out[0, SLACK] > clearance:
        note_nearest(F, W, d)
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
        note_nearest(F, W, d)
    # From the nearest centres, and now and then from another one.
    boxes = header[0, p.BOXES]
    if d < result[0, p.NEAREST_CENTRE] or boxes & (boxes - 1) == 0:
        result[0, p.NEAREST_CENTRE] = min(result[0, p.NEAREST_CENTRE], d)
        return descend(general, F, W, a, b, clearance)
    return False


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
