"""SRDF: which pairs of links its author allows to touch, and why; groups and named states."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from standoff.robots.description import GroupState, Joint
from standoff.robots.groups import read_groups, read_states
from standoff.robots.xml import Node, short, unexpanded

Pair = tuple[str, str]

_READ = ("disable_collisions", "enable_collisions", "disable_default_collisions", "virtual_joint")

#: What SRDF and its dialects say that has no bearing on which pairs are watched; groups and their
#: states are read by `robots.groups`.
_PASSED_OVER = (
    "group", "group_state", "group_tcps", "end_effector", "passive_joint", "joint_property",
    "link_sphere_approximation", "gripper", "rotor_params", "specificities", "calibration_config",
    "kinematics_plugin_config", "contact_managers_plugin_config",
)  # fmt: skip


@dataclass(frozen=True)
class Semantics:
    """What an SRDF adds to a robot."""

    disabled: dict[Pair, str]
    groups: dict[str, tuple[str, ...]]
    states: tuple[GroupState, ...]
    notes: tuple[str, ...]


def semantics(
    node: Node, robot: str, links: Collection[str], root: str, joints: Mapping[str, Joint]
) -> Semantics:
    """Read the root element of an SRDF for a robot with these links and joints.

    Pairs are disabled in the order MoveIt gives them: first every pair of a link in
    ``disable_default_collisions`` (with other links of the robot; never with the world), then
    ``enable_collisions`` takes pairs back, then ``disable_collisions`` adds its own. A pair that
    is both enabled and disabled by name is a contradiction and an error.

    A link that the robot does not have (an SRDF is often written for a richer URDF) cannot touch
    anything, so its pairs are left out with a note; a misspelt link is watched more, not less.
    """
    if node.tag != "robot":
        raise node.error("not an SRDF", f"<{node.tag}>", "<robot>")
    _check_children(node)
    known = set(links)
    named = list(_pairs(node, "disable_collisions"))
    enabled = list(_pairs(node, "enable_collisions"))
    shared = any(link in known for _, pair, _ in named + enabled for link in pair) or any(
        part.attributes.get("name") in joints
        for group in (*node.all("group"), *node.all("group_state"))
        for part in group.all("joint")
    )
    _check_name(node, robot, shared)

    disabled = {
        _sorted(link, other): f"disable_default_collisions of {link}"
        for link in _silent(node, known)
        for other in links
        if other != link
    }
    taken_back = {pair for _, pair, _ in enabled}
    for pair in taken_back:
        disabled.pop(pair, None)
    for element, pair, reason in named:
        if pair in taken_back:
            raise element.error("a pair both enabled and disabled", pair, "one of the two")
        if pair[0] == pair[1]:
            element.note("a link and itself: nothing to disable")
        elif known.issuperset(pair):
            disabled[pair] = _joined(disabled.get(pair, ""), reason)
    _note_unknown(node, [link for _, pair, _ in named for link in pair if link not in known])
    _virtual_joints(node, root)
    groups = read_groups(node, joints, root)
    states = read_states(node, joints, groups)
    return Semantics(disabled, groups, states, tuple(node.document.notes))


def _check_children(node: Node) -> None:
    counts: Counter[str] = Counter()
    for child in node.children:
        if child.tag.startswith("xacro:"):
            raise unexpanded(child)
        if child.tag in _READ:
            continue
        for inner in child.within():  # an <enable_collisions> lost in a group would free a pair
            if "collision" in inner.tag.lower():
                raise inner.error(
                    f"unknown element <{short(inner.tag)}>",
                    allowed=", ".join(f"<{tag}>" for tag in _READ) + " in <robot>",
                )
        if child.tag in _PASSED_OVER:
            continue
        counts[child.tag] += 1
    for tag, count in counts.items():
        node.note(f"{count} unknown <{short(tag)}> passed over")
    node.note_text()


def _pairs(node: Node, tag: str) -> Iterator[tuple[Node, Pair, str]]:
    for element in node.all(tag):
        element.expect(("link1", "link2", "reason"))
        pair = _sorted(element.string("link1"), element.string("link2"))
        yield element, pair, element.attributes.get("reason", "")


def _silent(node: Node, known: set[str]) -> Iterator[str]:
    for element in node.all("disable_default_collisions"):
        element.expect(("link",))
        link = element.string("link")
        if link in known:
            element.note("taken for pairs of the robot's own links; the world stays watched")
            yield link
        else:
            element.note(f"link {short(link)!r} is not in the robot; left out")


def _check_name(node: Node, robot: str, shared: bool) -> None:
    """Another name is accepted, with a note, as long as links or joints show that it is the same
    robot."""
    name = node.string("name")
    if name == robot:
        return
    if not shared:
        raise node.error(
            "an SRDF of another robot, and no link or joint of it is in this one",
            name,
            f"the URDF's name {robot!r}, or links or joints of it",
        )
    node.note(f"written for {name!r}, used for {robot!r}")


def _note_unknown(node: Node, links: list[str]) -> None:
    for link, count in Counter(links).items():
        node.note(f"link {short(link)!r} is not in the robot; {count} disabled pairs left out")


def _virtual_joints(node: Node, root: str) -> None:
    """A virtual joint says how the base hangs in the world; here the cell's pose of the base
    says that, so it is accepted and only noted where it would let the base move."""
    for element in node.all("virtual_joint"):
        element.expect(("name", "type", "parent_frame", "child_link"))
        kind = element.string("type")
        if kind not in ("fixed", "floating", "planar"):
            raise element.error("unknown type", kind, "fixed, floating or planar", part="type")
        child = element.string("child_link")
        if child != root:
            element.note(f"its child {child!r} is not the root {root!r}; passed over")
        elif kind != "fixed":
            element.note(f"{kind}; the base stays where the cell puts it")


def _sorted(a: str, b: str) -> Pair:
    return (a, b) if a <= b else (b, a)


def _joined(first: str, second: str) -> str:
    """Two reasons for one pair, each said once."""
    if not first or first == second:
        return second or first
    return f"{first}; {second}" if second and second not in first.split("; ") else first
