"""Lower bounds of the distance between a mesh and another body, at many relative poses.

Balls around ever fewer triangles leave out what is farther away than the distance in question. For
what is left, the direction between the nearest points of two triangles (or of one and a convex
shape) is tried by support functions: how far it separates them is a lower bound, whatever rounding
did to the points.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from standoff.geometry.pose import Array
from standoff.geometry.primitives import Box, Capsule, Cylinder, HalfSpace, Sphere
from standoff.geometry.shape import Shape
from standoff.paths.verify.gjk import nearest_points
from standoff.paths.verify.soup import Soup
from standoff.paths.verify.triangles import (
    between_triangles,
    cross,
    dot,
    on_triangles,
    segment_and_triangles,
)

Ints = NDArray[np.int64]
Kind = type[Shape] | Shape

#: Pairs of balls looked at together.
_CHUNK = 1 << 16

#: Steps from a box or a cylinder to a triangle and back before the triangle's edges are tried, and
#: halvings of an edge.
_FEW = 8
_HALVINGS = 54


def soup_gap(
    a: Soup, b: Soup, turn: Array, place: Array, wanted: Array, roots: tuple[Ints, Ints]
) -> Array:
    """For each pose of ``b`` in ``a`` (n, 3, 3) and (n, 3): a lower bound of the distance of the
    triangles below two ``roots``, not more than ``wanted`` (n,); below it only where no bound is
    that long."""
    result = wanted.copy()
    waiting = [(np.arange(len(wanted)), *roots)]
    while waiting:
        row, i, j = _some(waiting)
        centre = np.einsum("nij,nj->ni", turn[row], b.centre[j]) + place[row]
        apart = np.sqrt(dot(a.centre[i] - centre, a.centre[i] - centre))
        near = apart - a.size[i] - b.size[j] < result[row]
        row, i, j, centre = row[near], i[near], j[near], centre[near]
        near = box_gap(a, b, i, j, turn[row], centre - a.centre[i]) < result[row]
        row, i, j = row[near], i[near], j[near]
        leaf_a, leaf_b = a.left[i] < 0, b.left[j] < 0
        ends = leaf_a & leaf_b
        if ends.any():
            k, s, t = _all_pairs(a, b, row[ends], i[ends], j[ends])
            other = np.einsum("nij,ncj->nci", turn[k], b.triangles[t]) + place[k][:, None]
            own = a.triangles[s]
            left = _separated(own, other, _middle(own) - _middle(other)) < result[k]
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


def box_gap(a: Soup, b: Soup, i: Ints, j: Ints, turn: Array, way: Array) -> Array:
    """How far the boxes of nodes are apart at least, by the axes of either; ``way`` leads from the
    middle of a's to that of b's, along a's axes."""
    wide = np.abs(turn)
    out = np.abs(way) - a.half[i] - np.einsum("nij,nj->ni", wide, b.half[j])
    back = np.abs(np.einsum("nij,ni->nj", turn, way)) - b.half[j]
    back -= np.einsum("nij,ni->nj", wide, a.half[i])
    out, back = np.maximum(out, 0.0), np.maximum(back, 0.0)
    return np.asarray(np.sqrt(np.maximum(dot(out, out), dot(back, back))))


def convex_gap(
    a: Soup, kind: Kind, size: Array, turn: Array, place: Array, wanted: Array, roots: Ints
) -> Array:
    """The same with solids of one kind and their sizes (n, 3), see `solid`; the poses are those of
    ``a`` in the solid."""
    result = wanted.copy()
    search = _BySupport(kind) if isinstance(kind, Shape) else _SEARCH[kind]
    waiting = [(np.arange(len(wanted)), roots, roots)]
    while waiting:
        row, i, _ = _some(waiting)
        centre = np.einsum("nij,nj->ni", turn[row], a.centre[i]) + place[row]
        near = point_gap(kind, size[row], centre) - a.size[i] < result[row]
        row, i = row[near], i[near]
        ends = a.left[i] < 0
        if ends.any():
            k, s = _all_of(a, row[ends], i[ends])
            own = np.einsum("nij,ncj->nci", turn[k], a.triangles[s]) + place[k][:, None]
            np.minimum.at(result, k, search(size[k], own, result[k]))
        row, i = row[~ends], i[~ends]
        both = np.concatenate([row, row])
        _push(waiting, both, np.concatenate([a.left[i], a.right[i]]), both)
    return result


