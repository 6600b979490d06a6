"""Joints and bodies as a stream names them, found among those of the cell; units converted."""

from __future__ import annotations

from collections.abc import Mapping as TableOf
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import Final

import numpy as np

from standoff.cell.cell import Cell
from standoff.cell.stream import ANGLES, LENGTHS, StreamRule
from standoff.geometry.pose import Array
from standoff.geometry.shape import IntArray
from standoff.streams.messages import BodyPose, Grasp

#: Whom a pose is of that is ignored: no body has this name.
IGNORED: Final = ""


@dataclass(frozen=True, eq=False)
class Route:
    """Attributes:
    picks: which values of a message are joints of the cell.
    columns: which of ``cell.joints`` each of them is.
    scale, offset: the joint is ``scale value + offset``, [rad] or [m]; None where it is the value
        itself. Velocities are scaled alike.
    problem: what is wrong with the names, if anything: one that could be several joints, two that
        are the same.
    """

    picks: IntArray
    columns: IntArray
    scale: Array | None = None
    offset: Array | None = None
    problem: str = ""


def fits(rule: StreamRule, source: str) -> bool:
    """Whether a rule is for a source: by its whole name, ``csv:run.csv``, with or without what
    stands behind a question mark, or by the name of the file or key alone. An MCAP file is a bag:
    ``bag:*`` and ``mcap:*`` are the same to it."""
    kind, _, where = source.partition(":")
    kinds = ("bag", "mcap") if kind in ("bag", "mcap") else (kind,)
    names = {source, where, where.partition("?")[0]} if where else {source}
    names |= {f"{kind}:{name}" for kind in kinds for name in (where, where.partition("?")[0])}
    return any(fnmatchcase(name, rule.source) for name in names)


