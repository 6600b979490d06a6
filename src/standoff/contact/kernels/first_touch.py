"""Where two pieces touched first since the last step: continuous collision detection by
conservative advancement (Mirtich).

Centroids go straight and orientations turn about one axis each, both evenly. The pieces approach
each other by no more than the sum of their centroids' relative path and their angles times their
reach; so they cannot touch before that has used up their distance, and the search goes on from
there.
"""

from __future__ import annotations

import math

from standoff.compiled.jit import kernel
from standoff.contact.kernels.solids import ball_centre, gap_along, reach
from standoff.geometry.narrowphase.dispatch import general_pair

#: A pair is looked at between two steps when it moved by more than this part of the inner radius of
#: the thinner piece, [-]: below it, nothing can have passed through.
CONTACT_FAST = 0.5

#: The search for the first touch between two steps ends this near to it, relative to the sizes,
#: [-], and after so many steps at the latest, [-]; then the pair counts as touching.
CONTACT_FIRST_TOUCH = 1e-6
CONTACT_ADVANCES = 64


@kernel
def nearest(state, scratch, p, q):
    """The distance of two pieces where they are placed, or the shortest way to part them, into
    APART: GJK and the expanding polytope. It is called by its address (see `compiled.by_address`),
    as it would take long to compile into each caller."""
    out, apart = scratch.out, scratch.apart
    placed = scratch.placed
    general_pair(scratch.pair.distance_at, placed, p, placed, q, scratch.room, out, 0)
    state.cost.distances += 1
    apart.distance = out[0, 0]
    for c in range(3):
        apart.point_p[c] = out[0, 1 + c]
        apart.point_q[c] = out[0, 4 + c]
        apart.normal[c] = out[0, 7 + c]


@kernel
def set_normal(scratch, x, y, z):
    """Another direction that parts the two pieces."""
    normal = scratch.apart.normal
    normal[0], normal[1], normal[2] = x, y, z


@kernel
def place_now(scene, state, scratch, p):
    """Places piece ``p`` where it is."""
    X, rows, i = state.poses, scratch.placed.rows, scene.pieces[p].body
    for c in range(12):
        rows[p, c] = X[i, c]
    if scene.pieces[p].is_ball == 1:
        rows[p, 3], rows[p, 7], rows[p, 11] = ball_centre(scene, X, p)


@kernel
def place_between(scene, state, scratch, p, share):
    """Places piece ``p`` at a share of the way from the last step to this one."""
    A, B, rows, piece = state.before, state.poses, scratch.placed.rows, scene.pieces[p]
    i, centre = piece.body, piece.centre
    u, v, w, angle = turning(A, B, i)
    cosine, sine = math.cos(share * angle), math.sin(share * angle)
    for c in range(3):
        # R(s) = turn by s times the angle about the axis, times R before (Rodrigues).
        x, y, z = A[i, c], A[i, 4 + c], A[i, 8 + c]
        along = (1.0 - cosine) * (u * x + v * y + w * z)
        rows[p, c] = cosine * x + sine * (v * z - w * y) + along * u
        rows[p, 4 + c] = cosine * y + sine * (w * x - u * z) + along * v
        rows[p, 8 + c] = cosine * z + sine * (u * y - v * x) + along * w
    for r in range(0, 12, 4):
        rows[p, r + 3] = A[i, r + 3] + share * (B[i, r + 3] - A[i, r + 3])
        if piece.is_ball == 1:
            rows[p, r + 3] += (
                rows[p, r] * centre[0] + rows[p, r + 1] * centre[1] + rows[p, r + 2] * centre[2]
            )


