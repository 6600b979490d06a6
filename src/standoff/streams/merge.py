"""Files put together by the time of their messages."""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterator, Sequence

from standoff.streams.engine import Input
from standoff.streams.limits import TIME_LIMIT
from standoff.streams.messages import End, Grasp, Message, Trouble
from standoff.streams.source import Recorded

#: Messages of one instant of a recording that are looked at, [-]: a robot for each topic of a large
#: bag. And events, which nothing may be left out of, that wait to be carried out.
INSTANT_MOST = 1024


def merged(sources: Sequence[Recorded]) -> Iterator[tuple[float, tuple[Input, ...]]]:
    """What came in at each instant: up to INSTANT_MOST messages, and as many events more; that
    there were others, where there were. Of the next messages of all files the earliest is taken,
    so that the order within each file stays what it is, even where its time runs back."""
    streams = [_messages(source) for source in sources]
    heap: list[tuple[float, int, Message]] = []
    for number, stream in enumerate(streams):
        _push(heap, number, stream)
    while heap:
        now, number, message = heapq.heappop(heap)
        inputs: list[Input] = [(number, message)]
        _push(heap, number, streams[number])
        left_out: dict[tuple[int, str], int] = {}
        while heap and heap[0][0] == now:
            _, number, message = heapq.heappop(heap)
            kind = "grasp" if type(message) is Grasp else "flood"
            if len(inputs) < (2 * INSTANT_MOST if kind == "grasp" else INSTANT_MOST):
                inputs.append((number, message))
            else:
                left_out[number, kind] = left_out.get((number, kind), 0) + 1
            _push(heap, number, streams[number])
        for (number, kind), count in left_out.items():
            text = f"{count} messages more at one time than are taken in"
            inputs.append((number, Trouble(kind, text)))
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
            if abs(now) <= TIME_LIMIT:
                last = float(now)
            elif not math.isnan(now):
                message = Trouble("garbled", f"{now:g} s is no time")
            yield last, message
    except Exception as error:
        yield last, Trouble("lost", f"cannot be read on: {type(error).__name__}: {error}")
