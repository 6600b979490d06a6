"""Lower bounds of the distance between a mesh and another body, at many relative poses.

Balls around ever fewer triangles leave out what is farther away than the distance in question. For
what is left, the direction between the nearest points of two triangles (or of one and a convex
shape) is tried by support functions: how far it separates them is a lower bound, whatever rounding
did to the points.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from standoff.paths.verify.soup import Soup
from standoff.paths.verify.support import core_support, radius
from standoff.paths.verify.triangles import (
    between_triangles,
    dot,
    on_triangles,
    segment_and_triangles,
)
from standoff.shapes.pose import Array
from standoff.shapes.primitives import Box, Capsule, Cylinder, HalfSpace, Sphere
from standoff.shapes.shape import Shape

Ints = NDArray[np.int64]

#: Pairs of balls looked at together.
_CHUNK = 1 << 16

#: Steps from a box or a cylinder to a triangle and back before the triangle's edges are tried, and
#: halvings of an edge.
_FEW = 8
_HALVINGS = 54


def soup_gap(a: Soup, b: Soup, turn: Array, place: Array, wanted: Array) -> Array:
    """For each pose of ``b`` in ``a`` (n, 3, 3) and (n, 3): a lower bound of the distance of the
    two surfaces, not more than ``wanted`` (n,); below it only where no bound is that long."""
    result = wanted.copy()
    start = np.zeros(len(wanted), dtype=np.int64)
    waiting = [(np.arange(len(wanted)), start, start)]
    while waiting:
        row, i, j = _some(waiting)
        centre = np.einsum("nij,nj->ni", turn[row], b.centre[j]) + place[row]
        apart = np.sqrt(dot(a.centre[i] - centre, a.centre[i] - centre))
        near = apart - a.size[i] - b.size[j] < result[row]
        row, i, j, centre = row[near], i[near], j[near], centre[near]
        near = _box_gap(a, b, i, j, turn[row], centre - a.centre[i]) < result[row]
        row, i, j = row[near], i[near], j[near]
        leaf_a, leaf_b = a.left[i] < 0, b.left[j] < 0
        ends = leaf_a & leaf_b
        if ends.any():
            k, s, t = _all_pairs(a, b, row[ends], i[ends], j[ends])
            other = np.einsum("nij,ncj->nci", turn[k], b.triangles[t]) + place[k][:, None]
            own = a.triangles[s]
            left = _separated(own, other, own.mean(axis=1) - other.mean(axis=1)) < result[k]
            found = _triangle_gap(own[left], other[left])
            np.minimum.at(result, k[left], found)
        row, i, j = row[~ends], i[~ends], j[~ends]
        split = ~leaf_a[~ends] & (leaf_b[~ends] | (a.size[i] >= b.size[j]))
        rest = ~split
        _push(
            waiting,
            np.concatenate([row[split], row[split], row[rest], row[rest]]),
            np.concatenate([a.left[i[split]], a.right[i[split]], i[rest], i[rest]]),
            np.concatenate([j[split], j[split], b.left[j[rest]], b.right[j[rest]]]),
        )
    return result


def _box_gap(a: Soup, b: Soup, i: Ints, j: Ints, turn: Array, way: Array) -> Array:
    """How far the boxes of nodes are apart at least, by the axes of either; ``way`` leads from the
    middle of a's to that of b's, along a's axes."""
    wide = np.abs(turn)
    out = np.abs(way) - a.half[i] - np.einsum("nij,nj->ni", wide, b.half[j])
    back = np.abs(np.einsum("nij,ni->nj", turn, way)) - b.half[j]
    back -= np.einsum("nij,ni->nj", wide, a.half[i])
    out, back = np.maximum(out, 0.0), np.maximum(back, 0.0)
    return np.asarray(np.sqrt(np.maximum(dot(out, out), dot(back, back))))


