"""Reports as JSON lines, in a file or on standard output."""

from __future__ import annotations

import math
import os
import sys
from pathlib import Path

from standoff.errors import StreamError, reason_of
from standoff.streams.limits import QUIET_LINE_PERIOD
from standoff.streams.record.spool import emptied
from standoff.streams.report import Report, State
from standoff.streams.report_json import report_line


class JsonLines:
    """One line for each cycle that is not SAFE or in which something changed, and of the others one
    in ``every`` seconds. A line goes out whole and at once, past all buffers of this process, so
    that whoever reads along sees a warning when it is given.

    Args:
        where: a file, which is written anew, or ``-`` for standard output. What was in the file
            before is gone with the first line, or with `flush`: a watch that is refused spoils
            nothing.
        every: seconds of the watch between lines that nothing happened in; 0 for all cycles.

    Raises:
        StreamError: it cannot be written.
    """

    def __init__(self, where: str, *, every: float = QUIET_LINE_PERIOD) -> None:
        self.name = f"jsonl:{where}"
        self.every = every
        self._next = -math.inf
        self._torn, self._begun = False, where == "-"
        if where == "-":
            sys.stdout.flush()
            self._file: int | None = os.dup(sys.stdout.fileno())
            return
        path = Path(where)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = os.open(path, os.O_WRONLY | os.O_CREAT | _CLOEXEC, 0o666)
        except (OSError, ValueError) as error:
            raise StreamError(f"cannot be written: {reason_of(error)}", file=where) from error

    def put(self, report: Report) -> None:
        """Write it, or leave it out where nothing happened."""
        quiet = report.state is State.SAFE and not report.changed
        if quiet and self._next - self.every <= report.time < self._next:
            return
        self._write(report_line(report) + b"\n")
        self._next = report.time + self.every

    def flush(self) -> None:
        """Each line has left this process already; where there was none the file is empty."""
        self._begin()

    def close(self) -> None:
        """The file is let go; standard output stays open."""
        file, self._file = self._file, None
        if file is not None:
            os.close(file)

    def _begin(self) -> None:
        if not self._begun and self._file is not None:
            emptied(self._file)
            self._begun = True

    def _write(self, line: bytes) -> None:
        if self._file is None:
            raise StreamError("is closed", file=self.name)
        self._begin()
        # A line that a full disk cut short is ended first, so that it spoils no other.
        rest = memoryview(b"\n" + line if self._torn else line)
        while rest:
            rest = rest[os.write(self._file, rest) :]
            self._torn = bool(rest)


_CLOEXEC = getattr(os, "O_CLOEXEC", 0)
