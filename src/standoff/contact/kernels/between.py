"""Between two steps: whether two pieces that are apart at both touched, and where first.

Centroids go straight and orientations turn about one axis each, both evenly. The pieces approach
each other by no more than the sum of their centroids' relative way and their angles times their
reach; so they cannot touch before that has used up their distance, and the search goes on from
there.

Velocities that follow from two poses and the time between them.
"""

from __future__ import annotations

import math

from standoff.compiled.jit import entry, kernel
from standoff.contact.kernels.layout import (
    BALLS,
    BEFORE,
    BODY,
    CENTROIDS,
    CLOUD,
    COST,
    DISTANCES,
    GIVEN,
    HELD,
    OLD,
    OUT,
    PIECES,
    POSES,
    REFS,
    ROWS,
    TWISTS,
    WAS_THERE,
)
from standoff.contact.kernels.nearest import nearest
from standoff.contact.kernels.parting import gap_along
from standoff.contact.kernels.tables import real_rows, whole_rows

#: A pair is looked at between two steps when it moved by more than this part of the inner radius of
#: the thinner piece, [-]: below it, nothing can have passed through.
CONTACT_FAST = 0.5

#: The search for the first touch between two steps ends this near to it, relative to the sizes,
#: [-], and after so many steps at the latest, [-]; then the pair counts as touching.
CONTACT_FIRST_TOUCH = 1e-6
CONTACT_ADVANCES = 64


#: What `first_touch` found.
APART = 0
TOUCHED = 1


@kernel
def row_between(F, W, p, share):
    """Where piece ``p`` is at a share of the way from the last step to this one, into ROWS."""
    A, B, rows = real_rows(F, W, BEFORE, 12), real_rows(F, W, POSES, 12), real_rows(F, W, ROWS, 16)
    S = real_rows(F, W, BALLS, 5)
    i = whole_rows(W, PIECES, 11)[p, BODY]
    u, v, w, angle = turning(A, B, i)
    cosine, sine = math.cos(share * angle), math.sin(share * angle)
    for c in range(3):
        # R(s) = turn by s times the angle about the axis, times R before (Rodrigues).
        x, y, z = A[i, c], A[i, 4 + c], A[i, 8 + c]
        along = (1.0 - cosine) * (u * x + v * y + w * z)
        rows[p, c] = cosine * x + sine * (v * z - w * y) + along * u
        rows[p, 4 + c] = cosine * y + sine * (w * x - u * z) + along * v
        rows[p, 8 + c] = cosine * z + sine * (u * y - v * x) + along * w
    is_ball = whole_rows(W, REFS, 8)[p, 2] == 0
    for r in range(3):
        rows[p, 4 * r + 3] = A[i, 4 * r + 3] + share * (B[i, 4 * r + 3] - A[i, 4 * r + 3])
        if is_ball:
            rows[p, 4 * r + 3] += (
                rows[p, 4 * r] * S[p, 0]
                + rows[p, 4 * r + 1] * S[p, 1]
                + rows[p, 4 * r + 2] * S[p, 2]
            )


@kernel
def turning(A, B, i):
    """Axis (world) and angle from the orientation of body ``i`` in ``A`` to that in ``B``."""
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
def way_between(F, W, p, q):
    """How much nearer to each other two pieces can have come since the last step, [m]."""
    A, B, S = real_rows(F, W, BEFORE, 12), real_rows(F, W, POSES, 12), real_rows(F, W, BALLS, 5)
    P = whole_rows(W, PIECES, 11)
    i, j = P[p, BODY], P[q, BODY]
    square = 0.0
    for c in range(3, 12, 4):
        square += (B[i, c] - A[i, c] - B[j, c] + A[j, c]) ** 2
    way = math.sqrt(square)
    way += turning(A, B, i)[3] * reach(S, p) if turned(A, B, i) else 0.0
    way += turning(A, B, j)[3] * reach(S, q) if turned(A, B, j) else 0.0
    return way


@kernel
def is_fast(F, W, p, q, way):
    """Whether two pieces that came nearer by up to ``way`` can have passed through each other."""
    S = real_rows(F, W, BALLS, 5)
    return way > CONTACT_FAST * min(S[p, 4], S[q, 4])


@kernel
def turned(A, B, i):
    """Whether the orientation of body ``i`` is not the same in both."""
    for r in range(0, 12, 4):
        if A[i, r] != B[i, r] or A[i, r + 1] != B[i, r + 1] or A[i, r + 2] != B[i, r + 2]:
            return True
    return False


