"""Two arms of seven joints whose tips near each other as one of them leans over: a ladder of
configurations, each with a distance of its own, so that a warning tells which reading it is of."""

from __future__ import annotations

import numpy as np

import standoff as so

#: Of each arm, [m]: the pair warns at twice that.
BUFFER = 0.02

#: How far the arm leans from rung to rung, [rad]: 0.15 mm at the tip. Its joint takes three rungs
#: in a millisecond.
RUNG = 1e-4
RUNGS = 650


class Ladder:
    """What a monitor says of each rung.

    Attributes:
        cell: the arms.
        q: (RUNGS, 14), from far to near.
        near: the first rung that warns.
    """

    def __init__(self) -> None:
        self.cell = two_arms()
        q = self.q = np.zeros((RUNGS, 14))
        q[:, 3], q[:, 8], q[:, 10] = 0.3, 0.25, 0.4
        q[:, 1] = RUNG * np.arange(RUNGS)
        monitor = so.Monitor(self.cell, buffer=BUFFER, period=0.01)
        found = [monitor.update(row, time=0.01 * k).pairs for k, row in enumerate(q)]
        self._rungs = {pairs[0][2]: k for k, pairs in enumerate(found) if pairs}
        self.near = min(self._rungs.values())
        assert len(self._rungs) == RUNGS - self.near, "each rung from there on, each for itself"

    def rung_of(self, distance: float) -> int | None:
        """Which rung a warning is of: the numbers are the same to the last bit."""
        return self._rungs.get(distance)


def two_arms() -> so.Cell:
    """They face each other."""
    cell = so.Cell()
    cell.add_robot("builtin:arm7", name="left", base=so.pose((-0.6, 0.0, 0.0)))
    cell.add_robot("builtin:arm7", name="right", base=so.pose((0.6, 0.0, 0.0), rpy=(0, 0, np.pi)))
    return cell
