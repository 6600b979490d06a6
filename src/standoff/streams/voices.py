"""Who speaks in a source: one publisher of a topic, one list of names."""

from __future__ import annotations

import math

import numpy as np

from standoff.cell import Cell
from standoff.geometry.pose import Array
from standoff.geometry.shape import IntArray
from standoff.streams.clocks import Clock
from standoff.streams.limits import MAX_STREAM_NAMES, MOST_VOICES
from standoff.streams.mapping import Mapping, Route


class Voice(Clock):
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


class Voices:
    """All that one source speaks with.

    Args:
        least, ages: how long joints may be silent, [s]: at least, and each of them.

    Attributes:
        mapping: what its names mean.
        clocks: of those who tell of bodies, and of what becomes of them.
        strangers: names that came and fit nothing in the cell, in their order.
    """

    def __init__(self, cell: Cell, number: int, source: str, least: float, ages: Array) -> None:
        self.mapping = Mapping(cell, source)
        self.clocks: dict[tuple[str, str], Clock] = {}
        self.strangers: dict[str, None] = {}
        self._number, self._least, self._ages = number, least, ages
        self._voices: dict[tuple[tuple[str, ...], bool], Voice] = {}
        #: How many of the voices are rows with empty cells, and the names that these have in all.
        self._rows = self._row_names = 0
        self._last_names: tuple[str, ...] = ()
        self._last: Voice | None = None

    def find(self, names: tuple[str, ...], partial: bool = False) -> Voice | None:
        """The voice with these names, where it has been heard."""
        return self._voices.get((names, partial))

    def of(self, names: tuple[str, ...], partial: bool = False) -> Voice | None:
        """The voice with these names; None where there are too many of them."""
        if names is self._last_names and self._last is not None and not partial:
            return self._last
        voice = self._voices.get((names, partial))
        if voice is None:
            if not self._room(names, partial):
                return None
            voice = Voice(self._number, self.mapping.route(names), self._least, self._ages)
            self._voices[names, partial] = voice
            self._rows += partial
            self._row_names += partial * len(names)
            self.strangers |= {name: None for name in names if not self.mapping.knows(name)}
            if not partial:
                self._compare()
        if not partial:
            self._last_names, self._last = names, voice
        return voice

    def _room(self, names: tuple[str, ...], partial: bool) -> bool:
        """Whether one more list may be kept. Robots at rates of their own fill the cells of a table
        in all combinations, seven of them in 127: those are bounded by the memory that they take,
        together no more names than the lists of publishers may have."""
        if not partial:
            return len(self._voices) - self._rows < MOST_VOICES
        most = MOST_VOICES * MAX_STREAM_NAMES
        return self._rows < MOST_VOICES * MOST_VOICES and self._row_names + len(names) <= most

    def clock(self, what: str, body: str, age: float) -> Clock:
        """Of whoever tells of a body of the cell."""
        clock = self.clocks.get((what, body))
        if clock is None:
            clock = Clock(self._number, frozenset({body}), min(self._least, age), age)
            self.clocks[what, body] = clock
        return clock

    def before(self, voice: Voice) -> list[Voice]:
        """By whose clocks a list of names goes on: as long as it has had no stamp, all that have
        joints of its own and had one. It may be a relay that has its names in another order, and
        what it tells may be old."""
        if not math.isnan(voice.stamp):
            return []
        stamped = [other for other in self._voices.values() if not math.isnan(other.stamp)]
        return [other for other in stamped if not voice.who.isdisjoint(other.who)]

    def _compare(self) -> None:
        """A list of names that has some of another's joints, but not all, leaves the rest out."""
        whole = [voice for (_, partial), voice in self._voices.items() if not partial]
        sets = [{*voice.route.columns.tolist()} for voice in whole]
        for voice, mine in zip(whole, sets):
            dropped = {j for other in sets if mine & other for j in other} - mine
            voice.dropped = tuple(sorted(dropped))
