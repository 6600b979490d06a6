"""The search: halve intervals, most pressing first, until all is free or something is not.

Many straight segments in one call.
"""

from __future__ import annotations

import math

from standoff.compiled.arena import reals, wholes
from standoff.compiled.jit import entry, kernel
from standoff.paths.kernels import layout as p
from standoff.paths.kernels.heap import push_node, requeue
from standoff.paths.kernels.motion import load_motion
from standoff.paths.kernels.step import step_at

MOTION = "float64[:, :, ::1], float64[:, :, ::1], float64[:, ::1]"


SEARCH = f"int64(int64, {p.ARENAS}, {MOTION}, int64)"


@entry(SEARCH)
def search(stepper, general, CF, CW, SF, SW, pieces, glides, rounding, fresh):
    """Search the pieces (n, POWERS, joints) until all are free, FOUND, SPENT or a table is full; in
    that case no node is lost, and the search goes on after the table has grown. ``fresh`` 1: put
    all pieces into the queue first, whole. ``stepper`` is the address of `step`."""
    header, queue = wholes(SW, p.S_HEADER), wholes(SW, p.S_QUEUE)
    if fresh != 0:
        for k in range(pieces.shape[0]):
            pressing = -1.0 * k if header[0, p.EARLIEST] != 0 else math.inf
            push_node(SF, SW, k, 0.0, 1.0, pressing, -1, 0, 0)
            requeue(SF, SW, k)
    while header[0, p.QUEUED] > 0:
        piece = queue[0, 0]
        if header[0, p.LOADED] != piece:
            take_piece(SF, SW, pieces, glides, piece)
            load_motion(CF, CW, SF, SW, rounding, piece, False)
            header[0, p.LOADED] = piece
        status = step_at(stepper, general, CF, CW, SF, SW, piece)
        if status != p.FREE:
            return status
        requeue(SF, SW, piece)
    return p.FREE if reals(SF, SW, p.S_RESULT)[0, p.KIND] == p.NOTHING else p.FOUND


@kernel
def take_piece(SF, SW, pieces, glides, k):
    """Copy the motion of piece ``k``."""
    C, G = reals(SF, SW, p.S_COEFFICIENTS), reals(SF, SW, p.S_GLIDES)
    for n in range(p.POWERS):
        for j in range(C.shape[1]):
            C[n, j] = pieces[k, n, j]
    for g in range(G.shape[0]):
        for e in range(18):
            G[g, e] = glides[k, g, e]


CHECK = (
    f"int64(int64, {p.ARENAS}, float64[:, ::1], float64[:, ::1], float64[:, ::1], int64, int64,"
    " int64, int64[::1])"
)


@entry(CHECK)
def check_segments(stepper, general, CF, CW, SF, SW, A, B, none, budget, first, last, kinds):
    """``kinds[i]``: 0 where the segment from ``A[i]`` to ``B[i]`` is free, else the kind of what
    was found; for ``i`` from ``first`` to ``last``. Returns where it stopped: ``last``, or the
    first segment for which a table was too small. Gliding bodies rest where S_GLIDES has them;
    ``none`` is a row of zeros, ``stepper`` the address of `step`."""
    reals(SF, SW, p.S_COEFFICIENTS)[2:, :] = 0.0
    for i in range(first, last):
        status = one_segment(stepper, general, CF, CW, SF, SW, A, B, none, budget, i)
        if status > p.SPENT:
            return i
        kinds[i] = 0
        if status == p.SPENT:
            kinds[i] = p.DOUBT
        elif status == p.FOUND:
            kinds[i] = int(reals(SF, SW, p.S_RESULT)[0, p.KIND])
    return last


@kernel
def one_segment(stepper, general, CF, CW, SF, SW, A, B, none, budget, i):
    """A search of one piece, without the queue of pieces."""
    header, C, pieces = (
        wholes(SW, p.S_HEADER), reals(SF, SW, p.S_COEFFICIENTS), wholes(SW, p.S_PIECES)
    )  # fmt: skip
    for j in range(C.shape[1]):
        C[0, j], C[1, j] = A[i, j], B[i, j] - A[i, j]
    header[0, p.NODES_USED] = header[0, p.POOL_USED] = 0
    header[0, p.DISTANCES] = header[0, p.INTERVALS] = 0
    header[0, p.BUDGET], header[0, p.EARLIEST], header[0, p.PROVING] = budget, 0, 0
    reals(SF, SW, p.S_RESULT)[0, p.KIND] = p.NOTHING
    pieces[0, p.ROOT] = -1
    load_motion(CF, CW, SF, SW, none, 0, True)
    push_node(SF, SW, 0, 0.0, 1.0, 0.0, -1, 0, 0)
    while pieces[0, p.ROOT] >= 0:
        status = step_at(stepper, general, CF, CW, SF, SW, 0)
        if status != p.FREE:
            return status
    return p.FREE
