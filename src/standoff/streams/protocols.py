"""The protocols of everything that messages come from and reports go to."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol, runtime_checkable

from standoff.streams.messages import Message
from standoff.streams.report import Report


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


@runtime_checkable
class Prompt(Protocol):
    """A sink that can take a report in the cycle itself, so that nobody has to wake up for it."""

    def offer(self, report: Report) -> bool:
        """As `put`, within microseconds, and milliseconds at the worst; on another thread than
        `put`, and never while one is under way. False where it may not have gone out: it is `put`
        then."""


class Sink(Protocol):
    """Attributes:
    name: what messages call it: ``jsonl:-``.
    """

    name: str

    def put(self, report: Report) -> None:
        """Take one report. It may raise `OSError` or `standoff.Error`: the watch turns this into a
        fault, goes on, and tries again with the next reports."""

    def flush(self) -> None:
        """Nothing that was put before stays in this process."""

    def close(self) -> None:
        """The last of it; more than once does no harm."""
