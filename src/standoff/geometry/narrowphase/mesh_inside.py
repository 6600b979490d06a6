"""Whether a point lies inside a mesh, and how deep one lies inside a convex body."""

from __future__ import annotations

import math

from standoff.compiled.jit import kernel
from standoff.geometry.narrowphase.bvh import node_count
from standoff.geometry.narrowphase.layout import (
    BOX,
    CAPSULE,
    CLOSED,
    CYLINDER,
    FACE0,
    FACES,
    FLAGS,
    INT0,
    KIND,
    NODE0,
    POINT0,
    POINTS,
    POLYHEDRON,
    SIZE,
)
from standoff.geometry.narrowphase.rss import CENTRE, DIAMETER, HALF_U, RADIUS
from standoff.geometry.narrowphase.rss_fit import rectangle_distance
from standoff.geometry.narrowphase.triangle import clamp
from standoff.geometry.narrowphase.vectors import cross, dot, minus, point
from standoff.tolerances import GRAZING_TOLERANCE, INSIDE_WINDING

#: Directions tried before the winding number is summed over all triangles.
_DIRECTIONS = 6
#: Turn from one direction to the next, [rad]: the golden angle, so that none repeats or follows
#: an axis or a diagonal.
_TURN = 2.399963229728653


@kernel
def inside_mesh(x0, x1, x2, A, i, stack):
    """Whether the point (in the mesh's frame) has a winding number of a half or more, either way
    round; ``stack`` is scratch for TREE_DEPTH + 2 integers. A point too near the surface to tell is
    inside. Of an open mesh the solid angles of all triangles are summed, for points in its box, and
    so are those of each of its connected parts: parts that face either way must not cancel. Of a
    closed one, whose winding number is whole, a ray tells:

    its signed crossings are counted over the tree, in about the logarithm of the number of
    triangles. A ray that grazes an edge or a vertex is given up for another direction; after
    _DIRECTIONS of those the solid angles of all triangles are summed.
    """
    N, root = A.solids.nodes, A.refs[i, NODE0]
    gap = rectangle_distance(N, root, x0, x1, x2) - N[root, RADIUS]
    near = GRAZING_TOLERANCE * (max(gap, 0.0) + N[root, DIAMETER])
    closed = A.refs[i, FLAGS] & CLOSED != 0
    if gap > near or not (closed or _in_box(x0, x1, x2, A, i)):
        return False
    for attempt in range(_DIRECTIONS if closed else 0):
        z = 1.0 - (2.0 * attempt + 1.0) / _DIRECTIONS
        ring = math.sqrt(1.0 - z * z)
        turned = 1.0 + attempt * _TURN
        d0, d1 = ring * math.cos(turned), ring * math.sin(turned)
        crossings = _crossings((x0, x1, x2), (d0, d1, z), A, i, near, stack)
        if crossings != _GRAZED:
            return crossings != 0
    return _winding(x0, x1, x2, A, i) >= INSIDE_WINDING


_GRAZED = -(1 << 62)


