"""Text, line by line, whatever the line holds: from a file (`Recorded`) or a pipe (`Live`); and
JSON lines, one object of `json_message` a line.
"""

from __future__ import annotations

import math
import os
import select
import stat
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO, Protocol

from standoff.errors import StreamError, reason_of
from standoff.streams.json_message import JsonDecoder
from standoff.streams.limits import MAX_STREAM_MESSAGE
from standoff.streams.messages import End, Message, Trouble
from standoff.streams.protocols import Put
from standoff.streams.wire import GarbledError

#: The mark that some editors put in front of a text.
BOM = b"\xef\xbb\xbf"


class LineDecoder(Protocol):
    """What one line says."""

    def __call__(self, line: bytes) -> tuple[float, tuple[Message, ...]]:
        """Its time, [s], NaN where it has none, and its messages: none for a header or an empty
        line. Raises `GarbledError` alone."""


def bounded_lines(stream: BinaryIO) -> Iterator[bytes | None]:
    """The lines of a stream without their ends; None for one that is too long."""
    first = True
    while line := stream.readline(MAX_STREAM_MESSAGE + 1):
        if len(line) > MAX_STREAM_MESSAGE:
            while line and not line.endswith(b"\n"):
                line = stream.readline(MAX_STREAM_MESSAGE + 1)
            yield None
        else:
            yield (line.removeprefix(BOM) if first else line).rstrip(b"\r\n")
        first = False


def _decoded(decode: LineDecoder, line: bytes | None) -> tuple[float, tuple[Message, ...]]:
    if line is None:
        raise GarbledError(f"more than {MAX_STREAM_MESSAGE} bytes")
    return decode(line)


class LineFile:
    """A file of lines, each with its time. A line without one is garbled: it cannot be put into
    order.

    Args:
        make: a decoder that has seen nothing.
    """

    def __init__(self, path: str | Path, make: Callable[[], LineDecoder], name: str) -> None:
        self.name = name
        self._make = make
        self._path = Path(path)
        try:
            if not self._path.is_file():
                self._path.stat()
                raise StreamError(
                    "not a regular file", file=path, allowed="a file, or - for a pipe"
                )
            self._file = self._path.open("rb")
            self._size = os.fstat(self._file.fileno()).st_size
        except (OSError, ValueError) as error:
            raise StreamError(f"cannot be read: {reason_of(error)}", file=path) from error
        self._read = 0
        if not self._size:
            self.close()
            raise StreamError("an empty file", file=path)

    def close(self) -> None:
        self._file.close()

    def progress(self) -> float:
        return min(1.0, self._read / self._size)

    def messages(self) -> Iterator[tuple[float, Message]]:
        # What is garbled before the first time is told at the first time.
        time, early = math.nan, 0
        first = ""
        decode = self._make()
        number = self._read = 0
        try:
            self._file.seek(0)
            for number, line in enumerate(bounded_lines(self._file), 1):
                self._read += 1 + (MAX_STREAM_MESSAGE if line is None else len(line))
                try:
                    at, found = _decoded(decode, line)
                    if found and at != at:
                        raise GarbledError("without a time")
                except GarbledError as error:
                    if not math.isnan(time):
                        yield time, Trouble("garbled", f"line {number}: {error}")
                        continue
                    first = first or f"line {number}: {error}"
                    early += 1
                    continue
                if early and found:
                    yield at, Trouble("garbled", _early(first, early))
                    early = 0
                for message in found:
                    time = at
                    yield at, message
        except (OSError, ValueError) as error:  # ValueError: somebody closed it meanwhile
            text = f"cannot be read after line {number}: {reason_of(error)}"
            yield 0.0 if math.isnan(time) else time, Trouble("lost", text)
        if early:
            yield 0.0, Trouble("garbled", _early(first, early))
        self._read = self._size


def _standard_input() -> BinaryIO:
    """A reader of our own: the interpreter closes its own one when it ends, and dies where a thread
    is still waiting in it."""
    try:
        return os.fdopen(os.dup(sys.stdin.fileno()), "rb")
    except (OSError, ValueError, AttributeError) as error:
        if getattr(sys.stdin, "buffer", None) is not None:  # something else stands for it
            return sys.stdin.buffer
        raise StreamError("there is no standard input") from error


def _early(first: str, count: int) -> str:
    return first if count == 1 else f"{first} (and {count - 1} more lines before the first time)"


#: What is read at once, [bytes]: all that a pipe of Linux holds, mostly. A full one holds more than
#: half of that (a page takes what fits), and its writer may wait with what is older.
_AT_ONCE = 65536

#: What a pipe holds where the system does not say it, [bytes]: a page.
_SMALL_PIPE = 4096


