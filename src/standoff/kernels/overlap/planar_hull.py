"""The convex hull of points in the plane, and how much of them it leaves out."""

from __future__ import annotations

import math

from standoff.constants import INNER_ROUNDING
from standoff.kernels.jit import kernel

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
