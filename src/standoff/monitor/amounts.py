"""Numbers that people give a monitor: finite, and not negative."""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np

from standoff.errors import MonitorError


def amount(element: str, value: Any, unit: str, *, zero: bool = True) -> float:
    """A finite number above 0, or 0 itself where ``zero``; ``element`` and ``unit`` name it."""
    allowed = f"a finite number, {'0 or more' if zero else 'more than 0'} [{unit}]"
    try:
        if isinstance(value, (bool, np.bool_, str, bytes)):
            raise TypeError("not a number")
        result = float(value)
    except Exception as error:  # objects are free to raise what they like here
        raise MonitorError("not a number", element=element, value=value, allowed=allowed) from error
    if not (math.isfinite(result) and (result > 0.0 or (zero and result == 0.0))):
        raise MonitorError("not a possible value", element=element, value=value, allowed=allowed)
    return result


def whole(element: str, value: Any, low: int, high: int) -> int:
    """A whole number from ``low`` to ``high``."""
    allowed = f"a whole number from {low} to {high}"
    try:
        if isinstance(value, (bool, np.bool_)):
            raise TypeError("not a number")
        result = operator.index(value)
    except Exception as error:
        raise MonitorError(
            "not a whole number", element=element, value=value, allowed=allowed
        ) from error
    if not low <= result <= high:
        raise MonitorError("not a possible value", element=element, value=value, allowed=allowed)
    return result
