"""The convex hull of points in space: quickhull (Barber, Dobkin, Huhdanpaa 1996) on triangles.

A point is worth a corner of the hull when it is more than the tolerance above some face. Which
faces its corner then replaces is decided by exact signs, so the surface stays closed and convex
to the last bit whatever the input, and a sliver's poor normal can at worst cost a corner too many.
Corners that others made superfluous later on are found by `hull_audit.superfluous`.

On which side of a triangle a point lies, without rounding.

The determinant is computed in float64 first, with a bound on its error; where the bound does not
settle the sign, the six products are summed exactly as an expansion of float64 numbers that do
not overlap (Shewchuk 1997). Differences of coordinates must be exact, as they are for multiples
of ``GRID_STEP`` of size up to 1.
"""

from __future__ import annotations

import math

import numpy as np

from standoff.compiled.jit import allocating, entry, kernel
from standoff.tolerances import EPS, SIMPLEX_FLATNESS

#: Return codes: a hull, or what the points are instead.
SOLID = 0
POINT = 1
LINE = 2
PLANE = 3

#: States of a face. THIN: too thin for a normal, so that no point waits outside it.
GONE = 0
PRESENT = 1
SEEN = 2
THIN = 3

#: Directions along which to look for the first two corners. The first is square to no plane or
#: line anyone would model, so that the farthest points along it are corners and not on a face.
_DIRECTIONS = (
    (0.7390851332151607, 0.5671432904097838, 0.3627138416839562),
    (1.0, 0.0, 0.0),
    (0.0, 1.0, 0.0),
    (0.0, 0.0, 1.0),
)


@entry("Tuple((int64, int64))(float64[:,::1], float64, float64, int64[:,::1])", allocating)
def hull(points, tolerance, thickness, result):
    """Faces of the hull into ``result``, counter-clockwise from outside, which has room for
    2 n + 8 rows. Points that span no more than ``thickness`` in some direction are flat, [m].
    Differences of coordinates must be exact. Returns a code and the number of faces."""
    n = len(points)
    corners = np.empty(4, np.int64)
    code = _first(points, thickness, corners)
    if code != SOLID:
        return code, 0
    room = 2 * n + 8
    faces = np.empty((room, 3), np.int64)
    beyond = np.empty((room, 3), np.int64)
    planes = np.empty((room, 4))
    state = np.zeros(room, np.int64)
    head = np.full(room, -1, np.int64)
    spare = np.empty(room, np.int64)
    waiting = np.arange(room)
    seen = np.empty(room, np.int64)
    horizon = np.empty((room, 3), np.int64)
    following = np.full(n, -1, np.int64)
    starts = np.full(n, -1, np.int64)
    terms = np.empty(TERMS)
    surface, outside = (faces, beyond, planes, state), (head, following)
    _tetrahedron(points, corners, surface, terms)
    count, spares, pending = 4, 0, 4
    for p in range(n):
        _assign(points, p, tolerance, surface, outside, waiting, pending)
    while pending > 0:
        f = waiting[pending - 1]
        if state[f] != PRESENT or head[f] < 0:
            pending -= 1
            continue
        eye = _farthest(points, planes, outside, f, tolerance)
        if above(points, faces[f, 0], faces[f, 1], faces[f, 2], eye, terms) <= 0:
            # A sliver's plane misled: the point is inside. It need not wait here.
            _remove(head, following, f, eye)
            continue
        sights = _look(points, eye, f, surface, seen, terms)
        edges = _horizon(faces, beyond, state, seen, sights, starts, horizon)
        orphans, spares = _take_away(state, outside, seen, sights, spare, spares)
        # `seen` is free now and takes the new face of each edge of the horizon.
        for e in range(edges):
            if spares > 0:
                spares -= 1
                seen[e] = spare[spares]
            else:
                seen[e] = count
                count += 1
        for e in range(edges):
            _fan(points, eye, e, surface, seen, starts, horizon)
        starts[horizon[:edges, 0]] = -1
        _assign_anew(points, orphans, eye, tolerance, surface, outside, seen, edges)
        for e in range(edges):
            if head[seen[e]] >= 0:
                if pending >= room:
                    pending = _compact(waiting, pending, state, head)
                waiting[pending] = seen[e]
                pending += 1
    return SOLID, _faces_left(faces, state, count, result)


