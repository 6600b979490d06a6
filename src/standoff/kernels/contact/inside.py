"""Which edges of one piece run inside the other, and where on them.

Two convex polyhedra overlap exactly when an edge of one meets the other. What of an edge lies
inside a convex body is one interval, cut out by the planes of the faces. An edge that is inside
altogether meets no leaf of the other's octree; but it is reached from its neighbours, since the
edges of a convex polyhedron hang together, and only where all of them are inside does a point test
have to begin.

An edge with an end inside is inside, one with both ends beyond a face is not, and of the others
few are asked for: these are cut when they are.
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
    OUTER,
    PIECES,
    PLANES,
    QUEUE,
    RULED,
    SPOKE,
    SPOKES,
    STATE,
    UNCUT,
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
    inside the other piece, or may be, with the part that is, or UNCUT; also their ends that are
    inside. Returns how many edges are marked: 0 only where none is inside. ``slack`` is how far
    outside a point still counts as inside, [m]. ``n`` is any unit vector, in the frame of q: only
    the slab along it that both pieces share is looked at."""
    P, E, queue = whole_rows(W, PIECES, 11), whole_rows(W, EDGES, 4), whole_rows(W, QUEUE, 1)
    hit, clips = whole_rows(W, HIT, 1), real_rows(F, W, CLIPS, 2)
    inner, outer = whole_rows(W, VERTEX_MARK, 1), whole_rows(W, OUTER, 1)
    ruled, state = whole_rows(W, RULED, 1), whole_rows(W, STATE, 1)
    epoch = state[EPOCH, 0]
    first_a, end_a = P[p, EDGE0], P[p, EDGE0] + P[p, EDGE_COUNT]
    count = queue_slabs(F, W, p, q, rel, n0, n1, n2, slack)
    found, k = 0, 0
    while k < count:
        e = queue[k, 0]
        k += 1
        of_a = first_a <= e < end_a
        for end in range(2):
            v, u = E[e, end], E[e, 1 - end]
            if inner[v, 0] != epoch and outer[v, 0] != epoch:
                # The face that rules out a vertex will often rule out its neighbours.
                row = ruling(F, W, v, of_a, rel, ruled[u, 0], slack)
                if row < 0:
                    count = reach_from(W, v, count)
                else:
                    outer[v, 0] = epoch
                    ruled[v, 0] = row
        tail, head = E[e, 0], E[e, 1]
        if inner[tail, 0] == epoch or inner[head, 0] == epoch:
            clips[e, 0] = 0.0 if inner[tail, 0] == epoch else UNCUT
            clips[e, 1] = 1.0 if inner[head, 0] == epoch else UNCUT
        elif both_out(F, W, tail, head, of_a, rel, slack):
            continue
        else:
            clips[e, 0] = clips[e, 1] = UNCUT
            # That the pieces overlap has to be known, but not by how many edges.
            if found == 0:
                start, last = cut(F, W, e, of_a, rel, slack)
                if start > last:
                    continue
        found += 1
        hit[e, 0] = epoch
    whole_rows(W, COST, 1)[EDGE_CHECKS, 0] += k
    return found


@kernel
def end_of(F, W, v, of_a, rel):
    """Vertex ``v`` of p (or of q, unless ``of_a``) in the frame of the other piece."""
    V = real_rows(F, W, VERTICES, 3)
    if of_a:
        return place(rel, V[v, 0], V[v, 1], V[v, 2])
    return unplace(rel, V[v, 0], V[v, 1], V[v, 2])


@kernel
def ruling(F, W, v, of_a, rel, guess, slack):
    """The row of NEAR of a face of the other piece that vertex ``v`` is beyond, or -1 where it is
    inside. ``guess`` is tried first, and may be any number."""
    B, state = real_rows(F, W, BOUNDS, 4), whole_rows(W, STATE, 1)
    first = state[NEAR_A, 0] if of_a else 0
    last = state[NEAR_B, 0] if of_a else state[NEAR_A, 0]
    x, y, z = end_of(F, W, v, of_a, rel)
    if not first <= guess < last:
        guess = first
    # Faces that are neighbours stand near each other in NEAR.
    for k in range(guess, last):
        if above(B, k, x, y, z) > slack:
            return k
    for k in range(first, guess):
        if above(B, k, x, y, z) > slack:
            return k
    return -1


@kernel
def above(B, k, x, y, z):
    """How far a point is above the plane in row ``k`` of BOUNDS."""
    return B[k, 0] * x + B[k, 1] * y + B[k, 2] * z - B[k, 3]


@kernel
def both_out(F, W, tail, head, of_a, rel, slack):
    """Whether two vertices, each of them beyond some face, are both beyond one of these two."""
    B, ruled = real_rows(F, W, BOUNDS, 4), whole_rows(W, RULED, 1)
    one, other = ruled[tail, 0], ruled[head, 0]
    if one == other:
        return True
    x, y, z = end_of(F, W, head, of_a, rel)
    if above(B, one, x, y, z) > slack:
        return True
    x, y, z = end_of(F, W, tail, of_a, rel)
    return above(B, other, x, y, z) > slack


@kernel
def cut(F, W, e, of_a, rel, slack):
    """What of edge ``e`` is behind the faces of the other piece in NEAR: first and last share of
    its length, the first above the last where nothing is. Kept in CLIPS for who asks again."""
    B, E, clips = real_rows(F, W, BOUNDS, 4), whole_rows(W, EDGES, 4), real_rows(F, W, CLIPS, 2)
    if clips[e, 0] != UNCUT and clips[e, 1] != UNCUT:
        return clips[e, 0], clips[e, 1]
    state = whole_rows(W, STATE, 1)
    first = state[NEAR_A, 0] if of_a else 0
    last = state[NEAR_B, 0] if of_a else state[NEAR_A, 0]
    x, y, z = end_of(F, W, E[e, 0], of_a, rel)
    u, v, w = end_of(F, W, E[e, 1], of_a, rel)
    start, end = 0.0, 1.0
    for k in range(first, last):
        a, b = above(B, k, x, y, z) - slack, above(B, k, u, v, w) - slack
        # The plane is crossed at the share a / (a - b): divided only where that is news.
        if a > 0.0:
            if b > 0.0:
                start, end = 1.0, 0.0
            elif a > start * (a - b):
                start = a / (a - b)
        elif b > 0.0 and a > end * (a - b):
            end = a / (a - b)
        if start > end:
            start, end = 1.0, 0.0
            break
    clips[e, 0], clips[e, 1] = start, end
    return start, end


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
