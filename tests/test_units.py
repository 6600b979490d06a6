"""What looks like degrees or millimetres is named as such; what is honest is left alone."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest

import standoff as so
from standoff.errors import UnitsWarning
from standoff.units import joint_unit, time_unit, warn_body

READY = [0.0, -0.785, 0.0, -2.356, 0.0, 1.571, 0.785, 0.02]
#: The same in degrees and millimetres.
DEGREES = [*np.rad2deg(READY[:7]), 20.0]


@pytest.fixture
def honest():
    """Any warning of units is an error."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", UnitsWarning)
        yield


@pytest.fixture
def cell():
    made = so.Cell()
    made.add_robot("builtin:panda", name="arm")
    made.add_body("table", so.Box((0.6, 1.2, 0.04)), so.pose((0.6, 0.0, -0.1)))
    return made


def test_joint_values_in_degrees_are_doubted_where_they_come_in(cell):
    q = [*DEGREES[:7], 0.02]
    for use in (
        cell.set_state,
        cell.fk,
        cell.clearance,
        lambda q: so.PathChecker(cell).segment(READY, q),
        lambda q: so.PathChecker(cell).path([READY, q]),
        lambda q: so.PathChecker(cell).segments([READY], [q]),
        lambda q: so.PathChecker(cell).curve(so.paths.Pieces.path(np.array([READY, q]))),
        lambda q: so.Planner(cell).plan(READY, q, limits=False, timeout=0.01),
    ):
        with pytest.warns(UnitsWarning, match="fit as degrees; \\[rad] is wanted"):
            use(q)


def test_nothing_is_converted(cell):
    with pytest.warns(UnitsWarning):
        cell.set_state([*DEGREES[:7], 0.02])
    np.testing.assert_array_equal(cell.q[:7], DEGREES[:7])


def test_a_finger_in_millimetres_is_doubted(cell):
    with pytest.warns(UnitsWarning, match="fit as millimetres"):
        cell.set_state([*READY[:7], 20.0])


def test_a_planner_says_that_a_goal_looks_like_degrees(cell):
    with pytest.raises(so.errors.PlanError, match="these look like degrees"):
        so.Planner(cell).plan(READY, [*DEGREES[:7], 0.02])


def test_a_monitor_says_that_a_reading_looks_like_degrees(cell, honest):
    monitor = so.Monitor(cell, thresholds=so.Thresholds(self_collision=0.0))
    monitor.update(READY)
    faults = [f for f in monitor.update([*DEGREES[:7], 0.02]).faults if f.kind == "limits"]
    assert faults and all("look like degrees" in str(f) for f in faults)
    faults = monitor.update([*READY[:7], 0.05]).faults
    assert not any(f.hint for f in faults)


def test_a_warning_in_a_loop_is_shown_once(cell):
    checker = so.PathChecker(cell)
    with warnings.catch_warnings(record=True) as shown:
        warnings.simplefilter("default")
        for k in range(5):
            checker.segment(READY, [*(1.01**k * np.array(DEGREES[:7])), 0.02])
    assert [w.category for w in shown] == [UnitsWarning] and shown[0].filename == __file__


def test_a_joint_a_little_beyond_its_limits_is_not_doubted(cell, honest):
    low, high = cell.limits
    cell.set_state(high + 0.3)
    cell.set_state(2.0 * low)
    cell.set_state(np.where(np.isfinite(high), 0.9 + high, 0.0))


def test_joints_that_fit_in_no_unit_are_not_called_degrees():
    low, high = np.array([-1.0, -1.0]), np.array([1.0, 1.0])
    assert joint_unit([40.0, 30.0], low, high, ["rad", "rad"]) == "degrees"
    assert joint_unit([40.0, 300.0], low, high, ["rad", "rad"]) == ""
    assert joint_unit([math.nan, 40.0], low, high, ["rad", "rad"]) == "degrees"
    assert joint_unit([400.0, 0.5], low, high, ["m", "rad"]) == "millimetres"
    free = np.array([math.inf])
    assert joint_unit([720.0], -free, free, ["rad"]) == ""


