"""The exact stage behind the predictor (paper 004, Fig. 2): which alarms stand, by the true shapes
or, in a cell whose motion is known, by the path checker.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from standoff.errors import Error, PredictError
from standoff.geometry.distance import distance
from standoff.geometry.mesh import Mesh
from standoff.geometry.pose import ROTATION_TOLERANCE, Array
from standoff.geometry.primitives import Cylinder
from standoff.geometry.shape import Shape
from standoff.motion.kernels.certify import half_free
from standoff.paths.checker import PathChecker
from standoff.paths.curves import as_pieces
from standoff.predict.from_cell import CellSpheres
from standoff.predict.kernels.predict_tables import UNIT
from standoff.predict.options import each
from standoff.predict.readings import Reading
from standoff.predict.report import Prediction
from standoff.predict.schedule import Rows
from standoff.scalars import instance
from standoff.tolerances import BOX_ROUNDING, EPS, PATH_ROUNDING, URGENCY_TOLERANCE

Marks = NDArray[np.bool_]


@runtime_checkable
class ExactStage(Protocol):
    """Says which alarms of a step stand."""

    def check(self, radii: Array, margin: float, spheres: CellSpheres | None) -> None:
        """Raise a `PredictError` unless it can judge bodies in balls of these radii with this
        margin; ``spheres``: of the cell that they belong to."""

    def judge(self, step: Prediction, reading: Reading, bodies: Rows, margin: float) -> Marks:
        """For each alarm False where the pair surely does not get within the margin before it is
        looked at again, and True otherwise: doubt is danger. Where it is not known when that will
        be, ``until`` is infinite, and the alarm stands whatever is said here."""


class ExactShapes:
    """Holds alarms against the distance of the true shapes, by `motion.kernels.certify.half_free`.
    Two convex shapes that are d apart along n at velocity v do not get within the margin for a time
    t as long as

        d - margin > (-n·v + ω_a ρ_a + ω_b ρ_b) t + A t² / 2

    where ω bounds how fast a body turns and ρ is the radius of its ball: no point of it is farther
    from its centre. Meshes are not convex, and |v| stands for -n·v.

    An alarm stands where the orientation of a body is not known: it may turn and no rotations are
    given, or no longer; rotations are given without ``max_turn``; or it has turned farther since
    its last alarm than ``max_turn`` allows. The spheres of a cell have no orientations:
    `ExactMotion` is for them.

    Args:
        shapes: of the bodies, about the centres of their balls and inside of them.
        max_turn: how fast they turn at most, [rad/s], one or for each; None: all of them keep the
            orientation of their shapes.
    """

    def __init__(self, shapes: Iterable[Shape], max_turn: ArrayLike | None = None) -> None:
        if isinstance(shapes, Shape) or not isinstance(shapes, Iterable):
            raise PredictError(
                "not shapes", element="shapes", value=shapes, allowed="one for each body"
            )
        self._shapes = tuple(shapes)
        for k, shape in enumerate(self._shapes):
            if not isinstance(shape, Shape):
                raise PredictError(
                    "not a shape", element=f"shapes[{k}]", value=shape, allowed="a standoff shape"
                )
        self._upright = max_turn is None
        turn = 0.0 if max_turn is None else max_turn
        self._turn = each("max_turn", turn, len(self._shapes), "rad/s")
        self._seen: dict[int, tuple[float, Array]] = {}  # time, rotation at each one's last alarm

    def check(self, radii: Array, margin: float, spheres: CellSpheres | None) -> None:
        if spheres is not None:
            raise PredictError(
                "the spheres of a cell have no orientations", element="exact",
                value=type(self).__name__, allowed="ExactMotion(...), or None",
            )  # fmt: skip
        if len(self._shapes) != len(radii):
            raise PredictError(
                "not one for each body", element="shapes", value=len(self._shapes),
                allowed=str(len(radii)),
            )  # fmt: skip
        for k, (shape, radius) in enumerate(zip(self._shapes, radii.tolist())):
            reach = _reach(shape)
            if not reach <= radius * (1.0 + BOX_ROUNDING * EPS):
                raise PredictError(
                    f"reaches {reach:.6g} m from the centre of its ball", element=f"shapes[{k}]",
                    value=shape, allowed=f"shapes within the radius of their ball, {radius:.6g} m",
                )  # fmt: skip

    def judge(self, step: Prediction, reading: Reading, bodies: Rows, margin: float) -> Marks:
        positions, velocities = reading.positions, reading.velocities
        stands = np.ones(len(step.alarms), dtype=bool)
        faulty = {fault.body for fault in step.faults}
        now = step.number * step._unit * UNIT if step.time is None else step.time
        lost: dict[int, bool] = {}
        for i, ((a, b), until) in enumerate(zip(step.alarms.tolist(), step.until.tolist())):
            if until == math.inf or faulty & {a, b, None}:
                continue  # nobody knows for how long to rule it out, or where they are
            if max(a, b) < min(len(positions), len(velocities)):
                v = velocities[b] - velocities[a]
                try:
                    poses = [_pose(positions, reading.rotations, k) for k in (a, b)]
                    for k, pose in zip((a, b), poses, strict=True):
                        if k not in lost:
                            lost[k] = self._lost(k, pose[:3, :3], reading.rotations, now)
                    if not (lost[a] or lost[b]):
                        stands[i] = not self._apart(a, b, poses, v, bodies, margin, until)
                except Exception:  # whatever rotations that are none raise: the alarm stands
                    continue
        return stands

    def _lost(self, k: int, rotation: Array, rotations: Any, now: float) -> bool:
        """Whether the orientation of a body is not known, or how fast it turns. Rotations that are
        an angle of ω t apart differ by no more than √2 ω t in the Frobenius norm."""
        if rotations is None:
            return k in self._seen or bool(self._turn[k] > 0.0)
        then, last = self._seen.get(k, (now, rotation))
        self._seen[k] = now, rotation
        allowed = math.sqrt(2.0) * float(self._turn[k]) * (now - then)
        return self._upright or not np.linalg.norm(rotation - last) <= allowed + ROTATION_TOLERANCE

    def _apart(
        self, a: int, b: int, poses: list[Array], v: Array, bodies: Rows, margin: float,
        until: float,
    ) -> bool:  # fmt: skip
        found = distance(self._shapes[a], poses[0], self._shapes[b], poses[1])
        if not (found.exact and found.distance > margin):
            return False
        if isinstance(self._shapes[a], Mesh) or isinstance(self._shapes[b], Mesh):
            closing = float(np.linalg.norm(v))
        else:
            closing = float(found.normal @ v)  # the normal leads from b to a
        closing += float(self._turn[[a, b]] @ bodies["radius"][[a, b]])
        # Rounding, and the search for the distance, are small beside this part of the gap.
        left = found.distance * (1.0 - URGENCY_TOLERANCE) - margin
        return bool(half_free(left, closing, float(bodies["acceleration"][[a, b]].sum()), until))


def _pose(positions: Array, rotations: Any, k: int) -> Array:
    """Where a body is."""
    pose: Array = np.eye(4)
    pose[:3, 3] = positions[k]
    if rotations is not None:
        pose[:3, :3] = rotations[k]
    return pose


#: Sides of the polytope around a curved shape; it is 4e-5 wider.
_SIDES = 360


def _reach(shape: Shape) -> float:
    """How far from its origin a shape gets, [m]."""
    if not shape.bounded:
        return math.inf
    if isinstance(shape, Cylinder):
        return math.hypot(shape.radius, 0.5 * shape.length)
    points = shape.outline(_SIDES)
    return float(np.linalg.norm(points, axis=1).max()) + shape.swept_radius


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
        instance("checker", checker, PredictError, PathChecker)
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

    def judge(self, step: Prediction, reading: Reading, bodies: Rows, margin: float) -> Marks:
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
