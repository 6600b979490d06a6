"""Inverse kinematics: joint values that bring a link to a pose, or as near as it gets (`reach`);
the Jacobian of a link (`jacobian`).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from standoff.errors import ConfigurationError, UnknownNameError
from standoff.geometry.pose import Array, as_pose
from standoff.robots.kernels import kinematics
from standoff.robots.tree import WORLD, Tree
from standoff.scalars import whole

#: When a link counts as brought to a pose, [m] and [rad]: far below what a drawing or a hand shows.
REACH_POSITION = 1e-5
REACH_ANGLE = 1e-5

#: How long a turn of one radian counts when positions and turns are weighed, [m]: a hand's length.
REACH_TURN_LENGTH = 0.2

#: Damping of inverse kinematics, [m/rad]: near a singular pose a joint moves no faster than half of
#: what is left over this. Larger is calmer there and slower elsewhere.
REACH_DAMPING = 0.02

#: The farthest that one step of inverse kinematics looks ahead, [m]: joints turn by about as many
#: radians, and beyond that the linear model misleads.
REACH_LONGEST_STEP = 0.2

#: Sine of a turn below which its axis is not known from the skew part of the matrix, [-].
SMALL_TURN = 1e-8


@dataclass(frozen=True, eq=False)
class Reach:
    """Where a link was brought.

    Attributes:
        q: the joints, within their limits.
        position_error: from its origin to where it was to be, [m].
        angle_error: of the turn that is left, [rad].
        steps: that were taken.
    """

    q: Array
    position_error: float
    angle_error: float
    steps: int

    @property
    def reached(self) -> bool:
        """Within REACH_POSITION and REACH_ANGLE."""
        return self.position_error <= REACH_POSITION and self.angle_error <= REACH_ANGLE


def reach(
    tree: Tree,
    q: ArrayLike | Mapping[str, float],
    link: str,
    pose: ArrayLike,
    *,
    joints: Iterable[str] | None = None,
    steps: int = 100,
) -> Reach:
    """Bring ``link`` to ``pose`` (4 x 4, world) by damped least squares, beginning at ``q``.

    Each step solves ``min |J dq - e|² + λ² |dq|²`` for the twist ``e`` that is left, with turns
    weighed by REACH_TURN_LENGTH, and is cut at the joint limits; a joint that is at one and is
    pushed beyond it is left out, and the others are solved for again. A pose out of reach gives the
    nearest that was found, and no error. Collisions are not looked at.

    Args:
        joints: names of those that may move; all that carry the link by default.
        steps: at most.

    Raises:
        UnknownNameError: no such link or joint.
        ConfigurationError: not a configuration, or a number of steps below 0.
        PoseError: not a pose.
    """
    target = as_pose(pose, "pose to reach")
    steps = whole("steps", steps, ConfigurationError)
    here = tree.configuration(q)
    free = np.zeros(len(tree.joints), dtype=np.bool_)
    for name in tree.joints if joints is None else joints:
        if name not in tree.joints:
            raise UnknownNameError(name, tree.joints, what="joint")
        free[tree.joints.index(name)] = True
    # A joint that is beyond its limits comes back to them; one that may not move stays.
    here = np.where(free, np.clip(here, tree.lower, tree.upper), here)
    best, least, done = here, math.inf, 0
    for done in range(steps + 1):
        at, J = jacobian(tree, here, link)
        left = np.concatenate([_turn(at, target), target[:3, 3] - at[:3, 3]])
        error = _size(left)
        if error < least:
            best, least = here, error
        if done == steps or (
            math.hypot(*left[3:]) <= REACH_POSITION and math.hypot(*left[:3]) <= REACH_ANGLE
        ):
            break
        here = _stepped(tree, here, J, left, free)
    at, _ = jacobian(tree, best, link)
    return Reach(
        best,
        math.dist(target[:3, 3], at[:3, 3]),
        float(np.linalg.norm(_turn(at, target))),
        done,
    )


def _stepped(tree: Tree, q: Array, J: Array, left: Array, free: np.ndarray) -> Array:
    """One damped step from ``q``, within the limits."""
    weight = np.array([REACH_TURN_LENGTH] * 3 + [1.0] * 3)
    wanted = weight * left
    # Far from the target the linear model is of no use: go no farther than it holds.
    size = float(np.linalg.norm(wanted))
    if size > REACH_LONGEST_STEP:
        wanted = wanted * (REACH_LONGEST_STEP / size)
    columns = weight[:, None] * J
    movable = free & (np.abs(columns).max(axis=0) > 0.0)
    while True:
        A = np.where(movable, columns, 0.0)
        # dq = Aᵀ (A Aᵀ + λ²)⁻¹ e is the minimum of |A dq - e|² + λ² |dq|².
        dq = A.T @ np.linalg.solve(A @ A.T + REACH_DAMPING**2 * np.eye(6), wanted)
        stuck = movable & (
            ((q >= tree.upper) & (dq > 0.0)) | ((q <= tree.lower) & (dq < 0.0))
        )  # fmt: skip
        if not stuck.any():
            moved: Array = np.clip(q + dq, tree.lower, tree.upper)
            return np.where(movable, moved, q)
        movable = movable & ~stuck


def _turn(at: Array, target: Array) -> Array:
    """The rotation vector, along the world's axes, that takes one orientation to the other, up to
    half a turn, [rad]."""
    R = target[:3, :3] @ at[:3, :3].T
    axis = 0.5 * np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
    sine = float(np.linalg.norm(axis))
    cosine = 0.5 * (float(np.trace(R)) - 1.0)
    angle = math.atan2(sine, cosine)
    if sine > SMALL_TURN:
        return np.asarray(axis * (angle / sine))
    if cosine > 0.0:
        return axis
    # Half a turn: R + 1 = 2 n nᵀ, and the longest of its columns is the best known.
    outer = R + np.eye(3)
    column = outer[:, int(np.argmax(np.diag(outer)))]
    return np.asarray(angle * column / np.linalg.norm(column))


def _size(left: Array) -> float:
    """What is left, as one length, [m]."""
    return math.hypot(*(REACH_TURN_LENGTH * left[:3]), *left[3:])


def jacobian(tree: Tree, q: ArrayLike | Mapping[str, float], link: str) -> tuple[Array, Array]:
    """The pose (4 x 4) of a link at ``q``, and J (6, joints): ``J @ dq`` is its angular velocity
    [rad/s] and then the velocity of its origin [m/s], along the world's axes.

    A column is zero where the joint does not carry the link. A mimic joint counts for the joint
    that it follows, times its multiplier.

    Raises:
        UnknownNameError: no such link.
        ConfigurationError: ``q`` is none of this tree.
    """
    frame, offset = tree.link(link)
    frames = tree.forward(q)
    pose: Array = frames[frame] @ offset
    result = np.zeros((6, len(tree.joints)))
    while frame != WORLD:
        _, kind, joint, _ = tree.ints[frame]
        axis = frames[frame, :3, 2]
        rate = tree.reals[frame, kinematics.MULTIPLIER]
        if kind == kinematics.PRISMATIC:
            result[3:, joint] += rate * axis
        else:
            result[:3, joint] += rate * axis
            result[3:, joint] += rate * np.cross(axis, pose[:3, 3] - frames[frame, :3, 3])
        frame = int(tree.parent[frame])
    return pose, result
