"""Plots that run along: clearance, and what the monitor's cycle takes."""

from __future__ import annotations

import math
from collections import deque
from typing import TYPE_CHECKING

import numpy as np

from standoff.geometry.pose import Array

if TYPE_CHECKING:
    import viser


#: Readings that are kept.
KEPT = 400


class Curve:
    """One plot of the last readings; with ``log`` of powers of ten, for times, of which a few are
    far longer than the rest. It is uPlot's, which viser's page brings along: nothing is
    fetched from elsewhere."""

    def __init__(
        self,
        gui: viser.GuiApi,
        title: str,
        unit: str,
        colour: str,
        height: int,
        *,
        log: bool = False,
    ) -> None:
        scales = {"x": {"time": False}, "y": {"distr": 3 if log else 1}}
        self._x: deque[float] = deque(maxlen=KEPT)
        self._y: deque[float] = deque(maxlen=KEPT)
        axis = {"size": 30, "font": "11px sans-serif"}
        # Not to be seen before there is something to draw: what it begins with is nobody's reading.
        self._plot = gui.add_uplot(
            (np.zeros(1), np.ones(1)),
            (
                {"label": "s"},
                {"label": f"{title} [{unit}]", "stroke": colour, "width": 1.6, "spanGaps": False},
            ),
            title=f"{title} [{unit}]", height=height, scales=scales,
            axes=(
                axis,
                {**axis, "size": 50, "ticks": {"show": not log}, "grid": {"show": not log}},
            ),
            legend={"show": False}, padding=(4, 8, 0, 0), visible=False,
        )  # fmt: skip

    def add(self, x: float, y: float) -> None:
        """A reading; what is not finite is left out. The same instant again is nothing new, and
        going back in time begins anew."""
        if not math.isfinite(y) or (self._x and x == self._x[-1]):
            return
        if self._x and x < self._x[-1]:
            self._x.clear()
            self._y.clear()
        self._x.append(x)
        self._y.append(y)

    def send(self) -> None:
        """To the pages."""
        if self._x:
            data: tuple[Array, ...] = (np.array(self._x), np.array(self._y))
            self._plot.data = data
            self._plot.visible = True


class RunningCurves:
    """Clearance and cycle time. Links of one robot, which by the way it is built may be near each
    other always, are in the first where they are too close."""

    def __init__(self, gui: viser.GuiApi) -> None:
        self._clearance = Curve(gui, "nearest, own links if too close", "mm", "#266ebe", 140)
        self._spent = Curve(gui, "cycle", "µs", "#b5651d", 120, log=True)

    def add(self, time: float, clearance: float, spent: float) -> None:
        """A reading: [s], [m], [µs]."""
        self._clearance.add(time, 1e3 * clearance)
        self._spent.add(time, spent)

    def send(self) -> None:
        """To the pages."""
        self._clearance.send()
        self._spent.send()
