"""SRDF: disabled pairs with their reasons, and what is refused."""

import pytest

from standoff.errors import RobotError
from standoff.robots.urdf import read_robot
from tests.worlds.robot_files import collision, example, read_text, shared

BALL = collision('<sphere radius="1"/>')
URDF = (
    '<robot name="r">'
    + "".join(f'<link name="{n}">{BALL}</link>' for n in "abcd")
    + "".join(
        f'<joint name="{p}{c}" type="fixed"><parent link="{p}"/><child link="{c}"/></joint>'
        for p, c in ("ab", "bc", "cd")
    )
    + "</robot>"
)


def with_srdf(inside: str, name: str = "r"):
    return read_text(URDF, f'<robot name="{name}">{inside}</robot>')


def pair(a: str, b: str, reason: str | None = "Never", tag: str = "disable_collisions") -> str:
    given = "" if reason is None else f' reason="{reason}"'
    return f'<{tag} link1="{a}" link2="{b}"{given}/>'


def refused(inside: str, *parts: str, name: str = "r"):
    with pytest.raises(RobotError) as caught:
        with_srdf(inside, name)
    for part in ("r.srdf", *parts):
        assert part in str(caught.value)


def test_pairs_are_sorted_and_keep_their_reason():
    robot = with_srdf(pair("c", "a") + pair("b", "d", None))
    assert robot.disabled == {("a", "c"): "Never", ("b", "d"): ""}
    assert robot.notes == ()


def test_a_pair_given_twice_keeps_both_reasons():
    robot = with_srdf(
        pair("a", "c") + pair("c", "a", "Default") + pair("a", "c") + pair("a", "c", None)
    )
    assert robot.disabled == {("a", "c"): "Never; Default"}


def test_a_link_the_robot_does_not_have_is_left_out_with_a_note():
    robot = with_srdf(pair("a", "gone") + pair("gone", "b") + pair("a", "c"))
    assert robot.disabled == {("a", "c"): "Never"}
    assert any("'gone' is not in the robot; 2 disabled pairs" in note for note in robot.notes)


def test_a_link_and_itself_is_noted():
    robot = with_srdf(pair("a", "a"))
    assert robot.disabled == {}
    assert any("itself" in note for note in robot.notes)


def test_the_name_may_differ_as_long_as_links_agree():
    robot = with_srdf(pair("a", "c"), name="other")
    assert robot.disabled == {("a", "c"): "Never"}
    assert any("'other'" in note and "'r'" in note for note in robot.notes)
    refused(pair("x", "y"), "another robot", "'other'", "'r'", name="other")
    refused("", "another robot", "'other'", "'r'", name="other")


def test_default_collisions_are_disabled_then_taken_back_then_added_to():
    robot = with_srdf(
        '<disable_default_collisions link="b"/>'
        + pair("b", "d", None, "enable_collisions")
        + pair("a", "d")
    )
    assert robot.disabled == {
        ("a", "b"): "disable_default_collisions of b",
        ("b", "c"): "disable_default_collisions of b",
        ("a", "d"): "Never",
    }
    assert any("the world stays watched" in note for note in robot.notes)


def test_a_pair_enabled_and_disabled_is_a_contradiction():
    refused(pair("a", "c") + pair("c", "a", None, "enable_collisions"), "both enabled and disabled",
            "('a', 'c')")  # fmt: skip


@pytest.mark.parametrize("kind, notes", [("fixed", 0), ("floating", 1), ("planar", 1)])
def test_a_virtual_joint_fixes_the_base(kind, notes):
    robot = with_srdf(
        f'<virtual_joint name="v" type="{kind}" parent_frame="world" child_link="a"/>'
    )
    assert robot.root == "a" and len(robot.joints) == 3
    assert len(robot.notes) == notes


