"""Each kind of bad URDF gets an error that says where, what and what is allowed."""

import os
import random
import re
from pathlib import Path

import pytest

from standoff.errors import MeshError, RobotError
from standoff.robots import xml
from standoff.robots.urdf import read_robot
from standoff.robots.xml import MAX_XML_BYTES, MAX_XML_DEPTH
from tests.worlds.robot_files import collision, read_text, robot_text


def refused(text, *parts, kind=RobotError):
    """The error about a text; its message has the file and all parts."""
    with pytest.raises(kind) as caught:
        read_text(text)
    message = str(caught.value)
    for part in ("r.urdf", *parts):
        assert part in message, f"{part!r} not in {message!r}"
    return caught.value


# --- the file -----------------------------------------------------------------------------------


def test_a_missing_file(tmp_path):
    with pytest.raises(RobotError, match=r"gone\.urdf.*[Nn]o such file"):
        read_robot(tmp_path / "gone.urdf")


def test_a_folder(tmp_path):
    with pytest.raises(RobotError, match="a folder, not a file"):
        read_robot(tmp_path)


def test_a_pipe_is_refused_instead_of_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe.urdf")
    with pytest.raises(RobotError, match="not a regular file"):
        read_robot(tmp_path / "pipe.urdf")


def test_a_name_no_file_can_have():
    for name in ("a\0b.urdf", "x" * 5000):
        with pytest.raises(RobotError):
            read_robot(name)


def ascii_or_type(value):
    """A name for a test that is the same in every process."""
    return type(value).__name__ if " at 0x" in repr(value) else repr(value)


class BytesPath:
    def __fspath__(self):
        return b"r.urdf"


NO_PATHS = [5, 1.5, True, b"r.urdf", ["r.urdf"], object(), BytesPath(), "a\0b.urdf", "a\0.xacro"]


@pytest.mark.parametrize("given", [None, *NO_PATHS], ids=ascii_or_type)
def test_what_is_no_path_raised_errors_of_python(given):
    with pytest.raises(
        RobotError, match=r"the path of a robot is no path.*allowed: text or a Path"
    ):
        read_robot(given)


@pytest.fixture
def plain(tmp_path):
    (tmp_path / "r.urdf").write_text(robot_text())
    return tmp_path / "r.urdf"


@pytest.mark.parametrize("given", NO_PATHS, ids=ascii_or_type)
def test_what_is_no_path_of_an_srdf_or_a_folder_raised_errors_of_python(given, plain):
    with pytest.raises(RobotError, match="the path of an SRDF is no path"):
        read_robot(plain, given)
    with pytest.raises(RobotError, match="a folder of search_paths is no path"):
        read_robot(plain, search_paths=[plain.parent, given])


@pytest.mark.parametrize(
    "given", ["/opt/robots", b"/opt", Path("/opt"), None, 5], ids=ascii_or_type
)
def test_a_single_search_path_was_taken_apart_into_letters(given, plain):
    with pytest.raises(RobotError, match=r"search_paths.*allowed: a list of folders"):
        read_robot(plain, search_paths=given)


def test_an_empty_file(tmp_path):
    (tmp_path / "e.urdf").write_text("  \n")
    with pytest.raises(RobotError, match=r"e\.urdf.*empty"):
        read_robot(tmp_path / "e.urdf")


def test_a_hundred_megabytes_of_noise_are_refused_by_their_size(tmp_path):
    path = tmp_path / "noise.urdf"
    with open(path, "wb") as stream:
        block = random.Random(1).randbytes(1_000_000)
        for _ in range(100):
            stream.write(block)
    with pytest.raises(RobotError, match=f"too large.*100000000 bytes.*{MAX_XML_BYTES}"):
        read_robot(path)


def test_binary_junk():
    refused(random.Random(2).randbytes(50_000), "not well-formed XML", "line 1")


