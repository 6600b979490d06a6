"""Parts on planes: the convex outline of each part, with its envelopes.

The convex hull of points in the plane, and how much of them it leaves out.
"""

from __future__ import annotations

import math

from standoff.compiled.jit import entry, kernel
from standoff.overlap.kernels.projection_layout import (
    AREA,
    BODY_GROWN,
    BODY_REACH,
    BOUNDED,
    CIRCLE,
    COUNT,
    FIRST,
    GROWN,
    HALF,
    KIND,
    NORMAL,
    REACH,
    TILT,
    WHOLE,
)
from standoff.tolerances import EPS

#: Rounding of a projected point and of all that is measured on it, relative to the part's reach:
#: its farthest point from the scene's origin, [-]. In units of EPS: the product of basis and
#: rotation 3, the point by it and the position 5, both for two coordinates; a basis that is 8 off
#: orthonormal, a pose that is 45 off a rotation (ROTATION_EXACT); 8 of the height by which the hull
#: may leave out a point unseen (`planar_hull.left_out`); 8 for circles, directions and differences.
#: Together 85.
PROJECTION_ROUNDING = 128 * EPS

#: Rounding of twice the area of a triangle, relative to the square of its larger extent, [-]: two
#: products of two differences each, less than 2 units of either, and as much again for room.
INNER_ROUNDING = 8 * EPS

#: How far the normal of a half space may be from lying in a plane for its projection to be a half
#: plane, [-]: what turned walls leave by rounding. Nothing is lost by it, as the tilt is taken off
#: what is proved; beyond, the half space covers the plane.
HALF_SPACE_TILT = 1e-12


@entry(
    "(i8[::1],f8[:,::1],i8[:,::1],f8[:,::1],f8[:,::1],f8[:,::1],f8[:,:,::1],i8[:,:,::1],"
    "f8[:,:,::1])"
)
def project(which, bodies, ranges, points, bases, corners, table, spans, scratch):
    """The outlines of the bodies ``which`` on all planes, in their rows of ``table`` and ``spans``
    and their own places of ``corners``, which has room for every point on every plane.
    ``scratch`` is (4, most points of a body, 2)."""
    for w in range(len(which)):
        i = which[w]
        for k in range(len(bases)):
            table[k, i, REACH] = bodies[i, BODY_REACH]
            table[k, i, GROWN] = bodies[i, BODY_GROWN] + PROJECTION_ROUNDING * bodies[i, BODY_REACH]
            if ranges[i, KIND] == BOUNDED:
                hull_on_plane(bodies, ranges, points, bases, corners, table, spans, scratch, k, i)
            else:
                half_plane(bodies, bases, table, spans, k, i)


@kernel
def half_plane(bodies, bases, table, spans, k, i):
    """All x with m·x <= m·t project to the whole plane, unless m lies in it. What m is off by, its
    tilt, counts as doubt about each point that is compared with the half plane."""
    mx, my, mz = bodies[i, 2], bodies[i, 6], bodies[i, 10]
    tilt = abs(bases[k, NORMAL] * mx + bases[k, NORMAL + 1] * my + bases[k, NORMAL + 2] * mz)
    spans[k, i, KIND] = HALF if tilt <= HALF_SPACE_TILT else WHOLE
    table[k, i, 0] = bases[k, 0] * mx + bases[k, 1] * my + bases[k, 2] * mz
    table[k, i, 1] = bases[k, 3] * mx + bases[k, 4] * my + bases[k, 5] * mz
    table[k, i, 2] = mx * bodies[i, 3] + my * bodies[i, 7] + mz * bodies[i, 11]
    table[k, i, TILT] = tilt + PROJECTION_ROUNDING
    table[k, i, AREA] = 0.0


