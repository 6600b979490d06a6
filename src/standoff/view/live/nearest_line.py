"""The nearest pair: a line between the two points, and the number."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from standoff.cell import Cell
from standoff.constants import STILL_PAIR
from standoff.paths.nearest import Nearest
from standoff.shapes.distance import Distance, distance
from standoff.shapes.pose import Array
from standoff.shapes.shape import IntArray
from standoff.view.live import palette
from standoff.view.live.text import length, minus

if TYPE_CHECKING:
    import viser


@dataclass(frozen=True, eq=False)
class NearPair:
    """Two bodies, their signed distance, [m], and the witness points, world frame."""

    a: str
    b: str
    distance: float
    point_a: Array
    point_b: Array


#: Places of a joint at which a pair is looked at, and pairs up to which that is done at all.
_TRIED, _MOST_TRIED = 7, 2000


#: Configurations of a way that are asked for together.
_STRIDE = 20


class _Placed(Nearest):
    """Asks where all frames are given, those of bodies that move by themselves, too."""

    _given: Array | None = None

    def placed(self, frames: Array) -> tuple[Array, IntArray]:
        """As `at`, for one placement of all frames."""
        self._given = frames[None]
        try:
            return self.at(np.zeros((1, len(self._cell.joints))))
        finally:
            self._given = None

    def _frames(self, Q: Array) -> Array:
        return super()._frames(Q) if self._given is None else self._given


class NearestFinder:
    """Asks for the nearest watched pair of a cell as it is now."""

    def __init__(self, cell: Cell) -> None:
        self._cell = cell
        self._nearest = _Placed(cell)
        self._parts = [part for parts in cell.world.parts for part in parts]
        self._nearest.pairs = self._nearest.pairs[self._telling()]

    def at(self, frames: Array) -> NearPair | None:
        """The pair where the frames of the world are there, (frames, 4, 4); None where no two are
        watched."""
        _, (pair,) = self._nearest.placed(frames)
        if pair < 0:
            return None
        found = self._distance(self._nearest.pairs[pair], frames)
        a, b = self._nearest.names(int(pair))
        return NearPair(a, b, found.value, found.point_a, found.point_b)

    def along(self, Q: Array) -> Array:
        """The smallest distance at each of many configurations (n, joints) in their order, [m]."""
        stride = min(_STRIDE, self._nearest.together)
        found = [self._nearest.at(Q[k : k + stride])[0] for k in range(0, len(Q), stride)]
        return np.concatenate(found) if found else np.zeros(0)

    def _distance(self, rows: IntArray, frames: Array) -> Distance:
        """Of two primitives, by their rows of the world's table."""
        frame = self._cell.world.tables.frame
        placed = [(self._parts[r][0], frames[frame[r]] @ self._parts[r][1]) for r in rows]
        return distance(*placed[0], *placed[1])

    def _telling(self) -> NDArray[np.bool_]:
        """Which pairs say something. A link on the first joint of a robot and what it stands on may
        keep their distance wherever the joint is; a monitor watches them, and a line there would
        hide what comes nearer elsewhere."""
        tree, pairs = self._cell.tree, self._nearest.pairs
        frame = self._cell.world.tables.frame[pairs]
        first = np.flatnonzero(
            (frame[:, 1] == 0) & (frame[:, 0] < tree.frames) & (frame[:, 0] > 0)
        )  # fmt: skip
        first = first[tree.parent[frame[first, 0]] == 0]
        told = np.ones(len(pairs), dtype=np.bool_)
        if len(first) > _MOST_TRIED:
            return told
        low = np.where(np.isfinite(tree.lower), tree.lower, -np.pi)
        high = np.where(np.isfinite(tree.upper), tree.upper, np.pi)
        shares = np.linspace(0.0, 1.0, _TRIED)
        placed = [tree.forward(low + share * (high - low)) for share in shares]
        for k in first:
            found = [self._distance(pairs[k], frames).value for frames in placed]
            told[k] = max(found) - min(found) > STILL_PAIR
        return told


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

    def show(self, pair: NearPair | None, alarmed: bool) -> None:
        """Draw it, or nothing for None."""
        seen = pair is not None and math.isfinite(pair.distance)
        if pair is not None and seen:
            ends = np.stack([pair.point_a, pair.point_b])
            self._line.points = ends[None]
            colour = np.array(palette.ALARM if alarmed else palette.BRAND, dtype=np.uint8)
            self._line.colors = colour
            self._label.text = minus(length(pair.distance))
            self._label.position = ends.mean(axis=0)
        self._line.visible = self._label.visible = seen
