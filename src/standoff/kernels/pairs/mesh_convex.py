"""A surface of triangles and a convex body: the exact distance, over the surface's tree."""

from __future__ import annotations

import math

from standoff.kernels.containment import convex_depth
from standoff.kernels.jit import kernel
from standoff.kernels.layout import (
    BOX,
    CAPSULE,
    CYLINDER,
    FACE0,
    INT0,
    KIND,
    NODE0,
    POINT0,
    POINTS,
    POLYHEDRON,
    REF_COLUMNS,
    ROW_COLUMNS,
    SIZE,
    SLACK,
    SPHERE,
)
from standoff.kernels.pairs.convex import CONVEX_IWORK, CONVEX_WORK, convex_pair_within
from standoff.kernels.pairs.mesh_work import (
    ANSWER,
    BEST,
    BOUNDS,
    CONVEX,
    CORNERS,
    EXTENT,
    ICONVEX,
    LEAF,
    NEAREST,
    PAIRS,
    REFS,
    REL,
    ROWS,
    STACK,
    TRIANGLES,
)
from standoff.kernels.pairs.triangle_triangle import TRIANGLE_WORK, triangle_triangle
from standoff.kernels.rss import CENTRE, DIAMETER, HALF_U, HALF_V, RADIUS, rss_bound
from standoff.kernels.rss_fit import triangle_rss

#: Alternating projections between a triangle and a convex body that overlap.
_COMMON_STEPS = 64


@kernel
def mesh_convex(RA, i, PA, FA, NA, IA, B, RB, j, PB, margin, work, iwork):
    """Signed distance of the surface and the solid convex body, not more than 0 where they share
    a point; the nearest points and the normal into ``work[BEST:]`` in a's frame, the triangle into
    ``iwork[NEAREST]``, and the rounding of the leaf's answer into ``work[ANSWER + SLACK]``.

    Depth first, the nearer child first, and done at the first triangle that meets the body.
    """
    rel = work[REL : REL + 12]
    leaf = work[LEAF : LEAF + 32].reshape((2, 16))
    bounds = work[BOUNDS : BOUNDS + STACK]
    waiting = iwork[PAIRS : PAIRS + STACK]
    node_a, int_a = RA[i, NODE0], RA[i, INT0]
    boxed = RB[j, KIND] != SPHERE and RB[j, KIND] != CAPSULE
    _place(B, RB, j, work, iwork)
    best = math.inf
    waiting[0] = 0
    bounds[0] = -math.inf
    top = 1
    while top > 0:
        top -= 1
        if bounds[top] - margin >= best:
            continue
        p = waiting[top]
        before = top
        for side in range(2):
            c = IA[int_a + 2 * p + side]
            X, x = NA, node_a + c
            if c < 0:
                _corners(RA, i, PA, FA, ~c, work, leaf)
                X, x = leaf, 0
            bound = -math.inf
            if boxed:
                bound = _box_bound(X, x, rel, work)
            if bound - margin < best:
                bound = max(bound, rss_bound(X, x, leaf, 1, rel, best + margin))
            if bound - margin >= best:
                continue
            if c < 0:
                best = _triangle(B, RB, j, PB, ~c, best, work, iwork)
                if best <= 0.0:
                    return best
                continue
            bounds[top] = bound
            waiting[top] = c
            top += 1
        if top == before + 2 and bounds[top - 1] > bounds[top - 2]:
            bounds[top - 1], bounds[top - 2] = bounds[top - 2], bounds[top - 1]
            waiting[top - 1], waiting[top - 2] = waiting[top - 2], waiting[top - 1]
    return best


@kernel
def bounding_rss(B, RB, j, P, work):
    """Write the convex body's own node into the second row of LEAF, in its own frame, and the box
    that holds it into EXTENT: half extents, then centre."""
    leaf = work[LEAF : LEAF + 32].reshape((2, 16))
    box = work[EXTENT : EXTENT + 6]
    kind = RB[j, KIND]
    s0, s1, s2 = B[j, SIZE], B[j, SIZE + 1], B[j, SIZE + 2]
    for k in range(3):
        box[k], box[3 + k] = 0.0, 0.0
    if kind == BOX:
        box[0], box[1], box[2] = s0, s1, s2
    elif kind == CYLINDER:
        box[0], box[1], box[2] = s0, s0, s1
    elif kind == POLYHEDRON:
        for k in range(3):
            low, high = math.inf, -math.inf
            for p in range(RB[j, POINT0], RB[j, POINT0] + RB[j, POINTS]):
                low, high = min(low, P[p, k]), max(high, P[p, k])
            box[k], box[3 + k] = 0.5 * (high - low), 0.5 * (high + low)
    u, v = 2, 0  # sphere, capsule and cylinder: the axis
    h, g, r = 0.0, 0.0, s0
    if kind == CAPSULE or kind == CYLINDER:
        h = s1
    elif kind == BOX or kind == POLYHEDRON:
        # a box is swept by half its least extent over the rectangle of the other two
        w = 0
        for k in range(1, 3):
            if box[k] < box[w]:
                w = k
        u, v = (w + 1) % 3, (w + 2) % 3
        h, g, r = box[u], box[v], box[w]
    for k in range(9):
        leaf[1, k] = 0.0
    leaf[1, u] = leaf[1, 3 + v] = leaf[1, 6 + (3 - u - v)] = 1.0
    for k in range(3):
        leaf[1, CENTRE + k] = box[3 + k]
    leaf[1, HALF_U], leaf[1, HALF_V], leaf[1, RADIUS] = h, g, r
    leaf[1, DIAMETER] = 2.0 * (math.sqrt(h * h + g * g) + r)


