"""The true outline of a mesh on a plane, with its concavities and holes.

The projection of a mesh is the union of its projected triangles; of a closed mesh those that face
the plane are enough, as the surface has no border: over each point of the plane it passes as often
upwards as downwards (thin ones, which face nowhere, are taken along). Where rounding could take
away from the union, it is grown first, and in the end every triangle, those that face away too, is
checked to be covered. What it is made of are the convex pieces of `outline_pieces`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from standoff.constants import (
    OUTLINE_GROWTH,
    OUTLINE_SIMPLIFYING,
    OUTLINE_TRIES,
)
from standoff.overlap.outline_pieces import convex_pieces
from standoff.shapes.pose import Array
from standoff.shapes.shape import IntArray


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
