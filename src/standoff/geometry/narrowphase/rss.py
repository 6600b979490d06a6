"""Rectangle-swept spheres (RSS): all points within a radius of a rectangle.

A node is a row of 16 floats: the unit axes u, v, w as rows (0-8; w is the rectangle's normal), its
centre (9-11), the half lengths along u and v (12, 13), the radius (14), and the diameter (15) by
which a walk decides whom to split. A rectangle may be a segment or a point, so that a sphere, a
capsule and a triangle's own rectangle are such rows too.
"""

from __future__ import annotations

import math

from standoff.compiled.jit import kernel
from standoff.geometry.narrowphase.triangle import clamp, segment_parameters
from standoff.geometry.narrowphase.vectors import cross, dot, in_axes, place, plus, turn

#: The same for two rectangles, relative to the distance itself, [-]. What the search gives up here
#: only makes a lower bound lower.
RECTANGLE_TOLERANCE = 1e-12


CENTRE = 9
HALF_U = 12
HALF_V = 13
RADIUS = 14
DIAMETER = 15
NODE_COLUMNS = 16

#: Steps of Newton's method before a rectangle distance is settled by going through all features;
#: nine pairs in ten need no more than two.
_NEWTON_STEPS = 4


@kernel
def rss_bound(X, p, Y, q, rel, settled, enough):
    """A lower bound on the distance of node ``p`` of X and node ``q`` of Y, whose frame stands at
    ``rel`` (R row-major, then t) in the frame of X.

    It is the exact distance where that lies above ``settled`` and not above ``enough``: a walk that
    only asks whether a pair is nearer than d gives d for both, and is answered sooner. Above
    ``enough`` it is some bound above ``enough``; where the two overlap it is not above 0. Rounding
    is left to the caller.
    """
    radii = X[p, RADIUS] + Y[q, RADIUS]
    c0, c1, c2 = place(rel, Y[q, CENTRE], Y[q, CENTRE + 1], Y[q, CENTRE + 2])
    c0, c1, c2 = c0 - X[p, CENTRE], c1 - X[p, CENTRE + 1], c2 - X[p, CENTRE + 2]
    c = in_axes(X, p, c0, c1, c2)
    m = in_axes(X, p, *turn(rel, Y[q, 0], Y[q, 1], Y[q, 2]))
    n = in_axes(X, p, *turn(rel, Y[q, 3], Y[q, 4], Y[q, 5]))
    h, k = (X[p, HALF_U], X[p, HALF_V]), (Y[q, HALF_U], Y[q, HALF_V])
    return rectangle_bound(h, k, c, m, n, radii + max(settled, 0.0), radii + enough) - radii


@kernel
def rectangle_bound(h, k, c, m, n, settled, enough):
    """Distance of the rectangle |x| <= h0, |y| <= h1, z = 0 and the rectangle c + a m + b n,
    |a| <= k0, |b| <= k1, where it lies between ``settled`` and ``enough``; below and above those,
    some lower bound, which above ``enough`` stays above it.

    The squared distance of a point of b to a's rectangle is convex and piecewise quadratic in
    (a, b), so Newton's method on the pieces ends after a step or two. What is returned from there
    is never the iterate's distance but what its direction r separates:

        |r| d  >=  r.c - h0 |r_x| - h1 |r_y| - k0 |r.m| - k1 |r.n|    for any r,

    which holds wherever the iteration stopped. Pairs it does not settle (nearly parallel ones, and
    ones that cross) go through all edges and corners.
    """
    (h0, h1), (k0, k1), (c0, c1, c2), (m0, m1, m2), (n0, n1, n2) = h, k, c, m, n
    a = clamp(-dot(c0, c1, c2, m0, m1, m2), -k0, k0)
    b = clamp(-dot(c0, c1, c2, n0, n1, n2), -k1, k1)
    for _ in range(_NEWTON_STEPS):
        r0, r1, r2 = _spanned(c, a, m, b, n)
        r0 -= clamp(r0, -h0, h0)
        r1 -= clamp(r1, -h1, h1)
        rr = dot(r0, r1, r2, r0, r1, r2)
        if rr == 0.0:
            return 0.0
        ra = dot(r0, r1, r2, m0, m1, m2)
        rb = dot(r0, r1, r2, n0, n1, n2)
        lower = dot(r0, r1, r2, c0, c1, c2)
        lower -= h0 * abs(r0) + h1 * abs(r1) + k0 * abs(ra) + k1 * abs(rb)
        beyond = lower > 0.0 and lower * lower > enough * enough * rr
        close = rr <= settled * settled or rr - lower <= RECTANGLE_TOLERANCE * rr
        if close or beyond:
            return lower / math.sqrt(rr)
        sx = 0.0 if r0 == 0.0 else 1.0
        sy = 0.0 if r1 == 0.0 else 1.0
        aa = dot(sx * m0, sy * m1, m2, m0, m1, m2)
        ab = dot(sx * m0, sy * m1, m2, n0, n1, n2)
        bb = dot(sx * n0, sy * n1, n2, n0, n1, n2)
        a, b = _least((a, b), k, (ra, rb), (aa, ab, bb))
    return _by_features(h, k, c, m, n)


