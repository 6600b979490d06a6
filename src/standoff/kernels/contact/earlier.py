"""What the last step left: who was there, and which contacts in which order."""

from __future__ import annotations

import numpy as np

from standoff.kernels.contact.layout import (
    BALL,
    BODY,
    EARLIER,
    FOUND,
    OLD_COUNT,
    PIECES,
    STATE,
    WAS_THERE,
)
from standoff.kernels.contact.tables import whole_rows
from standoff.kernels.jit import kernel


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
