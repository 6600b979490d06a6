"""Two pieces in one step: both stages, from the octrees to the contacts."""

from __future__ import annotations

import math

import numpy as np

from standoff.compiled.jit import kernel
from standoff.contact.kernels.appending import append, were_there
from standoff.contact.kernels.balls import ball_on_ball, ball_on_piece
from standoff.contact.kernels.between import TOUCHED, first_touch, is_fast, way_between
from standoff.contact.kernels.crossings import edges_on_edges
from standoff.contact.kernels.frames import relative, to_world
from standoff.contact.kernels.inside import cut, edges_inside, wholly_inside
from standoff.contact.kernels.layout import (
    BALLS,
    BEFORE,
    BODY,
    CLOUD,
    CONTACTS,
    CONTINUOUS,
    COST,
    COUNT,
    DISTANCES,
    EDGE0,
    EDGE_COUNT,
    EDGES,
    EPOCH,
    HIT,
    IS_BALL,
    OLD,
    OUT,
    PASSED,
    PASSED_COUNT,
    PIECES,
    POSES,
    REFS,
    ROWS,
    STATE,
    VERTICES,
    WHOLE,
)
from standoff.contact.kernels.nearest import nearest
from standoff.contact.kernels.parting import (
    note_parting,
    old_direction,
    overlap_along,
    still_parted,
)
from standoff.contact.kernels.siblings import beside_others
from standoff.contact.kernels.tables import real_rows, whole_rows
from standoff.contact.kernels.vertices import vertices_on_faces
from standoff.contact.kernels.walk import meeting_edges
from standoff.geometry.narrowphase.rows import rotate, unrotate
from standoff.tolerances import CONTACT_CONE, CONTACT_OUTGROWN, CONTACT_TOUCH

#: By what part the deepest contact of two pieces may be less deep than their way out before the
#: rest is added as a contact of the pieces as a whole, [-]: a normal may lean by CONTACT_CONE, and
#: so much of the depth with it.
CONTACT_SHALLOW = 1e-2


@kernel
def touch_pair(address, F, W, p, q, first_old, end_old, rel, work, iwork):
    """The contacts of pieces ``p`` and ``q``; those of the last step are rows ``first_old`` to
    ``end_old`` of EARLIER."""
    P, state = whole_rows(W, PIECES, 11), whole_rows(W, STATE, 1)
    before = state[COUNT, 0]
    balls = P[p, IS_BALL] + P[q, IS_BALL]
    overlap = False
    if balls == 2:
        overlap = ball_on_ball(address, F, W, p, q, first_old, end_old, work, iwork)
    elif balls == 1:
        overlap = ball_on_piece(address, F, W, p, q, first_old, end_old, work, iwork)
    elif (first_old < end_old or not still_parted(F, W, p, q, rel)) and reached_edges(
        F, W, p, q, rel
    ) > 0:
        polyhedra(address, F, W, p, q, first_old, end_old, rel, work, iwork)
    if not overlap and state[COUNT, 0] == before and state[CONTINUOUS, 0] == 1:
        note_passing(address, F, W, p, q, first_old, end_old, work, iwork)


@kernel
def reached_edges(F, W, p, q, rel):
    """How many edges of two polyhedra may be inside the other, marked: those that meeting leaves
    name, or some of the piece that is wholly inside the other. None: they are apart."""
    P, X, S = whole_rows(W, PIECES, 11), real_rows(F, W, POSES, 12), real_rows(F, W, BALLS, 5)
    state = whole_rows(W, STATE, 1)
    relative(X, P[p, BODY], P[q, BODY], rel)
    state[EPOCH, 0] += 1
    count = meeting_edges(F, W, p, q, rel)
    if count > 0:
        return count
    return wholly_inside(F, W, p, q, rel, CONTACT_TOUCH * (S[p, 3] + S[q, 3]))


