"""The poses and velocities that were given: checked, taken over, kept for the next step."""

from __future__ import annotations

import math

from standoff.constants import CONTACT_FASTEST
from standoff.kernels.arena import HEAD, table
from standoff.kernels.contact.layout import (
    BEFORE,
    BODIES,
    CENTROIDS,
    CONTACTS,
    COUNT,
    EARLIER,
    FORCES,
    FOUND,
    GIVEN,
    HAS_BEFORE,
    HELD,
    MATERIAL,
    MOVES,
    OLD,
    OLD_COUNT,
    POSES,
    STATE,
    TWISTS,
    WAS_THERE,
)
from standoff.kernels.contact.tables import real_rows, whole_rows
from standoff.kernels.jit import kernel
from standoff.kernels.pairs.batch import plain_pose


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
