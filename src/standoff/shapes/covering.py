"""Covering a body by few capsules.

One capsule that holds all vertices holds their hull, because it is convex. For more of them the
body is parted by planes, and each part gets a capsule of its own. What lies on one side of a plane
is in the hull of the vertices there and of the points where edges cross the plane, since a point
inside the solid is never extreme. So the solid is covered as well as the surface, and a thing that
sits inside a closed link without touching its surface is still seen.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from standoff.constants import (
    COVER_FLAT,
    COVER_GAIN,
    COVER_LARGEST,
    COVER_LEAST_RADIUS,
    COVER_ROUNDING,
    EPS,
)
from standoff.errors import ShapeError
from standoff.kernels.capsule_fit import least_radius
from standoff.shapes.capsule_search import Search, half_sphere, principal_axes
from standoff.shapes.hull import convex_hull
from standoff.shapes.pose import Array
from standoff.shapes.primitives import Capsule
from standoff.shapes.shape import IntArray
from standoff.shapes.soup import Soup

#: Points that stand for a ball where the volume of a hull of balls is taken.
_BALL_POINTS = 200


@dataclass(frozen=True)
class Covering:
    """Capsules that together hold a body.

    Attributes:
        capsules: each with its 4 x 4 pose in the body's frame.
        volume: of the union of the capsules, [m³]. One capsule: its formula. More: the union of
            chords, exact on each of 400 x 400 parallel rays, summed; right within some 1e-4.
        hull_volume: of the convex hull of the body, [m³]; 0 for a flat one. Around balls, the
            hull of 200 points on a sphere of the same volume for each.
    """

    capsules: tuple[tuple[Capsule, Array], ...]
    volume: float
    hull_volume: float

    @property
    def ratio(self) -> float:
        """Volume of the capsules over that of the hull; infinite where the hull has none. With
        faces it may be below 1: what a body leaves of its hull need not be covered."""
        return self.volume / self.hull_volume if self.hull_volume > 0.0 else math.inf


def cover(
    points: ArrayLike,
    faces: ArrayLike | None = None,
    radii: ArrayLike | None = None,
    *,
    count: int = 1,
    seed: int = 0,
) -> Covering:
    """Cover a body by at most ``count`` capsules of little volume.

    Each vertex is inside at least one capsule, to the last bit: ``distance(vertex, axis) + its
    radius <= radius`` in float64. So are each triangle and, where triangles shut in a solid, the
    solid. A further capsule is only taken where it saves 2 % of the volume.

    Args:
        points: (n, 3) vertices in the body's frame, [m].
        faces: (m, 3) indices of triangles; a corner may be repeated for an edge or a lone point.
            Without them the convex hull of the points is covered.
        radii: (n,) radii of balls about the points, [m]; without them 0. A face is then the hull
            of its balls, and balls joined by faces should have one radius. Without faces the hull
            of all balls is covered; where radii differ, ``count`` above 1 counts all as the
            largest.
        count: the most capsules to use.
        seed: of the random starts; the same input and seed give the same capsules, bit for bit.
    """
    centres = _points(points)
    soup = Soup(np.column_stack([centres, _radii(radii, len(centres))]), _faces(faces, len(centres)))
    for name, value, least in (("count", count, 1), ("seed", seed, 0)):
        if not isinstance(value, (int, np.integer)) or isinstance(value, bool) or value < least:
            raise ShapeError(
                "not a possible number", element=name, value=value, allowed=f"an integer >= {least}"
            )
    frame = _Frame(soup.balls)
    search = Search(seed)
    body = frame.inward(soup)
    parts = [(body, search.tightest(body.balls))]
    if count > 1 and frame.size > 0.0:
        parts = _split(search, parts[0][1], body if faces is not None else _hull_soup(body), count)
    capsules = tuple(frame.outward(part.balls, row) for part, row in parts)
    _check(soup.balls, capsules)
    return Covering(
        capsules=capsules,
        volume=search.union(np.array([_row(*placed) for placed in capsules])),
        hull_volume=_hull_volume(body.balls) * frame.size**3,
    )


_Part = tuple[Soup, Array]


def _split(search: Search, whole: Array, body: Soup, count: int) -> list[_Part]:
    """Part the body where that saves most, as long as it saves enough."""
    parts: list[_Part] = [(body, whole)]
    halves: list[list[_Part] | None] = []
    volume = search.union(whole[None])
    while len(parts) < count:
        for i in range(len(halves), len(parts)):
            others = np.array([row for k, (_, row) in enumerate(parts) if k != i]).reshape(-1, 7)
            plane = search.best_plane(*parts[i], others)
            halves.append(
                None
                if plane is None
                else [(half, search.tightest(half.balls)) for half in parts[i][0].parted(plane)]
            )
        best, least = -1, math.inf
        for i, pair in enumerate(halves):
            if pair is not None:
                rows = [row for _, row in pair]
                rows += [row for k, (_, row) in enumerate(parts) if k != i]
                result = search.union(np.array(rows))
                if result < least:
                    best, least = i, result
        if least > (1.0 - COVER_GAIN) * volume:
            break
        chosen = halves.pop(best)
        parts.pop(best)
        assert chosen is not None
        parts += chosen
        volume = least
    return parts


class _Frame:
    """Centre and size of a body, to and fro."""

    def __init__(self, balls: Array) -> None:
        centres, radii = balls[:, :3], balls[:, 3]
        self.centre = (centres.min(axis=0) + centres.max(axis=0)) / 2
        self.size = float((np.linalg.norm(centres - self.centre, axis=1) + radii).max())
        self._margin = COVER_ROUNDING * EPS * (float(np.abs(centres).max()) + self.size)

    def inward(self, soup: Soup) -> Soup:
        balls = soup.balls - np.append(self.centre, 0.0)
        return Soup(balls / self.size if self.size > 0.0 else balls, soup.faces)

    def outward(self, balls: Array, row: Array) -> tuple[Capsule, Array]:
        """The capsule in the body's frame, with the radius that its axis as placed there needs."""
        ends = row[:6].reshape(2, 3) * self.size + self.centre
        pose = np.eye(4)
        pose[:3, 3] = ends.mean(axis=0)
        length = float(np.linalg.norm(ends[1] - ends[0]))
        if length > 0.0:
            pose[:3, :3] = _rotation_onto((ends[1] - ends[0]) / length)
        balls = balls * self.size + np.append(self.centre, 0.0)
        axis = np.concatenate(_ends(length, pose))
        radius = least_radius(np.ascontiguousarray(balls), len(balls), axis) + self._margin
        pose.setflags(write=False)
        return Capsule(max(radius, COVER_LEAST_RADIUS), length), pose


