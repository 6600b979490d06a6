"""Whether a closed surface is that of a convex body."""

from __future__ import annotations

import math

from standoff.kernels.jit import entry


@entry("boolean(float64[:, ::1], int64[:, ::1], float64)")
def below_all_faces(points, faces, tolerance):
    """Whether no point stands out of the plane of any face by more than ``tolerance`` [m]. Faces
    without a normal are passed over. Faces times points; the first point out ends it."""
    for f in range(len(faces)):
        a, b, c = faces[f, 0], faces[f, 1], faces[f, 2]
        u0, u1, u2 = (
            points[b, 0] - points[a, 0],
            points[b, 1] - points[a, 1],
            points[b, 2] - points[a, 2],
        )
        v0, v1, v2 = (
            points[c, 0] - points[a, 0],
            points[c, 1] - points[a, 1],
            points[c, 2] - points[a, 2],
        )
        n0, n1, n2 = u1 * v2 - u2 * v1, u2 * v0 - u0 * v2, u0 * v1 - u1 * v0
        limit = tolerance * math.sqrt(n0 * n0 + n1 * n1 + n2 * n2)
        if limit == 0.0:
            continue
        offset = n0 * points[a, 0] + n1 * points[a, 1] + n2 * points[a, 2] + limit
        for p in range(len(points)):
            if n0 * points[p, 0] + n1 * points[p, 1] + n2 * points[p, 2] > offset:
                return False
    return True
