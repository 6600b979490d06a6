"""Sphere against capsule."""

from __future__ import annotations

import math

from standoff.compiled.jit import inlined
from standoff.geometry.narrowphase.capsule_capsule import close_normal
from standoff.geometry.narrowphase.layout import SIZE
from standoff.geometry.narrowphase.rows import clamp, rounding, surface_point, write
from standoff.tolerances import CLOSE_FRACTION, SMALLEST_LENGTH


@inlined
def sphere_capsule(A, i, B, j, out, k):
    """The centre against the nearest point of the axis."""
    dx = A[i, 3] - B[j, 3]
    dy = A[i, 7] - B[j, 7]
    dz = A[i, 11] - B[j, 11]
    zx, zy, zz = B[j, 2], B[j, 6], B[j, 10]
    ra, rb, half = A[i, SIZE], B[j, SIZE], B[j, SIZE + 1]
    t = clamp(dx * zx + dy * zy + dz * zz, half)
    qx, qy, qz = dx - t * zx, dy - t * zy, dz - t * zz
    gap = math.sqrt(qx * qx + qy * qy + qz * qz)
    if gap > CLOSE_FRACTION * half and gap > SMALLEST_LENGTH:
        nx, ny, nz = qx / gap, qy / gap, qz / gap
    else:
        # The sphere is a capsule without length, and so has no axis that would ask for anything.
        axis = (zx, zy, zz)
        nx, ny, nz = close_normal((qx, qy, qz), axis, 0.0, 0.0, axis, t, half)
        gap = qx * nx + qy * ny + qz * nz
    n = (nx, ny, nz)
    a = surface_point(A, i, (0.0, 0.0, 0.0), ra, n)
    b = surface_point(B, j, (t * zx, t * zy, t * zz), -rb, n)
    write(out, k, gap - (ra + rb), a, b, n, rounding(A, i, B, j, ra + rb + half))
