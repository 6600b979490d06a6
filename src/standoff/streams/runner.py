"""The watch as it runs: sources in, the engine, sinks out."""

from __future__ import annotations

import gc
import math
import os
import sys
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np

from standoff.cell.cell import Cell
from standoff.errors import StreamError
from standoff.geometry.pose import Array
from standoff.names import listed
from standoff.scalars import instance, number
from standoff.streams.batch import Stretch, gathered
from standoff.streams.engine import Input, WatchEngine
from standoff.streams.files import merged
from standoff.streams.history import History
from standoff.streams.limits import HEARTBEAT, QUIET_LINE_PERIOD
from standoff.streams.live_run import LiveRun
from standoff.streams.messages import Joints, Trouble
from standoff.streams.options import WatchOptions
from standoff.streams.outbox import Outbox
from standoff.streams.protocols import Live, Recorded, Sink, Source
from standoff.streams.record.about import about
from standoff.streams.record.recorder import Recorder
from standoff.streams.report import Report, Summary

#: Readings that a replay hands to one compiled call, [-]: what prepares them costs as much as some
#: hundred; and so many are read one by one where a call ended early.
STRETCH = 4096
STRETCH_BREAK = 32


#: How long threads may hold on to the interpreter before the next one has its turn, [s].
_TURN = 0.0005


Onlooker = Callable[[Report], None]


