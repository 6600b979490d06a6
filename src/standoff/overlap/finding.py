"""What a method finds out about a pair of parts: an overlap, or a gap, each with its evidence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from standoff.geometry.pose import Array


@dataclass(frozen=True, eq=False)
class Overlap:
    """Two parts that overlap, or that the method could not tell apart: doubt counts as danger.
    Touching counts as overlap; with a clearance, so does coming as near as that.

    Attributes:
        a, b: the names of the parts.
        method: "projection", "octree" or "exact".
        certain: whether they overlap for sure (or are nearer than the clearance); False: the method
            found nothing that keeps them apart.
        distance: the signed distance where the method knows it, minus the depth where they
            overlap, [m]; None where it does not.
        low, high: the corners of a box in the world frame that holds all the places where they can
            meet, as far as the method knows, [m].
        evidence: what speaks for it, in words.
        touching: they are proved only to touch: their common layer is thinner than a millionth of
            the smaller part's extent. False: they cross, are identical, or it is not known.
    """

    a: str
    b: str
    method: str
    certain: bool
    distance: float | None
    low: Array
    high: Array
    evidence: str
    touching: bool = False


@dataclass(frozen=True, eq=False)
class Gap:
    """Two parts that are proved to be farther apart than the clearance.

    Attributes:
        a, b: the names of the parts.
        method: "projection", "octree" or "exact".
        distance: they are at least so far apart, [m]; the distance itself where ``exact``.
        normal: the normal of the plane whose projections are apart, unit length, world frame; None
            for methods without planes.
        evidence: what keeps them apart, in words.
    """

    a: str
    b: str
    method: str
    distance: float
    normal: Array | None
    evidence: str
    exact: bool = False


@dataclass(frozen=True, eq=False)
class Comparison:
    """All pairs of parts, each either an overlap or a gap, in the order of the parts.

    Attributes:
        tests: how often each kind of test was made, by its name.
    """

    overlaps: tuple[Overlap, ...]
    gaps: Sequence[Gap]
    tests: dict[str, int]
