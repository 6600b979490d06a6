"""How the velocities of a link hang on those of the joints."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from standoff.kernels import kinematics
from standoff.robots.tree import WORLD, Tree
from standoff.shapes.pose import Array


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