@kernel
def polyhedra(address, F, W, p, q, first_old, end_old, rel, work, iwork):
    """The contacts of two polyhedra of which some edges carry the epoch. Along the direction of
    last step's contacts, if there are any and it is not `outgrown`; where that gives none, along
    the shortest way to part them, the one they came, or that of other pieces of their bodies. What
    the deepest of them lacks of the way out, or all of it where there is none, is one contact of
    the pieces as a whole: the push is no less than the way out. None where they do not overlap."""
    P, X, state = whole_rows(W, PIECES, 11), real_rows(F, W, POSES, 12), whole_rows(W, STATE, 1)
    body, before = P[q, BODY], state[COUNT, 0]
    if end_old > first_old:
        x, y, z = old_direction(F, W, p, q, first_old, end_old)
        length = math.sqrt(x * x + y * y + z * z)
        if length > 0.0:
            x, y, z = unrotate(X, body, x / length, y / length, z / length)
            if overlap_along(F, W, p, q, rel, x, y, z) <= 0.0:
                note_parting(F, W, p, q, x, y, z)
                return
            if elemental(F, W, p, q, rel, x, y, z, first_old, end_old) == 0:
                return
            if state[COUNT, 0] > before:
                if not outgrown(
                    address, F, W, p, q, before, first_old, end_old, rel, x, y, z, work, iwork
                ):
                    return
                state[COUNT, 0] = before
    if not new_direction(address, F, W, p, q, first_old == end_old, rel, work, iwork):
        return
    out = real_rows(F, W, OUT, 11)
    if end_old > first_old:
        reached_edges(F, W, p, q, rel)
    relative(X, P[p, BODY], body, rel)
    beside_others(F, W, p, q, rel)
    x, y, z = unrotate(X, body, out[0, 7], out[0, 8], out[0, 9])
    elemental(F, W, p, q, rel, x, y, z, first_old, first_old)
    way = overlap_along(F, W, p, q, rel, x, y, z)
    lacking(F, W, p, q, before, rel, out[0, 7], out[0, 8], out[0, 9], way)


@kernel
def elemental(F, W, p, q, rel, x, y, z, first_old, end_old):
    """All contacts of vertices with faces and of edges with edges along a direction; returns the
    number of edges that may be inside the other piece, 0 only where the two are apart."""
    S = real_rows(F, W, BALLS, 5)
    slack = CONTACT_TOUCH * (S[p, 3] + S[q, 3])
    inside = edges_inside(F, W, p, q, rel, x, y, z, slack)
    if inside == 0:
        # Leaves met, but the surfaces do not: one may be wholly inside the other all the same.
        whole_rows(W, STATE, 1)[EPOCH, 0] += 1
        wholly_inside(F, W, p, q, rel, slack)
        inside = edges_inside(F, W, p, q, rel, x, y, z, slack)
    if inside > 0:
        vertices_on_faces(F, W, p, q, rel, x, y, z, first_old, end_old)
        edges_on_edges(F, W, p, q, rel, x, y, z, first_old, end_old, slack)
    return inside


