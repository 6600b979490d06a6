"""SBL by samples: `plan.growing.Lazy` with `sample_step` in the place of the exact step, and runs
of either on one clock (paper 001, section 4.2).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from time import perf_counter, process_time

from standoff.compiled.by_address import address_of
from standoff.geometry.pose import Array
from standoff.paths.checker import PathChecker
from standoff.paths.search import Scratch
from standoff.plan.growing import Lazy, compile_for
from standoff.plan.planner import Planner
from standoff.plan.query import Query, build_query, joint_weights

#: What looks at an interval of an edge.
SAMPLE_STEP = "papers.kernels.sample_step.sample_step"

#: No path is given up for the number of its samples.
_UNLIMITED = 1 << 62


class Samples(Lazy):
    """SBL as it was: every edge of a path is bisected until neighbours are less than ``epsilon``
    apart, a part of the joints' ranges, the longest stretch first. What it finds is not proved.

    All that is not the resolution is A-SBL's: trees, bridges, queues, what is kept of edges that
    were begun, broad phase, volumes and triangles.
    """

    def __init__(
        self, checker: PathChecker, query: Query, seed: int, reach: float, epsilon: float
    ) -> None:
        low, high = query.space.low, query.space.high
        self._samples: Array = 1.0 / (epsilon * (high - low))
        super().__init__(checker, query, seed, reach)
        self.lent.step_by(address_of(SAMPLE_STEP))
        self.roadmap.header.path_budget = _UNLIMITED

    def _room_for_edges(self, edges: int) -> Scratch:
        scratch = super()._room_for_edges(edges)
        scratch.samples[:] = self._samples
        scratch.header.stepper = address_of(SAMPLE_STEP)
        return scratch


@dataclass(frozen=True, eq=False)
class Run:
    """One run of a planner.

    Attributes:
        waypoints: None where it found none in time.
        time: of the processor for growing and testing, [s].
        edges: whose test was begun.
    """

    waypoints: Array | None
    time: float
    edges: int


def plan(
    checker: PathChecker,
    start: Array,
    goal: Array,
    seed: int,
    epsilon: float | None = None,
    timeout: float = math.inf,
) -> Run:
    """A run of A-SBL, or of SBL at the resolution ``epsilon``."""
    compile_for(Lazy.kernel)
    cell = checker.cell
    reach = Planner(cell, checker=checker, method="sbl").reach
    query = build_query(cell, start, goal, None, joint_weights(cell, None), True)
    growing: Lazy
    if epsilon is None:
        growing = Lazy(checker, query, seed, reach)
    else:
        growing = Samples(checker, query, seed, reach, epsilon)
    begun, since = perf_counter(), process_time()
    try:
        reason = growing.run(begun, begun + timeout, None, None)
        spent = process_time() - since
        found = growing.path()[0] if reason is None else None
    finally:
        growing.close()
    return Run(found, spent, growing.edges)
