"""The exact answer: distances of the shapes themselves, over the trees of meshes, and how deep two
overlapping parts are in each other, or at least how deep."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from standoff.errors import Error
from standoff.geometry.distance import distance
from standoff.geometry.mesh import Mesh
from standoff.geometry.narrowphase import batch, dispatch, layout
from standoff.geometry.narrowphase.bodies import Bodies, PairScratch
from standoff.geometry.polyhedron import Polyhedron
from standoff.geometry.pose import Array
from standoff.geometry.primitives import Box, Capsule, Cylinder, Sphere
from standoff.geometry.shape import SMALLEST_SIZE, Shape, surface_points
from standoff.interference.findings import Gap, Overlap, WorldBoxes
from standoff.interference.kernels.ball_depth import (
    DEEPEST_IWORK,
    DEEPEST_WORK,
    Search,
    deepest_in_convex,
    deepest_in_mesh,
)
from standoff.interference.parts import Part, placed_bodies
from standoff.tolerances import MESH_ROUNDING


class ExactMethod:
    """Judges pairs of parts by their distance.

    The signed distance of `standoff.distance` decides, with its containment: a part wholly inside a
    solid overlaps it, one in a cavity of it does not. The error bound of a distance counts against
    a gap, so that no rounding hides an overlap; where an iteration did not converge, the pair
    overlaps unless its proved lower bound exceeds the clearance, and is not certain.

    Attributes:
        tests: pairs that took a "distance", and those that took a "depth".
    """

    def __init__(self, parts: Sequence[Part], *, clearance: float = 0.0) -> None:
        self._parts = tuple(parts)
        self._clearance = clearance
        self._boxes = WorldBoxes(self._parts)
        self._bodies = placed_bodies(self._parts)
        self._scratch = PairScratch()
        self._out = np.zeros((1, layout.OUT_COLUMNS))
        self._depths = Depths(self._parts, self._bodies)
        self.tests = {"distance": 0, "depth": 0}

    def judge(self, i: int, j: int) -> Overlap | Gap:
        """The pair ``i``, ``j``: a gap where it is farther apart than the clearance for sure."""
        self.tests["distance"] += 1
        value, slack, done = self._distance(i, j)
        a, b = self._parts[i].name, self._parts[j].name
        # the true distance >= value - slack
        if value - slack > self._clearance:
            if done:
                return Gap(a, b, "exact", value, None, self._between(i, j), exact=True)
            return Gap(a, b, "exact", value - slack, None, "proved lower bound on the distance")
        low, high = self._boxes.shared(i, j, self._clearance)
        certain = done and value <= self._clearance
        touching = False
        if not done:
            distance, said = None, "the iteration did not converge: not proved to be apart"
        elif value > self._clearance:
            what = "as near as the clearance" if self._clearance else "touching"
            distance, said = value, f"{what}, as far as rounding can tell"
        elif value > 0.0:
            distance, said = value, f"nearer than the clearance of {_mm(self._clearance)}"
        else:
            self.tests["depth"] += 1
            distance, said, touching = self._depths.depth(i, j, value)
        return Overlap(a, b, "exact", certain, distance, low, high, said, touching)

    def _between(self, i: int, j: int) -> str:
        """What a distance is one of. In the box of an open mesh a part may be where a solid would
        have had its inside, and nobody can tell."""
        for outer, inner in ((i, j), (j, i)):
            part, low, high = self._parts[outer], self._boxes.low, self._boxes.high
            within = (low[inner] >= low[outer]).all() and (high[inner] <= high[outer]).all()
            if within and isinstance(part.shape, Mesh) and not part.shape.closed:
                return f"distance of the surfaces; {part.name} is open and has no inside"
        return "distance of the shapes"

    def _distance(self, i: int, j: int) -> tuple[float, float, bool]:
        """Signed distance, what it may be too long by, and whether the iteration came to an end."""
        kinds = self._parts[i].shape.kind, self._parts[j].shape.kind
        # The address is looked at for pairs without a closed form only.
        address = 0 if dispatch.has_closed_form(*kinds) else dispatch.general_address()
        pair = np.array([[i, j]], dtype=np.int64)
        failed = batch.distances(
            address, self._bodies.address, pair, self._scratch.address, self._out
        )
        return float(self._out[0, 0]), float(self._out[0, layout.SLACK]), failed < 0


def _mm(distance: float) -> str:
    return f"{1e3 * distance:.4g} mm"


#: How far the ends of an edge must stand off a triangle, on either side, for the edge to go through
#: it, relative to the mesh's diagonal, [-]. Single-precision files are about 1e-7 off, and a vertex
#: that merely lies on a neighbour's edge is not to count.
CROSSING_TOLERANCE = 1e-6

#: What the evidence of an overlap says where its depth is a lower bound.
AT_LEAST = "at least so deep"


class Depths:
    """Depths of pairs whose signed distance is known not to be above 0.

    Of two convex bodies the distance is the penetration depth already; a convex closed mesh is
    looked at as the polyhedron that it is. Two others get a lower bound: how deep the deepest
    vertex (or ball, of a round shape) of one lies below the surface of the other. No shorter
    translation separates them, a longer one may be needed.

    Two parts *touch* where it is proved that they have at most a layer in common that is thinner
    than CROSSING_TOLERANCE of the smaller one: their penetration depth is no more than that; or
    one of them, its surface moved inward by as much, is apart from the other. For a point of a
    solid that is farther from the surface than any of it is moved stays inside all along. All
    others count as crossing: the same part twice in one place, open surfaces, whatever is in doubt.
    """

    def __init__(self, parts: Sequence[Part], bodies: Bodies) -> None:
        self._parts, self._bodies = parts, bodies
        #: By identity: equal shapes are compared slowly.
        self._thinned: dict[tuple[int, float], Shape | None] = {}

    def depth(self, i: int, j: int, value: float) -> tuple[float, str, bool]:
        """Minus the depth of ``i`` and ``j``, whose signed distance is ``value``, in words what it
        is, and whether they are proved to touch only."""
        a, b = self._parts[i], self._parts[j]
        if value == -np.inf:
            return value, "two half spaces that overlap without end", False
        extent = min(_extent(a.shape), _extent(b.shape))
        layer = CROSSING_TOLERANCE * extent if extent < np.inf else 0.0
        unbounded = not (a.shape.bounded and b.shape.bounded)
        if unbounded or (a.shape.convex and b.shape.convex):
            return value, _exactly(value), -value <= layer
        twin_a, twin_b = _twin(a.shape), _twin(b.shape)
        if twin_a is not None and twin_b is not None:
            found = distance(twin_a, a.pose, twin_b, b.pose)
            if found.exact and found.distance <= 0.0:
                least = min(value, found.distance)
                return least, _exactly(least), -least <= layer
        return self._at_least(i, j, value, layer)

    def _at_least(self, i: int, j: int, value: float, layer: float) -> tuple[float, str, bool]:
        crossing = "surfaces apart, one inside the other" if value < 0.0 else "surfaces meet"
        best, whose = -value, ""
        for inner, outer in ((i, j), (j, i)):
            deep = self._deepest(inner, outer)
            if deep > best:
                what = "a vertex" if isinstance(self._parts[inner].shape, Mesh) else "a point"
                best = deep
                whose = f": {what} of {self._parts[inner].name} in {self._parts[outer].name}"
        if best <= layer and self._touch(i, j, layer):
            return -best, f"touching: the common layer is thinner than {1e6 * layer:.3g} µm", True
        if best > 0.0:
            return -best, f"{crossing}; {AT_LEAST}{whose}", False
        if _same(self._parts[i], self._parts[j], layer):
            return 0.0, "the same part twice in one place", False
        return 0.0, f"{crossing}; not proved to touch only", False

    def _touch(self, i: int, j: int, layer: float) -> bool:
        """Whether one of two parts, without a layer below its surface, is apart from the other."""
        for one, other in ((i, j), (j, i)):
            part, rest = self._parts[one], self._parts[other]
            if isinstance(rest.shape, Mesh) and not rest.shape.closed:
                return False
            key = id(part.shape), layer
            if key not in self._thinned:
                self._thinned[key] = thinned(part.shape, layer)
            shape = self._thinned[key]
            if shape is None:
                continue
            found = distance(shape, part.pose, rest.shape, rest.pose)
            if found.exact and found.distance > MESH_ROUNDING * _reach(part, rest):
                return True
        return False

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
        if layout.is_general(b.shape.kind):
            return _deepest_in(b.shape, balls)
        search = Search(
            balls=np.ascontiguousarray(balls[order]), work=DEEPEST_WORK, iwork=DEEPEST_IWORK
        )
        deepest = deepest_in_mesh if isinstance(b.shape, Mesh) else deepest_in_convex
        deep = deepest(self._bodies.address, outer, search.address)
        return float(max(deep - MESH_ROUNDING * _reach(a, b), 0.0))


def _twin(shape: Shape) -> Shape | None:
    """The convex shape that is the same body, if there is one; a mesh may be too flat for it."""
    if isinstance(shape, Mesh):
        return shape.hull if shape.is_convex else None
    return shape if shape.convex else None


def _deepest_in(shape: Shape, balls: Array) -> float:
    """The same for a convex shape, whose frame the balls are given in, by their distances."""
    deep, probe, at = 0.0, Sphere(SMALLEST_SIZE), np.eye(4)
    for x, y, z, radius in balls.tolist():
        at[:3, 3] = x, y, z
        found = distance(probe, at, shape, None)
        if found.exact and found.distance <= -SMALLEST_SIZE:
            deep = max(deep, radius - found.distance - 2.0 * SMALLEST_SIZE)
    return deep


def _reach(a: Part, b: Part) -> float:
    """No coordinate of two parts is larger, [m]; for rounding."""
    reach = np.abs([a.pose[:3, 3], b.pose[:3, 3], *a.shape.bounds(), *b.shape.bounds()])
    return float(reach.sum())


def _extent(shape: Shape) -> float:
    """The diagonal of the box of a shape, [m]."""
    low, high = shape.bounds()
    return float(np.linalg.norm(high - low))


def _same(a: Part, b: Part, layer: float) -> bool:
    """Whether two parts are equal shapes in one place."""
    corners = np.array([*a.shape.bounds(), np.zeros(3)])
    moved = corners @ (a.pose - b.pose)[:3, :3].T + (a.pose - b.pose)[:3, 3]
    return bool((np.abs(moved) <= layer).all()) and a.shape == b.shape


def thinned(shape: Shape, layer: float) -> Shape | None:
    """A solid whose surface is moved inward, no point of it by more than ``layer`` [m]; None where
    there is none."""
    try:
        if isinstance(shape, Sphere):
            return Sphere(shape.radius - layer)
        if isinstance(shape, Capsule):
            return Capsule(shape.radius - layer, shape.length)
        if isinstance(shape, Box):
            return Box(np.array(shape.size) - layer)  # corners move by √3 / 2 of it
        if isinstance(shape, Cylinder):
            return Cylinder(shape.radius - 0.5 * layer, shape.length - layer)
        mesh = Mesh(shape.vertices, shape.faces) if isinstance(shape, Polyhedron) else shape
        if not isinstance(mesh, Mesh) or not mesh.closed:
            return None
        faces, points = mesh.faces, mesh.vertices
        first, second, third = (points[faces[:, k]] for k in range(3))
        normals = np.cross(second - first, third - first)
        normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), np.finfo(float).tiny)
        inward = np.zeros_like(points)
        for k in range(3):
            one, two = points[faces[:, k - 1]], points[faces[:, k - 2]]
            u, v = one - points[faces[:, k]], two - points[faces[:, k]]
            angle = np.arctan2(np.linalg.norm(np.cross(u, v), axis=1), (u * v).sum(axis=1))
            np.add.at(inward, faces[:, k], -angle[:, None] * normals)
        length = np.maximum(np.linalg.norm(inward, axis=1, keepdims=True), np.finfo(float).tiny)
        moved = Mesh(points + layer * inward / length, faces)
        return moved if moved.closed else None
    except Error:
        return None  # too thin for it


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
    if layout.is_general(shape.kind):
        points = surface_points(shape, 24)
        return np.hstack([points, np.zeros((len(points), 1))])
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
