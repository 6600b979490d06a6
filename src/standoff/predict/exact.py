"""The exact stage behind the predictor (paper 004, Fig. 2): which alarms stand."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from standoff.constants import URGENCY_TOLERANCE
from standoff.errors import PoseError, PredictError
from standoff.kernels.predict import layout as p
from standoff.paths.checker import PathChecker
from standoff.paths.curves import as_pieces
from standoff.predict.amounts import each
from standoff.predict.report import Prediction
from standoff.shapes.distance import distance
from standoff.shapes.mesh import Mesh
from standoff.shapes.pose import Array
from standoff.shapes.shape import Shape

Marks = NDArray[np.bool_]


@runtime_checkable
class ExactStage(Protocol):
    """Says which alarms of a step stand."""

    def check(self, count: int, margin: float) -> None:
        """Raise a `PredictError` unless it can judge so many bodies with this margin."""

    def judge(
        self,
        step: Prediction,
        positions: Array,
        velocities: Array,
        rotations: Any,
        bodies: Array,
        margin: float,
    ) -> Marks:
        """For each alarm False where the pair surely does not get within the margin before it is
        looked at again, and True otherwise: doubt is danger. Where it is not known when that will
        be, ``until`` is infinite, and the alarm stands whatever is said here."""


class ExactShapes:
    """Holds alarms against the distance of the true shapes. Two convex shapes that are d apart
    along n at velocity v do not get within the margin for a time t as long as

        d - margin > (-n·v + ω_a ρ_a + ω_b ρ_b) t + A t² / 2

    where ω bounds how fast a body turns and ρ is the radius of its ball: no point of it is farther
    from its centre. Meshes are not convex, and |v| stands for -n·v.

    Args:
        shapes: of the bodies, about the centres of their balls and inside of them.
        max_turn: how fast they turn at most, [rad/s], one or for each.
    """

    def __init__(self, shapes: Sequence[Shape], max_turn: ArrayLike = 0.0) -> None:
        self._shapes = tuple(shapes)
        for k, shape in enumerate(self._shapes):
            if not isinstance(shape, Shape):
                raise PredictError(
                    "not a shape", element=f"shapes[{k}]", value=shape, allowed="a standoff shape"
                )
        self._turn = each("max_turn", max_turn, len(self._shapes), "rad/s")

    def check(self, count: int, margin: float) -> None:
        if len(self._shapes) != count:
            raise PredictError(
                "not one for each body", element="shapes", value=len(self._shapes),
                allowed=str(count),
            )  # fmt: skip

    def judge(
        self,
        step: Prediction,
        positions: Array,
        velocities: Array,
        rotations: Any,
        bodies: Array,
        margin: float,
    ) -> Marks:
        stands = np.ones(len(step.alarms), dtype=bool)
        faulty = {fault.body for fault in step.faults}
        for i, ((a, b), until) in enumerate(zip(step.alarms.tolist(), step.until.tolist())):
            if until == math.inf or faulty & {a, b, None}:
                continue  # nobody knows for how long to rule it out, or where they are
            if max(a, b) < min(len(positions), len(velocities)):
                v = velocities[b] - velocities[a]
                try:
                    poses = [_pose(positions, rotations, k) for k in (a, b)]
                    stands[i] = not self._apart(a, b, poses, v, bodies, margin, until)
                except (PoseError, IndexError, TypeError, ValueError):
                    continue  # rotations that are none: the alarm stands
        return stands

    def _apart(
        self, a: int, b: int, poses: list[Array], v: Array, bodies: Array, margin: float,
        until: float,
    ) -> bool:  # fmt: skip
        found = distance(self._shapes[a], poses[0], self._shapes[b], poses[1])
        if not (found.exact and found.value > margin):
            return False
        if isinstance(self._shapes[a], Mesh) or isinstance(self._shapes[b], Mesh):
            closing = float(np.linalg.norm(v))
        else:
            closing = float(found.normal @ v)  # the normal leads from b to a
        turning = float(self._turn[[a, b]] @ bodies[[a, b], p.RADIUS])
        gained = (closing + turning) * until
        gained += 0.5 * float(bodies[[a, b], p.ACCELERATION].sum()) * until * until
        # Rounding, and the search for the distance, are small beside this part of the gap.
        return found.value * (1.0 - URGENCY_TOLERANCE) - margin > max(gained, 0.0)


class ExactMotion:
    """Holds alarms against a motion that is known: what `PathChecker` proves free until the pair is
    looked at again is no danger. Where the motion has not begun, or ends before that, the alarm
    stands.

    Args:
        checker: of the cell that moves so; its clearance stands for the margin.
        motion: of the cell's joints, in the time of the steps; whatever `PathChecker.curve` takes.
    """

    def __init__(self, checker: PathChecker, motion: Any) -> None:
        self._checker = checker
        self._motion = as_pieces(checker.cell, motion)

    def check(self, count: int, margin: float) -> None:
        if self._checker.clearance < margin:
            raise PredictError(
                "smaller than the margin", element="clearance of the checker",
                value=self._checker.clearance, allowed=f"at least {margin:g} m",
            )  # fmt: skip

    def judge(
        self,
        step: Prediction,
        positions: Array,
        velocities: Array,
        rotations: Any,
        bodies: Array,
        margin: float,
    ) -> Marks:
        if step.time is None or step.faults or not step.time >= self._motion.start:
            return np.ones(len(step.alarms), dtype=bool)
        until = step.time + step.until
        known = until[until <= self._motion.end]
        if len(known) == 0:
            return np.ones(len(until), dtype=bool)
        verdict = self._checker.curve(self._motion.part(step.time, float(known.max())), first=True)
        free_until = float(known.max()) if verdict.free else verdict.free_until
        stands: Marks = until > free_until
        return stands


def _pose(positions: Array, rotations: Any, k: int) -> Array:
    """Where a body is."""
    pose: Array = np.eye(4)
    pose[:3, 3] = positions[k]
    if rotations is not None:
        pose[:3, :3] = rotations[k]
    return pose
