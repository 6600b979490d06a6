"""Both stages as paper 003 has them (sections 2.2, 3.2 and 3.3), for comparison: every pair of
features that two meeting leaves name is tested, each once, without history and without forces.
"""

from __future__ import annotations

from standoff.compiled.jit import entry, kernel
from standoff.compiled.tables import ANY, Nested, Reals, Record, Tables, Wholes, fields, viewer
from standoff.geometry.narrowphase.vectors import place

#: Node tests, pairs of leaves, checks of VF and of EE, those that hold.
COUNTS = fields(
    node_tests=int, leaf_pairs=int, vf_checks=int, ee_checks=int, vf_hits=int, ee_hits=int
)


class Lists(Tables):
    """List ``k`` is ``items[starts[k]:starts[k + 1]]``."""

    starts = Wholes()
    items = Wholes()


class Piece(Tables):
    """A polyhedron and its octree, as `contact.Features` and `contact.Octree` have them."""

    vertices = Reals(3)
    edges = Wholes(4, "tail, head, left face, right face")
    planes = Reals(4, "outward normal and offset of each face")
    loops = Nested(Lists, "corners of each face")
    spheres = Reals(4, "centre and radius of each node")
    first = Wholes(doc="the first child of each node")
    count = Wholes(doc="how many children it has")
    on_vertices = Nested(Lists, "vertices that each node's sphere touches")
    on_edges = Nested(Lists, "edges that it touches")
    on_faces = Nested(Lists, "faces that it touches")


class Steps(Tables):
    """Two pieces, ``a`` with a pose in the frame of ``b``, and which pairs of features were tested
    in which step, from 1 on."""

    a = Nested(Piece)
    b = Nested(Piece)
    vf = Wholes(ANY, "a vertex of a with a face of b")
    fv = Wholes(ANY, "a vertex of b with a face of a")
    ee = Wholes(ANY, "an edge of a with one of b")
    stack = Wholes(2, "nodes that wait: of b, of a")
    counts = Record(COUNTS)


steps_at = viewer(Steps)


@entry("void(int64, float64[:,::1], float64[:,::1])")
def printed_steps(tables, rels, backs):
    """One step for each pose ``rels`` of a, with ``backs`` the inverses."""
    steps = steps_at(tables)
    for k in range(rels.shape[0]):
        printed_step(steps, rels[k], backs[k], k + 1)


@kernel
def spheres_meet(x, y, z, r, S, k):
    """Whether the sphere of radius ``r`` about (x, y, z) meets the one of node ``k``."""
    u, v, w, s = x - S[k, 0], y - S[k, 1], z - S[k, 2], r + S[k, 3]
    return u * u + v * v + w * w <= s * s


@kernel
def printed_step(steps, rel, back, epoch):
    """The root of a's tree against the nodes of b's; then each leaf that meets it against all nodes
    of a's."""
    S, B, stack = steps.a.spheres, steps.b, steps.stack
    x, y, z = place(rel, S[0, 0], S[0, 1], S[0, 2])
    stack[0, 0] = 0
    size = 1
    while size > 0:
        size -= 1
        b = stack[size, 0]
        steps.counts.node_tests += 1
        if not spheres_meet(x, y, z, S[0, 3], B.spheres, b):
            continue
        if B.count[b] == 0:
            leaf_on_tree(steps, b, rel, back, epoch)
        for c in range(B.first[b], B.first[b] + B.count[b]):
            stack[size, 0] = c
            size += 1


@kernel
def leaf_on_tree(steps, b, rel, back, epoch):
    """A leaf of b against all nodes of a, and the features of the leaves that meet."""
    S, A, B, counts, stack = steps.b.spheres, steps.a, steps.b, steps.counts, steps.stack
    x, y, z = place(back, S[b, 0], S[b, 1], S[b, 2])
    stack[0, 1] = 0
    size = 1
    while size > 0:
        size -= 1
        a = stack[size, 1]
        counts.node_tests += 1
        if not spheres_meet(x, y, z, S[b, 3], A.spheres, a):
            continue
        if A.count[a] == 0:
            counts.leaf_pairs += 1
            check_vertices(counts, A, a, B, b, rel, steps.vf, epoch)
            check_vertices(counts, B, b, A, a, back, steps.fv, epoch)
            check_edges(steps, a, b, rel, epoch)
        for c in range(A.first[a], A.first[a] + A.count[a]):
            stack[size, 1] = c
            size += 1


# Tables are looked up once, outside of the loops: within, they would be after every mark.


@kernel
def check_vertices(counts, A, a, B, b, pose, marks, epoch):
    """The vertices of a leaf with the faces of another, those that were not tested before in this
    step; ``pose`` of the first piece in the second."""
    V, vertices, faces, checks, hits = A.vertices, A.on_vertices.items, B.on_faces.items, 0, 0
    N, W, starts, corners = B.planes, B.vertices, B.loops.starts, B.loops.items
    first, last = B.on_faces.starts[b], B.on_faces.starts[b + 1]
    for i in range(A.on_vertices.starts[a], A.on_vertices.starts[a + 1]):
        v = vertices[i]
        x, y, z = place(pose, V[v, 0], V[v, 1], V[v, 2])
        for j in range(first, last):
            f = faces[j]
            if marks[v, f] != epoch:
                marks[v, f] = epoch
                checks += 1
                hits += behind_face(N, W, starts, corners, f, x, y, z)
    counts.vf_checks += checks
    counts.vf_hits += hits


@kernel
def check_edges(steps, a, b, rel, epoch):
    """The edges of two leaves, those that were not tested before in this step."""
    A, B, marks, checks, hits = steps.a, steps.b, steps.ee, 0, 0
    E, V, F, W, N = A.edges, A.vertices, B.edges, B.vertices, B.planes
    edges, others = A.on_edges.items, B.on_edges.items
    first, last = B.on_edges.starts[b], B.on_edges.starts[b + 1]
    for i in range(A.on_edges.starts[a], A.on_edges.starts[a + 1]):
        d = edges[i]
        for j in range(first, last):
            e = others[j]
            if marks[d, e] != epoch:
                marks[d, e] = epoch
                checks += 1
                hits += edges_cross(E, V, d, F, W, e, N, rel)
    steps.counts.ee_checks += checks
    steps.counts.ee_hits += hits


@kernel
def behind_face(N, V, starts, corners, f, x, y, z):
    """1 where a point is behind the plane of face ``f`` and within the planes through its sides
    along its normal (the paper's coboundary)."""
    n0, n1, n2 = N[f, 0], N[f, 1], N[f, 2]
    if n0 * x + n1 * y + n2 * z > N[f, 3]:
        return 0
    first, count = starts[f], starts[f + 1] - starts[f]
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
def edges_cross(E, U, d, F, V, e, N, rel):
    """1 where the common perpendicular of two edges, ``d`` of a and ``e`` of b, meets both between
    their ends, and the edge of a is on the inner side of that of b."""
    p, q = E[d, 0], E[d, 1]
    a0, a1, a2 = place(rel, U[p, 0], U[p, 1], U[p, 2])
    h0, h1, h2 = place(rel, U[q, 0], U[q, 1], U[q, 2])
    u0, u1, u2 = h0 - a0, h1 - a1, h2 - a2
    s, t = F[e, 0], F[e, 1]
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
    f, g = F[e, 2], F[e, 3]
    out = c0 * (N[f, 0] + N[g, 0]) + c1 * (N[f, 1] + N[g, 1]) + c2 * (N[f, 2] + N[g, 2])
    return 1 if out < 0.0 else 0
