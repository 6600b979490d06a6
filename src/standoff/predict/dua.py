"""The schedule of paper 004: buckets of geometric sizes, one pair of each in a step."""

from __future__ import annotations

from typing import Any

import numpy as np

from standoff.errors import PredictError
from standoff.geometry.pose import Array
from standoff.predict.kernels import layout as p
from standoff.predict.kernels.dua import dua_start, dua_step, dua_void, place_of
from standoff.predict.schedule import CHUNK, MOST_WOKEN, Ints, new_block, split

#: Alarms that the first step of a predictor lists, [-]. All pairs are looked at in it, and where
#: the slowest of them come round once in a day all are alarmed.
LISTED_ALARMS = 1 << 20


class UrgencySchedule:
    """All pairs of ``bodies`` in buckets; see `predict.kernels.dua` for what it promises, and
    `predict.schedule.Schedule` for what the names mean."""

    def __init__(
        self, bodies: Array, period: float, urgency: int, off: Ints, series: str, partial: bool
    ) -> None:
        count = len(bodies) * (len(bodies) - 1) // 2
        try:
            self._pairs: Ints = np.empty((count, 2), dtype=np.int64)
        except MemoryError as error:
            raise PredictError(
                "too many pairs", value=count, allowed="fewer bodies, or a horizon"
            ) from error
        self._bodies, self._period, self._urgency = bodies, period, urgency
        self._buckets = bucket_table(count, series)
        seats = len(self._buckets) + MOST_WOKEN
        self._partial = int(partial)
        self._block = new_block()
        self._seats = np.zeros((seats, 2), dtype=np.int64)
        self._rows = np.zeros((seats, 2), dtype=np.int64)
        self._waiting: list[int] = []  # pairs to be given a turn, those that have a seat first
        self._seated = 0
        self.alarms: Ints = np.zeros((seats, 3), dtype=np.int64)
        self.faults = np.zeros((2 * seats, p.FAULT_COLUMNS))
        self.state: Ints = np.zeros(p.STATE, dtype=np.int64)
        self.longest = int(self._buckets[:, p.SIZE].max())
        self.step = dua_step
        self.tells_void = False
        self.full = 0
        self._off = off
        self._lay_out()

    def _lay_out(self) -> None:
        self.tables: tuple[Any, ...] = (
            self._bodies, self._pairs, self._buckets, self._off, self._block, self._seats,
            self._rows, self.alarms, self.faults, self.state, self._period, self._urgency,
            self._partial,
        )  # fmt: skip

    def start(self, positions: Array, velocities: Array) -> tuple[int, Ints, Array]:
        listed: Ints = np.zeros((min(len(self._pairs), LISTED_ALARMS), 3), dtype=np.int64)
        faults = np.zeros((len(self._bodies), p.FAULT_COLUMNS))
        found = dua_start(
            positions, velocities, self._bodies, self._pairs, self._buckets, self._off,
            self._block, listed, faults, self.state, self._period, self._urgency,
        )  # fmt: skip
        return found, listed[:found].copy(), faults[: self.state[p.FAULTS]]

    def switch(self, off: Ints, on: Ints) -> bool:
        self._off = off
        self._lay_out()
        if self.state[p.WOKEN] == 0:
            self._waiting = self._waiting[self._seated :]
        ignored = {*off.tolist()}
        watched = [pair for pair in self._waiting if pair not in ignored]
        self._waiting = list(dict.fromkeys(watched + on.tolist()))
        self._seated = 0
        self.state[p.WOKEN] = 0
        return self.wake()

    def wake(self) -> bool:
        if self.state[p.WOKEN] == 0:
            self._waiting = self._waiting[self._seated :]
            self._seated = 0
        if not self._waiting:
            return False
        # Pairs change places in every step, so where they stand is looked up just before one.
        first = len(self._buckets)
        for k, pair in enumerate(self._waiting[:MOST_WOKEN]):
            self._seats[first + k, 0] = place_of(self._pairs, pair)
        self._seated = self.state[p.WOKEN] = min(len(self._waiting), MOST_WOKEN)
        return len(self._waiting) > MOST_WOKEN

    @property
    def turn(self) -> int:
        return int(self.state[p.STEP])

    def void(self, doubt: int, since: int) -> tuple[Ints, int | None]:
        places = np.zeros(0, dtype=np.int64)
        for _ in range(2):
            found = dua_void(
                self._pairs, self._buckets, self._bodies, self._off, places, self.state, doubt,
                since,
            )  # fmt: skip
            if found <= len(places):
                break
            places = np.zeros(found, dtype=np.int64)
        # Those that were switched on and have had no turn since.
        had = self._seated if self.state[p.WOKEN] == 0 else 0
        waiting: Ints = np.array(self._waiting[had:], dtype=np.int64)
        found_pairs = np.union1d(self._pairs[places, 0] & p.PAIR_MASK, waiting)
        return split(found_pairs), int(self.state[p.WAIT])

    def alarmed(self) -> Ints:
        found = []
        for first in range(0, len(self._pairs), CHUNK):
            pairs = self._pairs[first : first + CHUNK, 0]
            found.append(split(pairs[pairs & p.ALARMED != 0]))
        return np.concatenate(found)

    @property
    def pairs(self) -> int:
        return len(self._pairs)

    @property
    def nbytes(self) -> int:
        return self._pairs.nbytes


def bucket_table(count: int, kind: str) -> Ints:
    """First place, size and turn of each bucket, for ``count`` places: sizes 1, 2, 4, 8, … or 1, 2,
    3, 5, …, the last one cut to what is left."""
    rows, first, size, following = [], 0, 1, 2
    while first < count:
        rows.append((first, min(size, count - first), 0))
        first += size
        size, following = following, 2 * following if kind == "binary" else size + following
    return np.array(rows, dtype=np.int64).reshape(-1, 3)
