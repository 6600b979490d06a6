"""Parameters that are numbers, checked."""

from __future__ import annotations

from typing import Any

import numpy as np

from standoff.errors import PlanError


def above_zero(value: Any, name: str) -> float:
    """A number above 0; it may be infinite."""
    try:
        if isinstance(value, (bool, str, bytes)):
            raise TypeError("not a number")
        result = float(value)
    except (TypeError, ValueError) as error:
        raise PlanError("not a number", element=name, value=value, allowed="> 0") from error
    if not result > 0.0:
        raise PlanError("not above 0", element=name, value=value, allowed="> 0")
    return result


def whole(value: Any, name: str, least: int = 0) -> int:
    """A whole number, ``least`` or more."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < least:
        raise PlanError(
            "not a whole number", element=name, value=value, allowed=f"a whole number >= {least}"
        )
    return int(value)
