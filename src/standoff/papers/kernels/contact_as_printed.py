"""Both stages as paper 003 has them (sections 2.2, 3.2 and 3.3), for comparison: every pair of
features that two meeting leaves name is tested, each once, without history and without forces.
"""

from __future__ import annotations

from standoff.compiled.jit import entry, kernel
from standoff.contact.kernels.edges_inside import spheres_meet
from standoff.contact.kernels.scene_tables import scene_at
from standoff.geometry.narrowphase.vectors import place

#: Entries of ``counts``: node tests, pairs of leaves, checks of VF and of EE, those that hold.
NODE_TESTS, LEAF_PAIRS, VF_CHECKS, EE_CHECKS, VF_HITS, EE_HITS = range(6)
COUNTS = 6


@entry("(i8,f8[:,::1],f8[:,::1],i8[:,::1],i8[:,::1],i8[:,::1],i8[:,::1],i8[::1])")
def printed_steps(scene, rels, backs, vf, fv, ee, stack, counts):
    """One step for each pose ``rels`` of piece 0 in the frame of piece 1, with ``backs`` the
    inverses. ``vf``, ``fv``, ``ee`` mark which pairs of features were tested, by step from 1 on;
    ``stack`` has a row for each pair of nodes."""
    for k in range(rels.shape[0]):
        printed_step(scene_at(scene), rels[k], backs[k], vf, fv, ee, stack, counts, k + 1)
    return counts[VF_HITS] + counts[EE_HITS]


@kernel
def printed_step(scene, rel, back, vf, fv, ee, stack, counts, epoch):
    """The root of one tree against the nodes of the other; then each leaf that meets it against
    all nodes of the first."""
    nodes = scene.nodes
    root, other = scene.pieces[0].root, scene.pieces[1].root
    x, y, z = place(rel, nodes[root].x, nodes[root].y, nodes[root].z)
    stack[0, 0] = other
    size = 1
    while size > 0:
        size -= 1
        b = stack[size, 0]
        counts[NODE_TESTS] += 1
        if not spheres_meet(x, y, z, nodes[root].radius, nodes[b]):
            continue
        if nodes[b].children == 0:
            leaf_on_tree(scene, root, b, rel, back, vf, fv, ee, stack, counts, epoch)
        for c in range(nodes[b].child0, nodes[b].child0 + nodes[b].children):
            stack[size, 0] = c
            size += 1


@kernel
def leaf_on_tree(scene, root, b, rel, back, vf, fv, ee, stack, counts, epoch):
    nodes = scene.nodes
    x, y, z = place(back, nodes[b].x, nodes[b].y, nodes[b].z)
    stack[0, 1] = root
    size = 1
    while size > 0:
        size -= 1
        a = stack[size, 1]
        counts[NODE_TESTS] += 1
        if not spheres_meet(x, y, z, nodes[b].radius, nodes[a]):
            continue
        if nodes[a].children == 0:
            counts[LEAF_PAIRS] += 1
            check_leaves(scene, a, b, rel, back, vf, fv, ee, counts, epoch)
        for c in range(nodes[a].child0, nodes[a].child0 + nodes[a].children):
            stack[size, 1] = c
            size += 1


