"""The penetration depth of two overlapping cores, by an expanding polytope (van den Bergen 2001).

Let ``h(n)`` be the largest ``n . (a - b)``: moving body b along ``n`` by ``h(n)`` parts the
cores, so for every unit vector ``n`` the depth is at most ``h(n)``, and the depth is the least of
them. A polytope inside the difference of the cores gives the other bound: the depth is at least
the least signed distance of its planes from the origin. The value returned is always an ``h(n)``,
so it never says that the bodies overlap less than they do, whatever rounding does to the polytope.

The origin need not be inside the first polytope, or inside at all: signed distances make a
touching pair, which GJK cannot tell from an overlapping one, come out as 0 plus or minus rounding.
"""

from __future__ import annotations

import math

from standoff.constants import EPA_STEPS, EPS, GJK_ROUNDING
from standoff.kernels.convex.cores import support
from standoff.kernels.convex.polytope import PRESENT, TORN, grow, nearest_face, tetrahedron
from standoff.kernels.convex.scratch import (
    CORE_A,
    CORE_B,
    FACES,
    ICORE_A,
    ICORE_B,
    OFFSET,
    PLANES,
    R_DISTANCE,
    R_LOWER,
    R_NORMAL,
    R_POINT_A,
    R_POINT_B,
    R_ROUNDING,
    R_UPPER,
    SIMPLEX,
    TRIAL,
    VERTICES,
)
from standoff.kernels.convex.simplex import nearest
from standoff.kernels.jit import kernel

#: The bounds of the depth have met.
PROVED = 0
#: They have not: the depth is at most what is returned.
BOUNDED = 1


@kernel
def expand(work, iwork, PA, PB, tolerance):
    """Minus the depth of the two prepared cores into RESULT, down to ``tolerance`` [m] and
    rounding. The points of a common position must already be there: flat cores keep them."""
    rounding = _start(work, iwork, PA, PB)
    work[R_ROUNDING] = max(rounding, work[R_ROUNDING])
    if rounding < 0.0:
        rounding = -rounding
        work[R_ROUNDING] = rounding
        nx, ny, nz = work[R_NORMAL], work[R_NORMAL + 1], work[R_NORMAL + 2]
        depth = _probe(work, iwork, PA, PB, 0, nx, ny, nz)
        _conclude(work, depth, nx, ny, nz, -rounding)
        return PROVED
    tetrahedron(work, iwork)
    faces = 4
    spare = 0
    depth = math.inf
    bx = 0.0
    by = 0.0
    bz = 0.0
    status = BOUNDED
    lower = -math.inf
    for vertex in range(4, 4 + EPA_STEPS):
        f = nearest_face(work, iwork, faces)
        if f < 0:
            break
        at = PLANES + 4 * f
        nx, ny, nz = work[at], work[at + 1], work[at + 2]
        lower = work[at + 3]
        height = _probe(work, iwork, PA, PB, vertex, nx, ny, nz)
        if height - lower <= tolerance + rounding:
            status = PROVED
        if height < depth or status == PROVED:
            depth = height
            bx, by, bz = nx, ny, nz
        if status == PROVED:
            break
        grown, left = grow(work, iwork, vertex, f, faces, spare, -rounding)
        if grown == TORN:
            grown, left = grow(work, iwork, vertex, f, faces, spare, rounding)
        if grown == TORN:
            break
        faces = grown
        spare = left
    _conclude(work, depth, bx, by, bz, lower)
    _witness(work, iwork, faces, depth, bx, by, bz, depth + tolerance + rounding)
    return status


@kernel
def _conclude(work, depth, nx, ny, nz, lower):
    work[R_DISTANCE] = -depth
    work[R_LOWER] = -depth
    work[R_UPPER] = -lower
    work[R_NORMAL] = -nx
    work[R_NORMAL + 1] = -ny
    work[R_NORMAL + 2] = -nz


@kernel
def _probe(work, iwork, PA, PB, vertex, x, y, z):
    """Put the farthest point along (x, y, z) into VERTICES; returns its height."""
    ax, ay, az = support(work, CORE_A, iwork, ICORE_A, PA, x, y, z)
    bx, by, bz = support(work, CORE_B, iwork, ICORE_B, PB, -x, -y, -z)
    p = VERTICES + 9 * vertex
    work[p] = ax - bx + work[OFFSET]
    work[p + 1] = ay - by + work[OFFSET + 1]
    work[p + 2] = az - bz + work[OFFSET + 2]
    work[p + 3] = ax
    work[p + 4] = ay
    work[p + 5] = az
    work[p + 6] = bx
    work[p + 7] = by
    work[p + 8] = bz
    return x * work[p] + y * work[p + 1] + z * work[p + 2]


@kernel
def _move(work, target, source):
    for k in range(9):
        work[VERTICES + 9 * target + k] = work[VERTICES + 9 * source + k]