@kernel
def outgrown(address, F, W, p, q, first, first_old, end_old, rel, nx, ny, nz, work, iwork):
    """Whether the direction of last step's contacts (``n``, in the frame of q) is to be given up:
    where the shortest way out does not lead out at the back, and the contacts found along ``n``,
    from ``first`` on, are more than CONTACT_OUTGROWN times as deep as it, or less deep.

    The first: the pieces have slid on, past each other's sides, as a box that came upon a tile from
    beside it and 0.1 mm below its top, and is now above it. Asked each time that the depth has
    doubled. The second: a vertex that grazes a side tells nothing of two sharp pieces. Asked where
    the deepest contact does not part them along its own normal; if it does, no way is shorter. At
    the back, what is lacking is added along ``n``."""
    C, B, cost = real_rows(F, W, CONTACTS, 16), real_rows(F, W, OLD, 16), whole_rows(W, COST, 1)
    P, X, out = whole_rows(W, PIECES, 11), real_rows(F, W, POSES, 12), real_rows(F, W, OUT, 11)
    k, was = deepest(F, W, first), 0.0
    if k < 0:
        return False
    depth = C[k, 6]
    for o in range(first_old, end_old):
        was = max(was, B[o, 6])
    x, y, z = unrotate(X, P[q, BODY], C[k, 3], C[k, 4], C[k, 5])
    alone = depth >= (1.0 - CONTACT_SHALLOW) * overlap_along(F, W, p, q, rel, x, y, z)
    if alone and math.frexp(depth)[1] <= math.frexp(was)[1]:
        return False
    row_now(F, W, p)
    row_now(F, W, q)
    rows, refs, D = real_rows(F, W, ROWS, 16), whole_rows(W, REFS, 8), real_rows(F, W, CLOUD, 4)
    nearest(address, rows, refs, D, p, q, work, iwork, out)
    cost[DISTANCES, 0] += 1
    way = -out[0, 0]
    x, y, z = rotate(X, P[q, BODY], nx, ny, nz)
    if x * out[0, 7] + y * out[0, 8] + z * out[0, 9] <= -0.5:
        lacking(F, W, p, q, first, rel, x, y, z, way)
        return False
    return depth > CONTACT_OUTGROWN * way or depth < (1.0 - CONTACT_SHALLOW) * way


@kernel
def deepest(F, W, first):
    """The deepest contact from ``first`` on; -1 where there is none, or no room for it."""
    C, best, depth = real_rows(F, W, CONTACTS, 16), -1, 0.0
    for k in range(first, min(whole_rows(W, STATE, 1)[COUNT, 0], C.shape[0])):
        if C[k, 6] > depth:
            best, depth = k, C[k, 6]
    return best


@kernel
def lacking(F, W, p, q, first, rel, nx, ny, nz, way):
    """What the contacts from ``first`` on lack of the ``way`` out, as a contact of the pieces as a
    whole along the world normal ``n``."""
    k = deepest(F, W, first)
    short = way - (real_rows(F, W, CONTACTS, 16)[k, 6] if k >= 0 else 0.0)
    if short > CONTACT_SHALLOW * way:
        whole_contact(F, W, p, q, rel, nx, ny, nz, short)


@kernel
def new_direction(address, F, W, p, q, is_new, rel, work, iwork):
    """A direction that parts two overlapping pieces, as a world normal in OUT; false where they
    only touch. It is the shortest way, where that is the side they came from: where they were apart
    along it at the last step, and, if they were fast, it has a part along the normal at the first
    touch. Otherwise it is that normal."""
    P, state, cost = whole_rows(W, PIECES, 11), whole_rows(W, STATE, 1), whole_rows(W, COST, 1)
    rows, refs, D = real_rows(F, W, ROWS, 16), whole_rows(W, REFS, 8), real_rows(F, W, CLOUD, 4)
    out, A = real_rows(F, W, OUT, 11), real_rows(F, W, BEFORE, 12)
    row_now(F, W, p)
    row_now(F, W, q)
    nearest(address, rows, refs, D, p, q, work, iwork, out)
    cost[DISTANCES, 0] += 1
    if out[0, 0] >= 0.0:
        X, body = real_rows(F, W, POSES, 12), P[q, BODY]
        x, y, z = unrotate(X, body, out[0, 7], out[0, 8], out[0, 9])
        note_parting(F, W, p, q, x, y, z)
        return False
    if not is_new or state[CONTINUOUS, 0] == 0 or not were_there(W, P[p, BODY], P[q, BODY]):
        return True
    nx, ny, nz = out[0, 7], out[0, 8], out[0, 9]
    relative(A, P[p, BODY], P[q, BODY], rel)
    x, y, z = unrotate(A, P[q, BODY], nx, ny, nz)
    behind = overlap_along(F, W, p, q, rel, x, y, z) > 0.0
    way = way_between(F, W, p, q)
    if behind or is_fast(F, W, p, q, way):
        touched = way > 0.0 and first_touch(address, F, W, p, q, way, 0, 0, work, iwork) == TOUCHED
        along = nx * out[0, 7] + ny * out[0, 8] + nz * out[0, 9]
        if not touched or (not behind and along > CONTACT_CONE):
            out[0, 7], out[0, 8], out[0, 9] = nx, ny, nz
    return True


