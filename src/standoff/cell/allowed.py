"""Who may touch whom, and why: compatible pairs with their reasons.

A pair is compatible because its two links share a joint, because the SRDF says so, because the two
cannot move against each other, or because the user said so. Never because samples found no contact:
samples prove nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from standoff.robots.description import Robot

ADJACENT = "adjacent"
RIGID = "rigidly joined"
HELD = "while it is held"
USER = "given by the user"

Pair = tuple[str, str]


@dataclass(frozen=True)
class AllowedPair:
    """Two names that are never reported against each other, and the reason."""

    a: str
    b: str
    reason: str


def ordered(a: str, b: str) -> Pair:
    """The two names sorted, so that (a, b) and (b, a) are one key."""
    return (a, b) if a <= b else (b, a)


def robot_pairs(name: str, robot: Robot) -> dict[Pair, str]:
    """What a robot's own files allow: its SRDF's pairs and adjacent links, by full names."""
    found = {
        ordered(f"{name}/{a}", f"{name}/{b}"): f"SRDF: {why}" if why else "SRDF"
        for (a, b), why in robot.disabled.items()
    }
    for a, b in adjacent_pairs(robot):
        found[ordered(f"{name}/{a}", f"{name}/{b}")] = ADJACENT
    return found


def adjacent_pairs(robot: Robot) -> Iterator[Pair]:
    """Pairs of links with geometry on the two sides of one moving joint.

    A link without geometry that is rigidly joined to its neighbour is passed through, so that
    ``upper - (joint) - mount - (fixed) - lower`` counts as adjacent where ``mount`` is empty.
    A second moving joint is never passed: two links with two joints between them can meet.
    """
    fixed: dict[str, list[str]] = {name: [] for name in robot.links}
    for joint in robot.joints.values():
        if joint.kind == "fixed":
            fixed[joint.parent].append(joint.child)
            fixed[joint.child].append(joint.parent)
    for joint in robot.joints.values():
        if joint.kind != "fixed":
            for a in _links_at(joint.parent, robot, fixed):
                for b in _links_at(joint.child, robot, fixed):
                    yield ordered(a, b)


def _links_at(start: str, robot: Robot, fixed: Mapping[str, list[str]]) -> list[str]:
    """The links with geometry that meet a joint at link ``start``."""
    found, seen, waiting = [], {start}, [start]
    while waiting:
        name = waiting.pop()
        if robot.links[name].elements:
            found.append(name)
            continue
        for other in fixed[name]:
            if other not in seen:
                seen.add(other)
                waiting.append(other)
    return found
