"""Capsule against box: a segment with a radius against a box, in the box's frame."""

from __future__ import annotations

import math

from standoff.compiled.jit import kernel
from standoff.geometry.narrowphase.layout import SIZE
from standoff.geometry.narrowphase.rows import (
    clamp,
    rotate,
    rounding,
    surface_point,
    unrotate,
    write,
)
from standoff.geometry.narrowphase.segment_box import close_normal, nearest_parameter, separation
from standoff.geometry.narrowphase.vectors import dot, minus, plus
from standoff.tolerances import BLUR_UNITS, CLOSE_FRACTION, EPS, TOUCHING_UNITS


@kernel
def capsule_box(A, i, B, j, out, k):
    """Exact distance of axis and box less the radius; where the axis enters the box, the exact
    depth of the axis in the box and the radius together."""
    c = unrotate(B, j, A[i, 3] - B[j, 3], A[i, 7] - B[j, 7], A[i, 11] - B[j, 11])
    u = unrotate(B, j, A[i, 2], A[i, 6], A[i, 10])
    radius, reach = A[i, SIZE], A[i, SIZE + 1]
    h = B[j, SIZE], B[j, SIZE + 1], B[j, SIZE + 2]
    size = reach + h[0] + h[1] + h[2]
    unit = EPS * (size + abs(c[0]) + abs(c[1]) + abs(c[2]))
    noise, blur = TOUCHING_UNITS * unit, BLUR_UNITS * unit
    s = nearest_parameter(c, u, reach, h, blur)
    p = plus(*c, s, *u)
    b = within(p, h)
    q = minus(*p, *b)
    gap = math.sqrt(dot(*q, *q))
    if gap > CLOSE_FRACTION * size:
        n = (q[0] / gap, q[1] / gap, q[2] / gap)
    elif gap > noise:
        n = close_normal(q, u, s, reach, noise)
        gap = dot(*q, *n)
    else:
        gap, n = separation(c, u, reach, h, noise)
        # Moved out by the depth, the axis touches the box, and only where it leaves it.
        c = (c[0] - gap * n[0], c[1] - gap * n[1], c[2] - gap * n[2])
        s = nearest_parameter(c, u, reach, h, blur)
        b = within(plus(*c, s, *u), h)
    slack = rounding(A, i, B, j, radius + size)
    n = rotate(B, j, *n)
    a = surface_point(A, i, (s * A[i, 2], s * A[i, 6], s * A[i, 10]), radius, n)
    b = surface_point(B, j, rotate(B, j, *b), 0.0, n)
    write(out, k, gap - radius, a, b, n, slack)


@kernel
def within(p, h):
    """The point of a box of half extents ``h`` that is nearest to ``p``."""
    return clamp(p[0], h[0]), clamp(p[1], h[1]), clamp(p[2], h[2])