@kernel
def _crossings(x, d, A, i, near, stack):
    """Signed crossings of the ray x + t d; _GRAZED where it comes nearer than ``near`` to an edge
    of a triangle that it may cross, or starts so near to one."""
    R, P, F, N, T = A.refs, A.solids.points, A.solids.faces, A.solids.nodes, A.solids.ints
    (x0, x1, x2), (d0, d1, d2) = x, d
    # e, f, d: a right-handed frame about the ray, which is never along z.
    length = math.hypot(d0, d1)
    e0, e1 = -d1 / length, d0 / length
    f0, f1, f2 = cross(d0, d1, d2, e0, e1, 0.0)
    crossings = 0
    stack[0] = 0
    top = 1
    while top > 0:
        top -= 1
        node = stack[top]
        if node >= 0:
            if _ray_meets(x, d, N, R[i, NODE0] + node, near):
                stack[top] = T[R[i, INT0] + 2 * node + 1]
                stack[top + 1] = T[R[i, INT0] + 2 * node]
                top += 2
            continue
        low, high, area, depth, ahead, spread = 1, -1, 0.0, 0.0, -math.inf, 0.0
        p0, p1, p2 = minus(*point(P, R[i, POINT0] + F[R[i, FACE0] + ~node, 1]), *x)
        for k in range(3):  # the edge across from corner k weighs it
            q = point(P, R[i, POINT0] + F[R[i, FACE0] + ~node, (k + 2) % 3])
            q0, q1, q2 = minus(*q, *x)
            a, b = p0 * e0 + p1 * e1, dot(p0, p1, p2, f0, f1, f2)
            c, g = q0 * e0 + q1 * e1, dot(q0, q1, q2, f0, f1, f2)
            weight = a * g - b * c
            side = 0
            if abs(weight) > near * (abs(c - a) + abs(g - b)):
                side = 1 if weight > 0.0 else -1
            low, high = min(low, side), max(high, side)
            o0, o1, o2 = point(P, R[i, POINT0] + F[R[i, FACE0] + ~node, k])
            height = dot(o0 - x0, o1 - x1, o2 - x2, d0, d1, d2)
            area, depth, ahead = area + weight, depth + weight * height, max(ahead, height)
            spread = max(spread, abs(p0 - q0) + abs(p1 - q1) + abs(p2 - q2))
            p0, p1, p2 = q0, q1, q2
        # missed, or behind, or a triangle of three equal corners, which is never crossed
        if low < 0 < high or ahead < -near or spread == 0.0:
            continue
        if low == 0 or high == 0 or abs(depth) <= near * abs(area):
            return _GRAZED
        if depth / area > 0.0:
            crossings += low
    return crossings


@kernel
def _ray_meets(x, direction, N, n, near):
    """Whether a ray meets the box around a node, grown by ``near``."""
    x0, x1, x2 = minus(*x, N[n, CENTRE], N[n, CENTRE + 1], N[n, CENTRE + 2])
    d0, d1, d2 = direction
    start, end = 0.0, math.inf
    for k in range(3):
        half = N[n, RADIUS] + near
        if k < 2:
            half += N[n, HALF_U + k]
        o = dot(N[n, 3 * k], N[n, 3 * k + 1], N[n, 3 * k + 2], x0, x1, x2)
        d = dot(N[n, 3 * k], N[n, 3 * k + 1], N[n, 3 * k + 2], d0, d1, d2)
        if d == 0.0:
            if abs(o) > half:
                return False
            continue
        s, t = (-half - o) / d, (half - o) / d
        start, end = max(start, min(s, t)), min(end, max(s, t))
    return start <= end


@kernel
def _in_box(x0, x1, x2, A, i):
    """Whether the point is in the box of the mesh's points."""
    R, P = A.refs, A.solids.points
    a0 = a1 = a2 = math.inf
    b0 = b1 = b2 = -math.inf
    for k in range(R[i, POINT0], R[i, POINT0] + R[i, POINTS]):
        p0, p1, p2 = point(P, k)
        a0, a1, a2 = min(a0, p0), min(a1, p1), min(a2, p2)
        b0, b1, b2 = max(b0, p0), max(b1, p1), max(b2, p2)
    return a0 <= x0 <= b0 and a1 <= x1 <= b1 and a2 <= x2 <= b2


