"""Triangle against triangle, segment or point: the leaves of every mesh distance.

Corners stand in a scratch row ``w``: those of a at 0-8, those of b at 9-17; the nearest points
come back at NEAR_A and NEAR_B. Each candidate is a pair of points *of the two bodies*, up to a few
ulps of the coordinates, so no answer is shorter than the distance by more than that; the answer is
no longer by more than that either, because a normal is good to its last digits however thin the
triangle is (see `face_normal`).

The closest features are a corner and a face, two edges, or an edge that pierces a face; the first
candidate whose direction separates the bodies by its own length is the answer, and ends the
search. The edges of a triangle flatter than FLAT_TRIANGLE stand for it. The nearest points of two
segments serve the distances of rectangles as well.
"""

from __future__ import annotations

import math

from standoff.compiled.jit import kernel
from standoff.geometry.narrowphase.vectors import cross, dot, load, minus, plus, store
from standoff.tolerances import EPS, FLAT_TRIANGLE

#: Gap between the upper and the lower bound of a triangle distance, relative to its square, below
#: which the search ends early, [-]: a few roundings of the squares compared.
CLOSEST_TOLERANCE = 16 * EPS


CORNERS_B = 9
NEAR_A = 18
NEAR_B = 21
NORMAL_A = 24
_NORMAL_B = 27
_HEIGHT_A = 30
_HEIGHT_B = 33

#: Floats of scratch.
TRIANGLE_WORK = 36


@kernel
def triangle_triangle(w, na, nb, cutoff):
    """Squared distance of two bodies of ``na`` and ``nb`` corners (1, 2 or 3), 0 where they meet;
    infinity where it is shown to exceed the squared ``cutoff``, and then no nearest points."""
    best = math.inf
    side_a = _plane(w, 0, na, NORMAL_A, CORNERS_B, nb, _HEIGHT_B, cutoff)
    side_b = _plane(w, CORNERS_B, nb, _NORMAL_B, 0, na, _HEIGHT_A, cutoff)
    if side_a == _BEYOND or side_b == _BEYOND:
        return best
    if side_a == _WITHIN:
        best = _faces(w, 0, nb, best)
    if best > 0.0 and side_b == _WITHIN:
        best = _faces(w, CORNERS_B, na, best)
    if best == 0.0 or (best < math.inf and _separates(w, na, nb, best)):
        return best
    for i in range(_edges(na)):
        p0, p1, p2 = load(w, 3 * i)
        u = minus(*load(w, 3 * ((i + 1) % na)), p0, p1, p2)
        for j in range(_edges(nb)):
            q0, q1, q2 = load(w, CORNERS_B + 3 * j)
            v = minus(*load(w, CORNERS_B + 3 * ((j + 1) % nb)), q0, q1, q2)
            s, t = segment_parameters((q0 - p0, q1 - p1, q2 - p2), u, v)
            x, y = plus(p0, p1, p2, s, *u), plus(q0, q1, q2, t, *v)
            d = minus(*x, *y)
            distance = dot(*d, *d)
            if distance < best:
                best = distance
                store(w, NEAR_A, *x)
                store(w, NEAR_B, *y)
                if best == 0.0 or _separates(w, na, nb, best):
                    return best
    return best


@kernel
def _edges(corners):
    return 3 if corners == 3 else 1


#: 2^27 + 1 cuts a float in two of 26 bits each.
_SPLIT = 134217729.0

_WITHIN = 0
_FLAT = 1
_BEYOND = 2


