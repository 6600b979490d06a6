"""Where two bodies are at a configuration, and how far apart."""

from __future__ import annotations

import math

from standoff.kernels.arena import reals, wholes
from standoff.kernels.jit import kernel
from standoff.kernels.kinematics import INDEX, MULTIPLIER, place_frames
from standoff.kernels.pairs.dispatch import DONE, closed_form
from standoff.kernels.pairs.general import general_pair
from standoff.kernels.paths import apart_layout as p


@kernel
def place_box(F, W):
    """Centre and half widths of the present box, and all frames at its centre.

    A number ``k = 2^l + i`` is interval ``i`` of ``2^l``; ``k + 1/2 = m 2^(l+1)`` with ``m`` from
    1/2 to 1 has its centre at the fraction ``2 m - 1`` of the range, exactly."""
    box, joints = wholes(W, p.A_BOX), reals(F, W, p.A_JOINTS)
    for i in range(joints.shape[1]):
        m, e = math.frexp(box[0, i] + 0.5)
        joints[p.Q, i] = joints[p.LOWER, i] + joints[p.WIDTH, i] * (2.0 * m - 1.0)
        joints[p.HALF, i] = math.ldexp(joints[p.WIDTH, i], -e) + joints[p.PAD, i]
    tree, linkage, paces = reals(F, W, p.A_TREE), wholes(W, p.A_LINKAGE), reals(F, W, p.A_PACES)
    for f in range(1, tree.shape[0]):
        paces[0, f] = abs(tree[f, MULTIPLIER]) * joints[p.HALF, linkage[f, INDEX]]
    place_joints(F, W)


@kernel
def place_joints(F, W):
    """All frames where ``q`` has them."""
    q, poses = reals(F, W, p.A_JOINTS)[p.Q], reals(F, W, p.A_POSES)
    place_frames(
        reals(F, W, p.A_TREE), wholes(W, p.A_LINKAGE), q, q, 0, reals(F, W, p.A_TURNS),
        poses, poses, 0, False,
    )  # fmt: skip


@kernel
def measure(general, F, W, a, b):
    """Row 0 of A_OUT: the distance of two parts where the frames are; DONE, or why not."""
    place_part(F, W, a)
    place_part(F, W, b)
    rows, refs, points = reals(F, W, p.A_ROWS), wholes(W, p.A_REFS), reals(F, W, p.A_POINTS)
    out = reals(F, W, p.A_OUT)
    if closed_form(rows, refs, a, points, rows, refs, b, points, out, 0):
        return DONE
    faces, solids, ints = wholes(W, p.A_FACES), reals(F, W, p.A_SOLIDS), wholes(W, p.A_INTS)
    work, iwork = reals(F, W, p.A_WORK), wholes(W, p.A_IWORK)
    return general_pair(
        general, rows, refs, a, points, faces, solids, ints.reshape(ints.size),
        rows, refs, b, points, faces, solids, ints.reshape(ints.size),
        work.reshape(work.size), iwork.reshape(iwork.size), out, 0,
    )  # fmt: skip


@kernel
def place_part(F, W, i):
    local, rows, poses = reals(F, W, p.A_LOCAL), reals(F, W, p.A_ROWS), reals(F, W, p.A_POSES)
    f = wholes(W, p.A_PARTS)[i, p.FRAME]
    for r in range(0, 12, 4):
        a, b, c = poses[f, r], poses[f, r + 1], poses[f, r + 2]
        rows[i, r] = a * local[i, 0] + b * local[i, 4] + c * local[i, 8]
        rows[i, r + 1] = a * local[i, 1] + b * local[i, 5] + c * local[i, 9]
        rows[i, r + 2] = a * local[i, 2] + b * local[i, 6] + c * local[i, 10]
        rows[i, r + 3] = poses[f, r + 3] + (a * local[i, 3] + b * local[i, 7] + c * local[i, 11])


@kernel
def note_nearest(F, W, d):
    """The present configuration is the nearest one."""
    q, nearest = reals(F, W, p.A_JOINTS), reals(F, W, p.A_NEAREST)
    reals(F, W, p.A_RESULT)[0, p.NEAREST] = d
    for i in range(q.shape[1]):
        nearest[0, i] = q[p.Q, i]
