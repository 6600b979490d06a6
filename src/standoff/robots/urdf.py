"""The strict reader of robots: URDF, with SRDF and xacro. Nothing is dropped in silence."""

from __future__ import annotations

import difflib
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal, get_args

import numpy as np

from standoff.errors import RobotError, nearest
from standoff.geometry.pose import Array
from standoff.robots import xml
from standoff.robots.description import Joint, JointKind, Link, Mimic, Robot
from standoff.robots.geometry import Meshes, collision_elements, origin
from standoff.robots.packages import Packages, a_path, folders
from standoff.robots.srdf import semantics
from standoff.robots.xml import Node, short, unexpanded

ReadGeometry = Literal["as_written", "visual", "none"]

_VERSIONS = ("1", "1.0", "1.1", "1.2")

# What URDF and its extensions say that has no bearing on where bodies are. Anything else inside
# a link or a joint is refused: it may be a misspelt <collision> or <limit>.
_PASSED_OVER_IN_ROBOT = ("material", "transmission", "gazebo", "ros2_control", "sensor")
_PASSED_OVER_IN_LINK = (
    "visual", "inertial", "gazebo", "sensor", "contact", "surface", "gravity", "kinematic",
    "self_collide", "self_filter", "collision_checking",
)  # fmt: skip
_PASSED_OVER_IN_JOINT = ("calibration", "dynamics", "safety_controller", "gazebo")
_LIMIT_ATTRIBUTES = (
    "lower", "upper", "velocity", "effort", "acceleration", "deceleration", "jerk",
    "command_effort", "current", "gear_velocity",
)  # fmt: skip


def read_robot(
    path: str | Path,
    srdf: str | Path | None = None,
    search_paths: Sequence[str | Path] = (),
    geometry: ReadGeometry = "as_written",
) -> Robot:
    """Read a robot from a URDF or xacro file; pairs to disable, groups and named states from its
    SRDF.

    Revolute, continuous, prismatic and fixed joints are read, with mimics; boxes, spheres,
    cylinders, capsules and meshes. Visuals, inertias, transmissions and simulator extensions do
    not matter here and are passed over; whatever else is unknown is an error, or a note in
    `Robot.notes` where it cannot hide a body or free a pair. Links that are drawn but have no
    collision geometry are not watched, and a note lists them.

    Args:
        path: a URDF file; one whose name ends in ``.xacro``, in small letters or capitals, is
            expanded by the package ``xacro``, which evaluates Python expressions in the file.
        srdf: an SRDF file (``.xacro`` likewise); none is looked for by itself.
        search_paths: a list of folders that hold packages, for ``package://`` references.
        geometry: ``"as_written"``, ``"visual"`` for the visual shapes of each link that has any, or
            ``"none"`` to read the joints alone.

    Raises:
        RobotError: a file that cannot be read without dropping something.
        MeshError: a collision mesh that is missing or cannot be used.
    """
    if geometry not in get_args(ReadGeometry):
        raise RobotError(
            "unknown geometry", value=geometry, allowed=", ".join(get_args(ReadGeometry))
        )
    urdf = a_path(path, "the path of a robot")
    pairs = None if srdf is None else a_path(srdf, "the path of an SRDF")
    meshes = Meshes(Packages(urdf.absolute(), folders(search_paths)))
    root = _load(urdf)
    described = None if pairs is None else _load(pairs)
    return robot_of(
        root, described, None if geometry == "none" else meshes, visual=geometry == "visual"
    )


def _load(path: Path) -> Node:
    if path.suffix.lower() == ".xacro":
        return xml.parse(xml.expand(path), str(path), lines=False)
    return xml.parse(xml.read_bytes(path), str(path))


