"""Where a motion carries a joint beyond its position limits: into an end stop, or beyond what is
proved of pairs that are allowed because they never touch within the limits. Asked of one braking
motion by `paths.stopping`, of every path by `paths.checker`; `paths.kernels.stop` bounds all stops
that may follow a reading by itself.
"""

from __future__ import annotations

from math import comb
from typing import NamedTuple

import numpy as np

from standoff.cell.cell import Cell
from standoff.errors import PathError
from standoff.geometry.pose import Array
from standoff.motion.pieces import POWERS, Pieces
from standoff.tolerances import ENCODER_TOLERANCE

#: How near to the highest value of a polynomial it is found, relative to the sum of the magnitudes
#: of its coefficients, [-]: far above the rounding of some 40 halvings, of half a unit a sum.
HIGHEST_TOLERANCE = 1e-12

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
                u, position, _ = _highest(side * motion.coefficients[k, :, j])
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


def _highest(c: Array) -> tuple[float, float, float]:
    """Where on 0 <= u <= 1 a polynomial is highest, how high it is there, and what it stays below:
    parts whose Bernstein coefficients leave no more than the tolerance are done with, others are
    halved."""
    tolerance = HIGHEST_TOLERANCE * float(np.abs(c).sum())
    waiting = [(0.0, 1.0, _BERNSTEIN @ c)]
    u, top = 0.0, -np.inf
    while waiting:
        start, end, points = waiting.pop()
        for at, value in ((start, float(points[0])), (end, float(points[-1]))):
            if value > top:
                u, top = at, value
        if not points.max() > top + tolerance:
            continue
        left, right = [points[0]], [points[-1]]
        while len(points) > 1:
            points = 0.5 * (points[:-1] + points[1:])
            left.append(points[0])
            right.append(points[-1])
        middle = 0.5 * (start + end)
        waiting += [(start, middle, np.array(left)), (middle, end, np.array(right[::-1]))]
    return u, top, top + 2.0 * tolerance


class ProvedLimits:
    """How far the joints of a cell, as it is now, may go.

    Args:
        deviation: by how much each joint may be off its motion, [rad] or [m].
    """

    def __init__(self, cell: Cell, deviation: Array) -> None:
        low, high = cell.proof_limits
        self._joints, self._units = cell.joints, cell.tree.units
        self._low, self._high = low + deviation, high - deviation
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
            for k, j in np.argwhere(some):
                least[k, j] = -_highest(-pieces[k, :, j])[2]
                most[k, j] = _highest(pieces[k, :, j])[2]
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
