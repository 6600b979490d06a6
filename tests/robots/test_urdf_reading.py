"""What the reader makes of URDFs that are in order."""

import math

import numpy as np
import pytest

from standoff.geometry.primitives import Box, Capsule, Cylinder, Sphere
from standoff.robots.description import Mimic
from standoff.robots.urdf import read_robot
from tests.worlds.robot_files import collision, read_text, robot_text


def elements(link: str):
    return read_text(robot_text(link=link)).links["b"].elements


def test_attributes_left_out_take_the_defaults_of_the_format():
    joint = read_text(robot_text('<limit upper="2"/>')).joints["j"]
    assert np.array_equal(joint.origin, np.eye(4))
    assert joint.axis.tolist() == [1.0, 0.0, 0.0]
    assert (joint.lower, joint.upper, joint.velocity) == (0.0, 2.0, math.inf)
    assert joint.mimic is None


@pytest.mark.parametrize("scale", ["", "e308", "e-320"])
def test_an_axis_is_normalised(scale):
    joint = read_text(robot_text(f'<axis xyz="0 .3{scale} -.4{scale}"/><limit/>')).joints["j"]
    assert joint.axis == pytest.approx([0.0, 0.6, -0.8], abs=1e-15 if scale != "e-320" else 1e-3)


def test_a_continuous_joint_has_no_limits_and_says_so_where_the_file_gives_some():
    robot = read_text(robot_text('<limit lower="-1" upper="1" velocity="2"/>', kind="continuous"))
    joint = robot.joints["j"]
    assert (joint.lower, joint.upper, joint.velocity) == (-math.inf, math.inf, 2.0)
    assert any("continuous" in note for note in robot.notes)
    ball = collision('<sphere radius="1"/>')
    assert read_text(robot_text("", ball, kind="continuous")).notes == ()


def test_a_fixed_joint_needs_no_axis_and_no_limit():
    robot = read_text(robot_text('<axis xyz="0 0 0"/><limit lower="3" upper="1"/>', kind="fixed"))
    joint = robot.joints["j"]
    assert (joint.kind, joint.lower, joint.upper, joint.velocity) == ("fixed", 0.0, 0.0, 0.0)


def test_a_limit_without_bounds_holds_the_joint_and_is_noted():
    robot = read_text(robot_text('<limit effort="1" velocity="1"/>'))
    assert (robot.joints["j"].lower, robot.joints["j"].upper) == (0.0, 0.0)
    assert any("neither lower nor upper" in note for note in robot.notes)


def test_roll_pitch_yaw_turn_about_fixed_axes():
    origin = read_text(robot_text('<origin xyz="1 2 3" rpy="0.1 0.2 0.3"/><limit/>'))
    turn = origin.joints["j"].origin
    x, y, z = (np.array(a, float) for a in ((1, 0, 0), (0, 1, 0), (0, 0, 1)))

    def about(axis, angle):
        c, s = math.cos(angle), math.sin(angle)
        return np.array([c * v + s * np.cross(axis, v) + (1 - c) * (axis @ v) * axis
                         for v in np.eye(3)]).T  # fmt: skip

    assert turn[:3, 3].tolist() == [1.0, 2.0, 3.0]
    assert np.allclose(turn[:3, :3], about(z, 0.3) @ about(y, 0.2) @ about(x, 0.1), atol=1e-15)


def test_a_quaternion_of_urdf_1_1_is_x_y_z_w():
    robot = read_text(robot_text('<origin quat_xyzw="0 0 1 0"/><limit/>'))
    assert np.allclose(robot.joints["j"].origin[:3, :3], np.diag([-1.0, -1.0, 1.0]), atol=1e-15)


def test_every_primitive_is_read():
    shapes = [e.shape for e in elements(
        collision('<box size="1 2 3"/>')
        + collision('<sphere radius="0.5"/>')
        + collision('<cylinder radius="0.5" length="2"/>')
        + collision('<capsule radius="0.5" length="2"/>')
    )]  # fmt: skip
    assert shapes == [Box((1, 2, 3)), Sphere(0.5), Cylinder(0.5, 2), Capsule(0.5, 2)]


def test_a_collision_element_keeps_its_origin_and_name():
    (element,) = elements(
        '<collision name="pad"><origin xyz="1 0 0"/><geometry><sphere radius="1"/></geometry>'
        "</collision>"
    )
    assert element.name == "pad"
    assert element.origin[:3, 3].tolist() == [1.0, 0.0, 0.0]


def capped(gap: float = 0.0, radius: float = 0.1) -> str:
    return (
        collision(f'<sphere radius="{radius}"/>', f'<origin xyz="{0.2 + gap} 0 1"/>')
        + collision(
            '<cylinder radius="0.1" length="0.4"/>',
            '<origin xyz="0 0 1" rpy="0 1.5707963267948966 0"/>',
        )
        + collision('<sphere radius="0.1"/>', '<origin xyz="-0.2 0 1"/>')
    )


