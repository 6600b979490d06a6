"""The parameters of a predictor, checked: numbers for all bodies, or one for each; the period."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from standoff.errors import PredictError
from standoff.geometry.pose import Array
from standoff.predict.kernels.time_to_contact import BOUNDED, FREE
from standoff.predict.schedule import Rows, body_table
from standoff.scalars import amount, choice

UrgencyName = Literal["free", "bounded"]
_URGENCIES = {"free": FREE, "bounded": BOUNDED}


@dataclass(frozen=True, eq=False)
class Options:
    """See `Predictor`; ``bodies`` is the table of `predict.kernels.predict_tables`."""

    radii: Array
    bodies: Rows
    margin: float
    period: float
    urgency: int


def checked(
    radii: Any, max_acceleration: Any, max_speed: Any, margin: Any, period: Any, urgency: Any
) -> Options:
    """Raises PredictError for what makes no sense."""
    count = number_of(radii)
    balls = each("radii", radii, count, "m")
    speed = None if max_speed is None else each("max_speed", max_speed, count, "m/s")
    usual = "free" if speed is None else "bounded"
    urgency = usual if urgency is None else urgency
    chosen = choice("urgency", urgency, PredictError, tuple(_URGENCIES))
    if chosen == "bounded" and speed is None:
        raise PredictError(
            "urgency='bounded' needs a bound on speed", element="max_speed", value=None,
            allowed="a finite number of 0 or more [m/s]",
        )  # fmt: skip
    gap = amount("margin", margin, PredictError, "m")
    most = each("max_acceleration", max_acceleration, count, "m/s²")
    return Options(
        radii=balls,
        bodies=body_table(balls, most, speed, gap),
        margin=gap,
        period=amount("period", period, PredictError, "s", zero=False),
        urgency=_URGENCIES[chosen],
    )


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


def amounts(element: str, value: Any, unit: str, count: int | None = None) -> Array:
    """Finite numbers of 0 or more; with a ``count`` one number, or as many."""
    allowed = f"finite numbers of 0 or more [{unit}]"
    if count is not None:
        allowed = f"a finite number of 0 or more [{unit}], or one for each of the {count} bodies"
    given = numbers(element, value, allowed)
    if count is not None and given.shape not in ((), (count,)):
        raise PredictError("wrong shape", element=element, value=given.shape, allowed=allowed)
    bad = np.argwhere(~(np.isfinite(given) & (given >= 0.0)))
    if len(bad):
        where = "".join(f"[{k}]" for k in bad[0])
        worst = float(given[tuple(bad[0])])
        raise PredictError(
            "not a possible value", element=element + where, value=worst, allowed=allowed
        )
    return given


def each(element: str, value: Any, count: int, unit: str) -> Array:
    """A finite number of 0 or more for each of ``count`` bodies, from one or from as many."""
    return np.broadcast_to(amounts(element, value, unit, count), (count,)).copy()


def number_of(radii: Any) -> int:
    """How many bodies there are."""
    allowed = "a radius for each of two or more bodies, [m]"
    shape = numbers("radii", radii, allowed).shape
    if len(shape) != 1 or shape[0] < 2:
        raise PredictError("not a list", element="radii", value=shape, allowed=allowed)
    return int(shape[0])
