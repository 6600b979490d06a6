"""A slider for each joint, from limit to limit."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from standoff.geometry.pose import Array
from standoff.view.live.follow import Follower

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
        self._told = follower.goal.copy()

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
                self._told[k] = value
                self._follower.ask_joint(k, value)
                if value != typed:  # the field shows what is obeyed, and not what was typed
                    slider.value = shown(value, low, high)

        slider.on_update(asked)
        return slider

    def follow(self) -> None:
        """Show goals that came from elsewhere."""
        goal: Array = self._follower.goal
        for k in np.flatnonzero(np.abs(goal - self._told) > SLIDER_STEP):
            slider = self._sliders[k]
            slider.value = shown(float(goal[k]), slider.min, slider.max)
            self._told[k] = goal[k]


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
