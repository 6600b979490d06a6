"""The motion from the last reading to this one: how far each mover gets, and the box of its sweep.

Joints move evenly, ``q(t) = qa + t (qb - qa)``; a body whose pose is given moves with its origin on
a straight line and turns evenly about one axis, the shorter way; t runs from 0 to 1. For every
point ``p`` of a mover then, with λ the longest path of any of its points and M the largest
acceleration,

    |p(t) - p(1)|                       <=  λ,
    |p(t) - (1 - t) p(0) - t p(1)|      <=  t (1 - t) M / 2  <=  M / 8

(a function that is 0 at both ends and bends by no more than M). For joints λ and M are those of
`motion.kernels.bound`; for a body that turns by θ about an axis that its points are at most r away
from,
``λ = |Δ origin| + θ r`` and ``M = θ² r``. So the mover stays in the box around both of its ends,
grown by the lesser of λ / 2 (no point is farther from one of its ends) and M / 8.
"""

from __future__ import annotations

import math

from standoff.broadphase.kernels.tables import ABSENT, STATE
from standoff.compiled.jit import entry, inlined, kernel
from standoff.geometry.narrowphase.layout import CAPSULE, KIND, SIZE, SPHERE
from standoff.monitor.kernels.place import distance_moved, extend, pose_row
from standoff.monitor.kernels.tables import STEP, monitor_at
from standoff.motion.kernels.bound import (
    CHAIN0,
    curvature,
    joint_magnitudes,
    path_length,
    widen_reach,
)
from standoff.motion.kernels.poses import length, place_row, turn_of, turn_row
from standoff.robots.kernels.kinematics import DEPTH, OFFSET, place_frames
from standoff.tolerances import HALF_TURN_SINE, INSTANT_ROUNDING, MOTION_ROUNDING


@kernel
def note_joints(between, q):
    """The joints of this reading, after those of the last one; where there was none, these."""
    before, now = between.before, between.now
    for j in range(len(now)):
        a, b = now[j], q[j]
        if math.isnan(a):
            a = b
        before[j], now[j] = a, b


@kernel
def measure_joints(monitor, between):
    """How far each joint goes, the tree at the last reading, and the reaches for this motion."""
    tree, linkage, start = monitor.tree, monitor.linkage, between.start_frames
    low, high, change, size = between.low, between.high, between.change, between.size
    for j in range(len(low)):
        a, b = between.before[j], between.now[j]
        low[j], high[j] = min(a, b), max(a, b)
        change[j], size[j] = abs(b - a), abs(a) + abs(b)
    place_frames(tree, linkage, between.before, between.before, monitor.turns, start, start, False)
    between.header.time = math.nan
    sizes = between.frame_size
    joint_magnitudes(tree, linkage, change, between.frame_change)
    joint_magnitudes(tree, linkage, size, sizes)
    for f in range(len(sizes)):
        sizes[f] += abs(tree[f, OFFSET])
    widen_reach(
        tree, linkage, between.carried, between.chain, between.reach, low, high, between.wide
    )


