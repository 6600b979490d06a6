"""How deep two overlapping parts are in each other, or at least how deep."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from standoff.constants import MESH_ROUNDING
from standoff.errors import ShapeError
from standoff.kernels.overlap.deepest import (
    DEEPEST_IWORK,
    DEEPEST_WORK,
    deepest_in_convex,
    deepest_in_mesh,
)
from standoff.overlap.part import Part
from standoff.shapes.distance import distance
from standoff.shapes.mesh import Mesh
from standoff.shapes.polyhedron import Polyhedron
from standoff.shapes.pose import Array
from standoff.shapes.primitives import Box, Capsule, Cylinder, Sphere
from standoff.shapes.shape import Geometry, IntArray, Shape

#: What the evidence of an overlap says where its depth is a lower bound.
AT_LEAST = "at least so deep"


class Depths:
    """Depths of pairs whose signed distance is known not to be above 0.

    Of two convex bodies the distance is the penetration depth already; a convex closed mesh is
    looked at as the polyhedron that it is. Two others get a lower bound: how deep the deepest
    vertex (or ball, of a round shape) of one lies below the surface of the other. No shorter
    translation separates them, a longer one may be needed.
    """

    def __init__(
        self, parts: Sequence[Part], rows: Array, refs: IntArray, geometry: Geometry
    ) -> None:
        self._parts, self._rows, self._refs, self._geometry = parts, rows, refs, geometry
        self._convex: dict[int, Shape | None] = {}  # by identity: equal shapes are compared slowly
        self._found = np.zeros(1, dtype=np.int64)

    def depth(self, i: int, j: int, value: float) -> tuple[float, str]:
        """Minus the depth of ``i`` and ``j``, whose signed distance is ``value``, and in words what
        it is."""
        a, b = self._parts[i], self._parts[j]
        if value == -np.inf:
            return value, "two half spaces that overlap without end"
        unbounded = not (a.shape.bounded and b.shape.bounded)
        if unbounded or (a.shape.convex and b.shape.convex):
            return value, _exactly(value)
        twin_a, twin_b = self._twin(a.shape), self._twin(b.shape)
        if twin_a is not None and twin_b is not None:
            found = distance(twin_a, a.pose, twin_b, b.pose)
            if found.exact and found.value <= 0.0:
                return min(value, found.value), _exactly(min(value, found.value))
        return self._at_least(i, j, value)

    def _twin(self, shape: Shape) -> Shape | None:
        """The convex shape that is the same body, if there is one."""
        if id(shape) not in self._convex:
            found: Shape | None = shape if shape.convex else None
            if isinstance(shape, Mesh) and shape.is_convex:
                try:
                    found = Polyhedron(shape.vertices)
                except ShapeError:
                    found = None  # too flat for a hull
            self._convex[id(shape)] = found
        return self._convex[id(shape)]

    def _at_least(self, i: int, j: int, value: float) -> tuple[float, str]:
        crossing = "surfaces apart, one inside the other" if value < 0.0 else "surfaces meet"
        best, whose = -value, ""
        for inner, outer in ((i, j), (j, i)):
            deep = self._deepest(inner, outer)
            if deep > best:
                what = "a vertex" if isinstance(self._parts[inner].shape, Mesh) else "a point"
                best = deep
                whose = f": {what} of {self._parts[inner].name} in {self._parts[outer].name}"
        if best > 0.0:
            return -best, f"{crossing}; {AT_LEAST}{whose}"
        return 0.0, f"{crossing}; no vertex of either is inside the other"

    def _deepest(self, inner: int, outer: int) -> float:
        """The deepest of some balls of one part below the surface of the other, 0 where none is
        inside; less what rounding may have added."""
        a, b = self._parts[inner], self._parts[outer]
        if isinstance(b.shape, Mesh) and not b.shape.closed:
            return 0.0
        relative = np.linalg.inv(b.pose) @ a.pose
        balls = balls_of(a.shape)
        balls[:, :3] = balls[:, :3] @ relative[:3, :3].T + relative[:3, 3]
        low, high = b.shape.bounds()
        within = ((balls[:, :3] >= low) & (balls[:, :3] <= high)).all(axis=1)
        balls = balls[within]
        if not len(balls):
            return 0.0
        # From the middle of where they meet outwards: the deepest ones come first, about, and the
        # rest is given up sooner.
        middle = (balls[:, :3].min(axis=0) + balls[:, :3].max(axis=0)) / 2.0
        order = np.argsort(((balls[:, :3] - middle) ** 2).sum(axis=1), kind="stable")
        balls = np.ascontiguousarray(balls[order])
        g = self._geometry
        if isinstance(b.shape, Mesh):
            deep = deepest_in_mesh(
                balls, self._refs, outer, g.points, g.faces, g.nodes, g.ints,
                np.zeros(DEEPEST_WORK), np.zeros(DEEPEST_IWORK, dtype=np.int64), self._found,
            )  # fmt: skip
        else:
            deep = deepest_in_convex(
                balls, self._rows, self._refs, outer, g.points, g.faces, self._found
            )
        reach = np.abs(a.pose[:3, 3]).sum() + np.abs(b.pose[:3, 3]).sum()
        reach += np.abs([*a.shape.bounds(), low, high]).sum()
        return float(max(deep - MESH_ROUNDING * reach, 0.0))


def _exactly(value: float) -> str:
    return "penetration depth" if value < 0.0 else "touching"


def balls_of(shape: Shape) -> Array:
    """Balls (x, y, z, r) that belong to a shape, in its own frame; its vertices at least."""
    if isinstance(shape, Sphere):
        return np.array([[0.0, 0.0, 0.0, shape.radius]])
    if isinstance(shape, Capsule):
        return _along(shape.length / 2.0, shape.radius)
    if isinstance(shape, Cylinder):
        turn = np.linspace(0.0, 2.0 * np.pi, 24, endpoint=False)
        x, y = shape.radius * np.cos(turn), shape.radius * np.sin(turn)
        half = shape.length / 2.0
        rims = [np.stack([x, y, 0.0 * x + z, 0.0 * x], axis=1) for z in (-half, half)]
        thick = min(shape.radius, half)
        return np.concatenate([_along(half - thick, thick), _along(half, 0.0), *rims])
    points = np.array(shape.core()[0])
    if isinstance(shape, Box):
        middle = [[0.0, 0.0, 0.0, min(shape.size) / 2.0]]
    else:
        middle = [] if isinstance(shape, Mesh) else [[*points.mean(axis=0), 0.0]]
    zeros = np.zeros((len(points), 1))
    return np.concatenate([np.array(middle).reshape(-1, 4), np.hstack([points, zeros])])


def _along(half: float, radius: float) -> Array:
    """Balls at the ends and in the middle of a segment along z."""
    return np.array([[0.0, 0.0, z, radius] for z in (0.0, -half, half)])
