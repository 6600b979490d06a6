"""What the watch says after each cycle."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum

from standoff.geometry.pose import Array
from standoff.monitor.report import Cycle, Warning


class State(IntEnum):
    """Of the cell as a whole, from good to bad; everything but SAFE is unsafe."""

    SAFE = 0
    WARNING = 1
    STALE = 2
    FAULT = 3


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a state is not SAFE.

    Attributes:
        state: what it asks for.
        kind: one word of the table in docs/watch.md: ``warning``, ``silent``, ``jump``.
        element: who: a pair, a joint, a source, a sink.
        text: a sentence for people.
    """

    state: State
    kind: str
    element: str
    text: str


@dataclass(frozen=True, slots=True)
class Report:
    """Attributes:
    number: which cycle of the watch, from 1 on.
    time: of the cycle, by the clock of the watch, [s].
    state: of the cell.
    changed: whether the state, a reason for it, or which pairs are in contact is not that of the
        cycle before.
    reasons: why, the worst first; empty while it is SAFE.
    cycle: what the monitor answered; None as long as not every joint has a value.
    scale: how fast the robots may go, 1 to 0.
    ages: seconds since each source's last good message, infinite where there was none.
    arrived: when the newest message of this cycle came in, by `time.monotonic_ns`; 0 in replays.
    took: how long the engine took for this cycle, [s]; NaN where nobody measured it. It is in no
        record: a replay has its own.
    q: where the joints are, the last good value of each.
    poses: of the moving bodies, as they were given last; None where there are none, or not all
        are known.
    revision: of the cell in this cycle.
    """

    number: int
    time: float
    state: State
    changed: bool
    reasons: tuple[Reason, ...]
    cycle: Cycle | None
    scale: float
    ages: Mapping[str, float]
    arrived: int = 0
    took: float = math.nan
    q: Array | None = None
    poses: Array | None = None
    revision: int = 0

    def timed(self, took: float) -> None:
        """Note how long it took, before anybody has seen it."""
        object.__setattr__(self, "took", took)

    @property
    def clearance(self) -> float:
        """The distance of the nearest pair that is within its threshold, [m]; infinite where none
        is, NaN where not every joint has a value. Of the pairs beyond their thresholds the
        monitor measures some and not others, so that no smallest distance is known of them:
        `Cycle.clearance` is no less than the smallest of all, and may be more."""
        if self.cycle is None:
            return math.nan
        warnings = self.cycle.warnings
        return min(w.distance for w in warnings) if warnings else math.inf

    @property
    def contacts(self) -> tuple[Warning, ...]:
        """The pairs that touch or overlap, the deepest first."""
        warnings = () if self.cycle is None else self.cycle.warnings
        return tuple(w for w in warnings if w.distance <= 0.0)
