"""What a path check says."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Literal

from standoff.geometry.pose import Array

if TYPE_CHECKING:
    from standoff.paths.certificate import Certificate


Kind = Literal["free", "collision", "too_close", "undecided"]


@dataclass(frozen=True, eq=False)
class Verdict:
    """Whether a motion is free at every instant, or where it is not. True where it is `free`.

    Attributes:
        kind: ``free``: the distance of every watched pair exceeds its clearance at every instant,
            proved. ``collision``: two bodies overlap at ``q`` (with a negative clearance: deeper
            than allowed). ``too_close``: two bodies that do not overlap are nearer than clearance
            + tolerance at ``q``. ``undecided``: the budget ran out, or nothing could be proved of
            a pair.
        t: when that is: of a segment from 0 to 1; of a path from 0 to 1 within ``segment``; of a
            curve in the curve's own time. None where nothing was found.
        segment: which segment of a path, or piece of a curve; 0 for a single segment.
        q: the configuration at ``t``.
        pair: the two names, in the order of the cell's.
        distance: their signed distance at ``q``, [m].
        point_a, point_b: witness points, world frame, [m];
            ``point_a - point_b == distance * normal``.
        normal: the unit vector from b to a.
        intervals: configurations looked at.
        distances: exact distances computed.
    """

    kind: Kind
    t: float | None = None
    segment: int | None = None
    q: Array | None = None
    pair: tuple[str, str] | None = None
    distance: float | None = None
    point_a: Array | None = None
    point_b: Array | None = None
    normal: Array | None = None
    intervals: int = 0
    distances: int = 0
    _off: bool = field(default=False, repr=False)
    _alone: bool = field(default=False, repr=False)
    _until: Callable[[], float] = field(default=lambda: 0.0, repr=False)
    _certify: Callable[[int | None], Certificate] | None = field(default=None, repr=False)

    @property
    def free(self) -> bool:
        """Whether the whole motion is proved free."""
        return self.kind == "free"

    def __bool__(self) -> bool:
        return self.free

    @cached_property
    def free_until(self) -> float:
        """The largest time found up to which all is proved free, in the units of ``t`` (of a path:
        number of the segment plus the fraction of it); the end where the motion is free, and
        otherwise within the precision of the earliest contact. Worked out when it is first asked
        for, for the cell as it was when it was checked."""
        return self._until()

    def certificate(self, segment: int | None = None) -> Certificate:
        """What proves it, to be verified by `standoff.verify` or kept; worked out now, for the cell
        as it was when it was checked.

        Args:
            segment: of a free motion, the proof of this segment or piece alone.

        Raises:
            PathError: no such segment, one of a motion that is not free, or a proof that is too
                long for the budget.
        """
        assert self._certify is not None
        return self._certify(segment)

    def __str__(self) -> str:
        if self.kind == "free":
            return "free at every instant"
        if self.pair is None:
            return "undecided: the budget ran out"
        where = f"t = {self.t:.6g}" if self._alone else f"segment {self.segment}, t = {self.t:.6g}"
        return self._found(f" at {where}")

    @property
    def at_rest(self) -> str:
        """What was found of a robot at rest, where an instant has no meaning."""
        return str(self) if self.pair is None else self._found("")

    def _found(self, where: str) -> str:
        assert self.pair is not None
        what = {"collision": "collide", "too_close": "come too close", "undecided": "may touch"}
        a, b = self.pair
        if self._off and self.kind == "undecided":
            return (
                f"{a} and {b} may touch{where}: {self.distance or 0.0:.6g} m apart, too near "
                "for a proof with this deviation of the joints"
            )
        return f"{a} and {b} {what[self.kind]}{where}: {self.distance or 0.0:.6g} m"
