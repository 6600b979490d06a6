"""How fast the robots may go."""

from __future__ import annotations

from standoff.monitor.report import Cycle
from standoff.streams.report import State


class SpeedScale:
    """1 where nothing is wrong, 0 elsewhere."""

    def __init__(self) -> None:
        self.value = 1.0

    def update(self, state: State, cycle: Cycle | None) -> float:
        """The scale after a cycle."""
        self.value = 1.0 if state == State.SAFE else 0.0
        return self.value
