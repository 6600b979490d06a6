"""Spheres: level 0 of an octree, with tests of their own against vertices, edges and faces."""

from __future__ import annotations

import math

import numpy as np

from standoff.compiled.jit import kernel
from standoff.contact.kernels.appending import append, were_there
from standoff.contact.kernels.between import TOUCHED, first_touch, is_fast, row_between, way_between
from standoff.contact.kernels.frames import to_world
from standoff.contact.kernels.inside import contains
from standoff.contact.kernels.layout import (
    BALL,
    BALL_CHECKS,
    BALLS,
    BEFORE,
    BODY,
    CONTINUOUS,
    COST,
    EARLIER,
    EDGE,
    EDGE0,
    EDGES,
    FACE,
    FACE0,
    FACE_COUNT,
    IS_BALL,
    ITEMS,
    NODE_TESTS,
    NODES,
    OLD,
    OUT,
    PIECES,
    PLANES,
    POSES,
    ROOT,
    SPHERES,
    SPOKE,
    SPOKES,
    STACK,
    STATE,
    VERTEX,
    VERTEX0,
    VERTICES,
)
from standoff.contact.kernels.parting import gap_along
from standoff.contact.kernels.siblings import alone, hidden
from standoff.contact.kernels.tables import real_rows, whole_rows
from standoff.contact.kernels.vertices import above, still_there
from standoff.contact.kernels.walk import spheres_meet
from standoff.geometry.narrowphase.rows import rotate, unrotate
from standoff.tolerances import CONTACT_CONE, CONTACT_OUTGROWN

#: How near to the centre of a sphere a vertex or an edge is in it, relative to the radius, [-]:
#: nearer, the direction from one to the other is rounding, and that of the faces around is taken.
CONTACT_CENTRED = 1e-9


@kernel
def ball_on_ball(address, F, W, p, q, first_old, end_old, work, iwork):
    """The contact of two balls, if any: along the line of their centres, or the way they came where
    the one is past the other's centre; upwards (z), where these are one point and nothing tells.
    Returns whether they overlap."""
    P, S, X = whole_rows(W, PIECES, 11), real_rows(F, W, BALLS, 5), real_rows(F, W, POSES, 12)
    a0, a1, a2 = to_world(X, P[p, BODY], S[p, 0], S[p, 1], S[p, 2])
    b0, b1, b2 = to_world(X, P[q, BODY], S[q, 0], S[q, 1], S[q, 2])
    x, y, z = a0 - b0, a1 - b1, a2 - b2
    distance = math.sqrt(x * x + y * y + z * z)
    depth = S[p, 3] + S[q, 3] - distance
    if depth <= 0.0:
        return False
    if distance > 0.0:
        x, y, z = x / distance, y / distance, z / distance
    else:
        x, y, z = 0.0, 0.0, 1.0
    d0, d1, d2 = way_they_came(
        address, F, W, p, q, np.int64(-1), first_old, end_old, x, y, z, work, iwork
    )
    along = x * d0 + y * d1 + z * d2
    if along < 0.0 or (distance == 0.0 and d0 * d0 + d1 * d1 + d2 * d2 > 0.0):
        x, y, z = d0, d1, d2
        depth = S[p, 3] + S[q, 3] - distance * along
    kept = np.int64(end_old > first_old)
    along = S[q, 3] - 0.5 * depth
    zero = np.int64(0)
    append(
        F, W, p, q, BALL, zero, BALL, zero, kept,
        b0 + along * x, b1 + along * y, b2 + along * z, x, y, z, depth,
    )  # fmt: skip
    return True


