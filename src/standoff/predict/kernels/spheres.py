"""Where the spheres of a cell are, and how fast: in one call."""

from __future__ import annotations

from standoff.compiled.jit import entry
from standoff.compiled.tables import Reals, Tables, Wholes, viewer


class Spheres(Tables):
    """Spheres on the frames of a tree and of bodies that no joint moves."""

    frame = Wholes(doc="that each sphere is fixed to")
    centre = Reals(3, "of each sphere in its frame, [m]")


spheres_at = viewer(Spheres)


@entry("int64(int64, float64[:,::1], float64[:,::1], float64[:,::1], float64[:,::1])")
def place_spheres(address, poses, twists, x, v):
    """Centres ``x`` and their velocities ``v`` in the world, of the frames' ``poses`` and
    ``twists``."""
    spheres = spheres_at(address)
    frame, centre = spheres.frame, spheres.centre
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
    return 0
