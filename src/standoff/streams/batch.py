"""Many readings at once, one a cycle: what a replay as fast as it goes is made of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from standoff.geometry.pose import Array
from standoff.geometry.shape import IntArray
from standoff.streams.messages import Joints


@dataclass(frozen=True, eq=False)
class Part:
    """The readings of a batch that have one source and one list of names.

    Attributes:
        at: which readings of the batch, ascending.
        stamp: of each; positions: of each, one row.
        partial: as in `Joints`.
    """

    source: int
    names: tuple[str, ...]
    at: IntArray
    stamp: Array
    positions: Array
    partial: bool = False


@dataclass(frozen=True, eq=False)
class Batch:
    """Attributes:
    now: time of each reading.
    parts: what they say.
    readings: the same one by one, where they came like that.
    """

    now: Array
    parts: tuple[Part, ...]
    readings: Sequence[tuple[float, int, Joints]] | None = None

    def reading(self, k: int) -> tuple[float, int, Joints]:
        """One of them: its time, its source, and the message (in a replay without velocities)."""
        if self.readings is not None:
            return self.readings[k]
        for part in self.parts:
            i = int(np.searchsorted(part.at, k))
            if i < len(part.at) and part.at[i] == k:
                stamp = float(part.stamp[i])
                message = Joints(stamp, part.names, part.positions[i], None, part.partial)
                return float(self.now[k]), part.source, message
        raise IndexError(k)


def gathered(readings: Sequence[tuple[float, int, Joints]]) -> Batch:
    """A batch of readings one by one. All have a position for each name."""
    groups: dict[tuple[int, tuple[str, ...], bool], list[int]] = {}
    for k, (_, source, message) in enumerate(readings):
        groups.setdefault((source, message.names, message.partial), []).append(k)
    parts = [
        Part(
            source,
            names,
            np.array(at, dtype=np.int64),
            np.array([readings[k][2].stamp for k in at]),
            np.array([readings[k][2].positions for k in at]).reshape(len(at), len(names)),
            partial,
        )
        for (source, names, partial), at in groups.items()
    ]
    return Batch(np.array([now for now, _, _ in readings]), tuple(parts), readings)
