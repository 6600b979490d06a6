"""A cell driven by hand: sliders, handles, and a monitor that watches."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from standoff.cell.cell import Cell
from standoff.geometry.pose import Array
from standoff.monitor.monitor import Monitor
from standoff.view.live.cell_page import CellPage, standing
from standoff.view.live.follow import Follower
from standoff.view.live.handles import Handles
from standoff.view.live.seen import Seen, seen
from standoff.view.live.ticking import TICK

if TYPE_CHECKING:
    import viser


#: The step of a joint's slider, [rad] or [m].
SLIDER_STEP = 0.001


class Sliders:
    """Sliders that ask a `Follower`, and show where it is asked to go."""

    def __init__(self, gui: viser.GuiApi, follower: Follower) -> None:
        self._follower = follower
        self._sliders: list[viser.GuiSliderHandle] = []
        tree = follower.cell.tree
        robot = None
        folder = None
        for k, name in enumerate(tree.joints):
            owner, _, joint = name.partition("/")
            if owner != robot:
                robot, folder = owner, gui.add_folder(owner)
            assert folder is not None
            with folder:
                self._sliders.append(self._slider(gui, k, joint))
        self._shown = follower.goal.copy()

    def _slider(self, gui: viser.GuiApi, k: int, joint: str) -> viser.GuiSliderHandle:
        tree, goal = self._follower.cell.tree, self._follower.goal
        low, high = slider_range(float(tree.lower[k]), float(tree.upper[k]), float(goal[k]))
        slider = gui.add_slider(
            f"{joint} [{tree.units[k]}]", low, high, SLIDER_STEP, shown(float(goal[k]), low, high)
        )

        def asked(event: viser.GuiEvent) -> None:
            # What this program sets itself comes by here, too, without a page behind it.
            if event.client is not None:
                typed = float(event.target.value)
                value = min(max(typed, tree.lower[k]), tree.upper[k])
                self._shown[k] = value
                self._follower.ask_joint(k, value)
                if value != typed:  # the field shows what is obeyed, and not what was typed
                    slider.value = shown(value, low, high)

        slider.on_update(asked)
        return slider

    def follow(self) -> None:
        """Show goals that came from elsewhere."""
        goal: Array = self._follower.goal
        for k in np.flatnonzero(np.abs(goal - self._shown) > SLIDER_STEP):
            slider = self._sliders[k]
            slider.value = shown(float(goal[k]), slider.min, slider.max)
            self._shown[k] = goal[k]


def shown(value: float, low: float, high: float) -> float:
    """A value as a slider shows it: to its step, between its ends."""
    return min(max(round(value, 3), low), high)


def slider_range(low: float, high: float, now: float) -> tuple[float, float]:
    """From where to where a slider goes: between the limits; a turn either way without."""
    if not math.isfinite(low):
        low = min(-math.pi, now)
    if not math.isfinite(high):
        high = max(math.pi, now)
    return low, max(high, low + SLIDER_STEP)


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
