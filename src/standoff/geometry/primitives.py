"""Sphere, capsule, box, cylinder and half space; docs/extending.md says how to add a shape."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from standoff.errors import ShapeError
from standoff.geometry.narrowphase import layout
from standoff.geometry.pose import Array
from standoff.geometry.shape import Shape, length, size_row


class Sphere(Shape):
    """A ball of ``radius`` [m] about the origin."""

    kind = layout.SPHERE

    def __init__(self, radius: float) -> None:
        self.radius = self.swept_radius = length(radius, "Sphere", "radius")
        self.size_row = size_row(self.radius)

    @property
    def volume(self) -> float:
        return 4.0 / 3.0 * math.pi * self.radius**3

    def bounds(self) -> tuple[Array, Array]:
        return _symmetric(self.radius, self.radius, self.radius)

    def core(self) -> tuple[Array, float]:
        return np.zeros((1, 3)), self.radius


class Capsule(Shape):
    """All points within ``radius`` [m] of a segment of ``length`` [m] along z, the cylsphere of
    the papers. ``length`` runs between the two cap centres; 0 gives a sphere."""

    kind = layout.CAPSULE

    def __init__(self, radius: float, length: float) -> None:
        self.radius = self.swept_radius = _length(radius, "Capsule", "radius")
        self.length = _length(length, "Capsule", "length", zero=True)
        self.size_row = size_row(self.radius, self.length / 2)

    @property
    def volume(self) -> float:
        return math.pi * self.radius**2 * (self.length + 4.0 / 3.0 * self.radius)

    def bounds(self) -> tuple[Array, Array]:
        return _symmetric(self.radius, self.radius, self.length / 2 + self.radius)

    def core(self) -> tuple[Array, float]:
        return _axis(self.length / 2), self.radius


class Box(Shape):
    """A box with full extents ``size`` (x, y, z) [m]. An extent may be 0: a sheet or a needle."""

    kind = layout.BOX

    def __init__(self, size: ArrayLike) -> None:
        extents = list(size) if isinstance(size, (Sequence, np.ndarray)) else []
        if len(extents) != 3:
            raise ShapeError("wrong shape", element="Box.size", value=size, allowed="3 numbers")
        x, y, z = (_length(s, "Box", f"size[{i}]", zero=True) for i, s in enumerate(extents))
        if x == y == z == 0.0:
            raise ShapeError(
                "a box without any extent", element="Box.size", value=size, allowed="one above 0"
            )
        self.size = (x, y, z)
        self.size_row = size_row(x / 2, y / 2, z / 2)

    @property
    def volume(self) -> float:
        return math.prod(self.size)

    def bounds(self) -> tuple[Array, Array]:
        return _symmetric(*self.size_row[:3])

    def core(self) -> tuple[Array, float]:
        signs = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], float)
        return signs * self.size_row[:3], 0.0

    def support(self, directions: Array) -> Array:
        return np.copysign(self.size_row[:3], directions)

    def parameters(self) -> dict[str, Any]:
        return {"size": list(self.size)}


class Cylinder(Shape):
    """A solid cylinder of ``radius`` [m] along z, flat at both ends, ``length`` [m] in all."""

    kind = layout.CYLINDER

    def __init__(self, radius: float, length: float) -> None:
        self.radius = _length(radius, "Cylinder", "radius")
        self.length = _length(length, "Cylinder", "length")
        self.size_row = size_row(self.radius, self.length / 2)

    @property
    def volume(self) -> float:
        return math.pi * self.radius**2 * self.length

    def bounds(self) -> tuple[Array, Array]:
        return _symmetric(self.radius, self.radius, self.length / 2)

    def core(self) -> tuple[Array, float]:
        return _axis(self.length / 2), self.radius

    def outline(self, sides: int) -> Array:
        rim, half = _rim(self.radius, sides), self.length / 2
        return np.concatenate([np.insert(rim, 2, z, axis=1) for z in (-half, half)])

    def support(self, directions: Array) -> Array:
        x, y, z = directions.T
        across = np.hypot(x, y)
        lean = self.radius / np.where(across > 0.0, across, 1.0)
        return np.stack([lean * x, lean * y, np.copysign(self.length / 2, z)], axis=1)


class HalfSpace(Shape):
    """Everything with z <= 0: floors, walls, keep-out planes. It never moves."""

    kind = layout.HALFSPACE
    bounded = False

    def __init__(self) -> None:
        self.size_row = size_row()

    @property
    def volume(self) -> float:
        return math.inf

    def bounds(self) -> tuple[Array, Array]:
        return np.full(3, -np.inf), np.array([np.inf, np.inf, 0.0])

    def core(self) -> tuple[Array, float]:
        raise ShapeError("a half space has no bounded core", element="HalfSpace")


#: The shapes without points, each with a kind of its own.
PRIMITIVES: tuple[type[Shape], ...] = (Sphere, Capsule, Box, Cylinder, HalfSpace)

_length = length


def _symmetric(x: float, y: float, z: float) -> tuple[Array, Array]:
    upper = np.array([x, y, z], dtype=float)
    return -upper, upper


def _axis(half: float) -> Array:
    return np.array([[0.0, 0.0, -half], [0.0, 0.0, half]])


def _rim(radius: float, sides: int) -> Array:
    """The corners (n, 2) of the regular polygon whose sides touch a circle."""
    turn = np.arange(sides) * (2.0 * math.pi / sides)
    wide = radius / math.cos(math.pi / sides)
    return wide * np.stack([np.cos(turn), np.sin(turn)], axis=1)
