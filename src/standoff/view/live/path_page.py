"""A path on a page: the verdict, the clearance over time, what is certified, and the motion."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from standoff.monitor.monitor import Monitor
from standoff.monitor.thresholds import Thresholds
from standoff.view.check import Checked, sentence
from standoff.view.live.certified import certified
from standoff.view.live.motion import Motion, along_path
from standoff.view.live.nearest_line import NearestFinder, NearPair
from standoff.view.live.palette import STATES
from standoff.view.live.playback import Playback
from standoff.view.live.seen import Seen
from standoff.view.live.text import safe
from standoff.view.live.timeline import Timeline
from standoff.view.stage import Stage

if TYPE_CHECKING:
    import viser

#: Instants at which distances are looked at.
_SAMPLES = 400

#: Points of the line that a robot's end goes along.
_TRACK = 200


class PathPage(Playback):
    """Plays a path that was checked. The clearance that was asked for is what counts: whatever is
    nearer than that is red."""

    def __init__(self, server: viser.ViserServer, title: str, checked: Checked) -> None:
        self._checked = checked
        self._gui = server.gui
        cell, motion = checked.cell, along_path(checked.cell, checked.path)
        place = checked.place if not checked.verdict.free else None
        self._offending = None if place is None else motion.time(place)
        times = np.unique([*np.linspace(0.0, motion.duration, _SAMPLES), self._offending or 0.0])
        self._line = Timeline(
            motion.duration,
            times,
            NearestFinder(cell).along(np.array([motion.at(float(t)) for t in times])),
            checked.clearance,
            [(motion.time(a), motion.time(b)) for a, b in certified(checked)],
            self._offending,
        )
        # A path may be faster than its joints are: that is for others to say, here it is shown.
        near = max(checked.clearance, 0.0)
        rule = Thresholds(self_=near, robot_robot=near, robot_scene=near)
        super().__init__(
            server, title, [motion],
            lambda period: Monitor(
                cell, buffer=near, thresholds=rule, period=period, max_speed=_ANY_SPEED,
                smallest=_SMALLEST,
            ),
        )  # fmt: skip
        self._track(server, motion)

    def below(self) -> None:
        """The verdict above the time line, and a way to the offending instant."""
        verdict = self._checked.verdict
        colour = STATES["SAFE"] if verdict.free else STATES["WARNING"]
        word = verdict.kind.replace("_", " ").upper()
        self._gui.add_html(
            f'<div data-verdict="{verdict.kind}" style="margin:0.3em 0.6em;padding:0.5em 0.8em;'
            f"border-left:5px solid {colour};background:#f3f4f6;border-radius:4px;"
            f'font-size:0.85em;line-height:1.4"><b style="color:{colour}">{word}</b><br>'
            f"{safe(sentence(self._checked))}</div>"
        )
        self._picture = self._gui.add_html(self._line.svg(0.0))
        self._gui.add_html(
            '<div style="margin:0 0.8em 0.4em;font-size:0.75em;color:#667">blue: nearest pair, '
            "sampled · green: certified free · grey: not certified"
            + (" · red: offending instant" if self._offending is not None else "")
            + "</div>"
        )
        offending = self._offending
        if offending is not None:
            button = self._gui.add_button("To the offending instant", color=(201, 42, 42))
            button.on_click(lambda _: self.player.jump(offending))

    def shown(self, seen: Seen, nearest: NearPair | None, motion: Motion) -> None:
        """Move the line of now."""
        self._picture.content = self._line.svg(0.0 if seen.time is None else seen.time)

    def _track(self, server: viser.ViserServer, motion: Motion) -> None:
        """A thin line where each robot's end goes."""
        times = np.linspace(0.0, motion.duration, _TRACK)
        Q = np.array([motion.at(float(t)) for t in times])
        for k, line in enumerate(Stage(self._checked.cell).tips(Q)):
            server.scene.add_line_segments(
                f"/track/{k}", np.stack([line[:-1], line[1:]], axis=1), (120, 120, 130),
                thickness=1.5, thickness_units="screen",
            )  # fmt: skip


#: No speed is a fault here, [m/s]; and the smallest cell of the octree, [m], hangs on no speed.
_ANY_SPEED = 1000.0
_SMALLEST = 0.1
