"""The region octree of paper 002, as an index of boxes."""

from __future__ import annotations

from typing import ClassVar

from numpy.typing import ArrayLike

from standoff.constants import LEAST_REGION_LINKS, REGION_LINKS_PER_ITEM, VISIT_WRAP
from standoff.index.octree import Octree
from standoff.kernels.index import layout


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
