"""Both stages as paper 003 has them (sections 2.2, 3.2 and 3.3), for comparison: every pair of
features that two meeting leaves name is tested, each once, without history and without forces.
"""

from __future__ import annotations

from standoff.compiled.jit import entry, kernel
from standoff.compiled.tables import ANY, Nested, Record, Tables, Wholes, fields, viewer
from standoff.contact.kernels.scene_tables import SceneTables
from standoff.geometry.narrowphase.vectors import place

#: Node tests, pairs of leaves, checks of VF and of EE, those that hold.
COUNTS = fields(
    node_tests=int, leaf_pairs=int, vf_checks=int, ee_checks=int, vf_hits=int, ee_hits=int
)


class Steps(Tables):
    """Two bodies of one piece each, the second with a pose in the frame of the first, and in which
    step, from 1 on, which features of both were tested with each other."""

    world = Nested(SceneTables)
    faces = Wholes(ANY, "a vertex of one with a face of the other")
    edges = Wholes(ANY, "an edge of one with one of the other")
    stack = Wholes(2, "nodes that wait: of the first, of the second")
    counts = Record(COUNTS)


steps_at = viewer(Steps)


@entry("void(int64, float64[:,::1], float64[:,::1])")
def printed_steps(tables, rels, backs):
    """One step for each pose ``rels`` of the second, with ``backs`` the inverses."""
    steps = steps_at(tables)
    for k in range(rels.shape[0]):
        printed_step(steps, rels[k], backs[k], k + 1)


@kernel
def spheres_meet(x, y, z, r, node):
    """Whether the sphere of radius ``r`` about (x, y, z) meets that of a node."""
    u, v, w, s = x - node.x, y - node.y, z - node.z, r + node.radius
    return u * u + v * v + w * w <= s * s


@kernel
def printed_step(steps, rel, back, epoch):
    """The root of the second's tree against the nodes of the first's; then each leaf that meets it
    against all nodes of the second's."""
    nodes, pieces, stack = steps.world.nodes, steps.world.pieces, steps.stack
    root = nodes[pieces[1].root]
    x, y, z = place(rel, root.x, root.y, root.z)
    stack[0, 0] = pieces[0].root
    size = 1
    while size > 0:
        size -= 1
        b = stack[size, 0]
        steps.counts.node_tests += 1
        if not spheres_meet(x, y, z, root.radius, nodes[b]):
            continue
        if nodes[b].children == 0:
            leaf_on_tree(steps, b, rel, back, epoch)
        for c in range(nodes[b].child0, nodes[b].child0 + nodes[b].children):
            stack[size, 0] = c
            size += 1


@kernel
def leaf_on_tree(steps, b, rel, back, epoch):
    """A leaf of the first against all nodes of the second, and the features of leaves that meet."""
    nodes, counts, stack = steps.world.nodes, steps.counts, steps.stack
    leaf = nodes[b]
    x, y, z = place(back, leaf.x, leaf.y, leaf.z)
    stack[0, 1] = steps.world.pieces[1].root
    size = 1
    while size > 0:
        size -= 1
        a = stack[size, 1]
        counts.node_tests += 1
        if not spheres_meet(x, y, z, leaf.radius, nodes[a]):
            continue
        if nodes[a].children == 0:
            counts.leaf_pairs += 1
            check_vertices(steps, nodes[a], leaf, rel, epoch)
            check_vertices(steps, leaf, nodes[a], back, epoch)
            check_edges(steps, nodes[a], leaf, rel, epoch)
        for c in range(nodes[a].child0, nodes[a].child0 + nodes[a].children):
            stack[size, 1] = c
            size += 1


# Tables are looked up once, outside of the loops: within, they would be after every mark.


@kernel
def check_vertices(steps, one, other, pose, epoch):
    """The vertices of a leaf with the faces of another, those that were not tested before in this
    step; ``pose`` of the first leaf's piece in the second's."""
    V, items, marks = steps.world.vertices, steps.world.items, steps.faces
    planes, rings, corners = steps.world.planes, steps.world.rings, steps.world.ring_vertices
    checks = hits = 0
    first, last = other.faces.first, other.faces.first + other.faces.count
    for i in range(one.vertices.first, one.vertices.first + one.vertices.count):
        v = items[i]
        x, y, z = place(pose, V[v, 0], V[v, 1], V[v, 2])
        for j in range(first, last):
            f = items[j]
            if marks[v, f] != epoch:
                marks[v, f] = epoch
                checks += 1
                hits += behind_face(planes[f], V, corners, rings[f], x, y, z)
    steps.counts.vf_checks += checks
    steps.counts.vf_hits += hits


@kernel
def check_edges(steps, one, other, rel, epoch):
    """The edges of two leaves, those that were not tested before in this step."""
    V, items, marks = steps.world.vertices, steps.world.items, steps.edges
    edges, planes = steps.world.edges, steps.world.planes
    checks = hits = 0
    first, last = other.edges.first, other.edges.first + other.edges.count
    for i in range(one.edges.first, one.edges.first + one.edges.count):
        d = items[i]
        for j in range(first, last):
            e = items[j]
            if marks[d, e] != epoch:
                marks[d, e] = epoch
                checks += 1
                hits += edges_cross(V, edges[d], edges[e], planes, rel)
    steps.counts.ee_checks += checks
    steps.counts.ee_hits += hits


@kernel
def behind_face(plane, V, corners, ring, x, y, z):
    """1 where a point is behind the plane of a face and within the planes through its sides along
    its normal (the paper's coboundary)."""
    n0, n1, n2 = plane.x, plane.y, plane.z
    if n0 * x + n1 * y + n2 * z > plane.offset:
        return 0
    first, count = ring.first, ring.count
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
def edges_cross(V, d, e, planes, rel):
    """1 where the common perpendicular of two edges, ``d`` of the second piece and ``e`` of the
    first, meets both between their ends, and ``d`` is on the inner side of ``e``."""
    p, q = d.tail, d.head
    a0, a1, a2 = place(rel, V[p, 0], V[p, 1], V[p, 2])
    h0, h1, h2 = place(rel, V[q, 0], V[q, 1], V[q, 2])
    u0, u1, u2 = h0 - a0, h1 - a1, h2 - a2
    s, t = e.tail, e.head
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
    f, g = planes[e.left], planes[e.right]
    out = c0 * (f.x + g.x) + c1 * (f.y + g.y) + c2 * (f.z + g.z)
    return 1 if out < 0.0 else 0