@kernel
def _plane(w, p, count, normal, q, others, heights, cutoff):
    """The normal of the triangle at ``p`` (as long as twice its area) and the heights over its
    plane of the corners at ``q``, times the normal's length. Says whether the triangle is flat, or
    the normal separates the two by more than the cutoff."""
    if count < 3:
        return _FLAT
    p0, p1, p2 = load(w, p)
    u0, u1, u2 = load(w, p + 3)
    v0, v1, v2 = load(w, p + 6)
    n0, n1, n2 = face_normal((p0, p1, p2), (u0, u1, u2), (v0, v1, v2))
    store(w, normal, n0, n1, n2)
    u0, u1, u2 = minus(u0, u1, u2, p0, p1, p2)
    v0, v1, v2 = minus(v0, v1, v2, p0, p1, p2)
    nn = dot(n0, n1, n2, n0, n1, n2)
    side = FLAT_TRIANGLE * max(dot(u0, u1, u2, u0, u1, u2), dot(v0, v1, v2, v0, v1, v2))
    if nn <= side * side:
        return _FLAT
    low, high = math.inf, -math.inf
    for k in range(others):
        x0, x1, x2 = load(w, q + 3 * k)
        height = dot(n0, n1, n2, x0 - p0, x1 - p1, x2 - p2)
        w[heights + k] = height
        low, high = min(low, height), max(high, height)
    # min n.b - max n.a bounds |n| times the distance for any n, however it was rounded: what is
    # given up here does not rest on n being square to the triangle.
    u, v = dot(n0, n1, n2, u0, u1, u2), dot(n0, n1, n2, v0, v1, v2)
    gap = max(low - max(u, v, 0.0), min(u, v, 0.0) - high)
    return _BEYOND if gap > 0.0 and gap * gap > cutoff * nn else _WITHIN


@kernel
def face_normal(p, q, r):
    """The normal of the triangle p, q, r, as long as twice its area; 0 where it has none.

    With u = q - p and v = r - p, ``u x v`` as it stands is tilted by EPS |u| |v| / |u x v|, which
    is any angle for a sliver. u x v = u x (v - s u) for every s, and with the s that leaves only
    what of v is square to u, the product is as good as that difference: a few EPS, as the
    difference is taken from numbers of twice the length."""
    u0, a0 = _difference(q[0], p[0])
    u1, a1 = _difference(q[1], p[1])
    u2, a2 = _difference(q[2], p[2])
    v0, b0 = _difference(r[0], p[0])
    v1, b1 = _difference(r[1], p[1])
    v2, b2 = _difference(r[2], p[2])
    uu = dot(u0, u1, u2, u0, u1, u2)
    if uu == 0.0:
        return 0.0, 0.0, 0.0
    s = dot(u0, u1, u2, v0, v1, v2) / uu
    v0 = _remainder(v0, b0, s, u0, a0)
    v1 = _remainder(v1, b1, s, u1, a1)
    v2 = _remainder(v2, b2, s, u2, a2)
    return cross(u0, u1, u2, v0, v1, v2)


@kernel
def _difference(a, b):
    """a - b, and what rounding took off it: the two together are exact (Knuth)."""
    d = a - b
    t = d - a
    return d, (a - (d - t)) - (b + t)


@kernel
def _remainder(v, b, s, u, a):
    """(v + b) - s (u + a), rounded as if once, for b and a of a last digit of v and u: the
    product s u is taken with what rounding took off it (Dekker)."""
    p = s * u
    c, d = _SPLIT * s, _SPLIT * u
    high, top = c - (c - s), d - (d - u)
    low, tail = s - high, u - top
    lost = low * tail - (((p - high * top) - low * top) - high * tail)
    return ((v - p) - lost) + (b - s * a)


@kernel
def _faces(w, p, count, best):
    """The ``count`` corners of the other body that stand over the face at ``p``, and the edges that
    pierce it."""
    q, heights = CORNERS_B - p, _HEIGHT_B if p == 0 else _HEIGHT_A
    for k in range(2 * count):
        x0, x1, x2 = load(w, q + 3 * (k % count))
        h = w[heights + k % count]
        if k >= count:
            g = w[heights + (k + 1) % count]
            if not h * g < 0.0:
                continue
            y0, y1, y2 = load(w, q + 3 * ((k + 1) % count))
            x0, x1, x2 = plus(x0, x1, x2, h / (h - g), y0 - x0, y1 - x1, y2 - x2)
            h = 0.0
        best = _over(w, p, x0, x1, x2, h, best)
        if best == 0.0:
            break
    return best


