"""The nearest pair: a line between the two points, and the number."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from standoff.paths.nearest import NearPair
from standoff.view.live import palette
from standoff.view.live.text import length, minus

if TYPE_CHECKING:
    import viser


class NearestLine:
    """The line on the page."""

    def __init__(self, scene: viser.SceneApi) -> None:
        at = np.zeros((1, 2, 3))
        self._line = scene.add_line_segments(
            "/nearest/line", at, palette.BRAND, thickness=3.0, thickness_units="screen",
            visible=False,
        )  # fmt: skip
        self._label = scene.add_label(
            "/nearest/label", "", anchor="bottom-center", visible=False, font_screen_scale=1.1
        )

    def show(self, pair: NearPair | None, alarmed: bool, *, sure: bool = True) -> None:
        """Draw it, or nothing for None; grey and as a bound where another may be nearer."""
        seen = pair is not None and math.isfinite(pair.distance)
        if pair is not None and seen:
            ends = np.stack([pair.point_a, pair.point_b])
            self._line.points = ends[None]
            colour = palette.ALARM if alarmed else palette.BRAND if sure else palette.UNSURE
            self._line.colors = np.array(colour, dtype=np.uint8)
            self._label.text = ("" if sure else "≤ ") + minus(length(pair.distance))
            self._label.position = ends.mean(axis=0)
        self._line.visible = self._label.visible = seen