def robot_of(
    root: Node, srdf: Node | None, meshes: Meshes | None, *, visual: bool = False
) -> Robot:
    """The robot of a parsed URDF; without geometry where ``meshes`` is None."""
    _check_robot(root)
    link_nodes = _by_name(root, "link")
    joint_nodes = _by_name(root, "joint")
    if not link_nodes:
        raise root.error("no <link>", allowed="at least one")
    joints = {name: _joint(node) for name, node in joint_nodes.items()}
    order, joints = _ordered(link_nodes, joints, joint_nodes)
    joints = _with_masters(joints, joint_nodes)
    links = {name: _link(link_nodes[name], meshes, visual) for name in order}
    if meshes is None:
        root.note("collision geometry left out, as asked")
        bare = []
    else:
        bare = _bare_links(root, links, link_nodes)
    robot = Robot(
        root.string("name"), links, joints, order[0], {}, root.file, unwatched=tuple(bare)
    )
    notes = tuple(root.document.notes)
    if srdf is None:
        return replace(robot, notes=notes)
    added = semantics(srdf, robot.name, links, robot.root, joints)
    return replace(
        robot, disabled=added.disabled, groups=added.groups, states=added.states,
        notes=notes + added.notes,
    )  # fmt: skip


def _check_robot(root: Node) -> None:
    if root.tag != "robot":
        raise root.error("not a URDF", f"<{root.tag}>", "<robot>")
    root.string("name")
    version = root.attributes.get("version", "1.0")
    if version not in _VERSIONS:
        raise root.error("unknown URDF version", version, ", ".join(_VERSIONS), part="version")
    for name in root.attributes:
        if name not in ("name", "version", "xmlns") and not name.startswith("xmlns:"):
            root.note(f"attribute {name!r} passed over")
    counts: Counter[str] = Counter()
    for child in root.children:
        if child.tag.startswith("xacro:"):
            raise unexpanded(child)
        if child.tag in ("link", "joint"):
            continue
        child.refuse_bodies()
        if child.tag in _PASSED_OVER_IN_ROBOT:
            continue
        near = difflib.get_close_matches(child.local, ("link", "joint"), 1, cutoff=0.7)
        if near:
            raise child.error(f"unknown element <{short(child.tag)}>", allowed=f"<{near[0]}>")
        counts[child.tag] += 1
    for tag, count in counts.items():
        root.note(f"{count} unknown <{short(tag)}> passed over")
    root.note_text()


def _by_name(root: Node, tag: str) -> dict[str, Node]:
    nodes: dict[str, Node] = {}
    for node in root.all(tag):
        name = node.name()
        if name in nodes:
            raise node.error(
                f"a second {tag} of this name", name, f"one; the first is {nodes[name].where}"
            )
        nodes[name] = node
    return nodes


def _link(node: Node, meshes: Meshes | None, visual: bool) -> Link:
    node.expect(("name", "type"), ("collision", "origin"), _PASSED_OVER_IN_LINK)
    if not np.array_equal(origin(node), np.eye(4)):
        raise node.only("origin").error(
            "a link has no origin of its own in URDF",
            allowed="the origin of its joint or of its collision elements",
        )
    if meshes is None:
        return Link(node.string("name"))
    drawn = visual and any(node.all("visual"))
    elements = collision_elements(node, meshes, "visual" if drawn else "collision")
    return Link(node.string("name"), elements)


def _bare_links(root: Node, links: Mapping[str, Link], nodes: Mapping[str, Node]) -> list[str]:
    """What can be seen and is not watched: a link that was drawn but given no collision element."""
    bare = [
        name for name, link in links.items() if not link.elements and any(nodes[name].all("visual"))
    ]
    if bare:
        listed = ", ".join(bare)
        root.note(f"links with a visual and no collision geometry are not watched: {listed}")
    if not any(link.elements for link in links.values()):
        root.note("no collision geometry at all: nothing of this robot is watched")
    return bare


def _joint(node: Node) -> Joint:
    node.expect(
        ("name", "type", "dont_collapse"),
        ("parent", "child", "origin", "axis", "limit", "mimic"),
        _PASSED_OVER_IN_JOINT,
    )
    kind = _kind(node)
    lower, upper, velocity = _limits(node, kind)
    return Joint(
        name=node.string("name"),
        kind=kind,
        parent=_end(node, "parent"),
        child=_end(node, "child"),
        origin=origin(node),
        axis=_axis(node, kind),
        lower=lower,
        upper=upper,
        velocity=velocity,
        mimic=_mimic(node, kind),
    )


