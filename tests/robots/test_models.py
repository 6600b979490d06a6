"""The robots that come with the package: their figures, their covers, their allowed pairs."""

import itertools
import math

import numpy as np
import pinocchio
import pytest

from standoff.errors import UnknownNameError
from standoff.geometry.mesh import Mesh
from standoff.geometry.primitives import Capsule, Sphere
from standoff.robots.builtin import MODELS, model_path, srdf_path
from standoff.robots.urdf import read_robot
from tests.oracles import coal as coal_oracle
from tests.worlds.robot_files import EXAMPLES, example, link_poses, shared

pytestmark = pytest.mark.interpreted

INCH = 0.0254


def model(name):
    return read_robot(model_path(name), srdf_path(name))


def random_values(robot, rng):
    return {
        joint.name: rng.uniform(joint.lower, joint.upper)
        for joint in robot.joints.values()
        if joint.kind != "fixed" and joint.mimic is None
    }


def capsules(link):
    """Ends and radius of each capsule of a link, in the link's frame; a sphere has two equal."""
    for element in link.elements:
        half = getattr(element.shape, "length", 0.0) / 2 * element.origin[:3, 2]
        centre = element.origin[:3, 3]
        yield centre - half, centre + half, element.shape.radius


def beyond(points, link):
    """How far points (…, 3) are outside each capsule of a link: (capsules, …)."""
    return np.stack([_from_axis(points, a, b) - radius for a, b, radius in capsules(link)])


def _from_axis(points, a, b):
    along = b - a
    t = np.clip((points - a) @ along / max(along @ along, 1e-30), 0.0, 1.0)
    return np.linalg.norm(points - (a + t[..., None] * along), axis=-1)


def surface_is_covered(triangles, link):
    """Halve triangles until each lies in one capsule (which is convex, so its corners tell)."""
    while len(triangles):
        outside = beyond(triangles, link)
        if (outside.min(axis=0) > 0.0).any():
            return False
        triangles = triangles[(outside.max(axis=-1) > 0.0).all(axis=0)]
        if not len(triangles):
            return True
        edges = np.linalg.norm(triangles - np.roll(triangles, 1, axis=1), axis=2)
        if edges.max() < 1e-4:
            return False
        n, i = np.arange(len(triangles)), edges.argmax(axis=1)
        a, b, c = triangles[n, i], triangles[n, (i - 1) % 3], triangles[n, (i + 1) % 3]
        middle = (a + b) / 2
        halves = (np.stack([a, middle, c], axis=1), np.stack([middle, b, c], axis=1))
        triangles = np.concatenate(halves)
    return True


def triangles_of(element):
    """The surface of a mesh or of a box, in the link's frame."""
    if isinstance(element.shape, Mesh):
        corners = element.shape.vertices[element.shape.faces]
    else:
        points = element.shape.core()[0]
        sides = [(0, 1, 3, 2), (4, 5, 7, 6), (0, 1, 5, 4), (2, 3, 7, 6), (0, 2, 6, 4), (1, 3, 7, 5)]
        corners = np.array([points[[s[0], s[i], s[i + 1]]] for s in sides for i in (1, 2)])
    return corners @ element.origin[:3, :3].T + element.origin[:3, 3]


@pytest.mark.parametrize(
    "name, joints, shapes", [("arm7", 7, 7), ("irb2400", 6, 14), ("panda", 9, 21)]
)
def test_models_are_read_without_a_note(name, joints, shapes):
    robot = model(name)
    assert robot.name == name and robot.notes == ()
    assert sum(joint.kind != "fixed" for joint in robot.joints.values()) == joints
    elements = [element for link in robot.links.values() for element in link.elements]
    assert len(elements) == shapes
    assert all(isinstance(element.shape, Capsule | Sphere) for element in elements)
    assert all(math.isfinite(joint.velocity) for joint in robot.joints.values())


def test_an_unknown_model_offers_the_nearest():
    with pytest.raises(UnknownNameError, match=r"built-in robot 'pandas'.*'panda'"):
        model_path("pandas")
    assert MODELS == ("arm7", "irb2400", "panda")