@kernel
def turning(A, B, i):
    """Axis (world) and angle from the orientation of body ``i`` in ``A`` to that in ``B``: poses in
    rows of twelve numbers."""
    m00 = B[i, 0] * A[i, 0] + B[i, 1] * A[i, 1] + B[i, 2] * A[i, 2]
    m11 = B[i, 4] * A[i, 4] + B[i, 5] * A[i, 5] + B[i, 6] * A[i, 6]
    m22 = B[i, 8] * A[i, 8] + B[i, 9] * A[i, 9] + B[i, 10] * A[i, 10]
    m01 = B[i, 0] * A[i, 4] + B[i, 1] * A[i, 5] + B[i, 2] * A[i, 6]
    m10 = B[i, 4] * A[i, 0] + B[i, 5] * A[i, 1] + B[i, 6] * A[i, 2]
    m02 = B[i, 0] * A[i, 8] + B[i, 1] * A[i, 9] + B[i, 2] * A[i, 10]
    m20 = B[i, 8] * A[i, 0] + B[i, 9] * A[i, 1] + B[i, 10] * A[i, 2]
    m12 = B[i, 4] * A[i, 8] + B[i, 5] * A[i, 9] + B[i, 6] * A[i, 10]
    m21 = B[i, 8] * A[i, 4] + B[i, 9] * A[i, 5] + B[i, 10] * A[i, 6]
    # The unit quaternion by its largest part, so that no angle is special.
    t = m00 + m11 + m22
    if t >= m00 and t >= m11 and t >= m22:
        q0, q1, q2, q3 = 1.0 + t, m21 - m12, m02 - m20, m10 - m01
    elif m00 >= m11 and m00 >= m22:
        q0, q1, q2, q3 = m21 - m12, 1.0 + m00 - m11 - m22, m01 + m10, m02 + m20
    elif m11 >= m22:
        q0, q1, q2, q3 = m02 - m20, m01 + m10, 1.0 - m00 + m11 - m22, m12 + m21
    else:
        q0, q1, q2, q3 = m10 - m01, m02 + m20, m12 + m21, 1.0 - m00 - m11 + m22
    if q0 < 0.0:
        q0, q1, q2, q3 = -q0, -q1, -q2, -q3
    sine = math.sqrt(q1 * q1 + q2 * q2 + q3 * q3)
    if sine == 0.0:
        return 1.0, 0.0, 0.0, 0.0
    return q1 / sine, q2 / sine, q3 / sine, 2.0 * math.atan2(sine, q0)


@kernel
def motion_bound(scene, state, p, q):
    """How much nearer to each other two pieces can have come since the last step, [m]."""
    A, B, pieces = state.before, state.poses, scene.pieces
    i, j = pieces[p].body, pieces[q].body
    square = 0.0
    for c in range(3, 12, 4):
        square += (B[i, c] - A[i, c] - B[j, c] + A[j, c]) ** 2
    way = math.sqrt(square)
    return way + turning(A, B, i)[3] * reach(pieces[p]) + turning(A, B, j)[3] * reach(pieces[q])


@kernel
def is_fast(scene, p, q, way):
    """Whether two pieces that came nearer by up to ``way`` can have passed through each other."""
    return way > CONTACT_FAST * min(scene.pieces[p].inner, scene.pieces[q].inner)


@kernel
def first_touch(scene, state, scratch, way, end_old):
    """Whether the two pieces touched since the last step, with the normal at the first touch in
    APART; ``way`` is that of `motion_bound`. Pieces that touched at the last step, or overlapped
    (then their contacts up to row ``end_old`` of OLD say so), count where they did not leave along
    the normal that they had then, or touched again. In doubt, they did."""
    p, q = scratch.pair.p, scratch.pair.q
    near = CONTACT_FIRST_TOUCH * (scene.pieces[p].radius + scene.pieces[q].radius)
    share = 0.0
    for step in range(CONTACT_ADVANCES):
        place_between(scene, state, scratch, p, share)
        place_between(scene, state, scratch, q, share)
        nearest(state, scratch, p, q)
        if scratch.apart.distance > near:
            share += scratch.apart.distance / way
        elif step == 0:
            share = leaving(scene, state, scratch, way, near, end_old)
            if share < 0.0:
                return True
        else:
            return True
        if share >= 1.0:
            return False
    return True


@kernel
def leaving(scene, state, scratch, way, near, end_old):
    """From which share of the way on two pieces that touched at the last step are apart along the
    normal that they had then, which is in APART; negative: from none that is tried. Where neither
    turns, being apart at the end is being so all the way. Else the first share is one that is too
    short to pass through, and each further one is twice as long."""
    A, B, pieces = state.before, state.poses, scene.pieces
    p, q = scratch.pair.p, scratch.pair.q
    start_normal(state, scratch, end_old)
    n = scratch.apart.normal
    share = 1.0
    if turning(A, B, pieces[p].body)[3] > 0.0 or turning(A, B, pieces[q].body)[3] > 0.0:
        share = min(1.0, CONTACT_FAST * min(pieces[p].inner, pieces[q].inner) / way)
    while True:
        place_between(scene, state, scratch, p, share)
        place_between(scene, state, scratch, q, share)
        if gap_along(scene, scratch.placed.rows, p, q, n[0], n[1], n[2]) > near:
            return share
        if share >= 1.0:
            return -1.0
        share = min(1.0, 2.0 * share)


@kernel
def start_normal(state, scratch, end_old):
    """The mean normal of contacts of the last step, weighted by how deep they were, into APART; it
    stays as it is where there are none."""
    x, y, z = 0.0, 0.0, 0.0
    for k in range(scratch.pair.first_old, end_old):
        depth, n = state.old[k].depth, state.old[k].normal
        x, y, z = x + depth * n[0], y + depth * n[1], z + depth * n[2]
    length = math.sqrt(x * x + y * y + z * z)
    if length > 0.0:
        set_normal(scratch, x / length, y / length, z / length)
