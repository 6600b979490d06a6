"""Where the bodies are once the frames are known: rows of the pair kernels, points, velocities."""

from __future__ import annotations

from standoff.compiled.jit import entry, kernel
from standoff.robots.kernels.kinematics import place_frames


@entry("void(float64[:,::1], int64[::1], float64[:,::1], float64[:,::1])")
def place(poses, frame, local, rows):
    """The pose columns of ``rows`` (see `geometry.narrowphase.layout`): each body stands at
    ``local`` (n, 12) in its ``frame`` (n,). The size columns stay as they are."""
    for i in range(frame.shape[0]):
        f = frame[i]
        for r in range(0, 12, 4):
            a, b, c = poses[f, r], poses[f, r + 1], poses[f, r + 2]
            rows[i, r] = a * local[i, 0] + b * local[i, 4] + c * local[i, 8]
            rows[i, r + 1] = a * local[i, 1] + b * local[i, 5] + c * local[i, 9]
            rows[i, r + 2] = a * local[i, 2] + b * local[i, 6] + c * local[i, 10]
            rows[i, r + 3] = poses[f, r + 3] + (
                a * local[i, 3] + b * local[i, 7] + c * local[i, 11]
            )


@entry(
    "void(float64[:,::1], float64[:,::1], int64[::1], float64[:,::1], float64[:,::1],"
    " float64[:,::1])"
)
def place_points(poses, twists, frame, local, points, velocities):
    """Points given as ``local`` (n, 3) in their ``frame`` (n,): where they are and how fast they
    move, in world coordinates."""
    for i in range(frame.shape[0]):
        _place_point(poses, twists, frame[i], local, i, 0, points, velocities, i)


@entry(
    "void(float64[:,::1], float64[:,::1], int64[::1], float64[:,::1], float64[:,::1],"
    " float64[:,::1])"
)
def place_ends(poses, twists, frame, local, ends, velocities):
    """Both ends of each capsule's axis, given as ``local`` (n, 6) in its ``frame`` (n,): where
    they are and how fast they move, in world coordinates."""
    for i in range(frame.shape[0]):
        _place_point(poses, twists, frame[i], local, i, 0, ends, velocities, i)
        _place_point(poses, twists, frame[i], local, i, 3, ends, velocities, i)


@entry(
    "void(float64[:,::1], int64[:,::1], float64[:,::1], float64[:,::1], int64[::1],"
    " float64[:,::1], float64[:,::1], float64[:,:,::1], float64[:,:,::1], float64[:,:,::1],"
    " float64[:,:,::1])"
)
def ends_batch(reals, ints, Q, DQ, frame, local, turns, poses, twists, ends, velocities):
    """`forward_velocity` and `place_ends` for each row of ``Q`` and ``DQ``, in one call."""
    count, joints, frames, bodies = Q.shape[0], Q.shape[1], reals.shape[0], frame.shape[0]
    q, dq = Q.reshape(Q.size), DQ.reshape(Q.size)
    rows, moves = poses.reshape(count * frames, 12), twists.reshape(count * frames, 6)
    points, speeds = ends.reshape(count * bodies, 6), velocities.reshape(count * bodies, 6)
    for i in range(count):
        place_frames(reals, ints, q, dq, i * joints, turns, rows, moves, i * frames, True)
        for k in range(bodies):
            f, row = i * frames + frame[k], i * bodies + k
            _place_point(rows, moves, f, local, k, 0, points, speeds, row)
            _place_point(rows, moves, f, local, k, 3, points, speeds, row)


@kernel
def _place_point(poses, twists, f, local, i, k, points, velocities, row):
    x, y, z = local[i, k], local[i, k + 1], local[i, k + 2]
    rx = poses[f, 0] * x + poses[f, 1] * y + poses[f, 2] * z
    ry = poses[f, 4] * x + poses[f, 5] * y + poses[f, 6] * z
    rz = poses[f, 8] * x + poses[f, 9] * y + poses[f, 10] * z
    tx, ty, tz = poses[f, 3], poses[f, 7], poses[f, 11]
    wx, wy, wz = twists[f, 0], twists[f, 1], twists[f, 2]
    vx = twists[f, 3] + wy * rz - wz * ry
    vy = twists[f, 4] + wz * rx - wx * rz
    vz = twists[f, 5] + wx * ry - wy * rx
    points[row, k], points[row, k + 1], points[row, k + 2] = tx + rx, ty + ry, tz + rz
    velocities[row, k], velocities[row, k + 1], velocities[row, k + 2] = vx, vy, vz
