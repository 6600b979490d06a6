"""Second stage, vertices on faces.

By Proposition 1 of the paper a vertex touches one face of each convex piece at most. It is the face
of the last step, as long as the vertex is still behind it, above its inside, and the face still
looks the way that parts the bodies. Otherwise, for a vertex inside, it is the face through which
the vertex leaves when it is moved that way; so the normal always has a part along it.
"""

from __future__ import annotations

import math

import numpy as np

from standoff.compiled.jit import kernel
from standoff.contact.kernels.appending import append
from standoff.contact.kernels.frames import to_world, turn_back
from standoff.contact.kernels.layout import (
    ALONG,
    BODY,
    BOUNDS,
    EARLIER,
    EPOCH,
    FACE,
    FACE0,
    HINT,
    NEAR,
    NEAR_A,
    NEAR_B,
    PIECES,
    PLANES,
    POSES,
    RING,
    RINGS,
    STATE,
    VERTEX,
    VERTEX0,
    VERTEX_COUNT,
    VERTEX_MARK,
    VERTICES,
)
from standoff.contact.kernels.tables import real_rows, whole_rows
from standoff.geometry.narrowphase.rows import rotate
from standoff.geometry.narrowphase.vectors import place, unplace
from standoff.tolerances import CONTACT_CONE


@kernel
def vertices_on_faces(F, W, p, q, rel, n0, n1, n2, first_old, end_old):
    """The contacts of vertices of piece ``p`` with faces of ``q`` and the other way round. ``n`` is
    the direction that parts them, from q to p, in the frame of q."""
    take_hints(W, p, q, first_old, end_old, True)
    m0, m1, m2 = turn_back(rel, -n0, -n1, -n2)
    for side in range(2):
        if side == 0:
            vertices_of(F, W, p, q, p, q, rel, n0, n1, n2, end_old > first_old)
        else:
            vertices_of(F, W, q, p, p, q, rel, m0, m1, m2, end_old > first_old)
    take_hints(W, p, q, first_old, end_old, False)


@kernel
def vertices_of(F, W, o, s, p, q, rel, n0, n1, n2, hinted):
    """The contacts of vertices of piece ``o`` with faces of piece ``s``, which are ``p`` and ``q``
    or ``q`` and ``p``; ``n`` is the way out of s, in the frame of s. ``hinted`` says whether there
    were contacts at the last step."""
    P, V, N = whole_rows(W, PIECES, 11), real_rows(F, W, VERTICES, 3), real_rows(F, W, PLANES, 4)
    X, marks, hints = (
        real_rows(F, W, POSES, 12),
        whole_rows(W, VERTEX_MARK, 1),
        whole_rows(W, HINT, 1),
    )
    state = whole_rows(W, STATE, 1)
    epoch = state[EPOCH, 0]
    first = state[NEAR_A, 0] if o == p else 0
    last = state[NEAR_B, 0] if o == p else state[NEAR_A, 0]
    body = P[s, BODY]
    look_along(F, W, first, last, n0, n1, n2)
    for v in range(P[o, VERTEX0], P[o, VERTEX0] + P[o, VERTEX_COUNT]):
        inside = marks[v, 0] == epoch
        if not inside and not hinted:
            continue
        hint = hints[v, 0]
        if not inside and hint < 0:
            continue
        if o == p:
            x, y, z = place(rel, V[v, 0], V[v, 1], V[v, 2])
        else:
            x, y, z = unplace(rel, V[v, 0], V[v, 1], V[v, 2])
        face = np.int64(-1)
        if hint >= 0 and still_there(F, W, hint, x, y, z, n0, n1, n2):
            face = hint
        elif inside:
            face = way_out(F, W, first, last, x, y, z)
        if face < 0:
            continue
        depth = N[face, 3] - N[face, 0] * x - N[face, 1] * y - N[face, 2] * z
        if depth <= 0.0:
            continue
        half = 0.5 * depth
        u, w, t = to_world(
            X, body, x + half * N[face, 0], y + half * N[face, 1], z + half * N[face, 2]
        )
        a, b, c = rotate(X, body, N[face, 0], N[face, 1], N[face, 2])
        kept = np.int64(1) if face == hint else np.int64(0)
        vertex, face = v - P[o, VERTEX0], face - P[s, FACE0]
        if o == p:
            append(F, W, p, q, VERTEX, vertex, FACE, face, kept, u, w, t, a, b, c, depth)
        else:
            append(F, W, p, q, FACE, face, VERTEX, vertex, kept, u, w, t, -a, -b, -c, depth)


