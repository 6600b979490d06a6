"""What warned and is over: no warning is gone before somebody could see it."""

from __future__ import annotations

import time
from collections.abc import Collection
from dataclasses import dataclass

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

    def told(self, now: float) -> str:
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
