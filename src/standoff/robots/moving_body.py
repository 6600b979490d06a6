"""A body as the motion bound sees it: a few points that move with a frame."""

from __future__ import annotations

import math
import operator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from standoff.constants import COORDINATE_LIMIT
from standoff.errors import CellError, PoseError, ShapeError
from standoff.kernels import layout
from standoff.robots.tree import WORLD
from standoff.shapes.pose import Array, as_pose, numbers
from standoff.shapes.shape import Shape

#: Sides of the prism around a cylinder; it is 1 / cos(pi / 8) = 8 % wider than the cylinder.
_PRISM_SIDES = 8

#: A body with more points than this is moved by the eight corners of its box instead.
_MOST_POINTS = 64


@dataclass(frozen=True, eq=False)
class MovingBody:
    """A body as the bound sees it: points fixed in a frame of the tree.

    The body must lie in the hull of ``points`` grown by a ball, **and be that grown hull exactly**
    where the ball's radius is not 0: a sphere, a capsule. (A cylinder is not the capsule around it:
    it turns inside it, and its rim moves where the capsule stands still.) Then the radius does not
    enter the motion. `of_shape` takes care of this.

    Attributes:
        frame: the frame of the `Tree` it moves with.
        points: (n, 3) in that frame, [m]; none for a body without bounds, which must not move.

    Raises:
        ShapeError: points of another shape, that are not finite, or farther than COORDINATE_LIMIT;
            no points for a body that moves.
        CellError: a frame that is not a whole number >= 0.
    """

    name: str
    frame: int
    points: Array

    def __post_init__(self) -> None:
        object.__setattr__(self, "frame", _frame(self.frame, self.name))
        object.__setattr__(self, "points", _checked(self.points, self.name))
        if self.frame != WORLD and len(self.points) == 0:
            raise ShapeError(
                "a body without points cannot move", element=str(self.name), allowed="the world"
            )

    @classmethod
    def of_shape(cls, name: str, frame: int, shape: Shape, local: ArrayLike) -> MovingBody:
        """The body of a shape at ``local`` (4 x 4) in its frame."""
        local = as_pose(local, f"pose of body {name!r}")
        points = _points(shape)
        if frame != WORLD and len(points) == 0:
            raise ShapeError(
                "a body without bounds cannot move", element=name, value=shape, allowed="the world"
            )
        return cls(name, frame, points @ local[:3, :3].T + local[:3, 3])


def _frame(frame: int, name: str) -> int:
    try:
        if isinstance(frame, (bool, np.bool_)) or operator.index(frame) < 0:
            raise TypeError("no number of a frame")
        return operator.index(frame)
    except TypeError as error:
        raise CellError(
            "no frame", element=f"body {name!r}", value=frame, allowed="a whole number >= 0"
        ) from error


def _checked(points: ArrayLike, name: str) -> Array:
    """A copy of the points, (n, 3)."""
    element = f"points of body {name!r}"
    try:
        result = np.ascontiguousarray(numbers(points, element))
    except PoseError as error:
        raise ShapeError("not numbers", element=element, value=points) from error
    if result.ndim != 2 or result.shape[1] != 3:
        raise ShapeError("wrong shape", element=element, value=result.shape, allowed="(n, 3)")
    if not np.isfinite(result).all():
        raise ShapeError("a moving body needs finite points", element=element)
    farthest = float(np.abs(result).max(initial=0.0))
    if farthest > COORDINATE_LIMIT:
        raise ShapeError(
            "too far away", element=element, value=farthest, allowed=f"<= {COORDINATE_LIMIT:g} m"
        )
    result.setflags(write=False)
    return result


def _points(shape: Shape) -> Array:
    """Points as `MovingBody` asks for them, in the shape's own frame."""
    if not shape.bounded:
        return np.zeros((0, 3))
    if shape.kind == layout.CYLINDER:
        radius, half = float(shape.size_row[0]), float(shape.size_row[1])
        turns = np.arange(_PRISM_SIDES) * (2.0 * math.pi / _PRISM_SIDES)
        rim = np.stack([np.cos(turns), np.sin(turns)], axis=1) * (
            radius / math.cos(math.pi / _PRISM_SIDES)
        )
        return np.array([[x, y, z] for x, y in rim for z in (-half, half)])
    return shape.core()[0]


def few_points(points: Array) -> Array:
    """The points, or the corners of their box where they are many: the hull only grows."""
    if len(points) <= _MOST_POINTS:
        return points
    ends = np.stack([points.min(axis=0), points.max(axis=0)])
    return np.array([[x, y, z] for x in ends[:, 0] for y in ends[:, 1] for z in ends[:, 2]])
