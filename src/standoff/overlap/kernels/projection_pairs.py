"""Pairs of parts on planes: which plane shows them apart, and by how much.

How far two convex polygons are apart: a proved lower bound.
"""

from __future__ import annotations

import math

from standoff.compiled.jit import entry, kernel
from standoff.overlap.kernels.projection_layout import (
    CIRCLE,
    CIRCLES,
    COUNT,
    FIRST,
    GROWN,
    HALF,
    KIND,
    PIECE0,
    PIECES,
    PLANES,
    POLYGONS,
    REACH,
    RECTANGLES,
    TILT,
    WHOLE,
)
from standoff.tolerances import FACING_TOLERANCE

#: How much of the distance of two convex polygons may be missing when the search for it ends, [-].
#: It ends at a corner or an edge in any case, after some rounds; what is missing only makes a lower
#: bound lower.
POLYGON_TOLERANCE = 1e-12

#: Rounds of that search, [-]: of a million random pairs none needed more than 9 to be told apart or
#: not, 2 on average, and none more than 14 for its distance. One that has not ended proves nothing.
POLYGON_STEPS = 32


@entry(
    "(i8[:,::1],i8[::1],f8,f8[:,:,::1],i8[:,:,::1],f8[:,::1],f8[:,::1],i8[:,::1],f8[:,::1],"
    "i8[::1],i8[::1])"
)
def first_planes(
    pairs, order, clearance, table, spans, corners, pieces, piece_spans, piece_corners, found,
    counts,
):  # fmt: skip
    """For each pair the first plane of ``order`` that shows it farther apart than ``clearance``, or
    -1, in ``found``."""
    for p in range(len(pairs)):
        found[p] = -1
        for o in range(len(order)):
            gap = gap_on_plane(
                order[o], pairs[p, 0], pairs[p, 1], clearance, False,
                table, spans, corners, pieces, piece_spans, piece_corners, counts,
            )  # fmt: skip
            if gap > clearance:
                found[p] = order[o]
                break


@entry("f8(i8,i8,i8,f8,f8[:,:,::1],i8[:,:,::1],f8[:,::1],f8[:,::1],i8[:,::1],f8[:,::1],i8[::1])")
def widest_gap(
    plane, i, j, clearance, table, spans, corners, pieces, piece_spans, piece_corners, counts
):
    """How far two parts are apart at least, as their outlines on one plane show; -inf where those
    do not show them farther apart than ``clearance``.

    The search for the widest gap may end a rounding below the one that `first_planes` found, and
    so below the clearance: then that one is it."""
    gap = gap_on_plane(
        plane, i, j, clearance, True,
        table, spans, corners, pieces, piece_spans, piece_corners, counts,
    )  # fmt: skip
    if gap > clearance:
        return gap
    return gap_on_plane(
        plane, i, j, clearance, False,
        table, spans, corners, pieces, piece_spans, piece_corners, counts,
    )  # fmt: skip


