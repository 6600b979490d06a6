"""Capsule against box: a segment with a radius against a box, in the box's frame."""

from __future__ import annotations

import math

from standoff.compiled.jit import kernel
from standoff.geometry.narrowphase.layout import SIZE
from standoff.geometry.narrowphase.rows import clamp, rotate, rounding, unrotate, write_round
from standoff.geometry.narrowphase.segment_box import close_normal, nearest_parameter, separation
from standoff.tolerances import BLUR_UNITS, CLOSE_FRACTION, EPS, TOUCHING_UNITS


@kernel
def capsule_box(A, i, B, j, out, k):
    """Exact distance of axis and box less the radius; where the axis enters the box, the exact
    depth of the axis in the box and the radius together."""
    cx, cy, cz = unrotate(B, j, A[i, 3] - B[j, 3], A[i, 7] - B[j, 7], A[i, 11] - B[j, 11])
    ux, uy, uz = unrotate(B, j, A[i, 2], A[i, 6], A[i, 10])
    radius, reach = A[i, SIZE], A[i, SIZE + 1]
    hx, hy, hz = B[j, SIZE], B[j, SIZE + 1], B[j, SIZE + 2]
    size = reach + hx + hy + hz
    unit = EPS * (size + abs(cx) + abs(cy) + abs(cz))
    noise, blur = TOUCHING_UNITS * unit, BLUR_UNITS * unit
    s = nearest_parameter(cx, cy, cz, ux, uy, uz, reach, hx, hy, hz, blur)
    px, py, pz = cx + s * ux, cy + s * uy, cz + s * uz
    bx, by, bz = clamp(px, hx), clamp(py, hy), clamp(pz, hz)
    qx, qy, qz = px - bx, py - by, pz - bz
    gap = math.sqrt(qx * qx + qy * qy + qz * qz)
    if gap > CLOSE_FRACTION * size:
        nx, ny, nz = qx / gap, qy / gap, qz / gap
    elif gap > noise:
        nx, ny, nz = close_normal(qx, qy, qz, ux, uy, uz, s, reach, noise)
        gap = qx * nx + qy * ny + qz * nz
    else:
        gap, nx, ny, nz = separation(cx, cy, cz, ux, uy, uz, reach, hx, hy, hz, noise)
        # Moved out by the depth, the axis touches the box, and only where it leaves it.
        cx, cy, cz = cx - gap * nx, cy - gap * ny, cz - gap * nz
        s = nearest_parameter(cx, cy, cz, ux, uy, uz, reach, hx, hy, hz, blur)
        bx, by, bz = clamp(cx + s * ux, hx), clamp(cy + s * uy, hy), clamp(cz + s * uz, hz)
    slack = rounding(A, i, B, j, radius + size)
    a, b = (s * A[i, 2], s * A[i, 6], s * A[i, 10]), rotate(B, j, bx, by, bz)
    n = rotate(B, j, nx, ny, nz)
    write_round(A, i, B, j, out, k, (a, radius, b, 0.0, gap, n, slack))
