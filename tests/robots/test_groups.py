"""Groups and named states of SRDFs: MoveIt's rules by laws of motion, Pinocchio's states."""

from xml.etree import ElementTree

import numpy as np
import pinocchio
import pytest

from standoff.robots.builtin import MODELS, model_path, srdf_path
from standoff.robots.description import GroupState
from standoff.robots.tree import Mount, Tree
from standoff.robots.urdf import read_robot
from tests.worlds.robot_files import example, read_text

ROBOTS = {
    "panda": ("panda_description/urdf/panda.urdf", "panda_description/srdf/panda.srdf"),
    "hyq": ("hyq_description/robots/hyq_no_sensors.urdf", "hyq_description/srdf/hyq.srdf"),
    "talos": ("talos_data/robots/talos_reduced.urdf", "talos_data/srdf/talos.srdf"),
    "romeo": ("romeo_description/urdf/romeo.urdf", "romeo_description/srdf/romeo.srdf"),
    "solo": ("solo_description/robots/solo12.urdf", "solo_description/srdf/solo.srdf"),
    "z1": ("z1_description/urdf/z1.urdf", "z1_description/srdf/z1.srdf"),
    "pr2": ("pr2_description/urdf/pr2.urdf", "pr2_description/srdf/pr2.srdf"),
}


@pytest.fixture(scope="module", params=ROBOTS)
def files(request):
    urdf, srdf = map(example, ROBOTS[request.param])
    return urdf, srdf, read_robot(urdf, srdf, geometry="none")


def moved(robot, base, tip):
    """The joints that change where the tip is, seen from the base; fixed joints cannot, and a
    mimic joint is one that moves by itself here."""
    tree = Tree([Mount("r", robot)])
    frames = [tree.link(f"r/{link}")[0] for link in (base, tip)]
    ways = [set[int]() for _ in frames]
    for way, frame in zip(ways, frames):
        while frame:
            way.add(frame)
            frame = int(tree.parent[frame])
    return {tree.frame_joint[f].removeprefix("r/") for f in ways[0] ^ ways[1]}


def test_a_group_is_what_its_parts_say(files):
    """By another reader of the file, and the frames of the joint tree for chains."""
    _, srdf, robot = files
    nodes = {node.get("name"): node for node in ElementTree.parse(srdf).getroot().findall("group")}
    moving = {name for name, joint in robot.joints.items() if joint.kind != "fixed"}
    above = {joint.child: name for name, joint in robot.joints.items()}
    assert robot.groups.keys() == nodes.keys() and any(robot.groups.values())
    for name, node in nodes.items():
        wanted = {joint.get("name") for joint in node.findall("joint")}
        wanted |= {above.get(link.get("name")) for link in node.findall("link")}
        for chain in node.findall("chain"):
            ends = chain.get("base_link"), chain.get("tip_link")
            if robot.links.keys() >= {*ends}:
                wanted |= moved(robot, *ends)
        for inner in node.findall("group"):
            wanted |= {*robot.groups.get(inner.get("name"), ())}
        assert {*robot.groups[name]} == wanted & moving
        assert list(robot.groups[name]) == [j for j in robot.joints if j in robot.groups[name]]


def test_named_states_are_those_pinocchio_reads(files):
    urdf, srdf, robot = files
    model = pinocchio.buildModelFromUrdf(str(urdf))
    model.referenceConfigurations["nothing"] = pinocchio.neutral(model)
    pinocchio.loadReferenceConfigurations(model, str(srdf), False)
    compared = 0
    for state in robot.states:
        theirs = model.referenceConfigurations[state.name]
        for name, value in state.values.items():
            joint = model.joints[model.getJointId(name)]
            at = theirs[joint.idx_q : joint.idx_q + joint.nq]
            exact = joint.nq == 1  # a continuous joint is a cosine and a sine
            assert at == value if exact else np.allclose(at, (np.cos(value), np.sin(value)))
            compared += 1
    stated = {node.get("name") for node in ElementTree.parse(srdf).getroot().iter("group_state")}
    assert {state.name for state in robot.states} <= stated
    assert compared >= 5 * len(stated)


LIMIT = '<limit lower="-1" upper="2"/>'
TREE = (
    '<robot name="r">'
    + "".join(f'<link name="{n}"/>' for n in "abcdef")
    + "".join(
        f'<joint name="{p}{c}" type="{kind}"><parent link="{p}"/><child link="{c}"/>'
        f"{'' if kind == 'fixed' else LIMIT}{more}</joint>"
        for p, c, kind, more in (
            ("a", "b", "revolute", ""),
            ("b", "c", "revolute", ""),
            ("c", "d", "fixed", ""),
            ("b", "e", "prismatic", ""),
            ("e", "f", "revolute", '<mimic joint="ab"/>'),
        )
    )
    + "</robot>"
)


def robot_groups(inside):
    return read_text(TREE, f'<robot name="r">{inside}</robot>')


