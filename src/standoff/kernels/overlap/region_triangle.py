"""A triangle against a cube along the axes of coordinates, and a point against a triangle."""

from __future__ import annotations

import math

from standoff.kernels.jit import inlined, kernel
from standoff.kernels.segments import clamp
from standoff.kernels.vectors import cross, dot, minus, point


@kernel
def triangle_away(V, F, t, cx, cy, cz, h, reach, round_):
    """Whether a direction shows triangle ``t`` to be farther than ``reach`` from the cube about c
    of half edge ``h``: any direction n does for which

        min over the corners of n . (v - c)  >  h (|n_x| + |n_y| + |n_z|) + reach |n|.

    Tried are the thirteen that tell a triangle and a cube apart, and, where ``round_`` is not 0,
    the one from the nearest point of the triangle to the cube's middle."""
    a0, a1, a2 = point(V, F[t, 0])
    b0, b1, b2 = point(V, F[t, 1])
    d0, d1, d2 = point(V, F[t, 2])
    a0, a1, a2 = minus(a0, a1, a2, cx, cy, cz)
    b0, b1, b2 = minus(b0, b1, b2, cx, cy, cz)
    d0, d1, d2 = minus(d0, d1, d2, cx, cy, cz)
    x = max(min(a0, b0, d0), -max(a0, b0, d0)) - h
    y = max(min(a1, b1, d1), -max(a1, b1, d1)) - h
    z = max(min(a2, b2, d2), -max(a2, b2, d2)) - h
    if x > reach or y > reach or z > reach:
        return True
    if round_ != 0 and reach > 0.0:
        x, y, z = max(x, 0.0), max(y, 0.0), max(z, 0.0)
        if math.sqrt(x * x + y * y + z * z) > reach:
            return True
    u0, u1, u2 = minus(b0, b1, b2, a0, a1, a2)
    v0, v1, v2 = minus(d0, d1, d2, b0, b1, b2)
    w0, w1, w2 = minus(a0, a1, a2, d0, d1, d2)
    n0, n1, n2 = cross(u0, u1, u2, v0, v1, v2)
    if _split(n0, n1, n2, a0, a1, a2, b0, b1, b2, d0, d1, d2, h, reach):
        return True
    # Along e_k x edge the edge's two ends are at one height: it and the third corner tell.
    if (
        _edge(u1, u2, a1, a2, d1, d2, h, reach)
        or _edge(u2, u0, a2, a0, d2, d0, h, reach)
        or _edge(u0, u1, a0, a1, d0, d1, h, reach)
        or _edge(v1, v2, b1, b2, a1, a2, h, reach)
        or _edge(v2, v0, b2, b0, a2, a0, h, reach)
        or _edge(v0, v1, b0, b1, a0, a1, h, reach)
        or _edge(w1, w2, d1, d2, b1, b2, h, reach)
        or _edge(w2, w0, d2, d0, b2, b0, h, reach)
        or _edge(w0, w1, d0, d1, b0, b1, h, reach)
    ):
        return True
    if round_ == 0:
        return False
    n0, n1, n2 = _nearest(a0, a1, a2, b0, b1, b2, d0, d1, d2)
    return _split(n0, n1, n2, a0, a1, a2, b0, b1, b2, d0, d1, d2, h, reach)


@inlined
def _split(n0, n1, n2, a0, a1, a2, b0, b1, b2, d0, d1, d2, h, reach):
    """Whether the corners lie on one side of the cube along n, by more than ``reach``."""
    a, b, d = (
        dot(n0, n1, n2, a0, a1, a2),
        dot(n0, n1, n2, b0, b1, b2),
        dot(n0, n1, n2, d0, d1, d2),
    )
    apart = max(min(a, b, d), -max(a, b, d)) - h * (abs(n0) + abs(n1) + abs(n2))
    return apart > reach * math.sqrt(dot(n0, n1, n2, n0, n1, n2))


@inlined
def _edge(e, f, p, q, r, s, h, reach):
    """The same along (f, -e) in the plane of two axes, in which the edge runs along (e, f) from
    (p, q) and the third corner is (r, s)."""
    a, b = f * p - e * q, f * r - e * s
    return max(min(a, b), -max(a, b)) > h * (abs(e) + abs(f)) + reach * math.sqrt(e * e + f * f)


@kernel
def triangle_distance(V, F, t, cx, cy, cz):
    """The distance of a point and triangle ``t``, never too short but for rounding."""
    a0, a1, a2 = point(V, F[t, 0])
    b0, b1, b2 = point(V, F[t, 1])
    d0, d1, d2 = point(V, F[t, 2])
    a0, a1, a2 = minus(a0, a1, a2, cx, cy, cz)
    b0, b1, b2 = minus(b0, b1, b2, cx, cy, cz)
    d0, d1, d2 = minus(d0, d1, d2, cx, cy, cz)
    x, y, z = _nearest(a0, a1, a2, b0, b1, b2, d0, d1, d2)
    return math.sqrt(dot(x, y, z, x, y, z))


@kernel
def _nearest(a0, a1, a2, b0, b1, b2, d0, d1, d2):
    """A point of the triangle nearest to the origin: above its inside, or on one of its edges."""
    u0, u1, u2 = minus(b0, b1, b2, a0, a1, a2)
    v0, v1, v2 = minus(d0, d1, d2, a0, a1, a2)
    uu, uv, vv = (
        dot(u0, u1, u2, u0, u1, u2),
        dot(u0, u1, u2, v0, v1, v2),
        dot(v0, v1, v2, v0, v1, v2),
    )
    au, av = -dot(a0, a1, a2, u0, u1, u2), -dot(a0, a1, a2, v0, v1, v2)
    det = uu * vv - uv * uv
    s, t = au * vv - av * uv, av * uu - au * uv
    if det > 0.0 and s >= 0.0 and t >= 0.0 and s + t <= det:
        s, t = s / det, t / det
        return a0 + s * u0 + t * v0, a1 + s * u1 + t * v1, a2 + s * u2 + t * v2
    x, y, z = _on_edge(a0, a1, a2, u0, u1, u2)
    best = dot(x, y, z, x, y, z)
    p, q, r = _on_edge(a0, a1, a2, v0, v1, v2)
    other = dot(p, q, r, p, q, r)
    if other < best:
        best, x, y, z = other, p, q, r
    p, q, r = _on_edge(b0, b1, b2, d0 - b0, d1 - b1, d2 - b2)
    if dot(p, q, r, p, q, r) < best:
        x, y, z = p, q, r
    return x, y, z


@inlined
def _on_edge(a0, a1, a2, u0, u1, u2):
    """The point of the edge from a along u nearest to the origin."""
    long = dot(u0, u1, u2, u0, u1, u2)
    s = clamp(-dot(a0, a1, a2, u0, u1, u2) / long, 0.0, 1.0) if long > 0.0 else 0.0
    return a0 + s * u0, a1 + s * u1, a2 + s * u2
