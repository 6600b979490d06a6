"""Force (1) of paper 003 at each contact, and what they add up to on each body."""

from __future__ import annotations

import math

from standoff.compiled.jit import kernel
from standoff.contact.kernels.appending import comes_before, same_earlier
from standoff.contact.kernels.frames import to_world
from standoff.contact.kernels.layout import (
    BEFORE,
    BODIES,
    BODY,
    CONTACTS,
    COULOMB,
    COUNT,
    DAMPING,
    FORCES,
    FOUND,
    FRICTION,
    LEFT_OUT,
    MATERIAL,
    OLD,
    OLD_COUNT,
    PIECES,
    POSES,
    PULLS,
    STATE,
    STIFFNESS,
    TWISTS,
)
from standoff.contact.kernels.tables import real_rows, whole_rows
from standoff.geometry.narrowphase.rows import rotate, unrotate


@kernel
def apply_forces(F, W):
    """Relative velocity and force of every contact; force and moment on every body. The force on b
    is the one on a with the other sign, so what is added is taken away, bit for bit. Contacts that
    are LEFT_OUT have springs, but no force."""
    C, found, P = real_rows(F, W, CONTACTS, 16), whole_rows(W, FOUND, 7), whole_rows(W, PIECES, 11)
    X, total, state = (
        real_rows(F, W, POSES, 12),
        real_rows(F, W, FORCES, 3),
        whole_rows(W, STATE, 1),
    )
    bodies = whole_rows(W, BODIES, 2).shape[0]
    for i in range(2 * bodies):
        for c in range(3):
            total[i, c] = 0.0
    cursor = 0
    for k in range(state[COUNT, 0]):
        a, b = P[found[k, 0], BODY], P[found[k, 1], BODY]
        u0, u1, u2 = point_velocity(F, W, a, C[k, 0], C[k, 1], C[k, 2])
        v0, v1, v2 = point_velocity(F, W, b, C[k, 0], C[k, 1], C[k, 2])
        C[k, 7], C[k, 8], C[k, 9] = u0 - v0, u1 - v1, u2 - v2
        while cursor < state[OLD_COUNT, 0] and comes_before(
            W, cursor, a, b, found[k, 0], found[k, 1]
        ):
            cursor += 1
        x, y, z = force_of(F, W, a, b, k, cursor)
        if found[k, 6] >= LEFT_OUT:
            x, y, z = 0.0, 0.0, 0.0
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
def force_of(F, W, a, b, k, cursor):
    """f = K d n - B v_n - g v_t on body ``a`` at contact ``k``.

    The bodies are springs with dampers in series, K = Ka Kb / (Ka + Kb): of the approach, a share
    Kb / (Ka + Kb) is taken up by a, and its damper counts with the square of that. Friction is the
    mean of both. With Coulomb's coefficient there is the same spring with the same damper across
    the normal, and all of that force ends at the coefficient times the normal force. ``cursor`` is
    where last step's contacts of the two pieces begin."""
    C, M, state = (
        real_rows(F, W, CONTACTS, 16),
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
    coulomb = pair_coulomb(M[a, COULOMB], M[b, COULOMB])
    if coulomb < 0.0:
        C[k, 13] = C[k, 14] = C[k, 15] = 0.0
        tx, ty, tz = friction * tx, friction * ty, friction * tz
    else:
        limit = coulomb * max(normal, 0.0)
        stretch(F, W, a, b, k, cursor, limit / stiffness)
        friction += damping
        tx = stiffness * C[k, 13] + friction * tx
        ty = stiffness * C[k, 14] + friction * ty
        tz = stiffness * C[k, 15] + friction * tz
        across = math.sqrt(tx * tx + ty * ty + tz * tz)
        if across > limit:
            tx, ty, tz = tx * (limit / across), ty * (limit / across), tz * (limit / across)
    return normal * nx - tx, normal * ny - ty, normal * nz - tz


@kernel
def stretch(F, W, a, b, k, cursor, most):
    """How far the spring across contact ``k`` is stretched, after Cundall and Strack: as far as at
    the last step, turned with b, and the way of a from b at the point since then; across the
    normal, and at most ``most``, beyond which its ends slide. A new contact is not stretched."""
    C, B = real_rows(F, W, CONTACTS, 16), real_rows(F, W, OLD, 16)
    X, A = real_rows(F, W, POSES, 12), real_rows(F, W, BEFORE, 12)
    C[k, 13] = C[k, 14] = C[k, 15] = 0.0
    o = same_earlier(W, k, cursor)
    if o < 0:
        return
    x, y, z = unrotate(A, b, B[o, 13], B[o, 14], B[o, 15])
    x, y, z = rotate(X, b, x, y, z)
    a0, a1, a2 = was_at(X, A, a, C[k, 0], C[k, 1], C[k, 2])
    b0, b1, b2 = was_at(X, A, b, C[k, 0], C[k, 1], C[k, 2])
    x, y, z = x + b0 - a0, y + b1 - a1, z + b2 - a2
    along = x * C[k, 3] + y * C[k, 4] + z * C[k, 5]
    x, y, z = x - along * C[k, 3], y - along * C[k, 4], z - along * C[k, 5]
    length = math.sqrt(x * x + y * y + z * z)
    scale = most / length if length > most else 1.0
    C[k, 13], C[k, 14], C[k, 15] = scale * x, scale * y, scale * z


@kernel
def was_at(X, A, i, x, y, z):
    """Where the point of body ``i`` that is at (x, y, z) was at the last step."""
    x, y, z = unrotate(X, i, x - X[i, 3], y - X[i, 7], z - X[i, 11])
    return to_world(A, i, x, y, z)


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
