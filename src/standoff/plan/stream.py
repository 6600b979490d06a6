"""Random numbers for compiled code, and how long it runs at a time."""

from __future__ import annotations

import numpy as np

from standoff.shapes.pose import Array

#: Random numbers that are drawn at once, at first and at most.
_FEW = 512
_MANY = 1 << 16

#: How long compiled code runs before the outside world is looked at, [s], about.
_SLICE = 0.02

#: Tries of the first slice, and the most of any.
_TRIES = 64
_MOST = 1 << 20


class Numbers:
    """Numbers from 0 to 1, 1 not among them, one stream for each seed.

    Attributes:
        values: those at hand.
    """

    def __init__(self, seed: int) -> None:
        self._random = np.random.default_rng(seed)
        self._draw = _FEW
        self.values: Array = np.zeros(0)

    def refill(self, used: int) -> None:
        """More behind those that are left after ``used`` ones: the stream does not depend on how
        many are drawn at once."""
        self.values = np.concatenate([self.values[used:], self._random.random(self._draw)])
        self._draw = min(2 * self._draw, _MANY)


class Pace:
    """How many tries make a slice; what is tried does not depend on it.

    Attributes:
        tries: of the next slice.
    """

    def __init__(self) -> None:
        self.tries = _TRIES

    def took(self, tries: int, seconds: float) -> None:
        """Learn from a slice that is over."""
        wanted = tries * _SLICE / max(seconds, _SLICE / _MOST)
        self.tries = int(min(max(wanted, 1.0), 4.0 * self.tries, _MOST))
