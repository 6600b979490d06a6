"""The warnings as a list; a click looks at the place."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from standoff.geometry.pose import Array
from standoff.view.live.palette import ALARM
from standoff.view.live.seen import Mark, Seen
from standoff.view.live.text import length, minus

if TYPE_CHECKING:
    import viser


#: Rows of the list.
ROWS = 6

#: From how far a place is looked at, [m].
_LOOK_FROM = 0.9


class WarningList:
    """Rows of buttons that are filled, shown and hidden."""

    def __init__(self, server: viser.ViserServer) -> None:
        gui = server.gui
        self._marks: tuple[Mark, ...] = ()
        self._folder = gui.add_folder("Too close: click to look there", visible=False)
        self._rows = []
        self._points = server.scene.add_line_segments(
            "/warnings", np.zeros((1, 2, 3)), ALARM, thickness=4.0, thickness_units="screen",
            visible=False,
        )  # fmt: skip
        with self._folder:
            for k in range(ROWS):
                row = gui.add_button("", color=ALARM, icon="zoom-in", visible=False)
                row.on_click(self._looking(k))
                self._rows.append(row)
            self._more = gui.add_markdown("", visible=False)

    def show(self, seen: Seen) -> None:
        """The warnings of one reading."""
        self._marks = seen.marks
        for row, mark in zip(self._rows, seen.marks):
            row.label = f"{mark.a} – {mark.b}  {minus(length(mark.distance))}{_when(mark)}"
        for k, row in enumerate(self._rows):
            row.visible = k < len(seen.marks)
        hidden = len(seen.marks) + seen.more - ROWS
        self._more.visible = hidden > 0
        if hidden > 0:
            self._more.content = f"and {hidden} more"
        self._folder.visible = bool(seen.marks)
        known = [m for m in seen.marks if np.isfinite(m.point_a).all()]
        if known:
            ends = np.array([[m.point_a, m.point_b] for m in known])
            self._points.points = ends
        self._points.visible = bool(known)

    def _looking(self, row: int) -> Callable[[viser.GuiEvent], None]:
        return lambda event: self._look(event.client, row)

    def _look(self, client: viser.ClientHandle | None, row: int) -> None:
        if client is not None and row < len(self._marks):
            mark = self._marks[row]
            look_at(client, 0.5 * (mark.point_a + mark.point_b))


def _when(mark: Mark) -> str:
    return f", {mark.when}" if mark.when else ""


def look_at(client: viser.ClientHandle, place: Array) -> None:
    """Move a page's camera to a place, along the direction it looks from."""
    if not np.isfinite(place).all():
        return
    camera = client.camera
    towards = np.asarray(camera.position) - np.asarray(camera.look_at)
    size = float(np.linalg.norm(towards))
    direction = towards / size if size > 0.0 else np.array([0.6, -0.6, 0.5])
    with client.atomic():
        # In this order: moving the eye takes along what it looks at.
        camera.position = place + _LOOK_FROM * direction
        camera.look_at = place
    client.flush()
