"""A triangle mesh against a mesh or a convex body.

The surfaces' exact distance, > 0, where they are apart and neither body is inside the other. 0.0
where they touch or cross, or come nearer than rounding can tell; both witnesses then stand at one
common point, and the normal is that of the triangles or convex bodies that meet there. Minus the
gap between the surfaces where they are apart but one body (or a connected part of a mesh) is
inside the other: a lower bound on how far they would have to move to come free. The witnesses are
then the surfaces' nearest points and the normal is the way for a to leave b over them; ``pa - pb =
value n`` holds throughout.

A closed mesh is a solid, and so is an open one where its winding number is at least a half; one
point of each connected part is asked for that. A sheet has nothing inside, but a mesh inside a
convex body overlaps it, whatever it is.
"""

from __future__ import annotations

import math

from standoff.compiled.jit import kernel
from standoff.geometry.narrowphase.bvh import node_count
from standoff.geometry.narrowphase.layout import (
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
from standoff.geometry.narrowphase.mesh_convex import bounding_rss, depth_inside, mesh_convex
from standoff.geometry.narrowphase.mesh_inside import inside_mesh
from standoff.geometry.narrowphase.mesh_mesh import (
    ANSWER,
    BEST,
    LEAF,
    MESH_IWORK,
    MESH_WORK,
    NEAREST,
    PAIRS,
    REL,
    STACK,
    mesh_mesh,
)
from standoff.geometry.narrowphase.rss import CENTRE, DIAMETER
from standoff.geometry.narrowphase.triangle import face_normal
from standoff.geometry.narrowphase.vectors import dot, load, place, point, store, turn, unplace
from standoff.tolerances import MESH_ROUNDING

__all__ = ["MESH_IWORK", "MESH_WORK", "mesh_pair"]


@kernel
def mesh_pair(first, i, second, j, scratch, out, k):
    """Signed distance of mesh a and mesh or convex body b into row ``k``, as above."""
    work, iwork = scratch.work, scratch.iwork
    A, RA, a = first.rows, first.refs, first.solids
    PA, FA, NA, IA = a.points, a.faces, a.nodes, a.ints
    B, RB, b = second.rows, second.refs, second.solids
    PB, FB, NB, IB = b.points, b.faces, b.nodes, b.ints
    relative_pose(A, i, B, j, work)
    meshes = RB[j, KIND] == MESH
    if meshes:
        margin = rounding_margin(A, i, NA, RA[i, NODE0], B, j, NB, RB[j, NODE0])
        value = mesh_mesh(RA, i, PA, FA, NA, IA, RB, j, PB, FB, NB, IB, margin, work, iwork)
        slack = margin
    else:
        bounding_rss(B, RB, j, PB, work)
        leaf = work[LEAF : LEAF + 32].reshape((2, 16))
        margin = rounding_margin(A, i, NA, RA[i, NODE0], B, j, leaf, 1)
        value = mesh_convex(RA, i, PA, FA, NA, IA, B, RB, j, PB, margin, work, iwork)
        slack = margin + work[ANSWER + SLACK]
    if value > margin:
        if meshes:
            for r in range(3):
                work[BEST + 6 + r] = (work[BEST + r] - work[BEST + 3 + r]) / value
        if nested(RA, i, PA, FA, NA, IA, RB, j, PB, FB, NB, IB, work, iwork):
            value = -value
            for r in range(6, 9):
                work[BEST + r] = -work[BEST + r]
    else:
        value = 0.0
        if meshes:
            contact_normal(RA, i, PA, FA, RB, j, PB, FB, work, iwork)
        else:
            value = -depth_inside(RA, i, PA, B, RB, j, PB, FB, work)
        if value == 0.0:
            x0, x1, x2 = load(work, BEST)
            store(work, BEST + 3, x0, x1, x2)
    out[k, 0] = value
    out[k, SLACK] = slack
    write_nearest(A, i, work, out, k)


@kernel
def write_nearest(A, i, work, out, k):
    """The points and the normal in ``work[BEST:]``, turned from a's frame into the world's."""
    for r in range(9):
        v0, v1, v2 = load(work, BEST + r - r % 3)
        row = 4 * (r % 3)
        moved = dot(A[i, row], A[i, row + 1], A[i, row + 2], v0, v1, v2)
        out[k, 1 + r] = moved if r >= 6 else moved + A[i, row + 3]


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
def rounding_margin(A, i, NA, p, B, j, NB, q):
    """What rounding may do to a distance of the two: some ulps of the largest coordinate."""
    reach = NA[p, DIAMETER] + NB[q, DIAMETER]
    for r in range(3):
        reach += abs(NA[p, CENTRE + r]) + abs(NB[q, CENTRE + r])
        reach += abs(A[i, 4 * r + 3]) + abs(B[j, 4 * r + 3])
    return MESH_ROUNDING * reach


@kernel
def nested(RA, i, PA, FA, NA, IA, RB, j, PB, FB, NB, IB, work, iwork):
    """Whether a connected part of one body is inside the other, whose surface it does not touch:
    one point of the part tells."""
    rel = work[REL : REL + 12]
    stack = iwork[PAIRS : PAIRS + STACK]
    meshes = RB[j, KIND] == MESH
    for turned in range(2 if meshes else 1):
        if turned == 0:
            R, m, P, F, N, T, S, n, Q, U = RA, i, PA, FA, NA, IA, RB, j, PB, IB
        else:
            R, m, P, F, N, T, S, n, Q, U = RB, j, PB, FB, NB, IB, RA, i, PA, IA
        if R[m, FLAGS] == 0:
            continue
        first = S[n, INT0] + 2 * node_count(S[n, FACES])
        for part in range(U[first] if meshes else 1):
            x0 = x1 = x2 = 0.0
            if meshes:
                x0, x1, x2 = point(Q, S[n, POINT0] + U[first + 1 + part])
            elif S[n, KIND] == POLYHEDRON:
                x0, x1, x2 = point(Q, S[n, POINT0])
            if turned == 0:
                x0, x1, x2 = place(rel, x0, x1, x2)
            else:
                x0, x1, x2 = unplace(rel, x0, x1, x2)
            if inside_mesh(x0, x1, x2, R, m, P, F, N, T, stack):
                return True
    return False


@kernel
def contact_normal(RA, i, PA, FA, RB, j, PB, FB, work, iwork):
    """At a contact: the normal of b's triangle, or of a's where b's has none, or z where neither
    has; towards the side on which most of a's triangle lies."""
    n0, n1, n2 = _normal(RB, j, PB, FB, iwork[NEAREST + 1])
    n0, n1, n2 = turn(work[REL : REL + 12], n0, n1, n2)
    if n0 == n1 == n2 == 0.0:
        n0, n1, n2 = _normal(RA, i, PA, FA, iwork[NEAREST])
    length = math.sqrt(dot(n0, n1, n2, n0, n1, n2))
    if length == 0.0:
        n2 = length = 1.0
    most = 0.0
    for c in range(3):
        x0, x1, x2 = point(PA, RA[i, POINT0] + FA[RA[i, FACE0] + iwork[NEAREST], c])
        y0, y1, y2 = load(work, BEST)
        most += dot(n0, n1, n2, x0 - y0, x1 - y1, x2 - y2)
    length = math.copysign(length, most)
    store(work, BEST + 6, n0 / length, n1 / length, n2 / length)


@kernel
def _normal(R, i, P, F, t):
    """The normal of triangle ``t``, in the mesh's frame; see `face_normal`."""
    a0, a1, a2 = point(P, R[i, POINT0] + F[R[i, FACE0] + t, 0])
    b0, b1, b2 = point(P, R[i, POINT0] + F[R[i, FACE0] + t, 1])
    c0, c1, c2 = point(P, R[i, POINT0] + F[R[i, FACE0] + t, 2])
    return face_normal(a0, a1, a2, b0, b1, b2, c0, c1, c2)