@kernel
def _take_away(state, outside, seen, sights, spare, spares):
    """The seen faces go, and become spare. Returns the first of the points that waited outside
    them, in one list, and how many faces are spare."""
    head, following = outside
    orphans = -1
    for i in range(sights):
        g = seen[i]
        p = head[g]
        while p >= 0:
            after = following[p]
            following[p] = orphans
            orphans = p
            p = after
        head[g] = -1
        state[g] = GONE
        spare[spares] = g
        spares += 1
    return orphans, spares


@kernel
def _faces_left(faces, state, count, result):
    """Copy the faces that are left, and return their number."""
    total = 0
    for f in range(count):
        if state[f] != GONE:
            for k in range(3):
                result[total, k] = faces[f, k]
            total += 1
    return total


@kernel
def _compact(waiting, pending, state, head):
    """Drop what need not wait any more; each face that must is kept once."""
    kept = 0
    for i in range(pending):
        f = waiting[i]
        if state[f] == PRESENT and head[f] >= 0:
            known = False
            for k in range(kept):
                known = known or waiting[k] == f
            if not known:
                waiting[kept] = f
                kept += 1
    return kept


@kernel
def _first(points, thickness, corners):
    """Four points that span the rest about as widely as they can, or what they are instead."""
    n = len(points)
    widest = 0.0
    for dx, dy, dz in _DIRECTIONS:
        low = 0
        high = 0
        least = math.inf
        most = -math.inf
        for p in range(n):
            t = dx * points[p, 0] + dy * points[p, 1] + dz * points[p, 2]
            if t < least:
                least = t
                low = p
            if t > most:
                most = t
                high = p
        x, y, z = _difference(points, high, low)
        length = math.sqrt(x * x + y * y + z * z)
        # The axes are for points that lie square to the first direction.
        if length > 2.0 * widest:
            widest = length
            corners[0] = low
            corners[1] = high
    if widest <= thickness:
        return POINT
    a = corners[0]
    b = corners[1]
    ux, uy, uz = _difference(points, b, a)
    s = 1.0 / math.sqrt(ux * ux + uy * uy + uz * uz)
    ux, uy, uz = s * ux, s * uy, s * uz
    farthest = -1.0
    for p in range(n):
        x, y, z = _difference(points, p, a)
        t = x * ux + y * uy + z * uz
        x, y, z = x - t * ux, y - t * uy, z - t * uz
        away = x * x + y * y + z * z
        if away > farthest:
            farthest = away
            corners[2] = p
    if math.sqrt(farthest) <= thickness:
        return LINE
    vx, vy, vz = _difference(points, corners[2], a)
    nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    s = 1.0 / math.sqrt(nx * nx + ny * ny + nz * nz)
    nx, ny, nz = s * nx, s * ny, s * nz
    highest = -1.0
    for p in range(n):
        x, y, z = _difference(points, p, a)
        height = abs(x * nx + y * ny + z * nz)
        if height > highest:
            highest = height
            corners[3] = p
    return PLANE if highest <= thickness else SOLID


@kernel
def _difference(points, p, q):
    return points[p, 0] - points[q, 0], points[p, 1] - points[q, 1], points[p, 2] - points[q, 2]


@kernel
def _tetrahedron(points, corners, surface, terms):
    faces, beyond, planes, state = surface
    a, b, c, d = corners[0], corners[1], corners[2], corners[3]
    if above(points, a, b, c, d, terms) > 0:
        a, b = b, a
    for f in range(4):
        state[f] = PRESENT
    faces[0, 0], faces[0, 1], faces[0, 2] = a, b, c
    faces[1, 0], faces[1, 1], faces[1, 2] = b, a, d
    faces[2, 0], faces[2, 1], faces[2, 2] = a, c, d
    faces[3, 0], faces[3, 1], faces[3, 2] = c, b, d
    beyond[0, 0], beyond[0, 1], beyond[0, 2] = 1, 3, 2
    beyond[1, 0], beyond[1, 1], beyond[1, 2] = 0, 2, 3
    beyond[2, 0], beyond[2, 1], beyond[2, 2] = 0, 3, 1
    beyond[3, 0], beyond[3, 1], beyond[3, 2] = 0, 1, 2
    for f in range(4):
        plane(points, faces, planes, state, f)


