"""What a page is given to show: one reading, what a monitor said of it, how bad that is, and which
warnings are over and were not seen yet.
"""

from __future__ import annotations

import math
import time
from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from standoff.errors import Error
from standoff.geometry.pose import Array
from standoff.monitor.report import Cycle, PairWarning, StopWarning

#: What a watch can be in.
Watched = Literal["SAFE", "WARNING", "FAULT", "STALE", "NOT WATCHED"]
STATES: tuple[Watched, ...] = get_args(Watched)

#: And what an instant of a path can be besides.
State = Watched | Literal["NOT CERTIFIED", "ENDED"]

#: Warnings and faults that are taken along; of the others there is only the number.
LISTED = 40


@dataclass(frozen=True, eq=False)
class Mark:
    """A warning: its two bodies, their distance and the distance at which they are too close, [m],
    and the witness points, world frame; when: in words, where it is not about this very reading."""

    a: str
    b: str
    distance: float
    threshold: float
    point_a: Array
    point_b: Array
    when: str = ""


@dataclass(frozen=True, eq=False)
class Seen:
    """One reading.

    Attributes:
        q: the joints; poses: of the moving bodies, (m, 4, 4), in the order of the cell's.
        state: at a glance.
        time: of the reading, [s]; None where there is none.
        clearance: smallest distance of near pairs, [m]; infinite where there are none, NaN where no
            monitor was asked.
        marks: warnings, the nearest first; more: how many are not among them.
        faults: in words.
        spent: what the monitor's cycle took, [µs]; NaN where it was not measured.
        reasons: for the state, in words, where who watches gives them; they go before the faults.
        word: beside the state, in place of the usual one.
        alarms: what warned up to this reading; None where nobody counted.
    """

    q: Array
    poses: Array
    state: State
    time: float | None = None
    clearance: float = math.nan
    marks: tuple[Mark, ...] = ()
    more: int = 0
    faults: tuple[str, ...] = ()
    spent: float = math.nan
    reasons: tuple[str, ...] = ()
    word: str = ""
    alarms: tuple[Alarm, ...] | None = None

    @property
    def now(self) -> list[Mark]:
        """The marks whose distances are those of this reading."""
        return [mark for mark in self.marks if not mark.when]


def state_of(cycle: Cycle | None) -> Watched:
    """A fault goes before a warning: what is not known cannot be judged. Where no monitor was
    asked nobody knows anything."""
    if cycle is None:
        return "NOT WATCHED"
    if cycle.safe:
        return "SAFE"
    return "FAULT" if cycle.faults else "WARNING"


def check_state(state: str) -> Watched:
    """Raises:
    Error: not one of STATES.
    """
    for known in STATES:
        if known == state:
            return known
    raise Error("unknown state", value=state, allowed=", ".join(STATES))


def seen(
    q: Array,
    poses: Array,
    cycle: Cycle | None = None,
    *,
    state: State | None = None,
    time: float | None = None,
    spent: float = math.nan,
) -> Seen:
    """A reading with what is to be shown of its cycle; the state follows from that by default."""
    shown = state_of(cycle) if state is None else state
    if cycle is None:
        return Seen(q, poses, shown, time, spent=spent)
    found = () if cycle.safe else cycle.warnings
    marks = tuple(_mark(warning) for warning in found[:LISTED])
    return Seen(
        q, poses, shown, cycle.time if time is None else time, float(cycle.clearance), marks,
        len(found) - len(marks), tuple(str(fault) for fault in cycle.faults[:LISTED]), spent,
    )  # fmt: skip


def _mark(w: PairWarning) -> Mark:
    return Mark(
        w.a, w.b, float(w.distance), float(w.threshold), w.point_a, w.point_b, when=_when(w)
    )


def _when(warning: PairWarning) -> str:
    """A stop is yet to come, and what is certified between two readings is over."""
    if isinstance(warning, StopWarning):
        return f"{warning.time:.3f} s into the stop"
    if warning.when >= 1.0:
        return ""
    if warning.when <= 0.0:
        return "at the reading before"
    return f"on the way from the reading before, after {100.0 * warning.when:.0f} %"


def no_poses() -> Array:
    """Of a cell in which nothing moves by itself."""
    return np.zeros((0, 4, 4))


#: What is told before all else, from bad to worse. Of the rest, the last is.
_RANKS: dict[State, int] = {"NOT CERTIFIED": 1, "STALE": 2, "WARNING": 3, "FAULT": 4}
_NEAR = _RANKS["WARNING"]

#: Greater is worse.
Severity = tuple[int, float]


def severity(state: State, distance: float) -> Severity:
    """Of a reading; among those that warn or are at fault the smallest distance [m] counts, too.
    What is no number is as near as can be."""
    rank = _RANKS.get(state, 0)
    if rank < _NEAR:
        return rank, 0.0
    return rank, math.inf if math.isnan(distance) else -distance


#: States that are remembered, and how that is said.
_WORDS = {"FAULT": "at fault", "WARNING": "warned"}

#: Up to here tenths of a second are told, [s], and minutes from there on.
_TENTHS, _MINUTES = 10.0, 120.0


@dataclass(frozen=True)
class Alarm:
    """How often a state began, and when it last was, by `time.monotonic`, which is one clock for
    all processes of a machine."""

    state: str
    times: int
    last: float

    def text(self, now: float) -> str:
        """``warned 0.3 s ago, 2 times``."""
        often = "once" if self.times == 1 else f"{self.times:,} times"
        return f"{_WORDS[self.state]} {_ago(now - self.last)}, {often}"


class Latch:
    """Remembers warnings and faults."""

    def __init__(self) -> None:
        self._known: dict[str, Alarm] = {}
        self._states: Collection[str] = ()

    def note(self, states: Collection[str]) -> None:
        """Of one reading: its state, and what else it is."""
        if not states and not self._states:
            return
        now = time.monotonic()
        for state in states:
            if state in _WORDS:
                before = self._known.get(state)
                times = 0 if before is None else before.times
                self._known[state] = Alarm(state, times + (state not in self._states), now)
        self._states = states

    @property
    def alarms(self) -> tuple[Alarm, ...]:
        """Faults first."""
        return tuple(self._known[state] for state in _WORDS if state in self._known)


def _ago(seconds: float) -> str:
    if seconds < 0.05:
        return "now"
    if seconds < _TENTHS:
        return f"{seconds:.1f} s ago"
    return f"{seconds:.0f} s ago" if seconds < _MINUTES else f"{seconds / 60.0:.0f} min ago"