def _kind(node: Node) -> JointKind:
    kind = node.string("type")
    for known in get_args(JointKind):
        if kind == known:
            return known  # type: ignore[no-any-return]
    allowed = ", ".join(get_args(JointKind))
    if kind in ("floating", "planar"):
        raise node.error(
            f"a {kind} joint has no single position",
            kind,
            f"{allowed}; a robot's base is placed by the cell",
            part="type",
        )
    raise node.error("unknown joint type", kind, allowed, part="type")


def _end(node: Node, tag: str) -> str:
    end = node.only(tag)
    end.expect(("link",))
    return end.string("link")


def _axis(node: Node, kind: JointKind) -> Array:
    child = node.optional("axis")
    values = (1.0, 0.0, 0.0)
    if child is not None:
        child.expect(("xyz",))
        given = child.numbers("xyz", 3)
        if kind != "fixed":
            largest = max(map(abs, given))
            if largest == 0.0:
                raise child.error("no direction", given, "a vector that is not 0", part="xyz")
            x, y, z = (value / largest for value in given)  # neither squares to 0 nor overflows
            length = math.hypot(x, y, z)
            values = (x / length, y / length, z / length)
    axis = np.array(values)
    axis.setflags(write=False)
    return axis


def _limits(node: Node, kind: JointKind) -> tuple[float, float, float]:
    """Lower, upper, velocity. A limit that leaves a bound out means 0, as the format says."""
    child = node.optional("limit")
    if child is None:
        if kind in ("revolute", "prismatic"):
            raise node.error(f"a {kind} joint without <limit>", allowed="<limit lower=… upper=…>")
        return (0.0, 0.0, 0.0) if kind == "fixed" else (-math.inf, math.inf, math.inf)
    child.expect(_LIMIT_ATTRIBUTES)
    numbers = {name: child.number(name) for name in child.attributes if name in _LIMIT_ATTRIBUTES}
    if kind == "fixed":
        return 0.0, 0.0, 0.0
    velocity = numbers.get("velocity", math.inf)
    if velocity < 0.0:
        raise child.error("negative speed", velocity, "at least 0", part="velocity")
    lower, upper = numbers.get("lower", 0.0), numbers.get("upper", 0.0)
    if kind == "continuous":
        if "lower" in numbers or "upper" in numbers:
            child.note(f"bounds {lower:g} to {upper:g} passed over: the joint is continuous")
        return -math.inf, math.inf, velocity
    if lower > upper:
        raise child.error("lower above upper", (lower, upper), "lower <= upper")
    if "lower" not in numbers and "upper" not in numbers:
        child.note("neither lower nor upper: both are 0, so the joint cannot move")
    return lower, upper, velocity


def _mimic(node: Node, kind: JointKind) -> Mimic | None:
    child = node.optional("mimic")
    if child is None:
        return None
    child.expect(("joint", "multiplier", "offset"))
    mimic = Mimic(
        child.string("joint"), child.number("multiplier", 1.0), child.number("offset", 0.0)
    )
    if kind == "fixed":
        child.note("passed over: the joint is fixed")
        return None
    return mimic