class Watch:
    """Watches a cell: readings from ``sources``, reports to ``sinks``, until the files end or
    somebody stops it.

    Args:
        cell: what is watched.
        sources: either files or live ones; they are closed at the end.
        sinks: likewise.
        options: see `WatchOptions`.
        speed: of files: 1 as they were recorded, infinite as fast as it goes.
        onlookers: called with every report, in the cycle itself: they return within microseconds
            and raise nothing.
        history: where everything is noted for a report on near misses.

    Raises:
        StreamError: no source, or files together with live ones.

    Attributes:
        engine: what decides.
        summary: what came of it so far.
    """

    def __init__(
        self,
        cell: Cell,
        sources: Sequence[Source],
        sinks: Sequence[Sink] = (),
        options: WatchOptions | None = None,
        *,
        speed: float = math.inf,
        history: History | None = None,
        onlookers: Sequence[Onlooker] = (),
    ) -> None:
        sources, sinks = listed(sources, "sources"), listed(sinks, "sinks")
        if not sources:
            raise StreamError("no source", allowed="one at least")
        for source in sources:
            if not isinstance(source, (Recorded, Live)):
                allowed = "what so.open_source gives"
                raise StreamError("not a source", element="sources", value=source, allowed=allowed)
        for sink in sinks:
            if not isinstance(getattr(sink, "name", None), str) or not hasattr(sink, "put"):
                allowed = "what so.open_sink gives"
                raise StreamError("not a sink", element="sinks", value=sink, allowed=allowed)
        number("speed", speed, StreamError, above=0.0, most=math.inf)
        self._files = [source for source in sources if isinstance(source, Recorded)]
        self._live = [source for source in sources if isinstance(source, Live)]
        if self._files and self._live:
            raise StreamError(
                "files cannot be watched together with live sources",
                value=[source.name for source in sources],
                allowed="all of them files, or none",
            )
        self._sources, self._sinks, self._speed = tuple(sources), tuple(sinks), speed
        self._sink_names = _unique_names([sink.name for sink in sinks])
        instance("cell", cell, StreamError, Cell)
        options = WatchOptions() if options is None else options
        instance("options", options, StreamError, WatchOptions)
        if options.between is None:
            options = replace(options, between=bool(self._files))
        self.engine = WatchEngine(cell, options, [s.name for s in sources], self._sink_names)
        self.summary = Summary(self.engine.options.longest_age)
        self._history = history
        self._onlookers = tuple(listed(onlookers, "onlookers"))
        self._troubles: deque[Input] = deque()
        self._stopped = False
        self._live_run = LiveRun(self.engine, self._cycle, self._live)
        self._outboxes: list[Outbox] = []
        self._describe(cell)

    def _describe(self, cell: Cell) -> None:
        names = [s.name for s in self._sources], self._sink_names
        for sink in self._sinks:
            if isinstance(sink, Recorder):
                folder = Path(os.path.abspath(sink.path)).parent
                sink.about(about(cell, self.engine.options, *names, folder), cell.joints)

    def stop(self) -> None:
        """End in order, from whatever thread or signal handler."""
        self._stopped = True
        self._live_run.stop()
        for outbox in self._outboxes:
            outbox.hurry()

    def run(self, progress: Callable[[float], None] | None = None) -> Summary:
        """Until it ends. ``progress`` is called with how much of the files has been read, 0 to 1.
        Ctrl-C ends it in order."""
        _warm(self.engine)
        patient = bool(self._files) and math.isinf(self._speed)
        for k, sink in enumerate(self._sinks, len(self._sources)):
            self._outboxes.append(Outbox(sink, self._trouble_of(k), patient=patient))
        turn = sys.getswitchinterval()
        sys.setswitchinterval(_TURN)
        gc.freeze()
        try:
            if self._files:
                self._run_files(progress)
            else:
                self._live_run.run()
        except KeyboardInterrupt:
            self.summary.interrupted = True
        finally:
            gc.unfreeze()
            sys.setswitchinterval(turn)
            self._close()
        return self.summary

    def _trouble_of(self, number: int) -> Callable[[str, str], None]:
        def report(kind: str, text: str) -> None:
            self._troubles.append((number, Trouble(kind, text)))

        return report

    def _close(self) -> None:
        for source in self._sources:
            source.close()
        for name, outbox in zip(self._sink_names, self._outboxes):
            trouble = outbox.close()
            if trouble:
                self.summary.sinks[name] = trouble
            if outbox.lost:
                self.summary.lost[name] = outbox.lost

    def _cycle(self, now: float, inputs: tuple[Input, ...], arrived: int = 0) -> None:
        """One cycle, and its report to all sinks. What sinks have to say goes in with it."""
        while self._troubles:
            inputs = (*inputs, self._troubles.popleft())
        start = time.perf_counter()
        report = self.engine.cycle(now, inputs, arrived)
        report.timed(time.perf_counter() - start)
        self._send(report, inputs)
        took = time.perf_counter() - start
        if took > self.engine.options.period:
            self.summary.slow += 1
        self.summary.slowest = max(self.summary.slowest, took)

    def _send(self, report: Report, inputs: tuple[Input, ...]) -> None:
        for outbox in self._outboxes:
            recorder = outbox.recorder
            if recorder is None:
                outbox.put(report)
            else:
                outbox.do(partial(recorder.take, report, inputs), 1)
        self.summary.add(report)
        if self._history is not None:
            self._history.put(report)
        for onlooker in self._onlookers:
            onlooker(report)

    def _run_files(self, progress: Callable[[float], None] | None) -> None:
        if math.isinf(self._speed):
            self._run_fast(progress)
            return
        began, first = time.monotonic(), math.nan

        def slept(until: float) -> bool:
            """Wait; whether somebody stopped the watch meanwhile."""
            due = began + (until - first) / self._speed
            while not self._stopped and (left := due - time.monotonic()) > 0.0:
                time.sleep(min(left, HEARTBEAT))
            return self._stopped

        for now, inputs in merged(self._files):
            if math.isnan(first):
                first = now
            while self._ticked(now, slept):
                pass
            if slept(now):
                return
            self._cycle(now, inputs)
            if progress is not None:
                progress(self._read())

    def _ticked(self, now: float, before: Callable[[float], object] | None = None) -> bool:
        """A cycle at the time when something was silent for too long, if that is before now."""
        engine = self.engine
        if now < engine.received.safe_until:
            return False
        due = engine.due()
        if not engine.time < due < now:
            return False
        if before is not None:
            before(due)
        self._cycle(due, ())
        return True

    def _run_fast(self, progress: Callable[[float], None] | None) -> None:
        waiting: list[tuple[float, int, Joints]] = []
        careful = 0
        for count, (now, inputs) in enumerate(merged(self._files)):
            if self._stopped:
                return
            if count % STRETCH == 0 and progress is not None:
                progress(self._read())
            source, message = inputs[0]
            plain = len(inputs) == 1 and type(message) is Joints and _whole(message)
            if plain and (waiting or (careful <= 0 and self.engine.quiet)):
                assert type(message) is Joints
                waiting.append((now, source, message))
                if len(waiting) >= STRETCH:
                    careful = self._stretch(waiting)
                    waiting = []
                continue
            if waiting:
                careful = self._stretch(waiting)
                waiting = []
            careful -= 1
            self._one(now, inputs)
        if waiting:
            self._stretch(waiting)

    def _one(self, now: float, inputs: tuple[Input, ...]) -> None:
        while self._ticked(now):
            pass
        self._cycle(now, inputs)

    def _stretch(self, readings: list[tuple[float, int, Joints]]) -> int:
        """All of these, together as far as that goes. Returns how many more to take one by one."""
        engine = self.engine
        while readings and engine.quiet and not self._stopped:
            if self._troubles:  # a sink has something to say: in a cycle, not after thousands
                done = 1
                self._singly(readings[:done])
            else:
                done = self._together(readings)
            readings = readings[done:]
        if engine.quiet or self._stopped:
            return 0
        self._singly(readings)
        return STRETCH_BREAK

    def _together(self, readings: list[tuple[float, int, Joints]]) -> int:
        """The first readings at once, up to one that is not quiet, and some more one by
        one where that was not worth it; how many."""
        stretch, report = self.engine.stretch(gathered(readings))
        done = quiet = len(stretch)
        if quiet:
            self._send_quiet(stretch)
        if report is not None:
            _, source, message = readings[quiet]
            self._send(report, ((source, message),))
            done += 1
        if quiet < STRETCH_BREAK:
            self._singly(readings[done : done + STRETCH_BREAK])
            done += STRETCH_BREAK
        return done

    def _singly(self, readings: Sequence[tuple[float, int, Joints]]) -> None:
        for now, source, message in readings:
            self._one(now, ((source, message),))

    def _send_quiet(self, stretch: Stretch) -> None:
        """To recorders every cycle; to other sinks the nearest one, the last, and as many between
        them as they want."""
        count, times, clearances = len(stretch), stretch.times, stretch.clearances
        self.summary.add_quiet(times)
        if self._history is not None:
            self._history.put_quiet(times, clearances)
        for onlooker in self._onlookers:
            onlooker(stretch.report(count - 1))
        for outbox in self._outboxes:
            recorder = outbox.recorder
            if recorder is not None:
                outbox.do(partial(recorder.take_stretch, stretch), count)
            else:
                every = getattr(outbox.sink, "every", QUIET_LINE_PERIOD)
                wanted = {int(clearances.argmin()), count - 1, *_spread(times, every)}
                for k in sorted(wanted):
                    outbox.put(stretch.report(k))

    def _read(self) -> float:
        return sum(file.progress() for file in self._files) / len(self._files)


