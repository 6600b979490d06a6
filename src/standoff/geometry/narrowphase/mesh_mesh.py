"""Two surfaces of triangles: the exact distance, over both trees.

Where the mesh kernels keep what they work on: offsets into ``work`` and ``iwork``.
"""

from __future__ import annotations

import math

from standoff.compiled.jit import kernel
from standoff.geometry.narrowphase.bvh import TREE_DEPTH
from standoff.geometry.narrowphase.convex import CONVEX_IWORK, CONVEX_WORK
from standoff.geometry.narrowphase.layout import FACE0, INT0, NODE0, POINT0
from standoff.geometry.narrowphase.rss import DIAMETER, NODE_COLUMNS, rss_bound
from standoff.geometry.narrowphase.rss_fit import triangle_rss
from standoff.geometry.narrowphase.triangle import (
    CORNERS_B,
    NEAR_A,
    TRIANGLE_WORK,
    triangle_triangle,
)
from standoff.geometry.narrowphase.vectors import place, point, store


@kernel
def mesh_mesh(RA, i, PA, FA, NA, IA, RB, j, PB, FB, NB, IB, margin, work, iwork):
    """Distance of the two surfaces, 0.0 where they meet; the nearest points into ``work[BEST:]``
    in a's frame, their triangles into ``iwork[NEAREST:]``.

    Depth first, the nearer child first. A pair is dropped only when its lower bound, less the
    rounding ``margin`` [m], is no better than the distance of two points already found. The first
    of two walks looks for a contact alone, among pairs that overlap: where there is one, it is
    found long before all that is merely near has been gone through.
    """
    w = work[TRIANGLES : TRIANGLES + TRIANGLE_WORK]
    corners_b = w[CORNERS_B : CORNERS_B + 9]
    rel = work[REL : REL + 12]
    leaf = work[LEAF : LEAF + 32].reshape((2, 16))
    bounds = work[BOUNDS : BOUNDS + STACK]
    pairs = iwork[PAIRS : PAIRS + 2 * STACK].reshape((STACK, 2))
    node_a, node_b, int_a, int_b = RA[i, NODE0], RB[j, NODE0], RA[i, INT0], RB[j, INT0]
    best = math.inf
    for walk in range(2):
        pairs[0, 0] = pairs[0, 1] = 0
        bounds[0] = -math.inf
        top = 1
        while top > 0:
            top -= 1
            reach = best if walk == 1 else min(best, margin)
            if bounds[top] - margin >= reach:
                continue
            p, q = pairs[top, 0], pairs[top, 1]
            split_a = q < 0 or (p >= 0 and NA[node_a + p, DIAMETER] >= NB[node_b + q, DIAMETER])
            waiting = top
            for side in range(2):
                c, d = p, q
                if split_a:
                    c = IA[int_a + 2 * p + side]
                else:
                    d = IB[int_b + 2 * q + side]
                X, x, Y, y = NA, node_a + c, NB, node_b + d
                if c < 0:
                    load_triangle(RA, i, PA, FA, ~c, w)
                    X, x = leaf, 0
                if d < 0:
                    load_triangle(RB, j, PB, FB, ~d, corners_b)
                    Y, y = leaf, 1
                if c < 0 and d < 0:
                    for k in range(CORNERS_B, CORNERS_B + 9, 3):
                        x0, x1, x2 = place(rel, w[k], w[k + 1], w[k + 2])
                        store(w, k, x0, x1, x2)
                    squared = triangle_triangle(w, 3, 3, best * best)
                    if squared < best * best:
                        best = math.sqrt(squared)
                        for r in range(6):
                            work[BEST + r] = w[NEAR_A + r]
                        iwork[NEAREST], iwork[NEAREST + 1] = ~c, ~d
                        if best == 0.0:
                            return best
                    reach = best if walk == 1 else min(best, margin)
                    continue
                if c < 0:
                    triangle_rss(w, leaf, 0)
                if d < 0:
                    triangle_rss(corners_b, leaf, 1)
                bound = rss_bound(X, x, Y, y, rel, reach, reach + margin)
                if bound - margin < reach:
                    bounds[top], pairs[top, 0], pairs[top, 1] = bound, c, d
                    top += 1
            if top == waiting + 2 and bounds[top - 1] > bounds[top - 2]:
                m = top - 1
                bounds[m], bounds[waiting] = bounds[waiting], bounds[m]
                for k in range(2):
                    pairs[m, k], pairs[waiting, k] = pairs[waiting, k], pairs[m, k]
    return best


@kernel
def load_triangle(R, i, P, F, t, corners):
    """Nine floats: the corners of triangle ``t`` in the mesh's own frame."""
    for k in range(3):
        x0, x1, x2 = point(P, R[i, POINT0] + F[R[i, FACE0] + t, k])
        store(corners, 3 * k, x0, x1, x2)


#: A walk splits one node at a time and keeps the other child for later, so that no more than one
#: pair a level waits; two trees have 2 TREE_DEPTH levels between them.
STACK = 2 * TREE_DEPTH + 2

#: Corners of two triangles and their nearest points; see `triangle_triangle`.
TRIANGLES = 0
#: Pose of b in a's frame: R row-major, then t.
REL = TRIANGLES + TRIANGLE_WORK
#: The nearest points so far, on a and on b, and their normal, in a's frame.
BEST = REL + 12
#: Two nodes for triangles and convex bodies, which have no node of their own.
LEAF = BEST + 9
#: Lower bounds of the pairs that wait.
BOUNDS = LEAF + 2 * NODE_COLUMNS
#: Half extents of a convex body about its own origin, and the centre of that box.
EXTENT = BOUNDS + STACK
#: Rows of the two bodies given to `convex_pair`, and its answer.
ROWS = EXTENT + 6
ANSWER = ROWS + 32
CONVEX = ANSWER + 11
MESH_WORK = CONVEX + CONVEX_WORK

#: The pairs that wait, two numbers each.
PAIRS = 0
#: The triangles of the nearest points so far.
NEAREST = PAIRS + 2 * STACK
#: ``refs`` of the two bodies given to `convex_pair`.
REFS = NEAREST + 2
ICONVEX = REFS + 16
MESH_IWORK = ICONVEX + CONVEX_IWORK
