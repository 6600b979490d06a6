"""What comes of the readings that a watch gives to its page: none that warns is lost."""

from __future__ import annotations

import io
import math
import threading
import time

import numpy as np
import pytest

import standoff as so
from standoff.cell.nearest_pair import NearestFinder
from standoff.streams.options import WatchOptions
from standoff.view.live.page import LivePage, Opening, received, send
from standoff.view.live.remote import Mailbox, Watcher
from standoff.view.live.seen import Alarm, Latch, Mark, Seen, seen, severity
from standoff.view.live.server import close, open_server
from standoff.view.live.sign import banner_html
from standoff.view.watch import _page_stale

FAR, NEAR = so.pose((1.0, 0.0, 0.2))[None], so.pose((0.3, 0.0, 0.2))[None]
NONE = np.zeros(0)


def cell_of_two():
    cell = so.Cell()
    cell.add_body("wall", so.Box((0.4, 0.4, 0.4)), pose=so.pose((0.0, 0.0, 0.2)))
    cell.add_body("cart", so.Sphere(0.15), pose=so.pose((1.0, 0.0, 0.2)), moving=True)
    return cell


@pytest.fixture
def unsent():
    """A page without a process or thread: what it would send is read from a stream."""
    page = LivePage.__new__(LivePage)
    page._lock, page._fresh = threading.Lock(), threading.Event()
    page._kept = page._latest = page._sent = None
    page._latch = Latch()
    return page


def sent(page):
    """All that is due, one hand-over after another."""
    stream = io.BytesIO()
    while (kept := page._take()) is not None:
        page._hand_over(stream, kept)
    stream.seek(0)
    return list(received(stream))


def test_a_warning_between_two_sendings_is_sent_and_then_the_latest(unsent):
    cell = cell_of_two()
    monitor = so.Monitor(cell, period=0.005, max_speed=1000.0)
    for k in range(26):
        poses = NEAR if k in (7, 13) else FAR
        unsent.show(cell, {}, poses, monitor.update(NONE, poses), time=0.005 * k)
    first, warned, latest = sent(unsent)
    assert isinstance(first, so.Cell)
    assert warned.state == "WARNING" and warned.time == 0.005 * 13 and warned.marks
    assert latest.state == "SAFE" and latest.time == 0.005 * 25
    (alarm,) = latest.alarms
    assert alarm.state == "WARNING" and alarm.times == 2
    assert "ago, 2 times" in banner_html(latest, None, [Alarm("WARNING", 2, alarm.last - 0.3)])
    assert sent(unsent) == []


def test_what_is_worse():
    order = [("SAFE", 0.1), ("STALE", 0.1), ("WARNING", 0.02), ("WARNING", -0.01), ("FAULT", 1.0)]
    found = [severity(state, distance) for state, distance in order]
    assert found == sorted(found) and len(set(found)) == len(found)
    assert severity("SAFE", 0.1) == severity("SAFE", 0.3) == severity("NOT WATCHED", math.nan)
    assert severity("WARNING", math.nan) > severity("WARNING", -1.0)


def test_a_changed_cell_is_sent_again_and_an_unchanged_one_is_not(unsent):
    cell = cell_of_two()
    unsent.show(cell, {}, FAR)
    unsent.show(cell, {}, FAR)
    assert [type(message) for message in sent(unsent)] == [so.Cell, Seen]
    unsent.show(cell, {}, FAR)
    assert [type(message) for message in sent(unsent)] == [Seen]
    cell.add_body("post", so.Sphere(0.1))
    unsent.show(cell, {}, FAR)
    changed, _ = sent(unsent)
    assert "post" in changed.bodies


def test_reasons_are_texts(unsent):
    cell = cell_of_two()
    for wrong in ("left is silent", [1], 3):
        with pytest.raises(so.Error, match="reasons"):
            unsent.show(cell, {}, FAR, reasons=wrong)
    unsent.show(cell, {}, FAR, state="STALE", reasons=["left: nothing for <0.3 s>"])
    reading = sent(unsent)[-1]
    text = banner_html(reading, None)
    assert "why: left: nothing for &lt;0.3 s&gt;" in text


@pytest.mark.parametrize("state", ["WARNING", "FAULT", "STALE", "NOT WATCHED", "NOT CERTIFIED"])
def test_only_safe_says_that_nothing_is_too_close(state):
    assert "nothing is too close" not in banner_html(Seen(NONE, FAR, state), None)
    assert "nothing is too close" in banner_html(Seen(NONE, FAR, "SAFE"), None)


