"""The live page in a real browser: it loads alone, shows the robots, is driven and plays."""

from __future__ import annotations

import os
import re
import signal
import threading
from urllib.parse import urlparse

import numpy as np
import pytest
from rich.console import Console

import standoff as so
from standoff.papers import testbed
from standoff.papers.paper003_bodies import hand_scene
from standoff.papers.paper004_worlds import swarm as swarm_of
from standoff.paths.path_file import read_path
from standoff.view.check import check
from standoff.view.live import LivePage
from standoff.view.live.contact_page import ContactPage
from standoff.view.live.drive import Drive
from standoff.view.live.motion import recorded
from standoff.view.live.path_page import PathPage
from standoff.view.live.playback import Playback
from standoff.view.live.server import address, close, open_server
from standoff.view.live.swarm_page import SwarmPage
from tests.worlds.live_pages import Tab, beating, chromium, share

NOTES = Console(quiet=True)
HERE = {"127.0.0.1"}


@pytest.fixture(scope="module")
def browser():
    with chromium() as found:
        yield found


@pytest.fixture
def server():
    made = open_server("test", port=0)
    yield made
    close(made)


def is_state(tab: Tab, state: str) -> None:
    tab.wait_for(f"[data-standoff={state}]")


def alone(tab: Tab) -> None:
    """Nothing was asked for but this server, and no script failed."""
    asked = [url for url in tab.requests if not url.startswith(("data:", "blob:"))]
    assert asked
    assert {urlparse(url).hostname for url in asked} <= HERE, asked
    assert not tab.errors


def test_an_arm_is_driven_into_a_warning_and_the_list_leads_there(browser, server):
    """The page loads with no outside request, shows both arms, a slider moves one into a warning,
    the list shows it and a click looks there; a page opened late shows the same, and closing one
    leaves the other alive."""
    cell = testbed.testbed_cell()
    drive = Drive(
        server,
        cell,
        "testbed",
        lambda period: testbed.testbed_monitor(cell, period=period, max_speed=None),
    )
    home = cell.q
    drive.step()
    with beating(drive.step), Tab(browser, address(server)) as tab:
        is_state(tab, "SAFE")
        tab.page.get_by_role("tab", name="Drive").wait_for()
        tab.page.wait_for_timeout(1500)
        pixels = tab.pixels()
        assert share(pixels, (0, 130), (60, 190), (130, 255)) > 0.01, "no blue arm"
        assert share(pixels, (150, 255), (90, 190), (0, 110)) > 0.01, "no orange arm"
        tab.keep("drive-safe")

        tab.set("joint2 [rad]", 1.3)
        is_state(tab, "WARNING")
        row = tab.page.get_by_role("button").filter(has_text="left/link6 – front_table").first
        row.wait_for()
        tab.page.wait_for_timeout(1500)
        assert drive.follower.q[cell.joints.index("left/joint2")] > 0.9
        assert share(tab.pixels(), (150, 255), (0, 70), (0, 70)) > 0.002, "nothing is red"
        tab.page.get_by_role("tab", name="Show").click()
        tab.page.get_by_label("Octree cells").check()
        for _ in range(100):
            if server.scene.get_handle_by_name("/octree") is not None:
                break
            tab.page.wait_for_timeout(50)
        assert server.scene.get_handle_by_name("/octree") is not None
        tab.keep("drive-warning")

        row.click()
        (client,) = server.get_clients().values()
        place = drive.last.marks[0].point_a
        for _ in range(100):
            if np.linalg.norm(client.camera.look_at - place) < 0.2:
                break
            tab.page.wait_for_timeout(50)
        assert np.linalg.norm(client.camera.look_at - place) < 0.2
        assert np.linalg.norm(client.camera.position - place) < 1.2

        tab.rest()
        with Tab(browser, address(server)) as late:
            is_state(late, "WARNING")
            alone(tab)
            alone(late)
            tab.close()
            drive.follower.ask_all(home)
            is_state(late, "SAFE")
    assert drive.step().state == "SAFE"


