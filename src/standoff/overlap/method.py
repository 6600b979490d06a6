"""What a method of interference is to its callers, and which there are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, cast

from numpy.typing import ArrayLike

from standoff.errors import InterferenceError
from standoff.overlap.finding import Gap, Overlap
from standoff.overlap.part import Part

#: What may be asked for.
METHODS = ("exact", "projection", "octree")


class Method(Protocol):
    """Judges pairs of the parts it was made for. A real overlap is never called a gap."""

    @property
    def tests(self) -> dict[str, int]:
        """How often each kind of test was made, by its name."""
        ...

    def judge(self, i: int, j: int) -> Overlap | Gap:
        """What is found out about parts ``i`` and ``j``."""
        ...


def method_of(
    name: str,
    parts: Sequence[Part],
    *,
    clearance: float,
    planes: int | ArrayLike,
    outline: str,
    resolution: float | None,
) -> Method:
    """The method of that name; each is imported when it is first asked for."""
    if name == "exact":
        from standoff.overlap.exact import ExactMethod

        return ExactMethod(parts, clearance=clearance)
    if name == "projection":
        from standoff.overlap.projection import Outline, ProjectionMethod

        return ProjectionMethod(
            parts, planes=planes, outline=cast("Outline", outline), clearance=clearance
        )
    if name == "octree":
        from standoff.overlap.octree import OctreeMethod

        return OctreeMethod(parts, resolution=resolution, clearance=clearance)
    raise InterferenceError("unknown method", value=name, allowed=", ".join(METHODS))
