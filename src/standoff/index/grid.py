"""The grid that paper 000 compares the octree with."""

from __future__ import annotations

from typing import ClassVar

from numpy.typing import ArrayLike

from standoff.constants import LARGEST_GRID, VISIT_WRAP
from standoff.errors import ConfigurationError
from standoff.index.index import Index
from standoff.kernels.index import entries, layout


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
