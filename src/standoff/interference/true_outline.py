"""The true outline of a mesh on a plane, with its concavities and holes, as convex polygons.

The projection of a mesh is the union of its projected triangles; of a closed mesh those that face
the plane are enough, as the surface has no border: over each point of the plane it passes as often
upwards as downwards (thin ones, which face nowhere, are taken along). Where rounding could take
away from the union, it is grown first, and in the end every triangle, those that face away too, is
checked to be covered. The union is a polygon with holes: a triangulation of it is merged while it
stays convex.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from standoff.geometry.pose import Array
from standoff.geometry.shape import IntArray

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
    turn, height, edges = _turn_height_edge(every)
    thin = height <= OUTLINE_SIMPLIFYING * grown
    # Thicker than that, the sign of its area is beyond rounding.
    kept = thin | (turn > 0.0) if closed else np.ones(len(every), dtype=bool)
    triangles = shapely.convex_hull(shapely.multipoints(every[kept]))
    turned_away = shapely.convex_hull(shapely.multipoints(every[~kept]))
    try:
        joined = shapely.union_all(triangles[~thin[kept]])
        lines = shapely.union_all(shapely.linestrings(edges[thin]))
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


def _turn_height_edge(corners: Array) -> tuple[Array, Array, Array]:
    """Twice the signed area of each triangle, its height over the longest side, and the two ends of
    that."""
    u, v = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    turn = u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0]
    sides = corners - np.roll(corners, -1, axis=1)
    squares = (sides * sides).sum(axis=2)
    longest = np.sqrt(squares.max(axis=1))
    height = np.divide(np.abs(turn), longest, out=np.zeros_like(turn), where=longest > 0.0)
    rows, k = np.arange(len(corners)), squares.argmax(axis=1)
    return turn, height, np.stack([corners[rows, k], corners[rows, (k + 1) % 3]], axis=1)


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
