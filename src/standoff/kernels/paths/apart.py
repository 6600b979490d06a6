"""Can two bodies touch while their joints stay within limits? Branch and bound over boxes of joint
values: a box is done with when the bounds of `apart_bounds` keep the parts apart on all of it, and
halved otherwise, along the joint that promises most; the box whose centre has the parts nearest is
next, so that a configuration where they touch is found early.
"""

from __future__ import annotations

import math

from standoff.kernels.arena import reals, wholes
from standoff.kernels.jit import entry, kernel
from standoff.kernels.layout import SLACK
from standoff.kernels.pairs.dispatch import DONE
from standoff.kernels.paths import apart_layout as p
from standoff.kernels.paths.apart_descent import descend
from standoff.kernels.paths.apart_gap import proved_gap, widest_joint
from standoff.kernels.paths.apart_heap import pop_box, push_box
from standoff.kernels.paths.apart_place import note_nearest, place_box


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
