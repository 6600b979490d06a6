"""A bound for what is no swept sphere: for boxes, cylinders and polyhedra, by support functions."""

from __future__ import annotations

import math

from standoff.kernels.jit import kernel
from standoff.kernels.layout import BOX, CYLINDER, KIND, POINT0, POINTS
from standoff.kernels.pairs.mesh_work import EXTENT
from standoff.kernels.rss import CENTRE, HALF_U, HALF_V, RADIUS
from standoff.kernels.segments import clamp
from standoff.kernels.vectors import dot, load, minus, plus, point, unplace

#: Directions tried. The first is from centre to centre; three more are worth what they cost.
_DIRECTIONS = 4


@kernel
def support_bound(X, x, RB, j, PB, rel, enough, work):
    """A lower bound on the distance of node ``x`` and body ``j``, whose box is in EXTENT and which
    stands at ``rel`` in the node's frame; one above ``enough`` ends the search for a better.

    y is a point of the body, z the nearest to it of the node's rectangle with centre c and half
    lengths h and g, n = y - z. With p the point of the body that is lowest along n,

        |n| d  >=  n.(p - c) - h |n.u| - g |n.v| - |n| radius    for any n:

    the rectangle's reach is not taken from z, as n is mostly rounding where y and z nearly touch.
    The next y is the nearest to z between y and p (Frank and Wolfe).
    """
    c0, c1, c2 = unplace(rel, X[x, CENTRE], X[x, CENTRE + 1], X[x, CENTRE + 2])
    u0, u1, u2 = _unturned(rel, X[x, 0], X[x, 1], X[x, 2])
    v0, v1, v2 = _unturned(rel, X[x, 3], X[x, 4], X[x, 5])
    y0, y1, y2 = load(work, EXTENT + 3)
    best = -math.inf
    for _ in range(_DIRECTIONS):
        d0, d1, d2 = minus(y0, y1, y2, c0, c1, c2)
        s = clamp(dot(d0, d1, d2, u0, u1, u2), -X[x, HALF_U], X[x, HALF_U])
        t = clamp(dot(d0, d1, d2, v0, v1, v2), -X[x, HALF_V], X[x, HALF_V])
        z0, z1, z2 = plus(c0, c1, c2, s, u0, u1, u2)
        z0, z1, z2 = plus(z0, z1, z2, t, v0, v1, v2)
        n0, n1, n2 = minus(y0, y1, y2, z0, z1, z2)
        length = math.sqrt(dot(n0, n1, n2, n0, n1, n2))
        if length == 0.0:
            break
        p0, p1, p2 = _lowest(RB, j, PB, n0, n1, n2, work)
        reach = X[x, HALF_U] * abs(dot(n0, n1, n2, u0, u1, u2))
        reach += X[x, HALF_V] * abs(dot(n0, n1, n2, v0, v1, v2))
        gap = dot(n0, n1, n2, p0 - c0, p1 - c1, p2 - c2) - reach
        best = max(best, gap / length - X[x, RADIUS])
        if best > enough:
            break
        e0, e1, e2 = minus(p0, p1, p2, y0, y1, y2)
        square = dot(e0, e1, e2, e0, e1, e2)
        if square == 0.0:
            break
        y0, y1, y2 = plus(
            y0, y1, y2, clamp(-dot(n0, n1, n2, e0, e1, e2) / square, 0.0, 1.0), e0, e1, e2
        )
    return best


@kernel
def _unturned(rel, x0, x1, x2):
    """R' x."""
    return (
        rel[0] * x0 + rel[3] * x1 + rel[6] * x2,
        rel[1] * x0 + rel[4] * x1 + rel[7] * x2,
        rel[2] * x0 + rel[5] * x1 + rel[8] * x2,
    )


@kernel
def _lowest(RB, j, PB, n0, n1, n2, work):
    """A point of body ``j`` that is lowest along n."""
    p0, p1, p2 = load(work, EXTENT)
    if RB[j, KIND] == BOX:
        return math.copysign(p0, -n0), math.copysign(p1, -n1), math.copysign(p2, -n2)
    if RB[j, KIND] == CYLINDER:
        across = math.hypot(n0, n1)
        if across > 0.0:
            return -p0 * n0 / across, -p0 * n1 / across, math.copysign(p2, -n2)
        return 0.0, 0.0, math.copysign(p2, -n2)
    low = math.inf
    for p in range(RB[j, POINT0], RB[j, POINT0] + RB[j, POINTS]):
        q0, q1, q2 = point(PB, p)
        height = dot(n0, n1, n2, q0, q1, q2)
        if height < low:
            low = height
            p0, p1, p2 = q0, q1, q2
    return p0, p1, p2
