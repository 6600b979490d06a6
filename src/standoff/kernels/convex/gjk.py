"""GJK (Gilbert, Johnson, Keerthi 1988): the distance of two convex cores that do not overlap.

With ``y = a - b`` over all points of the two cores, every ``|y|`` is an upper bound of the
distance, and for every unit vector ``n`` the least ``n . y`` is a lower bound. The walk ends when
the two meet; their difference, the duality gap, is the proof that goes with the answer.
"""

from __future__ import annotations

import math

import numpy as np

from standoff.constants import GJK_PATIENCE, GJK_STALL, GJK_STEPS
from standoff.kernels.convex.cores import middle, probe, support
from standoff.kernels.convex.scratch import (
    CORE_A,
    CORE_B,
    ICORE_A,
    ICORE_B,
    OFFSET,
    R_COUNT,
    R_DISTANCE,
    R_LOWER,
    R_NORMAL,
    R_ROUNDING,
    SIMPLEX,
    TRIAL,
    VERTICES,
    WEIGHTS,
)
from standoff.kernels.convex.simplex import INSIDE, combine, nearest, normal, settle
from standoff.kernels.jit import kernel
from standoff.kernels.vectors import dot, load, store

#: The gap is closed.
SEPARATED = 0
#: No further step is possible, or none is left, and the gap is open.
STALLED = 1
#: The distance exceeds the limit; distance and points are those of the last step.
BEYOND = 2
#: The cores touch or overlap.
OVERLAP = 3

#: Whether to start along the normal in RESULT. Not plain bools, for the reason given in `scratch`.
WARM = np.bool_(True)
COLD = np.bool_(False)


@kernel
def gjk(work, iwork, PA, PB, limit, tolerance, warm):
    """Distance of the two prepared cores into RESULT, down to ``tolerance`` [m] and rounding,
    which is in RESULT already. Stops with BEYOND as soon as the distance is proved to exceed
    ``limit`` [m]. Starts along the normal in RESULT where ``warm``."""
    # In locals: a probe inside the loop is half the price of a call with all its arrays.
    tag_a, count_a, first_a = iwork[ICORE_A], iwork[ICORE_A + 1], iwork[ICORE_A + 2]
    tag_b, count_b, first_b = iwork[ICORE_B], iwork[ICORE_B + 1], iwork[ICORE_B + 2]
    ox, oy, oz = load(work, OFFSET)
    if warm:
        nx, ny, nz = load(work, R_NORMAL)
    else:
        ax, ay, az = middle(work, CORE_A, iwork, ICORE_A)
        bx, by, bz = middle(work, CORE_B, iwork, ICORE_B)
        nx, ny, nz = ax - bx + ox, ay - by + oy, az - bz + oz
    s = math.sqrt(dot(nx, ny, nz, nx, ny, nz))
    if s > 0.0:
        nx, ny, nz = nx / s, ny / s, nz / s
    else:
        nx = 1.0
    count = np.int64(0)
    distance = math.inf
    lower = -math.inf
    rounding = work[R_ROUNDING]
    patience = GJK_PATIENCE
    vx = 0.0
    vy = 0.0
    vz = 0.0
    status = STALLED
    for _ in range(GJK_STEPS):
        ax, ay, az = support(work, CORE_A, tag_a, count_a, first_a, PA, -nx, -ny, -nz)
        bx, by, bz = support(work, CORE_B, tag_b, count_b, first_b, PB, nx, ny, nz)
        x, y, z = ax - bx + ox, ay - by + oy, az - bz + oz
        # For all points of the cores: n . (a - b) >= n . y.
        lower = dot(nx, ny, nz, x, y, z)
        if distance - lower <= tolerance + rounding:
            status = SEPARATED
            break
        if lower - rounding > limit:
            status = BEYOND
            if count == 0:
                _put(work, SIMPLEX, x, y, z, ax, ay, az, bx, by, bz)
                work[WEIGHTS] = 1.0
                count += 1
                distance = lower
            break
        if _known(work, count, x, y, z):
            break
        _put(work, SIMPLEX + 9 * count, x, y, z, ax, ay, az, bx, by, bz)
        if count == 0:
            # The first vertex is the simplex.
            distance = math.sqrt(dot(x, y, z, x, y, z))
            if distance > 0.0:
                nx, ny, nz = x / distance, y / distance, z / distance
            work[WEIGHTS] = 1.0
            count += 1
            if distance <= rounding:
                status = OVERLAP
                break
            continue
        where = nearest(work, count + 1)
        if where == INSIDE or work[TRIAL] <= rounding:
            status = OVERLAP
            count = _accept(work, count + 1)
            distance = 0.0
            break
        # The distance is of second order in the error of the direction, so it stands still, within
        # rounding, while the direction still improves; a few such steps are granted.
        patience -= work[TRIAL] >= distance
        if work[TRIAL] > distance + rounding or patience < 0:
            # The last resort is the best plane through the newest vertex.
            ux, uy, uz, best = _planes(work, iwork, PA, PB, count, lower)
            if best > lower:
                nx, ny, nz, lower = ux, uy, uz, best
                if patience > -GJK_PATIENCE:
                    patience = min(patience, 0) - 1
                    continue
            break
        distance = work[TRIAL]
        nx, ny, nz = load(work, TRIAL + 1)
        vx, vy, vz = distance * nx, distance * ny, distance * nz
        count = _accept(work, count + 1)
    if status == STALLED and distance - lower <= GJK_STALL * rounding:
        status = SEPARATED
    work[R_DISTANCE] = distance
    store(work, R_NORMAL, nx, ny, nz)
    work[R_LOWER] = lower
    work[R_COUNT] = count
    if count == 3 and status != OVERLAP:
        settle(work, WEIGHTS, vx, vy, vz)
    combine(work, WEIGHTS, count)
    return status


