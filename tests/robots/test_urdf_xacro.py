"""Xacro files, where the package is installed and where it is not."""

import sys

import pytest

from standoff.errors import MissingPackageError, RobotError
from standoff.robots.urdf import read_robot

XACRO = """<robot name="x" xmlns:xacro="http://ros.org/wiki/xacro">
  <xacro:property name="half" value="0.25"/>
  <xacro:macro name="arm" params="n">
    <link name="l${n}">
      <collision><geometry><sphere radius="${2 * half}"/></geometry></collision>
    </link>
  </xacro:macro>
  <xacro:arm n="0"/>
  <xacro:arm n="1"/>
  <joint name="j" type="continuous"><parent link="l0"/><child link="l1"/></joint>
</robot>"""


def write(tmp_path, text):
    path = tmp_path / "x.urdf.xacro"
    path.write_text(text)
    return path


def test_macros_are_expanded(tmp_path):
    pytest.importorskip("xacro")
    robot = read_robot(write(tmp_path, XACRO))
    assert list(robot.links) == ["l0", "l1"]
    assert robot.links["l1"].elements[0].shape.radius == 0.5


@pytest.mark.parametrize("name", ["x.XACRO", "x.urdf.Xacro"])
def test_a_suffix_in_capitals_was_read_as_plain_urdf(tmp_path, name):
    pytest.importorskip("xacro")
    (tmp_path / name).write_text(XACRO)
    assert list(read_robot(tmp_path / name).links) == ["l0", "l1"]


def test_a_plain_urdf_may_have_its_suffix_in_capitals(tmp_path):
    (tmp_path / "x.Urdf").write_text('<robot name="r"><link name="a"/></robot>')
    assert read_robot(tmp_path / "x.Urdf").root == "a"


def test_without_the_package_the_message_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "xacro", None)
    with pytest.raises(MissingPackageError, match=r"x\.urdf\.xacro.*pip install xacro"):
        read_robot(write(tmp_path, XACRO))


@pytest.mark.parametrize(
    "text, part",
    [
        (XACRO.replace("2 * half", "1 / 0"), "division"),
        (XACRO.replace("2 * half", "unknown"), "unknown"),
        (XACRO.replace("2 * half", "'nan'"), "not a finite number"),
        (XACRO.replace("<xacro:arm ", "<xacro:leg "), "leg"),
        (XACRO.replace("</robot>", '<xacro:include filename="gone.xacro"/></robot>'), "gone"),
        (XACRO.replace("</robot>", ""), "not well-formed"),
        ('<!DOCTYPE r [<!ENTITY x "y">]>' + XACRO, "document type or entity"),
    ],
)
def test_bad_xacro(tmp_path, text, part, capsys):
    pytest.importorskip("xacro")
    with pytest.raises(RobotError) as caught:
        read_robot(write(tmp_path, text))
    assert part in str(caught.value) and "x.urdf.xacro" in str(caught.value)
    assert capsys.readouterr().err == ""


def test_an_error_after_expansion_names_the_element_but_no_line(tmp_path):
    pytest.importorskip("xacro")
    with pytest.raises(RobotError) as caught:
        read_robot(write(tmp_path, XACRO.replace("continuous", "ball")))
    assert "joint 'j' / type" in str(caught.value) and "line" not in str(caught.value)


def test_an_srdf_may_be_xacro_too(tmp_path):
    pytest.importorskip("xacro")
    srdf = tmp_path / "x.srdf.xacro"
    srdf.write_text(
        '<robot name="x" xmlns:xacro="http://ros.org/wiki/xacro">'
        '<disable_collisions link1="l${1 - 1}" link2="l1" reason="Adjacent"/></robot>'
    )
    assert read_robot(write(tmp_path, XACRO), srdf).disabled == {("l0", "l1"): "Adjacent"}
