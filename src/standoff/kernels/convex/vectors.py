"""Vectors of three numbers, as locals or as three entries of a scratch array.

One call in place of nine operations: the compiler's time goes with the operations it has to type.
"""

from __future__ import annotations

from standoff.kernels.jit import kernel


@kernel
def load(work, at):
    return work[at], work[at + 1], work[at + 2]


@kernel
def store(work, at, x, y, z):
    work[at] = x
    work[at + 1] = y
    work[at + 2] = z


@kernel
def between(work, a, b):
    """From the vector at ``a`` to the one at ``b``."""
    return work[b] - work[a], work[b + 1] - work[a + 1], work[b + 2] - work[a + 2]


@kernel
def dot(ax, ay, az, bx, by, bz):
    return ax * bx + ay * by + az * bz


@kernel
def cross(ax, ay, az, bx, by, bz):
    return ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx


@kernel
def plus(ax, ay, az, s, bx, by, bz):
    """a + s b."""
    return ax + s * bx, ay + s * by, az + s * bz


@kernel
def square(ax, ay, az, bx, by, bz):
    """What of a is square to b, for b of any length but 0."""
    s = (ax * bx + ay * by + az * bz) / (bx * bx + by * by + bz * bz)
    return ax - s * bx, ay - s * by, az - s * bz
