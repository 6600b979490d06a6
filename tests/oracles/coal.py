"""Coal as the outside opinion: on shapes, and on the links and bodies of a cell."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import coal
import numpy as np

import standoff as so
from tests.oracles.winding import winding


@lru_cache(256)
def geometry(shape):
    """Coal's own object for one of our shapes."""
    if isinstance(shape, so.Sphere):
        return coal.Sphere(shape.radius)
    if isinstance(shape, so.Capsule):
        return coal.Capsule(shape.radius, shape.length)
    if isinstance(shape, so.Box):
        return coal.Box(*map(float, shape.size))
    if isinstance(shape, so.Cylinder):
        return coal.Cylinder(shape.radius, shape.length)
    if isinstance(shape, so.HalfSpace):
        return coal.Halfspace(np.array([0.0, 0.0, 1.0]), 0.0)
    if isinstance(shape, so.Mesh):
        return surface(shape)
    store = coal.StdVec_Vec3s()
    for point in shape.geometry.points:
        store.append(point)
    return coal.Convex.convexHull(store, True, "Qt")


def surface(shape):
    """The triangles of a mesh or a polyhedron as a tree."""
    points, faces = shape.geometry.points, shape.geometry.faces
    model = coal.BVHModelOBBRSS()
    model.beginModel(len(faces), len(points))
    model.addVertices(np.ascontiguousarray(points))
    for a, b, c in faces:
        model.addTriangle(points[a], points[b], points[c])
    model.endModel()
    return model


def transform(pose):
    return coal.Transform3s(np.array(pose[:3, :3]), np.array(pose[:3, 3]))


def distance(a, pose_a, b, pose_b, request=None, result=None):
    """(signed distance, witness a, witness b) of two Coal objects at 4 x 4 poses."""
    request = request or coal.DistanceRequest(True, True)
    result = result or coal.DistanceResult()
    result.clear()
    value = coal.distance(a, transform(pose_a), b, transform(pose_b), request, result)
    return value, np.array(result.getNearestPoint1()), np.array(result.getNearestPoint2())


def reach(shape):
    """The farthest point of a shape from its origin; infinite for half spaces."""
    if not shape.bounded:
        return np.inf
    points, radius = shape.core()
    return float(np.linalg.norm(points, axis=1).max()) + radius


class Placed(NamedTuple):
    """One shape of a link or body, its 4 x 4 pose in the world, and both as Coal has them."""

    shape: so.Shape
    pose: np.ndarray
    theirs: Any
    at: coal.Transform3s
    reach: float


def holds(one, two):
    """Whether a body whose surface does not meet that of a mesh is inside of it, given as `Placed`:
    a mesh is a surface to Coal."""
    mesh, other = one.shape, two.shape
    if not isinstance(mesh, so.Mesh) or mesh.sheet or isinstance(other, so.HalfSpace):
        return False
    point = other.vertices[0] if isinstance(other, so.Mesh) else other.core()[0].mean(axis=0)
    seen = (np.linalg.inv(one.pose) @ two.pose @ np.append(point, 1.0))[:3]
    return abs(winding(seen, mesh.vertices[mesh.faces])) >= 0.5


class CoalCell:
    """The links and bodies of a cell.

    Attributes:
        pairs: the watched ones, by name.
        frame: which frame carries each, by name.
        parts: shape, pose in the frame, Coal's object and reach of each shape, by name.
    """

    def __init__(self, cell):
        model = cell.model
        self.tree, self.pairs = cell.tree, list(cell.pairs.watched())
        self.frame = dict(zip(model.names, model.frame, strict=True))
        self.parts = {
            name: [(shape, local, geometry(shape), reach(shape)) for shape, local in parts]
            for name, parts in zip(model.names, model.parts, strict=True)
        }
        self._distance = coal.DistanceRequest(True, True), coal.DistanceResult()
        self._collision = coal.CollisionRequest(), coal.CollisionResult()

    def frames(self, q, poses=()):
        """The frames of the joints, then the ``poses`` of what moves by itself."""
        return [*self.tree.forward(np.asarray(q, dtype=float)), *poses]

    def place(self, name, frames):
        """The shapes of a link or body."""
        own = frames[self.frame[name]]
        rows = ((shape, own @ local, theirs, far) for shape, local, theirs, far in self.parts[name])
        return [Placed(shape, at, theirs, transform(at), far) for shape, at, theirs, far in rows]

    def placed(self, frames):
        """The shapes of all of them, by name."""
        return {name: self.place(name, frames) for name in self.parts}

    def distance(self, x, y):
        """The signed distance of two placed shapes."""
        self._distance[1].clear()
        return coal.distance(x.theirs, x.at, y.theirs, y.at, *self._distance)

    def nearest(self, one, other, within=np.inf):
        """The smallest signed distance of two bodies, given as `place` does; infinite where balls
        around their shapes are farther apart than ``within``."""
        best = np.inf
        for x in one:
            for y in other:
                apart = np.linalg.norm(x.pose[:3, 3] - y.pose[:3, 3]) - x.reach - y.reach
                if not apart > within:
                    best = min(best, self.distance(x, y))
        return best

    def overlap(self, one, other):
        """Whether two bodies do; of meshes, whether their surfaces meet."""
        for x in one:
            for y in other:
                self._collision[1].clear()
                if coal.collide(x.theirs, x.at, y.theirs, y.at, *self._collision) > 0:
                    return True
        return False

    def collides(self, q, poses=()):
        """Whether any watched pair overlaps."""
        placed = self.placed(self.frames(q, poses))
        return any(self.overlap(placed[a], placed[b]) for a, b in self.pairs)
