"""The convex hull of points."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from standoff.errors import ShapeError
from standoff.geometry.kernels.hull import GONE, LINE, PLANE, POINT, SOLID, HullTables, hull
from standoff.geometry.kernels.hull_audit import farthest_outside, superfluous
from standoff.geometry.kernels.orientation import GRID_STEP
from standoff.geometry.pose import Array, seen
from standoff.geometry.shape import IntArray
from standoff.tolerances import COORDINATE_LIMIT, EPS

#: The thickness below which points are flat, as a part of the largest extent, [-]: two sides nearer
#: than this cannot be told apart. Also how far a vertex may stand out of a face given with it.
HULL_TOLERANCE = 1e-10

#: The same in units of ``EPS`` times the largest coordinate, [-], for bodies far from their own
#: origin: points that went through a rigid motion there are off by some roundings of it.
HULL_ROUNDING = 512.0

#: How near to the hull of the others a point is left out of it, in units of ``EPS`` times the
#: largest coordinate, [-]: a point of a face that went through a rotation is off by as much.
HULL_INSIDE = 4.0

#: How far outside its hull a point may lie in the end, in the same units, [-]. The grid on which
#: this is measured moves point and face by 7 more at most. ``GJK_ROUNDING`` holds both, so that a
#: distance less its slack is one to all points given.
HULL_OUTSIDE = 8.0


_FLAT = {
    POINT: "all points are one point",
    LINE: "all points lie on one line",
    PLANE: "all points lie in one plane",
}


def convex_hull(
    points: ArrayLike, element: str = "convex_hull", *, tidy: bool = True
) -> tuple[Array, IntArray]:
    """Corners (v, 3) and triangles (f, 3) of the convex hull of ``points`` (n, 3), [m].

    The triangles are closed and run counter-clockwise seen from outside. The corners are input
    points, bit for bit, in the order they were given; points inside, on a face or on an edge, and
    doubles, are left out. No point lies above the plane of a face by more than twice
    ``HULL_OUTSIDE`` roundings of the largest coordinate, which the slack of every distance covers.
    Where only the volume matters, ``tidy=False`` spares the search for corners to leave out.

    Raises:
        ShapeError: no numbers, not finite, or all points within `hull_tolerance` of one plane, one
            line or one point.
    """
    cloud = points_of(points, element)
    lower, upper = cloud.min(axis=0), cloud.max(axis=0)
    allowed = hull_tolerance(cloud)
    unit = _unit(upper - lower)
    # Onto a grid where differences are exact; the move is below one rounding of the extent.
    shifted = np.round((cloud - 0.5 * (lower + upper)) / unit / GRID_STEP) * GRID_STEP
    thickness = allowed / unit
    rounding = EPS * float(np.abs(cloud).max()) / unit
    tolerance = HULL_INSIDE * rounding
    chosen = np.sort(np.unique(cloud, axis=0, return_index=True)[1])
    said = f"{len(cloud)} points, extents {(upper - lower).tolist()}"
    while True:
        code, faces = _hull(shifted[chosen], tolerance, thickness)
        if code != SOLID:
            raise ShapeError(
                f"{_FLAT[code]} (within {allowed:.3g} m), so the hull is flat",
                element=element,
                value=said,
                allowed="points that span a volume; a flat Box or a Mesh for a sheet",
            )
        chosen, faces = _used(chosen, faces)
        if not tidy:
            return cloud[chosen], faces
        keep = np.empty(len(chosen), dtype=np.int64)
        if not superfluous(shifted[chosen], faces, tolerance, keep):
            break
        chosen = chosen[keep == 1]
    chosen, faces, outside = _taken_back(shifted, chosen, faces, HULL_OUTSIDE * rounding, thickness)
    if not outside <= thickness:
        raise ShapeError(
            f"a point would lie {outside * unit:.3g} m outside the hull taken",
            element=element,
            value=said,
            allowed=f"{allowed:.3g} m",
        )
    return cloud[chosen], faces


def _taken_back(
    points: Array, chosen: IntArray, faces: IntArray, most: float, thickness: float
) -> tuple[IntArray, IntArray, float]:
    """Corners left out one after another may add up to more than each of them: those that are more
    than ``most`` outside return. Corners and faces then, and how far a point is outside."""
    outside = 0.0
    rest = np.delete(np.arange(len(points)), chosen)
    while len(rest) > 0:
        outside, worst, _ = farthest_outside(points[chosen], faces, points[rest])
        if outside <= most:
            break
        chosen = np.sort(np.append(chosen, rest[worst]))
        rest = np.delete(rest, worst)
        chosen, faces = _used(chosen, _hull(points[chosen], 0.0, thickness)[1])
    return chosen, faces, outside


def _hull(points: Array, tolerance: float, thickness: float) -> tuple[int, IntArray]:
    """A code of `kernels.hull`, and the faces of the hull."""
    tables = HullTables(points)
    code, rows = hull(tables.address, tolerance, thickness)
    return code, tables.faces[:rows][tables.state[:rows] != GONE]


def _unit(extents: Array) -> float:
    """The power of two that bounds half of the extents, [m]."""
    return float(2.0 ** int(np.frexp(0.5 * extents.max())[1]))


def _used(chosen: IntArray, faces: IntArray) -> tuple[IntArray, IntArray]:
    """The chosen ones that occur in faces, ascending, and the faces counted in them."""
    used, renumbered = np.unique(faces, return_inverse=True)
    return chosen[used], np.ascontiguousarray(renumbered.reshape(faces.shape), dtype=np.int64)


def hull_tolerance(points: Array) -> float:
    """The thickness below which points are flat, and how far a vertex may stand out of a face
    that was given with it, [m]: a part of the extent and some roundings of the coordinates."""
    extent = float((points.max(axis=0) - points.min(axis=0)).max())
    return HULL_TOLERANCE * extent + HULL_ROUNDING * EPS * float(np.abs(points).max())


def points_of(points: ArrayLike, element: str) -> Array:
    """A C-contiguous float64 copy of (n, 3) finite points, at least one."""
    allowed = "an array (n, 3) of finite numbers, n >= 1 [m]"
    try:
        cloud = np.array(points, dtype=np.float64, order="C")
    except (TypeError, ValueError, OverflowError) as error:
        raise ShapeError(
            "not points", element=element, value=seen(points), allowed=allowed
        ) from error
    if cloud.ndim != 2 or cloud.shape[1] != 3 or len(cloud) == 0:
        raise ShapeError("wrong shape", element=element, value=cloud.shape, allowed=allowed)
    finite = np.isfinite(cloud).all(axis=1)
    if not finite.all():
        bad = int(np.flatnonzero(~finite)[0])
        raise ShapeError(
            "not finite", element=f"{element}[{bad}]", value=cloud[bad].tolist(), allowed=allowed
        )
    if np.abs(cloud).max() > COORDINATE_LIMIT:
        bad = int(np.abs(cloud).max(axis=1).argmax())
        raise ShapeError(
            "too far from the origin",
            element=f"{element}[{bad}]",
            value=cloud[bad].tolist(),
            allowed=f"coordinates up to {COORDINATE_LIMIT:g} m",
        )
    return cloud
