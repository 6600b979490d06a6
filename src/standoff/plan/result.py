"""What a planner says."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from standoff.errors import PlanError
from standoff.geometry.pose import Array
from standoff.paths.certificate import Certificate
from standoff.paths.verdict import Verdict

Method = Literal["rrt-connect", "sbl"]
Reason = Literal["start", "goal", "timeout", "cancelled"]


@dataclass(frozen=True)
class Progress:
    """How far a search has come.

    Attributes:
        time: since it began, [s].
        edges: checked so far.
        nodes: of the tree from the start, and of that from the goals.
    """

    time: float
    edges: int
    nodes: tuple[int, int]


@dataclass(frozen=True, eq=False)
class Plan:
    """A path with its proof, or why there is none.

    Attributes:
        solved: whether there is a path. It is certified: ``verdict.free`` holds.
        waypoints: (n, joints) from the start to a goal, straight in joint space from one to the
            next; (0, joints) where there is none. A joint that may go round ends at its goal or
            whole turns beside it.
        reason: None where it is solved; ``start`` or ``goal``: not free there (``verdict`` names
            the pair; ``goal`` where none of the goals is); ``timeout``; ``cancelled``.
        verdict: of the whole path, or of the start or the goal that is not free; None otherwise.
        goal: number of the goal that was reached.
        joints: names of the joints that move on the path.
        moves: the same in words: a group, single joints, or how many of which robot.
        length: of the path, in the planner's distance.
        time: all of it, [s]; ``growing`` of it took the trees, ``proving`` the proof of the path.
        preparing: what went before, and before the timeout began to count: laying out the cell if
            it has changed, and compiling where that had not been done, [s].
        edges: segments checked.
        nodes: of the tree from the start, and of that from the goals.
        clearance, tolerance: of the query, [m]; the clearance is the smallest of any pair.
        method, seed: as they were asked for; they give the same path again.
    """

    solved: bool
    waypoints: Array
    reason: Reason | None
    verdict: Verdict | None
    goal: int | None
    joints: tuple[str, ...]
    moves: str
    length: float
    time: float
    preparing: float
    growing: float
    proving: float
    edges: int
    nodes: tuple[int, int]
    clearance: float
    tolerance: float
    method: Method
    seed: int

    def certificate(self, segment: int | None = None) -> Certificate:
        """What proves the path, or one segment of it, to be verified by `standoff.verify` or kept;
        worked out now, for the cell as it was when it was planned.

        Raises:
            PlanError: there is no path.
            PathError: there is no such segment.
        """
        if not self.solved or self.verdict is None:
            raise PlanError(
                "no path to be proved", value=self.reason, allowed="a plan that is solved"
            )
        return self.verdict.certificate(segment)

    def certificates(self) -> Iterator[Certificate]:
        """What proves each segment, one after the other: of a long path none is large."""
        return (self.certificate(k) for k in range(len(self.waypoints) - 1))

    def __str__(self) -> str:
        spent = f"after {self.time:.3g} s and {self.edges} edges"
        if self.solved:
            kept = f"more than {1e3 * self.clearance:g} mm apart"
            if self.clearance <= 0.0:
                deep = f"overlapping by less than {-1e3 * self.clearance:g} mm"
                kept = "never touching" if self.clearance == 0.0 else deep
            return (
                f"{len(self.waypoints)} waypoints, path length {self.length:.4g} in joint space "
                f"(rad, m), moving {self.moves}, every watched pair {kept}, {spent}"
            )
        if self.reason in ("start", "goal"):
            found = self.verdict
            if found is not None and found.kind == "too_close" and found.pair is not None:
                a, b = found.pair
                return (
                    f"the {self.reason} is too close: {a} and {b} are "
                    f"{1e3 * (found.distance or 0.0):.3g} mm apart; the clearance is "
                    f"{1e3 * self.clearance:g} mm and the tolerance {1e3 * self.tolerance:g} mm; "
                    "a smaller clearance (clearance=, --clearance) may allow it"
                )
            return f"the {self.reason} is not free: {self.verdict.at_rest if self.verdict else ''}"
        return f"no path: {self.reason} {spent}"
