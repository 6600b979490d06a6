"""Zones with names of their own: where robots must not get, and what they must not leave."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from standoff.errors import MonitorError
from standoff.geometry.pose import Array, as_pose
from standoff.geometry.primitives import Box, HalfSpace
from standoff.geometry.shape import Shape, frozen

Parts = tuple[tuple[Shape, Array], ...]


@dataclass(frozen=True, eq=False)
class _Zone:
    name: str
    shape: Shape
    pose: ArrayLike | None = None
    only: Sequence[str] | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name:
            raise MonitorError("name of a zone", value=self.name, allowed="a text")
        if not isinstance(self.shape, (Box, HalfSpace)):
            raise MonitorError(
                "shape of a zone", element=self.name, value=self.shape, allowed="Box or HalfSpace"
            )
        object.__setattr__(self, "pose", frozen(as_pose(self.pose, f"pose of zone {self.name!r}")))
        object.__setattr__(self, "only", _names(self.only, self.name))


@dataclass(frozen=True, eq=False)
class KeepOut(_Zone):
    """No moving body may come too close to this half space or box.

    Attributes:
        name: what warnings call it.
        shape: a `HalfSpace` or a `Box`.
        pose: 4 x 4, in the world.
        only: robots, links or bodies that it is for; None: whatever moves.
    """

    def parts(self) -> Parts:
        """The forbidden space as shapes at their poses."""
        return ((self.shape, as_pose(self.pose, self.name)),)


@dataclass(frozen=True, eq=False)
class KeepIn(_Zone):
    """No moving body may come too close to the end of this half space or box from within, let alone
    leave it. Attributes as those of `KeepOut`."""

    def parts(self) -> Parts:
        """The space outside, which is forbidden: one half space beyond each face."""
        at = as_pose(self.pose, self.name)
        if isinstance(self.shape, HalfSpace):
            return ((HalfSpace(), at @ _facing(2, -1.0, 0.0)),)
        half = np.asarray(self.shape.size_row)[:3]
        return tuple(
            (HalfSpace(), at @ _facing(axis, -side, side * float(half[axis])))
            for axis in range(3)
            for side in (-1.0, 1.0)
        )


def _names(only: Any, zone: str) -> tuple[str, ...] | None:
    """The names that a zone is for, once and for all."""
    if only is None:
        return None
    names = None if isinstance(only, (str, bytes)) or not isinstance(only, Iterable) else [*only]
    if names is None or not all(isinstance(name, str) for name in names):
        raise MonitorError("only of a zone", element=zone, value=only, allowed="a list of names")
    return tuple(names)


def _facing(axis: int, sign: float, at: float) -> Array:
    """The pose of a half space that ends at ``at`` along an axis; it lies against ``sign``."""
    result = np.eye(4)
    x, y, z = (axis + 1) % 3, (axis + 2) % 3, axis
    rotation = np.zeros((3, 3))
    rotation[x, 0], rotation[y, 1], rotation[z, 2] = sign, 1.0, sign
    result[:3, :3] = rotation
    result[axis, 3] = at
    return result


Zone = KeepIn | KeepOut
