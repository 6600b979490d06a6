"""Poses in rows of twelve numbers, ``[R | t]`` row-major: composed, and turned about an axis."""

from __future__ import annotations

import math

from standoff.compiled.jit import inlined, kernel


@inlined
def place_row(frames, f, local, i, rows, k):
    """Row ``k`` of ``rows``: the pose ``local[i]`` on frame ``f``."""
    for r in range(0, 12, 4):
        rows[k, r], rows[k, r + 1], rows[k, r + 2], rows[k, r + 3] = compose(
            frames[f, r], frames[f, r + 1], frames[f, r + 2], frames[f, r + 3], local, i
        )


@inlined
def compose(a, b, c, shift, local, i):
    """One row of the product of a frame, whose row (a, b, c, shift) is, and ``local[i]``."""
    return (
        a * local[i, 0] + b * local[i, 4] + c * local[i, 8],
        a * local[i, 1] + b * local[i, 5] + c * local[i, 9],
        a * local[i, 2] + b * local[i, 6] + c * local[i, 10],
        shift + (a * local[i, 3] + b * local[i, 7] + c * local[i, 11]),
    )


@kernel
def turn_of(start, rows, i):
    """How row ``i`` is turned from ``start`` to ``rows``, R(1) R(0)^T: the sine times the axis,
    from what is not symmetric, the sine, and the cosine, from the diagonal."""
    xx, xy, xz = turned_row(start, rows, i, 0)
    yx, yy, yz = turned_row(start, rows, i, 4)
    zx, zy, zz = turned_row(start, rows, i, 8)
    x, y, z = 0.5 * (zy - yz), 0.5 * (xz - zx), 0.5 * (yx - xy)
    return x, y, z, length(x, y, z), 0.5 * (xx + yy + zz - 1.0)


@kernel
def turned_row(start, rows, i, r):
    """Row ``r / 4`` of R(1) R(0)^T."""
    a, b, c = rows[i, r], rows[i, r + 1], rows[i, r + 2]
    return (
        a * start[i, 0] + b * start[i, 1] + c * start[i, 2],
        a * start[i, 4] + b * start[i, 5] + c * start[i, 6],
        a * start[i, 8] + b * start[i, 9] + c * start[i, 10],
    )


@kernel
def turn_row(P, i, x, y, z, angle, out, k):
    """The rotation of row ``i`` turned about the unit vector (x, y, z), into row ``k`` of ``out``:
    each column ``p`` becomes ``p cos + (n x p) sin + n (n·p) (1 - cos)``."""
    s, c = math.sin(angle), math.cos(angle)
    for column in range(3):
        px, py, pz = P[i, column], P[i, 4 + column], P[i, 8 + column]
        along = (x * px + y * py + z * pz) * (1.0 - c)
        out[k, column] = px * c + (y * pz - z * py) * s + x * along
        out[k, 4 + column] = py * c + (z * px - x * pz) * s + y * along
        out[k, 8 + column] = pz * c + (x * py - y * px) * s + z * along


@inlined
def length(x, y, z):
    return math.sqrt(x * x + y * y + z * z)
