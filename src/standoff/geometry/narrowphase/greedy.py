"""Greedy distance: a lower bound on the distance of a surface of triangles and another one or a
convex body, for little more than the price of a collision test (paper 001, section 3.2).

Two trees of swept spheres are walked down from their roots. A pair of volumes farther apart than
``delta`` is let be; one that is not has the larger of the two split, or the other one where that is
a leaf. The walk ends at the first two leaves that are not farther apart than ``delta``, or with a
*front* of pairs that all are: the least of their bounds is a lower bound on the distance.

The walk only asks whether a pair is farther than ``delta``, and takes the first direction that
says so. Where the pair with the least bound has such a bound only, the exact one is taken; that
makes it the paper's. But the bound is what the path checker turns into covered length, and a few
volumes more make it far better: the pair with the least is split, and again, as long as the effort
allows. A front of one pair, the two roots, gains the most.

A bound for what is no swept sphere: for boxes, cylinders and polyhedra, by support functions.

A heap of pairs of nodes by their lower bound, the least first; see `greedy`.

A pair has three numbers: its two nodes, and whether its bound is the exact distance of the two.

Where the greedy distance keeps what it works on: offsets into ``work`` and ``iwork``.

It begins with the places of the exact mesh distance (`pairs.mesh_work`), so that one pair of
arrays serves both, and adds the front: the pairs that are known to be farther than asked for.
"""

from __future__ import annotations

import math

from standoff.compiled.jit import inlined, kernel
from standoff.geometry.narrowphase.convex import CONVEX_IWORK, CONVEX_WORK
from standoff.geometry.narrowphase.dispatch import general_pair
from standoff.geometry.narrowphase.layout import (
    BOX,
    CAPSULE,
    CYLINDER,
    INT0,
    KIND,
    MESH,
    NODE0,
    POINT0,
    POINTS,
    REF_COLUMNS,
    ROW_COLUMNS,
    SLACK,
    SPHERE,
)
from standoff.geometry.narrowphase.mesh_convex import box_bound, triangle_round
from standoff.geometry.narrowphase.mesh_mesh import (
    ANSWER,
    BEST,
    CONVEX,
    EXTENT,
    ICONVEX,
    LEAF,
    MESH_IWORK,
    MESH_WORK,
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
    TRIANGLE_WORK,
    clamp,
    triangle_triangle,
)
from standoff.geometry.narrowphase.vectors import (
    dot,
    load,
    minus,
    place,
    plus,
    point,
    store,
    unplace,
)