@kernel
def hull_on_plane(bodies, ranges, points, bases, corners, table, spans, scratch, k, i):
    """The hull of the projected points of a bounded body, with rectangle, circle and area."""
    flat, lower, upper, spare = scratch[0], scratch[1], scratch[2], scratch[3]
    first, n = ranges[i, FIRST], ranges[i, COUNT]
    place(bodies, points, bases, flat, k, i, first, n)
    n = drop_inner(flat, n, lower, upper)
    sort_points(flat, n, spare)
    n = distinct(flat, n)
    below = chain(flat, n, 1.0, lower)
    above = chain(flat, n, -1.0, upper)
    missed = max(left_out(flat, n, 1.0, lower, below), left_out(flat, n, -1.0, upper, above))
    table[k, i, GROWN] += missed
    start = k * len(points) + first
    for c in range(below):
        corners[start + c, 0], corners[start + c, 1] = lower[c, 0], lower[c, 1]
    end = start + below
    for c in range(above - 2, 0, -1):  # without the two ends, which the lower chain has
        corners[end, 0], corners[end, 1] = upper[c, 0], upper[c, 1]
        end += 1
    spans[k, i, KIND] = BOUNDED
    spans[k, i, FIRST] = start
    spans[k, i, COUNT] = end - start
    envelope(corners, start, end, table[k, i])


@kernel
def place(bodies, points, bases, flat, k, i, first, n):
    """The points of a body on a plane: one product of basis and rotation, then two sums a point."""
    for r in range(2):
        bx, by, bz = bases[k, 3 * r], bases[k, 3 * r + 1], bases[k, 3 * r + 2]
        x = bx * bodies[i, 0] + by * bodies[i, 4] + bz * bodies[i, 8]
        y = bx * bodies[i, 1] + by * bodies[i, 5] + bz * bodies[i, 9]
        z = bx * bodies[i, 2] + by * bodies[i, 6] + bz * bodies[i, 10]
        s = bx * bodies[i, 3] + by * bodies[i, 7] + bz * bodies[i, 11]
        for p in range(n):
            q = first + p
            flat[p, r] = x * points[q, 0] + y * points[q, 1] + z * points[q, 2] + s


@kernel
def envelope(corners, start, end, row):
    """Rectangle, circle and area of a convex polygon grown by ``row[GROWN]``: area, perimeter times
    growth and a full disc."""
    row[0] = row[1] = math.inf
    row[2] = row[3] = -math.inf
    for c in range(start, end):
        x, y = corners[c, 0], corners[c, 1]
        row[0], row[1] = min(row[0], x), min(row[1], y)
        row[2], row[3] = max(row[2], x), max(row[3], y)
    cx, cy = 0.5 * (row[0] + row[2]), 0.5 * (row[1] + row[3])
    radius = twice = around = 0.0
    before = end - 1
    for c in range(start, end):
        x, y = corners[c, 0] - cx, corners[c, 1] - cy
        bx, by = corners[before, 0] - cx, corners[before, 1] - cy
        radius = max(radius, x * x + y * y)
        twice += bx * y - by * x
        around += math.sqrt((x - bx) * (x - bx) + (y - by) * (y - by))
        before = c
    row[CIRCLE], row[CIRCLE + 1], row[CIRCLE + 2] = cx, cy, math.sqrt(radius)
    row[AREA] = 0.5 * twice + row[GROWN] * (around + math.pi * row[GROWN])


#: Points that are put into order one by one before such runs are merged.
RUN = 8

#: Points from which on it pays to look for those that are surely inside; at least eight.
MANY = 16


@kernel
def drop_inner(points, n, eight, deep):
    """Leave out points that are inside the octagon of the points farthest along the axes and the
    diagonals; how many remain. Two thirds of the corners of a body go, before the sort, and without
    a branch to guess.

    A point strictly to the left of every edge is circled by them, so it is in their hull. Its turn
    is off by less than INNER_ROUNDING of the larger extent's square, which it has to exceed: no
    point of the hull is lost, whatever rounding does."""
    if n < MANY:
        return n
    for d in range(8):
        eight[d, 0], eight[d, 1] = points[0, 0], points[0, 1]
    for k in range(1, n):
        x, y = points[k, 0], points[k, 1]
        if x > eight[0, 0]:
            eight[0, 0], eight[0, 1] = x, y
        if x + y > eight[1, 0] + eight[1, 1]:
            eight[1, 0], eight[1, 1] = x, y
        if y > eight[2, 1]:
            eight[2, 0], eight[2, 1] = x, y
        if y - x > eight[3, 1] - eight[3, 0]:
            eight[3, 0], eight[3, 1] = x, y
        if x < eight[4, 0]:
            eight[4, 0], eight[4, 1] = x, y
        if x + y < eight[5, 0] + eight[5, 1]:
            eight[5, 0], eight[5, 1] = x, y
        if y < eight[6, 1]:
            eight[6, 0], eight[6, 1] = x, y
        if y - x < eight[7, 1] - eight[7, 0]:
            eight[7, 0], eight[7, 1] = x, y
    wide = max(eight[0, 0] - eight[4, 0], eight[2, 1] - eight[6, 1])
    margin = INNER_ROUNDING * wide * wide
    if not margin > 0.0:
        return n
    for k in range(n):
        deep[k, 0] = math.inf
    for d in range(8):
        ax, ay = eight[d, 0], eight[d, 1]
        ex, ey = eight[(d + 1) % 8, 0] - ax, eight[(d + 1) % 8, 1] - ay
        if ex != 0.0 or ey != 0.0:
            for k in range(n):
                left = ex * (points[k, 1] - ay) - ey * (points[k, 0] - ax)
                deep[k, 0] = min(deep[k, 0], left)
    kept = 0
    for k in range(n):
        points[kept, 0], points[kept, 1] = points[k, 0], points[k, 1]
        kept += 0 if deep[k, 0] > margin else 1
    return kept


