"""Spheres: level 0 of an octree, with tests of their own against vertices, edges and faces."""

from __future__ import annotations

import math

import numpy as np

from standoff.kernels.contact.appending import append
from standoff.kernels.contact.frames import to_world
from standoff.kernels.contact.inside import contains
from standoff.kernels.contact.layout import (
    BALL,
    BALL_CHECKS,
    BALLS,
    BODY,
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
    PIECES,
    PLANES,
    POSES,
    ROOT,
    SPHERES,
    STACK,
    VERTEX,
    VERTEX0,
    VERTICES,
)
from standoff.kernels.contact.tables import real_rows, whole_rows
from standoff.kernels.contact.vertices import still_there
from standoff.kernels.contact.walk import spheres_meet
from standoff.kernels.jit import kernel
from standoff.kernels.pairs.rows import rotate


@kernel
def ball_on_ball(F, W, p, q, first_old, end_old):
    """The contact of two balls, if any: along the line of their centres, and the way of the last
    step, or else upwards (z), where these are one point."""
    P, S, X = whole_rows(W, PIECES, 11), real_rows(F, W, BALLS, 5), real_rows(F, W, POSES, 12)
    a0, a1, a2 = to_world(X, P[p, BODY], S[p, 0], S[p, 1], S[p, 2])
    b0, b1, b2 = to_world(X, P[q, BODY], S[q, 0], S[q, 1], S[q, 2])
    x, y, z = a0 - b0, a1 - b1, a2 - b2
    distance = math.sqrt(x * x + y * y + z * z)
    depth = S[p, 3] + S[q, 3] - distance
    if depth <= 0.0:
        return
    if distance > 0.0:
        x, y, z = x / distance, y / distance, z / distance
    else:
        x, y, z = 0.0, 0.0, 1.0
        if end_old > first_old:
            C = real_rows(F, W, OLD, 13)
            x, y, z = C[first_old, 3], C[first_old, 4], C[first_old, 5]
    kept = np.int64(end_old > first_old)
    along = S[q, 3] - 0.5 * depth
    zero = np.int64(0)
    append(
        F, W, p, q, BALL, zero, BALL, zero, kept,
        b0 + along * x, b1 + along * y, b2 + along * z, x, y, z, depth,
    )  # fmt: skip


@kernel
def ball_on_piece(F, W, p, q, rel, first_old, end_old):
    """The contact of a ball and a polyhedron, if any, where ``p`` or ``q`` is the ball: with the
    nearest vertex, edge or face. A centre inside leaves through the face of the last step if it is
    still above its inside, else through the nearest."""
    P, S, X = whole_rows(W, PIECES, 11), real_rows(F, W, BALLS, 5), real_rows(F, W, POSES, 12)
    N = real_rows(F, W, PLANES, 4)
    first = P[p, IS_BALL] == 1
    ball, solid = (p, q) if first else (q, p)
    radius = S[ball, 3]
    x, y, z = to_world(X, P[ball, BODY], S[ball, 0], S[ball, 1], S[ball, 2])
    body = P[solid, BODY]
    d0, d1, d2 = x - X[body, 3], y - X[body, 7], z - X[body, 11]
    x = X[body, 0] * d0 + X[body, 4] * d1 + X[body, 8] * d2
    y = X[body, 1] * d0 + X[body, 5] * d1 + X[body, 9] * d2
    z = X[body, 2] * d0 + X[body, 6] * d1 + X[body, 10] * d2
    if contains(F, W, solid, x, y, z, 0.0):
        feature = face_out(F, W, solid, x, y, z, first, first_old, end_old)
        kind = FACE
        n0, n1, n2 = N[feature, 0], N[feature, 1], N[feature, 2]
        distance = n0 * x + n1 * y + n2 * z - N[feature, 3]
    else:
        kind, feature, square, n0, n1, n2 = nearest_feature(F, W, solid, x, y, z, radius)
        distance = math.sqrt(square)
        if feature < 0 or distance >= radius:
            return
        if kind == FACE:
            n0, n1, n2 = N[feature, 0], N[feature, 1], N[feature, 2]
        else:
            n0, n1, n2 = n0 / distance, n1 / distance, n2 / distance
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
def face_out(F, W, s, x, y, z, first, first_old, end_old):
    """The face through which the ball about a point inside piece ``s`` leaves it."""
    N, P, old = real_rows(F, W, PLANES, 4), whole_rows(W, PIECES, 11), whole_rows(W, EARLIER, 7)
    column = 4 if first else 2
    for k in range(first_old, end_old):
        if old[k, column] == FACE:
            f = P[s, FACE0] + old[k, column + 1]
            if still_there(F, W, f, x, y, z, N[f, 0], N[f, 1], N[f, 2]):
                return f
    best = math.inf
    face = P[s, FACE0]
    for f in range(P[s, FACE0], P[s, FACE0] + P[s, FACE_COUNT]):
        depth = N[f, 3] - N[f, 0] * x - N[f, 1] * y - N[f, 2] * z
        if depth < best:
            best = depth
            face = f
    return face


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
    # The point below the plane by as much is behind the face.
    u, v, w = x - 2.0 * height * a, y - 2.0 * height * b, z - 2.0 * height * c
    if height <= 0.0 or not still_there(F, W, item, u, v, w, a, b, c):
        return math.inf, math.inf, math.inf
    return height * a, height * b, height * c
