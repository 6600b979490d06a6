"""Down the trees of two bodies, the first a mesh: the one walk that all queries share.

A query is two kernels. ``child(query, p, q)`` looks at a pair of nodes when the pair above it is
split, and gives it a key: infinity where it need not be walked. ``arrive(query, p, q, key)`` looks
at it when its turn has come, which is after all that lies below those before it, and answers
SETTLED, SPLIT or OVER. Depth first, and of two pairs the one with the lower key first; where the
keys do not tell (equal, or NaN), the second child.

=============  ===================================  ===============================================
query          ``child``                            ``arrive``
=============  ===================================  ===============================================
distance       leaves measured, volumes' bound       SPLIT while the bound is below the least so far
greedy         distance of the centres               bound above what is asked: onto the front
certificate    all alike                            free on both sides of the instant
visits         as a distance, tests counted          as a distance; or while the boxes overlap
=============  ===================================  ===============================================

They are in `mesh`, `papers.kernels.greedy`, `paths.kernels.mesh_walk` and `papers.kernels.visits`.
A distance needs both bounds to know where to go first. Greedy distance and certificate do without:
each pair that they can spare is a test that is not made, and the order of what they test is part of
the answer. What asks for one point (`inside_mesh`) goes down one tree, and a search for crossings
of a surface with itself meets each pair of its triangles once: they have walks of their own.
"""

from __future__ import annotations

import math

from standoff.compiled.jit import inlined, kernel, spliced
from standoff.geometry.narrowphase.bvh import load_triangle
from standoff.geometry.narrowphase.layout import (
    CAPSULE,
    CYLINDER,
    INT0,
    KIND,
    MESH,
    NODE0,
    POINT0,
    POINTS,
    POLYHEDRON,
    REF_COLUMNS,
    SIZE,
    SPHERE,
    is_general,
    is_round,
)
from standoff.geometry.narrowphase.rss import (
    CENTRE,
    DIAMETER,
    HALF_U,
    HALF_V,
    RADIUS,
    rss_bound,
)
from standoff.geometry.narrowphase.rss_fit import triangle_rss
from standoff.geometry.narrowphase.support import box_of_primitive, size_of
from standoff.geometry.narrowphase.triangle import CORNERS_B
from standoff.geometry.narrowphase.vectors import dot, in_axes, load, place, store
from standoff.tolerances import MESH_ROUNDING

#: Answers of ``arrive``: nothing below the pair matters; split it; end the walk.
SETTLED = 0
SPLIT = 1
OVER = 2


@spliced
def walk(pair, top, query, child, arrive):
    """Walk down from the ``top`` pairs that wait; whether a query said OVER."""
    i, j = pair.state.i, pair.state.j
    nodes_a, node_a = pair.a.solids.nodes, pair.a.refs[i, NODE0]
    nodes_b, node_b = pair.b.solids.nodes, pair.b.refs[j, NODE0]
    ints_a, int_a = pair.a.solids.ints, pair.a.refs[i, INT0]
    ints_b, int_b = pair.b.solids.ints, pair.b.refs[j, INT0]
    waiting, keys = pair.waiting, pair.keys
    over = False
    while top > 0 and not over:
        top -= 1
        p, q = waiting[top, 0], waiting[top, 1]
        answer = arrive(query, p, q, keys[top])
        over = answer == OVER
        if answer != SPLIT:
            continue
        split_a = q < 0 or (
            p >= 0 and nodes_a[node_a + p, DIAMETER] >= nodes_b[node_b + q, DIAMETER]
        )
        first = top
        for side in range(2):
            c, d = p, q
            if split_a:
                c = ints_a[int_a + 2 * p + side]
            else:
                d = ints_b[int_b + 2 * q + side]
            key = child(query, c, d)
            if key != math.inf:
                keys[top], waiting[top, 0], waiting[top, 1] = key, c, d
                top += 1
        if top == first + 2 and keys[first + 1] > keys[first]:
            last = first + 1
            keys[last], keys[first] = keys[first], keys[last]
            for k in range(2):
                waiting[last, k], waiting[first, k] = waiting[first, k], waiting[last, k]
    return over


