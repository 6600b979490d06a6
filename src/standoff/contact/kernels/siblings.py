"""Pieces of one body: where two of them meet there is no surface, and nothing leaves through it."""

from __future__ import annotations

import math

from standoff.compiled.jit import kernel
from standoff.contact.kernels.inside import contains
from standoff.contact.kernels.layout import (
    BALLS,
    BODIES,
    BODY,
    CLOUD,
    CONTACTS,
    COUNT,
    COVERED,
    EARLIER,
    FACE0,
    FACE_COUNT,
    IS_BALL,
    MATERIAL,
    OLD,
    OLD_COUNT,
    OUT,
    PAIR_FIRST,
    PAIR_OLD,
    PIECES,
    PLANES,
    POSES,
    RADIUS,
    STATE,
)
from standoff.contact.kernels.parting import highest, overlap_along
from standoff.contact.kernels.tables import real_rows, whole_rows
from standoff.geometry.narrowphase.rows import rotate, unrotate
from standoff.geometry.narrowphase.vectors import turn
from standoff.tolerances import CONTACT_CONE, CONTACT_MERGE, CONTACT_SEAM

#: How many times as deep as contacts of the same two bodies a new pair of their pieces may be along
#: the normal of these and is parted that way, [-]: pieces side by side are as deep, but for how
#: far one stands out over the other.
CONTACT_STEP = 2.0


@kernel
def alone(W, p):
    """Whether a piece is the only one of its body."""
    body = whole_rows(W, PIECES, 11)[p, BODY]
    return whole_rows(W, BODIES, 2)[body, 1] == 1


@kernel
def holds(F, W, o, x, y, z, near):
    """Whether a point of the body is in its piece ``o``, or within ``near`` of it."""
    if whole_rows(W, PIECES, 11)[o, IS_BALL] == 0:
        return contains(F, W, o, x, y, z, near)
    S = real_rows(F, W, BALLS, 5)
    u, v, w = x - S[o, 0], y - S[o, 1], z - S[o, 2]
    return u * u + v * v + w * w <= (S[o, 3] + near) ** 2


@kernel
def hidden(F, W, s, x, y, z, n0, n1, n2, side):
    """Whether another piece of the body holds the point (x, y, z) of piece ``s`` and goes on beyond
    it along the unit vector ``n``: then the body has no surface there that looks that way. With a
    ``side`` of 1 its surface holds points, with -1 only what is inside."""
    P, bodies, S = whole_rows(W, PIECES, 11), whole_rows(W, BODIES, 2), real_rows(F, W, BALLS, 5)
    D, body = real_rows(F, W, CLOUD, 4), P[s, BODY]
    radius = real_rows(F, W, MATERIAL, 6)[body, RADIUS]
    near, beyond = CONTACT_SEAM * radius, CONTACT_MERGE * radius
    height = x * n0 + y * n1 + z * n2
    for o in range(bodies[body, 0], bodies[body, 0] + bodies[body, 1]):
        if o == s or not holds(F, W, o, x, y, z, side * near):
            continue
        if P[o, IS_BALL] == 1:
            top = S[o, 0] * n0 + S[o, 1] * n1 + S[o, 2] * n2 + S[o, 3]
        else:
            k = highest(D, P, o, n0, n1, n2)
            top = D[k, 0] * n0 + D[k, 1] * n1 + D[k, 2] * n2
        if top > height + beyond:
            return True
    return False


@kernel
def goes_on(F, W, s, x, y, z, n0, n1, n2):
    """Whether the point (x, y, z) of an edge of piece ``s`` is on a face of another piece of the
    body that looks along ``n`` (within CONTACT_CONE): two flat pieces side by side have no edge."""
    P, bodies, N = whole_rows(W, PIECES, 11), whole_rows(W, BODIES, 2), real_rows(F, W, PLANES, 4)
    body = P[s, BODY]
    near = CONTACT_SEAM * real_rows(F, W, MATERIAL, 6)[body, RADIUS]
    for o in range(bodies[body, 0], bodies[body, 0] + bodies[body, 1]):
        if o == s or P[o, IS_BALL] == 1 or not contains(F, W, o, x, y, z, near):
            continue
        for f in range(P[o, FACE0], P[o, FACE0] + P[o, FACE_COUNT]):
            a, b, c = N[f, 0] - n0, N[f, 1] - n1, N[f, 2] - n2
            behind = N[f, 3] - N[f, 0] * x - N[f, 1] * y - N[f, 2] * z
            if a * a + b * b + c * c <= CONTACT_CONE**2 and behind <= near:
                return True
    return False