@kernel
def gap_on_plane(
    k, i, j, clearance, widest, table, spans, corners, pieces, piece_spans, piece_corners, counts
):
    """A distance above ``clearance`` that two parts are proved to keep on plane ``k``, or -inf:
    envelopes first, then the hulls, then all pieces of the true outlines. The first distance found,
    or the largest that the outlines show where ``widest``."""
    counts[PLANES] += 1
    a, b = table[k, i], table[k, j]
    if spans[k, i, KIND] == WHOLE or spans[k, j, KIND] == WHOLE:
        return -math.inf
    if spans[k, i, KIND] == HALF or spans[k, j, KIND] == HALF:
        counts[POLYGONS] += 1
        if spans[k, i, KIND] != HALF:
            gap = above_half_plane(b, a, corners, spans[k, i, FIRST], spans[k, i, COUNT])
        elif spans[k, j, KIND] != HALF:
            gap = above_half_plane(a, b, corners, spans[k, j, FIRST], spans[k, j, COUNT])
        else:
            gap = between_half_planes(a, b)
        return gap if gap > clearance else -math.inf
    grown = a[GROWN] + b[GROWN]
    enough = clearance + grown
    counts[RECTANGLES] += 1
    envelope = rectangle_gap(a, b)
    if envelope > enough and not widest:
        return envelope - grown
    vx, vy = a[CIRCLE] - b[CIRCLE], a[CIRCLE + 1] - b[CIRCLE + 1]
    counts[CIRCLES] += 1
    envelope = max(envelope, math.sqrt(vx * vx + vy * vy) - a[CIRCLE + 2] - b[CIRCLE + 2])
    if envelope > enough and not widest:
        return envelope - grown
    counts[POLYGONS] += 1
    stop = math.inf if widest else enough
    a0, an, b0, bn = spans[k, i, FIRST], spans[k, i, COUNT], spans[k, j, FIRST], spans[k, j, COUNT]
    if vx == 0.0 and vy == 0.0:
        vx = 1.0  # any direction to begin with
    gap = polygon_gap(corners, a0, an, corners, b0, bn, vx, vy, stop)
    na, nb = spans[k, i, PIECES], spans[k, j, PIECES]
    if (na > 0 or nb > 0) and (widest or gap <= enough):
        # A gap of the hulls is one of the outlines too, but these may be farther apart.
        least = piece_gap(
            spans[k, i, PIECE0], na, a, corners, a0, an, spans[k, j, PIECE0], nb, b, b0, bn,
            pieces, piece_spans, piece_corners, enough, widest, counts,
        )  # fmt: skip
        gap = max(gap, least)
    gap = max(gap, envelope)  # by which it may have been told apart
    return gap - grown if gap > enough else -math.inf


@kernel
def piece_gap(
    ap, na, a, corners, a0, an, bp, nb, b, b0, bn, pieces, piece_spans, piece_corners, enough,
    widest, counts,
):  # fmt: skip
    """The least gap between a piece of one outline and one of the other, as far as it is above
    ``enough``; where an outline has no pieces its hull is the only one."""
    least = math.inf
    for p in range(max(na, 1)):
        box_a = pieces[ap + p] if na > 0 else a
        for q in range(max(nb, 1)):
            box_b = pieces[bp + q] if nb > 0 else b
            gap = rectangle_gap(box_a, box_b)
            counts[RECTANGLES] += 1
            if gap >= least:
                continue
            if gap > enough and not widest:
                least = min(least, gap)
                continue
            counts[POLYGONS] += 1
            vx = 0.5 * (box_a[0] + box_a[2] - box_b[0] - box_b[2])
            vy = 0.5 * (box_a[1] + box_a[3] - box_b[1] - box_b[3])
            if vx == 0.0 and vy == 0.0:
                vx = 1.0
            stop = math.inf if widest else enough
            A, B = piece_corners, piece_corners
            if na > 0:
                af, ac = piece_spans[ap + p, 0], piece_spans[ap + p, 1]
            else:
                A, af, ac = corners, a0, an
            if nb > 0:
                bf, bc = piece_spans[bp + q, 0], piece_spans[bp + q, 1]
            else:
                B, bf, bc = corners, b0, bn
            least = min(least, polygon_gap(A, af, ac, B, bf, bc, vx, vy, stop))
            if least <= enough:
                return least
    return least


@kernel
def rectangle_gap(a, b):
    """The distance of two rectangles; 0 where they meet."""
    x = max(a[0] - b[2], b[0] - a[2], 0.0)
    y = max(a[1] - b[3], b[1] - a[3], 0.0)
    return math.sqrt(x * x + y * y)


@kernel
def above_half_plane(half, part, corners, first, count):
    """How far a part is from a half space, at least. Its point x is at the height m·x - m·t, and

        m·x  =  h·x'  +  (m·n) (n·x)  >=  h·x'  -  tilt reach

    with h and x' the projections of m and x, n the plane's normal."""
    lowest = math.inf
    for c in range(first, first + count):
        lowest = min(lowest, half[0] * corners[c, 0] + half[1] * corners[c, 1])
    return lowest - half[2] - part[GROWN] - half[GROWN] - half[TILT] * part[REACH]