@kernel
def way_they_came(address, F, W, p, q, turning, first_old, end_old, nx, ny, nz, work, iwork):
    """The world normal, from q to p, of last step's contact of a ball, turned with the body
    ``turning`` if that is one; for a new pair that came fast, or was not apart along ``n``, the
    shortest way out, the normal at the first touch; 0 where ``n`` will do."""
    P, state, out = whole_rows(W, PIECES, 11), whole_rows(W, STATE, 1), real_rows(F, W, OUT, 11)
    if end_old > first_old:
        C, A, X = real_rows(F, W, OLD, 16), real_rows(F, W, BEFORE, 12), real_rows(F, W, POSES, 12)
        x, y, z = C[first_old, 3], C[first_old, 4], C[first_old, 5]
        if turning >= 0:
            x, y, z = unrotate(A, turning, x, y, z)
            x, y, z = rotate(X, turning, x, y, z)
        return x, y, z
    if state[CONTINUOUS, 0] == 1 and were_there(W, P[p, BODY], P[q, BODY]):
        row_between(F, W, p, 0.0)
        row_between(F, W, q, 0.0)
        way = way_between(F, W, p, q)
        looked_at = gap_along(F, W, p, q, nx, ny, nz) < 0.0 or is_fast(F, W, p, q, way)
        if (
            looked_at
            and way > 0.0
            and first_touch(address, F, W, p, q, way, 0, 0, work, iwork) == TOUCHED
        ):
            return out[0, 7], out[0, 8], out[0, 9]
    return 0.0, 0.0, 0.0


@kernel
def ball_on_piece(address, F, W, p, q, first_old, end_old, work, iwork):
    """The contact of a ball and a polyhedron, if any, where ``p`` or ``q`` is the ball: with the
    nearest vertex, edge or face. A centre inside leaves through the nearest face.

    But where it came from elsewhere, it goes back there: through the face of the last step, as long
    as it is behind this face and above its inside, and has not outgrown it as `outgrown` of `pair`
    has it; else through the face that is along the way it came, where the centre is inside or out
    again at the back. Where another piece of the body goes on, there is no contact. Returns whether
    the two overlap."""
    P, S, X = whole_rows(W, PIECES, 11), real_rows(F, W, BALLS, 5), real_rows(F, W, POSES, 12)
    N = real_rows(F, W, PLANES, 4)
    first = P[p, IS_BALL] == 1
    ball, solid = (p, q) if first else (q, p)
    sign = 1.0 if first else -1.0
    radius, body = S[ball, 3], P[solid, BODY]
    x, y, z = to_world(X, P[ball, BODY], S[ball, 0], S[ball, 1], S[ball, 2])
    x, y, z = unrotate(X, body, x - X[body, 3], y - X[body, 7], z - X[body, 11])
    inside = contains(F, W, solid, x, y, z, 0.0)
    if inside:
        kind, feature = FACE, nearest_face(F, W, solid, x, y, z)
        if feature < 0:  # deep in a body, where all around it others go on
            return True
        n0, n1, n2 = N[feature, 0], N[feature, 1], N[feature, 2]
        distance = n0 * x + n1 * y + n2 * z - N[feature, 3]
    else:
        kind, feature, square, n0, n1, n2 = nearest_feature(F, W, solid, x, y, z, radius)
        distance = math.sqrt(square)
        if feature < 0 or distance >= radius:
            return False
        if kind == FACE:
            n0, n1, n2 = N[feature, 0], N[feature, 1], N[feature, 2]
        elif distance > CONTACT_CENTRED * radius:
            n0, n1, n2 = n0 / distance, n1 / distance, n2 / distance
        else:
            n0, n1, n2 = outwards(F, W, kind, feature)
    u, v, w = rotate(X, body, sign * n0, sign * n1, sign * n2)
    d0, d1, d2 = way_they_came(address, F, W, p, q, body, first_old, end_old, u, v, w, work, iwork)
    if d0 != 0.0 or d1 != 0.0 or d2 != 0.0:
        d0, d1, d2 = unrotate(X, body, sign * d0, sign * d1, sign * d2)
        # At right angles to the way it came, a ball that was there before has rolled on, and one
        # that is new was fast.
        lean = CONTACT_CONE if end_old == first_old else -CONTACT_CONE
        wanted = inside or n0 * d0 + n1 * d1 + n2 * d2 < lean
        face = face_back(
            F, W, solid, x, y, z, d0, d1, d2, first, first_old, end_old, wanted
        )  # fmt: skip
        if face >= 0:
            behind = N[face, 3] - N[face, 0] * x - N[face, 1] * y - N[face, 2] * z
            along = N[face, 0] * n0 + N[face, 1] * n1 + N[face, 2] * n2
            if along <= -0.5 or not grown(
                F, W, first_old, end_old, radius + behind, radius - distance
            ):
                kind, feature, distance = FACE, face, -behind
                n0, n1, n2 = N[face, 0], N[face, 1], N[face, 2]
    u, v, w = x - distance * n0, y - distance * n1, z - distance * n2
    if distance > 0.0 and not alone(W, solid) and hidden(F, W, solid, u, v, w, n0, n1, n2, 1.0):
        return True
    depth = radius - distance
    # Half way between the deepest point of the ball and the surface.
    back = distance + 0.5 * depth
    c0, c1, c2 = to_world(X, body, x - back * n0, y - back * n1, z - back * n2)
    n0, n1, n2 = rotate(X, body, n0, n1, n2)
    if kind == FACE:
        feature -= P[solid, FACE0]
    elif kind == EDGE:
        feature -= P[solid, EDGE0]
    else:
        feature -= P[solid, VERTEX0]
    kept = was_on(W, first, kind, feature, first_old, end_old)
    zero = np.int64(0)
    if first:
        append(F, W, p, q, BALL, zero, kind, feature, kept, c0, c1, c2, n0, n1, n2, depth)
    else:
        append(F, W, p, q, kind, feature, BALL, zero, kept, c0, c1, c2, -n0, -n1, -n2, depth)
    return True


