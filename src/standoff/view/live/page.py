"""A page for whoever watches a cell: it is told the latest, and costs the watch nothing.

Messages go to its process as pickles. Both ends are this very program, and the pipe between them is
nobody else's.
"""

from __future__ import annotations

import math
import os
import pickle
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from numbers import Real
from types import TracebackType
from typing import IO, Any

import numpy as np

from standoff.cell.cell import Cell
from standoff.errors import Error, UnknownNameError
from standoff.geometry.pose import Array, numbers
from standoff.monitor.report import Cycle
from standoff.scalars import amount
from standoff.view.live.seen import (
    LISTED,
    Alarm,
    Latch,
    Severity,
    Watched,
    check_state,
    no_poses,
    seen,
    severity,
    state_of,
)
from standoff.view.live.server import LOOPBACK, USUAL_PORT, check_place, need_viser
from standoff.view.live.ticking import TICK


@dataclass(frozen=True)
class Opening:
    """The first word: where to listen and what to show; see `LivePage`."""

    host: str
    port: int
    title: str
    buffers: float | dict[str, float] | None
    stale: float


def send(stream: IO[bytes], message: Any) -> None:
    """Write one message, or nothing where it cannot be pickled."""
    stream.write(pickle.dumps(message, protocol=pickle.HIGHEST_PROTOCOL))
    stream.flush()


def received(stream: IO[bytes]) -> Iterator[Any]:
    """All messages, until the other end is closed."""
    with suppress(EOFError, pickle.UnpicklingError):  # the last one may be cut off
        while True:
            yield pickle.load(stream)


def widths(buffers: Any) -> float | dict[str, float] | None:
    """The buffers as plain numbers.

    Raises:
        Error: anything but None, a length, or lengths by name.
    """
    if buffers is None:
        return None
    if not isinstance(buffers, Mapping):
        return amount("buffers", buffers, Error, "m")
    for name in buffers:
        if not isinstance(name, str):
            raise Error("not a name", element="buffers", value=name, allowed="text")
    return {name: amount(f"buffers / {name}", w, Error, "m") for name, w in buffers.items()}


def by_name(names: Sequence[str], given: Any, shape: tuple[int, ...], element: str) -> Array:
    """A copy of what is given of joints or bodies as an array, each of that shape; NaN where a dict
    leaves one out.

    Raises:
        Error: not numbers, or a name that is none of them.
    """
    if not isinstance(given, Mapping):
        return numbers(given, element)
    found = np.full((len(names), *shape), math.nan)
    for name, value in given.items():
        if name not in names:
            raise UnknownNameError(str(name), names, element=element)
        place = f"{element} / {name}"
        one = numbers(value, place)
        if one.shape != shape:
            raise Error("wrong shape", element=place, value=one.shape, allowed=str(shape))
        found[names.index(name)] = one
    return found


def words_given(value: Any, element: str) -> tuple[str, ...]:
    """Several texts.

    Raises:
        Error: anything else, one text too.
    """
    if value == ():
        return ()
    if isinstance(value, Sequence) and not isinstance(value, str):
        found = tuple(value)
        if all(isinstance(text, str) for text in found):
            return found
    raise Error("not words", element=element, value=value, allowed="a list of texts")


def moment(value: Any, element: str) -> float:
    """A time as a plain number, which may be NaN.

    Raises:
        Error: no number.
    """
    if isinstance(value, Real) and not isinstance(value, bool):
        return float(value)
    raise Error("not a number", element=element, value=value, allowed="a number")


#: How long the page's process may take to say where it is, [s]: a cold disk, a busy machine.
_PATIENCE = 60.0

#: How long it may take to end, [s].
_FAREWELL = 5.0


@dataclass(frozen=True, slots=True, eq=False)
class _Kept:
    """A reading as it was given, see `LivePage.show`; alarms: all up to it."""

    severity: Severity
    cell: Cell
    q: Array
    poses: Array | None
    cycle: Cycle | None
    state: Watched
    time: float | None
    spent: float
    reasons: tuple[str, ...]
    alarms: tuple[Alarm, ...]


