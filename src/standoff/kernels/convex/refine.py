"""A penetration depth that the polytope left open, brought down to the bottom of its valley.

Where very many directions are almost equally deep, the polytope runs out of vertices first. Its
best direction ``n`` is then improved on the spot: the point just outside the difference of the
cores along ``n`` is projected back onto it, and the normal there is the next direction. In a flat
valley that turns the direction by too little each time, so the turn is doubled for as long as it
helps. Every ``h(n)`` on the way is an upper bound of the depth, so nothing can go wrong with it.
"""

from __future__ import annotations

import math

from standoff.constants import REFINE_DOUBLINGS, REFINE_OFFSET, REFINE_STEPS
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
from standoff.kernels.vectors import dot, load, plus, store


@kernel
def refine(work, iwork, PA, PB, tolerance):
    """Improve the depth, direction and points in RESULT; the upper bound is left as it is."""
    rounding = work[R_ROUNDING]
    kept = VERTICES + 9
    for _ in range(REFINE_STEPS):
        for k in range(10):
            work[kept + k] = work[R_DISTANCE + k]
        depth = -work[R_DISTANCE]
        nx, ny, nz = load(work, R_NORMAL)
        ox, oy, oz = load(work, OFFSET)
        # The normal of the result points inwards.
        away = depth * (1.0 + REFINE_OFFSET) + rounding
        store(work, OFFSET, *plus(ox, oy, oz, away, nx, ny, nz))
        status = gjk(work, iwork, PA, PB, math.inf, tolerance, WARM)
        store(work, OFFSET, ox, oy, oz)
        tx, ty, tz = plus(*load(work, R_NORMAL), -1.0, nx, ny, nz)
        found = math.inf
        turn = 1.0
        for _ in range(REFINE_DOUBLINGS):
            mx, my, mz = plus(nx, ny, nz, turn, tx, ty, tz)
            s = 1.0 / math.sqrt(dot(mx, my, mz, mx, my, mz))
            mx, my, mz = s * mx, s * my, s * mz
            height = probe(work, iwork, PA, PB, VERTICES, -mx, -my, -mz)
            if height >= found:
                break
            found = height
            store(work, R_NORMAL, mx, my, mz)
            turn *= 2.0
        if status == OVERLAP or found > depth:
            for k in range(10):
                work[R_DISTANCE + k] = work[kept + k]
            break
        work[R_DISTANCE] = -found
        if turn <= 2.0 and depth - found <= tolerance + rounding:
            break
    work[R_LOWER] = work[R_DISTANCE]
