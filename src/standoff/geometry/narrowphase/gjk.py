"""GJK (Gilbert, Johnson, Keerthi 1988): the distance of two convex cores that do not overlap.

With ``y = a - b`` over all points of the two cores, every ``|y|`` is an upper bound of the
distance, and for every unit vector ``n`` the least ``n . y`` is a lower bound. The walk ends when
the two meet; their difference, the duality gap, is the proof that goes with the answer.

Each step takes the point nearest to the origin of a simplex of up to four vertices. It is a convex
combination of the vertices, whatever rounding does to the choice of the feature: its length never
falls below the true distance of the simplex by more than rounding. The direction is taken from the
feature itself (a triangle's normal, not the tiny difference of large vectors), so that it stays
sharp when the distance is far below the size of the simplex.
"""

from __future__ import annotations

import math

from standoff.compiled.jit import kernel
from standoff.geometry.narrowphase.scratch import (
    CORE_A,
    CORE_B,
    ICORE_A,
    ICORE_B,
    OFFSET,
    R_COUNT,
    R_DISTANCE,
    R_LOWER,
    R_NORMAL,
    R_POINT_A,
    R_ROUNDING,
    SIMPLEX,
    TRIAL,
    VERTICES,
    WEIGHTS,
)
from standoff.geometry.narrowphase.support import middle, probe, support
from standoff.geometry.narrowphase.vectors import between, cross, dot, load, plus, square, store
from standoff.tolerances import GJK_STALL, SIMPLEX_FLATNESS

#: Steps of GJK before it gives its lower bound instead of its distance, [-]. Polytopes of 500
#: vertices need about 15, cylinders about 25; the rest is head room for slivers.
GJK_STEPS = 128

#: Steps of GJK without a shorter distance before it stops, [-]: two facets that share an edge may
#: take turns for a while, but rounding may also let them do so for ever.
GJK_PATIENCE = 8


#: The gap is closed.
SEPARATED = 0
#: No further step is possible, or none is left, and the gap is open.
STALLED = 1
#: The distance exceeds the limit; distance and points are those of the last step.
BEYOND = 2
#: The cores touch or overlap.
OVERLAP = 3


@kernel
def gjk(work, iwork, PA, PB, limit, tolerance, warm):
    """Distance of the two prepared cores into RESULT, down to ``tolerance`` [m] and rounding,
    which is in RESULT already. Stops with BEYOND as soon as the distance is proved to exceed
    ``limit`` [m]. Starts along the normal in RESULT where ``warm``."""
    # In locals: a probe inside the loop is half the price of a call with all its arrays.
    tag_a, count_a, first_a = iwork[ICORE_A], iwork[ICORE_A + 1], iwork[ICORE_A + 2]
    tag_b, count_b, first_b = iwork[ICORE_B], iwork[ICORE_B + 1], iwork[ICORE_B + 2]
    ox, oy, oz = load(work, OFFSET)
    nx, ny, nz = _first_direction(work, iwork, warm)
    count, distance, lower = 0, math.inf, -math.inf
    rounding, patience, status = work[R_ROUNDING], GJK_PATIENCE, STALLED
    point = (0.0, 0.0, 0.0)
    for _ in range(GJK_STEPS):
        ax, ay, az = support(work, CORE_A, tag_a, count_a, first_a, PA, -nx, -ny, -nz)
        bx, by, bz = support(work, CORE_B, tag_b, count_b, first_b, PB, nx, ny, nz)
        x, y, z = ax - bx + ox, ay - by + oy, az - bz + oz
        # For all points of the cores: n . (a - b) >= n . y.
        lower = dot(nx, ny, nz, x, y, z)
        if distance - lower <= tolerance + rounding:
            status = SEPARATED
            break
        if lower - rounding > limit and count > 0:
            status = BEYOND
            break
        if not _append(work, count, (x, y, z), (ax, ay, az), (bx, by, bz)):
            break
        if count == 0:
            # The first vertex is the simplex.
            work[WEIGHTS] = 1.0
            count = 1
            if lower - rounding > limit:
                status, distance = BEYOND, lower
                break
            distance, nx, ny, nz = _direction((x, y, z), (nx, ny, nz))
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
            before = lower
            nx, ny, nz, lower = _planes(work, iwork, PA, PB, count, (nx, ny, nz), lower)
            if not lower > before or patience <= -GJK_PATIENCE:
                break
            patience = min(patience, 0) - 1
            continue
        distance = work[TRIAL]
        nx, ny, nz = load(work, TRIAL + 1)
        point = distance * nx, distance * ny, distance * nz
        count = _accept(work, count + 1)
    return _finish(work, status, count, distance, lower, (nx, ny, nz), point)


