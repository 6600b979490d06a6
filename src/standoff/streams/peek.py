"""How often files speak, from their first messages."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np

from standoff.constants import PEEK_MESSAGES
from standoff.streams.messages import Joints, Message
from standoff.streams.source import Recorded


class Peeked:
    """A file whose first messages have been looked at, and are there all the same."""

    def __init__(self, source: Recorded) -> None:
        self.name = source.name
        self._source = source
        self._rest = source.messages()
        self._first = list(itertools.islice(self._rest, PEEK_MESSAGES))

    def period(self) -> float:
        """The usual time from one reading to the next of whoever speaks least often, [s]; 0 where
        nobody spoke twice."""
        times: dict[tuple[str, ...], list[float]] = {}
        for now, message in self._first:
            if type(message) is Joints:
                times.setdefault(message.names, []).append(now)
        usual = [float(np.median(np.diff(t))) for t in times.values() if len(t) > 2]
        return max((p for p in usual if np.isfinite(p)), default=0.0)

    def messages(self) -> Iterator[tuple[float, Message]]:
        """All of them."""
        first, self._first = self._first, []
        yield from first
        yield from self._rest

    def progress(self) -> float:
        """How much of it has been read."""
        return self._source.progress()

    def close(self) -> None:
        """Let go of the file."""
        self._source.close()
