"""Sphere against sphere."""

from __future__ import annotations

import math

from standoff.compiled.jit import inlined
from standoff.geometry.narrowphase.layout import SIZE
from standoff.geometry.narrowphase.rows import rounding, write_round
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
    slack = rounding(A, i, B, j, ra + rb)
    middle = (0.0, 0.0, 0.0)
    write_round(A, i, B, j, out, k, (middle, ra, middle, rb, gap, (nx, ny, nz), slack))
