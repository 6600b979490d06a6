"""Curves in exact rational arithmetic, from their definitions."""

from fractions import Fraction
from math import comb

import numpy as np


def polynomial(coefficients, u):
    """``Σ c_p u^p``, c from the constant on."""
    total = Fraction(0)
    for c in reversed([Fraction(float(c)) for c in coefficients]):
        total = total * u + c
    return total


def horner(coefficients, u):
    """The same in float64, as kernels do it."""
    total = 0.0
    for c in reversed([float(c) for c in coefficients]):
        total = total * u + c
    return Fraction(total)


def power_curve(c, x, k, j, t):
    """Value of SciPy's ``PPoly`` in piece ``k``, from its definition."""
    return polynomial(c[::-1, k, j], t - Fraction(float(x[k])))


def bernstein_curve(c, x, k, j, t):
    a, b = Fraction(float(x[k])), Fraction(float(x[k + 1]))
    s, n = (t - a) / (b - a), len(c) - 1
    return sum(
        comb(n, i) * s**i * (1 - s) ** (n - i) * Fraction(float(c[i, k, j])) for i in range(n + 1)
    )


def b_spline(t, c, degree, span, j, x):
    """Value of a B-spline by the recursion of Cox and de Boor, in the span [t_span, t_span+1]."""
    knots = [Fraction(float(v)) for v in t]

    def basis(i, k):
        if k == 0:
            return Fraction(int(i == span))
        total = Fraction(0)
        if knots[i + k] != knots[i]:
            total += (x - knots[i]) / (knots[i + k] - knots[i]) * basis(i, k - 1)
        if knots[i + k + 1] != knots[i + 1]:
            rest = (knots[i + k + 1] - x) / (knots[i + k + 1] - knots[i + 1])
            total += rest * basis(i + 1, k - 1)
        return total

    active = range(span - degree, span + 1)
    return sum(Fraction(float(c[i, j])) * basis(i, degree) for i in active)


def instants(rng, count=4):
    """Fractions of a piece, its ends among them."""
    return [0.0, 1.0, float(np.nextafter(1.0, 0.0)), *map(float, rng.random(count))]


def when(times, k, u):
    a, b = Fraction(float(times[k])), Fraction(float(times[k + 1]))
    return a + Fraction(u) * (b - a)
