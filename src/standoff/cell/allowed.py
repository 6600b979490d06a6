"""Who may touch whom, and why: compatible pairs with their reasons.

A pair is compatible because its two links share a joint, because the SRDF says so, because the two
cannot move against each other, or because the user said so. Never because samples found no contact:
samples prove nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
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

    A link without geometry stands for the one it is mounted on: ``torso - (fixed) - mount -
    (joint) - arm`` makes ``torso`` and ``arm`` adjacent where ``mount`` is empty, and so does an
    empty link behind the joint for the single link fixed to it. Where several links are fixed to an
    empty one, nothing says which of them is at the joint: all are watched. A second moving joint is
    never passed: two links with two joints between them can meet.
    """
    above: dict[str, str] = {}
    below: dict[str, list[str]] = {name: [] for name in robot.links}
    for joint in robot.joints.values():
        below[joint.parent].append(joint.child)
        if joint.kind == "fixed":
            above[joint.child] = joint.parent
    for joint in robot.joints.values():
        if joint.kind == "fixed":
            continue
        a: str | None = joint.parent
        while a is not None and not robot.links[a].elements:
            a = above.get(a)
        b: str | None = joint.child
        while b is not None and not robot.links[b].elements:
            only = below[b][0] if len(below[b]) == 1 else None
            b = only if only in above else None
        if a is not None and b is not None:
            yield ordered(a, b)
