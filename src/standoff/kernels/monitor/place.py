"""Where the movers are: poses, how far they went, buffers and extended boxes."""

from __future__ import annotations

import math

from standoff.constants import JUMP_ROUNDING
from standoff.kernels.boxes import half_extents, put, turned
from standoff.kernels.index.layout import ABSENT, STATE
from standoff.kernels.jit import kernel
from standoff.kernels.layout import CAPSULE, CYLINDER, KIND, SIZE, SPHERE
from standoff.kernels.monitor.layout import (
    BUFFER,
    C0,
    C1,
    C2,
    CX,
    CY,
    CZ,
    FAULTS_USED,
    HX,
    HY,
    HZ,
    JUMP_FAULT,
    KNOWN,
    LEAST,
    LIMIT,
    MOVE,
    MOVERS,
    REACH,
    SPEED,
)

HALF_SQRT = math.sqrt(0.5)


@kernel
def put_fault(faults, counts, kind, which, value, allowed):
    """Note a fault; there is room for one of each kind for every joint and mover."""
    k = counts[0, FAULTS_USED]
    if k < faults.shape[0]:
        faults[k, 0] = kind
        faults[k, 1] = which
        faults[k, 2] = value
        faults[k, 3] = allowed
        counts[0, FAULTS_USED] = k + 1


@kernel
def place_movers(frames, frame, local, free, rows, refs, before, motion, items, dt, grace, stale,
                 faults, counts, extended):  # fmt: skip
    """Place every mover at its frame and extend it by its buffer. ``free`` is the first frame of
    the bodies whose poses are given; ``dt`` the time since the last reading, ``grace`` the time in
    which a mover may go as far as its LIMIT takes it."""
    for i in range(counts[0, MOVERS]):
        if items[i, STATE] == ABSENT:
            continue
        for c in range(12):
            before[i, c] = rows[i, c]
        f = frame[i, 0]
        if f >= free:
            for c in range(12):
                rows[i, c] = frames[f, c]
        else:
            for r in range(0, 12, 4):
                a, b, c = frames[f, r], frames[f, r + 1], frames[f, r + 2]
                rows[i, r] = a * local[i, 0] + b * local[i, 4] + c * local[i, 8]
                rows[i, r + 1] = a * local[i, 1] + b * local[i, 5] + c * local[i, 9]
                rows[i, r + 2] = a * local[i, 2] + b * local[i, 6] + c * local[i, 10]
                rows[i, r + 3] = frames[f, r + 3] + (
                    a * local[i, 3] + b * local[i, 7] + c * local[i, 11]
                )
        kind = refs[i, KIND]
        speed = motion[i, LIMIT]
        if motion[i, KNOWN] == 0.0:
            # Not seen before: for all we know it is as fast as it can be.
            motion[i, KNOWN] = 1.0
            motion[i, MOVE] = 0.0
            for c in range(12):
                before[i, c] = rows[i, c]
        else:
            motion[i, KNOWN] = 2.0
            moved = farthest_move(rows, before, i, kind, motion[i, REACH])
            motion[i, MOVE] = moved
            allowed = motion[i, LIMIT] * grace
            if moved > allowed * (1.0 + JUMP_ROUNDING):
                put_fault(faults, counts, JUMP_FAULT, i, moved, allowed)
            elif stale == 0:
                speed = min(moved / dt, speed)
        motion[i, SPEED] = speed
        motion[i, BUFFER] = motion[i, C0] + speed * (motion[i, C1] + speed * motion[i, C2])
        more = max(motion[i, BUFFER], motion[i, LEAST])
        if kind <= CYLINDER:
            x, y, z = half_extents(rows, kind, i)
            put(rows, i, 0.0, 0.0, 0.0, x, y, z, extended, i, more)
        else:
            x, y, z = turned(rows, i, motion[i, HX], motion[i, HY], motion[i, HZ])
            cx = (
                rows[i, 0] * motion[i, CX] + rows[i, 1] * motion[i, CY] + rows[i, 2] * motion[i, CZ]
            )
            cy = (
                rows[i, 4] * motion[i, CX] + rows[i, 5] * motion[i, CY] + rows[i, 6] * motion[i, CZ]
            )
            cz = (
                rows[i, 8] * motion[i, CX]
                + rows[i, 9] * motion[i, CY]
                + rows[i, 10] * motion[i, CZ]
            )
            put(rows, i, cx, cy, cz, x, y, z, extended, i, more)


@kernel
def farthest_move(rows, before, i, kind, reach):
    """How far the farthest point of a body moved at most:

        |c' + R' p - c - R p|  <=  |c' - c| + |R' - R| |p|

    where the norm of the difference of two rotations is its Frobenius norm over √2. A sphere does
    not turn, and of a capsule only the axis does."""
    x, y, z = rows[i, 3] - before[i, 3], rows[i, 7] - before[i, 7], rows[i, 11] - before[i, 11]
    shift = math.sqrt(x * x + y * y + z * z)
    if kind == SPHERE:
        return shift
    if kind == CAPSULE:
        x, y, z = rows[i, 2] - before[i, 2], rows[i, 6] - before[i, 6], rows[i, 10] - before[i, 10]
        return shift + rows[i, SIZE + 1] * math.sqrt(x * x + y * y + z * z)
    square = 0.0
    for r in range(0, 12, 4):
        for c in range(3):
            d = rows[i, r + c] - before[i, r + c]
            square += d * d
    return shift + HALF_SQRT * math.sqrt(square) * reach