@kernel
def sort_points(points, n, spare):
    """Put the first ``n`` points into the order of x, then y; by merging, so n log n at worst."""
    for k in range(n):
        x, y = points[k, 0], points[k, 1]
        at = k
        while at % RUN > 0 and (
            x < points[at - 1, 0] or (x == points[at - 1, 0] and y < points[at - 1, 1])
        ):
            points[at, 0], points[at, 1] = points[at - 1, 0], points[at - 1, 1]
            at -= 1
        points[at, 0], points[at, 1] = x, y
    width = RUN
    while width < n:
        for start in range(0, n, 2 * width):
            a = start
            middle = min(start + width, n)
            b = middle
            end = min(start + 2 * width, n)
            for k in range(start, end):
                first = b >= end or (a < middle and not before(points, b, points, a))
                if first:
                    spare[k, 0], spare[k, 1] = points[a, 0], points[a, 1]
                    a += 1
                else:
                    spare[k, 0], spare[k, 1] = points[b, 0], points[b, 1]
                    b += 1
        for k in range(n):
            points[k, 0], points[k, 1] = spare[k, 0], spare[k, 1]
        width *= 2


@kernel
def before(A, a, B, b):
    return A[a, 0] < B[b, 0] or (A[a, 0] == B[b, 0] and A[a, 1] < B[b, 1])


@kernel
def distinct(points, n):
    """Leave out the doubles among the first ``n`` sorted points; how many remain."""
    kept = min(n, 1)
    for k in range(1, n):
        if before(points, kept - 1, points, k):
            points[kept, 0], points[kept, 1] = points[k, 0], points[k, 1]
            kept += 1
    return kept


@kernel
def turn(A, a, b, B, c):
    """Twice the area of the triangle of two points of ``A`` and one of ``B``: positive where it
    runs counter-clockwise."""
    x, y = A[a, 0], A[a, 1]
    return (A[b, 0] - x) * (B[c, 1] - y) - (A[b, 1] - y) * (B[c, 0] - x)


@kernel
def chain(points, n, side, out):
    """The lower (``side`` 1) or the upper (-1) part of the hull of ``n`` sorted, distinct points,
    from left to right; how many points it has (A. M. Andrew, 1979)."""
    kept = 0
    for k in range(n):
        while kept >= 2 and side * turn(out, kept - 2, kept - 1, points, k) <= 0.0:
            kept -= 1
        out[kept, 0], out[kept, 1] = points[k, 0], points[k, 1]
        kept += 1
    return kept


@kernel
def left_out(points, n, side, chain, kept):
    """How far, along y, any of the points is seen to be on the wrong side of the chain.

    A point between the ends of an edge in the order of x is as far from the hull as it is below
    the edge, at most: ``-turn / dx``. The turn is off by less than 4 units of rounding of its two
    products, and as the point's dx is at most the edge's, that is less than 8 units of the height
    of the points along y, which the outline is grown by in any case (`PROJECTION_ROUNDING`)."""
    worst = 0.0
    e = 0
    for k in range(n):
        while e + 2 < kept and before(chain, e + 1, points, k):
            e += 1
        if kept >= 2:
            t = side * turn(chain, e, e + 1, points, k)
            if t < 0.0:
                worst = max(worst, -t / (chain[e + 1, 0] - chain[e, 0]))
    return worst
