"""The nearest points of two segments, the part that triangle and rectangle distances share."""

from __future__ import annotations

from standoff.kernels.jit import kernel


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
    n0 = u1 * v2 - u2 * v1
    n1 = u2 * v0 - u0 * v2
    n2 = u0 * v1 - u1 * v0
    nn = n0 * n0 + n1 * n1 + n2 * n2
    s = 0.0
    if nn > 0.0:
        m0 = r1 * v2 - r2 * v1
        m1 = r2 * v0 - r0 * v2
        m2 = r0 * v1 - r1 * v0
        s = clamp((m0 * n0 + m1 * n1 + m2 * n2) / nn, 0.0, 1.0)
    t = 0.0
    vv = v0 * v0 + v1 * v1 + v2 * v2
    if vv > 0.0:
        t = ((s * u0 - r0) * v0 + (s * u1 - r1) * v1 + (s * u2 - r2) * v2) / vv
        if nn > 0.0 and 0.0 <= t <= 1.0:
            return s, t
        t = clamp(t, 0.0, 1.0)
    uu = u0 * u0 + u1 * u1 + u2 * u2
    if uu > 0.0:
        s = clamp(((r0 + t * v0) * u0 + (r1 + t * v1) * u1 + (r2 + t * v2) * u2) / uu, 0.0, 1.0)
    return s, t
