"""Both ends of capsules on a tree, and their velocities: what forward kinematics is timed by."""

from __future__ import annotations

from standoff.compiled.jit import entry, kernel
from standoff.compiled.tables import ANY, Reals, Tables, Wholes, viewer
from standoff.robots.kernels.kinematics import place_frames


class Ends(Tables):
    """Both ends of each capsule's axis, at many configurations one behind the other."""

    reals = Reals(16, "the tree, see `robots.kernels.kinematics`")
    ints = Wholes(4, "the tree")
    turns = Reals(ANY, "scratch of the tree")
    frame = Wholes(doc="of each capsule")
    local = Reals(6, "both ends of each capsule in its frame")
    poses = Reals(12, "of the frames")
    twists = Reals(6, "of the frames")
    ends = Reals(6, "in world coordinates")
    velocities = Reals(6, "of the ends, in world coordinates")


ends_at = viewer(Ends)


@entry("void(int64, float64[:,::1], float64[:,::1])")
def place_ends(tables, Q, DQ):
    """Everything for each row of ``Q`` and ``DQ``, in one call."""
    ends = ends_at(tables)
    frames, bodies = ends.reals.shape[0], ends.frame.shape[0]
    for i in range(Q.shape[0]):
        poses, twists = ends.poses[i * frames :], ends.twists[i * frames :]
        place_frames(ends.reals, ends.ints, Q[i], DQ[i], ends.turns, poses, twists, True)
        for body in range(bodies):
            for end in range(0, 6, 3):
                _place_end(ends, i * frames + ends.frame[body], body, end, i * bodies + body)


@kernel
def _place_end(ends, f, body, k, row):
    poses, twists, local = ends.poses, ends.twists, ends.local
    x, y, z = local[body, k], local[body, k + 1], local[body, k + 2]
    rx = poses[f, 0] * x + poses[f, 1] * y + poses[f, 2] * z
    ry = poses[f, 4] * x + poses[f, 5] * y + poses[f, 6] * z
    rz = poses[f, 8] * x + poses[f, 9] * y + poses[f, 10] * z
    tx, ty, tz = poses[f, 3], poses[f, 7], poses[f, 11]
    wx, wy, wz = twists[f, 0], twists[f, 1], twists[f, 2]
    vx = twists[f, 3] + wy * rz - wz * ry
    vy = twists[f, 4] + wz * rx - wx * rz
    vz = twists[f, 5] + wx * ry - wy * rx
    placed, moving = ends.ends, ends.velocities
    placed[row, k], placed[row, k + 1], placed[row, k + 2] = tx + rx, ty + ry, tz + rz
    moving[row, k], moving[row, k + 1], moving[row, k + 2] = vx, vy, vz
