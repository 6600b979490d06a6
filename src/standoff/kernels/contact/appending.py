"""A contact into the table, and which of several at one point stay there."""

from __future__ import annotations

from standoff.constants import CONTACT_MERGE_COSINE
from standoff.kernels.contact.layout import CONTACTS, COUNT, FOUND, LEFT_OUT, STATE
from standoff.kernels.contact.tables import real_rows, whole_rows
from standoff.kernels.jit import kernel


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
