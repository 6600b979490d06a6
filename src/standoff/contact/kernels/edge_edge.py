"""Second stage, edges on edges.

Two edges touch where they cross as seen along the direction n that parts the bodies, with the edge
of p in q, that of q in p, and q's beyond p's; and where their common normal m belongs to both, that
is, lies between the normals of the two faces of the edge of q, and -m between those of p's. The
depth is that of the two lines, along m. Parallel edges do not cross; their ends are vertices on
faces. Nor does an edge cross another at an end of it that is inside: that vertex is on a face.
"""

from __future__ import annotations

import math

from standoff.compiled.jit import kernel
from standoff.contact.kernels.contacts import append, find_old
from standoff.contact.kernels.edges_inside import cut
from standoff.contact.kernels.scene_tables import EDGE, UNCUT
from standoff.contact.kernels.solids import alone, goes_on, hidden, to_world
from standoff.geometry.narrowphase.rows import rotate
from standoff.geometry.narrowphase.vectors import cross, dot, place, turn, unplace, unturn
from standoff.tolerances import CONTACT_CONE, CONTACT_MERGE

#: Sine of the angle between two edges, as seen along the direction that parts the bodies, below
#: which they are parallel and do not cross, [-]. Their ends are vertices on faces.
CONTACT_PARALLEL = 1e-9

#: Share of an edge's length by which a crossing may miss the part of it that is inside, [-].
CONTACT_SHARE = 1e-12


@kernel
def edges_on_edges(scene, state, scratch, n0, n1, n2, end_old):
    """The contacts of edges of piece p with edges of q; ``n`` in the frame of q. Contacts of the
    last step, up to row ``end_old``, go on."""
    crossers, facing = scratch.crossers, scratch.facing
    middle = take_crossers(scene, scratch, True, 0, n0, n1, n2)
    end = middle
    if middle > 0:
        end = take_crossers(scene, scratch, False, middle, n0, n1, n2)
    for i in range(middle):
        one = crossers[i]
        at, d = one.tail, one.along
        g0, g1, g2 = cross(d[0], d[1], d[2], n0, n1, n2)
        find_facing(scratch, end - middle, d[0], d[1], d[2], CONTACT_CONE / one.scale)
        for j in range(middle, end):
            if facing[j - middle] == 0:
                continue
            # As seen along n: a + s d + t n = b + r e, by Cramer's rule, with c as divisor.
            other = crossers[j]
            to, e = other.tail, other.along
            c = -dot(g0, g1, g2, e[0], e[1], e[2])
            w0, w1, w2 = to[0] - at[0], to[1] - at[1], to[2] - at[2]
            # Somewhere on the part of q's edge that is inside, before anything is divided.
            along = 2.0 * dot(w0, w1, w2, g0, g1, g2) - other.twice_middle * c
            if abs(along) > abs(c) * other.width:
                continue
            if edges_cross(scene, scratch, i, j, n0, n1, n2):
                edge_on_edge(scene, state, scratch, i, j, end_old)
    state.cost.crossing_checks += middle * (end - middle)


@kernel
def find_facing(scratch, count, d0, d1, d2, lean):
    """Of each of q's edges in SIDES, whether its common normal with an edge along ``d`` may belong
    to it.

    With q's faces N and M, m is between them only where d . N and d . M differ in sign, as
    (d x e) . (N x e) = (d . N) e²; within the cone, as |d x e| <= |d| |e|. Most pairs end here, so
    there are no branches, and the compiler takes several edges at once."""
    sides, facing = scratch.sides, scratch.facing
    for j in range(count):
        left = d0 * sides[0, j] + d1 * sides[1, j] + d2 * sides[2, j]
        right = d0 * sides[3, j] + d1 * sides[4, j] + d2 * sides[5, j]
        low = (left <= lean) | (right <= lean)
        facing[j] = low & ((left >= -lean) | (right >= -lean))


