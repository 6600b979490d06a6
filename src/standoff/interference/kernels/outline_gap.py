"""Which plane shows two parts apart, and by how much: proved lower bounds on the distance of their
outlines there, which are half planes or convex polygons.
"""

from __future__ import annotations

import math

from standoff.compiled.jit import entry, inlined, kernel
from standoff.interference.kernels.outline import BOUNDED, HALF, WHOLE, scene_at
from standoff.tolerances import FACING_TOLERANCE

#: How much of the distance of two convex polygons may be missing when the search for it ends, [-].
#: It ends at a corner or an edge in any case, after some rounds; what is missing only makes a lower
#: bound lower.
POLYGON_TOLERANCE = 1e-12

#: Rounds of that search, [-]: of a million random pairs none needed more than 9 to be told apart or
#: not, 2 on average, and none more than 14 for its distance. One that has not ended proves nothing.
POLYGON_STEPS = 32


@entry("void(int64, int64[:, ::1], int64[::1], float64, int64[::1])")
def first_planes(scene, pairs, order, clearance, found):
    """For each pair the first plane of ``order`` that shows it farther apart than ``clearance``, or
    -1, in ``found``."""
    scene = scene_at(scene)
    for p in range(len(pairs)):
        found[p] = -1
        for k in order:
            gap = gap_on_plane(scene, k, pairs[p, 0], pairs[p, 1], clearance, False)
            if gap > clearance:
                found[p] = k
                break


@entry("float64(int64, int64, int64, int64, float64)")
def widest_gap(scene, plane, i, j, clearance):
    """How far two parts are apart at least, as their outlines on one plane show; -inf where those
    do not show them farther apart than ``clearance``.

    The search for the widest gap may end a rounding below the one that `first_planes` found, and
    so below the clearance: then that one is it."""
    scene = scene_at(scene)
    gap = gap_on_plane(scene, plane, i, j, clearance, True)
    return gap if gap > clearance else gap_on_plane(scene, plane, i, j, clearance, False)


@kernel
def gap_on_plane(scene, k, i, j, clearance, widest):
    """A distance above ``clearance`` that two parts are proved to keep on plane ``k``, or -inf:
    envelopes first, then the hulls, then all pieces of the true outlines. The first distance found,
    or the largest that the outlines show where ``widest``."""
    counts, corners = scene.counts, scene.corners
    counts.planes += 1
    row_a, row_b = k * len(scene.bodies) + i, k * len(scene.bodies) + j
    a, b = scene.outlines[row_a], scene.outlines[row_b]
    if a.kind != BOUNDED or b.kind != BOUNDED:
        gap = half_plane_gap(scene, a, b)
        return gap if gap > clearance else -math.inf
    grown = a.grown + b.grown
    enough = clearance + grown
    counts.rectangles += 1
    envelope = rectangle_gap(a, b)
    if envelope > enough and not widest:
        return envelope - grown
    vx, vy = a.centre_x - b.centre_x, a.centre_y - b.centre_y
    counts.circles += 1
    envelope = max(envelope, math.sqrt(vx * vx + vy * vy) - a.radius - b.radius)
    if envelope > enough and not widest:
        return envelope - grown
    counts.polygons += 1
    gap = polygon_gap(corners, a, b, (vx, vy), math.inf if widest else enough)
    whole = a.piece == row_a and b.piece == row_b
    if not whole and (widest or gap <= enough):
        # A gap of the hulls is one of the outlines too, but these may be farther apart.
        gap = max(gap, piece_gap(scene, a, b, enough, widest))
    gap = max(gap, envelope)  # by which it may have been told apart
    return gap - grown if gap > enough else -math.inf


@kernel
def piece_gap(scene, a, b, enough, widest):
    """The least gap between a piece of one outline and one of the other, as far as it is above
    ``enough``."""
    counts = scene.counts
    least = math.inf
    for m in range(a.piece, a.piece + a.pieces):
        p = scene.outlines[m]
        for n in range(b.piece, b.piece + b.pieces):
            q = scene.outlines[n]
            gap = rectangle_gap(p, q)
            counts.rectangles += 1
            if gap >= least:
                continue
            if gap > enough and not widest:
                least = gap
                continue
            counts.polygons += 1
            vx = 0.5 * (p.low_x + p.high_x - q.low_x - q.high_x)
            vy = 0.5 * (p.low_y + p.high_y - q.low_y - q.high_y)
            stop = math.inf if widest else enough
            least = min(least, polygon_gap(scene.corners, p, q, (vx, vy), stop))
            if least <= enough:
                return least
    return least


@kernel
def rectangle_gap(a, b):
    """The distance of the rectangles of two outlines; 0 where they meet."""
    x = max(a.low_x - b.high_x, b.low_x - a.high_x, 0.0)
    y = max(a.low_y - b.high_y, b.low_y - a.high_y, 0.0)
    return math.sqrt(x * x + y * y)


@kernel
def half_plane_gap(scene, a, b):
    """How far two outlines are apart, at least, of which one is a half plane, or all of it."""
    if a.kind == WHOLE or b.kind == WHOLE:
        return -math.inf
    scene.counts.polygons += 1
    if a.kind != HALF:
        return above_half_plane(b, a, scene.corners)
    if b.kind != HALF:
        return above_half_plane(a, b, scene.corners)
    return between_half_planes(a, b)


