"""The schedule of paper 004: buckets of geometric sizes, one pair of each in a step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from standoff.errors import PredictError
from standoff.geometry.pose import Array
from standoff.predict.kernels import predict_tables as p
from standoff.predict.kernels.buckets import dua_start, dua_step, dua_void, place_of
from standoff.predict.schedule import Ints, Rows, Schedule, given_of, listed
from standoff.scalars import choice

SeriesName = Literal["binary", "fibonacci"]

#: Alarms that the first step of a predictor lists, [-]. All pairs are looked at in it, and where
#: the slowest of them come round once in a day all are alarmed.
LISTED_ALARMS = 1 << 20

#: Pairs that one step can have given it beyond those whose turn it is.
MOST_WOKEN = 64


@dataclass(frozen=True)
class DynamicUrgency:
    """The schedule of paper 004, dynamic urgency (DUA): pairs in buckets of growing size, one pair
    of each bucket in each step.

    Args:
        series: the sizes of the buckets: 1, 2, 4, 8, … (``binary``) or 1, 2, 3, 5, …
            (``fibonacci``).
        sort: order all that is looked at in a step (``full``), or only by bucket (``partial``).

    Raises:
        PredictError: a value that makes no sense.
    """

    series: SeriesName = "binary"
    sort: Literal["full", "partial"] = "full"

    def __post_init__(self) -> None:
        choice("series", self.series, PredictError, ("binary", "fibonacci"))
        choice("sort", self.sort, PredictError, ("full", "partial"))

    def schedule(self, bodies: Rows, period: float, urgency: int, off: Ints) -> UrgencySchedule:
        """All pairs of ``bodies``, before the first step."""
        return UrgencySchedule(self, bodies, period, urgency, off)


class UrgencySchedule(Schedule):
    """All pairs of ``bodies`` in buckets; see `predict.kernels.buckets` for what it promises."""

    tables: p.Buckets
    finds_void = False

    def __init__(
        self, how: DynamicUrgency, bodies: Rows, period: float, urgency: int, off: Ints
    ) -> None:
        count = len(bodies) * (len(bodies) - 1) // 2
        buckets = bucket_table(count, how.series)
        self._seats = len(buckets) + MOST_WOKEN
        try:
            tables = p.Buckets(
                **given_of(bodies, period, urgency, off), pairs=count, buckets=buckets,
                seats=self._seats, rows=self._seats, marks=p.WIDTH,
            )  # fmt: skip
        except MemoryError as error:
            raise PredictError(
                "too many pairs", value=count, allowed="fewer bodies, or a horizon"
            ) from error
        super().__init__(tables)
        tables.dua.partial = how.sort == "partial"
        self.longest = int(buckets["length"].max())
        self._waiting: list[
            tuple[int, ...]
        ] = []  # pairs to be given a turn, those that have a seat first
        self._seated = 0

    def start(self, positions: Array, velocities: Array) -> tuple[int, Rows, Rows]:
        # All pairs may be alarmed, and all bodies at fault; in a step no more than have a seat.
        self.put(alarms=min(self.pairs, LISTED_ALARMS), faults=len(self.tables.bodies))
        dua_start(positions, velocities, self.address)
        found, rows, faults = self.found, listed(self.alarms), self.faults
        self.put(alarms=self._seats, faults=2 * self._seats)
        return found, rows, faults

    def step(self, positions: Array, velocities: Array, now: float) -> int:
        said: int = dua_step(positions, velocities, self.address, now)
        return said

    def switch(self, off: Ints, on: Ints) -> bool:
        self.tables.put("off", off)
        if self.tables.dua.woken == 0:
            self._waiting = self._waiting[self._seated :]
        ignored = {*map(tuple, off.tolist())}
        watched = [pair for pair in self._waiting if pair not in ignored]
        self._waiting = list(dict.fromkeys([*watched, *map(tuple, on.tolist())]))
        self._seated = 0
        self.tables.dua.woken = 0
        return self.wake()

    def wake(self) -> bool:
        if not self._waiting:
            return False
        dua = self.tables.dua
        if dua.woken == 0:
            self._waiting = self._waiting[self._seated :]
            self._seated = 0
        # Pairs change places in every step, so where they stand is looked up just before one.
        first = len(self.tables.buckets)
        for k, pair in enumerate(self._waiting[:MOST_WOKEN]):
            self.tables.seats[first + k].place = place_of(self.address, *pair)
        self._seated = dua.woken = min(len(self._waiting), MOST_WOKEN)
        return len(self._waiting) > MOST_WOKEN

    @property
    def turn(self) -> int:
        return int(self.state["step"].item())

    def void(self, doubt: int, since: int) -> tuple[Ints, int | None]:
        pairs = self._found_by(dua_void, doubt, since)
        # Those that were switched on and have had no turn since.
        had = self._seated if self.tables.dua.woken == 0 else 0
        waiting = np.array(self._waiting[had:], dtype=np.int64).reshape(-1, 2)
        pairs = np.unique(np.concatenate([pairs, waiting]), axis=0)
        return pairs, int(self.state["wait"].item())


def bucket_table(count: int, series: str) -> Rows:
    """The buckets of ``count`` places: sizes 1, 2, 4, 8, … or 1, 2, 3, 5, …, the last one cut to
    what is left."""
    rows, first, size, following = [], 0, 1, 2
    while first < count:
        rows.append((first, min(size, count - first), 0))
        first += size
        size, following = following, 2 * following if series == "binary" else size + following
    return np.array(rows, dtype=p.BUCKET)