@kernel
def between_half_planes(a, b):
    """How far two half planes are apart that face each other; any others meet. What faces another
    is what `standoff.distance` takes for it."""
    if abs(a[0] + b[0]) > FACING_TOLERANCE or abs(a[1] + b[1]) > FACING_TOLERANCE:
        return -math.inf
    return -a[2] - b[2] - a[GROWN] - b[GROWN]


@kernel
def polygon_gap(A, a0, an, B, b0, bn, vx, vy, enough):
    """A lower bound on the distance of the convex hulls of ``an`` corners of ``A`` from ``a0`` on
    and ``bn`` of ``B`` from ``b0`` on: their distance but for rounding where it is above
    ``enough`` = inf, else the first bound found above ``enough``, or any number up to it.

    Gilbert, Johnson and Keerthi's search in the plane, from the direction (vx, vy) on. Whatever
    direction v it arrives at, all of A lies beyond ``min v·a`` and all of B before ``max v·b``, so

        distance  >=  (min v·a - max v·b) / |v|

    is all that is ever claimed; how v was found does not matter. Each step looks at every corner
    once, and there are at most POLYGON_STEPS, so this takes O(an + bn)."""
    best = -math.inf
    held = 0  # points of the difference A - B: none, one, or two that an edge joins
    px = py = qx = qy = 0.0
    for _ in range(POLYGON_STEPS):
        length = math.sqrt(vx * vx + vy * vy)
        if not length > 0.0:
            return best
        ux, uy = vx / length, vy / length
        least, most = math.inf, -math.inf
        ax = ay = bx = by = 0.0
        for c in range(a0, a0 + an):
            along = ux * A[c, 0] + uy * A[c, 1]
            if along < least:
                least, ax, ay = along, A[c, 0], A[c, 1]
        for c in range(b0, b0 + bn):
            along = ux * B[c, 0] + uy * B[c, 1]
            if along > most:
                most, bx, by = along, B[c, 0], B[c, 1]
        best = max(best, least - most)
        if best > enough:
            return best
        # v is a point of the difference once one is held: no two points are nearer than `best`,
        # and two are as near as `length`.
        if held > 0 and (
            length <= enough < math.inf or length - best <= POLYGON_TOLERANCE * length
        ):
            return best
        wx, wy = ax - bx, ay - by
        if held == 0:
            px, py, vx, vy = wx, wy, wx, wy
            held = 1
            continue
        if (wx == px and wy == py) or (held == 2 and wx == qx and wy == qy):
            return best
        if held == 1:
            qx, qy = wx, wy
            vx, vy, held = nearest_on_edge(px, py, qx, qy)
            if held == 1:
                px, py = vx, vy
            continue
        if inside(px, py, qx, qy, wx, wy):
            return best
        ex, ey, eh = nearest_on_edge(px, py, wx, wy)
        fx, fy, fh = nearest_on_edge(qx, qy, wx, wy)
        if ex * ex + ey * ey <= fx * fx + fy * fy:
            vx, vy, held = ex, ey, eh
            qx, qy = wx, wy
        else:
            vx, vy, held = fx, fy, fh
            px, py = wx, wy
        if held == 1:
            px, py = vx, vy
    return best


@kernel
def nearest_on_edge(px, py, qx, qy):
    """The point of the segment pq nearest to the origin, and 1 where it is an end, else 2. Between
    the ends it is along the edge's normal, whose direction is right to the last digits even where
    the origin is close to the edge."""
    dx, dy = qx - px, qy - py
    square = dx * dx + dy * dy
    if not square > 0.0 or -(px * dx + py * dy) <= 0.0:
        return px, py, 1
    if qx * dx + qy * dy <= 0.0:
        return qx, qy, 1
    share = (dy * px - dx * py) / square
    return dy * share, -dx * share, 2


@kernel
def inside(px, py, qx, qy, wx, wy):
    """Whether the origin is in the triangle pqw, its edges included."""
    a = px * qy - py * qx
    b = qx * wy - qy * wx
    c = wx * py - wy * px
    return (a >= 0.0 and b >= 0.0 and c >= 0.0) or (a <= 0.0 and b <= 0.0 and c <= 0.0)
