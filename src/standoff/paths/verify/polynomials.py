"""Polynomials in u, many at a time: values, derivatives, and the largest they get on an interval.

Coefficients have shape (..., powers), lowest power first.
"""

from __future__ import annotations

import numpy as np

from standoff.constants import EPS
from standoff.shapes.pose import Array

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