@kernel
def _box_bound(X, x, rel, work):
    """Distance of the box around the convex body and the box around node ``x``, both along the
    convex body's axes: sharper than its swept rectangle beside a flat side."""
    total = 0.0
    for k in range(3):
        e0, e1, e2 = rel[k], rel[3 + k], rel[6 + k]
        centre = (
            e0 * (X[x, 9] - rel[9]) + e1 * (X[x, 10] - rel[10]) + e2 * (X[x, 11] - rel[11])
        ) - work[EXTENT + 3 + k]
        reach = (
            X[x, HALF_U] * abs(e0 * X[x, 0] + e1 * X[x, 1] + e2 * X[x, 2])
            + X[x, HALF_V] * abs(e0 * X[x, 3] + e1 * X[x, 4] + e2 * X[x, 5])
            + X[x, RADIUS]
            + work[EXTENT + k]
        )
        gap = max(abs(centre) - reach, 0.0)
        total += gap * gap
    return math.sqrt(total)


@kernel
def _place(B, RB, j, work, iwork):
    """Rows for `convex_pair`: the triangle at the origin, the convex body at its relative pose."""
    rows = work[ROWS : ROWS + 2 * ROW_COLUMNS].reshape((2, ROW_COLUMNS))
    refs = iwork[REFS : REFS + 2 * REF_COLUMNS].reshape((2, REF_COLUMNS))
    for r in range(3):
        for c in range(3):
            rows[0, 4 * r + c] = 1.0 if r == c else 0.0
            rows[1, 4 * r + c] = work[REL + 3 * r + c]
        rows[0, 4 * r + 3] = 0.0
        rows[1, 4 * r + 3] = work[REL + 9 + r]
    for k in range(4):
        rows[0, SIZE + k] = 0.0
        rows[1, SIZE + k] = B[j, SIZE + k]
    for k in range(REF_COLUMNS):
        refs[0, k] = 0
        refs[1, k] = RB[j, k]
    refs[0, KIND] = POLYHEDRON
    refs[0, POINTS] = 3
    work[ANSWER + SLACK] = 0.0


@kernel
def _corners(RA, i, PA, FA, t, work, leaf):
    """Copy triangle t's corners and write its rectangle as the first row of ``leaf``."""
    w = work[CORNERS : CORNERS + 9]
    for k in range(3):
        p = RA[i, POINT0] + FA[RA[i, FACE0] + t, k]
        for r in range(3):
            w[3 * k + r] = PA[p, r]
    triangle_rss(w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7], w[8], leaf, 0)


@kernel
def _triangle(B, RB, j, PB, t, best, work, iwork):
    """The signed distance of triangle t (at CORNERS) and the body where it is less than ``best``,
    else ``best``."""
    kind = RB[j, KIND]
    if kind == SPHERE or kind == CAPSULE:
        value = _round(B, j, 2 if kind == CAPSULE else 1, best, work)
    else:
        value = _convex(PB, best, work, iwork)
    if value >= best:
        return best
    iwork[NEAREST] = t
    return value


@kernel
def _round(B, j, count, best, work):
    """A sphere or a capsule is a point or a segment, grown by the radius."""
    w = work[TRIANGLES : TRIANGLES + TRIANGLE_WORK]
    rel = work[REL : REL + 12]
    radius = B[j, SIZE]
    for k in range(9):
        w[k] = work[CORNERS + k]
    for k in range(count):
        z = 0.0
        if count == 2:
            z = B[j, SIZE + 1] if k == 1 else -B[j, SIZE + 1]
        for r in range(3):
            w[9 + 3 * k + r] = rel[9 + r] + z * rel[3 * r + 2]
    reach = best + radius
    squared = triangle_triangle(w, 3, count, reach * reach)
    if squared >= reach * reach:
        return best
    distance = math.sqrt(squared)
    if distance == 0.0:
        _some_normal(work)
    for r in range(3):
        if distance > 0.0:
            work[BEST + 6 + r] = (w[18 + r] - w[21 + r]) / distance
        work[BEST + r] = w[18 + r]
        work[BEST + 3 + r] = w[21 + r] + radius * work[BEST + 6 + r]
    return distance - radius


