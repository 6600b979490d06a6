"""Which pair is nearest while none is too close: for lines that people read."""

from __future__ import annotations

import math
import time
from contextlib import suppress
from dataclasses import dataclass

import numpy as np

from standoff.cell import Cell
from standoff.cell.model import Model
from standoff.cell.state import State
from standoff.errors import Error
from standoff.geometry.pose import Array
from standoff.paths.nearest import NearestFinder, NearPair
from standoff.streams.report import Report
from standoff.tolerances import COORDINATE_LIMIT

#: Of one core, what looking for the nearest pair may take for a line on the terminal, [-].
NEAREST_SHARE = 0.05

#: More pairs of primitives than these are not looked through for it, [-]: one search would take
#: tens of milliseconds from the watch.
NEAREST_PAIRS = 50_000


@dataclass(frozen=True)
class Nearby:
    """Attributes:
    pair: two bodies, and how far apart they are.
    sure: whether no other pair was nearer.
    """

    pair: NearPair
    sure: bool


@dataclass(frozen=True, eq=False)
class _Search:
    """What a cell was at one revision."""

    revision: int
    model: Model
    finder: NearestFinder
    useful: bool


class NearestPair:
    """Looks for the nearest pair of a cell at the places of a report, on the thread of a sink.

    The links of a robot are always near each other: pairs within a robot are looked at only in a
    cell that has no others. A search takes as much time as NEAREST_SHARE allows; between two of
    them the pair of the last is measured anew. The monitor does not need any of this: whatever is
    too close is in its report.

    The cell belongs to the thread of the cycles: it is read by `follow` there, and never by `at`. A
    cell makes its tables when it is asked for them, and one that was asked elsewhere while it
    changes could be left with those of before.
    """

    def __init__(self, cell: Cell) -> None:
        self._cell, self._due = cell, -math.inf
        self._search = search = _search(cell)
        if search.useful:  # the kernels are ready before the first reading comes
            search.finder.at(cell.state().frames)

    @property
    def useful(self) -> bool:
        """Whether there are pairs to look for, and not too many."""
        return self._search.useful

    def follow(self, report: Report) -> None:
        """After each cycle, on its thread."""
        if report.revision != self._search.revision:
            self._search = _search(self._cell)

    def at(self, report: Report) -> Nearby | None:
        """The nearest pair; None where places are missing, no numbers or beyond COORDINATE_LIMIT,
        or the cell was another one when it was last followed. A search that fails is no pair, too:
        the line that asks for one is to tell of a fault, and must come whatever is at fault."""
        search = self._search
        poses = np.zeros((0, 4, 4)) if report.poses is None else report.poses
        if report.cycle is None or report.q is None or not search.useful:
            return None
        if report.revision != search.revision or len(poses) != len(search.model.moving):
            return None
        with suppress(Error):
            frames = State(search.model, report.q, poses).frames
            # Of links as well: a joint may be anywhere that a message can write.
            if (np.abs(frames) <= COORDINATE_LIMIT).all():
                return self._found(search.finder, frames)
        return None

    def _found(self, finder: NearestFinder, frames: Array) -> Nearby | None:
        """A search, or the last pair again until the next search is due."""
        begun = time.monotonic()
        if begun < self._due and finder.asked:
            pair, sure = finder.again(frames), False
        else:
            try:
                pair, sure = finder.at(frames), True
            finally:
                self._due = begun + (time.monotonic() - begun) / NEAREST_SHARE
        return None if pair is None else Nearby(pair, sure)


def _search(cell: Cell) -> _Search:
    revision = cell.revision
    finder = NearestFinder(cell, "others")
    finder = finder if finder.any else NearestFinder(cell)
    useful = 0 < finder.count <= NEAREST_PAIRS
    return _Search(revision, cell.model, finder, useful)