@kernel
def _over(w, p, x0, x1, x2, height, best):
    """Take the point x into account where it stands over the face at ``p``, at ``height`` times
    the normal's length. The foot is taken along the normal: weights of the corners, which are the
    areas below, would put it anywhere along a sliver."""
    n0, n1, n2 = load(w, NORMAL_A if p == 0 else _NORMAL_B)
    c0, c1, c2 = load(w, p + 6)
    for k in range(3):
        d0, d1, d2 = load(w, p + 3 * k)
        m0, m1, m2 = cross(d0 - c0, d1 - c1, d2 - c2, x0 - c0, x1 - c1, x2 - c2)
        if dot(n0, n1, n2, m0, m1, m2) < 0.0:
            return best
        c0, c1, c2 = d0, d1, d2
    y0, y1, y2 = plus(x0, x1, x2, -height / dot(n0, n1, n2, n0, n1, n2), n0, n1, n2)
    d0, d1, d2 = minus(x0, x1, x2, y0, y1, y2)
    distance = dot(d0, d1, d2, d0, d1, d2)
    if distance < best:
        best = distance
        store(w, NEAR_A if p == 0 else NEAR_B, y0, y1, y2)
        store(w, NEAR_B if p == 0 else NEAR_A, x0, x1, x2)
    return best


@kernel
def _separates(w, na, nb, distance):
    """Whether the nearest points' own direction n separates the bodies by their squared distance:
    ``min n.a - max n.b >= n.n`` proves that no other pair is nearer."""
    x0, x1, x2 = load(w, NEAR_A)
    y0, y1, y2 = load(w, NEAR_B)
    n0, n1, n2 = minus(x0, x1, x2, y0, y1, y2)
    low, high = math.inf, -math.inf
    for k in range(na):
        a0, a1, a2 = load(w, 3 * k)
        low = min(low, dot(n0, n1, n2, a0 - x0, a1 - x1, a2 - x2))
    for k in range(nb):
        b0, b1, b2 = load(w, CORNERS_B + 3 * k)
        high = max(high, dot(n0, n1, n2, b0 - y0, b1 - y1, b2 - y2))
    return high - low <= CLOSEST_TOLERANCE * distance


@kernel
def clamp(value, lower, upper):
    return min(max(value, lower), upper)


@kernel
def segment_parameters(r, u, v):
    """Where ``p + s u`` and ``q + t v``, s and t in [0, 1], are nearest; ``r = q - p``.

    Any segment may be a point. The lines' own parameter is taken from the cross product
    ``n = u x v`` rather than from ``(u.u)(v.v) - (u.v)^2``: the latter is all rounding once the
    angle falls below 1e-8, the former is good to the last digits at any angle.
    """
    (r0, r1, r2), (u0, u1, u2), (v0, v1, v2) = r, u, v
    n0, n1, n2 = cross(u0, u1, u2, v0, v1, v2)
    nn = dot(n0, n1, n2, n0, n1, n2)
    s = 0.0
    if nn > 0.0:
        m0, m1, m2 = cross(r0, r1, r2, v0, v1, v2)
        s = clamp(dot(m0, m1, m2, n0, n1, n2) / nn, 0.0, 1.0)
    t = 0.0
    vv = dot(v0, v1, v2, v0, v1, v2)
    if vv > 0.0:
        t = dot(s * u0 - r0, s * u1 - r1, s * u2 - r2, v0, v1, v2) / vv
        if nn > 0.0 and 0.0 <= t <= 1.0:
            return s, t
        t = clamp(t, 0.0, 1.0)
    uu = dot(u0, u1, u2, u0, u1, u2)
    if uu > 0.0:
        s = clamp(dot(r0 + t * v0, r1 + t * v1, r2 + t * v2, u0, u1, u2) / uu, 0.0, 1.0)
    return s, t
