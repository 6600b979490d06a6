"""A polygon with holes as convex polygons: a triangulation, merged while it stays convex."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from standoff.shapes.pose import Array

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
