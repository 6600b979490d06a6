"""Box against box, in the first box's frame."""

from __future__ import annotations

import math

from standoff.constants import CERTIFICATE_UNITS, CLOSE_FRACTION, EPS, TOUCHING_UNITS
from standoff.kernels.jit import kernel
from standoff.kernels.layout import SIZE
from standoff.kernels.pairs.box_axes import best_edge, best_face, face_normal
from standoff.kernels.pairs.box_nearest import beyond, exhaust, nearest_to, place, walk
from standoff.kernels.vec import rotate, rounding, unrotate, write_round


@kernel
def box_box(A, i, B, j, out, k):
    """Overlap and depth by the fifteen separating axes; the distance of separated boxes by their
    nearest features, checked: the points bound it from above, and the gap between the boxes along
    the normal from below."""
    c = unrotate(A, i, B[j, 3] - A[i, 3], B[j, 7] - A[i, 7], B[j, 11] - A[i, 11])
    u = unrotate(A, i, B[j, 0], B[j, 4], B[j, 8])
    v = unrotate(A, i, B[j, 1], B[j, 5], B[j, 9])
    w = unrotate(A, i, B[j, 2], B[j, 6], B[j, 10])
    a = (A[i, SIZE], A[i, SIZE + 1], A[i, SIZE + 2])
    b = (B[j, SIZE], B[j, SIZE + 1], B[j, SIZE + 2])
    size = a[0] + a[1] + a[2] + b[0] + b[1] + b[2]
    unit = EPS * (size + abs(c[0]) + abs(c[1]) + abs(c[2]))
    noise = TOUCHING_UNITS * unit
    blur = 0.125 * noise
    slack = rounding(A, i, B, j, size)
    value, face = best_face(c, u, v, w, a, b)
    n = face_normal(face, c, u, v, w)
    if value <= noise:
        edge, nx, ny, nz = best_edge(c, u, v, w, a, b)
        # Where they tie, a face is the better normal, and its depth errs to the safe side.
        if edge > value + noise:
            value, n, face = edge, (nx, ny, nz), 0
    if value > noise:
        y = start(face, n, c, u, v, w, a, b)
        y = walk(y, c, u, v, w, a, b, blur)
        value, n = distance_and_normal(y, c, u, v, w, a, b)
        doubt = value - support_gap(n, c, u, v, w, a, b)
        if not doubt <= CERTIFICATE_UNITS * unit:
            y = exhaust(c, u, v, w, a, b, blur)
            value, n = distance_and_normal(y, c, u, v, w, a, b)
            doubt = value - support_gap(n, c, u, v, w, a, b)
        slack += max(doubt, 0.0)
        p = place(y, c, u, v, w)
    else:
        # Moved apart by the depth, the boxes touch, and only there.
        c = (c[0] + value * n[0], c[1] + value * n[1], c[2] + value * n[2])
        y = start(face, n, c, u, v, w, a, b)
        y = walk(y, c, u, v, w, a, b, blur)
        p = place(y, c, u, v, w)
        e = beyond(p, a)
        if e[0] * e[0] + e[1] * e[1] + e[2] * e[2] > noise * noise:
            y = exhaust(c, u, v, w, a, b, blur)
            p = place(y, c, u, v, w)
    e = beyond(p, a)
    ax, ay, az = rotate(A, i, p[0] - e[0], p[1] - e[1], p[2] - e[2])
    bx, by, bz = rotate(B, j, y[0], y[1], y[2])
    nx, ny, nz = rotate(A, i, n[0], n[1], n[2])
    write_round(A, i, B, j, out, k, ax, ay, az, 0.0, bx, by, bz, 0.0, value, nx, ny, nz, slack)


@kernel
def start(face, n, c, u, v, w, a, b):
    """The point of the second box to begin with: where the normal of a face of that box was the
    best, the point nearest to the first box's corner; otherwise the corner towards the first."""
    if face >= 3:
        corner = (
            math.copysign(a[0], -n[0]),
            math.copysign(a[1], -n[1]),
            math.copysign(a[2], -n[2]),
        )
        return nearest_to(corner, c, u, v, w, b)
    return (
        math.copysign(b[0], n[0] * u[0] + n[1] * u[1] + n[2] * u[2]),
        math.copysign(b[1], n[0] * v[0] + n[1] * v[1] + n[2] * v[2]),
        math.copysign(b[2], n[0] * w[0] + n[1] * w[1] + n[2] * w[2]),
    )


@kernel
def support_gap(n, c, u, v, w, a, b):
    """The gap between the boxes along the unit vector ``n``, a lower bound of their distance."""
    gap = -(n[0] * c[0] + n[1] * c[1] + n[2] * c[2])
    gap -= a[0] * abs(n[0]) + a[1] * abs(n[1]) + a[2] * abs(n[2])
    gap -= b[0] * abs(n[0] * u[0] + n[1] * u[1] + n[2] * u[2])
    gap -= b[1] * abs(n[0] * v[0] + n[1] * v[1] + n[2] * v[2])
    return gap - b[2] * abs(n[0] * w[0] + n[1] * w[1] + n[2] * w[2])


@kernel
def distance_and_normal(y, c, u, v, w, a, b):
    """Distance and unit normal, from the second box to the first, of the nearest points given
    by ``y``."""
    e = beyond(place(y, c, u, v, w), a)
    gap = math.sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2])
    if gap > CLOSE_FRACTION * (a[0] + a[1] + a[2] + b[0] + b[1] + b[2]):
        return gap, (-e[0] / gap, -e[1] / gap, -e[2] / gap)
    return gap, close_normal(e, y, u, v, w, b)


@kernel
def close_normal(e, y, u, v, w, b):
    """The unit normal of close boxes, from the features that face each other: the first box shows
    a face, an edge or a corner as one, two or three of ``e`` are not 0, the second one as two, one
    or none of ``y`` lie between the faces. ``e`` itself is not more than rounding off it."""
    ex, ey, ez = -e[0], -e[1], -e[2]
    shown = int(ex != 0.0) + int(ey != 0.0) + int(ez != 0.0)
    inner_u, inner_v, inner_w = abs(y[0]) < b[0], abs(y[1]) < b[1], abs(y[2]) < b[2]
    inner = int(inner_u) + int(inner_v) + int(inner_w)
    if inner == 1 and shown > 1:
        if inner_u:
            m = u
        elif inner_v:
            m = v
        else:
            m = w
        if shown == 3:
            along = ex * m[0] + ey * m[1] + ez * m[2]
            ex, ey, ez = ex - along * m[0], ey - along * m[1], ez - along * m[2]
        elif ex == 0.0:
            side = math.copysign(1.0, ey * m[2] - ez * m[1])
            ey, ez = side * m[2], -side * m[1]
        elif ey == 0.0:
            side = math.copysign(1.0, ex * m[2] - ez * m[0])
            ex, ez = side * m[2], -side * m[0]
        else:
            side = math.copysign(1.0, ex * m[1] - ey * m[0])
            ex, ey = side * m[1], -side * m[0]
    elif inner == 2 and shown > 1:
        if not inner_u:
            m = u
        elif not inner_v:
            m = v
        else:
            m = w
        side = math.copysign(1.0, ex * m[0] + ey * m[1] + ez * m[2])
        ex, ey, ez = side * m[0], side * m[1], side * m[2]
    length = math.sqrt(ex * ex + ey * ey + ez * ez)
    return ex / length, ey / length, ez / length