@kernel
def _first_direction(work, iwork, warm):
    """The normal in RESULT, or the one between the middles of the cores."""
    nx, ny, nz = load(work, R_NORMAL)
    if not warm:
        ox, oy, oz = load(work, OFFSET)
        ax, ay, az = middle(work, CORE_A, iwork, ICORE_A)
        bx, by, bz = middle(work, CORE_B, iwork, ICORE_B)
        nx, ny, nz = ax - bx + ox, ay - by + oy, az - bz + oz
    _, nx, ny, nz = _direction((nx, ny, nz), (1.0, ny, nz))
    return nx, ny, nz


@kernel
def _direction(y, otherwise):
    """The length of ``y``, and its direction where it has one."""
    length = math.sqrt(dot(*y, *y))
    nx, ny, nz = otherwise
    if length > 0.0:
        nx, ny, nz = y[0] / length, y[1] / length, y[2] / length
    return length, nx, ny, nz


@kernel
def _finish(work, status, count, distance, lower, n, point):
    """What was found into RESULT; ``point`` is where the last triangle is nearest to the origin."""
    rounding = work[R_ROUNDING]
    if status == STALLED and distance - lower <= GJK_STALL * rounding:
        status = SEPARATED
    work[R_DISTANCE] = distance
    store(work, R_NORMAL, *n)
    work[R_LOWER] = lower
    work[R_COUNT] = count
    if count == 3 and status != OVERLAP:
        settle(work, WEIGHTS, *point)
    combine(work, WEIGHTS, count)
    return status


@kernel
def _planes(work, iwork, PA, PB, count, n, best):
    """Of the planes through the newest vertex and two others, the normal with the greatest lower
    bound, and that bound; where none exceeds ``best``, that of ``n``, these two.

    An edge that passes the origin at a tiny distance hardly has a direction of its own, and a
    sliver only half of one. A plane with the vertex beyond has."""
    bx, by, bz = n
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
def _append(work, count, y, a, b):
    """One more vertex of the simplex, ``y = a - b``; False where it is one already."""
    for i in range(count):
        p = SIMPLEX + 9 * i
        if work[p] == y[0] and work[p + 1] == y[1] and work[p + 2] == y[2]:
            return False
    p = SIMPLEX + 9 * count
    for r in range(3):
        work[p + r] = y[r]
        work[p + 3 + r] = a[r]
        work[p + 6 + r] = b[r]
    return True


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


#: Returned where the origin lies inside the tetrahedron.
INSIDE = -1

_FLAT = SIMPLEX_FLATNESS * SIMPLEX_FLATNESS


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
                    work[TRIAL + 7 - i - j] = share
                    rest -= share
                continue
            outside = True
        _triangle(work, i, j, count - 1)
    if outside:
        return 0
    work[TRIAL + 7] = max(rest, 0.0)
    return INSIDE


@kernel
def _offer(work, distance, direction, vertices, weights):
    """Take an answer where it is nearer; of two equal vertices the weights add."""
    if distance >= work[TRIAL]:
        return
    work[TRIAL] = distance
    for m in range(TRIAL + 4, TRIAL + 8):
        work[m] = 0.0
    for r in range(3):
        work[TRIAL + 1 + r] = direction[r]
        work[TRIAL + 4 + vertices[r]] += weights[r]


@kernel
def _segment(work, i, j):
    """Of the segment between two vertices; the two may be the same."""
    a = SIMPLEX + 9 * i
    b = SIMPLEX + 9 * j
    x, y, z = load(work, a)
    ex, ey, ez = between(work, a, b)
    ee = dot(ex, ey, ez, ex, ey, ez)
    t = -dot(x, y, z, ex, ey, ez)
    if t <= 0.0:
        t = 0.0
    elif t >= ee:
        t = 1.0
        x, y, z = load(work, b)
    else:
        t /= ee
        # Twice, so that the direction is square to the edge even when it is short.
        x, y, z = square(*plus(x, y, z, t, ex, ey, ez), ex, ey, ez)
    d = math.sqrt(dot(x, y, z, x, y, z))
    s = 1.0 / d if d > 0.0 else 0.0
    _offer(work, d, (s * x, s * y, s * z), (i, j, j), (1.0 - t, t, 0.0))


