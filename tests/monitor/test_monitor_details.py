"""Details of a cycle's answer that nothing else would notice if they were wrong."""

import math

import numpy as np
import pytest

import standoff as so

NONE = np.zeros(0)

TWO_LINKS = (
    '<robot name="r"><link name="base"/>'
    '<link name="one"><collision><geometry><sphere radius="0.1"/></geometry></collision></link>'
    '<link name="middle"/>'
    '<link name="two"><collision><geometry><sphere radius="0.1"/></geometry></collision></link>'
    '<joint name="a" type="prismatic"><parent link="base"/><child link="one"/>'
    '<axis xyz="1 0 0"/><limit lower="-9" upper="9" velocity="1" effort="1"/></joint>'
    '<joint name="b" type="prismatic"><parent link="one"/><child link="middle"/>'
    '<axis xyz="1 0 0"/><limit lower="-9" upper="9" velocity="1" effort="1"/></joint>'
    '<joint name="c" type="prismatic"><parent link="middle"/><child link="two"/>'
    '<axis xyz="1 0 0"/><limit lower="-9" upper="9" velocity="1" effort="1"/></joint></robot>'
)


@pytest.fixture
def two_robots(tmp_path):
    file = tmp_path / "two.urdf"
    file.write_text(TWO_LINKS)
    cell = so.Cell()
    cell.add_robot(file, name="left")
    cell.add_robot(file, name="right", base=so.pose((0, 5, 0)))
    return cell


@pytest.mark.parametrize("self_collision, across", [(0.05, 0.3), (0.3, 0.05)])
def test_links_of_one_robot_and_of_two_have_their_own_thresholds(
    two_robots, self_collision, across
):
    rules = so.Thresholds(self_collision=self_collision, robot_robot=across)
    # Links of one arm 0.2 m apart, and the two arms 0.2 m apart elsewhere.
    q = np.array([0.0, 0.4, 0.0, 0.0, 0.4, 0.0])
    near = so.Monitor(two_robots, 0.0, thresholds=rules).update(q)
    assert bool(near.pairs) == (self_collision > 0.2)
    cell = so.Cell()
    for name, y in (("left", 0.0), ("right", 0.4)):
        cell.add_robot(two_robots.robots["left"].source, name=name, base=so.pose((0, y, 0)))
    both = so.Monitor(cell, 0.0, thresholds=rules).update(np.array([0.0, 3.0, 0.0] * 2))
    assert {tuple(sorted(p[:2])) for p in both.pairs} == (
        {("left/one", "right/one"), ("left/two", "right/two")} if across > 0.2 else set()
    )


def test_clearance_is_that_of_all_near_pairs_and_not_of_warnings_alone():
    cell = so.Cell()
    cell.add_body("ball", so.Sphere(1.0), moving=True)
    cell.add_body("post", so.Sphere(0.1), so.pose((0.85, 0.85, 0)))
    cycle = so.Monitor(cell, 0.01).update(NONE, np.eye(4)[None])
    assert cycle.safe and cycle.clearance == pytest.approx(0.85 * math.sqrt(2) - 1.1)


def test_the_first_witness_is_on_the_body_named_first():
    """Also where the first is the one that stands still, and the kernels see it second."""
    cell = so.Cell()
    cell.add_body("wall", so.Sphere(0.1))
    cell.add_body("ball", so.Sphere(0.1), moving=True)
    (warning,) = so.Monitor(cell, 0.5).update(NONE, so.pose((0.5, 0, 0))[None]).warnings
    assert (warning.a, warning.b) == ("wall", "ball")
    assert warning.point_a == pytest.approx((0.1, 0, 0))
    assert warning.point_b == pytest.approx((0.4, 0, 0))
    assert warning.normal == pytest.approx((-1, 0, 0))