@kernel
def edges_cross(scene, scratch, i, j, n0, n1, n2):
    """Whether the edges in rows ``i`` and ``j`` of CROSSERS touch; where and how deep is in
    CROSSING."""
    one, other, found = scratch.crossers[i], scratch.crossers[j], scratch.crossing
    at, d, to, e = one.tail, one.along, other.tail, other.along
    g0, g1, g2 = cross(d[0], d[1], d[2], n0, n1, n2)
    c = -dot(g0, g1, g2, e[0], e[1], e[2])
    w0, w1, w2 = to[0] - at[0], to[1] - at[1], to[2] - at[2]
    m0, m1, m2 = cross(d[0], d[1], d[2], e[0], e[1], e[2])
    if dot(w0, w1, w2, m0, m1, m2) * c <= 0.0:
        return False
    scale = math.copysign(1.0 / math.sqrt(dot(m0, m1, m2, m0, m1, m2)), c)
    m0, m1, m2 = scale * m0, scale * m1, scale * m2
    if not (between_faces(other, 1.0, m0, m1, m2) and between_faces(one, -1.0, m0, m1, m2)):
        return False
    if abs(c) * one.scale * other.scale <= CONTACT_PARALLEL:
        return False
    share_q = dot(w0, w1, w2, g0, g1, g2) / c
    g0, g1, g2 = cross(e[0], e[1], e[2], n0, n1, n2)
    share_p = dot(w0, w1, w2, g0, g1, g2) / c
    depth = dot(w0, w1, w2, m0, m1, m2)
    way = depth / (scale * c)
    one.start, one.end = cut(scene, scratch, one.edge, True)
    other.start, other.end = cut(scene, scratch, other.edge, False)
    found.share_p, found.share_q, found.depth = share_p, share_q, depth
    found.x, found.y, found.z = m0, m1, m2
    return inside_at(one, share_p, way) and inside_at(other, share_q, way)


@kernel
def between_faces(edge, sign, m0, m1, m2):
    """Whether the unit vector ``m`` times ``sign`` lies between the normals of an edge's faces, or
    at most CONTACT_CONE beside that: it leads into neither of them."""
    a, b = edge.left, edge.right
    return (
        sign * dot(m0, m1, m2, a[0], a[1], a[2]) <= CONTACT_CONE
        and sign * dot(m0, m1, m2, b[0], b[1], b[2]) <= CONTACT_CONE
    )


@kernel
def inside_at(edge, share, way):
    """Whether a share of an edge lies on it and inside the other piece, which it may leave by as
    much as a normal may lean (CONTACT_CONE) over the ``way`` out; and is not at one of its ends
    that is inside."""
    if edge.start > edge.end:
        return False
    margin = CONTACT_SHARE + CONTACT_CONE * way * edge.scale
    if not (
        -CONTACT_SHARE <= share <= 1.0 + CONTACT_SHARE
        and edge.start - margin <= share <= edge.end + margin
    ):
        return False
    at_tail = edge.start == 0.0 and share <= CONTACT_MERGE
    return not (at_tail or (edge.end == 1.0 and share >= 1.0 - CONTACT_MERGE))


@kernel
def edge_on_edge(scene, state, scratch, i, j, end_old):
    """The contact of the edges in rows ``i`` and ``j`` of CROSSERS, as CROSSING has it."""
    one, other = scratch.crossers[i], scratch.crossers[j]
    found, pair = scratch.crossing, scratch.pair
    at, d, to, e, s, r = one.tail, one.along, other.tail, other.along, found.share_p, found.share_q
    p, q, body = scene.pieces[pair.p], scene.pieces[pair.q], scene.pieces[pair.q].body
    at_world = to_world(
        state.poses,
        body,
        0.5 * (at[0] + s * d[0] + to[0] + r * e[0]),
        0.5 * (at[1] + s * d[1] + to[1] + r * e[1]),
        0.5 * (at[2] + s * d[2] + to[2] + r * e[2]),
    )
    a, b = one.edge - p.edge0, other.edge - q.edge0
    kept = 1 if find_old(state, pair.first_old, end_old, EDGE, a, EDGE, b) >= 0 else 0
    united = not (alone(scene, pair.p) and alone(scene, pair.q))
    seam = united and on_seam(scene, scratch, one, other)
    normal = rotate(state.poses, body, found.x, found.y, found.z)
    k = append(state, (pair.p, EDGE, a), (pair.q, EDGE, b), kept, at_world, normal, found.depth)
    state.contacts[k].left_out = 1 if seam else 0


