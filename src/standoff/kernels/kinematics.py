"""Forward kinematics over the flat joint tree: poses, and velocities on request.

The tree is two tables, one row a frame, parents before children; row 0 is the world.

``reals``, float64 (frames, 16)
    0-11  origin: the frame at joint position 0, in its parent, as three rows of four ``[R | t]``
    12-13 multiplier and offset: the joint stands at ``multiplier * q[index] + offset``
          (1 and 0 but for mimic joints)
    14-15 the lowest and the highest position counted on by the reach (see `kernels.reach`)

``ints``, int64 (frames, 4)
    0 parent, 1 kind (FIXED for the world, REVOLUTE about z, PRISMATIC along z),
    2 index into ``q``, 3 depth (number of joints between the world and the frame)

``poses``, float64 (frames, 12), and ``twists``, float64 (frames, 6): the angular velocity, then the
velocity of the frame's origin, both in world coordinates.

``turns``, float64 (3, frames rounded up to a multiple of 8), is scratch: position, sine and cosine
of every joint. All sines and cosines are taken first, in one loop without a branch that the
compiler turns into vector instructions; they would be half the cost otherwise. Beyond the frames
``turns[0]`` holds zeros, so that the loop runs in full vectors.
"""

from __future__ import annotations

from standoff.constants import SINCOS_RANGE
from standoff.kernels.jit import entry, kernel
from standoff.kernels.sincos import sincos, sincos_within

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


@entry("void(float64[:,::1], int64[:,::1], float64[::1], float64[:,::1], float64[:,::1])")
def forward(reals, ints, q, turns, poses):
    """Poses of all frames at ``q``."""
    place_frames(reals, ints, q, q, 0, turns, poses, poses, 0, False)


@entry(
    "void(float64[:,::1], int64[:,::1], float64[::1], float64[::1], float64[:,::1],"
    " float64[:,::1], float64[:,::1])"
)
def forward_velocity(reals, ints, q, dq, turns, poses, twists):
    """Poses of all frames at ``q``, and their velocities while the joints move at ``dq``."""
    place_frames(reals, ints, q, dq, 0, turns, poses, twists, 0, True)


@entry("void(float64[:,::1], int64[:,::1], float64[:,::1], float64[:,::1], float64[:,:,::1])")
def forward_batch(reals, ints, Q, turns, poses):
    """`forward` for each row of ``Q`` (n, joints) into ``poses`` (n, frames, 12)."""
    count, joints, frames = Q.shape[0], Q.shape[1], reals.shape[0]
    q, rows = Q.reshape(Q.size), poses.reshape(count * frames, 12)
    for i in range(count):
        place_frames(reals, ints, q, q, i * joints, turns, rows, rows, i * frames, False)


@entry(
    "void(float64[:,::1], int64[:,::1], float64[:,::1], float64[:,::1], float64[:,::1],"
    " float64[:,:,::1], float64[:,:,::1])"
)
def forward_velocity_batch(reals, ints, Q, DQ, turns, poses, twists):
    """`forward_velocity` for each row of ``Q`` and ``DQ`` (n, joints)."""
    count, joints, frames = Q.shape[0], Q.shape[1], reals.shape[0]
    q, dq = Q.reshape(Q.size), DQ.reshape(Q.size)
    rows, moves = poses.reshape(count * frames, 12), twists.reshape(count * frames, 6)
    for i in range(count):
        place_frames(reals, ints, q, dq, i * joints, turns, rows, moves, i * frames, True)


