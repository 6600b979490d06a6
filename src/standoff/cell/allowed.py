"""The allowed collision matrix: who may touch whom, and why.

A pair is compatible because its two links share a joint, because the SRDF says so, because the two
cannot move against each other, or because the user said so. Never because samples found no contact:
samples prove nothing. `Pairs` says which pairs of a world are watched, and why the others are not.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType

from standoff.cell.body import Body
from standoff.cell.model import Model
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


@dataclass(frozen=True, eq=False)
class Pairs:
    """The pair policy of one revision of a cell.

    Attributes:
        own: what the robots' files allow.
        user: what the user allowed; wins over ``own`` as a reason.
        held: the bodies that links hold.
        stale: what was allowed because of a proof that does not hold any more.
    """

    model: Model
    own: Mapping[Pair, str]
    user: Mapping[Pair, str]
    held: Mapping[str, Body]
    stale: Mapping[Pair, str]

    @cached_property
    def reasons(self) -> Mapping[Pair, str]:
        """Allowed pairs that move against each other, with their reasons."""
        held = {
            ordered(body.name, other): HELD
            for body in self.held.values()
            if body.attachment
            for other in body.attachment.touch
        }
        found = {**held, **self.own, **self.user}
        entries = self.model.entries
        return MappingProxyType(
            {
                (a, b): why
                for (a, b), why in found.items()
                if a in entries and b in entries and entries[a].frame != entries[b].frame
            }
        )

    def reason(self, a: str, b: str) -> str | None:
        """Why two names may touch; None where they are watched."""
        if self.model.frame_of(a) == self.model.frame_of(b):
            return RIGID
        return self.reasons.get(ordered(a, b))

    def allowed(self) -> list[AllowedPair]:
        """Allowed pairs, sorted by name. Pairs that stand still in the world are left out: a
        thousand boxes on a floor would be half a million of them."""
        found = dict(self.reasons)
        for frame, names in self.model.groups.items():
            if frame == 0:
                names = tuple(n for n in names if "/" in n)
            for i, a in enumerate(names):
                for b in names[i + 1 :]:
                    if frame or a.partition("/")[0] == b.partition("/")[0]:
                        found[ordered(a, b)] = RIGID
        return [AllowedPair(a, b, why) for (a, b), why in sorted(found.items())]

    def watched(self) -> Iterator[Pair]:
        """The pairs left to watch, in the order of the world's names."""
        groups = list(self.model.groups.values())
        reasons = self.reasons
        for i, group in enumerate(groups):
            for other in groups[i + 1 :]:
                for a in group:
                    for b in other:
                        if ordered(a, b) not in reasons:
                            yield a, b

    def watches(self, name: str) -> bool:
        """Whether any pair with this name is left to watch."""
        still = self.model.counts[self.model.frame_of(name)]
        allowed = sum(name in pair for pair in self.reasons)
        return len(self.model.entries) - still > allowed

    def count(self) -> int:
        """How many pairs are left to watch, without listing them."""
        total = len(self.model.entries)
        still = sum(n * (n - 1) // 2 for n in self.model.counts.values())
        return total * (total - 1) // 2 - still - len(self.reasons)
