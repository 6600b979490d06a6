"""Whether two convex bodies are deeper in each other than a given depth.

They are when every direction would have to part them by more: with ``H`` the support function of
their difference, when ``H(n) > depth`` for all unit ``n``. The point ``x`` of the difference that
is extreme along ``n`` bounds ``H`` around it: for ``m`` at an angle ``θ`` from ``n``,
``H(m) >= m·x >= H(n) cos θ - |x - H(n) n| sin θ``. The six faces of a cube are divided until this
is enough everywhere.
"""

from __future__ import annotations

import math

import numpy as np

from standoff.paths.verify.gjk import distance_at_most, extremes
from standoff.paths.verify.support import radius
from standoff.shapes.pose import Array
from standoff.shapes.primitives import HalfSpace
from standoff.shapes.shape import Shape

#: Directions tried before it counts as not shown.
_MOST = 1 << 22


def deeper_than(a: Shape, pose_a: Array, b: Shape, pose_b: Array, depth: float) -> bool:
    """True only where it is shown; a depth below 0 is any overlap."""
    if isinstance(a, HalfSpace) or isinstance(b, HalfSpace):
        return -distance_at_most(a, pose_a, b, pose_b) > depth
    face = np.concatenate([np.eye(3), -np.eye(3)])
    side = np.roll(np.abs(face), 1, axis=1)
    up = np.roll(np.abs(face), 2, axis=1)
    middle, half, tried = face, 1.0, 0
    while len(middle):  # squares on the cube: middle, half a side, two directions
        tried += len(middle)
        if tried > _MOST:
            return False
        length = np.sqrt((middle * middle).sum(axis=1))
        n = middle / length[:, None]
        x = extremes(a, pose_a, n) - extremes(b, pose_b, -n) + (radius(a) + radius(b)) * n
        reach = (x * n).sum(axis=1)
        if (reach <= depth).any():
            return False
        # What is within r of a point at a distance of 1 or more is seen within asin r of it.
        angle = math.asin(min(1.0, math.sqrt(2.0) * half))
        aside = np.sqrt(np.maximum(0.0, (x * x).sum(axis=1) - reach * reach))
        least = reach * math.cos(angle) - aside * math.sin(angle)
        left = least <= depth
        middle, side, up = middle[left], side[left], up[left]
        half *= 0.5
        middle = np.concatenate(
            [middle + half * (x * side + y * up) for x in (-1, 1) for y in (-1, 1)]
        )
        side, up = np.tile(side, (4, 1)), np.tile(up, (4, 1))
    return True