class LivePage:
    """A live page in a process of its own, so that nothing it does delays who calls `show`.

    `show` keeps the reading and returns; a thread hands one over, twenty times a second at most:
    the worst since the last, so that no warning is passed over, and the latest after that. What is
    between is not sent, but every warning and fault is counted, and the page says so. Pages may
    be opened and closed at any time, or never. Where the page's process ends, `show` goes on and
    does nothing.

        with LivePage(title="line 3") as page:
            print(page.address)
            for time, q in readings:
                cycle = monitor.update(q, time=time)
                page.show(cell, q, None, cycle, time=time)

    Args:
        host: address to listen on; this machine alone by default.
        port: where; the next free one where it is taken, any for 0.
        title: of the page.
        buffers: by which moving bodies are drawn extended, [m]: one number, or by name as
            `Monitor.buffers` gives them.
        stale: the state is STALE once no reading has come for so long, [s]. Where the browser
            itself gets nothing from the page, or only what is older, it says so after that time,
            too, or after a second where that is longer.

    Attributes:
        address: where a browser finds it.

    Raises:
        Error: viser is missing, the host or port cannot be listened on, or an argument is not
            what it should be.
    """

    def __init__(
        self,
        *,
        host: str = LOOPBACK,
        port: int = USUAL_PORT,
        title: str = "standoff",
        buffers: float | Mapping[str, float] | None = None,
        stale: float = 1.0,
    ) -> None:
        need_viser()
        check_place(host, port)
        if not isinstance(title, str):
            raise Error("not a title", element="title", value=title, allowed="words")
        stale = amount("stale", stale, Error, "s", zero=False)
        held = widths(buffers)
        self._lock = threading.Lock()
        self._kept: _Kept | None = None
        self._latest: _Kept | None = None
        self._latch = Latch()
        self._fresh = threading.Event()
        self._over = threading.Event()
        self._sent: tuple[Cell, int] | None = None
        # Out of reach of Ctrl-C, which is for the watch: it ends when its standard input does.
        self._process = subprocess.Popen(
            # -P: modules of the current folder are none of ours.
            [sys.executable, "-P", "-m", "standoff.view.live.remote"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True,
            env={**os.environ, "PYTHONUNBUFFERED": "1"},
        )  # fmt: skip
        self.address = self._open(Opening(host, port, title, held, float(stale)))
        self._thread = threading.Thread(target=self._publish, name="live page", daemon=True)
        self._thread.start()

    def show(
        self,
        cell: Cell,
        q: Any,
        poses: Any = None,
        cycle: Cycle | None = None,
        *,
        state: str | None = None,
        time: float | None = None,
        spent: float = math.nan,
        reasons: Sequence[str] = (),
    ) -> None:
        """Show this reading, unless a later or a worse one comes before it is due. Returns at once.

        FAULT is worse than WARNING, that than STALE, and all are than the rest; of two that are at
        fault or warn, the one with the smaller clearance is.

        Args:
            cell: which may change between two calls.
            q: the joints, an array in the order of ``cell.joints`` or a dict by name; copied.
            poses: of the moving bodies, (m, 4, 4) in the order of ``cell.body`` or a dict by
                name; copied. None leaves them where they were. What is left out, is no number
                or has another shape stays where it was, too.
            cycle: what the monitor said; without it the state is NOT WATCHED.
            state: SAFE, WARNING, FAULT, STALE or NOT WATCHED; what follows from the cycle by
                default.
            time: of the reading, [s]; that of the cycle by default.
            spent: what the cycle took, [µs], for the plot.
            reasons: for the state, in words, for the sign; the faults of the cycle by default.

        Raises:
            Error: what is none of these; nothing is shown of it.
        """
        if not isinstance(cell, Cell):
            raise Error("not a cell", element="cell", value=cell, allowed="a Cell")
        if cycle is not None and not isinstance(cycle, Cycle):
            raise Error("not a cycle", element="cycle", value=cycle, allowed="what update gives")
        joints = by_name(cell.joints, q, (), "q")
        places = None if poses is None else by_name(cell.moving, poses, (4, 4), "poses")
        when = None if time is None else moment(time, "time")
        took = moment(spent, "spent")
        shown = state_of(cycle) if state is None else check_state(state)
        why = words_given(reasons, "reasons")
        near = severity(shown, math.nan if cycle is None else cycle.clearance)
        warned = cycle is not None and not cycle.safe and bool(cycle.warnings)
        with self._lock:
            self._latch.note({shown, "WARNING"} if warned else {shown})
            self._latest = _Kept(
                near, cell, joints, places, cycle, shown, when, took, why, self._latch.alarms
            )
            if self._kept is None or near >= self._kept.severity:
                self._kept = self._latest
        self._fresh.set()

    @property
    def alive(self) -> bool:
        """Whether its process still runs."""
        return self._process.poll() is None

    def close(self) -> None:
        """End it. In browsers that still have it open its sign is STALE from then on."""
        self._over.set()
        self._fresh.set()
        self._thread.join(_FAREWELL)
        stdin = self._process.stdin
        if stdin is not None:
            with suppress(OSError):
                stdin.close()
        try:
            self._process.wait(_FAREWELL)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        if self._process.stdout is not None:
            self._process.stdout.close()

    def __enter__(self) -> LivePage:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _open(self, opening: Opening) -> str:
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None and stdout is not None
        said: list[bytes] = []
        asker = threading.Thread(target=lambda: said.append(stdout.readline()), daemon=True)
        asker.start()
        with suppress(OSError):  # it ended; what it said last tells why
            send(stdin, opening)
        asker.join(_PATIENCE)
        answer = said[0].decode(errors="replace").strip() if said else ""
        word, _, rest = answer.partition(" ")
        if word == "at":
            return rest
        self._process.kill()
        self._process.wait()
        raise Error(f"the page's process did not start: {rest or 'no answer'}")

    def _publish(self) -> None:
        """The thread: the worst reading since the last, no more often than TICK."""
        stdin = self._process.stdin
        assert stdin is not None
        while not self._over.is_set():
            self._fresh.wait()
            self._fresh.clear()
            kept = self._take()
            if kept is None or self._over.is_set():
                continue
            try:
                self._hand_over(stdin, kept)
            except OSError:
                return  # the page's process is gone
            self._over.wait(TICK)

    def _take(self) -> _Kept | None:
        """What is due; the latest, where that is another, is due next."""
        with self._lock:
            kept, latest = self._kept, self._latest
            self._kept = None
            if kept is not None and kept is not latest:
                self._kept = latest
                self._fresh.set()
            return kept

    def _hand_over(self, stdin: Any, kept: _Kept) -> None:
        cell = kept.cell
        revision = cell.revision
        if self._sent is None or self._sent[0] is not cell or self._sent[1] != revision:
            try:
                send(stdin, cell)
            except RuntimeError:
                return  # it was being changed: the next reading tries again
            self._sent = (cell, revision)
        places = no_poses() if kept.poses is None else kept.poses
        reading = seen(
            kept.q, places, kept.cycle, state=kept.state, time=kept.time, spent=kept.spent
        )
        send(stdin, replace(reading, reasons=kept.reasons[:LISTED], alarms=kept.alarms))