@kernel
def reach(S, p):
    """How far a piece reaches from the centroid of its body, at most."""
    return math.sqrt(S[p, 0] ** 2 + S[p, 1] ** 2 + S[p, 2] ** 2) + S[p, 3]


@kernel
def first_touch(address, F, W, p, q, way, first_old, end_old, work, iwork):
    """Whether two pieces touched since the last step, with the normal at the first touch in OUT.
    Pieces that touched at the last step, or overlapped (then rows ``first_old`` to ``end_old`` of
    OLD say so), count where they did not leave along the normal that they had then, or touched
    again. In doubt, they did."""
    rows, refs, D = real_rows(F, W, ROWS, 16), whole_rows(W, REFS, 8), real_rows(F, W, CLOUD, 4)
    out, S, cost = real_rows(F, W, OUT, 11), real_rows(F, W, BALLS, 5), whole_rows(W, COST, 1)
    near = CONTACT_FIRST_TOUCH * (S[p, 3] + S[q, 3])
    share = 0.0
    for step in range(CONTACT_ADVANCES):
        row_between(F, W, p, share)
        row_between(F, W, q, share)
        nearest(address, rows, refs, D, p, q, work, iwork, out)
        cost[DISTANCES, 0] += 1
        if out[0, 0] > near:
            share += out[0, 0] / way
        elif step == 0:
            share = leaving(F, W, p, q, way, near, first_old, end_old)
            if share < 0.0:
                return TOUCHED
        else:
            return TOUCHED
        if share >= 1.0:
            return APART
    return TOUCHED


@kernel
def leaving(F, W, p, q, way, near, first_old, end_old):
    """From which share of the way on two pieces that touched at the last step are apart along the
    normal that they had then, which is in OUT; negative: from none that is tried. Where neither
    turns, being apart at the end is being so all the way. Else the first share is one that is too
    short to pass through, and each further one is twice as long."""
    A, B, S = real_rows(F, W, BEFORE, 12), real_rows(F, W, POSES, 12), real_rows(F, W, BALLS, 5)
    P, out = whole_rows(W, PIECES, 11), real_rows(F, W, OUT, 11)
    start_normal(F, W, first_old, end_old)
    share = 1.0
    if turned(A, B, P[p, BODY]) or turned(A, B, P[q, BODY]):
        share = min(1.0, CONTACT_FAST * min(S[p, 4], S[q, 4]) / way)
    while True:
        row_between(F, W, p, share)
        row_between(F, W, q, share)
        if gap_along(F, W, p, q, out[0, 7], out[0, 8], out[0, 9]) > near:
            return share
        if share >= 1.0:
            return -1.0
        share = min(1.0, 2.0 * share)


@kernel
def start_normal(F, W, first_old, end_old):
    """The mean normal of contacts of the last step, weighted by how deep they were, into OUT; it
    stays as it is where there are none."""
    C, out = real_rows(F, W, OLD, 16), real_rows(F, W, OUT, 11)
    x, y, z = 0.0, 0.0, 0.0
    for k in range(first_old, end_old):
        x, y, z = x + C[k, 6] * C[k, 3], y + C[k, 6] * C[k, 4], z + C[k, 6] * C[k, 5]
    length = math.sqrt(x * x + y * y + z * z)
    if length > 0.0:
        out[0, 7], out[0, 8], out[0, 9] = x / length, y / length, z / length


@entry("void(float64[::1], int64[::1], float64)")
def take_rates(F, W, dt):
    """TWISTS of all bodies from HELD and GIVEN, ``dt`` seconds apart: the mean velocities of
    centroids and the mean angular velocities, turning the shorter way; 0 of bodies that were not
    there before."""
    A, B, C = real_rows(F, W, HELD, 16), real_rows(F, W, GIVEN, 16), real_rows(F, W, CENTROIDS, 3)
    T = real_rows(F, W, TWISTS, 6)
    for i in range(T.shape[0]):
        if whole_rows(W, WAS_THERE, 1)[i, 0] == 0:
            for c in range(6):
                T[i, c] = 0.0
            continue
        for r in range(3):
            way = B[i, 4 * r + 3] - A[i, 4 * r + 3]
            for c in range(3):
                way += (B[i, 4 * r + c] - A[i, 4 * r + c]) * C[i, c]
            T[i, r] = way / dt
        x, y, z, angle = turning(A, B, i)
        T[i, 3], T[i, 4], T[i, 5] = x * angle / dt, y * angle / dt, z * angle / dt
