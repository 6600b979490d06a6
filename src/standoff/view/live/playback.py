"""Motions played before a monitor: recordings, and paths as they would be driven."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from standoff.monitor.monitor import Monitor
from standoff.paths.nearest_now import NearPair
from standoff.view.live.cell_page import CellPage, standing
from standoff.view.live.motion import Motion
from standoff.view.live.player import Player
from standoff.view.live.seen import Seen, seen
from standoff.view.live.ticking import TICK

if TYPE_CHECKING:
    import viser


class Playback:
    """A page on which motions are played; each `step` is one reading of the monitor.

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
        self._period = TICK
        self.monitor = make(TICK)
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
        self._at: tuple[Motion, float] | None = None

    def below(self) -> None:
        """What else is in the tab of the player."""

    def judged(self, seen: Seen) -> Seen:
        """A reading with what else is known of its instant."""
        return seen

    def shown(self, seen: Seen, nearest: NearPair | None, motion: Motion) -> None:
        """What else is to be shown of a reading."""

    def fail(self, error: Exception) -> None:
        """A step failed."""
        self.page.banner.fail(error)

    def step(self) -> Seen | None:
        """One reading; while it stands, nothing is asked again."""
        motion, moment, jumped = self.player.tick(TICK)
        if self._at == (motion, moment) and not jumped:
            if self.last is not None:
                self.page.show(self.last)  # what is to be shown may have been changed
            return self.last
        period = TICK * self.player.speed
        if jumped or period != self._period:
            self._period = period
            self.monitor = self._make(period)
        self._at = (motion, moment)
        q, poses = motion.at(moment), standing(self.page.cell)
        start = time.perf_counter_ns()
        cycle = self.monitor.update(q, poses if len(poses) else None)
        spent = (time.perf_counter_ns() - start) / 1e3
        # What the first one takes is the compiler's time, or the disk's.
        spent = spent if self.last else math.nan
        self.last = self.judged(seen(q, poses, cycle, time=moment, spent=spent))
        pair = self.page.show(self.last)
        self.shown(self.last, pair, motion)
        return self.last
