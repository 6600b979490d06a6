"""The tab of a path: the time within its slider, the legend of what is drawn, buttons in sight."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("viser", reason="viser is not installed: no live page")

from rich.console import Console

import standoff as so
from standoff.paths.path_file import PathFile
from standoff.view.check import check
from standoff.view.live.motion import recorded
from standoff.view.live.path_page import PathPage
from standoff.view.live.playback import Player
from standoff.view.live.server import address, close, open_server
from standoff.view.live.timeline import Timeline
from tests.worlds.live_pages import Tab, beating, chromium
from tests.worlds.turntable import WALL, turntable, way


@pytest.fixture
def server():
    made = open_server("x", port=0)
    yield made
    close(made)


def test_a_time_is_shown_within_its_slider(server):
    motion = recorded("x", np.zeros((504, 1)), 0.002)
    assert motion.duration == pytest.approx(1.006)
    player = Player(server.gui, [motion], playing=True)
    for _ in range(30):
        _, time, _ = player.tick(0.05)
        assert 0.0 <= player._slider.value <= player._slider.max
    assert time == motion.duration == player._slider.value
    player.jump(1.0)
    assert player._slider.value == 1.0
    player.jump(9.0)
    assert player._slider.value <= player._slider.max


def test_a_legend_names_what_is_drawn_and_nothing_else():
    times = np.linspace(0.0, 1.0, 5)
    far = np.full(5, np.inf)
    line = Timeline(1.0, times, times, 0.0, [], 0.5, times, 0.7)
    assert line.svg().count("<polyline") == 2
    for word in ("blue", "pale", "green", "grey", "red", "ring: the collision"):
        assert word in line.legend("the collision")
    alone = Timeline(1.0, times, far, 0.0, [], None, times)
    assert alone.svg().count("<polyline") == 1
    assert "blue" not in alone.legend("x") and "pale" in alone.legend("x")
    assert "red" not in alone.legend("x") and "ring" not in alone.legend("x")
    assert "pale" not in Timeline(1.0, times, times, 0.0, [], None).legend("x")


@pytest.mark.parametrize("wall", [True, False])
def test_a_robot_alone_has_no_curve_of_the_nearest_pair(server, tmp_path, monkeypatch, wall):
    cell = turntable(tmp_path)
    if wall:
        cell.add_body("wall", WALL, pose=so.pose((0.35, 0.0, 0.0)))
    texts, add = [], server.gui.add_html
    monkeypatch.setattr(server.gui, "add_html", lambda html: texts.append(html) or add(html))
    PathPage(server, "x", check(cell, way(0.0, 1.5), Console(quiet=True), tolerance=0.001))
    (legend,) = [text for text in texts if "grey: not certified" in text]
    assert ("blue: nearest pair" in legend) == wall


def test_the_ways_to_the_instants_are_under_the_verdict_and_in_sight(server):
    cell = so.Cell()
    cell.add_robot("builtin:panda", name="arm")
    cell.add_body("post", so.Box((0.05, 0.05, 0.8)), so.pose((0.5, 0.25, 0.4)))
    ready = np.array([0.0, 0.0, 0.0, -1.57, 0.0, 1.57, 0.0, 0.0])
    rows = np.array([ready + k * np.eye(8)[0] for k in (0.0, 0.2, 1.0, -1.0)])
    path = PathFile("way", rows, tuple("abcd"))
    page = PathPage(server, "way", check(cell, path, Console(quiet=True), tolerance=0.001))
    page.player.jump(page._offending)  # a list of warnings takes room, too
    page.step()
    with chromium() as browser, beating(page.step), Tab(browser, address(server)) as tab:
        assert tab.page.viewport_size == {"width": 960, "height": 600}
        tab.wait_for("[data-standoff=WARNING]")
        verdict = tab.page.locator("[data-verdict]").bounding_box()
        picture = tab.page.locator("svg[data-timeline]").bounding_box()
        below = verdict["y"] + verdict["height"]
        for name in ("To the offending instant", "To that of the verdict"):
            box = tab.page.get_by_role("button", name=name).bounding_box()
            assert below <= box["y"] and box["y"] + box["height"] <= min(600, picture["y"])
            below = box["y"] + box["height"]
        assert picture["y"] + 0.6 * picture["height"] < 600
        line = tab.page.locator("svg[data-now]").bounding_box()
        for side in ("x", "y", "width", "height"):
            assert line[side] == pytest.approx(picture[side], abs=1.0)
        tab.page.wait_for_timeout(500)
        tab.keep("path_tab")
