"""Distances as Python asks for them: many pairs in one call, or one pair at two poses."""

from __future__ import annotations

from standoff.compiled.jit import entry, kernel
from standoff.geometry.narrowphase.bodies import bodies_at, scratch_at
from standoff.geometry.narrowphase.dispatch import DONE, UNSUPPORTED, closed_form, general_pair
from standoff.tolerances import COORDINATE_LIMIT, ROTATION_EXACT

#: A pose that is not plainly a rigid motion; nothing was computed.
NOT_A_POSE = -1


@entry("int64(int64, int64, int64[:, ::1], int64, float64[:, ::1])")
def distances(general, bodies, pairs, scratch, out):
    """Row ``p`` of ``out`` for the two bodies ``pairs[p]`` of one set, for every ``p``;
    ``general`` is the address of `pair_distance`. Returns the first ``p`` whose kernel did not
    report `DONE`, or -1 where all did; the rows after it are computed all the same."""
    bodies, scratch = bodies_at(bodies), scratch_at(scratch)
    first = -1
    for p in range(len(pairs)):
        i, j = pairs[p, 0], pairs[p, 1]
        if closed_form(bodies, i, bodies, j, out, p):
            continue
        status = general_pair(general, bodies, i, bodies, j, scratch, out, p)
        if status != DONE and first < 0:
            first = p
    return first


@entry("int64(float64[:, :, ::1], int64, int64, float64[:, ::1])")
def one_closed(poses, a, b, out):
    """The one row of ``out`` for the only bodies of two sets, at ``poses``, which are copied into
    their rows. Returns DONE, NOT_A_POSE, or UNSUPPORTED for a pair without a closed form. Apart
    from `one_general`, because it compiles in a tenth of the time."""
    A, B = bodies_at(a), bodies_at(b)
    if not (put_pose(poses[0], A.rows) and put_pose(poses[1], B.rows)):
        return NOT_A_POSE
    return DONE if closed_form(A, 0, B, 0, out, 0) else UNSUPPORTED


@entry("int64(int64, float64[:, :, ::1], int64, int64, int64, float64[:, ::1])")
def one_general(general, poses, a, b, scratch, out):
    """As `one_closed`, for bodies of any kinds. Returns the kernel's status, or NOT_A_POSE."""
    A, B = bodies_at(a), bodies_at(b)
    if not (put_pose(poses[0], A.rows) and put_pose(poses[1], B.rows)):
        return NOT_A_POSE
    return general_pair(general, A, 0, B, 0, scratch_at(scratch), out, 0)


@kernel
def put_pose(pose, rows):
    """The pose columns of row 0; false where the pose is none, and then nothing is sure."""
    if not plain_pose(pose):
        return False
    for r in range(3):
        for c in range(4):
            rows[0, 4 * r + c] = pose[r, c]
    return True


@kernel
def plain_pose(pose):
    """Whether a 4 x 4 matrix is a rigid motion beyond question: finite, right-handed,
    orthonormal within ROTATION_EXACT, last row 0 0 0 1. Said no, ask `as_pose` why."""
    good = pose[3, 0] == 0.0 and pose[3, 1] == 0.0 and pose[3, 2] == 0.0 and pose[3, 3] == 1.0
    for r in range(3):
        good = good and abs(pose[r, 3]) <= COORDINATE_LIMIT
        for q in range(r, 3):
            d = pose[r, 0] * pose[q, 0] + pose[r, 1] * pose[q, 1] + pose[r, 2] * pose[q, 2]
            if r == q:
                d -= 1.0
            good = good and abs(d) <= ROTATION_EXACT
    x = pose[0, 1] * pose[1, 2] - pose[0, 2] * pose[1, 1]
    y = pose[0, 2] * pose[1, 0] - pose[0, 0] * pose[1, 2]
    z = pose[0, 0] * pose[1, 1] - pose[0, 1] * pose[1, 0]
    return good and x * pose[2, 0] + y * pose[2, 1] + z * pose[2, 2] > 0.0