@pytest.mark.parametrize("rpy", [(0, 0, 90), (180.0, 0, 0), (0.0, -45.0, 10.0)])
def test_a_pose_in_degrees_is_doubted(rpy):
    with pytest.warns(UnitsWarning, match="look like degrees"):
        found = so.pose(rpy=rpy)
    np.testing.assert_array_equal(found[:3, 3], 0.0)


def test_a_pose_of_a_full_turn_is_honest(honest):
    so.pose(rpy=(6.2832, -3.1416, 2 * math.pi))


def test_a_quaternion_is_given_in_either_order():
    w, x, y, z = 0.5, 0.1, -0.7, 0.5
    n = math.sqrt(w * w + x * x + y * y + z * z)
    one = so.pose(quaternion=np.array([w, x, y, z]) / n)
    np.testing.assert_array_equal(one, so.pose(quaternion_xyzw=np.array([x, y, z, w]) / n))
    with pytest.raises(so.errors.PoseError, match="one quaternion"):
        so.pose(quaternion=(1, 0, 0, 0), quaternion_xyzw=(0, 0, 0, 1))
    with pytest.raises(so.errors.PoseError, match="not both"):
        so.pose(quaternion_xyzw=(0, 0, 0, 1), rpy=(0, 0, 0))
    with pytest.raises(so.errors.PoseError, match="quaternion_xyzw"):
        so.pose(quaternion_xyzw=(0, 0, 1))


def test_the_identity_of_ros_is_named_where_it_is_half_a_turn():
    with pytest.warns(UnitsWarning, match="quaternion_xyzw="):
        found = so.pose((1.0, 0.0, 0.0), (0, 0, 0, 1))
    np.testing.assert_allclose(found[:3, :3], np.diag([-1.0, -1.0, 1.0]))


def test_quaternions_that_name_their_order_are_not_doubted(honest):
    np.testing.assert_array_equal(so.pose(quaternion_xyzw=(0, 0, 0, 1)), np.eye(4))
    so.pose(quaternion_xyzw=(1, 0, 0, 0))
    so.pose(quaternion=(1, 0, 0, 0))


@pytest.mark.parametrize(
    "make",
    [
        lambda cell: so.Monitor(cell, buffer=30),
        lambda cell: so.Monitor(cell, buffer={"arm": 10.0, "default": 0.02}),
        lambda cell: so.Monitor(cell, thresholds=so.Thresholds(self_collision=5)),
        lambda cell: so.Monitor(cell, thresholds=so.Thresholds(pairs={("arm", "table"): 20})),
        lambda cell: so.PathChecker(cell, 5.0),
        lambda cell: so.PathChecker(cell, clearances={("arm/panda_link7", "table"): 10.0}),
        lambda cell: so.PathChecker(cell, -30.0),
        lambda cell: so.Planner(cell, clearance=10),
    ],
)
def test_buffers_and_clearances_in_millimetres_are_doubted(cell, make):
    with pytest.warns(UnitsWarning, match="looks like millimetres"):
        make(cell)


def test_large_buffers_of_large_cells_are_not_doubted(cell, honest):
    so.Monitor(cell, buffer=2.0)
    cell.add_body("truck", so.Box((2.5, 12.0, 4.0)), moving=True)
    so.Monitor(cell, buffer=5.0, thresholds=so.Thresholds(robot_scene=8.0))
    cell.add_body("wall", so.Box((60.0, 0.2, 10.0)), so.pose((0.0, 20.0, 5.0)))
    so.PathChecker(cell, 30.0)


