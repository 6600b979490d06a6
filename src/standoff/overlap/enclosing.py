"""Parts inside of what an open mesh nearly encloses: nobody can tell whether that is a solid."""

from __future__ import annotations

from functools import cache

import numpy as np

from standoff.constants import ENCLOSING_LINES, ENCLOSING_POINTS, ENCLOSING_TRIANGLES
from standoff.kernels.overlap.enclosing import first_enclosed
from standoff.overlap.depth import balls_of
from standoff.overlap.part import Part
from standoff.shapes.mesh import Mesh
from standoff.shapes.mesh_surface import parts as parts_of_surface
from standoff.shapes.pose import Array


def nearly_enclosed(a: Part, b: Part) -> str | None:
    """What speaks against calling two parts apart whose surfaces do not meet: one is an open mesh,
    no sheet, and the other, or a point of it, lies inside of what it nearly encloses. None: nothing
    does.

    A mesh is open for a missing triangle as it is for being meant as a surface. Some points of the
    other part are looked at, of each of its pieces one at least where they are few, and each looks
    round: see `kernels.overlap.enclosing`."""
    for outer, inner in ((a, b), (b, a)):
        shape = outer.shape
        if not isinstance(shape, Mesh) or not shape.open_solid or not inner.shape.bounded:
            continue
        points = _some_points(inner, outer, shape)
        # Copies, as kernels are compiled for arrays that are not read-only.
        arrays = shape.vertices.copy(), shape.faces.copy()
        hits = np.empty((ENCLOSING_LINES, 2), dtype=np.int64)
        if len(points) and first_enclosed(points, *arrays, _directions(), hits) >= 0:
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
