"""Poses at the border."""

import numpy as np
import pinocchio as pin
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import standoff as so
from standoff.geometry.pose import as_pose, inverse, rpy_of

angles = st.tuples(*[st.floats(-6.28, 6.28)] * 3)


@settings(deadline=None, derandomize=True)
@given(angles)
def test_rpy_turns_about_fixed_axes_as_urdf_says(rpy):
    assert np.allclose(so.pose(rpy=rpy)[:3, :3], pin.rpy.rpyToMatrix(*rpy), atol=1e-14)


@settings(deadline=None, derandomize=True)
@given(st.tuples(*[st.floats(-1, 1)] * 4).filter(lambda q: np.linalg.norm(q) > 0.1))
def test_quaternions_are_w_x_y_z(q):
    w, x, y, z = np.array(q) / np.linalg.norm(q)
    assert np.allclose(
        so.pose(quaternion=(w, x, y, z))[:3, :3], pin.Quaternion(w, x, y, z).matrix(), atol=1e-14
    )


@settings(deadline=None, derandomize=True)
@given(angles, st.tuples(*[st.floats(-1e4, 1e4)] * 3))
def test_inverse_undoes(rpy, position):
    pose = so.pose(position, rpy=rpy)
    assert np.allclose(inverse(pose) @ pose, np.eye(4), atol=1e-11)


@settings(deadline=None, derandomize=True)
@given(angles)
def test_rpy_of_a_pose_gives_the_pose_again(rpy):
    pose = so.pose(rpy=rpy)
    np.testing.assert_allclose(so.pose(rpy=rpy_of(pose)), pose, atol=1e-8)


@pytest.mark.parametrize("pitch", [np.pi / 2, -np.pi / 2])
@pytest.mark.parametrize("roll, yaw", [(0.0, 0.0), (0.4, 1.0), (-2.0, 3.0)])
def test_rpy_of_an_upright_x_axis(roll, pitch, yaw):
    pose = so.pose(rpy=(roll, pitch, yaw))
    np.testing.assert_allclose(so.pose(rpy=rpy_of(pose)), pose, atol=1e-8)


def test_as_pose_copies():
    given = np.eye(4)
    as_pose(given)[0, 3] = 5
    assert given[0, 3] == 0


BAD = {
    "3 x 3": np.eye(3),
    "nan": np.full((4, 4), np.nan),
    "infinite": np.diag([np.inf, 1, 1, 1]),
    "mirrored": np.diag([1.0, 1, -1, 1]),
    "scaled": np.diag([2.0, 2, 2, 1]),
    "transposed": so.pose((1, 2, 3)).T,
    "huge": np.diag([1e300, 1e300, 1e300, 1]),
    "text": "identity",
    "ragged": [[1, 2], [3]],
    "objects": [[object()] * 4] * 4,
    "complex": np.eye(4) * 1j,
}


@pytest.mark.parametrize("name", BAD)
def test_what_is_no_pose_is_refused(name):
    with pytest.raises(so.errors.PoseError):
        as_pose(BAD[name])


@pytest.mark.parametrize(
    "q", [(0, 0, 0, 0), (1, 1, 0, 0), (1, 0, 0), (np.nan, 0, 0, 1), (1e200,) * 4]
)
def test_what_is_no_quaternion_is_refused(q):
    with pytest.raises(so.errors.PoseError):
        so.pose(quaternion=q)


def test_quaternion_and_rpy_exclude_each_other():
    with pytest.raises(so.errors.PoseError, match="both"):
        so.pose(quaternion=(1, 0, 0, 0), rpy=(0, 0, 0))
