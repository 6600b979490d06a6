"""Where live sources put what they hear, from whatever thread."""

from __future__ import annotations

import threading
import time
from collections import deque
from queue import Empty, SimpleQueue

from standoff.streams.messages import BodyPose, Grasp, Joints, Message, Trouble
from standoff.streams.source import Put

#: Messages of one source that wait to be looked at, [-]: a quarter of a second at 1 kHz. What is
#: older is dropped for the newer, and told.
INBOX_DEPTH = 256


#: When it came, by `time.monotonic_ns`; from which source; and what.
Arrival = tuple[int, int, Message]


class Inbox:
    """Keeps the newest INBOX_DEPTH messages of each source, in the order in which they came.

    Readings are left out for newer ones. What happens but once, a body that is taken, a source that
    is gone, is never left out for a reading; if as many of them wait that there is no room, that
    counts in ``lost``.
    """

    def __init__(self, sources: int, depth: int = INBOX_DEPTH) -> None:
        self._waiting: list[deque[Arrival]] = [deque() for _ in range(sources)]
        #: One entry for each message that waits: the number of its source. It is made, and the
        #: message with it, under the lock, so that there are as many of both.
        self._turns: SimpleQueue[int] = SimpleQueue()
        self._lock = threading.Lock()
        self._depth = depth
        self.dropped = [0] * sources
        self.lost = [0] * sources
        self._next = -1

    def putter(self, source: int) -> Put:
        """What a source hands its messages to, from whatever threads."""
        waiting, turns, depth, lock = self._waiting[source], self._turns, self._depth, self._lock

        def put(message: Message, arrived: int | None = None) -> None:
            with lock:
                arrived = time.monotonic_ns() if arrived is None else arrived
                if len(waiting) < depth:
                    waiting.append((arrived, source, message))
                    turns.put(source)
                elif self._make_room(source, message):
                    waiting.append((arrived, source, message))

        return put

    def _make_room(self, source: int, message: Message) -> bool:
        """Leave out the oldest reading; whether there was one."""
        waiting = self._waiting[source]
        for k, (_, _, other) in enumerate(waiting):
            if _replaceable(other):
                del waiting[k]
                self.dropped[source] += 1
                return True
        self.dropped[source] += 1
        if type(message) is Grasp:
            self.lost[source] += 1
        elif not _replaceable(message):
            # Where a source stands now, instead of the oldest event.
            _, _, other = waiting.popleft()
            self.lost[source] += type(other) is Grasp
            return True
        return False

    def wake(self) -> None:
        """Whoever waits goes on."""
        self._turns.put(-1)

    @property
    def empty(self) -> bool:
        """Whether nothing waits."""
        return not any(self._waiting)

    def wait(self, timeout: float) -> bool:
        """Until there is one to `pop`; False where none came in that time, [s], or somebody woke
        who waits. For one thread."""
        try:
            self._next = self._turns.get(timeout=max(timeout, 0.0))
        except Empty:
            return False
        return self._next >= 0

    def pop(self) -> Arrival:
        """The one that was waited for."""
        with self._lock:
            return self._waiting[self._next].popleft()

    def take_dropped(self, source: int) -> tuple[int, int]:
        """How many were dropped since this was last asked, and how many of them were events."""
        if not self.dropped[source]:
            return 0, 0
        with self._lock:
            counts = self.dropped[source], self.lost[source]
            self.dropped[source] = self.lost[source] = 0
        return counts


def _replaceable(message: Message) -> bool:
    """Whether the next of its kind says all that it does."""
    if type(message) is Trouble:
        return message.kind == "garbled"
    return type(message) is Joints or type(message) is BodyPose
