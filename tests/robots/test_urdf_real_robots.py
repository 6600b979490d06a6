"""Real robots: nothing is lost on the way from the file, by a plain count and by Pinocchio."""

import xml.etree.ElementTree as ET

import numpy as np
import pinocchio
import pytest

from standoff.geometry.primitives import Capsule, Cylinder, Sphere
from standoff.robots.urdf import read_robot
from tests.worlds.robot_files import EXAMPLES, example, link_poses, shared


def count(path, what):
    return len(ET.parse(path).getroot().findall(what))


def moving(robot):
    return [joint for joint in robot.joints.values() if joint.kind != "fixed"]


@pytest.fixture(scope="module", params=EXAMPLES)
def pair(request):
    """Our reading of a robot without its meshes, and Pinocchio's."""
    path = example(EXAMPLES[request.param])
    return path, read_robot(path, geometry="none"), pinocchio.buildModelFromUrdf(str(path))


def test_links_and_joints_are_all_there(pair):
    path, robot, model = pair
    assert len(robot.links) == count(path, "link")
    assert len(robot.joints) == count(path, "joint") == len(robot.links) - 1
    assert {joint.name for joint in moving(robot)} == set(model.names[1:])
    mimics = [joint for joint in robot.joints.values() if joint.mimic is not None]
    assert len(mimics) == count(path, "joint/mimic")


def test_limits_are_those_pinocchio_reads(pair):
    _, robot, model = pair
    for joint in moving(robot):
        j = model.joints[model.getJointId(joint.name)]
        if joint.kind == "continuous":
            assert (joint.lower, joint.upper) == (-np.inf, np.inf)
        else:
            assert joint.lower == model.lowerPositionLimit[j.idx_q]
            assert joint.upper == model.upperPositionLimit[j.idx_q]
        if np.isfinite(joint.velocity):
            assert joint.velocity == model.upperVelocityLimit[j.idx_v]


def test_links_are_where_pinocchio_puts_them(pair):
    """Mimics stand by themselves here, since Pinocchio reads them as joints of their own."""
    _, robot, model = pair
    free = {name: joint.mimic is None for name, joint in robot.joints.items()}
    data, rng = model.createData(), np.random.default_rng(7)
    for _ in range(20):
        q, values = pinocchio.neutral(model), {}
        for joint in moving(robot):
            if free[joint.name]:
                low, high = max(joint.lower, -3.0), min(joint.upper, 3.0)
                values[joint.name] = rng.uniform(low, high)
        for joint in moving(robot):
            value = values.get(joint.name)
            if joint.mimic is not None:
                value = joint.mimic.multiplier * values[joint.mimic.joint] + joint.mimic.offset
            j = model.joints[model.getJointId(joint.name)]
            if j.nq == 2:
                q[j.idx_q : j.idx_q + 2] = np.cos(value), np.sin(value)
            else:
                q[j.idx_q] = value
        pinocchio.framesForwardKinematics(model, data, q)
        for name, pose in link_poses(robot, values).items():
            theirs = data.oMf[model.getFrameId(name, pinocchio.FrameType.BODY)].homogeneous
            assert np.abs(pose - theirs).max() < 1e-9


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_collision_element_is_read(name):
    path = example(EXAMPLES[name])
    robot = read_robot(path)
    elements = [element for link in robot.links.values() for element in link.elements]
    capsules = sum(isinstance(element.shape, Capsule) for element in elements)
    assert len(elements) + 2 * capsules == count(path, "link/collision")
    meshes = [e.shape for e in elements if type(e.shape).__name__ == "Mesh"]
    assert len(meshes) == count(path, "link/collision/geometry/mesh")
    files = {
        (mesh.get("filename"), mesh.get("scale"))
        for mesh in ET.parse(path).getroot().findall("link/collision/geometry/mesh")
    }
    assert len({id(mesh) for mesh in meshes}) <= len(files)


def test_the_cylinders_and_spheres_of_the_panda_are_the_capsules_they_mean():
    path = example(EXAMPLES["panda_collision"])
    robot = read_robot(path)
    shapes = [e.shape for link in robot.links.values() for e in link.elements]
    kinds = {kind: sum(isinstance(s, kind) for s in shapes) for kind in (Capsule, Cylinder, Sphere)}
    assert kinds == {
        Capsule: count(path, "link/collision/geometry/cylinder"),
        Cylinder: 0,
        Sphere: 0,
    }
    first = robot.links["panda_link1"].elements[0]
    assert (first.shape.radius, first.shape.length) == pytest.approx((0.09, 0.283), abs=1e-12)


@pytest.mark.parametrize(
    "name, srdf, elements",
    [
        ("panda/panda.urdf", "panda/panda.srdf", 11),
        ("panda/panda_spherized.urdf", "panda/panda.srdf", None),
        ("baxter/baxter.urdf", "baxter/baxter.srdf", None),
        ("baxter/baxter_spherized.urdf", "baxter/baxter.srdf", None),
        ("irb2400/abb_irb2400.urdf", "irb2400/abb_irb2400.srdf", 7),
    ],
)
def test_robots_of_other_hands(name, srdf, elements):
    path = shared(name)
    robot = read_robot(path, shared(srdf))
    read = sum(len(link.elements) for link in robot.links.values())
    assert read == (elements or count(path, "link/collision"))
    assert robot.disabled
