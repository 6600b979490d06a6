"""Forward kinematics over the flat joint tree: poses, and velocities on request.

The tree is two tables, one row a frame, parents before children; row 0 is the world.

``reals``, float64 (frames, 16)
    0-11  origin: the frame at joint position 0, in its parent, as three rows of four ``[R | t]``
    12-13 multiplier and offset: the joint stands at ``multiplier * q[index] + offset``
          (1 and 0 but for mimic joints)
    14-15 the lowest and the highest position counted on by the reach (see `motion.kernels.reach`)

``ints``, int64 (frames, 4)
    0 parent, 1 kind (FIXED for the world, REVOLUTE about z, PRISMATIC along z),
    2 index into ``q``, 3 depth (number of joints between the world and the frame)

``poses``, float64 (frames, 12), and ``twists``, float64 (frames, 6): the angular velocity, then the
velocity of the frame's origin, both in world coordinates.

``turns``, float64 (3, frames rounded up to a multiple of 8), is scratch: POSITION, SINE and COSINE
of every joint. All sines and cosines are taken first, in one loop without a branch that the
compiler turns into vector instructions; they would be half the cost otherwise. Beyond the frames
``turns[POSITION]`` holds zeros, so that the loop runs in full vectors.
"""

from __future__ import annotations

from standoff.compiled.jit import entry, inlined, kernel
from standoff.robots.kernels.sincos import SINCOS_RANGE, sincos, sincos_within

FIXED = 0
REVOLUTE = 1
PRISMATIC = 2

MULTIPLIER = 12
OFFSET = 13
LOWEST = 14
HIGHEST = 15

PARENT = 0
JOINT_KIND = 1
INDEX = 2
DEPTH = 3

#: Rows of ``turns``.
POSITION, SINE, COSINE = range(3)


@entry("void(float64[:,::1], int64[:,::1], float64[::1], float64[:,::1], float64[:,::1])")
def forward(reals, ints, q, turns, poses):
    """Poses of all frames at ``q``."""
    place_frames(reals, ints, q, q, turns, poses, poses, False)


@entry(
    "void(float64[:,::1], int64[:,::1], float64[::1], float64[::1], float64[:,::1],"
    " float64[:,::1], float64[:,::1])"
)
def forward_velocity(reals, ints, q, dq, turns, poses, twists):
    """Poses of all frames at ``q``, and their velocities while the joints move at ``dq``."""
    place_frames(reals, ints, q, dq, turns, poses, twists, True)


@entry("void(float64[:,::1], int64[:,::1], float64[:,::1], float64[:,::1], float64[:,:,::1])")
def forward_batch(reals, ints, Q, turns, poses):
    """`forward` for each row of ``Q`` (n, joints) into ``poses`` (n, frames, 12)."""
    for i in range(len(Q)):
        place_frames(reals, ints, Q[i], Q[i], turns, poses[i], poses[i], False)


@kernel
def place_frames(reals, ints, q, dq, turns, poses, twists, moving):
    """One configuration into ``poses`` and ``twists``; ``dq`` and ``twists`` are left alone where
    nothing is ``moving``.

    Along a chain, where the parent is the frame before, its pose and twist are kept in variables:
    read back from the tables, they would wait for their own writing, which doubles the time."""
    _take_angles(reals, ints, q, turns)
    x, y, z = (1.0, 0.0, 0.0, 0.0), (0.0, 1.0, 0.0, 0.0), (0.0, 0.0, 1.0, 0.0)
    wx, wy, wz, vx, vy, vz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for f in range(reals.shape[0]):
        if f > 0:
            if ints[f, PARENT] != f - 1:
                p = ints[f, PARENT]
                x, y, z = _four(poses, p, 0), _four(poses, p, 4), _four(poses, p, 8)
                if moving:
                    wx, wy, wz = twists[p, 0], twists[p, 1], twists[p, 2]
                    vx, vy, vz = twists[p, 3], twists[p, 4], twists[p, 5]
            revolute = ints[f, JOINT_KIND] == REVOLUTE
            own_pose = _in_parent(reals, turns, f, revolute)
            if moving:
                # The parent's twist carried to this origin.
                rx, ry, rz = _lever(x, own_pose), _lever(y, own_pose), _lever(z, own_pose)
                vx, vy, vz = (
                    vx + wy * rz - wz * ry,
                    vy + wz * rx - wx * rz,
                    vz + wx * ry - wy * rx,
                )
            x, y, z = _turned(x, own_pose), _turned(y, own_pose), _turned(z, own_pose)
            if moving:
                # The joint's own motion, about or along z.
                speed = reals[f, MULTIPLIER] * dq[ints[f, INDEX]]
                if revolute:
                    wx, wy, wz = wx + speed * x[2], wy + speed * y[2], wz + speed * z[2]
                else:
                    vx, vy, vz = vx + speed * x[2], vy + speed * y[2], vz + speed * z[2]
        poses[f, 0], poses[f, 1], poses[f, 2], poses[f, 3] = x
        poses[f, 4], poses[f, 5], poses[f, 6], poses[f, 7] = y
        poses[f, 8], poses[f, 9], poses[f, 10], poses[f, 11] = z
        if moving:
            twists[f, 0], twists[f, 1], twists[f, 2] = wx, wy, wz
            twists[f, 3], twists[f, 4], twists[f, 5] = vx, vy, vz


@inlined
def _four(poses, p, at):
    """A row of a pose."""
    return poses[p, at], poses[p, at + 1], poses[p, at + 2], poses[p, at + 3]


@inlined
def _in_parent(reals, turns, f, revolute):
    """Frame ``f`` in its parent, as three rows: its origin times the joint's own motion, about or
    along z. Columns x and y turn, the origin slides."""
    s = turns[SINE, f] if revolute else 0.0
    c = turns[COSINE, f] if revolute else 1.0
    slide = 0.0 if revolute else turns[POSITION, f]
    (l0, l1, l2, l3), (m0, m1, m2, m3), (n0, n1, n2, n3) = (
        _four(reals, f, 0), _four(reals, f, 4), _four(reals, f, 8)
    )  # fmt: skip
    return (
        (c * l0 + s * l1, c * l1 - s * l0, l2, l3 + slide * l2),
        (c * m0 + s * m1, c * m1 - s * m0, m2, m3 + slide * m2),
        (c * n0 + s * n1, c * n1 - s * n0, n2, n3 + slide * n2),
    )


@inlined
def _lever(row, pose):
    """From the parent's origin to that of ``pose``, along the world's axis of a row of the
    parent."""
    (a, b, c, _), (u, v, w) = row, pose
    return a * u[3] + b * v[3] + c * w[3]


@inlined
def _turned(row, pose):
    """A row of the parent's pose times ``pose``."""
    (a, b, c, t), (u, v, w) = row, pose
    return (
        a * u[0] + b * v[0] + c * w[0],
        a * u[1] + b * v[1] + c * w[1],
        a * u[2] + b * v[2] + c * w[2],
        t + _lever(row, pose),
    )


@kernel
def _take_angles(reals, ints, q, turns):
    """The position of every joint, its sine and its cosine."""
    outside = False
    for f in range(1, reals.shape[0]):
        x = reals[f, MULTIPLIER] * q[ints[f, INDEX]] + reals[f, OFFSET]
        turns[POSITION, f] = x
        outside |= not abs(x) <= SINCOS_RANGE
    for f in range(turns.shape[1]):
        turns[SINE, f], turns[COSINE, f] = sincos_within(turns[POSITION, f])
    if outside:
        for f in range(1, reals.shape[0]):
            turns[SINE, f], turns[COSINE, f] = sincos(turns[POSITION, f])
