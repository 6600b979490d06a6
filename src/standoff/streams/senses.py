"""What is known of every joint and moving body, from whom, and since when."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Final

import numpy as np
from numpy.typing import NDArray

from standoff.cell import Cell
from standoff.errors import Error
from standoff.geometry.pose import Array, as_pose
from standoff.geometry.shape import Shape
from standoff.robots.kernels import kinematics
from standoff.streams.faults import Found, find_silent
from standoff.streams.messages import BodyPose, Grasp, Joints
from standoff.streams.options import WatchOptions
from standoff.streams.publishers import ANY, Clock, Voice, Voices, Who, of_source
from standoff.streams.recent import fresh, joints_of, knows
from standoff.streams.shown import shown
from standoff.tolerances import ENCODER_TOLERANCE


def _apart(shape: Shape, a: Array, b: Array) -> float:
    """How far a corner of the box around a shape is from itself at two poses, at most, [m]."""
    low, high = shape.bounds()
    corners = np.array([[x, y, z, 1.0] for x, y, z in product(*zip(low, high))])
    return float(np.linalg.norm(corners @ (a - b).T, axis=1).max())


_NEVER = -math.inf

#: Whole turns by which an angle of a continuous joint may differ from the last one and be taken for
#: wrapped, [-]. One that is farther off is taken as it is told: float64 would lose the angle.
_MOST_TURNS: Final = 1000.0


@dataclass(slots=True)
class _Body:
    """Attributes:
    given: the pose as it came; good: the last that is a rigid motion.
    until: of all who told of it, when each has been silent for too long, [s].
    left: whether a link has left it there, and nobody told of it since.
    """

    given: Array
    good: Array
    until: dict[Clock, float]
    left: bool = False


class Senses:
    """Takes messages as they come; no clock is read here, time is given.

    Attributes:
        options: of the watch.
        sources: their names.
        q: the last good value of each joint, in the order of ``cell.joints``.
        given: the same, with what this cycle brought even where it is no number.
        fed: when each joint was last heard of.
        until: when a source has been silent for too long about a joint, one row each; infinite
            where it never told of it. owner: who told of it last in that source, None before.
        heard: when each source last had a good message.
        turning: continuous joints, where the motion between readings is certified: from reading to
            reading they go the shorter way, and ``turns`` whole turns are added to what is told. A
            whole turn of one that is geared moves another joint elsewhere: nobody knows then which
            way it went, and that is a fault.
        rest: joints that no source speaks of stay where the cell has them.
        told: sources that have ever had something to say about the cell.
        spoke: who has told something of use in this cycle; fine: sources with a message that
            nothing is wrong with, whether or not it matters.
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
        self.voices = [
            Voices(cell, number, name, self._least, ages) for number, name in enumerate(sources)
        ]
        self._columns = {name: j for j, name in enumerate(self.joints)}
        self.turning = np.array([
            options.between is True and kind == "continuous" for kind in cell.tree.kinds
        ], dtype=bool)  # fmt: skip
        self._geared = _geared(cell)
        self.turns: Array = np.zeros(len(self.joints))
        self.q: Array = cell.q.copy()
        self.given = self.q.copy()
        self.fed: Array = np.full(len(self.q), _NEVER)
        self.until: Array = np.full((len(sources), len(self.q)), math.inf)
        self._until = list(self.until)
        self.owner: list[list[Voice | None]] = [[None] * len(self.q) for _ in sources]
        self._last: list[Voice | None] = [None] * len(sources)
        self.heard = [_NEVER] * len(sources)
        self.told: set[int] = set()
        self.spoke: list[Clock] = []
        self.fine: set[int] = set()
        self._bodies: dict[str, _Body] = {}
        self._moving: tuple[str, ...] = ()
        self._revision = -1
        self._unheard = True
        self._began = math.inf
        self.safe_until = _NEVER

    def start(self) -> None:
        """A cycle begins: what was no number in the last is the last good one again."""
        self.given[:] = self.q
        for body in self._bodies.values():
            body.given = body.good
        self.spoke.clear()
        self.fine.clear()

    def take(self, now: float, source: int, message: Joints, found: Found) -> None:
        """A reading of joints."""
        voice = self._publisher(now, source, message, found)
        if voice is None:
            return
        if not len(voice.route.columns):
            self.fine.add(source)
            return
        self.useful(source)
        self._began = min(self._began, now)
        if not message.partial:
            name = self.sources[source]
            for j in self._left_out(now, voice):
                text = f"{self.joints[j]} is not in a message of {name} that should have it"
                found.add("missing", self.joints[j], text, {j})
        voice.beat(now)
        values = self._unwrapped(voice, message.positions.reshape(-1), found)
        if self.rest:
            self._woken(now, voice, values, found)
        self._keep(now, voice, values, found)
        self.own(voice)
        self.spoke.append(voice)

    def _publisher(self, now: float, source: int, message: Joints, found: Found) -> Voice | None:
        """Who sent a reading, where it can be used."""
        name, whole = self.sources[source], {of_source(source)}
        voice = self.voices[source].of(message.names, message.partial)
        if voice is None or voice.route.problem:
            why = "too many lists of names" if voice is None else voice.route.problem
            found.add("names", name, f"{name}: {why}", whole)
            return None
        if message.positions.size != len(message.names):
            text = f"{name}: {len(message.names)} names and {message.positions.size} positions"
            found.add("garbled", name, text, whole)
            return None
        positions = message.positions.reshape(-1)
        if self.spoke and self._told_already(voice, self.whole(voice, positions)):
            text = f"{name}: two readings at one time"
            found.add("doubled", name, text, voice.who or whole)
            return None
        before = self.voices[source].before(voice)
        if before:
            voice.stamp = max(other.stamp for other in before)
            voice.quickest = min(other.quickest for other in before)
        return voice if self._timely(now, voice, message.stamp, found) else None

    def _unwrapped(self, voice: Voice, positions: Array, found: Found) -> Array:
        """The joints of the cell from one message, where continuous ones have gone the shorter way
        since the last."""
        values, columns = self.whole(voice, positions), voice.columns
        step = (values - self.q[columns]) / math.tau
        over = self.turning[columns] & (self.fed[columns] > _NEVER) & (np.abs(step) > 0.5)
        over &= np.abs(step) < _MOST_TURNS
        if not over.any():
            return values
        unknown = over & self._geared[columns]
        for j, value in zip(voice.route.columns[unknown].tolist(), values[unknown].tolist()):
            text = (
                f"{self.joints[j]} went from {self.q[j]:g} to {value:g}; allowed: half a turn "
                "between readings, as a joint follows it that does not make whole turns with it"
            )
            found.add("jump", self.joints[j], text, {j})
        over &= ~unknown
        self.turns[voice.route.columns[over]] -= np.rint(step[over])
        return self.whole(voice, positions) if over.any() else values

    def _keep(self, now: float, voice: Voice, values: Array, found: Found) -> None:
        """The values that are numbers are the last good ones from now on."""
        source, columns, until = voice.source, voice.columns, now + voice.ages
        self.given[columns] = values
        if np.isfinite(values).all():
            self.q[columns] = values
            self.fed[columns], self._until[source][columns] = now, until
        else:
            good = np.isfinite(values)
            for j, value in zip(voice.route.columns[~good].tolist(), values[~good].tolist()):
                # The monitor says so, too, once everything has been heard of.
                text = f"{self.joints[j]} = {value}; allowed: a finite number"
                found.add("non-finite", self.joints[j], text, {j})
            columns = voice.route.columns[good]
            self.q[columns] = values[good]
            self.fed[columns], self._until[source][columns] = now, until[good]

    def _woken(self, now: float, voice: Voice, values: Array, found: Found) -> None:
        """A joint that rested, and is told of for the first time: where it was until now is not
        known, unless it is where it rested."""
        for j, value in zip(voice.route.columns.tolist(), values.tolist()):
            late = now > self._began + self.options.age_of(self.joints[j])
            if late and self.fed[j] == _NEVER and abs(value - self.q[j]) > ENCODER_TOLERANCE:
                text = (
                    f"{self.joints[j]} was assumed at rest at {self.q[j]:g}; its first value came "
                    f"after {now - self._began:.3f} s and is {value:g}"
                )
                found.add("jump", self.joints[j], text, {j})

    def whole(self, voice: Voice, positions: Array) -> Array:
        """The joints of the cell from one message, or from many, with the whole turns that wrapped
        angles leave out."""
        values = voice.values(positions)
        return values + math.tau * self.turns[voice.columns] if self.turns.any() else values

    def useful(self, source: int) -> None:
        """A source has told something about the cell, and nothing is wrong with its message."""
        self.fine.add(source)
        self.told.add(source)

    def tells(self, source: int) -> set[Who]:
        """The joints and moving bodies that a source has told of, and has to go on telling of."""
        row = self._until[source].tolist()
        heard: set[Who] = {j for j, until in enumerate(row) if until < math.inf}
        for name in self.moving:
            body = self._bodies.get(name)
            if body is not None and not body.left:
                heard |= {name for clock in body.until if clock.source == source}
        return heard

    def own(self, voice: Voice) -> None:
        """From now on it is this one who tells of its joints in its source: another list of names
        that had some of them may stop."""
        if self._last[voice.source] is not voice:
            self._last[voice.source], owner = voice, self.owner[voice.source]
            for j in voice.route.columns.tolist():
                owner[j] = voice

    def _left_out(self, now: float, voice: Voice) -> list[int]:
        """The joints that a list of more names had, and that this message leaves out: without those
        that another publisher of the source tells of now, who has none of its joints. Two that
        speak each for one robot are not held to a list of both that came once."""
        row, owner = self._until[voice.source], self.owner[voice.source]
        return [
            j
            for j in voice.dropped
            if (who := owner[j]) is None
            or not voice.who.isdisjoint(who.who)
            or not now < row[j] < math.inf
        ]

    def _told_already(self, voice: Voice, values: Array) -> bool:
        """Whether this cycle has another value for one of its joints: but one can be looked at."""
        if voice in self.spoke:
            return True
        told = [{*v.route.columns.tolist()} for v in self.spoke if isinstance(v, Voice)]
        columns = voice.route.columns.tolist()
        return any(
            j in t and self.given[j] != x for t in told for j, x in zip(columns, values.tolist())
        )

    def _timely(self, now: float, clock: Clock, stamp: float, found: Found) -> bool:
        """Whether a message is newer than the last; one that took long is used nevertheless."""
        kind, words = clock.check(now, stamp)
        if kind:
            name = self.sources[clock.source]
            whos = clock.who or {of_source(clock.source)}
            found.add(kind, name, f"{name}: {words}", whos)
        return kind in ("", "late")

    def take_pose(self, now: float, source: int, message: BodyPose, found: Found) -> None:
        """Likewise of a moving body; those that are not in the cell do not matter."""
        name, whole = self.sources[source], {of_source(source)}
        if message.pose.shape != (4, 4):
            found.add("garbled", name, f"{name}: a pose is not 4 x 4", whole)
            return
        mapping = self.voices[source].mapping
        problem = mapping.body_problem(message.body)
        if problem:
            found.add("names", name, f"{name}: {problem}", whole)
            return
        message = mapping.body(message)
        body = message.body
        known = self._cell.bodies.get(body)
        if known is None:
            self.fine.add(source)
            return
        clock = self.voices[source].clock("pose", body, self.options.age_of(body))
        if known.attachment is not None:
            self._take_held(now, clock, known.attachment.link, message, found)
            return
        if body not in self.moving:
            text = f"{body}: {name} moves it, and the cell has it as static; allowed: moving = true"
            found.add("pose", body, text, {body})
            return
        self._take_moving(now, clock, message, found)

    def _take_moving(self, now: float, clock: Clock, message: BodyPose, found: Found) -> None:
        """The pose of a body that moves by itself."""
        body, name = message.body, self.sources[clock.source]
        told, before = [c for c in self.spoke if body in c.who], self._bodies.get(body)
        same = before is not None and np.array_equal(before.given, message.pose)
        if clock in told or (told and not same):
            found.add("doubled", name, f"{name}: two poses of {body} at one time", clock.who)
            return
        if not self._timely(now, clock, message.stamp, found):
            return
        clock.beat(now)
        try:
            good = as_pose(message.pose, body)
        except Error as error:
            # The monitor says so, too, once everything has been heard of.
            found.add("pose", body, str(error), clock.who)
            if before is not None:
                before.given = message.pose
        else:
            until = {} if before is None or before.left else before.until
            until[clock] = now + clock.age
            self._bodies[body] = _Body(message.pose, good, until)
        self.useful(clock.source)
        self.spoke.append(clock)

    def _take_held(
        self, now: float, clock: Clock, link: str, message: BodyPose, found: Found
    ) -> None:
        """A body is where its link has it, and need not be told of; but if it is, and is said to be
        elsewhere, it may have slipped. Where the link is has to be known for that."""
        body = message.body
        if clock in self.spoke:
            text = f"{self.sources[clock.source]}: two poses of {body} at one time"
            found.add("doubled", self.sources[clock.source], text, clock.who)
            return
        if not self._timely(now, clock, message.stamp, found):
            return
        self.useful(clock.source)
        try:
            told = as_pose(message.pose, body)
        except Error as error:
            found.add("pose", body, str(error), clock.who)
            return
        if not (knows(self, link) and fresh(self, link, now)):
            return
        off = _apart(self._cell.bodies[body].shape, told, self._cell.pose(body, self.q))
        if off > self.options.slip:
            text = (
                f"{body}: {self.sources[clock.source]} has it {off:.3f} m from where {link} holds "
                f"it; allowed: {self.options.slip:g} m"
            )
            found.add("pose", body, text, clock.who)
        self.spoke.append(clock)

    def grasp_stamp(self, now: float, source: int, message: Grasp) -> tuple[str, str]:
        """What is wrong with the stamp of an event, as `Clock.check`."""
        clock = self.voices[source].clock("grasp", message.body, self.options.age)
        return clock.check(now, message.stamp)

    def fresh_body(self, body: str, now: float) -> bool:
        """Whether somebody has told of a moving body of late."""
        known = self._bodies.get(body)
        return known is not None and max(known.until.values()) > now

    def unheard_bodies(self) -> set[str]:
        """Moving bodies that nobody has spoken of yet."""
        return {name for name in self.moving if name not in self._bodies}

    def taken_up(self, body: str) -> None:
        """A link carries it: where it was does not count any more."""
        self._bodies.pop(body, None)

    def let_go(self, now: float, source: int, body: str) -> None:
        """It is where the link left it, until somebody tells more."""
        if body in self.moving:
            clock = self.voices[source].clock("pose", body, self.options.age_of(body))
            here = self._cell.pose(body)
            self._bodies[body] = _Body(here, here, {clock: now + clock.age}, left=True)

    @property
    def moving(self) -> tuple[str, ...]:
        """The moving bodies whose poses are given."""
        if self._cell.revision != self._revision:
            self._moving, self._revision = self._cell.moving, self._cell.revision
            self._unheard = True
        return self._moving

    def poses(self) -> Array | None:
        """Of all moving bodies."""
        if not self.moving:
            return None
        return np.array([self._bodies[name].given for name in self._moving], dtype=np.float64)

    def good_poses(self) -> dict[str, Array]:
        """Of all moving bodies that were heard of, the last that was a rigid motion."""
        return {name: self._bodies[name].good for name in self.moving if name in self._bodies}

    def unheard(self) -> list[str]:
        """The joints and moving bodies that nobody has spoken of yet."""
        moving = self.moving
        if not self._unheard:
            return []
        names = [n for n, time in zip(self.joints, self.fed) if time == _NEVER]
        if self.rest:
            names = [n for k, n in enumerate(self.sources) if k not in self.told]
        names += [name for name in moving if name not in self._bodies]
        self._unheard = bool(names)
        return names

    def resting(self) -> list[str]:
        """The joints that nobody has spoken of, where the cell leaves them at rest."""
        if not self.rest:
            return []
        return [name for name, time in zip(self.joints, self.fed) if time == _NEVER]

    def misnamed(self) -> str:
        """Which joints rest while sources have names that fit nothing: they may be meant by them.
        Empty where none does."""
        strangers = [name for voices in self.voices for name in voices.strangers]
        resting = self.resting() if strangers else []
        if not resting:
            return ""
        return (
            f"no values for {_some(resting)}, assumed at rest; unknown names {_some(strangers)}: "
            "`rename` or `ignore` them in a [[stream]] of the cell file"
        )

    def awaited(self) -> tuple[str, str]:
        """What the watch waits for, who and a sentence: the joints and bodies that are `unheard`,
        and whom sources spoke of instead."""
        unheard = self.unheard()
        text = "waiting for " + (_some(unheard) if unheard else "an answer of the monitor")
        who = "start"
        for name, voices in zip(self.sources, self.voices):
            if voices.strangers:
                who = name if who == "start" else who
                text += f"; {name} has unknown names: {_some([*voices.strangers])}"
        return who, text

    def concerned(self, element: str) -> set[Who]:
        """What a trouble with a joint, a link or a body is about."""
        if element in self._columns:
            return {self._columns[element]}
        if element in self._bodies:
            return {element}
        body = self._cell.bodies.get(element)
        if body is not None and body.attachment is not None:
            element = body.attachment.link
        told = self.fed > _NEVER
        whos: set[Who] = {j for j in joints_of(self, element) if told[j]}
        return whos or {ANY}

    def back_to(self, now: float) -> None:
        """The clock ran back: nothing was heard later than now."""
        np.minimum(self.fed, now, out=self.fed)
        for until, owner in zip(self._until, self.owner):
            for j, voice in enumerate(owner):
                if voice is not None and until[j] < math.inf:
                    until[j] = min(until[j], now + voice.age)
        self.heard = [min(time, now) for time in self.heard]
        for body in self._bodies.values():
            body.until = {c: min(until, now + c.age) for c, until in body.until.items()}
        self.safe_until = _NEVER

    def due(self, now: float) -> float:
        """When the next joint or body is silent for too long, if nothing comes until then; those
        that are at ``now`` do not count."""
        times = self.until.ravel().tolist()
        if self.moving:
            times += self.bodies_until()
        return min((t for t in times if t > now), default=math.inf)

    def bodies_until(self) -> list[float]:
        """When each who told of a moving body will have been silent for too long."""
        heard = [self._bodies[name] for name in self.moving if name in self._bodies]
        return [until for body in heard for until in body.until.values()]

    def check_ages(self, now: float, found: Found) -> None:
        """Find who is silent, see `find_silent`. Each source has to tell again of what it told
        once, whoever else does: it may have died."""
        if now < self.safe_until:
            return
        heard = self._deadlines()
        untils = [until for told in heard for all_of in told.values() for _, until in all_of]
        self.safe_until = min((now + self._least, *untils))
        if all(until > now for until in untils):
            return
        for source, told in zip(self.sources, heard):
            if told:
                find_silent(now, source, told, self._columns, found)

    def _deadlines(self) -> list[dict[Clock, list[tuple[str, float]]]]:
        """Of each source: who tells in it of which joints and bodies, and until when at the latest
        each has to come again."""
        heard: list[dict[Clock, list[tuple[str, float]]]] = [{} for _ in self.sources]
        for told, row, owner in zip(heard, self.until.tolist(), self.owner):
            for name, until, voice in zip(self.joints, row, owner):
                # Infinite: nothing of use was ever told of it, which is a trouble of its own.
                if voice is not None and until < math.inf:
                    told.setdefault(voice, []).append((name, until))
        for name in self.moving:
            if name in self._bodies:
                for clock, until in self._bodies[name].until.items():
                    heard[clock.source][clock] = [(name, until)]
        return heard


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
