"""Velocities that follow from two poses and the time between them."""

from __future__ import annotations

from standoff.kernels.contact.between import turning
from standoff.kernels.contact.layout import CENTROIDS, GIVEN, HELD, TWISTS, WAS_THERE
from standoff.kernels.contact.tables import real_rows, whole_rows
from standoff.kernels.jit import entry


@entry("void(float64[::1], int64[::1], float64)")
def take_rates(F, W, dt):
    """TWISTS of all bodies from HELD and GIVEN, ``dt`` seconds apart: the mean velocities of
    centroids and the mean angular velocities, turning the shorter way; 0 of bodies that were not
    there before."""
    A, B, C = real_rows(F, W, HELD, 16), real_rows(F, W, GIVEN, 16), real_rows(F, W, CENTROIDS, 3)
    T = real_rows(F, W, TWISTS, 6)
    for i in range(T.shape[0]):
        if whole_rows(W, WAS_THERE, 1)[i, 0] == 0:
            for c in range(6):
                T[i, c] = 0.0
            continue
        for r in range(3):
            way = B[i, 4 * r + 3] - A[i, 4 * r + 3]
            for c in range(3):
                way += (B[i, 4 * r + c] - A[i, 4 * r + c]) * C[i, c]
            T[i, r] = way / dt
        x, y, z, angle = turning(A, B, i)
        T[i, 3], T[i, 4], T[i, 5] = x * angle / dt, y * angle / dt, z * angle / dt
