"""Sphere against box."""

from __future__ import annotations

import math

from standoff.compiled.jit import inlined
from standoff.geometry.narrowphase.layout import SIZE
from standoff.geometry.narrowphase.rows import (
    clamp,
    rotate,
    rounding,
    surface_point,
    unrotate,
    write,
)
from standoff.tolerances import SMALLEST_LENGTH


@inlined
def sphere_box(A, i, B, j, out, k):
    """The centre, in the box's frame, against the nearest point of the box; a centre inside
    leaves through the nearest face."""
    px, py, pz = unrotate(B, j, A[i, 3] - B[j, 3], A[i, 7] - B[j, 7], A[i, 11] - B[j, 11])
    radius = A[i, SIZE]
    hx, hy, hz = B[j, SIZE], B[j, SIZE + 1], B[j, SIZE + 2]
    bx, by, bz = clamp(px, hx), clamp(py, hy), clamp(pz, hz)
    qx, qy, qz = px - bx, py - by, pz - bz
    gap = math.sqrt(qx * qx + qy * qy + qz * qz)
    if gap > SMALLEST_LENGTH:
        nx, ny, nz = qx / gap, qy / gap, qz / gap
    else:
        nx, ny, nz = 0.0, 0.0, 0.0
        ex, ey, ez = abs(px) - hx, abs(py) - hy, abs(pz) - hz
        gap = max(ex, ey, ez)
        if gap == ex:
            nx, bx = math.copysign(1.0, px), math.copysign(hx, px)
        elif gap == ey:
            ny, by = math.copysign(1.0, py), math.copysign(hy, py)
        else:
            nz, bz = math.copysign(1.0, pz), math.copysign(hz, pz)
    slack = rounding(A, i, B, j, radius + hx + hy + hz)
    n = rotate(B, j, nx, ny, nz)
    a = surface_point(A, i, (0.0, 0.0, 0.0), radius, n)
    b = surface_point(B, j, rotate(B, j, bx, by, bz), 0.0, n)
    write(out, k, gap - radius, a, b, n, slack)
