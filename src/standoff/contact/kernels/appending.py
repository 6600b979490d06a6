"""A contact into the table, and which of several at one point stay there.

What the last step left: who was there, and which contacts in which order.
"""

from __future__ import annotations

import numpy as np

from standoff.compiled.jit import kernel
from standoff.contact.kernels.layout import (
    BALL,
    BODY,
    CONTACTS,
    COUNT,
    EARLIER,
    FOUND,
    LEFT_OUT,
    OLD_COUNT,
    PIECES,
    STATE,
    WAS_THERE,
)
from standoff.contact.kernels.tables import real_rows, whole_rows

#: Two contacts nearer than CONTACT_MERGE whose normals differ by less than the square root of twice
#: this are one, [rad²].
CONTACT_MERGE_COSINE = 1e-12


@kernel
def append(F, W, p, q, kind_a, a, kind_b, b, kept, x, y, z, nx, ny, nz, depth):
    """A contact at the world point (x, y, z), with its normal from q to p. Where the table is full
    it is only counted: the caller makes room and begins anew."""
    C, found, state = (
        real_rows(F, W, CONTACTS, 16),
        whole_rows(W, FOUND, 7),
        whole_rows(W, STATE, 1),
    )
    k = state[COUNT, 0]
    state[COUNT, 0] = k + 1
    if k >= found.shape[0]:
        return
    found[k, 0], found[k, 1] = p, q
    found[k, 2], found[k, 3], found[k, 4], found[k, 5] = kind_a, a, kind_b, b
    found[k, 6] = kept
    C[k, 0], C[k, 1], C[k, 2] = x, y, z
    C[k, 3], C[k, 4], C[k, 5] = nx, ny, nz
    C[k, 6] = depth


@kernel
def merge(F, W, first, next_, near):
    """Of contacts from ``first`` on that lie within ``near`` of each other and have the same normal
    one stays, the deepest, or of equals the first; the others are LEFT_OUT. Those before ``next_``
    are merged already."""
    C, found, state = (
        real_rows(F, W, CONTACTS, 16),
        whole_rows(W, FOUND, 7),
        whole_rows(W, STATE, 1),
    )
    if state[COUNT, 0] > found.shape[0]:
        return
    for k in range(next_, state[COUNT, 0]):
        if found[k, 6] >= LEFT_OUT:
            continue
        for o in range(first, k):
            if (
                found[o, 6] < LEFT_OUT
                and abs(C[k, 0] - C[o, 0]) <= near
                and abs(C[k, 1] - C[o, 1]) <= near
                and abs(C[k, 2] - C[o, 2]) <= near
                and C[k, 3] * C[o, 3] + C[k, 4] * C[o, 4] + C[k, 5] * C[o, 5]
                >= 1.0 - CONTACT_MERGE_COSINE
            ):
                found[o if C[k, 6] > C[o, 6] else k, 6] += LEFT_OUT
                break


@kernel
def drop_left_out(F, W):
    """Takes the contacts that are LEFT_OUT from the tables; the others keep their order."""
    C, found, state = (
        real_rows(F, W, CONTACTS, 16),
        whole_rows(W, FOUND, 7),
        whole_rows(W, STATE, 1),
    )
    end = 0
    for k in range(state[COUNT, 0]):
        if found[k, 6] >= LEFT_OUT:
            continue
        if end < k:
            for c in range(16):
                C[end, c] = C[k, c]
            for c in range(7):
                found[end, c] = found[k, c]
        end += 1
    state[COUNT, 0] = end


@kernel
def were_there(W, i, j):
    """Whether two bodies were both placed at the last step."""
    there = whole_rows(W, WAS_THERE, 1)
    return there[i, 0] == 1 and there[j, 0] == 1


@kernel
def comes_before(W, k, i, j, p, q):
    """Whether contact ``k`` of the last step belongs to a pair of pieces before (p, q), which are
    pieces of bodies (i, j): first by the bodies, then by the pieces."""
    old, P = whole_rows(W, EARLIER, 7), whole_rows(W, PIECES, 11)
    a, b = P[old[k, 0], BODY], P[old[k, 1], BODY]
    if a != i:
        return a < i
    if b != j:
        return b < j
    if old[k, 0] != p:
        return old[k, 0] < p
    return old[k, 1] < q


@kernel
def same_earlier(W, k, start):
    """The row of EARLIER with the features of contact ``k``, from ``start`` on, where the contacts
    of its two pieces begin; or -1. A ball has one contact with a piece, whatever it rolls onto."""
    old, found, count = (
        whole_rows(W, EARLIER, 7),
        whole_rows(W, FOUND, 7),
        whole_rows(W, STATE, 1)[OLD_COUNT, 0],
    )
    o = start
    while o < count and old[o, 0] == found[k, 0] and old[o, 1] == found[k, 1]:
        if found[k, 2] == BALL or found[k, 4] == BALL:
            return o
        if (
            old[o, 2] == found[k, 2]
            and old[o, 3] == found[k, 3]
            and old[o, 4] == found[k, 4]
            and old[o, 5] == found[k, 5]
        ):
            return o
        o += 1
    return np.int64(-1)
