"""Where all frames are at many instants, and how they move there: plain products of matrices.

Joints are polynomials in u, many at a time: values, derivatives, and the largest they get on an
interval. Coefficients have shape (..., powers), lowest power first.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from standoff.geometry.pose import Array
from standoff.paths.verify.cell_model import Ints, Model
from standoff.paths.verify.triangles import cross
from standoff.tolerances import EPS


@dataclass(frozen=True, eq=False)
class Instants:
    """Attributes:
    turn, place: (n, all frames, 3, 3) and (n, all frames, 3): poses in the world.
    spin, speed: (n, all frames, 3): angular velocity and velocity of the origin, a unit of u.
    """

    turn: Array
    place: Array
    spin: Array
    speed: Array

    def poses(self, at: Ints, frames: Ints | int, local: Array) -> tuple[Array, Array]:
        """Where parts are that are ``local`` (..., 4, 4) in their frames, each at its own of the
        instants: (n, 3, 3) and (n, 3)."""
        turn, place = self.turn[at, frames], self.place[at, frames]
        return turn @ local[..., :3, :3], (turn @ local[..., :3, 3:])[..., 0] + place


def instants(model: Model, coefficients: Array, glides: Array, u: Array) -> Instants:
    """The frames at n instants, each with the coefficients (n, 6, joints) and the glides
    (n, moving, 18) of its piece."""
    powers = np.moveaxis(coefficients, 1, -1)
    q = value(powers, u[:, None])
    dq = value(derivative(powers), u[:, None])
    return frames_at(model, q, dq, glides, u)


def frames_at(model: Model, q: Array, dq: Array, glides: Array, u: Array) -> Instants:
    """The frames at ``q`` (n, joints) moving at ``dq``, the moving bodies at ``u`` of their way."""
    n, count = len(q), model.frames
    everything = count + len(model.moving)
    turn = np.zeros((n, everything, 3, 3))
    turn[:, 0] = np.eye(3)
    place, spin, speed = (np.zeros((n, everything, 3)) for _ in range(3))
    for f in range(1, count):
        p, k = model.parent[f], model.index[f]
        x = model.multiplier[f] * q[:, k] + model.offset[f]
        rate = (model.multiplier[f] * dq[:, k])[:, None]
        start = model.origin[f]
        here = turn[:, p] @ start[:3, :3]
        axis = here[:, :, 2]
        lever = turn[:, p] @ start[:3, 3]
        if model.slides[f]:
            lever = lever + x[:, None] * axis
            turn[:, f] = here
        else:
            turn[:, f] = here @ _about_z(x)
        place[:, f] = place[:, p] + lever
        spin[:, f] = spin[:, p]
        speed[:, f] = speed[:, p] + cross(spin[:, p], lever)
        if model.slides[f]:
            speed[:, f] += rate * axis
        else:
            spin[:, f] += rate * axis
    for b in range(len(model.moving)):
        row = glides[:, b]
        pose = row[:, :12].reshape(n, 3, 4)
        linear, angular = row[:, 12:15], row[:, 15:]
        turn[:, count + b] = rotations(u[:, None] * angular) @ pose[:, :, :3]
        place[:, count + b] = pose[:, :, 3] + u[:, None] * linear
        spin[:, count + b], speed[:, count + b] = angular, linear
    return Instants(turn, place, spin, speed)


def rotations(vectors: Array) -> Array:
    """Rotations (n, 3, 3) about vectors (n, 3) by their lengths:
    ``v -> v cos θ + k x v sin θ + k (k·v) (1 - cos θ)``."""
    angle = np.sqrt((vectors * vectors).sum(axis=1))
    k = vectors / np.where(angle > 0.0, angle, 1.0)[:, None]
    sine, half = np.sin(angle), np.sin(0.5 * angle)
    columns = np.broadcast_to(np.eye(3), (len(vectors), 3, 3))
    crossed = np.cross(k[:, None, :], columns)  # row i: k x e_i
    along = k[:, :, None] * k[:, None, :]
    versine = (2.0 * half * half)[:, None, None]
    rows = columns * (1.0 - versine) + sine[:, None, None] * crossed + versine * along
    return np.ascontiguousarray(np.swapaxes(rows, 1, 2))


def _about_z(angle: Array) -> Array:
    result = np.zeros((len(angle), 3, 3))
    result[:, 0, 0] = result[:, 1, 1] = np.cos(angle)
    result[:, 1, 0] = np.sin(angle)
    result[:, 0, 1] = -result[:, 1, 0]
    result[:, 2, 2] = 1.0
    return result


#: Halvings that take an interval of [0, 1] down to neighbouring float64.
_HALVINGS = 64


def value(c: Array, u: Array) -> Array:
    """At ``u`` (...)."""
    result = np.zeros(np.broadcast_shapes(c.shape[:-1], u.shape))
    for p in range(c.shape[-1] - 1, -1, -1):
        result = result * u + c[..., p]
    return result


def derivative(c: Array) -> Array:
    """Its coefficients, one power fewer (one zero for a constant)."""
    if c.shape[-1] == 1:
        return np.zeros_like(c)
    return np.asarray(c[..., 1:] * np.arange(1.0, c.shape[-1]))


def shortened(c: Array) -> Array:
    """Without the highest powers that none of them has; one is left."""
    used = c.reshape(-1, c.shape[-1]).any(axis=0)
    return c[..., : int(np.max(np.flatnonzero(used), initial=0)) + 1]


def extremes(c: Array, start: Array, end: Array) -> tuple[Array, Array]:
    """Smallest and largest value from ``start`` to ``end``, rounded outwards.

    They are taken at an end or where the derivative is 0; see `_roots`."""
    c = shortened(c)
    start, end = (np.broadcast_to(x, c.shape[:-1]) for x in (start, end))
    at = np.concatenate([start[..., None], _roots(derivative(c), start, end)], axis=-1)
    values = value(c[..., None, :], at)
    slack = 16.0 * EPS * np.abs(c).sum(axis=-1)
    return values.min(axis=-1) - slack, values.max(axis=-1) + slack


def largest(c: Array, start: Array, end: Array) -> Array:
    """The largest magnitude from ``start`` to ``end``, rounded up; exact for a constant."""
    if not c[..., 1:].any():
        return np.broadcast_to(np.abs(c[..., 0]), c.shape[:-1])
    low, high = extremes(c, start, end)
    return np.maximum(-low, high)


def _roots(c: Array, start: Array, end: Array) -> Array:
    """(..., powers): places from ``start`` to ``end`` that hold all roots, ``end`` among them.

    Between two neighbouring roots of its derivative a polynomial is monotonic and has one root at
    most, which halving finds to the last bit. Where a rounded root of the derivative hides two
    roots, they are a unit of rounding apart, and whatever has this derivative is flat between."""
    if c.shape[-1] == 1:
        return end[..., None]
    inner = np.sort(_roots(derivative(c), start, end), axis=-1)
    low = np.concatenate([start[..., None], inner[..., :-1]], axis=-1)
    high = inner.copy()
    falls = value(c[..., None, :], low) > 0.0
    for _ in range(_HALVINGS):
        middle = 0.5 * (low + high)
        right = (value(c[..., None, :], middle) > 0.0) == falls
        low, high = np.where(right, middle, low), np.where(right, high, middle)
    return np.concatenate([high, end[..., None]], axis=-1)
