"""The outlines of many parts on many planes, in tables that kernels take.

A shape as points and a radius whose hull holds it: what is projected.

The true outline of a mesh on a plane, with its concavities and holes.

The projection of a mesh is the union of its projected triangles; of a closed mesh those that face
the plane are enough, as the surface has no border: over each point of the plane it passes as often
upwards as downwards (thin ones, which face nowhere, are taken along). Where rounding could take
away from the union, it is grown first, and in the end every triangle, those that face away too, is
checked to be covered. What it is made of are the convex pieces of `outline_pieces`.

A polygon with holes as convex polygons: a triangulation, merged while it stays convex.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np

from standoff.geometry.mesh import Mesh
from standoff.geometry.pose import Array
from standoff.geometry.primitives import Cylinder
from standoff.geometry.shape import IntArray, Shape
from standoff.overlap.kernels import projection_layout as columns
from standoff.overlap.kernels.projection import project
from standoff.overlap.part import Part
from standoff.overlap.planes import plane_bases

#: Sides of the prism that stands for a cylinder in projections, [-]. Its corners are 0.12 % of the
#: radius outside the cylinder, and none of the cylinder is outside the prism.
PRISM_SIDES = 64

#: How far the true outline of a mesh is grown, relative to half of its larger extent, [-]: what
#: joining, rounding and simplifying polygons may take away is a thousand times less, and triangles
#: thinner than a quarter of it are joined as the lines they look like. A gap or a hole narrower
#: than twice this is lost, and no other.
OUTLINE_GROWTH = 1e-9

#: By what part of its growth the outline may be simplified, [-]. A point that is as deep inside as
#: the growth stays inside then: dropped corners are within a quarter of it from the new edge, so
#: the old border passes within two quarters of every point that the border sweeps over.
OUTLINE_SIMPLIFYING = 0.25

#: How often a true outline is made, each time grown ten times as far, before the convex hull stands
#: for it, [-]. Each is checked to cover every triangle; of 2,565 random ones all did at once.
OUTLINE_TRIES = 3


class Outlines:
    """Parts on planes: the convex hull of each projection, and where ``true`` also the outline of
    each mesh that is not convex, with its concavities and holes, as convex pieces.

    Every outline holds the projection whatever rounding does: how far it has to be grown for that
    stands beside it. Coordinates are counted from ``origin``, the middle of the parts, as rounding
    grows with them.
    """

    def __init__(self, parts: Sequence[Part], normals: Array, *, true: bool) -> None:
        self.normals = normals
        self.bases = plane_bases(normals)
        given = [outline_points(part.shape) for part in parts]
        counts = [len(points) for points, _ in given]
        self._ranges = np.zeros((len(parts), 3), dtype=np.int64)
        self._ranges[:, 0] = [
            columns.BOUNDED if part.shape.bounded else columns.HALF for part in parts
        ]
        self._ranges[:, 1] = np.cumsum([0, *counts])[:-1]
        self._ranges[:, 2] = counts
        self._points = np.concatenate([points for points, _ in given] or [np.zeros((0, 3))])
        self._radii = np.array([radius for _, radius in given])
        # how far each part reaches from its own origin, its radius included
        self._sizes = self._radii + [
            float(np.sqrt((points * points).sum(axis=1).max())) if len(points) else 0.0
            for points, _ in given
        ]
        self._shapes = [part.shape for part in parts]
        # Only what is not convex can have an outline other than its hull.
        self._meshes = [
            i
            for i, shape in enumerate(self._shapes)
            if true and isinstance(shape, Mesh) and not (shape.open_solid or _convex(shape))
        ]
        shape = (len(normals), len(parts))
        self.bodies = np.zeros((len(parts), columns.BODY_COLUMNS))
        self.table = np.zeros((*shape, columns.OUTLINE_COLUMNS))
        self.spans = np.zeros((*shape, columns.SPAN_COLUMNS), dtype=np.int64)
        self.corners = np.zeros((len(normals) * len(self._points), 2))
        self.pieces = np.zeros((0, 4))
        self.piece_spans = np.zeros((0, 2), dtype=np.int64)
        self.piece_corners = np.zeros((0, 2))
        self._scratch = np.zeros((4, max([1, *counts]), 2))
        self._polygons: dict[tuple[int, int], list[Array]] = {}
        poses = np.array([part.pose for part in parts]).reshape(-1, 4, 4)
        bounded = np.array([part.shape.bounded for part in parts], dtype=bool)
        places = poses[bounded][:, :3, 3] if bounded.any() else poses[:, :3, 3]
        self.origin: Array = 0.5 * (places.min(axis=0) + places.max(axis=0))
        self.place(np.arange(len(parts)), poses, 0.0)

    def place(self, which: IntArray, poses: Array, grown: float) -> None:
        """Project the parts ``which`` at ``poses`` (m, 4, 4), each grown by a distance [m]; the
        outlines of all others stay as they are."""
        rows = self.bodies[which]
        rows[:, :12] = poses[:, :3].reshape(-1, 12)
        rows[:, 3:12:4] -= self.origin
        rows[:, columns.BODY_GROWN] = self._radii[which] + grown
        away = np.sqrt((rows[:, 3:12:4] ** 2).sum(axis=1))
        rows[:, columns.BODY_REACH] = away + self._sizes[which] + grown
        self.bodies[which] = rows
        project(
            which, self.bodies, self._ranges, self._points, self.bases,
            self.corners, self.table, self.spans, self._scratch,
        )  # fmt: skip
        again = set(which.tolist()).intersection(self._meshes)
        if again:
            self._trace(again)

    def areas(self) -> Array:
        """The covered area of each plane, [m²]: the sum over all bounded parts."""
        return np.asarray(self.table[:, :, columns.AREA].sum(axis=1))

    def hull(self, plane: int, part: int) -> Array:
        """The corners (n, 2) of the convex outline of a part, counter-clockwise, counted from
        ``origin`` along the two vectors of ``bases``, [m]; empty for a half space. A sphere's is
        its centre: see ``grown``."""
        _, first, count, _, _ = self.spans[plane, part].tolist()
        return self.corners[first : first + count].copy()

    def convex_pieces(self, plane: int, part: int) -> list[Array]:
        """The convex polygons whose union is the true outline; the hull where that is all."""
        return self._polygons.get((plane, part)) or [self.hull(plane, part)]

    def grown(self, plane: int, part: int) -> float:
        """How far the projection may reach beyond the corners, [m]: the radius of a sphere or a
        capsule, the distance a part was grown by, and rounding."""
        return float(self.table[plane, part, columns.GROWN])

    def boxes(self) -> tuple[Array, Array]:
        """Lower and upper corners (n, 3) of the boxes around the parts in the world frame, [m]."""
        low, high = np.empty((len(self.bodies), 3)), np.empty((len(self.bodies), 3))
        for i, (body, (kind, first, count)) in enumerate(zip(self.bodies, self._ranges)):
            pose = body[:12].reshape(3, 4)
            if kind == columns.HALF:
                low[i], high[i] = _half_space_box(pose)
            else:
                placed = self._points[first : first + count] @ pose[:, :3].T + pose[:, 3]
                reach = self.table[0, i, columns.GROWN]
                low[i], high[i] = placed.min(axis=0) - reach, placed.max(axis=0) + reach
        return low + self.origin, high + self.origin

    def _trace(self, again: set[int]) -> None:
        """The true outlines of some parts anew, and the table of all pieces."""

        for i in sorted(again):
            mesh = self._shapes[i]
            assert isinstance(mesh, Mesh)
            pose = self.bodies[i, :12].reshape(3, 4)
            for k, basis in enumerate(self.bases):
                span = basis[:6].reshape(2, 3)
                flat = mesh.vertices @ (span @ pose[:, :3]).T + span @ pose[:, 3]
                self._polygons[k, i] = true_outline_pieces(flat, mesh.faces, closed=mesh.closed)
        polygons: list[Array] = []
        for (k, i), found in self._polygons.items():
            self.spans[k, i, columns.PIECE0] = len(polygons)
            self.spans[k, i, columns.PIECES] = len(found)
            if found:
                area = sum(_area(polygon) for polygon in found)
                self.table[k, i, columns.AREA] = area
            polygons += found
        counts = [len(polygon) for polygon in polygons]
        self.piece_spans = np.zeros((len(polygons), 2), dtype=np.int64)
        self.piece_spans[:, 0] = np.cumsum([0, *counts])[:-1]
        self.piece_spans[:, 1] = counts
        self.pieces = np.array(
            [[*polygon.min(axis=0), *polygon.max(axis=0)] for polygon in polygons]
        ).reshape(-1, 4)
        self.piece_corners = np.concatenate(polygons or [np.zeros((0, 2))])


def _convex(shape: object) -> bool:
    return isinstance(shape, Mesh) and shape.is_convex


def _area(polygon: Array) -> float:
    x, y = (polygon - polygon[0]).T
    return 0.5 * float((x * np.roll(y, -1) - y * np.roll(x, -1)).sum())


def _half_space_box(pose: Array) -> tuple[Array, Array]:
    """Bounded along one axis where the half space's normal is that axis, otherwise not at all."""
    low, high = np.full(3, -np.inf), np.full(3, np.inf)
    normal = pose[:, 2]
    for axis in range(3):
        if abs(normal[axis]) == 1.0 and np.count_nonzero(normal) == 1:
            (high if normal[axis] > 0.0 else low)[axis] = pose[axis, 3]
    return low, high


