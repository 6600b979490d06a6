"""Groups of joints and named states, as an SRDF has them; MoveIt's rules."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from standoff.names import is_name
from standoff.robots.description import GroupState, Joint
from standoff.robots.xml import Node, short


@dataclass(frozen=True)
class Chains:
    """The joints of a robot by the link that each of them carries."""

    joints: Mapping[str, Joint]
    above: Mapping[str, Joint]
    root: str

    def between(self, base: str, tip: str) -> set[str]:
        """The joints on the way from one link to another, fixed ones included."""
        return {*self._upwards(base)} ^ {*self._upwards(tip)}

    def _upwards(self, link: str) -> Iterator[str]:
        while link in self.above:
            joint = self.above[link]
            yield joint.name
            link = joint.parent

    def has(self, link: str) -> bool:
        """Whether the robot has such a link."""
        return link == self.root or link in self.above


def read_groups(node: Node, joints: Mapping[str, Joint], root: str) -> dict[str, tuple[str, ...]]:
    """The moving joints of each ``<group>`` of an SRDF, mimic joints included, in the order of
    ``joints``.

    A group has the joints that it names, the joint above each of its links, those on the way from
    the base to the tip of each of its chains, and all of its subgroups. Fixed joints are left out.
    What the robot does not have (an SRDF is often written for a richer URDF) is left out with a
    note; so is a second group of one name. Groups that contain each other have the same joints.
    """
    nodes: dict[str, Node] = {}
    for group in node.all("group"):
        name = group.attributes.get("name", "")
        if not is_name(name):
            group.note("a group without a name; left out")
        elif name in nodes:
            group.note("a second group of this name; left out")
        else:
            nodes[name] = group
    reading = _Reading(nodes, Chains(joints, {j.child: j for j in joints.values()}, root))
    found = {name: reading.members(name) for name in nodes}
    return {
        name: tuple(j.name for j in joints.values() if j.name in members and j.kind != "fixed")
        for name, members in found.items()
    }


class _Reading:
    """Groups by name, each worked out once."""

    def __init__(self, nodes: Mapping[str, Node], chains: Chains) -> None:
        self._nodes, self._chains = nodes, chains
        self._members: dict[str, set[str]] = {}

    def members(self, name: str) -> set[str]:
        """Names of joints; a loop, not a recursion, so that nothing overflows."""
        waiting, seen = [name], {name}
        result: set[str] = set()
        while waiting:
            group = waiting.pop()
            if group not in self._members:
                self._members[group] = self._own(self._nodes[group])
            result |= self._members[group]
            for inner in self._nodes[group].all("group"):
                other = inner.attributes.get("name", "")
                if other not in self._nodes:
                    if group == name:
                        inner.note("no such group; left out")
                elif other not in seen:
                    seen.add(other)
                    waiting.append(other)
        return result

    def _own(self, group: Node) -> set[str]:
        """The joints of a group without its subgroups."""
        chains, found, strange = self._chains, set[str](), list[str]()
        for child in group.children:
            name = child.attributes.get("name", "")
            if child.tag == "joint":
                if name in chains.joints:
                    found.add(name)
                else:
                    strange.append(f"joint {short(name)!r}")
            elif child.tag == "link":
                if name in chains.above:
                    found.add(chains.above[name].name)
                elif name != chains.root:
                    strange.append(f"link {short(name)!r}")
            elif child.tag == "chain":
                ends = [child.attributes.get(end, "") for end in ("base_link", "tip_link")]
                if all(map(chains.has, ends)):
                    found |= chains.between(*ends)
                else:
                    strange += [f"link {short(end)!r}" for end in ends if not chains.has(end)]
            elif child.tag != "group":
                child.note("unknown in a group; left out")
        if strange:
            group.note(f"{', '.join(strange)} not in the robot; left out")
        return found


def read_states(
    node: Node, joints: Mapping[str, Joint], groups: Mapping[str, tuple[str, ...]]
) -> tuple[GroupState, ...]:
    """Each ``<group_state>`` of an SRDF, with the values of all moving joints that it names. A
    joint that is fixed or not in the robot (a floating base) is left out with a note; a state
    without a name, with a value that is no finite number, or of a name that its group has already,
    is left out whole, with a note. Files in use name groups that they do not have, and joints
    beyond their group: both are noted, and the values kept, as Pinocchio does."""
    found: dict[tuple[str, str], GroupState] = {}
    for state in node.all("group_state"):
        name, group = state.attributes.get("name", ""), state.attributes.get("group", "")
        if not is_name(name):
            state.note("a state without a name; left out")
        elif (group, name) in found:
            state.note("a second state of this name; left out")
        else:
            values = _values(state, joints)
            strange = [joint for joint in values if joint not in groups.get(group, joints)]
            if strange:
                state.note(f"joints that its group does not have: {', '.join(strange)}")
            if group and group not in groups:
                state.note(f"of the group {short(group)!r}, which there is not")
                group = ""
            if values:
                found[group, name] = GroupState(name, group, values)
    return tuple(found.values())


def _values(state: Node, joints: Mapping[str, Joint]) -> dict[str, float]:
    """Values by joint; none, with a note, where the state is not to be taken."""
    values: dict[str, float] = {}
    for child in state.all("joint"):
        name = child.attributes.get("name", "")
        joint = joints.get(name)
        if joint is None or joint.kind == "fixed":
            child.note("no moving joint of the robot; left out")
            continue
        try:
            value = float(child.attributes.get("value", ""))
        except ValueError:
            value = math.nan
        if not math.isfinite(value) or name in values:
            why = "given twice" if name in values else "not one finite number"
            state.note(f"joint {short(name)!r} is {why}; the state is left out")
            return {}
        values[name] = value
    if not values:
        state.note("no value of a joint; left out")
    return values
