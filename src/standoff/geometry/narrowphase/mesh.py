"""A triangle mesh against a mesh or a convex body.

The surfaces' exact distance, > 0, where they are apart and neither body is inside the other. 0.0
where they touch or cross, or come nearer than rounding can tell; both witnesses then stand at one
common point, and the normal is that of the triangles or convex bodies that meet there. Minus the
gap between the surfaces where they are apart but one body (or a connected part of a mesh) is
inside the other: a lower bound on how far they would have to move to come free. The witnesses are
then the surfaces' nearest points and the normal is the way for a to leave b over them; ``pa - pb =
value n`` holds throughout.

A closed mesh is a solid, and so is an open one where its winding number is at least a half; one
point of each connected part is asked for that. A sheet has nothing inside, but a mesh inside a
convex body overlaps it, whatever it is.
"""

from __future__ import annotations

import math

from standoff.compiled.jit import kernel
from standoff.geometry.narrowphase.bvh import node_count
from standoff.geometry.narrowphase.bvh_walk import (
    OVER,
    SETTLED,
    SPLIT,
    begin,
    load_leaves,
    push_roots,
    volume_bound,
    walk,
)
from standoff.geometry.narrowphase.convex import convex_pair_within
from standoff.geometry.narrowphase.layout import (
    CAPSULE,
    DISTANCE,
    FACE0,
    FACES,
    FLAGS,
    INT0,
    KIND,
    MESH,
    NORMAL,
    POINT0,
    POINT_A,
    POINT_B,
    POINTS,
    POLYHEDRON,
    SIZE,
    SLACK,
    is_general,
    is_round,
)
from standoff.geometry.narrowphase.mesh_inside import convex_depth, inside_mesh
from standoff.geometry.narrowphase.triangle import (
    CORNERS_B,
    NEAR_A,
    NEAR_B,
    NORMAL_A,
    face_normal,
    triangle_triangle,
)
from standoff.geometry.narrowphase.vectors import (
    dot,
    load,
    minus,
    place,
    plus,
    point,
    store,
    turn,
    unplace,
)

#: Alternating projections that look for a point which a triangle and a convex body share.
_COMMON_STEPS = 64


@kernel
def mesh_pair(A, i, B, j, scratch, out, k):
    """Signed distance of mesh ``i`` and mesh or convex body ``j`` into row ``k``, as above."""
    pair = scratch.mesh
    begin(pair, A, i, B, j)
    mesh_distance(scratch)
    state, near = pair.state, pair.near
    value, meshes = state.best, state.kind == MESH
    apart = value > state.margin
    if meshes:
        value = surface_normal(pair, value)
    if apart and nested(pair):
        value = -value
        for r in range(6, 9):
            near[r] = -near[r]
    elif not (apart or meshes):
        value = -depth_inside(scratch)
        if value == 0.0:
            store(near, 3, *load(near, 0))
    out[k, DISTANCE] = value
    out[k, SLACK] = state.margin + state.slack
    write_nearest(A.rows, i, near, out, k)


@kernel
def write_nearest(A, i, near, out, k):
    """The points and the normal in ``near``, turned from a's frame into the world's."""
    for r in range(9):
        v0, v1, v2 = load(near, r - r % 3)
        row = 4 * (r % 3)
        moved = dot(A[i, row], A[i, row + 1], A[i, row + 2], v0, v1, v2)
        out[k, POINT_A + r] = moved if r >= 6 else moved + A[i, row + 3]


@kernel
def mesh_distance(scratch):
    """Distance of the surface of a and that of b, 0.0 where they meet, or the signed one of the
    surface and the solid convex body, not above 0 where they share a point: into the pair's
    ``state.best``, with the nearest points, for a convex body the normal, and the triangles.

    A pair is dropped only when its lower bound, less the rounding margin, is no better than the
    distance of two points already found. Of two meshes the first of two walks looks for a contact
    alone, among pairs that overlap: where there is one, it is found long before all that is merely
    near has been gone through.
    """
    pair = scratch.mesh
    state = pair.state
    state.best, state.slack = math.inf, 0.0
    pair.answer[0, SLACK] = 0.0
    meshes = state.kind == MESH
    for attempt in range(2 if meshes else 1):
        state.reach = state.margin if meshes and attempt == 0 else state.best
        if walk(pair, push_roots(pair), scratch, _measure, _below_best):
            break
    if state.best <= 0.0 and not meshes and not is_round(state.kind):
        _common_point(scratch)


