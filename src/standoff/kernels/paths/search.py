"""The search: halve intervals, most pressing first, until all is free or something is not."""

from __future__ import annotations

import math

from standoff.kernels.arena import reals, wholes
from standoff.kernels.jit import entry, kernel
from standoff.kernels.paths import layout as p
from standoff.kernels.paths.heap import push_node, requeue
from standoff.kernels.paths.motion import load_motion
from standoff.kernels.paths.stepping import step_at

MOTION = "float64[:, :, ::1], float64[:, :, ::1], float64[:, ::1]"


@entry(f"int64(int64, {p.ARENAS}, {MOTION}, int64)")
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
            load_motion(CF, CW, SF, SW, rounding, piece)
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
