"""The schedule beyond paper 004: each pair again just before it could touch, most urgent first."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from standoff.errors import PredictError
from standoff.geometry.pose import Array
from standoff.predict.kernels import layout as p
from standoff.predict.kernels.cells import (
    DONE,
    GRID,
    HORIZON,
    near_start,
    near_step,
    spare,
    take_in,
)
from standoff.predict.kernels.deadlines import (
    leave_overdue,
    put_in,
    wheel_start,
    wheel_step,
    wheel_void,
)
from standoff.predict.kernels.near import enlist_all
from standoff.predict.schedule import CHUNK, Ints, listed, new_block, split

#: Slots of the wheel of deadlines, [periods]. Pairs that cannot touch for longer are looked at
#: again after so many; a power of two.
WHEEL_SLOTS = 4096


#: Pairs for each body that a table has room for at first, with a horizon.
_FIRST_ROOM = 8


class DeadlineSchedule:
    """Pairs of ``bodies`` in a wheel of deadlines; see `predict.kernels.deadlines` for what it
    promises, and `predict.schedule.Schedule` for what the names mean.

    Args:
        tests: at most so many pairs are looked at in a step, and as many where there are; None:
            those that are due.
        horizon: leave out pairs that cannot meet for so long, [s]; None: watch all pairs.
    """

    def __init__(
        self,
        bodies: Array,
        period: float,
        urgency: int,
        off: Ints,
        tests: int | None,
        horizon: float | None,
    ) -> None:
        count = len(bodies)
        self._bodies, self._period, self._urgency, self._off = bodies, period, urgency, off
        self._budget = p.NEVER if tests is None else min(tests, p.NEVER)
        self._horizon = horizon
        rows = count * (count - 1) // 2 if horizon is None else _FIRST_ROOM * count
        try:
            self._pairs: NDArray[np.int32] = np.empty((rows, 4), dtype=np.int32)
            # Room for all pairs: what is never written to takes no memory.
            self.alarms: Ints = np.empty((rows, 3), dtype=np.int64)
            self._voids: Ints = np.empty(rows, dtype=np.int64)
        except (MemoryError, ValueError) as error:
            raise PredictError(
                "too many pairs", value=rows, allowed="fewer bodies, or a horizon"
            ) from error
        self._slots = np.zeros(WHEEL_SLOTS, dtype=np.int32)
        near = 0 if horizon is None else count
        self._firsts = _lists(rows if near else 0)
        self._balls = np.zeros((near, p.BALL_COLUMNS))
        self._cells = np.zeros(1 << max(2 * near - 1, 1).bit_length(), dtype=np.int32)
        self._places = np.zeros((near, 3), dtype=np.int32)
        self._grid = np.zeros(GRID)
        self.faults = np.zeros((count, p.FAULT_COLUMNS))
        self.state: Ints = np.zeros(p.STATE, dtype=np.int64)
        # No slot is farther ahead, and with a horizon no body is registered later.
        self.longest = max(WHEEL_SLOTS, int(min((horizon or 0.0) / period, p.NEVER))) + 2
        self.tells_void = True
        self.full = 0
        self.step = wheel_step
        self._block = new_block()
        self._quota = 0
        if horizon is not None:
            self.step = self._step_near
            # Those that this leaves too late are registered besides.
            rounds = min((horizon - 2.0 * period) / period, float(count)) - 1.0
            self._quota = -(-count // max(int(rounds), 1))
            self._grid[HORIZON] = horizon
        self._lay_tables()

    def _lay_tables(self) -> None:
        self.tables: tuple[Any, ...] = (
            self._bodies, self._pairs, self._slots, self._firsts, self._balls, self._off,
            self._block, self.alarms, self.faults, self._voids, self.state, self._period,
            self._urgency, self._budget,
        )  # fmt: skip

    def start(self, positions: Array, velocities: Array) -> tuple[int, Ints, Array]:
        if self._horizon is None:
            wheel_start(positions, velocities, *self.tables, 0.0)
        else:
            again = 0
            while near_start(
                positions, velocities, *self.tables, 0.0, self._cells, self._places, self._grid,
                again,
            ) != DONE and self._grow():  # fmt: skip
                again = 1
        found = int(self.state[p.FOUND])
        rows = listed(self.alarms[:found])
        self.full = max(self.full, found - len(rows))
        return found, rows, self.faults[: self.state[p.FAULTS]]

    def _step_near(self, positions: Array, velocities: Array, *tables: Any) -> int:
        """A step with a horizon: pairs that are due, and bodies to be registered anew."""
        wheel_step(positions, velocities, *tables)
        now = tables[-1]
        self.state[p.EXPIRED] = 0
        while near_step(
            positions, velocities, *self.tables, now, self._cells, self._places, self._grid,
            self._quota,
        ) != DONE and self._grow():  # fmt: skip
            pass
        told = int(self.state[p.FOUND] + p.FAULT * self.state[p.FAULTS])
        return told + p.NOT_KEPT if self.state[p.EXPIRED] or self.full else told

    def _grow(self) -> bool:
        """Room for twice as many pairs; what was written of this step stays. False where there is
        no memory for it, and all is as it was."""
        old = self._pairs
        rows = 2 * len(old)
        try:
            pairs = np.empty((rows, 4), dtype=np.int32)
            firsts = _lists(rows)
            alarms: Ints = np.empty((rows, 3), dtype=np.int64)
            voids: Ints = np.empty(rows, dtype=np.int64)
        except (MemoryError, ValueError):
            self.full = rows
            return False
        for new, before, written in (
            (pairs, old, len(old)),
            (alarms, self.alarms, self.state[p.FOUND]),
            (voids, self._voids, self.state[p.VOIDS]),
        ):
            new[:written] = before[:written]
        self._pairs, self._firsts, self.alarms, self._voids = pairs, firsts, alarms, voids
        spare(self._pairs, self.state, len(old))
        enlist_all(self._pairs, self._firsts)
        self._lay_tables()
        return True

    def switch(self, off: Ints, on: Ints) -> bool:
        self._off = off
        self._lay_tables()
        leave_overdue(self._pairs, self._firsts, self._balls, self._off, self.state)
        for pair in on.tolist():
            a, b = pair >> p.BODY_BITS, pair & p.BODY_MASK
            if self._horizon is None:
                # The pairs of a come after those of all before it, in the order of b.
                entry = a * (2 * len(self._bodies) - a - 1) // 2 + b - a - 1
                put_in(self._pairs, self._slots, self.state, entry)
            elif (
                not take_in(self._pairs, self._slots, self._firsts, self.state, a, b)
                and self._grow()
            ):
                take_in(self._pairs, self._slots, self._firsts, self.state, a, b)
        return False

    def wake(self) -> bool:
        return False

    @property
    def turn(self) -> int:
        return int(self.state[p.TICK])

    def void(self, doubt: int, since: int) -> tuple[Ints, int | None]:
        entries = np.zeros(0, dtype=np.int64)
        looks = int(self._horizon is None)
        for _ in range(2):
            found = wheel_void(
                self._pairs, self._bodies, self._off, entries, self.state, doubt, since, looks
            )
            if found <= len(entries):
                break
            entries = np.zeros(found, dtype=np.int64)
        noted = split(self._voids[: self.state[p.VOIDS]])
        pairs = np.concatenate([self._pairs[entries, :2].astype(np.int64), noted])
        # Pairs that are off may be switched on, and with a horizon others may be taken in, before
        # there is no doubt about them.
        clear = looks and not found and not self.state[p.WAIT]
        return np.unique(pairs, axis=0), 0 if clear else None

    def alarmed(self) -> Ints:
        found = [np.zeros((0, 2), dtype=np.int64)]
        for first in range(0, len(self._pairs), CHUNK):
            pairs = self._pairs[first : first + CHUNK, :2].astype(np.int64)
            pairs = pairs[pairs[:, 0] < 0]
            pairs[:, 0] = ~pairs[:, 0]
            found.append(pairs)
        return np.concatenate(found)

    @property
    def pairs(self) -> int:
        return int(self.state[p.LIVE])

    @property
    def nbytes(self) -> int:
        return self._pairs.nbytes + self._firsts.nbytes


def _lists(rows: int) -> NDArray[np.int32]:
    """Lists for a table of so many pairs, up to four to a list."""
    return np.zeros(1 << max(rows // 4 - 1, 0).bit_length() if rows else 0, dtype=np.int32)
