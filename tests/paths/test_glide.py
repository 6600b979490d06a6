"""Bodies on a straight line with constant spin."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

import standoff as so
from standoff.paths.glide import glide_table
from standoff.tolerances import HALF_TURN_SINE

pytestmark = pytest.mark.interpreted
LAWS = settings(deadline=None, max_examples=200, derandomize=True)
SEEDS = st.integers(0, 2**32 - 1)


def random_pose(rng, size=1.0):
    pose = np.eye(4)
    pose[:3, :3] = Rotation.random(random_state=rng).as_matrix()
    pose[:3, 3] = rng.normal(size=3) * size
    return so.Glide(pose).pose


def turned(pose, turn):
    result = pose.copy()
    result[:3, :3] = Rotation.from_rotvec(turn).as_matrix() @ pose[:3, :3]
    return result


@LAWS
@given(SEEDS)
def test_a_glide_leads_from_one_pose_to_the_other(seed):
    rng = np.random.default_rng(seed)
    a = random_pose(rng, 10.0)
    axis = rng.normal(size=3)
    angle = rng.choice([rng.uniform(0, 3.14), 10.0 ** rng.uniform(-12, 0), math.pi - 1e-5])
    turn = axis / np.linalg.norm(axis) * angle
    b = turned(a, turn)
    b[:3, 3] += rng.normal(size=3)
    glide = so.Glide.between(a, b)
    np.testing.assert_allclose(glide.angular, turn, rtol=0, atol=1e-14)
    np.testing.assert_allclose(glide.at(1.0), b, rtol=0, atol=2e-14)
    np.testing.assert_array_equal(glide.at(0.0), a)
    back = so.Glide.between(b, a)
    np.testing.assert_allclose(back.angular, -glide.angular, rtol=0, atol=1e-14)
    slow = so.Glide.between(a, b, duration=4.0)
    np.testing.assert_allclose(slow.at(4.0), b, rtol=0, atol=2e-14)


@LAWS
@given(SEEDS)
def test_the_origin_goes_straight_and_the_spin_is_constant(seed):
    rng = np.random.default_rng(seed)
    glide = so.Glide(random_pose(rng), rng.normal(size=3), rng.normal(size=3) * 5.0)
    u, du = rng.uniform(-2, 2), rng.uniform(0, 1)
    before, after = glide.at(u), glide.at(u + du)
    np.testing.assert_allclose(after[:3, 3] - before[:3, 3], du * glide.linear, rtol=0, atol=1e-14)
    spin = Rotation.from_rotvec(du * glide.angular).as_matrix()
    np.testing.assert_allclose(after[:3, :3], spin @ before[:3, :3], rtol=0, atol=2e-14)
    np.testing.assert_allclose(after[:3, :3] @ after[:3, :3].T, np.eye(3), rtol=0, atol=1e-14)


@pytest.mark.parametrize("axis", [*np.eye(3), [0.6, 0.0, 0.8], [-0.48, 0.6, -0.64]])
@pytest.mark.parametrize("off", [0.0, 0.4 * HALF_TURN_SINE, -0.4 * HALF_TURN_SINE])
def test_half_a_turn_may_go_either_way(axis, off):
    a = random_pose(np.random.default_rng(1))
    b = turned(a, np.asarray(axis) * (math.pi + off))
    with pytest.raises(so.errors.PathError, match="half a turn"):
        so.Glide.between(a, b)
    with pytest.raises(so.errors.PathError, match=r"moving\['cart'\]\[0\]: half a turn"):
        glide_table(["cart"], [a], {"cart": [a, b]}, np.array([0.0, 1.0]))
    nearly = turned(a, np.asarray(axis) * (math.pi - 2.0 * HALF_TURN_SINE))
    np.testing.assert_allclose(so.Glide.between(a, nearly).at(1.0), nearly, rtol=0, atol=1e-14)


def of_row(row):
    """The glide that a row of the table says, over one piece."""
    pose = np.eye(4)
    pose[:3] = row["pose"].reshape(3, 4)
    return so.Glide(pose, row["linear"], row["angular"])


@LAWS
@given(SEEDS)
def test_rows_lead_from_piece_to_piece(seed):
    rng = np.random.default_rng(seed)
    times = np.cumsum(rng.uniform(0.1, 2.0, 5)) + 7.0
    still, cart, drone = (random_pose(rng) for _ in range(3))
    glide = so.Glide(cart, rng.normal(size=3), rng.normal(size=3) * 3.0)
    poses = [drone]
    for _ in range(4):
        step = turned(poses[-1], rng.uniform(-1, 1, 3))
        step[:3, 3] += rng.normal(size=3)
        poses.append(step)
    names, known = ["still", "cart", "drone"], [still, np.eye(4), np.eye(4)]
    table = glide_table(names, known, {"cart": glide, "drone": np.array(poses)}, times)
    assert table.shape == (4, 3) and table.flags.c_contiguous
    for k in range(4):
        np.testing.assert_array_equal(of_row(table[k, 0]).at(0.7), still)
        u = rng.random()
        now = times[k] - times[0] + u * (times[k + 1] - times[k])
        np.testing.assert_allclose(of_row(table[k, 1]).at(u), glide.at(now), rtol=0, atol=1e-13)
        np.testing.assert_array_equal(of_row(table[k, 2]).at(0.0), poses[k])
        np.testing.assert_allclose(of_row(table[k, 2]).at(1.0), poses[k + 1], rtol=0, atol=1e-13)


def test_a_pose_in_single_precision_is_made_rigid_as_in_a_cell():
    pose = random_pose(np.random.default_rng(2)).astype(np.float32).astype(float)
    cell = so.Cell()
    cell.add_body("cart", so.Sphere(0.1), pose, moving=True)
    np.testing.assert_array_equal(so.Glide(pose).pose, cell.pose("cart"))
    with pytest.raises(ValueError, match="read-only"):
        so.Glide(pose).pose[0, 0] = 1.0


def test_what_is_no_glide_is_refused():
    eye, times = np.eye(4), np.array([0.0, 1.0, 2.0])
    with pytest.raises(so.errors.PoseError, match="linear: not finite"):
        so.Glide(eye, (np.nan, 0, 0))
    with pytest.raises(so.errors.PoseError, match="angular: wrong shape"):
        so.Glide(eye, angular=(0, 1))
    with pytest.raises(so.errors.PoseError, match="rotation"):
        so.Glide(np.diag([2.0, 2.0, 2.0, 1.0]))
    for duration in (0.0, -1.0, np.inf, np.nan):
        with pytest.raises(so.errors.PathError, match="duration"):
            so.Glide.between(eye, eye, duration)
    with pytest.raises(so.errors.UnknownNameError, match="did you mean 'cart'"):
        glide_table(["cart"], [eye], {"crat": so.Glide(eye)}, times)
    with pytest.raises(so.errors.PathError, match=r"\(3, 4, 4\), or so\.Glide"):
        glide_table(["cart"], [eye], {"cart": (eye, eye)}, times)
    with pytest.raises(so.errors.PathError, match="neither a glide nor poses"):
        glide_table(["cart"], [eye], {"cart": "north"}, times)
    with pytest.raises(so.errors.PathError, match="by name"):
        glide_table(["cart"], [eye], [so.Glide(eye)], times)
    for velocities in ({"linear": (1e300, 0, 0)}, {"angular": (0, 1.7e308, 0)}):
        with pytest.raises(so.errors.PathError, match="gets too far"):
            glide_table(["cart"], [eye], {"cart": so.Glide(eye, **velocities)}, times)
    assert glide_table([], [], None, times).shape == (2, 0)