@pytest.mark.parametrize(
    ("inside", "joints"),
    [
        ('<joint name="bc"/><joint name="ab"/>', ("ab", "bc")),
        ('<joint name="cd"/>', ()),
        ('<link name="a"/><link name="c"/>', ("bc",)),
        ('<link name="d"/>', ()),
        ('<chain base_link="a" tip_link="d"/>', ("ab", "bc")),
        ('<chain base_link="d" tip_link="a"/>', ("ab", "bc")),
        ('<chain base_link="d" tip_link="f"/>', ("bc", "be", "ef")),
        ('<chain base_link="b" tip_link="b"/>', ()),
        ('<chain base_link="b" tip_link="c"/><joint name="be"/>', ("bc", "be")),
        ('<group name="other"/><joint name="ef"/>', ("ab", "ef")),
    ],
)
def test_the_parts_of_a_group(inside, joints):
    robot = robot_groups(
        f'<group name="g">{inside}</group><group name="other"><link name="b"/></group>'
    )
    assert robot.groups == {"g": joints, "other": ("ab",)} and robot.notes[1:] == ()


def test_groups_that_contain_each_other():
    robot = robot_groups(
        '<group name="g"><group name="h"/><joint name="ab"/></group>'
        '<group name="h"><group name="g"/><joint name="bc"/></group>'
    )
    assert robot.groups == {"g": ("ab", "bc"), "h": ("ab", "bc")}


@pytest.mark.parametrize(
    ("inside", "note"),
    [
        ('<group name="g"><joint name="zz"/></group>', "joint 'zz' not in the robot"),
        ('<group name="g"><chain base_link="a" tip_link="zz"/></group>', "link 'zz' not in"),
        ('<group name="g"><group name="zz"/></group>', "no such group"),
        ('<group name="g"><jiont name="ab"/></group>', "unknown in a group"),
        ('<group name="g"/><group name="g"/>', "a second group of this name"),
        ('<group><joint name="ab"/></group>', "a group without a name"),
    ],
)
def test_what_a_group_leaves_out_is_noted(inside, note):
    robot = robot_groups(inside)
    assert not any(robot.groups.values())
    assert any(note in n for n in robot.notes)


def state(inside, name='name="s"', group='group="g"'):
    return (
        '<group name="g"><joint name="ab"/><joint name="bc"/></group>'
        f"<group_state {name} {group}>{inside}</group_state>"
    )


def value(joint, text):
    return f'<joint name="{joint}" value="{text}"/>'


def test_a_state_has_all_moving_joints_that_it_names():
    """Many files have states of joints beyond their group, or of a group that is not there."""
    robot = robot_groups(state(value("ab", "0.5") + value("be", "1e-1") + value("root", "0 0 1")))
    assert robot.states == (GroupState("s", "g", {"ab": 0.5, "be": 0.1}),)
    assert any("joints that its group does not have: be" in n for n in robot.notes)
    assert any("no moving joint of the robot" in n for n in robot.notes)
    for group in ("", 'group="h"'):
        robot = robot_groups(state(value("ab", " 0.1 "), group=group))
        assert robot.states == (GroupState("s", "", {"ab": 0.1}),)
        assert any("'h', which there is not" in n for n in robot.notes) == bool(group)


@pytest.mark.parametrize(
    ("inside", "note"),
    [
        (state(value("ab", "0.1") + value("bc", "nan")), "'bc' is not one finite number"),
        (state(value("ab", "0.1") + value("bc", "1e999")), "'bc' is not one finite number"),
        (state(value("ab", "0.1") + value("bc", "0 1")), "'bc' is not one finite number"),
        (state(value("ab", "0.1") + '<joint name="bc"/>'), "'bc' is not one finite number"),
        (state(value("ab", "0.1") + value("ab", "0.2")), "'ab' is given twice"),
        (state(value("ab", "0.1"), name=""), "a state without a name"),
        (state(value("root", "0.1")), "no value of a joint"),
    ],
)
def test_a_state_that_cannot_be_taken_is_left_out_whole_with_a_note(inside, note):
    robot = robot_groups(inside)
    assert robot.states == () and any(note in n for n in robot.notes)


@pytest.mark.parametrize("name", MODELS)
def test_states_of_builtin_models_are_within_their_limits(name):
    robot = read_robot(model_path(name), srdf_path(name))
    for one in robot.states:
        for joint, at in one.values.items():
            assert robot.joints[joint].lower <= at <= robot.joints[joint].upper


def test_the_panda_has_the_groups_and_states_of_moveit():
    robot = read_robot(model_path("panda"), srdf_path("panda"))
    arm = tuple(f"panda_joint{k}" for k in range(1, 8))
    assert robot.groups == {
        "panda_arm": arm,
        "hand": ("panda_finger_joint1", "panda_finger_joint2"),
    }
    assert [(s.group, s.name) for s in robot.states] == [
        ("panda_arm", "ready"), ("hand", "open"), ("hand", "close"),
    ]  # fmt: skip
    assert np.array(list(robot.states[0].values.values())).shape == (7,)
