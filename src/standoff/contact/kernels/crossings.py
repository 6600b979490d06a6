"""Second stage, edges on edges.

Two edges touch where they cross as seen along the direction n that parts the bodies, with the edge
of a in b, that of b in a, and b's beyond a's; and where their common normal m belongs to both, that
is, lies between the normals of the two faces of the edge of b, and -m between those of a's. The
depth is that of the two lines, along m. Parallel edges do not cross; their ends are vertices on
faces. Nor does an edge cross another at an end of it that is inside: that vertex is on a face.
"""

from __future__ import annotations

import math

import numpy as np

from standoff.compiled.arena import HEAD, table
from standoff.compiled.jit import kernel
from standoff.contact.kernels.appending import append
from standoff.contact.kernels.frames import to_world, turn_back
from standoff.contact.kernels.inside import cut
from standoff.contact.kernels.layout import (
    BALLS,
    BODY,
    CLIPS,
    COST,
    CROSSERS,
    CROSSING,
    CROSSING_CHECKS,
    EARLIER,
    EDGE,
    EDGE0,
    EDGE_COUNT,
    EDGES,
    EPOCH,
    FACING,
    HIT,
    LEFT_OUT,
    PIECES,
    PLANES,
    POSES,
    SIDES,
    STATE,
    UNCUT,
    VERTICES,
)
from standoff.contact.kernels.siblings import alone, goes_on, hidden
from standoff.contact.kernels.tables import real_rows, whole_rows
from standoff.geometry.narrowphase.rows import rotate
from standoff.geometry.narrowphase.vectors import cross, dot, place, turn, unplace
from standoff.tolerances import CONTACT_CONE, CONTACT_MERGE

#: Sine of the angle between two edges, as seen along the direction that parts the bodies, below
#: which they are parallel and do not cross, [-]. Their ends are vertices on faces.
CONTACT_PARALLEL = 1e-9

#: Share of an edge's length by which a crossing may miss the part of it that is inside, [-].
CONTACT_SHARE = 1e-12


@kernel
def edges_on_edges(F, W, p, q, rel, n0, n1, n2, first_old, end_old, slack):
    """The contacts of edges of piece ``p`` with edges of ``q``; ``n`` in the frame of q. ``slack``
    is how far outside the other piece an edge still counts as inside."""
    P, X = whole_rows(W, PIECES, 11), real_rows(F, W, POSES, 12)
    K, crossers = real_rows(F, W, CROSSING, 17), whole_rows(W, CROSSERS, 1)
    body = P[q, BODY]
    united = not (alone(W, p) and alone(W, q))
    S = real_rows(F, W, BALLS, 5)
    # No way out is longer than the smaller piece.
    widest = 2.0 * min(S[p, 3], S[q, 3])
    middle = candidates(F, W, p, rel, True, 0, widest, n0, n1, n2)
    end = middle
    if middle > 0:
        end = candidates(F, W, q, rel, False, middle, widest, n0, n1, n2)
    facing = whole_rows(W, FACING, 1)
    for i in range(middle):
        d0, d1, d2 = K[i, 3], K[i, 4], K[i, 5]
        g0, g1, g2 = cross(d0, d1, d2, n0, n1, n2)
        lean = CONTACT_CONE / K[i, 14]
        find_facing(F, W, end - middle, d0, d1, d2, lean)
        for j in range(middle, end):
            if facing[j - middle, 0] == 0:
                continue
            # As seen along n: a + s d + t n = b + r e, by Cramer's rule, with c as divisor.
            e0, e1, e2 = K[j, 3], K[j, 4], K[j, 5]
            c = -dot(g0, g1, g2, e0, e1, e2)
            w0, w1, w2 = K[j, 0] - K[i, 0], K[j, 1] - K[i, 1], K[j, 2] - K[i, 2]
            # Somewhere on the part of b's edge that is inside, before anything is divided.
            if abs(2.0 * dot(w0, w1, w2, g0, g1, g2) - K[j, 15] * c) > abs(c) * K[j, 16]:
                continue
            m0, m1, m2 = cross(d0, d1, d2, e0, e1, e2)
            if dot(w0, w1, w2, m0, m1, m2) * c <= 0.0:
                continue
            scale = math.copysign(1.0 / math.sqrt(dot(m0, m1, m2, m0, m1, m2)), c)
            m0, m1, m2 = scale * m0, scale * m1, scale * m2
            if (
                dot(m0, m1, m2, K[j, 6], K[j, 7], K[j, 8]) > CONTACT_CONE
                or dot(m0, m1, m2, K[j, 9], K[j, 10], K[j, 11]) > CONTACT_CONE
                or dot(m0, m1, m2, K[i, 6], K[i, 7], K[i, 8]) < -CONTACT_CONE
                or dot(m0, m1, m2, K[i, 9], K[i, 10], K[i, 11]) < -CONTACT_CONE
                or abs(c) * K[i, 14] * K[j, 14] <= CONTACT_PARALLEL
            ):
                continue
            r = dot(w0, w1, w2, g0, g1, g2) / c
            s = dot(w0, w1, w2, *cross(e0, e1, e2, n0, n1, n2)) / c
            depth = dot(w0, w1, w2, m0, m1, m2)
            t = depth / (scale * c)
            K[i, 12], K[i, 13] = cut(F, W, crossers[i, 0], True, rel, slack)
            K[j, 12], K[j, 13] = cut(F, W, crossers[j, 0], False, rel, slack)
            if K[i, 12] > K[i, 13] or K[j, 12] > K[j, 13]:
                continue
            if not (crosses_inside(K, i, s, t) and crosses_inside(K, j, r, t)):
                continue
            if at_inner_end(K, i, s) or at_inner_end(K, j, r):
                continue
            x, y, z = to_world(
                X,
                body,
                0.5 * (K[i, 0] + s * d0 + K[j, 0] + r * e0),
                0.5 * (K[i, 1] + s * d1 + K[j, 1] + r * e1),
                0.5 * (K[i, 2] + s * d2 + K[j, 2] + r * e2),
            )
            a, b = crossers[i, 0] - P[p, EDGE0], crossers[j, 0] - P[q, EDGE0]
            kept = was_there(W, first_old, end_old, a, b)
            if united and on_seam(F, W, p, q, rel, K, i, s, j, r, m0, m1, m2):
                kept += LEFT_OUT
            m0, m1, m2 = rotate(X, body, m0, m1, m2)
            append(F, W, p, q, EDGE, a, EDGE, b, kept, x, y, z, m0, m1, m2, depth)
    whole_rows(W, COST, 1)[CROSSING_CHECKS, 0] += middle * (end - middle)