@kernel
def row_now(F, W, p):
    """Where piece ``p`` is, into ROWS."""
    X, rows, S = real_rows(F, W, POSES, 12), real_rows(F, W, ROWS, 16), real_rows(F, W, BALLS, 5)
    P = whole_rows(W, PIECES, 11)
    i = P[p, BODY]
    for c in range(12):
        rows[p, c] = X[i, c]
    if P[p, IS_BALL] == 1:
        rows[p, 3], rows[p, 7], rows[p, 11] = to_world(X, i, S[p, 0], S[p, 1], S[p, 2])


@kernel
def whole_contact(F, W, p, q, rel, nx, ny, nz, depth):
    """One contact in the middle of all edges' parts that are inside the other piece."""
    P, E, V = whole_rows(W, PIECES, 11), whole_rows(W, EDGES, 4), real_rows(F, W, VERTICES, 3)
    X, S, hit = real_rows(F, W, POSES, 12), real_rows(F, W, BALLS, 5), whole_rows(W, HIT, 1)
    slack = CONTACT_TOUCH * (S[p, 3] + S[q, 3])
    epoch = whole_rows(W, STATE, 1)[EPOCH, 0]
    x, y, z, count = 0.0, 0.0, 0.0, 0.0
    for side in range(2):
        o = p if side == 0 else q
        for e in range(P[o, EDGE0], P[o, EDGE0] + P[o, EDGE_COUNT]):
            if hit[e, 0] == epoch:
                start, end = cut(F, W, e, side == 0, rel, slack)
                if start > end:
                    continue
                s = 0.5 * (start + end)
                t, h = E[e, 0], E[e, 1]
                a, b, c = to_world(
                    X,
                    P[o, BODY],
                    V[t, 0] + s * (V[h, 0] - V[t, 0]),
                    V[t, 1] + s * (V[h, 1] - V[t, 1]),
                    V[t, 2] + s * (V[h, 2] - V[t, 2]),
                )
                x, y, z, count = x + a, y + b, z + c, count + 1.0
    if count == 0.0:  # so shallow that the two methods disagree by rounding
        out = real_rows(F, W, OUT, 11)
        x, y, z, count = out[0, 1] + out[0, 4], out[0, 2] + out[0, 5], out[0, 3] + out[0, 6], 2.0
    zero = np.int64(0)
    append(
        F, W, p, q, WHOLE, zero, WHOLE, zero, zero,
        x / count, y / count, z / count, nx, ny, nz, depth,
    )  # fmt: skip


@kernel
def note_passing(address, F, W, p, q, first_old, end_old, work, iwork):
    """Two pieces that are apart: into PASSED where they were fast and touched on the way; or, in
    contact at the last step (rows ``first_old`` to ``end_old`` of OLD), left another way than
    along the normal of this contact."""
    state, P, passed = whole_rows(W, STATE, 1), whole_rows(W, PIECES, 11), whole_rows(W, PASSED, 2)
    if not were_there(W, P[p, BODY], P[q, BODY]):
        return
    way = way_between(F, W, p, q)
    if not is_fast(F, W, p, q, way):
        return
    if first_touch(address, F, W, p, q, way, first_old, end_old, work, iwork) == TOUCHED:
        k = state[PASSED_COUNT, 0]
        state[PASSED_COUNT, 0] = k + 1
        if k < passed.shape[0]:
            passed[k, 0], passed[k, 1] = p, q