def outline_points(shape: Shape) -> tuple[Array, float]:
    """Points (n, 3) in the shape's own frame and a radius, [m]: the shape is, or for cylinders lies
    within, the hull of the points grown by the radius. None for a half space."""
    if not shape.bounded:
        return np.zeros((0, 3)), 0.0
    if isinstance(shape, Cylinder):
        return _prism() * (shape.radius, shape.radius, shape.length / 2), 0.0
    points, radius = shape.core()
    return np.ascontiguousarray(points, dtype=np.float64), radius


@cache
def _prism() -> Array:
    """A prism around the cylinder of radius 1 between z = -1 and 1; its sides touch the cylinder
    in their middles, so its corners are 1 / cos(pi / n) away from the axis."""
    turn = np.arange(PRISM_SIDES) * (2.0 * math.pi / PRISM_SIDES)
    away = 1.0 / math.cos(math.pi / PRISM_SIDES)
    x, y = away * np.cos(turn), away * np.sin(turn)
    ends = [np.column_stack([x, y, np.full(PRISM_SIDES, z)]) for z in (-1.0, 1.0)]
    return np.concatenate(ends)


def true_outline_pieces(points: Array, faces: IntArray, *, closed: bool) -> list[Array]:
    """Convex polygons (n, 2) that together cover every triangle ``faces`` of ``points`` (n, 2), and
    nothing farther from them than some `OUTLINE_GROWTH` of their extent; empty where no such
    outline could be proved, and the hull has to stand for it."""
    used = points[faces.ravel()]
    centre = 0.5 * (used.min(axis=0) + used.max(axis=0))
    for attempt in range(OUTLINE_TRIES):
        growth = OUTLINE_GROWTH * 10.0**attempt
        outline = true_outline(points - centre, faces, closed=closed, growth=growth)
        pieces = [convex_pieces(polygon) for polygon in outline]
        if pieces and all(pieces):
            return [piece + centre for each in pieces for piece in each]
    return []