def solid(shape: Shape) -> tuple[Kind, tuple[float, float, float]]:
    """Its kind and half its size along its own axes: a sphere is a capsule of no length, whose
    third size is half its axis. A shape without a kind here is one of its own."""
    if isinstance(shape, Box):
        x, y, z = shape.size
        return Box, (x / 2.0, y / 2.0, z / 2.0)
    if isinstance(shape, HalfSpace):
        return HalfSpace, (0.0, 0.0, 0.0)
    if isinstance(shape, Sphere):
        return Capsule, (shape.radius, shape.radius, 0.0)
    if isinstance(shape, (Capsule, Cylinder)):
        return type(shape), (shape.radius, shape.radius, shape.length / 2.0)
    return shape, (0.0, 0.0, 0.0)


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
    return np.asarray(_lowest(n, s) + _lowest(-n, t))


def _middle(t: Array) -> Array:
    return np.asarray((t[:, 0] + t[:, 1] + t[:, 2]) / 3.0)


def _lowest(n: Array, t: Array) -> Array:
    """How far along ``n`` (n, 3) triangles begin."""
    return np.asarray(np.minimum(np.minimum(dot(n, t[:, 0]), dot(n, t[:, 1])), dot(n, t[:, 2])))


def _capsule(size: Array, t: Array, wanted: Array) -> Array:
    half = size * [0.0, 0.0, 1.0]
    p, q = segment_and_triangles(-half, half, t)
    n = _unit(q - p)
    held = np.abs(n[:, 2]) * size[:, 2] + size[:, 0] * np.sqrt(dot(n, n))
    return np.asarray(_lowest(n, t) - held)


def _box_along(size: Array, n: Array) -> Array:
    return dot(np.abs(n), size)


def _cylinder_along(size: Array, n: Array) -> Array:
    return np.asarray(np.hypot(n[:, 0], n[:, 1]) * size[:, 0] + np.abs(n[:, 2]) * size[:, 2])


def _nearest_in_box(size: Array, p: Array) -> Array:
    return np.clip(p, -size, size)


def _nearest_in_cylinder(size: Array, p: Array) -> Array:
    across = np.hypot(p[:, 0], p[:, 1])
    inward = np.minimum(1.0, size[:, 0] / np.where(across > 0.0, across, size[:, 0]))
    q = p.copy()
    q[:, :2] *= inward[:, None]
    q[:, 2] = np.clip(p[:, 2], -size[:, 2], size[:, 2])
    return q


