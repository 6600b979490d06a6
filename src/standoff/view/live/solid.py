"""Shapes as the page draws them, also extended by a buffer."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from standoff.geometry.mesh import Mesh
from standoff.geometry.narrowphase import layout
from standoff.geometry.polyhedron import Polyhedron
from standoff.geometry.pose import Array
from standoff.geometry.primitives import Capsule, Cylinder, Sphere
from standoff.geometry.shape import IntArray, Shape, directions, surface_points
from standoff.view.render import swept, triangles

#: Directions about the vertices of what is extended: rings of a ball, and points of a ring.
_RINGS, _POINTS = 7, 12


@dataclass(frozen=True, eq=False)
class Solid:
    """Triangles with shared corners, and whether their faces are flat."""

    vertices: Array
    faces: IntArray
    flat: bool


def solid(shape: Shape) -> Solid:
    """A bounded shape in its own frame."""
    if isinstance(shape, (Mesh, Polyhedron)):
        return Solid(np.asarray(shape.vertices), np.asarray(shape.faces), True)
    return _joined(triangles(shape), flat=not isinstance(shape, (Sphere, Capsule)))


def extended(shape: Shape, margin: float) -> Solid:
    """All points within ``margin`` of a shape, [m]. Round things are drawn with flat facets, from
    inside; a mesh that is not convex is drawn with its corners moved outwards, which is near."""
    if isinstance(shape, Sphere):
        return solid(Sphere(shape.radius + margin))
    if isinstance(shape, Capsule):
        return solid(Capsule(shape.radius + margin, shape.length))
    if isinstance(shape, Cylinder):
        return _joined(swept(*_rounded(shape, margin)), flat=False)
    if isinstance(shape, Mesh):
        return _inflated(shape, margin)
    general = layout.is_general(shape.kind)
    corners = surface_points(shape, _POINTS) if general else shape.outline(0)
    hull = Polyhedron((corners[:, None] + margin * directions(_POINTS)).reshape(-1, 3))
    return Solid(np.asarray(hull.vertices), np.asarray(hull.faces), False)


def _rounded(shape: Cylinder, margin: float) -> tuple[Array, Array]:
    """The outline of a cylinder with rounded rims: distance from the axis, and height."""
    turn = np.linspace(-0.5 * math.pi, 0.0, _RINGS)
    radius = shape.radius + margin * np.cos(turn)
    height = margin * np.sin(turn) - 0.5 * shape.length
    return (
        np.concatenate([[0.0], radius, radius[::-1], [0.0]]),
        np.concatenate([height[:1], height, -height[::-1], -height[:1]]),
    )


def _inflated(shape: Mesh, margin: float) -> Solid:
    vertices, faces = np.asarray(shape.vertices), np.asarray(shape.faces)
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    across = np.cross(b - a, c - a)
    normals = np.zeros_like(vertices)
    for k in range(3):
        np.add.at(normals, faces[:, k], across)
    size = np.linalg.norm(normals, axis=1, keepdims=True)
    outward = np.divide(normals, size, out=np.zeros_like(normals), where=size > 0.0)
    return Solid(vertices + margin * outward, faces, False)


def _joined(corners: Array, *, flat: bool) -> Solid:
    """Triangles (n, 3, 3) with equal corners made one."""
    rounded = np.round(corners.reshape(-1, 3), 9)
    vertices, index = np.unique(rounded, axis=0, return_inverse=True)
    faces = index.reshape(-1, 3)
    a, b, c = faces.T
    return Solid(vertices, faces[(a != b) & (b != c) & (c != a)], flat)
