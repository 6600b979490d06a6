"""The one protocol of everything that reports go to."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from standoff.streams.report import Report


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