def test_a_latch_counts_how_often_it_began():
    latch = Latch()
    for states in ({"SAFE"}, {"WARNING"}, {"WARNING"}, {"SAFE"}, {"FAULT", "WARNING"}, {"SAFE"}):
        latch.note(states)
    fault, warning = latch.alarms
    assert (fault.state, fault.times) == ("FAULT", 1)
    assert (warning.state, warning.times) == ("WARNING", 2)
    assert warning.text(warning.last + 0.3) == "warned 0.3 s ago, 2 times"
    assert fault.text(fault.last) == "at fault now, once"


@pytest.mark.parametrize(
    ("options", "pace", "stale"),
    [
        ({}, 1.0, 1.0),
        ({"period": 2.0}, 1.0, 6.0),
        ({"period": 2.0}, 0.5, 12.0),
        ({"period": 2.0}, 4.0, 1.5),
        ({"period": 2.0}, math.inf, 1.0),  # who watches live looks all the time
        ({"periods": {"a": 0.01, "b": 2.0}}, 1.0, 6.0),
        ({"max_age": 9.0}, 1.0, 9.0),
    ],
)
def test_a_page_waits_as_long_as_the_file_that_is_played_may_be_silent(options, pace, stale):
    assert _page_stale(WatchOptions(**options), pace) == pytest.approx(stale)


