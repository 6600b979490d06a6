"""Where live sources put what they hear, from whatever thread."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from queue import Empty, SimpleQueue

from standoff.constants import INBOX_DEPTH
from standoff.streams.messages import Message

#: When it came, by `time.monotonic_ns`; from which source; and what.
Arrival = tuple[int, int, Message]


class Inbox:
    """Keeps the newest INBOX_DEPTH messages of each source, in the order in which they came."""

    def __init__(self, sources: int, depth: int = INBOX_DEPTH) -> None:
        self._waiting: list[deque[Arrival]] = [deque(maxlen=depth) for _ in range(sources)]
        #: One entry for each message that waits: the number of its source.
        self._turns: SimpleQueue[int] = SimpleQueue()
        self._depth = depth
        self.dropped = [0] * sources

    def putter(self, source: int) -> Callable[[Message], None]:
        """What a source hands its messages to; one thread a source."""
        waiting, turns, depth = self._waiting[source], self._turns, self._depth
        now = time.monotonic_ns

        def put(message: Message) -> None:
            full = len(waiting) >= depth
            waiting.append((now(), source, message))
            if full:
                self.dropped[source] += 1
            else:
                turns.put(source)

        return put

    def wake(self) -> None:
        """Whoever waits in `get` goes on."""
        self._turns.put(-1)

    def get(self, timeout: float) -> Arrival | None:
        """The next one; None where none came in that time, [s]."""
        try:
            source = self._turns.get(timeout=max(timeout, 0.0))
        except Empty:
            return None
        if source < 0:
            return None
        try:
            return self._waiting[source].popleft()
        except IndexError:
            return None

    def take_dropped(self, source: int) -> int:
        """How many were dropped since this was last asked."""
        count, self.dropped[source] = self.dropped[source], 0
        return count
