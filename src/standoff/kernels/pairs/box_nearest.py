"""The nearest points of two boxes that do not overlap.

Names as in `box_axes`. A point ``y`` of the second box, in its own frame, stands for the pair: the
nearest point of the first box to it is known in closed form. So the squared distance is a convex
function of ``y`` over a box, quadratic wherever the nearest point stays on one feature.
"""

from __future__ import annotations

from standoff.constants import BOX_WALK_STEPS
from standoff.kernels.jit import kernel
from standoff.kernels.pairs.rows import clamp
from standoff.kernels.pairs.segment_box import nearest_parameter


@kernel
def place(y, c, u, v, w):
    """The point ``y`` of the second box in the first one's frame."""
    return (
        c[0] + y[0] * u[0] + y[1] * v[0] + y[2] * w[0],
        c[1] + y[0] * u[1] + y[1] * v[1] + y[2] * w[1],
        c[2] + y[0] * u[2] + y[1] * v[2] + y[2] * w[2],
    )


@kernel
def beyond(p, a):
    """How far ``p`` lies beyond the first box, along each axis; 0 between the faces."""
    return p[0] - clamp(p[0], a[0]), p[1] - clamp(p[1], a[1]), p[2] - clamp(p[2], a[2])


@kernel
def nearest_to(p, c, u, v, w, b):
    """The point ``y`` of the second box nearest to ``p``."""
    dx, dy, dz = p[0] - c[0], p[1] - c[1], p[2] - c[2]
    return (
        clamp(dx * u[0] + dy * u[1] + dz * u[2], b[0]),
        clamp(dx * v[0] + dy * v[1] + dz * v[2], b[1]),
        clamp(dx * w[0] + dy * w[1] + dz * w[2], b[2]),
    )


@kernel
def best_along(e, u, y, half):
    """The best value of one coordinate of ``y``, along axis ``u``, while the first box's feature
    stays the same, and the square of how far that moves the point against the feature. The
    distance shrinks by no more than that."""
    slope = e[0] * u[0] + e[1] * u[1] + e[2] * u[2]
    bend = 0.0
    if e[0] != 0.0:
        bend += u[0] * u[0]
    if e[1] != 0.0:
        bend += u[1] * u[1]
    if e[2] != 0.0:
        bend += u[2] * u[2]
    if bend == 0.0:
        return y, 0.0
    target = clamp(y - slope / bend, half)
    return target, bend * (target - y) * (target - y)


@kernel
def walk(y, c, u, v, w, a, b, noise):
    """From ``y`` to a point that is no farther, and the nearest one as a rule: from feature to
    feature, along one axis of the second box at a time. Most pairs need one or two steps. Where it
    zigzags it does not arrive: whoever calls this checks the result."""
    p = place(y, c, u, v, w)
    e = beyond(p, a)
    for _ in range(BOX_WALK_STEPS):
        corner = e[0] != 0.0 and e[1] != 0.0 and e[2] != 0.0
        axis = 0
        if corner:
            # The first box shows a corner, and the nearest point to it is known.
            z = nearest_to((p[0] - e[0], p[1] - e[1], p[2] - e[2]), c, u, v, w, b)
            dx, dy, dz = z[0] - y[0], z[1] - y[1], z[2] - y[2]
            moved = dx * dx + dy * dy + dz * dz
        else:
            yx, moved = best_along(e, u, y[0], b[0])
            yy, moved_y = best_along(e, v, y[1], b[1])
            yz, moved_z = best_along(e, w, y[2], b[2])
            z = (yx, y[1], y[2])
            if moved_y > moved:
                moved, axis = moved_y, 1
                z = (y[0], yy, y[2])
            if moved_z > moved:
                moved, axis = moved_z, 2
                z = (y[0], y[1], yz)
        # Along an edge that is parallel but for rounding, such a step could lead anywhere.
        if moved <= noise * noise:
            break
        square = e[0] * e[0] + e[1] * e[1] + e[2] * e[2]
        p = place(z, c, u, v, w)
        e = beyond(p, a)
        if farther(e, square, noise) and not corner:
            # Past a change of the feature the distance grew again: look along the whole edge.
            z = best_on_edge(axis, y, c, u, v, w, a, b, noise)
            p = place(z, c, u, v, w)
            e = beyond(p, a)
        if farther(e, square, noise):
            break
        y = z
    return y


@kernel
def farther(e, square, noise):
    """Whether ``e`` is longer than the root of ``square`` by more than ``noise``. A step that is
    right may well seem to add a rounding: what it improves is the normal."""
    more = e[0] * e[0] + e[1] * e[1] + e[2] * e[2] - square
    return more > 0.0 and more * more > 4.0 * noise * noise * square


@kernel
def best_on_edge(axis, y, c, u, v, w, a, b, noise):
    """The best point on the line through ``y`` along an axis of the second box."""
    if axis == 0:
        d, half, y = u, b[0], (0.0, y[1], y[2])
    elif axis == 1:
        d, half, y = v, b[1], (y[0], 0.0, y[2])
    else:
        d, half, y = w, b[2], (y[0], y[1], 0.0)
    p = place(y, c, u, v, w)
    s = nearest_parameter(p[0], p[1], p[2], d[0], d[1], d[2], half, a[0], a[1], a[2], noise)
    if axis == 0:
        return s, y[1], y[2]
    if axis == 1:
        return y[0], s, y[2]
    return y[0], y[1], s


@kernel
def exhaust(c, u, v, w, a, b, noise):
    """The nearest point by trying every pair of features: always right, and slow.

    If the second box shows a corner or an edge, the point lies on one of its twelve edges, and
    each is compared with the whole first box; if it shows the inside of a face, the first box
    shows a corner, and each corner is compared with the whole second box.
    """
    best = (0.0, 0.0, 0.0)
    least = -1.0
    for corner in range(8):
        sx = 1.0 if corner & 1 else -1.0
        sy = 1.0 if corner & 2 else -1.0
        sz = 1.0 if corner & 4 else -1.0
        y = nearest_to((sx * a[0], sy * a[1], sz * a[2]), c, u, v, w, b)
        best, least = better(y, best, least, c, u, v, w, a)
        y = (sx * b[0], sy * b[1], sz * b[2])
        for axis in range(3):
            if corner & (1 << axis) == 0:
                z = best_on_edge(axis, y, c, u, v, w, a, b, noise)
                best, least = better(z, best, least, c, u, v, w, a)
    return best


@kernel
def better(y, best, least, c, u, v, w, a):
    """The nearer of two points, with its squared distance; ``least`` < 0: there is no other."""
    e = beyond(place(y, c, u, v, w), a)
    square = e[0] * e[0] + e[1] * e[1] + e[2] * e[2]
    if least < 0.0 or square < least:
        return y, square
    return best, least
