"""Velocities that follow from two poses and the time between them."""

from __future__ import annotations

import numpy as np

from standoff.shapes.pose import Array


def rates(before: Array, now: Array, centroids: Array, dt: float) -> Array:
    """(n, 6): the mean velocities of centroids and the mean angular velocities between two tables
    of 4 x 4 poses, ``dt`` seconds apart; turns by less than half a turn."""
    a, b = before.reshape(-1, 4, 4), now.reshape(-1, 4, 4)
    places = [np.einsum("nij,nj->ni", x[:, :3, :3], centroids) + x[:, :3, 3] for x in (a, b)]
    result = np.empty((len(a), 6))
    result[:, :3] = (places[1] - places[0]) / dt
    turn = b[:, :3, :3] @ a[:, :3, :3].transpose(0, 2, 1)
    skew = (turn - turn.transpose(0, 2, 1)) / 2.0
    axis = np.stack([skew[:, 2, 1], skew[:, 0, 2], skew[:, 1, 0]], axis=1)
    sine = np.linalg.norm(axis, axis=1)
    angle = np.arctan2(sine, (np.trace(turn, axis1=1, axis2=2) - 1.0) / 2.0)
    ratio = np.where(sine > 0.0, angle / np.where(sine > 0.0, sine, 1.0), 1.0)
    result[:, 3:] = axis * (ratio / dt)[:, None]
    return result