@kernel
def grown(F, W, first_old, end_old, depth, shortest):
    """Whether the depth of a ball's contact has doubled since the last step, in powers of two, to
    more than CONTACT_OUTGROWN times the shortest way out."""
    if end_old == first_old or depth <= CONTACT_OUTGROWN * shortest:
        return False
    return math.frexp(depth)[1] > math.frexp(real_rows(F, W, OLD, 16)[first_old, 6])[1]


@kernel
def was_on(W, first, kind, feature, first_old, end_old):
    """1 where the ball was on this feature at the last step, else 0."""
    old = whole_rows(W, EARLIER, 7)
    column = 4 if first else 2
    for k in range(first_old, end_old):
        if old[k, column] == kind and old[k, column + 1] == feature:
            return np.int64(1)
    return np.int64(0)


@kernel
def nearest_face(F, W, s, x, y, z):
    """The face nearest to a point inside piece ``s``, of those behind which no other piece of the
    body goes on; or -1."""
    N, P = real_rows(F, W, PLANES, 4), whole_rows(W, PIECES, 11)
    best, face, united = math.inf, np.int64(-1), not alone(W, s)
    for f in range(P[s, FACE0], P[s, FACE0] + P[s, FACE_COUNT]):
        a, b, c = N[f, 0], N[f, 1], N[f, 2]
        way = N[f, 3] - a * x - b * y - c * z
        if way < best:
            if united and hidden(F, W, s, x + way * a, y + way * b, z + way * c, a, b, c, 1.0):
                continue
            best, face = way, np.int64(f)
    return face


@kernel
def face_back(F, W, s, x, y, z, d0, d1, d2, first, first_old, end_old, wanted):
    """The face through which the ball about a point leaves piece ``s`` the way it came, ``d``: that
    of the last step if the point is behind it and above its inside; else, if ``wanted``, the
    nearest along ``d`` of those that look that way, unless another piece of the body goes on behind
    it. Or -1."""
    N, P, old = real_rows(F, W, PLANES, 4), whole_rows(W, PIECES, 11), whole_rows(W, EARLIER, 7)
    column = 4 if first else 2
    for k in range(first_old, end_old):
        if old[k, column] == FACE:
            f = P[s, FACE0] + old[k, column + 1]
            if still_there(F, W, f, x, y, z, N[f, 0], N[f, 1], N[f, 2]):
                return f
    best, face, united = math.inf, np.int64(-1), not alone(W, s)
    for f in range(P[s, FACE0], P[s, FACE0] + P[s, FACE_COUNT]):
        a, b, c = N[f, 0], N[f, 1], N[f, 2]
        along = a * d0 + b * d1 + c * d2
        if not wanted or along <= CONTACT_CONE:
            continue
        way = (N[f, 3] - a * x - b * y - c * z) / along
        if way < best:
            u, v, w = x + way * d0, y + way * d1, z + way * d2
            if united and hidden(F, W, s, u, v, w, a, b, c, 1.0):
                continue
            best, face = way, np.int64(f)
    return face