class TestWatcher:
    """The process of the page, without being one."""

    @pytest.fixture(autouse=True)
    def _served(self):
        pytest.importorskip("viser", reason="viser is not installed: no live page")
        self.server = open_server("x", port=0)
        self.mailbox = Mailbox()
        self.watcher = Watcher(self.server, Opening("", 0, "x", 0.05, 5.0), self.mailbox)
        yield
        close(self.server)

    def show(self, *messages):
        stream = io.BytesIO()
        for message in messages:
            send(stream, message)
        stream.seek(0)
        self.mailbox.fill(stream)
        self.watcher.step()

    @property
    def sign(self):
        return self.watcher._page.banner._sign._html.content

    def test_a_cell_that_changes_is_followed(self):
        """A body more, one that is held, and one let go: and a reading of the cell before is not
        shown with the one after."""
        cell = cell_of_two()
        self.show(cell, seen(NONE, FAR))
        page = self.watcher._page
        assert set(page.nodes._meshes) == {"wall", "cart"}
        cell.add_body("ball", so.Sphere(0.1), pose=so.pose((0.0, 1.0, 0.2)), moving=True)
        both = np.concatenate([FAR, so.pose((0.0, 2.0, 0.2))[None]])
        self.show(cell)
        assert self.mailbox.latest()[1] is None
        assert set(page.nodes._meshes) == {"wall", "cart"}
        self.show(cell, seen(NONE, both))
        assert set(page.nodes._meshes) == {"wall", "cart", "ball"}
        np.testing.assert_array_equal(self.watcher._good[1], both)

    def test_silence_is_stale_and_the_next_reading_ends_it(self):
        self.show(cell_of_two(), seen(NONE, FAR, state="SAFE"))
        assert 'data-standoff="SAFE"' in self.sign
        self.mailbox.arrived -= 6.0
        self.watcher.step()
        assert 'data-standoff="STALE"' in self.sign and "waiting for the watch" in self.sign
        self.mailbox.arrived = time.monotonic()  # it was on its way
        self.watcher.step()
        assert 'data-standoff="SAFE"' in self.sign

    def test_joints_that_are_no_numbers_stay_where_they_were(self):
        cell = so.Cell()
        cell.add_robot("builtin:arm7", name="arm")
        q = cell.q + 0.1
        self.show(cell, seen(q, np.zeros((0, 4, 4))))
        torn = q + 0.1
        torn[2] = math.nan
        self.show(cell, seen(torn, np.zeros((0, 4, 4)), state="FAULT"))
        wanted = np.where(np.isnan(torn), q, torn)
        np.testing.assert_array_equal(self.watcher._good[0], wanted)

    def test_both_of_a_pair_are_red_and_in_the_curve(self):
        cell = cell_of_two()
        mark = Mark("cart", "wall", -0.05, 0.03, np.zeros(3), np.zeros(3))
        self.show(cell, Seen(NONE, FAR, "WARNING", 1.0, 0.65, (mark,)))
        page = self.watcher._page
        assert page.nodes._alarmed == {"cart", "wall"}
        # The cart stands 0.65 m off; the mark says otherwise, and is what counts.
        assert page.curves._clearance._y[-1] == pytest.approx(-50.0)

    def test_a_warning_about_a_stop_is_no_distance_of_now(self):
        """The arm would come to within 5 cm of the post if it stopped, and is farther off now."""
        cell = so.Cell()
        cell.add_robot("builtin:panda", name="left")
        cell.add_body("post", so.Box((0.05, 0.05, 0.8)), so.pose((0.5, 0.25, 0.4)))
        stopping = so.Stopping(deceleration=5.0, reaction=0.02)
        monitor = so.Monitor(cell, buffer=0.0, stopping=stopping)
        q = np.array([0.0, 0.0, 0.0, -1.57, 0.0, 1.57, 0.0, 0.0])
        dq = 0.8 * np.eye(8)[0]
        while (cycle := monitor.update(q, dq=dq)).stopping is None:
            q = q + 0.01 * dq
        (warning,) = cycle.warnings
        self.show(cell, seen(q, np.zeros((0, 4, 4)), cycle))
        page = self.watcher._page
        said = f"{warning.time:.3f} s into the stop"
        assert page.warnings._rows[0].label.endswith(said)
        assert f"1 pair too close, {said}" in self.sign and 'data-standoff="WARNING"' in self.sign
        nearest = NearestFinder(cell).at(cell.tree.forward(q))
        assert page._pair.distance == pytest.approx(nearest.distance)
        apart = NearestFinder(cell, "others").at(cell.tree.forward(q))
        assert page.curves._clearance._y[-1] == pytest.approx(1e3 * apart.distance)
        assert apart.distance > warning.distance + 0.01
        assert page.nodes._alarmed == {warning.a, "post"}

    def test_what_was_too_close_on_the_way_says_so(self):
        """A cart that passes a pole between two readings."""
        cell = so.Cell()
        cell.add_body("pole", so.Cylinder(0.05, 1.0))
        cell.add_body("cart", so.Sphere(0.1), pose=so.pose((-0.5, 0.2, 0.0)), moving=True)
        monitor = so.Monitor(cell, buffer=0.06, period=0.1, max_speed=1000.0, between=True)
        for x in (-0.5, 0.5):
            poses = so.pose((x, 0.2, 0.0))[None]
            cycle = monitor.update(NONE, poses)
        (warning,) = cycle.warnings
        assert 0.0 < warning.when < 1.0
        self.show(cell, seen(NONE, poses, cycle))
        page = self.watcher._page
        assert page.warnings._rows[0].label.endswith(
            "on the way from the reading before, after 50 %"
        )
        assert page._pair.distance == pytest.approx(math.hypot(0.5, 0.2) - 0.15)

    def test_an_octree_of_its_own_is_over_what_is_drawn_and_says_whose_it_is(self):
        """Both are extended by the buffer of the page, and not by the usual one."""
        cell = cell_of_two()
        self.show(cell, seen(NONE, FAR))
        page = self.watcher._page
        assert self.watcher._index() is self.watcher._ruler.index
        assert self.watcher._ruler.buffers["cart"] == page._buffers()["cart"] == 0.05
        assert "the page's own" in page.show_octree.label

    def test_a_page_of_a_cell_that_changes_in_place_is_built_anew(self):
        from standoff.view.live.cell_page import CellPage, standing

        cell = cell_of_two()
        page = CellPage(self.server, cell, "x")
        page.options()
        page.show(seen(NONE, standing(cell)))
        cell.add_body("post", so.Sphere(0.1), pose=so.pose((0.0, 1.0, 0.2)))
        page.show(seen(NONE, standing(cell)))
        assert "post" in page.nodes._meshes

    def test_a_plot_is_not_seen_before_there_is_something_in_it(self):
        cell = cell_of_two()
        self.show(cell, seen(NONE, FAR, state="SAFE", time=1.0))
        curves = self.watcher._page.curves
        curves.send()
        assert curves._clearance._plot.visible and not curves._spent._plot.visible
        self.show(seen(NONE, FAR, state="SAFE", time=1.1, spent=20.0))
        curves.send()
        assert curves._spent._plot.visible
        np.testing.assert_array_equal(curves._spent._plot.data[1], [20.0])