@kernel
def place_frames(reals, ints, q, dq, q0, turns, poses, twists, row0, moving):
    """One configuration, ``q`` and ``dq`` from entry ``q0`` on, into ``poses`` and ``twists`` from
    row ``row0`` on; ``dq`` and ``twists`` are left alone where nothing is ``moving``.

    Along a chain, where the parent is the frame before, its pose and twist are kept in variables:
    read back from the tables, they would wait for their own writing, which doubles the time."""
    _take_angles(reals, ints, q, q0, turns)
    ax, bx, cx, tx = 1.0, 0.0, 0.0, 0.0
    ay, by, cy, ty = 0.0, 1.0, 0.0, 0.0
    az, bz, cz, tz = 0.0, 0.0, 1.0, 0.0
    wx, wy, wz, vx, vy, vz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for f in range(reals.shape[0]):
        own = row0 + f
        if f > 0:
            if ints[f, PARENT] != f - 1:
                p = row0 + ints[f, PARENT]
                ax, bx, cx, tx = poses[p, 0], poses[p, 1], poses[p, 2], poses[p, 3]
                ay, by, cy, ty = poses[p, 4], poses[p, 5], poses[p, 6], poses[p, 7]
                az, bz, cz, tz = poses[p, 8], poses[p, 9], poses[p, 10], poses[p, 11]
                if moving:
                    wx, wy, wz = twists[p, 0], twists[p, 1], twists[p, 2]
                    vx, vy, vz = twists[p, 3], twists[p, 4], twists[p, 5]
            revolute = ints[f, JOINT_KIND] == REVOLUTE
            # Origin times the joint's own motion, about or along z: columns x and y turn, the
            # origin slides.
            s = turns[1, f] if revolute else 0.0
            c = turns[2, f] if revolute else 1.0
            slide = 0.0 if revolute else turns[0, f]
            l0, l1 = c * reals[f, 0] + s * reals[f, 1], c * reals[f, 1] - s * reals[f, 0]
            m0, m1 = c * reals[f, 4] + s * reals[f, 5], c * reals[f, 5] - s * reals[f, 4]
            n0, n1 = c * reals[f, 8] + s * reals[f, 9], c * reals[f, 9] - s * reals[f, 8]
            l2, m2, n2 = reals[f, 2], reals[f, 6], reals[f, 10]
            l3 = reals[f, 3] + slide * l2
            m3 = reals[f, 7] + slide * m2
            n3 = reals[f, 11] + slide * n2
            # Parent's pose times that.
            rx = ax * l3 + bx * m3 + cx * n3
            ry = ay * l3 + by * m3 + cy * n3
            rz = az * l3 + bz * m3 + cz * n3
            ax, bx, cx = (
                ax * l0 + bx * m0 + cx * n0,
                ax * l1 + bx * m1 + cx * n1,
                ax * l2 + bx * m2 + cx * n2,
            )
            ay, by, cy = (
                ay * l0 + by * m0 + cy * n0,
                ay * l1 + by * m1 + cy * n1,
                ay * l2 + by * m2 + cy * n2,
            )
            az, bz, cz = (
                az * l0 + bz * m0 + cz * n0,
                az * l1 + bz * m1 + cz * n1,
                az * l2 + bz * m2 + cz * n2,
            )
            tx, ty, tz = tx + rx, ty + ry, tz + rz
            if moving:
                # The parent's twist carried to this origin, plus the joint's own motion.
                vx, vy, vz = (
                    vx + wy * rz - wz * ry,
                    vy + wz * rx - wx * rz,
                    vz + wx * ry - wy * rx,
                )
                speed = reals[f, MULTIPLIER] * dq[q0 + ints[f, INDEX]]
                if revolute:
                    wx, wy, wz = wx + speed * cx, wy + speed * cy, wz + speed * cz
                else:
                    vx, vy, vz = vx + speed * cx, vy + speed * cy, vz + speed * cz
        poses[own, 0], poses[own, 1], poses[own, 2], poses[own, 3] = ax, bx, cx, tx
        poses[own, 4], poses[own, 5], poses[own, 6], poses[own, 7] = ay, by, cy, ty
        poses[own, 8], poses[own, 9], poses[own, 10], poses[own, 11] = az, bz, cz, tz
        if moving:
            twists[own, 0], twists[own, 1], twists[own, 2] = wx, wy, wz
            twists[own, 3], twists[own, 4], twists[own, 5] = vx, vy, vz


@kernel
def _take_angles(reals, ints, q, q0, turns):
    """The position of every joint, its sine and its cosine."""
    outside = False
    for f in range(1, reals.shape[0]):
        x = reals[f, MULTIPLIER] * q[q0 + ints[f, INDEX]] + reals[f, OFFSET]
        turns[0, f] = x
        outside |= not abs(x) <= SINCOS_RANGE
    for f in range(turns.shape[1]):
        turns[1, f], turns[2, f] = sincos_within(turns[0, f])
    if outside:
        for f in range(1, reals.shape[0]):
            turns[1, f], turns[2, f] = sincos(turns[0, f])