@pytest.mark.parametrize("name", ["no-such", "utf-7", "rot13", "utf-32", "hex", "idna"])
def test_an_encoding_that_does_not_fit(name):
    declared = f'<?xml version="1.0" encoding="{name}"?>'.encode()
    with pytest.raises(RobotError, match=r"r\.urdf"):
        read_text(declared + b"\xff\xfe" + robot_text().encode())


def test_bytes_that_are_not_the_declared_utf8():
    refused(b'<robot name="\xff\xfe"/>', "not well-formed XML")


# --- the XML ------------------------------------------------------------------------------------


def test_malformed_xml_is_shown_with_its_line():
    refused('<robot name="r">\n<link name="a"></robot>', "not well-formed XML: mismatched tag",
            "line 2", "</robot>")  # fmt: skip


BOMB = """<?xml version="1.0"?>
<!DOCTYPE bomb [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">
<!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;">]>
<robot name="&c;"/>"""
FILE_ENTITY = '<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]><robot name="&x;"/>'
EXTERNAL = '<!DOCTYPE r SYSTEM "http://localhost/r.dtd"><robot name="r"/>'


@pytest.mark.parametrize("text", [BOMB, FILE_ENTITY, EXTERNAL])
def test_entities_and_document_types_are_refused(text):
    refused(text, "document type or entity", "line")


def test_an_undeclared_entity():
    refused('<robot name="&x;"/>', "not well-formed XML: undefined entity")


def test_elements_nested_too_deeply():
    deep = "<a>" * 10_000 + "</a>" * 10_000
    refused(f'<robot name="r">{deep}</robot>', "nested too deeply", f"at most {MAX_XML_DEPTH}")


def test_a_name_of_a_megabyte_is_cut_in_the_message():
    for text in (
        robot_text(link=f"<{'x' * 1_000_000}/>"),
        robot_text(kind="ball").replace('"j"', f'"{"j" * 1_000_000}"'),
        robot_text(f"<limit {'x' * 1_000_000}='1'/>"),
    ):
        assert len(str(refused(text))) < 1000


def test_too_many_elements(monkeypatch):
    monkeypatch.setattr(xml, "MAX_XML_ELEMENTS", 50)
    refused(robot_text(more="<a/>" * 60), "too many elements", "at most 50")


# --- the robot ----------------------------------------------------------------------------------


def test_another_kind_of_document():
    refused("<sdf/>", "not a URDF", "<sdf>", "<robot>")


def test_a_robot_without_a_name():
    refused('<robot><link name="a"/></robot>', "robot (line 1)", "no attribute 'name'")


def test_a_robot_without_links():
    refused('<robot name="r"/>', "no <link>")


def test_an_unknown_version():
    refused('<robot name="r" version="2.0"><link name="a"/></robot>', "version", "'2.0'", "1.2")


@pytest.mark.parametrize("tag", ["Link", "Joint", "lnk", "joints", "jiont"])
def test_a_misspelt_link_or_joint(tag):
    refused(robot_text(more=f'<{tag} name="x"/>'), f"unknown element <{tag}>", "allowed: <")


LOST = '<link name="c">' + collision('<sphere radius="1"/>') + "</link>"


@pytest.mark.parametrize("holder", ["group", "v:x", "robot", "model", "v:gazebo", "material"])
@pytest.mark.parametrize(
    "lost", [LOST, f"<deep><er>{LOST}</er></deep>", "<v:link/>", "<joint/>", "<v:Collision/>"]
)
def test_bodies_inside_an_unknown_element_were_lost_with_a_note(holder, lost):
    error = refused(robot_text(more=f"<{holder}>{lost}</{holder}>"), f"{holder}", "would be lost")
    assert "<link> and <joint> in <robot>" in error.allowed


@pytest.mark.parametrize("tag", ["v:link", "v:joint", "drake:joint", "v:collision"])
def test_bodies_with_a_prefix_were_lost_with_a_note(tag):
    refused(robot_text(more=f'<{tag} name="x"/>'), f"unknown element <{tag}>", "allowed: <")


