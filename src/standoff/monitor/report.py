"""What a cycle says: warnings, faults, clearance."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from standoff.kernels.layout import SLACK
from standoff.kernels.monitor import layout as m
from standoff.shapes.pose import Array
from standoff.shapes.shape import IntArray

FaultKind = Literal[
    "non-finite", "length", "limits", "jump", "late", "time", "missing", "unknown", "pose"
]


@dataclass(frozen=True, eq=False)
class Warning:
    """Two bodies that are too close to each other; world frame, metres, seconds.

    Attributes:
        a, b: their names, in the order of the cell's; of the many primitives of a body the nearest
            pair is reported.
        distance: the signed distance, negative where they overlap.
        point_a, point_b: the witness points, ``point_a - point_b == distance * normal``.
        normal: the unit vector from b to a.
        closing_speed: how fast the witness points near each other, from the last reading to this
            one, [m/s]; negative while they part, NaN where a body was not seen before.
        time_to_contact: ``distance / closing_speed``; 0 where they overlap, infinite while they
            part, NaN where the closing speed is.
        approaching: False where the pair surely parts, so that it may be let out of trouble. An
            unknown speed counts as approaching.
        threshold: the distance at which the pair is too close.
        when: the instant this was measured at, 0 at the last reading and 1 at this one.
    """

    a: str
    b: str
    distance: float
    point_a: Array
    point_b: Array
    normal: Array
    closing_speed: float
    time_to_contact: float
    approaching: bool
    threshold: float
    when: float = 1.0

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
            where there is none, [m].
        faults: what was wrong with the input.
    """

    __slots__ = ("_hits", "_names", "_pairs", "_warnings", "clearance", "faults", "number", "time")

    def __init__(
        self,
        number: int,
        time: float | None,
        clearance: float,
        faults: tuple[Fault, ...] = (),
        hits: Array | None = None,
        pairs: IntArray | None = None,
        names: Sequence[str] = (),
    ) -> None:
        self.number = number
        self.time = time
        self.clearance = clearance
        self.faults = faults
        self._hits, self._pairs, self._names = hits, pairs, names
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
        hits, pairs = self._hits, self._pairs
        assert hits is not None and pairs is not None
        nearest: dict[tuple[int, int], int] = {}
        for k in range(len(hits)):
            key = (int(pairs[k, 0]), int(pairs[k, 1]))
            if key[0] > key[1]:
                key = key[1], key[0]
            # Of a pair of bodies the two primitives that are nearest: too close for their own
            # threshold they all are.
            if key not in nearest or _order(hits, k) < _order(hits, nearest[key]):
                nearest[key] = k
        rows = sorted(nearest.values(), key=lambda k: (hits[k, 0], *pairs[k]))
        return tuple(_warning(hits[k], pairs[k], self._names) for k in rows)

    def __repr__(self) -> str:
        return (
            f"<Cycle {self.number}: clearance {self.clearance:.4f} m, "
            f"{len(self.warnings)} warnings, {len(self.faults)} faults>"
        )


def _order(hits: Array, k: int) -> tuple[float, ...]:
    """Nearest first; of two that are equally near always the same one, whoever found them."""
    return tuple(float(x) for x in (*hits[k, :SLACK], hits[k, m.WHEN]))


def _warning(row: Array, pair: IntArray, names: Sequence[str]) -> Warning:
    a, b = int(pair[0]), int(pair[1])
    point_a, point_b, normal = row[1:4].copy(), row[4:7].copy(), row[7:10].copy()
    if a > b:
        a, b = b, a
        point_a, point_b, normal = point_b, point_a, -normal
    distance, closing = float(row[0]), float(row[m.CLOSING])
    if distance <= 0.0:
        left = 0.0
    elif math.isnan(closing):
        left = math.nan
    else:
        left = distance / closing if closing > 0.0 else math.inf
    return Warning(
        a=names[a],
        b=names[b],
        distance=distance,
        point_a=point_a,
        point_b=point_b,
        normal=normal,
        closing_speed=closing,
        time_to_contact=left,
        approaching=not closing < 0.0,
        threshold=float(row[m.THRESHOLD]),
        when=float(row[m.WHEN]),
    )