@kernel
def _winding(x0, x1, x2, A, i):
    """Magnitude of the generalised winding number, the solid angles of all triangles over 4 pi. Of
    an open mesh the largest of this and of those of its connected parts, whose vertices follow one
    another."""
    R, P, F, T = A.refs, A.solids.points, A.solids.faces, A.solids.ints
    part = R[i, INT0] + 2 * node_count(R[i, FACES]) + 1  # where the part's first vertex stands
    last = part - 1 if R[i, FLAGS] & CLOSED != 0 else part + T[part - 1] - 1
    total = own = most = 0.0
    for f in range(R[i, FACE0], R[i, FACE0] + R[i, FACES]):
        if part < last and F[f, 0] >= T[part + 1]:
            part += 1
            total, most, own = total + own, max(most, abs(own)), 0.0
        a = minus(*point(P, R[i, POINT0] + F[f, 0]), x0, x1, x2)
        b = minus(*point(P, R[i, POINT0] + F[f, 1]), x0, x1, x2)
        c = minus(*point(P, R[i, POINT0] + F[f, 2]), x0, x1, x2)
        own += half_angle(a, b, c)
    return max(most, abs(own), abs(total + own)) / (2.0 * math.pi)


@kernel
def half_angle(a, b, c):
    """Half of the solid angle of a triangle seen from the origin, signed."""
    la, lb, lc = math.sqrt(dot(*a, *a)), math.sqrt(dot(*b, *b)), math.sqrt(dot(*c, *c))
    full = la * lb * lc + dot(*a, *b) * lc + dot(*b, *c) * la + dot(*c, *a) * lb
    return math.atan2(dot(*a, *cross(*b, *c)), full)


@kernel
def convex_depth(x0, x1, x2, B, j):
    """(depth of a point below the surface of a convex body, unit direction to the nearest point of
    it), all in the body's frame; the depth is negative outside, and then only its sign counts."""
    kind = B.refs[j, KIND]
    if kind == POLYHEDRON:
        return _polyhedron_depth(x0, x1, x2, B, j)
    s0, s1, s2 = B.rows[j, SIZE], B.rows[j, SIZE + 1], B.rows[j, SIZE + 2]
    if kind == BOX:
        a, b, c = s0 - abs(x0), s1 - abs(x1), s2 - abs(x2)
        if a <= b and a <= c:
            return a, math.copysign(1.0, x0), 0.0, 0.0
        if b <= c:
            return b, 0.0, math.copysign(1.0, x1), 0.0
        return c, 0.0, 0.0, math.copysign(1.0, x2)
    if kind == CAPSULE:
        x2 -= clamp(x2, -s1, s1)
    elif kind == CYLINDER:
        if s1 - abs(x2) <= s0 - math.hypot(x0, x1):
            return s1 - abs(x2), 0.0, 0.0, math.copysign(1.0, x2)
        x2 = 0.0
    r = math.sqrt(dot(x0, x1, x2, x0, x1, x2))
    if r == 0.0:
        return s0, 1.0, 0.0, 0.0
    return s0 - r, x0 / r, x1 / r, x2 / r


@kernel
def _polyhedron_depth(x0, x1, x2, B, j):
    """Depth below the nearest face; the faces' corners run counter-clockwise from outside."""
    RB, P, F = B.refs, B.solids.points, B.solids.faces
    depth, m0, m1, m2 = math.inf, 1.0, 0.0, 0.0
    for f in range(RB[j, FACE0], RB[j, FACE0] + RB[j, FACES]):
        a0, a1, a2 = point(P, RB[j, POINT0] + F[f, 0])
        b0, b1, b2 = point(P, RB[j, POINT0] + F[f, 1])
        c0, c1, c2 = point(P, RB[j, POINT0] + F[f, 2])
        n0, n1, n2 = cross(b0 - a0, b1 - a1, b2 - a2, c0 - a0, c1 - a1, c2 - a2)
        length = math.sqrt(dot(n0, n1, n2, n0, n1, n2))
        if length == 0.0:
            continue
        below = dot(n0, n1, n2, a0 - x0, a1 - x1, a2 - x2) / length
        if below < depth:
            depth, m0, m1, m2 = below, n0 / length, n1 / length, n2 / length
            if depth < 0.0:
                break
    if depth == math.inf:  # no face to be below of
        depth = -math.inf
    return depth, m0, m1, m2