@pytest.mark.parametrize("text", [
    '<include filename="other.urdf"/>', '<xi:include href="x"/>', '<group><include/></group>',
])  # fmt: skip
def test_an_included_file_was_left_out_with_a_note(text):
    refused(robot_text(more=text), "include", "other files are not read in", "<xacro:include>")
    refused(robot_text(link=text.replace("group", "v:group")), "other files are not read in")


@pytest.mark.parametrize("tag", ["loop_joint", "drake:loop_joint"])
def test_a_joint_that_closes_a_loop_was_left_out_with_a_note(tag):
    text = f'<{tag} name="l" type="revolute"><link1 link="a"/><link2 link="b"/></{tag}>'
    refused(robot_text(more=text), "closed chains are not supported", "a tree of joints")


def test_macros_inside_an_unknown_element_were_lost_with_a_note():
    refused(robot_text(more="<group><xacro:arm/></group>"), "<xacro:arm>", "*.xacro")


def test_macros_in_a_plain_urdf():
    for text in (robot_text(more="<xacro:arm/>"), robot_text(link="<xacro:shape/>")):
        refused(text, "<xacro:", "not xacro", "*.xacro")


# --- links and shapes ---------------------------------------------------------------------------


def test_a_doubled_link():
    refused(robot_text(more='<link name="a"/>'), "link 'a' (line 5)", "a second link",
            "the first is link 'a' (line 2)")  # fmt: skip


def test_a_link_without_a_name():
    refused(robot_text(more="<link/>"), "link (line 5)", "no attribute 'name'")


BAD_NAMES = ["a&#10;b", "a&#9;b", "a&#13;", "a\x85b", "a\u2028b", "a\u202eb", "x" * 201]


@pytest.mark.parametrize("name", BAD_NAMES, ids=ascii)
def test_names_of_links_and_joints_could_break_lines_and_fill_pages(name):
    for text in (
        robot_text().replace('name="j"', f'name="{name}"'),
        robot_text().replace('"b"', f'"{name}"'),
    ):
        refused(text, "not a name", "line breaks or control characters, 1 to 200 characters")


@pytest.mark.parametrize("name", ["a b", "arm/link", "Gelenk ä", "関節", "x" * 200, "a'b"])
def test_names_that_may_be(name):
    assert name in read_text(robot_text().replace('"b"', f'"{name}"')).links


@pytest.mark.parametrize("inside", [
    "<v:collision/>", "<v:x>{}</v:x>", "<visual>{}</visual>", "<inertial><deep>{}</deep></inertial>"
])  # fmt: skip
def test_a_collision_elsewhere_in_a_link_was_lost(inside):
    lost = inside.format(collision('<sphere radius="1"/>'))
    refused(robot_text(link=lost), "link 'b'", "collision>", "<collision> in <link>")


@pytest.mark.parametrize("shape", [
    "<v:box size='1 1 1'/>", "<drake:ellipsoid a='1' b='1' c='1'/>",
    "<sphere radius='1'/><v:box size='9 9 9'/>",
])  # fmt: skip
def test_a_shape_with_a_prefix_was_lost_beside_another(shape):
    refused(robot_text(link=collision(shape)), "unknown shape", "box, sphere")


def test_what_is_read_here_was_passed_over_where_it_had_a_prefix():
    refused(robot_text("<limit/><v:origin xyz='1 0 0'/>"), "unknown element <v:origin>")
    ball = collision('<sphere radius="1"/>', '<v:origin xyz="1 0 0"/>')
    refused(robot_text(link=ball), "unknown element <v:origin>")