@kernel
def _planes(work, iwork, PA, PB, count, least):
    """Of the planes through the newest vertex and two others, the normal with the greatest lower
    bound, and that bound; where none exceeds ``least``, that.

    An edge that passes the origin at a tiny distance hardly has a direction of its own, and a
    sliver only half of one. A plane with the vertex beyond has."""
    best = least
    bx = 0.0
    by = 0.0
    bz = 0.0
    c = SIMPLEX + 9 * count
    for k in range(count * (count - 1) // 2):
        a = SIMPLEX + 9 * ((k + 1) % count)
        b = SIMPLEX + 9 * k
        nx, ny, nz = normal(work, a, b, c)
        s = math.sqrt(dot(nx, ny, nz, nx, ny, nz))
        if s == 0.0:
            continue
        # Towards the body: n . c > 0, as the origin is outside.
        s = math.copysign(1.0 / s, dot(nx, ny, nz, *load(work, c)))
        nx, ny, nz = s * nx, s * ny, s * nz
        lower = -probe(work, iwork, PA, PB, VERTICES, -nx, -ny, -nz)
        if lower > best:
            best = lower
            bx, by, bz = nx, ny, nz
    return bx, by, bz, best


@kernel
def _known(work, count, x, y, z):
    for i in range(count):
        p = SIMPLEX + 9 * i
        if work[p] == x and work[p + 1] == y and work[p + 2] == z:
            return True
    return False


@kernel
def _put(work, p, x, y, z, ax, ay, az, bx, by, bz):
    store(work, p, x, y, z)
    store(work, p + 3, ax, ay, az)
    store(work, p + 6, bx, by, bz)


@kernel
def _accept(work, count):
    """Keep the vertices that carry weight; returns how many."""
    kept = 0
    for i in range(count):
        weight = work[TRIAL + 4 + i]
        if weight > 0.0:
            if kept < i:
                for k in range(9):
                    work[SIMPLEX + 9 * kept + k] = work[SIMPLEX + 9 * i + k]
            work[WEIGHTS + kept] = weight
            kept += 1
    return kept
