"""Numbers that people give a predictor: one for all bodies, or one for each."""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np

from standoff.errors import PredictError
from standoff.shapes.pose import Array

#: What Python and NumPy raise for what is no number, or none that a float64 holds.
NOT_NUMBERS = (TypeError, ValueError, OverflowError)


def each(element: str, value: Any, count: int, unit: str) -> Array:
    """A finite number of 0 or more for each of ``count`` bodies, from one or from as many."""
    allowed = f"a finite number of 0 or more [{unit}], or one for each of the {count} bodies"
    try:
        given = np.asarray(value, dtype=np.float64)
    except NOT_NUMBERS as error:
        raise PredictError("not numbers", element=element, value=value, allowed=allowed) from error
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
    if isinstance(value, bool | np.bool_ | str | bytes):
        raise PredictError("not a number", element=element, value=value, allowed=allowed)
    try:
        result = float(value)
    except NOT_NUMBERS as error:
        raise PredictError("not a number", element=element, value=value, allowed=allowed) from error
    if not (math.isfinite(result) and (result > 0.0 or (zero and result == 0.0))):
        raise PredictError("not a possible value", element=element, value=value, allowed=allowed)
    return result


def whole(element: str, value: Any) -> int:
    """A whole number, 1 or more."""
    allowed = "a whole number, 1 or more"
    try:
        result = operator.index(value)
    except TypeError as error:
        raise PredictError(
            "not a whole number", element=element, value=value, allowed=allowed
        ) from (error)
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
    try:
        shape = np.asarray(radii, dtype=np.float64).shape
    except NOT_NUMBERS as error:
        raise PredictError("not numbers", element="radii", value=radii, allowed=allowed) from error
    if len(shape) != 1 or shape[0] < 2:
        raise PredictError("not a list", element="radii", value=shape, allowed=allowed)
    return int(shape[0])


def finite(time: Any) -> float:
    """A time as a number; NaN where it is none."""
    try:
        given = float(time)
    except NOT_NUMBERS:
        return math.nan
    return given if math.isfinite(given) else math.nan
