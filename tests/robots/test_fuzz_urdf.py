"""Ten thousand broken files: each gives a robot that holds together, or an error of ours."""

import random
import re
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from standoff.errors import Error
from standoff.robots import xml
from standoff.robots.builtin import MODELS, model_path, srdf_path
from standoff.robots.geometry import Meshes
from standoff.robots.packages import Packages
from standoff.robots.urdf import robot_of
from tests.worlds.robot_files import example

FILES = {"urdf": 10_000, "srdf": 3_000}

NASTY = (
    "nan", "inf", "-inf", "1e400", "-1", "0", "", " ", "1e308", "5e-324", "1 2", "1 2 3", "a", "..",
    "0x10", "1_0", "１", "${x}", "&amp;", "../../x", "package://x/y", "file:///", "http://x/y",
    "j1", "true", "-0", "+1", "1e", ".", "1.7976931348623157e308 0 0", "9" * 400,
    "floating", "fixed",
)  # fmt: skip
TAGS = ("link", "joint", "collision", "geometry", "mesh", "mimic", "origin", "xacro:x", "a:b", "x")

EVERYTHING = """<?xml version="1.0" encoding="utf-8"?>
<robot name="all" version="1.1" xmlns:v="http://v">
  <link name="base"><visual/><inertial/></link>
  <link name="one">
    <collision name="c"><origin xyz="0 0 1" rpy="0.1 0 0"/>
      <geometry><box size="1 2 3"/></geometry></collision>
    <collision><origin quat_xyzw="0 0 0 1"/><geometry><capsule radius="1" length="2"/></geometry>
    </collision>
    <collision><geometry><mesh filename="package://none/a" scale="1 1 1"/></geometry></collision>
    <collision><geometry><cylinder radius="0.1" length="0.4"/></geometry></collision>
    <collision><origin xyz="0 0 0.2"/><geometry><sphere radius="0.1"/></geometry></collision>
    <collision><origin xyz="0 0 -0.2"/><geometry><sphere radius="0.1"/></geometry></collision>
  </link>
  <link name="two"/>
  <link name="three"/>
  <joint name="j1" type="revolute"><parent link="base"/><child link="one"/>
    <origin xyz="1 2 3" rpy="0 0 1"/><axis xyz="0 1 0"/>
    <limit lower="-1" upper="1" velocity="2" effort="3"/></joint>
  <joint name="j2" type="prismatic"><parent link="one"/><child link="two"/><axis xyz="0 1 0"/>
    <limit lower="0" upper="1"/><mimic joint="j3" multiplier="2" offset="0.1"/></joint>
  <joint name="j3" type="continuous"><parent link="one"/><child link="three"/>
    <mimic joint="j1"/></joint>
  <transmission/><gazebo/><v:x/><vendor/>
</robot>
"""
PAIRS = """<robot name="all">
  <virtual_joint name="v" type="fixed" parent_frame="world" child_link="base"/>
  <group name="g"><link name="one"/></group>
  <disable_default_collisions link="two"/>
  <enable_collisions link1="two" link2="one"/>
  <disable_collisions link1="base" link2="three" reason="Never"/>
  <disable_collisions link1="gone" link2="three" reason="Never"/>
</robot>
"""


def flip(rng, data):
    i = rng.randrange(len(data))
    return data[:i] + bytes([rng.randrange(256)]) + data[i + 1 :]


def cut(rng, data):
    i = rng.randrange(len(data))
    return data[:i] + data[i + rng.randrange(1, 40) :]


def double(rng, data):
    i = rng.randrange(len(data))
    j = i + rng.randrange(1, 60)
    return data[:j] + data[i:j] + data[j:]


def truncate(rng, data):
    return data[: rng.randrange(len(data))]


def swap_lines(rng, data):
    lines = data.split(b"\n")
    i, j = rng.randrange(len(lines)), rng.randrange(len(lines))
    lines[i], lines[j] = lines[j], lines[i]
    return b"\n".join(lines)


def drop_line(rng, data):
    lines = data.split(b"\n")
    del lines[rng.randrange(len(lines))]
    return b"\n".join(lines)


def repeat_line(rng, data):
    lines = data.split(b"\n")
    i = rng.randrange(len(lines))
    lines.insert(rng.randrange(len(lines)), lines[i])
    return b"\n".join(lines)


def one_of(rng, pattern, data):
    found = list(re.finditer(pattern, data))
    return rng.choice(found) if found else None


