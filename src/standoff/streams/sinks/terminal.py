"""Lines for people: how it is now, each change, and the nearest pair while none is too close."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass

import numpy as np
from rich.console import Console
from rich.live import Live
from rich.text import Text

from standoff.cell.cell import Cell
from standoff.cell.model import Model
from standoff.cell.nearest_pair import NearestFinder, NearPair
from standoff.cell.state import State as CellState
from standoff.errors import Error
from standoff.geometry.pose import Array
from standoff.streams.limits import QUIET_LINE_PERIOD
from standoff.streams.report import Report, State
from standoff.streams.shown import shown
from standoff.tolerances import COORDINATE_LIMIT

#: Of one core, what looking for the nearest pair may take for a line on the terminal, [-].
NEAREST_SHARE = 0.05

#: More pairs of primitives than these are not looked through for it, [-]: one search would take
#: tens of milliseconds from the watch.
NEAREST_PAIRS = 50_000


@dataclass(frozen=True)
class Nearby:
    """Attributes:
    pair: two bodies, and how far apart they are.
    sure: whether no other pair was nearer.
    """

    pair: NearPair
    sure: bool


@dataclass(frozen=True, eq=False)
class _Search:
    """What a cell was at one revision."""

    revision: int
    model: Model
    finder: NearestFinder
    useful: bool


class NearestPair:
    """Looks for the nearest pair of a cell at the places of a report, on the thread of a sink.

    The links of a robot are always near each other: pairs within a robot are looked at only in a
    cell that has no others. A search takes as much time as NEAREST_SHARE allows; between two of
    them the pair of the last is measured anew. The monitor does not need any of this: whatever is
    too close is in its report.

    The cell belongs to the thread of the cycles: it is read by `follow` there, and never by `at`. A
    cell makes its tables when it is asked for them, and one that was asked elsewhere while it
    changes could be left with those of before.
    """

    def __init__(self, cell: Cell) -> None:
        self._cell, self._due = cell, -math.inf
        self._search = search = _search(cell)
        if search.useful:  # the kernels are ready before the first reading comes
            search.finder.at(cell.state().frames)

    @property
    def useful(self) -> bool:
        """Whether there are pairs to look for, and not too many."""
        return self._search.useful

    def follow(self, report: Report) -> None:
        """After each cycle, on its thread."""
        if report.revision != self._search.revision:
            self._search = _search(self._cell)

    def at(self, report: Report) -> Nearby | None:
        """The nearest pair; None where places are missing, no numbers or beyond COORDINATE_LIMIT,
        or the cell was another one when it was last followed. A search that fails is no pair, too:
        the line that asks for one is to tell of a fault, and must come whatever is at fault."""
        search = self._search
        poses = np.zeros((0, 4, 4)) if report.poses is None else report.poses
        if report.cycle is None or report.q is None or not search.useful:
            return None
        if report.revision != search.revision or len(poses) != len(search.model.moving):
            return None
        with suppress(Error):
            frames = CellState(search.model, report.q, poses).frames
            # Of links as well: a joint may be anywhere that a message can write.
            if (np.abs(frames) <= COORDINATE_LIMIT).all():
                return self._found(search.finder, frames)
        return None

    def _found(self, finder: NearestFinder, frames: Array) -> Nearby | None:
        """A search, or the last pair again until the next search is due."""
        begun = time.monotonic()
        if begun < self._due and finder.asked:
            pair, sure = finder.again(frames), False
        else:
            try:
                pair, sure = finder.at(frames), True
            finally:
                self._due = begun + (time.monotonic() - begun) / NEAREST_SHARE
        return None if pair is None else Nearby(pair, sure)


def _search(cell: Cell) -> _Search:
    revision = cell.revision
    finder = NearestFinder(cell, "others")
    finder = finder if finder.any else NearestFinder(cell)
    useful = 0 < finder.count <= NEAREST_PAIRS
    return _Search(revision, cell.model, finder, useful)


#: Seconds between two updates of a line that is renewed in place, [s]: faster is not read.
TERMINAL_PERIOD = 0.1

#: Most lines that a terminal gets in one second of a watch, [-]. A state that flickers at 1 kHz
#: would otherwise scroll away all that could be read, and a slow terminal hold up its queue.
TERMINAL_LINES = 10


COLOURS = {
    State.SAFE: "green",
    State.WARNING: "bold red",
    State.STALE: "bold yellow",
    State.FAULT: "bold magenta",
}

#: Reasons that a line names; the rest are counted.
_REASONS = 3


class TerminalLines:
    """On a terminal: one line that is renewed in place (state, clearance, nearest pair, cycle time,
    age of the input, speed scale), and above it a line for each change. Where it is no terminal, or
    plain lines are asked for: a line for each change and one a second.

    Lines are held to so many in a second; the changes left out are counted in the next one, with
    the worst state among them, and a state that got worse for good is always the one shown last.

    Args:
        console: where to.
        plain: no colours, nothing in place.
        sure: what every pair is beyond while none is within its threshold, [m].
        nearest: finds the nearest pair while none is too close; without it none is shown then.
    """

    name = "terminal"

    def __init__(
        self,
        console: Console | None = None,
        *,
        plain: bool = False,
        sure: float = 0.0,
        nearest: NearestPair | None = None,
    ) -> None:
        self._sure, self._nearest = sure, nearest
        console = Console(highlight=False, emoji=False) if console is None else console
        self._console = console
        self._colours = console.is_terminal and not plain
        self._live: Live | None = None
        if console.is_terminal and not plain:
            self._live = Live(console=console, auto_refresh=False, transient=True)
            self._live.start()
        self._last: Report | None = None
        self._second = math.nan  # of the watch, for which lines are counted
        self._lines = 0
        self._skipped: list[State] = []
        self._skips = 0
        self._line_due = -math.inf
        self._renew_due = -math.inf

    def put(self, report: Report) -> None:
        """Show it, or what is due of it."""
        now = report.time
        due = self._live is None and not (
            self._line_due - QUIET_LINE_PERIOD <= now < self._line_due
        )
        if report.changed or due:
            if self._room(now):
                self._print(report)
                self._line_due = now + QUIET_LINE_PERIOD
            else:
                self._skips += 1
                if not self._skipped or report.state > self._skipped[0]:
                    self._skipped[:] = [report.state]
        self._last = report
        clock = time.monotonic()
        if self._live is not None and (report.changed or clock >= self._renew_due):
            self._live.update(self._line(report, in_place=True), refresh=True)
            self._renew_due = clock + TERMINAL_PERIOD

    def flush(self) -> None:
        """Changes that were left out are counted in a line."""
        if self._skips and self._last is not None:
            self._print(self._last)

    def close(self) -> None:
        """The line in place goes; the changes stay."""
        self.flush()
        if self._live is not None:
            self._live.stop()
            self._live = None

    def _room(self, now: float) -> bool:
        second = math.floor(now)
        if second != self._second:
            self._second, self._lines = second, 0
        self._lines += 1
        return self._lines <= TERMINAL_LINES

    def _print(self, report: Report) -> None:
        line = self._line(report)
        if self._skips:
            worst = self._skipped[0].name
            line.append(f"  (and {self._skips} changes before it, the worst {worst})")
            self._skips = 0
            self._skipped.clear()
        self._console.print(line, soft_wrap=True, highlight=False)

    def _line(self, report: Report, in_place: bool = False) -> Text:
        """All of it is text: no markup is read, whatever a name looks like."""
        parts = [f"{report.time:.3f} s", *self._distances(report)]
        if math.isfinite(report.took):
            parts.append(f"cycle {1e3 * report.took:.2f} ms")
        if report.ages:
            parts.append(f"input {_age(max(report.ages.values()))}")
        parts.append(f"speed {100.0 * report.scale:.0f} %")
        line = Text(no_wrap=in_place, overflow="ellipsis" if in_place else "fold")
        style = COLOURS[report.state] if self._colours else ""
        line.append(report.state.name.ljust(7), style=style)
        line.append("  " + "  ".join(parts))
        others = [r for r in report.reasons if r.kind != "warning"]
        for reason in others[:_REASONS]:
            line.append("  " + shown(reason.text), style="dim" if self._colours else "")
        if len(others) > _REASONS:
            line.append(f"  and {len(others) - _REASONS} more")
        return line

    def _distances(self, report: Report) -> Iterator[str]:
        """How near things are, and which pair is nearest."""
        contacts, cycle = report.contacts, report.cycle
        if contacts:
            deep = f"{-1e3 * contacts[0].distance:z.1f} mm or more"
            more = f", and {len(contacts) - 1} more in contact" if len(contacts) > 1 else ""
            yield f"CONTACT, overlap {deep}{more}"
        elif math.isfinite(report.clearance):
            yield f"clearance {1e3 * report.clearance:.1f} mm"
        elif math.isinf(report.clearance):
            yield f"clearance > {1e3 * self._sure:.1f} mm"
        if cycle is not None and cycle.warnings:
            w = cycle.warnings[0]
            yield f"{shown(w.a)} – {shown(w.b)} {_way(w.approaching, w.closing_speed)}"
        elif self._nearest is not None and (nearby := self._nearest.at(report)) is not None:
            pair, bound = nearby.pair, "" if nearby.sure else "≤ "
            far = f"{bound}{1e3 * pair.distance:.1f} mm"
            yield f"nearest {shown(pair.a)} – {shown(pair.b)} {far}"


def _way(approaching: bool, speed: float) -> str:
    """The speed is that of the nearest points: they may part while others approach."""
    word = "approaching" if approaching else "parting"
    return f"{word} at {abs(speed):.2f} m/s" if approaching == (speed > 0.0) else word


def _age(age: float) -> str:
    if math.isinf(age):
        return "never"
    return f"{1e3 * age:.0f} ms" if age < 1.0 else f"{age:.1f} s"
