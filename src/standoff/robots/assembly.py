"""Links and joints into one tree: one root, no loops, parents before children, mimics resolved."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace

from standoff.errors import RobotError, nearest
from standoff.robots.description import Joint, Mimic
from standoff.robots.node import Node


def ordered(
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


def with_masters(joints: Mapping[str, Joint], nodes: Mapping[str, Node]) -> dict[str, Joint]:
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
            raise (
                nodes[follower]
                .only("mimic")
                .error("the chain of mimics is not finite", (multiplier, offset), "finite")
            )
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
