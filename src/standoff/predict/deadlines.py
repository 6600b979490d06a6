"""The schedule beyond paper 004: each pair again just before it could touch, most urgent first."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from standoff.errors import PredictError
from standoff.geometry.pose import Array
from standoff.predict.kernels import predict_tables as p
from standoff.predict.kernels.horizon import FULL, near_start, near_step, take_in
from standoff.predict.kernels.wheel import (
    leave_overdue,
    put_in,
    spare,
    wheel_start,
    wheel_step,
    wheel_void,
)
from standoff.predict.schedule import Ints, Rows, Schedule, bodies_of, given_of, listed
from standoff.scalars import amount, whole

#: Slots of the wheel of deadlines, [periods]. Pairs that cannot touch for longer are looked at
#: again after so many; a power of two.
WHEEL_SLOTS = 4096

#: Pairs for each body that a table has room for at first, with a horizon.
_FIRST_ROOM = 8


@dataclass(frozen=True)
class Deadlines:
    """The schedule that looks at each pair again just before it could touch. It alarms only what
    can touch within two periods.

    Args:
        tests: look at up to so many pairs in each step, those that are due and then those that will
            be soon; what is due and would be too much is alarmed without a test. Pairs that a
            horizon takes in are looked at besides. None: as many as are due.
        horizon: leave out pairs that cannot meet for so long, [s], and take them in again in time;
            for more bodies than there is memory for pairs. None: all pairs.

    Raises:
        PredictError: a value that makes no sense.
    """

    tests: int | None = None
    horizon: float | None = None

    def __post_init__(self) -> None:
        if self.tests is not None:
            object.__setattr__(self, "tests", whole("tests", self.tests, PredictError, 1))
        if self.horizon is not None:
            horizon = amount("horizon", self.horizon, PredictError, "s", zero=False)
            object.__setattr__(self, "horizon", horizon)

    def check(self, period: float) -> None:
        """Raise a `PredictError` unless it can be kept with this period: two periods of each ball
        are for the looks, and one must be left between two registrations of it."""
        if self.horizon is not None and not self.horizon >= 4.0 * period:
            raise PredictError(
                "too short", element="horizon", value=self.horizon,
                allowed=f"at least {4.0 * period:g} s, four periods",
            )  # fmt: skip

    def schedule(self, bodies: Rows, period: float, urgency: int, off: Ints) -> DeadlineSchedule:
        """Pairs of ``bodies``, before the first step."""
        return DeadlineSchedule(self, bodies, period, urgency, off)


class DeadlineSchedule(Schedule):
    """Pairs of ``bodies`` in a wheel of deadlines; see `predict.kernels.wheel` for what it
    promises."""

    tables: p.Wheel
    finds_void = True

    def __init__(
        self, how: Deadlines, bodies: Rows, period: float, urgency: int, off: Ints
    ) -> None:
        count, self._horizon = len(bodies), how.horizon
        rows = count * (count - 1) // 2 if how.horizon is None else _FIRST_ROOM * count
        near = 0 if how.horizon is None else count
        try:
            tables = p.Wheel(
                **given_of(bodies, period, urgency, off), queue=p.WIDTH, faults=count,
                slots=WHEEL_SLOTS, balls=near, places=near, counts=p.LEVELS,
                cells=1 << max(2 * near - 1, 1).bit_length(), **_room(rows, bool(near)),
            )  # fmt: skip
        except (MemoryError, ValueError) as error:
            raise PredictError(
                "too many pairs", value=rows, allowed="fewer bodies, or a horizon"
            ) from error
        super().__init__(tables)
        for name in ("slots", "cells"):
            tables.arrays[name]["first"] = p.END
        tables.places["cell"] = p.END
        wheel = tables.wheel
        wheel.overdue = wheel.overdue_last = p.END
        wheel.budget = p.NEVER if how.tests is None else min(how.tests, p.NEVER)
        # No slot is farther ahead, and with a horizon no body is registered later.
        self.longest = max(WHEEL_SLOTS, int(min((how.horizon or 0.0) / period, p.NEVER))) + 2
        self._quota = 0
        if how.horizon is not None:
            # Those that this leaves too late are registered besides.
            rounds = min((how.horizon - 2.0 * period) / period, float(count)) - 1.0
            self._quota = -(-count // max(int(rounds), 1))
            wheel.horizon = how.horizon

    def start(self, positions: Array, velocities: Array) -> tuple[int, Rows, Rows]:
        if self._horizon is None:
            wheel_start(positions, velocities, self.address)
        else:
            again = 0
            while near_start(positions, velocities, self.address, again) == FULL and self._grow():
                again = 1
        found, rows = self.found, listed(self.alarms)
        self.full = max(self.full, found - len(rows))
        return found, rows, self.faults

    def step(self, positions: Array, velocities: Array, now: float) -> int:
        said: int = wheel_step(positions, velocities, self.address, now)
        if self._horizon is not None:  # bodies are registered anew besides
            said = near_step(positions, velocities, self.address, self._quota)
            while said == FULL and self._grow():
                said = near_step(positions, velocities, self.address, self._quota)
        return p.MORE if self.full else said

    def _grow(self) -> bool:
        """Room for twice as many pairs; what was written of this step stays. False where there is
        no memory for it, and all is as it was."""
        tables, used = self.tables, len(self.tables.pairs)
        try:
            room = _room(2 * used, lists=True)
        except (MemoryError, ValueError):
            self.full = 2 * used
            return False
        voids = self.state["voids"].item()
        for name, written in (("pairs", used), ("alarms", self.found), ("voids", voids)):
            room[name][:written] = tables.arrays[name][:written]
        self.put(**room)
        spare(self.address, used)
        return True

    def switch(self, off: Ints, on: Ints) -> bool:
        self.tables.put("off", off)
        leave_overdue(self.address)
        count = len(self.tables.bodies)
        for a, b in on.tolist():
            if self._horizon is None:
                # The pairs of a come after those of all before it, in the order of b.
                put_in(self.address, a * (2 * count - a - 1) // 2 + b - a - 1)
            elif not take_in(self.address, a, b) and self._grow():
                take_in(self.address, a, b)
        return False

    @property
    def turn(self) -> int:
        return int(self.tables.wheel.tick)

    def void(self, doubt: int, since: int) -> tuple[Ints, int | None]:
        found = self._found_by(wheel_void, doubt, since)
        voids = self.tables.voids.view(np.ndarray)[: self.state["voids"].item()]
        pairs = np.concatenate([found, bodies_of(voids)])
        # Pairs that are off may be switched on, and with a horizon others may be taken in, before
        # there is no doubt about them.
        clear = self._horizon is None and not len(found) and not self.state["wait"].item()
        return np.unique(pairs, axis=0), 0 if clear else None

    @property
    def pairs(self) -> int:
        return int(self.tables.wheel.live)

    @property
    def nbytes(self) -> int:
        return super().nbytes + int(self.tables.lists.nbytes)


def _room(rows: int, lists: bool) -> dict[str, Rows]:
    """Room for so many pairs, for alarms of all of them, and for all of them without a promise.
    What is never written to takes no memory."""
    return {
        "pairs": np.zeros(rows, dtype=p.DUE),
        "alarms": np.zeros(rows, dtype=p.ALARM),
        "voids": np.zeros(rows, dtype=p.VOID),
        "lists": _lists(rows if lists else 0),
    }


def _lists(rows: int) -> Rows:
    """Lists for a table of so many pairs, up to four to a list."""
    return np.zeros(1 << max(rows // 4 - 1, 0).bit_length() if rows else 0, dtype=p.LIST)
