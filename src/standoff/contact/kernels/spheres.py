"""Spheres: level 0 of an octree, with tests of their own against vertices, edges and faces."""

from __future__ import annotations

import math

from standoff.compiled.jit import kernel
from standoff.contact.kernels.contacts import append, find_old, were_there
from standoff.contact.kernels.edges_inside import spheres_meet
from standoff.contact.kernels.first_touch import (
    first_touch,
    is_fast,
    motion_bound,
    place_between,
    set_normal,
)
from standoff.contact.kernels.scene_tables import BALL, EDGE, FACE, VERTEX
from standoff.contact.kernels.solids import (
    alone,
    ball_centre,
    contains,
    gap_along,
    hidden,
    to_world,
)
from standoff.contact.kernels.vertex_face import above_inside, still_there
from standoff.geometry.narrowphase.rows import rotate, unrotate
from standoff.tolerances import CONTACT_CONE, CONTACT_OUTGROWN

#: How near to the centre of a sphere a vertex or an edge is in it, relative to the radius, [-]:
#: nearer, the direction from one to the other is rounding, and that of the faces around is taken.
CONTACT_CENTRED = 1e-9


@kernel
def ball_on_ball(scene, state, scratch):
    """The contact of two balls, if any: along the line of their centres, or the way they came where
    the one is past the other's centre; upwards (z), where these are one point and nothing tells.
    Returns whether they overlap."""
    pair = scratch.pair
    p, q = pair.p, pair.q
    one, other = scene.pieces[p], scene.pieces[q]
    a0, a1, a2 = ball_centre(scene, state.poses, p)
    b0, b1, b2 = ball_centre(scene, state.poses, q)
    x, y, z = a0 - b0, a1 - b1, a2 - b2
    distance = math.sqrt(x * x + y * y + z * z)
    depth = one.radius + other.radius - distance
    if depth <= 0.0:
        return False
    if distance > 0.0:
        x, y, z = x / distance, y / distance, z / distance
    else:
        x, y, z = 0.0, 0.0, 1.0
    d0, d1, d2 = way_they_came(scene, state, scratch, -1, x, y, z)
    along = x * d0 + y * d1 + z * d2
    if along < 0.0 or (distance == 0.0 and d0 * d0 + d1 * d1 + d2 * d2 > 0.0):
        x, y, z = d0, d1, d2
        depth = one.radius + other.radius - distance * along
    along = other.radius - 0.5 * depth
    at = b0 + along * x, b1 + along * y, b2 + along * z
    kept = 1 if pair.end_old > pair.first_old else 0
    append(state, (p, BALL, 0), (q, BALL, 0), kept, at, (x, y, z), depth)
    return True


@kernel
def way_they_came(scene, state, scratch, turning, nx, ny, nz):
    """The world normal, from q to p, of last step's contact of a ball, turned with the body
    ``turning`` if that is one; for a new pair that came fast, or was not apart along ``n``, the
    shortest way out, the normal at the first touch; 0 where ``n`` will do."""
    pair, normal = scratch.pair, scratch.apart.normal
    p, q = pair.p, pair.q
    if pair.end_old > pair.first_old:
        n = state.old[pair.first_old].normal
        x, y, z = n[0], n[1], n[2]
        if turning >= 0:
            x, y, z = unrotate(state.before, turning, x, y, z)
            x, y, z = rotate(state.poses, turning, x, y, z)
        return x, y, z
    i, j = scene.pieces[p].body, scene.pieces[q].body
    if state.step.continuous == 1 and were_there(state, i, j):
        place_between(scene, state, scratch, p, 0.0)
        place_between(scene, state, scratch, q, 0.0)
        way = motion_bound(scene, state, p, q)
        behind = gap_along(scene, scratch.placed.rows, p, q, nx, ny, nz) < 0.0
        if (
            (behind or is_fast(scene, p, q, way))
            and way > 0.0
            and first_touch(scene, state, scratch, way, pair.first_old)
        ):
            return normal[0], normal[1], normal[2]
    return 0.0, 0.0, 0.0


