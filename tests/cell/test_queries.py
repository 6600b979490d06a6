"""What one reaches for first: limits, random configurations, kinematics, distances."""

import threading

import numpy as np
import pytest

import standoff as so
from standoff.cell.nearest_pair import Nearest
from standoff.robots.tree import Tree
from tests.oracles.pinocchio import Oracle, urdf_path

RNG = np.random.default_rng(7)


@pytest.fixture(scope="module")
def cell():
    made = so.Cell()
    made.add_robot("builtin:panda", name="panda")
    made.add_body("table", so.Box((0.6, 1.6, 0.04)), so.pose((0.65, 0.0, 0.2)))
    made.add_body("cart", so.Box((0.5, 0.4, 0.6)), so.pose((1.5, 0.0, 0.3)), moving=True)
    return made


def test_random_configurations_fill_the_limits(cell):
    low, high = cell.limits
    Q = np.array([cell.random(RNG) for _ in range(400)])
    assert (low <= Q).all() and (high >= Q).all()
    assert (np.ptp(Q, axis=0) > 0.9 * (high - low)).all()
    np.testing.assert_array_equal(cell.random(3), cell.random(3))
    with pytest.raises(so.errors.CellError, match="rng"):
        cell.random("dice")


def test_limits_as_wide_as_floats_are_drawn_from(tmp_path):
    """The width of the range overflowed."""
    (tmp_path / "r.urdf").write_text(
        '<robot name="r"><link name="a"/><link name="b"/><joint name="j" type="prismatic">'
        '<parent link="a"/><child link="b"/>'
        '<limit lower="-1e308" upper="1e308" velocity="1" effort="1"/></joint></robot>'
    )
    made = so.Cell(unwatched="allow")
    made.add_robot(tmp_path / "r.urdf")
    drawn = np.array([made.random(RNG) for _ in range(20)])
    assert (np.abs(drawn) <= 1e308).all() and (drawn > 0.0).any() and (drawn < 0.0).any()


def test_fk_is_of_one_set_of_robots_while_another_thread_adds_one(monkeypatch):
    """The frames of one tree were taken by the numbers of another."""
    made = so.Cell()
    made.add_robot("builtin:arm7", name="arm")
    forward, added = Tree.forward, []

    def interrupted(tree, q):
        if not added:
            added.append(threading.Thread(target=made.add_robot, args=("builtin:arm7", "more")))
            added[0].start()
            added[0].join()
        return forward(tree, q)

    monkeypatch.setattr(Tree, "forward", interrupted)
    found = made.fk()
    assert found and all(name.startswith("arm/") for name in found)


@pytest.mark.filterwarnings("ignore:robot 'r'")
def test_fk_and_jacobian_are_pinocchios():
    """The Jacobian times velocities is the velocity of the link."""
    oracle = Oracle("tiago", mimic=False)
    made = so.Cell()
    made.add_robot(urdf_path("tiago"), name="r")
    for _ in range(5):
        q, dq = made.random(RNG), RNG.standard_normal(len(made.joints))
        poses, motions = oracle.at(q, dq)
        found = made.fk(q)
        for link, pose, motion in zip(oracle.links, poses, motions):
            np.testing.assert_allclose(found[link], pose, atol=1e-12)
            np.testing.assert_array_equal(found[link], made.pose(link, q))
            moved = made.jacobian(link, q) @ dq
            np.testing.assert_allclose(moved, [*motion[3:], *motion[:3]], atol=1e-11)


def test_a_jacobian_counts_the_joints_that_follow(cell):
    """A finger that mimics the other one moves by the joint of that."""
    q, step = cell.random(RNG), 1e-6
    for link in ("panda/panda_rightfinger", "panda/panda_leftfinger"):
        for k, unit in enumerate(np.eye(len(cell.joints))):
            ahead, back = cell.fk(q + step * unit)[link], cell.fk(q - step * unit)[link]
            slope = (ahead[:3, 3] - back[:3, 3]) / (2 * step)
            np.testing.assert_allclose(cell.jacobian(link, q)[:3, k], slope, atol=1e-8)


def test_the_clearance_is_the_least_distance_of_all_watched_pairs(cell):
    for _ in range(20):
        q = cell.random(RNG)
        each = [cell.distance(a, b, q) for a, b in cell.pairs.watched()]
        least = min(each, key=lambda found: found.distance)
        found = cell.clearance(q)
        assert found.distance == least.distance and bool(found) is (found.distance > 0.0)
        gap = found.distance * found.normal
        np.testing.assert_allclose(found.point_a - found.point_b, gap, atol=1e-9)


def test_a_clearance_is_of_the_cell_as_it_is_now(cell):
    made = cell.snapshot()
    q = np.array([0.0, -0.6, 0.0, -2.2, 0.0, 1.6, 0.8, 0.02])
    before = made.clearance(q)
    at = made.pose("panda/panda_hand", q)[:3, 3]
    made.add_body("ball", so.Sphere(0.01), so.pose(at))
    assert made.clearance(q).distance < 0.0 < before.distance
    assert not made.clearance(q) and "ball" in str(made.clearance(q))
    made.allow("ball", "panda")
    assert made.clearance(q).distance == before.distance


def test_two_threads_that_ask_for_the_clearance_do_not_mix_their_configurations(cell, monkeypatch):
    """Both wrote to the tables of one finder: an overlap of 115 mm was a gap of 4 mm."""
    asked: list[int] = []
    meanwhile: list[int] = []
    placed = Nearest.placed

    def interrupted(finder, frames):
        asked.append(threading.get_ident())
        if len(asked) == 1:
            other.start()
            other.join(0.2)  # long enough to be asked, if nothing holds it up
            meanwhile.extend(asked[1:])
        return placed(finder, frames)

    monkeypatch.setattr(Nearest, "placed", interrupted)
    other = threading.Thread(target=lambda: cell.clearance(cell.random(1)))
    cell.clearance(cell.random(2))
    other.join()
    assert len(asked) == 2 and not meanwhile


def test_distances_are_asked_by_name(cell):
    whole = cell.distance("panda", "table")
    assert whole.a.startswith("panda/") and whole.b == "table"
    with pytest.raises(so.errors.UnknownNameError, match="table"):
        cell.distance("panda", "tabel")
    with pytest.raises(so.errors.UnknownNameError, match="panda_hand"):
        cell.jacobian("panda/panda_hnad")
    bare = so.Cell(unwatched="allow")
    with pytest.raises(so.errors.CellError, match="no pair to watch"):
        bare.clearance()
