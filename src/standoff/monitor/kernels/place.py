"""Where the movers are: poses, how far they went, buffers and extended boxes."""

from __future__ import annotations

import math

from standoff.broadphase.kernels.tables import ABSENT, STATE
from standoff.compiled.jit import inlined, kernel
from standoff.geometry.narrowphase.aabb import half_extents, put, turned
from standoff.geometry.narrowphase.layout import CAPSULE, KIND, SIZE, SPHERE, is_primitive
from standoff.monitor.kernels.tables import JUMP_FAULT
from standoff.motion.kernels.poses import compose, length
from standoff.tolerances import BOX_ROUNDING, COORDINATE_LIMIT, EPS, JUMP_ROUNDING


@kernel
def put_fault(monitor, kind, which, value, allowed):
    """Note a fault; there is room for one of each kind for every joint and mover."""
    k = monitor.answer.faults
    if k < len(monitor.faults):
        fault = monitor.faults[k]
        fault.kind, fault.which, fault.value, fault.allowed = kind, which, value, allowed
        monitor.answer.faults = k + 1


@kernel
def place_movers(monitor, dt, grace, stale):
    """Place every mover at its frame and extend it by its buffer. ``dt`` is the time since
    the last reading, ``grace`` the time in which a mover may go as far as its limit takes it.

    How far its farthest point moved:

        |c' + R' p - c - R p|  <=  |c' - c| + |R' - R| |p|

    where the norm of the difference of two rotations is its Frobenius norm over √2. A sphere does
    not turn, and of a capsule only the axis does."""
    movers, rows = monitor.movers, monitor.placed.rows
    for i in range(monitor.plan.movers):
        if monitor.index.items[i, STATE] == ABSENT:
            continue
        own = movers[i]
        # Poses are kept in variables: read back from the tables, they would wait for their own
        # writing, which doubles the time.
        X, Y, Z = pose_now(monitor, i)
        speed = note_move(monitor, i, (X, Y, Z), dt, grace, stale)
        put_pose(rows, i, X, Y, Z)
        own.speed = speed
        buffer = own.c0 + speed * (own.c1 + speed * own.c2)
        own.buffer = buffer
        kind, more = monitor.placed.refs[i, KIND], max(buffer, own.least)
        if not extend(own, rows, i, kind, (X, Y, Z), more, monitor.extended, i) <= COORDINATE_LIMIT:
            # It is anywhere, or nowhere: held against everything.
            put_fault(monitor, JUMP_FAULT, i, own.move, COORDINATE_LIMIT)
            for axis in range(3):
                monitor.extended[i, axis], monitor.extended[i, axis + 3] = -math.inf, math.inf


@inlined
def pose_now(monitor, i):
    """The three rows of a mover's pose in the world, from those of its frame."""
    local, f = monitor.local, monitor.movers[i].frame
    X, Y, Z = pose_row(monitor.frames, f)
    if f < monitor.plan.tree_frames:
        X = compose(X[0], X[1], X[2], X[3], local, i)
        Y = compose(Y[0], Y[1], Y[2], Y[3], local, i)
        Z = compose(Z[0], Z[1], Z[2], Z[3], local, i)
    return X, Y, Z


@inlined
def note_move(monitor, i, pose, dt, grace, stale):
    """Hold a mover's pose against that of the last reading: how far it went, and whether it can
    have. Its speed: the highest where nothing is known."""
    own, rows, before = monitor.movers[i], monitor.placed.rows, monitor.before
    if own.known == 0:
        # Not seen before: for all we know it is as fast as it can be.
        own.known = 1
        own.move = 0.0
        put_pose(before, i, pose[0], pose[1], pose[2])
        return own.limit
    own.known = 2
    moved = distance_moved(rows, i, pose, monitor.placed.refs[i, KIND], own.reach)
    for c in range(12):
        before[i, c] = rows[i, c]
    own.move = moved
    # Readings that come faster than the period share what a period allows: one of them may use it
    # up, all of them may not use it again.
    allowed = min(own.bank + own.limit * dt, own.limit * grace)
    own.bank = allowed - moved if moved <= allowed else 0.0
    if not moved <= allowed * (1.0 + JUMP_ROUNDING):
        put_fault(monitor, JUMP_FAULT, i, moved, allowed)
    elif stale == 0:
        # The mean since the last reading. By now it may be faster, by gain dt / 2: the velocity was
        # within gain t of this one t seconds ago, dt / 2 ago on average.
        speed = moved / dt
        return min(speed + 0.5 * own.gain * dt, own.limit) if speed < own.limit else speed
    return own.limit


@inlined
def distance_moved(rows, i, pose, kind, reach):
    """How far the farthest point of a mover went from where its row has it, at most."""
    (xx, xy, xz, x), (yx, yy, yz, y), (zx, zy, zz, z) = pose
    moved = length(x - rows[i, 3], y - rows[i, 7], z - rows[i, 11])
    if kind == CAPSULE:
        turn = length(xz - rows[i, 2], yz - rows[i, 6], zz - rows[i, 10])
        moved += rows[i, SIZE + 1] * turn
    elif kind != SPHERE:
        square = length(xx - rows[i, 0], yx - rows[i, 4], zx - rows[i, 8]) ** 2
        square += length(xy - rows[i, 1], yy - rows[i, 5], zy - rows[i, 9]) ** 2
        square += length(xz - rows[i, 2], yz - rows[i, 6], zz - rows[i, 10]) ** 2
        moved += math.sqrt(0.5 * square) * reach
    return moved


@inlined
def extend(own, rows, i, kind, pose, more, boxes, k):
    """Box ``k``: that around mover ``i`` at a pose, which is also in ``rows``, grown by ``more``;
    how far out its middle is, by coordinates."""
    X, Y, Z = pose
    x, y, z = X[3], Y[3], Z[3]
    if kind == CAPSULE:
        r, h = rows[i, SIZE], rows[i, SIZE + 1]
        ex, ey, ez = r + h * abs(X[2]), r + h * abs(Y[2]), r + h * abs(Z[2])
    elif is_primitive(kind):
        ex, ey, ez = half_extents(rows, kind, i)
    else:
        ex, ey, ez = turned(rows, i, own.hx, own.hy, own.hz)
        cx, cy, cz = own.cx, own.cy, own.cz
        x += X[0] * cx + X[1] * cy + X[2] * cz
        y += Y[0] * cx + Y[1] * cy + Y[2] * cz
        z += Z[0] * cx + Z[1] * cy + Z[2] * cz
        # Far from its own origin, a body has the rounding of that distance.
        more += BOX_ROUNDING * EPS * (abs(cx) + abs(cy) + abs(cz) + ex + ey + ez)
    put(x, y, z, ex, ey, ez, boxes, k, more)
    return abs(x) + abs(y) + abs(z)


@inlined
def pose_row(rows, i):
    """The three rows of a pose, from the first twelve columns of a row."""
    return (
        (rows[i, 0], rows[i, 1], rows[i, 2], rows[i, 3]),
        (rows[i, 4], rows[i, 5], rows[i, 6], rows[i, 7]),
        (rows[i, 8], rows[i, 9], rows[i, 10], rows[i, 11]),
    )


@inlined
def put_pose(table, i, X, Y, Z):
    """The first twelve columns of a row, from the three rows of a pose."""
    table[i, 0], table[i, 1], table[i, 2], table[i, 3] = X
    table[i, 4], table[i, 5], table[i, 6], table[i, 7] = Y
    table[i, 8], table[i, 9], table[i, 10], table[i, 11] = Z
