"""What a method finds out about a pair of parts: an overlap, or a gap, each with its evidence.

Of many parts, most pairs are apart by their boxes in the world. The other pairs are found by
sorting and sweeping; the gaps of those that are apart are made when asked for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from heapq import nsmallest
from typing import ClassVar, overload

import numpy as np

from standoff.geometry.pose import Array
from standoff.geometry.shape import IntArray
from standoff.interference.parts import Part, world_box
from standoff.tolerances import EPS


@dataclass(frozen=True, eq=False)
class Overlap:
    """Two parts that overlap, or that the method could not tell apart: doubt counts as danger, and
    it is False. Touching counts as overlap; with a clearance, so does coming as near as that.

    Attributes:
        a, b: the names of the parts.
        method: "projection", "octree" or "exact".
        certain: whether they overlap for sure (or are nearer than the clearance); False: the method
            found nothing that keeps them apart.
        distance: the signed distance where the method knows it, minus the depth where they
            overlap, [m]; None where it does not.
        low, high: the corners of a box in the world frame that holds all the places where they can
            meet, as far as the method knows, [m].
        evidence: what speaks for it, in words.
        touching: they are proved only to touch: their common layer is thinner than a millionth of
            the smaller part's extent. False: they cross, are identical, or it is not known.
    """

    a: str
    b: str
    method: str
    certain: bool
    distance: float | None
    low: Array
    high: Array
    evidence: str
    touching: bool = False
    apart: ClassVar[bool] = False

    def __bool__(self) -> bool:
        return self.apart


@dataclass(frozen=True, eq=False)
class Gap:
    """Two parts that are proved to be farther apart than the clearance: the answer that is
    `apart`.

    Attributes:
        a, b: the names of the parts.
        method: "projection", "octree" or "exact".
        distance: they are at least so far apart, [m]; the distance itself where ``exact``.
        normal: the normal of the plane whose projections are apart, unit length, world frame; None
            for methods without planes.
        evidence: what keeps them apart, in words.
    """

    a: str
    b: str
    method: str
    distance: float
    normal: Array | None
    evidence: str
    exact: bool = False
    apart: ClassVar[bool] = True


@dataclass(frozen=True, eq=False)
class Comparison:
    """All pairs of parts, each either an overlap or a gap, in the order of the parts. True where
    all are `apart`.

    Attributes:
        tests: how often each kind of test was made, by its name.
    """

    overlaps: tuple[Overlap, ...]
    gaps: Sequence[Gap]
    tests: dict[str, int]

    @property
    def apart(self) -> bool:
        """Whether all pairs are proved to be farther apart than the clearance, but for those that
        were allowed to overlap."""
        return not self.overlaps

    def __bool__(self) -> bool:
        return self.apart


#: The root of a sum of three squares is good to a few roundings.
_SURELY = 1.0 - 4.0 * EPS


class WorldBoxes:
    """Axis-aligned boxes of parts in the world, a rounding wider than the parts.

    Attributes:
        low, high: corners (n, 3), [m]; infinite where a part is.
    """

    def __init__(self, parts: Sequence[Part]) -> None:
        boxes = np.array([world_box(part.shape, part.pose) for part in parts]).reshape(-1, 6)
        self.low: Array = boxes[:, :3]
        self.high: Array = boxes[:, 3:]

    def gap(self, i: int, j: int) -> float:
        """Parts ``i`` and ``j`` are at least so far apart, [m]; 0 where the boxes meet."""
        return float(self.gaps(i, np.array([j]))[0])

    def gaps(self, i: int, others: IntArray) -> Array:
        """The same against several."""
        apart = np.maximum(self.low[others] - self.high[i], self.low[i] - self.high[others])
        return np.asarray(_SURELY * np.sqrt((np.maximum(apart, 0.0) ** 2).sum(axis=1)))

    def shared(self, i: int, j: int, clearance: float) -> tuple[Array, Array]:
        """Corners of the box of all places where the two can be as near as ``clearance``: the
        boxes, each grown by it, in common."""
        low = np.maximum(self.low[i], self.low[j]) - clearance
        high = np.minimum(self.high[i], self.high[j]) + clearance
        return low, np.maximum(low, high)

    def near(self, reach: float) -> IntArray:
        """(m, 2): the pairs i < j whose boxes are not farther apart than ``reach``, in the order of
        the parts. Sort and sweep, along the axis on which the boxes are spread most."""
        n = len(self.low)
        spread = (
            np.ptp(np.where(np.isfinite(self.low), self.low, 0.0), axis=0) if n else np.zeros(3)
        )
        axis = int(np.argmax(spread))
        order = np.argsort(self.low[:, axis], kind="stable")
        starts = self.low[order, axis]
        # Everything that starts before a box ends may reach it; the one after that may not.
        ends = np.searchsorted(starts, self.high[order, axis] + reach, side="right")
        found = [np.zeros((0, 2), dtype=np.int64)]
        for k, i in enumerate(order.tolist()):
            others = order[k + 1 : ends[k]]
            others = others[self.gaps(i, others) <= reach]
            if len(others):
                found.append(np.stack([np.minimum(i, others), np.maximum(i, others)], axis=1))
        pairs = np.concatenate(found)
        return pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))]


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
        a, b, distance = self._parts[i].name, self._parts[j].name, self._boxes.gap(i, j)
        return Gap(a, b, self._method, distance, None, "their world boxes are apart")
