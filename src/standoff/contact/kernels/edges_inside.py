"""Which edges of two convex pieces run inside the other: two overlap exactly when some edge does.

The octrees are gone through down to the leaves that meet. Where the surfaces of two pieces cross,
an edge of one goes through a face of the other; the point lies in a leaf of either tree, the leaf
names the edge, and the spheres of the two leaves meet. So the edges of leaves that meet hold every
edge that enters or leaves the other piece. An edge that is inside altogether meets no leaf of the
other's octree; but it is reached from its neighbours, since the edges of a convex polyhedron hang
together, and only where all of them are inside does a point test have to begin.

Most of these edges, and of the faces to test them against, lie outside the slab that two pieces
share along a unit vector n: above the lowest of p and below the highest of q. An edge of q with
both ends below the slab is outside p. So is a face of q no bound for p: q, cut off at the bottom of
the slab, has as faces the cut and those of its own that reach above it, and p is above the cut. The
same holds from the other side. The vertices of a convex polyhedron above a plane hang together by
edges above it: from each, some edge leads higher, up to the highest. So they are found from there.

What of an edge lies inside a convex body is one interval, cut out by the planes of the faces. An
edge with an end inside is inside, one with both ends beyond a face is not, and of the others few
are asked for: these are cut when they are.
"""

from __future__ import annotations

from standoff.compiled.jit import kernel
from standoff.contact.kernels.scene_tables import UNCUT
from standoff.contact.kernels.solids import contains, highest
from standoff.geometry.narrowphase.vectors import place, unplace, unturn


@kernel
def meeting_edges(scene, state, scratch, p, q):
    """Marks the edges of all leaves of pieces ``p`` and ``q`` that meet; returns how many they are.
    A tree that is a leaf itself names all edges, and these are not marked one by one: see
    `names_all`."""
    nodes, stack, rel = scene.nodes, scratch.stack, scratch.rel
    root_p, root_q = scene.pieces[p].root, scene.pieces[q].root
    stack[0, 0], stack[0, 1] = root_p, root_q
    size, found, tests, leaves = 1, 0, 0, 0
    while size > 0:
        size -= 1
        a, b = stack[size, 0], stack[size, 1]
        one, other = nodes[a], nodes[b]
        if one.children == 0 and other.children == 0:
            leaves += 1
            found += name_edges(scene, scratch, a, a == root_p)
            found += name_edges(scene, scratch, b, b == root_q)
        elif other.children == 0 or (one.children > 0 and one.radius >= other.radius):
            for c in range(one.child0, one.child0 + one.children):
                x, y, z = place(rel, nodes[c].x, nodes[c].y, nodes[c].z)
                tests += 1
                if spheres_meet(x, y, z, nodes[c].radius, other):
                    stack[size, 0], stack[size, 1] = c, b
                    size += 1
        else:
            x, y, z = place(rel, one.x, one.y, one.z)
            for c in range(other.child0, other.child0 + other.children):
                tests += 1
                if spheres_meet(x, y, z, one.radius, nodes[c]):
                    stack[size, 0], stack[size, 1] = a, c
                    size += 1
    state.cost.node_tests += tests
    state.cost.leaf_pairs += leaves
    return found


@kernel
def spheres_meet(x, y, z, r, node):
    """Whether the sphere of radius ``r`` about (x, y, z) meets that of a node."""
    u, v, w, s = x - node.x, y - node.y, z - node.z, r + node.radius
    return u * u + v * v + w * w <= s * s


@kernel
def name_edges(scene, scratch, node, is_root):
    """Marks the edges of a leaf; returns how many neither it nor another leaf did before."""
    epoch, marks, items = scratch.pair.epoch, scratch.edges, scene.items
    if scratch.nodes_seen[node] == epoch:
        return 0
    scratch.nodes_seen[node] = epoch
    named = scene.nodes[node].edges
    if is_root:
        return named.count
    found = 0
    for k in range(named.first, named.first + named.count):
        e = items[k]
        if marks[e].named != epoch:
            marks[e].named = epoch
            found += 1
    return found


@kernel
def names_all(scene, scratch, p):
    """Whether the tree of piece ``p`` is a leaf that met another one in this epoch."""
    root = scene.pieces[p].root
    return scene.nodes[root].children == 0 and scratch.nodes_seen[root] == scratch.pair.epoch


@kernel
def wholly_inside(scene, scratch, p, q):
    """For pieces whose surfaces do not cross: whether one is inside the other, by one vertex; then
    the edges of this vertex are in QUEUE, and their number is returned."""
    V, rel, slack = scene.vertices, scratch.rel, scratch.pair.slack
    a, b = scene.pieces[p].vertex0, scene.pieces[q].vertex0
    x, y, z = place(rel, V[a, 0], V[a, 1], V[a, 2])
    if contains(scene, q, x, y, z, slack):
        return reach_from(scene, scratch, a, 0)
    x, y, z = unplace(rel, V[b, 0], V[b, 1], V[b, 2])
    if contains(scene, p, x, y, z, slack):
        return reach_from(scene, scratch, b, 0)
    return 0


