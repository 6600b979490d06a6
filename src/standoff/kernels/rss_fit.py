"""Fitting a rectangle-swept sphere around triangles; see `rss` for the row."""

from __future__ import annotations

import math

from standoff.constants import EPS
from standoff.kernels.jit import kernel
from standoff.kernels.rss import CENTRE, DIAMETER, HALF_U, HALF_V, RADIUS
from standoff.kernels.segments import clamp

#: Sweeps of Jacobi's method; a symmetric 3 x 3 matrix is diagonal to the last bit after five.
_SWEEPS = 12


@kernel
def fit_rss(points, faces, order, low, high, growth, nodes, at, m):
    """Write node ``at`` around the triangles ``order[low:high]``; ``m`` is scratch (3, 3).

    The axes are those of the surface's own spread, the thickness along w gives a first radius, and
    the rectangle is as small as that radius allows. The radius is then taken anew as the farthest
    vertex's distance, grown by ``growth`` [m]: that, and not the way there, is why every triangle
    is inside (a swept rectangle is convex, so its vertices stand for a triangle).
    """
    _spread(points, faces, order, low, high, m)
    _principal_axes(m, nodes, at)
    u0, u1, u2 = nodes[at, 0], nodes[at, 1], nodes[at, 2]
    v0, v1, v2 = nodes[at, 3], nodes[at, 4], nodes[at, 5]
    w0, w1, w2 = nodes[at, 6], nodes[at, 7], nodes[at, 8]
    bottom, top = math.inf, -math.inf
    for i in range(low, high):
        for k in range(3):
            p = faces[order[i], k]
            z = w0 * points[p, 0] + w1 * points[p, 1] + w2 * points[p, 2]
            bottom, top = min(bottom, z), max(top, z)
    middle, radius = 0.5 * (bottom + top), 0.5 * (top - bottom)
    # A vertex at height z needs the rectangle's border within s = sqrt(r^2 - z^2) of itself.
    x0, x1, y0, y1 = math.inf, -math.inf, math.inf, -math.inf
    for i in range(low, high):
        for k in range(3):
            p = faces[order[i], k]
            a, b, c = points[p, 0], points[p, 1], points[p, 2]
            x, y, z = u0 * a + u1 * b + u2 * c, v0 * a + v1 * b + v2 * c, w0 * a + w1 * b + w2 * c
            s = math.sqrt(max(radius * radius - (z - middle) * (z - middle), 0.0))
            x0, x1, y0, y1 = min(x0, x + s), max(x1, x - s), min(y0, y + s), max(y1, y - s)
    if x0 > x1:
        x0 = x1 = 0.5 * (x0 + x1)
    if y0 > y1:
        y0 = y1 = 0.5 * (y0 + y1)
    # Outside a corner by (dx, dy) both sides move out by the t with (dx - t)^2 + (dy - t)^2 = s^2.
    for i in range(low, high):
        for k in range(3):
            p = faces[order[i], k]
            a, b, c = points[p, 0], points[p, 1], points[p, 2]
            x, y, z = u0 * a + u1 * b + u2 * c, v0 * a + v1 * b + v2 * c, w0 * a + w1 * b + w2 * c
            dx, dy = max(x - x1, x0 - x), max(y - y1, y0 - y)
            ss = max(radius * radius - (z - middle) * (z - middle), 0.0)
            if dx > 0.0 and dy > 0.0 and dx * dx + dy * dy > ss:
                t = 0.5 * (dx + dy - math.sqrt(max(2.0 * ss - (dx - dy) * (dx - dy), 0.0)))
                x0, x1 = (x0, x1 + t) if x > x1 else (x0 - t, x1)
                y0, y1 = (y0, y1 + t) if y > y1 else (y0 - t, y1)
    x, y = 0.5 * (x0 + x1), 0.5 * (y0 + y1)
    c0 = x * u0 + y * v0 + middle * w0
    c1 = x * u1 + y * v1 + middle * w1
    c2 = x * u2 + y * v2 + middle * w2
    h, g = 0.5 * (x1 - x0), 0.5 * (y1 - y0)
    farthest = 0.0
    for i in range(low, high):
        for k in range(3):
            p = faces[order[i], k]
            a, b, c = points[p, 0] - c0, points[p, 1] - c1, points[p, 2] - c2
            dx = max(abs(u0 * a + u1 * b + u2 * c) - h, 0.0)
            dy = max(abs(v0 * a + v1 * b + v2 * c) - g, 0.0)
            dz = w0 * a + w1 * b + w2 * c
            farthest = max(farthest, dx * dx + dy * dy + dz * dz)
    radius = math.sqrt(farthest) + growth
    nodes[at, CENTRE], nodes[at, CENTRE + 1], nodes[at, CENTRE + 2] = c0, c1, c2
    nodes[at, HALF_U], nodes[at, HALF_V], nodes[at, RADIUS] = h, g, radius
    nodes[at, DIAMETER] = 2.0 * (math.sqrt(h * h + g * g) + radius)


