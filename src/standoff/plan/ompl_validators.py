"""What OMPL asks about states and motions, answered by the path checker.

Imported only where OMPL is installed; see `ompl_adapter`. Method names are OMPL's.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from ompl import base

from standoff.geometry.pose import Array
from standoff.geometry.shape import IntArray
from standoff.paths.checker import CONTACT_PRECISION, PathChecker


class Reading:
    """A state of OMPL as a configuration of the cell."""

    def __init__(self, still: Array, columns: IntArray) -> None:
        self._still, self._columns = still, columns
        self.count = len(columns)

    def __call__(self, state: Any) -> Array:
        return self.at(state[0 : self.count])

    def at(self, values: Any) -> Array:
        """The planned joints at these values, the others where they stay."""
        q: Array = self._still.copy()
        q[self._columns] = values
        return q


class States(base.StateValidityChecker):
    """A state is valid within its bounds, where the robot at rest is free."""

    def __init__(self, information: Any, checker: PathChecker, reading: Reading) -> None:
        super().__init__(information)
        self._bounded = information.satisfiesBounds
        self._checker, self._reading = checker, reading

    def isValid(self, state: Any) -> bool:  # noqa: N802
        if not self._bounded(state):
            return False
        q = self._reading(state)[None]
        return bool(self._checker.segments(q, q, threads=1)[0])


class Motions(base.MotionValidator):
    """A motion is valid where the straight line from state to state is proved free.

    Attributes:
        checked: how many were asked for; OMPL's own counters are out of reach from here.
    """

    def __init__(
        self, information: Any, space: Any, checker: PathChecker, reading: Reading
    ) -> None:
        super().__init__(information)
        self._space, self._checker, self._reading = space, checker, reading
        self._at = information.allocState()
        self.checked = 0

    def checkMotion(self, s1: Any, s2: Any) -> bool:  # noqa: N802
        self.checked += 1
        return self._free(self._reading(s1), self._reading(s2))

    def checkMotionWithLastValid(  # noqa: N802
        self, s1: Any, s2: Any, last: Any = None
    ) -> tuple[bool, float]:
        """Whether the motion is valid, and the fraction of it up to which it is: 1.0 where it is
        valid as a whole, 0.0 where not even its start is.

        ``last``, where it is given, is set to the state there, unless the motion is valid. The
        motion from ``s1`` to that state is itself valid when it is asked for: a planner that keeps
        it keeps a proof.
        """
        self.checked += 1
        start, end = self._reading(s1), self._reading(s2)
        verdict = self._checker.segment(start, end)
        if verdict.free:
            return True, 1.0
        at, back = self._at, CONTACT_PRECISION
        fraction = float(verdict.free_until)
        while True:
            fraction = max(0.0, min(fraction, np.nextafter(1.0, 0.0)))
            self._space.interpolate(s1, s2, fraction, at)
            # What is nearer than the tolerance may be called too close, so that a motion which ends
            # where proofs ended need not be valid; farther back it is.
            if fraction == 0.0 or self._free(start, self._reading(at)):
                break
            fraction, back = fraction - back, 4.0 * back
        if last is not None:
            self._space.copyState(last, at)
        return False, fraction

    def _free(self, start: Array, end: Array) -> bool:
        return bool(self._checker.segments(start[None], end[None], threads=1)[0])
