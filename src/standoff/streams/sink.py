"""The one protocol of everything that reports go to."""

from __future__ import annotations

from typing import Protocol

from standoff.streams.report import Report


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
