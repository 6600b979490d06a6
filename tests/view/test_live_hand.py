"""A hand on the live page: what it asks for is not lost, and nothing jumps where it lets go."""

from __future__ import annotations

import math

import numpy as np
import pytest

import standoff as so
from standoff.cell.shipped import shipped_cell
from standoff.view.live import follow
from standoff.view.live.drive import Drive
from standoff.view.live.follow import Follower
from standoff.view.live.handles import tips
from standoff.view.live.poses import BODY, TURN, between, towards
from standoff.view.live.server import address, close, open_server
from tests.worlds.live_pages import Tab, beating, chromium


class TestFollower:
    @pytest.fixture
    def cell(self):
        return so.Cell.load(shipped_cell("testbed"))

    @pytest.fixture
    def follower(self, cell):
        return Follower(cell, cell.q, np.zeros((0, 4, 4)))

    @pytest.fixture
    def hand(self, cell):
        """The left hand, and where it is dragged to."""
        link = next(link for link, robot in tips(cell).items() if robot == "left")
        target = cell.tree.link_pose(cell.q, link)
        target[:3, 3] += (0.1, 0.05, 0.1)
        return link, target

    @staticmethod
    def meanwhile(monkeypatch, asking):
        """Somebody asks while inverse kinematics is at work."""
        solve = follow.reach

        def reach(*given, **named):
            found = solve(*given, **named)
            asking()
            return found

        monkeypatch.setattr(follow, "reach", reach)

    def test_a_slider_of_another_robot_is_not_lost_while_a_hand_is_dragged(
        self, cell, follower, hand, monkeypatch
    ):
        other = next(k for k, name in enumerate(cell.joints) if name.startswith("right/"))
        self.meanwhile(monkeypatch, lambda: follower.ask_joint(other, 0.321))
        follower.ask_link(*hand)
        follower.advance(0.05)
        assert follower.goal[other] == 0.321
        left = [k for k, name in enumerate(cell.joints) if name.startswith("left/")]
        assert np.abs(follower.goal[left] - cell.q[left]).max() > 0.01  # and the hand is followed

    def test_a_slider_of_the_same_robot_takes_it_out_of_the_hand(
        self, cell, follower, hand, monkeypatch
    ):
        own = next(k for k, name in enumerate(cell.joints) if name.startswith("left/"))
        self.meanwhile(monkeypatch, lambda: follower.ask_joint(own, 0.321))
        follower.ask_link(*hand)
        follower.advance(0.05)
        wanted = cell.q
        wanted[own] = 0.321
        np.testing.assert_array_equal(follower.goal, wanted)
        for _ in range(100):
            follower.advance(0.05)
        np.testing.assert_allclose(follower.q, wanted, atol=1e-12)

    def test_the_way_back_to_the_start_is_not_lost(self, cell, follower, hand, monkeypatch):
        self.meanwhile(monkeypatch, lambda: follower.ask_all(cell.q + 0.05))
        follower.ask_link(*hand)
        follower.advance(0.05)
        np.testing.assert_array_equal(follower.goal, cell.q + 0.05)

    @pytest.mark.parametrize("far", [0.0, 5.0])
    def test_a_hand_that_is_there_or_gets_no_nearer_is_done_with(
        self, follower, hand, far, monkeypatch
    ):
        link, target = hand
        target[0, 3] += far
        follower.ask_link(link, target)
        for _ in range(400):
            follower.advance(0.05)
        asked = []
        self.meanwhile(monkeypatch, lambda: asked.append(1))
        there = follower.q.copy()
        assert not follower.advance(0.05) and not asked
        # Who holds on and asks for another pose is followed again.
        target = target.copy()
        target[:3, 3] -= (far + 0.05, 0.0, 0.0)
        follower.ask_link(link, target)
        assert follower.advance(0.05) and asked
        assert np.abs(follower.q - there).max() > 0.0

    def test_a_pose_that_was_asked_for_while_the_last_was_reached_is_kept(
        self, cell, follower, hand, monkeypatch
    ):
        link, target = hand
        newer = target.copy()
        newer[2, 3] -= 0.05
        follower.ask_link(link, target)
        follower.advance(0.05)
        with monkeypatch.context() as patch:
            self.meanwhile(patch, lambda: follower.ask_link(link, newer))
            follower.advance(0.05)
        for _ in range(100):
            follower.advance(0.05)
        np.testing.assert_allclose(cell.tree.link_pose(follower.q, link), newer, atol=1e-3)


