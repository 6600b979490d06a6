"""A cell driven by hand: sliders, handles, and a monitor that watches."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from standoff.cell import Cell
from standoff.monitor.monitor import Monitor
from standoff.view.live.cell_page import CellPage, standing
from standoff.view.live.follow import Follower
from standoff.view.live.handles import Handles
from standoff.view.live.seen import Seen, seen
from standoff.view.live.sliders import Sliders
from standoff.view.live.ticking import TICK

if TYPE_CHECKING:
    import viser


class Drive:
    """A page on which a cell is driven; each `step` is one reading of the monitor.

    Joints and bodies follow what is asked for at the speed of such things, so that the monitor sees
    what it would see of a robot.
    """

    def __init__(
        self,
        server: viser.ViserServer,
        cell: Cell,
        title: str,
        make: Callable[[float], Monitor] | None = None,
    ) -> None:
        self.monitor = Monitor(cell, period=TICK) if make is None else make(TICK)
        self.follower = Follower(cell, cell.q, standing(cell))
        self.page = CellPage(
            server, cell, title,
            buffers=lambda: self.monitor.buffers, index=lambda: self.monitor.index,
        )  # fmt: skip
        home = cell.q
        with self.page.tabs.add_tab("Drive"):
            self.handles = Handles(server, self.follower)
            self.sliders = Sliders(server.gui, self.follower)
            if len(home):
                back = server.gui.add_button("Back to the start")
                back.on_click(lambda _: self.follower.ask_all(home))
        self.page.options()
        self.last: Seen | None = None

    def fail(self, error: Exception) -> None:
        """A step failed."""
        self.page.banner.fail(error)

    def step(self) -> Seen:
        """One reading."""
        self.follower.advance(TICK)
        q, poses = self.follower.q, self.follower.poses
        start = time.perf_counter_ns()
        cycle = self.monitor.update(q, poses if len(poses) else None)
        spent = (time.perf_counter_ns() - start) / 1e3
        # What the first one takes is the compiler's time, or the disk's.
        self.last = seen(q, poses, cycle, spent=spent if self.last else math.nan)
        self.page.show(self.last)
        self.handles.follow()
        self.sliders.follow()
        return self.last
