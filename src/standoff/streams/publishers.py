"""Who publishes in a source, by whose clock, and for how long they may be silent."""

from __future__ import annotations

import math

import numpy as np

from standoff.cell.cell import Cell
from standoff.geometry.pose import Array
from standoff.geometry.shape import IntArray
from standoff.streams.limits import MAX_AGE_PERIODS, MAX_STREAM_NAMES, MOST_PUBLISHERS, TIME_LIMIT
from standoff.streams.mapping import Mapping, Route

#: Messages of one publisher by which a watch tells how often it publishes, [-]: some that are lost,
#: or come in a bunch, change their mean little.
AGE_WINDOW = 64

#: By how much the clock of a source may run faster or slower than ours, [s/s]: the crystals of
#: computers are good to 1e-4, and a delay that grows faster than this is a delay.
CLOCK_DRIFT = 2e-4


#: What a fault is about, and what a valid reading is about: a joint by its number, a body by
#: its name, a source as `of_source`, anything at all.
Subject = int | str | None

#: Whatever it is.
ANY: Subject = None

#: What nobody will ever publish: no body has an empty name.
NOBODY: Subject = ""


def of_source(number: int) -> int:
    """A source as a whole, beside the joints, which count from 0 on."""
    return -1 - number


class Clock:
    """Of a publisher of joints, or of a body.

    Attributes:
        source: its number.
        subjects: what it publishes.
        least, age: how long it may be silent, [s]: ``age``, which falls to ``least`` where it turns
            out to publish often enough.
        stamp: the newest of its messages so far, NaN before.
        quickest: the least delay of a message so far, in a frame that drifts with CLOCK_DRIFT, [s].
        count: messages since ``since``, by which its age is measured.
    """

    __slots__ = ("age", "count", "least", "quickest", "since", "source", "stamp", "subjects")

    def __init__(self, source: int, subjects: frozenset[Subject], least: float, age: float) -> None:
        self.source, self.subjects = source, subjects
        self.least, self.age = least, age
        self.stamp, self.quickest = math.nan, math.inf
        self.count, self.since = 0, math.nan

    def check(self, now: float, stamp: float) -> tuple[str, str]:
        """What is wrong with the stamp of a message, a kind of `RULES` and words; empty where
        nothing is. ``doubled`` and ``backwards`` are not to be used."""
        if not 0.0 < stamp <= TIME_LIMIT:
            if not none(stamp):
                return "backwards", f"stamp {stamp:g} s is no time"
            if math.isnan(self.stamp):
                return "", ""
            return "backwards", f"no stamp after {self.stamp:.6f} s"
        if stamp == self.stamp:
            return "doubled", f"stamp {stamp:.6f} s again"
        if stamp < self.stamp:
            # Old messages and a clock that was set back look alike: neither is the newest.
            return "backwards", f"stamp {stamp:.6f} s is older than {self.stamp:.6f} s"
        self.stamp = stamp
        took = float(delay(now, stamp))  # type: ignore[arg-type]
        self.quickest = min(self.quickest, took)
        behind = took - self.quickest
        return ("late", f"a message is {behind:.3f} s late") if behind > self.age else ("", "")

    @property
    def settled(self) -> bool:
        """Whether its age stays what it is."""
        return self.age <= self.least

    def beat(self, now: float) -> None:
        """A message came. AGE_WINDOW of them tell how often it publishes: one that does so more
        often than was thought may be silent for less long."""
        if self.settled:
            return
        if self.count == 0 or not now > self.since:
            self.since, self.count = now, 0
        elif self.count == AGE_WINDOW:
            usual = MAX_AGE_PERIODS * (now - self.since) / AGE_WINDOW
            self.age = max(self.least, min(self.age, usual))
            self.since, self.count = now, 0
        self.count += 1


def delay(now: Array, stamp: Array) -> Array:
    """How long messages took, but for a constant, [s]: the clocks of both ends may be set
    differently and drift apart by CLOCK_DRIFT. Numbers or arrays."""
    return (now - stamp) - CLOCK_DRIFT * now


def none(stamp: float) -> bool:
    """Whether a stamp says nothing: ROS has 0 where nobody set it."""
    return stamp == 0.0 or math.isnan(stamp)