@kernel
def plane(points, faces, planes, state, f):
    a = faces[f, 0]
    ux, uy, uz = _difference(points, faces[f, 1], a)
    vx, vy, vz = _difference(points, faces[f, 2], a)
    nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    nn = nx * nx + ny * ny + nz * nz
    uu = ux * ux + uy * uy + uz * uz
    vv = vx * vx + vy * vy + vz * vz
    if nn <= SIMPLEX_FLATNESS * SIMPLEX_FLATNESS * uu * vv:
        state[f] = THIN
        planes[f, 3] = math.inf
        return
    s = 1.0 / math.sqrt(nn)
    planes[f, 0] = s * nx
    planes[f, 1] = s * ny
    planes[f, 2] = s * nz
    planes[f, 3] = s * (nx * points[a, 0] + ny * points[a, 1] + nz * points[a, 2])


@kernel
def height_above(points, planes, f, p):
    return (
        planes[f, 0] * points[p, 0]
        + planes[f, 1] * points[p, 1]
        + planes[f, 2] * points[p, 2]
        - planes[f, 3]
    )


@kernel
def _assign(points, p, tolerance, surface, outside, candidates, number):
    """Let a point wait outside the face that it is highest above; inside, let it go."""
    (_, _, planes, state), (head, following) = surface, outside
    best = -1
    highest = tolerance
    for i in range(number):
        f = candidates[i]
        if state[f] == PRESENT:
            height = height_above(points, planes, f, p)
            if height > highest:
                highest = height
                best = f
    if best >= 0:
        following[p] = head[best]
        head[best] = p


@kernel
def _assign_anew(points, orphans, eye, tolerance, surface, outside, fan, edges):
    """Let the points of a list wait outside the new faces; not ``eye``, which is a corner now."""
    _, following = outside
    p = orphans
    while p >= 0:
        after = following[p]
        following[p] = -1
        if p != eye:
            _assign(points, p, tolerance, surface, outside, fan, edges)
        p = after


@kernel
def _farthest(points, planes, outside, f, tolerance):
    """Of the points that wait outside a face the highest; of several within the tolerance the
    one farthest from the origin, as that is a corner where others may be on a face."""
    head, following = outside
    highest = -math.inf
    p = head[f]
    while p >= 0:
        highest = max(highest, height_above(points, planes, f, p))
        p = following[p]
    best = head[f]
    reach = -1.0
    p = head[f]
    while p >= 0:
        if height_above(points, planes, f, p) >= highest - tolerance:
            away = points[p, 0] ** 2 + points[p, 1] ** 2 + points[p, 2] ** 2
            if away > reach:
                reach = away
                best = p
        p = following[p]
    return best


@kernel
def _remove(head, following, f, point):
    if head[f] == point:
        head[f] = following[point]
    else:
        p = head[f]
        while following[p] != point:
            p = following[p]
        following[p] = following[point]
    following[point] = -1


@kernel
def _look(points, eye, seed, surface, seen, terms):
    """Mark the faces that ``eye`` is above, from ``seed`` on; returns their number."""
    faces, beyond, _, state = surface
    sights = 1
    seen[0] = seed
    state[seed] = SEEN
    done = 0
    while done < sights:
        f = seen[done]
        done += 1
        for k in range(3):
            g = beyond[f, k]
            if (
                state[g] != SEEN
                and above(points, faces[g, 0], faces[g, 1], faces[g, 2], eye, terms) > 0
            ):
                state[g] = SEEN
                seen[sights] = g
                sights += 1
    return sights