@kernel
def ball_on_piece(scene, state, scratch):
    """The contact of a ball and a polyhedron, if any: with the nearest vertex, edge or face. A
    centre inside leaves through the nearest face.

    But where it came from elsewhere, it goes back there: see `face_back`. Where another piece of
    the body goes on, there is no contact. Returns whether the two overlap."""
    pair = scratch.pair
    first = scene.pieces[pair.p].is_ball == 1
    ball, solid = (pair.p, pair.q) if first else (pair.q, pair.p)
    X, radius, body = state.poses, scene.pieces[ball].radius, scene.pieces[solid].body
    x, y, z = ball_centre(scene, X, ball)
    x, y, z = unrotate(X, body, x - X[body, 3], y - X[body, 7], z - X[body, 11])
    inside = contains(scene, solid, x, y, z, 0.0)
    if inside:
        kind, feature = FACE, nearest_face(scene, solid, (x, y, z), (0.0, 0.0, 0.0))
        if feature < 0:  # deep in a body, where all around it others go on
            return True
        n = scene.planes[feature]
        n0, n1, n2 = n.x, n.y, n.z
        distance = n0 * x + n1 * y + n2 * z - n.offset
    else:
        kind, feature, distance = nearest_outside(scene, state, scratch, solid, x, y, z, radius)
        if feature < 0 or distance >= radius:
            return False
        n = scratch.apart.normal
        n0, n1, n2 = n[0], n[1], n[2]
    face = face_back(scene, state, scratch, solid, inside, distance, (x, y, z), (n0, n1, n2))
    if face >= 0:
        n = scene.planes[face]
        kind, feature, distance = FACE, face, -(n.offset - n.x * x - n.y * y - n.z * z)
        n0, n1, n2 = n.x, n.y, n.z
    surface = x - distance * n0, y - distance * n1, z - distance * n2
    united = distance > 0.0 and not alone(scene, solid)
    if united and hidden(scene, solid, surface, (n0, n1, n2), 1.0):
        return True
    depth = radius - distance
    # Half way between the deepest point of the ball and the surface.
    back = distance + 0.5 * depth
    between = to_world(X, body, x - back * n0, y - back * n1, z - back * n2)
    n0, n1, n2 = rotate(X, body, n0, n1, n2)
    feature -= first_of_kind(scene.pieces[solid], kind)
    kind_a, a, kind_b, b, n = BALL, 0, kind, feature, (n0, n1, n2)
    if not first:
        kind_a, a, kind_b, b, n = kind, feature, BALL, 0, (-n0, -n1, -n2)
    kept = 1 if find_old(state, pair.first_old, pair.end_old, kind_a, a, kind_b, b) >= 0 else 0
    append(state, (pair.p, kind_a, a), (pair.q, kind_b, b), kept, between, n, depth)
    return True


@kernel
def first_of_kind(piece, kind):
    """The number of the first vertex, edge or face of a piece."""
    if kind == FACE:
        return piece.face0
    return piece.edge0 if kind == EDGE else piece.vertex0


@kernel
def nearest_face(scene, s, at, d):
    """The face of piece ``s`` nearest to a point, of those behind which no other piece of the body
    goes on: along ``d``, of those that look that way, or, where that is 0, the shortest way from
    inside; or -1."""
    best, face, united = math.inf, -1, not alone(scene, s)
    first, (x, y, z) = scene.pieces[s].face0, at
    anyhow = d[0] == 0.0 and d[1] == 0.0 and d[2] == 0.0
    for f in range(first, first + scene.pieces[s].faces):
        n = scene.planes[f]
        a, b, c = n.x, n.y, n.z
        (u, v, w), along = (a, b, c) if anyhow else d, 1.0
        if not anyhow:
            along = a * u + b * v + c * w
            if along <= CONTACT_CONE:
                continue
        way = (n.offset - a * x - b * y - c * z) / along
        if way < best:
            out = x + way * u, y + way * v, z + way * w
            if united and hidden(scene, s, out, (a, b, c), 1.0):
                continue
            best, face = way, f
    return face


@kernel
def face_back(scene, state, scratch, solid, inside, distance, centre, n):
    """The face through which the ball about ``centre`` leaves piece ``solid`` the way it came: the
    face of the last step, as long as the point is behind it and above its inside; else that along
    the way it came, where the centre is ``inside`` or out again at the back. It must not have
    outgrown it, as `outgrown` of `piece_pair` has it: ``n`` is the shortest way out, whose feature
    is at ``distance``. Or -1."""
    pair, body, planes = scratch.pair, scene.pieces[solid].body, scene.planes
    first = scene.pieces[pair.p].is_ball == 1
    radius, sign = scene.pieces[pair.p if first else pair.q].radius, 1.0 if first else -1.0
    (x, y, z), (n0, n1, n2) = centre, n
    u, v, w = rotate(state.poses, body, sign * n0, sign * n1, sign * n2)
    d0, d1, d2 = way_they_came(scene, state, scratch, body, u, v, w)
    if d0 == 0.0 and d1 == 0.0 and d2 == 0.0:
        return -1
    d0, d1, d2 = unrotate(state.poses, body, sign * d0, sign * d1, sign * d2)
    face = old_face(scene, state, scratch, solid, x, y, z)
    if face < 0:
        # At right angles to the way it came, a ball that was there before has rolled on, and one
        # that is new was fast.
        lean = CONTACT_CONE if pair.end_old == pair.first_old else -CONTACT_CONE
        if inside or n0 * d0 + n1 * d1 + n2 * d2 < lean:
            face = nearest_face(scene, solid, centre, (d0, d1, d2))
    if face < 0:
        return -1
    plane = planes[face]
    if plane.x * n0 + plane.y * n1 + plane.z * n2 <= -0.5:
        return face
    behind = plane.offset - plane.x * x - plane.y * y - plane.z * z
    return -1 if grown(state, pair, radius + behind, radius - distance) else face


