"""One body seen from another."""

from __future__ import annotations

from standoff.compiled.jit import kernel


@kernel
def relative(X, i, j, rel):
    """The pose of body ``i`` in the frame of body ``j`` into the twelve numbers of ``rel``: R
    row-major, then t. ``X`` is POSES or BEFORE."""
    dx, dy, dz = X[i, 3] - X[j, 3], X[i, 7] - X[j, 7], X[i, 11] - X[j, 11]
    for r in range(3):
        u, v, w = X[j, r], X[j, 4 + r], X[j, 8 + r]
        for c in range(3):
            rel[3 * r + c] = u * X[i, c] + v * X[i, 4 + c] + w * X[i, 8 + c]
        rel[9 + r] = u * dx + v * dy + w * dz


@kernel
def to_world(X, i, x, y, z):
    """A point of body ``i`` in the world; ``X`` is POSES."""
    return (
        X[i, 0] * x + X[i, 1] * y + X[i, 2] * z + X[i, 3],
        X[i, 4] * x + X[i, 5] * y + X[i, 6] * z + X[i, 7],
        X[i, 8] * x + X[i, 9] * y + X[i, 10] * z + X[i, 11],
    )


@kernel
def turn_back(rel, x, y, z):
    """R' x, for a pose ``rel`` of twelve numbers."""
    return (
        rel[0] * x + rel[3] * y + rel[6] * z,
        rel[1] * x + rel[4] * y + rel[7] * z,
        rel[2] * x + rel[5] * y + rel[8] * z,
    )