@kernel
def push_roots(pair):
    """Let the roots of both trees wait, a convex b as its only leaf; returns how many pairs do."""
    pair.waiting[0, 0] = 0
    pair.waiting[0, 1] = 0 if pair.state.kind == MESH else ~0
    pair.keys[0] = -math.inf
    return 1


@kernel
def begin(pair, A, i, B, j):
    """Lay out mesh ``i`` and mesh or convex body ``j``."""
    pair.a, pair.b = A, B
    state = pair.state
    state.i, state.j, state.kind = i, j, B.refs[j, KIND]
    relative_pose(A.rows, i, B.rows, j, pair.pose)
    nodes, node = A.solids.nodes, A.refs[i, NODE0]
    if state.kind == MESH:
        theirs, there = B.solids.nodes, B.refs[j, NODE0]
    else:
        bounding_rss(B, j, pair.own, pair.box)
        place_convex(pair)
        theirs, there = pair.own, 1
    state.margin = rounding_margin(A.rows, i, nodes, node, B.rows, j, theirs, there)


@kernel
def relative_pose(A, i, B, j, pose):
    """The pose of row ``j`` of B in the frame of row ``i`` of A."""
    for r in range(3):
        a0, a1, a2 = A[i, r], A[i, 4 + r], A[i, 8 + r]
        for c in range(3):
            pose[3 * r + c] = dot(a0, a1, a2, B[j, c], B[j, 4 + c], B[j, 8 + c])
        d0, d1, d2 = B[j, 3] - A[i, 3], B[j, 7] - A[i, 7], B[j, 11] - A[i, 11]
        pose[9 + r] = dot(a0, a1, a2, d0, d1, d2)


@kernel
def rounding_margin(A, i, NA, p, B, j, NB, q):
    """What rounding may do to a distance of the two: some ulps of the largest coordinate."""
    reach = NA[p, DIAMETER] + NB[q, DIAMETER]
    for r in range(3):
        reach += abs(NA[p, CENTRE + r]) + abs(NB[q, CENTRE + r])
        reach += abs(A[i, 4 * r + 3]) + abs(B[j, 4 * r + 3])
    return MESH_ROUNDING * reach


@kernel
def bounding_rss(B, j, own, box):
    """Write the convex body's node into the second row of ``own``, and the box that holds it into
    ``box``: half extents, then centre; both in its own frame."""
    kind = B.refs[j, KIND]
    s0, s1, s2 = B.rows[j, SIZE], B.rows[j, SIZE + 1], B.rows[j, SIZE + 2]
    store(box, 0, s0, s1, s2)
    store(box, 3, 0.0, 0.0, 0.0)
    if kind == CYLINDER:
        store(box, 0, s0, s0, s1)
    elif kind == POLYHEDRON:
        points, first = B.solids.points, B.refs[j, POINT0]
        for k in range(3):
            low, high = math.inf, -math.inf
            for p in range(first, first + B.refs[j, POINTS]):
                low, high = min(low, points[p, k]), max(high, points[p, k])
            box[k], box[3 + k] = 0.5 * (high - low), 0.5 * (high + low)
    elif is_general(kind):
        box_of_primitive(kind, size_of(B.rows, j), box, 0)
    u, v, w = 2, 0, 1  # sphere, capsule and cylinder: the axis, swept by the radius
    h, g, r = 0.0, 0.0, s0
    if kind in (CAPSULE, CYLINDER):
        h = s1
    elif kind != SPHERE:
        # a box is swept by half its least extent over the rectangle of the other two
        w = 0
        for k in range(1, 3):
            w = k if box[k] < box[w] else w
        u, v = (w + 1) % 3, (w + 2) % 3
        h, g, r = box[u], box[v], box[w]
    for k in range(3):
        own[1, k] = own[1, 3 + k] = own[1, 6 + k] = 0.0
        own[1, CENTRE + k] = box[3 + k]
    own[1, u] = own[1, 3 + v] = own[1, 6 + w] = 1.0
    own[1, HALF_U], own[1, HALF_V], own[1, RADIUS] = h, g, r
    own[1, DIAMETER] = 2.0 * (math.hypot(h, g) + r)