@kernel
def old_face(scene, state, scratch, solid, x, y, z):
    """The face of piece ``solid`` that the ball was on at the last step, if its centre is behind it
    and above its inside; or -1."""
    pair, face0 = scratch.pair, scene.pieces[solid].face0
    for k in range(pair.first_old, pair.end_old):
        old = state.old[k]
        kind, feature = old.kind_a, old.feature_a
        if solid == pair.q:
            kind, feature = old.kind_b, old.feature_b
        if kind == FACE:
            f = face0 + feature
            n = scene.planes[f]
            if still_there(scene, f, x, y, z, n.x, n.y, n.z):
                return f
    return -1


@kernel
def grown(state, pair, depth, shortest):
    """Whether the depth of a ball's contact has doubled since the last step, in powers of two, to
    more than CONTACT_OUTGROWN times the shortest way out."""
    if pair.end_old == pair.first_old or depth <= CONTACT_OUTGROWN * shortest:
        return False
    return math.frexp(depth)[1] > math.frexp(state.old[pair.first_old].depth)[1]


@kernel
def outwards(scene, kind, item):
    """A unit vector that leads out of a piece from one of its vertices or edges: along the sum of
    the normals around, which has a part along one of them at least."""
    edges, planes, spokes = scene.edges, scene.planes, scene.spokes
    x, y, z = 0.0, 0.0, 0.0
    count = spokes[item].count if kind == VERTEX else 1
    for k in range(count):
        e = edges[scene.spoke_edges[spokes[item].first + k] if kind == VERTEX else item]
        n, m = planes[e.left], planes[e.right]
        x, y, z = x + n.x, y + n.y, z + n.z
        x, y, z = x + m.x, y + m.y, z + m.z
    length = math.sqrt(x * x + y * y + z * z)
    return x / length, y / length, z / length


@kernel
def nearest_outside(scene, state, scratch, s, x, y, z, radius):
    """The nearest feature of piece ``s`` to a point outside that may be within ``radius``, from
    the leaves of its octree that meet the ball: kind, number (-1: none) and distance; the direction
    from there to the point, in the frame of the piece, is the normal of APART."""
    nodes, stack, tests, checks = scene.nodes, scratch.stack, 0, 0
    kind, feature, best = VERTEX, -1, math.inf
    b0, b1, b2 = 0.0, 0.0, 0.0
    stack[0, 0] = scene.pieces[s].root
    size = 1
    while size > 0:
        size -= 1
        node = nodes[stack[size, 0]]
        tests += 1
        if not spheres_meet(x, y, z, radius, node):
            continue
        for c in range(node.child0, node.child0 + node.children):
            stack[size, 0] = c
            size += 1
        if node.children > 0:
            continue
        for which in range(3):
            listed = named(node, which)
            for k in range(listed.first, listed.first + listed.count):
                checks += 1
                item = scene.items[k]
                d0, d1, d2 = away_from(scene, which, item, x, y, z)
                square = d0 * d0 + d1 * d1 + d2 * d2
                # Of features as near, the one of the lowest kind and number: whichever leaf it is
                # found in first.
                if square < best or (
                    square == best and (which < kind or (which == kind and item < feature))
                ):
                    best = square
                    kind, feature = which, item
                    b0, b1, b2 = d0, d1, d2
    state.cost.node_tests += tests
    state.cost.sphere_checks += checks
    distance = math.sqrt(best)
    if feature >= 0:
        if kind == FACE:
            n = scene.planes[feature]
            b0, b1, b2 = n.x, n.y, n.z
        elif distance > CONTACT_CENTRED * radius:
            b0, b1, b2 = b0 / distance, b1 / distance, b2 / distance
        else:
            b0, b1, b2 = outwards(scene, kind, feature)
        set_normal(scratch, b0, b1, b2)
    return kind, feature, distance


@kernel
def named(node, kind):
    """The vertices, edges or faces that a node names, as a run of ITEMS."""
    if kind == VERTEX:
        return node.vertices
    return node.edges if kind == EDGE else node.faces


@kernel
def away_from(scene, kind, item, x, y, z):
    """From the nearest point of a vertex, of an edge between its ends, or of a face inside its
    edges, to the point given; infinite where the nearest point is none of these."""
    V = scene.vertices
    if kind == VERTEX:
        return x - V[item, 0], y - V[item, 1], z - V[item, 2]
    if kind == EDGE:
        t, h = scene.edges[item].tail, scene.edges[item].head
        u, v, w = V[h, 0] - V[t, 0], V[h, 1] - V[t, 1], V[h, 2] - V[t, 2]
        d0, d1, d2 = x - V[t, 0], y - V[t, 1], z - V[t, 2]
        share = (u * d0 + v * d1 + w * d2) / (u * u + v * v + w * w)
        if share <= 0.0 or share >= 1.0:
            return math.inf, math.inf, math.inf
        return d0 - share * u, d1 - share * v, d2 - share * w
    n = scene.planes[item]
    height = n.x * x + n.y * y + n.z * z - n.offset
    if height < 0.0 or not above_inside(scene, item, x, y, z):
        return math.inf, math.inf, math.inf
    return height * n.x, height * n.y, height * n.z
