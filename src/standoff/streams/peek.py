"""How often files speak, from their first messages."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator

import numpy as np

from standoff.cell import Cell
from standoff.constants import PEEK_MESSAGES
from standoff.streams.mapping import Mapping
from standoff.streams.messages import BodyPose, Joints, Message
from standoff.streams.source import Recorded


class Peeked:
    """A file whose first messages have been looked at, and are there all the same."""

    def __init__(self, source: Recorded) -> None:
        self.name = source.name
        self._source = source
        self._rest = source.messages()
        self._first = list(itertools.islice(self._rest, PEEK_MESSAGES))

    def periods(self, cell: Cell) -> dict[str, float]:
        """The usual time from one message to the next of each joint and moving body of the cell, as
        the first messages have it, [s]; without those that did not come three times."""
        mapping, moving = Mapping(cell, self.name), {*cell.moving}
        columns: dict[tuple[str, ...], list[int]] = {}
        times: dict[str, list[float]] = {}
        for now, message in self._first:
            names: list[str] = []
            if type(message) is Joints:
                if message.names not in columns:
                    columns[message.names] = mapping.route(message.names).columns.tolist()
                names = [cell.joints[j] for j in columns[message.names]]
            elif type(message) is BodyPose:
                names = [n for n in (mapping.body(message).body,) if n in moving]
            for name in names:
                times.setdefault(name, []).append(now)
        usual = {n: float(np.median(np.diff(t))) for n, t in times.items() if len(t) > 2}
        return {name: period for name, period in usual.items() if 0.0 < period < math.inf}

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
