"""The answer of a cycle, `Cycle`: warnings, faults, clearance.

Which pairs warn is decided in `monitor.kernels.judge`; here the hits become `PairWarning` objects.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from struct import Struct
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from standoff.geometry.narrowphase.layout import DISTANCE, NORMAL, POINT_A, POINT_B, SLACK
from standoff.geometry.pose import Array
from standoff.monitor.kernels import tables as m
from standoff.paths.verdict import Kind

if TYPE_CHECKING:
    from standoff.paths.stop_check import Trouble


#: One hit, as a cycle leaves it: the numbers of the two bodies come last.
Row = tuple[Any, ...]
_ROW = Struct(f"={m.PARTS}dqqq")
ROW_BYTES = _ROW.size

#: The names of all bodies, and whether each has a single primitive.
Naming = tuple[Sequence[str], bool]

#: Up to so many hits come sorted.
_FEW = m.FEW_HITS

FaultKind = Literal[
    "non-finite", "length", "limits", "jump", "late", "time", "missing", "unknown", "pose", "cell",
    "velocity",
]  # fmt: skip


class PairWarning:
    """Two bodies that are too close to each other; world frame, metres, seconds.

    It reads from the row of numbers that the cycle left, so that a thousand of them cost little.

    Attributes:
        a, b: their names, in the order of the cell's; of the many primitives of a body the nearest
            pair is reported.
        distance: the signed distance, negative where they overlap.
    """

    __slots__ = ("_row", "a", "b", "distance")

    def __init__(self, a: str, b: str, row: Row) -> None:
        self.a = a
        self.b = b
        self.distance = row[DISTANCE]
        self._row = row

    @property
    def point_a(self) -> Array:
        """The witness point on a; ``point_a - point_b == distance * normal``."""
        return np.array(self._row[POINT_A:POINT_B])

    @property
    def point_b(self) -> Array:
        """The witness point on b."""
        return np.array(self._row[POINT_B:NORMAL])

    @property
    def normal(self) -> Array:
        """The unit vector from b to a."""
        return np.array(self._row[NORMAL:SLACK])

    @property
    def places(self) -> tuple[float, ...]:
        """`point_a`, `point_b` and `normal` as nine plain numbers."""
        places: tuple[float, ...] = self._row[POINT_A:SLACK]
        return places

    @property
    def closing_speed(self) -> float:
        """How fast the witness points near each other, from the last reading to this one, [m/s];
        negative while they part, NaN where a body was not seen before. Where the pair was nearest
        between them (``when`` below 1): how fast its distance shrank up to then; and where it was
        so at the last reading (``when`` 0): how fast it has shrunk since, negative."""
        speed: float = self._row[m.CLOSING]
        return speed

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
        """False only where the pair surely separates: if both bodies move once more as they did
        since the last reading (straight on and turning evenly, or along a screw), they are not
        nearer at the next one. A link that joints carry along an arc without turning it leaves that
        motion: see docs/monitor.md. A controller may permit the motion where this is False. An
        unknown speed counts as approaching, and so does a mesh."""
        return bool(self._row[m.PARTS] != m.BODIES_PART)

    @property
    def threshold(self) -> float:
        """The distance at which the pair is too close, [m]."""
        threshold: float = self._row[m.THRESHOLD]
        return threshold

    @property
    def when(self) -> float:
        """The instant this was measured at, 0 at the last reading and 1 at this one."""
        when: float = self._row[m.WHEN]
        return when

    def __repr__(self) -> str:
        return f"PairWarning({self.a!r}, {self.b!r}, distance={self.distance:.6g})"

    def __str__(self) -> str:
        motion = "approaching" if self.approaching else "parting"
        motion = f"in contact, {motion}" if self.distance <= 0.0 else motion
        return f"{self.a} – {self.b}: {self.distance:.4f} m (<= {self.threshold:.4f}), {motion}"


@dataclass(frozen=True)
class Fault:
    """Something about the input that is wrong; the cycle it is in counts as unsafe.

    Attributes:
        kind: ``non-finite`` (a joint that is no number), ``length`` (too few or too many),
            ``limits`` (a joint beyond its limits, or unable to stop before them), ``velocity`` (a
            joint's velocity that contradicts its positions), ``jump`` (a body
            that moved farther than it can), ``late`` (a reading that came too late), ``time`` (a
            clock that stands or runs back), ``missing`` (nothing was given for a joint or body, or
            no velocity is known to stop from), ``unknown`` (a name that is not in the cell),
            ``pose`` (a matrix that is no rigid motion), ``cell`` (a change of the cell that cannot
            be watched; what was there before still is).
        element: the joint, body or argument.
        value: what was given.
        allowed: what would have been right.
        hint: the unit that the value looks like to be in, in words; empty where there is none.
    """

    kind: FaultKind
    element: str
    value: Any
    allowed: str
    hint: str = ""

    def __str__(self) -> str:
        hint = f" ({self.hint})" if self.hint else ""
        return f"{self.kind}: {self.element} is {self.value}; allowed: {self.allowed}{hint}"


class Cycle:
    """The answer to one reading. True where it is `safe`. Warnings are made when they are asked
    for.

    Attributes:
        number: which cycle, from 1 on.
        time: of the reading, as it was given.
        clearance: the smallest distance among near pairs, those whose extended boxes meet; infinite
            where there is none, [m]. Where the motion between readings is certified, the boxes are
            those of the whole motion, and the smallest distance measured on it counts.
        faults: what was wrong with the input.
        stopping: why stopping now is not proved free, as the last of the warnings has it; None
            where it is, where nobody asked, and where velocities are unknown, which is a fault.
    """

    __slots__ = (
        "_hits", "_naming", "_warnings", "clearance", "faults", "number", "stopping", "time",
    )  # fmt: skip

    def __init__(
        self,
        number: int,
        time: float | None,
        clearance: float,
        faults: tuple[Fault, ...],
        hits: bytes | None,
        naming: Naming,
        stopping: StopWarning | None = None,
    ) -> None:
        self.number = number
        self.time = time
        self.clearance = clearance
        self.faults = faults
        self._hits = hits
        self._naming = naming
        self.stopping = stopping
        none = hits is None and stopping is None
        self._warnings: tuple[PairWarning, ...] | None = () if none else None

    def with_stop(self, faults: tuple[Fault, ...], stopping: StopWarning | None) -> Cycle:
        """The same with what there is to say of the stop after it."""
        return Cycle(
            self.number, self.time, self.clearance, (*self.faults, *faults), self._hits,
            self._naming, stopping,
        )  # fmt: skip

    @property
    def safe(self) -> bool:
        """No warning and no fault."""
        return self._hits is None and not self.faults and self.stopping is None

    def __bool__(self) -> bool:
        return self.safe

    @property
    def bits(self) -> bytes:
        """What the warnings are read from, to tell two answers apart: equal where they are."""
        return self._hits or b""

    @property
    def warnings(self) -> tuple[PairWarning, ...]:
        """The pairs that are too close, the nearest first; then `stopping`, if there is one."""
        if self._warnings is None:
            names, stop = self._naming[0], self.stopping
            now = (
                PairWarning(names[row[m.BODY_A]], names[row[m.BODY_B]], row) for row in self._rows()
            )
            self._warnings = (*now, stop) if stop is not None else (*now,)
        return self._warnings

    @property
    def pairs(self) -> list[tuple[str, str, float]]:
        """Both names and the distance of each warning, in the same order: for those who have many
        and need no more of them."""
        hits, stop = self._hits, self.stopping
        names, single = self._naming
        if single and hits is not None and len(hits) > _FEW * _ROW.size:
            table = _table(hits)
            a, b = table.view(np.int64)[:, m.BODY_A : m.BODY_B + 1].T.tolist()
            name = names.__getitem__
            now = list(zip(map(name, a), map(name, b), table[:, DISTANCE].tolist()))
        else:
            now = [(names[r[m.BODY_A]], names[r[m.BODY_B]], r[DISTANCE]) for r in self._rows()]
        return now if stop is None else [*now, (stop.a, stop.b, stop.distance)]

    def _rows(self) -> list[Row]:
        """The hits, nearest first. Of a pair of bodies the two primitives that are nearest stand
        for it."""
        hits = self._hits or b""
        if len(hits) > _FEW * _ROW.size:
            hits = _table(hits).tobytes()
        rows: list[Row] = list(_ROW.iter_unpack(hits))
        if self._naming[1] or len(rows) == 1:
            return rows
        first: dict[tuple[int, int], Row] = {}
        for row in rows:
            key = (row[m.BODY_A], row[m.BODY_B])
            nearest = first.setdefault(key, row)
            if row[m.PARTS] == m.APPROACHES and nearest[m.PARTS] != m.APPROACHES:
                first[key] = (*nearest[: m.PARTS], m.APPROACHES, *nearest[m.PARTS + 1 :])
        return list(first.values())

    def __repr__(self) -> str:
        return (
            f"<Cycle {self.number}: clearance {self.clearance:.4f} m, "
            f"{len(self.warnings)} warnings, {len(self.faults)} faults>"
        )


class QuietCycle(Cycle):
    """A cycle in which nothing was wrong: three values, and nothing else is made."""

    __slots__ = ()
    faults = ()
    _hits = stopping = None
    _naming = ((), True)
    _warnings = ()

    def __init__(self, number: int, time: float | None, clearance: float) -> None:
        self.number = number
        self.time = time
        self.clearance = clearance

    def __reduce__(self) -> Any:
        return QuietCycle, (self.number, self.time, self.clearance)


def _table(hits: bytes) -> Array:
    """Many hits in the order in which the cycle leaves few: nearest first, those equally near by
    their bodies, then by where they are."""
    table: Array = np.frombuffer(hits).reshape(-1, m.HIT_COLUMNS)
    distances = table[:, DISTANCE]
    order = distances.argsort()
    ranked = distances[order]
    if (ranked[1:] == ranked[:-1]).any():
        a, b = table.view(np.int64)[:, m.BODY_A : m.BODY_B + 1].T
        order = np.lexsort((*table[:, POINT_A:SLACK].T[::-1], b, a, distances))
    return table[order]


class StopWarning(PairWarning):
    """Two bodies that are not proved to keep apart if the robots stop now: where they are at an
    instant of the stop. World frame, metres, seconds.

    Attributes:
        a, b, distance: as of every warning, at that instant; the distance is NaN where the budget
            ran out before one was measured.
        kind: ``collision``: they overlap then. ``too_close``: they are nearer than clearance +
            tolerance. ``undecided``: what is not known exactly of the stop could bring them
            together, or the budget ran out.
        time: of that instant, from the reading on, [s].
        q: the joints then.
    """

    __slots__ = ("kind", "q", "time")

    def __init__(self, trouble: Trouble, dt: float) -> None:
        t = trouble
        super().__init__(
            t.a,
            t.b,
            (
                t.distance, *t.point_a.tolist(), *t.point_b.tolist(), *t.normal.tolist(), 0.0,
                t.clearance, math.nan, 1.0 + t.time / dt, m.APPROACHES, 0, 0,
            ),
        )  # fmt: skip
        self.kind: Kind = t.kind
        self.time = t.time
        self.q: Array = t.q

    @property
    def time_to_contact(self) -> float:
        """Until that instant, [s]."""
        return self.time

    def __repr__(self) -> str:
        return (
            f"StopWarning({self.a!r}, {self.b!r}, {self.kind!r}, distance={self.distance:.6g}, "
            f"time={self.time:.6g})"
        )

    def __str__(self) -> str:
        return (
            f"{self.a} – {self.b}: {self.distance:.4f} m {self.time:.3f} s into the stop "
            f"({self.kind.replace('_', ' ')})"
        )