def test_the_panda_moves_as_the_real_one():
    ours = model("panda")
    theirs = pinocchio.buildModelFromUrdf(str(example(EXAMPLES["panda"])))
    data, rng = theirs.createData(), np.random.default_rng(3)
    for _ in range(200):
        values = random_values(ours, rng)
        q = np.array([*values.values(), values["panda_finger_joint1"]])
        pinocchio.framesForwardKinematics(theirs, data, q)
        for link, pose in link_poses(ours, values).items():
            frame = data.oMf[theirs.getFrameId(link, pinocchio.FrameType.BODY)]
            assert np.abs(pose - frame.homogeneous).max() < 1e-9


def test_the_panda_has_the_limits_of_the_real_one():
    ours, theirs = model("panda"), read_robot(example(EXAMPLES["panda"]), geometry="none")
    assert list(ours.links) == list(theirs.links)
    for name, joint in ours.joints.items():
        real = theirs.joints[name]
        assert (joint.kind, joint.lower, joint.upper, joint.velocity) == (
            real.kind, real.lower, real.upper, real.velocity
        )  # fmt: skip
        assert (joint.mimic is None) == (real.mimic is None)


def test_the_capsules_of_the_panda_hold_the_real_collision_meshes():
    ours, theirs = model("panda"), read_robot(example(EXAMPLES["panda"]))
    for name, link in theirs.links.items():
        for element in link.elements:
            triangles = triangles_of(element)
            assert beyond(triangles, ours.links[name]).min(axis=0).max() <= 0.0
            assert surface_is_covered(triangles, ours.links[name])


def test_the_capsules_of_the_panda_are_slim():
    """The union of a link's capsules against the volume of its mesh, which is convex."""
    ours, theirs = model("panda"), read_robot(example(EXAMPLES["panda"]))
    rng, held, real = np.random.default_rng(5), 0.0, 0.0
    for name, link in theirs.links.items():
        if not any(isinstance(element.shape, Mesh) for element in link.elements):
            continue
        ends = list(capsules(ours.links[name]))
        lower = np.min([np.minimum(a, b) - r for a, b, r in ends], axis=0)
        upper = np.max([np.maximum(a, b) + r for a, b, r in ends], axis=0)
        points = rng.uniform(lower, upper, (20_000, 3))
        inside = (beyond(points, ours.links[name]).min(axis=0) <= 0.0).mean()
        volume, mesh = inside * np.prod(upper - lower), link.elements[0].shape.volume
        assert volume < 2.0 * mesh
        held, real = held + volume, real + mesh
    assert held < 1.45 * real


def test_the_irb_2400_has_its_public_dimensions():
    robot = model("irb2400")
    flange = link_poses(robot, {})["tool0"][:3, 3]
    assert flange == pytest.approx([0.1 + 0.755 + 0.085, 0.0, 0.615 + 0.705 + 0.135], abs=1e-12)
    ranges = [(-180, 180), (-100, 110), (-60, 65), (-200, 200), (-120, 120), (-400, 400)]
    speeds = [150, 150, 150, 360, 360, 450]
    joints = [joint for joint in robot.joints.values() if joint.kind == "revolute"]
    for joint, (lower, upper), speed in zip(joints, ranges, speeds, strict=True):
        assert np.degrees([joint.lower, joint.upper, joint.velocity]) == pytest.approx(
            [lower, upper, speed], abs=0.01
        )


def test_the_irb_2400_moves_and_covers_as_the_model_of_others():
    ours = model("irb2400")
    theirs = read_robot(shared("irb2400/abb_irb2400.urdf"))
    rng = np.random.default_rng(4)
    for _ in range(100):
        values = random_values(ours, rng)
        mine, yours = link_poses(ours, values), link_poses(theirs, values)
        for name in ("link_1", "link_2", "link_3", "link_5", "link_6"):
            assert np.abs(mine[name] - yours[name]).max() < 1e-12
        assert np.abs(mine["tool0"] - yours["tool0"]).max() < 1e-9
    at_rest, real = link_poses(ours, {}), link_poses(theirs, {})
    for name, link in theirs.links.items():
        for element in link.elements:
            shift = real[name][:3, 3] - at_rest[name][:3, 3]  # our link_4 starts at axis 3
            assert surface_is_covered(triangles_of(element) + shift, ours.links[name])


