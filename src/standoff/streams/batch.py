"""Many readings at once, one for each cycle, up to the first with which something is wrong: for a
replay at full speed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from standoff.geometry.pose import Array
from standoff.geometry.shape import IntArray
from standoff.monitor.report import QuietCycle
from standoff.streams.limits import TIME_LIMIT
from standoff.streams.messages import Joints
from standoff.streams.publishers import AGE_WINDOW, Publisher, delay
from standoff.streams.received import Received
from standoff.streams.report import Report, State


@dataclass(frozen=True, eq=False)
class Part:
    """The readings of a batch that have one source and one list of names.

    Attributes:
        at: which readings of the batch, ascending.
        stamp: of each; positions: of each, one row.
        partial: as in `Joints`.
    """

    source: int
    names: tuple[str, ...]
    at: IntArray
    stamp: Array
    positions: Array
    partial: bool = False


@dataclass(frozen=True, eq=False)
class Batch:
    """Attributes:
    now: time of each reading.
    parts: what they say.
    readings: the same one by one, where they came like that.
    """

    now: Array
    parts: tuple[Part, ...]
    readings: Sequence[tuple[float, int, Joints]] | None = None

    def reading(self, k: int) -> tuple[float, int, Joints]:
        """One of them: its time, its source, and the message (in a replay without velocities)."""
        if self.readings is not None:
            return self.readings[k]
        for part in self.parts:
            i = int(np.searchsorted(part.at, k))
            if i < len(part.at) and part.at[i] == k:
                stamp = float(part.stamp[i])
                message = Joints(stamp, part.names, part.positions[i], None, part.partial)
                return float(self.now[k]), part.source, message
        raise IndexError(k)


def gathered(readings: Sequence[tuple[float, int, Joints]]) -> Batch:
    """A batch of readings one by one. All have a position for each name."""
    groups: dict[tuple[int, tuple[str, ...], bool], list[int]] = {}
    for k, (_, source, message) in enumerate(readings):
        groups.setdefault((source, message.names, message.partial), []).append(k)
    parts = [
        Part(
            source,
            names,
            np.array(at, dtype=np.int64),
            np.array([readings[k][2].stamp for k in at]),
            np.array([readings[k][2].positions for k in at]).reshape(len(at), len(names)),
            partial,
        )
        for (source, names, partial), at in groups.items()
    ]
    return Batch(np.array([now for now, _, _ in readings]), tuple(parts), readings)


@dataclass(frozen=True, eq=False)
class Stretch:
    """Quiet cycles in a row: SAFE, nothing changed, full speed.

    Attributes:
        batch: what they are the first of.
        number: of the first cycle; asked: of the monitor's answer in it.
        heard: the sources, and when each had its last valid message before it.
        revision: of the cell.
        clearances: of each; as many as there are.
        Q: (n, joints), where the joints were.
        poses: of the moving bodies, the same in all; None where there are none.
    """

    batch: Batch
    number: int
    asked: int
    heard: Sequence[tuple[str, float]]
    revision: int
    clearances: Array
    Q: Array
    poses: Array | None

    def __len__(self) -> int:
        return len(self.clearances)

    @property
    def times(self) -> Array:
        """Of each."""
        return self.batch.now[: len(self)]

    def report(self, k: int) -> Report:
        """The report of one of them."""
        now, last = float(self.times[k]), [time for _, time in self.heard]
        for part in self.batch.parts:
            i = int(np.searchsorted(part.at, k, side="right")) - 1
            if i >= 0:
                last[part.source] = max(last[part.source], float(self.times[part.at[i]]))
        ages = {name: now - time for (name, _), time in zip(self.heard, last)}
        cycle = QuietCycle(self.asked + k, now, float(self.clearances[k]))
        return Report(
            self.number + k, now, State.SAFE, False, (), cycle, 1.0, ages,
            q=self.Q[k], poses=self.poses, revision=self.revision,
        )  # fmt: skip


def check_ahead(received: Received, batch: Batch, time: float) -> tuple[int, Array]:
    """All joints at each reading of a batch after ``time``, one row each; and how many of the
    readings, from the first on, nothing is wrong with that could be seen here. Changes nothing."""
    now, n = batch.now, len(batch.now)
    Q = np.empty((n, len(received.q)))
    Q[:] = received.q
    taken = np.zeros(len(received.q), dtype=bool)
    updated = np.zeros(received.deadline.shape, dtype=bool)
    n = _first(~(now > np.concatenate(((time,), now[:-1]))) | (np.abs(now) > TIME_LIMIT), n)
    for part in batch.parts:
        publisher = received.publishers[part.source].find(part.names, part.partial)
        if (
            publisher is None
            or publisher.route.problem
            or publisher.dropped
            or not len(publisher.route.columns)
            or received.publishers[part.source].before(publisher)
            or taken[publisher.route.columns].any()
        ):
            n = min(n, int(part.at[0]))
            continue
        columns = publisher.route.columns
        taken[columns] = updated[part.source, columns] = True
        rows = np.concatenate(
            (received.q[columns][None], received.whole(publisher, part.positions))
        )
        if received.turning[columns].any():
            # Angles that are wrapped are for `Received.take`.
            over = (np.abs(np.diff(rows, axis=0)) / math.tau > 0.5) & received.turning[columns]
            wrapped = over.any(axis=1)
            n = min(n, int(part.at[np.argmax(wrapped)])) if wrapped.any() else n
        Q[:, columns] = rows[np.searchsorted(part.at, np.arange(len(now)), side="right")]
        least = publisher.ages.min()
        until = np.concatenate(
            ((received.deadline[part.source, columns].min(),), now[part.at] + least)
        )
        last = until[np.searchsorted(part.at, np.arange(len(now)), side="left")]
        n = min(n, _first(now >= last, n), _untimely(part, publisher, now))
        measured = AGE_WINDOW - publisher.count
        if not publisher.settled and measured < len(part.at):
            n = min(n, int(part.at[measured]))
    still = [received.deadline[~updated].min(initial=math.inf), *received.bodies.deadlines()]
    return _first(now >= min(still), n), Q


def skip(received: Received, batch: Batch, count: int, Q: Array) -> None:
    """Take over the first readings of a batch that `check_ahead` had nothing against."""
    for part in batch.parts:
        m = int(np.searchsorted(part.at, count))
        if m == 0:
            continue
        publisher = received.publishers[part.source].find(part.names, part.partial)
        assert publisher is not None
        last = float(batch.now[part.at[m - 1]])
        if not publisher.settled:
            if publisher.count == 0:
                publisher.since = float(batch.now[part.at[0]])
            publisher.count += m
        columns = publisher.route.columns
        received.last_update[columns] = last
        received.deadline[part.source, columns] = last + publisher.ages
        received.set_owner(publisher)
        received.last_message[part.source] = max(received.last_message[part.source], last)
        given = _given(part.stamp[:m])
        if given.any():
            stamp = part.stamp[:m][given]
            took = delay(batch.now[part.at[:m]][given], stamp)
            publisher.stamp = float(stamp[-1])
            publisher.quickest = min(publisher.quickest, float(took.min()))
    received.q[:] = Q[count - 1]


def _untimely(part: Part, publisher: Publisher, now: Array) -> int:
    """The first reading that `Clock.check` would not let pass in silence."""
    at, stamp, end = part.at, part.stamp, len(now)
    given = _given(stamp)
    if not given.all():
        # Either no time at all, or none after there was one.
        had = np.logical_or.accumulate(given) | (not math.isnan(publisher.stamp))
        bad = ~given & (had | ~((stamp == 0.0) | np.isnan(stamp)))
        if bad.any():
            end = int(at[np.argmax(bad)])
        if not given.any():
            return end
        at, stamp = at[given], stamp[given]
    before = -math.inf if math.isnan(publisher.stamp) else publisher.stamp
    took = delay(now[at], stamp)
    quickest = np.minimum.accumulate(np.concatenate(((publisher.quickest,), took)))[1:]
    bad = ~(stamp > np.concatenate(((before,), stamp[:-1]))) | (took - quickest > publisher.age)
    return min(end, int(at[np.argmax(bad)])) if bad.any() else end


def _given(stamp: Array) -> NDArray[np.bool_]:
    found: NDArray[np.bool_] = (stamp > 0.0) & (stamp <= TIME_LIMIT)
    return found


def _first(bad: NDArray[np.bool_], most: int) -> int:
    """The first of those that are bad, ``most`` where none is before."""
    where = np.flatnonzero(bad[:most])
    return int(where[0]) if len(where) else most
