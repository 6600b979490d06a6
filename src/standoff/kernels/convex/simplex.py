"""The point of a simplex nearest to the origin, for up to four vertices.

Every answer is a convex combination of the vertices, whatever rounding does to the choice of the
feature: its length never falls below the true distance of the simplex by more than rounding.
The direction is taken from the feature itself (a triangle's normal, not the tiny difference of
large vectors), so that it stays sharp when the distance is far below the size of the simplex.
"""

from __future__ import annotations

import math

from standoff.constants import SIMPLEX_FLATNESS
from standoff.kernels.convex.scratch import SIMPLEX, TRIAL
from standoff.kernels.jit import kernel

#: Returned where the origin lies inside the tetrahedron.
INSIDE = -1


@kernel
def nearest(work, count):
    """Nearest point of the simplex of ``count`` vertices, of which the last is the newest.

    Writes distance, direction and weights to TRIAL; of an origin INSIDE only the weights.
    Returns INSIDE or 0."""
    work[TRIAL] = math.inf
    if count <= 2:
        _segment(work, 0, count - 1)
        return 0
    # Of a tetrahedron only the three faces at the newest vertex can be nearest: the fourth was
    # the last answer.
    outside = count == 3
    rest = 1.0
    for i in range(1 if count == 3 else 3):
        j = (i + 1) % 3
        if count == 4:
            share = _height(work, i, j)
            if share > 0.0:
                if not outside:
                    work[TRIAL + 4 + 3 - i - j] = share
                    rest -= share
                continue
            outside = True
        _triangle(work, i, j, count - 1)
    if outside:
        return 0
    work[TRIAL + 7] = max(rest, 0.0)
    return INSIDE


@kernel
def _write(work, distance, x, y, z):
    work[TRIAL] = distance
    work[TRIAL + 1] = x
    work[TRIAL + 2] = y
    work[TRIAL + 3] = z
    for k in range(4):
        work[TRIAL + 4 + k] = 0.0


@kernel
def _segment(work, i, j):
    """Of the segment between two vertices; the two may be the same."""
    a = SIMPLEX + 9 * i
    b = SIMPLEX + 9 * j
    ax, ay, az = work[a], work[a + 1], work[a + 2]
    ex, ey, ez = work[b] - ax, work[b + 1] - ay, work[b + 2] - az
    ee = ex * ex + ey * ey + ez * ez
    t = -(ax * ex + ay * ey + az * ez)
    if t <= 0.0:
        t = 0.0
        x, y, z = ax, ay, az
    elif t >= ee:
        t = 1.0
        x, y, z = work[b], work[b + 1], work[b + 2]
    else:
        t /= ee
        x, y, z = ax + t * ex, ay + t * ey, az + t * ez
        # Once more, so that the direction is square to the edge even when it is short.
        s = (x * ex + y * ey + z * ez) / ee
        x, y, z = x - s * ex, y - s * ey, z - s * ez
        t = min(max(t - s, 0.0), 1.0)
    d = math.sqrt(x * x + y * y + z * z)
    if d < work[TRIAL]:
        s = 1.0 / d if d > 0.0 else 0.0
        _write(work, d, s * x, s * y, s * z)
        work[TRIAL + 4 + i] = 1.0 - t
        work[TRIAL + 4 + j] += t


