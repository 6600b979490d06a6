"""The grid that paper 000 compares the octree with."""

from __future__ import annotations

from typing import ClassVar

from numpy.typing import ArrayLike

from standoff.broadphase.index import VISIT_WRAP, Index
from standoff.broadphase.kernels import entries, layout
from standoff.errors import ConfigurationError

#: Most cells along the edge of a grid, [-]: 2 million cells of 112 bytes.
LARGEST_GRID = 128


class Grid(Index):
    """``side`` cells along each edge of the cube, all of one size (the paper's G)."""

    kind: ClassVar[int] = layout.GRID

    def __init__(
        self,
        items: int,
        low: ArrayLike,
        edge: float,
        *,
        side: int = 16,
        wrap: int = VISIT_WRAP,
    ) -> None:
        if not (isinstance(side, int) and 1 <= side <= LARGEST_GRID):
            raise ConfigurationError("side", value=side, allowed=f"from 1 to {LARGEST_GRID}")
        super().__init__(items, low, edge, nodes=side**3, smallest=edge / side, wrap=wrap)
        self._set(layout.SIDE, side)
        entries.clear(self.arena.F, self.arena.W)
