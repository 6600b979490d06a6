"""The last value of every joint, who published it, and when: what the monitor is given.

Messages come in by `Received.take`; the poses of moving bodies are kept by `MovingBodies`
(`streams.bodies`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from standoff.cell.cell import Cell
from standoff.geometry.pose import Array
from standoff.geometry.shape import IntArray
from standoff.robots.kernels import kinematics
from standoff.streams.bodies import MovingBodies
from standoff.streams.faults import Found, find_silent
from standoff.streams.messages import Grasp, Joints
from standoff.streams.options import WatchOptions
from standoff.streams.publishers import ANY, Clock, Publisher, Publishers, Subject, of_source
from standoff.streams.shown import shown
from standoff.tolerances import ENCODER_TOLERANCE

_NEVER = -math.inf

#: Whole turns by which an angle of a continuous joint may differ from the last one and be taken for
#: wrapped, [-]. One that is farther off is taken as it is: float64 would lose the angle.
_MOST_TURNS: Final = 1000.0


class Received:
    """Takes messages as they come; no clock is read here, time is given.

    Attributes:
        options: of the watch.
        sources: their names.
        q: the last good value of each joint, in the order of ``cell.joints``.
        given: the same, with what this cycle brought even where it is no number.
        last_update: when a value of each joint was received last.
        deadline: when a source has been silent for too long about a joint, one row each; infinite
            where it never published it. owner: who published it last in that source, None before.
        last_message: when each source last had a valid message.
        turning: continuous joints, where the motion between readings is certified: from reading to
            reading they go the shorter way, and ``turns`` whole turns are added. A whole
            turn of one that is geared moves another joint elsewhere: nobody knows then which
            way it went, and that is a fault.
        rest: joints that no source publishes stay where the cell has them.
        contributing: sources that have ever published a joint or a body of the cell.
        updated: publishers with a usable message in this cycle; valid: sources with a message that
            nothing is wrong with, whether or not it matters.
        bodies: the moving bodies.
        safe_until: nobody is silent for too long before this.
    """

    def __init__(self, cell: Cell, sources: Sequence[str], options: WatchOptions) -> None:
        self._cell = cell
        self.options = options
        self._least = options.least_age
        self.rest = options.rest
        self.sources = tuple(sources)
        self.joints = cell.joints
        ages = np.array([options.age_of(name) for name in self.joints])
        self.publishers = [
            Publishers(cell, number, name, self._least, ages) for number, name in enumerate(sources)
        ]
        self._columns = {name: j for j, name in enumerate(self.joints)}
        self.turning = np.array([
            options.between is True and kind == "continuous" for kind in cell.tree.kinds
        ], dtype=bool)  # fmt: skip
        self._geared = _geared(cell)
        self.turns: Array = np.zeros(len(self.joints))
        self.q: Array = cell.q.copy()
        self.given = self.q.copy()
        self.last_update: Array = np.full(len(self.q), _NEVER)
        self.deadline: Array = np.full((len(sources), len(self.q)), math.inf)
        self._deadline = list(self.deadline)
        self.owner: list[list[Publisher | None]] = [[None] * len(self.q) for _ in sources]
        self._last: list[Publisher | None] = [None] * len(sources)
        self.last_message = [_NEVER] * len(sources)
        self.contributing: set[int] = set()
        self.updated: list[Clock] = []
        self.valid: set[int] = set()
        self.bodies = MovingBodies(cell, self)
        #: The revision of the cell at which all of it had values.
        self._complete = -1
        self._began = math.inf
        self.safe_until = _NEVER

    def start(self) -> None:
        """A cycle begins: what was no number in the last is the last good one again."""
        self.given[:] = self.q
        self.bodies.start()
        self.updated.clear()
        self.valid.clear()

    def take(self, now: float, source: int, message: Joints, found: Found) -> None:
        """A reading of joints."""
        publisher = self._publisher(now, source, message, found)
        if publisher is None:
            return
        if not len(publisher.route.columns):
            self.valid.add(source)
            return
        self.useful(source)
        self._began = min(self._began, now)
        if not message.partial:
            name = self.sources[source]
            for j in self._left_out(now, publisher):
                text = f"{self.joints[j]} is not in a message of {name} that should have it"
                found.add("missing", self.joints[j], text, {j})
        publisher.beat(now)
        values = self._unwrapped(publisher, message.positions.reshape(-1), found)
        if self.rest:
            self._woken(now, publisher, values, found)
        self._keep(now, publisher, values, found)
        self.set_owner(publisher)
        self.updated.append(publisher)

    def _publisher(
        self, now: float, source: int, message: Joints, found: Found
    ) -> Publisher | None:
        """Who sent a reading, where it can be used."""
        name, whole = self.sources[source], {of_source(source)}
        publisher = self.publishers[source].of(message.names, message.partial)
        if publisher is None or publisher.route.problem:
            why = "too many lists of names" if publisher is None else publisher.route.problem
            found.add("names", name, f"{name}: {why}", whole)
            return None
        if message.positions.size != len(message.names):
            text = f"{name}: {len(message.names)} names and {message.positions.size} positions"
            found.add("garbled", name, text, whole)
            return None
        positions = message.positions.reshape(-1)
        if self.updated and self._conflicts(publisher, self.whole(publisher, positions)):
            text = f"{name}: two readings at one time"
            found.add("doubled", name, text, publisher.subjects or whole)
            return None
        before = self.publishers[source].before(publisher)
        if before:
            publisher.stamp = max(other.stamp for other in before)
            publisher.quickest = min(other.quickest for other in before)
        return publisher if self.timely(now, publisher, message.stamp, found) else None

    def _unwrapped(self, publisher: Publisher, positions: Array, found: Found) -> Array:
        """The joints of the cell from one message, where continuous ones have gone the shorter way
        since the last."""
        values, columns = self.whole(publisher, positions), publisher.columns
        step = (values - self.q[columns]) / math.tau
        over = self.turning[columns] & (self.last_update[columns] > _NEVER) & (np.abs(step) > 0.5)
        over &= np.abs(step) < _MOST_TURNS
        if not over.any():
            return values
        unknown = over & self._geared[columns]
        for j, value in zip(publisher.route.columns[unknown].tolist(), values[unknown].tolist()):
            text = (
                f"{self.joints[j]} went from {self.q[j]:g} to {value:g}; allowed: half a turn "
                "between readings, as a joint follows it that does not make whole turns with it"
            )
            found.add("jump", self.joints[j], text, {j})
        over &= ~unknown
        self.turns[publisher.route.columns[over]] -= np.rint(step[over])
        return self.whole(publisher, positions) if over.any() else values

    def _keep(self, now: float, publisher: Publisher, values: Array, found: Found) -> None:
        """The values that are numbers are the last good ones from now on."""
        source, until = publisher.source, now + publisher.ages
        columns: IntArray | slice = publisher.columns
        self.given[columns] = values
        good = np.isfinite(values)
        if not good.all():
            for j, value in zip(publisher.route.columns[~good].tolist(), values[~good].tolist()):
                # The monitor says so, too, once everything has been received.
                text = f"{self.joints[j]} = {value}; allowed: a finite number"
                found.add("non-finite", self.joints[j], text, {j})
            columns, values, until = publisher.route.columns[good], values[good], until[good]
        self.q[columns] = values
        self.last_update[columns], self._deadline[source][columns] = now, until

    def _woken(self, now: float, publisher: Publisher, values: Array, found: Found) -> None:
        """A joint that rested, and has its first value: where it was until now is not known, unless
        it is where it rested."""
        for j, value in zip(publisher.route.columns.tolist(), values.tolist()):
            late = now > self._began + self.options.age_of(self.joints[j])
            if (
                late
                and self.last_update[j] == _NEVER
                and abs(value - self.q[j]) > ENCODER_TOLERANCE
            ):
                text = (
                    f"{self.joints[j]} was assumed at rest at {self.q[j]:g}; its first value came "
                    f"after {now - self._began:.3f} s and is {value:g}"
                )
                found.add("jump", self.joints[j], text, {j})

    def whole(self, publisher: Publisher, positions: Array) -> Array:
        """The joints of the cell from one message, or from many, with the whole turns that wrapped
        angles leave out."""
        values = publisher.values(positions)
        return values + math.tau * self.turns[publisher.columns] if self.turns.any() else values

    def useful(self, source: int) -> None:
        """A source has published a joint or a body of the cell, and nothing is wrong with it."""
        self.valid.add(source)
        self.contributing.add(source)

    def published_by(self, source: int) -> set[Subject]:
        """The joints and moving bodies that a source has published, and has to go on publishing."""
        row = self._deadline[source].tolist()
        found: set[Subject] = {j for j, until in enumerate(row) if until < math.inf}
        return found | self.bodies.published_by(source)

    def set_owner(self, publisher: Publisher) -> None:
        """From now on it is this one who publishes its joints in its source: another list of names
        that had some of them may stop."""
        if self._last[publisher.source] is not publisher:
            self._last[publisher.source], owner = publisher, self.owner[publisher.source]
            for j in publisher.route.columns.tolist():
                owner[j] = publisher

    def _left_out(self, now: float, publisher: Publisher) -> list[int]:
        """The joints that a list of more names had, and that this message leaves out: without those
        that another publisher of the source has now, who has none of its joints. Two that
        publish one robot each are not held to a list of both that came once."""
        row, owner = self._deadline[publisher.source], self.owner[publisher.source]
        return [
            j
            for j in publisher.dropped
            if (other := owner[j]) is None
            or not publisher.subjects.isdisjoint(other.subjects)
            or not now < row[j] < math.inf
        ]

    def _conflicts(self, publisher: Publisher, values: Array) -> bool:
        """Whether this cycle has another value for one of its joints: but one can be looked at."""
        if publisher in self.updated:
            return True
        others = [{*v.route.columns.tolist()} for v in self.updated if isinstance(v, Publisher)]
        columns = publisher.route.columns.tolist()
        return any(
            j in t and self.given[j] != x for t in others for j, x in zip(columns, values.tolist())
        )

    def timely(self, now: float, clock: Clock, stamp: float, found: Found) -> bool:
        """Whether a message is newer than the last; one that took long is used nevertheless."""
        kind, words = clock.check(now, stamp)
        if kind:
            name = self.sources[clock.source]
            subjects = clock.subjects or {of_source(clock.source)}
            found.add(kind, name, f"{name}: {words}", subjects)
        return kind in ("", "late")

    def not_received(self) -> list[str]:
        """The joints and moving bodies without a value so far."""
        moving, revision = self.bodies.moving, self.bodies.revision
        if self._complete == revision:
            return []
        names = [n for n, time in zip(self.joints, self.last_update) if time == _NEVER]
        if self.rest:
            names = [n for k, n in enumerate(self.sources) if k not in self.contributing]
        names += [name for name in moving if name not in self.bodies]
        self._complete = -1 if names else revision
        return names

    def grasp_stamp(self, now: float, source: int, message: Grasp) -> tuple[str, str]:
        """What is wrong with the stamp of an event, as `Clock.check`."""
        clock = self.publishers[source].clock("grasp", message.body, self.options.age)
        return clock.check(now, message.stamp)

    def joints_of(self, link: str) -> set[int]:
        """All joints of the robot that a link is of; none where there is no such robot."""
        robot = link.partition("/")[0] + "/"
        return {j for j, joint in enumerate(self.joints) if joint.startswith(robot)}

    def knows(self, link: str) -> bool:
        """Whether all joints of its robot have a value, or rest."""
        known = all(self.last_update[j] > _NEVER for j in self.joints_of(link))
        return known or (self.rest and len(self.contributing) == len(self.sources))

    def fresh(self, link: str, now: float) -> bool:
        """Whether a recent value of each joint of its robot is known; those that rest need none."""
        published = (self.deadline > now) & (self.deadline < math.inf)
        recent = published.any(axis=0) | ((self.last_update == _NEVER) & self.rest)
        return all(recent[j] for j in self.joints_of(link))

    def resting(self) -> list[str]:
        """The joints without a value, where the cell leaves them at rest."""
        if not self.rest:
            return []
        return [name for name, time in zip(self.joints, self.last_update) if time == _NEVER]

    def misnamed(self) -> str:
        """Which joints rest while sources have names that fit nothing: they may be meant by them.
        Empty where none does."""
        unknown_names = [
            name for publishers in self.publishers for name in publishers.unknown_names
        ]
        resting = self.resting() if unknown_names else []
        if not resting:
            return ""
        return (
            f"no values for {_some(resting)}, assumed at rest; unknown names "
            f"{_some(unknown_names)}: `rename` or `ignore` them in a [[stream]] of the cell file"
        )

    def awaited(self) -> tuple[str, str]:
        """What the watch waits for, an element and a sentence: the joints and bodies that are
        `not_received`, and the unknown names that came instead."""
        not_received = self.not_received()
        text = f"waiting for {_some(not_received) or 'an answer of the monitor'}"
        element = "start"
        for name, publishers in zip(self.sources, self.publishers):
            if publishers.unknown_names:
                element = name if element == "start" else element
                text += f"; {name} has unknown names: {_some([*publishers.unknown_names])}"
            if publishers.unknown_bodies:
                element = name if element == "start" else element
                text += f"; {name} has unknown bodies: {_some([*publishers.unknown_bodies])}"
        return element, text

    def subjects_of(self, element: str) -> set[Subject]:
        """What a trouble with a joint, a link or a body is about."""
        if element in self._columns:
            return {self._columns[element]}
        if element in self.bodies:
            return {element}
        body = self._cell.bodies.get(element)
        if body is not None and body.attachment is not None:
            element = body.attachment.link
        known = self.last_update > _NEVER
        subjects: set[Subject] = {j for j in self.joints_of(element) if known[j]}
        return subjects or {ANY}

    def back_to(self, now: float) -> None:
        """The clock ran back: nothing was received later than now."""
        np.minimum(self.last_update, now, out=self.last_update)
        for until, owner in zip(self._deadline, self.owner):
            for j, publisher in enumerate(owner):
                if publisher is not None and until[j] < math.inf:
                    until[j] = min(until[j], now + publisher.age)
        self.last_message = [min(time, now) for time in self.last_message]
        self.bodies.back_to(now)
        self.safe_until = _NEVER

    def due(self, now: float) -> float:
        """When the next joint or body is silent for too long, if nothing comes until then; those
        that are at ``now`` do not count."""
        times = [*self.deadline.ravel().tolist(), *self.bodies.deadlines()]
        return min((t for t in times if t > now), default=math.inf)

    def check_ages(self, now: float, found: Found) -> None:
        """Find who is silent, see `find_silent`. Each source has to go on with what it
        published once, whoever else does: it may have died."""
        if now < self.safe_until:
            return
        published = self._deadlines()
        untils = [until for by in published for all_of in by.values() for _, until in all_of]
        self.safe_until = min((now + self._least, *untils))
        if all(until > now for until in untils):
            return
        for source, by in zip(self.sources, published):
            if by:
                find_silent(now, source, by, self._columns, found)

    def _deadlines(self) -> list[dict[Clock, list[tuple[str, float]]]]:
        """Of each source: who publishes which joints and bodies in it, and until when at the latest
        each has to come again."""
        published: list[dict[Clock, list[tuple[str, float]]]] = [{} for _ in self.sources]
        for by, row, owner in zip(published, self.deadline.tolist(), self.owner):
            for name, until, publisher in zip(self.joints, row, owner):
                # Infinite: no usable value was ever received, which is a fault of its own.
                if publisher is not None and until < math.inf:
                    by.setdefault(publisher, []).append((name, until))
        for name, clock, until in self.bodies.published():
            published[clock.source][clock] = [(name, until)]
        return published


def _some(names: Sequence[str], most: int = 3) -> str:
    return ", ".join(shown(name) for name in names[:most]) + (", …" if len(names) > most else "")


def _geared(cell: Cell) -> NDArray[np.bool_]:
    """Which joints another follows that is elsewhere after a whole turn of them: one that slides,
    or turns with a multiplier that is no whole number."""
    tree = cell.tree
    result = np.zeros(len(tree.joints), dtype=bool)
    for ints, reals in zip(tree.ints, tree.reals):
        slides = ints[kinematics.JOINT_KIND] == kinematics.PRISMATIC
        if ints[kinematics.INDEX] >= 0 and (slides or reals[kinematics.MULTIPLIER] % 1.0):
            result[ints[kinematics.INDEX]] = True
    return result