@kernel
def place_convex(pair):
    """Make the one body of ``pair.convex`` b in a's frame."""
    convex, B, j, pose = pair.convex, pair.b, pair.state.j, pair.pose
    convex.solids = B.solids
    rows, refs = convex.rows, convex.refs
    for k in range(12):
        r, c = k // 4, k % 4
        rows[0, k] = pose[3 * r + c] if c < 3 else pose[9 + r]
    for k in range(4):
        rows[0, SIZE + k] = B.rows[j, SIZE + k]
    for k in range(REF_COLUMNS):
        refs[0, k] = B.refs[j, k]


@inlined
def load_leaves(pair, p, q):
    """The corners of triangle ``~p`` of a, and of triangle ``~q`` where b is a mesh."""
    A, B, i, j, w = pair.a, pair.b, pair.state.i, pair.state.j, pair.corners
    load_triangle(A.refs, i, A.solids.points, A.solids.faces, ~p, w)
    if pair.state.kind == MESH:
        load_triangle(B.refs, j, B.solids.points, B.solids.faces, ~q, w[CORNERS_B:])
        for k in range(CORNERS_B, CORNERS_B + 9, 3):
            store(w, k, *place(pair.pose, *load(w, k)))


@spliced
def volumes(pair, p, q):
    """The volumes of two nodes, each a table of nodes and a row of it: of a triangle its own
    rectangle, of the convex b its own node."""
    A, B, i, j, own, w = pair.a, pair.b, pair.state.i, pair.state.j, pair.own, pair.corners
    X, x, Y, y = A.solids.nodes, A.refs[i, NODE0] + p, B.solids.nodes, B.refs[j, NODE0] + q
    if p < 0:
        load_triangle(A.refs, i, A.solids.points, A.solids.faces, ~p, w)
        triangle_rss(w, own, 0)
        X, x = own, 0
    if q < 0:
        Y, y = own, 1
        if pair.state.kind == MESH:
            load_triangle(B.refs, j, B.solids.points, B.solids.faces, ~q, w)
            triangle_rss(w, own, 1)
    return X, x, Y, y


@kernel
def volume_bound(pair, p, q, settled, enough):
    """A lower bound on the distance of two volumes, see `rss_bound`; ``p`` and ``q`` are nodes, or
    one of them a triangle, which has its own rectangle for a volume, or the convex b. Beside the
    flat side of a convex body its box is sharper than its swept rectangle."""
    X, x, Y, y = volumes(pair, p, q)
    bound = -math.inf
    if q < 0 and pair.state.kind != MESH and not is_round(pair.state.kind):
        bound, _ = box_gap(X, x, pair.pose, pair.box)
        if bound > enough:
            return bound
    return max(bound, rss_bound(X, x, Y, y, pair.pose, settled, enough))


@inlined
def box_gap(X, x, pose, box):
    """Distance of the box around the convex body and the box around node ``x``, both along the
    convex body's axes, and the unit vector along it towards the node."""
    total, n0, n1, n2 = 0.0, 0.0, 0.0, 0.0
    c0, c1, c2 = X[x, CENTRE] - pose[9], X[x, CENTRE + 1] - pose[10], X[x, CENTRE + 2] - pose[11]
    for k in range(3):
        e0, e1, e2 = pose[k], pose[3 + k], pose[6 + k]
        u, v, _ = in_axes(X, x, e0, e1, e2)
        reach = X[x, HALF_U] * abs(u) + X[x, HALF_V] * abs(v) + X[x, RADIUS]
        centre = dot(e0, e1, e2, c0, c1, c2) - box[3 + k]
        gap = max(abs(centre) - reach - box[k], 0.0)
        total += gap * gap
        gap = math.copysign(gap, centre)
        n0, n1, n2 = n0 + gap * e0, n1 + gap * e1, n2 + gap * e2
    total = math.sqrt(total)
    if total > 0.0:
        n0, n1, n2 = n0 / total, n1 / total, n2 / total
    return total, (n0, n1, n2)