@kernel
def triangle_rss(p0, p1, p2, q0, q1, q2, r0, r1, r2, nodes, at):
    """The rectangle on a triangle's longest side, radius 0 but for rounding, as node ``at``."""
    a = (q0 - p0) ** 2 + (q1 - p1) ** 2 + (q2 - p2) ** 2
    b = (r0 - q0) ** 2 + (r1 - q1) ** 2 + (r2 - q2) ** 2
    c = (p0 - r0) ** 2 + (p1 - r1) ** 2 + (p2 - r2) ** 2
    if b >= a and b >= c:  # turn the triangle until its longest side is p q
        p0, p1, p2, q0, q1, q2, r0, r1, r2, a = q0, q1, q2, r0, r1, r2, p0, p1, p2, b
    elif c >= a:
        p0, p1, p2, q0, q1, q2, r0, r1, r2, a = r0, r1, r2, p0, p1, p2, q0, q1, q2, c
    u0, u1, u2 = 1.0, 0.0, 0.0
    long = math.sqrt(a)
    if long > 0.0:
        u0, u1, u2 = (q0 - p0) / long, (q1 - p1) / long, (q2 - p2) / long
    d0, d1, d2 = r0 - p0, r1 - p1, r2 - p2
    along = d0 * u0 + d1 * u1 + d2 * u2
    v0, v1, v2 = d0 - along * u0, d1 - along * u1, d2 - along * u2
    height = math.sqrt(v0 * v0 + v1 * v1 + v2 * v2)
    if height > 8.0 * EPS * long:
        v0, v1, v2 = v0 / height, v1 / height, v2 / height
        rounding = u0 * v0 + u1 * v1 + u2 * v2
        v0, v1, v2 = v0 - rounding * u0, v1 - rounding * u1, v2 - rounding * u2
        slack = 0.0
    else:
        v0, v1, v2 = _across(u0, u1, u2)
        slack = height
        height = 0.0
    nodes[at, 0], nodes[at, 1], nodes[at, 2] = u0, u1, u2
    nodes[at, 3], nodes[at, 4], nodes[at, 5] = v0, v1, v2
    nodes[at, 6] = u1 * v2 - u2 * v1
    nodes[at, 7] = u2 * v0 - u0 * v2
    nodes[at, 8] = u0 * v1 - u1 * v0
    h, g = 0.5 * long, 0.5 * height
    nodes[at, 9] = p0 + h * u0 + g * v0
    nodes[at, 10] = p1 + h * u1 + g * v1
    nodes[at, 11] = p2 + h * u2 + g * v2
    nodes[at, HALF_U], nodes[at, HALF_V] = h, g
    nodes[at, RADIUS] = slack
    nodes[at, DIAMETER] = long


@kernel
def _across(u0, u1, u2):
    """Some unit vector at right angles to a unit vector."""
    x, y, z = abs(u0), abs(u1), abs(u2)
    if x <= y and x <= z:
        a, b, c = 0.0, -u2, u1
    elif y <= z:
        a, b, c = u2, 0.0, -u0
    else:
        a, b, c = -u1, u0, 0.0
    length = math.sqrt(a * a + b * b + c * c)
    return a / length, b / length, c / length


