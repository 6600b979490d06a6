"""A surface of triangles and a convex body: the exact distance, over the surface's tree."""

from __future__ import annotations

import math

from standoff.compiled.jit import kernel
from standoff.geometry.narrowphase.convex import CONVEX_IWORK, CONVEX_WORK, convex_pair_within
from standoff.geometry.narrowphase.layout import (
    BOX,
    CAPSULE,
    CYLINDER,
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
from standoff.geometry.narrowphase.mesh_inside import convex_depth
from standoff.geometry.narrowphase.mesh_mesh import (
    ANSWER,
    BEST,
    BOUNDS,
    CONVEX,
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
    load_triangle,
)
from standoff.geometry.narrowphase.packer import bodies_of, points_of, scratch_of
from standoff.geometry.narrowphase.rss import CENTRE, DIAMETER, HALF_U, HALF_V, RADIUS, rss_bound
from standoff.geometry.narrowphase.rss_fit import triangle_rss
from standoff.geometry.narrowphase.triangle import (
    CORNERS_B,
    NEAR_A,
    NEAR_B,
    NORMAL_A,
    TRIANGLE_WORK,
    triangle_triangle,
)
from standoff.geometry.narrowphase.vectors import (
    dot,
    in_axes,
    load,
    minus,
    place,
    store,
    turn,
    unplace,
)

#: Alternating projections that look for a point which a triangle and a convex body share.
_COMMON_STEPS = 64


@kernel
def mesh_convex(RA, i, PA, FA, NA, IA, B, RB, j, PB, margin, work, iwork):
    """Signed distance of the surface and the solid convex body, not more than 0 where they share
    a point; the nearest points and the normal into ``work[BEST:]`` in a's frame, the triangle into
    ``iwork[NEAREST]``, and the most that any triangle's answer was uncertain by into
    ``work[ANSWER + SLACK]``: one that lost may have lost by its own slack.

    Depth first, the nearer child first, and done at the first triangle that meets the body.
    """
    w = work[TRIANGLES : TRIANGLES + TRIANGLE_WORK]
    corners = w[:CORNERS_B].reshape((3, 3))
    rel = work[REL : REL + 12]
    leaf = work[LEAF : LEAF + 32].reshape((2, 16))
    bounds = work[BOUNDS : BOUNDS + STACK]
    waiting = iwork[PAIRS : PAIRS + STACK]
    rows = work[ROWS : ROWS + 2 * ROW_COLUMNS].reshape((2, ROW_COLUMNS))
    refs = iwork[REFS : REFS + 2 * REF_COLUMNS].reshape((2, REF_COLUMNS))
    out = work[ANSWER : ANSWER + 11].reshape((1, 11))
    triangle = bodies_of(rows, refs, points_of(corners))
    convex = bodies_of(rows, refs, points_of(PB))
    scratch = scratch_of(
        work[CONVEX : CONVEX + CONVEX_WORK], iwork[ICONVEX : ICONVEX + CONVEX_IWORK]
    )
    node_a, int_a = RA[i, NODE0], RA[i, INT0]
    is_round = RB[j, KIND] == SPHERE or RB[j, KIND] == CAPSULE
    place_leaf(B, RB, j, rel, rows, refs)
    out[0, SLACK] = 0.0
    slack = 0.0
    best = math.inf
    waiting[0] = 0
    bounds[0] = -math.inf
    top = 1
    while top > 0 and best > 0.0:
        top -= 1
        if bounds[top] - margin >= best:
            continue
        p = waiting[top]
        before = top
        for side in range(2):
            c = IA[int_a + 2 * p + side]
            X, x = NA, node_a + c
            if c < 0:
                load_triangle(RA, i, PA, FA, ~c, w)
                triangle_rss(w, leaf, 0)
                X, x = leaf, 0
            bound = -math.inf
            if not is_round:
                bound = box_bound(X, x, rel, work)
            if bound - margin < best:
                bound = max(bound, rss_bound(X, x, leaf, 1, rel, best, best + margin))
            if bound - margin >= best:
                continue
            if c >= 0:
                bounds[top], waiting[top] = bound, c
                top += 1
                continue
            if is_round:
                triangle_round(B, RB, j, best, rel, w, out)
            else:
                convex_pair_within(triangle, 0, convex, 1, best, scratch, out, 0)
            slack = max(slack, out[0, SLACK])
            if out[0, 0] < best:
                best = out[0, 0]
                for r in range(9):
                    work[BEST + r] = out[0, 1 + r]
                iwork[NEAREST] = ~c
                if best <= 0.0:
                    break
        if top == before + 2 and bounds[top - 1] > bounds[top - 2]:
            bounds[top - 1], bounds[top - 2] = bounds[top - 2], bounds[top - 1]
            waiting[top - 1], waiting[top - 2] = waiting[top - 2], waiting[top - 1]
    # Where they overlap, both witnesses go to one point that the triangle and the body share:
    # projecting to and fro finds it, and most often the first witness is one already.
    if best <= 0.0 and not is_round:
        refs[0, POINTS] = 1
        rows[0, 3], rows[0, 7], rows[0, 11] = 0.0, 0.0, 0.0
        single = bodies_of(rows, refs, points_of(work[BEST : BEST + 3].reshape((1, 3))))
        for _ in range(_COMMON_STEPS):
            convex_pair_within(single, 0, convex, 1, math.inf, scratch, out, 0)
            if out[0, 0] <= 0.0:
                break
            store(w, CORNERS_B, out[0, 4], out[0, 5], out[0, 6])
            triangle_triangle(w, 3, 1, math.inf)
            x0, x1, x2 = load(w, NEAR_A)
            store(work, BEST, x0, x1, x2)
    out[0, SLACK] = slack
    return best


@kernel
def bounding_rss(B, RB, j, P, work):
    """Write the convex body's own node into the second row of LEAF, in its own frame, and the box
    that holds it into EXTENT: half extents, then centre."""
    leaf = work[LEAF : LEAF + 32].reshape((2, 16))
    box = work[EXTENT : EXTENT + 6]
    kind = RB[j, KIND]
    s0, s1, s2 = B[j, SIZE], B[j, SIZE + 1], B[j, SIZE + 2]
    store(box, 0, s0, s1, s2)
    store(box, 3, 0.0, 0.0, 0.0)
    if kind == CYLINDER:
        store(box, 0, s0, s0, s1)
    elif kind == POLYHEDRON:
        for k in range(3):
            low, high = math.inf, -math.inf
            for p in range(RB[j, POINT0], RB[j, POINT0] + RB[j, POINTS]):
                low, high = min(low, P[p, k]), max(high, P[p, k])
            box[k], box[3 + k] = 0.5 * (high - low), 0.5 * (high + low)
    u, v, w = 2, 0, 1  # sphere, capsule and cylinder: the axis, swept by the radius
    h, g, r = 0.0, 0.0, s0
    if kind in (CAPSULE, CYLINDER):
        h = s1
    elif kind in (BOX, POLYHEDRON):
        # a box is swept by half its least extent over the rectangle of the other two
        w = 0
        for k in range(1, 3):
            w = k if box[k] < box[w] else w
        u, v = (w + 1) % 3, (w + 2) % 3
        h, g, r = box[u], box[v], box[w]
    for k in range(3):
        leaf[1, k] = leaf[1, 3 + k] = leaf[1, 6 + k] = 0.0
        leaf[1, CENTRE + k] = box[3 + k]
    leaf[1, u] = leaf[1, 3 + v] = leaf[1, 6 + w] = 1.0
    leaf[1, HALF_U], leaf[1, HALF_V], leaf[1, RADIUS] = h, g, r
    leaf[1, DIAMETER] = 2.0 * (math.hypot(h, g) + r)


@kernel
def box_bound(X, x, rel, work):
    """Distance of the box around the convex body and the box around node ``x``, both along the
    convex body's axes: sharper than its swept rectangle beside a flat side."""
    total = 0.0
    c0, c1, c2 = X[x, CENTRE] - rel[9], X[x, CENTRE + 1] - rel[10], X[x, CENTRE + 2] - rel[11]
    for k in range(3):
        e0, e1, e2 = rel[k], rel[3 + k], rel[6 + k]
        u, v, _ = in_axes(X, x, e0, e1, e2)
        reach = X[x, HALF_U] * abs(u) + X[x, HALF_V] * abs(v) + X[x, RADIUS]
        centre = dot(e0, e1, e2, c0, c1, c2) - work[EXTENT + 3 + k]
        gap = max(abs(centre) - reach - work[EXTENT + k], 0.0)
        total += gap * gap
    return math.sqrt(total)


@kernel
def place_leaf(B, RB, j, rel, rows, refs):
    """Rows for `convex_pair`: a triangle at the origin, the convex body at its relative pose."""
    for k in range(12):
        r, c = k // 4, k % 4
        rows[0, k] = 1.0 if r == c else 0.0
        rows[1, k] = rel[3 * r + c] if c < 3 else rel[9 + r]
    for k in range(4):
        rows[0, SIZE + k] = 0.0
        rows[1, SIZE + k] = B[j, SIZE + k]
    for k in range(REF_COLUMNS):
        refs[0, k] = 0
        refs[1, k] = RB[j, k]
    refs[0, KIND] = POLYHEDRON
    refs[0, POINTS] = 3


@kernel
def triangle_round(B, RB, j, best, rel, w, out):
    """The triangle against a sphere or a capsule, which is a point or a segment grown by the
    radius: the first numbers of a row of results, or only a value that is not below ``best``."""
    radius, half = B[j, SIZE], B[j, SIZE + 1]
    count = 2 if RB[j, KIND] == CAPSULE else 1
    for k in range(count):
        x0, x1, x2 = place(rel, 0.0, 0.0, half * (2 * k - 1) if count == 2 else 0.0)
        store(w, CORNERS_B + 3 * k, x0, x1, x2)
    reach = best + radius
    squared = triangle_triangle(w, 3, count, reach * reach)
    out[0, 0] = best
    if squared >= reach * reach:
        return
    distance = math.sqrt(squared)
    a0, a1, a2 = load(w, NEAR_A)
    b0, b1, b2 = load(w, NEAR_B)
    n0, n1, n2 = minus(a0, a1, a2, b0, b1, b2)
    length = distance
    if length == 0.0:  # the core meets the triangle: the triangle's normal, or any direction
        n0, n1, n2 = load(w, NORMAL_A)
        length = math.sqrt(dot(n0, n1, n2, n0, n1, n2))
    if length == 0.0:
        n2 = length = 1.0
    out[0, 0] = distance - radius
    for r in range(3):
        out[0, 1 + r] = w[NEAR_A + r]
        out[0, 7 + r] = (n0 if r == 0 else n1 if r == 1 else n2) / length
        out[0, 4 + r] = w[NEAR_B + r] + radius * out[0, 7 + r]


@kernel
def depth_inside(RA, i, PA, B, RB, j, PB, FB, work):
    """Where all of the surface's vertices lie inside the convex body: the least depth of one, with
    the points and the normal in ``work[BEST:]``; 0.0 where one does not."""
    rel = work[REL : REL + 12]
    least = math.inf
    for p in range(RA[i, POINT0], RA[i, POINT0] + RA[i, POINTS]):
        x0, x1, x2 = unplace(rel, PA[p, 0], PA[p, 1], PA[p, 2])
        depth, n0, n1, n2 = convex_depth(x0, x1, x2, B, RB, j, PB, FB)
        if depth <= 0.0:
            return 0.0
        if depth < least:
            least = depth
            n0, n1, n2 = turn(rel, n0, n1, n2)
            store(work, BEST, PA[p, 0], PA[p, 1], PA[p, 2])
            store(
                work, BEST + 3, PA[p, 0] + depth * n0, PA[p, 1] + depth * n1, PA[p, 2] + depth * n2
            )
            store(work, BEST + 6, n0, n1, n2)
    return least
