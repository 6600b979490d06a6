"""Cycle after cycle in one call, for as long as there is nothing to tell."""

from __future__ import annotations

import math

from standoff.kernels.jit import entry
from standoff.kernels.monitor.cycle import cycle


@entry(
    "Tuple((int64, int64, float64))(int64, float64[::1], int64[::1], float64[::1], int64[::1], "
    "float64[:,::1], float64[:,:,::1], float64[::1], float64, float64, float64, float64[::1])"
)
def quiet_cycles(general, F, W, XF, XW, Q, poses, times, last, period, late, clearances):
    """A `cycle` for each row of ``Q`` at its time, up to the first with something to tell.

    Args:
        poses: of the moving bodies, the same for all rows.
        last: time of the reading before the first row, [s].
        period, late: least time that a mover is given to move, and the longest between two
            readings, [s].
        clearances: where those of the quiet cycles go.

    Returns:
        How many were quiet; what the next one told, 0 where there is none, and -1 where it was not
        run, as its time is none to follow the one before; and its clearance.
    """
    for k in range(Q.shape[0]):
        dt = times[k] - last
        if not 0.0 < dt <= late:
            return k, -1, math.inf
        told, clearance = cycle(
            general, F, W, XF, XW, Q[k], poses, dt, dt if dt > period else period, 0
        )
        if told != 0:
            return k, told, clearance
        clearances[k] = clearance
        last = times[k]
    return Q.shape[0], 0, math.inf