@kernel
def greedy_walk(
    general, RA, i, PA, FA, NA, IA, B, RB, j, PB, FB, NB, IB,
    delta, margin, wanted, effort, work, iwork,
):  # fmt: skip
    """Whether the surface of mesh a and mesh b (or the solid convex body b) are farther apart than
    ``delta`` [m] beyond doubt, and a number: a lower bound on their distance, above ``delta`` and
    less the rounding ``margin``, if they are; else the distance of the two leaves that are not, 0
    or less where they meet. Their nearest points are then in ``work[BEST:]`` in a's frame, for a
    convex body also the normal, and the triangles in ``iwork[NEAREST:]``.

    The bound is raised until it exceeds ``wanted`` [m] or is the distance itself, but by no more
    than ``effort`` splits. With none it is the paper's, and with ``wanted = 0`` what the walk alone
    has shown. The relative pose, and the convex body's rows, are in ``work``.
    """
    rel = work[REL : REL + 12]
    leaf = work[LEAF : LEAF + 32].reshape((2, 16))
    stack = iwork[PAIRS : PAIRS + 2 * STACK].reshape((STACK, 2))
    bounds = work[FRONT : FRONT + FRONT_PAIRS]
    front = iwork[IFRONT : IFRONT + 3 * FRONT_PAIRS].reshape((FRONT_PAIRS, 3))
    node_a, node_b, int_a, int_b = RA[i, NODE0], RB[j, NODE0], RA[i, INT0], RB[j, INT0]
    meshes = RB[j, KIND] == MESH
    volumes = triangles = size = 0
    limit = delta + margin
    above, least, enough = -math.inf, math.inf, limit
    stack[0, 0], stack[0, 1] = 0, 0 if meshes else ~0
    top = 1
    while True:
        if top == 0:
            bound, p, q = bounds[0], front[0, 0], front[0, 1]
            done = (p < 0 and q < 0) or bound - margin > wanted or bound >= least
            sharp = front[0, 2] == 1
            if done or (sharp and effort <= 0):
                iwork[VISITS], iwork[VISITS + 1] = volumes, triangles
                return True, min(bound, least) - margin
            pop(bounds, front, size)
            size -= 1
            # Nothing below this pair is nearer than it, however its own bound comes out.
            above, enough = bound, wanted + margin
            if not sharp:
                stack[0, 0], stack[0, 1] = p, q
                top = 1
                continue
            effort -= 1
        else:
            top -= 1
            p, q = stack[top, 0], stack[top, 1]
            if p < 0 and q < 0:
                triangles += 1
                bound = _leaves(general, RA, i, PA, FA, NA, IA, B, RB, j, PB, FB, p, q, work, iwork)
                if not bound - margin > delta:
                    iwork[VISITS], iwork[VISITS + 1] = volumes, triangles
                    return False, bound
            else:
                volumes += 1
                bound = _volumes(RA, i, PA, FA, NA, RB, j, PB, FB, NB, p, q, limit, enough, work)
            if bound < above:
                bound = above
            if bound - margin > delta:
                if size == FRONT_PAIRS:
                    # full: of this pair and the last of the heap, the farther one is not refined
                    size -= 1
                    least = min(least, max(bound, bounds[size]))
                    if bound >= bounds[size]:
                        size += 1
                        continue
                push(bounds, front, size, bound, p, q, 1 if above > 0.0 else 0)
                size += 1
                continue
        split_a = q < 0 or (p >= 0 and NA[node_a + p, DIAMETER] >= NB[node_b + q, DIAMETER])
        if split_a:
            c, d = IA[int_a + 2 * p], IA[int_a + 2 * p + 1]
        else:
            c, d = IB[int_b + 2 * q], IB[int_b + 2 * q + 1]
        # The nearer child is walked first; on the front both are looked at in any case.
        if c >= 0 and d >= 0 and above < 0.0:
            if split_a:
                X, x = (NB, node_b + q) if q >= 0 else (leaf, 1)
                x0, x1, x2 = place(rel, X[x, CENTRE], X[x, CENTRE + 1], X[x, CENTRE + 2])
                swap = nearer(NA, node_a + c, node_a + d, x0, x1, x2)
            else:
                X, x = (NA, node_a + p) if p >= 0 else (leaf, 0)
                x0, x1, x2 = unplace(rel, X[x, CENTRE], X[x, CENTRE + 1], X[x, CENTRE + 2])
                swap = nearer(NB, node_b + c, node_b + d, x0, x1, x2)
            if swap:
                c, d = d, c
        stack[top, 0], stack[top, 1] = (c, q) if split_a else (p, c)
        stack[top + 1, 0], stack[top + 1, 1] = (d, q) if split_a else (p, d)
        top += 2


@kernel
def nearer(N, m, n, x0, x1, x2):
    """Whether the centre of node ``m`` is nearer to x than that of node ``n``."""
    a0, a1, a2 = minus(N[m, CENTRE], N[m, CENTRE + 1], N[m, CENTRE + 2], x0, x1, x2)
    b0, b1, b2 = minus(N[n, CENTRE], N[n, CENTRE + 1], N[n, CENTRE + 2], x0, x1, x2)
    return dot(a0, a1, a2, a0, a1, a2) < dot(b0, b1, b2, b0, b1, b2)


@inlined
def _volumes(RA, i, PA, FA, NA, RB, j, PB, FB, NB, p, q, settled, enough, work):
    """A lower bound on the distance of two volumes: exact above ``settled`` up to ``enough`` for
    swept spheres, and the best of three for other bodies. A triangle has its own rectangle for a
    volume; the swept sphere about a convex body is in the second row of LEAF, its box in EXTENT."""
    leaf = work[LEAF : LEAF + 32].reshape((2, 16))
    rel = work[REL : REL + 12]
    w = work[TRIANGLES : TRIANGLES + TRIANGLE_WORK]
    X, x, Y, y = NA, RA[i, NODE0] + p, NB, RB[j, NODE0] + q
    if p < 0:
        load_triangle(RA, i, PA, FA, ~p, w)
        triangle_rss(w, leaf, 0)
        X, x = leaf, 0
    bound = -math.inf
    if q < 0:
        Y, y = leaf, 1
        kind = RB[j, KIND]
        if kind == MESH:
            load_triangle(RB, j, PB, FB, ~q, w)
            triangle_rss(w, leaf, 1)
        elif kind != SPHERE and kind != CAPSULE:
            bound = box_bound(X, x, rel, work)
            if bound > enough:
                return bound
    bound = max(bound, rss_bound(X, x, Y, y, rel, settled, enough))
    if q < 0 and BOX <= RB[j, KIND] < MESH and not bound > enough:
        bound = max(bound, support_bound(X, x, RB, j, PB, rel, enough, work))
    return bound


