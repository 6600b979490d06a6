"""Jacobians and inverse kinematics, against Pinocchio and against forward kinematics."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import standoff as so
from standoff.robots.inverse_kinematics import jacobian, reach


def panda() -> so.Cell:
    cell = so.Cell()
    base = so.pose((0.3, -0.2, 0.1), rpy=(0.1, 0.2, 0.3))
    cell.add_robot("builtin:panda", name="arm", base=base)
    return cell


CELL = panda()
TREE = CELL.tree
HAND = "arm/panda_hand"


def within(rng: np.random.Generator, margin: float = 0.0) -> np.ndarray:
    width = TREE.upper - TREE.lower
    return TREE.lower + width * rng.uniform(margin, 1.0 - margin, len(TREE.joints))


def test_a_jacobian_is_that_of_pinocchio():
    pin = pytest.importorskip("pinocchio")
    model = pin.buildModelFromUrdf(str(so.robots.model_path("panda")))
    data = model.createData()
    cell = so.Cell()
    cell.add_robot("builtin:panda", name="arm")
    rng = np.random.default_rng(3)
    frame = model.getFrameId("panda_hand")
    names = [name for name in model.names if f"arm/{name}" in cell.joints]
    for _ in range(20):
        q = cell.tree.lower + rng.uniform(0, 1, len(cell.joints)) * (
            cell.tree.upper - cell.tree.lower
        )
        full = pin.neutral(model)
        for name in names:
            full[model.joints[model.getJointId(name)].idx_q] = q[cell.joints.index(f"arm/{name}")]
        J = pin.computeFrameJacobian(model, data, full, frame, pin.LOCAL_WORLD_ALIGNED)
        _, ours = jacobian(cell.tree, q, HAND)
        for name in names:
            theirs = J[:, model.joints[model.getJointId(name)].idx_v]
            column = ours[:, cell.joints.index(f"arm/{name}")]
            np.testing.assert_allclose(column, np.roll(theirs, 3), atol=1e-12)


def test_a_jacobian_times_velocities_is_the_velocity_of_the_link():
    """Fingers have a joint that mimics another."""
    rng = np.random.default_rng(4)
    for link in (HAND, "arm/panda_rightfinger", "arm/panda_link0"):
        q, dq = within(rng), rng.normal(size=len(TREE.joints))
        frame, offset = TREE.link(link)
        poses, twists = TREE.velocities(q, dq)
        pose, J = jacobian(TREE, q, link)
        np.testing.assert_allclose(pose, poses[frame] @ offset, atol=1e-12)
        angular, linear = twists[frame, :3], twists[frame, 3:]
        at = linear + np.cross(angular, pose[:3, 3] - poses[frame, :3, 3])
        np.testing.assert_allclose(J @ dq, np.concatenate([angular, at]), atol=1e-12)


@given(st.integers(0, 10**6))
@settings(deadline=None, max_examples=40, derandomize=True)
def test_a_pose_that_is_near_is_reached_within_the_limits(seed):
    rng = np.random.default_rng(seed)
    goal = within(rng, 0.15)
    start = np.clip(goal + rng.uniform(-0.3, 0.3, len(goal)), TREE.lower, TREE.upper)
    target = TREE.link_pose(goal, HAND)
    found = reach(TREE, start, HAND, target)
    assert found.reached
    assert ((found.q >= TREE.lower) & (found.q <= TREE.upper)).all()
    np.testing.assert_allclose(TREE.link_pose(found.q, HAND), target, atol=1e-4)


def test_a_pose_out_of_reach_gives_the_nearest_and_no_error():
    q = np.clip(np.zeros(len(TREE.joints)), TREE.lower, TREE.upper)
    target = so.pose((5.0, -0.2, 0.5))
    found = reach(TREE, q, HAND, target)
    assert not found.reached and np.isfinite(found.q).all()
    before = np.linalg.norm(TREE.link_pose(q, HAND)[:3, 3] - target[:3, 3])
    assert found.position_error < before - 0.2
    assert ((found.q >= TREE.lower) & (found.q <= TREE.upper)).all()


def test_half_a_turn_is_found():
    q = 0.5 * (TREE.lower + TREE.upper)
    target = TREE.link_pose(q, HAND)
    target[:3, :3] = target[:3, :3] @ np.diag([-1.0, -1.0, 1.0])
    found = reach(TREE, q, HAND, target, steps=300)
    assert found.angle_error < 0.1


def test_joints_that_may_not_move_stay_to_the_bit():
    rng = np.random.default_rng(5)
    q = within(rng, 0.2)
    target = TREE.link_pose(within(rng, 0.2), HAND)
    found = reach(TREE, q, HAND, target, joints=TREE.joints[:3])
    assert (found.q[3:] == q[3:]).all()
    assert (found.q[:3] != q[:3]).any()


def test_what_makes_no_sense_is_refused():
    q = np.zeros(len(TREE.joints))
    with pytest.raises(so.errors.UnknownNameError, match="nohand"):
        reach(TREE, q, "arm/nohand", np.eye(4))
    with pytest.raises(so.errors.UnknownNameError, match="joint"):
        reach(TREE, q, HAND, np.eye(4), joints=["arm/no"])
    with pytest.raises(so.errors.PoseError):
        reach(TREE, q, HAND, np.full((4, 4), np.nan))
    with pytest.raises(so.errors.ConfigurationError):
        reach(TREE, q, HAND, np.eye(4), steps=-1)
