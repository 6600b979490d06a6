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

import numpy as np

from standoff.constants import EPA_START, EPA_STEPS
from standoff.kernels.convex.cores import across, probe
from standoff.kernels.convex.polytope import PRESENT, TORN, grow, nearest_face, tetrahedron
from standoff.kernels.convex.scratch import (
    FACES,
    PLANES,
    R_COUNT,
    R_DISTANCE,
    R_LOWER,
    R_NORMAL,
    R_ROUNDING,
    R_UPPER,
    SIMPLEX,
    TRIAL,
    VERTICES,
)
from standoff.kernels.convex.simplex import TRIANGLE, combine, nearest, settle
from standoff.kernels.jit import kernel
from standoff.kernels.vectors import between, cross, dot, load, plus, square, store

#: The bounds of the depth have met.
PROVED = 0
#: They have not: the depth is at most what is returned.
BOUNDED = 1


@kernel
def expand(work, iwork, PA, PB, tolerance):
    """Minus the depth of the two prepared cores into RESULT, down to ``tolerance`` [m] and
    rounding. The points of a common position must already be there: flat cores keep them."""
    rounding = work[R_ROUNDING]
    if not _inherit(work):
        _start(work, iwork, PA, PB, rounding)
        if work[R_DISTANCE] < math.inf:
            return PROVED if abs(work[R_DISTANCE]) <= 4.0 * rounding else BOUNDED
    tetrahedron(work, iwork)
    faces = np.int64(4)
    spare = np.int64(0)
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
        nx, ny, nz = load(work, at)
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
    store(work, R_NORMAL, -nx, -ny, -nz)


@kernel
def _move(work, target, source):
    for k in range(9):
        work[target + k] = work[source + k]


@kernel
def _inherit(work):
    """Start from the tetrahedron that GJK found around the origin, where it is no sliver."""
    if work[R_COUNT] < 4.0:
        return False
    c = SIMPLEX
    ux, uy, uz = between(work, c, c + 9)
    vx, vy, vz = between(work, c, c + 18)
    wx, wy, wz = between(work, c, c + 27)
    volume = dot(wx, wy, wz, *cross(ux, uy, uz, vx, vy, vz))
    uu = dot(ux, uy, uz, ux, uy, uz)
    vv = dot(vx, vy, vz, vx, vy, vz)
    ww = dot(wx, wy, wz, wx, wy, wz)
    if volume * volume <= EPA_START * EPA_START * uu * vv * ww:
        return False
    for k in range(36):
        work[VERTICES + k] = work[SIMPLEX + k]
    return True


@kernel
def _start(work, iwork, PA, PB, rounding):
    """Four vertices that span the difference of the cores.
    Where it is flat, the answer is concluded; otherwise the distance is left infinite."""
    work[R_DISTANCE] = math.inf
    v = VERTICES
    widest = -1.0
    up = 0.0
    for k in range(6):
        s = 1.0 if k % 2 == 0 else -1.0
        ex = s if k < 2 else 0.0
        ey = s if k // 2 == 1 else 0.0
        ez = s if k > 3 else 0.0
        height = probe(work, iwork, PA, PB, v + 9 * (2 + k % 2), ex, ey, ez)
        if k % 2 == 0:
            up = height
        elif up + height > widest:
            widest = up + height
            _move(work, v, v + 18)
            _move(work, v + 9, v + 27)
    ux, uy, uz = between(work, v, v + 9)
    length = math.sqrt(dot(ux, uy, uz, ux, uy, uz))
    if length <= rounding:
        # A point: every direction is across it, and x is as good as any.
        _conclude(work, work[v], 1.0, 0.0, 0.0, work[v])
        return
    ux, uy, uz = ux / length, uy / length, uz / length
    px, py, pz = across(ux, uy, uz)
    qx, qy, qz = cross(ux, uy, uz, px, py, pz)
    farthest = -1.0
    nx, ny, nz = px, py, pz
    for k in range(4):
        s = 1.0 if k < 2 else -1.0
        dx, dy, dz = (px, py, pz) if k % 2 == 0 else (qx, qy, qz)
        probe(work, iwork, PA, PB, v + 27, s * dx, s * dy, s * dz)
        wx, wy, wz = square(*between(work, v, v + 27), ux, uy, uz)
        away = math.sqrt(dot(wx, wy, wz, wx, wy, wz))
        if away > farthest:
            farthest = away
            _move(work, v + 18, v + 27)
            nx, ny, nz = cross(ux, uy, uz, wx, wy, wz)
    if farthest <= rounding:
        level = dot(px, py, pz, *load(work, v))
        _conclude(work, level, px, py, pz, level)
        return
    nx, ny, nz = square(nx, ny, nz, ux, uy, uz)
    t = 1.0 / math.sqrt(dot(nx, ny, nz, nx, ny, nz))
    nx, ny, nz = t * nx, t * ny, t * nz
    level = dot(nx, ny, nz, *load(work, v))
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
        _move(work, v + 27, v + 36)


@kernel
def _witness(work, iwork, faces, depth, nx, ny, nz, level):
    """Points of both cores at the polytope's point nearest to ``depth`` along the normal. Several
    triangles may share the nearest plane, and only one of them has the foot of the origin; an
    equally deep face on the far side has a foot of its own."""
    least = math.inf
    for f in range(faces):
        p = FACES + 7 * f
        at = PLANES + 4 * f
        facing = dot(nx, ny, nz, *load(work, at))
        if iwork[p + 6] != PRESENT or work[at + 3] > level or facing <= 0.0:
            continue
        for i in range(3):
            source = VERTICES + 9 * iwork[p + i]
            _move(work, SIMPLEX + 9 * i, source)
        nearest(work, TRIANGLE)
        d = work[TRIAL]
        x, y, z = d * work[TRIAL + 1], d * work[TRIAL + 2], d * work[TRIAL + 3]
        settle(work, TRIAL + 4, x, y, z)
        x, y, z = plus(x, y, z, -depth, nx, ny, nz)
        off = dot(x, y, z, x, y, z)
        if off < least:
            least = off
            combine(work, TRIAL + 4, TRIANGLE)
