"""Any two of sphere, capsule, box, cylinder and polyhedron, by support functions.

A polyhedron may be a point, a segment, a triangle or flat. Separated pairs are answered by GJK
with its duality gap as slack, overlapping ones by the expanding polytope with minus the
penetration depth.

A cylinder holds a capsule along its axis. The distance of such capsules is found on segments, in
a few exact steps, and is an upper bound of the distance of the cylinders; one probe of the
cylinders along the same normal gives a lower bound. Where a side is nearest the two agree, and it
is just there that a ring of equally deep directions would keep the polytope busy. A cylinder and
a body along its axis have a closed form.
"""

from __future__ import annotations

import math

from standoff.constants import EPA_TOLERANCE, GJK_STALL, GJK_TOLERANCE
from standoff.kernels.convex.cores import (
    CYLINDER,
    SPINE,
    exchange,
    inscribed,
    prepare,
    probe,
    rounding_of,
    roundness,
)
from standoff.kernels.convex.expand import PROVED, expand
from standoff.kernels.convex.gjk import BEYOND, OVERLAP, SEPARATED, STALLED, gjk
from standoff.kernels.convex.parallel import parallel
from standoff.kernels.convex.refine import refine
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
    RESULT,
    SAVED,
    VERTICES,
    WORK,
)
from standoff.kernels.jit import entry, kernel
from standoff.kernels.layout import SLACK

#: Lengths of the scratch arrays ``work`` (float64) and ``iwork`` (int64).
CONVEX_WORK = int(WORK)
CONVEX_IWORK = int(IWORK)

#: Return codes of the pair kernels.
CONVERGED = 0
DOUBTFUL = 1
FARTHER = 2


@kernel
def convex_pair(A, RA, i, PA, B, RB, j, PB, work, iwork, out, k):
    """Signed distance of two convex bodies into row ``k``; 0 when it is proved.

    1 means that the steps ran out or rounding forbade further ones: the value is then the proved
    lower bound, and the witness points may be farther apart than it says."""
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
    work[R_ROUNDING] = rounding_of(work, iwork, PA, PB, ra + rb)
    size = roundness(work, CORE_A, iwork, ICORE_A) + roundness(work, CORE_B, iwork, ICORE_B)
    curved = size > 0.0
    status = STALLED
    first = 1
    if curved:
        first = 0
        if parallel(work, iwork, GJK_TOLERANCE * size):
            status = SEPARATED
            first = 2
    # Two rounds in one loop, so that each method is compiled in once.
    for attempt in range(first, 2):
        inner = attempt == 0
        if inner:
            exchange(iwork, CYLINDER, SPINE)
        bound = math.inf if inner else limit + ra + rb
        curvature = 0.0 if inner else size
        status = gjk(work, iwork, PA, PB, bound, GJK_TOLERANCE * curvature, curved and not inner)
        stalled = status == STALLED
        if stalled or status == OVERLAP:
            for r in range(SAVED - RESULT):
                work[SAVED + r] = work[RESULT + r]
            proof = expand(work, iwork, PA, PB, EPA_TOLERANCE * curvature)
            if stalled and not (proof == PROVED and work[R_DISTANCE] <= 0.0):
                status = _best(work, GJK_TOLERANCE * curvature)
            elif proof == PROVED:
                status = SEPARATED
            else:
                status = STALLED
                refine(work, iwork, PA, PB, GJK_TOLERANCE * curvature)
        if inner and _fits(work, iwork, PA, PB, GJK_TOLERANCE * size):
            status = SEPARATED
            break
    value = work[R_DISTANCE] if status == SEPARATED else work[R_LOWER]
    out[k, 0] = value - ra - rb
    for r in range(3):
        n = work[R_NORMAL + r]
        out[k, 1 + r] = A[i, 4 * r + 3] + (work[R_POINT_A + r] - ra * n)
        out[k, 4 + r] = B[j, 4 * r + 3] + (work[R_POINT_B + r] + rb * n)
        out[k, 7 + r] = n
    out[k, SLACK] = max(value - work[R_LOWER], 0.0) + work[R_ROUNDING]
    if status == SEPARATED:
        return CONVERGED
    return FARTHER if status == BEYOND else DOUBTFUL


@kernel
def _best(work, tolerance):
    """GJK stalled, so nearly touching, and the polytope is the second opinion. Of the two answers
    the greater lower bound with its normal, and the points that are nearer to each other."""
    saved = SAVED - RESULT
    if work[saved + R_LOWER] > work[R_LOWER]:
        work[R_LOWER] = work[saved + R_LOWER]
        for r in range(3):
            work[R_NORMAL + r] = work[saved + R_NORMAL + r]
    square = 0.0
    for r in range(3):
        square += (work[R_POINT_A + r] - work[R_POINT_B + r] + work[OFFSET + r]) ** 2
    work[R_DISTANCE] = math.sqrt(square)
    if work[saved + R_DISTANCE] < work[R_DISTANCE]:
        work[R_DISTANCE] = work[saved + R_DISTANCE]
        for r in range(6):
            work[R_POINT_A + r] = work[saved + R_POINT_A + r]
    gap = work[R_DISTANCE] - work[R_LOWER]
    return SEPARATED if gap <= tolerance + GJK_STALL * work[R_ROUNDING] else STALLED


@kernel
def _fits(work, iwork, PA, PB, tolerance):
    """Back from the spines to the cylinders; true where their distance is now proved."""
    ra = inscribed(work, CORE_A, iwork, ICORE_A)
    rb = inscribed(work, CORE_B, iwork, ICORE_B)
    exchange(iwork, SPINE, CYLINDER)
    nx, ny, nz = work[R_NORMAL], work[R_NORMAL + 1], work[R_NORMAL + 2]
    upper = work[R_DISTANCE] - ra - rb
    lower = -probe(work, iwork, PA, PB, VERTICES, -nx, -ny, -nz)
    if upper - lower > tolerance + work[R_ROUNDING]:
        return False
    work[R_DISTANCE] = upper
    work[R_LOWER] = lower
    for r in range(3):
        work[R_POINT_A + r] -= ra * work[R_NORMAL + r]
        work[R_POINT_B + r] += rb * work[R_NORMAL + r]
    return True


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
