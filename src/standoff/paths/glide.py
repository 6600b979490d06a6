"""Moving bodies that follow a straight line with constant spin while the joints move."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from standoff.errors import PathError, PoseError, UnknownNameError
from standoff.geometry.pose import Array, as_pose, numbers, rigid, vector
from standoff.paths.kernels.path_tables import GLIDE
from standoff.scalars import number
from standoff.tolerances import COORDINATE_LIMIT, HALF_TURN_SINE

#: Records of `path_tables.GLIDE`, (pieces, bodies).
Glides = NDArray[np.void]


@dataclass(frozen=True, eq=False)
class Glide:
    """A body's motion: its origin on a straight line at constant speed, the body turning about its
    origin at constant angular velocity.

    Attributes:
        pose: (4, 4) where it is when the motion starts; made rigid as the poses of a cell are.
        linear: (3,) velocity of its origin in world axes, [m] per unit of the motion's time.
        angular: (3,) angular velocity in world axes, [rad] per unit of the motion's time.

    Raises:
        PoseError: a pose that is none, or numbers that are not finite.
    """

    pose: Array
    linear: Array = (0.0, 0.0, 0.0)  # type: ignore[assignment]
    angular: Array = (0.0, 0.0, 0.0)  # type: ignore[assignment]

    def __post_init__(self) -> None:
        for name, value in (
            ("pose", as_pose(self.pose, "pose of a glide")),
            ("linear", vector(self.linear, 3, "linear")),
            ("angular", vector(self.angular, 3, "angular")),
        ):
            value.setflags(write=False)
            object.__setattr__(self, name, value)

    @staticmethod
    def between(pose_a: ArrayLike, pose_b: ArrayLike, duration: float = 1.0) -> Glide:
        """From one pose to another in ``duration``: straight ahead, and by the shorter turn.

        Raises:
            PathError: the two are half a turn apart (within HALF_TURN_SINE), and nobody knows
                which way it goes; give a pose in between, or the angular velocity.
        """
        duration = number("duration", duration, PathError, above=0.0)
        a, b = as_pose(pose_a, "pose_a"), as_pose(pose_b, "pose_b")
        return Glide(a, (b[:3, 3] - a[:3, 3]) / duration, _turn(a, b) / duration)

    def at(self, u: float) -> Array:
        """The pose (4, 4) when ``u`` of the motion's time has passed since its start."""
        u = number("u", u, PathError)
        result = np.eye(4)
        result[:3, :3] = _rotation(u * self.angular) @ self.pose[:3, :3]
        result[:3, 3] = self.pose[:3, 3] + u * self.linear
        return rigid(result)


def glide_table(
    names: Sequence[str], known: Sequence[Array], moving: Mapping[str, Any] | None, times: Array
) -> Glides:
    """How each moving body goes through each piece of a motion, from where it is at the piece's
    start, its velocities per unit of ``u``.

    A row leads to where the next one starts but for a few roundings of its coordinates and angle.

    Args:
        names, known: the moving bodies of the cell, and where it has them.
        moving: by name a `Glide` over the whole motion, which starts at ``times[0]``; or poses, one
            at each of ``times`` (for a segment: two), with the shorter turn from each to the next.
            A body that is left out stands still.
        times: (pieces + 1,), increasing.

    Raises:
        UnknownNameError: no moving body has that name.
        PathError: not as many poses as ``times``, or half a turn from one to the next.
        PoseError: a pose that is none.
    """
    given = {} if moving is None else moving
    if not isinstance(given, Mapping):
        raise PathError("not by name", element="moving", value=moving, allowed="a dict by body")
    for name in given:
        if name not in names:
            raise UnknownNameError(str(name), names, what="moving body")
    table = np.zeros((len(times) - 1, len(names)), GLIDE)
    for b, (name, pose) in enumerate(zip(names, known, strict=True)):
        motion = given.get(name, Glide(pose))
        if isinstance(motion, Glide):
            _write_glide(table[:, b], motion, times, name)
        else:
            _write_poses(table[:, b], motion, name)
    return table


