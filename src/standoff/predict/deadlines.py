"""The schedule beyond paper 004: each pair again just before it could touch, most urgent first."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from standoff.constants import WHEEL_SLOTS
from standoff.errors import PredictError
from standoff.kernels.predict import layout as p
from standoff.kernels.predict.cells import (
    DONE,
    GRID,
    HORIZON,
    near_start,
    near_step,
    spare,
    take_in,
)
from standoff.kernels.predict.wheel import (
    leave_overdue,
    put_in,
    wheel_start,
    wheel_step,
    wheel_void,
)
from standoff.predict.schedule import CHUNK, Ints, new_block, split
from standoff.shapes.pose import Array

#: Pairs for each body that a table has room for at first, with a horizon.
_FIRST_ROOM = 8


class Deadlines:
    """Pairs of ``bodies`` in a wheel of deadlines; see `kernels.predict.wheel` for what it
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
        except (MemoryError, ValueError) as error:
            raise PredictError(
                "too many pairs", value=rows, allowed="fewer bodies, or a horizon"
            ) from error
        self._slots = np.zeros(WHEEL_SLOTS, dtype=np.int32)
        near = 0 if horizon is None else count
        self._firsts = np.zeros(near, dtype=np.int32)
        self._balls = np.zeros((near, p.BALL_COLUMNS))
        self._cells = np.zeros(1 << max(2 * near - 1, 1).bit_length(), dtype=np.int32)
        self._places = np.zeros((near, 3), dtype=np.int32)
        self._grid = np.zeros(GRID)
        self.faults = np.zeros((count, p.FAULT_COLUMNS))
        self.state: Ints = np.zeros(p.STATE, dtype=np.int64)
        # No slot is farther ahead, and with a horizon no body is registered later.
        self.longest = max(WHEEL_SLOTS, int(min((horizon or 0.0) / period, p.NEVER))) + 2
        self.tells_void = True
        self.step = wheel_step
        self._block = new_block()
        self._quota = 0
        if horizon is not None:
            self.step = self._step_near
            # Those that this leaves too late are registered besides.
            rounds = min((horizon - 2.0 * period) / period, float(count)) - 1.0
            self._quota = -(-count // max(int(rounds), 1))
            self._grid[HORIZON] = horizon
        self._lay_out()

    def _lay_out(self) -> None:
        # Room for all pairs: what is never written to takes no memory.
        self.alarms: Ints = np.empty((len(self._pairs), 3), dtype=np.int64)
        self._voids: Ints = np.empty(len(self._pairs), dtype=np.int64)
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
            ) != DONE:  # fmt: skip
                self._grow()
                again = 1
        found = int(self.state[p.FOUND])
        return found, self.alarms[:found].copy(), self.faults[: self.state[p.FAULTS]]

    def _step_near(self, positions: Array, velocities: Array, *tables: Any) -> int:
        """A step with a horizon: pairs that are due, and bodies to be registered anew."""
        wheel_step(positions, velocities, *tables)
        now = tables[-1]
        self.state[p.EXPIRED] = 0
        while near_step(
            positions, velocities, *self.tables, now, self._cells, self._places, self._grid,
            self._quota,
        ) != DONE:  # fmt: skip
            self._grow()
        told = int(self.state[p.FOUND] + p.FAULT * self.state[p.FAULTS])
        return told + p.NOT_KEPT if self.state[p.EXPIRED] else told

    def _grow(self) -> None:
        """Room for twice as many pairs; what was written of this step stays."""
        old = self._pairs
        self._pairs = np.empty((2 * len(old), 4), dtype=np.int32)
        self._pairs[: len(old)] = old
        spare(self._pairs, self.state, len(old))
        alarms, voids = self.alarms, self._voids
        self._lay_out()
        self.alarms[: len(alarms)] = alarms
        self._voids[: len(voids)] = voids

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
            elif not take_in(self._pairs, self._slots, self._firsts, self.state, a, b):
                self._grow()
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
        return self._pairs.nbytes


def check_horizon(horizon: float | None, period: float) -> None:
    """Two periods of each ball are for the looks, and one must be left between two registrations
    of it."""
    if horizon is not None and not horizon >= 4.0 * period:
        raise PredictError(
            "too short", element="horizon", value=horizon,
            allowed=f"at least {4.0 * period:g} s, four periods",
        )  # fmt: skip
