"""How fast the robots may go: 1 to 0, for a controller that slows down rather than stops."""

from __future__ import annotations

import math
from dataclasses import dataclass

from standoff.defaults import USUAL_HYSTERESIS, USUAL_STOP_DISTANCE
from standoff.errors import StreamError
from standoff.monitor.report import Cycle, PairWarning
from standoff.scalars import amount
from standoff.streams.report import State


@dataclass(frozen=True)
class Ramp:
    """Full speed from ``slow`` on, none up to ``stop``, evenly in between, [m].

    ``slow`` is no more than the threshold of a pair, since what is farther apart is not reported;
    None is that threshold.

    Raises:
        StreamError: not finite, or ``slow`` is not beyond ``stop``.
    """

    stop: float = USUAL_STOP_DISTANCE
    slow: float | None = None

    def __post_init__(self) -> None:
        amount("stop", self.stop, StreamError, "m")
        if self.slow is not None:
            amount("slow", self.slow, StreamError, "m")
            if self.slow <= self.stop:
                raise StreamError(
                    "robots stop before they slow down", element="slow", value=self.slow,
                    allowed=f"more than stop, which is {self.stop}",
                )  # fmt: skip


class SpeedScale:
    """The scale of one watch: the lowest of all pairs that are too close, 1 where there is none.

    For a pair of threshold T let ``top = min(slow, T)``. The scale falls along a line that is 1 at
    ``top - hysteresis`` and 0 at ``stop``; it rises along one that is 1 at ``top`` and 0 at
    ``stop + hysteresis``, and stays as it is between the two. So it is 0 at ``stop``, 1 from
    ``top`` on, falls at once, and rises no sooner than at the hysteresis beyond the smallest
    distance since it fell. Where ``top`` is too near to ``stop`` for that, half of what is between
    them is the hysteresis; a pair whose threshold is no more than ``stop`` has no ramp: 0 for as
    long as it warns.

    A pair that parts has a ramp of its own, which lets robots out of trouble. It counts as parting
    once it is farther apart by the hysteresis than where it was last nearing, so that noise in the
    speed does not make the scale jump.

    FAULT and STALE are 0. Where stopping is not proved free, or a distance is unknown, it is 0.

    Args:
        approaching: for pairs that near each other, or may.
        retreating: for pairs that surely part; none of its distances is larger.
        hysteresis: [m].
    """

    def __init__(
        self,
        approaching: Ramp | None = None,
        retreating: Ramp | None = None,
        hysteresis: float = USUAL_HYSTERESIS,
    ) -> None:
        self.approaching = Ramp() if approaching is None else approaching
        self.retreating = self.approaching if retreating is None else retreating
        self.hysteresis = hysteresis
        amount("hysteresis", hysteresis, StreamError, "m")
        for name in ("stop", "slow"):
            near, far = getattr(self.retreating, name), getattr(self.approaching, name)
            if (math.inf if near is None else near) > (math.inf if far is None else far):
                raise StreamError(
                    "parting pairs would be slower than nearing ones", element=name, value=near,
                    allowed=f"at most that of approaching, {far}",
                )  # fmt: skip
        #: Where each pair that is too close was last nearing, or the nearest it was since, [m].
        self._nearest: dict[tuple[str, str], float] = {}
        self.value = 1.0

    def update(self, state: State, cycle: Cycle | None) -> float:
        """The scale after a cycle."""
        if state >= State.STALE or cycle is None:
            self._nearest.clear()
            self.value = 0.0
            return 0.0
        falling, rising = self._bounds(cycle.warnings)
        if cycle.stopping is not None:
            falling = rising = 0.0
        # rising <= falling, and the scale moves no more than it takes to be between them.
        self.value = min(max(self.value, rising), falling)
        return self.value

    def _bounds(self, warnings: tuple[PairWarning, ...]) -> tuple[float, float]:
        """The most and the least that the scale may be."""
        falling = rising = 1.0
        nearest: dict[tuple[str, str], float] = {}
        for w in warnings:
            ramp, nearest[w.a, w.b] = self._ramp(w)
            top = w.threshold if ramp.slow is None else min(ramp.slow, w.threshold)
            room = top - ramp.stop
            beyond = w.distance - ramp.stop
            if not (room > 0.0 and beyond > 0.0):
                falling = rising = 0.0
                continue
            gap = min(self.hysteresis, 0.5 * room)
            falling = min(falling, _share(beyond, room - gap))
            rising = min(rising, _share(beyond - gap, room - gap))
        self._nearest = nearest
        return falling, rising

    def _ramp(self, w: PairWarning) -> tuple[Ramp, float]:
        """Which ramp counts for a pair, and where it was last nearing."""
        if w.approaching or math.isnan(w.distance):
            return self.approaching, w.distance
        before = self._nearest.get((w.a, w.b), w.distance)
        nearest = min(before, w.distance)
        parted = w.distance > nearest and w.distance >= nearest + self.hysteresis
        return (self.retreating if parted else self.approaching), nearest


def _share(part: float, whole: float) -> float:
    return min(max(part / whole, 0.0), 1.0)