@kernel
def find_facing(F, W, count, d0, d1, d2, lean):
    """Into FACING, of each of b's edges in SIDES, whether its common normal with an edge along
    ``d`` may belong to it.

    With b's faces N and M, m is between them only where d . N and d . M differ in sign, as
    (d x e) . (N x e) = (d . N) e²; within the cone, as |d x e| <= |d| |e|. Most pairs end here, so
    there are no branches, and the compiler takes several edges at once."""
    edges, first = whole_rows(W, EDGES, 4).shape[0], W[HEAD * SIDES]
    facing = whole_rows(W, FACING, 1)
    n0, n1, n2 = (
        table(F, first, count, 1),
        table(F, first + edges, count, 1),
        table(F, first + 2 * edges, count, 1),
    )
    m0, m1, m2 = (
        table(F, first + 3 * edges, count, 1),
        table(F, first + 4 * edges, count, 1),
        table(F, first + 5 * edges, count, 1),
    )
    for j in range(count):
        left = d0 * n0[j, 0] + d1 * n1[j, 0] + d2 * n2[j, 0]
        right = d0 * m0[j, 0] + d1 * m1[j, 0] + d2 * m2[j, 0]
        low = (left <= lean) | (right <= lean)
        facing[j, 0] = low & ((left >= -lean) | (right >= -lean))


@kernel
def on_seam(F, W, p, q, rel, K, i, s, j, r, m0, m1, m2):
    """Whether the share ``s`` of a's edge in row ``i`` of CROSSING, or ``r`` of b's in row ``j`` is
    where another piece of the same body goes on: no edge of the body as a whole. ``m`` is the
    normal of the contact, from b to a."""
    x, y, z = K[j, 0] + r * K[j, 3], K[j, 1] + r * K[j, 4], K[j, 2] + r * K[j, 5]
    if goes_on(F, W, q, x, y, z, m0, m1, m2) or hidden(F, W, q, x, y, z, m0, m1, m2, -1.0):
        return True
    x, y, z = unplace(rel, K[i, 0] + s * K[i, 3], K[i, 1] + s * K[i, 4], K[i, 2] + s * K[i, 5])
    m0, m1, m2 = turn_back(rel, -m0, -m1, -m2)
    return goes_on(F, W, p, x, y, z, m0, m1, m2) or hidden(F, W, p, x, y, z, m0, m1, m2, -1.0)


