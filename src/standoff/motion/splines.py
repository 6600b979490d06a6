"""Piecewise polynomials and B-splines as SciPy makes them, in powers of u piece by piece.

SciPy itself is not needed: its classes are known by their names, and their numbers by attributes.
Each function gives ``times`` (n + 1,), ``coefficients`` (n, 6, columns) and a bound (n, columns) on
how far, through rounding, the polynomials with these coefficients are from the object's own value,
both in exact arithmetic. Pieces of no length are left out.
"""

from __future__ import annotations

from math import comb
from typing import Any, NamedTuple

import numpy as np

from standoff.errors import PathError
from standoff.geometry.pose import Array
from standoff.motion.pieces import POWERS, UNDERFLOW, finite
from standoff.tolerances import EPS

#: Rounding of one coefficient of a polynomial for each power of the interval's length it was
#: multiplied by, relative to itself, [-]: half a unit for the length, half for the product.
SCALE_ROUNDING = EPS

#: Rounding of one step of de Boor's recursion, relative to the largest coefficient, [-]: a weight
#: is a quotient of two differences, its product is rounded and the sum is; 2.5 units, and a half
#: for terms of second order.
DE_BOOR_ROUNDING = 3 * EPS


_DEGREE = POWERS - 1


class Polynomials(NamedTuple):
    """A motion in powers of u; see the module."""

    times: Array
    coefficients: Array
    rounding: Array


def spline_kind(motion: Any) -> str | None:
    """``PPoly``, ``BPoly`` or ``BSpline``, also for what is derived from them; None otherwise."""
    names = [base.__name__ for base in type(motion).__mro__]
    return next((name for name in names if name in _READERS), None)


def read_spline(motion: Any) -> Polynomials:
    """The polynomials of an object for which `spline_kind` has a name.

    Raises:
        PathError: degree above 5, complex or non-finite numbers, more than one axis of values,
            breakpoints that run backwards or span no time.
    """
    kind = spline_kind(motion)
    assert kind is not None
    return _READERS[kind](motion)


def _powers(motion: Any) -> Polynomials:
    """``Σ c[m] (x - x_k)^(K - m)``: in powers of u each coefficient is multiplied by the length of
    its piece as often as its power says, so that it is off by that many SCALE_ROUNDING."""
    x, c = _breakpoints(motion.x, "x"), _values(motion.c, "c", 2)
    used = np.flatnonzero(np.any(c != 0.0, axis=(1, 2)))
    degree = len(c) - 1 - int(used[0]) if len(used) else 0
    _check_degree(degree)
    x, kept = _spans(x, c.shape[1], "x")
    c = c[::-1][: degree + 1, kept]
    length = np.diff(x)[:, None]
    coefficients = np.zeros((len(length), POWERS, c.shape[2]))
    rounding = np.full((len(length), c.shape[2]), UNDERFLOW)
    for p in range(degree + 1):
        scaled = c[p]
        with np.errstate(over="ignore", under="ignore"):
            for _ in range(p):
                scaled = scaled * length
            rounding += p * SCALE_ROUNDING * np.abs(scaled)
        coefficients[:, p] = scaled
    return Polynomials(x, coefficients, rounding)


def _bernstein(motion: Any) -> Polynomials:
    """``Σ c[a] B_a(u)`` with the same u as here."""
    x, c = _breakpoints(motion.x, "x"), _values(motion.c, "c", 2)
    _check_degree(len(c) - 1)
    x, kept = _spans(x, c.shape[1], "x")
    coefficients, rounding = _powers_of_bernstein(c[:, kept])
    return Polynomials(x, coefficients, rounding)


def _b_spline(motion: Any) -> Polynomials:
    """Between two different knots ``a < b`` the Bernstein coefficients are the values of the
    blossom at ``(a, …, a, b, …, b)``. De Boor's recursion finds them by averages with weights from
    0 to 1, so that each is off by DE_BOOR_ROUNDING of the largest coefficient a step; and since the
    Bernstein polynomials are an average too, the motion is off by no more."""
    t, c = _breakpoints(motion.t, "t"), _values(motion.c, "c", 1)
    k = int(motion.k)
    _check_degree(k)
    n = len(t) - k - 1
    if n < k + 1 or len(c) < n:
        raise PathError(
            "too few knots or coefficients",
            element="B-spline",
            value=(len(t), len(c)),
            allowed=f"{2 * k + 2} knots or more, and {k + 1} fewer coefficients",
        )
    times, kept = _spans(t[k : n + 1], n - k, "t")
    span = k + np.flatnonzero(kept)
    a, b = t[span], t[span + 1]
    points = np.empty((k + 1, len(span), c.shape[1]))
    for j in range(k + 1):
        points[j] = _blossom(t, c, k, span, [a] * (k - j) + [b] * j)
    coefficients, rounding = _powers_of_bernstein(points)
    active = np.abs(c)[span[:, None] + np.arange(-k, 1)].max(axis=1)
    return Polynomials(times, coefficients, rounding + k * DE_BOOR_ROUNDING * active + UNDERFLOW)


