"""Which edges of one piece run inside the other, and where on them.

Two convex polyhedra overlap exactly when an edge of one meets the other. What of an edge lies
inside a convex body is one interval, cut out by the planes of the faces. An edge that is inside
altogether meets no leaf of the other's octree; but it is reached from its neighbours, since the
edges of a convex polyhedron hang together, and only where all of them are inside does a point test
have to begin.
"""

from __future__ import annotations

from standoff.kernels.contact.layout import (
    BOUNDS,
    CLIPS,
    COST,
    EDGE0,
    EDGE_CHECKS,
    EDGE_COUNT,
    EDGE_MARK,
    EDGES,
    EPOCH,
    FACE0,
    FACE_COUNT,
    HIT,
    NEAR_A,
    NEAR_B,
    PIECES,
    PLANES,
    QUEUE,
    RULED,
    SPOKE,
    SPOKES,
    STATE,
    VERTEX0,
    VERTEX_MARK,
    VERTICES,
)
from standoff.kernels.contact.slab import queue_slabs
from standoff.kernels.contact.tables import real_rows, whole_rows
from standoff.kernels.jit import kernel
from standoff.kernels.vectors import place, unplace


@kernel
def edges_inside(F, W, p, q, rel, n0, n1, n2, slack):
    """Marks the edges that carry the epoch in EDGE_MARK, and those reached from them, that are
    inside the other piece, with the part that is; also their ends that are inside. Returns how many
    edges are. ``slack`` is how far outside a point still counts as inside, [m]. ``n`` is any unit
    vector, in the frame of q: only the slab along it that both pieces share is looked at."""
    P, E = whole_rows(W, PIECES, 11), whole_rows(W, EDGES, 4)
    V, queue = real_rows(F, W, VERTICES, 3), whole_rows(W, QUEUE, 1)
    hit, clips = whole_rows(W, HIT, 1), real_rows(F, W, CLIPS, 2)
    state = whole_rows(W, STATE, 1)
    epoch = state[EPOCH, 0]
    first_a, end_a = P[p, EDGE0], P[p, EDGE0] + P[p, EDGE_COUNT]
    count = queue_slabs(F, W, p, q, rel, n0, n1, n2, slack)
    near_a, near_b = state[NEAR_A, 0], state[NEAR_B, 0]
    # The face that ruled out an edge will often rule out the next one at the same vertex.
    ruled, inner = whole_rows(W, RULED, 1), whole_rows(W, VERTEX_MARK, 1)
    found, k = 0, 0
    while k < count:
        e = queue[k, 0]
        k += 1
        tail, head = E[e, 0], E[e, 1]
        if inner[tail, 0] == epoch and inner[head, 0] == epoch:
            found += 1
            hit[e, 0] = epoch
            clips[e, 0], clips[e, 1] = 0.0, 1.0
            continue
        x, y, z = V[tail, 0], V[tail, 1], V[tail, 2]
        u, v, w = V[head, 0], V[head, 1], V[head, 2]
        if first_a <= e < end_a:
            x, y, z = place(rel, x, y, z)
            u, v, w = place(rel, u, v, w)
            start, end, row = clip(F, W, near_a, near_b, ruled[tail, 0], x, y, z, u, v, w, slack)
        else:
            x, y, z = unplace(rel, x, y, z)
            u, v, w = unplace(rel, u, v, w)
            start, end, row = clip(F, W, 0, near_a, ruled[tail, 0], x, y, z, u, v, w, slack)
        if start > end:
            ruled[tail, 0] = ruled[head, 0] = row
            continue
        found += 1
        hit[e, 0] = epoch
        clips[e, 0], clips[e, 1] = start, end
        if start == 0.0:
            count = reach_from(W, tail, count)
        if end == 1.0:
            count = reach_from(W, head, count)
    whole_rows(W, COST, 1)[EDGE_CHECKS, 0] += k
    return found


@kernel
def clip(F, W, first, last, guess, x, y, z, u, v, w, slack):
    """What of the segment from (x, y, z) to (u, v, w) is behind the faces in rows ``first`` to
    ``last`` of NEAR, of the piece in whose frame it is given: first and last share of its length,
    the first above the last where nothing is; and the row that ruled it out, to begin with the next
    time as ``guess``, which may be any number."""
    B = real_rows(F, W, BOUNDS, 4)
    start, end = 0.0, 1.0
    if first <= guess < last:
        k = guess
        a = B[k, 0] * x + B[k, 1] * y + B[k, 2] * z - B[k, 3] - slack
        b = B[k, 0] * u + B[k, 1] * v + B[k, 2] * w - B[k, 3] - slack
        if a > 0.0 and b > 0.0:
            return 1.0, 0.0, guess
    for k in range(first, last):
        a = B[k, 0] * x + B[k, 1] * y + B[k, 2] * z - B[k, 3] - slack
        b = B[k, 0] * u + B[k, 1] * v + B[k, 2] * w - B[k, 3] - slack
        # The plane is crossed at the share a / (a - b): divided only where that is news.
        if a > 0.0:
            if b > 0.0:
                return 1.0, 0.0, k
            if a > start * (a - b):
                start = a / (a - b)
                if start > end:
                    return 1.0, 0.0, k
        elif b > 0.0 and a > end * (a - b):
            end = a / (a - b)
            if start > end:
                return 1.0, 0.0, k
    return start, end, first


@kernel
def reach_from(W, vertex, count):
    """A vertex that is inside: its edges to the end of QUEUE, where they were not there before."""
    epoch = whole_rows(W, STATE, 1)[EPOCH, 0]
    seen, marks = whole_rows(W, VERTEX_MARK, 1), whole_rows(W, EDGE_MARK, 1)
    if seen[vertex, 0] == epoch:
        return count
    seen[vertex, 0] = epoch
    spoke, spokes, queue = (
        whole_rows(W, SPOKE, 2),
        whole_rows(W, SPOKES, 1),
        whole_rows(W, QUEUE, 1),
    )
    for k in range(spoke[vertex, 0], spoke[vertex, 0] + spoke[vertex, 1]):
        e = spokes[k, 0]
        if marks[e, 0] != epoch:
            marks[e, 0] = epoch
            queue[count, 0] = e
            count += 1
    return count


@kernel
def wholly_inside(F, W, p, q, rel, slack):
    """For pieces whose surfaces do not cross: whether one is inside the other, by one vertex; then
    the edges of this vertex are in QUEUE, and their number is returned."""
    P, V = whole_rows(W, PIECES, 11), real_rows(F, W, VERTICES, 3)
    a, b = P[p, VERTEX0], P[q, VERTEX0]
    x, y, z = place(rel, V[a, 0], V[a, 1], V[a, 2])
    if contains(F, W, q, x, y, z, slack):
        return reach_from(W, a, 0)
    x, y, z = unplace(rel, V[b, 0], V[b, 1], V[b, 2])
    if contains(F, W, p, x, y, z, slack):
        return reach_from(W, b, 0)
    return 0


@kernel
def contains(F, W, q, x, y, z, slack):
    """Whether a point, in the frame of piece ``q``, is not beyond any of its faces."""
    N, P = real_rows(F, W, PLANES, 4), whole_rows(W, PIECES, 11)
    for f in range(P[q, FACE0], P[q, FACE0] + P[q, FACE_COUNT]):
        if N[f, 0] * x + N[f, 1] * y + N[f, 2] * z - N[f, 3] > slack:
            return False
    return True
