"""Rotations as the page takes them, and from one pose towards another."""

from __future__ import annotations

import math

import numpy as np

from standoff.geometry.pose import Array, rigid, rotation_of_quaternion


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


#: The fastest that a hand drives a body: [m/s] and [rad/s].
BODY, TURN = 1.5, 3.0


def towards(here: Array, there: Array, dt: float) -> Array:
    """Where one is that goes from ``here`` to ``there`` for ``dt`` [s] at most."""
    far = float(np.linalg.norm(there[:3, 3] - here[:3, 3]))
    _, angle = _turn(here, there)
    if far <= BODY * dt and angle <= TURN * dt:
        return there.copy()
    way = min(1.0, BODY * dt / far) if far > 0.0 else 1.0
    turn = min(1.0, TURN * dt / angle) if angle > 0.0 else 1.0
    return _part(here, there, way, turn)


def between(here: Array, there: Array, share: float) -> Array:
    """A share, from 0 to 1, of the way and of the turn; ``there`` itself at 1."""
    return there.copy() if share == 1.0 else _part(here, there, share, share)


def _part(here: Array, there: Array, way: float, turn: float) -> Array:
    result = here.copy()
    result[:3, 3] += way * (there[:3, 3] - here[:3, 3])
    axis, angle = _turn(here, there)
    half = 0.5 * turn * angle
    quaternion = np.array([math.cos(half), *(math.sin(half) * axis)])
    result[:3, :3] = rotation_of_quaternion(quaternion) @ here[:3, :3]
    return rigid(result)


def _turn(here: Array, there: Array) -> tuple[Array, float]:
    """Axis and angle [rad], up to half a turn, from one attitude to the other. Half a turn has no
    shortest way, and either is one."""
    w, *v = quaternions((there[:3, :3] @ here[:3, :3].T)[None])[0].tolist()
    sine = math.hypot(*v)
    if sine == 0.0:
        return np.array([1.0, 0.0, 0.0]), 0.0
    # A quaternion and its opposite are the same turn: the one with w >= 0 is the shorter.
    axis = np.array(v) / (sine if w >= 0.0 else -sine)
    return axis, 2.0 * math.atan2(sine, abs(w))