def convex_gap(a: Soup, shape: Shape, turn: Array, place: Array, wanted: Array) -> Array:
    """The same with a sphere, a capsule, a cylinder, a half space or a box, which are
    solids; the poses are those of ``a`` in the shape."""
    result = wanted.copy()
    search = _SEARCH[type(shape)]
    start = np.zeros(len(wanted), dtype=np.int64)
    waiting = [(np.arange(len(wanted)), start, start)]
    while waiting:
        row, i, _ = _some(waiting)
        centre = np.einsum("nij,nj->ni", turn[row], a.centre[i]) + place[row]
        near = _point_gap(shape, centre) - a.size[i] < result[row]
        row, i = row[near], i[near]
        ends = a.left[i] < 0
        if ends.any():
            k, s = _all_of(a, row[ends], i[ends])
            own = np.einsum("nij,ncj->nci", turn[k], a.triangles[s]) + place[k][:, None]
            np.minimum.at(result, k, search(shape, own, result[k]))
        row, i = row[~ends], i[~ends]
        both = np.concatenate([row, row])
        _push(waiting, both, np.concatenate([a.left[i], a.right[i]]), np.zeros_like(both))
    return result


def _some(waiting: list[tuple[Ints, Ints, Ints]]) -> tuple[Ints, Ints, Ints]:
    """The last batch; of a large one a part, so that memory stays bounded."""
    row, i, j = waiting.pop()
    if len(row) > _CHUNK:
        waiting.append((row[_CHUNK:], i[_CHUNK:], j[_CHUNK:]))
    return row[:_CHUNK], i[:_CHUNK], j[:_CHUNK]


def _push(waiting: list[tuple[Ints, Ints, Ints]], row: Ints, i: Ints, j: Ints) -> None:
    if len(row):
        waiting.append((row, i, j))


def _all_pairs(a: Soup, b: Soup, row: Ints, i: Ints, j: Ints) -> tuple[Ints, Ints, Ints]:
    """All pairs of triangles of two leaves, each with its row."""
    across = b.last[j] - b.first[j]
    count = (a.last[i] - a.first[i]) * across
    which = np.repeat(np.arange(len(row)), count)
    step = np.arange(len(which)) - np.repeat(np.cumsum(count) - count, count)
    return (
        row[which],
        a.first[i][which] + step // across[which],
        (b.first[j][which] + step % across[which]),
    )


def _all_of(a: Soup, row: Ints, i: Ints) -> tuple[Ints, Ints]:
    count = a.last[i] - a.first[i]
    which = np.repeat(np.arange(len(row)), count)
    step = np.arange(len(which)) - np.repeat(np.cumsum(count) - count, count)
    return row[which], a.first[i][which] + step


def _unit(d: Array) -> Array:
    length = np.sqrt(dot(d, d))
    return np.asarray(d / np.where(length > 0.0, length, 1.0)[:, None])


def _triangle_gap(s: Array, t: Array) -> Array:
    p, q = between_triangles(s, t)
    return _separated(s, t, p - q)


def _separated(s: Array, t: Array, d: Array) -> Array:
    """How far directions ``d``, of any length, separate two triangles each; from t to s."""
    n = _unit(d)
    low = np.einsum("ni,nci->nc", n, s).min(axis=1)
    high = np.einsum("ni,nci->nc", n, t).max(axis=1)
    return np.asarray(low - high)


def _along(shape: Shape, n: Array, t: Array) -> Array:
    """How far directions ``n`` (n, 3), of length 1 or 0, separate triangles from a shape."""
    low = np.einsum("ni,nci->nc", n, t).min(axis=1)
    return np.asarray(low - core_support(shape, n) - radius(shape) * np.sqrt(dot(n, n)))


def _sphere(shape: Shape, t: Array, wanted: Array) -> Array:
    return _along(shape, _unit(on_triangles(np.zeros((len(t), 3)), t)), t)


def _capsule(shape: Shape, t: Array, wanted: Array) -> Array:
    assert isinstance(shape, Capsule)
    half = np.zeros((len(t), 3))
    half[:, 2] = shape.length / 2.0
    p, q = segment_and_triangles(-half, half, t)
    return _along(shape, _unit(q - p), t)