def test_a_virtual_joint_of_an_unknown_type_or_to_another_link():
    joint = '<virtual_joint name="v" type="{}" parent_frame="world" child_link="{}"/>'
    refused(joint.format("ball", "a"), "virtual_joint 'v'", "'ball'", "fixed, floating or planar")
    assert any("not the root" in note for note in with_srdf(joint.format("fixed", "b")).notes)


def test_groups_and_end_effectors_disable_no_pair():
    robot = with_srdf(
        '<group name="g"><chain base_link="a" tip_link="d"/></group>'
        '<end_effector name="e" parent_link="d" group="g"/><passive_joint name="x"/>'
    )
    assert robot.disabled == {} and robot.notes == ()


def test_unknown_elements_are_noted_unless_they_are_about_collisions():
    assert any("<vendor>" in note for note in with_srdf("<vendor/>").notes)
    for tag in ("disable_collision", "enable_colisions_collision", "Disable_Collisions"):
        refused(f'<{tag} link1="a" link2="c"/>', f"unknown element <{tag}>", "<disable_collisions>")


@pytest.mark.parametrize("holder", ["vendor", "group", "v:x"])
def test_a_pair_lost_inside_another_element_is_refused(holder):
    """The pair would have been taken back from the default; lost, it would stay disabled."""
    lost = f"<{holder}><deep>{pair('a', 'c', None, 'enable_collisions')}</deep></{holder}>"
    refused(f'<disable_default_collisions link="a"/>{lost}', "unknown element <enable_collisions>")


@pytest.mark.parametrize(
    "inside, part",
    [
        ('<disable_collisions link1="a"/>', "no attribute 'link2'"),
        ('<disable_collisions link1="a" link2=""/>', "empty"),
        ('<disable_collisions link1="a" link2="b" why="x"/>', "unknown attribute 'why'"),
        ('<disable_collisions link1="a" link2="b"><x/></disable_collisions>', "unknown element"),
        ("<disable_default_collisions/>", "no attribute 'link'"),
        ("<xacro:x/>", "xacro"),
    ],
)
def test_bad_elements(inside, part):
    refused(inside, part)


def test_another_document_malformed_or_missing(tmp_path):
    with pytest.raises(RobotError, match="not an SRDF"):
        read_text(URDF, "<sdf/>")
    with pytest.raises(RobotError, match="no attribute 'name'"):
        read_text(URDF, "<robot/>")
    with pytest.raises(RobotError, match=r"r\.srdf.*not well-formed"):
        read_text(URDF, "<robot")
    with pytest.raises(RobotError, match="document type or entity"):
        read_text(URDF, '<!DOCTYPE r [<!ENTITY x "y">]><robot name="r"/>')
    (tmp_path / "r.urdf").write_text(URDF)
    with pytest.raises(RobotError, match=r"gone\.srdf"):
        read_robot(tmp_path / "r.urdf", tmp_path / "gone.srdf")


@pytest.mark.parametrize(
    "urdf, srdf, pairs",
    [
        ("panda_description/urdf/panda.urdf", "panda_description/srdf/panda.srdf", 35),
        (
            "baxter_description/urdf/baxter.urdf",
            "baxter_description/srdf/baxter_manipulation.srdf",
            397,
        ),
        ("pr2_description/urdf/pr2.urdf", "pr2_description/srdf/pr2_manipulation.srdf", 1199),
        ("ur_description/urdf/ur5_robot.urdf", "ur_description/srdf/ur5.srdf", 10),
    ],
)
def test_real_files_lose_no_pair(urdf, srdf, pairs):
    robot = read_robot(example(urdf), example(srdf), geometry="none")
    assert len(robot.disabled) == pairs
    assert all(a < b and a in robot.links and b in robot.links for a, b in robot.disabled)


def test_a_reduced_baxter_leaves_out_only_links_it_does_not_have():
    robot = read_robot(shared("baxter/baxter.urdf"), shared("baxter/baxter.srdf"), geometry="none")
    left_out = {note.split("'")[3] for note in robot.notes if "is not in the robot" in note}
    assert "sonar_ring" in left_out and not left_out & set(robot.links)