def test_bodies_in_millimetres_are_doubted(cell):
    for shape in (so.Box((400.0, 400.0, 20.0)), so.Cylinder(50.0, 800.0), so.Sphere(30.0)):
        with pytest.warns(UnitsWarning, match="body 'part'.*looks like millimetres"):
            cell.add_body("part", shape)
        cell.remove_body("part")
    with pytest.warns(UnitsWarning, match="pose of 'part': 500 m from all robots"):
        cell.add_body("part", so.Box((0.1, 0.1, 0.1)), so.pose((400.0, 300.0, 0.0)))
    with pytest.warns(UnitsWarning, match="pose of 'part'"):
        cell.move_body("part", so.pose((400.0, 0.0, 0.0)))
    with pytest.warns(UnitsWarning, match="base of 'other'"):
        cell.add_robot("builtin:panda", name="other", base=so.pose((0.0, 600.0, 0.0)))


def test_halls_and_grounds_are_not_doubted(cell, honest):
    cell.add_body("ground", so.Box((100.0, 100.0, 0.1)), so.pose((0.0, 0.0, -1.0)))
    cell.add_body("far", so.Box((20.0, 10.0, 5.0)), so.pose((60.0, 0.0, 0.0)))
    cell.add_body("floor", so.HalfSpace(), so.pose((0.0, 0.0, -1.0)))
    for k in range(150):
        cell.add_body(f"post{k}", so.Box((0.1, 0.1, 2.0)), so.pose((float(k), 3.0, 0.0)))
    so.Cell().add_body("at sea", so.Box((1.0, 1.0, 1.0)), so.pose((5e5, 4e6, 0.0)))


def test_a_mesh_file_in_millimetres_is_doubted(cell, tmp_path):
    corners = 120.0 * np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
    text = "".join(f"v {x:g} {y:g} {z:g}\n" for x, y, z in corners)
    file = tmp_path / "part.obj"
    file.write_text(text + "f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n")
    with pytest.warns(UnitsWarning, match="scale=0.001"):
        cell.add_body("part", so.Mesh.load(file))
    urdf = tmp_path / "odd.urdf"
    urdf.write_text(
        '<robot name="odd"><link name="base"/><link name="part"><collision><geometry>'
        '<mesh filename="part.obj"/></geometry></collision></link>'
        '<joint name="j" type="continuous">'
        '<parent link="base"/><child link="part"/><axis xyz="0 0 1"/></joint></robot>'
    )
    with pytest.warns(UnitsWarning, match='link odd/part.*scale="0.001 0.001 0.001"'):
        so.Cell().add_robot(urdf)
    urdf.write_text(urdf.read_text().replace('.obj"', '.obj" scale="0.001 0.001 0.001"'))
    with warnings.catch_warnings():
        warnings.simplefilter("error", UnitsWarning)
        so.Cell().add_robot(urdf)


def test_a_body_is_doubted_by_its_bounding_box():
    with warnings.catch_warnings():
        warnings.simplefilter("error", UnitsWarning)
        warn_body("it", np.zeros(3), np.array([1e4, 1e4, 0.0]))
        warn_body("it", np.zeros(3), np.array([19.9, 19.9, 19.9]))
    with pytest.warns(UnitsWarning, match="20.1 × 20.1 × 20.1 m"):
        warn_body("it", np.zeros(3), np.array([20.1, 20.1, 20.1]))


@pytest.mark.parametrize("unit", ["two_arms", "testbed"])
def test_shipped_cells_are_not_doubted(unit, honest):
    from standoff.view.files import open_cell

    made = open_cell(unit)
    so.Monitor(made)
    so.PathChecker(made)
    low, high = made.limits
    for q in (low, high, made.random(3)):
        made.set_state(np.where(np.isfinite(q), q, 0.0))


def test_times_since_1970_show_their_unit():
    now = 1.7e9
    assert [time_unit(now * k) for k in (1e3, 1e6, 1e9)] == ["ms", "us", "ns"]
    assert [time_unit(t) for t in (now, 0.0, 3.6e6, -now, 1e30, math.nan)] == [""] * 6