def test_messages_said_got_none_where_there_is_no_value():
    for text in (
        "<robot/>", '<robot name="r"/>', robot_text(""), robot_text(link="<collision/>"),
        robot_text(link=collision("<sphere/>")), robot_text(link=collision("")),
        robot_text("<limit/><mimic/>"), robot_text("<limit/><limit/>"), robot_text("<limt/>"),
        robot_text(more="<link/>"), robot_text(more="<lnk/>"), "<robot", "<robot>", "<",
        "<?xml version='1.0'?>", robot_text(more="<group><link/></group>"),
    ):  # fmt: skip
        error = refused(text)
        assert "None" not in str(error) and error.given == ("; got " in str(error))


def test_a_blank_name():
    refused(robot_text(more='<link name=" "/>'), "link ' '", "empty")


@pytest.mark.parametrize("tag", ["colision", "Collision", "collisions", "shape"])
def test_an_unknown_element_of_a_link(tag):
    refused(robot_text(link=f"<{tag}/>"), f"link 'b' / {tag}", "unknown element", "<collision>")


def test_a_link_with_an_origin_of_its_own():
    refused(robot_text(link='<origin xyz="0 0 1"/>'), "link 'b' / origin", "origin of its joint")


def test_an_unknown_shape():
    refused(robot_text(link=collision('<cone radius="1"/>')),
            "link 'b' / collision / geometry / cone", "unknown element <cone>",
            "<box>, <sphere>, <cylinder>, <capsule>, <mesh>")  # fmt: skip


def test_a_second_shape_or_geometry():
    two = '<sphere radius="1"/><box size="1 1 1"/>'
    refused(robot_text(link=collision(two)), "geometry / box", "2 shapes", "exactly one")
    double = collision('<sphere radius="1"/>').replace("</geometry>", "</geometry><geometry/>")
    refused(robot_text(link=double), "a second <geometry>")


def test_no_shape_or_no_geometry():
    refused(robot_text(link=collision("")), "geometry", "0 shapes")
    refused(robot_text(link="<collision/>"), "link 'b' / collision", "no <geometry>")


BAD_SIZES = [
    ('<sphere radius="-1"/>', "radius", "-1"),
    ('<sphere radius="0"/>', "radius", "0"),
    ('<cylinder radius="1" length="-2"/>', "length", "-2"),
    ('<cylinder radius="1" length="0"/>', "length", "0"),
    ('<capsule radius="0" length="1"/>', "radius", "0"),
    ('<capsule radius="1" length="-1"/>', "length", "-1"),
    ('<box size="1 -2 3"/>', "size[1]", "-2"),
    ('<box size="0 0 0"/>', "size", "0"),
    ('<sphere radius="1e7"/>', "radius", "10000000"),
    ('<mesh filename="x.stl" scale="1 0 1"/>', "scale", "(1.0, 0.0, 1.0)"),
]


@pytest.mark.parametrize("shape, part, value", BAD_SIZES)
def test_negative_zero_and_absurd_sizes(shape, part, value):
    tag = re.match(r"<(\w+)", shape).group(1)
    error = refused(robot_text(link=collision(shape)), f"link 'b' / collision / geometry / {tag}",
                    part, value, "allowed: ")  # fmt: skip
    assert error.allowed


@pytest.mark.parametrize(
    "shape, part",
    [
        ("<sphere/>", "'radius'"),
        ('<cylinder radius="1"/>', "'length'"),
        ("<box/>", "'size'"),
        ("<mesh/>", "'filename'"),
        ('<sphere radius="1" length="2"/>', "unknown attribute 'length'"),
        ('<cylinder radius="1" height="2"/>', "unknown attribute 'height'"),
    ],
)
def test_attributes_missing_or_unknown(shape, part):
    refused(robot_text(link=collision(shape)), "link 'b' / collision / geometry /", part)


@pytest.mark.parametrize(
    "value", ["nan", "inf", "-inf", "1e400", "", "one", "1,5", "1_0", "0x1", "${r}", "1 2", "١"]
)
def test_what_is_not_one_finite_number(value):
    refused(robot_text(link=collision(f'<sphere radius="{value}"/>')),
            "sphere (line 3) / radius", repr(value), "one finite number")  # fmt: skip