@kernel
def normal(work, a, b, c):
    """Normal of the triangle of three vectors, of any length; 0, 0, 0 where it has none."""
    ux, uy, uz = between(work, c, a)
    vx, vy, vz = between(work, c, b)
    nx, ny, nz = cross(ux, uy, uz, vx, vy, vz)
    uu = dot(ux, uy, uz, ux, uy, uz)
    vv = dot(vx, vy, vz, vx, vy, vz)
    if dot(nx, ny, nz, nx, ny, nz) <= _FLAT * uu * vv:
        return 0.0, 0.0, 0.0
    # A sliver's cross product is off along its longer edge.
    if uu > vv:
        return square(nx, ny, nz, ux, uy, uz)
    return square(nx, ny, nz, vx, vy, vz)


@kernel
def _triangle(work, i, j, k):
    a = SIMPLEX + 9 * i
    b = SIMPLEX + 9 * j
    c = SIMPLEX + 9 * k
    nx, ny, nz = normal(work, a, b, c)
    # Twice the areas seen from the foot of the origin, signed; not positive for a flat triangle.
    wa = _area(work, b, c, nx, ny, nz)
    wb = _area(work, c, a, nx, ny, nz)
    wc = _area(work, a, b, nx, ny, nz)
    if wa > 0.0 and wb > 0.0 and wc > 0.0:
        d = dot(nx, ny, nz, *load(work, c))
        s = math.copysign(1.0 / math.sqrt(dot(nx, ny, nz, nx, ny, nz)), d)
        total = 1.0 / (wa + wb + wc)
        weights = total * wa, total * wb, total * wc
        _offer(work, s * d, (s * nx, s * ny, s * nz), (i, j, k), weights)
        return
    for _ in range(3):
        if wc <= 0.0:
            _segment(work, i, j)
        i, j, k = j, k, i
        wa, wb, wc = wb, wc, wa


@kernel
def _area(work, a, b, nx, ny, nz):
    return dot(nx, ny, nz, *cross(*load(work, a), *load(work, b)))


@kernel
def _height(work, i, j):
    """Height of the origin over the face of i, j and the newest of four vertices, as a part of
    the height of the vertex left out; not positive where the tetrahedron is flat."""
    w = SIMPLEX + 27
    ux, uy, uz = between(work, w, SIMPLEX + 9 * i)
    vx, vy, vz = between(work, w, SIMPLEX + 9 * j)
    sx, sy, sz = between(work, w, SIMPLEX + 9 * (3 - i - j))
    nx, ny, nz = cross(ux, uy, uz, vx, vy, vz)
    volume = dot(nx, ny, nz, sx, sy, sz)
    spread = dot(nx, ny, nz, nx, ny, nz) * dot(sx, sy, sz, sx, sy, sz)
    if volume * volume <= _FLAT * spread:
        return 0.0
    return -dot(nx, ny, nz, *load(work, w)) / volume


@kernel
def settle(work, weights, x, y, z):
    """Correct the weights of the first three vertices so that they combine to (x, y, z), a point
    of their plane: areas seen from the origin are poor weights of a long and narrow triangle."""
    a = SIMPLEX
    b = SIMPLEX + 9
    c = SIMPLEX + 18
    ux, uy, uz = between(work, c, a)
    vx, vy, vz = between(work, c, b)
    nx, ny, nz = cross(ux, uy, uz, vx, vy, vz)
    nn = dot(nx, ny, nz, nx, ny, nz)
    if nn == 0.0:
        return
    la, lb, lc = load(work, weights)
    # Twice: the first correction is itself as poor as the triangle is narrow.
    for _ in range(2):
        rx, ry, rz = x, y, z
        for p, weight in ((a, la), (b, lb), (c, lc)):
            rx, ry, rz = plus(rx, ry, rz, -weight, *load(work, p))
        la = max(la + dot(nx, ny, nz, *cross(rx, ry, rz, vx, vy, vz)) / nn, 0.0)
        lb = max(lb + dot(nx, ny, nz, *cross(ux, uy, uz, rx, ry, rz)) / nn, 0.0)
        lc = max(1.0 - la - lb, 0.0)
    total = la + lb + lc
    store(work, weights, la / total, lb / total, lc / total)


@kernel
def combine(work, weights, count):
    """The points of both cores at the weighted sum of the vertices, into RESULT."""
    for column in range(3, 9):
        total = 0.0
        for i in range(count):
            total += work[weights + i] * work[SIMPLEX + 9 * i + column]
        work[R_POINT_A + column - 3] = total
