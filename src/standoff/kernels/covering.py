"""What two capsules cost where a plane parts a body."""

from __future__ import annotations

import numpy as np

from standoff.kernels.capsule_fit import fit, start_axis
from standoff.kernels.capsule_union import union_volume
from standoff.kernels.jit import entry, kernel


@kernel
def _clip(points, edges, plane, side, out):
    """The balls of a body on one side of a plane (normal, offset), those that its edges cut off
    included; their number."""
    n = 0
    for i in range(points.shape[0]):
        h = points[i, 0] * plane[0] + points[i, 1] * plane[1] + points[i, 2] * plane[2] - plane[3]
        points[i, 4] = h * side
        if h * side >= 0.0:
            for c in range(4):
                out[n, c] = points[i, c]
            n += 1
    for e in range(edges.shape[0]):
        i = edges[e, 0]
        j = edges[e, 1]
        hi = points[i, 4]
        hj = points[j, 4]
        if (hi < 0.0 and hj > 0.0) or (hi > 0.0 and hj < 0.0):
            t = hi / (hi - hj)
            for c in range(4):
                out[n, c] = points[i, c] + t * (points[j, c] - points[i, c])
            n += 1
    return n


@entry(
    "float64(float64[:, ::1], int64[:, ::1], float64[::1], float64[::1], int64, float64, "
    "float64[:, ::1], float64[:, ::1], int64, float64[:, ::1], float64[:, ::1], float64[:, ::1], "
    "float64[:, ::1])"
)
def split_volume(
    points,
    edges,
    plane,
    sharpness,
    iterations,
    tolerance,
    capsules,
    frame,
    grid,
    piece,
    work,
    ends,
    scratch,
):
    """Part a body by a plane and fit a capsule to each part, into rows 0 and 1 of ``capsules``; the
    volume of the union of all rows. Infinite where one side is empty. ``points`` has a fifth
    column for heights above the plane, ``piece`` room for all points and edges."""
    for side in range(2):
        n = _clip(points, edges, plane, 1.0 - 2.0 * side, piece)
        if n == 0:
            return np.inf
        start_axis(piece, n, capsules[side])
        capsules[side, 6] = fit(
            piece, n, capsules[side], sharpness, iterations, tolerance, work, scratch
        )
    return union_volume(capsules, frame, grid, ends)
