"""Interference by planar projections: paper 002, sections II and IV."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from standoff.errors import InterferenceError, PoseError
from standoff.geometry.distance import distance
from standoff.geometry.pose import Array, as_pose
from standoff.geometry.shape import IntArray
from standoff.interference.findings import Gap, Overlap
from standoff.interference.kernels.outline_gap import first_planes, widest_gap
from standoff.interference.outlines import MAX_PLANES, Outlines, plane_normals
from standoff.interference.parts import Parts, amount, checked_parts
from standoff.scalars import whole

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
        self.clearance = amount("clearance", clearance, "m")
        self.normals = plane_normals(planes)
        self.outlines = Outlines(self.parts, self.normals, true=outline == "true")
        self.order = self.planes_by_area()

    def place(self, which: IntArray, poses: Array, grown: float) -> None:
        """Move the parts ``which`` (their numbers) to ``poses`` (m, 4, 4) and grow them by a
        distance [m]; all others stay as they are. The planes are put in order anew."""
        if len(which):
            self.outlines.place(which, poses, grown)
            self.order = self.planes_by_area()

    @property
    def tests(self) -> dict[str, int]:
        counts = self.outlines.scene.counts
        return dict(zip(counts.dtype.names, counts.item()))

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
        pairs = self.pairs() if pairs is None else pairs
        order = self.order if order is None else order
        found = np.empty(len(pairs), dtype=np.int64)
        first_planes(self.outlines.scene.address, pairs, order, self.clearance, found)
        return found

    def judge(self, i: int, j: int) -> Overlap | Gap:
        """What the planes tell about two parts, by their numbers.

        A `Gap` has the normal of the first plane that separates them, and the distance of their
        outlines there, less what rounding may have added: they are at least so far apart. An
        `Overlap` is never certain; its box holds all places where the boxes around the two parts
        come together, or what is between them where these do not.
        """
        (plane,) = self.separating_planes(np.array([[i, j]], dtype=np.int64)).tolist()
        return self.finding(i, j, plane)

    def finding(self, i: int, j: int, plane: int) -> Overlap | Gap:
        """The finding for a pair that ``plane`` separates, or that none does where it is -1."""
        if plane < 0:
            return self.overlap(i, j)
        distance = widest_gap(self.outlines.scene.address, plane, i, j, self.clearance)
        normal = self.normals[plane].copy()
        seen = ", ".join(f"{x:.3g}" for x in normal)
        evidence = f"their outlines are {distance:.3g} m apart seen along ({seen})"
        a, b = self.parts[i].name, self.parts[j].name
        return Gap(a, b, "projection", float(distance), normal, evidence)

    def overlap(self, i: int, j: int, why: str = "") -> Overlap:
        """The finding for a pair that no plane separates, or, with a reason in words, for one of
        which it is not known where its parts are."""
        if why:
            low, high = np.full(3, -np.inf), np.full(3, np.inf)
        else:
            low, high = self._common_box(i, j)
            planes = len(self.normals)
            where = "the only plane" if planes == 1 else f"all {planes} planes"
            why = f"their outlines meet on {where}"
        a, b = self.parts[i].name, self.parts[j].name
        return Overlap(a, b, "projection", False, None, low, high, why)

    def _common_box(self, i: int, j: int) -> tuple[Array, Array]:
        (low_a, high_a), (low_b, high_b) = self.outlines.box(i), self.outlines.box(j)
        lower = np.maximum(low_a, low_b) - self.clearance
        upper = np.minimum(high_a, high_b) + self.clearance
        return np.minimum(lower, upper), np.maximum(lower, upper)


@dataclass(frozen=True)
class FalseAlarms:
    """How many pairs of a scene are apart and yet not told apart by so many planes.

    Attributes:
        outline: "hull" or "true".
        pairs: all pairs of the scene.
        apart: those among them that are apart, by their exact distance.
        planes: numbers of planes, of the sequence of `plane_normals`.
        alarms: for each of them, how many of the pairs that are apart none of the planes separates.
    """

    outline: str
    pairs: int
    apart: int
    planes: tuple[int, ...]
    alarms: tuple[int, ...]


def false_alarms(
    parts: Parts, planes: Iterable[int] = range(1, 25), outline: Outline = "hull"
) -> FalseAlarms:
    """Count the false alarms of a scene for each number of planes, against the exact distance.
    The first planes of the sequence are always the same, so more planes never have more.

    ``parts`` are shapes by name, each alone (at the origin) or with its pose, or some `Part`."""
    parts = checked_parts(parts)
    given = tuple(planes) if isinstance(planes, Iterable) else ()
    if not given:
        raise InterferenceError(
            "no numbers of planes", element="planes", value=planes, allowed="at least one"
        )
    numbers = tuple(whole("planes", n, InterferenceError, 1, MAX_PLANES) for n in given)
    method = ProjectionMethod(parts, planes=max(numbers), outline=outline)
    pairs = method.pairs()
    # Not by area: the first plane of the sequence that separates a pair says for every number of
    # planes whether they do.
    first = method.separating_planes(pairs, order=np.arange(max(numbers), dtype=np.int64))
    never = [
        (i, j)
        for i, j in pairs[first < 0].tolist()
        if distance(parts[i].shape, parts[i].pose, parts[j].shape, parts[j].pose).distance > 0.0
    ]
    found = first[first >= 0]
    alarms = tuple(len(never) + int((found >= n).sum()) for n in numbers)
    return FalseAlarms(outline, len(pairs), len(found) + len(never), numbers, alarms)


class ProjectionWatch:
    """A scene in which some parts move: the outlines of all others are made once, those of the
    moving ones on each check.

    A moving part is grown by ``grown`` on every plane: by the distance d in which it can be stopped
    or led away, and by the distance D that it can go until the next check. No two parts then touch
    before a check has named them, however they move in between, as long as no point of a moving
    part goes farther than D from one check to the next; of two moving parts both are grown.
    Pairs of parts that stand still are not looked at.

    With ``outline="true"`` a moving mesh that is not convex is traced anew on each check, which
    takes milliseconds a plane; hulls take microseconds.

    Args:
        parts: all parts, as for `ProjectionMethod`; those that move with any pose.
        moving: the names of those that move, none of them a half space.
        grown: d + D, [m].
        planes, outline, clearance: as for `ProjectionMethod`.

    Attributes:
        pairs: the numbers of the parts of each pair that is watched (n, 2).
        planes: for each pair the plane that separated it in the last check, or -1.
    """

    def __init__(
        self,
        parts: Parts,
        moving: Sequence[str],
        *,
        grown: float = 0.0,
        planes: int | ArrayLike = 3,
        outline: Outline = "hull",
        clearance: float = 0.0,
    ) -> None:
        self.grown = amount("grown", grown, "m")
        parts = checked_parts(parts)
        numbers = {part.name: i for i, part in enumerate(parts)}
        if isinstance(moving, (str, bytes)) or not isinstance(moving, Iterable):
            raise InterferenceError(
                "not names", element="moving", value=moving, allowed="a list of names"
            )
        moving = list(moving)
        for name in moving:
            if not isinstance(name, str) or name not in numbers:
                raise InterferenceError(
                    "no such part", element="moving", value=name, allowed=", ".join(numbers)
                )
            if not parts[numbers[name]].shape.bounded:
                raise InterferenceError("a half space does not move", element="moving", value=name)
        self.moving = tuple(dict.fromkeys(moving))
        self._method = ProjectionMethod(parts, planes=planes, outline=outline, clearance=clearance)
        self._which = np.array([numbers[name] for name in self.moving], dtype=np.int64)
        moves = np.zeros(len(parts), dtype=bool)
        moves[self._which] = True
        pairs = self._method.pairs()
        self.pairs: IntArray = np.ascontiguousarray(pairs[moves[pairs].any(axis=1)])
        self.planes: IntArray = np.full(len(self.pairs), -1, dtype=np.int64)

    @property
    def tests(self) -> dict[str, int]:
        """How many tests were made so far, as `ProjectionMethod.tests`."""
        return self._method.tests

    def check(self, poses: Mapping[str, ArrayLike] | ArrayLike) -> tuple[Overlap, ...]:
        """The pairs that no plane separates with the moving parts at ``poses``: by name, or an
        array (m, 4, 4) in the order of ``moving``.

        A part whose pose is missing, not finite or not a rigid motion may be anywhere: it overlaps
        everything, and the evidence says why.
        """
        placed, lost = self._read(poses)
        here = np.array([i for i in self._which.tolist() if i not in lost], dtype=np.int64)
        method = self._method
        method.place(
            here, np.array([placed[i] for i in here.tolist()]).reshape(-1, 4, 4), self.grown
        )
        found = method.separating_planes(self.pairs)
        if lost:
            found[np.isin(self.pairs, list(lost)).any(axis=1)] = -1
        self.planes = found
        return tuple(
            method.overlap(i, j, lost.get(i) or lost.get(j) or "")
            for i, j in self.pairs[found < 0].tolist()
        )

    def _read(
        self, poses: Mapping[str, ArrayLike] | ArrayLike
    ) -> tuple[dict[int, Array], dict[int, str]]:
        """The poses that are some, and for the other moving parts what is wrong with theirs."""
        placed: dict[int, Array] = {}
        lost: dict[int, str] = {}
        given: Mapping[str, ArrayLike]
        if isinstance(poses, Mapping):
            given = poses
        else:
            several = isinstance(poses, Sequence) or (isinstance(poses, np.ndarray) and poses.ndim)
            rows = list(poses) if several else []  # type: ignore[arg-type]
            given = dict(zip(self.moving, rows)) if len(rows) == len(self.moving) else {}
        for name, i in zip(self.moving, self._which.tolist()):
            if given.get(name) is None:
                lost[i] = f"no pose was given for {name}"
                continue
            try:
                placed[i] = as_pose(given[name], name)
            except PoseError as error:
                lost[i] = f"the pose of {name} is unknown: {error.problem}"
        return placed, lost
