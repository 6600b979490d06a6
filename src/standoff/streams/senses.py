"""What is known of every joint and moving body, from whom, and since when."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from standoff.cell import Cell
from standoff.constants import AGE_WINDOW, TIME_LIMIT
from standoff.errors import Error
from standoff.shapes.pose import Array, as_pose
from standoff.streams.batch import Batch, Part
from standoff.streams.clocks import ANY, Clock, Who, delay, of_source
from standoff.streams.found import Found
from standoff.streams.messages import BodyPose, Grasp, Joints
from standoff.streams.options import WatchOptions
from standoff.streams.voices import Voice, Voices

_NEVER = -math.inf


@dataclass(slots=True)
class _Body:
    """Attributes:
    given: the pose as it came; good: the last that is a rigid motion.
    until: when it has been silent for too long, [s].
    clock: of whoever told.
    """

    given: Array
    good: Array
    until: float
    clock: Clock


class Senses:
    """Takes messages as they come; no clock is read here, time is given.

    Attributes:
        sources: their names.
        q: the last good value of each joint, in the order of ``cell.joints``.
        given: the same, with what this cycle brought even where it is no number.
        fed: when each joint was last heard of; until: when it is silent for too long.
        owner: who told of it, None before.
        heard: when each source last had a good message.
        spoke: who has told something of use in this cycle; fine: sources with a message that
            nothing is wrong with, whether or not it matters.
        safe_until: nobody is silent for too long before this.
    """

    def __init__(self, cell: Cell, sources: Sequence[str], options: WatchOptions) -> None:
        self._cell = cell
        self._options = options
        self._least = options.least_age
        self._rest = options.rest
        self.sources = tuple(sources)
        self.joints = cell.joints
        ages = np.array([options.age_of(name) for name in self.joints])
        self.voices = [
            Voices(cell, number, name, self._least, ages) for number, name in enumerate(sources)
        ]
        self._columns = {name: j for j, name in enumerate(self.joints)}
        self.q: Array = cell.q.copy()
        self.given = self.q.copy()
        self.fed: Array = np.full(len(self.q), _NEVER)
        self.until: Array = np.full(len(self.q), math.inf)
        self.owner: list[Voice | None] = [None] * len(self.q)
        self.heard = [_NEVER] * len(sources)
        self.spoke: list[Clock] = []
        self.fine: set[int] = set()
        self._bodies: dict[str, _Body] = {}
        self._moving: tuple[str, ...] = ()
        self._revision = -1
        self._unheard = True
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
        name, whole = self.sources[source], {of_source(source)}
        voice = self.voices[source].of(message.names, message.partial)
        if voice is None or voice.route.problem:
            why = "too many lists of names" if voice is None else voice.route.problem
            found.add("names", name, f"{name}: {why}", whole)
            return
        positions = message.positions
        if positions.ndim != 1 or len(positions) != len(message.names):
            positions = positions.reshape(-1)
            if len(positions) != len(message.names):
                text = f"{name}: {len(message.names)} names and {len(positions)} positions"
                found.add("garbled", name, text, whole)
                return
        if self.spoke and self._told_already(voice, voice.values(positions)):
            text = f"{name}: two readings at one time"
            found.add("doubled", name, text, voice.who or whole)
            return
        if not self._timely(now, voice, message.stamp, found):
            return
        self.fine.add(source)
        if not len(voice.route.columns):
            return
        if not message.partial:
            for j in voice.dropped:
                text = f"{self.joints[j]} is not in a message of {name} that should have it"
                found.add("missing", self.joints[j], text, {j})
        voice.beat(now)
        values, until = voice.values(positions), now + voice.ages
        columns = voice.columns
        self.given[columns] = values
        if np.isfinite(values).all():
            self.q[columns] = values
            self.fed[columns], self.until[columns] = now, until
        else:
            good = np.isfinite(values)
            columns = voice.route.columns[good]
            self.q[columns] = values[good]
            self.fed[columns], self.until[columns] = now, until[good]
        self._own(voice)
        self.spoke.append(voice)

    def _own(self, voice: Voice) -> None:
        for j in voice.route.columns.tolist():
            self.owner[j] = voice

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
        message = self.voices[source].mapping.body(message)
        body = message.body
        if body not in self.moving:
            known = self._cell.bodies.get(body)
            if known is None or known.attachment is not None:
                self.fine.add(source)
                return
            text = f"{body}: {name} moves it, and the cell has it as static; allowed: moving = true"
            found.add("pose", body, text, {body})
            return
        clock = self.voices[source].clock("pose", body, self._options.age_of(body))
        if any(body in spoken.who for spoken in self.spoke):
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
            if body in self._bodies:
                self._bodies[body].given = message.pose
        else:
            self._bodies[body] = _Body(message.pose, good, now + clock.age, clock)
        self.fine.add(source)
        self.spoke.append(clock)

    def grasp_stamp(self, now: float, source: int, message: Grasp) -> tuple[str, str]:
        """What is wrong with the stamp of an event, as `Clock.check`."""
        clock = self.voices[source].clock("grasp", message.body, self._options.age)
        return clock.check(now, message.stamp)

    def taken_up(self, body: str) -> None:
        """A link carries it: where it was does not count any more."""
        self._bodies.pop(body, None)

    def let_go(self, now: float, source: int, body: str) -> None:
        """It is where the link left it, until somebody tells more."""
        if body in self.moving:
            clock = self.voices[source].clock("pose", body, self._options.age_of(body))
            here = self._cell.pose(body)
            self._bodies[body] = _Body(here, here, now + clock.age, clock)

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
        if self._rest:
            names = [n for n, t in zip(self.sources, self.heard) if t == _NEVER]
        names += [name for name in moving if name not in self._bodies]
        self._unheard = bool(names)
        return names

    def concerned(self, element: str) -> set[Who]:
        """What a trouble with a joint, a link or a body is about."""
        if element in self._columns:
            return {self._columns[element]}
        if element in self._bodies:
            return {element}
        body = self._cell.bodies.get(element)
        if body is not None and body.attachment is not None:
            element = body.attachment.link
        robot = element.partition("/")[0] + "/"
        told = self.fed > _NEVER
        whos: set[Who] = {
            j for j, name in enumerate(self.joints) if told[j] and name.startswith(robot)
        }
        return whos or {ANY}

    def back_to(self, now: float) -> None:
        """The clock ran back: nothing was heard later than now."""
        np.minimum(self.fed, now, out=self.fed)
        for j, voice in enumerate(self.owner):
            if voice is not None:
                self.until[j] = min(self.until[j], now + voice.age)
        self.heard = [min(time, now) for time in self.heard]
        for body in self._bodies.values():
            body.until = min(body.until, now + body.clock.age)
        self.safe_until = _NEVER

    def due(self, now: float) -> float:
        """When the next joint or body is silent for too long, if nothing comes until then; those
        that are at ``now`` do not count."""
        times = self.until.tolist()
        times += [self._bodies[name].until for name in self.moving if name in self._bodies]
        return min((t for t in times if t > now), default=math.inf)

    def check_ages(self, now: float, found: Found) -> None:
        """Find who is silent: a source of which all joints and bodies are; else a publisher of
        which all joints are, and each body; else a joint that its publisher leaves out."""
        if now < self.safe_until:
            return
        heard: dict[int, dict[Clock, list[tuple[str, float]]]] = {}
        for name, until, voice in zip(self.joints, self.until.tolist(), self.owner):
            if voice is not None:
                heard.setdefault(voice.source, {}).setdefault(voice, []).append((name, until))
        for name in self.moving:
            if name in self._bodies:
                body = self._bodies[name]
                heard.setdefault(body.clock.source, {})[body.clock] = [(name, body.until)]
        untils = [until for of in heard.values() for all_of in of.values() for _, until in all_of]
        self.safe_until = min((now + self._least, *untils))
        if all(until > now for until in untils):
            return
        for number, of in heard.items():
            self._silent(now, self.sources[number], of, found)

    def _silent(
        self, now: float, source: str, of: dict[Clock, list[tuple[str, float]]], found: Found
    ) -> None:
        silent = {c for c, all_of in of.items() if all(until <= now for _, until in all_of)}
        if len(silent) == len(of):
            age = min(now - until + clock.age for clock in of for _, until in of[clock])
            whos: set[Who] = {who for clock in of for who in clock.who}
            found.add("silent", source, f"{source}: nothing of use for {age:.3f} s", whos)
            return
        for clock, all_of in of.items():
            over = [(name, now - until + clock.age) for name, until in all_of if until <= now]
            if clock in silent:
                who = all_of[0][0] + (", …" if len(all_of) > 1 else "")
                text = f"{source}: nothing of {who} for {min(age for _, age in over):.3f} s"
                found.add("silent", f"{source} ({who})", text, clock.who)
                continue
            for name, age in over:
                text = f"{name}: not heard of for {age:.3f} s"
                found.add("missing", name, text, self.concerned(name))

    def foresee(self, batch: Batch, time: float) -> tuple[int, Array]:
        """All joints at each reading of a batch after ``time``, one row each; and how many of the
        readings, from the first on, nothing is wrong with that could be seen here. Changes
        nothing."""
        now, n = batch.now, len(batch.now)
        Q = np.empty((n, len(self.q)))
        Q[:] = self.q
        taken = np.zeros(len(self.q), dtype=bool)
        n = _first(~(now > np.concatenate(((time,), now[:-1]))) | (np.abs(now) > TIME_LIMIT), n)
        for part in batch.parts:
            voice = self.voices[part.source].find(part.names, part.partial)
            if (
                voice is None
                or voice.route.problem
                or voice.dropped
                or not math.isnan(voice.turned)
                or not len(voice.route.columns)
                or taken[voice.route.columns].any()
            ):
                n = min(n, int(part.at[0]))
                continue
            columns = voice.route.columns
            taken[columns] = True
            rows = np.concatenate((self.q[columns][None], voice.values(part.positions)))
            Q[:, columns] = rows[np.searchsorted(part.at, np.arange(len(now)), side="right")]
            least = voice.ages.min()
            until = np.concatenate(((self.until[columns].min(),), now[part.at] + least))
            last = until[np.searchsorted(part.at, np.arange(len(now)), side="left")]
            n = min(n, _first(now >= last, n), self._untimely(part, voice, now))
            measured = AGE_WINDOW - voice.count
            if not voice.settled and measured < len(part.at):
                n = min(n, int(part.at[measured]))
        still: list[float] = self.until[~taken].tolist()
        still += [self._bodies[name].until for name in self.moving]
        return _first(now >= min(still, default=math.inf), n), Q

    def _untimely(self, part: Part, voice: Voice, now: Array) -> int:
        """The first reading that `Clock.check` would not let pass in silence."""
        given = (part.stamp > 0.0) & (part.stamp <= TIME_LIMIT)
        if not given.any():
            return len(now)
        at, stamp = part.at[given], part.stamp[given]
        before = -math.inf if math.isnan(voice.stamp) else voice.stamp
        took = delay(now[at], stamp)
        quickest = np.minimum.accumulate(np.concatenate(((voice.quickest,), took)))[1:]
        bad = ~(stamp > np.concatenate(((before,), stamp[:-1]))) | (took - quickest > voice.age)
        return int(at[np.argmax(bad)]) if bad.any() else len(now)

    def skip(self, batch: Batch, count: int, Q: Array) -> None:
        """Take over the first readings of a batch that `foresee` had nothing against."""
        for part in batch.parts:
            m = int(np.searchsorted(part.at, count))
            if m == 0:
                continue
            voice = self.voices[part.source].find(part.names, part.partial)
            assert voice is not None
            columns, last = voice.route.columns, float(batch.now[part.at[m - 1]])
            if not voice.settled:
                if voice.count == 0:
                    voice.since = float(batch.now[part.at[0]])
                voice.count += m
            self.fed[columns], self.until[columns] = last, last + voice.ages
            self._own(voice)
            self.heard[part.source] = max(self.heard[part.source], last)
            given = (part.stamp[:m] > 0.0) & (part.stamp[:m] <= TIME_LIMIT)
            if given.any():
                stamp = part.stamp[:m][given]
                took = delay(batch.now[part.at[:m]][given], stamp)
                voice.stamp = float(stamp[-1])
                voice.quickest = min(voice.quickest, float(took.min()))
        self.q[:] = Q[count - 1]


def _first(bad: NDArray[np.bool_], most: int) -> int:
    """The first of those that are bad, ``most`` where none is before."""
    where = np.flatnonzero(bad[:most])
    return int(where[0]) if len(where) else most
