"""The region octree of paper 002, as an index of boxes."""

from __future__ import annotations

from typing import ClassVar

from numpy.typing import ArrayLike

from standoff.broadphase.index import VISIT_WRAP
from standoff.broadphase.kernels import layout
from standoff.broadphase.octree import Octree

#: The same for the region octree, [-], which puts an item into every smallest node that the faces
#: of its box meet: some hundreds where a box is eight of them long.
REGION_LINKS_PER_ITEM = 512
LEAST_REGION_LINKS = 65_536


class Region(Octree):
    """Every node that an item's box covers in part is split, down to an edge of ``smallest``; an
    item that moves is taken out and put in anew.

    A node is a leaf again when nothing is in it any more, not as soon as one box covers it: that
    would be found at the price of comparing eight lists, and costs only memory.

    Args:
        items, low, edge, wrap: as for `Index`.
        smallest: no node gets a smaller edge, [m].

    Attributes:
        smallest: 0, as no box is followed from node to node, however little it moves.
    """

    kind: ClassVar[int] = layout.REGION
    links_per_item: ClassVar[int] = REGION_LINKS_PER_ITEM
    least_links: ClassVar[int] = LEAST_REGION_LINKS

    def __init__(
        self,
        items: int,
        low: ArrayLike,
        edge: float,
        *,
        smallest: float = 0.0,
        wrap: int = VISIT_WRAP,
    ) -> None:
        super().__init__(items, low, edge, split=1, smallest=smallest, wrap=wrap)
        self._set(layout.MERGE_WITHIN, 0)
        self.smallest = 0.0
