"""Inverse kinematics: joints that bring a link to a pose, or as near as it gets."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from standoff.constants import (
    REACH_ANGLE,
    REACH_DAMPING,
    REACH_LONGEST_STEP,
    REACH_POSITION,
    REACH_TURN_LENGTH,
    SMALL_TURN,
)
from standoff.errors import ConfigurationError, UnknownNameError
from standoff.robots.jacobian import jacobian
from standoff.robots.tree import Tree
from standoff.shapes.pose import Array, as_pose


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
    if isinstance(steps, bool) or not isinstance(steps, int) or steps < 0:
        raise ConfigurationError("steps", value=steps, allowed="a whole number from 0 on")
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
