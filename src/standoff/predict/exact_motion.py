"""The exact stage for a cell whose motion is known: which alarms the path checker rules out."""

from __future__ import annotations

from typing import Any

import numpy as np

from standoff.constants import PATH_ROUNDING
from standoff.errors import Error, PredictError
from standoff.paths.checker import PathChecker
from standoff.paths.curves import as_pieces
from standoff.predict.exact import Marks, Reading
from standoff.predict.from_cell import CellSpheres
from standoff.predict.report import Prediction
from standoff.shapes.pose import Array


class ExactMotion:
    """Holds alarms of a cell against a motion that is known: what `PathChecker` proves free until
    the pair is looked at again is no danger. It goes with `Predictor.from_cell`, of the checker's
    own cell.

    An alarm stands where the motion says nothing of it: before it begins and after it ends, in a
    step with a fault, with a body whose pose is given in each step, and wherever the joints that
    were read are farther from the motion than the checker's ``deviation``. With one the cell is
    believed to stay that near to the motion until the next look; without, to be exactly on it.

    Args:
        checker: of the cell that moves so. None of its clearances may be less than the margin.
        motion: of the cell's joints, in the time of the steps; whatever `PathChecker.curve` takes.
    """

    def __init__(self, checker: PathChecker, motion: Any) -> None:
        if not isinstance(checker, PathChecker):
            raise PredictError(
                "not a checker", element="checker", value=checker, allowed="a PathChecker"
            )
        self._checker = checker
        self._motion = as_pieces(checker.cell, motion)

    def check(self, radii: Array, margin: float, spheres: CellSpheres | None) -> None:
        if spheres is None or spheres.cell is not self._checker.cell:
            raise PredictError(
                "the checker is of another cell, or the bodies of none", element="exact",
                allowed="Predictor.from_cell(cell, …) with a PathChecker(cell)",
            )  # fmt: skip
        if self._checker.least_clearance < margin:
            raise PredictError(
                "smaller than the margin", element="clearance of the checker, or of a pair",
                value=self._checker.least_clearance, allowed=f"at least {margin:g} m",
            )  # fmt: skip

    def judge(self, step: Prediction, reading: Reading, bodies: Array, margin: float) -> Marks:
        stands: Marks = np.ones(len(step.alarms), dtype=bool)
        spheres = reading.spheres
        if step.time is None or step.faults or spheres is None:
            return stands
        if not self._on_its_way(reading.q, step.time):
            return stands
        until = step.time + step.until
        names = np.array(spheres.names)[step.alarms]
        known = (until <= self._motion.end) & ~np.isin(names, spheres.cell.moving).any(axis=1)
        if not known.any():
            return stands
        end = float(until[known].max())
        verdict = self._checker.curve(self._motion.part(step.time, end), first=True)
        free_until = end if verdict.free else verdict.free_until
        stands[known] = until[known] > free_until
        return stands

    def _on_its_way(self, q: Any, time: float) -> bool:
        """Whether the motion has begun, and the joints are where it says."""
        if q is None or not self._motion.start <= time <= self._motion.end:
            return False
        try:
            joints = self._checker.cell.tree.configuration(q)
        except Error:
            return False
        planned = self._motion.at(time)
        # Rounding of a sum that others may have made in another order.
        slack = PATH_ROUNDING * (1.0 + np.abs(planned))
        return bool((np.abs(joints - planned) <= self._checker.deviation + slack).all())
