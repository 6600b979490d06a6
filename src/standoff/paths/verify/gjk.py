"""How near two convex bodies are, and whether they are deeper in each other than a given depth: for
witnesses alone, by their extreme points.

*Nearest points* (`nearest_points`), by the distance of the bodies' difference from the origin.
Plain and slow: the simplex is searched in all its faces. An upper bound of the distance is wanted:
each point returned is a mean of points of its body, so it lies in it, and no search can make the
two points nearer than the bodies are.

*Depth* (`deeper_than`). Two bodies are deeper in each other than that when every direction would
have to part them by more: with ``H`` the support function of their difference, when
``H(n) > depth`` for all unit ``n``. The point ``x`` of the difference that is extreme along ``n``
bounds ``H`` around it: for ``m`` at an angle ``θ`` from ``n``,
``H(m) >= m·x >= H(n) cos θ - |x - H(n) n| sin θ``. The six faces of a cube are divided until this
is enough everywhere.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import combinations

import numpy as np

from standoff.geometry.pose import Array
from standoff.geometry.primitives import HalfSpace
from standoff.geometry.shape import Shape
from standoff.tolerances import GJK_TOLERANCE

Support = Callable[[Array], Array]

_STEPS = 500


def distance_at_most(a: Shape, pose_a: Array, b: Shape, pose_b: Array) -> float:
    """A distance that the two bodies are no farther apart than, [m]; 0 or less where they meet.
    Below 0 it is minus a part of how deep the cores' radii reach, and no depth."""
    grown = a.swept_radius + b.swept_radius
    if isinstance(a, HalfSpace):
        return distance_at_most(b, pose_b, a, pose_a)
    if isinstance(b, HalfSpace):
        lowest = extremes(a, pose_a, -pose_b[None, :3, 2])[0] - pose_b[:3, 3]
        return float(pose_b[:3, 2] @ lowest) - grown
    p, q = nearest_points(
        lambda d: np.asarray(extremes(a, pose_a, d[None])[0]),
        lambda d: np.asarray(extremes(b, pose_b, d[None])[0]),
    )
    return float(np.sqrt(((p - q) ** 2).sum())) - grown


def extremes(shape: Shape, pose: Array, d: Array) -> Array:
    """Points (k, 3) of the core in the world that are farthest along ``d`` (k, 3)."""
    found = shape.support(d @ pose[:3, :3])
    return np.asarray(found @ pose[:3, :3].T + pose[:3, 3])


def nearest_points(support_a: Support, support_b: Support) -> tuple[Array, Array]:
    """Points of two bodies given by their extreme points, as near as the search gets."""
    start = np.array([1.0, 0.0, 0.0])
    points = [(support_a(start), support_b(-start))]
    weights = np.array([1.0])
    for _ in range(_STEPS):
        p, q = (sum(w * pair[k] for w, pair in zip(weights, points)) for k in (0, 1))
        d = np.asarray(p - q)
        square = float(d @ d)
        size = max(float(np.abs(a - b).max()) for a, b in points)
        if square <= (GJK_TOLERANCE * size) ** 2:
            break
        new = (support_a(-d), support_b(d))
        gained = square - float(d @ (new[0] - new[1]))
        if gained <= GJK_TOLERANCE * square or any(_same(new, old) for old in points):
            break
        points, weights = _reduced([*points, new])
    return np.asarray(p), np.asarray(q)


def _same(a: tuple[Array, Array], b: tuple[Array, Array]) -> bool:
    return np.array_equal(a[0], b[0]) and np.array_equal(a[1], b[1])


def _reduced(
    points: list[tuple[Array, Array]],
) -> tuple[list[tuple[Array, Array]], Array]:
    """The face of the simplex that holds its point nearest to the origin, and its weights."""
    best: tuple[float, list[tuple[Array, Array]], Array] = (np.inf, points[:1], np.array([1.0]))
    for count in range(1, min(len(points), 4) + 1):
        for face in combinations(points, count):
            corners = np.array([a - b for a, b in face])
            weights = _weights(corners)
            if (weights >= 0.0).all():
                at = weights @ corners
                if (square := float(at @ at)) < best[0]:
                    best = (square, list(face), weights)
    return best[1], best[2]


def _weights(corners: Array) -> Array:
    """Weights, adding up to 1, of the point nearest to the origin in the plane of the corners."""
    edges = (corners[1:] - corners[0]).T
    rest = np.linalg.lstsq(edges, -corners[0], rcond=None)[0] if edges.size else np.zeros(0)
    return np.concatenate([[1.0 - rest.sum()], rest])


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
        x = extremes(a, pose_a, n) - extremes(b, pose_b, -n) + (a.swept_radius + b.swept_radius) * n
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