@pytest.mark.parametrize("value", ["nan 0 0", "0 0", "0 0 0 0", "0, 0, 0", "0 inf 0", ""])
@pytest.mark.parametrize("place", ["xyz", "rpy"])
def test_what_is_not_three_finite_numbers(place, value):
    refused(robot_text(f'<limit/><origin {place}="{value}"/>'),
            f"joint 'j' / origin (line 4) / {place}", repr(value), "3 finite numbers")  # fmt: skip


def test_a_number_of_a_million_digits():
    refused(robot_text(link=collision(f'<sphere radius="{"1" * 1_000_000}"/>')), "not a number")


def test_an_origin_beyond_all_reason():
    refused(robot_text('<limit/><origin xyz="0 1e300 0"/>'), "too far", "1e+300", "at most")


def test_a_quaternion_that_is_none():
    refused(robot_text('<limit/><origin quat_xyzw="0 0 0 2"/>'),
            "joint 'j' / origin", "quaternion has length 2", "length 1")  # fmt: skip
    refused(robot_text('<limit/><origin quat_xyzw="0 0 0 1" rpy="0 0 0"/>'), "one of them")


# --- joints -------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["floating", "planar"])
def test_joints_with_several_positions_are_refused(kind):
    refused(robot_text(kind=kind), "joint 'j'", kind, "revolute, continuous, prismatic, fixed",
            "placed by the cell")  # fmt: skip


@pytest.mark.parametrize("kind", ["ball", "Revolute", "revolute ", "screw"])
def test_an_unknown_joint_type(kind):
    refused(robot_text(kind=kind), "joint 'j' (line 4) / type", "unknown joint type", repr(kind),
            "revolute, continuous, prismatic, fixed")  # fmt: skip


def test_a_joint_without_a_type():
    refused(robot_text().replace('type="revolute"', ""), "joint 'j'", "no attribute 'type'")


@pytest.mark.parametrize("kind", ["revolute", "prismatic"])
def test_a_missing_limit(kind):
    refused(robot_text("", kind=kind), "joint 'j'", f"a {kind} joint without <limit>")


def test_a_lower_limit_above_the_upper():
    refused(robot_text('<limit lower="2" upper="-1"/>'), "joint 'j' / limit", "(2.0, -1.0)",
            "lower <= upper")  # fmt: skip


def test_a_negative_speed():
    refused(robot_text('<limit velocity="-1"/>'), "limit (line 4) / velocity", "-1")


def test_a_limit_that_is_not_finite():
    refused(robot_text('<limit lower="-inf" upper="1"/>'), "limit (line 4) / lower", "'-inf'")


def test_an_axis_without_direction():
    refused(robot_text('<limit/><axis xyz="0 0 0"/>'), "joint 'j' / axis (line 4) / xyz",
            "no direction", "not 0")  # fmt: skip
    refused(robot_text("<limit/><axis/>"), "joint 'j' / axis", "no attribute 'xyz'")


@pytest.mark.parametrize("tag", ["parent", "child"])
def test_an_end_that_is_missing_doubled_or_unknown(tag):
    text = robot_text()
    end = re.search(f'<{tag} link="."/>', text).group()
    refused(text.replace(end, ""), "joint 'j'", f"no <{tag}>")
    refused(text.replace(end, end + end), f"a second <{tag}>")
    refused(text.replace(end, f"<{tag}/>"), f"joint 'j' / {tag}", "no attribute 'link'")
    refused(text.replace(end, f'<{tag} link="bb"/>'), "joint 'j'", f"unknown {tag} link", "'bb'",
            "did you mean 'b'")  # fmt: skip


@pytest.mark.parametrize("tag", ["origin", "axis", "limit", "mimic"])
def test_doubled_parts_of_a_joint(tag):
    part = {"axis": '<axis xyz="1 0 0"/>', "mimic": '<mimic joint="k"/>'}.get(tag, f"<{tag}/>")
    refused(robot_text(part * 2 + ("<limit/>" if tag != "limit" else "")), f"a second <{tag}>")


