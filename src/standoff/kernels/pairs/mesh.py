"""A triangle mesh against a mesh or a convex body.

The surfaces' exact distance, > 0, where they are apart and neither body is inside the other. 0.0
where they touch or cross, or come nearer than rounding can tell; both witnesses then stand at one
common point, and the normal is that of the triangles or convex bodies that meet there. Minus the
gap between the surfaces where they are apart but one body (or a connected part of a mesh) is
inside the other: a lower bound on how far they would have to move to come free. The witnesses are
then the surfaces' nearest points and the normal is the way for a to leave b over them; ``pa - pb =
value n`` holds throughout.

A closed mesh is a solid, an open one a surface: what stands in a bowl does not overlap the bowl,
but a mesh inside a convex body does overlap it, open or closed.
"""

from __future__ import annotations

import math

from standoff.constants import MESH_ROUNDING
from standoff.kernels.containment import inside_mesh
from standoff.kernels.jit import entry, kernel
from standoff.kernels.layout import (
    CLOSED,
    FACE0,
    FACES,
    FLAGS,
    INT0,
    KIND,
    MESH,
    NODE0,
    POINT0,
    POLYHEDRON,
    SLACK,
)
from standoff.kernels.pairs.mesh_convex import bounding_rss, depth_inside, mesh_convex
from standoff.kernels.pairs.mesh_mesh import mesh_mesh
from standoff.kernels.pairs.mesh_work import (
    ANSWER,
    BEST,
    LEAF,
    MESH_IWORK,
    MESH_WORK,
    NEAREST,
    PAIRS,
    REL,
    STACK,
)
from standoff.kernels.rss import CENTRE, DIAMETER
from standoff.kernels.rss_tree import node_count

__all__ = ["MESH_IWORK", "MESH_WORK", "mesh_distances", "mesh_pair"]


@kernel
def mesh_pair(A, RA, i, PA, FA, NA, IA, B, RB, j, PB, FB, NB, IB, work, iwork, out, k):
    """Signed distance of mesh a and mesh or convex body b into row ``k``, as above; returns 0."""
    _relative(A, i, B, j, work)
    leaf = work[LEAF : LEAF + 32].reshape((2, 16))
    meshes = RB[j, KIND] == MESH
    if meshes:
        margin = _rounding(A, i, NA, RA[i, NODE0], B, j, NB, RB[j, NODE0])
        value = mesh_mesh(RA, i, PA, FA, NA, IA, RB, j, PB, FB, NB, IB, margin, work, iwork)
        slack = margin
    else:
        bounding_rss(B, RB, j, PB, work)
        margin = _rounding(A, i, NA, RA[i, NODE0], B, j, leaf, 1)
        value = mesh_convex(RA, i, PA, FA, NA, IA, B, RB, j, PB, margin, work, iwork)
        slack = margin + work[ANSWER + SLACK]
    if value > margin:
        if meshes:
            _normal(work, value)
            inside = _meshes_nested(RA, i, PA, FA, NA, IA, RB, j, PB, FB, NB, IB, work, iwork)
        else:
            inside = _convex_in_mesh(RA, i, PA, FA, NA, IA, RB, j, PB, work, iwork)
        if inside:
            value = -value
            for r in range(6, 9):
                work[BEST + r] = -work[BEST + r]
    else:
        value = 0.0
        if meshes:
            _contact_normal(RA, i, PA, FA, RB, j, PB, FB, work, iwork)
        else:
            value = -depth_inside(RA, i, PA, B, RB, j, PB, FB, work)
        if value == 0.0:
            for r in range(3):
                work[BEST + 3 + r] = work[BEST + r]
    out[k, 0] = value
    for r in range(3):
        n = 0.0
        for c in range(3):
            n += A[i, 4 * r + c] * work[BEST + 6 + c]
        out[k, 1 + r] = _world(A, i, r, work, BEST)
        out[k, 4 + r] = _world(A, i, r, work, BEST + 3)
        out[k, 7 + r] = n
    out[k, SLACK] = slack
    return 0


@kernel
def _relative(A, i, B, j, work):
    """The pose of b in a's frame."""
    d0, d1, d2 = B[j, 3] - A[i, 3], B[j, 7] - A[i, 7], B[j, 11] - A[i, 11]
    for r in range(3):
        a0, a1, a2 = A[i, r], A[i, 4 + r], A[i, 8 + r]
        for c in range(3):
            work[REL + 3 * r + c] = a0 * B[j, c] + a1 * B[j, 4 + c] + a2 * B[j, 8 + c]
        work[REL + 9 + r] = a0 * d0 + a1 * d1 + a2 * d2


@kernel
def _world(A, i, r, work, at):
    moved = A[i, 4 * r] * work[at] + A[i, 4 * r + 1] * work[at + 1] + A[i, 4 * r + 2] * work[at + 2]
    return moved + A[i, 4 * r + 3]


@kernel
def _rounding(A, i, NA, p, B, j, NB, q):
    """What rounding may do to a distance of the two: some ulps of the largest coordinate."""
    reach = NA[p, DIAMETER] + NB[q, DIAMETER]
    for r in range(3):
        reach += abs(NA[p, CENTRE + r]) + abs(NB[q, CENTRE + r])
        reach += abs(A[i, 4 * r + 3]) + abs(B[j, 4 * r + 3])
    return MESH_ROUNDING * reach


@kernel
def _normal(work, value):
    for r in range(3):
        work[BEST + 6 + r] = (work[BEST + r] - work[BEST + 3 + r]) / value


