"""On which side of a triangle a point lies, without rounding.

The determinant is computed in float64 first, with a bound on its error; where the bound does not
settle the sign, the six products are summed exactly as an expansion of float64 numbers that do
not overlap (Shewchuk 1997). Differences of coordinates must be exact, as they are for multiples
of ``GRID_STEP`` of size up to 1.
"""

from __future__ import annotations

from standoff.compiled.jit import kernel
from standoff.tolerances import EPS

#: Splits a float64 into two halves of 26 bits, whose products are exact.
_SPLITTER = 134217729.0

#: Numbers up to 1 are at most 2^51 such steps, and their differences have at most 52 bits.
GRID_STEP = 2.0**-51

#: Room for the expansion: six triple products of four terms each.
TERMS = 24


@kernel
def above(points, a, b, c, p, terms):
    """1 where ``p`` is above the triangle a, b, c (seen counter-clockwise from there), -1 where it
    is below, 0 in its plane. ``terms`` is scratch of TERMS numbers."""
    x, y, z = points[p, 0], points[p, 1], points[p, 2]
    ax, ay, az = points[a, 0] - x, points[a, 1] - y, points[a, 2] - z
    bx, by, bz = points[b, 0] - x, points[b, 1] - y, points[b, 2] - z
    cx, cy, cz = points[c, 0] - x, points[c, 1] - y, points[c, 2] - z
    ab, ba = ax * by, ay * bx
    bc, cb = bx * cy, by * cx
    ca, ac = cx * ay, cy * ax
    value = (ba - ab) * cz + (cb - bc) * az + (ac - ca) * bz
    # Six products of three, five sums: less than eight roundings of the sum of magnitudes.
    bound = (
        (abs(ab) + abs(ba)) * abs(cz)
        + (abs(bc) + abs(cb)) * abs(az)
        + (abs(ca) + abs(ac)) * abs(bz)
    )
    bound *= 8.0 * EPS
    if value > bound:
        return 1
    if value < -bound:
        return -1
    count = _triple(terms, 0, ay, bx, cz)
    count = _triple(terms, count, -ax, by, cz)
    count = _triple(terms, count, by, cx, az)
    count = _triple(terms, count, -bx, cy, az)
    count = _triple(terms, count, cy, ax, bz)
    count = _triple(terms, count, -cx, ay, bz)
    for k in range(count - 1, -1, -1):
        if terms[k] != 0.0:
            return 1 if terms[k] > 0.0 else -1
    return 0


@kernel
def _triple(terms, count, x, y, z):
    """Add x y z to the expansion, exactly; returns its number of terms."""
    high, low = _product(x, y)
    hh, hl = _product(high, z)
    lh, ll = _product(low, z)
    count = _grow(terms, count, ll)
    count = _grow(terms, count, lh)
    count = _grow(terms, count, hl)
    return _grow(terms, count, hh)


@kernel
def _grow(terms, count, value):
    for k in range(count):
        total = value + terms[k]
        part = total - value
        terms[k] = (value - (total - part)) + (terms[k] - part)
        value = total
    terms[count] = value
    return count + 1


@kernel
def _product(x, y):
    """x y as a rounded product and its exact error (Dekker)."""
    product = x * y
    t = _SPLITTER * x
    xh = t - (t - x)
    xl = x - xh
    t = _SPLITTER * y
    yh = t - (t - y)
    yl = y - yh
    return product, xl * yl - (((product - xh * yh) - xl * yh) - xh * yl)
