"""Vectors as three floats: shorter to read, and quicker to compile than written out each time."""

from __future__ import annotations

from standoff.compiled.jit import kernel


@kernel
def load(w, at):
    """The vector at ``w[at:at + 3]``."""
    return w[at], w[at + 1], w[at + 2]


@kernel
def store(w, at, x0, x1, x2):
    w[at] = x0
    w[at + 1] = x1
    w[at + 2] = x2


@kernel
def point(P, p):
    """Row ``p`` of a table of points."""
    return P[p, 0], P[p, 1], P[p, 2]


@kernel
def dot(a0, a1, a2, b0, b1, b2):
    return a0 * b0 + a1 * b1 + a2 * b2


@kernel
def cross(a0, a1, a2, b0, b1, b2):
    return a1 * b2 - a2 * b1, a2 * b0 - a0 * b2, a0 * b1 - a1 * b0


@kernel
def minus(a0, a1, a2, b0, b1, b2):
    return a0 - b0, a1 - b1, a2 - b2


@kernel
def plus(a0, a1, a2, t, u0, u1, u2):
    """a + t u."""
    return a0 + t * u0, a1 + t * u1, a2 + t * u2


@kernel
def square(ax, ay, az, bx, by, bz):
    """What of a is square to b, for b of any length but 0."""
    s = (ax * bx + ay * by + az * bz) / (bx * bx + by * by + bz * bz)
    return ax - s * bx, ay - s * by, az - s * bz


@kernel
def between(work, a, b):
    """From the vector at ``a`` to the one at ``b``."""
    return work[b] - work[a], work[b + 1] - work[a + 1], work[b + 2] - work[a + 2]


@kernel
def turn(rel, x0, x1, x2):
    """R x, for a pose ``rel`` of twelve floats: R row-major, then t."""
    return (
        rel[0] * x0 + rel[1] * x1 + rel[2] * x2,
        rel[3] * x0 + rel[4] * x1 + rel[5] * x2,
        rel[6] * x0 + rel[7] * x1 + rel[8] * x2,
    )


@kernel
def place(rel, x0, x1, x2):
    """R x + t."""
    y0, y1, y2 = turn(rel, x0, x1, x2)
    return y0 + rel[9], y1 + rel[10], y2 + rel[11]


@kernel
def unturn(rel, x0, x1, x2):
    """R' x."""
    return (
        rel[0] * x0 + rel[3] * x1 + rel[6] * x2,
        rel[1] * x0 + rel[4] * x1 + rel[7] * x2,
        rel[2] * x0 + rel[5] * x1 + rel[8] * x2,
    )


@kernel
def unplace(rel, y0, y1, y2):
    """R' (y - t)."""
    return unturn(rel, y0 - rel[9], y1 - rel[10], y2 - rel[11])


@kernel
def in_axes(X, p, d0, d1, d2):
    """The components of d along the three axes in the first nine columns of row ``p``."""
    return (
        X[p, 0] * d0 + X[p, 1] * d1 + X[p, 2] * d2,
        X[p, 3] * d0 + X[p, 4] * d1 + X[p, 5] * d2,
        X[p, 6] * d0 + X[p, 7] * d1 + X[p, 8] * d2,
    )
