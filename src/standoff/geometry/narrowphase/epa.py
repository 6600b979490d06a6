"""The penetration depth of two overlapping cores, by an expanding polytope (van den Bergen 2001).

Let ``h(n)`` be the largest ``n . (a - b)``: moving body b along ``n`` by ``h(n)`` parts the
cores, so for every unit vector ``n`` the depth is at most ``h(n)``, and the depth is the least of
them. A polytope inside the difference of the cores gives the other bound: the depth is at least
the least signed distance of its planes from the origin. The value returned is always an ``h(n)``,
so it never says that the bodies overlap less than they do, whatever rounding does to the polytope.

The origin need not be inside the first polytope, or inside at all: signed distances make a
touching pair, which GJK cannot tell from an overlapping one, come out as 0 plus or minus rounding.

The polytope is one of triangles in the scratch arrays, and grows by a vertex at a time. Where very
many directions are almost equally deep, it runs out of vertices first. Its best direction ``n`` is
then improved on the spot (`refine`): the point just outside the difference of the cores along ``n``
is projected back onto it, and the normal there is the next direction. In a flat valley that turns
the direction by too little each time, so the turn is doubled for as long as it helps. Every
``h(n)`` on the way is an upper bound of the depth, so nothing can go wrong with it.
"""

from __future__ import annotations

import math

from standoff.compiled.jit import kernel
from standoff.geometry.narrowphase.gjk import (
    OVERLAP,
    combine,
    gjk,
    nearest,
    normal,
    settle,
)
from standoff.geometry.narrowphase.scratch import (
    FACES,
    HORIZON,
    MAX_FACES,
    OFFSET,
    PLANES,
    R_COUNT,
    R_DISTANCE,
    R_LOWER,
    R_NORMAL,
    R_ROUNDING,
    R_UPPER,
    SIMPLEX,
    SPARE,
    STARTS,
    TRIAL,
    VERTICES,
    VISIBLE,
)
from standoff.geometry.narrowphase.support import across, probe
from standoff.geometry.narrowphase.vectors import between, cross, dot, load, plus, square, store
from standoff.tolerances import EPA_STEPS

#: Volume of a tetrahedron over the product of three edges from which on the polytope may start with
#: it, [-]; a flatter one costs more steps than a fresh start.
EPA_START = 1e-3

#: Steps that refine a depth which the polytope left open, [-]. Each projects a point just outside
#: back onto the difference of the bodies, and at a flat spot the first one lands.
REFINE_STEPS = 24

#: Times that the turn of a step may be doubled, [-]: in the flattest valleys the step itself is
#: thousands of times too short.
REFINE_DOUBLINGS = 24

#: How far outside that point lies, as a part of the depth, [-]: small, as the projection then
#: turns the direction the most; but far above the rounding of a projection.
REFINE_OFFSET = 1e-2


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
    _widest_pair(work, iwork, PA, PB)
    ux, uy, uz = between(work, v, v + 9)
    length = math.sqrt(dot(ux, uy, uz, ux, uy, uz))
    if length <= rounding:
        # A point: every direction is across it, and x is as good as any.
        _conclude(work, work[v], 1.0, 0.0, 0.0, work[v])
        return
    ux, uy, uz = ux / length, uy / length, uz / length
    px, py, pz = across(ux, uy, uz)
    farthest, n = _farthest_off(work, iwork, PA, PB, (ux, uy, uz), (px, py, pz))
    if farthest <= rounding:
        level = dot(px, py, pz, *load(work, v))
        _conclude(work, level, px, py, pz, level)
        return
    nx, ny, nz = square(*n, ux, uy, uz)
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
def _widest_pair(work, iwork, PA, PB):
    """Into the first two vertices: the ends along the axis on which they are farthest apart."""
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


@kernel
def _farthest_off(work, iwork, PA, PB, u, p):
    """Into the third vertex: of four probed ones the farthest from the line of the first two along
    ``u``; ``p`` is a unit vector across. Returns how far it is, and a normal of the three."""
    v = VERTICES
    q = cross(*u, *p)
    farthest = -1.0
    n = p
    for k in range(4):
        s = 1.0 if k < 2 else -1.0
        dx, dy, dz = p if k % 2 == 0 else q
        probe(work, iwork, PA, PB, v + 27, s * dx, s * dy, s * dz)
        w = square(*between(work, v, v + 27), *u)
        away = math.sqrt(dot(*w, *w))
        if away > farthest:
            farthest = away
            _move(work, v + 18, v + 27)
            n = cross(*u, *w)
    return farthest, n


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
        nearest(work, 3)
        d = work[TRIAL]
        x, y, z = d * work[TRIAL + 1], d * work[TRIAL + 2], d * work[TRIAL + 3]
        settle(work, TRIAL + 4, x, y, z)
        x, y, z = plus(x, y, z, -depth, nx, ny, nz)
        off = dot(x, y, z, x, y, z)
        if off < least:
            least = off
            combine(work, TRIAL + 4, 3)


#: States of a face.
GONE = 0
PRESENT = 1
SEEN = 2
#: Too thin for a normal: it counts as seen by every vertex, and is never the nearest.
THIN = 3

#: Faces of a tetrahedron whose vertex 3 is below the face 0, 1, 2: vertices, faces beyond, state.
_TETRAHEDRON = (
    (0, 1, 2, 1, 3, 2, PRESENT),
    (1, 0, 3, 0, 2, 3, PRESENT),
    (0, 2, 3, 0, 3, 1, PRESENT),
    (2, 1, 3, 0, 1, 2, PRESENT),
)

#: Returned by `grow` where rounding left no clean horizon.
TORN = -1


