"""How far two convex polygons are apart: a proved lower bound."""

from __future__ import annotations

import math

from standoff.constants import POLYGON_STEPS, POLYGON_TOLERANCE
from standoff.kernels.jit import kernel


@kernel
def polygon_gap(A, a0, an, B, b0, bn, vx, vy, enough):
    """A lower bound on the distance of the convex hulls of ``an`` corners of ``A`` from ``a0`` on
    and ``bn`` of ``B`` from ``b0`` on: their distance but for rounding where it is above
    ``enough`` = inf, else the first bound found above ``enough``, or any number up to it.

    Gilbert, Johnson and Keerthi's search in the plane, from the direction (vx, vy) on. Whatever
    direction v it arrives at, all of A lies beyond ``min v·a`` and all of B before ``max v·b``, so

        distance  >=  (min v·a - max v·b) / |v|

    is all that is ever claimed; how v was found does not matter. Each step looks at every corner
    once, and there are at most POLYGON_STEPS, so this takes O(an + bn)."""
    best = -math.inf
    held = 0  # points of the difference A - B: none, one, or two that an edge joins
    px = py = qx = qy = 0.0
    for _ in range(POLYGON_STEPS):
        length = math.sqrt(vx * vx + vy * vy)
        if not length > 0.0:
            return best
        ux, uy = vx / length, vy / length
        least, most = math.inf, -math.inf
        ax = ay = bx = by = 0.0
        for c in range(a0, a0 + an):
            along = ux * A[c, 0] + uy * A[c, 1]
            if along < least:
                least, ax, ay = along, A[c, 0], A[c, 1]
        for c in range(b0, b0 + bn):
            along = ux * B[c, 0] + uy * B[c, 1]
            if along > most:
                most, bx, by = along, B[c, 0], B[c, 1]
        best = max(best, least - most)
        if best > enough:
            return best
        # v is a point of the difference once one is held: no two points are nearer than `best`,
        # and two are as near as `length`.
        if held > 0 and (
            length <= enough < math.inf or length - best <= POLYGON_TOLERANCE * length
        ):
            return best
        wx, wy = ax - bx, ay - by
        if held == 0:
            px, py, vx, vy = wx, wy, wx, wy
            held = 1
            continue
        if (wx == px and wy == py) or (held == 2 and wx == qx and wy == qy):
            return best
        if held == 1:
            qx, qy = wx, wy
            vx, vy, held = nearest_on_edge(px, py, qx, qy)
            if held == 1:
                px, py = vx, vy
            continue
        if inside(px, py, qx, qy, wx, wy):
            return best
        ex, ey, eh = nearest_on_edge(px, py, wx, wy)
        fx, fy, fh = nearest_on_edge(qx, qy, wx, wy)
        if ex * ex + ey * ey <= fx * fx + fy * fy:
            vx, vy, held = ex, ey, eh
            qx, qy = wx, wy
        else:
            vx, vy, held = fx, fy, fh
            px, py = wx, wy
        if held == 1:
            px, py = vx, vy
    return best


@kernel
def nearest_on_edge(px, py, qx, qy):
    """The point of the segment pq nearest to the origin, and 1 where it is an end, else 2. Between
    the ends it is along the edge's normal, whose direction is right to the last digits even where
    the origin is close to the edge."""
    dx, dy = qx - px, qy - py
    square = dx * dx + dy * dy
    if not square > 0.0 or -(px * dx + py * dy) <= 0.0:
        return px, py, 1
    if qx * dx + qy * dy <= 0.0:
        return qx, qy, 1
    share = (dy * px - dx * py) / square
    return dy * share, -dx * share, 2


@kernel
def inside(px, py, qx, qy, wx, wy):
    """Whether the origin is in the triangle pqw, its edges included."""
    a = px * qy - py * qx
    b = qx * wy - qy * wx
    c = wx * py - wy * px
    return (a >= 0.0 and b >= 0.0 and c >= 0.0) or (a <= 0.0 and b <= 0.0 and c <= 0.0)
