"""A cell on a page: nodes, nearest pair, list of warnings, octree, plots, state."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from standoff.broadphase import Index
from standoff.cell.cell import Cell
from standoff.cell.nearest_pair import NearestFinder, NearPair
from standoff.geometry.pose import Array
from standoff.view.live import style
from standoff.view.live.camera import bounds, has_floor, set_stage
from standoff.view.live.curves import RunningCurves
from standoff.view.live.nodes import CellNodes
from standoff.view.live.octree_cells import OctreeCells
from standoff.view.live.seen import Mark, Seen
from standoff.view.live.sign import LASTING, Banner
from standoff.view.live.style import ALARM, length, minus

if TYPE_CHECKING:
    import viser


class NearestLine:
    """The line on the page."""

    def __init__(self, scene: viser.SceneApi) -> None:
        at = np.zeros((1, 2, 3))
        self._line = scene.add_line_segments(
            "/nearest/line", at, style.BRAND, thickness=3.0, thickness_units="screen",
            visible=False,
        )  # fmt: skip
        self._label = scene.add_label(
            "/nearest/label", "", anchor="bottom-center", visible=False, font_screen_scale=1.1
        )

    def show(self, pair: NearPair | None, alarmed: bool, *, sure: bool = True) -> None:
        """Draw it, or nothing for None; grey and as a bound where another may be nearer."""
        seen = pair is not None and math.isfinite(pair.distance)
        if pair is not None and seen:
            ends = np.stack([pair.point_a, pair.point_b])
            self._line.points = ends[None]
            colour = style.ALARM if alarmed else style.BRAND if sure else style.UNSURE
            self._line.colors = np.array(colour, dtype=np.uint8)
            self._label.text = ("" if sure else "≤ ") + minus(length(pair.distance))
            self._label.position = ends.mean(axis=0)
        self._line.visible = self._label.visible = seen


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
                row.on_click(partial(self._look, k))
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

    def _look(self, row: int, event: viser.GuiEvent) -> None:
        if event.client is not None and row < len(self._marks):
            mark = self._marks[row]
            look_at(event.client, 0.5 * (mark.point_a + mark.point_b))


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


#: From one sending of plots and cells to the next, [s]: the eye wants motion more often.
_SLOW = 0.2

#: The search for the nearest pair rests for so many times what it takes.
_SHARE = 8.0


class CellPage:
    """Shows readings of a cell. All but what the page's own buttons do is done by one thread: that
    which calls `show`.

    Args:
        buffers: by which each moving body is extended, by name, [m].
        index: asked for what to draw while the octree's cells are on; None where there is none.
        lasting: how long the sign stands without being renewed, [s].
        octree: what the index is called where it can be chosen to be shown.
    """

    def __init__(
        self,
        server: viser.ViserServer,
        cell: Cell,
        title: str,
        *,
        buffers: Callable[[], Mapping[str, float]] = dict,
        index: Callable[[], Index | None] = lambda: None,
        lasting: float = LASTING,
        octree: str = "Octree cells",
    ) -> None:
        self.server, self.cell = server, cell
        self._buffers, self._index, self._called = buffers, index, octree
        low, high = bounds(cell, cell.state().frames)
        set_stage(server, low, high, ground=not has_floor(cell))
        self.banner = Banner(server.gui, title, lasting)
        self.warnings = WarningList(server)
        self.tabs = server.gui.add_tab_group()
        self._line = NearestLine(server.scene)
        self._octree = OctreeCells(server.scene)
        self._slow, self._behind = -math.inf, False
        self._chosen: tuple[bool, bool, bool] | None = None
        self._started = time.monotonic()
        self._build()

    def options(self) -> None:
        """The tabs of plots and of what is shown; those of the page's own come before."""
        gui = self.server.gui
        with self.tabs.add_tab("Plots"):
            self.curves = RunningCurves(gui)
        with self.tabs.add_tab("Show"):
            self.show_nearest = gui.add_checkbox("Nearest pair", True)
            self.show_extended = gui.add_checkbox("Buffers", True)
            self.show_octree = gui.add_checkbox(self._called, False)

    def _build(self) -> None:
        self.nodes = CellNodes(self.server.scene, self.cell)
        self._finder = NearestFinder(self.cell)
        apart = NearestFinder(self.cell, "others")
        # Where there is nothing but a robot, its own links are all there is to tell of.
        self._apart = apart if apart.any else self._finder
        self._pair: NearPair | None = None
        self._sure = False
        self._curve = math.nan
        self._due = -math.inf
        self._revision = self.cell.revision

    def replace(self, cell: Cell) -> None:
        """Show another cell, or the same one after a change."""
        self.nodes.remove()
        self.cell = cell
        self._build()

    def _nearest(self, frames: Array, seen: Seen) -> tuple[NearPair | None, bool]:
        """The nearest pair of this reading, and whether no other is nearer: where the search takes
        long it is not made at each reading, and the last one's pair is measured anew."""
        begun = time.monotonic()
        sure = begun >= self._due
        self._curve = math.nan
        if sure:
            pair = self._finder.at(frames)
            found = pair if self._apart is self._finder else self._apart.at(frames)
            self._curve = math.inf if found is None else found.distance
            self._due = begun + _SHARE * (time.monotonic() - begun)
        else:
            pair = self._finder.again(frames)
        if seen.now:  # whatever is too close is shown, also where it keeps its distance
            mark = min(seen.now, key=lambda m: m.distance)
            if sure:
                self._curve = min(self._curve, mark.distance)
            if pair is None or mark.distance < pair.distance:
                pair = NearPair(mark.a, mark.b, mark.distance, mark.point_a, mark.point_b)
        return pair, sure

    def show(self, seen: Seen) -> NearPair | None:
        """Show one reading; gives the nearest pair."""
        if self.cell.revision != self._revision:
            self.replace(self.cell)
        with self.server.atomic():
            frames = self.nodes.place(seen.q, seen.poses)
            pair, sure = self._nearest(frames, seen)
            wrong = {name for mark in seen.marks for name in (mark.a, mark.b)}
            self.nodes.alarm(wrong)
            self._mark_nearest(pair, wrong, sure)
        nearest = pair if pair is None or sure else replace(pair, b=f"{pair.b}, or nearer")
        self.banner.show(seen, nearest)
        self.warnings.show(seen)
        moment = time.monotonic() - self._started if seen.time is None else seen.time
        self.curves.add(moment, seen.clearance if pair is None else self._curve, seen.spent)
        self._behind = time.monotonic() - self._slow < _SLOW
        if not self._behind:
            self._catch_up()
        return pair

    def again(self, seen: Seen) -> None:
        """The reading that is shown still is the latest: the sign is renewed, and what was chosen
        to be shown since is."""
        self.banner.renew()
        if self._choice() == self._chosen and not self._behind:
            return
        with self.server.atomic():
            wrong = {name for mark in seen.marks for name in (mark.a, mark.b)}
            self._mark_nearest(self._pair, wrong, self._sure)
        self._catch_up()

    def _mark_nearest(self, pair: NearPair | None, wrong: set[str], sure: bool) -> None:
        self._pair, self._sure = pair, sure
        alarmed = pair is not None and {pair.a, pair.b} <= wrong
        self._line.show(pair if self.show_nearest.value else None, alarmed, sure=sure)

    def _choice(self) -> tuple[bool, bool, bool]:
        return self.show_nearest.value, self.show_extended.value, self.show_octree.value

    def _catch_up(self) -> None:
        """What is not sent with each reading."""
        self._slow, self._behind, self._chosen = time.monotonic(), False, self._choice()
        self.curves.send()
        self.nodes.extend(self._buffers(), self.show_extended.value)
        self._octree.show(self._index() if self.show_octree.value else None)


def standing(cell: Cell) -> Array:
    """The poses of the moving bodies as the cell has them, (m, 4, 4)."""
    return np.array([cell.bodies[name].pose for name in cell.moving]).reshape(-1, 4, 4)