class Mapping:
    """Of one source: by the first `StreamRule` of the cell that fits its name.

    A name means the joint that ``rename`` gives it; else the joint that is called so with its
    robot (``left/elbow``); else the joint of the rule's robot, or of the only robot that has one.
    Whatever fits none is left out: extra joints do not matter. So are mimic joints, which follow
    others.

    What a rule says of a joint and the stream does not follow is a problem of every reading, since
    nobody knows then what a value means: a scale or an offset of a name that is no joint; of a
    name, while the joint comes under another; a joint that is renamed, and comes under its own.

    Attributes:
        rule: the one that holds.
        idle: what no message has had so far of the names that the rule has, in ``rename``,
            ``scale``, ``offset`` and ``ignore``.
    """

    def __init__(self, cell: Cell, source: str) -> None:
        self.rule = next((rule for rule in cell.streams if fits(rule, source)), StreamRule())
        self._names = cell.tree.names
        units = {"rad": ANGLES[self.rule.angles], "m": LENGTHS[self.rule.lengths]}
        self._units = [units[unit] for unit in cell.tree.units]
        self._length = units["m"]
        joints = [(r, joint) for r, mount in cell.robots.items() for joint in mount.robot.joints]
        #: Of mimic and fixed joints, too.
        self._all = {name for r, joint in joints for name in (joint, f"{r}/{joint}")}
        self._links = {f"{r}/{link}" for r, m in cell.robots.items() for link in m.robot.links}
        rule = self.rule
        self.idle = {*rule.rename, *rule.scale, *rule.offset, *rule.ignore}
        self._wrong = ""
        #: Each table of the rule, and the name that it has for a joint.
        self._called: list[tuple[TableOf[str, object], dict[str, str]]] = [
            (rule.rename, {meant: name for name, meant in rule.rename.items()}),
            (rule.scale, self._named("scale", rule.scale)),
            (rule.offset, self._named("offset", rule.offset)),
        ]

    def _named(self, word: str, table: TableOf[str, object]) -> dict[str, str]:
        """The name in a table for each joint; one that is no joint is noted as wrong."""
        called = {}
        for name in table:
            found = self._joints(name)
            if len(found) == 1:
                called[found[0]] = name
            elif not self._wrong:
                why = f"could be {' or '.join(found)}" if found else "is no joint of the cell"
                if not found and self.knows(name):
                    why += " with a value of its own"
                self._wrong = f"the cell file has a {word} of {name!r}, which {why}"
        return called

    def route(self, names: tuple[str, ...]) -> Route:
        """Where the values of these names go."""
        rule = self.rule
        picks: list[int] = []
        columns: list[int] = []
        problem = self._wrong
        self._note_names(*names)
        meant: dict[int, str] = {}
        for place, name in enumerate(names):
            found = self._joints(name)
            if len(found) > 1:
                problem = problem or f"{name!r} could be {' or '.join(found)}"
            if len(found) != 1:
                continue
            column = self._names.known[found[0]].column
            if column in meant:
                problem = problem or f"{meant[column]!r} and {name!r} are both {found[0]}"
            meant[column] = name
            problem = problem or self._contradiction(name, found[0])
            picks.append(place)
            columns.append(column)
        scale = [self._units[c] * rule.scale.get(names[p], 1.0) for p, c in zip(picks, columns)]
        offset = [rule.offset.get(names[p], 0.0) for p in picks]
        return Route(
            np.array(picks, np.int64),
            np.array(columns, np.int64),
            np.array(scale) if any(s != 1.0 for s in scale) else None,
            np.array(offset) if any(offset) else None,
            problem,
        )

    def _contradiction(self, name: str, joint: str) -> str:
        """What is wrong with the name of a joint that the rule calls otherwise; empty for none."""
        for table, called in self._called:
            if joint in called and name not in table:
                return f"the cell file calls {joint} {called[joint]!r}, and it came as {name!r}"
        return ""

    def body(self, message: BodyPose) -> BodyPose:
        """The same pose, of the body that is meant, in metres; of `IGNORED` where it is ignored."""
        name = self.rule.rename.get(message.body, message.body)
        if self.idle:
            self._note_names(message.body)
        if self.ignores(message.body):
            return replace(message, body=IGNORED)
        if self._length != 1.0:
            pose = message.pose.copy()
            pose[:3, 3] *= self._length
            return BodyPose(message.stamp, name, pose)
        return message if name == message.body else replace(message, body=name)

    def grasp(self, message: Grasp) -> Grasp | None:
        """The same event, of the body and the link that are meant; None where the body is
        ignored."""
        rename = self.rule.rename
        link = message.link
        self._note_names(message.body, link or "", *message.touch)
        if self.ignores(message.body):
            return None
        if link is not None:
            link = rename.get(link, link)
            own = f"{self.rule.robot}/{link}"
            if link not in self._links and own in self._links:
                link = own
        touch = tuple(rename.get(name, name) for name in message.touch)
        body = rename.get(message.body, message.body)
        return Grasp(message.stamp, body, link, touch)

    def ignores(self, name: str) -> bool:
        """Whether a name in the stream means nothing here, be it of a joint or of a body."""
        return any(fnmatchcase(name, pattern) for pattern in self.rule.ignore)

    def knows(self, name: str) -> bool:
        """Whether the name of a joint means something here, if only that it is ignored. Mimic and
        fixed joints are known, though nobody has to publish them."""
        meant = self.rule.rename.get(name, name)
        return self.ignores(name) or bool(self._joints(name)) or meant in self._all

    def body_problem(self, name: str) -> str:
        """What is wrong with the name of a body, if anything: it is renamed, and came under its
        own, so that two may be meant by one."""
        called = self._called[0][1]
        if name in self.rule.rename or name not in called or self.ignores(name):
            return ""
        return f"the cell file calls {name} {called[name]!r}, and it came as {name!r}"

    def _note_names(self, *names: str) -> None:
        self.idle -= {*names}
        ignore = self.idle.intersection(self.rule.ignore)
        self.idle -= {p for p in ignore if any(fnmatchcase(name, p) for name in names)}

    def _joints(self, name: str) -> list[str]:
        """The joints that a name could mean."""
        rule = self.rule
        if self.ignores(name):
            return []
        if name in rule.rename:
            found = self._names.could_be(rule.rename[name])
        else:
            found = self._names.could_be(name, rule.robot)
        return [joint.name for joint in found if not joint.mimic]
