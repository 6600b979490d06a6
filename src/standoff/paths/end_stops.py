"""Where a motion carries a joint beyond its position limits: into an end stop, or beyond what is
proved of pairs that are allowed because they never touch within the limits.
"""

from __future__ import annotations

from math import comb
from typing import NamedTuple

import numpy as np

from standoff.cell import Cell
from standoff.errors import PathError
from standoff.geometry.pose import Array
from standoff.motion.pieces import POWERS, Pieces
from standoff.paths.verify.kinematics import extremes
from standoff.tolerances import ENCODER_TOLERANCE

#: Bernstein coefficients of degree 5 from powers: row a has C(a, p) / C(5, p).
_BERNSTEIN = np.array(
    [[comb(a, p) / comb(POWERS - 1, p) for p in range(POWERS)] for a in range(POWERS)]
)


class Overrun(NamedTuple):
    """A joint beyond a limit: the farthest it gets there, and when.

    Attributes:
        joint: its name.
        time: when it is farthest beyond, in the motion's own time.
        position, limit: [rad] or [m].
    """

    joint: str
    time: float
    position: float
    limit: float


def overruns(cell: Cell, motion: Pieces) -> tuple[Overrun, ...]:
    """The joints that the motion carries beyond a limit, by more than ENCODER_TOLERANCE, each
    where it is farthest beyond; one that starts beyond it counts only if it gets farther out. Mimic
    joints have the limits of theirs."""
    low, high = bounds(motion.coefficients)
    found = []
    first = motion.coefficients[0, 0]
    for j, name in enumerate(cell.joints):
        for side, limit, hull in (
            (-1.0, float(cell.tree.lower[j]), -low[:, j]),
            (1.0, float(cell.tree.upper[j]), high[:, j]),
        ):
            bar = max(side * limit + ENCODER_TOLERANCE, side * float(first[j]))
            farthest = None
            for k in map(int, np.flatnonzero(hull > bar + motion.rounding[:, j])):
                u, position = _highest(side * motion.coefficients[k, :, j])
                if position > bar + motion.rounding[k, j]:
                    bar, farthest = position, (k, u)
            if farthest is not None:
                k, u = farthest
                time = float(motion.times[k] + u * (motion.times[k + 1] - motion.times[k]))
                found.append(Overrun(name, time, side * bar, limit))
    return tuple(found)


def bounds(coefficients: Array) -> tuple[Array, Array]:
    """Bounds (n, joints) of polynomials (n, powers, joints) from u = 0 to 1, never too narrow but
    by rounding: each stays within its Bernstein coefficients."""
    points = np.einsum("ap,npj->naj", _BERNSTEIN, coefficients)
    return points.min(axis=1), points.max(axis=1)


def _highest(c: Array) -> tuple[float, float]:
    """Where on 0 <= u <= 1 a polynomial is highest, and how high: at an end, or where its
    derivative has a root. Real parts of complex roots do no harm: every u is a candidate."""
    slope = np.arange(1, POWERS) * c[1:]
    roots = np.roots(slope[::-1]).real
    u = np.concatenate([[0.0, 1.0], roots[(roots > 0.0) & (roots < 1.0)]])
    values = np.polynomial.polynomial.polyval(u, c)
    at = int(np.argmax(values))
    return float(u[at]), float(values[at])


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
