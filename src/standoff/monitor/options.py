"""What a monitor was asked to do, checked once."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from standoff.broadphase import IndexKind
from standoff.broadphase.kinds import KINDS
from standoff.cell.cell import Cell
from standoff.cell.unit_checks import warn_gaps
from standoff.errors import MonitorError, UnknownNameError
from standoff.monitor.buffers import Buffer, Thresholds
from standoff.monitor.separation import SeparationDistance
from standoff.monitor.stops import Stopping
from standoff.monitor.zones import KeepIn, KeepOut, Zone
from standoff.scalars import amount, flag
from standoff.tolerances import JUMP_ROUNDING

#: A reading is late when it comes after more than this many periods, [-].
LATE_PERIODS = 1.5


IndexName = Literal["octree", "grid", "naive", "region"]


@dataclass(frozen=True, eq=False)
class Options:
    """The arguments of `Monitor`; see there."""

    buffer: Buffer | Mapping[str, Buffer]
    max_speed: float | Mapping[str, float] | None
    thresholds: Thresholds
    zones: tuple[Zone, ...]
    grasped: Mapping[str, float]
    period: float
    late: float | None
    between: bool
    stopping: Stopping | None
    index: IndexKind

    @property
    def mentioned(self) -> frozenset[str]:
        """The names that options use; those that leave the cell may be used still."""
        names = [name for zone in self.zones for name in zone.only or ()]
        names += [name for pair in self.thresholds.pairs for name in pair]
        for given in (self.buffer, self.max_speed):
            names += given if isinstance(given, Mapping) else ()
        return frozenset(names)

    @property
    def latest(self) -> float:
        """The longest time between two readings, [s]; a later one is late. No longer than a
        separation allows for."""
        buffers = self.buffer.values() if isinstance(self.buffer, Mapping) else (self.buffer,)
        allowed = [b.period_time for b in buffers if isinstance(b, SeparationDistance)]
        usual = LATE_PERIODS * self.period if self.late is None else self.late
        return (1.0 + JUMP_ROUNDING) * min(usual, *allowed, math.inf)


def checked(
    cell: Cell,
    *,
    thresholds: Thresholds | None,
    zones: Sequence[Zone],
    grasped: Mapping[str, float] | None,
    period: float,
    late: float | None,
    between: bool,
    stopping: Stopping | None,
    index: IndexName | IndexKind,
    **others: Any,
) -> Options:
    """Options from arguments as people give them; names are held against the cell."""
    if not (thresholds is None or isinstance(thresholds, Thresholds)):
        raise MonitorError("thresholds", value=thresholds, allowed="Thresholds(...)")
    if not (stopping is None or isinstance(stopping, Stopping)):
        raise MonitorError("stopping", value=stopping, allowed="Stopping(...)")
    if stopping is not None:
        stopping.check_names(cell)
    given = Thresholds() if thresholds is None else thresholds
    gaps = {f"threshold {name}": value for name, value in vars(given).items() if name != "pairs"}
    warn_gaps(cell, {"buffer": others["buffer"], **gaps, "threshold": given.pairs})
    return Options(
        thresholds=given,
        zones=_zones(zones),
        grasped=_grasped(cell, grasped),
        period=amount("period", period, MonitorError, "s", zero=False),
        late=None if late is None else amount("late", late, MonitorError, "s", zero=False),
        between=flag("between", between, MonitorError),
        stopping=stopping,
        index=_index(index),
        **{name: _copied(value) for name, value in others.items()},
    )


def _copied(given: Any) -> Any:
    """A mapping of ours, which nobody changes behind our back."""
    return dict(given) if isinstance(given, Mapping) else given


def _zones(zones: Any) -> tuple[Zone, ...]:
    if not isinstance(zones, Sequence) or not all(isinstance(z, (KeepIn, KeepOut)) for z in zones):
        raise MonitorError("zones", value=zones, allowed="a list of KeepIn(...) and KeepOut(...)")
    return tuple(zones)


def _grasped(cell: Cell, grasped: Any) -> dict[str, float]:
    if grasped is None:
        return {}
    if not isinstance(grasped, Mapping):
        raise MonitorError("grasped", value=grasped, allowed='{"part": 0.02}')
    for name in grasped:
        if name not in cell.bodies:
            raise UnknownNameError(str(name), cell.bodies, what="body", element="grasped")
    return {
        name: amount(f"grasped {name!r}", value, MonitorError, "m")
        for name, value in grasped.items()
    }


def _index(given: Any) -> IndexKind:
    if isinstance(given, IndexKind):
        return given
    if not isinstance(given, str) or given not in KINDS:
        allowed = f"so.Octree(...) or its like, {', '.join(KINDS)}"
        raise MonitorError("unknown choice", element="index", value=given, allowed=allowed)
    return KINDS[given]()
