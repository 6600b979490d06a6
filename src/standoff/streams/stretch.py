"""Cycles in which nothing happened, many at a time."""

from __future__ import annotations

from dataclasses import dataclass

from standoff.geometry.pose import Array


@dataclass(frozen=True, eq=False)
class Stretch:
    """Quiet cycles in a row: SAFE, nothing changed, full speed.

    Attributes:
        clearances: of each; as many as there are.
        Q: (n, joints), where the joints were.
        poses: of the moving bodies, the same in all; None where there are none.
    """

    clearances: Array
    Q: Array
    poses: Array | None = None

    def __len__(self) -> int:
        return len(self.clearances)
