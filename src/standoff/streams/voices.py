"""Who speaks in a source: one publisher of a topic, one list of names."""

from __future__ import annotations

import math

import numpy as np

from standoff.cell import Cell
from standoff.constants import CLOCK_DRIFT, MOST_VOICES
from standoff.shapes.pose import Array
from standoff.streams.mapping import Mapping, Route


class Voice:
    """One list of names of one source, with a clock of its own.

    Attributes:
        route: where its values go.
        dropped: joints that it leaves out, and that a list of more names had.
        stamp: of its last message, NaN before.
        quickest: the least delay of a message so far, in a frame that drifts with CLOCK_DRIFT, [s].
    """

    __slots__ = ("dropped", "quickest", "route", "stamp")

    def __init__(self, route: Route) -> None:
        self.route = route
        self.dropped: tuple[int, ...] = ()
        self.stamp = math.nan
        self.quickest = math.inf

    def values(self, positions: Array) -> Array:
        """The joints of the cell from one message, or from many: one row each."""
        route = self.route
        found: Array = positions[..., route.picks]
        if route.scale is not None:
            found = found * route.scale
        if route.offset is not None:
            found = found + route.offset
        return found


def delay(now: Array, stamp: Array) -> Array:
    """How long messages took, but for a constant, [s]: the clocks of both ends may be set
    differently and drift apart by CLOCK_DRIFT. Numbers or arrays."""
    return (now - stamp) - CLOCK_DRIFT * now


class Voices:
    """All that one source speaks with.

    Attributes:
        mapping: what its names mean.
    """

    def __init__(self, cell: Cell, source: str) -> None:
        self.mapping = Mapping(cell, source)
        self._voices: dict[tuple[str, ...], Voice] = {}
        self._last_names: tuple[str, ...] = ()
        self._last: Voice | None = None

    def of(self, names: tuple[str, ...]) -> Voice | None:
        """The voice with these names; None where there are too many of them."""
        if names is self._last_names and self._last is not None:
            return self._last
        voice = self._voices.get(names)
        if voice is None:
            if len(self._voices) >= MOST_VOICES:
                return None
            voice = self._voices[names] = Voice(self.mapping.route(names))
            self._compare()
        self._last_names, self._last = names, voice
        return voice

    def _compare(self) -> None:
        """A list of names that has some of another's joints, but not all, leaves the rest out."""
        sets = {names: {*v.route.columns.tolist()} for names, v in self._voices.items()}
        for names, voice in self._voices.items():
            mine = sets[names]
            dropped = {j for other in sets.values() if mine & other for j in other} - mine
            voice.dropped = tuple(sorted(dropped))


def none(stamp: float) -> bool:
    """Whether a stamp says nothing: ROS has 0 where nobody set it."""
    return not stamp > 0.0 or not np.isfinite(stamp)
