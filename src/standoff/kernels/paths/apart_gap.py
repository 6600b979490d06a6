"""What keeps two parts apart on a box of joint values, and how the box is best halved."""

from __future__ import annotations

import math

from standoff.kernels.arena import reals, wholes
from standoff.kernels.jit import kernel
from standoff.kernels.layout import FLAGS, HALFSPACE, KIND, MESH, OPEN_SOLID, SLACK
from standoff.kernels.pairs.dispatch import DONE
from standoff.kernels.paths import apart_layout as p
from standoff.kernels.paths.apart_bounds import (
    least_along,
    near_reaches,
    swept_ball,
    take_slopes,
)
from standoff.kernels.paths.apart_place import measure


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
