"""The joint tree and its forward kinematics, against Pinocchio and against their own laws."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from standoff.errors import CellError, DuplicateNameError, RobotError, UnknownNameError
from standoff.geometry.pose import pose
from standoff.robots.description import Joint, Link, Mimic, Robot
from standoff.robots.kernels import kinematics
from standoff.robots.kernels.sincos import sincos
from standoff.robots.tree import Mount, Tree
from tests.oracles import capsule_ends
from tests.oracles.pinocchio import ROBOTS, Oracle, link_states, random_configurations, tree_of

pytestmark = pytest.mark.interpreted

#: [m], [rad/s], [m/s]
AGREEMENT = 1e-10


def joint(name, kind, parent, child, origin=None, axis=(0, 0, 1), mimic=None, limits=(-1.0, 1.0)):
    origin = np.eye(4) if origin is None else origin
    return Joint(name, kind, parent, child, origin, np.array(axis, float), *limits, 1.0, mimic)


def robot(*joints):
    links = dict.fromkeys(("base", *(j.child for j in joints)))
    return Robot("test", {n: Link(n) for n in links}, {j.name: j for j in joints}, "base")


@pytest.mark.parametrize("name", ROBOTS)
def test_links_stand_and_move_as_in_pinocchio(name):
    oracle = Oracle(name, mimic=False)
    tree = oracle.tree
    assert len(oracle.links) == len(tree.links)
    for q, dq in zip(*random_configurations(tree, 1000, np.random.default_rng(1))):
        poses, twists = link_states(tree, oracle.links, q, dq)
        expected_poses, expected_twists = oracle.at(q, dq)
        assert np.abs(poses - expected_poses).max() < AGREEMENT
        assert np.abs(twists - expected_twists).max() < AGREEMENT


@pytest.mark.parametrize("name", ["panda", "baxter", "pr2"])
def test_mimic_joints_follow_as_in_pinocchio(name):
    oracle = Oracle(name, mimic=True)
    tree = oracle.tree
    assert len(tree.joints) == oracle.model.nv < tree.frames - 1
    for q, dq in zip(*random_configurations(tree, 100, np.random.default_rng(2))):
        poses, twists = link_states(tree, oracle.links, q, dq)
        expected_poses, expected_twists = oracle.at(q, dq)
        assert np.abs(poses - expected_poses).max() < AGREEMENT
        assert np.abs(twists - expected_twists).max() < AGREEMENT


def test_a_batch_equals_its_rows_bit_for_bit():
    tree = tree_of("pr2")
    Q, DQ = random_configurations(tree, 50, np.random.default_rng(3))
    batch = tree.forward_batch(Q)
    for i in range(50):
        one, _ = tree.velocities(Q[i], DQ[i])
        assert np.array_equal(one, batch[i])
        assert np.array_equal(tree.forward(Q[i]), one)


def test_two_robots_share_nothing_but_the_world():
    panda = tree_of("panda").mounts[0].robot
    base = pose((1.0, -2.0, 0.5), rpy=(0.3, -0.2, 1.1))
    tree = Tree([Mount("left", panda), Mount("right", panda, base)])
    alone = tree_of("panda")
    q, _ = random_configurations(tree, 1, np.random.default_rng(4))
    half = len(alone.joints)
    assert tree.joints[0] == "left/panda_joint1"
    assert tree.joints[half] == "right/panda_joint1"
    assert tree.common(*(tree.link(f"{n}/panda_hand")[0] for n in ("left", "right"))) == 0
    for link in panda.links:
        left, right = (tree.link_pose(q[0], f"{n}/{link}") for n in ("left", "right"))
        assert np.allclose(left, alone.link_pose(q[0, :half], f"r/{link}"), atol=1e-14)
        assert np.allclose(right, base @ alone.link_pose(q[0, half:], f"r/{link}"), atol=1e-13)


def test_no_robot_at_all_is_a_world_of_one_frame():
    tree = Tree()
    assert tree.joints == () and tree.links == () and tree.frames == 1
    assert np.array_equal(tree.forward([]), [np.eye(4)])
    assert tree.forward_batch(np.zeros((3, 0))).shape == (3, 1, 4, 4)
    poses, twists = tree.velocities({}, [])
    assert np.array_equal(poses, [np.eye(4)]) and not twists.any()


def test_a_robot_of_fixed_joints_stands_at_its_base():
    origin = pose((0.0, 0.0, 1.0), rpy=(0.0, 0.5, 0.0))
    base = pose((1.0, 2.0, 3.0))
    tree = Tree([Mount("a", robot(joint("f", "fixed", "base", "tip", origin)), base)])
    assert tree.frames == 1
    assert np.allclose(tree.link_pose([], "a/tip"), base @ origin)
    frame, offset = tree.link("a/base")
    assert frame == 0 and np.array_equal(offset, base)


@settings(deadline=None, max_examples=200, derandomize=True)
@given(
    st.tuples(*[st.floats(-1, 1)] * 3).filter(lambda a: math.hypot(*a) > 1e-3),
    st.floats(-10, 10),
    st.sampled_from(["revolute", "prismatic"]),
)
def test_a_joint_turns_about_and_slides_along_any_axis(axis, value, kind):
    axis = np.array(axis) / math.hypot(*axis)
    tree = Tree([Mount("a", robot(joint("j", kind, "base", "tip", axis=axis)))])
    moved = tree.link_pose([value], "a/tip")
    if kind == "prismatic":
        assert np.allclose(moved[:3, 3], value * axis, atol=1e-14)
        assert np.allclose(moved[:3, :3], np.eye(3), atol=1e-14)
    else:
        k = np.cross(np.eye(3), axis)
        turned = np.eye(3) + math.sin(value) * k + (1 - math.cos(value)) * k @ k
        assert np.allclose(moved[:3, :3], turned, atol=1e-14)
        assert not moved[:3, 3].any()


@pytest.mark.parametrize(
    "axis", [(0, 0, -1), (1e-9, 0, -1), (0, -1e-17, -1), (1, 0, 0), (0, -1, 0)]
)
def test_axes_along_and_almost_along_the_coordinates(axis):
    tree = Tree([Mount("a", robot(joint("j", "revolute", "base", "tip", axis=axis)))])
    assert np.allclose(tree.link_pose([0.0], "a/tip"), np.eye(4), atol=1e-15)
    turn = tree.link_pose([0.7], "a/tip")[:3, :3]
    assert np.allclose(turn @ axis, axis, atol=1e-15)
    assert math.isclose(np.trace(turn), 1 + 2 * math.cos(0.7), rel_tol=1e-14)


def test_a_mimic_joint_follows_its_master_through_another_and_from_before_it():
    tree = Tree(
        [
            Mount(
                "a",
                robot(
                    joint("early", "prismatic", "base", "l1", mimic=Mimic("middle", -2.0, 0.1)),
                    joint("middle", "revolute", "l1", "l2", mimic=Mimic("last", 3.0, 0.2)),
                    joint("last", "continuous", "l2", "l3"),
                ),
            )
        ]
    )
    assert tree.joints == ("a/last",) and tree.units == ("rad",) and tree.kinds == ("continuous",)
    assert tree.lower[0] == -math.inf and tree.upper[0] == math.inf
    assert math.isclose(tree.link_pose([0.5], "a/l1")[2, 3], -2.0 * (3.0 * 0.5 + 0.2) + 0.1)
    assert math.isclose(tree.link_pose([0.5], "a/l2")[1, 0], math.sin(3.0 * 0.5 + 0.2))


def test_a_base_with_seven_digits_does_not_stretch_the_robot():
    base = pose(rpy=(0.4, 0.8, -0.3)).astype(np.float32).astype(float)
    assert np.abs(base[:3, :3] @ base[:3, :3].T - np.eye(3)).max() > 1e-9
    tree = Tree([Mount("a", robot(joint("j", "revolute", "base", "tip")), base)])
    turn = tree.link_pose([0.3], "a/tip")[:3, :3]
    assert np.abs(turn @ turn.T - np.eye(3)).max() < 1e-14


def test_points_are_placed_with_their_frames():
    tree = tree_of("panda")
    rng = np.random.default_rng(5)
    q, dq = (a[0] for a in random_configurations(tree, 1, rng))
    poses, twists = np.empty((tree.frames, 12)), np.empty((tree.frames, 6))
    kinematics.forward_velocity(tree.reals, tree.ints, q, dq, tree.scratch(), poses, twists)
    full = tree.forward(q)
    frame = rng.integers(0, tree.frames, 20)
    ends = rng.normal(size=(20, 6))
    tables = capsule_ends.Ends(
        reals=tree.reals, ints=tree.ints, turns=tree.scratch(), frame=frame, local=ends,
        poses=2 * tree.frames, twists=2 * tree.frames, ends=40, velocities=40,
    )  # fmt: skip
    capsule_ends.place_ends(tables.address, np.stack([q, q]), np.stack([dq, dq]))
    assert np.array_equal(tables.poses[: tree.frames], poses)
    assert np.array_equal(tables.twists[tree.frames :], twists)
    placed, moving = tables.ends[:20], tables.velocities[:20]
    assert np.array_equal(tables.ends[20:], placed)
    assert np.array_equal(tables.velocities[20:], moving)
    step = 1e-6
    before, after = tree.forward(q - step * dq), tree.forward(q + step * dq)
    for i, f in enumerate(frame):
        for k in (0, 3):
            point = np.append(ends[i, k : k + 3], 1.0)
            assert np.allclose(placed[i, k : k + 3], (full[f] @ point)[:3], atol=1e-14)
            speed = ((after[f] - before[f]) @ point)[:3] / (2 * step)
            assert np.allclose(moving[i, k : k + 3], speed, atol=1e-8)


@pytest.mark.parametrize("largest", [0.8, 7.0, 100.0, 1e5, 1e9])
def test_sine_and_cosine_are_within_three_units_in_the_last_place(largest):
    rng = np.random.default_rng(6)
    angles = rng.uniform(-largest, largest, 3000)
    quarter = np.round(angles[:1000] / (np.pi / 2)) * (np.pi / 2)
    angles[:1000] = np.clip(quarter, -largest, largest)
    precise = angles.astype(np.longdouble)
    for x, s, c in zip(angles, np.sin(precise), np.cos(precise)):
        sine, cosine = sincos(x)
        assert abs(sine - s) <= 3 * np.spacing(abs(float(s)))
        assert abs(cosine - c) <= 3 * np.spacing(abs(float(c)))


def test_angles_beyond_the_fast_range_and_none_at_all():
    assert sincos(0.0) == (0.0, 1.0)
    for bad in (math.inf, -math.inf, math.nan):
        assert all(map(math.isnan, sincos(bad)))
    tree = tree_of("ur5")
    q = np.array([3e5, -2e7, 0.1, 0.2, 1e12, -0.3])
    wrapped = np.arctan2(np.sin(q), np.cos(q))
    assert np.allclose(tree.forward(q), tree.forward(wrapped), atol=1e-12)


@pytest.mark.parametrize(
    ("q", "words"),
    [
        ([0.0] * 5, "6 numbers: r/shoulder_pan_joint"),
        ([[0.0] * 6], "6 numbers"),
        ([0.0, 0.0, math.nan, 0.0, 0.0, 0.0], "r/elbow_joint"),
        ([0.0, math.inf, 0.0, 0.0, 0.0, 0.0], "r/shoulder_lift_joint"),
        (["a"] * 6, "not numbers"),
        ({"r/shoulder_pan": 0.0}, "r/shoulder_pan_joint"),
        ({"r/shoulder_pan_joint": 0.0}, "r/wrist_3_joint"),
    ],
)
def test_a_configuration_that_does_not_fit_is_refused_by_name(q, words):
    with pytest.raises(CellError, match=words):
        tree_of("ur5").forward(q)


def test_a_configuration_may_be_given_by_name():
    tree = tree_of("ur5")
    q = np.arange(6.0)
    assert np.array_equal(tree.forward(dict(zip(tree.joints[::-1], q[::-1]))), tree.forward(q))


def test_what_makes_no_tree_is_refused():
    arm = robot(joint("j", "revolute", "base", "tip"))
    with pytest.raises(DuplicateNameError, match="'a'"):
        Tree([Mount("a", arm), Mount("a", arm)])
    with pytest.raises(UnknownNameError, match="a/tip"):
        Tree([Mount("a", arm)]).link("a/tipp")
    with pytest.raises(RobotError, match="nowhere"):
        Tree([Mount("a", robot(joint("j", "revolute", "nowhere", "tip")))])
    with pytest.raises(RobotError, match="axis"):
        Tree([Mount("a", robot(joint("j", "revolute", "base", "tip", axis=(0, 0, 0))))])
    for master in ("j", "unknown", "f"):
        follower = joint("j", "revolute", "base", "tip", mimic=Mimic(master))
        with pytest.raises(RobotError, match="mimics"):
            Tree([Mount("a", robot(follower, joint("f", "fixed", "tip", "end")))])
