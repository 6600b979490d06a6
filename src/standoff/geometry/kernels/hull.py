"""The convex hull of points in space: quickhull (Barber, Dobkin, Huhdanpaa 1996) on triangles.

A point is worth a corner of the hull when it is more than the tolerance above some face. Which
faces its corner then replaces is decided by exact signs (`orientation`), so the surface stays
closed and convex to the last bit whatever the input, and a sliver's poor normal can at worst cost a
corner too many. Corners that others made superfluous later on are found by
`hull_audit.superfluous`.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from standoff.compiled.jit import entry, kernel
from standoff.compiled.tables import Reals, Records, Tables, Wholes, fields, viewer
from standoff.geometry.kernels.orientation import TERMS, above
from standoff.geometry.narrowphase.support import farthest
from standoff.geometry.narrowphase.vectors import cross, dot, minus, plus, point
from standoff.tolerances import SIMPLEX_FLATNESS

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


#: An edge between faces that a point sees and the rest: corners, and the face beyond it.
EDGE = fields(start=int, end=int, beyond=int)


class HullTables(Tables):
    """A hull that grows. Room for 2 n + 8 faces, of which those with state GONE are spare."""

    points = Reals(3, "differences of coordinates are exact")
    faces = Wholes(3, "corners, counter-clockwise from outside")
    beyond = Wholes(3, "the face beyond each edge; the first one begins at the first corner")
    planes = Reals(4, "of the faces: unit outward normal and offset")
    state = Wholes(doc="of the faces")
    first = Wholes(doc="of each face the first point that waits outside it, or -1")
    following = Wholes(doc="of each point the next one outside the same face, or -1")
    waiting = Wholes(doc="faces with points outside them")
    seen = Wholes(doc="faces that a point is above; then the ones that take their place")
    spare = Wholes(doc="faces to be used again")
    horizon = Records(EDGE, "around the faces that are seen")
    starts = Wholes(doc="of each point the edge of the horizon that starts there, or -1")
    terms = Reals(doc="of `above`")

    def __init__(self, points: NDArray[np.float64]) -> None:
        n, room = len(points), 2 * len(points) + 8
        super().__init__(
            points=points, faces=room, beyond=room, planes=room, state=room,
            first=np.full(room, -1), following=np.full(n, -1), waiting=np.arange(room), seen=room,
            spare=room, horizon=room, starts=np.full(n, -1), terms=TERMS,
        )  # fmt: skip


_hull_at = viewer(HullTables)


@entry("Tuple((int64, int64))(int64, float64, float64)")
def hull(tables, tolerance, thickness):
    """The hull of ``points``; its faces are those that are not GONE. Points that span no more than
    ``thickness`` in some direction are flat, [m]. Returns a code and how many rows of faces are
    in use."""
    tables = _hull_at(tables)
    points, faces, state, first = tables.points, tables.faces, tables.state, tables.first
    waiting, seen, spare, horizon = tables.waiting, tables.seen, tables.spare, tables.horizon
    code, corners = _first(points, thickness)
    if code != SOLID:
        return code, 0
    _tetrahedron(tables, *corners)
    count, spares, pending = 4, 0, 4
    for p in range(len(points)):
        _assign(tables, p, tolerance, waiting, pending)
    while pending > 0:
        f = waiting[pending - 1]
        if state[f] != PRESENT or first[f] < 0:
            pending -= 1
            continue
        eye = _farthest(tables, f, tolerance)
        if above(points, faces[f, 0], faces[f, 1], faces[f, 2], eye, tables.terms) <= 0:
            # A sliver's plane misled: the point is inside. It need not wait here.
            _remove(tables, f, eye)
            continue
        sights = _look(tables, eye, f)
        edges = _horizon(tables, sights)
        orphans, spares = _take_away(tables, sights, spares)
        # `seen` is free now and takes the new face of each edge of the horizon.
        for e in range(edges):
            if spares > 0:
                spares -= 1
                seen[e] = spare[spares]
            else:
                seen[e] = count
                count += 1
        for e in range(edges):
            _fan(tables, eye, e)
        for e in range(edges):
            tables.starts[horizon[e].start] = -1
        _assign_anew(tables, orphans, eye, tolerance, edges)
        for e in range(edges):
            if first[seen[e]] >= 0:
                if pending >= len(waiting):
                    pending = _compact(tables, pending)
                waiting[pending] = seen[e]
                pending += 1
    return SOLID, count


@kernel
def _take_away(tables, sights, spares):
    """The seen faces go, and become spare. Returns the first of the points that waited outside
    them, in one list, and how many faces are spare."""
    first, following = tables.first, tables.following
    orphans = -1
    for i in range(sights):
        g = tables.seen[i]
        p = first[g]
        while p >= 0:
            after = following[p]
            following[p] = orphans
            orphans = p
            p = after
        first[g] = -1
        tables.state[g] = GONE
        tables.spare[spares] = g
        spares += 1
    return orphans, spares


@kernel
def _compact(tables, pending):
    """Drop what need not wait any more; each face that must is kept once."""
    waiting, state, first = tables.waiting, tables.state, tables.first
    kept = 0
    for i in range(pending):
        f = waiting[i]
        if state[f] == PRESENT and first[f] >= 0:
            known = False
            for k in range(kept):
                known = known or waiting[k] == f
            if not known:
                waiting[kept] = f
                kept += 1
    return kept


@kernel
def _first(points, thickness):
    """A code, and four points that span the rest about as widely as they can where it is SOLID."""
    n = len(points)
    a = b = c = d = -1
    widest = 0.0
    for dx, dy, dz in _DIRECTIONS:
        low = farthest(points, 0, n, -dx, -dy, -dz)
        high = farthest(points, 0, n, dx, dy, dz)
        way = _difference(points, high, low)
        length = math.sqrt(dot(*way, *way))
        # The axes are for points that lie square to the first direction.
        if length > 2.0 * widest:
            widest = length
            a, b = low, high
    if widest <= thickness:
        return POINT, (a, b, c, d)
    u = _unit(*_difference(points, b, a))
    most = -1.0
    for p in range(n):
        x, y, z = _difference(points, p, a)
        off = plus(x, y, z, -dot(x, y, z, *u), *u)
        away = dot(*off, *off)
        if away > most:
            most, c = away, p
    if math.sqrt(most) <= thickness:
        return LINE, (a, b, c, d)
    across = _unit(*cross(*u, *_difference(points, c, a)))
    highest = -1.0
    for p in range(n):
        height = abs(dot(*_difference(points, p, a), *across))
        if height > highest:
            highest, d = height, p
    return PLANE if highest <= thickness else SOLID, (a, b, c, d)


@kernel
def _difference(points, p, q):
    return minus(*point(points, p), *point(points, q))


@kernel
def _unit(x, y, z):
    s = 1.0 / math.sqrt(dot(x, y, z, x, y, z))
    return s * x, s * y, s * z


@kernel
def _tetrahedron(tables, a, b, c, d):
    points, faces, beyond, state = tables.points, tables.faces, tables.beyond, tables.state
    if above(points, a, b, c, d, tables.terms) > 0:
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
        plane(points, faces, tables.planes, state, f)


@kernel
def plane(points, faces, planes, state, f):
    u = _difference(points, faces[f, 1], faces[f, 0])
    v = _difference(points, faces[f, 2], faces[f, 0])
    n = cross(*u, *v)
    nn = dot(*n, *n)
    if nn <= SIMPLEX_FLATNESS * SIMPLEX_FLATNESS * dot(*u, *u) * dot(*v, *v):
        state[f] = THIN
        planes[f, 3] = math.inf
        return
    s = 1.0 / math.sqrt(nn)
    planes[f, 0], planes[f, 1], planes[f, 2] = s * n[0], s * n[1], s * n[2]
    planes[f, 3] = s * dot(*n, *point(points, faces[f, 0]))


@kernel
def height_above(points, planes, f, p):
    return dot(*point(planes, f), *point(points, p)) - planes[f, 3]


@kernel
def _assign(tables, p, tolerance, candidates, number):
    """Let a point wait outside the one of so many faces that it is highest above; inside, let it
    go."""
    points, planes, state, first = tables.points, tables.planes, tables.state, tables.first
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
        tables.following[p] = first[best]
        first[best] = p


@kernel
def _assign_anew(tables, orphans, eye, tolerance, edges):
    """Let the points of a list wait outside the new faces; not ``eye``, which is a corner now."""
    following = tables.following
    p = orphans
    while p >= 0:
        after = following[p]
        following[p] = -1
        if p != eye:
            _assign(tables, p, tolerance, tables.seen, edges)
        p = after


@kernel
def _farthest(tables, f, tolerance):
    """Of the points that wait outside a face the highest; of several within the tolerance the
    one farthest from the origin, as that is a corner where others may be on a face."""
    points, planes, following = tables.points, tables.planes, tables.following
    highest = -math.inf
    p = tables.first[f]
    while p >= 0:
        highest = max(highest, height_above(points, planes, f, p))
        p = following[p]
    best = p = tables.first[f]
    reach = -1.0
    while p >= 0:
        if height_above(points, planes, f, p) >= highest - tolerance:
            away = points[p, 0] ** 2 + points[p, 1] ** 2 + points[p, 2] ** 2
            if away > reach:
                reach = away
                best = p
        p = following[p]
    return best


@kernel
def _remove(tables, f, point):
    first, following = tables.first, tables.following
    if first[f] == point:
        first[f] = following[point]
    else:
        p = first[f]
        while following[p] != point:
            p = following[p]
        following[p] = following[point]
    following[point] = -1


@kernel
def _look(tables, eye, seed):
    """Mark the faces that ``eye`` is above, from ``seed`` on; returns their number."""
    faces, beyond, state, seen = tables.faces, tables.beyond, tables.state, tables.seen
    sights = 1
    seen[0] = seed
    state[seed] = SEEN
    done = 0
    while done < sights:
        f = seen[done]
        done += 1
        for k in range(3):
            g = beyond[f, k]
            if state[g] == SEEN:
                continue
            a, b, c = faces[g, 0], faces[g, 1], faces[g, 2]
            if above(tables.points, a, b, c, eye, tables.terms) > 0:
                state[g] = SEEN
                seen[sights] = g
                sights += 1
    return sights


@kernel
def _horizon(tables, sights):
    """The edges between the seen faces and the rest; returns their number. Exact signs make them
    one closed loop."""
    faces = tables.faces
    edges = 0
    for i in range(sights):
        f = tables.seen[i]
        for k in range(3):
            g = tables.beyond[f, k]
            if tables.state[g] != SEEN:
                edge = tables.horizon[edges]
                edge.start, edge.end, edge.beyond = faces[f, k], faces[f, (k + 1) % 3], g
                tables.starts[edge.start] = edges
                edges += 1
    return edges


@kernel
def _fan(tables, eye, e):
    """The new face over edge ``e`` of the horizon, linked to its neighbours."""
    faces, beyond, fan, edge = tables.faces, tables.beyond, tables.seen, tables.horizon[e]
    start, end, old = edge.start, edge.end, edge.beyond
    f, after = fan[e], fan[tables.starts[end]]
    faces[f, 0], faces[f, 1], faces[f, 2] = start, end, eye
    beyond[f, 0], beyond[f, 1], beyond[after, 2] = old, after, f
    for k in range(3):
        if faces[old, k] == end and faces[old, (k + 1) % 3] == start:
            beyond[old, k] = f
    tables.state[f] = PRESENT
    plane(tables.points, faces, tables.planes, tables.state, f)
