"""Moving bodies among standing ones, watched by region octrees (paper 002, section IV)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from standoff.errors import UnknownNameError
from standoff.overlap.amounts import Root, amount, root_cube
from standoff.overlap.part import Part, PartLike, parts_of
from standoff.overlap.region import RegionTree
from standoff.overlap.region_meets import Meeting, meets_many
from standoff.overlap.region_root import levels_for
from standoff.shapes.pose import Array

#: What stands for all that stands still in the answer of a check.
STATIC = ""


@dataclass(frozen=True, eq=False)
class RegionCheck:
    """What one look found.

    Attributes:
        warnings: where moving bodies, grown, meet each other or what stands still, by their names;
            `STATIC`, the empty name, is what stands still and comes last.
        trees: the tree of each moving body, grown.
        visited: how many nodes the common traversal looked at.
    """

    warnings: dict[tuple[str, str], Meeting]
    trees: dict[str, RegionTree]
    visited: int


class RegionWatch:
    """All that stands still is one tree, made once; each moving body gets a new one at each look,
    grown by its braking distance and by how far it can come until the next look. A pair without a
    warning does not touch before the next look, nor while it brakes because of what that finds.

    Args:
        static: shapes and poses of what stands still, by name.
        root: ((x, y, z), edge) of the cube that is watched, [m]. A body that leaves it is warned
            about with everything else that does.
        resolution: the finest nodes are no wider, [m].
        interval: from one look to the next, [s].
        speeds: no point of a body moves faster, [m/s]: one number, or one by name.
        braking: the way that any point of a body takes to stop at most, [m]: likewise.

    Attributes:
        static: the tree of what stands still.
        distance: by name, how far a body comes in one interval: the paper's D, [m].
    """

    def __init__(
        self,
        static: Mapping[str, PartLike],
        *,
        root: Root,
        resolution: float,
        interval: float,
        speeds: float | Mapping[str, float],
        braking: float | Mapping[str, float] = 0.0,
    ) -> None:
        low, edge = root_cube(root)
        self.root: tuple[Array, float] = (low + 0.5 * edge, edge)
        self.levels = levels_for(edge, resolution)
        self.interval = amount("interval", interval, "s")
        self._speeds = _by_name("speeds", speeds, "m/s")
        self._braking = _by_name("braking", braking, "m")
        self.static = RegionTree.of_parts(parts_of(static), root=self.root, levels=self.levels)

    def growth(self, name: str) -> float:
        """By how much a moving body is grown, [m]: two that are head on need both whole ways, and
        what directions would save is not counted on. See `safe_interval`."""
        speed = _of(self._speeds, name, "speeds")
        return _of(self._braking, name, "braking") + speed * self.interval

    def check(self, moving: Mapping[str, PartLike]) -> RegionCheck:
        """Look at the moving bodies where they are now."""
        parts = parts_of(moving)
        trees = {part.name: self._tree(part) for part in parts}
        found = meets_many([*trees.values(), self.static])
        names = [*trees, STATIC]
        warnings = {(names[a], names[b]): meeting for (a, b), meeting in found.pairs.items()}
        return RegionCheck(warnings, trees, found.visited)

    def _tree(self, part: Part) -> RegionTree:
        return RegionTree.build(
            part.shape, part.pose, root=self.root, levels=self.levels, grow=self.growth(part.name)
        )


def _by_name(
    element: str, given: float | Mapping[str, float], unit: str
) -> float | dict[str, float]:
    if isinstance(given, Mapping):
        return {name: amount(f"{element} of {name!r}", v, unit) for name, v in given.items()}
    return amount(element, given, unit)


def _of(given: float | dict[str, float], name: str, element: str) -> float:
    if not isinstance(given, dict):
        return given
    if name not in given:
        raise UnknownNameError(name, given, what="moving body", element=element)
    return given[name]
