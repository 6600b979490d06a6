"""Motions played before a monitor: recordings, and paths as they would be driven."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from standoff.monitor.monitor import Monitor
from standoff.monitor.report import Cycle
from standoff.paths.nearest import NearPair
from standoff.view.live.cell_page import CellPage, standing
from standoff.view.live.motion import Motion
from standoff.view.live.player import Player
from standoff.view.live.seen import Seen, seen
from standoff.view.live.ticking import TICK
from standoff.view.live.worst import Severity, severity

if TYPE_CHECKING:
    import viser

#: Instants of a motion on a page that are nearer than this are one, [s]: far above the rounding of
#: times that are added up, far below what any two readings are apart.
SAME_INSTANT = 1e-7


class Playback:
    """A page on which motions are played.

    Each `step` is the way from the last instant to this one, and nothing on it is passed over: the
    monitor is asked at every reading of a recording in between, and the worst of them is shown.
    This instant itself is shown where it is the worst, or as soon as the motion stands.

    Args:
        make: a monitor of the cell for readings that are so far apart, [s]. A jump in time gets
            one of its own, as the robot did not go that way; and so does another speed.
    """

    def __init__(
        self,
        server: viser.ViserServer,
        title: str,
        motions: Sequence[Motion],
        make: Callable[[float], Monitor],
        *,
        playing: bool = True,
    ) -> None:
        self._make = make
        self._period = min(TICK, motions[0].period)
        self.monitor = make(self._period)
        cell = self.monitor.cell
        cell.set_state(motions[0].at(0.0))
        self.page = CellPage(
            server, cell, title,
            buffers=lambda: self.monitor.buffers, index=lambda: self.monitor.index,
        )  # fmt: skip
        with self.page.tabs.add_tab("Play"):
            self.player = Player(server.gui, motions, playing=playing)
            self.below()
        self.page.options()
        self.last: Seen | None = None
        # Where the monitor was asked last, what it said, and whether just that is shown. Where it
        # said nothing, the way from there on is still to be asked.
        self._at: tuple[Motion, float] | None = None
        self._asked: Seen | None = None
        self._stands = False

    def below(self) -> None:
        """What else is in the tab of the player."""

    def stops(self, motion: Motion, after: float, before: float) -> list[float]:
        """Instants between two, [s], in order, that are not to be passed over."""
        return motion.readings(after, before)

    def counted(self, cycle: Cycle) -> Cycle:
        """What counts of that which the monitor said."""
        return cycle

    def judged(self, seen: Seen, since: float) -> Seen:
        """A reading with what else is known of its instant, and of the way there from ``since``."""
        return seen

    def shown(self, seen: Seen, nearest: NearPair | None, motion: Motion) -> None:
        """What else is to be shown of a reading."""

    def fail(self, error: Exception) -> None:
        """A step failed."""
        self.page.banner.fail(error)

    def step(self) -> Seen | None:
        """One reading; while it stands, nothing is asked again."""
        motion, moment, jumped = self.player.tick(TICK)
        if jumped or self._at is None:
            self._at, self._asked = (motion, moment), None
        before, known = self._at[1], self._asked
        if known is not None and abs(moment - before) <= 2.0 * SAME_INSTANT:
            return self._stand(known, motion, moment)
        period = min(TICK * self.player.speed, motion.period)
        if known is None or period != self._period:
            self._period = period
            self.monitor = self._make(period)
        # Where anything fails from here on, the next step goes this way again, all of it.
        self._asked = None
        instants = self._instants(motion, before, moment)
        if known is None and instants[0] > before + SAME_INSTANT:
            instants.insert(0, before)
        asked, worst, since = None, None, before
        for instant in instants:
            asked = self._ask(motion, instant)
            found = self.judged(asked, since)
            since = instant
            if worst is None or _severity(found) >= _severity(worst):
                worst = found
        assert worst is not None
        self._show(worst, motion)
        self._at, self._asked, self._stands = (motion, moment), asked, before == moment
        return worst

    def _stand(self, known: Seen, motion: Motion, moment: float) -> Seen | None:
        """Whatever was on the way has been shown: now for where it stands."""
        if not self._stands:
            self._show(self.judged(known, moment), motion)
            self._stands = True
        elif self.last is not None:
            self.page.show(self.last)  # what is to be shown may have been changed
        return self.last

    def _instants(self, motion: Motion, before: float, now: float) -> list[float]:
        """All that are asked for; where ``now`` is one that is not to be passed over but for
        rounding, it is that one."""
        stops = self.stops(motion, before + SAME_INSTANT, now + SAME_INSTANT)
        if not stops or stops[-1] < now - SAME_INSTANT:
            stops.append(now)
        return stops

    def _ask(self, motion: Motion, moment: float) -> Seen:
        q, poses = motion.at(moment), standing(self.page.cell)
        start = time.perf_counter_ns()
        cycle = self.monitor.update(q, poses if len(poses) else None, moment)
        spent = (time.perf_counter_ns() - start) / 1e3
        # What the first one takes is the compiler's time, or the disk's.
        spent = spent if self.last else math.nan
        return seen(q, poses, self.counted(cycle), time=moment, spent=spent)

    def _show(self, found: Seen, motion: Motion) -> None:
        self.last = found
        self.shown(found, self.page.show(found), motion)


def _severity(seen: Seen) -> Severity:
    return severity(seen.state, min((m.distance for m in seen.marks), default=seen.clearance))
