"""What the closed forms share: turning into and out of a row's frame, and writing a result."""

from __future__ import annotations

import math

from standoff.compiled.jit import kernel
from standoff.geometry.narrowphase.layout import DISTANCE, NORMAL, POINT_A, POINT_B, SLACK
from standoff.tolerances import EPS, ROUNDING_UNITS


@kernel
def clamp(x, half):
    """``x`` limited to [-half, half]."""
    return min(max(x, -half), half)


@kernel
def perpendicular(x, y, z):
    """A unit vector at right angles to the unit vector (x, y, z)."""
    ax, ay, az = abs(x), abs(y), abs(z)
    if ax <= ay and ax <= az:
        length = math.sqrt(y * y + z * z)
        return 0.0, z / length, -y / length
    if ay <= az:
        length = math.sqrt(x * x + z * z)
        return -z / length, 0.0, x / length
    length = math.sqrt(x * x + y * y)
    return y / length, -x / length, 0.0


@kernel
def rotate(A, i, x, y, z):
    """(x, y, z) of the frame of row ``i``, turned into the world's axes."""
    return (
        A[i, 0] * x + A[i, 1] * y + A[i, 2] * z,
        A[i, 4] * x + A[i, 5] * y + A[i, 6] * z,
        A[i, 8] * x + A[i, 9] * y + A[i, 10] * z,
    )


@kernel
def unrotate(A, i, x, y, z):
    """(x, y, z) of the world, turned into the axes of the frame of row ``i``."""
    return (
        A[i, 0] * x + A[i, 4] * y + A[i, 8] * z,
        A[i, 1] * x + A[i, 5] * y + A[i, 9] * z,
        A[i, 2] * x + A[i, 6] * y + A[i, 10] * z,
    )


@kernel
def rounding(A, i, B, j, size):
    """Slack of an analytic pair, [m]: every coordinate and size enters a value through at most
    ROUNDING_UNITS roundings, and each of them is at most EPS of the largest sum on the way."""
    scene = abs(A[i, 3]) + abs(A[i, 7]) + abs(A[i, 11])
    scene += abs(B[j, 3]) + abs(B[j, 7]) + abs(B[j, 11])
    return ROUNDING_UNITS * EPS * (scene + size)


@kernel
def write(out, k, value, a, b, n, slack):
    """One row of results: witnesses ``a`` and ``b``, normal ``n``."""
    out[k, DISTANCE], out[k, SLACK] = value, slack
    out[k, POINT_A], out[k, POINT_A + 1], out[k, POINT_A + 2] = a
    out[k, POINT_B], out[k, POINT_B + 1], out[k, POINT_B + 2] = b
    out[k, NORMAL], out[k, NORMAL + 1], out[k, NORMAL + 2] = n


@kernel
def surface_point(A, i, core, radius, n):
    """The point of body ``i`` that lies ``radius`` against ``n`` from a point of its core, which is
    relative to the centre. Of the second body of a pair the radius is given as negative."""
    return (
        core[0] + (A[i, 3] - radius * n[0]),
        core[1] + (A[i, 7] - radius * n[1]),
        core[2] + (A[i, 11] - radius * n[2]),
    )
