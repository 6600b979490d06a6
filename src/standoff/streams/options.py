"""What a watch was asked to do; a record has it, and a replay does the same again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from standoff.cell.cell import Cell
from standoff.defaults import (
    USUAL_BUFFER,
    USUAL_HYSTERESIS,
    USUAL_RECOVER,
    USUAL_SLIP,
    USUAL_STOP_DISTANCE,
)
from standoff.errors import MonitorError, StreamError
from standoff.monitor.buffers import Thresholds
from standoff.monitor.monitor import Monitor
from standoff.scalars import amount, instance, whole
from standoff.streams.limits import MAX_AGE_PERIODS
from standoff.streams.scale import Ramp, SpeedScale

#: How long a watch goes without a word from a joint before it is STALE, where nobody says, [s], and
#: how many periods that is at least, [-]: one reading lost is no silence.
USUAL_MAX_AGE = 0.1

_MOST = 10**6


@dataclass(frozen=True, kw_only=True)
class WatchOptions:
    """Attributes:
    buffer: of whatever moves, [m].
    self_collision: the distance at which two links of one robot are too close, [m]; None: their
        buffers.
    period: of the slowest source, [s].
    max_age: how long a joint may be silent, [s]; None: 0.1 s, or three periods if that is more.
    periods: of single joints and bodies by name, [s], where they are known: how long each may be
        silent follows from its own, and ``period`` does not count for it.
    recover: good readings in a row that end a fault.
    max_speed: the fastest any point moves, [m/s]; what is faster has jumped. None: as fast as the
        speeds of the joints allow.
    between: certify the motion from reading to reading, too; None: of files, not of live sources.
    rest: joints that no source publishes stay where the cell has them.
    slip: how far the poses of a held body may be from where its link has it, [m].
    stop, slow: the speed scale is 0 up to the one distance and 1 from the other on, [m]; a pair's
        threshold where ``slow`` is None. retreat_stop, retreat_slow: for pairs that part; the same
        where they are None. hysteresis: see `SpeedScale`.
    """

    buffer: float = USUAL_BUFFER
    self_collision: float | None = None
    period: float = 0.01
    max_age: float | None = None
    periods: Mapping[str, float] = field(default_factory=dict)
    recover: int = USUAL_RECOVER
    max_speed: float | None = None
    between: bool | None = None
    rest: bool = False
    slip: float = USUAL_SLIP
    stop: float = USUAL_STOP_DISTANCE
    slow: float | None = None
    retreat_stop: float | None = None
    retreat_slow: float | None = None
    hysteresis: float = USUAL_HYSTERESIS

    def __post_init__(self) -> None:
        amount("period", self.period, MonitorError, "s", zero=False)
        for name, period in instance("periods", self.periods, MonitorError, Mapping).items():
            amount(f"period of {name}", period, MonitorError, "s", zero=False)
        if self.max_age is not None:
            amount("max_age", self.max_age, MonitorError, "s", zero=False)
        amount("buffer", self.buffer, MonitorError, "m")
        amount("slip", self.slip, MonitorError, "m")
        whole("recover", self.recover, MonitorError, 1, _MOST)

    @property
    def age(self) -> float:
        """How long the most frequent publishers may be silent, [s]."""
        return self._age(min(self.periods.values(), default=self.period))

    @property
    def longest_age(self) -> float:
        """How long the least frequent publishers may be silent, [s]."""
        return self._age(max(self.periods.values(), default=self.period))

    @property
    def least_age(self) -> float:
        """How long somebody may be silent at least, however often they turn out to publish, [s]."""
        return self.age if self.max_age is not None or not self.periods else USUAL_MAX_AGE

    def age_of(self, name: str) -> float:
        """How long a joint or a body may be silent, [s]."""
        return self._age(self.periods.get(name, max(self.periods.values(), default=self.period)))

    def _age(self, period: float) -> float:
        if self.max_age is not None:
            return self.max_age
        return max(USUAL_MAX_AGE, MAX_AGE_PERIODS * period)

    @property
    def sure(self) -> float:
        """The smallest threshold that a pair can have, [m]: a SAFE cell has none nearer. A pair has
        the buffers of whichever of the two move, or ``self_collision`` within a robot."""
        return self.buffer if self.self_collision is None else min(self.buffer, self.self_collision)

    def monitor(self, cell: Cell) -> Monitor:
        """The monitor of such a watch. A reading is late for it when its joints were silent.

        A robot at its highest speed that is read in the steps of an encoder is ahead of it by a
        step now and then. So a body may have moved for MAX_AGE_PERIODS periods at once; over longer
        times it is held to its speed all the same."""
        step = MAX_AGE_PERIODS * self.period
        return Monitor(
            cell,
            self.buffer,
            thresholds=Thresholds(self_collision=self.self_collision),
            period=step,
            late=max(self.age, step),
            max_speed=self.max_speed,
            between=bool(self.between),
        )

    def speed_scale(self) -> SpeedScale:
        """The speed scale of such a watch."""
        approaching = Ramp(self.stop, self.slow)
        retreating = Ramp(
            self.stop if self.retreat_stop is None else self.retreat_stop,
            self.slow if self.retreat_slow is None else self.retreat_slow,
        )
        return SpeedScale(approaching, retreating, self.hysteresis)

    @staticmethod
    def from_dict(given: Mapping[str, Any]) -> WatchOptions:
        """The options of a record.

        Raises:
            StreamError: unknown ones: it is from another version.
        """
        known = {f.name for f in fields(WatchOptions)}
        if not {*given} <= known:
            raise StreamError(
                "unknown options", value=sorted({*given} - known), allowed=", ".join(sorted(known))
            )
        return WatchOptions(**given)
