"""Coal's opinion on pairs of parts, and its time for them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import coal
import numpy as np

from standoff.geometry.mesh import Mesh
from standoff.geometry.primitives import Box
from standoff.geometry.shape import Shape
from standoff.interference.parts import Part

#: A geometry and where it is.
Body = tuple[Any, Any]


def geometry(shape: Shape) -> Any:
    if isinstance(shape, Mesh):
        model = coal.BVHModelOBBRSS()
        model.beginModel(len(shape.faces), len(shape.vertices))
        for p, q, r in shape.vertices[shape.faces]:
            model.addTriangle(p, q, r)
        model.endModel()
        return model
    if isinstance(shape, Box):
        return coal.Box(*shape.size)
    store = coal.StdVec_Vec3s()
    for point in shape.core()[0]:
        store.append(np.array(point))
    return coal.Convex.convexHull(store, True, "Qt")


def bodies(parts: Sequence[Part]) -> list[Body]:
    return [
        (geometry(p.shape), coal.Transform3s(np.array(p.pose[:3, :3]), np.array(p.pose[:3, 3])))
        for p in parts
    ]


def collisions(made: Sequence[Body], pairs: Iterable[tuple[int, int]]) -> list[bool]:
    """Whether each pair collides, called pair by pair: of meshes, whether their surfaces do."""
    request, result = coal.CollisionRequest(), coal.CollisionResult()
    collide, clear = coal.collide, result.clear
    hits = []
    for i, j in pairs:
        clear()
        hits.append(collide(*made[i], *made[j], request, result) > 0)
    return hits