def true_outline(
    points: Array, faces: IntArray, *, closed: bool, growth: float = OUTLINE_GROWTH
) -> list[Any]:
    """The union of projected triangles as shapely polygons, apart from each other, grown by
    ``growth`` of their largest coordinate; none where a triangle is not covered."""
    import shapely
    from shapely.errors import GEOSException

    every = points[faces]
    reach = float(np.abs(points[faces.ravel()]).max())
    if reach == 0.0:
        return []
    grown = growth * reach
    turn, height = _turn_and_height(every)
    thin = height <= OUTLINE_SIMPLIFYING * grown
    # Thicker than that, the sign of its area is beyond rounding.
    kept = thin | (turn > 0.0) if closed else np.ones(len(every), dtype=bool)
    corners, thin = every[kept], thin[kept]
    triangles = shapely.convex_hull(shapely.multipoints(corners))
    turned_away = shapely.convex_hull(shapely.multipoints(every[~kept]))
    try:
        joined = shapely.union_all(triangles[~thin])
        lines = shapely.union_all(shapely.linestrings(_longest_edges(corners[thin])))
        outline = shapely.union_all(
            [
                shapely.buffer(each, grown, join_style="mitre", cap_style="square", quad_segs=2)
                for each in (joined, lines)
            ]
        )
        outline = shapely.simplify(outline, OUTLINE_SIMPLIFYING * grown, preserve_topology=True)
    except GEOSException:
        return []
    if not outline.is_valid or outline.is_empty:
        return []
    shapely.prepare(outline)
    if not all(shapely.covers(outline, each).all() for each in (triangles, turned_away)):
        return []
    return [polygon for polygon in shapely.get_parts(outline) if polygon.area > 0.0]


def _turn_and_height(corners: Array) -> tuple[Array, Array]:
    """Twice the signed area of each triangle, and its height over the longest side."""
    u, v = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    turn = u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0]
    sides = corners - np.roll(corners, -1, axis=1)
    longest = np.sqrt((sides * sides).sum(axis=2).max(axis=1))
    height = np.divide(np.abs(turn), longest, out=np.zeros_like(turn), where=longest > 0.0)
    return turn, height


