"""The exact stage behind the predictor (paper 004, Fig. 2): which alarms stand."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from standoff.constants import BOX_ROUNDING, EPS, ROTATION_TOLERANCE, URGENCY_TOLERANCE
from standoff.errors import PredictError
from standoff.kernels.predict import layout as p
from standoff.predict.amounts import each
from standoff.predict.from_cell import CellSpheres
from standoff.predict.report import Prediction
from standoff.shapes.distance import distance
from standoff.shapes.mesh import Mesh
from standoff.shapes.pose import Array
from standoff.shapes.primitives import Cylinder
from standoff.shapes.shape import Shape

Marks = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Reading:
    """What a step was given.

    Attributes:
        positions, velocities: as far as there are any, (k, 3).
        rotations: as they were given to `Predictor.step`.
        q: joint values, as they were given to `Predictor.step_cell`; None otherwise.
        spheres: of the cell that the bodies belong to; None: there is none.
    """

    positions: Array
    velocities: Array
    rotations: Any = None
    q: Any = None
    spheres: CellSpheres | None = None


@runtime_checkable
class ExactStage(Protocol):
    """Says which alarms of a step stand."""

    def check(self, radii: Array, margin: float, spheres: CellSpheres | None) -> None:
        """Raise a `PredictError` unless it can judge bodies in balls of these radii with this
        margin; ``spheres``: of the cell that they belong to."""

    def judge(self, step: Prediction, reading: Reading, bodies: Array, margin: float) -> Marks:
        """For each alarm False where the pair surely does not get within the margin before it is
        looked at again, and True otherwise: doubt is danger. Where it is not known when that will
        be, ``until`` is infinite, and the alarm stands whatever is said here."""


class ExactShapes:
    """Holds alarms against the distance of the true shapes. Two convex shapes that are d apart
    along n at velocity v do not get within the margin for a time t as long as

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
                "spheres of a cell turn with their links, and no step tells how", element="exact",
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

    def judge(self, step: Prediction, reading: Reading, bodies: Array, margin: float) -> Marks:
        positions, velocities = reading.positions, reading.velocities
        stands = np.ones(len(step.alarms), dtype=bool)
        faulty = {fault.body for fault in step.faults}
        now = step.number * step._unit * p.UNIT if step.time is None else step.time
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


def _pose(positions: Array, rotations: Any, k: int) -> Array:
    """Where a body is."""
    pose: Array = np.eye(4)
    pose[:3, 3] = positions[k]
    if rotations is not None:
        pose[:3, :3] = rotations[k]
    return pose


def _reach(shape: Shape) -> float:
    """How far from its origin a shape gets, [m]."""
    if not shape.bounded:
        return math.inf
    if isinstance(shape, Cylinder):
        return math.hypot(shape.radius, 0.5 * shape.length)
    points, radius = shape.core()
    return float(np.linalg.norm(points, axis=1).max()) + radius