@kernel
def tetrahedron(work, iwork):
    """Faces of the first four vertices, outward."""
    v = VERTICES
    nx, ny, nz = cross(*between(work, v, v + 9), *between(work, v, v + 18))
    volume = dot(nx, ny, nz, *between(work, v, v + 27))
    for f in range(4):
        for k in range(7):
            entry = _TETRAHEDRON[f][k]
            # The mirror image swaps the vertices 0 and 1 throughout.
            if k < 3 and entry < 2 and volume >= 0.0:
                entry = 1 - entry
            iwork[FACES + 7 * f + k] = entry
        _plane(work, iwork, f)


@kernel
def _plane(work, iwork, f):
    """Outward normal and distance of a face, or the mark of one that has none."""
    p = FACES + 7 * f
    a = VERTICES + 9 * iwork[p]
    b = VERTICES + 9 * iwork[p + 1]
    c = VERTICES + 9 * iwork[p + 2]
    at = PLANES + 4 * f
    nx, ny, nz = normal(work, a, b, c)
    length = math.sqrt(dot(nx, ny, nz, nx, ny, nz))
    if length == 0.0:
        iwork[p + 6] = THIN
        work[at + 3] = math.inf
        return
    nx, ny, nz = nx / length, ny / length, nz / length
    store(work, at, nx, ny, nz)
    work[at + 3] = dot(nx, ny, nz, *load(work, a))


@kernel
def nearest_face(work, iwork, faces):
    """The face whose plane lies least far out from the origin, -1 where none has a plane."""
    best = -1
    least = math.inf
    for f in range(faces):
        if iwork[FACES + 7 * f + 6] == PRESENT and work[PLANES + 4 * f + 3] < least:
            least = work[PLANES + 4 * f + 3]
            best = f
    return best


@kernel
def grow(work, iwork, vertex, seed, faces, spare, margin):
    """Replace what ``vertex`` sees, from face ``seed`` on, by a fan of faces to the horizon.

    A face is seen from more than ``margin`` above its plane. Returns the number of faces and of
    spare ones, or TORN twice, and then nothing is changed."""
    seen = _look(work, iwork, vertex, seed, margin)
    edges = _horizon(iwork, vertex, seen)
    needed = edges - seen - spare
    if edges < 3 or faces + needed > MAX_FACES:
        for i in range(seen):
            g = iwork[VISIBLE + i]
            iwork[FACES + 7 * g + 6] = PRESENT if work[PLANES + 4 * g + 3] < math.inf else THIN
        return TORN, TORN
    for i in range(seen):
        iwork[FACES + 7 * iwork[VISIBLE + i] + 6] = GONE
        iwork[SPARE + spare] = iwork[VISIBLE + i]
        spare += 1
    # VISIBLE is free now and takes the new face of each edge of the horizon.
    for e in range(edges):
        if spare > 0:
            spare -= 1
            iwork[VISIBLE + e] = iwork[SPARE + spare]
        else:
            iwork[VISIBLE + e] = faces
            faces += 1
    for e in range(edges):
        start = iwork[HORIZON + 3 * e]
        end = iwork[HORIZON + 3 * e + 1]
        beyond = iwork[HORIZON + 3 * e + 2]
        f = iwork[VISIBLE + e]
        q = FACES + 7 * f
        iwork[q] = start
        iwork[q + 1] = end
        iwork[q + 2] = vertex
        iwork[q + 3] = beyond
        following = iwork[VISIBLE + iwork[STARTS + end]]
        iwork[q + 4] = following
        iwork[FACES + 7 * following + 5] = f
        iwork[q + 6] = PRESENT
        b = FACES + 7 * beyond
        for k in range(3):
            if iwork[b + k] == end:
                iwork[b + 3 + k] = f
        _plane(work, iwork, f)
    return faces, spare


@kernel
def _look(work, iwork, vertex, seed, margin):
    """Mark the faces that ``vertex`` sees, from ``seed`` on; returns their number."""
    x, y, z = load(work, VERTICES + 9 * vertex)
    seen = 1
    iwork[VISIBLE] = seed
    iwork[FACES + 7 * seed + 6] = SEEN
    head = 0
    while head < seen:
        f = FACES + 7 * iwork[VISIBLE + head]
        head += 1
        for k in range(3):
            g = iwork[f + 3 + k]
            state = iwork[FACES + 7 * g + 6]
            at = PLANES + 4 * g
            if state == THIN or (
                state == PRESENT and dot(x, y, z, *load(work, at)) - work[at + 3] > margin
            ):
                iwork[FACES + 7 * g + 6] = SEEN
                iwork[VISIBLE + seen] = g
                seen += 1
    return seen


@kernel
def _horizon(iwork, vertex, seen):
    """Edges between the seen faces and the rest; 0 unless they form one closed loop."""
    for v in range(vertex):
        iwork[STARTS + v] = -1
    edges = 0
    for i in range(seen):
        f = FACES + 7 * iwork[VISIBLE + i]
        for k in range(3):
            g = iwork[f + 3 + k]
            if iwork[FACES + 7 * g + 6] != SEEN:
                start = iwork[f + k]
                if iwork[STARTS + start] >= 0:
                    return 0
                iwork[STARTS + start] = edges
                iwork[HORIZON + 3 * edges] = start
                iwork[HORIZON + 3 * edges + 1] = iwork[f + (k + 1) % 3]
                iwork[HORIZON + 3 * edges + 2] = g
                edges += 1
    if edges == 0:
        return 0
    length = 1
    e = iwork[STARTS + iwork[HORIZON + 1]]
    while e > 0:
        length += 1
        e = iwork[STARTS + iwork[HORIZON + 3 * e + 1]]
    return edges if e == 0 and length == edges else 0


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
        status = gjk(work, iwork, PA, PB, math.inf, tolerance, True)
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
