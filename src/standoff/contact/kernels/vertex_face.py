"""Second stage, vertices on faces.

By Proposition 1 of the paper a vertex touches one face of each convex piece at most. It is the face
of the last step, as long as the vertex is still behind it, above its inside, and the face still
looks the way that parts the bodies. Otherwise, for a vertex inside, it is the face through which
the vertex leaves when it is moved that way; so the normal always has a part along it.
"""

from __future__ import annotations

import math

from standoff.compiled.jit import kernel
from standoff.contact.kernels.contacts import append
from standoff.contact.kernels.edges_inside import end_of, other_faces
from standoff.contact.kernels.scene_tables import FACE, VERTEX
from standoff.contact.kernels.solids import to_world
from standoff.geometry.narrowphase.rows import rotate
from standoff.geometry.narrowphase.vectors import unturn
from standoff.tolerances import CONTACT_CONE


@kernel
def vertices_on_faces(scene, state, scratch, n0, n1, n2, end_old):
    """The contacts of vertices of piece p with faces of q and the other way round. ``n`` is the
    direction that parts them, from q to p, in the frame of q. Contacts of the last step, up to row
    ``end_old``, go on."""
    take_hints(scene, state, scratch, end_old, True)
    m0, m1, m2 = unturn(scratch.rel, -n0, -n1, -n2)
    vertices_of(scene, state, scratch, True, n0, n1, n2)
    vertices_of(scene, state, scratch, False, m0, m1, m2)
    take_hints(scene, state, scratch, end_old, False)


@kernel
def vertices_of(scene, state, scratch, of_p, n0, n1, n2):
    """The contacts of vertices of p with faces of q, or of q with faces of p, unless ``of_p``;
    ``n`` is the way out of the faces' piece, in its frame."""
    vertices, epoch, pair = scratch.vertices, scratch.pair.epoch, scratch.pair
    first, last = other_faces(pair, of_p)
    look_along(scratch, first, last, n0, n1, n2)
    o = scene.pieces[pair.p if of_p else pair.q]
    for v in range(o.vertex0, o.vertex0 + o.vertices):
        inside, hint = vertices[v].inside == epoch, vertices[v].hint
        if not inside and hint < 0:
            continue
        at = end_of(scene, scratch, v, of_p)
        x, y, z = at
        face = -1
        if hint >= 0 and still_there(scene, hint, x, y, z, n0, n1, n2):
            face = hint
        elif inside:
            face = way_out(scratch, first, last, x, y, z)
        if face >= 0:
            vertex_on_face(scene, state, scratch, v, face, of_p, at)


@kernel
def vertex_on_face(scene, state, scratch, v, face, of_p, at):
    """The contact of a vertex with a face of the other piece, whose body has it at ``at``, if it is
    behind it."""
    (x, y, z), X, n, p, q = at, state.poses, scene.planes[face], scratch.pair.p, scratch.pair.q
    o, s = scene.pieces[p if of_p else q], scene.pieces[q if of_p else p]
    depth = n.offset - n.x * x - n.y * y - n.z * z
    if depth <= 0.0:
        return
    half = 0.5 * depth
    between = to_world(X, s.body, x + half * n.x, y + half * n.y, z + half * n.z)
    a, b, c = rotate(X, s.body, n.x, n.y, n.z)
    kept = 1 if face == scratch.vertices[v].hint else 0
    v, face = v - o.vertex0, face - s.face0
    if of_p:
        append(state, (p, VERTEX, v), (q, FACE, face), kept, between, (a, b, c), depth)
    else:
        append(state, (p, FACE, face), (q, VERTEX, v), kept, between, (-a, -b, -c), depth)


@kernel
def take_hints(scene, state, scratch, end, wanted):
    """Last step's face of each vertex into its mark, or out of it again."""
    p, q = scene.pieces[scratch.pair.p], scene.pieces[scratch.pair.q]
    for k in range(scratch.pair.first_old, end):
        old = state.old[k]
        if old.kind_a == VERTEX and old.kind_b == FACE:
            vertex, face = p.vertex0 + old.feature_a, q.face0 + old.feature_b
        elif old.kind_a == FACE and old.kind_b == VERTEX:
            vertex, face = q.vertex0 + old.feature_b, p.face0 + old.feature_a
        else:
            continue
        scratch.vertices[vertex].hint = face if wanted else -1


@kernel
def still_there(scene, face, x, y, z, n0, n1, n2):
    """Whether a point is behind a face and above its inside, and the face looks along ``n``."""
    n = scene.planes[face]
    if n.x * n0 + n.y * n1 + n.z * n2 <= 0.0 or n.x * x + n.y * y + n.z * z >= n.offset:
        return False
    return above_inside(scene, face, x, y, z)


@kernel
def above_inside(scene, face, x, y, z):
    """Whether the point of a face's plane that is nearest to a point is inside its edges."""
    V, n, ring, corners = scene.vertices, scene.planes[face], scene.rings[face], scene.ring_vertices
    tail = corners[ring.first + ring.count - 1]
    for k in range(ring.first, ring.first + ring.count):
        head = corners[k]
        u, v, w = V[head, 0] - V[tail, 0], V[head, 1] - V[tail, 1], V[head, 2] - V[tail, 2]
        # Left of the edge, seen from outside: (edge x (point - tail)) . normal >= 0.
        d, e, f = x - V[tail, 0], y - V[tail, 1], z - V[tail, 2]
        side = n.x * (v * f - w * e) + n.y * (w * d - u * f) + n.z * (u * e - v * d)
        if side < 0.0:
            return False
        tail = head
    return True


@kernel
def look_along(scratch, first, last, n0, n1, n2):
    """How much the faces in rows ``first`` to ``last`` of NEAR look along ``n``: the same for all
    vertices."""
    near = scratch.near
    for k in range(first, last):
        near[k].along = near[k].x * n0 + near[k].y * n1 + near[k].z * n2


@kernel
def way_out(scratch, first, last, x, y, z):
    """Of the faces in rows ``first`` to ``last`` of NEAR, the one through which a point inside
    their piece leaves it along the way of `look_along`. A face that is next to parallel to the way
    out is taken only where there is no other: boxes stacked flush have their corners in each
    other's sides, and would leave through these at once."""
    best, last_best = math.inf, math.inf
    face, steep = -1, -1
    for k in range(first, last):
        one = scratch.near[k]
        along = one.along
        if along > 0.0:
            way = one.offset - one.x * x - one.y * y - one.z * z
            # way / along < best, without a division by next to nothing; of two as near, the first
            if along > CONTACT_CONE:
                if way < best * along or (way == best * along and one.face < face):
                    best = way / along
                    face = one.face
            elif way < last_best * along or (way == last_best * along and one.face < steep):
                last_best = way / along
                steep = one.face
    return face if face >= 0 else steep
