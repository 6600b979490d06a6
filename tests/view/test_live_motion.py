"""Driven by hand and played from a file: what moves, how fast, and where to."""

from __future__ import annotations

import math

import numpy as np
import pytest

import standoff as so
from standoff.cell.shipped import shipped_cell
from standoff.view.live.drive import slider_range
from standoff.view.live.follow import Follower
from standoff.view.live.handles import tips
from standoff.view.live.motion import along_path, recorded
from standoff.view.live.timeline import Timeline
from tests.worlds.turntable import turntable, way


def test_ends_are_hands_and_not_fingers():
    cell = so.Cell()
    cell.add_robot("builtin:panda", name="arm")
    cell.add_robot("builtin:arm7", name="other", base=so.pose((2.0, 0.0, 0.0)))
    found = tips(cell)
    assert "arm/panda_hand" in found or any("hand" in link for link in found)
    assert not any("finger" in link for link in found)
    assert sorted(found.values()) == ["arm", "other"]


def test_a_follower_goes_no_faster_than_its_joints_and_arrives():
    cell = so.Cell.load(shipped_cell("testbed"))
    follower = Follower(cell, cell.q, np.zeros((0, 4, 4)))
    follower.ask_joint(1, 1.0)
    before = follower.q.copy()
    for _ in range(100):
        follower.advance(0.05)
        assert np.abs(follower.q - before).max() <= 1.5 * 0.05 + 1e-12
        before = follower.q.copy()
    assert follower.q[1] == pytest.approx(1.0)
    follower.ask_joint(0, math.nan)
    follower.advance(0.05)
    assert np.isfinite(follower.q).all()


def test_a_link_that_is_dragged_is_followed_by_its_robot_alone():
    cell = so.Cell.load(shipped_cell("testbed"))
    follower = Follower(cell, cell.q, np.zeros((0, 4, 4)))
    link = next(link for link, robot in tips(cell).items() if robot == "left")
    target = cell.tree.link_pose(cell.q, link)
    target[:3, 3] += (0.1, 0.05, 0.1)
    follower.ask_link(link, target)
    for _ in range(80):
        follower.advance(0.05)
    np.testing.assert_allclose(cell.tree.link_pose(follower.q, link), target, atol=1e-3)
    right = [k for k, name in enumerate(cell.joints) if name.startswith("right/")]
    assert (follower.q[right] == cell.q[right]).all()


def test_a_body_that_is_dragged_comes_and_stays_rigid():
    cell = so.Cell()
    cell.add_body("cart", so.Sphere(0.1), moving=True)
    follower = Follower(cell, cell.q, np.eye(4)[None])
    target = so.pose((0.4, 0.0, 0.0), rpy=(0.5, 1.0, -2.0))
    follower.ask_body(0, target)
    for k in range(60):
        follower.advance(0.05)
        turn = follower.poses[0, :3, :3]
        np.testing.assert_allclose(turn @ turn.T, np.eye(3), atol=1e-9)
        if k == 0:
            assert follower.poses[0, 0, 3] == pytest.approx(0.075)
    np.testing.assert_allclose(follower.poses[0], target, atol=1e-12)


def test_a_recording_has_its_rows_and_straight_lines_between():
    joints = np.array([[0.0, 1.0], [1.0, 3.0], [1.0, 5.0]])
    motion = recorded("x", joints, 0.5)
    assert motion.duration == 1.0
    np.testing.assert_allclose(motion.at(0.0), [0.0, 1.0])
    np.testing.assert_allclose(motion.at(0.25), [0.5, 2.0])
    np.testing.assert_allclose(motion.at(9.0), [1.0, 5.0])


def test_a_joint_whose_speed_is_given_as_none_moves_at_the_usual_pace(tmp_path):
    still, usual = (turntable(tmp_path, velocity=v) for v in (0.0, 1000.0))
    found, wanted = (along_path(cell, way(0.0, 1.0, 0.5)) for cell in (still, usual))
    assert found.duration == wanted.duration and math.isfinite(found.duration)
    times = np.linspace(0.0, found.duration, 5)
    assert "nan" not in Timeline(found.duration, times, times, 0.0, [], None).svg()
    follower = Follower(still, still.q, np.zeros((0, 4, 4)))
    follower.ask_joint(0, 1.0)
    follower.advance(0.05)
    assert follower.q[0] == pytest.approx(1.5 * 0.05)


def test_sliders_go_from_limit_to_limit_or_a_turn():
    assert slider_range(-1.0, 2.0, 0.0) == (-1.0, 2.0)
    assert slider_range(-math.inf, math.inf, 4.0) == (-math.pi, 4.0)
    low, high = slider_range(0.5, 0.5, 0.5)
    assert low < high