def _blossom(t: Array, c: Array, k: int, span: Any, arguments: list[Array]) -> Array:
    """De Boor's recursion in many spans at once, a new argument at each of its ``k`` steps."""
    d = [c[span - k + m] for m in range(k + 1)]
    for r, x in enumerate(arguments, start=1):
        for m in range(k, r - 1, -1):
            # Knots low <= t_span and high >= t_(span + 1) on both sides of the argument.
            low, high = t[span - k + m], t[span + 1 + m - r]
            below, above = (high - x) / (high - low), (x - low) / (high - low)
            d[m] = below[:, None] * d[m - 1] + above[:, None] * d[m]
    return np.asarray(d[k])


def _powers_of_bernstein(c: Array) -> tuple[Array, Array]:
    """Powers of u from Bernstein coefficients (degree + 1, n, columns): ``C(K, p) Δ^p c_0``. The
    rounding of each difference, half a unit, is carried on into all that are made from it."""
    degree = len(c) - 1
    coefficients = np.zeros((c.shape[1], POWERS, c.shape[2]))
    rounding = np.full((c.shape[1], c.shape[2]), UNDERFLOW)
    difference, error = c, np.zeros_like(c)
    for p in range(degree + 1):
        coefficients[:, p] = comb(degree, p) * difference[0]
        rounding += comb(degree, p) * error[0] + EPS * np.abs(coefficients[:, p])
        with np.errstate(over="ignore"):
            difference = difference[1:] - difference[:-1]
        error = error[1:] + error[:-1] + EPS * np.abs(difference)
    return coefficients, rounding


def _breakpoints(value: Any, element: str) -> Array:
    x = finite(value, element)
    if x.ndim != 1 or len(x) < 2:
        raise PathError(
            "wrong shape", element=element, value=x.shape, allowed="one axis, two breakpoints"
        )
    with np.errstate(over="ignore"):
        step = np.diff(x)
    if not (step >= 0.0).all():
        at = int(np.argmin(step >= 0.0)) + 1
        raise PathError(
            "breakpoints run backwards",
            element=f"{element}[{at}]",
            value=float(x[at]),
            allowed=f"{float(x[at - 1])!r} or more",
        )
    if not np.isfinite(step).all():
        raise PathError("too long", element=element, value=(float(x[0]), float(x[-1])))
    return x


def _spans(x: Array, pieces: int, element: str) -> tuple[Array, Any]:
    """The breakpoints that differ, and which of the pieces between them have a length."""
    if len(x) != pieces + 1:
        raise PathError(
            "not one piece between two breakpoints",
            element=element,
            value=len(x),
            allowed=str(pieces + 1),
        )
    kept = np.diff(x) > 0.0
    if not kept.any():
        raise PathError("spans no time", element=element, value=float(x[0]))
    return np.concatenate([x[:-1][kept], x[-1:]]), kept


def _values(value: Any, element: str, axes: int) -> Array:
    """Coefficients with one more axis for the joints, which a single joint may leave out.

    SciPy keeps the axis of interpolation in front in ``c``, whatever ``axis`` says."""
    c = finite(value, element)
    if c.ndim == axes:
        c = c[..., None]
    if c.ndim != axes + 1:
        raise PathError(
            "not one number a joint",
            element=element,
            value=c.shape,
            allowed=f"{axes} axes, and one for the joints",
        )
    return c


def _check_degree(degree: int) -> None:
    if degree > _DEGREE:
        raise PathError("too high a degree", value=degree, allowed=f"up to {_DEGREE}")


_READERS = {"PPoly": _powers, "BPoly": _bernstein, "BSpline": _b_spline}