def test_a_recording_plays_pauses_and_is_scrubbed(browser, server):
    cell = testbed.testbed_cell()
    motion = recorded("task 2", testbed.TASKS[1].joints(cell), testbed.PERIOD)
    playback = Playback(
        server, "recording", [motion], lambda period: testbed.testbed_monitor(cell, period=period)
    )
    playback.step()
    with beating(playback.step), Tab(browser, address(server)) as tab:
        tab.wait_for("[data-standoff]")
        before = playback.player.time
        tab.page.wait_for_timeout(600)
        assert playback.player.time > before or before == motion.duration
        # Task 2 ends with the left arm on the front table.
        is_state(tab, "WARNING")
        assert playback.last.marks[0].b == "front_table"
        for _ in range(300):  # it warns before it ends, and what plays sets the time itself
            if not playback.player.playing:
                break
            tab.page.wait_for_timeout(100)
        for _ in range(20):  # the last time that it played to may still be on its way to the field
            tab.set("Time [s]", 2.0)
            tab.page.wait_for_timeout(300)
            if playback.player.time == pytest.approx(2.0):
                break
        is_state(tab, "SAFE")
        assert not playback.player.playing
        assert playback.player.time == pytest.approx(2.0)
        tab.page.get_by_role("button", name="Play").click()
        is_state(tab, "WARNING")
        tab.page.get_by_role("tab", name="Plots").click()
        tab.page.wait_for_timeout(600)
        assert tab.page.locator(".uplot canvas").count() >= 2
        tab.keep("recording")
        alone(tab)


def test_a_path_shows_its_verdict_and_the_offending_instant(browser, server, tmp_path):
    cell = testbed.testbed_cell()
    q = testbed.TASKS[1].joints(cell)
    beyond = q[-1] + 6.0 * (q[-1] - q[-5])
    rows = [*q[::30], q[-1], beyond]
    lines = [",".join(cell.joints), *(",".join(f"{x:.6f}" for x in row) for row in rows)]
    file = tmp_path / "path.csv"
    file.write_text("\n".join(lines) + "\n")
    checked = check(cell, read_path(file, cell), NOTES, tolerance=0.001)
    assert checked.verdict.kind == "collision"
    page = PathPage(server, "path", checked)
    page.step()
    with beating(page.step), Tab(browser, address(server)) as tab:
        tab.wait_for("[data-verdict=collision]")
        tab.wait_for("svg[data-timeline]")
        tab.page.get_by_role("button", name="To the offending instant").click()
        is_state(tab, "WARNING")
        first = page.player.motion.time(checked.verdict.free_until)
        assert page._line.offending == pytest.approx(first, abs=0.01)
        for _ in range(300):  # the path ends in a warning, too: the click may still be on its way
            if page.player.time == pytest.approx(page._line.offending):
                break
            tab.page.wait_for_timeout(100)
        assert page.player.time == pytest.approx(page._line.offending)
        tab.page.wait_for_timeout(800)
        tab.keep("path")
        alone(tab)


def test_what_a_monitor_sees_is_shown_from_another_process(browser):
    """A page that is opened late has all; markup in a name is shown and not obeyed; silence is
    stale; the page's end is nobody's trouble."""
    cell = so.Cell()
    evil = "<img src=x onerror=alert(1)>"
    cell.add_body(evil, so.Box((0.4, 0.4, 0.4)), pose=so.pose((0.0, 0.0, 0.2)))
    cell.add_body("cart", so.Sphere(0.15), moving=True)
    monitor = so.Monitor(cell, period=0.01)
    stop = threading.Event()

    def watch() -> None:
        k = 0
        while not stop.wait(0.01):
            k += 1
            poses = so.pose((0.36 + 0.001 * np.sin(0.01 * k), 0.0, 0.2))[None]
            page.show(cell, np.zeros(0), poses, monitor.update(np.zeros(0), poses), time=0.01 * k)

    with LivePage(port=0, title="watch", buffers=0.03, stale=1.5) as page:
        thread = threading.Thread(target=watch, daemon=True)
        thread.start()
        with Tab(browser, page.address) as tab:
            is_state(tab, "WARNING")
            assert tab.page.locator("img[src=x]").count() == 0
            tab.page.get_by_role("button").filter(has_text=evil).first.wait_for()
            tab.keep("watch")
            stop.set()
            thread.join()
            is_state(tab, "STALE")
            alone(tab)
            assert page.alive
    assert not page.alive
    page.show(cell, np.zeros(0), None)