@kernel
def crosses_inside(K, k, share, way):
    """Whether a share of an edge lies on it and inside the other piece, which it may leave by as
    much as a normal may lean (CONTACT_CONE) over the ``way`` out."""
    margin = CONTACT_SHARE + CONTACT_CONE * way * K[k, 14]
    return (
        -CONTACT_SHARE <= share <= 1.0 + CONTACT_SHARE
        and K[k, 12] - margin <= share <= K[k, 13] + margin
    )


@kernel
def at_inner_end(K, k, share):
    """Whether a share of an edge is at one of its ends, and this end inside the other piece."""
    return (K[k, 12] == 0.0 and share <= CONTACT_MERGE) or (
        K[k, 13] == 1.0 and share >= 1.0 - CONTACT_MERGE
    )


@kernel
def candidates(F, W, o, rel, of_a, first, widest, n0, n1, n2):
    """The edges of a piece that are inside the other one and have a normal on the right side, into
    CROSSING from row ``first`` on, in the frame of q; returns the next row. No way out is longer
    than ``widest``."""
    P, E, V = whole_rows(W, PIECES, 11), whole_rows(W, EDGES, 4), real_rows(F, W, VERTICES, 3)
    N, K, clips = (
        real_rows(F, W, PLANES, 4),
        real_rows(F, W, CROSSING, 17),
        real_rows(F, W, CLIPS, 2),
    )
    hit, crossers = whole_rows(W, HIT, 1), whole_rows(W, CROSSERS, 1)
    sides, edges = real_rows(F, W, SIDES, 1), E.shape[0]
    epoch = whole_rows(W, STATE, 1)[EPOCH, 0]
    count = first
    for e in range(P[o, EDGE0], P[o, EDGE0] + P[o, EDGE_COUNT]):
        if hit[e, 0] != epoch:
            continue
        tail, head, left, right = E[e, 0], E[e, 1], E[e, 2], E[e, 3]
        x, y, z = V[tail, 0], V[tail, 1], V[tail, 2]
        u, v, w = V[head, 0] - x, V[head, 1] - y, V[head, 2] - z
        a0, a1, a2 = N[left, 0], N[left, 1], N[left, 2]
        b0, b1, b2 = N[right, 0], N[right, 1], N[right, 2]
        if of_a:
            x, y, z = place(rel, x, y, z)
            u, v, w = turn(rel, u, v, w)
            a0, a1, a2 = turn(rel, a0, a1, a2)
            b0, b1, b2 = turn(rel, b0, b1, b2)
        along = dot(a0, a1, a2, n0, n1, n2)
        other = dot(b0, b1, b2, n0, n1, n2)
        if (of_a and min(along, other) > CONTACT_CONE) or (
            not of_a and max(along, other) < -CONTACT_CONE
        ):
            continue
        scale = 1.0 / math.sqrt(u * u + v * v + w * w)
        K[count, 0], K[count, 1], K[count, 2] = x, y, z
        K[count, 3], K[count, 4], K[count, 5] = u, v, w
        # Seen from outside, a face is to the left of its edge: normal x edge points into it.
        x, y, z = cross(a0, a1, a2, u, v, w)
        K[count, 6], K[count, 7], K[count, 8] = scale * x, scale * y, scale * z
        x, y, z = cross(b0, b1, b2, u, v, w)
        K[count, 9], K[count, 10], K[count, 11] = -scale * x, -scale * y, -scale * z
        K[count, 12], K[count, 13], K[count, 14] = clips[e, 0], clips[e, 1], scale
        # start <= r <= end, within `crosses_inside`'s margin, is |2 r - K15| <= K16.
        margin = CONTACT_SHARE + CONTACT_CONE * widest * scale
        start = 0.0 if clips[e, 0] == UNCUT else clips[e, 0]
        end = 1.0 if clips[e, 1] == UNCUT else clips[e, 1]
        K[count, 15], K[count, 16] = start + end, end - start + 2.0 * margin
        if not of_a:
            k = count - first
            sides[k, 0], sides[edges + k, 0], sides[2 * edges + k, 0] = a0, a1, a2
            k += 3 * edges
            sides[k, 0], sides[edges + k, 0], sides[2 * edges + k, 0] = b0, b1, b2
        crossers[count, 0] = e
        count += 1
    return count


@kernel
def was_there(W, first, end, a, b):
    """1 where two edges were in contact at the last step, else 0."""
    old = whole_rows(W, EARLIER, 7)
    for k in range(first, end):
        if old[k, 2] == EDGE and old[k, 4] == EDGE and old[k, 3] == a and old[k, 5] == b:
            return np.int64(1)
    return np.int64(0)
