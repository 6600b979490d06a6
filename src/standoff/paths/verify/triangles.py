"""Nearest points of triangles with points, segments and each other; arrays of many at a time.

Nothing here needs to be exact: whatever points come out, the direction between them is then tried
by support functions, which alone decide (`soup`).
"""

from __future__ import annotations

import numpy as np

from standoff.geometry.pose import Array


def dot(a: Array, b: Array) -> Array:
    return np.asarray(np.einsum("...i,...i->...", a, b))


def cross(a: Array, b: Array) -> Array:
    """``a x b``, without what `numpy.cross` does for other shapes."""
    result = np.empty(np.broadcast_shapes(a.shape, b.shape))
    for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        result[..., i] = a[..., j] * b[..., k] - a[..., k] * b[..., j]
    return result


def on_segments(p: Array, a: Array, b: Array) -> Array:
    """The point of each segment a-b nearest to p; all (..., 3). A segment may be a point."""
    way = b - a
    square = dot(way, way)
    t = dot(p - a, way) / np.where(square > 0.0, square, 1.0)
    return np.asarray(a + np.clip(t, 0.0, 1.0)[..., None] * way)


def on_triangles(p: Array, t: Array) -> Array:
    """The point of each triangle ``t`` (n, 3, 3) nearest to ``p`` (n, 3); it may have no area."""
    a, b, c = t[:, 0], t[:, 1], t[:, 2]
    ab, ac, ap = b - a, c - a, p - a
    normal = cross(ab, ac)
    square = dot(normal, normal)
    safe = np.where(square > 0.0, square, 1.0)
    v = dot(cross(ap, ac), normal) / safe
    w = dot(cross(ab, ap), normal) / safe
    inside = (square > 0.0) & (v >= 0.0) & (w >= 0.0) & (v + w <= 1.0)
    best = a + v[:, None] * ab + w[:, None] * ac
    least = np.where(inside, dot(p - best, p - best), np.inf)
    for x, y in ((a, b), (b, c), (c, a)):
        q = on_segments(p, x, y)
        away = dot(p - q, p - q)
        nearer = away < least
        best, least = np.where(nearer[:, None], q, best), np.where(nearer, away, least)
    return np.asarray(best)


def between_segments(a: Array, b: Array, c: Array, d: Array) -> tuple[Array, Array]:
    """Nearest points of segments a-b and c-d; all (..., 3)."""
    u, v, w = b - a, d - c, a - c
    uu, vv, uv = dot(u, u), dot(v, v), dot(u, v)
    uw, vw = dot(u, w), dot(v, w)
    flat = uu * vv - uv * uv
    s = np.clip((uv * vw - vv * uw) / np.where(flat > 0.0, flat, 1.0), 0.0, 1.0)
    s = np.where(flat > 0.0, s, 0.0)
    p = a + s[..., None] * u
    q = on_segments(p, c, d)
    p = on_segments(q, a, b)
    q = on_segments(p, c, d)
    return p, q


def between_triangles(s: Array, t: Array) -> tuple[Array, Array]:
    """Nearest points of triangles ``s`` and ``t`` (n, 3, 3) that do not meet: on two edges, or at a
    corner of one."""
    best_p, best_q = s[:, 0].copy(), t[:, 0].copy()
    least = np.full(len(s), np.inf)

    def take(p: Array, q: Array) -> None:
        away = dot(p - q, p - q)
        nearer = away < least
        best_p[nearer], best_q[nearer], least[nearer] = p[nearer], q[nearer], away[nearer]

    for i in range(3):
        take(s[:, i], on_triangles(s[:, i], t))
        take(on_triangles(t[:, i], s), t[:, i])
        for j in range(3):
            take(*between_segments(s[:, i], s[:, (i + 1) % 3], t[:, j], t[:, (j + 1) % 3]))
    return best_p, best_q


def segment_and_triangles(a: Array, b: Array, t: Array) -> tuple[Array, Array]:
    """Nearest points of segments a-b (n, 3) and triangles ``t`` (n, 3, 3) that do not meet."""
    best_p, best_q = a.copy(), on_triangles(a, t)
    least = dot(best_p - best_q, best_p - best_q)
    for p, q in (
        (b, on_triangles(b, t)),
        *(between_segments(a, b, t[:, j], t[:, (j + 1) % 3]) for j in range(3)),
    ):
        away = dot(p - q, p - q)
        nearer = away < least
        best_p[nearer], best_q[nearer], least[nearer] = p[nearer], q[nearer], away[nearer]
    return best_p, best_q