def test_a_cylinder_between_two_spheres_is_the_capsule_it_means():
    (element,) = elements(capped())
    assert isinstance(element.shape, Capsule)
    assert (element.shape.radius, element.shape.length) == pytest.approx((0.1, 0.4), abs=1e-15)
    assert np.allclose(element.origin[:3, 2], [1, 0, 0])
    assert np.allclose(element.origin[:3, 3], [0, 0, 1])


def test_the_capsule_holds_parts_that_do_not_meet_to_the_last_digit():
    (element,) = elements(capped(gap=9e-5, radius=0.1 + 5e-5))
    assert 0.1 + 9e-5 + 5e-5 - 1e-15 <= element.shape.radius <= 0.1 + 9e-5 + 5e-5 + 1e-12


@pytest.mark.parametrize("gap, radius", [(2e-4, 0.1), (0.0, 0.1002), (0.0, 0.09), (-0.4, 0.1)])
def test_spheres_elsewhere_or_of_another_size_stay_what_they_are(gap, radius):
    assert [type(e.shape) for e in elements(capped(gap, radius))] == [Sphere, Cylinder, Sphere]


def test_a_sphere_may_close_two_cylinders():
    elbow = (
        collision('<sphere radius="0.1"/>', '<origin xyz="0 0 1"/>')
        + collision('<sphere radius="0.1"/>', '<origin xyz="0 0 0"/>')
        + collision('<sphere radius="0.1"/>', '<origin xyz="0 0 3"/>')
        + collision('<cylinder radius="0.1" length="1"/>', '<origin xyz="0 0 0.5"/>')
        + collision('<cylinder radius="0.1" length="2"/>', '<origin xyz="0 0 2"/>')
        + collision('<sphere radius="0.3"/>', '<origin xyz="0 0 3"/>')
    )
    assert [e.shape for e in elements(elbow)] == [Capsule(0.1, 1), Capsule(0.1, 2), Sphere(0.3)]


def test_links_come_depth_first_and_joints_in_the_order_of_their_children():
    def joint(name, parent, child):
        return (
            f'<joint name="{name}" type="fixed"><parent link="{parent}"/><child link="{child}"/>'
            "</joint>"
        )

    robot = read_text(
        '<robot name="t">'
        + "".join(f'<link name="{n}"/>' for n in "fedcba")
        + joint("de", "d", "e") + joint("ab", "a", "b") + joint("ad", "a", "d")
        + joint("bc", "b", "c") + joint("df", "d", "f")
        + "</robot>"
    )  # fmt: skip
    assert robot.root == "a"
    assert list(robot.links) == ["a", "b", "c", "d", "e", "f"]
    assert list(robot.joints) == ["ab", "bc", "ad", "de", "df"]


def mimics(*chain: tuple[str, str]) -> str:
    """Joints j0, j1, … below one root, each with what is given inside it."""
    links = "".join(f'<link name="l{i}"/>' for i in range(len(chain)))
    joints = "".join(
        f'<joint name="j{i}" type="{kind}"><parent link="root"/><child link="l{i}"/>'
        f'<limit lower="-1" upper="{i + 1}"/>{inside}</joint>'
        for i, (kind, inside) in enumerate(chain)
    )
    return f'<robot name="m"><link name="root"/>{links}{joints}</robot>'


def test_a_mimic_keeps_its_own_limits_and_defaults_to_the_same_motion():
    joint = read_text(mimics(("prismatic", ""), ("prismatic", '<mimic joint="j0"/>'))).joints["j1"]
    assert (joint.mimic.joint, joint.mimic.multiplier, joint.mimic.offset) == ("j0", 1.0, 0.0)
    assert (joint.lower, joint.upper) == (-1.0, 2.0)


def test_a_chain_of_mimics_leads_to_the_master():
    robot = read_text(mimics(
        ("revolute", '<mimic joint="j1" multiplier="2" offset="0.5"/>'),
        ("revolute", '<mimic joint="j2" multiplier="-3" offset="0.25"/>'),
        ("revolute", ""),
    ))  # fmt: skip
    mimic = robot.joints["j0"].mimic
    # q0 = 2 q1 + 0.5 with q1 = -3 q2 + 0.25
    assert (mimic.joint, mimic.multiplier, mimic.offset) == ("j2", -6.0, 1.0)


def test_a_long_chain_of_mimics_took_minutes():
    n = 20_000
    joints = "".join(
        f'<joint name="j{i}" type="continuous"><parent link="l{i}"/><child link="l{i + 1}"/>'
        + (f'<mimic joint="j{i + 1}" multiplier="-1" offset="0.5"/>' if i < n - 1 else "")
        + "</joint>"
        for i in range(n)
    )
    links = "".join(f'<link name="l{i}"/>' for i in range(n + 1))
    robot = read_text(f'<robot name="r">{links}{joints}</robot>')
    for i, joint in enumerate(list(robot.joints.values())[:-1]):
        odd = (n - 1 - i) % 2  # an even number of flips about 0.25 is none
        assert joint.mimic == Mimic(f"j{n - 1}", -1.0 if odd else 1.0, 0.5 if odd else 0.0)