def _row(capsule: Capsule, pose: Array) -> Array:
    return np.array([*_ends(capsule.length, pose)[0], *_ends(capsule.length, pose)[1], capsule.radius])


def _rotation_onto(z: Array) -> Array:
    """A rotation whose third column is a unit vector."""
    helper = np.eye(3)[np.argmin(np.abs(z))]
    x = np.cross(helper, z)
    x /= np.linalg.norm(x)
    return np.stack([x, np.cross(z, x), z], axis=1)


def _ends(length: float, pose: Array) -> tuple[Array, Array]:
    """The ends of a placed capsule's axis."""
    half = pose[:3, 2] * (length / 2)
    return pose[:3, 3] - half, pose[:3, 3] + half


def _check(balls: Array, capsules: tuple[tuple[Capsule, Array], ...]) -> None:
    """Each ball is inside a capsule: min over capsules of (distance to axis + own - radius) <= 0."""
    outside = np.full(len(balls), math.inf)
    for capsule, pose in capsules:
        a, b = _ends(capsule.length, pose)
        along = b - a
        t = np.clip((balls[:, :3] - a) @ along / max(along @ along, np.finfo(float).tiny), 0.0, 1.0)
        distance = np.linalg.norm(balls[:, :3] - a - t[:, None] * along, axis=1)
        outside = np.minimum(outside, distance + balls[:, 3] - capsule.radius)
    worst = int(np.argmax(outside))
    if not outside[worst] <= 0.0:
        raise ShapeError(
            f"a capsule leaves a vertex outside by {outside[worst]:.3g} m",
            element=f"points[{worst}]",
            value=balls[worst, :3].tolist(),
        )