@kernel
def _convex_in_mesh(RA, i, PA, FA, NA, IA, RB, j, PB, work, iwork):
    """Whether a convex body that does not touch the surface of a is inside it: one point tells."""
    if RA[i, FLAGS] & CLOSED == 0:
        return False
    x0 = x1 = x2 = 0.0
    if RB[j, KIND] == POLYHEDRON:
        p = RB[j, POINT0]
        x0, x1, x2 = PB[p, 0], PB[p, 1], PB[p, 2]
    rel = work[REL : REL + 12]
    y0 = rel[0] * x0 + rel[1] * x1 + rel[2] * x2 + rel[9]
    y1 = rel[3] * x0 + rel[4] * x1 + rel[5] * x2 + rel[10]
    y2 = rel[6] * x0 + rel[7] * x1 + rel[8] * x2 + rel[11]
    return inside_mesh(y0, y1, y2, RA, i, PA, FA, NA, IA, iwork[PAIRS : PAIRS + STACK])


@kernel
def _meshes_nested(RA, i, PA, FA, NA, IA, RB, j, PB, FB, NB, IB, work, iwork):
    """Whether a connected part of one surface is inside the other, which it does not touch."""
    rel = work[REL : REL + 12]
    stack = iwork[PAIRS : PAIRS + STACK]
    if RA[i, FLAGS] & CLOSED:
        first = RB[j, INT0] + 2 * node_count(RB[j, FACES])
        for c in range(first + 1, first + 1 + IB[first]):
            p = RB[j, POINT0] + IB[c]
            y0 = rel[0] * PB[p, 0] + rel[1] * PB[p, 1] + rel[2] * PB[p, 2] + rel[9]
            y1 = rel[3] * PB[p, 0] + rel[4] * PB[p, 1] + rel[5] * PB[p, 2] + rel[10]
            y2 = rel[6] * PB[p, 0] + rel[7] * PB[p, 1] + rel[8] * PB[p, 2] + rel[11]
            if inside_mesh(y0, y1, y2, RA, i, PA, FA, NA, IA, stack):
                return True
    if RB[j, FLAGS] & CLOSED:
        first = RA[i, INT0] + 2 * node_count(RA[i, FACES])
        for c in range(first + 1, first + 1 + IA[first]):
            p = RA[i, POINT0] + IA[c]
            d0, d1, d2 = PA[p, 0] - rel[9], PA[p, 1] - rel[10], PA[p, 2] - rel[11]
            y0 = rel[0] * d0 + rel[3] * d1 + rel[6] * d2
            y1 = rel[1] * d0 + rel[4] * d1 + rel[7] * d2
            y2 = rel[2] * d0 + rel[5] * d1 + rel[8] * d2
            if inside_mesh(y0, y1, y2, RB, j, PB, FB, NB, IB, stack):
                return True
    return False


@kernel
def _contact_normal(RA, i, PA, FA, RB, j, PB, FB, work, iwork):
    """At a contact: the normal of b's triangle, or of a's where b's has none, or z where neither
    has; towards the side on which most of a's triangle lies."""
    rel = work[REL : REL + 12]
    s0, s1, s2 = 0.0, 0.0, 0.0
    a = RA[i, FACE0] + iwork[NEAREST]
    for k in range(3):
        p = RA[i, POINT0] + FA[a, k]
        s0 += PA[p, 0] - work[BEST]
        s1 += PA[p, 1] - work[BEST + 1]
        s2 += PA[p, 2] - work[BEST + 2]
    m0, m1, m2 = _cross(PB, RB[j, POINT0], FB, RB[j, FACE0] + iwork[NEAREST + 1])
    n0 = rel[0] * m0 + rel[1] * m1 + rel[2] * m2
    n1 = rel[3] * m0 + rel[4] * m1 + rel[5] * m2
    n2 = rel[6] * m0 + rel[7] * m1 + rel[8] * m2
    length = math.sqrt(n0 * n0 + n1 * n1 + n2 * n2)
    if length == 0.0:
        n0, n1, n2 = _cross(PA, RA[i, POINT0], FA, a)
        length = math.sqrt(n0 * n0 + n1 * n1 + n2 * n2)
    if length == 0.0:
        n2, length = 1.0, 1.0
    if n0 * s0 + n1 * s1 + n2 * s2 < 0.0:
        length = -length
    work[BEST + 6], work[BEST + 7], work[BEST + 8] = n0 / length, n1 / length, n2 / length


@kernel
def _cross(P, o, F, f):
    """A triangle's normal, as long as twice its area."""
    a, b, c = o + F[f, 0], o + F[f, 1], o + F[f, 2]
    u0, u1, u2 = P[b, 0] - P[a, 0], P[b, 1] - P[a, 1], P[b, 2] - P[a, 2]
    v0, v1, v2 = P[c, 0] - P[a, 0], P[c, 1] - P[a, 1], P[c, 2] - P[a, 2]
    return u1 * v2 - u2 * v1, u2 * v0 - u0 * v2, u0 * v1 - u1 * v0


@entry(
    "void(float64[:, ::1], int64[:, ::1], float64[:, ::1], int64[:, ::1], float64[:, ::1], "
    "int64[::1], int64[:, ::1], float64[::1], int64[::1], float64[:, ::1])"
)
def mesh_distances(rows, refs, points, faces, nodes, ints, pairs, work, iwork, out):
    """`mesh_pair` of each row of ``pairs`` (two numbers of bodies, the first a mesh)."""
    for k in range(len(pairs)):
        mesh_pair(
            rows, refs, pairs[k, 0], points, faces, nodes, ints,
            rows, refs, pairs[k, 1], points, faces, nodes, ints, work, iwork, out, k,
        )  # fmt: skip
