"""Motions of cells with pairs that are allowed because they were proved apart: such a proof speaks
of what is within the joints' limits, and of nothing beyond."""

from __future__ import annotations

import numpy as np

from standoff.cell import Cell
from standoff.errors import PathError
from standoff.paths.end_stops import bounds
from standoff.paths.verify.polynomials import extremes
from standoff.shapes.pose import Array


class ProvedLimits:
    """How far the joints of a cell, as it is now, may go.

    Args:
        stray: by how much each joint may be off its motion, [rad] or [m].
    """

    def __init__(self, cell: Cell, stray: Array) -> None:
        low, high = cell.proof_limits
        self._joints, self._units = cell.joints, cell.tree.units
        self._low, self._high = low + stray, high - stray
        self._any = bool(np.isfinite(low).any() or np.isfinite(high).any())

    def check(self, pieces: Array, rounding: Array) -> None:
        """Refuse a motion (pieces, powers, joints), ``rounding`` (pieces, joints) off, that goes
        beyond.

        Raises:
            PathError: no pair that was proved apart is looked at, and there it may touch.
        """
        if not self._any:
            return
        least, most = bounds(pieces)
        some = (least - rounding < self._low) | (most + rounding > self._high)
        if some.any():
            # Bounds are wider than the motion, so they only say where to look.
            c = np.moveaxis(pieces, 1, -1)[some]
            least[some], most[some] = extremes(c, np.zeros(()), np.ones(()))
            self._refuse(least - rounding, most + rounding, "piece")

    def check_ends(self, *ends: Array) -> None:
        """The same of straight segments, by where they start and end (n, joints)."""
        if self._any:
            self._refuse(np.minimum(*ends), np.maximum(*ends), "segment")

    def _refuse(self, least: Array, most: Array, what: str) -> None:
        under, over = least < self._low, most > self._high
        for k, j in np.argwhere(under | over)[:1]:
            raise PathError(
                f"joint {self._joints[j]!r} leaves the limits within which pairs that are allowed "
                "were proved apart",
                element=f"{what} {k}",
                value=float(least[k, j] if under[k, j] else most[k, j]),
                allowed=f"{self._low[j]:g} to {self._high[j]:g} [{self._units[j]}], or "
                "cell.forbid(...), which has such pairs watched",
            )
