"""What bodies are made of: convex polyhedra and balls, made from shapes.

A mesh cut into convex pieces by CoACD.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from standoff.contact.features import Features, features_of
from standoff.errors import MeshError, MissingPackageError, ShapeError
from standoff.geometry.hull import convex_hull
from standoff.geometry.mesh import CONVEX_TOLERANCE, Mesh
from standoff.geometry.polyhedron import Polyhedron
from standoff.geometry.pose import Array
from standoff.geometry.primitives import Box, Cylinder, Sphere
from standoff.geometry.shape import IntArray, Shape

_SHAPES = "Box, Cylinder, Polyhedron, Sphere, a convex closed Mesh; Body.from_mesh for any other"

_GRID = "(n, m, 3) numbers: n >= 2 rings of m >= 3 points"


@dataclass(frozen=True, eq=False)
class Ball:
    """A sphere of ``radius`` about ``centre`` in the frame of its body, [m]."""

    centre: Array
    radius: float


#: A convex piece of a body.
Piece = Features | Ball


def corners_of(shape: Shape, sides: int, element: str) -> tuple[Array, IntArray]:
    """Vertices and triangles of a convex shape; a cylinder is the prism of ``sides`` sides whose
    edges lie on it, the first of them at y = 0, x > 0."""
    if isinstance(shape, Polyhedron):
        return np.array(shape.vertices), np.array(shape.faces)
    if isinstance(shape, Box):
        return convex_hull(shape.core()[0], element)
    if isinstance(shape, Cylinder):
        return convex_hull(_prism(shape.radius, shape.length, sides), element)
    if isinstance(shape, Mesh):
        if not shape.is_convex:
            raise ShapeError(
                "a mesh that is not convex and closed",
                element=element,
                value=shape,
                allowed='Body.from_mesh(mesh, split="coacd")',
            )
        return convex_hull(shape.vertices, element)
    raise ShapeError("no contacts with this shape", element=element, value=shape, allowed=_SHAPES)


def _prism(radius: float, length: float, sides: int) -> Array:
    angle = np.arange(sides) * (2.0 * np.pi / sides)
    ring = np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1)
    ends = [np.column_stack([ring, np.full(sides, z)]) for z in (-length / 2, length / 2)]
    return np.concatenate(ends)


def placed(shape: Shape, pose: Array, sides: int, element: str) -> Piece:
    """A shape as a piece of a body, at its pose in the body's frame."""
    if isinstance(shape, Sphere):
        return Ball(pose[:3, 3].copy(), shape.radius)
    vertices, triangles = corners_of(shape, sides, element)
    return features_of(vertices @ pose[:3, :3].T + pose[:3, 3], triangles, element)


def moved(piece: Piece, pose: Array) -> Piece:
    """A piece at another place: the features keep their numbers."""
    rotation, origin = pose[:3, :3], pose[:3, 3]
    if isinstance(piece, Ball):
        return Ball(rotation @ piece.centre + origin, piece.radius)
    vertices = np.ascontiguousarray(piece.vertices @ rotation.T + origin)
    planes = np.empty_like(piece.planes)
    planes[:, :3] = piece.planes[:, :3] @ rotation.T
    planes[:, 3] = (vertices @ planes[:, :3].T).max(axis=0)
    return Features(vertices, piece.edges, planes, piece.loops, piece.spokes)


def volume_and_centroid(piece: Piece) -> tuple[float, Array]:
    """Volume [m³] and its centre [m]."""
    if isinstance(piece, Ball):
        return 4.0 / 3.0 * np.pi * piece.radius**3, piece.centre
    middle = piece.vertices.mean(axis=0)
    volume, moment = 0.0, np.zeros(3)
    for ring in piece.loops:
        corners = piece.vertices[ring] - middle
        parts = np.cross(corners[1:-1], corners[2:]) @ corners[0] / 6.0
        volume += float(parts.sum())
        moment += parts @ (corners[0] + corners[1:-1] + corners[2:]) / 4.0
    return volume, middle + moment / volume


def grid_polyhedron(points: Any) -> Polyhedron:
    """The convex polyhedron of an n x m grid of points; no point may lie inside it."""
    element = "Body.from_grid"
    try:
        grid = np.array(points, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ShapeError("not points", element=element, allowed=_GRID) from error
    if grid.ndim != 3 or grid.shape[2] != 3 or grid.shape[0] < 2 or grid.shape[1] < 3:
        raise ShapeError("wrong shape", element=element, value=grid.shape, allowed=_GRID)
    cloud = grid.reshape(-1, 3)
    hull = Polyhedron(cloud)
    planes = features_of(np.array(hull.vertices), np.array(hull.faces), element).planes
    inside = (planes[:, 3] - cloud @ planes[:, :3].T).min(axis=1)
    extent = float((cloud.max(axis=0) - cloud.min(axis=0)).max())
    if inside.max() > CONVEX_TOLERANCE * extent:
        ring, point = divmod(int(inside.argmax()), grid.shape[1])
        raise ShapeError(
            f"not convex: the point lies {inside.max():.3g} m inside the hull of all",
            element=f"{element}[{ring}, {point}]",
            value=grid[ring, point].tolist(),
            allowed="points on a convex surface; Body.union for any other body",
        )
    return hull


def known_method(method: str) -> None:
    """Refuses a way to split that there is none of."""
    if method != "coacd":
        raise MeshError("no such way to split", element="split", value=method, allowed='"coacd"')


def split_convex(mesh: Mesh, method: str) -> list[Polyhedron]:
    """Convex pieces that cover a closed mesh approximately, by CoACD with a fixed seed."""
    known_method(method)
    if not mesh.closed:
        raise MeshError(
            "an open mesh has no inside to split",
            element="split",
            value=", ".join(mesh.problems) or mesh,
            allowed="a closed mesh",
        )
    try:
        import coacd
    except ImportError as error:
        raise MissingPackageError(
            "CoACD", "standoff[contact]", "splitting a mesh", element="Body.from_mesh"
        ) from error
    coacd.set_log_level("error")
    parts = coacd.run_coacd(coacd.Mesh(np.array(mesh.vertices), np.array(mesh.faces)), seed=0)
    return [Polyhedron(np.asarray(vertices, dtype=np.float64)) for vertices, _ in parts]
