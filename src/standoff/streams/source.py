"""The one protocol of everything that messages come from."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol, runtime_checkable

from standoff.streams.messages import Message


class Put(Protocol):
    """What a live source hands its messages to, from whatever thread: it takes a microsecond and
    never raises."""

    def __call__(self, message: Message, arrived: int | None = None) -> None:
        """``arrived``: when it came at the earliest, by `time.monotonic_ns`, where it may have
        waited since; now by default."""


class Source(Protocol):
    """Attributes:
    name: what messages call it: ``csv:run.csv``.
    """

    name: str

    def close(self) -> None:
        """Let go of files and connections; more than once does no harm."""


@runtime_checkable
class Recorded(Source, Protocol):
    """A file: its times are the clock."""

    def messages(self) -> Iterator[tuple[float, Message]]:
        """Each message with the time it was recorded at, [s], in the order of the file. What cannot
        be read is a `Trouble`, and the file goes on after it; raises nothing."""

    def progress(self) -> float:
        """How much of it has been read, 0 to 1."""


@runtime_checkable
class Live(Source, Protocol):
    """Something that goes on by itself: a pipe, a network."""

    def start(self, put: Put) -> None:
        """From now on hand each message over as it comes, from whatever thread."""
