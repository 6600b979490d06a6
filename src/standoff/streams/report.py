"""What the watch says after each cycle, and what came of all of them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum

from standoff.geometry.pose import Array
from standoff.monitor.report import Cycle, PairWarning


class State(IntEnum):
    """Of the cell as a whole, from good to bad; everything but SAFE is unsafe, and False."""

    SAFE = 0
    WARNING = 1
    STALE = 2
    FAULT = 3

    def __bool__(self) -> bool:
        return self is State.SAFE


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
    """What the watch says after a cycle. True where it is `safe`.

    Attributes:
        number: which cycle of the watch, from 1 on.
        time: of the cycle, by the clock of the watch, [s].
        state: of the cell.
        changed: whether the state, a reason for it, or which pairs are in contact is not that of
            the cycle before.
        reasons: why, the worst first; empty while it is SAFE.
        cycle: what the monitor answered; None as long as not every joint has a value.
        scale: how fast the robots may go, 1 to 0.
        ages: seconds since each source's last good message, infinite where there was none.
        arrived: when the newest message of this cycle came in, by `time.monotonic_ns`; 0 in
            replays.
        took: how long the engine took for this cycle, [s]; NaN where nobody measured it. It is in
            no record: a replay has its own.
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

    @property
    def safe(self) -> bool:
        """Whether the state is SAFE: no warning, no fault, nothing stale."""
        return self.state is State.SAFE

    def __bool__(self) -> bool:
        return self.safe

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
    def contacts(self) -> tuple[PairWarning, ...]:
        """The pairs that touch or overlap, the deepest first."""
        warnings = () if self.cycle is None else self.cycle.warnings
        return tuple(w for w in warnings if w.distance <= 0.0)


@dataclass
class Summary:
    """What came of a whole watch. True where it was `safe`.

    Attributes:
        patience: how long the watch may take from its first message until every joint has a
            value, [s].
        cycles: how many there were; by state in ``states``.
        began: time of the first cycle, NaN before; ended: of the last.
        started: whether every joint ever had a value. What was STALE or at FAULT before that is not
            counted in ``troubled``, cycles in which the state was either.
        unwatched: from the first message until then, [s]; blind: cycles in which nothing was
            watched, from the first message on.
        warned: cycles with a warning; first_warning: the report of the first.
        nearest: the smallest distance of a pair within its threshold, [m], of which pair, and when,
            [s]; infinite where none was.
        contacts: cycles in which a pair touched or overlapped; touching: for how long, [s];
            contact_pairs: which, and when each first did, [s].
        own_links: pairs of links of one robot that were too close in every cycle that was watched.
        kinds: cycles in which each kind of reason was there.
        slow: cycles that took longer than their period; slowest: the longest, [s].
        lost: reports that sinks never got, by name; sinks: what went wrong with them last.
        interrupted: whether somebody ended it.
        in_contact: whether a pair touched or overlapped in the last cycle.
    """

    patience: float = 0.0
    cycles: int = 0
    states: dict[State, int] = field(default_factory=lambda: dict.fromkeys(State, 0))
    began: float = math.nan
    ended: float = math.nan
    started: bool = False
    unwatched: float = 0.0
    blind: int = 0
    troubled: int = 0
    warned: int = 0
    first_warning: Report | None = None
    nearest: float = math.inf
    nearest_at: float = math.nan
    nearest_pair: tuple[str, str] = ("", "")
    contacts: int = 0
    touching: float = 0.0
    contact_pairs: dict[tuple[str, str], float] = field(default_factory=dict)
    in_contact: bool = False
    own_links: frozenset[tuple[str, str]] = frozenset()
    kinds: dict[str, int] = field(default_factory=dict)
    slow: int = 0
    slowest: float = 0.0
    lost: dict[str, int] = field(default_factory=dict)
    sinks: dict[str, str] = field(default_factory=dict)
    interrupted: bool = False

    def add(self, report: Report) -> None:
        """Count one cycle."""
        if self.in_contact:
            self.touching += max(report.time - self.ended, 0.0)
        if not self.started and self.blind:
            self.unwatched += max(report.time - self.ended, 0.0)
        self._time(report.time, report.time, 1)
        self.states[report.state] += 1
        if report.cycle is not None:
            self._answered(report, report.cycle)
        elif self.blind or _message_came(report):
            self.blind += 1
        if report.state >= State.STALE and self.started:
            self.troubled += 1
        contacts = report.contacts
        self.in_contact = bool(contacts)
        self.contacts += self.in_contact
        for w in contacts:
            self.contact_pairs.setdefault((w.a, w.b), report.time)
        kinds = {r.kind for r in report.reasons}
        for kind in kinds:
            self.kinds[kind] = self.kinds.get(kind, 0) + 1
        if "warning" in kinds:
            self.warned += 1
            if self.first_warning is None:
                self.first_warning = report

    def _answered(self, report: Report, cycle: Cycle) -> None:
        """What the monitor said in a cycle."""
        if self.own_links or not self.started:
            close = frozenset((w.a, w.b) for w in cycle.warnings if _one_robot(w.a, w.b))
            self.own_links = self.own_links & close if self.started else close
        self.started = True
        if report.clearance < self.nearest:
            self.nearest, self.nearest_at = report.clearance, report.time
            self.nearest_pair = cycle.warnings[0].a, cycle.warnings[0].b

    def add_quiet(self, times: Array) -> None:
        """Count cycles in which nothing happened: no pair was within its threshold."""
        if self.in_contact:
            self.touching += max(float(times[0]) - self.ended, 0.0)
            self.in_contact = False
        self._time(float(times[0]), float(times[-1]), len(times))
        self.states[State.SAFE] += len(times)
        self.own_links = frozenset()

    def _time(self, first: float, last: float, cycles: int) -> None:
        if not self.cycles:
            self.began = first
        self.cycles += cycles
        self.ended = last

    @property
    def began_late(self) -> bool:
        """Whether nothing was watched for too long after the first message."""
        return self.unwatched > self.patience

    @property
    def safe(self) -> bool:
        """Whether the cell was watched and SAFE all along, and every sink got every report."""
        return self.status == 0

    def __bool__(self) -> bool:
        return self.safe

    @property
    def status(self) -> int:
        """For a shell: 0 SAFE all along, 1 there were warnings, 3 it was STALE or at FAULT (or not
        every joint had a value in time, or a sink had trouble), 4 both."""
        sinks = any(self.lost.values()) or bool(self.sinks)
        troubled = self.troubled > 0 or not self.started or self.began_late or sinks
        return (1 if self.warned else 0) + (3 if troubled else 0)


def _message_came(report: Report) -> bool:
    """Whether any message has come so far, good or bad."""
    received = any(math.isfinite(age) for age in report.ages.values())
    return received or any(reason.kind != "waiting" for reason in report.reasons)


def _one_robot(a: str, b: str) -> bool:
    """Whether both are links of the same: a link is called with its robot, ``left/hand``."""
    robot, slash, _ = a.partition("/")
    return bool(slash) and b.startswith(robot + slash)