@kernel
def take_hints(W, p, q, first, end, wanted):
    """Last step's face of each vertex into HINT, or out of it again."""
    P, old, hints = whole_rows(W, PIECES, 11), whole_rows(W, EARLIER, 7), whole_rows(W, HINT, 1)
    for k in range(first, end):
        if old[k, 2] == VERTEX and old[k, 4] == FACE:
            vertex, face = P[p, VERTEX0] + old[k, 3], P[q, FACE0] + old[k, 5]
        elif old[k, 2] == FACE and old[k, 4] == VERTEX:
            vertex, face = P[q, VERTEX0] + old[k, 5], P[p, FACE0] + old[k, 3]
        else:
            continue
        hints[vertex, 0] = face if wanted else np.int64(-1)


@kernel
def still_there(F, W, face, x, y, z, n0, n1, n2):
    """Whether a point is behind a face and above its inside, and the face looks along ``n``."""
    N = real_rows(F, W, PLANES, 4)
    a, b, c = N[face, 0], N[face, 1], N[face, 2]
    if a * n0 + b * n1 + c * n2 <= 0.0 or a * x + b * y + c * z >= N[face, 3]:
        return False
    return above(F, W, face, x, y, z)


@kernel
def above(F, W, face, x, y, z):
    """Whether the point of a face's plane that is nearest to a point is inside its edges."""
    N, V = real_rows(F, W, PLANES, 4), real_rows(F, W, VERTICES, 3)
    a, b, c = N[face, 0], N[face, 1], N[face, 2]
    ring, rings = whole_rows(W, RING, 2), whole_rows(W, RINGS, 1)
    first, count = ring[face, 0], ring[face, 1]
    tail = rings[first + count - 1, 0]
    for k in range(first, first + count):
        head = rings[k, 0]
        u, v, w = V[head, 0] - V[tail, 0], V[head, 1] - V[tail, 1], V[head, 2] - V[tail, 2]
        # Left of the edge, seen from outside: (edge x (point - tail)) . normal >= 0.
        d, e, f = x - V[tail, 0], y - V[tail, 1], z - V[tail, 2]
        side = a * (v * f - w * e) + b * (w * d - u * f) + c * (u * e - v * d)
        if side < 0.0:
            return False
        tail = head
    return True


@kernel
def look_along(F, W, first, last, n0, n1, n2):
    """ALONG of the faces in rows ``first`` to ``last`` of NEAR: the same for all vertices."""
    B, looks = real_rows(F, W, BOUNDS, 4), real_rows(F, W, ALONG, 1)
    for k in range(first, last):
        looks[k, 0] = B[k, 0] * n0 + B[k, 1] * n1 + B[k, 2] * n2


@kernel
def way_out(F, W, first, last, x, y, z):
    """Of the faces in rows ``first`` to ``last`` of NEAR, the one through which a point inside
    their piece leaves it along the way of `look_along`. A face that is next to parallel to the way
    out is taken only where there is no other: boxes stacked flush have their corners in each
    other's sides, and would leave through these at once."""
    B, looks, near = real_rows(F, W, BOUNDS, 4), real_rows(F, W, ALONG, 1), whole_rows(W, NEAR, 1)
    best, last_best = math.inf, math.inf
    face, steep = np.int64(-1), np.int64(-1)
    for k in range(first, last):
        along = looks[k, 0]
        if along > 0.0:
            way = B[k, 3] - B[k, 0] * x - B[k, 1] * y - B[k, 2] * z
            # way / along < best, without a division by next to nothing; of two as near, the first
            if along > CONTACT_CONE:
                if way < best * along or (way == best * along and near[k, 0] < face):
                    best = way / along
                    face = near[k, 0]
            elif way < last_best * along or (way == last_best * along and near[k, 0] < steep):
                last_best = way / along
                steep = near[k, 0]
    return face if face >= 0 else steep
