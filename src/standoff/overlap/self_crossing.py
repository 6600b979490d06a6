"""Whether the surface of a mesh goes through itself, and where."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from standoff.geometry.mesh import Mesh
from standoff.geometry.pose import Array
from standoff.geometry.shape import IntArray
from standoff.geometry.table import pack
from standoff.overlap.depth import CROSSING_TOLERANCE
from standoff.overlap.kernels.self_crossing import CROSSING_STACK, CROSSING_WORK, self_crossings

#: Pairs that are kept, of those counted.
_KEPT = 1000


@dataclass(frozen=True, eq=False)
class SelfCrossing:
    """Triangles of a mesh that go through each other.

    Attributes:
        count: pairs of triangles without a common vertex, of which an edge of one goes through the
            other. Triangles that touch, or overlap in one plane, are not counted.
        pairs: (k, 2), the triangles of the first thousand of them, lowest numbers first.
        low, high: corners of the box of those triangles, in the mesh's frame, [m].
    """

    count: int
    pairs: IntArray
    low: Array
    high: Array


def self_crossing(mesh: Mesh) -> SelfCrossing | None:
    """Where a mesh crosses itself; None where it does not."""
    _, refs, g = pack([mesh])
    found = np.zeros((_KEPT, 2), dtype=np.int64)
    low, high = mesh.bounds()
    margin = CROSSING_TOLERANCE * float(np.linalg.norm(high - low))
    scratch = np.zeros((CROSSING_STACK, 2), dtype=np.int64)
    count = self_crossings(
        refs, 0, g.points, g.faces, g.nodes, g.ints, margin, np.zeros(CROSSING_WORK), scratch, found
    )
    if count == 0:
        return None
    pairs = np.sort(found[: min(count, _KEPT)], axis=1)
    pairs = pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))]
    corners = mesh.vertices[mesh.faces[pairs]].reshape(-1, 3)
    return SelfCrossing(int(count), pairs, corners.min(axis=0), corners.max(axis=0))
