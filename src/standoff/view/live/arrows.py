"""Arrows that come and go."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from standoff.geometry.pose import Array
from standoff.view.live.palette import Colour

if TYPE_CHECKING:
    import viser


class Arrows:
    """Arrows of one colour; ``radius`` is that of their shafts, [m].

    Attributes:
        ends: starts and tips of those that are shown, (n, 2, 3).
    """

    def __init__(self, scene: viser.SceneApi, node: str, colour: Colour, radius: float) -> None:
        self._scene, self._node, self._colour, self._radius = scene, node, colour, radius
        self._made: viser.ArrowsHandle | None = None
        self.ends: Array = np.zeros((0, 2, 3))

    def show(self, ends: Array) -> None:
        """These and no others."""
        self.ends = ends
        # Made anew where there were none: a page shows what was hidden a frame before it moves it,
        # so that hidden arrows would flash up where they were last.
        if not len(ends):
            if self._made is not None:
                self._made.remove()
            self._made = None
        elif self._made is not None:
            self._made.points = ends
        else:
            self._made = self._scene.add_arrows(
                self._node, ends, self._colour, shaft_radius=self._radius,
                head_radius=2.4 * self._radius, head_length=6.0 * self._radius,
            )  # fmt: skip