def test_two_loads_in_one_gripper_add_up(two_robots):
    for name in ("nut", "bolt"):
        two_robots.add_body(name, so.Sphere(0.01))
        two_robots.attach(name, "left/two", q=np.zeros(6))
    monitor = so.Monitor(two_robots, 0.1, grasped={"nut": 0.02, "bolt": 0.03})
    monitor.update(np.zeros(6))
    assert monitor.buffers["left/one"] == pytest.approx(0.15)
    assert monitor.buffers["right/one"] == pytest.approx(0.1)


def test_a_body_of_many_primitives_is_one_pair():
    cell = so.Cell()
    cell.add_robot("builtin:panda", name="arm")
    cell.add_body("floor", so.HalfSpace(), so.pose((0, 0, 5)))
    cycle = so.Monitor(cell, 0.0, thresholds=so.Thresholds(self_collision=0.0)).update(np.zeros(8))
    names = [p[:2] for p in cycle.pairs]
    assert len(names) == len(set(names)) == len(cycle.warnings) > 5
    assert cycle.pairs == [(w.a, w.b, w.distance) for w in cycle.warnings]
    assert [w.distance for w in cycle.warnings] == sorted(w.distance for w in cycle.warnings)


@pytest.mark.parametrize("shape", [so.Capsule(0.05, 2.0), so.Box((0.1, 0.1, 2.0))])
def test_turning_on_the_spot_counts_as_motion(shape):
    cell = so.Cell(unwatched="allow")
    cell.add_body("rod", shape, moving=True)
    monitor = so.Monitor(cell, max_speed=1.0, period=0.01)
    monitor.update(NONE, np.eye(4)[None])
    turned = so.pose(rpy=(0.02, 0, 0))  # its ends move 20 mm, in 10 ms
    assert [f.kind for f in monitor.update(NONE, turned[None]).faults] == ["jump"]
    cell.add_body("ball", so.Sphere(0.1), moving=True)
    both = np.array([turned, so.pose((9, 9, 9), rpy=(0, 0, 0))])
    monitor.update(NONE, both)
    both[1] = so.pose((9, 9, 9), rpy=(1, 0, 0))
    assert monitor.update(NONE, both).safe  # a ball turns as it likes


def test_buffers_are_widest_while_nothing_is_known():
    buffer = so.separation(2.0, reaction=0.1, period=0.01, deceleration=10.0)
    cell = so.Cell(unwatched="allow")
    cell.add_body("ball", so.Sphere(0.1), moving=True)
    monitor = so.Monitor(cell, buffer, max_speed=2.0)
    said = []
    for given in (np.eye(4)[None], np.eye(4)[None], None, np.eye(4)[None]):
        monitor.update(NONE, given)
        said.append(monitor.buffers["ball"])
    assert said == pytest.approx([buffer.at(2.0), buffer.at(0.0), buffer.at(2.0), buffer.at(0.0)])


def test_numbers_of_another_type_or_order_are_read_as_they_are():
    """Copied at once, and not read value by value: that took ten times as long."""
    cell = so.Cell()
    cell.add_robot("builtin:arm7", name="arm")
    cell.add_body("ball", so.Sphere(0.1), moving=True)
    q, pose = np.linspace(0.0, 0.75, 7), so.pose((0.5, 0.25, 0.125))[None]
    wide = np.zeros((7, 2))
    wide[:, 0] = q
    plain, other = so.Monitor(cell, 0.5), so.Monitor(cell, 0.5)
    expected = plain.update(q, pose, 1.0)
    still = q.copy()
    still.setflags(write=False)
    for k, joints in enumerate((wide[:, 0], q.astype(np.float32), still)):
        time = 1.0 + 0.01 * k
        cycle = other.update(joints, pose.astype(np.float32), np.float64(time))
        assert [p[:2] for p in cycle.pairs] == [p[:2] for p in expected.pairs] and not cycle.faults
        assert cycle.clearance == pytest.approx(expected.clearance, abs=1e-6)
    assert [f.kind for f in other.update(np.full(7, np.nan, np.float32), pose, 1.03).faults]
