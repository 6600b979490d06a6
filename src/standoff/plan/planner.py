"""The planner: finds a path between configurations and proves it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from standoff.cell.cell import Cell
from standoff.errors import PlanError
from standoff.paths.checker import USUAL_TOLERANCE, PathChecker
from standoff.paths.verdict import Verdict
from standoff.plan.growing import Connect, Growing, Lazy, compile_for, prove
from standoff.plan.query import Query, above_zero, build_query, joint_weights
from standoff.plan.result import Method, Plan, Progress, Reason
from standoff.scalars import whole

#: Longest edge of RRT-Connect for one planned joint; for n of them as long as each moves so far.
#: Of capsules, longer edges cost no more and shorter ones find more; of meshes, shorter ones cost
#: less. Between 0.2 and 0.4 all is much the same on the problems of `docs/planning.md`.
_STEP = 0.3

#: Clearance of a plan unless another is asked for, [m]. Industrial arms come back to a point within
#: 0.02 to 0.1 mm, and follow a path within some tenths of a millimetre: a path that passes by less
#: than that is free in the model alone.
USUAL_CLEARANCE = 0.001

#: Half the neighbourhood of a milestone of SBL, as a part of each joint's range.
_REACH = 0.3

_KINDS: dict[Method, type[Growing]] = {"rrt-connect": Connect, "sbl": Lazy}


class Planner:
    """Plans paths that are proved free at every instant.

    It follows the cell: after a change of the cell the next plan is for the cell as it is then.
    Moving bodies stand where the cell has them.

    Args:
        clearance, tolerance: as for `PathChecker`, except that the clearance is 1 mm by default,
            about the path accuracy of an arm. A start or goal that is nearer to something, such as
            a grasp, needs a smaller one: ``clearance=0.0``, or ``clearances`` of single pairs of a
            ``checker``.
        method: ``rrt-connect``: two trees whose edges are checked as they grow; ``sbl``: two trees
            of free configurations whose edges are checked when the trees meet, the likeliest to
            collide first (paper 001's A-SBL).
        checker: one with settings of its own, for the same cell; ``clearance`` and ``tolerance``
            are then its.
        step: longest edge of RRT-Connect, in the planner's distance; by default 0.3 times the root
            of the number of planned joints.
        reach: half the width of the box about a milestone of SBL in which its children are drawn,
            and the farthest that a bridge goes, as a part of each joint's range.
        weights: how much each joint counts in that distance, by name or one a joint; by default 1,
            so that a radian counts as much as a metre.

    Raises:
        PlanError: a parameter that makes no sense.
    """

    def __init__(
        self,
        cell: Cell,
        clearance: float = USUAL_CLEARANCE,
        tolerance: float = USUAL_TOLERANCE,
        *,
        method: Method = "rrt-connect",
        checker: PathChecker | None = None,
        step: float | None = None,
        reach: float = _REACH,
        weights: ArrayLike | Mapping[str, float] | None = None,
    ) -> None:
        if not isinstance(method, str) or method not in _KINDS:
            raise PlanError(
                "no such method",
                element="method",
                value=method,
                allowed=", ".join(_KINDS),
            )
        if checker is not None and checker.cell is not cell:
            raise PlanError("a checker of another cell", element="checker", allowed="the same cell")
        self.cell = cell
        self.checker = PathChecker(cell, clearance, tolerance) if checker is None else checker
        self.method: Method = method
        self.step = None if step is None else above_zero(step, "step")
        self.reach = above_zero(reach, "reach")
        self._weights = weights
        joint_weights(cell, weights)

    def prepare(self) -> None:
        """Compile what has not been, and lay out the cell as it is now; `plan` does so itself, and
        does it before its clock starts."""
        compile_for(_KINDS[self.method].kernel)
        _ = self.checker.tables

    def plan(
        self,
        start: Any,
        goal: Any,
        *,
        seed: int = 0,
        timeout: float = 10.0,
        joints: Any = None,
        limits: bool = True,
        progress: Callable[[Progress], object] | None = None,
        cancelled: Callable[[], bool] | None = None,
    ) -> Plan:
        """A path from ``start`` to ``goal``, or to any one of several goals.

        Args:
            start: a configuration: an array in the order of ``cell.joints``, a dict by name, or
                the name of a named state (``cell.states``), which leaves the joints that it does
                not name where the cell has them.
            goal: the same, or a list of them; joints that a dict or a named state leaves out end
                where they start.
            seed: the same one gives the same path, however fast the machine is.
            timeout: [s]
            joints: which joints may move: the name of a group (``cell.groups``), of a robot (all
                of its joints) or of a joint, or a list of names; the others stay where they start.
                All of them by default, so that several robots are planned together;
                ``plan.joints`` are those that did move.
            limits: whether start and goal beyond the joint limits are refused. The path stays
                within the limits, or within the box that start and goals add to them.
            progress: called some fifty times a second.
            cancelled: asked as often whether to give up, such as ``threading.Event().is_set``.

        Raises:
            UnknownNameError: no such joint, group, robot or named state; the message says what
                there is.
            PlanError: a start or goal beyond its limits, no goal, no joint that may move; a
                cell that has changed meanwhile, so that the path found in it is none.
            ConfigurationError: configurations that do not fit the cell.
        """
        called = perf_counter()
        self.prepare()
        begun = perf_counter()
        end = begun + above_zero(timeout, "timeout")
        begin = whole("seed", seed, PlanError)
        query = build_query(
            self.cell, start, goal, joints, joint_weights(self.cell, self._weights), limits
        )
        blocked, query, kept = self._ends(query)
        growing = self._growing(query, begin)
        facts: dict[str, Any] = {
            "waypoints": np.zeros((0, len(query.start))), "goal": None, "length": math.inf,
            "joints": (), "moves": "no joint",
            "proving": 0.0,
        }  # fmt: skip
        if blocked is None:
            reason, verdict, found = self._solve(growing, query, begun, end, progress, cancelled)
            if found:
                names = self.cell.tree.names
                moving = np.ptp(found["waypoints"], axis=0) > 0.0
                joints = tuple(n for n, moves in zip(names.joints, moving, strict=True) if moves)
                facts.update(
                    found, goal=kept[found["goal"]], joints=joints, moves=names.words(joints)
                )
        else:
            reason, verdict = blocked
        growing.close()
        return Plan(
            solved=reason is None, reason=reason, verdict=verdict, time=perf_counter() - begun,
            preparing=begun - called, growing=growing.time, edges=growing.edges,
            nodes=growing.nodes, clearance=self.checker.least_clearance,
            tolerance=self.checker.tolerance, method=self.method, seed=begin, **facts,
        )  # fmt: skip

    def _growing(self, query: Query, seed: int) -> Growing:
        """The trees, about to grow."""
        if self.method == "sbl":
            return Lazy(self.checker, query, seed, self.reach)
        step = _STEP * math.sqrt(len(query.space.joints)) if self.step is None else self.step
        return Connect(self.checker, query, seed, step)

    def _solve(
        self,
        growing: Growing,
        query: Query,
        begun: float,
        end: float,
        progress: Callable[[Progress], object] | None,
        cancelled: Callable[[], bool] | None,
    ) -> tuple[Reason | None, Verdict | None, dict[str, Any]]:
        """Grow the trees until they meet on a path that is proved; why there is none, its verdict,
        and what `Plan` says of it."""
        while True:
            reason = growing.run(begun, end, progress, cancelled)
            if reason is not None:
                return reason, None, {}
            waypoints, reached = growing.path()
            growing.close()
            since = perf_counter()
            verdict = prove(self.checker, waypoints, growing.budget)
            if verdict.free:
                return None, verdict, {
                    "waypoints": waypoints, "goal": reached,
                    "length": query.space.length(waypoints), "proving": perf_counter() - since,
                }  # fmt: skip
            # What is free one by one is free together, but for angles that went on by whole turns
            # and are rounded anew. Such a path is not proved, so it is none.
            if perf_counter() > end:
                return "timeout", None, {}
            growing.reopen()

    def _ends(self, query: Query) -> tuple[tuple[Reason, Verdict] | None, Query, list[int]]:
        """Why nothing can be planned, or the query with the goals that are free, and which those
        are of all."""
        points = np.concatenate([query.start[None], query.goals])
        free = self.checker.segments(points, points, threads=1)
        if not free[0]:
            return ("start", self.checker.path(query.start)), query, []
        kept = np.flatnonzero(free[1:]).tolist()
        if not kept:
            return ("goal", self.checker.path(query.goals[0])), query, []
        return None, Query(query.start, query.goals[kept], query.space), kept
