"""Covering a body by few capsules.

One capsule that holds all vertices holds their hull, because it is convex. For more of them the
body is parted by planes, and each part gets a capsule of its own. What lies on one side of a plane
is in the hull of the vertices there and of the points where edges cross the plane, since a point
inside the solid is never extreme. So the solid is covered as well as the surface, and a thing that
sits inside a closed link without touching its surface is still seen.

Fitting capsules to a robot takes a second, and the answer to the same points is always the same:
coverings found before are kept beside the compiled kernels. The answer depends on the body, the
number of capsules, the seed, and the sources of the search. One that a disk or a hand has changed
is searched anew (see `kept_file`), and each that is read is checked to hold its body's points, too.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from standoff.errors import ShapeError
from standoff.geometry import kept_file
from standoff.geometry.capsule_search import Part, Search, half_sphere, principal_axes, union
from standoff.geometry.convex_hull import convex_hull
from standoff.geometry.kernels.capsule_fit import (
    CAPSULE_COLUMNS,
    CAPSULE_RADIUS,
    least_radius,
)
from standoff.geometry.pose import Array, as_pose
from standoff.geometry.primitives import Capsule, Sphere
from standoff.geometry.shape import IntArray, Shape, frozen
from standoff.geometry.soup import Soup, soup_of_shapes
from standoff.scalars import whole
from standoff.tolerances import EPS

#: Rounding put on the radius of a covering capsule, [ulps of the largest coordinate]. A vertex goes
#: through a change of frame and of scale, a cut by a plane, and the pose of the capsule: some
#: twenty roundings, each half an ulp at most.
COVER_ROUNDING = 64.0

#: The radius of a covering capsule where the body has no extent at all, [m]. A capsule must have
#: one, and a nanometre is below what any robot or mesh resolves.
COVER_LEAST_RADIUS = 1e-9

#: A point set thinner than this part of its size has no hull to speak of, [-]: its volume is 0. Far
#: above the noise of coordinates that are large beside the size (1e4 m beside 1 m leave 1e-12),
#: below any real sheet.
COVER_FLAT = 1e-6

#: Share of the volume that one more capsule has to save, [-]. Less is not worth a body more in
#: every pair of every cycle, and the search for the plane is itself not sharper than this.
COVER_GAIN = 0.02


_TINY = float(np.finfo(np.float64).tiny)

#: Directions in which a hull of balls is measured.
_DIRECTIONS = 2000


@dataclass(frozen=True)
class Covering:
    """Capsules that together hold a body.

    Attributes:
        capsules: each with its 4 x 4 pose in the body's frame.
        volume: of the union of the capsules, [m³]. One capsule: its formula. More: the union of
            chords, exact on each of 256 x 256 parallel rays, summed; right within some 1e-4.
        hull_volume: of the convex hull of the body, [m³]; 0 for a flat one. Where there are
            balls, of the hull of its farthest points in 2,000 directions, up to 0.5 % less.
    """

    capsules: tuple[tuple[Capsule, Array], ...]
    volume: float
    hull_volume: float

    @property
    def ratio(self) -> float:
        """Volume of the capsules over that of the hull; infinite where the hull has none. With
        faces it may be below 1: what a body leaves of its hull need not be covered."""
        return self.volume / self.hull_volume if self.hull_volume > 0.0 else math.inf


def cover_shapes(
    elements: Iterable[tuple[Shape, ArrayLike]], *, count: int = 1, seed: int = 0
) -> Covering:
    """Cover bounded shapes at their 4 x 4 poses in one body's frame by at most ``count`` capsules
    of little volume.

    Each vertex is inside at least one capsule, to the last bit: ``distance(vertex, axis) + its
    radius <= radius`` in float64. So are each triangle and, where triangles shut in a solid, the
    solid. A further capsule is only taken where it saves 2 % of the volume. No more than ``count``
    spheres and capsules are given back as they are.

    Args:
        count: the most capsules to use.
        seed: of the random starts; the same input and seed give the same capsules, bit for bit.
    """
    count, seed = whole("count", count, ShapeError, 1), whole("seed", seed, ShapeError)
    placed = [(shape, as_pose(pose, f"elements[{i}]")) for i, (shape, pose) in enumerate(elements)]
    if not placed:
        raise ShapeError("nothing to cover", element="elements", allowed="one shape or more")
    soup = soup_of_shapes(placed)
    exact = [_as_capsule(shape, pose) for shape, pose in placed]
    capsules = tuple(capsule for capsule in exact if capsule is not None)
    if len(capsules) == len(placed) <= count:
        return Covering(capsules, _volume(capsules), _hull_volume(soup))
    path = kept_file.path_of("coverings", __file__, f"{count} {seed}", soup.balls, soup.faces)
    kept = kept_file.read(path)
    if kept is not None:
        found = _unpacked(np.frombuffer(kept, dtype=np.float64).reshape(-1, 18))
        _check(soup.balls, found.capsules)
        return found
    found = _searched(soup, count, seed)
    kept_file.write(path, _packed(found).tobytes())
    return found


def _as_capsule(shape: Shape, pose: Array) -> tuple[Capsule, Array] | None:
    if isinstance(shape, Sphere):
        return Capsule(shape.radius, 0.0), pose
    return (shape, pose) if isinstance(shape, Capsule) else None


def _searched(soup: Soup, count: int, seed: int) -> Covering:
    search = Search(seed)
    frame = _Frame(soup.balls)
    body = frame.inward(soup)
    whole = search.tightest(body.balls)
    parts = [(body, whole)]
    # A needle has no volume to save.
    if count > 1 and whole[CAPSULE_RADIUS] > COVER_FLAT:
        split = _split(search, whole, body, count)
        parts = split if len(split) > 1 else parts
    capsules = tuple(frame.outward(part.balls, row) for part, row in parts)
    _check(soup.balls, capsules)
    return Covering(capsules, _volume(capsules), _hull_volume(soup))


def _split(search: Search, whole: Array, body: Soup, count: int) -> list[Part]:
    """Part the body again and again where that leaves the least volume; of all stages, the last
    one whose every capsule beyond an earlier stage's saves enough."""
    parts: list[Part] = [(body, whole)]
    kept, least = parts, union(_rows(parts))
    cuts: list[list[Part]] = []
    while len(parts) < count:
        for i in range(len(cuts), len(parts)):
            cuts.append(search.best_cut(*parts[i], _rows(parts[:i] + parts[i + 1 :])))
        after = [parts[:i] + parts[i + 1 :] + cut for i, cut in enumerate(cuts)]
        volumes = [union(_rows(result)) for result in after]
        best = int(np.argmin(volumes))
        parts = after[best]
        cuts.pop(best)
        if volumes[best] <= (1.0 - COVER_GAIN) ** (len(parts) - len(kept)) * least:
            kept, least = parts, volumes[best]
    return kept