def says(tab: Tab, state: str) -> None:
    """What is to be read on the sign, whatever it was made of, is this state and no other."""
    tab.page.wait_for_function(
        "state => [...document.querySelectorAll('[data-beat]')].some(sign =>"
        " sign.innerText.includes(state) &&"
        " (state === 'SAFE' || !document.body.innerText.includes('SAFE')))",
        arg=state,
    )


def is_grey(tab: Tab) -> bool:
    script = "document.querySelector('[data-standoff]')"
    colour = tab.page.evaluate(f"getComputedStyle({script}).backgroundColor")
    red, green, blue = (int(x) for x in re.findall(r"\d+", colour)[:3])
    return max(red, green, blue) - min(red, green, blue) < 30


def test_a_page_that_is_frozen_or_dead_is_stale_in_the_browser(browser):
    """Nobody can tell the browser: it takes the sign back by itself. One that is alive, and has
    the same to say again and again, stays as it is."""
    cell = so.Cell()
    cell.add_body("wall", so.Box((0.4, 0.4, 0.4)), pose=so.pose((0.0, 0.0, 0.2)))
    cell.add_body("cart", so.Sphere(0.15), pose=so.pose((1.0, 0.0, 0.2)), moving=True)
    monitor = so.Monitor(cell, period=0.01)
    poses = so.pose((1.0, 0.0, 0.2))[None]
    inside = so.pose((0.0, 0.0, 0.2))[None]
    watched, stop = threading.Event(), threading.Event()

    def watch() -> None:
        while not stop.wait(0.02):
            if watched.is_set():
                page.show(cell, {}, poses, monitor.update(np.zeros(0), poses), time=0.0)
            else:
                page.show(cell, {}, inside)

    with LivePage(port=0, title="watch", stale=3.0) as page, Tab(browser, page.address) as tab:
        thread = threading.Thread(target=watch, daemon=True)
        thread.start()
        says(tab, "NOT WATCHED")
        assert is_grey(tab)
        watched.set()
        says(tab, "SAFE")
        tab.page.wait_for_timeout(5000)  # longer than it stands by itself
        says(tab, "SAFE")
        assert not is_grey(tab)
        os.kill(page._process.pid, signal.SIGSTOP)
        try:
            says(tab, "STALE")
            assert is_grey(tab)
            tab.keep("frozen")
        finally:
            os.kill(page._process.pid, signal.SIGCONT)
        says(tab, "SAFE")
        page._process.kill()
        says(tab, "STALE")
        tab.keep("killed")
        stop.set()
        thread.join()


def test_a_page_whose_own_program_stands_still_is_stale_in_the_browser(browser, server):
    cell = so.Cell()
    cell.add_body("wall", so.Box((0.4, 0.4, 0.4)))
    cell.add_body("cart", so.Sphere(0.15), pose=so.pose((1.0, 0.0, 0.2)), moving=True)
    drive = Drive(server, cell, "drive")
    with Tab(browser, address(server)) as tab:
        with beating(drive.step):
            says(tab, "SAFE")
        says(tab, "STALE")
        drive.fail(RuntimeError("broken"))
        is_state(tab, "FAULT")


def test_contact_and_swarm_have_pages_of_their_own(browser, server):
    contact = ContactPage(server, *hand_scene())
    contact.step()
    with beating(contact.step), Tab(browser, address(server)) as tab:
        tab.wait_for("[data-contacts]:not([data-contacts='0'])")
        tab.page.wait_for_timeout(500)
        tab.keep("contact")
        assert share(tab.pixels(), (170, 230), (130, 190), (170, 230)) > 0.001, "no cone"
        alone(tab)
    other = open_server("swarm", port=0)
    swarm = SwarmPage(other, swarm_of(120))
    swarm.step()
    with beating(swarm.step), Tab(browser, address(other)) as tab:
        tab.wait_for("[data-alarms]")
        tab.page.wait_for_timeout(1500)
        tab.keep("swarm")
        alone(tab)
    assert swarm.steps > 20
    close(other)
