"""Many straight segments in one call."""

from __future__ import annotations

from standoff.kernels.arena import reals, wholes
from standoff.kernels.jit import entry, kernel
from standoff.kernels.paths import layout as p
from standoff.kernels.paths.heap import push_node
from standoff.kernels.paths.motion import load_motion
from standoff.kernels.paths.stepping import step_at


@entry(
    f"int64(int64, {p.ARENAS}, float64[:, ::1], float64[:, ::1], float64[:, ::1], int64, int64,"
    " int64, int64[::1])"
)
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
    load_motion(CF, CW, SF, SW, none, 0)
    push_node(SF, SW, 0, 0.0, 1.0, 0.0, -1, 0, 0)
    while pieces[0, p.ROOT] >= 0:
        status = step_at(stepper, general, CF, CW, SF, SW, 0)
        if status != p.FREE:
            return status
    return p.FREE
