"""The nearest points of two convex bodies, by the distance of their difference from the origin.

Plain and slow: the simplex is searched in all its faces. It serves witnesses alone, where an upper
bound of the distance is wanted: each point returned is a mean of points of its body, so it lies in
it, and no search can make the two points nearer than the bodies are.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations

import numpy as np

from standoff.constants import GJK_TOLERANCE
from standoff.paths.verify.support import core_extreme, radius
from standoff.shapes.pose import Array
from standoff.shapes.primitives import HalfSpace
from standoff.shapes.shape import Shape

Support = Callable[[Array], Array]

_STEPS = 500


def distance_at_most(a: Shape, pose_a: Array, b: Shape, pose_b: Array) -> float:
    """A distance that the two bodies are no farther apart than, [m]; 0 or less where they meet.
    Below 0 it is minus a part of how deep the cores' radii reach, and no depth."""
    grown = radius(a) + radius(b)
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
    found = core_extreme(shape, d @ pose[:3, :3])
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
