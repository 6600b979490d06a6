"""Faults of meshes that bear on interference: a mesh that is open and nearly encloses a part, as
nobody can tell whether it is a solid; a mesh whose surface goes through itself."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from standoff.geometry.mesh import Mesh
from standoff.geometry.mesh_surface import parts as parts_of_surface
from standoff.geometry.pose import Array
from standoff.geometry.shape import IntArray
from standoff.interference.exact import CROSSING_TOLERANCE, balls_of
from standoff.interference.kernels.enclosing import Look, first_enclosed
from standoff.interference.kernels.self_crossings import CROSSING_STACK, Crossings, self_crossings
from standoff.interference.parts import Part, placed_bodies

#: Lines along which that is looked at, both ways, [-]: 64 rays tell apart what covers 2 % more than
#: half of the directions.
ENCLOSING_LINES = 32

#: From how many points of a part at least and at most, and for how many triangles together, [-]: 50
#: ms where a mesh of 35,000 triangles is open.
ENCLOSING_POINTS = (4, 64)
ENCLOSING_TRIANGLES = 1 << 19


def nearly_enclosed(a: Part, b: Part) -> str | None:
    """What speaks against calling two parts apart whose surfaces do not meet: one is an open mesh,
    no sheet, and the other, or a point of it, lies inside of what it nearly encloses. None: nothing
    does.

    A mesh is open for a missing triangle as it is for being meant as a surface. Some points of the
    other part are looked at, of each of its pieces one at least where they are few, and each looks
    round: see `interference.kernels.enclosing`."""
    for outer, inner in ((a, b), (b, a)):
        shape = outer.shape
        if not isinstance(shape, Mesh) or not shape.open_solid or not inner.shape.bounded:
            continue
        points = _some_points(inner, outer, shape)
        look = Look(
            vertices=shape.vertices, faces=shape.faces, points=points,
            directions=_directions(), hits=ENCLOSING_LINES,
        )  # fmt: skip
        if len(points) and first_enclosed(look.address) >= 0:
            return f"{outer.name} is open, and {inner.name} lies inside of what it nearly encloses"
    return None


def _some_points(inner: Part, outer: Part, mesh: Mesh) -> Array:
    """Points of a part in the frame of another and in the box of its mesh."""
    points = balls_of(inner.shape)[:, :3]
    if isinstance(inner.shape, Mesh):
        firsts = parts_of_surface(inner.shape.vertices.copy(), inner.shape.faces.copy())[1]
        points = np.concatenate((points[firsts], np.delete(points, firsts, axis=0)))
    relative = np.linalg.inv(outer.pose) @ inner.pose
    points = points @ relative[:3, :3].T + relative[:3, 3]
    low, high = mesh.bounds()
    points = points[((points >= low) & (points <= high)).all(axis=1)]
    least, most = ENCLOSING_POINTS
    count = min(max(ENCLOSING_TRIANGLES // mesh.triangles, least), most)
    if len(points) > count:
        # Half of them in the order of the pieces, the others from all over.
        spread = np.linspace(0, len(points) - 1, count - count // 2).astype(np.int64)
        points = points[np.unique(np.concatenate((np.arange(count // 2), spread)))]
    return np.ascontiguousarray(points)


@cache
def _directions() -> Array:
    """Lines spread evenly over half of the sphere (a spiral by the golden angle), along no axis or
    diagonal, to which edges of parts are wont to be parallel."""
    k = np.arange(ENCLOSING_LINES) + 0.5
    z = 1.0 - k / ENCLOSING_LINES
    ring, turn = np.sqrt(1.0 - z * z), 0.7311 + np.pi * (3.0 - np.sqrt(5.0)) * k
    return np.ascontiguousarray(np.stack([ring * np.cos(turn), ring * np.sin(turn), z], axis=1))


#: Pairs that are kept, of those counted.
_KEPT = 1000


@dataclass(frozen=True, eq=False)
class SelfCrossing:
    """Triangles of a mesh that go through each other.

    Attributes:
        count: pairs of triangles without a common vertex, of which an edge of one goes through the
            other. Triangles that touch, or overlap in one plane, are not counted.
        pairs: (k, 2), the triangles of the first thousand of them, lowest numbers first.
        low, high: corners of the box of those triangles, in the mesh's frame, [m].
    """

    count: int
    pairs: IntArray
    low: Array
    high: Array


def self_crossing(mesh: Mesh) -> SelfCrossing | None:
    """Where a mesh crosses itself; None where it does not."""
    bodies = placed_bodies([Part("mesh", mesh, np.eye(4))])
    low, high = mesh.bounds()
    margin = CROSSING_TOLERANCE * float(np.linalg.norm(high - low))
    crossings = Crossings(triangles=18, nodes=2, rotation=12, pairs=CROSSING_STACK, found=_KEPT)
    count = self_crossings(bodies.address, 0, margin, crossings.address)
    if count == 0:
        return None
    pairs = np.sort(crossings.found[: min(count, _KEPT)], axis=1)
    pairs = pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))]
    corners = mesh.vertices[mesh.faces[pairs]].reshape(-1, 3)
    return SelfCrossing(int(count), pairs, corners.min(axis=0), corners.max(axis=0))
