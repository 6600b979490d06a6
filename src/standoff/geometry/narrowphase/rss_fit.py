"""Fitting a rectangle-swept sphere around triangles; see `rss` for the row."""

from __future__ import annotations

import math

from standoff.compiled.jit import kernel
from standoff.geometry.narrowphase.rss import CENTRE, DIAMETER, HALF_U, HALF_V, RADIUS
from standoff.geometry.narrowphase.vectors import cross, dot, in_axes, load, minus, plus, point
from standoff.tolerances import EPS, FLAT_TRIANGLE

#: Sweeps of Jacobi's method; a symmetric 3 x 3 matrix is diagonal to the last bit after five.
_SWEEPS = 12


@kernel
def fit_rss(points, faces, order, growth, nodes, at, m):
    """Write node ``at`` around the triangles in ``order``; ``m`` is scratch (3, 3).

    The axes are those of the surface's own spread, the thickness along w gives a first radius, and
    the rectangle is as small as that radius allows. The radius is then taken anew as the farthest
    vertex's distance, grown by ``growth`` [m]: that, and not the way there, is why every triangle
    is inside (a swept rectangle is convex, so its vertices stand for a triangle).
    """
    _spread(points, faces, order, m)
    _principal_axes(m, nodes, at)
    bottom, top = math.inf, -math.inf
    for corner in range(3 * len(order)):
        x, y, z = _seen(points, faces, order, corner, nodes, at)
        bottom, top = min(bottom, z), max(top, z)
    middle, radius = 0.5 * (bottom + top), 0.5 * (top - bottom)
    # A vertex at height z needs the rectangle's border within s = sqrt(r^2 - z^2) of itself.
    x0, x1, y0, y1 = math.inf, -math.inf, math.inf, -math.inf
    for corner in range(3 * len(order)):
        x, y, z = _seen(points, faces, order, corner, nodes, at)
        s = math.sqrt(max(radius * radius - (z - middle) * (z - middle), 0.0))
        x0, x1, y0, y1 = min(x0, x + s), max(x1, x - s), min(y0, y + s), max(y1, y - s)
    if x0 > x1:
        x0 = x1 = 0.5 * (x0 + x1)
    if y0 > y1:
        y0 = y1 = 0.5 * (y0 + y1)
    # Outside a corner by (dx, dy) both sides move out by the t with (dx - t)^2 + (dy - t)^2 = s^2.
    for corner in range(3 * len(order)):
        x, y, z = _seen(points, faces, order, corner, nodes, at)
        dx, dy = max(x - x1, x0 - x), max(y - y1, y0 - y)
        ss = max(radius * radius - (z - middle) * (z - middle), 0.0)
        if dx > 0.0 and dy > 0.0 and dx * dx + dy * dy > ss:
            t = 0.5 * (dx + dy - math.sqrt(max(2.0 * ss - (dx - dy) * (dx - dy), 0.0)))
            x0, x1 = (x0, x1 + t) if x > x1 else (x0 - t, x1)
            y0, y1 = (y0, y1 + t) if y > y1 else (y0 - t, y1)
    x, y = 0.5 * (x0 + x1), 0.5 * (y0 + y1)
    for k in range(3):
        c = x * nodes[at, k] + y * nodes[at, 3 + k] + middle * nodes[at, 6 + k]
        nodes[at, CENTRE + k] = c
    nodes[at, HALF_U], nodes[at, HALF_V] = 0.5 * (x1 - x0), 0.5 * (y1 - y0)
    farthest = 0.0
    for corner in range(3 * len(order)):
        p = point(points, faces[order[corner // 3], corner % 3])
        farthest = max(farthest, rectangle_distance(nodes, at, *p))
    nodes[at, RADIUS] = farthest + growth
    nodes[at, DIAMETER] = 2.0 * (math.hypot(nodes[at, HALF_U], nodes[at, HALF_V]) + farthest)


@kernel
def rectangle_distance(nodes, n, p0, p1, p2):
    """Distance of a point to the rectangle of node ``n``; the node holds it up to its radius."""
    d0, d1, d2 = p0 - nodes[n, CENTRE], p1 - nodes[n, CENTRE + 1], p2 - nodes[n, CENTRE + 2]
    x, y, z = in_axes(nodes, n, d0, d1, d2)
    x = max(abs(x) - nodes[n, HALF_U], 0.0)
    y = max(abs(y) - nodes[n, HALF_V], 0.0)
    return math.sqrt(dot(x, y, z, x, y, z))


@kernel
def _seen(points, faces, order, corner, nodes, at):
    """One corner of one triangle along the axes of node ``at``."""
    return in_axes(nodes, at, *point(points, faces[order[corner // 3], corner % 3]))


@kernel
def triangle_rss(corners, nodes, at):
    """The rectangle on the longest side of a triangle (nine floats), radius 0, as node ``at``."""
    longest, first = -1.0, 0
    for k in range(3):
        d0 = corners[3 * ((k + 1) % 3)] - corners[3 * k]
        d1 = corners[3 * ((k + 1) % 3) + 1] - corners[3 * k + 1]
        d2 = corners[3 * ((k + 1) % 3) + 2] - corners[3 * k + 2]
        length = dot(d0, d1, d2, d0, d1, d2)
        if length > longest:
            longest, first = length, k
            nodes[at, 0], nodes[at, 1], nodes[at, 2] = d0, d1, d2
    p, q = 3 * first, 3 * ((first + 2) % 3)
    v = minus(*load(corners, q), *load(corners, p))
    height = _orthonormal(nodes, at, load(nodes[at], 0), v)
    h, g = 0.5 * math.sqrt(longest), 0.5 * height
    for k in range(3):
        nodes[at, CENTRE + k] = corners[p + k] + h * nodes[at, k] + g * nodes[at, 3 + k]
    nodes[at, HALF_U], nodes[at, HALF_V], nodes[at, RADIUS] = h, g, 0.0
    nodes[at, DIAMETER] = 2.0 * h


@kernel
def _orthonormal(nodes, at, u, v):
    """Write the right-handed frame with u along x and v in the plane of x and y as the axes of node
    ``at``; any that fits where u or v leaves it open. Returns how far v reaches along y."""
    (u0, u1, u2), (v0, v1, v2) = u, v
    length = math.sqrt(dot(u0, u1, u2, u0, u1, u2))
    if length > 0.0:
        u0, u1, u2 = u0 / length, u1 / length, u2 / length
    else:
        u0, u1, u2 = 1.0, 0.0, 0.0
    v0, v1, v2 = plus(v0, v1, v2, -dot(u0, u1, u2, v0, v1, v2), u0, u1, u2)
    reach = math.sqrt(dot(v0, v1, v2, v0, v1, v2))
    if reach <= FLAT_TRIANGLE * length or reach == 0.0:
        reach = 0.0
        x = 1.0 if abs(u0) < 0.5 else 0.0
        v0, v1, v2 = cross(u0, u1, u2, x, 1.0 - x, 0.0)
    for _ in range(2):  # what was rounded off a short v is not short beside it
        height = math.sqrt(dot(v0, v1, v2, v0, v1, v2))
        v0, v1, v2 = v0 / height, v1 / height, v2 / height
        v0, v1, v2 = plus(v0, v1, v2, -dot(u0, u1, u2, v0, v1, v2), u0, u1, u2)
    nodes[at, 0], nodes[at, 1], nodes[at, 2] = u0, u1, u2
    nodes[at, 3], nodes[at, 4], nodes[at, 5] = v0, v1, v2
    nodes[at, 6], nodes[at, 7], nodes[at, 8] = cross(u0, u1, u2, v0, v1, v2)
    return reach


@kernel
def _spread(points, faces, order, m):
    """Second moments of the surface about its own centroid. A triangle of area A, corners p_i and
    their sum s adds A/12 (sum p_i p_i' + s s'); where there is no area, each counts the same."""
    o0, o1, o2 = point(points, faces[order[0], 0])
    for attempt in range(2):
        total = s0 = s1 = s2 = 0.0
        m00 = m01 = m02 = m11 = m12 = m22 = 0.0
        for i in range(len(order)):
            t0 = t1 = t2 = 0.0
            area = 1.0
            if attempt == 0:
                area = _double_area(points, faces, order[i])
            for k in range(4):  # the corners, then their sum
                x, y, z = t0, t1, t2
                if k < 3:
                    x, y, z = minus(*point(points, faces[order[i], k]), o0, o1, o2)
                    t0, t1, t2 = t0 + x, t1 + y, t2 + z
                m00, m01, m02 = plus(m00, m01, m02, area * x, x, y, z)
                m11, m12, m22 = m11 + area * y * y, m12 + area * y * z, m22 + area * z * z
            total += area
            s0, s1, s2 = plus(s0, s1, s2, area, t0, t1, t2)
        if total > 0.0:
            break
    s0, s1, s2 = s0 / (3.0 * total), s1 / (3.0 * total), s2 / (3.0 * total)
    total *= 12.0
    m[0, 0], m[1, 1], m[2, 2] = m00 / total - s0 * s0, m11 / total - s1 * s1, m22 / total - s2 * s2
    m[0, 1], m[0, 2], m[1, 2] = m01 / total - s0 * s1, m02 / total - s0 * s2, m12 / total - s1 * s2
    m[1, 0], m[2, 0], m[2, 1] = m[0, 1], m[0, 2], m[1, 2]


@kernel
def _double_area(points, faces, t):
    a0, a1, a2 = point(points, faces[t, 0])
    b0, b1, b2 = point(points, faces[t, 1])
    c0, c1, c2 = point(points, faces[t, 2])
    n0, n1, n2 = cross(b0 - a0, b1 - a1, b2 - a2, c0 - a0, c1 - a1, c2 - a2)
    return math.sqrt(dot(n0, n1, n2, n0, n1, n2))


@kernel
def _principal_axes(m, nodes, at):
    """Unit eigenvectors of the symmetric ``m`` by Jacobi's method, largest spread first, as the
    rows u, v, w of node ``at``, right-handed. Overwrites ``m``."""
    for k in range(9):
        nodes[at, k] = 1.0 if k % 4 == 0 else 0.0
    for _ in range(_SWEEPS):
        off = abs(m[0, 1]) + abs(m[0, 2]) + abs(m[1, 2])
        if off <= EPS * EPS * (abs(m[0, 0]) + abs(m[1, 1]) + abs(m[2, 2])):
            break
        for pair in range(3):
            p, q = pair // 2, 1 + (pair + 1) // 2  # 0 1, 0 2, 1 2
            if m[p, q] == 0.0:
                continue
            theta = 0.5 * (m[q, q] - m[p, p]) / m[p, q]
            t = math.copysign(1.0, theta) / (abs(theta) + math.hypot(theta, 1.0))
            c = 1.0 / math.hypot(t, 1.0)
            s = t * c
            for k in range(3):
                m[k, p], m[k, q] = c * m[k, p] - s * m[k, q], s * m[k, p] + c * m[k, q]
            for k in range(3):
                m[p, k], m[q, k] = c * m[p, k] - s * m[q, k], s * m[p, k] + c * m[q, k]
                x, y = nodes[at, 3 * p + k], nodes[at, 3 * q + k]
                nodes[at, 3 * p + k], nodes[at, 3 * q + k] = c * x - s * y, s * x + c * y
    first = 0
    for k in range(1, 3):
        first = k if m[k, k] > m[first, first] else first
    second = (first + 1) % 3
    if m[(first + 2) % 3, (first + 2) % 3] > m[second, second]:
        second = (first + 2) % 3
    _orthonormal(nodes, at, load(nodes[at], 3 * first), load(nodes[at], 3 * second))