@kernel
def on_seam(scene, scratch, one, other):
    """Whether two edges of CROSSERS cross where another piece of the body of one of them goes on:
    no edge of that body as a whole."""
    p, q, rel, found = scratch.pair.p, scratch.pair.q, scratch.rel, scratch.crossing
    at, d, to, e, s, r = one.tail, one.along, other.tail, other.along, found.share_p, found.share_q
    m = found.x, found.y, found.z
    x = to[0] + r * e[0], to[1] + r * e[1], to[2] + r * e[2]
    if goes_on(scene, q, x, m) or hidden(scene, q, x, m, -1.0):
        return True
    x = unplace(rel, at[0] + s * d[0], at[1] + s * d[1], at[2] + s * d[2])
    m = unturn(rel, -found.x, -found.y, -found.z)
    return goes_on(scene, p, x, m) or hidden(scene, p, x, m, -1.0)


@kernel
def take_crossers(scene, scratch, of_p, first, n0, n1, n2):
    """The edges of p (or of q, unless ``of_p``) that are inside the other piece and have a normal
    on the right side, into CROSSERS from row ``first`` on, in the frame of q; returns the next
    row."""
    V, planes, rel = scene.vertices, scene.planes, scratch.rel
    marks, sides, epoch = scratch.edges, scratch.sides, scratch.pair.epoch
    p, q = scene.pieces[scratch.pair.p], scene.pieces[scratch.pair.q]
    # No way out is longer than the smaller piece.
    widest = 2.0 * min(p.radius, q.radius)
    piece = p if of_p else q
    count = first
    for e in range(piece.edge0, piece.edge0 + piece.edges):
        if marks[e].inside != epoch:
            continue
        edge = scene.edges[e]
        left, right = planes[edge.left], planes[edge.right]
        x, y, z = V[edge.tail, 0], V[edge.tail, 1], V[edge.tail, 2]
        u, v, w = V[edge.head, 0] - x, V[edge.head, 1] - y, V[edge.head, 2] - z
        a0, a1, a2 = left.x, left.y, left.z
        b0, b1, b2 = right.x, right.y, right.z
        if of_p:
            x, y, z = place(rel, x, y, z)
            u, v, w = turn(rel, u, v, w)
            a0, a1, a2 = turn(rel, a0, a1, a2)
            b0, b1, b2 = turn(rel, b0, b1, b2)
        along, other = dot(a0, a1, a2, n0, n1, n2), dot(b0, b1, b2, n0, n1, n2)
        if of_p and min(along, other) > CONTACT_CONE:
            continue
        if not of_p and max(along, other) < -CONTACT_CONE:
            continue
        if not of_p:
            k = count - first
            sides[0, k], sides[1, k], sides[2, k] = a0, a1, a2
            sides[3, k], sides[4, k], sides[5, k] = b0, b1, b2
        row = scratch.crossers[count]
        row.edge = e
        row.scale = 1.0 / math.sqrt(u * u + v * v + w * w)
        set_vector(row.tail, x, y, z, 1.0)
        set_vector(row.along, u, v, w, 1.0)
        # Seen from outside, a face is to the left of its edge: normal x edge points into it.
        x, y, z = cross(a0, a1, a2, u, v, w)
        set_vector(row.left, x, y, z, row.scale)
        x, y, z = cross(b0, b1, b2, u, v, w)
        set_vector(row.right, x, y, z, -row.scale)
        set_part(row, marks[e].start, marks[e].end, widest)
        count += 1
    return count


@kernel
def set_vector(vector, x, y, z, scale):
    vector[0], vector[1], vector[2] = scale * x, scale * y, scale * z


@kernel
def set_part(row, start, end, widest):
    """The part of an edge that is inside. No way out is longer than ``widest``."""
    row.start, row.end = start, end
    # start <= r <= end, within the margin of `inside_at`, is |2 r - twice_middle| <= width.
    margin = CONTACT_SHARE + CONTACT_CONE * widest * row.scale
    start = 0.0 if start == UNCUT else start
    end = 1.0 if end == UNCUT else end
    row.twice_middle, row.width = start + end, end - start + 2.0 * margin