@kernel
def _leaves(general, RA, i, PA, FA, NA, IA, B, RB, j, PB, FB, p, q, work, iwork):
    """The distance of two triangles, or of one and the convex body less what it is uncertain by;
    nearest points into ``work[BEST:]``, triangles into ``iwork[NEAREST:]``."""
    w = work[TRIANGLES : TRIANGLES + TRIANGLE_WORK]
    rel = work[REL : REL + 12]
    iwork[NEAREST], iwork[NEAREST + 1] = ~p, ~q
    load_triangle(RA, i, PA, FA, ~p, w)
    kind = RB[j, KIND]
    if kind == MESH:
        load_triangle(RB, j, PB, FB, ~q, w[CORNERS_B:])
        for k in range(CORNERS_B, CORNERS_B + 9, 3):
            x0, x1, x2 = place(rel, w[k], w[k + 1], w[k + 2])
            store(w, k, x0, x1, x2)
        squared = triangle_triangle(w, 3, 3, math.inf)
        for r in range(6):
            work[BEST + r] = w[NEAR_A + r]
        return math.sqrt(squared)
    out = work[ANSWER : ANSWER + 11].reshape((1, 11))
    if kind in (SPHERE, CAPSULE):
        triangle_round(B, RB, j, math.inf, rel, w, out)
        out[0, SLACK] = 0.0
    else:
        rows = work[ROWS : ROWS + 2 * ROW_COLUMNS].reshape((2, ROW_COLUMNS))
        refs = iwork[REFS : REFS + 2 * REF_COLUMNS].reshape((2, REF_COLUMNS))
        corners = w[:CORNERS_B].reshape((3, 3))
        triangle = bodies_of(rows, refs, points_of(corners))
        convex = bodies_of(rows, refs, points_of(PB))
        scratch = scratch_of(
            work[CONVEX : CONVEX + CONVEX_WORK], iwork[ICONVEX : ICONVEX + CONVEX_IWORK]
        )
        general_pair(general, triangle, 0, convex, 1, scratch, out, 0)
    for r in range(9):
        work[BEST + r] = out[0, 1 + r]
    return out[0, 0] - out[0, SLACK]


#: Directions tried. The first is from centre to centre; three more are worth what they cost.
_DIRECTIONS = 4