@kernel
def _measure(scratch, p, q):
    """The key of a pair of volumes is its bound; leaves are measured at once."""
    state = scratch.mesh.state
    if p < 0 and q < 0:
        if state.best > 0.0:
            _leaves(scratch, p, q)
        return math.inf
    bound = volume_bound(scratch.mesh, p, q, state.reach, state.reach + state.margin)
    return bound if bound - state.margin < state.reach else math.inf


@kernel
def _below_best(scratch, p, q, bound):
    state = scratch.mesh.state
    if state.best <= 0.0:
        return OVER
    return SPLIT if bound - state.margin < state.reach else SETTLED


@kernel
def _leaves(scratch, p, q):
    """Take two triangles, or one and the convex body, into account. Of a convex body the slack
    grows by any answer's: one that lost may have lost by its own slack."""
    pair = scratch.mesh
    state, w, near, out = pair.state, pair.corners, pair.near, pair.answer
    best = state.best
    load_leaves(pair, p, q)
    if state.kind == MESH:
        squared = triangle_triangle(w, 3, 3, best * best)
        if not squared < best * best:
            return
        state.best = math.sqrt(squared)
        for r in range(6):
            near[r] = w[NEAR_A + r]
    else:
        if is_round(state.kind):
            triangle_round(pair, best)
        else:
            convex_pair_within(pair.triangle, 0, pair.convex, 0, best, scratch, out, 0)
        state.slack = max(state.slack, out[0, SLACK])
        if not out[0, DISTANCE] < best:
            return
        state.best = out[0, DISTANCE]
        for r in range(9):
            near[r] = out[0, POINT_A + r]
    state.triangle_a, state.triangle_b = ~p, ~q
    state.reach = min(state.reach, state.best)


@kernel
def _common_point(scratch):
    """Where the surface and the convex body overlap, both witnesses go to one point that the
    triangle and the body share: projecting to and fro finds it, and most often the first witness
    is one already."""
    pair = scratch.mesh
    w, near, out = pair.corners, pair.near, pair.answer
    for _ in range(_COMMON_STEPS):
        convex_pair_within(pair.point, 0, pair.convex, 0, math.inf, scratch, out, 0)
        if out[0, DISTANCE] <= 0.0:
            break
        store(w, CORNERS_B, *load(out[0], POINT_B))
        triangle_triangle(w, 3, 1, math.inf)
        store(near, 0, *load(w, NEAR_A))


@kernel
def triangle_round(pair, best):
    """The triangle in the first corners against a sphere or a capsule, which is a point or a
    segment grown by the radius, into the answer: all but the slack, or only a value that is not
    below ``best``."""
    rel, w, out, rows, j = pair.pose, pair.corners, pair.answer, pair.b.rows, pair.state.j
    radius, half = rows[j, SIZE], rows[j, SIZE + 1]
    count = 2 if pair.state.kind == CAPSULE else 1
    for k in range(count):
        end = half * (2 * k - 1) if count == 2 else 0.0
        store(w, CORNERS_B + 3 * k, *place(rel, 0.0, 0.0, end))
    reach = best + radius
    squared = triangle_triangle(w, 3, count, reach * reach)
    out[0, DISTANCE] = best
    if squared >= reach * reach:
        return
    distance = math.sqrt(squared)
    a0, a1, a2 = load(w, NEAR_A)
    b0, b1, b2 = load(w, NEAR_B)
    n0, n1, n2 = minus(a0, a1, a2, b0, b1, b2)
    length = distance
    if length == 0.0:  # the core meets the triangle: the triangle's normal, or any direction
        n0, n1, n2 = load(w, NORMAL_A)
        length = math.sqrt(dot(n0, n1, n2, n0, n1, n2))
    if length == 0.0:
        n2 = length = 1.0
    out[0, DISTANCE] = distance - radius
    for r in range(3):
        out[0, POINT_A + r] = w[NEAR_A + r]
        out[0, NORMAL + r] = (n0 if r == 0 else n1 if r == 1 else n2) / length
        out[0, POINT_B + r] = w[NEAR_B + r] + radius * out[0, NORMAL + r]


