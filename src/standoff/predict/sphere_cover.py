"""Spheres that hold a shape."""

from __future__ import annotations

import math

import numpy as np

from standoff.constants import BOX_ROUNDING, EPS, SMALLEST_SIZE, SPHERE_GROWTH
from standoff.errors import ShapeError
from standoff.shapes.covering import cover_shapes
from standoff.shapes.distance import distance
from standoff.shapes.mesh import Mesh
from standoff.shapes.polyhedron import Polyhedron
from standoff.shapes.pose import IDENTITY, Array
from standoff.shapes.primitives import Box, Capsule, Cylinder, Sphere
from standoff.shapes.shape import Shape

#: Capsules that a shape which is none is covered by first.
_CAPSULES = 2


def spheres_of(shape: Shape, pose: Array, largest: float) -> tuple[Array, Array]:
    """Centres (n, 3) in the frame that ``pose`` is given in, and radii, [m], of spheres that hold a
    bounded shape; none has more than ``largest``, or SPHERE_GROWTH times that of the shape's own
    capsules where these are thicker. Boxes are split into cells, cylinders into slices; polyhedra
    and meshes are covered by two capsules first."""
    if isinstance(shape, Box):
        centres, radii = _of_box(shape, largest)
    elif isinstance(shape, Sphere | Capsule):
        length = shape.length if isinstance(shape, Capsule) else 0.0
        centres, radii = _of_capsule(shape.radius, length, largest)
    elif isinstance(shape, Cylinder):
        centres, radii = _of_cylinder(shape.radius, shape.length, largest)
    else:
        found = []
        for capsule, local in cover_shapes([(shape, IDENTITY)], count=_CAPSULES).capsules:
            along, radii = _of_capsule(capsule.radius, capsule.length, largest)
            found.append((along @ local[:3, :3].T + local[:3, 3], radii))
        centres = np.concatenate([c for c, _ in found])
        radii = np.concatenate([r for _, r in found])
    placed = centres @ pose[:3, :3].T + pose[:3, 3]
    lengths = radii + np.abs(centres).sum(axis=1) + np.abs(pose[:3, 3]).sum()
    return placed, radii + BOX_ROUNDING * EPS * lengths


def drawn_in(shape: Shape, pose: Array, centres: Array, radii: Array) -> tuple[Array, Array]:
    """The same spheres with their centres within the convex hull of the shape, and as much larger
    as the centres had to move."""
    if not isinstance(shape, Polyhedron | Mesh):
        return centres, radii
    points = shape.core()[0] @ pose[:3, :3].T + pose[:3, 3]
    try:
        hull: Polyhedron | None = Polyhedron(points)
    except ShapeError:  # flat
        hull = None
    probe = Sphere(SMALLEST_SIZE)
    placed, grown = centres.copy(), radii.copy()
    for k, centre in enumerate(centres):
        nearest = points[np.linalg.norm(points - centre, axis=1).argmin()]
        if hull is not None:
            at = np.eye(4)
            at[:3, 3] = centre
            found = distance(probe, at, hull, None)
            if found.value <= -SMALLEST_SIZE:
                continue
            if found.exact:
                nearest = found.point_b
        placed[k] = nearest
        grown[k] += float(np.linalg.norm(centre - nearest)) * (1.0 + BOX_ROUNDING * EPS)
    return placed, grown


def _of_capsule(radius: float, length: float, largest: float) -> tuple[Array, Array]:
    """Spheres of one radius ``rho`` in a row. The outermost are ``rho - r`` from the ends of the
    axis, so that they hold the caps; neighbours are ``2 sqrt(rho² - r²)`` apart at most, so that
    they meet no nearer to the axis than ``r``."""
    rho = max(largest, SPHERE_GROWTH * radius)
    half = 0.5 * length - (rho - radius)
    if half <= 0.0:
        return np.zeros((1, 3)), np.array([radius + 0.5 * length])
    count = 1 + math.ceil(half / math.sqrt((rho - radius) * (rho + radius)))
    centres = np.zeros((count, 3))
    centres[:, 2] = np.linspace(-half, half, count)
    return centres, np.full(count, rho)


def _of_cylinder(radius: float, length: float, largest: float) -> tuple[Array, Array]:
    """Spheres in a row, one around each of several slices of equal height."""
    rho = max(largest, SPHERE_GROWTH * radius)
    count = math.ceil(0.5 * length / math.sqrt((rho - radius) * (rho + radius)))
    half = 0.5 * length / count
    centres = np.zeros((count, 3))
    centres[:, 2] = (2.0 * np.arange(count) + 1.0 - count) * half
    return centres, np.full(count, math.hypot(radius, half))


def _of_box(box: Box, largest: float) -> tuple[Array, Array]:
    """One sphere around each cell. An axis is split until cells are as wide as a cube in a sphere
    of the ``largest`` radius."""
    size = np.asarray(box.size, dtype=float)
    counts = np.maximum(1, np.ceil(size * (math.sqrt(3.0) / (2.0 * largest)))).astype(int)
    cell = size / counts
    axes = [(np.arange(n) + 0.5) * c - 0.5 * s for n, c, s in zip(counts, cell, size)]
    centres = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)
    return centres, np.full(len(centres), 0.5 * float(np.linalg.norm(cell)))