def _write_glide(rows: Glides, glide: Glide, times: Array, name: str) -> None:
    span = float(times[-1] - times[0])
    with np.errstate(over="ignore"):
        end = glide.pose[:3, 3] + span * glide.linear
        turn = span * glide.angular
    if not max(np.abs(end).max(), np.abs(turn).max()) <= COORDINATE_LIMIT:
        raise PathError(
            "gets too far",
            element=f"moving[{name!r}]",
            value=(end.tolist(), turn.tolist()),
            allowed=f"coordinates and angles within {COORDINATE_LIMIT:g} m or rad",
        )
    for k, row in enumerate(rows):
        duration = times[k + 1] - times[k]
        start = glide.at(float(times[k] - times[0]))
        _write_row(row, start, glide.linear * duration, glide.angular * duration)


def _write_poses(rows: Glides, poses: Any, name: str) -> None:
    element = f"moving[{name!r}]"
    try:
        array = numbers(poses, element)
    except PoseError as error:
        raise PathError(
            "neither a glide nor poses", element=element, value=poses, allowed="so.Glide or poses"
        ) from error
    if array.shape != (len(rows) + 1, 4, 4):
        raise PathError(
            "not one pose at each end of each piece",
            element=element,
            value=array.shape,
            allowed=f"({len(rows) + 1}, 4, 4), or so.Glide over the whole motion",
        )
    checked = [as_pose(pose, f"{element}[{k}]") for k, pose in enumerate(array)]
    for k, row in enumerate(rows):
        a, b = checked[k], checked[k + 1]
        try:
            turn = _turn(a, b)
        except PathError as error:
            raise PathError(
                error.problem, element=f"{element}[{k}]", allowed=error.allowed
            ) from error
        _write_row(row, a, b[:3, 3] - a[:3, 3], turn)


def _write_row(row: Any, pose: Array, linear: Array, angular: Array) -> None:
    row["pose"], row["linear"], row["angular"] = pose[:3].ravel(), linear, angular


def _turn(a: Array, b: Array) -> Array:
    """The rotation vector of the shorter turn from a to b, in world axes, [rad].

    By way of the unit quaternion: ``w = cos(θ/2)`` and the vector part ``sin(θ/2)`` times the axis
    are both accurate at every angle, where the rotation matrix itself is flat at 0 and at π."""
    w, v = _quaternion(b[:3, :3] @ a[:3, :3].T)
    sine = float(np.sqrt(v @ v))
    # 2 w sin(θ/2) = sin θ; towards half a turn sin(θ/2) is 1.
    if 2.0 * w < HALF_TURN_SINE:
        raise PathError(
            "half a turn from one pose to the next, which may go either way",
            allowed="a pose in between, or a Glide with its angular velocity",
        )
    if sine == 0.0:
        return np.zeros(3)
    turn: Array = v * (2.0 * math.atan2(sine, w) / sine)
    return turn


def _quaternion(r: Array) -> tuple[float, Array]:
    """w >= 0 and the vector part of a rotation matrix, from its largest component."""
    squares = np.array(
        [
            1.0 + r[0, 0] + r[1, 1] + r[2, 2],
            1.0 + r[0, 0] - r[1, 1] - r[2, 2],
            1.0 - r[0, 0] + r[1, 1] - r[2, 2],
            1.0 - r[0, 0] - r[1, 1] + r[2, 2],
        ]
    )
    spin = np.array([r[2, 1] - r[1, 2], r[0, 2] - r[2, 0], r[1, 0] - r[0, 1]])
    largest = int(np.argmax(squares))
    if largest == 0:
        q = np.array([squares[0], *spin])
    else:
        i = largest - 1
        column = r[:, i] + r[i, :]
        column[i] = squares[largest]
        q = np.array([spin[i], *column])
    q /= np.sqrt(q @ q)
    return (float(q[0]), q[1:]) if q[0] >= 0.0 else (-float(q[0]), -q[1:])


def _rotation(turn: Array) -> Array:
    """The rotation matrix of a rotation vector: ``I + sin θ K + (1 - cos θ) K²``, K of the axis."""
    angle = float(np.sqrt(turn @ turn))
    if angle == 0.0:
        return np.eye(3)
    x, y, z = turn / angle
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    half = math.sin(0.5 * angle)
    result: Array = np.eye(3) + math.sin(angle) * cross + 2.0 * half * half * (cross @ cross)
    return result
