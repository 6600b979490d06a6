"""The buffer and the highest speed of each robot and body; `Thresholds`, which replace the buffers
of pairs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from standoff.errors import MonitorError, UnknownNameError
from standoff.monitor.separation import Coefficients, SeparationDistance
from standoff.scalars import amount

#: What a body is taken to be capable of where neither its joints nor anybody else says, [m/s];
#: beyond the tool speed of any industrial arm.
USUAL_SPEED_LIMIT = 10.0


Buffer = float | SeparationDistance
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
    if isinstance(buffer, SeparationDistance):
        return buffer.coefficients
    return amount(element, buffer, MonitorError, "m"), 0.0, 0.0


def speed_limit(given: Any, buffer: Any, known: float, element: str) -> float:
    """The highest speed of a body: as given, else that of its separation, else what its joints
    allow, else USUAL_SPEED_LIMIT."""
    if given is not None:
        limit = amount(f"max_speed of {element}", given, MonitorError, "m/s", zero=False)
        if isinstance(buffer, SeparationDistance) and limit > buffer.fastest:
            raise MonitorError(
                "faster than its separation holds for",
                element=f"max_speed of {element}",
                value=limit,
                allowed=f"up to {buffer.fastest:g} m/s, or a separation at that speed",
            )
        return limit
    if isinstance(buffer, SeparationDistance):
        return buffer.speed
    return known if 0.0 < known < float("inf") else USUAL_SPEED_LIMIT


@dataclass(frozen=True)
class Thresholds:
    """Distances at which pairs warn, instead of the sum of their buffers, [m].

    Attributes:
        self_collision: two links of one robot (what it holds counts as a link); None: the buffers
            decide.
        robot_robot: links of two robots.
        robot_scene: a link against a body or zone, static or moving.
        pairs: single pairs, by the names of links, bodies, zones or robots (all links of it);
            these go before all others, and among them the pair that names links and bodies before
            the one that names a robot.
    """

    self_collision: float | None = None
    robot_robot: float | None = None
    robot_scene: float | None = None
    pairs: Mapping[tuple[str, str], float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in ("self_collision", "robot_robot", "robot_scene"):
            value = getattr(self, name)
            if value is not None:
                value = amount(f"threshold {name}", value, MonitorError, "m")
                object.__setattr__(self, name, value)
        if not isinstance(self.pairs, Mapping):
            raise MonitorError(
                "thresholds of pairs", value=self.pairs, allowed='{("left/hand", "table"): 0.01}'
            )
        pairs = dict(self.pairs)
        for pair, value in pairs.items():
            named = isinstance(pair, tuple) and len(pair) == 2
            if not (named and all(isinstance(name, str) for name in pair)):
                raise MonitorError(
                    "threshold of a pair", value=pair, allowed="two names, as a tuple"
                )
            pairs[pair] = amount(f"threshold of {pair[0]} and {pair[1]}", value, MonitorError, "m")
            if pair[0] != pair[1] and (pair[1], pair[0]) in pairs:
                raise MonitorError("two thresholds of one pair", value=pair, allowed="one")
        object.__setattr__(self, "pairs", MappingProxyType(pairs))
