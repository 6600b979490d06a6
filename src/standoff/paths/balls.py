"""A ball around each primitive."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from standoff.constants import BOX_ROUNDING, EPS
from standoff.kernels import layout
from standoff.shapes.pose import Array
from standoff.shapes.shape import Shape

#: Steps towards the smallest ball around many points; 100 leave it 1 % too large at most.
_STEPS = 100


def ball(shape: Shape) -> tuple[Array, float]:
    """Centre in the shape's frame, and a radius that holds all of the shape. The centre is in the
    hull of the shape's core, so that it moves no farther than the core does; a half space has an
    infinite ball."""
    if not shape.bounded:
        return np.zeros(3), math.inf
    size = shape.size_row
    centre = np.zeros(3)
    if shape.kind == layout.SPHERE:
        radius = float(size[0])
    elif shape.kind == layout.CAPSULE:
        radius = float(size[0] + size[1])
    elif shape.kind == layout.BOX:
        radius = float(np.linalg.norm(size[:3]))
    elif shape.kind == layout.CYLINDER:
        radius = math.hypot(size[0], size[1])
    else:
        centre, radius = _around(shape.core()[0])
    return centre, radius + BOX_ROUNDING * EPS * (radius + float(np.abs(centre).sum()))


def placed_ball(shape: Shape, pose: Array) -> list[float]:
    """The ball of a shape that is at ``pose``: centre and radius in one row."""
    centre, radius = ball(shape)
    return [*(pose[:3, :3] @ centre + pose[:3, 3]), radius]


def ball_of_balls(centres: Array, radii: Sequence[float]) -> tuple[Array, float]:
    """A ball around balls; its centre is in the hull of theirs."""
    centre, _ = _around(centres)
    reach = np.sqrt(((centres - centre) ** 2).sum(axis=1)) + radii
    return centre, float(reach.max()) * (1.0 + BOX_ROUNDING * EPS)


def _around(points: Array) -> tuple[Array, float]:
    """A ball around points, near the smallest: from their mean, step after step towards the
    farthest, so that the centre stays in their hull."""
    centre = points.mean(axis=0)
    for step in range(1, _STEPS + 1):
        away = points - centre
        farthest = int(np.argmax(np.einsum("ij,ij->i", away, away)))
        centre = centre + away[farthest] / (step + 1)
    return centre, float(np.sqrt(((points - centre) ** 2).sum(axis=1).max()))
