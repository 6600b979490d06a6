"""Where two bodies are at a configuration, and how far apart."""

from __future__ import annotations

import math

from standoff.compiled.arena import reals, wholes
from standoff.compiled.jit import kernel
from standoff.geometry.narrowphase.dispatch import DONE
from standoff.geometry.narrowphase.unpacked import closed_form, general_pair
from standoff.paths.kernels import apart_layout as p
from standoff.paths.kernels.motion import place_row
from standoff.robots.kernels.kinematics import INDEX, MULTIPLIER, place_frames


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
    rows, refs, points = reals(F, W, p.A_ROWS), wholes(W, p.A_REFS), reals(F, W, p.A_POINTS)
    parts, poses, local = wholes(W, p.A_PARTS), reals(F, W, p.A_POSES), reals(F, W, p.A_LOCAL)
    place_row(poses, parts[a, p.FRAME], local, rows, a)
    place_row(poses, parts[b, p.FRAME], local, rows, b)
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
def note_nearest(F, W, d):
    """The present configuration is the nearest one."""
    q, nearest = reals(F, W, p.A_JOINTS), reals(F, W, p.A_NEAREST)
    reals(F, W, p.A_RESULT)[0, p.NEAREST] = d
    for i in range(q.shape[1]):
        nearest[0, i] = q[p.Q, i]
