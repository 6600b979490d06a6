"""What every way to choose the pairs of a step has in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from standoff.compiled.by_address import address_of
from standoff.errors import PredictError
from standoff.geometry.pose import Array
from standoff.predict.kernels import predict_tables as p
from standoff.predict.kernels.time_to_contact import BLOCK_ROWS

Ints = NDArray[np.int64]
NO_PAIRS: Ints = np.zeros((0, 2), dtype=np.int64)

#: Records of a table: alarms, faults, bodies; columns by name.
Rows = Any

#: Alarms as they are copied in a step, before anybody asks what is in them: numpy takes six times
#: as long for records.
_COPIED = np.dtype((np.void, p.ALARM.itemsize))


class Schedule(ABC):
    """Which pairs are looked at in which step.

    Attributes:
        tables, address: what the compiled steps work on, see `predict.kernels.predict_tables`.
        state: of the tables; read by field, ``state["found"].item()``.
        tests: pairs that the last step looked at, one number.
        longest: turns within which every pair is surely looked at.
        finds_void: whether a late step finds out which pairs it left without a promise, and looks
            at them.
        full: pairs, or alarms, that there was no memory for since this was last set to 0.
    """

    longest: int
    finds_void: bool

    def __init__(self, tables: p.Watched) -> None:
        self.tables, self.address = tables, tables.address
        self.full = 0
        # A field of a plain array is read in half the time of one of a record.
        self.state: Rows = tables.arrays["state"].view(np.ndarray)
        self.tests: Ints = self.state["tests"]
        self._found: Ints = self.state["found"]
        self._alarms: Rows = tables.arrays["alarms"].view(np.ndarray).view(_COPIED)

    def put(self, **tables: Any) -> None:
        """Replace tables."""
        for name, value in tables.items():
            self.tables.put(name, value)
        self._alarms = self.tables.arrays["alarms"].view(np.ndarray).view(_COPIED)

    @abstractmethod
    def start(self, positions: Array, velocities: Array) -> tuple[int, Rows, Rows]:
        """The first step: how many alarms there are, those that are listed, all faults."""

    @abstractmethod
    def step(self, positions: Array, velocities: Array, now: float) -> int:
        """A step at a time since the first, [s]: QUIET, ALARMS or MORE."""

    @abstractmethod
    def switch(self, off: Ints, on: Ints) -> bool:
        """Watch all pairs but ``off``; those ``on`` are watched from now on. Both are (k, 2) and
        sorted. Whether some of them must wait for a later step than the next."""

    def wake(self) -> bool:
        """After a step: give pairs that still wait a turn in the next. Whether some must wait
        longer."""
        return False

    @property
    @abstractmethod
    def turn(self) -> int:
        """Steps, or periods of time, so far."""

    @abstractmethod
    def void(self, doubt: int, since: int) -> tuple[Ints, int | None]:
        """The pairs without a promise, (k, 2), and the turns until each was looked at again; None:
        that is not known, and what was is to stand. Looks before step ``doubt`` count for nothing;
        faults up to step ``since`` are settled."""

    @property
    def found(self) -> int:
        """How many alarms the last step has."""
        return int(self._found.item())

    @property
    def alarms(self) -> Rows:
        """Of the last step, as many as there was room for, to be `listed`."""
        return self._alarms[: self._found.item()]

    @property
    def faults(self) -> Rows:
        """Of the last step."""
        return self.tables.arrays["faults"].view(np.ndarray)[: self.state["faults"].item()]

    def _found_by(self, find: Callable[..., int], *arguments: int) -> Ints:
        """The pairs that a kernel finds, (k, 2)."""
        pairs = NO_PAIRS
        while (found := find(self.address, pairs, *arguments)) > len(pairs):
            pairs = np.zeros((found, 2), dtype=np.int64)
        return pairs

    def alarmed(self) -> Ints:
        """The pairs that were alarmed when they were last looked at, (k, 2)."""
        pairs = self.tables.arrays["pairs"].view(np.ndarray)
        rows = pairs[pairs["a"] < 0]
        return np.column_stack((~rows["a"], rows["b"])).astype(np.int64)

    @property
    def pairs(self) -> int:
        """How many pairs there are at the moment."""
        return len(self.tables.arrays["pairs"])

    @property
    def nbytes(self) -> int:
        """Memory of the pairs."""
        return int(self.tables.arrays["pairs"].nbytes)


def body_table(radii: Array, acceleration: Array, speed: Array | None, margin: float) -> Rows:
    """Bodies that were not looked at yet."""
    bodies = np.zeros(len(radii), dtype=p.BODY)
    bodies["radius"] = radii + 0.5 * margin
    bodies["acceleration"] = acceleration
    bodies["speed"] = np.inf if speed is None else speed
    bodies["seen_in"] = bodies["fault_in"] = -1
    return bodies


def given_of(bodies: Rows, period: float, urgency: int, off: Ints) -> dict[str, Any]:
    """The tables that every schedule has, for `p.Watched`."""
    state = np.zeros(1, dtype=p.STATE)
    state["period"], state["urgency"] = period, urgency
    state["work_out"] = address_of("predict.kernels.time_to_contact.work_out")
    block = np.zeros((BLOCK_ROWS, p.WIDTH))
    return {"bodies": bodies, "off": off, "block": block, "state": state}


def listed(rows: Rows) -> Rows:
    """A copy of alarms, to be viewed as p.ALARM; none of them where there is no memory for all."""
    try:
        return rows.copy()
    except MemoryError:
        return rows[:0].copy()


def bodies_of(rows: Rows) -> Ints:
    """The two bodies of each row, (k, 2)."""
    return np.column_stack((rows["a"], rows["b"])).astype(np.int64)


def among(pairs: Ints, others: Ints) -> NDArray[np.bool_]:
    """Which pairs are among the others; all are (k, 2)."""
    return np.isin(_keys(pairs), _keys(others))


def _keys(pairs: Ints) -> Ints:
    """One number for each pair, in the order of pairs."""
    keys: Ints = pairs[:, 0] << 31 | pairs[:, 1]
    return keys


def checked_pairs(pairs: Any, count: int) -> Ints:
    """Pairs of bodies, (k, 2), the smaller body first, sorted, each once."""
    allowed = f"(k, 2) different whole numbers from 0 to {count - 1}"
    try:
        given = np.asarray(pairs)
    except Exception as error:  # rows of different lengths, or whatever somebody's array raises
        raise PredictError(
            "not pairs of bodies", element="pairs", value=pairs, allowed=allowed
        ) from error
    if given.size == 0:
        return NO_PAIRS
    given = np.atleast_2d(given)
    if given.ndim != 2 or given.shape[1] != 2 or given.dtype.kind not in "iu":
        raise PredictError("not pairs of bodies", element="pairs", value=pairs, allowed=allowed)
    given = np.sort(given.astype(np.int64), axis=1)
    if given.min() < 0 or given.max() >= count or (given[:, 0] == given[:, 1]).any():
        raise PredictError("no such pair", element="pairs", value=pairs, allowed=allowed)
    return given[np.unique(_keys(given), return_index=True)[1]]