@kernel
def support_bound(X, x, RB, j, PB, rel, enough, work):
    """A lower bound on the distance of node ``x`` and body ``j``, whose box is in EXTENT and which
    stands at ``rel`` in the node's frame; one above ``enough`` ends the search for a better.

    y is a point of the body, z the nearest to it of the node's rectangle with centre c and half
    lengths h and g, n = y - z. With p the point of the body that is lowest along n,

        |n| d  >=  n.(p - c) - h |n.u| - g |n.v| - |n| radius    for any n:

    the rectangle's reach is not taken from z, as n is mostly rounding where y and z nearly touch.
    The next y is the nearest to z between y and p (Frank and Wolfe).
    """
    c0, c1, c2 = unplace(rel, X[x, CENTRE], X[x, CENTRE + 1], X[x, CENTRE + 2])
    u0, u1, u2 = _unturned(rel, X[x, 0], X[x, 1], X[x, 2])
    v0, v1, v2 = _unturned(rel, X[x, 3], X[x, 4], X[x, 5])
    y0, y1, y2 = load(work, EXTENT + 3)
    best = -math.inf
    for _ in range(_DIRECTIONS):
        d0, d1, d2 = minus(y0, y1, y2, c0, c1, c2)
        s = clamp(dot(d0, d1, d2, u0, u1, u2), -X[x, HALF_U], X[x, HALF_U])
        t = clamp(dot(d0, d1, d2, v0, v1, v2), -X[x, HALF_V], X[x, HALF_V])
        z0, z1, z2 = plus(c0, c1, c2, s, u0, u1, u2)
        z0, z1, z2 = plus(z0, z1, z2, t, v0, v1, v2)
        n0, n1, n2 = minus(y0, y1, y2, z0, z1, z2)
        length = math.sqrt(dot(n0, n1, n2, n0, n1, n2))
        if length == 0.0:
            break
        p0, p1, p2 = _lowest(RB, j, PB, n0, n1, n2, work)
        reach = X[x, HALF_U] * abs(dot(n0, n1, n2, u0, u1, u2))
        reach += X[x, HALF_V] * abs(dot(n0, n1, n2, v0, v1, v2))
        gap = dot(n0, n1, n2, p0 - c0, p1 - c1, p2 - c2) - reach
        best = max(best, gap / length - X[x, RADIUS])
        if best > enough:
            break
        e0, e1, e2 = minus(p0, p1, p2, y0, y1, y2)
        square = dot(e0, e1, e2, e0, e1, e2)
        if square == 0.0:
            break
        y0, y1, y2 = plus(
            y0, y1, y2, clamp(-dot(n0, n1, n2, e0, e1, e2) / square, 0.0, 1.0), e0, e1, e2
        )
    return best


@kernel
def _unturned(rel, x0, x1, x2):
    """R' x."""
    return (
        rel[0] * x0 + rel[3] * x1 + rel[6] * x2,
        rel[1] * x0 + rel[4] * x1 + rel[7] * x2,
        rel[2] * x0 + rel[5] * x1 + rel[8] * x2,
    )


@kernel
def _lowest(RB, j, PB, n0, n1, n2, work):
    """A point of body ``j`` that is lowest along n."""
    p0, p1, p2 = load(work, EXTENT)
    if RB[j, KIND] == BOX:
        return math.copysign(p0, -n0), math.copysign(p1, -n1), math.copysign(p2, -n2)
    if RB[j, KIND] == CYLINDER:
        across = math.hypot(n0, n1)
        if across > 0.0:
            return -p0 * n0 / across, -p0 * n1 / across, math.copysign(p2, -n2)
        return 0.0, 0.0, math.copysign(p2, -n2)
    low = math.inf
    for p in range(RB[j, POINT0], RB[j, POINT0] + RB[j, POINTS]):
        q0, q1, q2 = point(PB, p)
        height = dot(n0, n1, n2, q0, q1, q2)
        if height < low:
            low = height
            p0, p1, p2 = q0, q1, q2
    return p0, p1, p2


@kernel
def push(bounds, pairs, size, bound, p, q, sharp):
    """Add a pair to a heap of ``size`` that has room for it."""
    at = size
    while at > 0 and bound < bounds[(at - 1) // 2]:
        _move(bounds, pairs, (at - 1) // 2, at)
        at = (at - 1) // 2
    bounds[at], pairs[at, 0], pairs[at, 1], pairs[at, 2] = bound, p, q, sharp


@kernel
def pop(bounds, pairs, size):
    """Take the first of ``size`` pairs away; it is to be read beforehand."""
    last = size - 1
    at = 0
    while 2 * at + 1 < last:
        below = 2 * at + 1
        if below + 1 < last and bounds[below + 1] < bounds[below]:
            below += 1
        if bounds[last] <= bounds[below]:
            break
        _move(bounds, pairs, below, at)
        at = below
    _move(bounds, pairs, last, at)


@kernel
def _move(bounds, pairs, a, b):
    bounds[b] = bounds[a]
    for k in range(3):
        pairs[b, k] = pairs[a, k]


#: Pairs kept on the front. One walk in a hundred leaves more; those beyond are not refined.
FRONT_PAIRS = 256

#: Lower bounds of the pairs on the front, a heap with the least first.
FRONT = MESH_WORK
GREEDY_WORK = FRONT + FRONT_PAIRS

#: The pairs themselves, three numbers each; see `greedy_front`.
IFRONT = MESH_IWORK
#: How many pairs of volumes, and of triangles, the last call has tested.
VISITS = IFRONT + 3 * FRONT_PAIRS
GREEDY_IWORK = VISITS + 2