def _ordered(
    links: Mapping[str, Node], joints: Mapping[str, Joint], nodes: Mapping[str, Node]
) -> tuple[list[str], dict[str, Joint]]:
    """Links depth first from the root, and the joints in the order of their child links.

    Args:
        links: the elements of all links by name.
        joints: all joints by name, in the file's order.
        nodes: the elements of the joints.
    """
    below: dict[str, list[Joint]] = {name: [] for name in links}
    above: dict[str, Joint] = {}
    for joint in joints.values():
        node = nodes[joint.name]
        for role, link in (("parent", joint.parent), ("child", joint.child)):
            if link not in links:
                raise node.error(f"unknown {role} link", link, _near(link, links))
        if joint.child in above:
            raise node.error(
                f"link {joint.child!r} has two parents",
                [above[joint.child].parent, joint.parent],
                f"one; it is the child of joint {above[joint.child].name!r} already",
            )
        above[joint.child] = joint
        below[joint.parent].append(joint)
    root = _root(links, above)
    order, children, waiting = [], {}, [root]
    while waiting:
        link = waiting.pop()
        order.append(link)
        if link in above:
            children[above[link].name] = above[link]
        waiting.extend(joint.child for joint in reversed(below[link]))
    if len(order) < len(links):
        raise _loop(set(links) - set(order), above, nodes)
    return order, children


def _with_masters(joints: Mapping[str, Joint], nodes: Mapping[str, Node]) -> dict[str, Joint]:
    """The joints with each mimic led back to the joint that mimics nobody.

    Along a chain ``q = m1 (m2 x + o2) + o1 = m1 m2 x + (m1 o2 + o1)``.
    """
    led: dict[str, Mimic] = {}
    for name in joints:
        _lead_back(name, led, joints, nodes)
    return {
        name: replace(joint, mimic=led[name]) if name in led else joint
        for name, joint in joints.items()
    }


def _lead_back(
    name: str, led: dict[str, Mimic], joints: Mapping[str, Joint], nodes: Mapping[str, Node]
) -> None:
    """Add to ``led`` the mimics of a joint and of all it follows, each only once."""
    chain: dict[str, Mimic] = {}
    while name not in led and (mimic := joints[name].mimic) is not None:
        chain[name] = mimic
        node = nodes[name].only("mimic")
        name = mimic.joint
        if name not in joints:
            raise node.error("mimics an unknown joint", name, _near(name, joints))
        if name in chain:
            circle = list(chain)[list(chain).index(name) :]
            raise (
                nodes[name]
                .only("mimic")
                .error(
                    "mimics itself",
                    " -> ".join([*circle, name]),
                    "a chain that ends at another joint",
                )
            )
        if joints[name].kind == "fixed":
            raise node.error("mimics a fixed joint", name, "a joint that moves")
    for follower, mimic in reversed(chain.items()):
        end = led.get(mimic.joint, Mimic(mimic.joint, 1.0, 0.0))
        multiplier = mimic.multiplier * end.multiplier
        offset = mimic.multiplier * end.offset + mimic.offset
        if not (math.isfinite(multiplier) and math.isfinite(offset)):
            node = nodes[follower].only("mimic")
            raise node.error("the chain of mimics is not finite", (multiplier, offset), "finite")
        led[follower] = Mimic(end.joint, multiplier, offset)


def _root(links: Mapping[str, Node], above: Mapping[str, Joint]) -> str:
    roots = [name for name in links if name not in above]
    if len(roots) == 1:
        return roots[0]
    if roots:
        raise links[roots[1]].error(
            f"{len(roots)} links without a parent", roots, "one: joints make all links one tree"
        )
    first = next(iter(links.values()))
    raise RobotError(
        "no root: every link is the child of a joint, so the joints form a loop",
        file=first.file,
        element="robot",
        value=[f"{joint.parent} -> {joint.child}" for joint in above.values()],
        allowed="one link without a parent",
    )


def _loop(cut_off: set[str], above: Mapping[str, Joint], nodes: Mapping[str, Node]) -> RobotError:
    """Links that the root does not reach all have a parent, so going up ends in a loop."""
    link = min(cut_off)
    seen: dict[str, None] = {}
    while link not in seen:
        seen[link] = None
        link = above[link].parent
    names = list(seen)
    loop = [*reversed(names[names.index(link) :])]
    return nodes[above[link].name].error(
        "the joints form a loop", " -> ".join([link, *loop]), "a tree: one root, no loops"
    )


def _near(name: str, known: Mapping[str, object]) -> str:
    return f"did you mean {' or '.join(map(repr, nearest(name, known)))}?"
