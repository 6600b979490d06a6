"""Rotations as the page takes them."""

from __future__ import annotations

import numpy as np

from standoff.geometry.pose import Array


def quaternions(R: Array) -> Array:
    """(n, 4) unit quaternions w, x, y, z of rotations (n, 3, 3)."""
    xx, yy, zz = R[:, 0, 0], R[:, 1, 1], R[:, 2, 2]
    # Four times the square of each component; the largest one is divided by.
    squares = np.stack(
        [1 + xx + yy + zz, 1 + xx - yy - zz, 1 - xx + yy - zz, 1 - xx - yy + zz], axis=1
    )
    wx, wy, wz = R[:, 2, 1] - R[:, 1, 2], R[:, 0, 2] - R[:, 2, 0], R[:, 1, 0] - R[:, 0, 1]
    xy, xz, yz = R[:, 0, 1] + R[:, 1, 0], R[:, 0, 2] + R[:, 2, 0], R[:, 1, 2] + R[:, 2, 1]
    rows = np.stack(
        [
            np.stack([squares[:, 0], wx, wy, wz], axis=1),
            np.stack([wx, squares[:, 1], xy, xz], axis=1),
            np.stack([wy, xy, squares[:, 2], yz], axis=1),
            np.stack([wz, xz, yz, squares[:, 3]], axis=1),
        ],
        axis=1,
    )
    chosen = rows[np.arange(len(R)), np.argmax(squares, axis=1)]
    return np.asarray(chosen / np.linalg.norm(chosen, axis=1, keepdims=True))