def test_the_arm_of_paper_000_reaches_75_inches():
    robot = model("arm7")
    poses = link_poses(robot, {})
    tips = [
        (poses[name] @ np.append(end, 1.0))[2] + radius
        for name, link in robot.links.items()
        for a, b, radius in capsules(link)
        for end in (a, b)
    ]
    assert max(tips) == pytest.approx(75 * INCH, abs=1e-9)
    assert [len(link.elements) for link in robot.links.values()] == [0] + [1] * 7


def test_no_joint_of_the_arm_of_paper_000_moves_a_point_faster_than_24_inches_a_second():
    robot = model("arm7")
    poses = link_poses(robot, {})
    for joint in robot.joints.values():
        reach = 75 * INCH - poses[joint.child][2, 3]
        if joint.axis[2] == 1.0:  # a roll swings what lies beyond the next pitch
            pitches = [j for j in robot.joints.values() if j.axis[1] == 1.0]
            beyond_next = [poses[j.child][2, 3] for j in pitches]
            starts = [z for z in beyond_next if z > poses[joint.child][2, 3] - 1e-12]
            reach = 75 * INCH - min(starts) if starts else 2.5 * INCH
        assert joint.velocity * reach <= 24 * INCH * (1 + 1e-3)


def apart(robot, values, a, b):
    """The distance of two links by Coal, negative where they overlap."""
    poses = link_poses(robot, values)
    return min(
        coal_oracle.distance(
            coal_oracle.geometry(x.shape), poses[a] @ x.origin,
            coal_oracle.geometry(y.shape), poses[b] @ y.origin,
        )[0]
        for x in robot.links[a].elements
        for y in robot.links[b].elements
    )  # fmt: skip


def test_the_shaft_of_the_irb_2400_is_always_inside_its_wrist():
    """Joint 5 alone changes the distance: joint 6 turns the shaft about its own axis. Between two
    grid points a step of h apart no point of the shaft moves by more than R h / 2."""
    robot = model("irb2400")
    (pair,) = robot.disabled
    assert pair == ("link_4", "link_6")
    lower, upper = robot.joints["joint_5"].lower, robot.joints["joint_5"].upper
    grid, axis_5 = np.linspace(lower, upper, 100), np.array([-0.085, 0.0, 0.0])
    reach = max(
        np.linalg.norm(end - axis_5) + radius
        for a, b, radius in capsules(robot.links["link_6"])
        for end in (a, b)
    )
    worst = max(apart(robot, {"joint_5": angle}, *pair) for angle in grid)
    assert worst + reach * (grid[1] - grid[0]) / 2 < 0.0


def test_the_fingers_of_the_panda_meet_when_closed_and_part_when_open():
    robot = model("panda")
    assert set(robot.disabled) == {("panda_leftfinger", "panda_rightfinger")}
    closed = apart(robot, {"panda_finger_joint1": 0.0}, "panda_leftfinger", "panda_rightfinger")
    opened = apart(robot, {"panda_finger_joint1": 0.04}, "panda_leftfinger", "panda_rightfinger")
    assert closed < 0.0 < opened


@pytest.mark.parametrize("name", MODELS)
def test_no_other_pair_overlaps_everywhere(name):
    robot = model(name)
    above = {joint.child: joint for joint in robot.joints.values()}

    def body(link):
        while link in above and above[link].kind == "fixed":
            link = above[link].parent
        return link

    def neighbours(a, b):
        a, b = body(a), body(b)
        return a == b or any(x in above and body(above[x].parent) == y for x, y in ((a, b), (b, a)))

    left = [
        pair
        for pair in itertools.combinations(
            sorted(n for n, k in robot.links.items() if k.elements), 2
        )
        if pair not in robot.disabled and not neighbours(*pair)
    ]
    rng = np.random.default_rng(6)
    for _ in range(100):
        values = random_values(robot, rng)
        left = [pair for pair in left if apart(robot, values, *pair) <= 0.0]
    assert left == []
