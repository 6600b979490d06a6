"""Places in ``work`` and ``iwork`` for walks that do not use `MeshPair` yet; what writes there."""

from __future__ import annotations

import math

from standoff.compiled.jit import kernel
from standoff.geometry.narrowphase.bvh import TREE_DEPTH, load_triangle
from standoff.geometry.narrowphase.layout import (
    BOX,
    CAPSULE,
    CYLINDER,
    KIND,
    POINT0,
    POINTS,
    POLYHEDRON,
    REF_COLUMNS,
    SIZE,
)
from standoff.geometry.narrowphase.rss import CENTRE, DIAMETER, HALF_U, HALF_V, NODE_COLUMNS, RADIUS
from standoff.geometry.narrowphase.scratch import IWORK as CONVEX_IWORK
from standoff.geometry.narrowphase.scratch import WORK as CONVEX_WORK
from standoff.geometry.narrowphase.triangle import TRIANGLE_WORK
from standoff.geometry.narrowphase.vectors import dot, store

__all__ = ["load_triangle"]

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
MESH_WORK = int(CONVEX + CONVEX_WORK)

#: The pairs that wait, two numbers each.
PAIRS = 0
#: The triangles of the nearest points so far.
NEAREST = PAIRS + 2 * STACK
#: ``refs`` of the two bodies given to `convex_pair`.
REFS = NEAREST + 2
ICONVEX = REFS + 16
MESH_IWORK = int(ICONVEX + CONVEX_IWORK)


@kernel
def relative_pose(A, i, B, j, work):
    """The pose of b in a's frame."""
    for r in range(3):
        a0, a1, a2 = A[i, r], A[i, 4 + r], A[i, 8 + r]
        for c in range(3):
            work[REL + 3 * r + c] = dot(a0, a1, a2, B[j, c], B[j, 4 + c], B[j, 8 + c])
        d0, d1, d2 = B[j, 3] - A[i, 3], B[j, 7] - A[i, 7], B[j, 11] - A[i, 11]
        work[REL + 9 + r] = dot(a0, a1, a2, d0, d1, d2)


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
