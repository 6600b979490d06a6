"""All the gaps among many parts, most of which nobody looks at: made when asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from heapq import nsmallest
from typing import overload

import numpy as np

from standoff.geometry.shape import IntArray
from standoff.overlap.boxes import WorldBoxes, box_gap
from standoff.overlap.finding import Gap
from standoff.overlap.part import Part


class Gaps(Sequence[Gap]):
    """The gaps of all pairs of parts but some, in the order of the parts. A thousand parts make
    half a million pairs; those that are apart by their boxes take no memory here."""

    def __init__(
        self,
        parts: Sequence[Part],
        boxes: WorldBoxes,
        method: str,
        judged: Mapping[tuple[int, int], Gap],
        without: Sequence[tuple[int, int]],
    ) -> None:
        self._parts, self._boxes, self._method, self._judged = parts, boxes, method, judged
        self._without = without
        n = len(parts)
        #: Number of the pair (i, i + 1).
        self._first: IntArray = np.array([i * n - i * (i + 1) // 2 for i in range(n)], np.int64)
        gone = np.sort(np.array([self._number(i, j) for i, j in without], dtype=np.int64))
        self._count = n * (n - 1) // 2 - len(gone)
        #: How many pairs are left before each of those that are not in here.
        self._before: IntArray = gone - np.arange(len(gone))
        self._gone = set(gone.tolist())

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, k: int) -> Gap: ...
    @overload
    def __getitem__(self, k: slice) -> list[Gap]: ...
    def __getitem__(self, k: int | slice) -> Gap | list[Gap]:
        if isinstance(k, slice):
            return [self[m] for m in range(*k.indices(len(self)))]
        if not -len(self) <= k < len(self):
            raise IndexError(k)
        k %= len(self)
        number = k + int(np.searchsorted(self._before, k, side="right"))
        i = int(np.searchsorted(self._first, number, side="right")) - 1
        # The last part starts no pair, and has the number that would follow the last pair.
        i = min(i, len(self._parts) - 2)
        return self._gap(i, i + 1 + number - int(self._first[i]))

    def __iter__(self) -> Iterator[Gap]:
        for i in range(len(self._parts)):
            for j in range(i + 1, len(self._parts)):
                if self._number(i, j) not in self._gone:
                    yield self._gap(i, j)

    def nearest(self, count: int) -> list[Gap]:
        """The ``count`` smallest, nearest first, those of equal distance in the order of the
        parts."""
        best = nsmallest(count, ((gap.distance, i, j) for (i, j), gap in self._judged.items()))
        taken: dict[int, list[int]] = {}
        for i, j in (*self._judged, *self._without):
            taken.setdefault(i, []).append(j)
        for i in range(len(self._parts) - 1):
            others = np.setdiff1d(np.arange(i + 1, len(self._parts)), taken.get(i, []))
            distance = self._boxes.gaps(i, others)
            some = np.argsort(distance, kind="stable")[:count]
            row = zip(distance[some].tolist(), [i] * len(some), others[some].tolist())
            best = nsmallest(count, [*best, *row])
        return [self._gap(i, j) for _, i, j in best]

    def _number(self, i: int, j: int) -> int:
        return int(self._first[i]) + j - i - 1

    def _gap(self, i: int, j: int) -> Gap:
        judged = self._judged.get((i, j))
        if judged is not None:
            return judged
        return box_gap(self._parts, i, j, self._method, self._boxes.gap(i, j))
