"""Reading a file that somebody named: only a regular one, and only up to a limit."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from standoff.errors import Error


def read_regular(path: str | Path, limit: int, what: str, failure: type[Error]) -> bytes:
    """The content of a regular file of at most ``limit`` bytes.

    A pipe would keep a reader waiting and a device would never end, so neither is opened.

    Args:
        path: the file; links are followed.
        limit: [bytes], looked at before anything is read.
        what: what the file should be, with its article, for messages.
        failure: what is raised for whatever is wrong.
    """
    try:
        status = os.stat(path)
        if stat.S_ISDIR(status.st_mode):
            raise failure("cannot be read: a folder, not a file", file=path, allowed=what)
        if not stat.S_ISREG(status.st_mode):
            raise failure("cannot be read: not a regular file", file=path, allowed=what)
        size, data = status.st_size, b""
        if size <= limit:
            with open(path, "rb") as stream:
                data = stream.read(size + 1)
                if len(data) > size:  # it has grown, or is one of the kernel's, which say 0
                    data += stream.read(limit + 1 - len(data))
    except (OSError, ValueError, TypeError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise failure(f"cannot be read: {reason}", file=path) from error
    size = max(size, len(data))
    if size > limit:
        raise failure(
            f"too large for {what}",
            file=path,
            value=f"{size} bytes",
            allowed=f"at most {limit} bytes",
        )
    return data
