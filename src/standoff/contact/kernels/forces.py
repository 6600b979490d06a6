"""Force (1) of paper 003 at each contact, and what they add up to on each body."""

from __future__ import annotations

import math

from standoff.compiled.jit import kernel
from standoff.contact.kernels.contacts import comes_before, same_earlier
from standoff.contact.kernels.solids import to_world
from standoff.geometry.narrowphase.rows import rotate, unrotate


@kernel
def apply_forces(scene, state):
    """Relative velocity and force of every contact; force and moment on every body. The force on b
    is the one on a with the other sign, so what is added is taken away, bit for bit. Contacts that
    are left out have springs, but no force."""
    pieces, total = scene.pieces, state.forces
    for i in range(total.shape[0]):
        for c in range(3):
            total[i, c] = 0.0
    cursor = 0
    for k in range(state.step.contacts):
        contact = state.contacts[k]
        a, b = pieces[contact.a].body, pieces[contact.b].body
        at, velocity, force = contact.point, contact.velocity, contact.force
        u0, u1, u2 = point_velocity(state, a, at[0], at[1], at[2])
        v0, v1, v2 = point_velocity(state, b, at[0], at[1], at[2])
        velocity[0], velocity[1], velocity[2] = u0 - v0, u1 - v1, u2 - v2
        while cursor < state.step.old and comes_before(scene, state, cursor, contact.a, contact.b):
            cursor += 1
        x, y, z = force_of(scene, state, k, cursor)
        if contact.left_out == 1:
            x, y, z = 0.0, 0.0, 0.0
        force[0], force[1], force[2] = x, y, z
        add_force(state, a, 1.0, contact)
        add_force(state, b, -1.0, contact)


@kernel
def add_force(state, i, sign, contact):
    """The force of a contact, times ``sign``, to force and moment on body ``i``."""
    X, total, at, f = state.poses, state.forces, contact.point, contact.force
    m = total.shape[0] // 2 + i
    r0, r1, r2 = at[0] - X[i, 3], at[1] - X[i, 7], at[2] - X[i, 11]
    total[i, 0] += sign * f[0]
    total[i, 1] += sign * f[1]
    total[i, 2] += sign * f[2]
    total[m, 0] += sign * (r1 * f[2] - r2 * f[1])
    total[m, 1] += sign * (r2 * f[0] - r0 * f[2])
    total[m, 2] += sign * (r0 * f[1] - r1 * f[0])


@kernel
def point_velocity(state, i, x, y, z):
    """The velocity of the point of body ``i`` that is at (x, y, z)."""
    X, T = state.poses, state.twists
    r0, r1, r2 = x - X[i, 3], y - X[i, 7], z - X[i, 11]
    return (
        T[i, 0] + T[i, 4] * r2 - T[i, 5] * r1,
        T[i, 1] + T[i, 5] * r0 - T[i, 3] * r2,
        T[i, 2] + T[i, 3] * r1 - T[i, 4] * r0,
    )


@kernel
def force_of(scene, state, k, cursor):
    """f = K d n - B v_n - g v_t on the first body at contact ``k``.

    The bodies are springs with dampers in series, K = Ka Kb / (Ka + Kb): of the approach, a share
    Kb / (Ka + Kb) is taken up by a, and its damper counts with the square of that. Friction is the
    mean of both. With Coulomb's coefficient there is the same spring with the same damper across
    the normal, and all of that force ends at the coefficient times the normal force. ``cursor`` is
    where last step's contacts of the two pieces begin."""
    contact = state.contacts[k]
    a, b = scene.bodies[scene.pieces[contact.a].body], scene.bodies[scene.pieces[contact.b].body]
    n, v, s = contact.normal, contact.velocity, contact.stretch
    share = share_of(a.stiffness, b.stiffness)
    rest = 1.0 - share
    stiffness = share * a.stiffness if share > 0.0 else b.stiffness
    damping = share * share * a.damping + rest * rest * b.damping
    friction = 0.5 * (a.friction + b.friction)
    nx, ny, nz = n[0], n[1], n[2]
    vn = v[0] * nx + v[1] * ny + v[2] * nz
    normal = stiffness * contact.depth - damping * vn
    if normal < 0.0 and state.step.pulls == 0:
        normal = 0.0
    tx, ty, tz = v[0] - vn * nx, v[1] - vn * ny, v[2] - vn * nz
    coulomb = pair_coulomb(a.coulomb, b.coulomb)
    if coulomb < 0.0:
        s[0] = s[1] = s[2] = 0.0
        tx, ty, tz = friction * tx, friction * ty, friction * tz
    else:
        limit = coulomb * max(normal, 0.0)
        stretch(scene, state, k, cursor, limit / stiffness)
        friction += damping
        tx = stiffness * s[0] + friction * tx
        ty = stiffness * s[1] + friction * ty
        tz = stiffness * s[2] + friction * tz
        across = math.sqrt(tx * tx + ty * ty + tz * tz)
        if across > limit:
            tx, ty, tz = tx * (limit / across), ty * (limit / across), tz * (limit / across)
    return normal * nx - tx, normal * ny - ty, normal * nz - tz


@kernel
def stretch(scene, state, k, cursor, most):
    """How far the spring across contact ``k`` is stretched, after Cundall and Strack: as far as at
    the last step, turned with b, and the way of a from b at the point since then; across the
    normal, and at most ``most``, beyond which its ends slide. A new contact is not stretched."""
    contact, X, A = state.contacts[k], state.poses, state.before
    s, n, at = contact.stretch, contact.normal, contact.point
    s[0] = s[1] = s[2] = 0.0
    o = same_earlier(state, k, cursor)
    if o < 0:
        return
    a, b = scene.pieces[contact.a].body, scene.pieces[contact.b].body
    was = state.old[o].stretch
    x, y, z = unrotate(A, b, was[0], was[1], was[2])
    x, y, z = rotate(X, b, x, y, z)
    a0, a1, a2 = was_at(X, A, a, at[0], at[1], at[2])
    b0, b1, b2 = was_at(X, A, b, at[0], at[1], at[2])
    x, y, z = x + b0 - a0, y + b1 - a1, z + b2 - a2
    along = x * n[0] + y * n[1] + z * n[2]
    x, y, z = x - along * n[0], y - along * n[1], z - along * n[2]
    length = math.sqrt(x * x + y * y + z * z)
    scale = most / length if length > most else 1.0
    s[0], s[1], s[2] = scale * x, scale * y, scale * z


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
