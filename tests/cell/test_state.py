"""Where a cell is at one reading: the same frames and velocities as the joint tree has them."""

from __future__ import annotations

import numpy as np
import pytest

import standoff as so
from standoff.cell.state import State


@pytest.fixture(scope="module")
def cell():
    cell = so.Cell()
    cell.add_robot("builtin:panda", name="left")
    cell.add_body("table", so.Box((1, 1, 0.1)), so.pose((0, 0, -0.2)))
    cell.add_body("cart", so.Sphere(0.1), so.pose((2, 0, 1)), moving=True)
    return cell


def test_frames_are_those_of_the_tree_and_the_poses_given(cell):
    q = cell.q + 0.1
    pose = so.pose((3, 1, 1), rpy=(0.1, 0.2, 0.3))
    state = State(cell.model, q, pose[None])
    np.testing.assert_array_equal(state.frames[:-1], cell.tree.forward(q))
    np.testing.assert_array_equal(state.frames[-1], pose)
    assert state.twists is None


def test_velocities_are_those_of_the_tree_and_the_twists_given(cell):
    q, dq = cell.q + 0.1, np.linspace(-1.0, 1.0, len(cell.joints))
    twist = np.arange(6.0)
    state = State(cell.model, q, so.pose((3, 1, 1))[None], dq, twist[None])
    frames, twists = cell.tree.velocities(q, dq)
    np.testing.assert_array_equal(state.frames[:-1], frames)
    np.testing.assert_array_equal(state.twists, [*twists, twist])
    assert not State(cell.model, q, so.pose()[None], dq).twists[-1].any()


def test_shapes_are_placed_where_the_cell_has_their_bodies(cell):
    state = cell.state()
    for name in ("table", "cart"):
        ((shape, at),) = state.placed(name)
        assert shape is cell.bodies[name].shape
        np.testing.assert_array_equal(at, cell.pose(name))
    frame, _ = cell.tree.link("left/panda_link5")
    for (shape, at), (own, local) in zip(
        state.placed("left/panda_link5"), cell.model.entries["left/panda_link5"].parts, strict=True
    ):
        assert shape is own
        np.testing.assert_array_equal(at, cell.tree.forward(cell.q)[frame] @ local)


def test_a_state_is_of_finite_joints(cell):
    with pytest.raises(so.errors.ConfigurationError):
        State(cell.model, cell.q * np.nan, so.pose()[None])
    with pytest.raises(so.errors.ConfigurationError, match="dq"):
        State(cell.model, cell.q, so.pose()[None], [0.0])
