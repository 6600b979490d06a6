"""Poses at the border: 4 x 4 row-major rigid motions, right-handed, [m]; quaternions w, x, y, z."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from standoff.errors import PoseError
from standoff.tolerances import COORDINATE_LIMIT, ROTATION_EXACT
from standoff.units import warn_angles, warn_order

#: How far a rotation matrix may be from orthonormal before it is refused, [-]. Poses that went
#: through a float32 or a text file with seven digits are a few 1e-7 off, and no honest pose more.
ROTATION_TOLERANCE = 1e-6

#: How far the length of a quaternion may be from 1 before it is refused, [-]. Four digits after
#: the point, as people type them, are up to 1e-4 off; beyond 1e-3 it is not a rotation any more.
QUATERNION_TOLERANCE = 1e-3

#: How far the length of a normal may be from 1 before it is refused, [-]. One that went through a
#: float32 is 1e-7 off; it is brought to length 1, and a longer way off it is no normal.
NORMAL_TOLERANCE = 1e-6

#: Cosine of a pitch below which the x axis stands upright, [-]: roll and yaw would be noise.
UPRIGHT = 1e-9


Array = NDArray[np.float64]

IDENTITY: Array = np.eye(4)
IDENTITY.setflags(write=False)


def pose(
    position: ArrayLike = (0.0, 0.0, 0.0),
    quaternion: ArrayLike | None = None,
    *,
    quaternion_xyzw: ArrayLike | None = None,
    rpy: ArrayLike | None = None,
) -> Array:
    """A 4 x 4 pose from a position and a rotation, given in one of three ways.

    Args:
        position: x, y, z, [m].
        quaternion: w, x, y, z, of length 1.
        quaternion_xyzw: x, y, z, w, as ROS and SciPy write it.
        rpy: angles [rad] about the fixed axes x, y, z, in this order (as in URDF).

    Raises:
        PoseError: two rotations, numbers that are not finite, a quaternion that is not of length 1.

    Angles of more than a full turn, and the quaternion (0, 0, 0, 1), are a `UnitsWarning`.
    """
    if quaternion_xyzw is not None:
        if quaternion is not None:
            raise PoseError("give one quaternion, in one order")
        quaternion = np.roll(vector(quaternion_xyzw, 4, "quaternion_xyzw"), 1)
    elif quaternion is not None:
        warn_order(vector(quaternion, 4, "quaternion"))
    if rpy is not None:
        warn_angles("rpy", vector(rpy, 3, "rpy"))
    return pose_of(position, quaternion, rpy)


def pose_of(
    position: ArrayLike, quaternion: ArrayLike | None = None, rpy: ArrayLike | None = None
) -> Array:
    """`pose` without its warnings: for what machines write."""
    if quaternion is not None and rpy is not None:
        raise PoseError("give a quaternion or rpy angles, not both")
    result = np.eye(4)
    result[:3, 3] = vector(position, 3, "position")
    if quaternion is not None:
        result[:3, :3] = rotation_of_quaternion(quaternion)
    elif rpy is not None:
        result[:3, :3] = rotation_of_rpy(rpy)
    return result


def as_pose(value: ArrayLike | None, element: str = "pose") -> Array:
    """A copy of a 4 x 4 pose, checked, its rotation the nearest to the one given; ``None`` is the
    identity."""
    if value is None:
        return np.eye(4)
    result = numbers(value, element)
    if result.shape != (4, 4):
        raise PoseError("wrong shape", element=element, value=result.shape, allowed="(4, 4)")
    if _plainly_rigid(result.tolist()):
        return np.ascontiguousarray(result)
    if not np.isfinite(result).all():
        raise PoseError("not finite", element=element, value=result.tolist())
    if not np.allclose(result[3], (0.0, 0.0, 0.0, 1.0), rtol=0.0, atol=ROTATION_TOLERANCE):
        raise PoseError(
            "last row is not that of a pose",
            element=element,
            value=result[3].tolist(),
            allowed="0 0 0 1 (4 x 4 row-major, translation in the last column)",
        )
    if np.abs(result[:3, 3]).max() > COORDINATE_LIMIT:
        raise PoseError(
            "too far away",
            element=element,
            value=result[:3, 3].tolist(),
            allowed=f"coordinates within {COORDINATE_LIMIT:g} m",
        )
    rotation = result[:3, :3]
    with np.errstate(over="ignore", invalid="ignore"):
        error = float(np.abs(rotation @ rotation.T - np.eye(3)).max())
        handed = float(np.linalg.det(rotation))
    if not (error <= ROTATION_TOLERANCE and handed > 0.0):
        raise PoseError(
            "rotation part is not a right-handed rotation",
            element=element,
            value=rotation.tolist(),
            allowed=f"orthonormal within {ROTATION_TOLERANCE:g}, determinant 1",
        )
    result[3] = (0.0, 0.0, 0.0, 1.0)
    return rigid(np.ascontiguousarray(result))


def _plainly_rigid(rows: list[list[float]]) -> bool:
    """Whether a 4 x 4 matrix is a rigid motion beyond question. In plain numbers, as numpy takes
    ten times as long over sixteen of them, and a cell can have 100,000 poses."""
    (a, b, c, x), (d, e, f, y), (g, h, i, z), last = rows
    near = ROTATION_EXACT / 4
    return (
        last == [0.0, 0.0, 0.0, 1.0]
        and abs(x) <= COORDINATE_LIMIT
        and abs(y) <= COORDINATE_LIMIT
        and abs(z) <= COORDINATE_LIMIT
        and abs(a * a + b * b + c * c - 1.0) <= near
        and abs(d * d + e * e + f * f - 1.0) <= near
        and abs(g * g + h * h + i * i - 1.0) <= near
        and abs(a * d + b * e + c * f) <= near
        and abs(a * g + b * h + c * i) <= near
        and abs(d * g + e * h + f * i) <= near
        and (b * f - c * e) * g + (c * d - a * f) * h + (a * e - b * d) * i > 0.0
    )


def rigid(pose: Array) -> Array:
    """The pose with the rotation nearest to its own. What came from a file with seven digits would
    otherwise stretch bodies a little, and every bound here holds for rigid motions."""
    rotation = pose[:3, :3]
    if np.abs(rotation @ rotation.T - np.eye(3)).max() <= ROTATION_EXACT / 2:
        return pose
    u, _, vt = np.linalg.svd(rotation)
    result = pose.copy()
    result[:3, :3] = u @ vt
    return result


def rotation_of_quaternion(value: ArrayLike) -> Array:
    """The rotation matrix of a unit quaternion (w, x, y, z)."""
    q = vector(value, 4, "quaternion")
    length = float(np.sqrt(np.sum(np.square(q)))) if np.abs(q).max() < 1e100 else np.inf
    if abs(length - 1.0) > QUATERNION_TOLERANCE:
        raise PoseError(
            f"quaternion has length {length:.6g}",
            value=q.tolist(),
            allowed=f"w, x, y, z of length 1 within {QUATERNION_TOLERANCE:g}",
        )
    w, x, y, z = q / length
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def rotation_of_rpy(value: ArrayLike) -> Array:
    """Roll about x, then pitch about y, then yaw about z, all fixed axes, [rad]."""
    roll, pitch, yaw = vector(value, 3, "rpy")
    cr, sr = np.cos(roll), np.sin(roll)
    cp, sp = np.cos(pitch), np.sin(pitch)
    cy, sy = np.cos(yaw), np.sin(yaw)
    return np.array(
        [
            [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
            [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
            [-sp, cp * sr, cp * cr],
        ]
    )


def rpy_of(pose: Array) -> Array:
    """Angles as `rotation_of_rpy` takes them, pitch from -π/2 to π/2; where that is at an end, only
    yaw minus or plus roll is known, and roll is 0."""
    (a, b, _), (d, e, _), (g, h, i) = pose[:3, :3].tolist()
    flat = math.hypot(a, d)
    if flat < UPRIGHT:
        return np.array([0.0, math.atan2(-g, flat), math.atan2(-b, e)])
    return np.array([math.atan2(h, i), math.atan2(-g, flat), math.atan2(d, a)])


def inverse(value: Array) -> Array:
    """The inverse of a rigid motion."""
    result = np.eye(4)
    result[:3, :3] = value[:3, :3].T
    result[:3, 3] = -value[:3, :3].T @ value[:3, 3]
    return result


def vector(value: ArrayLike, length: int, element: str) -> Array:
    """A finite vector of a given length."""
    result = numbers(value, element)
    if result.shape != (length,):
        raise PoseError(
            "wrong shape", element=element, value=seen(value), allowed=f"{length} numbers"
        )
    if not np.isfinite(result).all():
        raise PoseError("not finite", element=element, value=result.tolist())
    return result


def numbers(value: Any, element: str) -> Array:
    """A float64 copy of whatever numbers were given."""
    try:
        if np.asarray(value).dtype.kind not in "iufO":
            raise TypeError("neither whole numbers nor fractions")
        return np.array(value, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise PoseError("not numbers", element=element, value=seen(value)) from error


def seen(value: Any) -> Any:
    """A value as messages show it."""
    return value.tolist() if isinstance(value, np.ndarray) else value