def _solid(shape: Shape, t: Array, wanted: Array) -> Array:
    """A few steps prove most triangles far enough away. The nearest point of the others is on an
    edge, or the triangle's own normal separates it."""
    best = _to_and_fro(shape, t, wanted, _FEW)
    left = np.flatnonzero(best < wanted)
    if len(left) == 0:
        return best
    own = t[left]
    normal = _unit(np.cross(own[:, 1] - own[:, 0], own[:, 2] - own[:, 0]))
    found = np.maximum(best[left], _along(shape, normal, own))
    found = np.maximum(found, _along(shape, -normal, own))
    for e in range(3):
        p = _nearest_on_edge(shape, own[:, e], own[:, (e + 1) % 3])
        found = np.maximum(found, _along(shape, _unit(p - _nearest(shape, p)), own))
    best[left] = found
    return best


def _nearest_on_edge(shape: Shape, start: Array, end: Array) -> Array:
    """The point of each edge nearest to a box or a cylinder, to the last bit: along an edge the
    squared distance is convex, and its slope, that of the way from the nearest point of the solid,
    changes sign once."""
    way = end - start
    low, high = np.zeros(len(way)), np.ones(len(way))
    for _ in range(_HALVINGS):
        middle = 0.5 * (low + high)
        p = start + middle[:, None] * way
        rises = dot(p - _nearest(shape, p), way) > 0.0
        low, high = np.where(rises, low, middle), np.where(rises, middle, high)
    return np.asarray(start + (0.5 * (low + high))[:, None] * way)


def _to_and_fro(shape: Shape, t: Array, wanted: Array, steps: int) -> Array:
    """Towards the nearest points of a solid and triangles by going from one to the other and back;
    how far the best direction met separates them. It ends where that is as much as is wanted."""
    best = np.full(len(t), -np.inf)
    left = np.arange(len(t))
    p = t.mean(axis=1)
    for _ in range(steps):
        q = _nearest(shape, p)
        best[left] = np.maximum(best[left], _along(shape, _unit(p - q), t[left]))
        short = best[left] < wanted[left]
        left, q = left[short], q[short]
        if len(left) == 0:
            break
        p = on_triangles(q, t[left])
    return best


def _nearest(shape: Shape, p: Array) -> Array:
    """The points of a box or a cylinder nearest to ``p``."""
    if isinstance(shape, Box):
        half = np.array(shape.size) / 2.0
        return np.clip(p, -half, half)
    assert isinstance(shape, Cylinder)
    across = np.hypot(p[:, 0], p[:, 1])
    inward = np.minimum(1.0, shape.radius / np.where(across > 0.0, across, shape.radius))
    q = p.copy()
    q[:, :2] *= inward[:, None]
    q[:, 2] = np.clip(p[:, 2], -shape.length / 2.0, shape.length / 2.0)
    return q


def _half_space(shape: Shape, t: Array, wanted: Array) -> Array:
    return np.asarray(t[:, :, 2].min(axis=1))


_SEARCH: dict[type[Shape], Callable[[Shape, Array, Array], Array]] = {
    Sphere: _sphere,
    Capsule: _capsule,
    Box: _solid,
    Cylinder: _solid,
    HalfSpace: _half_space,
}


def _point_gap(shape: Shape, p: Array) -> Array:
    """Distance of points from a shape; 0 or less inside."""
    if isinstance(shape, HalfSpace):
        return np.asarray(p[:, 2])
    if isinstance(shape, (Box, Cylinder)):
        away = p - _nearest(shape, p)
        return np.asarray(np.sqrt(dot(away, away)))
    half = shape.length / 2.0 if isinstance(shape, Capsule) else 0.0
    away = p.copy()
    away[:, 2] -= np.clip(p[:, 2], -half, half)
    return np.asarray(np.sqrt(dot(away, away)) - radius(shape))
