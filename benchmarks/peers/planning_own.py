"""Standoff's own planner among the others."""

from __future__ import annotations

import time

import numpy as np

import standoff as so
from peers.planning_contest import Attempt


class Own:
    """`so.Planner`, and `so.smooth` behind it; a problem is made ready by calling it.

    Args:
        shorten: how long a path may be shortened, [s]; 0 for not at all.
    """

    def __init__(self, method: str, shorten: float = 0.0) -> None:
        self.method, self.shorten = method, shorten

    def __call__(self, placed: so.plan.PlacedProblem) -> OwnQuery:
        return OwnQuery(placed, self.method, self.shorten)


class OwnQuery:
    def __init__(self, placed: so.plan.PlacedProblem, method: str, shorten: float) -> None:
        self.placed, self.shorten = placed, shorten
        self.planner = so.Planner(placed.cell, 0.0, method=method)
        self.checker = self.planner.checker
        _ = self.checker.tables

    def plan(self, seed: int, timeout: float) -> Attempt:
        placed = self.placed
        begin = time.process_time()
        plan = self.planner.plan(
            placed.start, placed.goals, seed=seed, timeout=timeout, joints=placed.joints
        )
        took = time.process_time() - begin
        if not plan.solved:
            return Attempt(None, took)
        if not self.shorten:
            return Attempt(plan.waypoints, took)
        begin = time.process_time()
        shorter = so.smooth(self.checker, plan.waypoints, seed=seed, timeout=self.shorten)
        took_all = took + time.process_time() - begin
        return Attempt(plan.waypoints, took, Attempt(shorter.waypoints, took_all))

    def touches(self, q: np.ndarray) -> bool:
        return not self.checker.segments(q[None], q[None], threads=1)[0]