def _longest_edges(corners: Array) -> Array:
    """The two ends of the longest side of each triangle."""
    sides = corners - np.roll(corners, -1, axis=1)
    k = (sides * sides).sum(axis=2).argmax(axis=1)
    rows = np.arange(len(corners))
    return np.stack([corners[rows, k], corners[rows, (k + 1) % 3]], axis=1)


Edge = tuple[int, int]


def convex_pieces(polygon: Any) -> list[Array]:
    """Convex polygons (n, 2), counter-clockwise, whose union is a shapely polygon; empty where the
    triangulation is not one of the polygon.

    A constrained Delaunay triangulation has no corners but the polygon's own. It is one of exactly
    this polygon when its triangles' edges, each run through counter-clockwise, cancel each other
    but for the polygon's border: then each point is covered as often as the border winds around it.
    Hertel and Mehlhorn's rule then drops every diagonal whose two ends stay convex, which leaves
    at most four times as many pieces as the fewest possible (1983). A corner that is bent inwards
    by rounding alone may pass for straight; the hull of the piece, which is what is compared, holds
    it all the same.
    """
    import shapely

    polygon = shapely.orient_polygons(polygon)
    found = shapely.get_parts(shapely.constrained_delaunay_triangles(polygon))
    if len(found) == 0:
        return []
    rings = shapely.orient_polygons(found)
    corners = shapely.get_coordinates(rings).reshape(-1, 4, 2)[:, :3] + 0.0  # -0.0 is 0.0
    points, numbers = np.unique(corners.reshape(-1, 2), axis=0, return_inverse=True)
    triangles = numbers.reshape(-1, 3).tolist()
    index = {(x, y): k for k, (x, y) in enumerate(points.tolist())}
    border = _border(polygon, index)
    if border is None or _rest(triangles) != border:
        return []
    return [points[ring] for ring in _merged(triangles, points.tolist())]


def _border(polygon: Any, index: dict[tuple[float, float], int]) -> set[Edge] | None:
    """The directed edges of all rings of a polygon; None where one has a corner of its own."""
    edges: set[Edge] = set()
    for ring in (polygon.exterior, *polygon.interiors):
        numbers = [index.get((x, y)) for x, y in ring.coords]
        for a, b in pairwise(numbers):
            if a is None or b is None:
                return None
            if a != b:
                edges.add((a, b))
    return edges


def _rest(triangles: list[list[int]]) -> set[Edge]:
    """What is left of the edges of triangles when opposite ones cancel; none where one occurs
    twice, as then two triangles lie on the same side of it."""
    edges = [edge for a, b, c in triangles for edge in ((a, b), (b, c), (c, a))]
    all_of_them = set(edges)
    if len(all_of_them) < len(edges):
        return set()
    return {edge for edge in edges if edge[::-1] not in all_of_them}


def _merged(triangles: list[list[int]], points: list[list[float]]) -> list[list[int]]:
    """Triangles joined across edges that both have, while the corners at its ends stay convex."""
    rings: dict[int, list[int]] = dict(enumerate(triangles))
    owner: dict[Edge, int] = {}
    for k, ring in rings.items():
        for edge in zip(ring, ring[1:] + ring[:1]):
            owner[edge] = k
    shared = [edge for edge in owner if edge[0] < edge[1] and edge[::-1] in owner]
    # Long diagonals first: they cut off the slivers.
    shared.sort(key=lambda e: (-_square(points[e[0]], points[e[1]]), e))
    for a, b in shared:
        mine, other = owner[a, b], owner[b, a]
        if mine == other:
            continue
        left, right = _from(rings[mine], b), _from(rings[other], a)
        # left runs from b round to a, right from a round to b
        convex = _left_turn(points, left[-2], a, right[1]) and _left_turn(
            points, right[-2], b, left[1]
        )
        if not convex:
            continue
        rings[mine] = left + right[1:-1]
        for edge in pairwise(right):
            owner[edge] = mine
        del rings[other], owner[a, b], owner[b, a]
    return list(rings.values())


def _from(ring: list[int], first: int) -> list[int]:
    k = ring.index(first)
    return ring[k:] + ring[:k]


def _left_turn(points: list[list[float]], a: int, b: int, c: int) -> bool:
    (ax, ay), (bx, by), (cx, cy) = points[a], points[b], points[c]
    return (bx - ax) * (cy - by) - (by - ay) * (cx - bx) >= 0.0


def _square(p: list[float], q: list[float]) -> float:
    return (p[0] - q[0]) ** 2 + (p[1] - q[1]) ** 2
