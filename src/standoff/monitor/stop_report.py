"""What a cycle says of stopping."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from standoff.kernels.monitor import layout as m
from standoff.monitor.report import Cycle, Fault, Warning
from standoff.paths.verdict import Kind
from standoff.shapes.pose import Array

if TYPE_CHECKING:
    from standoff.paths.stop_check import Trouble


class StopWarning(Warning):
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
                t.clearance, math.nan, 1.0 + t.time / dt, float(m.APPROACHES), 0.0, 0.0,
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


class StopCycle(Cycle):
    """A cycle after which stopping is not proved free."""

    __slots__ = ("stopping",)

    def __init__(
        self, cycle: Cycle, faults: tuple[Fault, ...], stopping: StopWarning | None
    ) -> None:
        hits = cycle._hits
        naming = ((), True) if hits is None else cycle._naming
        every = (*cycle.faults, *faults)
        super().__init__(cycle.number, cycle.time, cycle.clearance, every, hits, naming)
        self.stopping = stopping

    @property
    def safe(self) -> bool:
        """No warning and no fault."""
        return self.stopping is None and super().safe

    @property
    def warnings(self) -> tuple[Warning, ...]:
        """The pairs that are too close, the nearest first; then the one that the stop is not free
        for."""
        now = super().warnings
        return now if self.stopping is None else (*now, self.stopping)

    @property
    def pairs(self) -> list[tuple[str, str, float]]:
        """Both names and the distance of each warning, in the same order."""
        stop, now = self.stopping, super().pairs
        return now if stop is None else [*now, (stop.a, stop.b, stop.distance)]
