"""The nearest points of two segments, the part that triangle and rectangle distances share."""

from __future__ import annotations

from standoff.kernels.jit import kernel
from standoff.kernels.vectors import cross, dot


@kernel
def clamp(value, lower, upper):
    return min(max(value, lower), upper)


@kernel
def segment_parameters(r0, r1, r2, u0, u1, u2, v0, v1, v2):
    """Where ``p + s u`` and ``q + t v``, s and t in [0, 1], are nearest; ``r = q - p``.

    Any segment may be a point. The lines' own parameter is taken from the cross product
    ``n = u x v`` rather than from ``(u.u)(v.v) - (u.v)^2``: the latter is all rounding once the
    angle falls below 1e-8, the former is good to the last digits at any angle.
    """
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
