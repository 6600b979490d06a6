"""What bodies are made of: convex polyhedra and balls, made from shapes; a mesh cut into convex
pieces by CoACD.

The boundary of a convex polyhedron is, as paper 003 has it (section 3.1), each vertex with the
edges that end in it, each edge with its tail, its head and the faces to its left and right, each
face with its outward normal and its corners, counter-clockwise seen from outside.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from standoff.errors import MeshError, MissingPackageError, ShapeError
from standoff.geometry.convex_hull import convex_hull
from standoff.geometry.mesh import CONVEX_TOLERANCE, Mesh
from standoff.geometry.narrowphase import layout
from standoff.geometry.polyhedron import Polyhedron
from standoff.geometry.pose import Array
from standoff.geometry.primitives import Box, Cylinder, Sphere
from standoff.geometry.shape import SMALLEST_SIZE, IntArray, Shape, surface_points
from standoff.tolerances import EPS

_SHAPES = "Box, Cylinder, Polyhedron, Sphere, a convex closed Mesh; Body.from_mesh for any other"

_GRID = "(n, m, 3) numbers: n >= 2 rings of m >= 3 points"


#: How far off its plane a corner of a contact body's face may be, relative to the body's extent,
#: [-]: triangles of a hull that are nearer than this to one plane are one face. Points of a face
#: that went through a file with ten digits are off by as much.
CONTACT_FLAT = 1e-9


@dataclass(frozen=True, eq=False)
class Features:
    """Vertices, edges and faces of a convex polyhedron, in the frame of its body.

    Attributes:
        vertices: (v, 3), [m].
        edges: (e, 4): tail, head, left face, right face. Seen from outside, with the tail below
            the head, the left face is on the left.
        planes: (f, 4): outward unit normal n and offset d, [m]; ``n x <= d`` for all vertices.
        loops: by face its corners, counter-clockwise seen from outside.
        spokes: by vertex its edges.
    """

    vertices: Array
    edges: IntArray
    planes: Array
    loops: tuple[IntArray, ...]
    spokes: tuple[IntArray, ...]

    @property
    def reach(self) -> float:
        """The largest coordinate, [m]."""
        return float(np.abs(self.vertices).max())


def features_of(vertices: Array, triangles: IntArray, element: str) -> Features:
    """The features of a closed convex surface of triangles: those in one plane become one face,
    where they are within ``CONTACT_FLAT`` of the extent.

    Raises:
        ShapeError: the faces that result do not make up a closed surface (Euler's formula): the
            body is too thin; or it is too small.
    """
    extent = float((vertices.max(axis=0) - vertices.min(axis=0)).max())
    if extent < SMALLEST_SIZE:
        raise ShapeError(
            "too small", element=element, value=extent, allowed=f"{SMALLEST_SIZE:g} m and more"
        )
    flat = CONTACT_FLAT * extent + 16.0 * EPS * float(np.abs(vertices).max())
    try:
        loops = [_loop(group) for group in _flat_groups(vertices, triangles, flat)]
    except KeyError as error:
        raise ShapeError(
            "too thin for its extent: faces on both sides are one within rounding",
            element=element,
            value=extent,
            allowed=f"thicker than some {CONTACT_FLAT:g} of the extent",
        ) from error
    used, renumbered = np.unique(np.concatenate(loops), return_inverse=True)
    corners = np.ascontiguousarray(vertices[used])
    ends = np.cumsum([len(loop) for loop in loops])
    rings = [np.ascontiguousarray(part) for part in np.split(renumbered.reshape(-1), ends[:-1])]
    planes = np.array([_plane(corners, ring) for ring in rings])
    edges = _edges(rings, element)
    if len(corners) - len(edges) + len(rings) != 2:
        raise ShapeError(
            "not the surface of a convex body (Euler's formula)",
            element=element,
            value=f"{len(corners)} vertices, {len(edges)} edges, {len(rings)} faces",
            allowed="vertices - edges + faces = 2",
        )
    ends_at: list[list[int]] = [[] for _ in corners]
    for number, (tail, head) in enumerate(edges[:, :2].tolist()):
        ends_at[tail].append(number)
        ends_at[head].append(number)
    spokes = tuple(np.array(numbers, dtype=np.int64) for numbers in ends_at)
    return Features(corners, edges, planes, tuple(rings), spokes)


def _flat_groups(vertices: Array, triangles: IntArray, flat: float) -> list[IntArray]:
    """The triangles by plane. The largest triangle that is left gives the plane, and all that hang
    together with it and have no corner farther off join: the normal of a sliver means nothing."""
    a, b, c = (vertices[triangles[:, k]] for k in range(3))
    normals = np.cross(b - a, c - a)
    areas = np.linalg.norm(normals, axis=1)
    beside = _beside(triangles)
    group = np.full(len(triangles), -1)
    groups: list[IntArray] = []
    for seed in np.argsort(-areas, kind="stable").tolist():
        if group[seed] >= 0:
            continue
        normal = normals[seed] / areas[seed]
        off = np.abs((vertices - a[seed]) @ normal) <= flat
        here = off[triangles].all(axis=1)
        group[seed] = len(groups)
        found = [seed]
        for triangle in found:
            for other in beside[triangle]:
                if group[other] < 0 and here[other]:
                    group[other] = len(groups)
                    found.append(other)
        groups.append(triangles[np.array(found)])
    return groups


def _beside(triangles: IntArray) -> list[list[int]]:
    """By triangle, those beyond its three edges."""
    owner = {
        (row[k], row[(k + 1) % 3]): number
        for number, row in enumerate(triangles.tolist())
        for k in range(3)
    }
    return [[owner[row[(k + 1) % 3], row[k]] for k in range(3)] for row in triangles.tolist()]


def _loop(triangles: IntArray) -> IntArray:
    """The corners around a connected group of triangles; a KeyError where it has no single rim."""
    inner = {(row[k], row[(k + 1) % 3]) for row in triangles.tolist() for k in range(3)}
    after = {tail: head for tail, head in inner if (head, tail) not in inner}
    start = min(after, default=-1)
    loop = [start]
    while after[loop[-1]] != start:
        loop.append(after[loop[-1]])
        if len(loop) > len(after):
            raise KeyError(start)
    if len(loop) < len(after):
        raise KeyError(start)
    return np.array(loop, dtype=np.int64)


def _plane(vertices: Array, ring: IntArray) -> Array:
    """Outward unit normal and offset of a face; no vertex of the body lies beyond it."""
    corners = vertices[ring] - vertices[ring[0]]
    normal = np.cross(corners[1:-1], corners[2:]).sum(axis=0)
    normal /= np.linalg.norm(normal)
    return np.append(normal, (vertices @ normal).max())


def _edges(rings: list[IntArray], element: str) -> IntArray:
    """Each pair of neighbours on a ring once: with the face on its left, and the one that runs
    along it in the other direction on its right."""
    left = {
        (int(tail), int(head)): face
        for face, ring in enumerate(rings)
        for tail, head in zip(ring, np.roll(ring, -1))
    }
    rows = []
    for (tail, head), face in left.items():
        if (head, tail) not in left:
            raise ShapeError("open at an edge", element=element, value=(tail, head))
        if tail < head:
            rows.append((tail, head, face, left[head, tail]))
    return np.array(sorted(rows), dtype=np.int64)


@dataclass(frozen=True, eq=False)
class Ball:
    """A sphere of ``radius`` about ``centre`` in the frame of its body, [m]."""

    centre: Array
    radius: float


#: A convex piece of a body.
Piece = Features | Ball


def corners_of(shape: Shape, sides: int, element: str) -> tuple[Array, IntArray]:
    """Vertices and triangles of a convex shape; a cylinder is the prism of ``sides`` sides whose
    edges lie on it, the first of them at y = 0, x > 0; a shape known by its support function alone
    is a polytope within it."""
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
    if layout.is_general(shape.kind):
        return convex_hull(surface_points(shape, sides), element)
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


def split_convex(mesh: Mesh) -> list[Polyhedron]:
    """Convex pieces that cover a closed mesh approximately, by CoACD with a fixed seed."""
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
