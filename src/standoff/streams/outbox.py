"""The way to a sink: a queue that ends, and a thread that empties it."""

from __future__ import annotations

import math
import threading
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from queue import Empty, SimpleQueue

from standoff.errors import Error, reason_of
from standoff.streams.limits import HEARTBEAT, OUTBOX_DEPTH, SINK_PATIENCE
from standoff.streams.protocols import Prompt, Sink
from standoff.streams.record.recorder import Recorder
from standoff.streams.report import Report, State

#: A record is on the disk no later than this after it was made, [s].
RECORD_FLUSH = 0.25


#: What to do with the sink, and whether nobody would miss it.
_Item = tuple[Callable[[], None], bool]


class Outbox:
    """Hands reports to one sink, in their order, and never lets the watch wait for it.

    A sink that is slow misses reports in which nothing happened. If it has no room for one in which
    something did (a warning, a fault, a change), that is reported as its trouble; likewise whatever
    it raises. Nothing that it does ends the watch.

    A `Prompt` sink is offered each report at once while nothing waits for it.

    Args:
        on_trouble: called from the thread of the sink with ``sink`` and a text where it has
            trouble, with ``back`` once that is over.
        patient: wait for room, as a replay does, up to SINK_PATIENCE; see `hurry`.

    Attributes:
        thinned: reports in which nothing happened that it missed; lost: others.
        failed: the last trouble that it had, whether or not that is over.
    """

    def __init__(
        self,
        sink: Sink,
        on_trouble: Callable[[str, str], None],
        *,
        patient: bool = False,
        depth: int = OUTBOX_DEPTH,
    ) -> None:
        self.sink = sink
        self.thinned = self.lost = 0
        self.failed = ""
        self._missed = 0
        self._on_trouble = on_trouble
        self._patient = patient
        self._depth = depth
        self._prompt = isinstance(sink, Prompt)
        self._items: deque[_Item] = deque()
        self._dull = 0
        self._lock = threading.Lock()
        self._room = threading.Condition(self._lock)  # for those who wait for it
        #: One entry for each item at least: those that are left out leave theirs behind.
        self._calls: SimpleQueue[None] = SimpleQueue()
        self._busy = self._closing = self._tired = False
        self._trouble = ""
        self._since = -math.inf  # when it was reported last
        self._thread = threading.Thread(target=self._run, name=sink.name, daemon=True)
        self._thread.start()

    @property
    def recorder(self) -> Recorder | None:
        """The sink, where it records."""
        return self.sink if isinstance(self.sink, Recorder) else None

    def put(self, report: Report) -> None:
        """Hand over a report."""
        if self._offered(report):
            return
        dull = report.state is State.SAFE and not report.changed
        self.do(lambda: self.sink.put(report), 1, dull=dull)

    def _offered(self, report: Report) -> bool:
        sink = self.sink
        if not self._prompt or self._items or self._busy or self._trouble:
            return False
        assert isinstance(sink, Prompt)
        try:
            return sink.offer(report)
        except Exception:  # it comes again where its trouble is reported
            return False

    def do(self, action: Callable[[], None], cycles: int, *, dull: bool = False) -> None:
        """Whatever is to be done with the sink, in its turn; it stands for so many reports."""
        with self._lock:
            self._wait_for_room()
            if len(self._items) >= self._depth and not self._make_room(dull):
                if dull:
                    self.thinned += cycles
                    return
                self.lost += cycles
                self._missed += cycles
                self._report_trouble(f"too slow: {self.lost} reports are lost")
                return
            self._note_missed()
            self._items.append((action, dull))
            self._dull += dull
        self._calls.put(None)

    def hurry(self) -> None:
        """Wait for room no more: the watch is to end. From whatever thread or signal handler, so
        without the lock, which the thread that is interrupted may hold."""
        self._patient = False

    def _wait_for_room(self) -> None:
        """Once: whoever did not take anything then is not waited for again until it does."""
        end = time.monotonic() + SINK_PATIENCE
        while self._patient and not self._tired and len(self._items) >= self._depth:
            left = end - time.monotonic()
            self._tired = left <= 0.0
            self._room.wait(min(max(left, 0.0), HEARTBEAT))

    def _note_missed(self) -> None:
        """A recorder notes what it missed after all that it did not."""
        missed, self._missed, recorder = self._missed, 0, self.recorder
        if missed and recorder is not None:
            self._items.append((lambda: recorder.skipped(missed), False))
            self._calls.put(None)

    def _make_room(self, dull: bool) -> bool:
        """Leave out a report in which nothing happened, for one in which something did."""
        if dull or not self._dull:
            return False
        for k, (_, other) in enumerate(self._items):
            if other:
                del self._items[k]
                self._dull -= 1
                self.thinned += 1
                return True
        return False

    def _report_trouble(self, text: str) -> None:
        if not self._trouble:
            self._on_trouble("sink", text)
        self._trouble = self.failed = text
        self._since = time.monotonic()

    def _run(self) -> None:
        flushed = time.monotonic()
        fresh = False
        while True:
            with suppress(Empty):
                self._calls.get(timeout=RECORD_FLUSH)
            with self._lock:
                if not self._items and self._closing:
                    return
                item = self._next()
            fine = item is None or self._tried(item[0])
            self._busy = False
            fresh = fresh or item is not None or bool(self._trouble)
            if fresh and time.monotonic() - flushed >= RECORD_FLUSH:
                fine = self._tried(self.sink.flush) and fine
                flushed, fresh = time.monotonic(), False
                if fine:
                    self._end_trouble(flushed)

    def _next(self) -> _Item | None:
        """What is to be done now, if anything."""
        # Before it is gone from the queue: who looks there first sees one or the other.
        self._busy = bool(self._items)
        if not self._items:
            return None
        item = self._items.popleft()
        self._tired = False
        self._dull -= item[1]
        if self._patient:
            self._room.notify_all()
        return item

    def _end_trouble(self, now: float) -> None:
        with self._lock:
            # Not at once, or it would begin and end between two cycles, and no report say so.
            on_trouble = now - self._since >= RECORD_FLUSH
            if self._trouble and on_trouble and len(self._items) < self._depth // 2:
                self._trouble = ""
                self._on_trouble("back", "")

    def _tried(self, action: Callable[[], None]) -> bool:
        try:
            action()
        except (OSError, Error) as error:
            why = reason_of(error)
        except Exception as error:  # a sink of somebody else: no more may come of it than of ours
            why = f"{type(error).__name__}: {error}"
        else:
            return True
        with self._lock:
            self._report_trouble(why)
        return False

    def close(self) -> str:
        """All that waits is handed over, if that takes no longer than SINK_PATIENCE, and the sink
        is closed. What went wrong last, if anything ever did."""
        with self._lock:
            self._note_missed()
            self._closing = True
        self._calls.put(None)
        self._thread.join(SINK_PATIENCE)
        if self._thread.is_alive():
            self.lost += len(self._items)
            return f"does not take what it is given; {len(self._items)} reports are lost"
        self._tried(self.sink.flush)
        self._tried(self.sink.close)
        return self.failed