def _rows(parts: list[Part]) -> Array:
    return np.array([row for _, row in parts]).reshape(-1, CAPSULE_COLUMNS)


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


def _volume(capsules: tuple[tuple[Capsule, Array], ...]) -> float:
    return union([[*np.concatenate(_ends(c.length, pose)), c.radius] for c, pose in capsules])


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
    """The promise of `cover_shapes`, asserted on what is given back: for each ball, the least of
    (distance to the axis + its radius - radius) over the capsules is at most 0."""
    outside = np.full(len(balls), math.inf)
    for capsule, pose in capsules:
        a, b = _ends(capsule.length, pose)
        along = b - a
        t = np.clip((balls[:, :3] - a) @ along / max(float(along @ along), _TINY), 0.0, 1.0)
        distance = np.linalg.norm(balls[:, :3] - a - t[:, None] * along, axis=1)
        outside = np.minimum(outside, distance + balls[:, 3] - capsule.radius)
    worst = int(np.argmax(outside))
    if not outside[worst] <= 0.0:
        raise ShapeError(
            f"the capsules leave a vertex outside by {outside[worst]:.3g} m",
            element=f"points[{worst}]",
            value=balls[worst, :3].tolist(),
        )


def _hull_volume(soup: Soup) -> float:
    """Volume of the hull of balls; 0 for flat points."""
    frame = _Frame(soup.balls)
    body = frame.inward(soup)
    if body.balls[:, 3].any():
        points = _extreme_points(body.balls)
    else:
        points = body.balls[:, :3]
        spread = np.ptp(points @ principal_axes(points).T, axis=0)
        if frame.size == 0.0 or spread.min() <= COVER_FLAT:
            return 0.0
    return _enclosed(*convex_hull(points, tidy=False)) * frame.size**3


def _extreme_points(balls: Array) -> Array:
    """Where the hull of balls reaches farthest, over directions spread evenly."""
    half = half_sphere(_DIRECTIONS // 2)
    points = []
    for directions in np.array_split(np.concatenate([half, -half]), _DIRECTIONS // 50):
        farthest = balls[np.argmax(balls[:, :3] @ directions.T + balls[:, 3:], axis=0)]
        points.append(farthest[:, :3] + farthest[:, 3:] * directions)
    return np.concatenate(points)


def _enclosed(vertices: Array, faces: IntArray) -> float:
    """Volume within a closed surface whose faces turn outwards."""
    a, b, c = np.moveaxis(vertices[faces], 1, 0)
    return float(np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6.0)


def _packed(found: Covering) -> Array:
    """One row a capsule (radius, length, pose), after one of the volumes."""
    rows = np.zeros((len(found.capsules) + 1, 18))
    rows[0, :2] = found.volume, found.hull_volume
    for row, (capsule, pose) in zip(rows[1:], found.capsules, strict=True):
        row[:2] = capsule.radius, capsule.length
        row[2:] = pose.ravel()
    return rows


def _unpacked(rows: Array) -> Covering:
    capsules = tuple(
        (Capsule(float(row[0]), float(row[1])), frozen(row[2:].reshape(4, 4).copy()))
        for row in rows[1:]
    )
    return Covering(capsules, float(rows[0, 0]), float(rows[0, 1]))