@kernel
def check_leaves(scene, a, b, rel, back, vf, fv, ee, counts, epoch):
    """All pairs of features of two leaves that were not tested before in this step."""
    V, items, one, other = scene.vertices, scene.items, scene.nodes[a], scene.nodes[b]
    p, q = scene.pieces[0], scene.pieces[1]
    for i in range(one.vertices.first, one.vertices.first + one.vertices.count):
        v = items[i]
        x, y, z = place(rel, V[v, 0], V[v, 1], V[v, 2])
        for j in range(other.faces.first, other.faces.first + other.faces.count):
            f = items[j]
            if vf[v - p.vertex0, f - q.face0] != epoch:
                vf[v - p.vertex0, f - q.face0] = epoch
                counts[VF_CHECKS] += 1
                counts[VF_HITS] += behind_face(scene, x, y, z, f)
    for j in range(other.vertices.first, other.vertices.first + other.vertices.count):
        v = items[j]
        x, y, z = place(back, V[v, 0], V[v, 1], V[v, 2])
        for i in range(one.faces.first, one.faces.first + one.faces.count):
            f = items[i]
            if fv[v - q.vertex0, f - p.face0] != epoch:
                fv[v - q.vertex0, f - p.face0] = epoch
                counts[VF_CHECKS] += 1
                counts[VF_HITS] += behind_face(scene, x, y, z, f)
    for i in range(one.edges.first, one.edges.first + one.edges.count):
        d = items[i]
        for j in range(other.edges.first, other.edges.first + other.edges.count):
            e = items[j]
            if ee[d - p.edge0, e - q.edge0] != epoch:
                ee[d - p.edge0, e - q.edge0] = epoch
                counts[EE_CHECKS] += 1
                counts[EE_HITS] += edges_cross(scene, rel, d, e)


@kernel
def behind_face(scene, x, y, z, f):
    """1 where a point is behind the plane of face ``f`` and within the planes through its sides
    along its normal (the paper's coboundary)."""
    V, n, corners = scene.vertices, scene.planes[f], scene.ring_vertices
    n0, n1, n2 = n.x, n.y, n.z
    if n0 * x + n1 * y + n2 * z > n.offset:
        return 0
    first, count = scene.rings[f].first, scene.rings[f].count
    for k in range(count):
        s, t = corners[first + k], corners[first + (k + 1) % count]
        d0, d1, d2 = V[t, 0] - V[s, 0], V[t, 1] - V[s, 1], V[t, 2] - V[s, 2]
        # n x d points into the face: the point is on that side of the edge.
        side = (
            (n1 * d2 - n2 * d1) * (x - V[s, 0])
            + (n2 * d0 - n0 * d2) * (y - V[s, 1])
            + (n0 * d1 - n1 * d0) * (z - V[s, 2])
        )
        if side < 0.0:
            return 0
    return 1


@kernel
def edges_cross(scene, rel, d, e):
    """1 where the common perpendicular of two edges meets both between their ends, and the edge of
    piece 0 is on the inner side of that of piece 1."""
    V, one, other = scene.vertices, scene.edges[d], scene.edges[e]
    p, q = one.tail, one.head
    a0, a1, a2 = place(rel, V[p, 0], V[p, 1], V[p, 2])
    h0, h1, h2 = place(rel, V[q, 0], V[q, 1], V[q, 2])
    u0, u1, u2 = h0 - a0, h1 - a1, h2 - a2
    s, t = other.tail, other.head
    v0, v1, v2 = V[t, 0] - V[s, 0], V[t, 1] - V[s, 1], V[t, 2] - V[s, 2]
    w0, w1, w2 = a0 - V[s, 0], a1 - V[s, 1], a2 - V[s, 2]
    uu, vv = u0 * u0 + u1 * u1 + u2 * u2, v0 * v0 + v1 * v1 + v2 * v2
    uv = u0 * v0 + u1 * v1 + u2 * v2
    uw, vw = u0 * w0 + u1 * w1 + u2 * w2, v0 * w0 + v1 * w1 + v2 * w2
    det = uu * vv - uv * uv
    if not det > 0.0:
        return 0
    i, j = (uv * vw - vv * uw) / det, (uu * vw - uv * uw) / det
    if not (0.0 <= i <= 1.0 and 0.0 <= j <= 1.0):
        return 0
    c0, c1, c2 = w0 + i * u0 - j * v0, w1 + i * u1 - j * v1, w2 + i * u2 - j * v2
    f, g = scene.planes[other.left], scene.planes[other.right]
    out = c0 * (f.x + g.x) + c1 * (f.y + g.y) + c2 * (f.z + g.z)
    return 1 if out < 0.0 else 0
