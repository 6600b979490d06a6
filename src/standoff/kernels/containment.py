"""Whether a point lies inside a closed mesh, and how deep one lies inside a convex body."""

from __future__ import annotations

import math

from standoff.constants import GRAZING_TOLERANCE, INSIDE_WINDING
from standoff.kernels.jit import kernel
from standoff.kernels.layout import (
    BOX,
    CAPSULE,
    CYLINDER,
    FACE0,
    FACES,
    INT0,
    NODE0,
    POINT0,
    POLYHEDRON,
    SIZE,
    SPHERE,
)
from standoff.kernels.rss import CENTRE, DIAMETER, HALF_U, HALF_V, RADIUS

#: Directions tried before the winding number is summed over all triangles.
_DIRECTIONS = 6
#: Turn from one direction to the next, [rad]: the golden angle, so that none repeats or follows
#: an axis or a diagonal.
_TURN = 2.399963229728653


@kernel
def inside_mesh(x0, x1, x2, R, i, P, F, N, I, stack):
    """Whether the point (in the mesh's frame) has a winding number other than 0; ``stack`` is
    scratch for TREE_DEPTH + 2 integers. A point on the surface, or too near to tell, is inside.

    A ray's signed crossings are counted over the tree, in about the logarithm of the number of
    triangles. A ray that grazes an edge or a vertex is given up for another direction; after
    _DIRECTIONS of those the solid angles of all triangles are summed.
    """
    root = R[i, NODE0]
    d0, d1, d2 = x0 - N[root, CENTRE], x1 - N[root, CENTRE + 1], x2 - N[root, CENTRE + 2]
    away = math.sqrt(d0 * d0 + d1 * d1 + d2 * d2)
    near = GRAZING_TOLERANCE * (away + N[root, DIAMETER])
    if _outside(N, root, d0, d1, d2, near):
        return False
    for attempt in range(_DIRECTIONS):
        z = 1.0 - (2.0 * attempt + 1.0) / _DIRECTIONS
        ring = math.sqrt(1.0 - z * z)
        turn = 1.0 + attempt * _TURN
        grazed, crossings = _cast(
            x0, x1, x2, ring * math.cos(turn), ring * math.sin(turn), z,
            R, i, P, F, N, I, near, stack,
        )  # fmt: skip
        if not grazed:
            return crossings != 0
    return abs(_winding(x0, x1, x2, R, i, P, F)) >= INSIDE_WINDING


@kernel
def _outside(N, n, d0, d1, d2, near):
    """Whether a point, given from the node's centre, lies outside the node by more than ``near``."""
    x = abs(N[n, 0] * d0 + N[n, 1] * d1 + N[n, 2] * d2) - N[n, HALF_U]
    y = abs(N[n, 3] * d0 + N[n, 4] * d1 + N[n, 5] * d2) - N[n, HALF_V]
    z = N[n, 6] * d0 + N[n, 7] * d1 + N[n, 8] * d2
    x, y = max(x, 0.0), max(y, 0.0)
    return math.sqrt(x * x + y * y + z * z) > N[n, RADIUS] + near


@kernel
def _cast(x0, x1, x2, d0, d1, d2, R, i, P, F, N, I, near, stack):
    """(whether the ray x + t d grazes something, its signed crossings)."""
    # e, f, d: a right-handed frame about the ray; d is never along z.
    length = math.sqrt(d0 * d0 + d1 * d1)
    e0, e1 = -d1 / length, d0 / length
    f0, f1, f2 = -d2 * e1, d2 * e0, d0 * e1 - d1 * e0
    crossings = 0
    stack[0] = 0
    top = 1
    while top > 0:
        top -= 1
        node = stack[top]
        if node >= 0:
            if _ray_meets(x0, x1, x2, d0, d1, d2, N, R[i, NODE0] + node, near):
                stack[top] = I[R[i, INT0] + 2 * node + 1]
                stack[top + 1] = I[R[i, INT0] + 2 * node]
                top += 2
            continue
        a0 = a1 = a2 = b0 = b1 = b2 = c0 = c1 = c2 = 0.0
        for k in range(3):
            p = R[i, POINT0] + F[R[i, FACE0] + ~node, k]
            y0, y1, y2 = P[p, 0] - x0, P[p, 1] - x1, P[p, 2] - x2
            a0, a1, a2 = b0, b1, b2
            b0, b1, b2 = c0, c1, c2
            c0, c1 = y0 * e0 + y1 * e1, y0 * f0 + y1 * f1 + y2 * f2
            c2 = y0 * d0 + y1 * d1 + y2 * d2
        if max(a2, b2, c2) < -near:
            continue
        u, su = _side(b0, b1, c0, c1, near)
        v, sv = _side(c0, c1, a0, a1, near)
        w, sw = _side(a0, a1, b0, b1, near)
        low, high = min(su, sv, sw), max(su, sv, sw)
        if low < 0 < high or _is_point(a0, a1, a2, b0, b1, b2, c0, c1, c2):
            continue
        if low == 0 or high == 0:
            return True, 0
        depth = (u * a2 + v * b2 + w * c2) / (u + v + w)
        if abs(depth) <= near:
            return True, 0
        if depth > 0.0:
            crossings += low
    return False, crossings


@kernel
def _side(a0, a1, b0, b1, near):
    """Twice the signed area of the origin and an edge a b in the plane across the ray, and on
    which side of the edge's line the origin lies: -1, 1, or 0 where nearer than ``near``."""
    area = a0 * b1 - a1 * b0
    reach = near * (abs(b0 - a0) + abs(b1 - a1))
    if abs(area) <= reach:
        return area, 0
    return area, (1 if area > 0.0 else -1)


