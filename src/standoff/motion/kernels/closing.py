"""How fast two bodies near each other at one instant, from the poses and twists of their frames.

Everything is seen from a frame ``c`` that carries both bodies, so that a motion they share does not
count, and written along the world's axes. The tables are those of `motion.kernels.bound`.
"""

from __future__ import annotations

import math

from standoff.compiled.jit import entry, kernel
from standoff.motion.kernels.bound import BODY_FRAME, MOTION_POINT0, MOTION_POINTS


@kernel
def relative_twist(poses, twists, f, c):
    """Frame ``f`` as seen from frame ``c`` at this instant, along the world's axes: its angular
    velocity, and the velocity of its origin."""
    rx = poses[f, 3] - poses[c, 3]
    ry = poses[f, 7] - poses[c, 7]
    rz = poses[f, 11] - poses[c, 11]
    wx, wy, wz = twists[c, 0], twists[c, 1], twists[c, 2]
    return (
        twists[f, 0] - wx,
        twists[f, 1] - wy,
        twists[f, 2] - wz,
        twists[f, 3] - twists[c, 3] - (wy * rz - wz * ry),
        twists[f, 4] - twists[c, 4] - (wz * rx - wx * rz),
        twists[f, 5] - twists[c, 5] - (wx * ry - wy * rx),
    )


@entry(
    "UniTuple(float64, 2)(float64[:,::1], float64[:,::1], int64[:,::1], float64[:,::1], int64,"
    " int64, int64, UniTuple(float64, 3))"
)
def closing_speeds(poses, twists, bodies, points, a, b, c, n):
    """How fast any two points of bodies ``a`` and ``b`` near each other along ``n`` (a unit vector
    from b to a), seen from their common frame ``c``: looking back in time, and looking forward.

    The signed speeds are subtracted before anything is clamped: forward it is the largest
    ``-n·(v_a - v_b)``, and back, where the motion runs the other way, the largest
    ``n·(v_a - v_b)``. Negative where all points draw apart."""
    low_a, high_a = _speeds_along(poses, twists, bodies, points, a, c, n)
    low_b, high_b = _speeds_along(poses, twists, bodies, points, b, c, n)
    return high_a - low_b, high_b - low_a


@kernel
def _speeds_along(poses, twists, bodies, points, body, c, n):
    """Smallest and largest ``n·v`` over the body's points; (0, 0) without points.

    ``n·(w x r) = (n x w)·r``, so that one turn of ``n x w`` into the frame leaves three products
    a point."""
    f = bodies[body, BODY_FRAME]
    if f == c or bodies[body, MOTION_POINTS] == 0:
        return 0.0, 0.0
    wx, wy, wz, vx, vy, vz = relative_twist(poses, twists, f, c)
    nx, ny, nz = n
    gx = ny * wz - nz * wy
    gy = nz * wx - nx * wz
    gz = nx * wy - ny * wx
    x = gx * poses[f, 0] + gy * poses[f, 4] + gz * poses[f, 8]
    y = gx * poses[f, 1] + gy * poses[f, 5] + gz * poses[f, 9]
    z = gx * poses[f, 2] + gy * poses[f, 6] + gz * poses[f, 10]
    low = math.inf
    high = -math.inf
    first = bodies[body, MOTION_POINT0]
    for i in range(first, first + bodies[body, MOTION_POINTS]):
        s = x * points[i, 0] + y * points[i, 1] + z * points[i, 2]
        low = min(low, s)
        high = max(high, s)
    along = nx * vx + ny * vy + nz * vz
    return along + low, along + high


@entry("float64(float64[:,::1], float64[:,::1], int64[:,::1], float64[:,::1], int64, int64, int64)")
def nearing_speed(poses, twists, bodies, points, a, b, c):
    """How fast the distance of ``a`` and ``b`` can shrink at most, back or forward in time, where
    no direction separates them (one of them is not convex): ``max|v_a - u| + max|v_b - u|``, seen
    from their common frame ``c``.

    Any velocity ``u`` will do, since a common translation leaves the distance alone; the smallest
    of three is taken: 0, and the velocity of the first point of either body."""
    rest = (0.0, 0.0, 0.0)
    best = _top_speed(poses, twists, bodies, points, a, c, rest)
    best += _top_speed(poses, twists, bodies, points, b, c, rest)
    for lead in range(2):
        body = a if lead == 0 else b
        if bodies[body, BODY_FRAME] == c or bodies[body, MOTION_POINTS] == 0:
            continue
        u = _velocity(
            poses, twists, bodies[body, BODY_FRAME], c, points, bodies[body, MOTION_POINT0]
        )
        both = _top_speed(poses, twists, bodies, points, a, c, u)
        both += _top_speed(poses, twists, bodies, points, b, c, u)
        best = min(best, both)
    return best


@kernel
def _top_speed(poses, twists, bodies, points, body, c, u):
    """Largest ``|v - u|`` over the body's points; ``|u|`` where it rests."""
    f = bodies[body, BODY_FRAME]
    first, count = bodies[body, MOTION_POINT0], bodies[body, MOTION_POINTS]
    ux, uy, uz = u
    if f == c or count == 0:
        return math.sqrt(ux * ux + uy * uy + uz * uz)
    largest = 0.0
    for i in range(first, first + count):
        vx, vy, vz = _velocity(poses, twists, f, c, points, i)
        largest = max(largest, (vx - ux) ** 2 + (vy - uy) ** 2 + (vz - uz) ** 2)
    return math.sqrt(largest)


@kernel
def _velocity(poses, twists, f, c, points, i):
    wx, wy, wz, vx, vy, vz = relative_twist(poses, twists, f, c)
    x, y, z = points[i, 0], points[i, 1], points[i, 2]
    rx = poses[f, 0] * x + poses[f, 1] * y + poses[f, 2] * z
    ry = poses[f, 4] * x + poses[f, 5] * y + poses[f, 6] * z
    rz = poses[f, 8] * x + poses[f, 9] * y + poses[f, 10] * z
    return vx + wy * rz - wz * ry, vy + wz * rx - wx * rz, vz + wx * ry - wy * rx
