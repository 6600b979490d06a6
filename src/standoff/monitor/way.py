"""The tables with which the motion between two readings is certified."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from standoff.cell import Cell
from standoff.index.arena import Arena
from standoff.kernels import layout
from standoff.kernels.monitor import layout as m
from standoff.kernels.monitor import step
from standoff.kernels.monitor.between import STOP_ROWS
from standoff.monitor.limits import Reaches
from standoff.monitor.slots import Slots

Shapes = dict[str, tuple[int, int]]


@dataclass(frozen=True, eq=False)
class Way:
    """See `kernels.monitor.layout`; all tables are empty where nothing is asked of them.

    Attributes:
        seen: the joints at the last reading, by name, those that were read; None where the instant
            of each reading is enough.
    """

    cell: Cell
    reaches: Reaches
    slots: Slots
    where: list[int]
    seen: Mapping[str, float] | None

    @property
    def real_shapes(self) -> Shapes:
        """Rows and columns of the float64 tables, in their order."""
        tree, bound, movers = self.cell.tree, self.reaches.bound, self.slots.movers
        return self._if_asked(
            {
                "way": (m.WAY_ROWS, len(tree.joints)),
                "joint_sums": (2, tree.frames),
                "start": (movers, layout.ROW_COLUMNS),
                "start_frames": (tree.frames, 12),
                "at_frames": (tree.frames, 12),
                "sway": (movers, m.SWAY_COLUMNS),
                "reach": (1, len(bound.reach)),
                "wide_reach": (1, len(bound.reach)),
                "two": (2, layout.ROW_COLUMNS),
                "stops": (STOP_ROWS, m.STOP_COLUMNS),
            }
        )

    @property
    def whole_shapes(self) -> Shapes:
        """The same of the int64 tables."""
        return self._if_asked(
            {
                "chain": (len(self.reaches.bound.chain), 2),
                "carried": (self.slots.movers, 4),
                "two_refs": (2, layout.REF_COLUMNS),
            }
        )

    def _if_asked(self, shapes: Shapes) -> Shapes:
        return (
            shapes if self.seen is not None else {name: (0, c) for name, (_, c) in shapes.items()}
        )

    def fill(self, arena: Arena) -> None:
        """Fill what does not change from cycle to cycle; the sizes of all rows are in place."""
        if self.seen is None:
            return
        bound = self.reaches.bound
        arena["counts"][0, m.SWEEP_STEP] = step.address("monitor.way.sweep_movers")
        arena["counts"][0, m.JUDGE_STEP] = step.address("monitor.between.judge_between")
        arena["way"][m.TO] = [self.seen.get(name, np.nan) for name in self.cell.joints]
        arena["chain"][:], arena["reach"][0] = bound.chain, bound.reach
        for slot, row in zip(self.where, self.reaches.rows):
            if row:
                arena["carried"][slot] = bound.bodies[row]
        arena["start"][:] = arena["rows"][: self.slots.movers]
        # The world itself, which no walk down the tree writes.
        arena["start_frames"][0] = arena["at_frames"][0] = np.eye(4)[:3].reshape(12)
