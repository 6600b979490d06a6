"""Sphere against sphere."""

from __future__ import annotations

import math

from standoff.compiled.jit import inlined
from standoff.geometry.narrowphase.layout import SIZE
from standoff.geometry.narrowphase.rows import rounding, surface_point, write
from standoff.tolerances import SMALLEST_LENGTH


@inlined
def sphere_sphere(A, i, B, j, out, k):
    """Along the line of centres; coincident centres part along z, as well as anywhere."""
    dx = A[i, 3] - B[j, 3]
    dy = A[i, 7] - B[j, 7]
    dz = A[i, 11] - B[j, 11]
    ra, rb = A[i, SIZE], B[j, SIZE]
    gap = math.sqrt(dx * dx + dy * dy + dz * dz)
    if gap > SMALLEST_LENGTH:
        nx, ny, nz = dx / gap, dy / gap, dz / gap
    else:
        nx, ny, nz = 0.0, 0.0, 1.0
    n, middle = (nx, ny, nz), (0.0, 0.0, 0.0)
    a, b = surface_point(A, i, middle, ra, n), surface_point(B, j, middle, -rb, n)
    write(out, k, gap - (ra + rb), a, b, n, rounding(A, i, B, j, ra + rb))
