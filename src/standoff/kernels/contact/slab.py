"""The slab along a direction that two pieces share, and what of each of them reaches into it.

Along any unit vector n, what p and q share lies above the lowest of p and below the highest of q.
An edge of q with both ends below the slab is outside p. So is a face of q no bound for p: q, cut
off at the bottom of the slab, has as faces the cut and those of its own that reach above it, and p
is above the cut. The same holds from the other side. Of two bodies that are not deep in each other,
few edges and faces are left.

The vertices of a convex polyhedron above a plane hang together by edges above it: from each, some
edge leads higher, up to the highest. So they are found from there.
"""

from __future__ import annotations

from standoff.kernels.contact.frames import turn_back
from standoff.kernels.contact.layout import (
    BOUNDS,
    CLIMB,
    CLOUD,
    EDGE0,
    EDGE_COUNT,
    EDGE_HIGH,
    EDGE_MARK,
    EDGES,
    EPOCH,
    FACE_HIGH,
    NEAR,
    NEAR_A,
    NEAR_B,
    PIECES,
    PLANES,
    QUEUE,
    SLAB,
    SPOKE,
    SPOKES,
    STATE,
    VERTEX0,
    VERTEX_HIGH,
    VERTICES,
)
from standoff.kernels.contact.parting import highest
from standoff.kernels.contact.tables import real_rows, whole_rows
from standoff.kernels.contact.walk import names_all
from standoff.kernels.jit import kernel


@kernel
def queue_slabs(F, W, p, q, rel, n0, n1, n2, slack):
    """The edges in the slab along ``n`` (in the frame of q) that carry the epoch in EDGE_MARK, or
    of a piece all of whose edges are named, into QUEUE, returning how many they are, and the faces
    that reach into it into NEAR, first those of p. ``slack`` widens the slab, [m]."""
    D, P = real_rows(F, W, CLOUD, 4), whole_rows(W, PIECES, 11)
    slab, queue = whole_rows(W, SLAB, 1), whole_rows(W, QUEUE, 1)
    marks, state = whole_rows(W, EDGE_MARK, 1), whole_rows(W, STATE, 1)
    epoch = state[EPOCH, 0]
    m0, m1, m2 = turn_back(rel, -n0, -n1, -n2)
    shift = rel[9] * n0 + rel[10] * n1 + rel[11] * n2
    low, top = highest(D, P, p, m0, m1, m2), highest(D, P, q, n0, n1, n2)
    # Heights along n of the frame of q; of p they are shift - m x.
    ceiling = D[top, 0] * n0 + D[top, 1] * n1 + D[top, 2] * n2
    floor = shift - (D[low, 0] * m0 + D[low, 1] * m1 + D[low, 2] * m2)
    state[NEAR_A, 0] = state[NEAR_B, 0] = 0
    if floor > ceiling + slack:
        return 0
    edges, near_a = climb(F, W, p, int(D[low, 3]), m0, m1, m2, shift - ceiling - slack, 0, 0)
    edges, near_b = climb(F, W, q, int(D[top, 3]), n0, n1, n2, floor - slack, edges, near_a)
    state[NEAR_A, 0], state[NEAR_B, 0] = near_a, near_b
    all_a, all_b = names_all(W, p), names_all(W, q)
    first_a, end_a = P[p, EDGE0], P[p, EDGE0] + P[p, EDGE_COUNT]
    count = 0
    for k in range(edges):
        e = slab[k, 0]
        if marks[e, 0] == epoch or (all_a if first_a <= e < end_a else all_b):
            marks[e, 0] = epoch
            queue[count, 0] = e
            count += 1
    return count


@kernel
def climb(F, W, o, vertex, n0, n1, n2, level, edges, faces):
    """The edges of piece ``o`` with an end not below ``level`` along ``n``, in the frame of its
    body, to the end of SLAB, and their faces to the end of NEAR, which have ``edges`` and ``faces``
    rows so far; returns how many they have then. ``vertex`` is the highest one, as it is numbered
    in the piece."""
    P, E, V = whole_rows(W, PIECES, 11), whole_rows(W, EDGES, 4), real_rows(F, W, VERTICES, 3)
    spoke, spokes, found = (
        whole_rows(W, SPOKE, 2),
        whole_rows(W, SPOKES, 1),
        whole_rows(W, CLIMB, 1),
    )
    slab, near = whole_rows(W, SLAB, 1), whole_rows(W, NEAR, 1)
    N, bounds = real_rows(F, W, PLANES, 4), real_rows(F, W, BOUNDS, 4)
    vertex_high, edge_high, face_high = (
        whole_rows(W, VERTEX_HIGH, 1),
        whole_rows(W, EDGE_HIGH, 1),
        whole_rows(W, FACE_HIGH, 1),
    )
    epoch = whole_rows(W, STATE, 1)[EPOCH, 0]
    found[0, 0] = P[o, VERTEX0] + vertex
    vertex_high[found[0, 0], 0] = epoch
    size, k = 1, 0
    while k < size:
        v = found[k, 0]
        k += 1
        for s in range(spoke[v, 0], spoke[v, 0] + spoke[v, 1]):
            e = spokes[s, 0]
            if edge_high[e, 0] == epoch:
                continue
            edge_high[e, 0] = epoch
            slab[edges, 0] = e
            edges += 1
            for c in range(2, 4):
                f = E[e, c]
                if face_high[f, 0] != epoch:
                    face_high[f, 0] = epoch
                    near[faces, 0] = f
                    for d in range(4):
                        bounds[faces, d] = N[f, d]
                    faces += 1
            u = E[e, 0] + E[e, 1] - v
            if vertex_high[u, 0] != epoch and V[u, 0] * n0 + V[u, 1] * n1 + V[u, 2] * n2 >= level:
                vertex_high[u, 0] = epoch
                found[size, 0] = u
                size += 1
    return edges, faces
