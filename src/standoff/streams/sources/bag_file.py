"""What the three formats of bags have in common: topics, and blocks of messages."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from operator import itemgetter
from typing import Any, NamedTuple, Protocol

from standoff.streams.decoders import Decode, Topic
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
