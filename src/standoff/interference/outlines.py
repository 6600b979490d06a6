"""The planes that parts are projected on, and the outlines of the parts there."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from standoff.errors import InterferenceError
from standoff.geometry.capsule_search import half_sphere
from standoff.geometry.mesh import Mesh
from standoff.geometry.pose import Array
from standoff.geometry.shape import IntArray, Shape
from standoff.interference.kernels.outline import BODY, BOUNDED, HALF, PLANE, Scene, project
from standoff.interference.parts import Part, world_box
from standoff.interference.true_outline import true_outline_pieces
from standoff.scalars import whole

#: How near to one another two normals may be and count as one plane, [rad].
SAME_PLANE = 1e-9

#: Most planes of one comparison, [-]; beyond some tens they find hardly anything more.
MAX_PLANES = 1024


_ALLOWED = f"a number of planes, 1 to {MAX_PLANES}, or their normals (n, 3), finite and not 0"

#: Directions to choose further planes from.
_CHOICE = 4096


def plane_normals(planes: int | ArrayLike) -> Array:
    """Unit normals (n, 3) of planes in the world frame.

    A number n asks for the first n of one fixed sequence, so that n + 1 planes hold the n: the
    three coordinate planes (normals z, x, y), the four across the diagonals of a cube, the six
    across the diagonals of its faces, and from then on whichever normal is farthest from all
    before. Normals of one's own may have any length; of those that are one plane (opposite ones
    included, within 1e-9 rad) only the first is kept.
    """
    if np.isscalar(planes):
        count = whole("planes", planes, InterferenceError, 1, MAX_PLANES, allowed=_ALLOWED)
        return np.array(_spread(count))
    return _given(planes)


def plane_bases(normals: Array) -> Array:
    """Rows of nine: two unit vectors that span the plane of each normal, and the normal. Those of
    a coordinate plane are axes, so that its projections are coordinates, bit for bit."""
    rows = np.empty((len(normals), 9))
    for row, normal in zip(rows, normals):
        helper = np.zeros(3)
        helper[(int(np.argmax(np.abs(normal))) + 1) % 3] = 1.0
        u = helper - (helper @ normal) * normal
        u /= math.sqrt(float(u @ u))
        row[:3], row[3:6], row[6:] = u, np.cross(normal, u), normal
    return rows


def _given(planes: Any) -> Array:
    try:
        if np.asarray(planes).dtype.kind not in "iuf":
            raise TypeError("not numbers")
        normals = np.array(planes, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise InterferenceError(
            "not planes", element="planes", value=planes, allowed=_ALLOWED
        ) from error
    if normals.ndim != 2 or normals.shape[1] != 3 or len(normals) == 0:
        raise InterferenceError(
            "not normals", element="planes", value=normals.shape, allowed=_ALLOWED
        )
    if len(normals) > MAX_PLANES:
        raise InterferenceError(
            "too many planes", element="planes", value=len(normals), allowed=_ALLOWED
        )
    kept: list[Array] = []
    for k, normal in enumerate(normals):
        largest = float(np.abs(normal).max())
        if not 0.0 < largest < math.inf:
            raise InterferenceError(
                "not a normal", element=f"planes[{k}]", value=normal.tolist(), allowed=_ALLOWED
            )
        unit = normal / largest  # so that no square overflows or vanishes
        unit /= math.sqrt(float(unit @ unit))
        if all(float(np.linalg.norm(np.cross(unit, other))) > SAME_PLANE for other in kept):
            kept.append(unit)
    return np.array(kept)


@cache
def _spread(count: int) -> tuple[tuple[float, float, float], ...]:
    """The first ``count`` normals of the sequence."""
    first = [(0, 0, 1), (1, 0, 0), (0, 1, 0)]
    first += [(1, 1, 1), (-1, 1, 1), (1, -1, 1), (1, 1, -1)]
    first += [(1, 1, 0), (1, 0, 1), (0, 1, 1), (-1, 1, 0), (-1, 0, 1), (0, -1, 1)]
    chosen = [np.array(n, dtype=float) / math.sqrt(sum(c * c for c in n)) for n in first[:count]]
    if count > len(first):
        x, y, z = half_sphere(_CHOICE).T
        nearest = np.zeros(_CHOICE)
        while len(chosen) < count:
            for n in chosen if not nearest.any() else chosen[-1:]:
                nearest = np.maximum(nearest, np.abs(x * n[0] + y * n[1] + z * n[2]))
            k = int(np.argmin(nearest))
            unit = np.array([x[k], y[k], z[k]])
            chosen.append(unit / math.sqrt(float((unit * unit).sum())))
    return tuple((float(n[0]), float(n[1]), float(n[2])) for n in chosen)


#: Sides of the prism that stands for a cylinder in projections, [-], and of what stands for another
#: curved shape. Its corners are 0.12 % of the radius outside the cylinder, and none of the cylinder
#: is outside the prism.
SIDES = 64


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
        self._shapes = [part.shape for part in parts]
        # A shape lies within the hull of its points, grown by its radius; a half space has none.
        given = [np.asarray(shape.outline(SIDES), dtype=np.float64) for shape in self._shapes]
        counts = [len(points) for points in given]
        points = np.concatenate([*given, np.zeros((0, 3))])
        self._radii = np.array([shape.swept_radius for shape in self._shapes])
        # how far each part reaches from its own origin, its radius included
        farthest = [np.sqrt((p * p).sum(axis=1).max(initial=0.0)) for p in given]
        self._sizes = self._radii + farthest
        self._meshes = [i for i, shape in enumerate(self._shapes) if true and _has_holes(shape)]
        bounded = np.array([shape.bounded for shape in self._shapes], dtype=bool)
        bodies = np.zeros(len(parts), BODY)
        bodies["kind"] = np.where(bounded, BOUNDED, HALF)
        bodies["first"], bodies["count"] = np.cumsum([0, *counts])[:-1], counts
        most = max([1, *counts])
        self.scene = Scene(
            bodies=bodies, points=points, planes=self.bases.view(PLANE).reshape(-1),
            outlines=len(normals) * len(parts), corners=len(normals) * len(points),
            flat=most, lower=most, upper=most, spare=most,
        )  # fmt: skip
        self._polygons: dict[tuple[int, int], list[Array]] = {}
        poses = np.array([part.pose for part in parts]).reshape(-1, 4, 4)
        self._poses, self._growth = poses.copy(), np.zeros(len(parts))
        places = poses[bounded][:, :3, 3] if bounded.any() else poses[:, :3, 3]
        self.origin: Array = 0.5 * (places.min(axis=0) + places.max(axis=0))
        self.place(np.arange(len(parts)), poses, 0.0)

    def place(self, which: IntArray, poses: Array, grown: float) -> None:
        """Project the parts ``which`` at ``poses`` (m, 4, 4), each grown by a distance [m]; the
        outlines of all others stay as they are."""
        rows = np.array(poses[:, :3]).reshape(-1, 12)
        rows[:, 3::4] -= self.origin
        away = np.sqrt((rows[:, 3::4] ** 2).sum(axis=1))
        self._poses[which], self._growth[which] = poses, grown
        bodies = self.scene.bodies
        bodies.pose[which] = rows
        bodies.grown[which] = self._radii[which] + grown
        bodies.reach[which] = away + self._sizes[which] + grown
        project(self.scene.address, which)
        again = set(which.tolist()).intersection(self._meshes)
        if again:
            self._trace(again)

    def areas(self) -> Array:
        """The covered area of each plane, [m²]: the sum over all bounded parts."""
        area = self.scene.outlines.area[: len(self.normals) * len(self._shapes)]
        return np.asarray(area.reshape(len(self.normals), -1).sum(axis=1))

    def outline(self, plane: int, part: int) -> Any:
        """The row of a part on a plane; see `kernels.outline`."""
        return self.scene.outlines[plane * len(self._shapes) + part]

    def box(self, part: int) -> tuple[Array, Array]:
        """Lower and upper corner of the box around a part in the world frame, [m]."""
        box = world_box(self._shapes[part], self._poses[part])
        return box[:3] - self._growth[part], box[3:] + self._growth[part]

    def _trace(self, again: set[int]) -> None:
        """The true outlines of some parts anew, and the rows and corners of all pieces."""
        scene = self.scene
        for i in sorted(again):
            mesh = self._shapes[i]
            assert isinstance(mesh, Mesh)
            pose = scene.bodies[i].pose.reshape(3, 4)
            for k, basis in enumerate(self.bases):
                span = basis[:6].reshape(2, 3)
                flat = mesh.vertices @ (span @ pose[:, :3]).T + span @ pose[:, 3]
                self._polygons[k, i] = true_outline_pieces(flat, mesh.faces, closed=mesh.closed)
        pieces = [piece for found in self._polygons.values() for piece in found]
        hulls = len(self.normals) * len(self._shapes)
        corners = scene.corners[: len(self.normals) * len(scene.points)]
        scene.outlines = scene.outlines[:hulls]
        scene.grow("outlines", hulls + len(pieces))
        scene.corners = np.concatenate([corners, *pieces])
        row, first = hulls, len(corners)
        for (k, i), found in self._polygons.items():
            if not found:
                continue
            whole = self.outline(k, i)
            whole.piece, whole.pieces = row, len(found)
            whole.area = sum(_area(polygon) for polygon in found)
            for polygon in found:
                piece = scene.outlines[row]
                piece.first, piece.count = first, len(polygon)
                piece.low_x, piece.low_y = polygon.min(axis=0)
                piece.high_x, piece.high_y = polygon.max(axis=0)
                row, first = row + 1, first + len(polygon)


def _has_holes(shape: Shape) -> bool:
    """Whether a shape can have an outline other than its hull: not what is convex."""
    return isinstance(shape, Mesh) and not (shape.open_solid or shape.is_convex)


def _area(polygon: Array) -> float:
    x, y = (polygon - polygon[0]).T
    return 0.5 * float((x * np.roll(y, -1) - y * np.roll(x, -1)).sum())