@dataclass(frozen=True)
class _Solid:
    """A box or a cylinder: how far it reaches along directions of length 1 or 0, and its points
    nearest to others. Called with sizes and triangles, it is a search like `_capsule`."""

    along: Callable[[Array, Array], Array]
    nearest: Callable[[Array, Array], Array]

    def __call__(self, size: Array, t: Array, wanted: Array) -> Array:
        """A few steps prove most triangles far enough away. The nearest point of the others is on
        an edge, or the triangle's own normal separates it."""
        best = self._to_and_fro(size, t, wanted)
        left = np.flatnonzero(best < wanted)
        if len(left) == 0:
            return best
        size, t = size[left], t[left]
        normal = _unit(cross(t[:, 1] - t[:, 0], t[:, 2] - t[:, 0]))
        found = np.maximum(best[left], self._separated(size, normal, t))
        found = np.maximum(found, self._separated(size, -normal, t))
        sizes, ends = np.concatenate([size] * 3), np.concatenate([t[:, k] for k in (0, 1, 2, 0)])
        p = self._on_edges(sizes, ends[: 3 * len(t)], ends[len(t) :])
        n = _unit(p - self.nearest(sizes, p))
        for own in np.split(n, 3):
            found = np.maximum(found, self._separated(size, own, t))
        best[left] = found
        return best

    def _separated(self, size: Array, n: Array, t: Array) -> Array:
        return np.asarray(_lowest(n, t) - self.along(size, n))

    def _to_and_fro(self, size: Array, t: Array, wanted: Array) -> Array:
        """Towards the nearest points of a solid and triangles by going from one to the other and
        back; how far the best direction met separates them. It ends where that is as much as is
        wanted."""
        best = np.full(len(t), -np.inf)
        left = np.arange(len(t))
        p = _middle(t)
        for _ in range(_FEW):
            q = self.nearest(size[left], p)
            found = self._separated(size[left], _unit(p - q), t[left])
            best[left] = np.maximum(best[left], found)
            short = best[left] < wanted[left]
            left, q = left[short], q[short]
            if len(left) == 0:
                break
            p = on_triangles(q, t[left])
        return best

    def _on_edges(self, size: Array, start: Array, end: Array) -> Array:
        """The point of each edge nearest to the solid, to the last bit: along an edge the squared
        distance is convex, and its slope, that of the way from the nearest point of the solid,
        changes sign once."""
        way = end - start
        low, high = np.zeros(len(way)), np.ones(len(way))
        for _ in range(_HALVINGS):
            middle = 0.5 * (low + high)
            p = start + middle[:, None] * way
            rises = dot(p - self.nearest(size, p), way) > 0.0
            low, high = np.where(rises, low, middle), np.where(rises, middle, high)
        return np.asarray(start + (0.5 * (low + high))[:, None] * way)


@dataclass(frozen=True)
class _BySupport:
    """A search like `_capsule` for any convex shape."""

    shape: Shape

    def __call__(self, size: Array, t: Array, wanted: Array) -> Array:
        """The direction between the middles proves most triangles far enough away, that between
        the nearest points of a search for each of the others what it can."""
        best = self._separated(_unit(_middle(t)), t)
        for k in np.flatnonzero(best < wanted).tolist():
            found = self._separated(_unit(self._way_to(t[k])[None]), t[k : k + 1])
            best[k] = max(best[k], float(found[0]))
        return best

    def _way_to(self, corners: Array) -> Array:
        """From the nearest point of the shape to that of one triangle."""
        p, q = nearest_points(
            lambda d: np.asarray(corners[np.argmax(corners @ d)]),
            lambda d: np.asarray(self.shape.support(d[None])[0]),
        )
        return np.asarray(p - q)

    def _separated(self, n: Array, t: Array) -> Array:
        held = dot(n, self.shape.support(n)) + self.shape.swept_radius * np.sqrt(dot(n, n))
        return np.asarray(_lowest(n, t) - held)


def _half_space(size: Array, t: Array, wanted: Array) -> Array:
    return np.asarray(t[:, :, 2].min(axis=1))


_BOX = _Solid(_box_along, _nearest_in_box)
_CYLINDER = _Solid(_cylinder_along, _nearest_in_cylinder)
_SEARCH: dict[type[Shape], Callable[[Array, Array, Array], Array]] = {
    Capsule: _capsule,
    Box: _BOX,
    Cylinder: _CYLINDER,
    HalfSpace: _half_space,
}


def point_gap(kind: Kind, size: Array, p: Array) -> Array:
    """Distance of points from solids, of one without a kind here from its box; 0 or less inside."""
    if isinstance(kind, Shape):
        low, high = kind.bounds()
        away = p - np.clip(p, low, high)
        return np.asarray(np.sqrt(dot(away, away)))
    if kind is HalfSpace:
        return np.asarray(p[:, 2])
    if kind is Capsule:
        away = p.copy()
        away[:, 2] -= np.clip(p[:, 2], -size[:, 2], size[:, 2])
        return np.asarray(np.sqrt(dot(away, away)) - size[:, 0])
    away = p - (_BOX if kind is Box else _CYLINDER).nearest(size, p)
    return np.asarray(np.sqrt(dot(away, away)))