@entry(STEP)
def sweep_movers(tables, dt):
    """Where every mover was, how far it can have been, and its extended box around all of that. A
    step of the cycle, after the movers were placed."""
    monitor = monitor_at(tables)
    between, items = monitor.between, monitor.index.items
    measure_joints(monitor, between)
    rows, refs, start = monitor.placed.rows, monitor.placed.refs, between.rows
    before, movers, local = monitor.before, monitor.movers, monitor.local
    extended, fresh, linkage = monitor.extended, monitor.fresh, monitor.linkage
    for i in range(monitor.plan.movers):
        if items[i, STATE] == ABSENT:
            continue
        own, motion = movers[i], between.motions[i]
        f, kind = own.frame, refs[i, KIND]
        motion.doubt = 0
        if f >= monitor.plan.tree_frames:
            for c in range(12):
                start[i, c] = before[i, c]
            path, bend, error = free_motion(monitor, between, i)
        else:
            first = between.carried[i, CHAIN0]
            last = first + linkage[f, DEPTH]
            chain, reach, change = between.chain, between.wide, between.frame_change
            path = path_length(chain, reach, first, last, change)
            bend = curvature(chain, reach, first, last, change)
            # The joints at an instant are rounded.
            error = INSTANT_ROUNDING * path_length(chain, reach, first, last, between.frame_size)
            place_row(between.start_frames, f, local, i, start, i)
        if path > 0.0:
            error += INSTANT_ROUNDING * scene_of(start, rows, i, own.reach)
            moved = distance_moved(start, i, pose_row(rows, i), kind, own.reach)
            motion.sweep = min(path, moved + 0.125 * bend)
            more = max(own.buffer, own.least)
            extend(own, start, i, kind, pose_row(start, i), more, fresh, 0)
            grown = min(0.5 * path, 0.125 * bend) + error
            for axis in range(3):
                low, high = fresh[0, axis], fresh[0, axis + 3]
                extended[i, axis] = min(extended[i, axis], low) - grown
                extended[i, axis + 3] = max(extended[i, axis + 3], high) + grown
        else:
            motion.sweep = error = 0.0
        motion.length, motion.bend, motion.position_error = path, bend, error
    return 0.0


@kernel
def free_motion(monitor, between, i):
    """λ, M and the position error from rounding of a body whose poses are given, and how it turns:
    ``R(t) = exp(t θ axis) R(0)``. Of a capsule only the axis turns, of a sphere nothing."""
    start, rows = between.rows, monitor.placed.rows
    two, motion = between.two.rows, between.motions[i]
    kind, reach = monitor.placed.refs[i, KIND], monitor.movers[i].reach
    x, y, z = rows[i, 3] - start[i, 3], rows[i, 7] - start[i, 7], rows[i, 11] - start[i, 11]
    shift = length(x, y, z)
    if not is_turned(start, rows, i):
        motion.angle = 0.0
        return (1.0 + MOTION_ROUNDING) * shift, 0.0, 0.0
    x, y, z, sine, cosine = turn_of(start, rows, i)
    angle = math.atan2(sine, cosine)
    lever = 0.0 if kind == SPHERE else reach
    if kind == CAPSULE:
        lever = rows[i, SIZE + 1]
    if sine > 0.0:
        x, y, z = x / sine, y / sine, z / sine
    doubt = cosine < 0.0 and sine < HALF_TURN_SINE and lever > 0.0
    if doubt:
        motion.doubt = 1
    elif kind == CAPSULE:
        u, v, w = start[i, 2], start[i, 6], start[i, 10]
        lever *= length(y * w - z * v, z * u - x * w, x * v - y * u)
    motion.x, motion.y, motion.z, motion.angle = x, y, z, angle
    more = 1.0 + MOTION_ROUNDING
    path, bend = more * (shift + angle * lever), more * angle * angle * lever
    if doubt or not lever > 0.0:
        return path, bend, 0.0
    # The turn leads to where the body is, but for rounding.
    turn_row(start, i, x, y, z, angle, two, 0)
    square = 0.0
    for r in range(0, 12, 4):
        for c in range(3):
            square += (two[0, r + c] - rows[i, r + c]) ** 2
    return path, bend, math.sqrt(square) * reach


@inlined
def is_turned(start, rows, i):
    """Whether a mover is turned otherwise now than at the last reading."""
    for r in range(0, 12, 4):
        for c in range(r, r + 3):
            if rows[i, c] != start[i, c]:
                return True
    return False


@inlined
def scene_of(start, rows, i, reach):
    """The largest coordinates in play, [m]."""
    now = abs(rows[i, 3]) + abs(rows[i, 7]) + abs(rows[i, 11])
    return max(now, abs(start[i, 3]) + abs(start[i, 7]) + abs(start[i, 11])) + reach