@kernel
def edges_inside(scene, state, scratch, n0, n1, n2):
    """Marks the edges that were named, and those reached from them, that are inside the other
    piece, or may be, with the part that is, or UNCUT; also their ends that are inside. Returns how
    many edges are marked: 0 only where none is inside. ``n`` is any unit vector, in the frame of q:
    only the slab along it that both pieces share is looked at."""
    E, marks, vertices, queue = scene.edges, scratch.edges, scratch.vertices, scratch.queue
    epoch, p = scratch.pair.epoch, scene.pieces[scratch.pair.p]
    count = queue_slabs(scene, scratch, n0, n1, n2)
    found, k = 0, 0
    while k < count:
        e = queue[k]
        k += 1
        of_p = p.edge0 <= e < p.edge0 + p.edges
        tail, head = E[e].tail, E[e].head
        count = place_end(scene, scratch, tail, head, of_p, count)
        count = place_end(scene, scratch, head, tail, of_p, count)
        if vertices[tail].inside == epoch or vertices[head].inside == epoch:
            marks[e].start = 0.0 if vertices[tail].inside == epoch else UNCUT
            marks[e].end = 1.0 if vertices[head].inside == epoch else UNCUT
        elif both_out(scene, scratch, tail, head, of_p):
            continue
        else:
            marks[e].start = marks[e].end = UNCUT
            # That the pieces overlap has to be known, but not by how many edges.
            if found == 0:
                start, last = cut(scene, scratch, e, of_p)
                if start > last:
                    continue
        found += 1
        marks[e].inside = epoch
    state.cost.edge_checks += k
    return found


@kernel
def place_end(scene, scratch, v, other, of_p, count):
    """Marks vertex ``v`` of a piece as inside the other piece or outside of it, if it is not yet;
    the edges of one inside go to the end of QUEUE, which has ``count`` rows; returns how many it
    has then. ``other`` is a neighbour: the face that rules it out will often rule out ``v`` too."""
    vertices, epoch = scratch.vertices, scratch.pair.epoch
    if vertices[v].inside == epoch or vertices[v].outside == epoch:
        return count
    row = ruling(scene, scratch, v, of_p, vertices[other].ruled)
    if row < 0:
        return reach_from(scene, scratch, v, count)
    vertices[v].outside = epoch
    vertices[v].ruled = row
    return count


@kernel
def end_of(scene, scratch, v, of_p):
    """Vertex ``v`` of p (or of q, unless ``of_p``) in the frame of the other piece."""
    V = scene.vertices
    if of_p:
        return place(scratch.rel, V[v, 0], V[v, 1], V[v, 2])
    return unplace(scratch.rel, V[v, 0], V[v, 1], V[v, 2])


@kernel
def other_faces(pair, of_p):
    """The rows of NEAR that hold the faces of the other piece, from the first to before the last:
    of q for p, of p for q."""
    if of_p:
        return pair.near_p, pair.near_q
    return 0, pair.near_p


@kernel
def ruling(scene, scratch, v, of_p, guess):
    """The row of NEAR of a face of the other piece that vertex ``v`` is beyond, or -1 where it is
    inside. ``guess`` is tried first, and may be any number."""
    near, slack = scratch.near, scratch.pair.slack
    first, last = other_faces(scratch.pair, of_p)
    x, y, z = end_of(scene, scratch, v, of_p)
    if not first <= guess < last:
        guess = first
    # Faces that are neighbours stand near each other in NEAR.
    for n in range(guess, guess + last - first):
        k = n if n < last else n - last + first
        if height_over(near[k], x, y, z) > slack:
            return k
    return -1


@kernel
def height_over(face, x, y, z):
    """How far a point is above the plane of a face in NEAR."""
    return face.x * x + face.y * y + face.z * z - face.offset


@kernel
def both_out(scene, scratch, tail, head, of_p):
    """Whether two vertices, each of them beyond some face, are both beyond one of these two."""
    near, slack = scratch.near, scratch.pair.slack
    one, other = scratch.vertices[tail].ruled, scratch.vertices[head].ruled
    if one == other:
        return True
    x, y, z = end_of(scene, scratch, head, of_p)
    if height_over(near[one], x, y, z) > slack:
        return True
    x, y, z = end_of(scene, scratch, tail, of_p)
    return height_over(near[other], x, y, z) > slack


@kernel
def cut(scene, scratch, e, of_p):
    """What of edge ``e`` is behind the faces of the other piece in NEAR: first and last share of
    its length, the first above the last where nothing is. Kept for who asks again."""
    near, edge, mark, slack = scratch.near, scene.edges[e], scratch.edges[e], scratch.pair.slack
    if mark.start != UNCUT and mark.end != UNCUT:
        return mark.start, mark.end
    first, last = other_faces(scratch.pair, of_p)
    x, y, z = end_of(scene, scratch, edge.tail, of_p)
    u, v, w = end_of(scene, scratch, edge.head, of_p)
    start, end = 0.0, 1.0
    for k in range(first, last):
        a, b = height_over(near[k], x, y, z) - slack, height_over(near[k], u, v, w) - slack
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
    mark.start, mark.end = start, end
    return start, end


