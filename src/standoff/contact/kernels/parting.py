"""The direction that parts two pieces, and how far they have to go along it."""

from __future__ import annotations

import math

from standoff.compiled.jit import kernel
from standoff.contact.kernels.frames import relative, turn_back
from standoff.contact.kernels.layout import (
    BALLS,
    BODY,
    CLOUD,
    CLOUD0,
    EARLIER,
    FACE,
    FACE0,
    IS_BALL,
    OLD,
    PARTED,
    PARTING,
    PIECES,
    PLANES,
    POSES,
    ROWS,
    VERTEX,
    VERTEX_COUNT,
)
from standoff.contact.kernels.tables import real_rows, whole_rows
from standoff.geometry.narrowphase.rows import rotate, unrotate
from standoff.geometry.narrowphase.scratch import CACHED_POINTS
from standoff.geometry.narrowphase.support import grouped
from standoff.tolerances import CONTACT_TOUCH


@kernel
def old_direction(F, W, p, q, first, end):
    """The mean normal of the contacts of the last step, weighted by how deep they were, as a world
    direction of any length: faces look where they look now."""
    old, C, X = whole_rows(W, EARLIER, 7), real_rows(F, W, OLD, 16), real_rows(F, W, POSES, 12)
    P, N = whole_rows(W, PIECES, 11), real_rows(F, W, PLANES, 4)
    x, y, z = 0.0, 0.0, 0.0
    for k in range(first, end):
        a, b, c = C[k, 3], C[k, 4], C[k, 5]
        if old[k, 2] == VERTEX and old[k, 4] == FACE:
            f = P[q, FACE0] + old[k, 5]
            a, b, c = rotate(X, P[q, BODY], N[f, 0], N[f, 1], N[f, 2])
        elif old[k, 2] == FACE and old[k, 4] == VERTEX:
            f = P[p, FACE0] + old[k, 3]
            a, b, c = rotate(X, P[p, BODY], -N[f, 0], -N[f, 1], -N[f, 2])
        x += C[k, 6] * a
        y += C[k, 6] * b
        z += C[k, 6] * c
    return x, y, z


@kernel
def overlap_along(F, W, p, q, rel, n0, n1, n2):
    """How far p has to move along the unit vector ``n`` (in the frame of q) to be beyond q; not
    positive where they are apart along it."""
    D, P = real_rows(F, W, CLOUD, 4), whole_rows(W, PIECES, 11)
    m0, m1, m2 = turn_back(rel, n0, n1, n2)
    low, top = highest(D, P, p, -m0, -m1, -m2), highest(D, P, q, n0, n1, n2)
    lowest = D[low, 0] * m0 + D[low, 1] * m1 + D[low, 2] * m2
    lowest += rel[9] * n0 + rel[10] * n1 + rel[11] * n2
    return D[top, 0] * n0 + D[top, 1] * n1 + D[top, 2] * n2 - lowest


@kernel
def gap_along(F, W, p, q, nx, ny, nz):
    """How far apart two pieces, balls or polyhedra, are along the world unit vector from q to p, at
    the places in ROWS; negative where they overlap along it."""
    return -height_along(F, W, p, -nx, -ny, -nz) - height_along(F, W, q, nx, ny, nz)


@kernel
def height_along(F, W, p, nx, ny, nz):
    """How high a piece at its place in ROWS reaches along a world unit vector."""
    rows, P = real_rows(F, W, ROWS, 16), whole_rows(W, PIECES, 11)
    height = rows[p, 3] * nx + rows[p, 7] * ny + rows[p, 11] * nz
    if P[p, IS_BALL] == 1:
        return height + real_rows(F, W, BALLS, 5)[p, 3]
    D = real_rows(F, W, CLOUD, 4)
    x, y, z = unrotate(rows, p, nx, ny, nz)
    k = highest(D, P, p, x, y, z)
    return height + D[k, 0] * x + D[k, 1] * y + D[k, 2] * z


@kernel
def note_parting(F, W, p, q, n0, n1, n2):
    """Keeps a direction along which two pieces are apart, in the frame of q, for the next step."""
    keys, ways = whole_rows(W, PARTED, 1), real_rows(F, W, PARTING, 3)
    key = p * whole_rows(W, PIECES, 11).shape[0] + q
    row = key % keys.shape[0]
    keys[row, 0] = key
    ways[row, 0], ways[row, 1], ways[row, 2] = n0, n1, n2


@kernel
def still_parted(F, W, p, q, rel):
    """Whether two pieces are surely apart along the direction kept, if any; ``rel`` is the pose of
    p's body in q's, and is written."""
    keys, ways = whole_rows(W, PARTED, 1), real_rows(F, W, PARTING, 3)
    P, S, X = whole_rows(W, PIECES, 11), real_rows(F, W, BALLS, 5), real_rows(F, W, POSES, 12)
    key = p * P.shape[0] + q
    row = key % keys.shape[0]
    if keys[row, 0] != key:
        return False
    relative(X, P[p, BODY], P[q, BODY], rel)
    depth = overlap_along(F, W, p, q, rel, ways[row, 0], ways[row, 1], ways[row, 2])
    return depth < -CONTACT_TOUCH * (S[p, 3] + S[q, 3])


@kernel
def highest(D, P, p, n0, n1, n2):
    """The row of CLOUD of the vertex of piece ``p`` farthest along ``n``, in the frame of its body;
    ``P`` is PIECES."""
    first, count = P[p, CLOUD0], P[p, VERTEX_COUNT]
    if count > CACHED_POINTS:
        return grouped(D, first, count, n0, n1, n2)
    best, height = first, -math.inf
    for v in range(first, first + count):
        h = D[v, 0] * n0 + D[v, 1] * n1 + D[v, 2] * n2
        if h > height:
            best, height = v, h
    return best
