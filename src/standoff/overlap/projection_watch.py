"""Parts that move, watched by planar projections: paper 002, section IV."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from standoff.errors import InterferenceError, PoseError
from standoff.geometry.pose import Array, as_pose
from standoff.geometry.shape import IntArray
from standoff.overlap.finding import Overlap
from standoff.overlap.part import Parts, checked_parts
from standoff.overlap.projection import Outline, ProjectionMethod, length


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
        self.grown = length(grown, "grown")
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
                lost[i] = f"where {name} is was not told"
                continue
            try:
                placed[i] = as_pose(given[name], name)
            except PoseError as error:
                lost[i] = f"where {name} is is not known: {error.problem}"
        return placed, lost
