"""Capsule against capsule: two segments, each with a radius."""

from __future__ import annotations

import math

from standoff.compiled.jit import inlined, kernel
from standoff.geometry.narrowphase.layout import SIZE
from standoff.geometry.narrowphase.rows import (
    clamp,
    perpendicular,
    rounding,
    surface_point,
    write,
)
from standoff.geometry.narrowphase.vectors import cross, dot
from standoff.tolerances import CLOSE_FRACTION, EPS, SMALLEST_LENGTH, TOUCHING_UNITS

#: Below this squared sine two unit axes are called parallel, [-]. At a sine of 1e-15 the cross
#: product is rounding noise; treating the axes as parallel moves no point by more than 1e-15 of
#: their length.
PARALLEL_SINE_SQUARED = 1e-30


@inlined
def capsule_capsule(A, i, B, j, out, k):
    """The nearest points ``s u`` of one axis and ``t v`` of the other, both from their middles."""
    dx = A[i, 3] - B[j, 3]
    dy = A[i, 7] - B[j, 7]
    dz = A[i, 11] - B[j, 11]
    ux, uy, uz = A[i, 2], A[i, 6], A[i, 10]
    vx, vy, vz = B[j, 2], B[j, 6], B[j, 10]
    ra, ha = A[i, SIZE], A[i, SIZE + 1]
    rb, hb = B[j, SIZE], B[j, SIZE + 1]
    du = dx * ux + dy * uy + dz * uz
    dv = dx * vx + dy * vy + dz * vz
    uv = ux * vx + uy * vy + uz * vz
    wx, wy, wz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    ww = wx * wx + wy * wy + wz * wz
    if ww > PARALLEL_SINE_SQUARED:
        # s = -(d x v) . (u x v) / |u x v|². The same number by way of 1 - (u . v)² would lose
        # half of its digits on nearly parallel axes.
        sx, sy, sz = dy * vz - dz * vy, dz * vx - dx * vz, dx * vy - dy * vx
        s = clamp(-(sx * wx + sy * wy + sz * wz) / ww, ha)
    else:
        # Parallel: the middle of the stretch where the axes lie beside each other, or of the
        # stretch between them.
        s = clamp(0.5 * (max(-ha, -du - hb) + min(ha, -du + hb)), ha)
    t = dv + s * uv
    if abs(t) > hb:
        t = clamp(t, hb)
        s = clamp(t * uv - du, ha)
    qx = dx + s * ux - t * vx
    qy = dy + s * uy - t * vy
    qz = dz + s * uz - t * vz
    gap = math.sqrt(qx * qx + qy * qy + qz * qz)
    if gap > CLOSE_FRACTION * (ha + hb) and gap > SMALLEST_LENGTH:
        nx, ny, nz = qx / gap, qy / gap, qz / gap
    else:
        nx, ny, nz = close_normal((qx, qy, qz), (ux, uy, uz), s, ha, (vx, vy, vz), t, hb)
        gap = qx * nx + qy * ny + qz * nz
    n = (nx, ny, nz)
    a = surface_point(A, i, (s * ux, s * uy, s * uz), ra, n)
    b = surface_point(B, j, (t * vx, t * vy, t * vz), -rb, n)
    write(out, k, gap - (ra + rb), a, b, n, rounding(A, i, B, j, ra + ha + rb + hb))


@kernel
def close_normal(q, u, s, ha, v, t, hb):
    """The unit normal between two close axes whose nearest points differ by ``q``.

    It stands at right angles to an axis whose nearest point is an inner one, and does not point
    back along an axis whose nearest point is an end: ``s n . u <= 0 <= t n . v`` there. What of
    ``q`` says otherwise is rounding, and is taken out as long as it is no more than that. Where
    ``q`` is nothing but rounding the axes meet, and the common perpendicular is the shortest way
    apart. An axis without length asks for nothing.
    """
    noise = TOUCHING_UNITS * EPS * (ha + hb)
    meet = dot(*q, *q) <= noise * noise
    inner_u, inner_v = _inner(s, ha, meet), _inner(t, hb, meet)
    if inner_v and not inner_u:
        q = without(q, v)
    elif inner_u and not inner_v:
        q = without(q, u)
    right_to_u = inner_u or s * dot(*q, *u) > 0.0
    right_to_v = inner_v or t * dot(*q, *v) < 0.0
    if right_to_u and right_to_v:
        found, n = _common_perpendicular(q, u, v, noise)
        if found:
            return n
    if right_to_u:
        q = without(q, u)
    elif right_to_v:
        q = without(q, v)
    length = math.sqrt(dot(*q, *q))
    if length > noise and length > SMALLEST_LENGTH:
        return q[0] / length, q[1] / length, q[2] / length
    return perpendicular(*v) if hb > 0.0 else perpendicular(*u)


@inlined
def _inner(s, half, meet):
    """Whether the point ``s`` of an axis counts as an inner one."""
    return half > 0.0 and (meet or abs(s) < half)


@kernel
def _common_perpendicular(q, u, v, noise):
    """The unit vector at right angles to both axes on the side of ``q``, and whether that is all of
    ``q`` but for rounding."""
    # The part of v at right angles to u makes a cross product at right angles to both, however
    # small the angle between them.
    w = cross(*u, *without(v, u))
    ww = dot(*w, *w)
    if not ww > PARALLEL_SINE_SQUARED:
        return False, w
    length = math.copysign(math.sqrt(ww), dot(*w, *q))
    w = (w[0] / length, w[1] / length, w[2] / length)
    r = without(q, w)
    return dot(*r, *r) <= noise * noise, w


@kernel
def without(q, u):
    """``q`` without its part along the unit vector ``u``."""
    along = dot(*q, *u)
    return q[0] - along * u[0], q[1] - along * u[1], q[2] - along * u[2]
