"""Where a cell is at one reading: the frames of its model, and how fast they move."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from standoff.cell.model import Model
from standoff.geometry.pose import Array
from standoff.geometry.shape import Shape
from standoff.robots.kernels import kinematics
from standoff.robots.tree import matrices

Values = ArrayLike | Mapping[str, float]


class State:
    """The frames of a model at one reading: the world, those that joints move, those of the bodies
    that move by themselves.

    Args:
        q: the joints, an array or a dict by name.
        poses: of the moving bodies, (m, 4, 4).
        dq: velocities of the joints, as ``q``; None: none are known.
        twists: of the moving bodies, (m, 6): angular velocity, velocity of the origin; world axes.

    Attributes:
        model, q: what it is a state of.
        rows: poses in the world, (frames, 12), as kernels take them.
        twists: (frames, 6), as those of the moving bodies; None without ``dq``.

    Raises:
        ConfigurationError: not one finite number a joint.
    """

    def __init__(
        self,
        model: Model,
        q: Values,
        poses: Array,
        dq: Values | None = None,
        twists: Array | None = None,
    ) -> None:
        tree = model.tree
        self.model, self.q = model, tree.configuration(q)
        self.rows: Array = np.empty((model.frames, 12))
        self.rows[tree.frames :] = poses[:, :3].reshape(-1, 12)
        self.twists: Array | None = None
        if dq is None:
            kinematics.forward(tree.reals, tree.ints, self.q, tree.scratch(), self.rows)
            return
        self.twists = np.zeros((model.frames, 6))
        if twists is not None:
            self.twists[tree.frames :] = twists
        speeds = tree.values(dq, "dq", kind="velocity")
        kinematics.forward_velocity(
            tree.reals, tree.ints, self.q, speeds, tree.scratch(), self.rows, self.twists
        )

    @cached_property
    def frames(self) -> Array:
        """Poses in the world, (frames, 4, 4)."""
        return matrices(self.rows)

    def placed(self, name: str) -> list[tuple[Shape, Array]]:
        """The shapes of a link or body with their poses in the world."""
        entry = self.model.entries[name]
        at = self.frames[entry.frame]
        return [(shape, at @ pose) for shape, pose in entry.parts]
