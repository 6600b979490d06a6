"""The cells of an index, coloured by how many primitives are in each."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from standoff.broadphase import Index
from standoff.broadphase.kernels import tables as x
from standoff.geometry.pose import Array
from standoff.geometry.shape import IntArray
from standoff.view.live.style import ramp

if TYPE_CHECKING:
    import viser


#: Cells that are drawn at most, the fullest first.
MOST_CELLS = 1500

#: Cells are drawn a little smaller, so that two neighbours have lines of their own, as a part.
_INSET = 0.006

_EDGES = np.array(
    [(a, a | bit) for a in range(8) for bit in (1, 2, 4) if not a & bit], dtype=np.int64
)


def leaves(index: Index) -> tuple[Array, IntArray]:
    """Boxes (n, 6) of the leaves that hold something, low x y z then high x y z, [m], and how many
    items each holds, the fullest first; no more than MOST_CELLS."""
    live = index._live_nodes()
    tree = index.tables.tree
    filled = live[(tree[live, x.FIRST] == x.NONE) & (tree[live, x.COUNT] > 0)]
    counts = tree[filled, x.COUNT]
    order = np.argsort(-counts, kind="stable")[:MOST_CELLS]
    return index.tables.nodes[filled[order]].copy(), counts[order].copy()


def edges(boxes: Array) -> Array:
    """(12 n, 2, 3): the edges of boxes (n, 6)."""
    low, high = boxes[:, :3], boxes[:, 3:]
    inset = _INSET * (high - low)
    low, high = low + inset, high - inset
    bits = (np.arange(8)[:, None] >> np.arange(3)) & 1
    corners = np.where(bits[None], high[:, None], low[:, None])
    return np.asarray(corners[:, _EDGES].reshape(-1, 2, 3))


class OctreeCells:
    """The cells on the page; sent again only when they have changed."""

    def __init__(self, scene: viser.SceneApi) -> None:
        self._scene = scene
        self._node: viser.LineSegmentsHandle | None = None
        self._last: tuple[bytes, bytes] | None = None

    def show(self, index: Index | None) -> None:
        """Draw the cells of an index; None takes them off."""
        if index is None:
            if self._node is not None:
                self._node.remove()
            self._node = self._last = None
            return
        boxes, counts = leaves(index)
        drawn = boxes.tobytes(), counts.tobytes()
        if drawn == self._last:
            return
        self._last = drawn
        if not len(boxes):
            return
        share = (counts - 1.0) / max(float(counts.max()) - 1.0, 1.0)
        colours = np.repeat(ramp(np.asarray(share, dtype=np.float64)), 24, axis=0).reshape(-1, 2, 3)
        # A node of the same name takes the place of the one before.
        self._node = self._scene.add_line_segments(
            "/octree", edges(boxes), colours, thickness=1.6, thickness_units="screen"
        )
