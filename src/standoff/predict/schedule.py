"""What every way to choose the pairs of a step has in common."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from standoff.errors import PredictError
from standoff.geometry.pose import Array
from standoff.predict.kernels import layout as p
from standoff.predict.kernels.earliest import ALL_ROWS

Ints = NDArray[np.int64]

#: Pairs that one step can have given it beyond those whose turn it is.
MOST_WOKEN = 64

#: Pairs that are looked through at a time where all are: some megabytes.
CHUNK = 1 << 20


class Schedule(Protocol):
    """Which pairs are looked at in which step.

    Attributes:
        step: the compiled step; called with positions, velocities, ``tables`` and the time, it says
            how many alarms there are, and FAULT times as many faults.
        tables: what it works on.
        alarms, faults: where it writes them; ``state`` has how many.
        longest: turns within which every pair is surely looked at.
        tells_void: whether a late step finds out which pairs it left without a promise, and looks
            at them.
        full: pairs, or alarms, that there was no memory for since this was last set to 0.
    """

    step: Callable[..., int]
    tables: tuple[Any, ...]
    alarms: Ints
    faults: Array
    state: Ints
    longest: int
    tells_void: bool
    full: int

    @property
    def turn(self) -> int:
        """Steps, or periods of time, so far."""

    def start(self, positions: Array, velocities: Array) -> tuple[int, Ints, Array]:
        """The first step: how many alarms there are, those that are listed, all faults."""

    def switch(self, off: Ints, on: Ints) -> bool:
        """Watch all pairs but ``off``; those ``on`` are watched from now on. Whether some of them
        must wait for a later step than the next."""

    def wake(self) -> bool:
        """After a step: give pairs that still wait a turn in the next. Whether some must wait
        longer."""

    def void(self, doubt: int, since: int) -> tuple[Ints, int | None]:
        """The pairs without a promise, and the turns until each was looked at again; None: that is
        not known, and what was is to stand. Looks before step ``doubt`` count for nothing; faults
        up to step ``since`` are settled."""

    def alarmed(self) -> Ints:
        """The pairs that were alarmed when they were last looked at."""

    @property
    def pairs(self) -> int:
        """How many pairs there are at the moment."""

    @property
    def nbytes(self) -> int:
        """Memory of the pairs."""


def body_table(radii: Array, acceleration: Array, speed: Array | None, margin: float) -> Array:
    """The rows of `predict.kernels.layout` for bodies that were not looked at yet."""
    bodies = np.zeros((len(radii), p.BODY_COLUMNS))
    bodies[:, p.RADIUS] = radii + 0.5 * margin
    bodies[:, p.ACCELERATION] = acceleration
    bodies[:, p.SPEED] = np.inf if speed is None else speed
    bodies[:, [p.SEEN_IN, p.FAULT_IN]] = -1.0
    return bodies


def listed(rows: Ints) -> Ints:
    """A copy of alarms; none of them where there is no memory for all."""
    try:
        return rows.copy()
    except MemoryError:
        return np.zeros((0, 3), dtype=np.int64)


def new_block() -> Array:
    """Room for pairs that are worked out together."""
    return np.zeros((ALL_ROWS, p.WIDTH))


def split(pairs: Ints) -> Ints:
    """Pairs as one number each, as two columns."""
    return np.column_stack((pairs >> p.BODY_BITS & p.BODY_MASK, pairs & p.BODY_MASK))


def joined(pairs: Any, count: int) -> Ints:
    """Pairs of bodies as one number each, sorted, each once."""
    allowed = f"(k, 2) different whole numbers from 0 to {count - 1}"
    try:
        given = np.asarray(pairs)
    except Exception as error:  # rows of different lengths, or whatever somebody's array raises
        raise PredictError(
            "not pairs of bodies", element="pairs", value=pairs, allowed=allowed
        ) from error
    if given.size == 0:
        return np.zeros(0, dtype=np.int64)
    given = np.atleast_2d(given)
    if given.ndim != 2 or given.shape[1] != 2 or given.dtype.kind not in "iu":
        raise PredictError("not pairs of bodies", element="pairs", value=pairs, allowed=allowed)
    given = np.sort(given.astype(np.int64), axis=1)
    if given.min() < 0 or given.max() >= count or (given[:, 0] == given[:, 1]).any():
        raise PredictError("no such pair", element="pairs", value=pairs, allowed=allowed)
    found: Ints = np.unique(given[:, 0] << p.BODY_BITS | given[:, 1])
    return found