@kernel
def _some_normal(work):
    """The triangle's normal for a centre that lies on it; any direction where it has none."""
    w = work[CORNERS : CORNERS + 9]
    u0, u1, u2 = w[3] - w[0], w[4] - w[1], w[5] - w[2]
    v0, v1, v2 = w[6] - w[0], w[7] - w[1], w[8] - w[2]
    n0, n1, n2 = u1 * v2 - u2 * v1, u2 * v0 - u0 * v2, u0 * v1 - u1 * v0
    length = math.sqrt(n0 * n0 + n1 * n1 + n2 * n2)
    if length == 0.0:
        n0, n1, n2, length = 0.0, 0.0, 1.0, 1.0
    work[BEST + 6], work[BEST + 7], work[BEST + 8] = n0 / length, n1 / length, n2 / length


@kernel
def _convex(PB, best, work, iwork):
    """The triangle against any other convex body, by support functions."""
    out = _ask(3, PB, best, work, iwork)
    value = out[0, 0]
    if value < best:
        for r in range(9):
            work[BEST + r] = out[0, 1 + r]
        if value <= 0.0:
            _common_point(PB, work, iwork)
    return value


@kernel
def _ask(count, PB, limit, work, iwork):
    """`convex_pair` of the first ``count`` points at CORNERS and the placed body."""
    rows = work[ROWS : ROWS + 2 * ROW_COLUMNS].reshape((2, ROW_COLUMNS))
    refs = iwork[REFS : REFS + 2 * REF_COLUMNS].reshape((2, REF_COLUMNS))
    corners = work[CORNERS : CORNERS + 9].reshape((3, 3))
    out = work[ANSWER : ANSWER + 11].reshape((1, 11))
    refs[0, POINTS] = count
    convex_pair_within(
        rows, refs, 0, corners, rows, refs, 1, PB, limit,
        work[CONVEX : CONVEX + CONVEX_WORK], iwork[ICONVEX : ICONVEX + CONVEX_IWORK], out, 0,
    )  # fmt: skip
    return out


@kernel
def _common_point(PB, work, iwork):
    """Bring both witnesses of an overlap to one point that the triangle and the body share, by
    projecting to and fro; most often the first witness is one already."""
    w = work[TRIANGLES : TRIANGLES + TRIANGLE_WORK]
    slack = work[ANSWER + SLACK]
    for k in range(9):
        w[k] = work[CORNERS + k]
    for _ in range(_COMMON_STEPS):
        for r in range(3):
            work[CORNERS + r] = work[BEST + r]
        out = _ask(1, PB, math.inf, work, iwork)
        for r in range(3):
            work[BEST + 3 + r] = work[BEST + r] if out[0, 0] <= 0.0 else out[0, 4 + r]
        if out[0, 0] <= 0.0:
            break
        for r in range(3):
            w[9 + r] = work[BEST + 3 + r]
        triangle_triangle(w, 3, 1, math.inf)
        for r in range(3):
            work[BEST + r] = w[18 + r]
    work[ANSWER + SLACK] = slack


@kernel
def depth_inside(RA, i, PA, B, RB, j, PB, FB, work):
    """Where all of the surface's vertices lie inside the convex body: the least depth of one, with
    the points and the normal in ``work[BEST:]``; 0.0 where one does not."""
    rel = work[REL : REL + 12]
    least = math.inf
    for p in range(RA[i, POINT0], RA[i, POINT0] + RA[i, POINTS]):
        d0, d1, d2 = PA[p, 0] - rel[9], PA[p, 1] - rel[10], PA[p, 2] - rel[11]
        x0 = rel[0] * d0 + rel[3] * d1 + rel[6] * d2
        x1 = rel[1] * d0 + rel[4] * d1 + rel[7] * d2
        x2 = rel[2] * d0 + rel[5] * d1 + rel[8] * d2
        depth, n0, n1, n2 = convex_depth(x0, x1, x2, B, RB, j, PB, FB)
        if depth <= 0.0:
            return 0.0
        if depth < least:
            least = depth
            for r in range(3):
                n = rel[3 * r] * n0 + rel[3 * r + 1] * n1 + rel[3 * r + 2] * n2
                work[BEST + r] = PA[p, r]
                work[BEST + 3 + r] = PA[p, r] + depth * n
                work[BEST + 6 + r] = n
    return least