@kernel
def _spread(points, faces, order, low, high, m):
    """Second moments of the surface about its own centroid. A triangle of area A, corners p_i and
    their sum s adds A/12 (sum p_i p_i' + s s'); where there is no area, each counts the same."""
    o = faces[order[low], 0]
    o0, o1, o2 = points[o, 0], points[o, 1], points[o, 2]
    for attempt in range(2):
        total = s0 = s1 = s2 = 0.0
        m00 = m01 = m02 = m11 = m12 = m22 = 0.0
        for i in range(low, high):
            a, b, c = faces[order[i], 0], faces[order[i], 1], faces[order[i], 2]
            a0, a1, a2 = points[a, 0] - o0, points[a, 1] - o1, points[a, 2] - o2
            b0, b1, b2 = points[b, 0] - o0, points[b, 1] - o1, points[b, 2] - o2
            c0, c1, c2 = points[c, 0] - o0, points[c, 1] - o1, points[c, 2] - o2
            area = 1.0
            if attempt == 0:
                d0, d1, d2 = b0 - a0, b1 - a1, b2 - a2
                e0, e1, e2 = c0 - a0, c1 - a1, c2 - a2
                n0, n1, n2 = d1 * e2 - d2 * e1, d2 * e0 - d0 * e2, d0 * e1 - d1 * e0
                area = math.sqrt(n0 * n0 + n1 * n1 + n2 * n2)
            t0, t1, t2 = a0 + b0 + c0, a1 + b1 + c1, a2 + b2 + c2
            total += area
            s0, s1, s2 = s0 + area * t0, s1 + area * t1, s2 + area * t2
            m00 += area * (a0 * a0 + b0 * b0 + c0 * c0 + t0 * t0)
            m01 += area * (a0 * a1 + b0 * b1 + c0 * c1 + t0 * t1)
            m02 += area * (a0 * a2 + b0 * b2 + c0 * c2 + t0 * t2)
            m11 += area * (a1 * a1 + b1 * b1 + c1 * c1 + t1 * t1)
            m12 += area * (a1 * a2 + b1 * b2 + c1 * c2 + t1 * t2)
            m22 += area * (a2 * a2 + b2 * b2 + c2 * c2 + t2 * t2)
        if total > 0.0:
            break
    s0, s1, s2 = s0 / (3.0 * total), s1 / (3.0 * total), s2 / (3.0 * total)
    m[0, 0] = m00 / (12.0 * total) - s0 * s0
    m[1, 1] = m11 / (12.0 * total) - s1 * s1
    m[2, 2] = m22 / (12.0 * total) - s2 * s2
    m[0, 1] = m[1, 0] = m01 / (12.0 * total) - s0 * s1
    m[0, 2] = m[2, 0] = m02 / (12.0 * total) - s0 * s2
    m[1, 2] = m[2, 1] = m12 / (12.0 * total) - s1 * s2


@kernel
def _principal_axes(m, nodes, at):
    """Unit eigenvectors of the symmetric ``m`` by Jacobi's method, largest spread first, as the
    rows u, v, w of node ``at``, right-handed. Overwrites ``m``."""
    for r in range(3):
        for c in range(3):
            nodes[at, 3 * r + c] = 1.0 if r == c else 0.0
    for _ in range(_SWEEPS):
        off = abs(m[0, 1]) + abs(m[0, 2]) + abs(m[1, 2])
        if off <= EPS * EPS * (abs(m[0, 0]) + abs(m[1, 1]) + abs(m[2, 2])):
            break
        for p in range(2):
            for q in range(p + 1, 3):
                if m[p, q] == 0.0:
                    continue
                theta = 0.5 * (m[q, q] - m[p, p]) / m[p, q]
                t = 1.0 / (abs(theta) + math.sqrt(theta * theta + 1.0))
                if theta < 0.0:
                    t = -t
                c = 1.0 / math.sqrt(t * t + 1.0)
                s = t * c
                for k in range(3):
                    x, y = m[k, p], m[k, q]
                    m[k, p], m[k, q] = c * x - s * y, s * x + c * y
                for k in range(3):
                    x, y = m[p, k], m[q, k]
                    m[p, k], m[q, k] = c * x - s * y, s * x + c * y
                for k in range(3):
                    x, y = nodes[at, 3 * p + k], nodes[at, 3 * q + k]
                    nodes[at, 3 * p + k] = c * x - s * y
                    nodes[at, 3 * q + k] = s * x + c * y
    for first, second in ((0, 1), (1, 2), (0, 1)):
        if m[first, first] < m[second, second]:
            m[first, first], m[second, second] = m[second, second], m[first, first]
            for k in range(3):
                x, y = nodes[at, 3 * first + k], nodes[at, 3 * second + k]
                nodes[at, 3 * first + k], nodes[at, 3 * second + k] = y, x
    _orthonormal(nodes, at)


@kernel
def _orthonormal(nodes, at):
    """Make the rotated axes orthonormal to the last bits: v again at right angles to u, w = u x v."""
    u0, u1, u2 = nodes[at, 0], nodes[at, 1], nodes[at, 2]
    length = math.sqrt(u0 * u0 + u1 * u1 + u2 * u2)
    u0, u1, u2 = u0 / length, u1 / length, u2 / length
    v0, v1, v2 = nodes[at, 3], nodes[at, 4], nodes[at, 5]
    along = u0 * v0 + u1 * v1 + u2 * v2
    v0, v1, v2 = v0 - along * u0, v1 - along * u1, v2 - along * u2
    length = math.sqrt(v0 * v0 + v1 * v1 + v2 * v2)
    v0, v1, v2 = v0 / length, v1 / length, v2 / length
    nodes[at, 0], nodes[at, 1], nodes[at, 2] = u0, u1, u2
    nodes[at, 3], nodes[at, 4], nodes[at, 5] = v0, v1, v2
    nodes[at, 6] = clamp(u1 * v2 - u2 * v1, -1.0, 1.0)
    nodes[at, 7] = clamp(u2 * v0 - u0 * v2, -1.0, 1.0)
    nodes[at, 8] = clamp(u0 * v1 - u1 * v0, -1.0, 1.0)
