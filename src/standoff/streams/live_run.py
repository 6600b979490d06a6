"""A watch of live sources: readings as they arrive, one after the other."""

from __future__ import annotations

import math
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from queue import Empty, SimpleQueue

from standoff.streams.engine import Input, WatchEngine
from standoff.streams.limits import HEARTBEAT
from standoff.streams.messages import BodyPose, End, Grasp, Joints, Message, Trouble
from standoff.streams.protocols import Live, Put

#: Messages of one source that wait to be looked at, [-]: a quarter of a second at 1 kHz. What is
#: older is dropped for the newer, and reported.
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

    def put(self, arrived: int, source: int, message: Message) -> None:
        """Keep a message, from whatever thread."""
        waiting = self._waiting[source]
        with self._lock:
            if len(waiting) < self._depth:
                waiting.append((arrived, source, message))
                self._turns.put(source)
            elif self._make_room(source, message):
                waiting.append((arrived, source, message))

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


#: A thread that brings a message this soon after it has looked at another may have more of them
#: before it, [ns]; at 1 kHz it sleeps for half a millisecond between two.
ON_THE_HEELS = 100_000


#: One cycle: its time, what came in, and when that did, by `time.monotonic_ns`.
Look = Callable[[float, tuple[Input, ...], int], None]


class LiveRun:
    """Looks at what live sources bring until they have ended, or somebody stops it.

    A message is looked at on the thread that brings it where nobody else is at it and none waits:
    nothing has to wake up first. Otherwise it waits in the inbox for the thread of `run`, which
    also sees to it that silence is noticed. What follows on the heels of another (ON_THE_HEELS)
    goes to the inbox, too: if more comes than can be looked at, that is to show there, where the
    oldest are left out and counted, instead of piling up unseen before the thread that brings it.

    Args:
        engine: asked when silence is due.
        look: one cycle. One at a time, on whatever thread; what it raises comes out of `run`.
        sources: all of them.
    """

    def __init__(self, engine: WatchEngine, look: Look, sources: Sequence[Live]) -> None:
        self._engine, self._look, self._sources = engine, look, sources
        self._inbox = Inbox(len(sources))
        self._turn = threading.Lock()
        # Seconds since 1970, by a clock that nobody sets.
        self._epoch = time.time_ns() - time.monotonic_ns()
        self._last = -math.inf
        self._wakes = math.inf
        # When somebody last looked, and until when messages may have waited unseen before that.
        self._looked = self._doubted = time.monotonic_ns()
        self._ended: set[int] = set()
        self._stopped = self._over = False
        self._failure: BaseException | None = None

    def stop(self) -> None:
        """End in order, from whatever thread or signal handler."""
        self._stopped = True
        self._inbox.wake()

    def run(self) -> None:
        """Until it ends."""
        try:
            self._looked = time.monotonic_ns()
            for number, source in enumerate(self._sources):
                source.start(self._putter(number))
            wait = 0.0
            while not self._stopped and len(self._ended) < len(self._sources):
                waits = self._inbox.wait(wait)
                with self._turn:
                    if self._failure is not None:
                        raise self._failure
                    if waits:
                        self._take(self._inbox.pop())
                    elif self._clock() >= min(self._last + HEARTBEAT, self._engine.due()):
                        self._doubt()
                        self._cycle((), time.monotonic_ns(), 0)
                    self._wakes = min(self._last + HEARTBEAT, self._engine.due())
                    wait = self._wakes - self._clock()
        finally:
            with self._turn:
                self._over = True

    def _putter(self, number: int) -> Put:
        """What a source hands its messages to, from whatever threads."""
        turn, now = self._turn, time.monotonic_ns
        done = 0

        def put(message: Message, arrived: int | None = None) -> None:
            nonlocal done
            came = now()
            arrived = came if arrived is None else arrived
            if came - done > ON_THE_HEELS and turn.acquire(blocking=False):
                try:
                    if not self._over and self._inbox.empty:
                        self._take((arrived, number, message))
                        self._wake_if_due()
                        return
                except (
                    BaseException
                ) as error:  # nothing catches it here: it is for the caller of `run`
                    self._failure = error
                    self._inbox.wake()
                    return
                finally:
                    done = now()
                    turn.release()
            self._inbox.put(arrived, number, message)

        return put

    def _wake_if_due(self) -> None:
        """Wake the thread of `run` where it would sleep too long."""
        if self._engine.due() < self._wakes or len(self._ended) == len(self._sources):
            self._inbox.wake()

    def _clock(self) -> float:
        return (time.monotonic_ns() + self._epoch) / 1e9

    def _take(self, arrival: Arrival) -> None:
        """A message in its turn, and what came of those before it."""
        self._doubt()
        arrived, number, message = arrival
        if type(message) is End:
            self._ended.add(number)
        inputs: tuple[Input, ...] = ((number, message),)
        dropped, lost = self._inbox.take_dropped(number)
        if dropped:
            text = f"{dropped} messages were dropped: more came than could be looked at"
            inputs = (*inputs, (number, Trouble("flood", text)))
        if lost:
            text = f"{lost} events were lost: it is unknown which link holds which body"
            inputs = (*inputs, (number, Trouble("grasp", text)))
        waited = (time.monotonic_ns() - arrived) / 1e9
        if waited > self._engine.options.age:
            text = f"a message waited for {waited:.3f} s"
            inputs = (*inputs, (number, Trouble("behind", text)))
        elif time.monotonic_ns() < self._doubted:
            text = "the watch stood still: how long a message waited is unknown"
            inputs = (*inputs, (number, Trouble("behind", text)))
        self._cycle(inputs, arrived, arrived)

    def _doubt(self) -> None:
        """Somebody looks every HEARTBEAT. If nobody did for much longer, this process did not run
        (it was stopped, or swapped out), and messages waited where no source has seen them: those
        of the time that it takes to get through them may be old."""
        now, age = time.monotonic_ns(), self._engine.options.age
        if now - self._looked > 1e9 * (HEARTBEAT + age):
            self._doubted = now + round(1e9 * age)

    def _cycle(self, inputs: tuple[Input, ...], stamp: int, arrived: int) -> None:
        now = max((stamp + self._epoch) / 1e9, math.nextafter(self._last, math.inf))
        self._look(now, inputs, arrived)
        self._last, self._looked = now, time.monotonic_ns()