@kernel
def beside_others(F, W, p, q, rel):
    """For two pieces that overlap and did not at the last step, with the direction that parts them
    as a world normal in OUT: another one, where their bodies are in contact through other pieces
    already, or where it would lead through a face that a piece of the same body covers.

    A box that slides over the seam of two tiles comes to the second tile from the side. But it is
    no deeper below its top than below that of the first: so it goes on being pushed upwards."""
    if alone(W, p) and alone(W, q):
        return
    if along_others(F, W, p, q, rel):
        return
    out = real_rows(F, W, OUT, 11)
    if through_covered(F, W, p, q, out[0, 7], out[0, 8], out[0, 9]):
        through_open(F, W, p, q, rel)


@kernel
def along_others(F, W, p, q, rel):
    """Whether the bodies of two pieces are in contact through others, and one of these contacts has
    the direction in OUT already, or one along which the pieces are at most CONTACT_STEP times as
    deep as it: then that is in OUT. Contacts of this step, or of the last."""
    state, P, out = whole_rows(W, STATE, 1), whole_rows(W, PIECES, 11), real_rows(F, W, OUT, 11)
    C, B, old = real_rows(F, W, CONTACTS, 16), real_rows(F, W, OLD, 16), whole_rows(W, EARLIER, 7)
    X, i, j = real_rows(F, W, POSES, 12), P[p, BODY], P[q, BODY]
    least = math.inf
    b0, b1, b2 = 0.0, 0.0, 0.0
    first, end = state[PAIR_FIRST, 0], min(state[COUNT, 0], C.shape[0])
    k = first
    while k < end + state[OLD_COUNT, 0] - state[PAIR_OLD, 0]:
        if k < end:
            n0, n1, n2, depth = C[k, 3], C[k, 4], C[k, 5], C[k, 6]
        else:
            o = state[PAIR_OLD, 0] + k - end
            if P[old[o, 0], BODY] != i or P[old[o, 1], BODY] != j:
                break
            n0, n1, n2, depth = B[o, 3], B[o, 4], B[o, 5], B[o, 6]
        k += 1
        if n0 * out[0, 7] + n1 * out[0, 8] + n2 * out[0, 9] >= 1.0 - CONTACT_SEAM:
            return True
        x, y, z = unrotate(X, j, n0, n1, n2)
        overlap = overlap_along(F, W, p, q, rel, x, y, z)
        if 0.0 < overlap <= CONTACT_STEP * depth and overlap < least:
            least = overlap
            b0, b1, b2 = n0, n1, n2
    if least < math.inf:
        out[0, 7], out[0, 8], out[0, 9] = b0, b1, b2
        return True
    return False


@kernel
def through_covered(F, W, p, q, nx, ny, nz):
    """Whether a world direction from q to p leads through a covered face of either piece."""
    P, X = whole_rows(W, PIECES, 11), real_rows(F, W, POSES, 12)
    N, covered = real_rows(F, W, PLANES, 4), whole_rows(W, COVERED, 1)
    for side in range(2):
        o, sign = (p, -1.0) if side == 0 else (q, 1.0)
        x, y, z = unrotate(X, P[o, BODY], sign * nx, sign * ny, sign * nz)
        for f in range(P[o, FACE0], P[o, FACE0] + P[o, FACE_COUNT]):
            along = N[f, 0] * x + N[f, 1] * y + N[f, 2] * z
            if covered[f, 0] == 1 and along >= 1.0 - CONTACT_SEAM:
                return True
    return False


@kernel
def through_open(F, W, p, q, rel):
    """The shortest way to part two pieces through a face that is not covered, into OUT; where all
    are, it stays as it is."""
    P, X, out = whole_rows(W, PIECES, 11), real_rows(F, W, POSES, 12), real_rows(F, W, OUT, 11)
    N, covered = real_rows(F, W, PLANES, 4), whole_rows(W, COVERED, 1)
    least = math.inf
    for side in range(2):
        o = p if side == 0 else q
        for f in range(P[o, FACE0], P[o, FACE0] + P[o, FACE_COUNT]):
            if covered[f, 0] == 1:
                continue
            x, y, z = N[f, 0], N[f, 1], N[f, 2]
            if side == 0:
                x, y, z = turn(rel, -x, -y, -z)
            overlap = overlap_along(F, W, p, q, rel, x, y, z)
            x, y, z = rotate(X, P[q, BODY], x, y, z)
            if overlap < least and not through_covered(F, W, p, q, x, y, z):
                least = overlap
                out[0, 7], out[0, 8], out[0, 9] = x, y, z
