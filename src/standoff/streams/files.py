"""Files together: how often they publish, and their messages in the order of time."""

from __future__ import annotations

import heapq
import itertools
import math
from collections.abc import Iterator, Sequence
from operator import itemgetter
from typing import Final

import numpy as np

from standoff.cell.cell import Cell
from standoff.streams.engine import Input
from standoff.streams.limits import (
    MAX_AGE_PERIODS,
    MAX_STREAM_NAMES,
    MOST_PUBLISHERS,
    TIME_LIMIT,
)
from standoff.streams.mapping import Mapping
from standoff.streams.messages import BodyPose, End, Grasp, Joints, Message, Trouble
from standoff.streams.protocols import Recorded

#: Messages at the beginning of a file from which a watch takes how often it publishes, [-].
PEEK_MESSAGES = 500

#: From the fastest to the slowest time between two readings that a watch believes a file, [s].
PEEK_PERIODS = (1e-4, 1.0)


#: How often somebody has to come for a period, [-].
_ENOUGH: Final = 3
#: Most messages that are looked at after the first, [-]: 30 s of one that comes every millisecond.
_FURTHER: Final = PEEK_MESSAGES * MOST_PUBLISHERS


class Peeked:
    """A file whose first messages have been looked at, and are there all the same."""

    def __init__(self, source: Recorded) -> None:
        self.name = source.name
        self._source = source
        self._rest = source.messages()
        self._first = list(itertools.islice(self._rest, PEEK_MESSAGES))

    def periods(self, cell: Cell) -> dict[str, float]:
        """The usual time from one message to the next of each joint and moving body of the cell, as
        the first messages have it, [s]; without those that did not come three times. Whoever came
        less often than that among them is looked for further on: beside one that comes a thousand
        times a second the first messages are half a second."""
        names = _Names(cell, self.name)
        times: dict[str, list[float]] = {}
        for now, message in self._first:
            for name in names.of(message):
                times.setdefault(name, []).append(now)
        seldom = {n for n in (*cell.joints, *cell.moving) if len(times.get(n, ())) < _ENOUGH}
        for now, message in self._further():
            for name in seldom.intersection(names.of(message)):
                times.setdefault(name, []).append(now)
                if len(times[name]) == _ENOUGH:
                    seldom.remove(name)
            # Messages with names that are made up would be kept one and all.
            if not seldom or names.full:
                break
        usual = {n: float(np.median(np.diff(t))) for n, t in times.items() if len(t) >= _ENOUGH}
        return {name: period for name, period in usual.items() if 0.0 < period < math.inf}

    def _further(self) -> Iterator[tuple[float, Message]]:
        """What comes after the first messages, up to where whoever has not come three times is
        silent for too long between them, even with the longest period that a file is believed."""
        if not self._first:
            return
        end = self._first[0][0] + _ENOUGH * MAX_AGE_PERIODS * PEEK_PERIODS[1]
        for now, message in itertools.islice(self._rest, _FURTHER):
            self._first.append((now, message))
            yield now, message
            if not now <= end:
                return

    def messages(self) -> Iterator[tuple[float, Message]]:
        """All of them."""
        first, self._first = self._first, []
        yield from first
        yield from self._rest

    def progress(self) -> float:
        """How much of it has been read."""
        return self._source.progress()

    def close(self) -> None:
        """Let go of the file."""
        self._source.close()


#: Names in all lists of one file that are looked up, [-]: what all publishers of one source may
#: have.
_LISTED: Final = MOST_PUBLISHERS * MAX_STREAM_NAMES


class _Names:
    """Which joints and moving bodies of a cell a message is about.

    Attributes:
        full: whether so many lists of names came that no other is looked up.
    """

    def __init__(self, cell: Cell, source: str) -> None:
        self._joints, self._moving = cell.joints, {*cell.moving}
        self._mapping = Mapping(cell, source)
        self._columns: dict[tuple[str, ...], list[str]] = {}
        self._listed = 0

    @property
    def full(self) -> bool:
        return self._listed > _LISTED

    def of(self, message: Message) -> list[str]:
        if type(message) is Joints:
            if message.names not in self._columns:
                if self.full:
                    return []
                self._listed += len(message.names)
                columns = self._mapping.route(message.names).columns.tolist()
                self._columns[message.names] = [self._joints[j] for j in columns]
            return self._columns[message.names]
        if type(message) is BodyPose:
            return [n for n in (self._mapping.body(message).body,) if n in self._moving]
        return []


#: Messages of one instant of a recording that are looked at, [-]: a robot for each topic of a large
#: bag. And events, which nothing may be left out of, that wait to be carried out.
INSTANT_MOST = 1024

_TIME = itemgetter(0)


def merged(sources: Sequence[Recorded]) -> Iterator[tuple[float, tuple[Input, ...]]]:
    """What came in at each instant: up to INSTANT_MOST messages, and as many events more; that
    there were others, where there were. Of the next messages of all files the earliest is taken,
    so that the order within each file stays what it is, even where its time runs back."""
    streams = [_messages(number, source) for number, source in enumerate(sources)]
    for now, group in itertools.groupby(heapq.merge(*streams, key=_TIME), key=_TIME):
        inputs: list[Input] = []
        left_out: dict[tuple[int, str], int] = {}
        for _, number, message in group:
            kind = "grasp" if type(message) is Grasp else "flood"
            if len(inputs) < (2 * INSTANT_MOST if kind == "grasp" else INSTANT_MOST):
                inputs.append((number, message))
            else:
                left_out[number, kind] = left_out.get((number, kind), 0) + 1
        for (number, kind), count in left_out.items():
            text = f"{count} messages more at one time than are taken in"
            inputs.append((number, Trouble(kind, text)))
        yield now, tuple(inputs)


def _messages(number: int, source: Recorded) -> Iterator[tuple[float, int, Message]]:
    """Those of one file, with its number; what has no time gets that of the one before. A source
    that breaks its word and raises has ended in trouble."""
    last = 0.0
    try:
        for now, message in source.messages():
            if type(message) is End:
                continue
            if abs(now) <= TIME_LIMIT:
                last = float(now)
            elif not math.isnan(now):
                message = Trouble("garbled", f"{now:g} s is no time")
            yield last, number, message
    except Exception as error:
        text = f"cannot be read on: {type(error).__name__}: {error}"
        yield last, number, Trouble("lost", text)
