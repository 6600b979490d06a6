"""A file that is written to the end of what the disk takes, and goes on when it takes more."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from standoff.errors import StreamError, reason_of

#: Largest part of a record, while a disk takes nothing, that is kept in memory, [bytes].
RECORD_SPOOL = 64 * 2**20


class Spool:
    """Bytes wait here until they are on the disk, whole. Not buffered by the process: what was
    written is there after a ``kill -9``. What was in the file before stays until `begin`, or until
    something is written: who only opens it spoils nothing.

    Attributes:
        size: of the file, with what is waiting.
    """

    def __init__(self, path: str | Path) -> None:
        try:
            self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o666)
        except (OSError, ValueError) as error:
            raise StreamError(
                f"cannot be written: {reason_of(error)}", file=path, allowed="a file in a folder"
            ) from error
        self._waiting: list[bytes] = []
        self._waits = 0
        self._done = 0
        self._open, self._begun = True, False

    @property
    def size(self) -> int:
        return self._done + self._waits

    @property
    def full(self) -> bool:
        """Whether more waits than is kept in memory."""
        return self._waits > RECORD_SPOOL

    def begin(self) -> None:
        """What was in the file before is gone.

        Raises:
            OSError: it stays.
        """
        emptied(self._file)
        self._begun = True

    def add(self, data: bytes) -> None:
        """To be written with the next `flush`."""
        self._waiting.append(data)
        self._waits += len(data)

    def flush(self) -> None:
        """Write all that waits.

        Raises:
            OSError: the disk is full. What was written of it is taken back, if that can be, and
                waits for the next time: the file ends with a whole record.
        """
        while self._waiting:
            data = self._waiting[0]
            self._write(data)
            self._waiting.pop(0)
            self._waits -= len(data)
            self._done += len(data)

    def _write(self, data: bytes) -> None:
        if not self._begun:
            self.begin()
        view, start = memoryview(data), self._done
        try:
            while view:
                view = view[os.write(self._file, view) :]
        except OSError:
            if len(view) < len(data):
                os.ftruncate(self._file, start)
                os.lseek(self._file, start, os.SEEK_SET)
            raise

    def close(self) -> None:
        """Let go of the file; what waits is lost."""
        if self._open:
            self._open = False
            os.close(self._file)


def emptied(file: int) -> None:
    """Take out what is in an open file; a device or a pipe has nothing to be taken out.

    Raises:
        OSError: it stays.
    """
    if stat.S_ISREG(os.fstat(file).st_mode):
        os.ftruncate(file, 0)
