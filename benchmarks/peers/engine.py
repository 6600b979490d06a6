"""What the benchmark asks of an engine."""

from __future__ import annotations

from typing import Any, Protocol

from peers.scene import Scene

Pairs = dict[tuple[int, int], float]


class Engine(Protocol):
    """One engine with a scene loaded."""

    def __init__(self, scene: Scene) -> None: ...

    def cycle(self, k: int) -> Any:
        """Everything a safety cycle takes, and all that is timed: set the state of cycle ``k``,
        update, and read the near pairs into Python as names or numbers with their distances."""

    def pairs(self, answer: Any) -> Pairs:
        """What `cycle` answered, by the scene's numbers, the excluded pairs left out."""
