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
"""

from __future__ import annotations

import math

from standoff.kernels.jit import inlined, kernel
from standoff.kernels.layout import (
    BOX,
    CAPSULE,
    INT0,
    KIND,
    MESH,
    NODE0,
    REF_COLUMNS,
    ROW_COLUMNS,
    SLACK,
    SPHERE,
)
from standoff.kernels.pairs.convex import CONVEX_IWORK, CONVEX_WORK
from standoff.kernels.pairs.general import general_pair
from standoff.kernels.pairs.mesh_convex import box_bound, triangle_round
from standoff.kernels.pairs.mesh_mesh import load_triangle
from standoff.kernels.pairs.mesh_work import (
    ANSWER,
    BEST,
    CONVEX,
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
from standoff.kernels.pairs.triangle_triangle import (
    CORNERS_B,
    NEAR_A,
    TRIANGLE_WORK,
    triangle_triangle,
)
from standoff.kernels.paths.greedy_convex import support_bound
from standoff.kernels.paths.greedy_front import pop, push
from standoff.kernels.paths.greedy_work import FRONT, FRONT_PAIRS, IFRONT, VISITS
from standoff.kernels.rss import CENTRE, DIAMETER, rss_bound
from standoff.kernels.rss_fit import triangle_rss
from standoff.kernels.vectors import dot, minus, place, store, unplace


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
        general_pair(
            general, rows, refs, 0, corners, FA, NA, IA, rows, refs, 1, PB, FB, NA, IA,
            work[CONVEX : CONVEX + CONVEX_WORK], iwork[ICONVEX : ICONVEX + CONVEX_IWORK], out, 0,
        )  # fmt: skip
    for r in range(9):
        work[BEST + r] = out[0, 1 + r]
    return out[0, 0] - out[0, SLACK]
