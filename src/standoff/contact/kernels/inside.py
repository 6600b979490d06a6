"""Which edges of one piece run inside the other, and where on them.

Two convex polyhedra overlap exactly when an edge of one meets the other. What of an edge lies
inside a convex body is one interval, cut out by the planes of the faces. An edge that is inside
altogether meets no leaf of the other's octree; but it is reached from its neighbours, since the
edges of a convex polyhedron hang together, and only where all of them are inside does a point test
have to begin.

An edge with an end inside is inside, one with both ends beyond a face is not, and of the others
few are asked for: these are cut when they are.

The slab along a direction that two pieces share, and what of each of them reaches into it.

Along any unit vector n, what p and q share lies above the lowest of p and below the highest of q.
An edge of q with both ends below the slab is outside p. So is a face of q no bound for p: q, cut
off at the bottom of the slab, has as faces the cut and those of its own that reach above it, and p
is above the cut. The same holds from the other side. Of two bodies that are not deep in each other,
few edges and faces are left.

The vertices of a convex polyhedron above a plane hang together by edges above it: from each, some
edge leads higher, up to the highest. So they are found from there.
"""

from __future__ import annotations

from standoff.compiled.jit import kernel
from standoff.contact.kernels.frames import turn_back
from standoff.contact.kernels.layout import (
    BOUNDS,
    CLIMB,
    CLIPS,
    CLOUD,
    COST,
    EDGE0,
    EDGE_CHECKS,
    EDGE_COUNT,
    EDGE_HIGH,
    EDGE_MARK,
    EDGES,
    EPOCH,
    FACE0,
    FACE_COUNT,
    FACE_HIGH,
    HIT,
    NEAR,
    NEAR_A,
    NEAR_B,
    OUTER,
    PIECES,
    PLANES,
    QUEUE,
    RULED,
    SLAB,
    SPOKE,
    SPOKES,
    STATE,
    UNCUT,
    VERTEX0,
    VERTEX_HIGH,
    VERTEX_MARK,
    VERTICES,
)
from standoff.contact.kernels.parting import highest
from standoff.contact.kernels.tables import real_rows, whole_rows
from standoff.contact.kernels.walk import names_all
from standoff.geometry.narrowphase.vectors import place, unplace


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
