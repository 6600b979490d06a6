"""What a watch looked like, in bounded memory: minima are kept, whatever is thinned out; and how
often, how long and how badly something held.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from standoff.geometry.pose import Array
from standoff.monitor.report import Cycle
from standoff.streams.report import Report, State

#: Episodes (of a pair that is too close, of a fault) that a history keeps, the worst of them, [-],
#: and different ones of which it counts each apart, [-]: what is beyond is counted together.
HISTORY_EPISODES = 500
HISTORY_KINDS = 2000

#: Episodes of the same that are less far apart are one, [s]: it flickered.
EPISODE_GAP = 0.25


Key = TypeVar("Key", bound=Hashable)


@dataclass
class Episode(Generic[Key]):
    """Something that held from ``start`` to ``end``, [s], that is, to the cycle after the last in
    which it did; gaps below EPISODE_GAP are no end.

    Attributes:
        value: the lowest of its values, and ``at`` when that was, ``speed`` then.
        fastest: the largest of its speeds.
        cycles: in how many cycles it held.
    """

    key: Key
    start: float
    end: float
    value: float = math.inf
    at: float = math.nan
    speed: float = math.nan
    fastest: float = -math.inf
    cycles: int = 0

    @property
    def length(self) -> float:
        """[s]; 0 where it was one cycle."""
        return self.end - self.start


@dataclass
class Total(Generic[Key]):
    """All episodes of one key together."""

    key: Key
    episodes: int = 0
    cycles: int = 0
    length: float = 0.0
    value: float = math.inf
    at: float = math.nan
    fastest: float = -math.inf
    first: float = math.nan


@dataclass
class Episodes(Generic[Key]):
    """Episodes by key. Of those that are over, the worst are kept: lowest value first, longest of
    the equal ones. The totals count all of them, for as many different keys as fit; ``others`` is
    how many episodes had no room among these."""

    most: int = HISTORY_EPISODES
    most_keys: int = HISTORY_KINDS
    totals: dict[Key, Total[Key]] = field(default_factory=dict)
    others: int = 0
    _open: dict[Key, Episode[Key]] = field(default_factory=dict)
    _kept: list[tuple[float, float, int, Episode[Key]]] = field(default_factory=list)
    _number: int = 0
    _held: list[Episode[Key]] = field(default_factory=list)

    def take(self, time: float, held: Iterable[tuple[Key, float, float]]) -> None:
        """What holds in a cycle: its key, value and speed (NaN where there is none)."""
        self._held.clear()
        for key, value, speed in held:
            episode = self._open.get(key)
            if episode is None:
                if len(self._open) >= self.most_keys:
                    self.others += 1
                    continue
                episode = self._open[key] = Episode(key, time, time)
            self._held.append(episode)
            episode.end = time
            episode.cycles += 1
            if value < episode.value or episode.cycles == 1:
                episode.value, episode.at, episode.speed = value, time, speed
            if speed > episode.fastest:
                episode.fastest = speed
        if self._open:
            over = [s for s in self._open.values() if time - s.end > EPISODE_GAP]
            for episode in over:
                self._end(episode)

    def extend(self, time: float) -> None:
        """What held in the last cycle still does: nothing else was said until now."""
        for episode in self._held:
            episode.end = time

    def finish(self) -> None:
        """The watch is over, and with it each episode."""
        for episode in list(self._open.values()):
            self._end(episode)
        self._held.clear()

    def worst(self) -> list[Episode[Key]]:
        """Those kept, the worst first, those that go on among them."""
        episodes = [episode for *_, episode in self._kept] + list(self._open.values())
        return sorted(episodes, key=lambda s: (_finite(s.value), -s.length, s.start))

    def _end(self, episode: Episode[Key]) -> None:
        del self._open[episode.key]
        total = self.totals.get(episode.key)
        if total is None and len(self.totals) < self.most_keys:
            total = self.totals[episode.key] = Total(episode.key, first=episode.start)
        if total is None:
            self.others += 1
        else:
            total.episodes += 1
            total.cycles += episode.cycles
            total.length += episode.length
            total.fastest = max(total.fastest, episode.fastest)
            if episode.value < total.value or total.episodes == 1:
                total.value, total.at = episode.value, episode.at
        # A heap with the mildest on top: the highest value, the shortest of the equal ones.
        self._number += 1
        entry = (-_finite(episode.value), episode.length, -self._number, episode)
        if len(self._kept) < self.most:
            heapq.heappush(self._kept, entry)
        else:
            heapq.heappushpop(self._kept, entry)


def _finite(value: float) -> float:
    """An unknown distance counts as the worst."""
    return -math.inf if math.isnan(value) else value


#: Columns of the history of a watch, [-]: two on each pixel of a wide screen. Each is as wide in
#: time as it takes for all to fit.
HISTORY_COLUMNS = 4096

#: Width of such a column at first, [s]: a cycle of the fastest watch.
HISTORY_STEP = 0.001


#: A pair of bodies; a state with the kind and the element of its reason.
Pair = tuple[str, str]
Cause = tuple[State, str, str]


@dataclass(frozen=True, eq=False)
class Columns:
    """The history as a curve.

    Attributes:
        time: when each column starts, [s].
        clearance: the smallest that was measured in it, infinite where nothing was near, NaN where
            there was none. Beyond the thresholds not every pair is measured: the true one is no
            more than this.
        scale: the lowest in it, NaN where there was none.
        states: which states there were in it, bit ``1 << state`` for each.
        step: how wide each is, [s].
    """

    time: Array
    clearance: Array
    scale: Array
    states: NDArray[np.uint8]
    step: float


class History:
    """Reports in, a curve and episodes out.

    Time is cut into columns, twice as wide each time they fill up; a column has the smallest
    clearance, the lowest scale and all states of its cycles, so that a run of days loses when
    exactly something was on the curve, and nothing of what was. A state lasts until the next
    report: a drop-out in which nothing was said is as wide as it was.

    The time of a file may run back, which is a fault of the watch; that of a history does not. What
    comes after counts on from the last report, and nothing that held before goes on over it.

    Attributes:
        cycles: how many reports there were.
        back: how often their time ran back.
        first, last: the times of the first and the last, by the clock of the history.
        lasted: seconds in each state.
        unwatched: seconds in which not every joint had a value; blind: such cycles.
        pairs: when which pair was how near.
        contacts: when which pair touched or overlapped.
        causes: when there was which reason, other than a pair that is too close.
        lowest, lowest_at: the smallest distance of a pair within its threshold, and when.
        sure: every pair that is nearer than this is measured, [m].
    """

    def __init__(
        self, columns: int = HISTORY_COLUMNS, step: float = HISTORY_STEP, *, sure: float = 0.0
    ) -> None:
        self.sure = sure
        self.cycles = self.back = 0
        self.first = self.last = math.nan
        self.lasted = dict.fromkeys(State, 0.0)
        self.unwatched, self.blind = 0.0, 0
        self.pairs: Episodes[Pair] = Episodes()
        self.contacts: Episodes[Pair] = Episodes()
        self.causes: Episodes[Cause] = Episodes()
        self.lowest, self.lowest_at = math.inf, math.nan
        self._step = step
        columns += columns % 2  # they are thinned out in twos, and none may be left over
        self._clearance = np.full(columns, np.nan)
        self._scale = np.full(columns, np.nan)
        self._states = np.zeros(columns, np.uint8)
        self._column = 0
        self._state, self._watched = State.SAFE, True
        #: The time of the last report as it had it, and how far the history is ahead of that.
        self._last_time, self._ahead = -math.inf, 0.0

    def put(self, report: Report) -> None:
        """Take one report."""
        time = self._counted_on(report.time)
        if self.cycles == 0:
            self.first = self.last = time
        self._pass(time)
        self.cycles += 1
        self._state, self._watched = report.state, report.cycle is not None
        self.blind += not self._watched
        k = self._column
        self._states[k] |= 1 << report.state
        if not self._scale[k] <= report.scale:
            self._scale[k] = report.scale
        cycle = report.cycle
        if cycle is not None:
            self._take(time, cycle, report.clearance)
            self.contacts.take(
                time, [((w.a, w.b), w.distance, w.closing_speed) for w in report.contacts]
            )
        causes = [
            ((r.state, r.kind, r.element), math.inf, math.nan)
            for r in report.reasons
            if r.kind != "warning"
        ]
        self.causes.take(time, causes)

    def put_quiet(self, times: Array, clearances: Array) -> None:
        """Many cycles in a row in which all was SAFE and the scale 1, as `put` takes one each.
        Their times do not run back."""
        if len(times) == 0:
            return
        start = self._counted_on(float(times[0]))
        if self.cycles == 0:
            self.first = self.last = start
        self._last_time, times = float(times[-1]), np.maximum(times + self._ahead, start)
        self._pass(start)
        self._take_nothing()
        self._state, self._watched = State.SAFE, True
        self._states[self._column] |= 1 << State.SAFE
        self._pass(float(times[-1]))
        self.cycles += len(times)
        columns = ((times - self.first) / self._step).astype(np.int64)
        np.clip(columns, 0, self._column, out=columns)
        np.fmin.at(self._clearance, columns, clearances)
        np.fmin.at(self._scale, columns, 1.0)
        self._take_nothing()

    def _take_nothing(self) -> None:
        """A cycle in which no pair was too close, and nothing at fault."""
        for episodes in (self.pairs, self.contacts, self.causes):
            episodes.take(self.last, ())

    def finish(self) -> None:
        """Nothing that held goes on: there are no more reports, or their time ran back."""
        for episodes in (self.pairs, self.contacts, self.causes):
            episodes.finish()

    @property
    def known(self) -> bool:
        """Whether it was known all along where the robots are: neither STALE nor at FAULT."""
        doubt = 1 << State.STALE | 1 << State.FAULT
        return bool(self.cycles) and not (self._states & doubt).any()

    def columns(self) -> Columns:
        """The curve up to now."""
        n = self._column + 1 if self.cycles else 0
        return Columns(
            self.first + self._step * np.arange(n, dtype=np.float64),
            self._clearance[:n].copy(),
            self._scale[:n].copy(),
            self._states[:n].copy(),
            self._step,
        )

    def _take(self, time: float, cycle: Cycle, within: float) -> None:
        near, k = cycle.clearance, self._column
        if not self._clearance[k] <= near:
            self._clearance[k] = near
        if within < self.lowest:
            self.lowest, self.lowest_at = within, time
        self.pairs.take(time, [((w.a, w.b), w.distance, w.closing_speed) for w in cycle.warnings])

    def _counted_on(self, time: float) -> float:
        """The time of a report by a clock that never runs back."""
        if time < self._last_time:
            self.back += 1
            self._ahead += self._last_time - time
            self.finish()
        self._last_time = time
        # A sum that was rounded must not run back either.
        return max(time + self._ahead, self.last) if self.back else time

    def _pass(self, time: float) -> None:
        """On to the column of ``time``; those on the way have the state that held."""
        if not time > self.last:
            return
        self.lasted[self._state] += time - self.last
        self.unwatched += 0.0 if self._watched else time - self.last
        if self._watched:
            self.pairs.extend(time)
            self.contacts.extend(time)
        if self._state >= State.STALE:
            self.causes.extend(time)
        self.last = time
        while (time - self.first) / self._step >= len(self._states):
            self._thin()
        k = int((time - self.first) / self._step)
        self._states[self._column + 1 : k + 1] |= np.uint8(1 << self._state)
        self._column = max(self._column, k)

    def _thin(self) -> None:
        """Two columns become one; what was in either is in it."""
        half = len(self._states) // 2
        for values in (self._clearance, self._scale):
            values[:half] = np.fmin(values[0::2], values[1::2])
            values[half:] = np.nan
        self._states[:half] = self._states[0::2] | self._states[1::2]
        self._states[half:] = 0
        self._column //= 2
        self._step *= 2.0
