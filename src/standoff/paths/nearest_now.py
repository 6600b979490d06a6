"""The nearest watched pair of a cell as it is now, wherever it is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from standoff.cell import Cell
from standoff.constants import STILL_PAIR
from standoff.kernels.kinematics import JOINT_KIND, REVOLUTE
from standoff.paths.nearest import Among, Nearest
from standoff.paths.still_pairs import keeps_distance
from standoff.shapes.distance import Distance, distance
from standoff.shapes.pose import Array, inverse
from standoff.shapes.shape import IntArray


@dataclass(frozen=True, eq=False)
class NearPair:
    """Two bodies, their signed distance, [m], and the witness points, world frame."""

    a: str
    b: str
    distance: float
    point_a: Array
    point_b: Array


#: Configurations of a way that are asked for together.
_STRIDE = 20


class _Placed(Nearest):
    """Asks where all frames are given, those of bodies that move by themselves, too."""

    _given: Array | None = None

    def placed(self, frames: Array) -> tuple[Array, IntArray]:
        """As `at`, for one placement of all frames."""
        self._given = frames[None]
        try:
            return self.at(np.zeros((1, 0)))
        finally:
            self._given = None

    def _frames(self, Q: Array) -> Array:
        return super()._frames(Q) if self._given is None else self._given


class NearestFinder:
    """Asks for the nearest watched pair of a cell as it is now.

    Args:
        among: which pairs.
        below: distance up to which a pair is not left out for keeping it, [m].
    """

    def __init__(self, cell: Cell, among: Among = "all", *, below: float = 0.0) -> None:
        # The cell may change, and on another thread: whatever is asked later is asked of these.
        self._frame = cell.world.tables.frame
        self._nearest = _Placed(cell, among)
        self._parts = [part for parts in cell.world.parts for part in parts]
        self._nearest.pairs = self._nearest.pairs[self._telling(cell, below)]
        self._last = -1

    @property
    def count(self) -> int:
        """How many pairs there are to be asked for."""
        return len(self._nearest.pairs)

    @property
    def any(self) -> bool:
        """Whether there are some."""
        return self.count > 0

    @property
    def asked(self) -> bool:
        """Whether there is a pair to be measured `again`."""
        return self._last >= 0

    def at(self, frames: Array) -> NearPair | None:
        """The pair where the frames of the world are there, (frames, 4, 4); None where no two are
        watched."""
        _, (pair,) = self._nearest.placed(frames)
        self._last = int(pair)
        return self.again(frames)

    def again(self, frames: Array) -> NearPair | None:
        """The pair that was the nearest when last asked, measured where the frames are now: by now
        another may be nearer."""
        if self._last < 0:
            return None
        found = self._distance(self._nearest.pairs[self._last], frames)
        a, b = self._nearest.names(self._last)
        return NearPair(a, b, found.value, found.point_a, found.point_b)

    def along(self, Q: Array) -> Array:
        """The smallest distance at each of many configurations (n, joints) in their order, [m]."""
        stride = min(_STRIDE, self._nearest.together)
        found = [self._nearest.at(Q[k : k + stride])[0] for k in range(0, len(Q), stride)]
        return np.concatenate(found) if found else np.zeros(0)

    def _distance(self, rows: IntArray, frames: Array) -> Distance:
        """Of two primitives, by their rows of the world's table."""
        frame = self._frame
        placed = [(self._parts[r][0], frames[frame[r]] @ self._parts[r][1]) for r in rows]
        return distance(*placed[0], *placed[1])

    def _telling(self, cell: Cell, below: float) -> NDArray[np.bool_]:
        """Which pairs say something. A link on the first joint of a robot and what it stands on may
        keep their distance wherever the joint is; a monitor watches them, and a line there would
        hide what comes nearer elsewhere. None is left out that is not farther apart than
        ``below``."""
        tree, pairs = cell.tree, self._nearest.pairs
        frame = self._frame[pairs]
        turns = np.zeros(int(frame.max(initial=0)) + 1, dtype=np.bool_)
        some = slice(0, min(len(turns), tree.frames))
        turns[some] = (tree.parent == 0)[some] & (tree.ints[some, JOINT_KIND] == REVOLUTE)
        told = np.ones(len(pairs), dtype=np.bool_)
        frames = tree.forward(cell.q)
        for k in np.flatnonzero((frame[:, 1] == 0) & turns[frame[:, 0]]):
            (a, at), (b, other) = (self._parts[r] for r in pairs[k])
            axis = frames[frame[k, 0]]
            if keeps_distance(a, at, b, inverse(axis) @ other):
                told[k] = self._distance(pairs[k], frames).value <= below + STILL_PAIR
        return told
