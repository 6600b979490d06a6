"""Readings that come by themselves, each looked at in its turn."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Sequence

from standoff.streams.engine import Input, WatchEngine
from standoff.streams.inbox import Arrival, Inbox
from standoff.streams.limits import HEARTBEAT
from standoff.streams.messages import End, Message, Trouble
from standoff.streams.source import Live, Put

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
                        self._cycle((), time.monotonic_ns(), 0)
                    self._wakes = min(self._last + HEARTBEAT, self._engine.due())
                    wait = self._wakes - self._clock()
        finally:
            with self._turn:
                self._over = True

    def _putter(self, number: int) -> Put:
        """What a source hands its messages to, from whatever threads."""
        later, turn, now = self._inbox.putter(number), self._turn, time.monotonic_ns
        done = 0

        def put(message: Message, arrived: int | None = None) -> None:
            nonlocal done
            came = now()
            arrived = came if arrived is None else arrived
            if came - done > ON_THE_HEELS and turn.acquire(blocking=False):
                try:
                    if not self._over and self._inbox.empty:
                        self._take((arrived, number, message))
                        self._tell()
                        return
                except BaseException as error:  # nobody hears it here: it is for who runs all this
                    self._failure = error
                    self._inbox.wake()
                    return
                finally:
                    done = now()
                    turn.release()
            later(message, arrived)

        return put

    def _tell(self) -> None:
        """Wake the thread of `run` where it would sleep too long."""
        if self._engine.due() < self._wakes or len(self._ended) == len(self._sources):
            self._inbox.wake()

    def _clock(self) -> float:
        return (time.monotonic_ns() + self._epoch) / 1e9

    def _take(self, arrival: Arrival) -> None:
        """A message in its turn, and what came of those before it."""
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
        self._cycle(inputs, arrived, arrived)

    def _cycle(self, inputs: tuple[Input, ...], stamp: int, arrived: int) -> None:
        now = max((stamp + self._epoch) / 1e9, math.nextafter(self._last, math.inf))
        self._look(now, inputs, arrived)
        self._last = now
