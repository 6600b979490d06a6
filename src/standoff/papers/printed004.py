"""The algorithms as paper 004 prints them, to the letter, to count with.

Its DUA differs from `so.Predictor` in the last bucket, which is as large as the rule says and
filled up with dummies: its pairs have their turn seldom, and in many steps none has. There the last
bucket is as large as what is left for it, so that each step looks at a pair of it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

import standoff as so
from standoff.geometry.pose import Array
from standoff.papers.worlds004 import Cube

Numbers = NDArray[np.int64]
Marks = NDArray[np.bool_]

#: In the place of a pair.
DUMMY = -1


class Pairs:
    """All pairs of ``count`` spheres, by number; ``a`` and ``b`` are theirs."""

    def __init__(self, cube: Cube, count: int) -> None:
        self.cube = cube
        self.a, self.b = np.triu_indices(count, 1)

    def __len__(self) -> int:
        return len(self.a)

    def number(self, a: Numbers, b: Numbers) -> Numbers:
        """The numbers of pairs with a < b."""
        count = int(self.b[-1]) + 1
        number: Numbers = a * (2 * count - a - 1) // 2 + b - a - 1
        return number

    def gap(self, x: Array) -> Array:
        """How far all pairs are from contact, [m]; 0 or less: they touch."""
        gap: Array = np.linalg.norm(x[self.b] - x[self.a], axis=1) - self.cube.contact
        return gap

    def urgency(self, x: Array, v: Array, which: Numbers | None = None) -> Array:
        """τ of some pairs, or of all, [s]; infinity for dummies."""
        a, b = (self.a, self.b) if which is None else (self.a[which], self.b[which])
        most, near = 2.0 * self.cube.acceleration, self.cube.contact
        tau: Array = so.urgency(x[b] - x[a], v[b] - v[a], most, margin=near)
        return tau if which is None else np.where(which == DUMMY, np.inf, tau)


class SelectAll:
    """Looks at all pairs in each step, and alarms what can touch within so many of its periods: in
    the paper one; two, if a step may take as long as a period itself.

    Attributes:
        marks: which pairs the last step alarmed.
        looks: pairs that it looked at.
    """

    def __init__(
        self, pairs: Pairs, period: float, periods: int = 1, *, by_distance: bool = False
    ) -> None:
        self.pairs, self.within, self.by_distance = pairs, periods * period, by_distance
        self.marks: Marks = np.zeros(len(pairs), dtype=bool)
        self.looks = len(pairs)

    def step(self, x: Array, v: Array) -> tuple[int, int]:
        """How many alarms there are, and how many of them are no repetitions."""
        if self.by_distance:
            tau = self.pairs.gap(x) / (2.0 * self.pairs.cube.fastest)
        else:
            tau = self.pairs.urgency(x, v)
        alarms = tau <= self.within
        new = alarms & ~self.marks
        self.marks = alarms
        return int(alarms.sum()), int(new.sum())


class Printed:
    """DUA; attributes beyond those of `SelectAll`:

    ``places``: the array of pairs, bucket after bucket.
    """

    def __init__(self, pairs: Pairs, period: float) -> None:
        self.pairs, self.period = pairs, period
        self.sizes = 2 ** np.arange(len(pairs).bit_length())
        self.places: Numbers = np.full(int(self.sizes.sum()), DUMMY)
        self.marks: Marks = np.zeros(len(pairs), dtype=bool)
        self.number = -1
        self.looks = 0

    def step(self, x: Array, v: Array) -> tuple[int, int]:
        """As that of `SelectAll`; the first one is the start, which looks at all pairs."""
        self.number += 1
        if self.number == 0:
            tau = self.pairs.urgency(x, v)
            chosen = np.argsort(tau, kind="stable")
            self.places[: len(tau)] = chosen
            wait = np.repeat(self.sizes, self.sizes)[: len(tau)]
            return self._alarm(chosen, tau[chosen], wait)
        turn = self.sizes - 1 + self.number % self.sizes  # (24)
        chosen = self.places[turn]
        tau = self.pairs.urgency(x, v, chosen)
        order = np.argsort(tau, kind="stable")
        self.places[turn] = chosen[order]
        return self._alarm(chosen[order], tau[order], self.sizes)

    def _alarm(self, chosen: Numbers, tau: Array, wait: Numbers) -> tuple[int, int]:
        real = chosen != DUMMY
        chosen, late = chosen[real], (tau <= (wait + 1) * self.period)[real]  # (26)
        new = late & ~self.marks[chosen]
        self.marks[chosen] = late
        self.looks = len(chosen)
        return int(late.sum()), int(new.sum())
