"""What is inside a mesh, by solid angles."""

from __future__ import annotations

import numpy as np


def winding(points, corners):
    """Generalised winding number of triangles (n, 3, 3) about a point (3,), or about each of
    (m, 3): the solid angles of all, added up, over that of a sphere."""
    a, b, c = (corners[:, k] - np.asarray(points)[..., None, :] for k in range(3))
    la, lb, lc = (np.linalg.norm(x, axis=-1) for x in (a, b, c))
    up = (a * np.cross(b, c)).sum(axis=-1)
    across = la * lb * lc + sum(
        (x * y).sum(axis=-1) * lz for x, y, lz in ((a, b, lc), (b, c, la), (c, a, lb))
    )
    return np.arctan2(up, across).sum(axis=-1) / (2.0 * np.pi)
