"""Moving bodies among standing ones, watched by region octrees (paper 002, section IV)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from standoff.errors import Error, InterferenceError, PoseError, UnknownNameError
from standoff.geometry.pose import Array
from standoff.interference.parts import PartLike, Root, amount, part_of, parts_of, root_cube
from standoff.interference.region_meets import Meeting, check_leaves, levels_for, meets_many
from standoff.interference.region_tree import RegionTree
from standoff.tolerances import COORDINATE_LIMIT

#: What stands for all that stands still in the answer of a check.
STATIC = ""


@dataclass(frozen=True, eq=False)
class RegionCheck:
    """What one look found. True where it is `safe`.

    Attributes:
        warnings: where moving bodies, grown, meet each other or what stands still, by their names;
            `STATIC`, the empty name, is what stands still and comes last.
        trees: the tree of each moving body, grown, of those whose place is known.
        lost: of the others what is wrong, in words. Such a body may be anywhere: it is warned about
            with everything, by a meeting in `doubt` without places.
        visited: how many nodes the common traversal looked at.
    """

    warnings: dict[tuple[str, str], Meeting]
    trees: dict[str, RegionTree]
    lost: dict[str, str]
    visited: int

    @property
    def safe(self) -> bool:
        """No warning, and every moving body was found."""
        return not self.warnings and not self.lost

    def __bool__(self) -> bool:
        return self.safe


class RegionWatch:
    """All that stands still is one tree, made once; each moving body gets a new one at each look,
    grown by its braking distance and by how far it can come until the next look. A pair without a
    warning does not touch before the next look, nor while it brakes because of what that finds.

    The bodies that have a speed or a braking distance of their own, by name, are watched at each
    look, whether it is given them or not. Where both are one number for all, a look watches the
    bodies that it is given.

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
        moving: the names of the bodies that are watched whether a look is given them or not.
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
        by_name = [given for given in (self._speeds, self._braking) if isinstance(given, dict)]
        self.moving: tuple[str, ...] = tuple(dict.fromkeys(name for one in by_name for name in one))
        self._check_growth()
        standing = parts_of(static)
        check_leaves(standing, edge / 2.0**self.levels)
        self.static = RegionTree.of_parts(standing, root=self.root, levels=self.levels)

    def growth(self, name: str) -> float:
        """By how much a moving body is grown, [m]: two that are head on need both whole ways, and
        what directions would save is not counted on. See `safe_interval`."""
        speed = _of(self._speeds, name, "speeds")
        return _of(self._braking, name, "braking") + speed * self.interval

    def check(self, moving: Mapping[str, PartLike]) -> RegionCheck:
        """Look at the moving bodies where they are now.

        A body that is missing, or of which the pose is not finite or not a rigid motion, or whose
        shape is none, may be anywhere: it is warned about with everything, and `lost` says why.

        Raises:
            UnknownNameError: a body without a speed or a braking distance.
        """
        if not isinstance(moving, Mapping):
            if not self.moving:  # nobody to warn about
                raise InterferenceError("not bodies", value=moving, allowed="a dict by name")
            moving = {}
        for name in moving:
            if not isinstance(name, str) or not name:
                raise InterferenceError("not a name", value=name, allowed="text")
            self.growth(name)  # or say that nobody knows it
        trees: dict[str, RegionTree] = {}
        lost: dict[str, str] = {}
        names = list(dict.fromkeys((*moving, *self.moving)))
        for name in names:
            tree = self._tree(name, moving.get(name))
            if isinstance(tree, str):
                lost[name] = tree
            else:
                trees[name] = tree
        found = meets_many([*trees.values(), self.static])
        here = [*trees, STATIC]
        known = {(here[a], here[b]): meeting for (a, b), meeting in found.pairs.items()}
        warnings = {}
        for k, a in enumerate(names):
            for b in (*names[k + 1 :], STATIC):
                if (a, b) in known:
                    warnings[a, b] = known[a, b]
                elif a in lost or b in lost:
                    warnings[a, b] = Meeting(
                        np.empty((0, 6)), np.empty(0, dtype=bool), True, found.visited
                    )
        return RegionCheck(warnings, trees, lost, found.visited)

    def _tree(self, name: str, given: PartLike | None) -> RegionTree | str:
        """The tree of a moving body, or what is wrong with what is known of it."""
        if given is None:
            return f"no pose was given for {name}"
        try:
            part = part_of(name, given)
            return RegionTree.build(
                part.shape, part.pose, root=self.root, levels=self.levels, grow=self.growth(name)
            )
        except PoseError as error:
            return f"the pose of {name} is unknown: {error.problem}"
        except Error as error:
            return f"the shape of {name} is unknown: {error.problem}"

    def _check_growth(self) -> None:
        """Ways that are too long are said now, and not at a look."""
        speeds, braking = self._speeds, self._braking
        fastest = max(speeds.values(), default=0.0) if isinstance(speeds, dict) else speeds
        longest = max(braking.values(), default=0.0) if isinstance(braking, dict) else braking
        way = fastest * self.interval + longest
        if not way <= COORDINATE_LIMIT:
            raise InterferenceError(
                "ways too long", element="speeds, interval", value=(fastest, self.interval),
                allowed=f"braking and speed times interval up to {COORDINATE_LIMIT:g} m",
            )  # fmt: skip


def _by_name(
    element: str, given: float | Mapping[str, float], unit: str
) -> float | dict[str, float]:
    if isinstance(given, Mapping):
        if not all(isinstance(name, str) and name for name in given):
            raise InterferenceError("not names", element=element, value=list(given), allowed="text")
        return {name: amount(f"{element} of {name!r}", v, unit) for name, v in given.items()}
    return amount(element, given, unit)


def _of(given: float | dict[str, float], name: str, element: str) -> float:
    if not isinstance(given, dict):
        return given
    if name not in given:
        raise UnknownNameError(str(name), given, what="moving body", element=element)
    return given[name]
