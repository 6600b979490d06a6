"""Numbers that people give a monitor: finite, and not negative."""

from __future__ import annotations

import math
from typing import Any

from standoff.errors import MonitorError


def amount(element: str, value: Any, unit: str, *, zero: bool = True) -> float:
    """A finite number above 0, or 0 itself where ``zero``; ``element`` and ``unit`` name it."""
    allowed = f"a finite number, {'0 or more' if zero else 'more than 0'} [{unit}]"
    try:
        if isinstance(value, (bool, str, bytes)):
            raise TypeError("not a number")
        result = float(value)
    except (TypeError, ValueError, OverflowError) as error:
        raise MonitorError("not a number", element=element, value=value, allowed=allowed) from error
    if not (math.isfinite(result) and (result > 0.0 or (zero and result == 0.0))):
        raise MonitorError("not a possible value", element=element, value=value, allowed=allowed)
    return result
