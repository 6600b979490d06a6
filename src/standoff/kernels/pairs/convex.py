"""Any two of sphere, capsule, box, cylinder and polyhedron, by support functions.

A polyhedron may be a point, a segment, a triangle or flat. Separated pairs are answered by GJK
with its duality gap as slack. Overlapping ones get minus the penetration depth.
"""

from __future__ import annotations

import math

from standoff.kernels.convex.cores import prepare
from standoff.kernels.convex.gjk import BEYOND, SEPARATED
from standoff.kernels.convex.scratch import (
    CORE_A,
    CORE_B,
    ICORE_A,
    ICORE_B,
    IWORK,
    OFFSET,
    R_DISTANCE,
    R_LOWER,
    R_NORMAL,
    R_POINT_A,
    R_POINT_B,
    R_ROUNDING,
    WORK,
)
from standoff.kernels.convex.signed import signed_distance
from standoff.kernels.jit import entry, kernel
from standoff.kernels.layout import SLACK

#: Lengths of the scratch arrays ``work`` (float64) and ``iwork`` (int64).
CONVEX_WORK = WORK
CONVEX_IWORK = IWORK

#: Return codes of the pair kernels.
CONVERGED = 0
DOUBTFUL = 1
FARTHER = 2


@kernel
def convex_pair(A, RA, i, PA, B, RB, j, PB, work, iwork, out, k):
    """Signed distance of two convex bodies into row ``k``; 0 when it is proved.

    1 means that the steps ran out or rounding forbade further ones: the value is then the proved
    lower bound, and the witness points are farther apart than it says."""
    return convex_pair_within(A, RA, i, PA, B, RB, j, PB, math.inf, work, iwork, out, k)


@kernel
def convex_pair_within(A, RA, i, PA, B, RB, j, PB, limit, work, iwork, out, k):
    """As `convex_pair`, but stops with code 2 once the distance is proved to exceed ``limit``
    [m]; the value is then a lower bound of the distance, above ``limit``, and the witness points
    are points of the bodies, but not the nearest."""
    ra = prepare(A, RA, i, PA, work, CORE_A, iwork, ICORE_A)
    rb = prepare(B, RB, j, PB, work, CORE_B, iwork, ICORE_B)
    for r in range(3):
        work[OFFSET + r] = A[i, 4 * r + 3] - B[j, 4 * r + 3]
    status = signed_distance(work, iwork, PA, PB, limit + ra + rb)
    value = work[R_DISTANCE]
    if status == SEPARATED:
        code = CONVERGED
    elif status == BEYOND:
        code = FARTHER
        value = work[R_LOWER]
    else:
        code = DOUBTFUL
        value = work[R_LOWER]
    out[k, 0] = value - ra - rb
    for r in range(3):
        n = work[R_NORMAL + r]
        out[k, 1 + r] = A[i, 4 * r + 3] + (work[R_POINT_A + r] - ra * n)
        out[k, 4 + r] = B[j, 4 * r + 3] + (work[R_POINT_B + r] + rb * n)
        out[k, 7 + r] = n
    out[k, SLACK] = max(value - work[R_LOWER], 0.0) + work[R_ROUNDING]
    return code


@entry(
    "void(float64[:,::1], int64[:,::1], float64[:,::1], int64[:,::1], float64[::1], int64[::1], "
    "float64[:,::1], int64[::1])"
)
def convex_distances(rows, refs, points, pairs, work, iwork, out, codes):
    """`convex_pair` of each row of ``pairs`` (two indices of bodies)."""
    for k in range(len(pairs)):
        codes[k] = convex_pair(
            rows, refs, pairs[k, 0], points, rows, refs, pairs[k, 1], points, work, iwork, out, k
        )
