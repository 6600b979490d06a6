"""One step of a contact scene, in one call.

The poses and velocities that were given: checked, taken over, kept for the next step.
"""

from __future__ import annotations

import math

from standoff.compiled.arena import HEAD, table
from standoff.compiled.jit import entry, kernel
from standoff.contact.kernels.appending import comes_before, drop_left_out, merge, were_there
from standoff.contact.kernels.between import reach
from standoff.contact.kernels.forces import apply_forces
from standoff.contact.kernels.frames import to_world
from standoff.contact.kernels.layout import (
    BALLS,
    BEFORE,
    BODIES,
    CENTROIDS,
    CONTACTS,
    CONTINUOUS,
    COST,
    COST_ROWS,
    COUNT,
    CURSOR,
    EARLIER,
    FORCES,
    FOUND,
    GIVEN,
    HAS_BEFORE,
    HELD,
    KEPT,
    LEFT_OUT,
    MATERIAL,
    MOVES,
    NEW,
    OLD,
    OLD_COUNT,
    PAIR_FIRST,
    PAIR_OLD,
    PAIR_TESTS,
    PASSED,
    PASSED_COUNT,
    POSES,
    RADIUS,
    STATE,
    TWISTS,
    WAS_THERE,
)
from standoff.contact.kernels.pair import touch_pair
from standoff.contact.kernels.tables import real_rows, whole_rows
from standoff.geometry.narrowphase.batch import plain_pose
from standoff.tolerances import CONTACT_FASTEST, CONTACT_MERGE, EPS

#: How far apart by rounding alone two points that are one may be, relative to the coordinates and
#: radii in play, [-]: a transform, a crossing and a transform back are some 30 roundings.
CONTACT_MERGE_ROUNDING = 64 * EPS


#: What is returned: the number of contacts and PASSED_UNIT for each pair that passed; or FULL where
#: a table is too short, and STATE says how many rows it takes; or less: body ``FULL - 1 - told``
#: has no plain pose or velocity, or, less the number of bodies, no finite force.
FULL = -1
PASSED_UNIT = 1 << 32


@entry("int64(int64, float64[::1], int64[::1], float64[::1], float64[::1], int64[::1])")
def step(address, F, W, rel, work, iwork):
    """Contacts, forces and moments of the bodies at the poses given. Unless all is done, what the
    last step left is not changed, so that the step can be taken again."""
    bad = first_bad(F, W)
    if bad >= 0:
        return FULL - 1 - bad
    place_bodies(F, W)
    state, cost = whole_rows(W, STATE, 1), whole_rows(W, COST, 1)
    bodies, M = whole_rows(W, BODIES, 2), real_rows(F, W, MATERIAL, 6)
    state[COUNT, 0] = 0
    state[PASSED_COUNT, 0] = 0
    state[CURSOR, 0] = 0
    for k in range(COST_ROWS):
        cost[k, 0] = 0
    X, A = real_rows(F, W, POSES, 12), real_rows(F, W, BEFORE, 12)
    sweeping = state[HAS_BEFORE, 0] == 1 and state[CONTINUOUS, 0] == 1
    count = bodies.shape[0]
    for i in range(count):
        for j in range(i + 1, count):
            if M[i, MOVES] + M[j, MOVES] == 0.0:
                continue
            # Whether the spheres about the bodies meet, now or on the way from the last step.
            x, y, z = X[i, 3] - X[j, 3], X[i, 7] - X[j, 7], X[i, 11] - X[j, 11]
            near = M[i, RADIUS] + M[j, RADIUS]
            meet = x * x + y * y + z * z <= near * near
            if sweeping and not meet:
                u, v, w = x - A[i, 3] + A[j, 3], y - A[i, 7] + A[j, 7], z - A[i, 11] + A[j, 11]
                meet = nearest_on_way(x, y, z, u, v, w) <= near * near
            if meet:
                body_pair(address, F, W, i, j, rel, work, iwork)
    cost[PAIR_TESTS, 0] = count * (count - 1) // 2
    found = whole_rows(W, FOUND, 7)
    if state[COUNT, 0] > found.shape[0]:
        return FULL
    if state[PASSED_COUNT, 0] > whole_rows(W, PASSED, 2).shape[0]:
        return FULL
    for k in range(state[COUNT, 0]):
        if found[k, 6] < LEFT_OUT:
            cost[KEPT if found[k, 6] == 1 else NEW, 0] += 1
    apply_forces(F, W)
    bad = first_endless(F, W)
    if bad >= 0:
        return FULL - 1 - count - bad
    keep_step(F, W)
    drop_left_out(F, W)
    return state[COUNT, 0] + PASSED_UNIT * state[PASSED_COUNT, 0]


@kernel
def nearest_on_way(x, y, z, u, v, w):
    """Square of the least distance from the origin of the segment that ends at (x, y, z) after a
    way (u, v, w)."""
    square, along = u * u + v * v + w * w, x * u + y * v + z * w
    if along <= 0.0:
        return x * x + y * y + z * z
    share = min(along / square, 1.0)
    return (x - share * u) ** 2 + (y - share * v) ** 2 + (z - share * w) ** 2


