"""What is known of every joint and moving body, from whom, and since when."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from standoff.cell import Cell
from standoff.shapes.pose import Array
from standoff.streams.batch import Batch, Part
from standoff.streams.found import Found
from standoff.streams.messages import BodyPose, Joints
from standoff.streams.voices import Voice, Voices, delay, none

_NEVER = -math.inf


class Senses:
    """Takes messages as they come; no clock is read here, time is given.

    Attributes:
        sources: their names.
        q: the last good value of each joint, in the order of ``cell.joints``.
        given: the same, with what this cycle brought even where it is no number.
        fed: when each joint was last heard of; owner: from which source, -1 before.
        heard: when each source last had a good message.
        safe_until: nobody is silent for too long before this.
    """

    def __init__(self, cell: Cell, sources: Sequence[str], max_age: float, rest: bool) -> None:
        self._cell = cell
        self._max_age = max_age
        self._rest = rest
        self.sources = tuple(sources)
        self.voices = [Voices(cell, name) for name in sources]
        self.joints = cell.joints
        self.q: Array = cell.q.copy()
        self.given = self.q.copy()
        self.fed: Array = np.full(len(self.q), _NEVER)
        self.owner = np.full(len(self.q), -1, dtype=np.int64)
        self.heard = [_NEVER] * len(sources)
        self._bodies: dict[str, tuple[Array, float, int]] = {}
        self._moving: tuple[str, ...] = ()
        self._revision = -1
        self._unheard = True
        self.safe_until = _NEVER

    def start(self) -> None:
        """A cycle begins: what was no number in the last is the last good one again."""
        self.given[:] = self.q

    def take(self, now: float, source: int, message: Joints, found: Found) -> bool:
        """Whether anything of it can be used."""
        name = self.sources[source]
        voice = self.voices[source].of(message.names)
        if voice is None or voice.route.problem:
            why = "too many lists of names" if voice is None else voice.route.problem
            found.add("names", name, f"{name}: {why}", {source})
            return False
        if message.positions.shape != (len(message.names),):
            text = f"{name}: {len(message.names)} names and {message.positions.size} positions"
            found.add("garbled", name, text, {source})
            return False
        if not self._timely(now, source, voice, message.stamp, found):
            return False
        columns = voice.route.columns
        if not len(columns):
            return False
        for j in voice.dropped:
            text = f"{self.joints[j]} is not in a message of {name} that should have it"
            found.add("missing", self.joints[j], text, {source})
        values = voice.values(message.positions)
        self.given[columns] = values
        if np.isfinite(values).all():
            self.q[columns] = values
            self.fed[columns] = now
        else:
            good = np.isfinite(values)
            self.q[columns[good]] = values[good]
            self.fed[columns[good]] = now
        self.owner[columns] = source
        return True

    def _timely(self, now: float, source: int, voice: Voice, stamp: float, found: Found) -> bool:
        """Whether a message is newer than the last; one that took long is used nevertheless."""
        if none(stamp):
            return True
        last, voice.stamp = voice.stamp, stamp
        name = self.sources[source]
        if not stamp > last and not math.isnan(last):
            kind = "doubled" if stamp == last else "backwards"
            word = "again" if stamp == last else f"after {last:.6f}"
            found.add(kind, name, f"{name}: stamp {stamp:.6f} s {word}", {source})
            if kind == "backwards":
                voice.quickest = math.inf
            return False
        took = float(delay(now, stamp))  # type: ignore[arg-type]
        voice.quickest = min(voice.quickest, took)
        if took - voice.quickest > self._max_age:
            text = f"{name}: a message is {took - voice.quickest:.3f} s late"
            found.add("late", name, text, {source})
        return True

    def take_pose(self, now: float, source: int, message: BodyPose, found: Found) -> bool:
        """Likewise of a moving body; other bodies do not matter."""
        message = self.voices[source].mapping.body(message)
        if message.body not in self.moving:
            return False
        self._bodies[message.body] = message.pose, now, source
        return True

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
        return np.array([self._bodies[name][0] for name in self._moving], dtype=np.float64)

    def shown_poses(self) -> Array | None:
        """The same, None as long as some are not known."""
        known = all(name in self._bodies for name in self.moving)
        return self.poses() if known else None

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

    def back_to(self, now: float) -> None:
        """The clock ran back: nothing was heard later than now."""
        np.minimum(self.fed, now, out=self.fed)
        self.heard = [min(time, now) for time in self.heard]
        self._bodies = {n: (p, min(t, now), s) for n, (p, t, s) in self._bodies.items()}
        self.safe_until = _NEVER

    def due(self, now: float) -> float:
        """When the next joint or body is silent for too long, if nothing comes until then; those
        that are at ``now`` do not count."""
        times = [*self.fed[self.fed > _NEVER].tolist()]
        times += [self._bodies[name][1] for name in self.moving if name in self._bodies]
        return min((t + self._max_age for t in times if t + self._max_age > now), default=math.inf)

    def check_ages(self, now: float, found: Found) -> None:
        """Find who is silent: a source of which all joints and bodies are, else each of them."""
        if now < self.safe_until:
            return
        heard: dict[int, list[tuple[str, float]]] = {}
        for name, time, owner in zip(self.joints, self.fed.tolist(), self.owner.tolist()):
            if owner >= 0 and time > _NEVER:
                heard.setdefault(owner, []).append((name, time))
        for name in self.moving:
            if name in self._bodies:
                _, time, owner = self._bodies[name]
                heard.setdefault(owner, []).append((name, time))
        self.safe_until = now + self._max_age
        for owner, all_of in heard.items():
            over = [(name, time) for name, time in all_of if now >= time + self._max_age]
            self.safe_until = min(self.safe_until, *(t + self._max_age for _, t in all_of))
            if len(over) == len(all_of):
                source, age = self.sources[owner], now - max(time for _, time in all_of)
                found.add("silent", source, f"{source}: nothing of use for {age:.3f} s", {owner})
            else:
                for name, time in over:
                    text = f"{name}: not heard of for {now - time:.3f} s"
                    found.add("missing", name, text, {owner})

    def foresee(self, batch: Batch, time: float) -> tuple[int, Array]:
        """All joints at each reading of a batch after ``time``, one row each; and how many of the
        readings, from the first on, nothing is wrong with that could be seen here. Changes nothing
        that counts."""
        now, n = batch.now, len(batch.now)
        Q = np.empty((n, len(self.q)))
        Q[:] = self.q
        taken = np.zeros(len(self.q), dtype=bool)
        n = _first(~(now > np.concatenate(((time,), now[:-1]))), n)
        for part in batch.parts:
            voice = self.voices[part.source].of(part.names)
            if voice is None or voice.route.problem or voice.dropped:
                n = min(n, int(part.at[0]))
                continue
            columns = voice.route.columns
            if not len(columns) or taken[columns].any():
                n = min(n, int(part.at[0]))
                continue
            taken[columns] = True
            rows = np.concatenate((self.q[columns][None], voice.values(part.positions)))
            Q[:, columns] = rows[np.searchsorted(part.at, np.arange(len(now)), side="right")]
            fed = np.concatenate(((self.fed[columns].min(),), now[part.at]))
            last = fed[np.searchsorted(part.at, np.arange(len(now)), side="left")]
            n = min(n, _first(now >= last + self._max_age, n), self._untimely(part, voice, now))
        still = [t + self._max_age for t in self.fed[~taken].tolist() if t > _NEVER]
        still += [self._bodies[name][1] + self._max_age for name in self.moving]
        return _first(now >= min(still, default=math.inf), n), Q

    def _untimely(self, part: Part, voice: Voice, now: Array) -> int:
        """The first reading that `_timely` would not let pass in silence."""
        given = (part.stamp > 0.0) & np.isfinite(part.stamp)
        if not given.any():
            return len(now)
        at, stamp = part.at[given], part.stamp[given]
        before = -math.inf if math.isnan(voice.stamp) else voice.stamp
        took = delay(now[at], stamp)
        quickest = np.minimum.accumulate(np.concatenate(((voice.quickest,), took)))[1:]
        bad = ~(stamp > np.concatenate(((before,), stamp[:-1]))) | (took - quickest > self._max_age)
        return int(at[np.argmax(bad)]) if bad.any() else len(now)

    def skip(self, batch: Batch, count: int, Q: Array) -> None:
        """Take over the first readings of a batch that `foresee` had nothing against."""
        for part in batch.parts:
            m = int(np.searchsorted(part.at, count))
            if m == 0:
                continue
            voice = self.voices[part.source].of(part.names)
            assert voice is not None
            columns, last = voice.route.columns, float(batch.now[part.at[m - 1]])
            self.fed[columns], self.owner[columns] = last, part.source
            self.heard[part.source] = max(self.heard[part.source], last)
            given = (part.stamp[:m] > 0.0) & np.isfinite(part.stamp[:m])
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
