"""What goes from a `LivePage` to its process: pickles, each after its length.

Both ends are this very program, and the pipe between them is nobody else's.
"""

from __future__ import annotations

import pickle
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO, Any

_LENGTH = struct.Struct("=Q")


@dataclass(frozen=True)
class Opening:
    """The first word: where to listen and what to show; see `LivePage`."""

    host: str
    port: int
    title: str
    buffers: float | dict[str, float] | None
    stale: float


def send(stream: IO[bytes], message: Any) -> None:
    """Write one message."""
    data = pickle.dumps(message, protocol=pickle.HIGHEST_PROTOCOL)
    stream.write(_LENGTH.pack(len(data)) + data)
    stream.flush()


def received(stream: IO[bytes]) -> Iterator[Any]:
    """All messages, until the other end is closed."""
    while True:
        head = stream.read(_LENGTH.size)
        if len(head) < _LENGTH.size:
            return
        (length,) = _LENGTH.unpack(head)
        data = stream.read(length)
        if len(data) < length:
            return
        yield pickle.loads(data)