class Publisher(Clock):
    """One list of names of one source, with a clock of its own.

    Attributes:
        route: where its values go.
        columns: of the route, as a slice where they follow each other, which is quicker.
        ages: how long each of its joints may be silent, [s].
        dropped: joints that it leaves out, and that a list of more names had.
    """

    __slots__ = ("_picks", "ages", "columns", "dropped", "route")

    def __init__(self, source: int, route: Route, least: float, ages: Array) -> None:
        self.route = route
        self.columns, self._picks = _index(route.columns), _index(route.picks)
        self.ages: Array = ages[route.columns]
        self.dropped: tuple[int, ...] = ()
        age = float(self.ages.max(initial=least))
        super().__init__(source, frozenset(route.columns.tolist()), least, age)

    def beat(self, now: float) -> None:
        """A message came."""
        before = self.age
        super().beat(now)
        if self.age < before:
            self.ages = np.minimum(self.ages, self.age)

    def values(self, positions: Array) -> Array:
        """The joints of the cell from one message, or from many: one row each."""
        route = self.route
        found: Array = positions[..., self._picks]
        if route.scale is not None:
            found = found * route.scale
        if route.offset is not None:
            found = found + route.offset
        return found


def _index(places: IntArray) -> IntArray | slice:
    if len(places) and (np.diff(places) == 1).all():
        return slice(int(places[0]), int(places[-1]) + 1)
    return places


class Publishers:
    """All that publish in one source.

    Args:
        least, ages: how long joints may be silent, [s]: at least, and each of them.

    Attributes:
        mapping: what its names mean.
        clocks: of the poses of bodies, and of the events that are about them.
        unknown_names: names that came and fit nothing in the cell, in their order.
        unknown_bodies: likewise, bodies whose poses came; at most MAX_STREAM_NAMES.
    """

    def __init__(self, cell: Cell, number: int, source: str, least: float, ages: Array) -> None:
        self.mapping = Mapping(cell, source)
        self.clocks: dict[tuple[str, str], Clock] = {}
        self.unknown_names: dict[str, None] = {}
        self.unknown_bodies: dict[str, None] = {}
        self._number, self._least, self._ages = number, least, ages
        self._by_names: dict[tuple[tuple[str, ...], bool], Publisher] = {}
        #: How many of these are rows with empty cells, and the names that these have in all.
        self._rows = self._row_names = 0
        self._last_names: tuple[str, ...] = ()
        self._last: Publisher | None = None

    def find(self, names: tuple[str, ...], partial: bool = False) -> Publisher | None:
        """The publisher of these names, where it is known."""
        return self._by_names.get((names, partial))

    def of(self, names: tuple[str, ...], partial: bool = False) -> Publisher | None:
        """The publisher of these names; None where there are too many of them."""
        if names is self._last_names and self._last is not None and not partial:
            return self._last
        publisher = self._by_names.get((names, partial))
        if publisher is None:
            if not self._room(names, partial):
                return None
            publisher = Publisher(self._number, self.mapping.route(names), self._least, self._ages)
            self._by_names[names, partial] = publisher
            self._rows += partial
            self._row_names += partial * len(names)
            self.unknown_names |= {name: None for name in names if not self.mapping.knows(name)}
            if not partial:
                self._compare()
        if not partial:
            self._last_names, self._last = names, publisher
        return publisher

    def _room(self, names: tuple[str, ...], partial: bool) -> bool:
        """Whether one more list may be kept. Robots at rates of their own fill the cells of a table
        in all combinations, seven of them in 127: those are bounded by the memory that they take,
        together no more names than the lists of publishers may have."""
        if not partial:
            return len(self._by_names) - self._rows < MOST_PUBLISHERS
        most = MOST_PUBLISHERS * MAX_STREAM_NAMES
        rows = MOST_PUBLISHERS * MOST_PUBLISHERS
        return self._rows < rows and self._row_names + len(names) <= most

    def clock(self, what: str, body: str, age: float) -> Clock:
        """Of the messages of a kind, ``pose`` or ``grasp``, on a body of the cell."""
        clock = self.clocks.get((what, body))
        if clock is None:
            clock = Clock(self._number, frozenset({body}), min(self._least, age), age)
            self.clocks[what, body] = clock
        return clock

    def note_unknown(self, body: str) -> None:
        """A pose came of a body that the cell does not have."""
        if len(self.unknown_bodies) < MAX_STREAM_NAMES:
            self.unknown_bodies[body] = None

    def before(self, publisher: Publisher) -> list[Publisher]:
        """By whose clocks a list of names goes on: as long as it has had no stamp, all that have
        joints of its own and had one. It may be a relay that has its names in another order, and
        what it publishes may be old."""
        if not math.isnan(publisher.stamp):
            return []
        stamped = [other for other in self._by_names.values() if not math.isnan(other.stamp)]
        return [other for other in stamped if not publisher.subjects.isdisjoint(other.subjects)]

    def _compare(self) -> None:
        """A list of names that has some of another's joints, but not all, leaves the rest out."""
        whole = [publisher for (_, partial), publisher in self._by_names.items() if not partial]
        sets = [{*publisher.route.columns.tolist()} for publisher in whole]
        for publisher, mine in zip(whole, sets):
            dropped = {j for other in sets if mine & other for j in other} - mine
            publisher.dropped = tuple(sorted(dropped))
