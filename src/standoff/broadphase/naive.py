"""No index at all: every item against every other."""

from __future__ import annotations

from typing import ClassVar

from standoff.broadphase.index import Index
from standoff.broadphase.kernels import entries, layout


class Naive(Index):
    """All items are held against everything; what the other indexes must agree with."""

    kind: ClassVar[int] = layout.NAIVE

    def __init__(self, items: int) -> None:
        super().__init__(items, (0.0, 0.0, 0.0), 1.0, nodes=1, smallest=1.0)
        entries.clear(self.arena.F, self.arena.W)
