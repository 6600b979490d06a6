"""The checker's tables and scratch, as growing kernels take them."""

from __future__ import annotations

from typing import Any

from standoff.index.arena import Arena
from standoff.paths.checker import PathChecker
from standoff.shapes.pose import Array


class Borrowed:
    """Tables of a checker as they are now, with scratch that nobody else uses meanwhile.

    Attributes:
        resting: where moving bodies stand, as the scratch has them.
        stepper: address of what looks at one interval; the checker's own, unless it is changed.
    """

    def __init__(self, checker: PathChecker) -> None:
        self.tables = checker.tables
        self.scratch: Arena = checker.scratch(self.tables)
        self.resting: Array = self.scratch["glides"].copy()
        self.stepper = self.tables.stepper
        self._returned = False

    @property
    def arguments(self) -> tuple[Any, ...]:
        """``stepper, general, CF, CW, SF, SW`` of `check_segments`."""
        t = self.tables
        return self.stepper, t.general, t.arena.F, t.arena.W, self.scratch.F, self.scratch.W

    def grow(self) -> None:
        """Twice the room for what a segment leaves open."""
        names = ("nodes", "linked", "pool")
        self.scratch = self.scratch.grown({name: 2 * len(self.scratch[name]) for name in names})

    def give_back(self) -> None:
        """Let others use the scratch; a second time it does nothing."""
        if not self._returned:
            self.tables.spare.append(self.scratch)
        self._returned = True