@kernel
def _start(work, iwork, PA, PB):
    """Four vertices that span the difference of the cores; returns the rounding of a height.
    Where it is flat: minus that, with a direction across it in R_NORMAL."""
    widest = -1.0
    axis = 0
    size = 0.0
    for k in range(3):
        ex = 1.0 if k == 0 else 0.0
        ey = 1.0 if k == 1 else 0.0
        ez = 1.0 if k == 2 else 0.0
        up = _probe(work, iwork, PA, PB, 4 + 2 * k, ex, ey, ez)
        down = _probe(work, iwork, PA, PB, 5 + 2 * k, -ex, -ey, -ez)
        size = max(size, abs(up), abs(down))
        if up + down > widest:
            widest = up + down
            axis = k
    # |y| <= sqrt(3) times its largest component.
    rounding = GJK_ROUNDING * EPS * 2.0 * size
    _move(work, 0, 4 + 2 * axis)
    _move(work, 1, 5 + 2 * axis)
    v = VERTICES
    ux, uy, uz = work[v + 9] - work[v], work[v + 10] - work[v + 1], work[v + 11] - work[v + 2]
    length = math.sqrt(ux * ux + uy * uy + uz * uz)
    if length <= rounding:
        # A point: every direction is across it, and x is as good as any.
        _direct(work, 1.0, 0.0, 0.0)
        return -rounding
    ux, uy, uz = ux / length, uy / length, uz / length
    px, py, pz = _across(ux, uy, uz)
    qx, qy, qz = uy * pz - uz * py, uz * px - ux * pz, ux * py - uy * px
    farthest = -1.0
    for k in range(4):
        s = 1.0 if k < 2 else -1.0
        dx, dy, dz = (px, py, pz) if k % 2 == 0 else (qx, qy, qz)
        _probe(work, iwork, PA, PB, 3, s * dx, s * dy, s * dz)
        wx, wy, wz = work[v + 27] - work[v], work[v + 28] - work[v + 1], work[v + 29] - work[v + 2]
        t = wx * ux + wy * uy + wz * uz
        wx, wy, wz = wx - t * ux, wy - t * uy, wz - t * uz
        away = math.sqrt(wx * wx + wy * wy + wz * wz)
        if away > farthest:
            farthest = away
            _move(work, 2, 3)
            nx, ny, nz = uy * wz - uz * wy, uz * wx - ux * wz, ux * wy - uy * wx
    if farthest <= rounding:
        _direct(work, px, py, pz)
        return -rounding
    nx, ny, nz = nx / farthest, ny / farthest, nz / farthest
    t = nx * ux + ny * uy + nz * uz
    nx, ny, nz = nx - t * ux, ny - t * uy, nz - t * uz
    t = 1.0 / math.sqrt(nx * nx + ny * ny + nz * nz)
    nx, ny, nz = t * nx, t * ny, t * nz
    level = nx * work[v] + ny * work[v + 1] + nz * work[v + 2]
    up = _probe(work, iwork, PA, PB, 3, nx, ny, nz) - level
    down = _probe(work, iwork, PA, PB, 4, -nx, -ny, -nz) + level
    if max(up, down) <= 2.0 * rounding:
        # The nearer side of a sheet is the way out.
        if up + level <= down - level:
            _direct(work, nx, ny, nz)
        else:
            _direct(work, -nx, -ny, -nz)
        return -rounding
    if down > up:
        _move(work, 3, 4)
    return rounding


@kernel
def _direct(work, x, y, z):
    work[R_NORMAL] = x
    work[R_NORMAL + 1] = y
    work[R_NORMAL + 2] = z


@kernel
def _across(x, y, z):
    """A unit vector square to a given one: against the axis it leans on least."""
    if abs(x) <= abs(y) and abs(x) <= abs(z):
        s = 1.0 / math.sqrt(y * y + z * z)
        return 0.0, -s * z, s * y
    if abs(y) <= abs(z):
        s = 1.0 / math.sqrt(x * x + z * z)
        return s * z, 0.0, -s * x
    s = 1.0 / math.sqrt(x * x + y * y)
    return -s * y, s * x, 0.0


@kernel
def _witness(work, iwork, faces, depth, nx, ny, nz, level):
    """Points of both cores at the polytope's point nearest to ``depth`` along the normal. Several
    triangles may share the nearest plane, and only one of them has the foot of the origin; an
    equally deep face on the far side has a foot of its own."""
    least = math.inf
    for f in range(faces):
        p = FACES + 7 * f
        at = PLANES + 4 * f
        facing = work[at] * nx + work[at + 1] * ny + work[at + 2] * nz
        if iwork[p + 6] != PRESENT or work[at + 3] > level or facing <= 0.0:
            continue
        for i in range(3):
            source = VERTICES + 9 * iwork[p + i]
            for k in range(9):
                work[SIMPLEX + 9 * i + k] = work[source + k]
        nearest(work, 3)
        d = work[TRIAL]
        x, y, z = work[TRIAL + 1], work[TRIAL + 2], work[TRIAL + 3]
        x, y, z = d * x - depth * nx, d * y - depth * ny, d * z - depth * nz
        off = x * x + y * y + z * z
        if off < least:
            least = off
            for r in range(3):
                a = 0.0
                b = 0.0
                for i in range(3):
                    a += work[TRIAL + 4 + i] * work[SIMPLEX + 9 * i + 3 + r]
                    b += work[TRIAL + 4 + i] * work[SIMPLEX + 9 * i + 6 + r]
                work[R_POINT_A + r] = a
                work[R_POINT_B + r] = b
