"""The parameters of a predictor, checked.

Numbers that people give a predictor: one for all bodies, or one for each.
"""

from __future__ import annotations

import math
import operator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from standoff.errors import PredictError
from standoff.geometry.pose import Array
from standoff.predict.kernels import layout as p
from standoff.predict.schedule import body_table

UrgencyName = Literal["free", "bounded", "distance"]
SeriesName = Literal["binary", "fibonacci"]
_URGENCIES = {"free": p.FREE, "bounded": p.BOUNDED, "distance": p.DISTANCE}
#: The period that is chosen as Culley and Kempf do.
CULLEY_KEMPF = "culley-kempf"


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
            object.__setattr__(self, "tests", whole("tests", self.tests))
        if self.horizon is not None:
            object.__setattr__(self, "horizon", one("horizon", self.horizon, "s", zero=False))


@dataclass(frozen=True)
class Urgency:
    """The schedule of paper 004, dynamic urgency (DUA): pairs in buckets of growing size, one pair
    of each bucket in each step.

    Args:
        series: the sizes of the buckets: 1, 2, 4, 8, … (``binary``) or 1, 2, 3, 5, …
            (``fibonacci``).
        sort: order all that is looked at in a step (``full``), or only by bucket (``partial``).

    Raises:
        PredictError: a value that makes no sense.
    """

    series: SeriesName = "binary"
    sort: Literal["full", "partial"] = "full"

    def __post_init__(self) -> None:
        choice("series", self.series, ("binary", "fibonacci"))
        choice("sort", self.sort, ("full", "partial"))


@dataclass(frozen=True, eq=False)
class Options:
    """See `Predictor`; ``period`` is None where it is to be chosen at the first step, and
    ``bodies`` the table of `predict.kernels.layout`."""

    radii: Array
    bodies: Array
    margin: float
    period: float | None
    urgency: int
    schedule: Deadlines | Urgency


def checked(
    radii: Any,
    max_acceleration: Any,
    max_speed: Any,
    margin: Any,
    period: Any,
    urgency: Any,
    schedule: Any,
) -> Options:
    """Raises PredictError for what makes no sense."""
    count = number_of(radii)
    balls = each("radii", radii, count, "m")
    speed = None if max_speed is None else each("max_speed", max_speed, count, "m/s")
    usual = "free" if speed is None else "bounded"
    chosen = choice("urgency", usual if urgency is None else urgency, tuple(_URGENCIES))
    chosen_later = isinstance(period, str) and period == CULLEY_KEMPF
    for what, asked in ((f"urgency={chosen!r}", chosen != "free"),
                        (f"period={CULLEY_KEMPF!r}", chosen_later)):  # fmt: skip
        if asked and speed is None:
            raise PredictError(
                f"{what} needs a bound on speed", element="max_speed", value=None,
                allowed="a finite number of 0 or more [m/s]",
            )  # fmt: skip
    gap = one("margin", margin, "m")
    most = each("max_acceleration", max_acceleration, count, "m/s²")
    options = Options(
        radii=balls,
        bodies=body_table(balls, most, speed, gap),
        margin=gap,
        period=None if chosen_later else one("period", period, "s", zero=False),
        urgency=_URGENCIES[chosen],
        schedule=schedule,
    )
    if not isinstance(schedule, Deadlines | Urgency):
        raise PredictError(
            "no schedule",
            element="schedule",
            value=schedule,
            allowed="Deadlines(...), Urgency(...)",
        )
    if options.period is not None:
        check_horizon(schedule, options.period)
    return options


def check_horizon(schedule: Deadlines | Urgency, period: float) -> None:
    """Two periods of each ball are for the looks, and one must be left between two registrations
    of it."""
    horizon = schedule.horizon if isinstance(schedule, Deadlines) else None
    if horizon is not None and not horizon >= 4.0 * period:
        raise PredictError(
            "too short", element="horizon", value=horizon,
            allowed=f"at least {4.0 * period:g} s, four periods",
        )  # fmt: skip


def numbers(element: str, value: Any, allowed: str) -> Array:
    """Real numbers as float64. What is masked is not there, and the real part of a complex number
    is not the number."""
    try:
        found: Any = np.asanyarray(value)
        kind = found.dtype.kind
        good = kind in "iuf" or (kind == "O" and all(_real(one) for one in found.flat))
        if good and not np.ma.is_masked(found):
            result: Array = np.asarray(found, dtype=np.float64)
            return result
    except Exception as error:  # whatever the array of somebody else raises
        raise PredictError("not numbers", element=element, value=value, allowed=allowed) from error
    raise PredictError("not numbers", element=element, value=value, allowed=allowed)


def _real(value: Any) -> bool:
    return not isinstance(value, bool | np.bool_ | str | bytes | complex | np.ma.MaskedArray)


def each(element: str, value: Any, count: int, unit: str) -> Array:
    """A finite number of 0 or more for each of ``count`` bodies, from one or from as many."""
    allowed = f"a finite number of 0 or more [{unit}], or one for each of the {count} bodies"
    given = numbers(element, value, allowed)
    if given.shape not in ((), (count,)):
        raise PredictError("wrong shape", element=element, value=given.shape, allowed=allowed)
    good = np.isfinite(given) & (given >= 0.0)
    if not good.all():
        worst = given if given.ndim == 0 else given[~good][0]
        where = element if given.ndim == 0 else f"{element}[{np.flatnonzero(~good)[0]}]"
        raise PredictError(
            "not a possible value", element=where, value=float(worst), allowed=allowed
        )
    return np.broadcast_to(given, (count,)).copy()


def one(element: str, value: Any, unit: str, *, zero: bool = True) -> float:
    """A finite number above 0, or 0 itself where ``zero``."""
    allowed = f"a finite number, {'0 or more' if zero else 'more than 0'} [{unit}]"
    given = numbers(element, value, allowed)
    if given.shape != ():
        raise PredictError("not a number", element=element, value=value, allowed=allowed)
    result = float(given.item())
    if not (math.isfinite(result) and (result > 0.0 or (zero and result == 0.0))):
        raise PredictError("not a possible value", element=element, value=value, allowed=allowed)
    return result


def whole(element: str, value: Any) -> int:
    """A whole number, 1 or more."""
    allowed = "a whole number, 1 or more"
    try:
        result = operator.index(value)
    except Exception as error:  # whatever somebody else's number raises
        raise PredictError(
            "not a whole number", element=element, value=value, allowed=allowed
        ) from error
    if isinstance(value, bool | np.bool_) or result < 1:
        raise PredictError("not a possible value", element=element, value=value, allowed=allowed)
    return result


def choice(element: str, value: Any, allowed: tuple[str, ...]) -> str:
    """One of some words."""
    if not isinstance(value, str) or value not in allowed:
        raise PredictError(
            "unknown choice", element=element, value=value, allowed=", ".join(allowed)
        )
    return value


def number_of(radii: Any) -> int:
    """How many bodies there are."""
    allowed = "a radius for each of two or more bodies, [m]"
    shape = numbers("radii", radii, allowed).shape
    if len(shape) != 1 or shape[0] < 2:
        raise PredictError("not a list", element="radii", value=shape, allowed=allowed)
    return int(shape[0])


def finite(time: Any) -> float:
    """A time as a number; NaN where it is none."""
    try:
        given = math.nan if time is np.ma.masked else float(time)
    except Exception:  # whatever somebody else's number raises: a step reports it
        return math.nan
    return given if math.isfinite(given) else math.nan
