"""Where the bodies are once the frames are known: rows of the pair kernels, points, velocities."""

from __future__ import annotations

from standoff.kernels.jit import entry, kernel
from standoff.kernels.kinematics import forward_velocity


@entry("void(float64[:,::1], int64[::1], float64[:,::1], float64[:,::1])")
def place(poses, frame, local, rows):
    """The pose columns of ``rows`` (see `kernels.layout`): each body stands at ``local`` (n, 12)
    in its ``frame`` (n,). The size columns stay as they are."""
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
        _place_point(poses, twists, frame[i], local, i, 0, points, velocities)


@entry(
    "void(float64[:,::1], float64[:,::1], int64[::1], float64[:,::1], float64[:,::1],"
    " float64[:,::1])"
)
def place_ends(poses, twists, frame, local, ends, velocities):
    """Both ends of each capsule's axis, given as ``local`` (n, 6) in its ``frame`` (n,): where
    they are and how fast they move, in world coordinates."""
    for i in range(frame.shape[0]):
        _place_point(poses, twists, frame[i], local, i, 0, ends, velocities)
        _place_point(poses, twists, frame[i], local, i, 3, ends, velocities)


@entry(
    "void(float64[:,::1], int64[:,::1], float64[:,::1], float64[:,::1], int64[::1],"
    " float64[:,::1], float64[:,::1], float64[:,:,::1], float64[:,:,::1], float64[:,:,::1],"
    " float64[:,:,::1])"
)
def ends_batch(reals, ints, Q, DQ, frame, local, turns, poses, twists, ends, velocities):
    """`forward_velocity` and `place_ends` for each row of ``Q`` and ``DQ``, in one call."""
    for i in range(Q.shape[0]):
        forward_velocity(reals, ints, Q[i], DQ[i], turns, poses[i], twists[i])
        place_ends(poses[i], twists[i], frame, local, ends[i], velocities[i])


@kernel
def _place_point(poses, twists, f, local, i, k, points, velocities):
    x, y, z = local[i, k], local[i, k + 1], local[i, k + 2]
    rx = poses[f, 0] * x + poses[f, 1] * y + poses[f, 2] * z
    ry = poses[f, 4] * x + poses[f, 5] * y + poses[f, 6] * z
    rz = poses[f, 8] * x + poses[f, 9] * y + poses[f, 10] * z
    wx, wy, wz = twists[f, 0], twists[f, 1], twists[f, 2]
    points[i, k] = poses[f, 3] + rx
    points[i, k + 1] = poses[f, 7] + ry
    points[i, k + 2] = poses[f, 11] + rz
    velocities[i, k] = twists[f, 3] + wy * rz - wz * ry
    velocities[i, k + 1] = twists[f, 4] + wz * rx - wx * rz
    velocities[i, k + 2] = twists[f, 5] + wx * ry - wy * rx
