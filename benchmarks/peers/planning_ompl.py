"""OMPL's RRT-Connect with Pinocchio and Coal, as a Python user puts them together.

States are checked by Coal on Pinocchio's placements, motions by OMPL's own validator, which samples
them at a resolution. The planner's settings are OMPL's.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from importlib.metadata import version

import numpy as np
from ompl import base, geometric, util

import standoff as so
from peers.pinocchio_cell import PinocchioCell
from peers.planning_contest import Attempt

util.setLogLevel(util.LOG_NONE)

VERSION = f"OMPL {version('ompl')}, Pinocchio {version('pin')}, Coal {version('coal')}"


@dataclass(frozen=True)
class Resolution:
    """How far apart samples of a motion are: a part of the space's extent, or [rad]."""

    part: float | None = None
    radians: float | None = None


#: OMPL's default; what many configurations of MoveIt carry; and a fine one.
RESOLUTIONS = {
    "OMPL 0.05 of extent": Resolution(part=0.05),
    "OMPL 0.01 of extent": Resolution(part=0.01),
    "OMPL 0.01 rad": Resolution(radians=0.01),
}


class Ompl:
    """A planner at one resolution; problems are made ready by calling it.

    Args:
        shorten: how long OMPL may shorten a path that it found, [s]; 0 for not at all.
    """

    def __init__(self, resolution: Resolution, shorten: float = 0.0) -> None:
        self.resolution, self.shorten = resolution, shorten

    def __call__(self, placed: so.plan.PlacedProblem) -> OmplQuery:
        return OmplQuery(placed, self.resolution, self.shorten)


class OmplQuery:
    def __init__(
        self, placed: so.plan.PlacedProblem, resolution: Resolution, shorten: float
    ) -> None:
        cell = placed.cell
        self.placed, self.shorten = placed, shorten
        self.engine = PinocchioCell(cell, placed.joints, placed.start)
        self.columns = [cell.joints.index(name) for name in placed.joints]
        count = len(self.columns)
        bounds = base.RealVectorBounds(count)
        for k, column in enumerate(self.columns):
            bounds.setLow(k, float(cell.tree.lower[column]))
            bounds.setHigh(k, float(cell.tree.upper[column]))
        space = base.RealVectorStateSpace(count)
        space.setBounds(bounds)
        part = resolution.part
        if part is None:
            part = resolution.radians / space.getMaximumExtent()
        space.setLongestValidSegmentFraction(part)
        self.information = base.SpaceInformation(space)
        free = self.engine.free
        self.information.setStateValidityChecker(lambda state: free(state[0:count]))
        self.information.setup()
        self.problem = base.ProblemDefinition(self.information)
        self.problem.addStartState(self._state(placed.start))
        goals = base.GoalStates(self.information)
        for goal in placed.goals:
            goals.addState(self._state(goal))
        self.problem.setGoal(goals)
        self.spacing = float(space.getLongestValidSegmentLength())

    def plan(self, seed: int, timeout: float) -> Attempt:
        util.RNG.setSeed(seed + 1)
        planner = geometric.RRTConnect(self.information)
        planner.setProblemDefinition(self.problem)
        planner.setup()
        begin = time.process_time()
        late = base.PlannerTerminationCondition(lambda: time.process_time() - begin > timeout)
        planner.solve(late)
        took = time.process_time() - begin
        if not self.problem.hasExactSolution():
            return Attempt(None, took)
        path = self.problem.getSolutionPath()
        found = self._waypoints(path)
        if not self.shorten:
            return Attempt(found, took)
        begin = time.process_time()
        geometric.PathSimplifier(self.information).simplify(path, self.shorten)
        took_all = took + time.process_time() - begin
        return Attempt(found, took, Attempt(self._waypoints(path), took_all))

    def touches(self, q: np.ndarray) -> bool:
        return not self.engine.free(q[self.columns])

    def samples(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        """Where on a motion OMPL looks, from 0 to 1."""
        count = self.information.getStateSpace().validSegmentCount(self._state(a), self._state(b))
        return np.arange(count + 1) / count

    def _state(self, q: np.ndarray) -> object:
        state = self.information.allocState()
        state[0 : len(self.columns)] = q[self.columns].tolist()
        return state

    def _waypoints(self, path: geometric.PathGeometric) -> np.ndarray:
        states = [state[0 : len(self.columns)] for state in path.getStates()]
        found = np.tile(self.placed.start, (len(states), 1))
        found[:, self.columns] = states
        return found
