"""Where the spheres of a cell are, and how fast: in one call."""

from __future__ import annotations

from standoff.compiled.jit import entry
from standoff.robots.kernels.kinematics import place_frames


@entry(
    "void(float64[:,::1], int64[:,::1], float64[::1], float64[::1], float64[:,::1],"
    " float64[:,::1], float64[:,::1], int64[::1], float64[:,::1], float64[:,::1], float64[:,::1])"
)
def place_spheres(reals, ints, q, dq, turns, poses, twists, frame, centre, x, v):
    """Centres ``x`` and their velocities ``v`` in the world at ``q`` and ``dq``; ``centre`` is in
    the sphere's own ``frame``. Rows of ``poses`` and ``twists`` beyond those of the tree are given:
    bodies that no joint moves."""
    place_frames(reals, ints, q, dq, 0, turns, poses, twists, 0, True)
    for i in range(frame.shape[0]):
        p, w = poses[frame[i]], twists[frame[i]]
        cx, cy, cz = centre[i, 0], centre[i, 1], centre[i, 2]
        rx = p[0] * cx + p[1] * cy + p[2] * cz
        ry = p[4] * cx + p[5] * cy + p[6] * cz
        rz = p[8] * cx + p[9] * cy + p[10] * cz
        x[i, 0], x[i, 1], x[i, 2] = p[3] + rx, p[7] + ry, p[11] + rz
        v[i, 0] = w[3] + w[1] * rz - w[2] * ry
        v[i, 1] = w[4] + w[2] * rx - w[0] * rz
        v[i, 2] = w[5] + w[0] * ry - w[1] * rx