@pytest.mark.parametrize("tag", ["limits", "axes", "Origin", "range"])
def test_an_unknown_element_of_a_joint(tag):
    refused(robot_text(f"<limit/><{tag}/>"), f"joint 'j' / {tag}", "unknown element", "<limit>")


@pytest.mark.parametrize("name", ["lowr", "min", "Upper"])
def test_an_unknown_attribute_of_a_limit(name):
    refused(robot_text(f'<limit {name}="1"/>'), "joint 'j' / limit", f"attribute '{name}'", "lower")


# --- the tree -----------------------------------------------------------------------------------


def tree(*joints: str, links: str = "abcd") -> str:
    """Fixed joints written as "ab": parent a, child b."""
    return (
        '<robot name="t">'
        + "".join(f'<link name="{name}"/>' for name in links)
        + "".join(
            f'<joint name="{j}" type="fixed"><parent link="{j[0]}"/><child link="{j[1]}"/></joint>'
            for j in joints
        )
        + "</robot>"
    )


def test_two_parents():
    refused(tree("ab", "ac", "bd", "cd"), "joint 'cd'", "'d' has two parents", "['b', 'c']", "'bd'")


def test_several_roots():
    refused(tree("ab", "cd"), "2 links without a parent", "['a', 'c']", "one tree")


def test_no_root():
    refused(tree("ab", "bc", "cd", "da"), "no root", "a -> b", "loop")


def test_a_loop_beside_the_tree():
    refused(tree("ab", "cd", "dc"), "joint '", "form a loop", "c -> d -> c", "no loops")


def test_a_link_that_is_its_own_parent():
    refused(tree("ab", "cc", links="abc"), "joint 'cc'", "loop", "c -> c")


def test_a_doubled_joint():
    refused(robot_text(more='<joint name="j" type="fixed"/>'), "a second joint", "'j'")


def test_a_tree_as_deep_as_it_is_long():
    n = 5_000
    text = (
        '<robot name="t">'
        + "".join(f'<link name="l{i}"/>' for i in range(n))
        + "".join(
            f'<joint name="j{i}" type="fixed"><parent link="l{i}"/><child link="l{i + 1}"/></joint>'
            for i in range(n - 1)
        )
        + "</robot>"
    )
    assert len(read_text(text).links) == n


def mimic(inside: str, other: str = "") -> str:
    return robot_text(
        f"<limit/>{inside}",
        more='<link name="c"/><joint name="k" type="revolute"><parent link="b"/><child link="c"/>'
        f"<limit/>{other}</joint>",
    )


def test_a_mimic_of_an_unknown_joint():
    refused(mimic('<mimic joint="kk"/>'), "joint 'j' / mimic", "unknown joint", "'kk'", "'k'")


def test_a_mimic_of_itself():
    refused(mimic('<mimic joint="j"/>'), "joint 'j' / mimic", "mimics itself", "j -> j")


def test_mimics_in_a_circle():
    refused(mimic('<mimic joint="k"/>', '<mimic joint="j"/>'), "mimics itself", "j -> k -> j")


def test_a_mimic_of_a_fixed_joint():
    text = mimic('<mimic joint="k"/>').replace('name="k" type="revolute"', 'name="k" type="fixed"')
    refused(text, "joint 'j' / mimic", "mimics a fixed joint", "'k'")


def test_a_mimic_without_a_joint_or_with_a_bad_number():
    refused(mimic("<mimic/>"), "joint 'j' / mimic", "no attribute 'joint'")
    refused(mimic('<mimic joint="k" multiplier="nan"/>'), "mimic (line 4) / multiplier", "'nan'")
    refused(mimic('<mimic joint="k" factor="2"/>'), "unknown attribute 'factor'")