@kernel
def _spanned(c, a, m, b, n):
    """c + a m + b n."""
    return plus(*plus(*c, a, *m), b, *n)


@kernel
def _least(at, k, gradient, hessian):
    """Where the convex quadratic with gradient (ra, rb) and Hessian (aa, ab; ab, bb) at (a, b) is
    least in |a| <= k0, |b| <= k1."""
    (a, b), (k0, k1), (ra, rb), (aa, ab, bb) = at, k, gradient, hessian
    det = aa * bb - ab * ab
    if det <= 0.0:
        return _least_of_sides(at, k, gradient, hessian)
    x = a + (rb * ab - ra * bb) / det
    y = b + (ra * ab - rb * aa) / det
    # Outside, it is on a side that faces the free minimum (x, y).
    other = abs(y) > k1
    if abs(x) > k0:
        s = clamp(x, -k0, k0)
        t = clamp(b - (rb + ab * (s - a)) / bb, -k1, k1)
        if not other or (ra + aa * (s - a) + ab * (t - b)) * x <= 0.0:
            return s, t
    if other:
        y = clamp(y, -k1, k1)
        x = clamp(a - (ra + ab * (y - b)) / aa, -k0, k0)
    return x, y


@kernel
def _least_of_sides(at, k, gradient, hessian):
    """The same without a single free minimum: the least of the four sides."""
    (a, b), (k0, k1), (ra, rb), (aa, ab, bb) = at, k, gradient, hessian
    best = math.inf
    x, y = a, b
    for side in range(4):
        sign = 1.0 if side % 2 == 0 else -1.0
        if side < 2:
            s = sign * k0
            t = clamp(b - (rb + ab * (s - a)) / bb, -k1, k1) if bb > 0.0 else b
        else:
            t = sign * k1
            s = clamp(a - (ra + ab * (t - b)) / aa, -k0, k0) if aa > 0.0 else a
        u, v = s - a, t - b
        value = ra * u + rb * v + 0.5 * (aa * u * u + bb * v * v) + ab * u * v
        if value < best:
            best = value
            x, y = s, t
    return x, y


@kernel
def _corner(j):
    """The signs of corner ``j`` of a rectangle, counted round it."""
    return (1.0 if (j + 1) % 4 < 2 else -1.0), (1.0 if j % 4 < 2 else -1.0)


@kernel
def _by_features(h, k, c, m, n):
    """The same distance from the 16 pairs of edges, the 8 pairs of corner and face, and the 8 of
    edge and face, one of which holds the nearest points of two rectangles."""
    best = math.inf
    (h0, h1), (k0, k1), (c0, c1, c2), (m0, m1, m2), (n0, n1, n2) = h, k, c, m, n
    w0, w1, w2 = cross(m0, m1, m2, n0, n1, n2)
    for j in range(4):
        a, b = _corner(j)
        q0, q1, q2 = _spanned(c, a * k0, m, b * k1, n)
        a1, b1 = _corner(j + 1)
        a, b = (a1 - a) * k0, (b1 - b) * k1
        v0, v1, v2 = _spanned((0.0, 0.0, 0.0), a, m, b, n)
        best = min(best, _corner_face(q0, q1, q2, v0, v1, v2, h0, h1))
        for i in range(4):
            x, y = _corner(i)
            x1, y1 = _corner(i + 1)
            u0, u1 = (x1 - x) * h0, (y1 - y) * h1
            r0, r1 = q0 - x * h0, q1 - y * h1
            if j == 0:  # a's corner and edge as b's rectangle sees them
                best = min(
                    best,
                    _corner_face(
                        dot(x * h0 - c0, y * h1 - c1, -c2, m0, m1, m2),
                        dot(x * h0 - c0, y * h1 - c1, -c2, n0, n1, n2),
                        dot(x * h0 - c0, y * h1 - c1, -c2, w0, w1, w2),
                        u0 * m0 + u1 * m1,
                        u0 * n0 + u1 * n1,
                        u0 * w0 + u1 * w1,
                        k0,
                        k1,
                    ),
                )
            s, t = segment_parameters((r0, r1, q2), (u0, u1, 0.0), (v0, v1, v2))
            d0, d1, d2 = r0 + t * v0 - s * u0, r1 + t * v1 - s * u1, q2 + t * v2
            best = min(best, dot(d0, d1, d2, d0, d1, d2))
    return math.sqrt(best)


@kernel
def _corner_face(q0, q1, q2, v0, v1, v2, h0, h1):
    """Squared distance of the corner q to the rectangle |x| <= h0, |y| <= h1, z = 0; 0 where the
    edge q + t v goes through it."""
    if q2 * (q2 + v2) < 0.0:
        t = -q2 / v2
        if abs(q0 + t * v0) <= h0 and abs(q1 + t * v1) <= h1:
            return 0.0
    x = max(abs(q0) - h0, 0.0)
    y = max(abs(q1) - h1, 0.0)
    return x * x + y * y + q2 * q2
