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
from standoff.kernels.convex.cores import across, probe
from standoff.kernels.convex.polytope import PRESENT, TORN, grow, nearest_face, tetrahedron
from standoff.kernels.convex.scratch import (
    FACES,
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
from standoff.kernels.convex.simplex import nearest, settle
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
    work[R_ROUNDING] = rounding
    if work[R_DISTANCE] < math.inf:
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
        height = probe(work, iwork, PA, PB, VERTICES + 9 * vertex, nx, ny, nz)
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
def _move(work, target, source):
    for k in range(9):
        work[VERTICES + 9 * target + k] = work[VERTICES + 9 * source + k]


@kernel
def _start(work, iwork, PA, PB):
    """Four vertices that span the difference of the cores; returns the rounding of a height.
    Where it is flat, the answer is concluded; otherwise the distance is left infinite."""
    work[R_DISTANCE] = math.inf
    v = VERTICES
    widest = -1.0
    up = 0.0
    size = 0.0
    for k in range(6):
        s = 1.0 if k % 2 == 0 else -1.0
        ex = s if k < 2 else 0.0
        ey = s if k // 2 == 1 else 0.0
        ez = s if k > 3 else 0.0
        height = probe(work, iwork, PA, PB, v + 9 * (2 + k % 2), ex, ey, ez)
        size = max(size, abs(height))
        if k % 2 == 0:
            up = height
        elif up + height > widest:
            widest = up + height
            _move(work, 0, 2)
            _move(work, 1, 3)
    # |y| <= sqrt(3) times its largest component.
    rounding = GJK_ROUNDING * EPS * 2.0 * size
    ux, uy, uz = work[v + 9] - work[v], work[v + 10] - work[v + 1], work[v + 11] - work[v + 2]
    length = math.sqrt(ux * ux + uy * uy + uz * uz)
    if length <= rounding:
        # A point: every direction is across it, and x is as good as any.
        _conclude(work, work[v], 1.0, 0.0, 0.0, work[v])
        return rounding
    ux, uy, uz = ux / length, uy / length, uz / length
    px, py, pz = across(ux, uy, uz)
    qx, qy, qz = uy * pz - uz * py, uz * px - ux * pz, ux * py - uy * px
    farthest = -1.0
    nx, ny, nz = px, py, pz
    for k in range(4):
        s = 1.0 if k < 2 else -1.0
        dx, dy, dz = (px, py, pz) if k % 2 == 0 else (qx, qy, qz)
        probe(work, iwork, PA, PB, v + 27, s * dx, s * dy, s * dz)
        wx, wy, wz = work[v + 27] - work[v], work[v + 28] - work[v + 1], work[v + 29] - work[v + 2]
        t = wx * ux + wy * uy + wz * uz
        wx, wy, wz = wx - t * ux, wy - t * uy, wz - t * uz
        away = math.sqrt(wx * wx + wy * wy + wz * wz)
        if away > farthest:
            farthest = away
            _move(work, 2, 3)
            nx, ny, nz = uy * wz - uz * wy, uz * wx - ux * wz, ux * wy - uy * wx
    if farthest <= rounding:
        level = px * work[v] + py * work[v + 1] + pz * work[v + 2]
        _conclude(work, level, px, py, pz, level)
        return rounding
    t = nx * ux + ny * uy + nz * uz
    nx, ny, nz = nx - t * ux, ny - t * uy, nz - t * uz
    t = 1.0 / math.sqrt(nx * nx + ny * ny + nz * nz)
    nx, ny, nz = t * nx, t * ny, t * nz
    level = nx * work[v] + ny * work[v + 1] + nz * work[v + 2]
    down = 0.0
    for k in range(2):
        s = 1.0 if k == 1 else -1.0
        up = probe(work, iwork, PA, PB, v + 9 * (4 - k), s * nx, s * ny, s * nz)
        if k == 0:
            down = up
    if max(up - level, down + level) <= 2.0 * rounding:
        # The nearer side of a sheet is the way out.
        if up <= down:
            _conclude(work, up, nx, ny, nz, up)
        else:
            _conclude(work, down, -nx, -ny, -nz, down)
    elif down + level > up - level:
        _move(work, 3, 4)
    return rounding


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
        x, y, z = d * work[TRIAL + 1], d * work[TRIAL + 2], d * work[TRIAL + 3]
        settle(work, TRIAL + 4, x, y, z)
        x, y, z = x - depth * nx, y - depth * ny, z - depth * nz
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