@kernel
def depth_inside(scratch):
    """Where all of the surface's vertices lie inside the convex body: the least depth of one, with
    the points and the normal; 0.0 where one does not, with the deepest one looked at."""
    pair = scratch.mesh
    A, i, near = pair.a, pair.state.i, pair.near
    points, before = A.solids.points, load(near, 0)
    least, deepest, normal, inside = math.inf, before, before, True
    for p in range(A.refs[i, POINT0], A.refs[i, POINT0] + A.refs[i, POINTS]):
        p0, p1, p2 = point(points, p)
        depth, n0, n1, n2 = _depth_of(scratch, p0, p1, p2)
        if depth <= 0.0:
            inside = False
            break
        if depth < least:
            least, deepest, normal = depth, (p0, p1, p2), (n0, n1, n2)
    store(near, 0, *deepest)
    if least < math.inf:
        store(near, 3, *plus(*deepest, least, *normal))
        store(near, 6, *normal)
    return least if inside else 0.0


@kernel
def _depth_of(scratch, p0, p1, p2):
    """How deep a point is in the convex body, and the way out; the point may end up in ``near``."""
    pair = scratch.mesh
    if is_general(pair.state.kind):
        out = pair.answer
        store(pair.near, 0, p0, p1, p2)
        convex_pair_within(pair.point, 0, pair.convex, 0, math.inf, scratch, out, 0)
        return -out[0, DISTANCE], *load(out[0], NORMAL)
    x0, x1, x2 = unplace(pair.pose, p0, p1, p2)
    depth, n0, n1, n2 = convex_depth(x0, x1, x2, pair.b, pair.state.j)
    n0, n1, n2 = turn(pair.pose, n0, n1, n2)
    return depth, n0, n1, n2


@kernel
def nested(pair):
    """Whether a connected part of one body is inside the other, whose surface it does not touch:
    one point of the part tells."""
    stack = pair.waiting.reshape(pair.waiting.size)
    meshes = pair.state.kind == MESH
    for turned in range(2 if meshes else 1):
        A, i, B, j = pair.a, pair.state.i, pair.b, pair.state.j
        if turned == 1:
            A, i, B, j = B, j, A, i
        if A.refs[i, FLAGS] == 0:
            continue
        points, point0, ints = B.solids.points, B.refs[j, POINT0], B.solids.ints
        first = B.refs[j, INT0] + 2 * node_count(B.refs[j, FACES])
        for part in range(ints[first] if meshes else 1):
            x0 = x1 = x2 = 0.0
            if meshes:
                x0, x1, x2 = point(points, point0 + ints[first + 1 + part])
            elif B.refs[j, KIND] == POLYHEDRON:
                x0, x1, x2 = point(points, point0)
            if turned == 0:
                x0, x1, x2 = place(pair.pose, x0, x1, x2)
            else:
                x0, x1, x2 = unplace(pair.pose, x0, x1, x2)
            if inside_mesh(x0, x1, x2, A, i, stack):
                return True
    return False


@kernel
def surface_normal(pair, value):
    """The normal at the nearest points of two meshes that are ``value`` apart; where they meet,
    both points become one. Returns the distance, 0.0 there."""
    near = pair.near
    if value > pair.state.margin:
        for r in range(3):
            near[6 + r] = (near[r] - near[3 + r]) / value
        return value
    _contact_normal(pair)
    store(near, 3, *load(near, 0))
    return 0.0


@kernel
def _contact_normal(pair):
    """At a contact: the normal of b's triangle, or of a's where b's has none, or z where neither
    has; towards the side on which most of a's triangle lies."""
    A, i, state = pair.a, pair.state.i, pair.state
    n0, n1, n2 = turn(pair.pose, *_normal(pair.b, state.j, state.triangle_b))
    if n0 == n1 == n2 == 0.0:
        n0, n1, n2 = _normal(A, i, state.triangle_a)
    length = math.sqrt(dot(n0, n1, n2, n0, n1, n2))
    if length == 0.0:
        n2 = length = 1.0
    most = 0.0
    for c in range(3):
        x0, x1, x2 = _corner(A, i, state.triangle_a, c)
        y0, y1, y2 = load(pair.near, 0)
        most += dot(n0, n1, n2, x0 - y0, x1 - y1, x2 - y2)
    length = math.copysign(length, most)
    store(pair.near, 6, n0 / length, n1 / length, n2 / length)


@kernel
def _corner(A, i, t, c):
    """Corner ``c`` of triangle ``t``, in the mesh's frame."""
    refs = A.refs
    return point(A.solids.points, refs[i, POINT0] + A.solids.faces[refs[i, FACE0] + t, c])


@kernel
def _normal(A, i, t):
    """The normal of triangle ``t``, in the mesh's frame; see `face_normal`."""
    return face_normal(_corner(A, i, t, 0), _corner(A, i, t, 1), _corner(A, i, t, 2))
