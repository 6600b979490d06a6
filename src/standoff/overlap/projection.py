"""Interference by planar projections: paper 002, section II."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from standoff.errors import InterferenceError
from standoff.geometry.pose import Array
from standoff.geometry.shape import IntArray
from standoff.overlap.finding import Gap, Overlap
from standoff.overlap.kernels import projection_layout as columns
from standoff.overlap.kernels.projection_pairs import first_planes, widest_gap
from standoff.overlap.outline import Outlines
from standoff.overlap.part import Parts, checked_parts
from standoff.overlap.planes import plane_normals

#: What may stand for a part on a plane: the convex hull of its projection, or the projection.
Outline = Literal["hull", "true"]


class ProjectionMethod:
    """Which parts are apart, told from their outlines on some planes.

    Parts whose outlines are apart on one plane are apart: a real overlap is never missed. Parts
    whose outlines meet on every plane may be apart all the same. More planes find more of them, and
    so does the true outline of meshes that are not convex (``outline="true"``): with its
    concavities and holes, seen as if the mesh were a shadow; "hull" takes the convex hull of
    everything. For each pair the planes are looked at in the order of the area that all parts cover
    on them, smallest first, and the first plane that separates ends it; on each plane the envelopes
    (rectangle, then circle) come before the polygons.

    Touching outlines overlap; with a clearance, so do those that are not farther apart than it.
    Rounding counts against being apart: outlines are grown by some 3e-14 of the scene's size, true
    ones by 1e-9 of the part's. A cylinder is taken for a prism 0.12 % thicker. A half space covers
    every plane but those that hold its normal, where it is a half plane. The true
    outline of an open mesh is that of its surface if it is a sheet, and otherwise its hull.

    Args:
        parts: shapes by name, each alone (at the origin) or with its pose, or some `Part`.
        planes: how many, from a fixed sequence that begins with the three coordinate planes, or
            the normals of the planes (n, 3); see `plane_normals`.
        clearance: parts have to be farther apart than this, [m].

    Attributes:
        normals: of the planes, (n, 3); their numbers are its rows.
        order: the numbers of the planes in the order they are looked at.
        outlines: the outlines themselves.
        tests: how many planes were looked at, and how many rectangles, circles and polygons were
            compared, so far.
    """

    def __init__(
        self,
        parts: Parts,
        *,
        planes: int | ArrayLike = 3,
        outline: Outline = "hull",
        clearance: float = 0.0,
    ) -> None:
        if not isinstance(outline, str) or outline not in ("hull", "true"):
            raise InterferenceError(
                "not an outline", element="outline", value=outline, allowed='"hull" or "true"'
            )
        self.parts = checked_parts(parts)
        if not self.parts:
            raise InterferenceError("no parts", element="parts", allowed="at least one")
        self.clearance = length(clearance, "clearance")
        self.normals = plane_normals(planes)
        self.outlines = Outlines(self.parts, self.normals, true=outline == "true")
        self.order = self.planes_by_area()
        self._counts = np.zeros(columns.COUNTS, dtype=np.int64)
        self._boxes: tuple[Array, Array] | None = None

    def place(self, which: IntArray, poses: Array, grown: float) -> None:
        """Move the parts ``which`` (their numbers) to ``poses`` (m, 4, 4) and grow them by a
        distance [m]; all others stay as they are. The planes are put in order anew."""
        which = _numbers(which, len(self.parts), "which", (-1,))
        if len(which):
            self.outlines.place(which, poses, grown)
            self.order = self.planes_by_area()
            self._boxes = None

    @property
    def tests(self) -> dict[str, int]:
        counts = self._counts.tolist()
        return {
            "planes": counts[columns.PLANES],
            "rectangles": counts[columns.RECTANGLES],
            "circles": counts[columns.CIRCLES],
            "polygons": counts[columns.POLYGONS],
        }

    def planes_by_area(self) -> IntArray:
        """The numbers of the planes, the one that the parts cover least of first."""
        return np.argsort(self.outlines.areas(), kind="stable").astype(np.int64)

    def pairs(self) -> IntArray:
        """All pairs of parts (n, 2), by their numbers, the smaller one first."""
        return np.ascontiguousarray(np.argwhere(np.triu(np.ones((len(self.parts),) * 2), 1)))

    def separating_planes(
        self, pairs: IntArray | None = None, *, order: IntArray | None = None
    ) -> IntArray:
        """For each pair (all of `pairs` where none are given) the number of the first plane that
        separates it, or -1; one compiled call. ``order``: planes to look at instead of `order`."""
        count, planes = len(self.parts), len(self.normals)
        pairs = self.pairs() if pairs is None else _numbers(pairs, count, "pairs", (-1, 2))
        order = self.order if order is None else _numbers(order, planes, "order", (-1,))
        found = np.empty(len(pairs), dtype=np.int64)
        o = self.outlines
        first_planes(
            pairs, order, self.clearance, o.table, o.spans,
            o.corners, o.pieces, o.piece_spans, o.piece_corners, found, self._counts,
        )  # fmt: skip
        return found

    def judge(self, i: int, j: int) -> Overlap | Gap:
        """What the planes tell about two parts, by their numbers.

        A `Gap` has the normal of the first plane that separates them, and the distance of their
        outlines there, less what rounding may have added: they are at least so far apart. An
        `Overlap` is never certain; its box holds all places where the boxes around the two parts
        come together, or what is between them where these do not.
        """
        if any(isinstance(k, bool) or not isinstance(k, (int, np.integer)) for k in (i, j)):
            raise InterferenceError("not numbers of parts", element="judge", value=(i, j))
        if i == j:
            raise InterferenceError("one part, not two", element="judge", value=(i, j))
        (plane,) = self.separating_planes(np.array([[i, j]], dtype=np.int64)).tolist()
        return self.finding(i, j, plane)

    def judge_all(self) -> list[Overlap | Gap]:
        """What the planes tell about each of `pairs`, in their order."""
        pairs = self.pairs()
        found = self.separating_planes(pairs)
        return [self.finding(i, j, k) for (i, j), k in zip(pairs.tolist(), found.tolist())]

    def finding(self, i: int, j: int, plane: int) -> Overlap | Gap:
        """The finding for a pair that ``plane`` separates, or that none does where it is -1."""
        if plane < 0:
            return self.overlap(i, j)
        o = self.outlines
        distance = widest_gap(
            plane, i, j, self.clearance, o.table, o.spans, o.corners,
            o.pieces, o.piece_spans, o.piece_corners, self._counts,
        )  # fmt: skip
        normal = self.normals[plane].copy()
        seen = ", ".join(f"{x:.3g}" for x in normal)
        evidence = f"their outlines are {distance:.3g} m apart seen along ({seen})"
        a, b = self.parts[i].name, self.parts[j].name
        return Gap(a, b, "projection", float(distance), normal, evidence)

    def overlap(self, i: int, j: int, why: str = "") -> Overlap:
        """The finding for a pair that no plane separates, or, with a reason in words, for one of
        which it is not known where its parts are."""
        low, high = self._common_box(i, j)
        if why:
            low, high = np.full(3, -np.inf), np.full(3, np.inf)
        elif len(self.normals) == 1:
            why = "their outlines meet on the only plane"
        else:
            why = f"their outlines meet on all {len(self.normals)} planes"
        a, b = self.parts[i].name, self.parts[j].name
        return Overlap(a, b, "projection", False, None, low, high, why)

    def _common_box(self, i: int, j: int) -> tuple[Array, Array]:
        if self._boxes is None:
            self._boxes = self.outlines.boxes()
        low, high = self._boxes
        lower = np.maximum(low[i], low[j]) - self.clearance
        upper = np.minimum(high[i], high[j]) + self.clearance
        return np.minimum(lower, upper), np.maximum(lower, upper)


def _numbers(given: IntArray, count: int, element: str, shape: tuple[int, ...]) -> IntArray:
    """Numbers of parts or planes as kernels take them, -1 in their ``shape`` standing for any
    length: beyond the tables they would read memory that is none of theirs."""
    try:
        numbers = np.asarray(given)
    except ValueError:  # rows of different lengths
        numbers = np.empty(0, dtype=object)
    fits = numbers.ndim == len(shape) and numbers.shape[1:] == shape[1:]
    if not fits or numbers.dtype.kind not in "iu":
        raise InterferenceError(
            "not such numbers",
            element=element,
            value=given,
            allowed=f"whole numbers ({', '.join('n' if n < 0 else str(n) for n in shape)})",
        )
    numbers = np.ascontiguousarray(numbers, dtype=np.int64)
    if numbers.size and not (numbers.min() >= 0 and numbers.max() < count):
        raise InterferenceError(
            "no such number",
            element=element,
            value=[int(numbers.min()), int(numbers.max())],
            allowed=f"0 to {count - 1}",
        )
    return numbers


def length(value: float, element: str) -> float:
    """A finite length that is not negative, [m]."""
    try:
        if isinstance(value, (bool, str, bytes)):
            raise TypeError("not a number")
        result = float(value)
    except (TypeError, ValueError, OverflowError) as error:
        raise InterferenceError("not a number", element=element, value=value) from error
    if not 0.0 <= result < math.inf:
        raise InterferenceError(
            "not a distance", element=element, value=value, allowed="0 or more [m]"
        )
    return result