def _unique_names(names: Sequence[str]) -> list[str]:
    """The names, with a number behind those that were there before: the trouble of a sink is known
    by its name, and one that is well must not end that of another."""
    found: list[str] = []
    for name in names:
        number, unique = 1, name
        while unique in found:
            number += 1
            unique = f"{name} ({number})"
        found.append(unique)
    return found


def _spread(times: Array, every: float) -> list[int]:
    """The first, and each that is so much later than the one before; all where ``every`` is 0."""
    found, k = [], 0
    while k < len(times):
        found.append(k)
        k = max(k + 1, int(np.searchsorted(times, times[k] + every)))
    return found


def _warm(engine: WatchEngine) -> None:
    """Have all kernels ready before the first reading comes: one cycle, and one of many, of a
    monitor that nobody asks."""
    monitor, q = engine.options.monitor(engine.cell), engine.cell.q.copy()
    poses = np.array([engine.cell.pose(name) for name in engine.cell.moving]).reshape(-1, 4, 4)
    for k in range(2):
        monitor.update(q, poses if len(poses) else None, float(k))
    times = np.array([2.0])
    monitor.update_many(q[None].copy(), times, np.empty(1), poses if len(poses) else None)


def _whole(message: Joints) -> bool:
    return message.positions.shape == (len(message.names),)
