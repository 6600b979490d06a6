"""Files put together by the time of their messages."""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterator, Sequence

from standoff.streams.engine import Input
from standoff.streams.messages import End, Message, Trouble
from standoff.streams.source import Recorded


def merged(sources: Sequence[Recorded]) -> Iterator[tuple[float, tuple[Input, ...]]]:
    """What came in at each instant. Of the next messages of all files the earliest is taken, so
    that the order within each file stays what it is, even where its time runs back."""
    streams = [_messages(source) for source in sources]
    heap: list[tuple[float, int, Message]] = []
    for number, stream in enumerate(streams):
        _push(heap, number, stream)
    while heap:
        now, number, message = heapq.heappop(heap)
        inputs = [(number, message)]
        _push(heap, number, streams[number])
        while heap and heap[0][0] == now:
            _, number, message = heapq.heappop(heap)
            inputs.append((number, message))
            _push(heap, number, streams[number])
        yield now, tuple(inputs)


def _push(
    heap: list[tuple[float, int, Message]], number: int, stream: Iterator[tuple[float, Message]]
) -> None:
    for now, message in stream:
        heapq.heappush(heap, (now, number, message))
        return


def _messages(source: Recorded) -> Iterator[tuple[float, Message]]:
    """Those of one file; what has no time gets that of the one before. A source that breaks its
    word and raises has ended in trouble."""
    last = 0.0
    try:
        for now, message in source.messages():
            if type(message) is End:
                continue
            if math.isfinite(now):
                last = now
            yield last, message
    except Exception as error:
        yield last, Trouble("lost", f"cannot be read on: {type(error).__name__}: {error}")