@kernel
def _is_point(a0, a1, a2, b0, b1, b2, c0, c1, c2):
    """A triangle of three equal corners bounds nothing and is never crossed."""
    return a0 == b0 == c0 and a1 == b1 == c1 and a2 == b2 == c2


@kernel
def _ray_meets(x0, x1, x2, d0, d1, d2, N, n, near):
    """Whether a ray meets the box around a node, grown by ``near``."""
    x0, x1, x2 = x0 - N[n, CENTRE], x1 - N[n, CENTRE + 1], x2 - N[n, CENTRE + 2]
    start, end = 0.0, math.inf
    for k in range(3):
        half = N[n, RADIUS] + near
        if k < 2:
            half += N[n, HALF_U + k]
        o = N[n, 3 * k] * x0 + N[n, 3 * k + 1] * x1 + N[n, 3 * k + 2] * x2
        d = N[n, 3 * k] * d0 + N[n, 3 * k + 1] * d1 + N[n, 3 * k + 2] * d2
        if d == 0.0:
            if abs(o) > half:
                return False
            continue
        s, t = (-half - o) / d, (half - o) / d
        start, end = max(start, min(s, t)), min(end, max(s, t))
    return start <= end


@kernel
def _winding(x0, x1, x2, R, i, P, F):
    """Generalised winding number: the solid angles of all triangles over 4 pi."""
    total = 0.0
    for f in range(R[i, FACE0], R[i, FACE0] + R[i, FACES]):
        p = R[i, POINT0] + F[f, 0]
        q = R[i, POINT0] + F[f, 1]
        r = R[i, POINT0] + F[f, 2]
        a0, a1, a2 = P[p, 0] - x0, P[p, 1] - x1, P[p, 2] - x2
        b0, b1, b2 = P[q, 0] - x0, P[q, 1] - x1, P[q, 2] - x2
        c0, c1, c2 = P[r, 0] - x0, P[r, 1] - x1, P[r, 2] - x2
        a = math.sqrt(a0 * a0 + a1 * a1 + a2 * a2)
        b = math.sqrt(b0 * b0 + b1 * b1 + b2 * b2)
        c = math.sqrt(c0 * c0 + c1 * c1 + c2 * c2)
        triple = a0 * (b1 * c2 - b2 * c1) + a1 * (b2 * c0 - b0 * c2) + a2 * (b0 * c1 - b1 * c0)
        ab = a0 * b0 + a1 * b1 + a2 * b2
        bc = b0 * c0 + b1 * c1 + b2 * c2
        ca = c0 * a0 + c1 * a1 + c2 * a2
        total += math.atan2(triple, a * b * c + ab * c + bc * a + ca * b)
    return total / (2.0 * math.pi)


@kernel
def convex_depth(x0, x1, x2, B, RB, j, P, F):
    """(depth of a point below the surface of a convex body, unit direction to the nearest point of
    it), all in the body's frame; the depth is negative outside, and then only its sign counts."""
    kind = RB[j, 0]
    s0, s1, s2 = B[j, SIZE], B[j, SIZE + 1], B[j, SIZE + 2]
    if kind == SPHERE or kind == CAPSULE:
        if kind == CAPSULE:
            x2 -= min(max(x2, -s1), s1)
        r = math.sqrt(x0 * x0 + x1 * x1 + x2 * x2)
        if r == 0.0:
            return s0, 1.0, 0.0, 0.0
        return s0 - r, x0 / r, x1 / r, x2 / r
    if kind == BOX:
        a, b, c = s0 - abs(x0), s1 - abs(x1), s2 - abs(x2)
        if a <= b and a <= c:
            return a, math.copysign(1.0, x0), 0.0, 0.0
        if b <= c:
            return b, 0.0, math.copysign(1.0, x1), 0.0
        return c, 0.0, 0.0, math.copysign(1.0, x2)
    if kind == CYLINDER:
        r = math.sqrt(x0 * x0 + x1 * x1)
        if s1 - abs(x2) <= s0 - r:
            return s1 - abs(x2), 0.0, 0.0, math.copysign(1.0, x2)
        if r == 0.0:
            return s0, 1.0, 0.0, 0.0
        return s0 - r, x0 / r, x1 / r, 0.0
    if kind == POLYHEDRON and RB[j, FACES] > 0:
        return _polyhedron_depth(x0, x1, x2, RB, j, P, F)
    return -math.inf, 1.0, 0.0, 0.0


@kernel
def _polyhedron_depth(x0, x1, x2, RB, j, P, F):
    """Depth below the nearest face; the faces' corners run counter-clockwise from outside."""
    depth, m0, m1, m2 = math.inf, 1.0, 0.0, 0.0
    o = RB[j, POINT0]
    for f in range(RB[j, FACE0], RB[j, FACE0] + RB[j, FACES]):
        a, b, c = o + F[f, 0], o + F[f, 1], o + F[f, 2]
        u0, u1, u2 = P[b, 0] - P[a, 0], P[b, 1] - P[a, 1], P[b, 2] - P[a, 2]
        v0, v1, v2 = P[c, 0] - P[a, 0], P[c, 1] - P[a, 1], P[c, 2] - P[a, 2]
        n0, n1, n2 = u1 * v2 - u2 * v1, u2 * v0 - u0 * v2, u0 * v1 - u1 * v0
        length = math.sqrt(n0 * n0 + n1 * n1 + n2 * n2)
        if length == 0.0:
            continue
        n0, n1, n2 = n0 / length, n1 / length, n2 / length
        d = n0 * (P[a, 0] - x0) + n1 * (P[a, 1] - x1) + n2 * (P[a, 2] - x2)
        if d < depth:
            depth, m0, m1, m2 = d, n0, n1, n2
            if d < 0.0:
                break
    if depth == math.inf:
        return -math.inf, m0, m1, m2
    return depth, m0, m1, m2
