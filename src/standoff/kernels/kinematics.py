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
    _begin(reals, ints, q, turns, poses)
    for f in range(1, reals.shape[0]):
        _place_frame(reals, ints, f, turns, poses)


@entry(
    "void(float64[:,::1], int64[:,::1], float64[::1], float64[::1], float64[:,::1],"
    " float64[:,::1], float64[:,::1])"
)
def forward_velocity(reals, ints, q, dq, turns, poses, twists):
    """Poses of all frames at ``q``, and their velocities while the joints move at ``dq``."""
    _begin(reals, ints, q, turns, poses)
    for k in range(6):
        twists[0, k] = 0.0
    for f in range(1, reals.shape[0]):
        _place_frame(reals, ints, f, turns, poses)
        _move_frame(ints, f, reals[f, MULTIPLIER] * dq[ints[f, INDEX]], poses, twists)


@entry("void(float64[:,::1], int64[:,::1], float64[:,::1], float64[:,::1], float64[:,:,::1])")
def forward_batch(reals, ints, Q, turns, poses):
    """`forward` for each row of ``Q`` (n, joints) into ``poses`` (n, frames, 12)."""
    for i in range(Q.shape[0]):
        forward(reals, ints, Q[i], turns, poses[i])


@entry(
    "void(float64[:,::1], int64[:,::1], float64[:,::1], float64[:,::1], float64[:,::1],"
    " float64[:,:,::1], float64[:,:,::1])"
)
def forward_velocity_batch(reals, ints, Q, DQ, turns, poses, twists):
    """`forward_velocity` for each row of ``Q`` and ``DQ`` (n, joints)."""
    for i in range(Q.shape[0]):
        forward_velocity(reals, ints, Q[i], DQ[i], turns, poses[i], twists[i])


@kernel
def _begin(reals, ints, q, turns, poses):
    """The world's pose, and of every joint the position, the sine and the cosine."""
    for k in range(12):
        poses[0, k] = 0.0
    poses[0, 0] = 1.0
    poses[0, 5] = 1.0
    poses[0, 10] = 1.0
    frames = reals.shape[0]
    turns[0, 0] = 0.0
    outside = False
    for f in range(1, frames):
        x = reals[f, MULTIPLIER] * q[ints[f, INDEX]] + reals[f, OFFSET]
        turns[0, f] = x
        outside |= not abs(x) <= SINCOS_RANGE
    for f in range(turns.shape[1]):
        turns[1, f], turns[2, f] = sincos_within(turns[0, f])
    if outside:
        for f in range(1, frames):
            turns[1, f], turns[2, f] = sincos(turns[0, f])


@kernel
def _place_frame(reals, ints, f, turns, poses):
    """Parent's pose times origin times the joint's own motion, about or along z."""
    if ints[f, JOINT_KIND] == REVOLUTE:
        slide, s, c = 0.0, turns[1, f], turns[2, f]
    else:
        slide, s, c = turns[0, f], 0.0, 1.0
    p = ints[f, PARENT]
    l0, l1 = c * reals[f, 0] + s * reals[f, 1], c * reals[f, 1] - s * reals[f, 0]
    m0, m1 = c * reals[f, 4] + s * reals[f, 5], c * reals[f, 5] - s * reals[f, 4]
    n0, n1 = c * reals[f, 8] + s * reals[f, 9], c * reals[f, 9] - s * reals[f, 8]
    l2, m2, n2 = reals[f, 2], reals[f, 6], reals[f, 10]
    l3, m3, n3 = reals[f, 3] + slide * l2, reals[f, 7] + slide * m2, reals[f, 11] + slide * n2
    for r in range(0, 12, 4):
        a, b, d, t = poses[p, r], poses[p, r + 1], poses[p, r + 2], poses[p, r + 3]
        poses[f, r] = a * l0 + b * m0 + d * n0
        poses[f, r + 1] = a * l1 + b * m1 + d * n1
        poses[f, r + 2] = a * l2 + b * m2 + d * n2
        poses[f, r + 3] = a * l3 + b * m3 + d * n3 + t


@kernel
def _move_frame(ints, f, speed, poses, twists):
    """The parent's twist carried to this origin, plus the joint's own motion about or along z."""
    p = ints[f, PARENT]
    rx = poses[f, 3] - poses[p, 3]
    ry = poses[f, 7] - poses[p, 7]
    rz = poses[f, 11] - poses[p, 11]
    wx, wy, wz = twists[p, 0], twists[p, 1], twists[p, 2]
    vx = twists[p, 3] + wy * rz - wz * ry
    vy = twists[p, 4] + wz * rx - wx * rz
    vz = twists[p, 5] + wx * ry - wy * rx
    zx, zy, zz = speed * poses[f, 2], speed * poses[f, 6], speed * poses[f, 10]
    if ints[f, JOINT_KIND] == REVOLUTE:
        twists[f, 0], twists[f, 1], twists[f, 2] = wx + zx, wy + zy, wz + zz
        twists[f, 3], twists[f, 4], twists[f, 5] = vx, vy, vz
    else:
        twists[f, 0], twists[f, 1], twists[f, 2] = wx, wy, wz
        twists[f, 3], twists[f, 4], twists[f, 5] = vx + zx, vy + zy, vz + zz