def test_a_mimic_of_a_fixed_joint_of_its_own_moves_nothing_and_is_noted():
    robot = read_text(mimics(("revolute", ""), ("fixed", '<mimic joint="j0"/>')))
    assert robot.joints["j1"].mimic is None
    assert any("mimic" in note for note in robot.notes)


def test_what_does_not_matter_is_passed_over():
    robot = read_text(robot_text(
        '<limit/><dynamics damping="x"/><safety_controller k_velocity="1"/><calibration/>',
        "<visual><geometry><teapot/></geometry></visual><inertial/>"
        + collision('<sphere radius="1"/>'),
        more='<material name="m"/><transmission/><gazebo reference="a"><deep><er/></deep></gazebo>'
        "<ros2_control/>",
    ))  # fmt: skip
    assert len(robot.notes) == 1  # the empty limit


def test_vendor_extensions_are_passed_over_with_a_note():
    robot = read_text(robot_text(
        more='<vendor_thing/><vendor_thing/><drake:x xmlns:drake="http://x"/>',
        link="<drake:y/>",
    ))  # fmt: skip
    assert any("2 unknown <vendor_thing>" in note for note in robot.notes)
    assert any("drake:x" in note for note in robot.notes)
    assert any("drake:y" in note for note in robot.notes)


def test_extensions_may_speak_of_the_links_and_joints_of_the_robot():
    """Those of simulators, controllers, Drake and Tesseract name bodies without being any."""
    robot = read_text(robot_text(
        link=collision('<sphere radius="1"/>').replace(
            "</geometry>",
            "</geometry><drake:proximity_properties><drake:rigid_hydroelastic/>"
            "</drake:proximity_properties>",
        )
        + '<sensor name="s"><contact><collision>x</collision></contact></sensor>',
        more='<transmission name="t"><joint name="j"/></transmission>'
        '<ros2_control name="c" type="system"><joint name="j"/></ros2_control>'
        '<gazebo reference="b"><collision>x</collision><link name="y"/></gazebo>'
        '<sensor name="s"><parent link="b"/><link/></sensor>'
        '<drake:collision_filter_group name="g"><drake:member link="b"/>'
        "</drake:collision_filter_group>"
        '<tesseract:make_convex/>',
    ))  # fmt: skip
    assert len(robot.links["b"].elements) == 1
    assert len(robot.notes) == 3  # of Drake and Tesseract


def test_links_that_are_drawn_but_not_watched_vanished_without_a_note():
    drawn = '<visual><geometry><mesh filename="x"/></geometry></visual>'
    ball = collision('<sphere radius="1"/>')
    chain = "".join(
        f'<link name="{name}">{inside}</link><joint name="{name}j" type="fixed">'
        f'<parent link="b"/><child link="{name}"/></joint>'
        for name, inside in (("c", drawn), ("d", ""), ("e", drawn + drawn), ("f", drawn + ball))
    )
    notes = read_text(robot_text(link=ball, more=chain)).notes
    assert len(notes) == 1
    assert notes[0].endswith("a visual and no collision geometry are not watched: c, e")


def test_a_robot_without_any_collision_geometry_gave_no_note():
    assert any("no collision geometry at all" in n for n in read_text(robot_text()).notes)
    notes = read_text(robot_text(link="<visual/>")).notes
    assert [note.endswith("not watched: b") for note in notes] == [True, False]
    assert "no collision geometry at all" in notes[1]


def test_stray_text_is_noted():
    robot = read_text(robot_text(more="oops", link="\\"))
    assert any("'oops'" in note for note in robot.notes)
    assert any("link 'b'" in note and "stray text" in note for note in robot.notes)


def test_geometry_may_be_left_out_on_request(tmp_path):
    path = tmp_path / "r.urdf"
    path.write_text(robot_text(link=collision('<mesh filename="missing.stl"/>')))
    robot = read_robot(path, geometry="none")
    assert robot.links["b"].elements == ()
    assert any("left out" in note for note in robot.notes)


def test_poses_and_axes_cannot_be_written_to():
    joint = read_text(robot_text()).joints["j"]
    for array in (joint.origin, joint.axis):
        with pytest.raises(ValueError):
            array[0] = 1.0


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "latin-1", "cp1252"])
def test_declared_encodings_are_understood(encoding):
    text = f'<?xml version="1.0" encoding="{encoding}"?>' + robot_text().replace('"b"', '"bé"')
    assert "bé" in read_text(text.encode(encoding)).links