def test_a_chain_of_mimics_that_overflows():
    refused(mimic('<mimic joint="k" multiplier="1e200"/>',
                  '<mimic joint="m" multiplier="1e200"/>').replace(
        "</robot>",
        '<link name="d"/><joint name="m" type="revolute"><parent link="c"/><child link="d"/>'
        "<limit/></joint></robot>"), "not finite")  # fmt: skip


# --- meshes -------------------------------------------------------------------------------------


def urdf_with_mesh(folder, filename: str, scale: str = ""):
    path = folder / "r.urdf"
    shape = f'<mesh filename="{filename}"{scale}/>'
    path.write_text(robot_text(link=collision(shape)))
    return path


def test_a_missing_mesh_lists_where_it_was_looked_for(tmp_path, monkeypatch):
    ros, ament, given = tmp_path / "ros", tmp_path / "ament", tmp_path / "given"
    monkeypatch.setenv("ROS_PACKAGE_PATH", str(ros))
    monkeypatch.setenv("AMENT_PREFIX_PATH", str(ament))
    path = urdf_with_mesh(tmp_path, "package://arm/m/x.stl")
    with pytest.raises(MeshError) as caught:
        read_robot(path, search_paths=[given])
    message = str(caught.value)
    for part in (
        str(path),
        "link 'b' / collision / geometry / mesh",
        "package://arm/m/x.stl",
        str(tmp_path / "arm" / "m" / "x.stl"),
        str(given / "arm" / "m" / "x.stl"),
        str(ros / "arm" / "m" / "x.stl"),
        str(ament / "share" / "arm" / "m" / "x.stl"),
    ):
        assert part in message


@pytest.mark.parametrize("url", ["http://localhost/x.stl", "https://x/y.stl", "ftp://x/y.stl"])
def test_meshes_are_not_fetched(tmp_path, url):
    with pytest.raises(RobotError, match=r"mesh \(line 3\) / filename.*not fetched.*package://"):
        read_robot(urdf_with_mesh(tmp_path, url))


@pytest.mark.parametrize("reference", ["package://arm", "package://", "model:///"])
def test_a_package_reference_without_a_path(tmp_path, reference):
    with pytest.raises(RobotError, match=r"no package or no path; .*//name/path"):
        read_robot(urdf_with_mesh(tmp_path, reference))


def test_a_mesh_whose_name_no_file_can_have(tmp_path):
    with pytest.raises(MeshError, match="not found"):
        read_robot(urdf_with_mesh(tmp_path, "x" * 5000 + ".stl"))


NAN_STL = """solid s
facet normal 0 0 1
outer loop
vertex 0 0 0
vertex nan 0 0
vertex 0 1 0
endloop
endfacet
endsolid s
"""


@pytest.mark.parametrize(
    "name, content",
    [
        ("empty.stl", ""),
        ("nan.stl", NAN_STL),
        ("noise.stl", "not a mesh at all"),
        ("none.obj", "# nothing\n"),
        ("range.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 9\n"),
        ("noise.dae", "<COLLADA>"),
        ("x.step", "ISO-10303-21;"),
    ],
)
def test_a_mesh_that_cannot_be_used_names_the_mesh_and_the_link(tmp_path, name, content):
    (tmp_path / name).write_text(content)
    path = urdf_with_mesh(tmp_path, name)
    with pytest.raises(MeshError) as caught:
        read_robot(path)
    message = str(caught.value)
    for part in (str(path), "link 'b'", str(tmp_path / name)):
        assert part in message


def test_a_folder_in_place_of_a_mesh(tmp_path):
    (tmp_path / "x.stl").mkdir()
    with pytest.raises(MeshError, match="not found"):
        read_robot(urdf_with_mesh(tmp_path, "x.stl"))


def test_an_unknown_way_to_read_geometry(tmp_path):
    with pytest.raises(RobotError, match=r"unknown geometry.*'seen'.*as_written"):
        read_robot(tmp_path / "r.urdf", geometry="seen")
