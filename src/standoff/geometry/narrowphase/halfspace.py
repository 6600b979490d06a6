"""Any body against a half space: its lowest point decides."""

from __future__ import annotations

import math

from standoff.compiled.jit import kernel
from standoff.geometry.narrowphase.layout import KIND, POINT0, POINTS, is_primitive
from standoff.geometry.narrowphase.rows import rotate, rounding, unrotate, write
from standoff.geometry.narrowphase.support import farthest, size_of, support_point
from standoff.geometry.narrowphase.vectors import point
from standoff.tolerances import FACING_TOLERANCE


@kernel
def body_halfspace(bodies, i, B, j, out, k):
    """Body ``i`` of any bounded kind against the half space ``j``. The value is the height of the
    body's lowest point above the plane; below it, minus the depth. A mesh may be open."""
    A, refs = bodies.rows, bodies.refs
    nx, ny, nz = B[j, 2], B[j, 6], B[j, 10]
    mx, my, mz = unrotate(A, i, nx, ny, nz)
    kind = refs[i, KIND]
    if is_primitive(kind):
        lx, ly, lz = support_point(kind, size_of(A, i), -mx, -my, -mz)
    else:
        points = bodies.solids.points
        row = farthest(points, refs[i, POINT0], refs[i, POINTS], -mx, -my, -mz)
        lx, ly, lz = point(points, row)
    # The point itself may be far away from its body's origin: it counts as a size.
    slack = rounding(A, i, B, j, abs(lx) + abs(ly) + abs(lz))
    lx, ly, lz = rotate(A, i, lx, ly, lz)
    height = nx * (A[i, 3] - B[j, 3] + lx)
    height += ny * (A[i, 7] - B[j, 7] + ly)
    height += nz * (A[i, 11] - B[j, 11] + lz)
    ax, ay, az = A[i, 3] + lx, A[i, 7] + ly, A[i, 11] + lz
    b = ax - height * nx, ay - height * ny, az - height * nz
    write(out, k, height, (ax, ay, az), b, (nx, ny, nz), slack)


@kernel
def halfspace_halfspace(A, i, B, j, out, k):
    """Two half spaces that face each other have the gap between their planes as distance, and
    minus the overlap as depth. All others overlap without end: -inf, and no points."""
    nx, ny, nz = B[j, 2], B[j, 6], B[j, 10]
    facing = max(abs(nx + A[i, 2]), abs(ny + A[i, 6]), abs(nz + A[i, 10]))
    if facing > FACING_TOLERANCE:
        nowhere = math.nan, math.nan, math.nan
        write(out, k, -math.inf, nowhere, nowhere, nowhere, 0.0)
        return
    gap = nx * (A[i, 3] - B[j, 3]) + ny * (A[i, 7] - B[j, 7]) + nz * (A[i, 11] - B[j, 11])
    ax, ay, az = A[i, 3], A[i, 7], A[i, 11]
    b = ax - gap * nx, ay - gap * ny, az - gap * nz
    write(out, k, gap, (ax, ay, az), b, (nx, ny, nz), rounding(A, i, B, j, 0.0))
