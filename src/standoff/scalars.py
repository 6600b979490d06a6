"""What people give, checked where it comes in: a number, a whole number, a yes or no, a function,
an object of ours.

Each function gives the value back as Python's own type, or raises ``error`` with the name of the
argument, the value, and what is allowed.
"""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from standoff.errors import Error

#: What Python makes a number of, and nobody means as one.
_NO_NUMBERS = (bool, np.bool_, str, bytes, complex, np.complexfloating, np.ma.MaskedArray)

#: The largest finite number.
FINITE = sys.float_info.max

_IMPOSSIBLE = "not a possible value"


def number(
    element: str,
    value: Any,
    error: type[Error],
    *,
    least: float = -FINITE,
    above: float = -FINITE,
    most: float = FINITE,
    unit: str = "",
    allowed: str | None = None,
    problem: str | None = None,
) -> float:
    """A number from ``least`` to ``most`` and more than ``above``: finite, unless ``most`` is
    infinite.

    Args:
        element: how the argument is called.
        unit: of the value, for the message.
        allowed: what is allowed, in words that say more than the bounds.
        problem: what is wrong, in words that say more than "not a possible value".
    """
    try:
        plain = value[()] if type(value) is np.ndarray else value
        if isinstance(plain, _NO_NUMBERS) or np.ndim(plain) > 0:
            raise TypeError("not a number")
        result = float(plain)
    except Exception as cause:  # objects are free to raise what they like here
        what, said = problem or "not a number", allowed or _numbers(least, above, most, unit)
        raise error(what, element=element, value=value, allowed=said) from cause
    if not (least <= result <= most and (result > above or above == -FINITE)):
        what, said = problem or _IMPOSSIBLE, allowed or _numbers(least, above, most, unit)
        raise error(what, element=element, value=value, allowed=said)
    return result


def amount(
    element: str,
    value: Any,
    error: type[Error],
    unit: str,
    *,
    zero: bool = True,
    most: float = FINITE,
) -> float:
    """A number of ``unit`` up to ``most`` and above 0, or 0 itself where ``zero``; see `number`."""
    above = -FINITE if zero else 0.0
    return number(element, value, error, least=0.0, above=above, most=most, unit=unit)


def whole(
    element: str,
    value: Any,
    error: type[Error],
    least: int = 0,
    most: int | None = None,
    *,
    allowed: str | None = None,
    problem: str | None = None,
) -> int:
    """A whole number from ``least`` to ``most``; see `number`."""
    if allowed is None:
        span = f", {least} or more" if most is None else f" from {least} to {most:,}"
        allowed = f"a whole number{span}"
    try:
        if isinstance(value, (bool, np.bool_)):
            raise TypeError("not a number")
        result = operator.index(value)
    except Exception as cause:
        what = problem or "not a whole number"
        raise error(what, element=element, value=value, allowed=allowed) from cause
    if result < least or (most is not None and result > most):
        what = problem or _IMPOSSIBLE
        raise error(what, element=element, value=value, allowed=allowed)
    return result


def flag(element: str, value: Any, error: type[Error]) -> bool:
    """True or False."""
    if not isinstance(value, (bool, np.bool_)):
        raise error("not a yes or no", element=element, value=value, allowed="True or False")
    return bool(value)


def choice(element: str, value: Any, error: type[Error], allowed: tuple[str, ...]) -> str:
    """One of some words."""
    if not isinstance(value, str) or value not in allowed:
        raise error("unknown choice", element=element, value=value, allowed=", ".join(allowed))
    return value


def function(element: str, value: Any, error: type[Error], given: str) -> Callable[..., Any]:
    """A function of what is ``given``, in words; None is one that does nothing."""
    if value is None:
        return lambda *_: None
    if not callable(value):
        raise error("not a function", element=element, value=value, allowed=f"of {given}, or None")
    result: Callable[..., Any] = value
    return result


def instance(element: str, value: Any, error: type[Error], *kinds: type) -> Any:
    """An object of one of some classes."""
    if not isinstance(value, kinds):
        names = " or ".join(f"a {kind.__name__}" for kind in kinds)
        found = type(value).__name__
        raise error(f"not {names} but a {found}", element=element, value=value, allowed=names)
    return value


def is_single(value: Any) -> bool:
    """Whether it is one value, and not several in a row, a table or a mapping."""
    try:
        return not isinstance(value, Mapping) and np.ndim(value) == 0
    except ValueError:  # rows of different lengths
        return False


def _numbers(least: float, above: float, most: float, unit: str) -> str:
    """The numbers between bounds, in words."""
    low = f"more than {above:g}" if above > -FINITE else f"{least:g}"
    if most < FINITE:
        span = f" from {low} to {most:g}"
    elif above > -FINITE:
        span = f", {low}"
    else:
        span = f", {low} or more" if least > -FINITE else ""
    return f"a {'finite ' if most <= FINITE else ''}number{span}{f' [{unit}]' if unit else ''}"