def _hull_soup(body: Soup) -> Soup:
    """The hull of the centres, grown by the largest radius; a flat body is thickened first."""
    vertices, faces = _hull(_thickened(body.balls[:, :3]))
    radius = float(body.balls[:, 3].max())
    return Soup(np.column_stack([vertices, np.full(len(vertices), radius)]), faces)


def _hull_volume(balls: Array) -> float:
    """Volume of the hull of balls; 0 for flat points."""
    points = balls[:, :3]
    if balls[:, 3].any():
        sphere = half_sphere(_BALL_POINTS // 2)
        sphere = np.concatenate([sphere, -sphere])
        sphere *= (4.0 / 3.0 * math.pi / _enclosed(*_hull(sphere))) ** (1.0 / 3.0)
        points = (points[:, None] + balls[:, 3, None, None] * sphere).reshape(-1, 3)
    elif _thin_directions(points):
        return 0.0
    return _enclosed(*_hull(points))


def _hull(points: Array) -> tuple[Array, IntArray]:
    return convex_hull(points)


def _enclosed(vertices: Array, faces: IntArray) -> float:
    """Volume within a closed surface whose faces turn outwards."""
    a, b, c = np.moveaxis(vertices[faces], 1, 0)
    return float(np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6.0)


def _thin_directions(points: Array) -> list[Array]:
    """The principal directions in which the points are flat."""
    axes = principal_axes(points)
    return [axis for axis in axes if np.ptp(points @ axis) <= COVER_FLAT]


def _thickened(points: Array) -> Array:
    for axis in _thin_directions(points):
        points = np.concatenate([points - COVER_FLAT * axis, points + COVER_FLAT * axis])
    return points


def _points(points: ArrayLike) -> Array:
    allowed = "(n, 3) finite numbers, n >= 1 [m]"
    try:
        result = np.array(points, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise ShapeError("not numbers", element="points", value=points, allowed=allowed) from error
    if result.ndim != 2 or result.shape[1] != 3 or len(result) == 0:
        raise ShapeError("wrong shape", element="points", value=result.shape, allowed=allowed)
    bad = ~(np.abs(result) <= COVER_LARGEST)
    if bad.any():
        i = int(np.argmax(bad.any(axis=1)))
        raise ShapeError(
            "not a possible point",
            element=f"points[{i}]",
            value=result[i].tolist(),
            allowed=f"finite, up to {COVER_LARGEST:g} m",
        )
    return result


def _radii(radii: ArrayLike | None, n: int) -> Array:
    if radii is None:
        return np.zeros(n)
    allowed = f"({n},) numbers from 0 to {COVER_LARGEST:g} [m]"
    try:
        result = np.array(radii, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise ShapeError("not numbers", element="radii", value=radii, allowed=allowed) from error
    if result.shape != (n,):
        raise ShapeError("wrong shape", element="radii", value=result.shape, allowed=allowed)
    bad = ~((result >= 0.0) & (result <= COVER_LARGEST))
    if bad.any():
        i = int(np.argmax(bad))
        raise ShapeError(
            "not a possible radius",
            element=f"radii[{i}]",
            value=float(result[i]),
            allowed=allowed,
        )
    return result


def _faces(faces: ArrayLike | None, n: int) -> IntArray:
    if faces is None:
        return np.zeros((0, 3), dtype=np.int64)
    allowed = f"(m, 3) indices from 0 to {n - 1}"
    try:
        result = np.array(faces)
    except (TypeError, ValueError, OverflowError) as error:
        raise ShapeError("not numbers", element="faces", value=faces, allowed=allowed) from error
    if result.size == 0:
        return np.zeros((0, 3), dtype=np.int64)
    if result.ndim != 2 or result.shape[1] != 3 or not np.issubdtype(result.dtype, np.integer):
        raise ShapeError(
            "wrong shape or type",
            element="faces",
            value=f"{result.shape} {result.dtype}",
            allowed=allowed,
        )
    bad = (result < 0) | (result >= n)
    if bad.any():
        i = int(np.argmax(bad.any(axis=1)))
        raise ShapeError(
            "index out of range", element=f"faces[{i}]", value=result[i].tolist(), allowed=allowed
        )
    return np.ascontiguousarray(result, dtype=np.int64)
