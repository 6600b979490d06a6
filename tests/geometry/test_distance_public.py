"""`distance` as its users call it: poses, errors, threads."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import FrozenInstanceError

import numpy as np
import pytest

import standoff as so
from standoff.errors import PoseError, UnsupportedPairError
from standoff.geometry.distance import distance
from standoff.geometry.pose import IDENTITY, pose
from standoff.geometry.primitives import Box, Capsule, Sphere
from standoff.geometry.shape import Shape, size_row

BALL = Sphere(0.5)


def test_no_pose_is_the_identity():
    found = distance(BALL, pose((2, 0, 0)), BALL, None)
    assert found.distance == 1.0
    np.testing.assert_array_equal(found.point_a, (1.5, 0, 0))
    np.testing.assert_array_equal(found.point_b, (0.5, 0, 0))
    np.testing.assert_array_equal(found.normal, (1, 0, 0))
    assert distance(BALL, IDENTITY, BALL, None).distance == -1.0


@pytest.mark.parametrize(
    "same",
    [
        lambda p: p.tolist(),
        lambda p: p.astype(np.float32),
        lambda p: np.asfortranarray(p),
        lambda p: np.broadcast_to(p, (2, 4, 4))[1],
        lambda p: np.concatenate([p, p], axis=1)[:, :4],
        lambda p: p.astype(int).astype(object),
    ],
)
def test_any_matrix_of_numbers_is_a_pose(same):
    assert distance(BALL, same(pose((2, 0, 0))), BALL, None).distance == 1.0


def _broken(edit):
    bad = pose((1, 2, 3), rpy=(0.1, 0.2, 0.3))
    edit(bad)
    return bad


@pytest.mark.parametrize(
    "bad",
    [
        _broken(lambda p: p.__setitem__((0, 3), np.nan)),
        _broken(lambda p: p.__setitem__((1, 3), np.inf)),
        _broken(lambda p: p.__setitem__((1, 1), np.nan)),
        _broken(lambda p: p.__setitem__((0, 0), 1.5)),
        _broken(lambda p: p.__setitem__((slice(3), 0), -p[:3, 0])),
        _broken(lambda p: p.__setitem__((3, 0), 0.1)),
        _broken(lambda p: p.__setitem__(slice(None), p.T.copy())),
        np.zeros((4, 4)),
        np.eye(3),
        np.eye(4)[0],
        1.0,
        "pose",
    ],
)
@pytest.mark.parametrize("side", ["pose_a", "pose_b"])
def test_what_is_not_a_pose_is_refused_by_name(bad, side):
    poses = {"pose_a": None, "pose_b": None, side: bad}
    with pytest.raises(PoseError, match=side):
        distance(BALL, poses["pose_a"], BALL, poses["pose_b"])


def test_a_pose_with_the_rounding_of_a_text_file_is_accepted():
    rounded = np.round(pose((2, 0, 0), rpy=(0.1, 0.2, 0.3)), 7)
    rounded[3, 3] += 1e-9
    assert distance(BALL, rounded, BALL, None).distance == pytest.approx(1.0, abs=1e-6)


def test_a_pair_that_nobody_answers_for_is_refused_with_both_names():
    class Blob(Shape):
        kind = 99
        size = size_row()

    with pytest.raises(UnsupportedPairError, match="Blob and Sphere"):
        distance(Blob(), None, BALL, None)


def test_results_are_frozen_and_independent_of_each_other():
    first = distance(BALL, pose((2, 0, 0)), BALL, None)
    kept = first.point_a.copy()
    distance(BALL, pose((0, 5, 0)), BALL, None)
    np.testing.assert_array_equal(first.point_a, kept)
    with pytest.raises(FrozenInstanceError):
        first.distance = 0.0


def test_threads_do_not_share_scratch():
    rng = np.random.default_rng(0)
    poses = [pose(rng.uniform(-1, 1, 3), rpy=rng.uniform(-3, 3, 3)) for _ in range(400)]
    a, b = Box((0.2, 0.3, 0.4)), Capsule(0.1, 0.5)
    expected = [distance(a, p, b, None).distance for p in poses]
    with ThreadPoolExecutor(4) as pool:
        for _ in range(5):
            assert list(pool.map(lambda p: distance(a, p, b, None).distance, poses)) == expected


def test_a_pose_that_drifted_is_answered_for_itself_and_not_for_the_last_pair():
    """Odometry accumulates rounding; a pose on the border between exact and not must not be
    refused by one sum and passed by another."""
    rng = np.random.default_rng(2)
    far = so.pose((1000.0, 0.0, 0.0))
    ball = so.Sphere(0.1)
    for _ in range(20):
        turn = so.pose(rpy=rng.normal(size=3))
        pose = np.eye(4)
        for _ in range(300):
            pose = pose @ turn
            so.distance(ball, None, ball, far)
            assert so.distance(ball, pose, ball, pose).distance == pytest.approx(-0.2, abs=1e-12)


def test_every_borderline_rotation_is_answered():
    rng = np.random.default_rng(3)
    ball = so.Sphere(0.1)
    for _ in range(3000):
        pose = so.pose(rpy=rng.normal(size=3))
        pose[:3, :3] *= 1.0 + rng.uniform(-1e-14, 1e-14)
        assert so.distance(ball, pose, ball, None).distance == pytest.approx(-0.2, abs=1e-12)


def test_a_pose_beyond_all_robots_is_refused():
    with pytest.raises(so.errors.PoseError, match="far"):
        so.distance(so.Sphere(1), so.pose((1e10, 0, 0)), so.Sphere(1), None)
