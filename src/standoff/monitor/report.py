"""What a cycle says: warnings, faults, clearance."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from standoff.kernels.monitor import layout as m
from standoff.shapes.pose import Array

FaultKind = Literal[
    "non-finite", "length", "limits", "jump", "late", "time", "missing", "unknown", "pose"
]


class Warning:
    """Two bodies that are too close to each other; world frame, metres, seconds.

    It reads from the row of numbers that the cycle left, so that a thousand of them cost little.

    Attributes:
        a, b: their names, in the order of the cell's; of the many primitives of a body the nearest
            pair is reported.
        distance: the signed distance, negative where they overlap.
    """

    __slots__ = ("_row", "a", "b", "distance")

    def __init__(self, a: str, b: str, distance: float, row: Array) -> None:
        self.a = a
        self.b = b
        self.distance = distance
        self._row = row

    @property
    def point_a(self) -> Array:
        """The witness point on a; ``point_a - point_b == distance * normal``."""
        return self._row[1:4]

    @property
    def point_b(self) -> Array:
        """The witness point on b."""
        return self._row[4:7]

    @property
    def normal(self) -> Array:
        """The unit vector from b to a."""
        return self._row[7:10]

    @property
    def closing_speed(self) -> float:
        """How fast the witness points near each other, from the last reading to this one, [m/s];
        negative while they part, NaN where a body was not seen before. Where the pair was nearest
        on the way (``when`` below 1): how fast its distance shrank up to then; and where it was
        so at the last reading (``when`` 0): how fast it has shrunk since, negative."""
        return float(self._row[m.CLOSING])

    @property
    def time_to_contact(self) -> float:
        """``distance / closing_speed``, [s]; 0 where they overlap, infinite while they do not come
        nearer, NaN where the closing speed is."""
        if self.distance <= 0.0:
            return 0.0
        speed = self.closing_speed
        if math.isnan(speed):
            return math.nan
        return self.distance / speed if speed > 0.0 else math.inf

    @property
    def approaching(self) -> bool:
        """False where the pair surely parts, so that it may be let out of trouble. An unknown speed
        counts as approaching."""
        return not self.closing_speed < 0.0

    @property
    def threshold(self) -> float:
        """The distance at which the pair is too close, [m]."""
        return float(self._row[m.THRESHOLD])

    @property
    def when(self) -> float:
        """The instant this was measured at, 0 at the last reading and 1 at this one."""
        return float(self._row[m.WHEN])

    def __repr__(self) -> str:
        return f"Warning({self.a!r}, {self.b!r}, distance={self.distance:.6g})"

    def __str__(self) -> str:
        way = "approaching" if self.approaching else "parting"
        return f"{self.a} – {self.b}: {self.distance:.4f} m (<= {self.threshold:.4f}), {way}"


@dataclass(frozen=True)
class Fault:
    """Something about the input that is wrong; the cycle it is in counts as unsafe.

    Attributes:
        kind: ``non-finite`` (a joint that is no number), ``length`` (too few or too many),
            ``limits`` (a joint beyond its limits), ``jump`` (a body that moved farther than it
            can), ``late`` (a reading that came too late), ``time`` (a clock that stands or runs
            back), ``missing`` (nothing was given for a joint or body), ``unknown`` (a name that is
            not in the cell), ``pose`` (a matrix that is no rigid motion).
        element: the joint, body or argument.
        value: what was given.
        allowed: what would have been right.
    """

    kind: FaultKind
    element: str
    value: Any
    allowed: str

    def __str__(self) -> str:
        return f"{self.kind}: {self.element} is {self.value}; allowed: {self.allowed}"


class Cycle:
    """The answer to one reading. Warnings are made when they are asked for.

    Attributes:
        number: which cycle, from 1 on.
        time: of the reading, as it was given.
        clearance: the smallest distance among near pairs, those whose extended boxes meet; infinite
            where there is none, [m]. Where the motion between readings is certified, the boxes are
            those of the whole motion, and the smallest distance measured on it counts.
        faults: what was wrong with the input.
    """

    __slots__ = ("_hits", "_names", "_warnings", "clearance", "faults", "number", "time")

    def __init__(
        self,
        number: int,
        time: float | None,
        clearance: float,
        faults: tuple[Fault, ...] = (),
        hits: Array | None = None,
        names: Sequence[str] = (),
    ) -> None:
        self.number = number
        self.time = time
        self.clearance = clearance
        self.faults = faults
        self._hits, self._names = hits, names
        self._warnings: tuple[Warning, ...] | None = () if hits is None else None

    @property
    def safe(self) -> bool:
        """No warning and no fault."""
        return self._hits is None and not self.faults

    @property
    def warnings(self) -> tuple[Warning, ...]:
        """The pairs that are too close, the nearest first."""
        if self._warnings is None:
            self._warnings = self._make()
        return self._warnings

    def _make(self) -> tuple[Warning, ...]:
        hits, names = self._hits, self._names
        assert hits is not None
        distances = hits[:, 0].tolist()
        first, second = (
            hits[:, m.BODY_A].astype(int).tolist(),
            hits[:, m.BODY_B].astype(int).tolist(),
        )
        order: list[int] | range = range(len(distances))
        if len(distances) > 1:
            # Nearest first; where two are equally near, always in the same order, whoever found
            # them. Of a pair of bodies the two primitives that are nearest stand for it.
            order = np.lexsort(
                (*hits[:, 9::-1].T, hits[:, m.BODY_B], hits[:, m.BODY_A], hits[:, 0])
            ).tolist()
            seen: dict[tuple[int, int], int] = {}
            for k in order:
                seen.setdefault((first[k], second[k]), k)
            order = list(seen.values())
        return tuple(
            Warning(names[first[k]], names[second[k]], distances[k], hits[k]) for k in order
        )

    def __repr__(self) -> str:
        return (
            f"<Cycle {self.number}: clearance {self.clearance:.4f} m, "
            f"{len(self.warnings)} warnings, {len(self.faults)} faults>"
        )