@kernel
def _triangle(work, i, j, k):
    a = SIMPLEX + 9 * i
    b = SIMPLEX + 9 * j
    c = SIMPLEX + 9 * k
    ax, ay, az = work[a], work[a + 1], work[a + 2]
    bx, by, bz = work[b], work[b + 1], work[b + 2]
    cx, cy, cz = work[c], work[c + 1], work[c + 2]
    # Both edges start at the newest vertex: they are the ones the next step depends on.
    ux, uy, uz = ax - cx, ay - cy, az - cz
    vx, vy, vz = bx - cx, by - cy, bz - cz
    nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    nn = nx * nx + ny * ny + nz * nz
    uu = ux * ux + uy * uy + uz * uz
    vv = vx * vx + vy * vy + vz * vz
    flat = nn <= SIMPLEX_FLATNESS * SIMPLEX_FLATNESS * uu * vv
    # Twice the areas seen from the foot of the origin, signed.
    wa = nx * (by * cz - bz * cy) + ny * (bz * cx - bx * cz) + nz * (bx * cy - by * cx)
    wb = nx * (cy * az - cz * ay) + ny * (cz * ax - cx * az) + nz * (cx * ay - cy * ax)
    wc = nx * (ay * bz - az * by) + ny * (az * bx - ax * bz) + nz * (ax * by - ay * bx)
    if not flat and wa > 0.0 and wb > 0.0 and wc > 0.0:
        # Square to the longer edge: a sliver's cross product is off along it.
        if uu > vv:
            s = (nx * ux + ny * uy + nz * uz) / uu
            nx, ny, nz = nx - s * ux, ny - s * uy, nz - s * uz
        else:
            s = (nx * vx + ny * vy + nz * vz) / vv
            nx, ny, nz = nx - s * vx, ny - s * vy, nz - s * vz
        s = 1.0 / math.sqrt(nx * nx + ny * ny + nz * nz)
        d = s * (nx * cx + ny * cy + nz * cz)
        if d < 0.0:
            d = -d
            s = -s
        if d < work[TRIAL]:
            _write(work, d, s * nx, s * ny, s * nz)
            total = 1.0 / (wa + wb + wc)
            work[TRIAL + 4 + i] = total * wa
            work[TRIAL + 4 + j] = total * wb
            work[TRIAL + 4 + k] = total * wc
        return
    for _ in range(3):
        if flat or wc <= 0.0:
            _segment(work, i, j)
        i, j, k = j, k, i
        wa, wb, wc = wb, wc, wa


@kernel
def _height(work, i, j):
    """Height of the origin over the face of i, j and the newest of four vertices, as a part of
    the height of the vertex left out; not positive where the tetrahedron is flat."""
    w = SIMPLEX + 27
    a = SIMPLEX + 9 * i
    b = SIMPLEX + 9 * j
    c = SIMPLEX + 9 * (3 - i - j)
    wx, wy, wz = work[w], work[w + 1], work[w + 2]
    ux, uy, uz = work[a] - wx, work[a + 1] - wy, work[a + 2] - wz
    vx, vy, vz = work[b] - wx, work[b + 1] - wy, work[b + 2] - wz
    sx, sy, sz = work[c] - wx, work[c + 1] - wy, work[c + 2] - wz
    nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    volume = nx * sx + ny * sy + nz * sz
    nn = nx * nx + ny * ny + nz * nz
    ss = sx * sx + sy * sy + sz * sz
    if volume * volume <= SIMPLEX_FLATNESS * SIMPLEX_FLATNESS * nn * ss:
        return 0.0
    return -(nx * wx + ny * wy + nz * wz) / volume


@kernel
def settle(work, weights, x, y, z):
    """Correct the weights of the first three vertices so that they combine to (x, y, z), a point
    of their plane: areas seen from the origin are poor weights of a long and narrow triangle."""
    a = SIMPLEX
    b = SIMPLEX + 9
    c = SIMPLEX + 18
    ux, uy, uz = work[a] - work[c], work[a + 1] - work[c + 1], work[a + 2] - work[c + 2]
    vx, vy, vz = work[b] - work[c], work[b + 1] - work[c + 1], work[b + 2] - work[c + 2]
    nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    nn = nx * nx + ny * ny + nz * nz
    if nn == 0.0:
        return
    la, lb, lc = work[weights], work[weights + 1], work[weights + 2]
    # Twice: the first correction is itself as poor as the triangle is narrow.
    for _ in range(2):
        rx = x - (la * work[a] + lb * work[b] + lc * work[c])
        ry = y - (la * work[a + 1] + lb * work[b + 1] + lc * work[c + 1])
        rz = z - (la * work[a + 2] + lb * work[b + 2] + lc * work[c + 2])
        da = nx * (ry * vz - rz * vy) + ny * (rz * vx - rx * vz) + nz * (rx * vy - ry * vx)
        db = nx * (uy * rz - uz * ry) + ny * (uz * rx - ux * rz) + nz * (ux * ry - uy * rx)
        la = max(la + da / nn, 0.0)
        lb = max(lb + db / nn, 0.0)
        lc = max(1.0 - la - lb, 0.0)
    total = la + lb + lc
    work[weights] = la / total
    work[weights + 1] = lb / total
    work[weights + 2] = lc / total