class TestHandles:
    @pytest.fixture
    def drive(self):
        pytest.importorskip("viser", reason="viser is not installed: no live page")
        server = open_server("x", port=0)
        cell = so.Cell()
        for k, name in enumerate(("none", "all", "cart")):
            place = so.pose((float(k), 0.0, 0.0))
            cell.add_body(name, so.Sphere(0.1), pose=place, moving=True)
        yield Drive(server, cell, "x")
        close(server)

    def seen_of(self, drive, choice):
        drive.handles._choice.value = choice
        drive.step()
        return [handle.name for handle in drive.handles._handles if handle.visible]

    def test_a_body_may_be_called_none_or_all(self, drive):
        options = drive.handles._choice.options
        assert len(set(options)) == len(options) == 5
        every = ["none", "all", "cart"]
        found = [self.seen_of(drive, option) for option in options]
        assert found == [every, [], *([name] for name in every)]

    def test_its_page_is_not_blank(self, drive):
        at = address(drive.page.server)
        with chromium() as browser, beating(drive.step), Tab(browser, at) as tab:
            tab.wait_for("[data-standoff=SAFE]")
            assert not tab.errors


def test_a_number_beyond_the_limits_is_not_left_beside_a_slider():
    """The field shows what is asked of the joint, also where that was its limit before."""
    pytest.importorskip("viser", reason="viser is not installed: no live page")
    server = open_server("x", port=0)
    cell = so.Cell()
    cell.add_robot("builtin:arm7", name="arm")
    drive = Drive(server, cell, "x", lambda period: so.Monitor(cell, buffer=0.0, period=period))
    low, high = float(cell.tree.lower[1]), float(cell.tree.upper[1])
    with chromium() as browser, beating(drive.step), Tab(browser, address(server)) as tab:
        tab.wait_for("[data-standoff]")
        for typed, wanted in ((99, high), (-99, low), (-50, low), (0.25, 0.25)):
            tab.set("joint2 [rad]", typed)
            for _ in range(100):
                read = float(tab.row("joint2 [rad]").input_value())
                if drive.follower.goal[1] == wanted and abs(read - wanted) < 0.002:
                    break
                tab.page.wait_for_timeout(50)
            assert drive.follower.goal[1] == wanted
            assert float(tab.row("joint2 [rad]").input_value()) == pytest.approx(wanted, abs=0.002)
        assert not tab.errors
    close(server)


class TestTowards:
    @pytest.mark.parametrize("angle", [0.0, 0.1, 2.0, 3.1, math.pi])
    def test_it_goes_no_faster_than_a_hand_and_arrives_in_time(self, angle):
        """Half a turn, too, of which no direction is the shorter."""
        here, there = np.eye(4), so.pose((0.6, -0.3, 0.2), rpy=(angle, 0.0, 0.0))
        needed = max(0.7 / BODY, angle / TURN)
        for _ in range(math.ceil(needed / 0.05)):
            before, here = here, towards(here, there, 0.05)
            assert np.linalg.norm(here[:3, 3] - before[:3, 3]) <= BODY * 0.05 + 1e-12
            cosine = 0.5 * (np.trace(here[:3, :3] @ before[:3, :3].T) - 1.0)
            assert math.acos(min(1.0, cosine)) <= TURN * 0.05 + 1e-6
            np.testing.assert_allclose(here[:3, :3] @ here[:3, :3].T, np.eye(3), atol=1e-12)
        np.testing.assert_array_equal(here, there)

    def test_a_share_of_the_way_is_that_of_the_turn(self):
        here, there = so.pose(rpy=(0.0, 0.0, 0.3)), so.pose((1.0, 0.0, 0.0), rpy=(0.0, 0.0, -0.5))
        found = between(here, there, 0.25)
        np.testing.assert_allclose(found, so.pose((0.25, 0.0, 0.0), rpy=(0.0, 0.0, 0.1)), atol=1e-9)
        np.testing.assert_array_equal(between(here, there, 1.0), there)
