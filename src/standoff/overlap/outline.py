"""The outlines of many parts on many planes, in tables that kernels take."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from standoff.kernels.overlap import projection_layout as columns
from standoff.kernels.overlap.projection import project
from standoff.overlap.outline_points import outline_points
from standoff.overlap.part import Part
from standoff.overlap.planes import plane_bases
from standoff.shapes.mesh import Mesh
from standoff.shapes.pose import Array
from standoff.shapes.shape import IntArray


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
        from standoff.overlap.outline_true import true_outline_pieces

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