def _half_full(fd: int) -> int:
    """From how many bytes on a pipe or a socket may be full. Whoever has many pipes gets small
    ones: of one page, or two."""
    if not stat.S_ISFIFO(os.fstat(fd).st_mode):
        return _AT_ONCE // 2
    try:
        import fcntl

        return min(_AT_ONCE, fcntl.fcntl(fd, fcntl.F_GETPIPE_SZ)) // 2
    except (ImportError, AttributeError, OSError):
        return _SMALL_PIPE // 2


class _Arrivals:
    """Lines of a pipe or a socket, each with when it came at the earliest, by `time.monotonic_ns`.

    All of it came after the stream was last found empty: a terminal and a pipe of packets hand over
    one line at a look, whatever else waits there. Where so much waits that the writer may wait,
    too, what it writes is older than that.

    Attributes:
        flood: whether the writer may have waited before this line; for the reader to take back.
    """

    def __init__(self, stream: BinaryIO, opened: int) -> None:
        self._stream, self._opened = stream, opened
        self.flood = False

    def __iter__(self) -> Iterator[tuple[int | None, bytes | None]]:
        try:
            fd = self._stream.fileno()
        except (OSError, AttributeError):  # something else stands for it
            yield from ((None, line) for line in bounded_lines(self._stream))
            return
        rest, since, too_long, first = b"", self._opened, False, True
        for arrived, chunk in self._chunks(fd):
            if not (rest or too_long):
                since = arrived
            lines = (rest + chunk).split(b"\n")
            rest = lines.pop()
            if not chunk and (rest or too_long):
                lines = [rest]
            for line in lines:
                bad = too_long or len(line) > MAX_STREAM_MESSAGE
                text = line.removeprefix(BOM) if first else line
                yield since, None if bad else text.rstrip(b"\r")
                since, too_long, first = arrived, False, False
            if len(rest) > MAX_STREAM_MESSAGE:
                rest, too_long = b"", True

    def _chunks(self, fd: int) -> Iterator[tuple[int, bytes]]:
        """What is there at each look, and when it came at the earliest; an empty one at the end."""
        waiter = select.poll()
        waiter.register(fd, select.POLLIN)
        half = _half_full(fd)
        empty, full, chunk = self._opened, False, b" "
        while chunk:
            if not waiter.poll(0):
                waiter.poll()
                empty, full = time.monotonic_ns(), False
            chunk = os.read(fd, _AT_ONCE)
            self.flood = full = full or len(chunk) > half
            yield empty, chunk


class LinePipe:
    """Lines of a pipe, as they come.

    Args:
        stream: standard input by default.
    """

    def __init__(self, decode: LineDecoder, name: str, stream: BinaryIO | None = None) -> None:
        self.name = name
        self._decode = decode
        self._stream = _standard_input() if stream is None else stream
        self._closed, self._opened = False, time.monotonic_ns()

    def start(self, put: Put) -> None:
        # A thread that waits for a line cannot be woken up, so it must not keep the process alive.
        threading.Thread(target=self._run, args=(put,), name=self.name, daemon=True).start()

    def close(self) -> None:
        self._closed = True

    def _run(self, put: Put) -> None:
        number, arrivals = 0, _Arrivals(self._stream, self._opened)
        try:
            for number, (arrived, line) in enumerate(arrivals, 1):
                if self._closed:
                    return
                if arrivals.flood:
                    arrivals.flood = False
                    text = "the pipe may have been full: the age of its messages is unknown"
                    put(Trouble("flood", text), arrived)
                try:
                    _, found = _decoded(self._decode, line)
                except GarbledError as error:
                    put(Trouble("garbled", f"line {number}: {error}"), arrived)
                    continue
                for message in found:
                    put(message, arrived)
        except (OSError, ValueError) as error:
            put(Trouble("lost", f"cannot be read after line {number}: {error}"))
        if not self._closed:
            put(End(f"after {number} lines"))


class _Lines:
    def __init__(self, unit: str) -> None:
        self._decode = JsonDecoder(unit)

    def __call__(self, line: bytes) -> tuple[float, tuple[Message, ...]]:
        if not line or line.isspace():
            return 0.0, ()
        return self._decode(line)


class JsonLines(LineFile):
    """A file; each line has its ``time``, in ``unit``."""

    def __init__(self, path: str | Path, name: str = "", unit: str = "s") -> None:
        super().__init__(path, lambda: _Lines(unit), name or f"jsonl:{path}")


class JsonPipe(LinePipe):
    """A pipe; lines count when they come, and ``time`` is the stamp where there is one."""

    def __init__(
        self, name: str = "jsonl:-", stream: BinaryIO | None = None, unit: str = "s"
    ) -> None:
        super().__init__(_Lines(unit), name, stream)
