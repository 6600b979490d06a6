"""Motions played before a monitor, with play, pause, scrub and speed: recordings, and paths as they
would be driven.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from standoff.cell.nearest_pair import NearPair
from standoff.monitor.monitor import Monitor
from standoff.monitor.report import Cycle
from standoff.view.live.cell_page import CellPage, standing
from standoff.view.live.motion import Motion
from standoff.view.live.seen import Seen, Severity, seen, severity
from standoff.view.live.ticking import TICK

if TYPE_CHECKING:
    import viser


#: Speeds to choose from, by what they are called.
SPEEDS = {"¼ ×": 0.25, "½ ×": 0.5, "1 ×": 1.0, "2 ×": 2.0, "4 ×": 4.0}

_PLAY, _PAUSE = "Play", "Pause"

#: What is seldom touched comes below all else in its tab, which is numbered in the order it is
#: made.
_LAST = 10_000.0


class Player:
    """Controls for motions; `tick` says where it is.

    Attributes:
        motion: which is played.
        time: how far, [s].
        playing: whether it goes on by itself.
    """

    def __init__(self, gui: viser.GuiApi, motions: Sequence[Motion], *, playing: bool) -> None:
        self._motions = list(motions)
        self._lock = threading.Lock()
        self.motion, self.time, self.playing = self._motions[0], 0.0, playing
        self._jumped = True
        names = [f"{k + 1}: {m.name}" for k, m in enumerate(self._motions)]
        self._which = gui.add_dropdown(
            "Motion", names, initial_value=names[0], visible=len(names) > 1
        )
        self._button = gui.add_button(_PAUSE if playing else _PLAY)
        self._slider = gui.add_slider("Time [s]", 0.0, self.motion.duration, 0.01, 0.0)
        self._speed = gui.add_dropdown("Speed", list(SPEEDS), initial_value="1 ×", order=_LAST)
        self._loop = gui.add_checkbox("Again and again", False, order=_LAST + 1.0)
        self._which.on_update(self._chosen)
        self._button.on_click(lambda _: self.play(not self.playing))
        self._slider.on_update(self._scrubbed)

    @property
    def speed(self) -> float:
        """How much faster than it was, [-]."""
        return SPEEDS[self._speed.value]

    def play(self, wanted: bool) -> None:
        """Go on, or stand; at the end playing begins anew."""
        with self._lock:
            if wanted and self.time >= self.motion.duration:
                self.time, self._jumped = 0.0, True
            self.playing = wanted
        self._button.label = _PAUSE if wanted else _PLAY

    def jump(self, time: float) -> None:
        """Stand at a time, [s]."""
        self.play(False)
        with self._lock:
            self.time = min(max(time, 0.0), self.motion.duration)
            self._jumped = True
        self._slider.value = self._shown(self.time)

    def tick(self, dt: float) -> tuple[Motion, float, bool]:
        """Go on by ``dt`` [s] of the clock: the motion, the time in it, and whether it was not
        played up to there from where it was at the last tick."""
        with self._lock:
            jumped, self._jumped = self._jumped, False
            if self.playing and not jumped:
                jumped = self._go_on(dt)
            motion, time, playing = self.motion, self.time, self.playing
        # Nothing that stands is set again: somebody may be typing there.
        shown, label = self._shown(time), _PAUSE if playing else _PLAY
        if self._slider.value != shown:
            self._slider.value = shown
        if self._button.label != label:
            self._button.label = label
        return motion, time, jumped

    def _go_on(self, dt: float) -> bool:
        """To the end and no further, so that nothing before it is passed over; from there, again
        and again, to the start, which is a jump."""
        end, loop = self.motion.duration, self._loop.value
        jumped = loop and self.time >= end
        self.time = 0.0 if jumped else min(self.time + dt * self.speed, end)
        self.playing = loop or self.time < end
        return jumped

    def _shown(self, time: float) -> float:
        """A time as the slider shows it: to its step, and not beyond its end."""
        return min(round(time, 2), float(self._slider.max))

    def _chosen(self, event: viser.GuiEvent) -> None:
        with self._lock:
            self.motion = self._motions[int(event.target.value.partition(":")[0]) - 1]
            self.time, self._jumped, self.playing = 0.0, True, True
        self._slider.value = 0.0
        self._slider.max = self.motion.duration

    def _scrubbed(self, event: viser.GuiEvent) -> None:
        # What the player itself sets comes by here, too, without a page behind it.
        if event.client is not None:
            with self._lock:
                self.playing, self._jumped = False, True
                self.time = min(max(float(event.target.value), 0.0), self.motion.duration)


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
