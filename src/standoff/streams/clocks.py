"""When somebody speaks, by whose clock, and for how long they may be silent."""

from __future__ import annotations

import math

from standoff.geometry.pose import Array
from standoff.streams.limits import MAX_AGE_PERIODS, TIME_LIMIT

#: Messages of one publisher by which a watch tells how often it speaks, [-]: some that are lost, or
#: come in a bunch, change their mean little.
AGE_WINDOW = 64

#: By how much the clock of a source may run faster or slower than ours, [s/s]: the crystals of
#: computers are good to 1e-4, and a delay that grows faster than this is a delay.
CLOCK_DRIFT = 2e-4


#: What a trouble is about, and what a good reading is good for: a joint by its number, a body by
#: its name, a source as `of_source`, anything at all.
Who = int | str | None

#: Whatever it is.
ANY: Who = None

#: Of whom nobody will ever tell: no body has an empty name.
NOBODY: Who = ""


def of_source(number: int) -> int:
    """A source as a whole, beside the joints, which count from 0 on."""
    return -1 - number


class Clock:
    """Of a publisher of joints, or of whoever tells of a body.

    Attributes:
        source: its number.
        who: what it speaks of.
        least, age: how long it may be silent, [s]: ``age``, which falls to ``least`` where it turns
            out to speak often enough.
        stamp: the newest of its messages so far, NaN before.
        quickest: the least delay of a message so far, in a frame that drifts with CLOCK_DRIFT, [s].
        count: messages since ``since``, by which its age is measured.
    """

    __slots__ = ("age", "count", "least", "quickest", "since", "source", "stamp", "who")

    def __init__(self, source: int, who: frozenset[Who], least: float, age: float) -> None:
        self.source, self.who = source, who
        self.least, self.age = least, age
        self.stamp, self.quickest = math.nan, math.inf
        self.count, self.since = 0, math.nan

    def check(self, now: float, stamp: float) -> tuple[str, str]:
        """What is wrong with the stamp of a message, a kind of `RULES` and words; empty where
        nothing is. ``doubled`` and ``backwards`` are not to be used."""
        if not 0.0 < stamp <= TIME_LIMIT:
            if not none(stamp):
                return "backwards", f"stamp {stamp:g} s is no time"
            if math.isnan(self.stamp):
                return "", ""
            return "backwards", f"no stamp after {self.stamp:.6f} s"
        if stamp == self.stamp:
            return "doubled", f"stamp {stamp:.6f} s again"
        if stamp < self.stamp:
            # Old messages and a clock that was set back look alike: neither is the newest.
            return "backwards", f"stamp {stamp:.6f} s is older than {self.stamp:.6f} s"
        self.stamp = stamp
        took = float(delay(now, stamp))  # type: ignore[arg-type]
        self.quickest = min(self.quickest, took)
        behind = took - self.quickest
        return ("late", f"a message is {behind:.3f} s late") if behind > self.age else ("", "")

    @property
    def settled(self) -> bool:
        """Whether its age stays what it is."""
        return self.age <= self.least

    def beat(self, now: float) -> None:
        """A message came. AGE_WINDOW of them tell how often it speaks: whoever does so more often
        than was thought may be silent for less long."""
        if self.settled:
            return
        if self.count == 0 or not now > self.since:
            self.since, self.count = now, 0
        elif self.count == AGE_WINDOW:
            usual = MAX_AGE_PERIODS * (now - self.since) / AGE_WINDOW
            self.age = max(self.least, min(self.age, usual))
            self.since, self.count = now, 0
        self.count += 1


def delay(now: Array, stamp: Array) -> Array:
    """How long messages took, but for a constant, [s]: the clocks of both ends may be set
    differently and drift apart by CLOCK_DRIFT. Numbers or arrays."""
    return (now - stamp) - CLOCK_DRIFT * now


def none(stamp: float) -> bool:
    """Whether a stamp says nothing: ROS has 0 where nobody set it."""
    return stamp == 0.0 or math.isnan(stamp)