def nasty_value(rng, data):
    value = one_of(rng, rb'="([^"]*)"', data)
    if value is None:
        return data
    new = rng.choice(NASTY).encode()
    words = value.group(1).split()
    if len(words) > 1 and rng.random() < 0.5:
        words[rng.randrange(len(words))] = new
        new = b" ".join(words)
    return data[: value.start(1)] + new + data[value.end(1) :]


def swap_values(rng, data):
    a, b = one_of(rng, rb'="([^"]*)"', data), one_of(rng, rb'="([^"]*)"', data)
    if a is None or b is None or a.start() == b.start():
        return data
    a, b = sorted((a, b), key=lambda match: match.start())
    return (
        data[: a.start(1)]
        + b.group(1)
        + data[a.end(1) : b.start(1)]
        + a.group(1)
        + data[b.end(1) :]
    )


def rename_attribute(rng, data):
    name = one_of(rng, rb' (\w+)="', data)
    new = rng.choice((b"name", b"link", b"x", b"a:b", b"type", b"xyz", b"quat_xyzw", b"scale"))
    return data if name is None else data[: name.start(1)] + new + data[name.end(1) :]


def rename_tag(rng, data):
    tag = one_of(rng, rb"<(\w+)", data)
    if tag is None:
        return data
    new = rng.choice(TAGS).encode()
    if rng.random() < 0.5:
        return re.sub(rb"(</?)" + tag.group(1) + rb"\b", rb"\1" + new, data)
    return data[: tag.start(1)] + new + data[tag.end(1) :]


MUTATIONS = (
    flip, cut, double, truncate, swap_lines, drop_line, repeat_line, nasty_value, nasty_value,
    nasty_value, swap_values, swap_values, rename_attribute, rename_tag, rename_tag,
)  # fmt: skip


def mutated(rng, data):
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        data = rng.choice(MUTATIONS)(rng, data) or b"<"
    return data


def holds_together(robot):
    seen = {robot.root}
    assert next(iter(robot.links)) == robot.root
    assert [joint.child for joint in robot.joints.values()] == list(robot.links)[1:]
    for name, joint in robot.joints.items():
        assert joint.name == name and joint.parent in seen
        seen.add(joint.child)
        assert np.isfinite(joint.origin).all() and abs(np.linalg.norm(joint.axis) - 1) < 1e-12
        assert joint.lower <= joint.upper and joint.velocity >= 0
        if joint.mimic is not None:
            master = robot.joints[joint.mimic.joint]
            assert master.mimic is None and master.kind != "fixed"
            assert np.isfinite([joint.mimic.multiplier, joint.mimic.offset]).all()
    for link in robot.links.values():
        for element in link.elements:
            assert np.isfinite(element.origin).all() and np.isfinite(element.shape.size_row).all()
            assert element.shape.volume >= 0
    assert all(a < b and a in robot.links and b in robot.links for a, b in robot.disabled)


def sources():
    found = [(EVERYTHING, PAIRS)]
    for name in MODELS:
        pairs = srdf_path(name)
        text = pairs.read_text() if pairs else PAIRS.replace('"all"', f'"{name}"')
        found.append((model_path(name).read_text(), text))
    panda = example("panda_description/urdf/panda_collision.urdf")
    found.append((panda.read_text(), example("panda_description/srdf/panda.srdf").read_text()))
    return [(urdf.encode(), srdf.encode()) for urdf, srdf in found]


@pytest.mark.parametrize("broken", ["urdf", "srdf"])
def test_a_broken_file_gives_a_robot_or_an_error_of_ours(broken, tmp_path, monkeypatch):
    monkeypatch.delenv("ROS_PACKAGE_PATH", raising=False)
    rng = random.Random(f"standoff {broken}")
    files = sources()
    whole = [xml.parse(urdf) for urdf, _ in files]
    place = Path(tmp_path) / "r.urdf"
    outcomes = Counter()
    for i in range(FILES[broken]):
        k = i % len(files)
        urdf, srdf = files[k]
        try:
            if broken == "urdf":
                robot = robot_of(
                    xml.parse(mutated(rng, urdf), "r.urdf"), None, Meshes(Packages(place))
                )
            else:
                whole[k].document.notes.clear()
                robot = robot_of(whole[k], xml.parse(mutated(rng, srdf), "r.srdf"), None)
        except Error as error:
            assert str(error)
            outcomes[re.sub(r"['<].*", "", error.problem)[:40]] += 1
        else:
            holds_together(robot)
            outcomes["robot"] += 1
    # The mutations reach past the XML parser: many robots survive, many kinds of error appear.
    assert outcomes["robot"] > FILES[broken] // 20
    assert len(outcomes) > (40 if broken == "urdf" else 10), outcomes
