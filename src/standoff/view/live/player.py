"""Play, pause, scrub and speed."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from standoff.view.live.motion import Motion

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

    def on_choice(self, told: Callable[[Motion], None]) -> None:
        """Tell of another motion."""
        self._which.on_update(lambda _: told(self.motion))

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