@kernel
def body_pair(address, F, W, i, j, rel, work, iwork):
    """The contacts of two bodies, piece by piece, without doubles."""
    bodies, state = whole_rows(W, BODIES, 2), whole_rows(W, STATE, 1)
    old, M = whole_rows(W, EARLIER, 7), real_rows(F, W, MATERIAL, 6)
    X = real_rows(F, W, POSES, 12)
    first = state[COUNT, 0]
    end = state[CURSOR, 0]
    while end < state[OLD_COUNT, 0] and comes_before(W, end, i, j, bodies[i, 0], bodies[j, 0]):
        end += 1
    state[PAIR_FIRST, 0], state[PAIR_OLD, 0] = first, end
    # Of the smaller body, as corners of it that are farther apart are two; and for rounding.
    near = 2.0 * CONTACT_MERGE * min(M[i, RADIUS], M[j, RADIUS])
    reach_of_both = M[i, RADIUS] + M[j, RADIUS]
    for c in range(3, 12, 4):
        reach_of_both = max(reach_of_both, abs(X[i, c]), abs(X[j, c]))
    near += CONTACT_MERGE_ROUNDING * reach_of_both
    for p in range(bodies[i, 0], bodies[i, 0] + bodies[i, 1]):
        for q in range(bodies[j, 0], bodies[j, 0] + bodies[j, 1]):
            # Contacts of the last step stand in the order of pairs in which they were found.
            start = end
            while start < state[OLD_COUNT, 0] and comes_before(W, start, i, j, p, q):
                start += 1
            end = start
            while end < state[OLD_COUNT, 0] and old[end, 0] == p and old[end, 1] == q:
                end += 1
            state[CURSOR, 0] = end
            if end > start or pieces_meet(F, W, i, j, p, q):
                found = state[COUNT, 0]
                touch_pair(address, F, W, p, q, start, end, rel, work, iwork)
                merge(F, W, first, found, near)


@kernel
def pieces_meet(F, W, i, j, p, q):
    """Whether the spheres about two pieces of bodies (i, j) meet; or may have, since the last
    step."""
    X, A, S = real_rows(F, W, POSES, 12), real_rows(F, W, BEFORE, 12), real_rows(F, W, BALLS, 5)
    a0, a1, a2 = to_world(X, i, S[p, 0], S[p, 1], S[p, 2])
    b0, b1, b2 = to_world(X, j, S[q, 0], S[q, 1], S[q, 2])
    near = S[p, 3] + S[q, 3]
    if (a0 - b0) ** 2 + (a1 - b1) ** 2 + (a2 - b2) ** 2 <= near * near:
        return True
    if whole_rows(W, STATE, 1)[CONTINUOUS, 0] == 0 or not were_there(W, i, j):
        return False
    x, y, z = X[i, 3] - X[j, 3], X[i, 7] - X[j, 7], X[i, 11] - X[j, 11]
    u, v, w = x - A[i, 3] + A[j, 3], y - A[i, 7] + A[j, 7], z - A[i, 11] + A[j, 11]
    return nearest_on_way(x, y, z, u, v, w) <= (reach(S, p) + reach(S, q)) ** 2


@kernel
def first_bad(F, W):
    """The first body whose pose is not plainly one or not that of before, though it stands still,
    or whose velocity is none (see CONTACT_FASTEST); or -1. A pose that was taken at the last step
    is good."""
    T, M = real_rows(F, W, TWISTS, 6), real_rows(F, W, MATERIAL, 6)
    A, H = real_rows(F, W, GIVEN, 16), real_rows(F, W, HELD, 16)
    for i in range(whole_rows(W, BODIES, 2).shape[0]):
        for c in range(16):
            if A[i, c] != H[i, c]:
                if M[i, MOVES] == 0.0 or not plain_pose(table(F, W[HEAD * GIVEN] + 16 * i, 4, 4)):
                    return i
                break
        for c in range(6):
            if not abs(T[i, c]) <= CONTACT_FASTEST:
                return i
    return -1


@kernel
def first_endless(F, W):
    """The first body with a force or a moment that is not finite, or -1."""
    total = real_rows(F, W, FORCES, 3)
    for i in range(total.shape[0]):
        for c in range(3):
            if not math.isfinite(total[i, c]):
                return i % (total.shape[0] // 2)
    return -1


@kernel
def place_bodies(F, W):
    """POSES, of the bodies' centroid frames, from GIVEN, of the shapes' own."""
    X, A, C = real_rows(F, W, POSES, 12), real_rows(F, W, GIVEN, 16), real_rows(F, W, CENTROIDS, 3)
    for i in range(X.shape[0]):
        for r in range(0, 12, 4):
            for c in range(4):
                X[i, r + c] = A[i, r + c]
            X[i, r + 3] += A[i, r] * C[i, 0] + A[i, r + 1] * C[i, 1] + A[i, r + 2] * C[i, 2]


@kernel
def keep_step(F, W):
    """What the next step has to know of this one."""
    X, B, state = real_rows(F, W, POSES, 12), real_rows(F, W, BEFORE, 12), whole_rows(W, STATE, 1)
    A, H = real_rows(F, W, GIVEN, 16), real_rows(F, W, HELD, 16)
    C, before = real_rows(F, W, CONTACTS, 16), real_rows(F, W, OLD, 16)
    found, old = whole_rows(W, FOUND, 7), whole_rows(W, EARLIER, 7)
    there = whole_rows(W, WAS_THERE, 1)
    for i in range(X.shape[0]):
        for c in range(12):
            B[i, c] = X[i, c]
        for c in range(16):
            H[i, c] = A[i, c]
        there[i, 0] = 1
    for k in range(state[COUNT, 0]):
        for c in range(16):
            before[k, c] = C[k, c]
        for c in range(7):
            old[k, c] = found[k, c]
    state[OLD_COUNT, 0] = state[COUNT, 0]
    state[HAS_BEFORE, 0] = 1
