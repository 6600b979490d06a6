"""Force (1) of paper 003 at each contact, and what they add up to on each body."""

from __future__ import annotations

import math

from standoff.kernels.contact.layout import (
    BODIES,
    BODY,
    CONTACTS,
    COULOMB,
    COUNT,
    DAMPING,
    FORCES,
    FOUND,
    FRICTION,
    MATERIAL,
    PIECES,
    POSES,
    PULLS,
    STATE,
    STIFFNESS,
    TWISTS,
)
from standoff.kernels.contact.tables import real_rows, whole_rows
from standoff.kernels.jit import kernel


@kernel
def apply_forces(F, W):
    """Relative velocity and force of every contact; force and moment on every body. The force on b
    is the one on a with the other sign, so what is added is taken away, bit for bit."""
    C, found, P = real_rows(F, W, CONTACTS, 13), whole_rows(W, FOUND, 7), whole_rows(W, PIECES, 11)
    X, total, state = (
        real_rows(F, W, POSES, 12),
        real_rows(F, W, FORCES, 3),
        whole_rows(W, STATE, 1),
    )
    bodies = whole_rows(W, BODIES, 2).shape[0]
    for i in range(2 * bodies):
        for c in range(3):
            total[i, c] = 0.0
    for k in range(state[COUNT, 0]):
        a, b = P[found[k, 0], BODY], P[found[k, 1], BODY]
        u0, u1, u2 = point_velocity(F, W, a, C[k, 0], C[k, 1], C[k, 2])
        v0, v1, v2 = point_velocity(F, W, b, C[k, 0], C[k, 1], C[k, 2])
        C[k, 7], C[k, 8], C[k, 9] = u0 - v0, u1 - v1, u2 - v2
        x, y, z = force_of(F, W, a, b, k)
        C[k, 10], C[k, 11], C[k, 12] = x, y, z
        for side in range(2):
            i = a if side == 0 else b
            sign = 1.0 if side == 0 else -1.0
            r0, r1, r2 = C[k, 0] - X[i, 3], C[k, 1] - X[i, 7], C[k, 2] - X[i, 11]
            total[i, 0] += sign * x
            total[i, 1] += sign * y
            total[i, 2] += sign * z
            total[bodies + i, 0] += sign * (r1 * z - r2 * y)
            total[bodies + i, 1] += sign * (r2 * x - r0 * z)
            total[bodies + i, 2] += sign * (r0 * y - r1 * x)


@kernel
def point_velocity(F, W, i, x, y, z):
    """The velocity of the point of body ``i`` that is at (x, y, z)."""
    X, T = real_rows(F, W, POSES, 12), real_rows(F, W, TWISTS, 6)
    r0, r1, r2 = x - X[i, 3], y - X[i, 7], z - X[i, 11]
    return (
        T[i, 0] + T[i, 4] * r2 - T[i, 5] * r1,
        T[i, 1] + T[i, 5] * r0 - T[i, 3] * r2,
        T[i, 2] + T[i, 3] * r1 - T[i, 4] * r0,
    )


@kernel
def force_of(F, W, a, b, k):
    """f = K d n - B v_n - g v_t on body ``a`` at contact ``k``.

    The bodies are springs with dampers in series, K = Ka Kb / (Ka + Kb): of the approach, a share
    Kb / (Ka + Kb) is taken up by a, and its damper counts with the square of that. Friction is the
    mean of both."""
    C, M, state = (
        real_rows(F, W, CONTACTS, 13),
        real_rows(F, W, MATERIAL, 6),
        whole_rows(W, STATE, 1),
    )
    share = share_of(M[a, STIFFNESS], M[b, STIFFNESS])
    rest = 1.0 - share
    stiffness = share * M[a, STIFFNESS] if share > 0.0 else M[b, STIFFNESS]
    damping = share * share * M[a, DAMPING] + rest * rest * M[b, DAMPING]
    friction = 0.5 * (M[a, FRICTION] + M[b, FRICTION])
    nx, ny, nz = C[k, 3], C[k, 4], C[k, 5]
    vx, vy, vz = C[k, 7], C[k, 8], C[k, 9]
    vn = vx * nx + vy * ny + vz * nz
    normal = stiffness * C[k, 6] - damping * vn
    if normal < 0.0 and state[PULLS, 0] == 0:
        normal = 0.0
    tx, ty, tz = vx - vn * nx, vy - vn * ny, vz - vn * nz
    slip = math.sqrt(tx * tx + ty * ty + tz * tz)
    coulomb = pair_coulomb(M[a, COULOMB], M[b, COULOMB])
    if coulomb >= 0.0 and friction * slip > coulomb * max(normal, 0.0):
        friction = coulomb * max(normal, 0.0) / slip
    return (
        normal * nx - friction * tx,
        normal * ny - friction * ty,
        normal * nz - friction * tz,
    )


@kernel
def share_of(a, b):
    """What of an approach the spring ``a`` takes up; it may be rigid (infinite), but not both."""
    if math.isinf(a):
        return 0.0
    if math.isinf(b):
        return 1.0
    return b / (a + b)


@kernel
def pair_coulomb(a, b):
    """The mean of the coefficients; the one given where the other is not; negative for neither."""
    if a < 0.0:
        return b
    return a if b < 0.0 else 0.5 * (a + b)