@kernel
def reach_from(scene, scratch, vertex, count):
    """A vertex that is inside: its edges to the end of QUEUE, where they were not there before."""
    epoch, queue, marks = scratch.pair.epoch, scratch.queue, scratch.edges
    if scratch.vertices[vertex].inside == epoch:
        return count
    scratch.vertices[vertex].inside = epoch
    spokes, edges = scene.spokes[vertex], scene.spoke_edges
    for k in range(spokes.first, spokes.first + spokes.count):
        e = edges[k]
        if marks[e].named != epoch:
            marks[e].named = epoch
            queue[count] = e
            count += 1
    return count


@kernel
def queue_slabs(scene, scratch, n0, n1, n2):
    """The edges in the slab along ``n`` (in the frame of q) that were named, or of a piece all of
    whose edges are, into QUEUE, returning how many they are, and the faces that reach into it into
    NEAR, first those of p."""
    cloud, rel, pair = scene.cloud, scratch.rel, scratch.pair
    slab, queue, marks = scratch.slab, scratch.queue, scratch.edges
    p, q, epoch = pair.p, pair.q, pair.epoch
    m = unturn(rel, -n0, -n1, -n2)
    m0, m1, m2 = m
    shift = rel[9] * n0 + rel[10] * n1 + rel[11] * n2
    low, top = highest(scene, p, m0, m1, m2), highest(scene, q, n0, n1, n2)
    # Heights along n of the frame of q; of p they are shift - m x.
    ceiling = cloud[top, 0] * n0 + cloud[top, 1] * n1 + cloud[top, 2] * n2
    floor = shift - (cloud[low, 0] * m0 + cloud[low, 1] * m1 + cloud[low, 2] * m2)
    pair.near_p = pair.near_q = 0
    if floor > ceiling + pair.slack:
        return 0
    level = shift - ceiling - pair.slack
    edges, near_p = climb(scene, scratch, p, low, m, level, 0, 0)
    n = n0, n1, n2
    edges, near_q = climb(scene, scratch, q, top, n, floor - pair.slack, edges, near_p)
    pair.near_p, pair.near_q = near_p, near_q
    all_p, all_q = names_all(scene, scratch, p), names_all(scene, scratch, q)
    first, end = scene.pieces[p].edge0, scene.pieces[p].edge0 + scene.pieces[p].edges
    count = 0
    for k in range(edges):
        e = slab[k]
        if marks[e].named == epoch or (all_p if first <= e < end else all_q):
            marks[e].named = epoch
            queue[count] = e
            count += 1
    return count


@kernel
def climb(scene, scratch, o, row, n, level, edges, faces):
    """The edges of piece ``o`` with an end not below ``level`` along ``n``, in the frame of its
    body, to the end of SLAB, and their faces to the end of NEAR, which have ``edges`` and ``faces``
    rows so far; returns how many they have then. ``row`` of the cloud is the highest vertex."""
    E, V, spokes, spoke_edges = scene.edges, scene.vertices, scene.spokes, scene.spoke_edges
    found, slab, epoch = scratch.climbed, scratch.slab, scratch.pair.epoch
    vertices, marks = scratch.vertices, scratch.edges
    found[0] = scene.pieces[o].vertex0 + scene.cloud_vertices[row]
    vertices[found[0]].high = epoch
    size, k = 1, 0
    while k < size:
        v = found[k]
        k += 1
        for s in range(spokes[v].first, spokes[v].first + spokes[v].count):
            e = spoke_edges[s]
            if marks[e].high == epoch:
                continue
            marks[e].high = epoch
            slab[edges] = e
            edges += 1
            faces = add_face(scene, scratch, E[e].left, faces)
            faces = add_face(scene, scratch, E[e].right, faces)
            u = E[e].tail + E[e].head - v
            height = V[u, 0] * n[0] + V[u, 1] * n[1] + V[u, 2] * n[2]
            if vertices[u].high != epoch and height >= level:
                vertices[u].high = epoch
                found[size] = u
                size += 1
    return edges, faces


@kernel
def add_face(scene, scratch, f, count):
    """A face to the end of NEAR, which has ``count`` rows, where it is not there yet; returns how
    many it has then."""
    if scratch.faces_high[f] == scratch.pair.epoch:
        return count
    scratch.faces_high[f] = scratch.pair.epoch
    plane, near = scene.planes[f], scratch.near[count]
    near.face = f
    near.x, near.y, near.z, near.offset = plane.x, plane.y, plane.z, plane.offset
    return count + 1
