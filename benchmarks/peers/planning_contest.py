"""Planners on the same problems in the same run, and an exact judge of what they bring."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

import standoff as so
from standoff.paths.joints import LIMIT_ROUNDING

#: How near a pass must be before the judge leaves open whether it is a contact, [m].
FINE = 1e-6


@dataclass(frozen=True, eq=False)
class Attempt:
    """What a planner brought.

    Attributes:
        waypoints: (n, joints of the cell), or None where it found no path.
        seconds: of the processor.
        then: the same path made shorter, its time counted from the start as well; None where the
            planner does no such thing.
    """

    waypoints: np.ndarray | None
    seconds: float
    then: Attempt | None = None


class Query(Protocol):
    """One problem, ready to be solved: whatever takes time before is not counted."""

    def plan(self, seed: int, timeout: float) -> Attempt: ...

    def touches(self, q: np.ndarray) -> bool:
        """Whether the planner's own engine sees a contact at a configuration of the cell."""


#: Makes a problem ready for a planner.
Planner = Callable[[so.plan.PlacedProblem], Query]


@dataclass(frozen=True, eq=False)
class Result:
    """How one planner did on one problem.

    Attributes:
        verdict: of the exact checker, on the path; None where there is none.
        seen: whether the planner's own engine confirms the contact that was found.
        length: of the path in joint space, [rad].
    """

    problem: str
    set_name: str
    seconds: float
    waypoints: np.ndarray | None
    verdict: so.Verdict | None = None
    seen: bool = False
    length: float = np.inf

    @property
    def solved(self) -> bool:
        return self.waypoints is not None

    @property
    def refuted(self) -> bool:
        """Two bodies overlap somewhere on the path."""
        return self.verdict is not None and self.verdict.kind == "collision"


#: Results by planner, and by planner with its paths made shorter.
Results = dict[str, list[Result]]

SHORTER = ", shortened"


def is_free(placed: so.plan.PlacedProblem) -> bool:
    """Whether the problem makes sense in this cell: start and a goal are free, and within the
    limits of the joints that move (the robot may be another edition than the problem's own)."""
    ends = np.vstack([placed.start, placed.goals])
    free = so.PathChecker(placed.cell).segments(ends, ends, threads=1)
    columns = [placed.cell.joints.index(joint) for joint in placed.joints]
    tree = placed.cell.tree
    inside = np.clip(ends, tree.lower, tree.upper)
    free &= (np.abs(ends - inside)[:, columns] <= LIMIT_ROUNDING).all(axis=1)
    return bool(free[0] and free[1:].any())


def contest(
    placed: so.plan.PlacedProblem, planners: Mapping[str, Planner], timeout: float, results: Results
) -> None:
    """Let every planner solve the problem, and judge it."""
    judge = so.PathChecker(placed.cell, tolerance=FINE)
    for name, ready in planners.items():
        query = ready(placed)
        attempt = query.plan(placed.problem.index, timeout)
        results.setdefault(name, []).append(judged(placed, attempt, query, judge))
        if attempt.then is not None:
            shorter = judged(placed, attempt.then, query, judge)
            results.setdefault(name + SHORTER, []).append(shorter)


def judged(
    placed: so.plan.PlacedProblem, attempt: Attempt, query: Query, judge: so.PathChecker
) -> Result:
    problem, path = placed.problem, attempt.waypoints
    if path is None:
        return Result(problem.name, problem.set_name, attempt.seconds, None)
    verdict = judge.path(path)
    return Result(
        problem.name,
        problem.set_name,
        attempt.seconds,
        path,
        verdict,
        verdict.q is not None and query.touches(verdict.q),
        float(np.linalg.norm(np.diff(path, axis=0), axis=1).sum()),
    )


@dataclass(frozen=True)
class Summary:
    """Of one planner on several problems.

    Attributes:
        median, late: time, and its 95th percentile, [s]; a problem that was not solved counts with
            the time it took to give up.
        length: median of those it solved, [rad].
        proved: paths that the exact checker proves free.
        refuted, seen: paths on which two bodies overlap, and those of them of which the planner's
            own engine says so too.
    """

    problems: int
    solved: int
    median: float
    late: float
    length: float
    proved: int
    refuted: int
    seen: int

    @staticmethod
    def of(results: Sequence[Result]) -> Summary:
        solved = [r for r in results if r.solved]
        times = [r.seconds for r in results] or [np.nan]
        return Summary(
            problems=len(results),
            solved=len(solved),
            median=float(np.median(times)),
            late=float(np.quantile(times, 0.95)),
            length=float(np.median([r.length for r in solved] or [np.nan])),
            proved=sum(r.verdict.free for r in solved if r.verdict is not None),
            refuted=sum(r.refuted for r in solved),
            seen=sum(r.refuted and r.seen for r in solved),
        )


def ratio(ours: Sequence[Result], theirs: Sequence[Result]) -> float:
    """How many times as long the median problem takes them."""
    return Summary.of(theirs).median / Summary.of(ours).median
