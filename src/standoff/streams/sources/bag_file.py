"""What the three formats of bags have in common: topics, and blocks of messages."""

from __future__ import annotations

import os
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from standoff.streams.decoders import Decode, Topic
from standoff.streams.limits import MAX_STREAM_TOPICS, STREAM_BLOCK
from standoff.streams.sources.unpacking import Budget


class Channel(NamedTuple):
    """Where a message belongs to, and what reads it."""

    topic: str
    decode: Decode


#: Time of recording [ns], channel and bytes; without a channel, what was wrong there.
Entry = tuple[int, Channel | None, Any]

#: Whether a topic is wanted: its channel, or None.
Choose = Callable[[Topic], Channel | None]

_TIME = itemgetter(0)


class BagFile(Protocol):
    """One file of a bag, open. Read from front to back: what the index at its end says is believed
    in nothing but the list of topics, so that a file whose recorder was killed is read as far as it
    goes. ``budget`` is that of the reading that goes on."""

    size: int
    read: int
    budget: Budget

    def topics(self) -> list[Topic]:
        """All topics, also those that nobody can read; raises `StreamError` or `OSError`."""

    def blocks(self, choose: Choose) -> Iterator[list[Entry]]:
        """The messages of the chosen topics, a chunk at a time; raises `OSError` alone."""

    def close(self) -> None:
        """More than once does no harm."""


class RecordFile:
    """What `BagFile` says, of a format in which records follow one another.

    Args:
        reading: what its records are put into.
    """

    def __init__(self, path: Path, reading: Callable[[Choose, Budget], Reading]) -> None:
        self._file = path.open("rb")
        self._reading = reading
        self.size = os.fstat(self._file.fileno()).st_size
        self.read = 0
        self.budget = Budget(self.size)

    def close(self) -> None:
        self._file.close()

    def topics(self) -> list[Topic]:
        found: dict[Topic, None] = {}

        def note(topic: Topic) -> None:
            found[topic] = None

        if not self._index(self._reading(note, self.budget)) or not found:
            found.clear()
            for _ in self.blocks(note):
                pass
        self.read = 0
        return [*found]

    def blocks(self, choose: Choose) -> Iterator[list[Entry]]:
        self.budget = Budget(self.size)
        reading = self._reading(choose, self.budget)
        # A topic is described in the chunk with its first message, and again at the end: where that
        # chunk is spoilt, the others can still be read.
        self._index(reading)
        reading.begin()
        for chunk in self._records(reading):
            if chunk or len(reading.block) >= STREAM_BLOCK:
                yield reading.taken()
        yield reading.taken()
        self.read = self.size

    def _index(self, reading: Any) -> bool:
        """Take in the topics that are listed at the end; False where they cannot be read."""
        raise NotImplementedError

    def _records(self, reading: Any) -> Iterator[bool]:
        """Read record by record; whether it was a chunk."""
        raise NotImplementedError


class Reading:
    """Topics described so far, and the messages since the last block.

    Attributes:
        channels: of the topics that are wanted, by the number that messages have.
        changes: how often a topic was described, or described anew.
    """

    def __init__(self, choose: Choose, budget: Budget, called: Callable[[Any], str]) -> None:
        self._choose, self._budget, self._called = choose, budget, called
        self.channels: dict[Any, Channel] = {}
        self._described: dict[Any, Topic | None] = {}
        self.changes = 0
        self.block: list[Entry] = []
        self._last = 0

    def begin(self) -> None:
        """Keep what is described, and forget the rest."""
        self.block.clear()
        self._described = {n: topic for n, topic in self._described.items() if topic}

    def taken(self) -> list[Entry]:
        """The messages since this was last asked."""
        block, self.block = self.block, []
        if block:
            self._last = block[-1][0]
        return block

    def wrong(self, text: str) -> None:
        """Something here cannot be read."""
        self.block.append((self.block[-1][0] if self.block else self._last, None, text))

    def unknown(self, number: Any) -> None:
        """A message of a topic that is not wanted, or that nobody described: that is told once, as
        it could be a wanted one."""
        if number not in self._described and len(self._described) <= MAX_STREAM_TOPICS:
            self._described[number] = None
            self.wrong(f"has messages of {self._called(number)}, which it does not describe")

    def describe(self, number: Any, topic: Topic) -> None:
        """A topic, by the number that its messages have."""
        if self._described.get(number) == topic:
            return
        self.changes += 1
        self._described[number] = topic
        chosen = self._choose(topic)
        if chosen is None:
            self.channels.pop(number, None)
        else:
            self.channels[number] = chosen


def in_order(blocks: Iterable[list[Entry]]) -> Iterator[Entry]:
    """The entries in order of time. Recorders write chunks that overlap a little, so each block is
    merged with the next one; what is late by more than that stays late."""
    held: list[Entry] = []
    for block in blocks:
        if not block:
            continue
        block.sort(key=_TIME)
        if held and block[0][0] < held[-1][0]:
            merged = sorted(held + block, key=_TIME)
            cut = bisect_right(merged, held[-1][0], key=_TIME)
            yield from merged[:cut]
            held = merged[cut:]
        else:
            yield from held
            held = block
    yield from held
