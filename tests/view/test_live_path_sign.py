"""The sign of a path that is played: SAFE only where the check has proved it."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from rich.console import Console

import standoff as so
from standoff.paths.path_file import PathFile, read_path
from standoff.view.check import check
from standoff.view.live.motion import recorded
from standoff.view.live.path_page import PathPage, certified, covered, joined
from standoff.view.live.playback import Playback
from standoff.view.live.server import close, open_server
from standoff.view.live.style import AMBER, STATES
from standoff.view.live.ticking import enduring
from tests.worlds.turntable import WALL, turntable, way

QUIET = Console(quiet=True)
#: A bar on a turntable, 0.3 m out, and a rod of 10 mm that it meets at this angle.
MET = 0.7313


@pytest.fixture
def served():
    pytest.importorskip("viser", reason="viser is not installed: no live page")
    server = open_server("x", port=0)
    yield server
    close(server)


def bar(folder):
    cell = turntable(
        folder, '<box size="0.4 0.02 0.02"/>', origin='<origin xyz="0.3 0 0"/>', velocity=20.0
    )
    at = so.pose((0.3 * math.cos(MET), 0.3 * math.sin(MET), 0.0))
    cell.add_body("rod", so.Cylinder(0.005, 0.5), pose=at)
    return cell


def beside_a_wall(folder):
    """The nearest that the plate comes to the wall is 17.2 mm, an eighth of a turn on."""
    cell = turntable(folder)
    cell.add_body("wall", WALL, pose=so.pose((0.35, 0.0, 0.0)))
    return cell


def played(page, speed="1 ×"):
    page.player._speed.value = speed
    found = []
    for _ in range(2000):
        found.append(page.step())
        if not page.player.playing:
            return found
    raise AssertionError("it does not end")


@pytest.mark.parametrize("speed", ["1 ×", "4 ×"])
def test_no_tick_passes_over_an_offence(tmp_path, served, speed):
    """The rod is met for some 30 ms of half a second, and a tick is 50 ms, or 200."""
    path = PathFile("p", np.array([[0.0], [1.5]]), ("a", "b"), np.array([0.0, 0.5]))
    checked = check(bar(tmp_path), path, QUIET, tolerance=0.001)
    assert checked.verdict.kind == "collision"
    page = PathPage(served, "x", checked)
    readings = played(page, speed)
    warned = [r for r in readings if r.state == "WARNING"]
    assert any(page._offending <= r.time <= page._later for r in warned)
    assert {warned[0].marks[0].a, warned[0].marks[0].b} == {"r/plate", "rod"}
    until = page.player.motion.time(checked.verdict.free_until)
    for reading in readings:
        assert reading.state != "SAFE" or reading.time <= until
    stood = page.step()
    assert stood.time == pytest.approx(0.5) and stood.state == "NOT CERTIFIED"
    text = page.page.banner._sign._html.content
    assert AMBER in text and "warned" in text and ">SAFE<" not in text


@pytest.mark.parametrize("speed", ["1 ×", "4 ×"])
@pytest.mark.parametrize("end", [0.62, MET, 1.5])
def test_what_is_played_again_and_again_passes_over_nothing(tmp_path, served, speed, end):
    """The rod is met at the end, or just before it; a turn has no tick at its end but by luck."""
    path = PathFile("p", np.array([[0.0], [end]]), ("a", "b"), np.array([0.0, 0.517]))
    checked = check(bar(tmp_path), path, QUIET, tolerance=0.001)
    page = PathPage(served, "x", checked)
    page.player._speed.value, page.player._loop.value = speed, True
    turns = [page.step() for _ in range(60)]
    ends = [k for k, r in enumerate(turns) if k and r.time < turns[k - 1].time]
    assert len(ends) >= 3 and page.player.playing
    assert max(r.time for r in turns) <= page.player.motion.duration
    for start, stop in itertools.pairwise([0, *ends]):
        states = {r.state for r in turns[start:stop]}
        assert states == {"SAFE"} if checked.verdict.free else "WARNING" in states


@pytest.mark.parametrize("speed", ["1 ×", "4 ×"])
def test_the_last_readings_of_a_recording_are_shown_again_and_again(tmp_path, served, speed):
    """Rows every 10 ms, and 2.13 s of them: the last is 30 ms after a tick."""
    cell = bar(tmp_path)
    rows = np.zeros((214, 1))
    rows[-3:, 0] = 0.3, MET, 0.3
    make = lambda period: so.Monitor(cell, buffer=0.001, period=period, max_speed=1000.0)  # noqa: E731
    page = Playback(served, "x", [recorded("r", rows, 0.01)], make)
    page.player._speed.value, page.player._loop.value = speed, True
    turns = [page.step() for _ in range(100)]
    warned = [r.time for r in turns if r.state == "WARNING"]
    assert len(warned) >= 2 and warned == [pytest.approx(2.12)] * len(warned)


@pytest.mark.parametrize("deviation", [0.0, 0.05, 0.2])
def test_what_deviations_may_reach_is_not_safe(tmp_path, served, deviation):
    """The path itself keeps its clearance: a monitor finds nothing wrong with it."""
    cell = beside_a_wall(tmp_path)
    checked = check(
        cell, way(0.0, 1.5), QUIET, clearance=0.016, tolerance=0.001, deviation=deviation
    )
    page = PathPage(served, "x", checked)
    states = {r.state for r in played(page)} | {page.step().state}
    if checked.verdict.free:
        assert states == {"SAFE"}
        return
    assert deviation > 0.0
    # A stretch that the monitor alone would have let pass.
    monitor = so.Monitor(cell, buffer=0.016, max_speed=1000.0)
    assert monitor.update(page.player.motion.at(page._offending)).safe
    page.player.jump(page._offending)
    assert page.step().state == "WARNING"
    page.player.jump(page._offending + 1e-4)
    assert page.step().state == "NOT CERTIFIED"
    assert "NOT CERTIFIED" in states and "WARNING" in states
    safe = [r.time for r in played_again(page) if r.state == "SAFE"]
    assert all(covered(page._line.certified, t, t) for t in safe)


def played_again(page):
    page.player.jump(0.0)
    page.step()
    page.player.play(True)
    return played(page)


@pytest.mark.parametrize(
    ("clearance", "deviation", "free"),
    [(0.0, 0.0, [1]), (0.03, 0.0, []), (0.0, 0.2, [])],
)
def test_the_band_is_of_the_clearance_and_deviation_that_were_asked_for(
    tmp_path, clearance, deviation, free
):
    """On the first segment a corner of the plate hits a rod; on the second it comes as near as
    17 mm to the wall, and begins 0.14 rad beside the rod."""
    cell = beside_a_wall(tmp_path)
    at = 0.3 + math.pi / 2
    cell.add_body(
        "rod", so.Cylinder(0.005, 0.5), so.pose((0.27 * math.cos(at), 0.27 * math.sin(at), 0.0))
    )
    checked = check(
        cell, way(1.3, 0.95, 0.6), QUIET,
        clearance=clearance, tolerance=0.001, deviation=deviation,
    )  # fmt: skip
    assert checked.verdict.kind != "free"
    assert [a for a, b in certified(checked) if b - a == 1.0] == free


def test_intervals_that_follow_each_other_are_one():
    proved = [(0.0, 1.0), (1.0, 2.0), (3.0, 4.0), (4.0, 4.5)]
    assert joined(proved) == [(0.0, 2.0), (3.0, 4.5)]
    assert joined([]) == []


def test_a_tick_of_a_long_path_sends_the_line_of_now_alone(tmp_path, served):
    """Three thousand rows, of which the last meets the rod."""
    rows = np.append(0.2 * np.sin(np.linspace(0.0, 30.0, 3000)), MET)[:, None]
    path = PathFile("p", rows, ("r",) * len(rows), 0.01 * np.arange(len(rows)))
    page = PathPage(served, "x", check(bar(tmp_path), path, QUIET, tolerance=0.001))
    assert len(page._line.certified) == 1
    assert 0.0 < page._line.certified[0][1] < page._offending
    page.step()
    before = page._now.content
    page.player.jump(20.0)
    page.step()
    assert page._now.content != before and len(page._now.content) < 500


def test_what_is_covered():
    proved = [(0.0, 1.0), (1.0, 2.0), (3.0, 4.0)]
    assert covered(proved, 0.5, 1.5) and covered(proved, 0.0, 2.0) and covered(proved, 3.5, 3.5)
    assert not covered(proved, 1.5, 3.5) and not covered(proved, 2.5, 2.5)
    assert not covered(proved, 3.5, 4.1) and not covered([], 0.0, 0.0)


def test_the_sign_is_no_verdict_on_a_path_that_has_ended(tmp_path, served):
    """A segment that meets the rod, and one after it that is free."""
    checked = check(bar(tmp_path), way(0.0, 1.5, 2.5), QUIET, tolerance=0.001)
    assert checked.verdict.kind == "collision"
    page = PathPage(served, "x", checked)
    page.player.jump(page.player.motion.duration - 0.1)
    assert page.step().state == "SAFE"
    page.player.jump(page.player.motion.duration)
    reading = page.step()
    assert reading.state == "ENDED" and "not free: collision" in reading.word
    text = page.page.banner._sign._html.content
    assert STATES["SAFE"] not in text and ">SAFE<" not in text
    box = page._verdict.content
    assert f"background:{STATES['WARNING']}" in box and "COLLISION" in box


@pytest.mark.parametrize("speed", ["1 ×", "4 ×"])
def test_a_warning_between_two_ticks_of_a_recording_is_shown(tmp_path, served, speed):
    """Rows every 10 ms, one of which is in the wall."""
    cell = bar(tmp_path)
    rows = np.zeros((101, 1))
    rows[52:55, 0] = 0.3, MET, 0.3
    make = lambda period: so.Monitor(cell, buffer=0.001, period=period, max_speed=1000.0)  # noqa: E731
    page = Playback(served, "x", [recorded("r", rows, 0.01)], make)
    readings = played(page, speed)
    assert [r.time for r in readings if r.state == "WARNING"] == [pytest.approx(0.53)]
    assert {r.state for r in readings} == {"SAFE", "WARNING"}
    assert page.step().state == "SAFE"


def test_times_that_add_up_to_the_end_but_for_rounding_are_no_fault(tmp_path, served):
    """150 rows of 50 ms, the last at 7.45 s, which is also where the motion ends."""
    cell = bar(tmp_path)
    make = lambda period: so.Monitor(cell, buffer=0.001, period=period)  # noqa: E731
    page = Playback(served, "x", [recorded("r", np.zeros((150, 1)), 0.05)], make)
    assert {r.state for r in played(page)} | {page.step().state} == {"SAFE"}
    assert page.last.time == pytest.approx(7.45)


def test_limits_that_the_check_was_to_leave_alone_are_no_fault(tmp_path, served):
    """A turn beyond the limit, which is free, and which is not for another clearance."""
    file = tmp_path / "way.csv"
    cell = beside_a_wall(tmp_path)
    name, limit = cell.joints[0], float(cell.tree.upper[0])
    for start, clearance, free in ((limit + 0.1, 0.0, True), (limit + 0.1, 0.05, False)):
        file.write_text(f"{name}\n{start}\n{start + 1.5}\n")
        path = read_path(file, cell, limits=False)
        checked = check(cell, path, QUIET, tolerance=0.001, clearance=clearance)
        assert checked.verdict.free == free
        page = PathPage(served, "x", checked)
        readings = [*played(page), page.step()]
        assert not any(r.faults for r in readings)
        states = {r.state for r in readings}
        assert states == {"SAFE"} if free else "WARNING" in states and "FAULT" not in states


@pytest.mark.parametrize(("clearance", "free"), [(-0.01, True), (-0.002, False)])
def test_an_overlap_that_was_allowed_is_no_warning(tmp_path, served, clearance, free):
    """A corner of the plate goes 5 mm into the wall, and never deeper."""
    cell = turntable(tmp_path)
    cell.add_body("wall", WALL, pose=so.pose((0.2 * math.sqrt(2.0) - 0.005 + 0.05, 0.0, 0.0)))
    checked = check(cell, way(0.0, 1.5), QUIET, tolerance=0.001, clearance=clearance)
    assert checked.verdict.free == free
    page = PathPage(served, "x", checked)
    states = {r.state for r in played(page)} | {page.step().state}
    assert states == {"SAFE"} if free else "WARNING" in states


class TestFailed:
    """A step that fails is tried again, and what it did not ask is asked."""

    @pytest.fixture
    def page(self, tmp_path, served):
        """From 0.4 s on it stands in the rod, but for 80 ms in which it does so before."""
        cell = bar(tmp_path)
        rows = np.zeros((101, 1))
        rows[12:20, 0] = rows[40:, 0] = MET
        make = lambda period: so.Monitor(cell, buffer=0.001, period=period, max_speed=1000.0)  # noqa: E731
        return Playback(served, "x", [recorded("r", rows, 0.01)], make)

    @staticmethod
    def broken(*_):
        raise MemoryError("no room")

    def shown(self, page):
        return page.page.banner._shown[0]

    @pytest.mark.parametrize("part", ["_ask", "_make", "_show"])
    def test_where_it_stands_is_not_what_was_shown_before(self, page, monkeypatch, part, capsys):
        step = enduring(page)
        page.player.play(False)
        step(), step()
        assert self.shown(page).state == "SAFE"
        page.player.jump(0.9)
        with monkeypatch.context() as patch:
            patch.setattr(page, part, self.broken)
            for _ in range(3):
                step()
                assert page.page.banner._shown is None
                assert 'data-standoff="FAULT"' in page.page.banner._sign._html.content
        for _ in range(3):
            step()
            assert self.shown(page).state == "WARNING"
            assert self.shown(page).time == pytest.approx(0.9)

    @pytest.mark.parametrize("part", ["_ask", "_show"])
    def test_the_way_on_which_it_failed_is_not_passed_over(self, page, monkeypatch, part, capsys):
        step = enduring(page)
        for _ in range(3):
            step()
        assert page.player.time == pytest.approx(0.1) and self.shown(page).state == "SAFE"
        with monkeypatch.context() as patch:
            patch.setattr(page, part, self.broken)
            for _ in range(3):  # until 0.25 s, where it is free again
                step()
        step()
        assert self.shown(page).state == "WARNING" and self.shown(page).time < 0.2
        step()
        assert self.shown(page).state == "SAFE" and self.shown(page).time > 0.3