@kernel
def _horizon(faces, beyond, state, seen, sights, starts, horizon):
    """Edges between the seen faces and the rest (start, end, face beyond), and by vertex the edge
    that starts there. Exact signs make them one closed loop."""
    edges = 0
    for i in range(sights):
        f = seen[i]
        for k in range(3):
            g = beyond[f, k]
            if state[g] != SEEN:
                starts[faces[f, k]] = edges
                horizon[edges, 0] = faces[f, k]
                horizon[edges, 1] = faces[f, (k + 1) % 3]
                horizon[edges, 2] = g
                edges += 1
    return edges


@kernel
def _fan(points, eye, e, surface, fan, starts, horizon):
    """The new face over edge ``e`` of the horizon, linked to its neighbours."""
    faces, beyond, planes, state = surface
    f = fan[e]
    start = horizon[e, 0]
    end = horizon[e, 1]
    old = horizon[e, 2]
    after = fan[starts[end]]
    faces[f, 0] = start
    faces[f, 1] = end
    faces[f, 2] = eye
    beyond[f, 0] = old
    beyond[f, 1] = after
    beyond[after, 2] = f
    for k in range(3):
        if faces[old, k] == end and faces[old, (k + 1) % 3] == start:
            beyond[old, k] = f
    state[f] = PRESENT
    plane(points, faces, planes, state, f)


#: Splits a float64 into two halves of 26 bits, whose products are exact.
_SPLITTER = 134217729.0

#: Numbers up to 1 are at most 2^51 such steps, and their differences have at most 52 bits.
GRID_STEP = 2.0**-51

#: Room for the expansion: six triple products of four terms each.
TERMS = 24


@kernel
def above(points, a, b, c, p, terms):
    """1 where ``p`` is above the triangle a, b, c (seen counter-clockwise from there), -1 where it
    is below, 0 in its plane. ``terms`` is scratch of TERMS numbers."""
    x, y, z = points[p, 0], points[p, 1], points[p, 2]
    ax, ay, az = points[a, 0] - x, points[a, 1] - y, points[a, 2] - z
    bx, by, bz = points[b, 0] - x, points[b, 1] - y, points[b, 2] - z
    cx, cy, cz = points[c, 0] - x, points[c, 1] - y, points[c, 2] - z
    ab, ba = ax * by, ay * bx
    bc, cb = bx * cy, by * cx
    ca, ac = cx * ay, cy * ax
    value = (ba - ab) * cz + (cb - bc) * az + (ac - ca) * bz
    # Six products of three, five sums: less than eight roundings of the sum of magnitudes.
    bound = (
        (abs(ab) + abs(ba)) * abs(cz)
        + (abs(bc) + abs(cb)) * abs(az)
        + (abs(ca) + abs(ac)) * abs(bz)
    )
    bound *= 8.0 * EPS
    if value > bound:
        return 1
    if value < -bound:
        return -1
    count = _triple(terms, 0, ay, bx, cz)
    count = _triple(terms, count, -ax, by, cz)
    count = _triple(terms, count, by, cx, az)
    count = _triple(terms, count, -bx, cy, az)
    count = _triple(terms, count, cy, ax, bz)
    count = _triple(terms, count, -cx, ay, bz)
    for k in range(count - 1, -1, -1):
        if terms[k] != 0.0:
            return 1 if terms[k] > 0.0 else -1
    return 0


@kernel
def _triple(terms, count, x, y, z):
    """Add x y z to the expansion, exactly; returns its number of terms."""
    high, low = _product(x, y)
    hh, hl = _product(high, z)
    lh, ll = _product(low, z)
    count = _grow(terms, count, ll)
    count = _grow(terms, count, lh)
    count = _grow(terms, count, hl)
    return _grow(terms, count, hh)


@kernel
def _grow(terms, count, value):
    for k in range(count):
        total = value + terms[k]
        part = total - value
        terms[k] = (value - (total - part)) + (terms[k] - part)
        value = total
    terms[count] = value
    return count + 1


@kernel
def _product(x, y):
    """x y as a rounded product and its exact error (Dekker)."""
    product = x * y
    t = _SPLITTER * x
    xh = t - (t - x)
    xl = x - xh
    t = _SPLITTER * y
    yh = t - (t - y)
    yl = y - yh
    return product, xl * yl - (((product - xh * yh) - xl * yh) - xh * yl)
