"""The signed distance of two cores: GJK outside, the expanding polytope inside, and for cylinders
first of all the capsules inside them.

A cylinder holds a capsule along its axis. The distance of the capsules is found on segments, in a
few exact steps, and is an upper bound of the distance of the cylinders; one probe of the cylinders
along the same normal gives a lower bound. Where a side is nearest the two agree, and it is
just there that a ring of equal directions would keep the polytope busy.
"""

from __future__ import annotations

import math

from standoff.constants import EPA_TOLERANCE, GJK_TOLERANCE
from standoff.kernels.convex.cores import CYLINDER, SPINE, exchange, inscribed, probe, roundness
from standoff.kernels.convex.expand import PROVED, expand
from standoff.kernels.convex.gjk import BEYOND, OVERLAP, SEPARATED, STALLED, gjk
from standoff.kernels.convex.refine import refine
from standoff.kernels.convex.scratch import (
    CORE_A,
    CORE_B,
    ICORE_A,
    ICORE_B,
    R_DISTANCE,
    R_LOWER,
    R_NORMAL,
    R_POINT_A,
    R_POINT_B,
    R_ROUNDING,
    VERTICES,
)
from standoff.kernels.jit import kernel


@kernel
def signed_distance(work, iwork, PA, PB, limit):
    """Into RESULT; returns SEPARATED where it is proved, else STALLED or BEYOND as GJK does."""
    size = roundness(work, CORE_A, iwork, ICORE_A) + roundness(work, CORE_B, iwork, ICORE_B)
    curved = size > 0.0
    status = STALLED
    # Two rounds in one loop, so that the two methods are compiled in once.
    for attempt in range(0 if curved else 1, 2):
        inner = attempt == 0
        if inner:
            exchange(iwork, ICORE_A, CYLINDER, SPINE)
            exchange(iwork, ICORE_B, CYLINDER, SPINE)
        bound = math.inf if inner else limit
        tolerance = 0.0 if inner else size
        status = gjk(work, iwork, PA, PB, bound, GJK_TOLERANCE * tolerance, curved and not inner)
        if status == OVERLAP:
            proof = expand(work, iwork, PA, PB, EPA_TOLERANCE * tolerance)
            if proof == PROVED:
                status = SEPARATED
            else:
                status = STALLED
                if not inner:
                    refine(work, iwork, PA, PB, GJK_TOLERANCE * size)
        if inner and _fits(work, iwork, PA, PB, GJK_TOLERANCE * size):
            return SEPARATED
    return status


@kernel
def _fits(work, iwork, PA, PB, tolerance):
    """Back from the spines to the cylinders; true where their distance is now proved."""
    ra = inscribed(work, CORE_A, iwork, ICORE_A)
    rb = inscribed(work, CORE_B, iwork, ICORE_B)
    exchange(iwork, ICORE_A, SPINE, CYLINDER)
    exchange(iwork, ICORE_B, SPINE, CYLINDER)
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
