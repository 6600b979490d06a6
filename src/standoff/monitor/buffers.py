"""Which buffer and which highest speed each robot and body has."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from standoff.constants import USUAL_SPEED_LIMIT
from standoff.errors import MonitorError, UnknownNameError
from standoff.monitor.amounts import amount
from standoff.monitor.separation import Coefficients, Separation

Buffer = float | Separation
#: The key of a mapping that stands for all others.
DEFAULT = "default"


def by_name(given: Any, element: str, names: set[str]) -> dict[str, Any]:
    """``given`` as a mapping with a default; every other key must be a robot or body."""
    if not isinstance(given, Mapping):
        return {DEFAULT: given}
    for name in given:
        if name != DEFAULT and name not in names:
            raise UnknownNameError(str(name), [DEFAULT, *sorted(names)], what=element)
    return dict(given)


def coefficients(buffer: Any, element: str) -> Coefficients:
    """A buffer as ``c0 + c1 v + c2 v²``."""
    if isinstance(buffer, Separation):
        return buffer.coefficients
    return amount(element, buffer, "m"), 0.0, 0.0


def speed_limit(given: Any, buffer: Any, known: float, element: str) -> float:
    """The highest speed of a body: as given, else that of its separation, else what its joints
    allow, else USUAL_SPEED_LIMIT."""
    if given is not None:
        limit = amount(f"max_speed of {element}", given, "m/s", zero=False)
        if isinstance(buffer, Separation) and limit > buffer.fastest:
            raise MonitorError(
                "faster than its separation holds for",
                element=f"max_speed of {element}",
                value=limit,
                allowed=f"up to {buffer.fastest:g} m/s, or a separation at that speed",
            )
        return limit
    if isinstance(buffer, Separation):
        return buffer.speed
    return known if 0.0 < known < float("inf") else USUAL_SPEED_LIMIT
