"""What a monitor was asked to do, checked once."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from standoff.broadphase.grid import LARGEST_GRID
from standoff.broadphase.index import LARGEST_COUNT
from standoff.cell import Cell
from standoff.errors import MonitorError, UnknownNameError
from standoff.geometry.pose import Array
from standoff.geometry.shape import SMALLEST_SIZE
from standoff.monitor.amounts import amount, whole
from standoff.monitor.buffers import Buffer, Thresholds
from standoff.monitor.kernels import layout as m
from standoff.monitor.scene import Zone
from standoff.monitor.separation import Separation
from standoff.monitor.stops import Stopping
from standoff.monitor.zones import KeepIn, KeepOut
from standoff.tolerances import COORDINATE_LIMIT, JUMP_ROUNDING

#: A reading is late when it comes after more than this many periods, [-].
LATE_PERIODS = 1.5


IndexName = Literal["octree", "grid", "naive", "region"]
UpdateName = Literal["neighbours", "reinsert", "rebuild"]
_UPDATES = {"neighbours": m.NEIGHBOURS, "reinsert": m.REINSERT, "rebuild": m.REBUILD}
_INDEXES = ("octree", "grid", "naive", "region")


@dataclass(frozen=True, eq=False)
class Options:
    """The arguments of `Monitor`, where they mean the same; see there.

    Attributes:
        root: centre and edge of the root cube, or None.
        reserve: of every mover, [m]; None: a part of its size.
        update: number of the way to update, see `monitor.kernels.layout`.
    """

    buffer: Buffer | Mapping[str, Buffer]
    max_speed: float | Mapping[str, float] | None
    thresholds: Thresholds
    zones: tuple[Zone, ...]
    grasped: Mapping[str, float]
    period: float
    late: float | None
    between: bool
    stopping: Stopping | None
    index: str
    split: int
    grid: int
    root: tuple[Array, float] | None
    smallest: float | None
    reserve: float | None
    update: int
    wrap: int

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
        allowed = [b.period_time for b in buffers if isinstance(b, Separation)]
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
    index: str,
    root: tuple[ArrayLike, float] | None,
    smallest: float | None,
    reserve: float | None,
    update: str,
    split: int,
    grid: int,
    wrap: int,
    **others: Any,
) -> Options:
    """Options from arguments as people give them; names are held against the cell."""
    _one_of("index", index, _INDEXES)
    _one_of("update", update, tuple(_UPDATES))
    if not (thresholds is None or isinstance(thresholds, Thresholds)):
        raise MonitorError("thresholds", value=thresholds, allowed="Thresholds(...)")
    if not isinstance(between, (bool, np.bool_)):
        raise MonitorError("between", value=between, allowed="True or False")
    if not (stopping is None or isinstance(stopping, Stopping)):
        raise MonitorError("stopping", value=stopping, allowed="Stopping(...)")
    if stopping is not None:
        stopping.check_names(cell)
    as_published = reserve is not None and amount("reserve", reserve, "m") == 0.0
    if as_published or index == "naive" or update != "neighbours":
        reserve = 0.0
    return Options(
        thresholds=Thresholds() if thresholds is None else thresholds,
        zones=_zones(zones),
        grasped=_grasped(cell, grasped),
        period=amount("period", period, "s", zero=False),
        late=None if late is None else amount("late", late, "s", zero=False),
        between=bool(between),
        stopping=stopping,
        index=index,
        root=None if root is None else _cube(root),
        smallest=None if smallest is None else amount("smallest", smallest, "m"),
        reserve=None if reserve is None else float(reserve),
        update=_UPDATES[update],
        split=whole("split", split, 1, LARGEST_COUNT),
        grid=whole("grid", grid, 1, LARGEST_GRID),
        wrap=whole("wrap", wrap, 1, LARGEST_COUNT),
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
    return {name: amount(f"grasped {name!r}", value, "m") for name, value in grasped.items()}


def _cube(root: Any) -> tuple[Array, float]:
    """Centre and edge of a cube."""
    try:
        centre, edge = root
        middle = np.array(centre, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise MonitorError("root", value=root, allowed="((x, y, z), edge), [m]") from error
    if middle.shape != (3,) or not np.isfinite(middle).all():
        raise MonitorError("centre of the root cube", value=centre, allowed="x, y, z, [m]")
    length = amount("edge of the root cube", edge, "m", zero=False)
    if not SMALLEST_SIZE <= length <= COORDINATE_LIMIT:
        raise MonitorError(
            "edge of the root cube",
            value=edge,
            allowed=f"{SMALLEST_SIZE:g} to {COORDINATE_LIMIT:g} m",
        )
    return middle, length


def _one_of(element: str, value: Any, allowed: tuple[str, ...]) -> None:
    if not isinstance(value, str) or value not in allowed:
        raise MonitorError(
            "unknown choice", element=element, value=value, allowed=", ".join(allowed)
        )
