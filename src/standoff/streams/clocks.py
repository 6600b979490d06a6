"""When somebody speaks, by whose clock, and for how long they may be silent."""

from __future__ import annotations

import math

from standoff.constants import AGE_WINDOW, CLOCK_DRIFT, CLOCK_SET, MAX_AGE_PERIODS, TIME_LIMIT
from standoff.shapes.pose import Array

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
        stamp: of its last message, NaN before; came: when that came.
        quickest: the least delay of a message so far, in a frame that drifts with CLOCK_DRIFT, [s].
        turned: since when its stamps are those of another clock, that ran back; NaN where they are
            not. fresh: the least delay since then. mixed: when the old ones last came again after
            that: there are two ways to here, and one takes longer.
        count: messages since ``since``, by which its age is measured.
    """

    __slots__ = (
        "age", "came", "count", "fresh", "least", "mixed", "quickest", "since", "source", "stamp",
        "turned", "who",
    )  # fmt: skip

    def __init__(self, source: int, who: frozenset[Who], least: float, age: float) -> None:
        self.source, self.who = source, who
        self.least, self.age = least, age
        self.stamp = self.came = self.turned = math.nan
        self.quickest = self.fresh = math.inf
        self.count, self.since = 0, math.nan
        self.mixed = -math.inf

    def check(self, now: float, stamp: float) -> tuple[str, str]:
        """What is wrong with the stamp of a message, a kind of `RULES` and words; empty where
        nothing is. ``doubled`` and ``backwards`` are not to be used."""
        if not 0.0 < stamp <= TIME_LIMIT:
            if not none(stamp):
                return "backwards", f"stamp {stamp:g} s is no time"
            if math.isnan(self.stamp):
                return "", ""
            return "backwards", f"no stamp after {self.stamp:.6f} s"
        last, self.stamp = self.stamp, stamp
        gap, self.came = now - self.came, now
        if stamp == last:
            return "doubled", f"stamp {stamp:.6f} s again"
        took = float(delay(now, stamp))  # type: ignore[arg-type]
        behind = took - min(self.quickest, took)
        # What was held up comes after a silence; who sets a clock goes on speaking.
        mixed = abs(now - self.mixed) <= CLOCK_SET
        far = behind > CLOCK_SET
        if stamp < last:
            set_back = far or (gap <= self.age and not mixed)
            self.turned, self.fresh = now if set_back else math.nan, math.inf
            return "backwards", f"stamp {stamp:.6f} s after {last:.6f}"
        if behind <= self.age:
            # The clock that it always had.
            self.mixed = self.mixed if math.isnan(self.turned) else now
            self.quickest, self.turned = min(self.quickest, took), math.nan
            return "", ""
        if mixed and not far:
            self.turned = math.nan
        elif gap > self.age and not far and not math.isnan(self.turned):
            self.turned, self.fresh = now, math.inf  # one waits anew
        if not math.isnan(self.turned):
            # Old messages, or a clock that was set back? If they are old, those of the old clock
            # come again: nobody who is there is silent for longer than its age, and what was on its
            # way when it fell silent has come by then.
            self.fresh = min(self.fresh, took)
            if abs(now - self.turned) > max(self.age, behind if behind <= CLOCK_SET else 0.0):
                self.quickest, self.turned = self.fresh, math.nan
                behind = took - self.quickest
                if behind <= self.age:
                    return "", ""
        return "late", f"a message is {behind:.3f} s late"

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
