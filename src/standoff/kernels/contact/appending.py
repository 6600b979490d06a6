"""A contact into the table, once."""

from __future__ import annotations

from standoff.constants import CONTACT_MERGE_COSINE
from standoff.kernels.contact.layout import CONTACTS, COUNT, FOUND, STATE
from standoff.kernels.contact.tables import real_rows, whole_rows
from standoff.kernels.jit import kernel


@kernel
def append(F, W, p, q, kind_a, a, kind_b, b, kept, x, y, z, nx, ny, nz, depth):
    """A contact at the world point (x, y, z), with its normal from q to p. Where the table is full
    it is only counted: the caller makes room and begins anew."""
    C, found, state = (
        real_rows(F, W, CONTACTS, 13),
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
def merge(F, W, first, kept_first, near):
    """Leaves out, from contact ``kept_first`` on, those that lie within ``near`` of an earlier one
    from ``first`` on and have the same normal. The deeper of the two stays."""
    C, found, state = (
        real_rows(F, W, CONTACTS, 13),
        whole_rows(W, FOUND, 7),
        whole_rows(W, STATE, 1),
    )
    count = min(state[COUNT, 0], found.shape[0])
    if state[COUNT, 0] > count:
        return
    end = kept_first
    for k in range(kept_first, count):
        same = -1
        for o in range(first, end):
            if (
                abs(C[k, 0] - C[o, 0]) <= near
                and abs(C[k, 1] - C[o, 1]) <= near
                and abs(C[k, 2] - C[o, 2]) <= near
                and C[k, 3] * C[o, 3] + C[k, 4] * C[o, 4] + C[k, 5] * C[o, 5]
                >= 1.0 - CONTACT_MERGE_COSINE
            ):
                same = o
                break
        if same < 0:
            copy(C, found, k, end)
            end += 1
        elif (
            C[k, 6] > C[same, 6] and found[k, 0] == found[same, 0] and found[k, 1] == found[same, 1]
        ):
            copy(C, found, k, same)
    state[COUNT, 0] = end


@kernel
def copy(C, found, k, o):
    """Row ``k`` to row ``o``."""
    for c in range(7):
        C[o, c] = C[k, c]
        found[o, c] = found[k, c]