@kernel
def outwards(F, W, kind, item):
    """A unit vector that leads out of a piece from one of its vertices or edges: along the sum of
    the normals around, which has a part along one of them at least."""
    E, N = whole_rows(W, EDGES, 4), real_rows(F, W, PLANES, 4)
    x, y, z = 0.0, 0.0, 0.0
    spoke, spokes = whole_rows(W, SPOKE, 2), whole_rows(W, SPOKES, 1)
    count = spoke[item, 1] if kind == VERTEX else 1
    for k in range(count):
        e = spokes[spoke[item, 0] + k, 0] if kind == VERTEX else item
        for c in range(2, 4):
            f = E[e, c]
            x, y, z = x + N[f, 0], y + N[f, 1], z + N[f, 2]
    length = math.sqrt(x * x + y * y + z * z)
    return x / length, y / length, z / length


@kernel
def nearest_feature(F, W, s, x, y, z, radius):
    """The nearest feature of piece ``s`` to a point outside that may be within ``radius``, from
    the leaves of its octree that meet the ball: kind, number (-1: none), square of the distance,
    and from the nearest point to the one given."""
    S, T, P = real_rows(F, W, SPHERES, 4), whole_rows(W, NODES, 8), whole_rows(W, PIECES, 11)
    stack, cost = whole_rows(W, STACK, 2), whole_rows(W, COST, 1)
    kind, feature = VERTEX, np.int64(-1)
    best = math.inf
    b0, b1, b2 = 0.0, 0.0, 0.0
    stack[0, 0] = P[s, ROOT]
    size = 1
    while size > 0:
        size -= 1
        node = stack[size, 0]
        cost[NODE_TESTS, 0] += 1
        if not spheres_meet(x, y, z, radius, S, node):
            continue
        for c in range(T[node, 0], T[node, 0] + T[node, 1]):
            stack[size, 0] = c
            size += 1
        if T[node, 1] > 0:
            continue
        for which in range(3):
            first = T[node, 2 + 2 * which]
            for k in range(first, first + T[node, 3 + 2 * which]):
                cost[BALL_CHECKS, 0] += 1
                item = whole_rows(W, ITEMS, 1)[k, 0]
                d0, d1, d2 = away_from(F, W, which, item, x, y, z)
                square = d0 * d0 + d1 * d1 + d2 * d2
                # Of features as near, the one of the lowest kind and number: whichever leaf it is
                # found in first.
                if square < best or (
                    square == best and (which < kind or (which == kind and item < feature))
                ):
                    best = square
                    kind, feature = np.int64(which), item
                    b0, b1, b2 = d0, d1, d2
    return kind, feature, best, b0, b1, b2


@kernel
def away_from(F, W, kind, item, x, y, z):
    """From the nearest point of a vertex, of an edge between its ends, or of a face inside its
    edges, to the point given; infinite where the nearest point is none of these."""
    V, E, N = real_rows(F, W, VERTICES, 3), whole_rows(W, EDGES, 4), real_rows(F, W, PLANES, 4)
    if kind == VERTEX:
        return x - V[item, 0], y - V[item, 1], z - V[item, 2]
    if kind == EDGE:
        t, h = E[item, 0], E[item, 1]
        u, v, w = V[h, 0] - V[t, 0], V[h, 1] - V[t, 1], V[h, 2] - V[t, 2]
        d0, d1, d2 = x - V[t, 0], y - V[t, 1], z - V[t, 2]
        share = (u * d0 + v * d1 + w * d2) / (u * u + v * v + w * w)
        if share <= 0.0 or share >= 1.0:
            return math.inf, math.inf, math.inf
        return d0 - share * u, d1 - share * v, d2 - share * w
    a, b, c = N[item, 0], N[item, 1], N[item, 2]
    height = a * x + b * y + c * z - N[item, 3]
    if height < 0.0 or not above(F, W, item, x, y, z):
        return math.inf, math.inf, math.inf
    return height * a, height * b, height * c
