"""The bodies of paper 003, Fig. 3, and ways on which one is pushed into another."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from standoff.contact import Body
from standoff.errors import Error
from standoff.geometry.distance import distance
from standoff.geometry.polyhedron import Polyhedron
from standoff.geometry.pose import Array, pose
from standoff.geometry.primitives import Sphere
from standoff.geometry.shape import Shape

#: Fig. 3; the paper gives the numbers of vertices and no sizes.
NAMES: Mapping[str, str] = {
    "a": "cube, 8",
    "b": "rectangle, 8",
    "c": "cylinder, 20",
    "d": "cone, 11",
    "e": "sphere",
}

#: Of the sphere (e), [m].
BALL = 0.1

#: Halvings of the metre on which two bodies are brought to touch: some picometres are left.
_HALVINGS = 40


def ring(count: int, radius: float, height: float) -> Array:
    """``count`` points around z, [m]."""
    angle = 2.0 * math.pi * (np.arange(count) + 0.5) / count
    return np.stack(
        [radius * np.cos(angle), radius * np.sin(angle), np.full(count, height)], axis=1
    )


def grid(name: str) -> Array:
    """The matrix (n, m, 3) of the points of a body of Fig. 3, [m]: rings one above the other."""
    if name == "a":
        side = 0.2
        return np.stack([ring(4, side / math.sqrt(2.0), z) for z in (-side / 2.0, side / 2.0)])
    if name == "b":
        corners = np.array([[1.0, 1.0], [-1.0, 1.0], [-1.0, -1.0], [1.0, -1.0]]) * (0.2, 0.1)
        return np.stack([np.column_stack([corners, np.full(4, z)]) for z in (-0.05, 0.05)])
    if name == "c":
        return prism(20)
    if name == "d":
        return np.stack([ring(10, 0.12, -0.08), ring(10, 0.0, 0.17)])
    raise Error("no polyhedron of Fig. 3", value=name, allowed="a, b, c, d")


def prism(vertices: int, radius: float = 0.1, length: float = 0.3) -> Array:
    """The matrix of points of a prism about z with so many vertices, two rings."""
    return np.stack([ring(vertices // 2, radius, z) for z in (-length / 2.0, length / 2.0)])


def shape(points: Array | None) -> Shape:
    """What a matrix of points is the hull of; the sphere (e) for None."""
    if points is None:
        return Sphere(BALL)
    return Polyhedron(np.unique(points.reshape(-1, 3), axis=0))


def body(points: Array | None, levels: int | str) -> Body:
    """The same for a scene."""
    if points is None:
        return Body(Sphere(BALL))
    return Body.from_grid(points, levels=levels)


def points_of(name: str) -> Array | None:
    """The matrix of points of a body of Fig. 3; None for the sphere."""
    return None if name == "e" else grid(name)


def ways(still: Shape, moved: Shape, size: float, count: int, steps: int, seed: int) -> Array:
    """(count, steps, 4, 4): poses of ``moved`` beside ``still`` at the origin, pushed into it from
    random sides in random attitudes, from a hundredth of ``size`` [m] apart to a tenth deep."""
    rng = np.random.default_rng([3, seed])
    found = np.empty((count, steps, 4, 4))
    gaps = np.linspace(0.01 * size, -0.1 * size, steps)
    for way in found:
        turn, side = rng.normal(size=4), rng.normal(size=3)
        turn, side = turn / np.linalg.norm(turn), side / np.linalg.norm(side)
        touch = _touching(still, moved, turn, side)
        way[:] = [pose((touch + gap) * side, turn) for gap in gaps]
    return found


def _touching(still: Shape, moved: Shape, turn: Array, side: Array) -> float:
    """How far out along ``side`` two bodies that hold their origins touch, [m]."""
    low, high = 0.0, 1.0
    here = np.eye(4)
    for _ in range(_HALVINGS):
        middle = 0.5 * (low + high)
        if distance(still, here, moved, pose(middle * side, turn)).value > 0.0:
            high = middle
        else:
            low = middle
    return high