@kernel
def above_half_plane(half, part, corners):
    """How far a part is from a half space, at least. Its point x is at the height m·x - m·t, and

        m·x  =  h·x'  +  (m·n) (n·x)  >=  h·x'  -  tilt reach

    with h and x' the projections of m and x, n the plane's normal."""
    lowest = math.inf
    for c in range(part.first, part.first + part.count):
        lowest = min(lowest, half.normal_x * corners[c, 0] + half.normal_y * corners[c, 1])
    return lowest - half.along - part.grown - half.grown - half.tilt * part.reach


@kernel
def between_half_planes(a, b):
    """How far two half planes are apart that face each other; any others meet. What faces another
    is what `standoff.distance` takes for it."""
    x, y = a.normal_x + b.normal_x, a.normal_y + b.normal_y
    if abs(x) > FACING_TOLERANCE or abs(y) > FACING_TOLERANCE:
        return -math.inf
    return -a.along - b.along - a.grown - b.grown


@kernel
def polygon_gap(corners, a, b, v, enough):
    """A lower bound on the distance of the hulls of the corners of two outlines: their distance but
    for rounding where it is above ``enough`` = inf, else the first bound found above ``enough``, or
    any number up to it.

    Gilbert, Johnson and Keerthi's search in the plane, from the direction v on, or any where that
    is 0. Whatever direction v it arrives at, all of a lies beyond ``min v·a`` and all of b
    before ``max v·b``, so

        distance  >=  (min v·a - max v·b) / |v|

    is all that is ever claimed; how v was found does not matter. Each step looks at every corner
    once, and there are at most POLYGON_STEPS, so it takes time in proportion to the corners."""
    best = -math.inf
    if v[0] == 0.0 and v[1] == 0.0:
        v = 1.0, v[1]
    held = 0  # points of the difference a - b: none, one, or two that an edge joins
    p = q = 0.0, 0.0
    for _ in range(POLYGON_STEPS):
        length = math.sqrt(v[0] * v[0] + v[1] * v[1])
        if not length > 0.0:
            return best
        ux, uy = v[0] / length, v[1] / length
        least, ax, ay = lowest_corner(corners, a, ux, uy)
        less, bx, by = lowest_corner(corners, b, -ux, -uy)
        best = max(best, least + less)
        if best > enough:
            return best
        # v is a point of the difference once one is held: no two points are nearer than `best`,
        # and two are as near as `length`.
        if held > 0 and (
            length <= enough < math.inf or length - best <= POLYGON_TOLERANCE * length
        ):
            return best
        v, p, q, held = with_point((ax - bx, ay - by), p, q, held)
        if held == 0:
            return best
    return best


@inlined
def with_point(w, p, q, held):
    """The point v nearest to the origin of the triangle of one more point w and the ``held`` ones
    of p and q; then the points that hold it, and how many they are: an end of an edge, or both. 0
    where w is one of those before, or the origin is inside: v gets no nearer then."""
    if held == 0:
        return w, w, q, 1
    if (w[0] == p[0] and w[1] == p[1]) or (held == 2 and w[0] == q[0] and w[1] == q[1]):
        return w, p, q, 0
    if held == 1:
        v, held = nearest_on_edge(p, w)
        return v, v if held == 1 else p, w, held
    if inside(p, q, w):
        return w, p, q, 0
    e, on_e = nearest_on_edge(p, w)
    f, on_f = nearest_on_edge(q, w)
    if e[0] * e[0] + e[1] * e[1] <= f[0] * f[0] + f[1] * f[1]:
        return e, e if on_e == 1 else p, w, on_e
    return f, f if on_f == 1 else w, q, on_f


@kernel
def lowest_corner(corners, outline, ux, uy):
    """The least height along u of the corners of an outline, and the first one that is as low."""
    least = math.inf
    x = y = 0.0
    for c in range(outline.first, outline.first + outline.count):
        along = ux * corners[c, 0] + uy * corners[c, 1]
        if along < least:
            least, x, y = along, corners[c, 0], corners[c, 1]
    return least, x, y


@kernel
def nearest_on_edge(p, q):
    """The point of the segment pq nearest to the origin, and 1 where it is an end, else 2. Between
    the ends it is along the edge's normal, whose direction is right to the last digits even where
    the origin is close to the edge."""
    dx, dy = q[0] - p[0], q[1] - p[1]
    square = dx * dx + dy * dy
    if not square > 0.0 or -(p[0] * dx + p[1] * dy) <= 0.0:
        return p, 1
    if q[0] * dx + q[1] * dy <= 0.0:
        return q, 1
    share = (dy * p[0] - dx * p[1]) / square
    return (dy * share, -dx * share), 2


@kernel
def inside(p, q, w):
    """Whether the origin is in the triangle pqw, its edges included."""
    a = p[0] * q[1] - p[1] * q[0]
    b = q[0] * w[1] - q[1] * w[0]
    c = w[0] * p[1] - w[1] * p[0]
    return (a >= 0.0 and b >= 0.0 and c >= 0.0) or (a <= 0.0 and b <= 0.0 and c <= 0.0)
