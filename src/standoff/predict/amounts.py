"""Numbers that people give a predictor: one for all bodies, or one for each."""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np

from standoff.errors import PredictError
from standoff.shapes.pose import Array


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
