"""The N-objects octree of paper 000."""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from standoff.broadphase.index import VISIT_WRAP, Index
from standoff.broadphase.kernels import entries, layout
from standoff.errors import ConfigurationError
from standoff.geometry.shape import SMALLEST_SIZE

#: Levels an octree may have below its root, [-]; the way to a neighbour is kept in three bits a
#: level of one 64-bit number, and a cube of 1 km has leaves of 1 mm there.
DEEPEST_LEVEL = 20

#: Links an octree may have for each item before it is made a level coarser instead of larger, [-],
#: and how many it may always have: 16 and 4,096, of 32 bytes. Trees that follow the scene need 2
#: to 4; more than N boxes that overlap would otherwise be split down to the smallest node, millions
#: of them where that is a millimetre.
LINKS_PER_ITEM = 16
LEAST_LINKS = 4_096


class Octree(Index):
    """A node with more than ``split`` items is split, down to an edge of ``smallest``.

    Args:
        items, low, edge, wrap: as for `Index`.
        split: the paper's N.
        smallest: no node gets a smaller edge, [m]; more than the farthest that a face of a box
            moves in one step, as long as boxes are to be followed from node to node.
    """

    kind: ClassVar[int] = layout.OCTREE
    links_per_item: ClassVar[int] = LINKS_PER_ITEM
    least_links: ClassVar[int] = LEAST_LINKS

    def __init__(
        self,
        items: int,
        low: ArrayLike,
        edge: float,
        *,
        split: int = 10,
        smallest: float = 0.0,
        wrap: int = VISIT_WRAP,
    ) -> None:
        if not (isinstance(split, int) and split >= 1):
            raise ConfigurationError("split", value=split, allowed="a whole number from 1 on")
        if not (isinstance(smallest, (int, float)) and 0.0 <= smallest < math.inf):
            raise ConfigurationError("smallest", value=smallest, allowed="from 0 on")
        levels = DEEPEST_LEVEL
        if smallest > SMALLEST_SIZE:
            # The deepest level whose nodes are not smaller: edge / 2^levels >= smallest.
            levels = min(levels, max(0, math.floor(math.log2(edge / smallest))))
        nodes = 1 + 8 * max(64, math.ceil(items / split))
        super().__init__(items, low, edge, nodes=nodes, smallest=edge / 2.0**levels, wrap=wrap)
        self._set(layout.SPLIT_ABOVE, split)
        self._set(layout.MERGE_WITHIN, split)
        self._set(layout.DEEPEST, levels)
        entries.clear(self.arena.F, self.arena.W)

    def _coarsened(self, links: int) -> bool:
        """One level less, once the links are as many as items may have."""
        state, items = self.arena["state"][0], self.arena["items"]
        if (
            links < max(self.links_per_item * len(items), self.least_links)
            or state[layout.DEEPEST] == 0
        ):
            return False
        state[layout.DEEPEST] -= 1
        here = np.flatnonzero(items[:, layout.STATE] != layout.ABSENT)
        moved = items[:, layout.MOVED].copy()
        entries.clear(self.arena.F, self.arena.W)
        entries.insert_all(self.arena.F, self.arena.W, here)
        items[:, layout.MOVED] = moved
        return True

    def search_from_above(self) -> None:
        """Look for the leaves that a box has entered from the smallest node that holds all of it
        downwards, and not among the neighbours of its leaves as the paper does. That is right for
        moves of any length, and quicker for boxes that are moved seldom and far. And leaves are
        merged only when half of what would split them is left, so that one item that comes and goes
        does not split and merge them by turns."""
        self._set(layout.TECHNIQUES, layout.ALL_TECHNIQUES | layout.FROM_ABOVE)
        self._set(layout.MERGE_WITHIN, int(self.arena["state"][0, layout.SPLIT_ABOVE]) // 2)
