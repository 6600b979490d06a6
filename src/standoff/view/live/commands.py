"""What the commands do that open a page: make it, say where it is, and keep it going."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from rich.console import Console

from standoff.cell.cell import Cell
from standoff.monitor.monitor import Monitor
from standoff.view.live.server import LOOPBACK, USUAL_PORT, address, close, open_server
from standoff.view.live.ticking import Stepping, beat, enduring
from standoff.view.progress import announced

if TYPE_CHECKING:
    import viser

    from standoff.contact import Scene
    from standoff.view.check import Checked
    from standoff.view.live.contact_page import HandScene
    from standoff.view.live.motion import Motion
    from standoff.view.live.swarm_page import Swarm
    from standoff.view.plan import Planned


class Serving:
    """A page that is served until Ctrl-C, or until ``stop`` is set.

    Args:
        out: where the address is printed; notes: where the word on compiling is.
    """

    def __init__(
        self,
        out: Console,
        notes: Console,
        *,
        host: str = LOOPBACK,
        port: int = USUAL_PORT,
        stop: threading.Event | None = None,
    ) -> None:
        self._out, self._notes = out, notes
        self._host, self._port, self._stop = host, port, stop

    def cell(self, cell: Cell, title: str, make: Callable[[float], Monitor] | None = None) -> None:
        """Drive a cell by hand; ``make`` makes its monitor for a period, [s]."""
        from standoff.view.live.drive import Drive

        self._serve(title, lambda server: Drive(server, cell, title, make))

    def motions(
        self, motions: Sequence[Motion], title: str, make: Callable[[float], Monitor]
    ) -> None:
        """Play recordings before a monitor."""
        from standoff.view.live.playback import Playback

        self._serve(title, lambda server: Playback(server, title, motions, make))

    def path(self, checked: Checked, title: str) -> None:
        """Play a path that was checked."""
        from standoff.view.live.path_page import PathPage

        self._serve(title, lambda server: PathPage(server, title, checked))

    def plan(self, planned: Planned, title: str) -> None:
        """Play a path that was planned."""
        self.path(planned_path(planned), title)

    def contact(self, stage: HandScene, scene: Scene) -> None:
        """A hand in a scene of contact."""
        from standoff.view.live.contact_page import ContactPage

        self._serve("contact", lambda server: ContactPage(server, stage, scene))

    def swarm(self, world: Swarm) -> None:
        """Balls coloured by urgency."""
        from standoff.view.live.swarm_page import SwarmPage

        self._serve("swarm", lambda server: SwarmPage(server, world))

    def _serve(self, title: str, make: Callable[[viser.ViserServer], Stepping]) -> None:
        server = open_server(title, self._host, self._port)
        try:
            with announced(self._notes):
                page = make(server)
                page.step()
            self._out.print(
                f"The page is at {address(server)}; Ctrl-C ends it", highlight=False,
                markup=False, soft_wrap=True,
            )  # fmt: skip
            beat(enduring(page), self._stop)
        except KeyboardInterrupt:
            self._notes.print("ended")
        finally:
            close(server)


def planned_path(planned: Planned) -> Checked:
    """A path that was planned, as one that was checked: it brings its proof."""
    from standoff.paths.path_file import PathFile
    from standoff.view.check import Checked

    waypoints, wanted, verdict = planned.waypoints, planned.wanted, planned.verdict
    assert verdict is not None
    if len(waypoints) == 1:  # it starts at its goal
        waypoints = np.repeat(waypoints, 2, axis=0)
    places = tuple(f"waypoint {k}" for k in range(len(waypoints)))
    path = PathFile("the plan", waypoints, places)
    return Checked(wanted.cell, path, verdict, wanted.clearance, wanted.tolerance, 0.0, False)


#: Scenes of their own, by the name that takes the place of a cell.
SCENES = ("contact", "swarm")


def is_scene(source: str) -> bool:
    """Whether a page of its own is meant; a file or folder of that name goes before."""
    return source in SCENES and not Path(source).exists()


def drive_by_hand(
    cell: Cell,
    monitor: Callable[[float], Monitor] | None = None,
    *,
    title: str = "cell",
    host: str = LOOPBACK,
    port: int = USUAL_PORT,
    stop: threading.Event | None = None,
) -> None:
    """Serve what ``standoff view CELL`` does, print the address, and return at Ctrl-C.

    Args:
        cell: it is at its own state at first.
        monitor: makes the monitor of the page, which is given a reading every so many seconds;
            `Monitor` with its usual buffers by default. Links of one robot may be closer than
            those by the way it is built, and warn.
        title: of the page.
        host: who may open the page; this machine by default.
        port: or the next free one where it is taken.
        stop: ends it, too, when it is set.

    Raises:
        MissingPackageError: viser is not installed.
    """
    out, notes = Console(emoji=False), Console(stderr=True, emoji=False)
    serving = Serving(out, notes, host=host, port=port, stop=stop)
    serving.cell(cell, title, monitor)
