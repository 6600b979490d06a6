"""A penetration depth that the polytope left open, brought down to the bottom of its valley.

Where very many directions are almost equally deep, the polytope runs out of vertices first. Its
best direction ``n`` is then improved on the spot: the point just outside the difference of the
cores along ``n`` is projected back onto it, and the normal there is the next direction. Every
``h(n)`` on the way is an upper bound of the depth, so a step is kept only where it is less deep.
"""

from __future__ import annotations

import math

from standoff.constants import REFINE_OFFSET, REFINE_STEPS
from standoff.kernels.convex.cores import probe
from standoff.kernels.convex.gjk import OVERLAP, WARM, gjk
from standoff.kernels.convex.scratch import (
    OFFSET,
    R_DISTANCE,
    R_LOWER,
    R_NORMAL,
    R_ROUNDING,
    VERTICES,
)
from standoff.kernels.jit import kernel


@kernel
def refine(work, iwork, PA, PB, tolerance):
    """Improve the depth, direction and points in RESULT; the upper bound is left as it is."""
    rounding = work[R_ROUNDING]
    kept = VERTICES + 9
    for _ in range(REFINE_STEPS):
        for k in range(10):
            work[kept + k] = work[R_DISTANCE + k]
        depth = -work[R_DISTANCE]
        nx, ny, nz = -work[R_NORMAL], -work[R_NORMAL + 1], -work[R_NORMAL + 2]
        away = depth * (1.0 + REFINE_OFFSET) + rounding
        ox, oy, oz = work[OFFSET], work[OFFSET + 1], work[OFFSET + 2]
        work[OFFSET] = ox - away * nx
        work[OFFSET + 1] = oy - away * ny
        work[OFFSET + 2] = oz - away * nz
        status = gjk(work, iwork, PA, PB, math.inf, tolerance, WARM)
        work[OFFSET] = ox
        work[OFFSET + 1] = oy
        work[OFFSET + 2] = oz
        mx, my, mz = -work[R_NORMAL], -work[R_NORMAL + 1], -work[R_NORMAL + 2]
        found = math.inf
        if status != OVERLAP:
            found = probe(work, iwork, PA, PB, VERTICES, mx, my, mz)
        if found > depth:
            # The points of the projection belong to the direction kept only if they are below it.
            for k in range(10):
                work[R_DISTANCE + k] = work[kept + k]
            break
        work[R_DISTANCE] = -found
        if depth - found <= tolerance + rounding:
            break
    work[R_LOWER] = work[R_DISTANCE]
    work[R_ROUNDING] = rounding
