"""The joint maps of all teams of links, as the kernels take them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from standoff.cell.world import World
from standoff.constants import LIMIT_ROUNDING
from standoff.kernels.paths import layout as p
from standoff.paths.joint_maps import JointMap, joint_map
from standoff.paths.listed import Listed, Primitive
from standoff.robots.tree import Tree
from standoff.shapes.pose import Array
from standoff.shapes.shape import IntArray


class Maps:
    """See `kernels.paths.layout`.

    Attributes:
        teams: those of the list, in the order of C_TEAMS: the ones that can never come too close
            within the ranges stand last.
        unmapped: how many the others are.
        ranges, scales, rows, sums: C_RANGES, C_SCALES, C_MAPS and C_SUMS.
    """

    def __init__(
        self,
        tree: Tree,
        world: World,
        primitives: Sequence[Primitive],
        listed: Listed,
        tolerance: float,
    ) -> None:
        maps: list[JointMap | None] = []
        for team in listed.teams:
            begin, end = team[4:6]
            pairs = {
                (primitives[x].body, primitives[y].body) for x, y in listed.links[begin:end, :2]
            }
            # What is nearer than the tolerance may be called too close, map or not.
            clearance = max(float(listed.clearances[begin]), 0.0) + tolerance
            carried = max(primitives[x].frame for x in listed.links[begin, :2]) < tree.frames
            maps.append(joint_map(tree, world, sorted(pairs), clearance) if carried else None)
        never = [m is not None and m.empty for m in maps]
        order = np.argsort(never, kind="stable")
        self.teams: IntArray = listed.teams[order]
        self.unmapped = len(maps) - sum(never)
        self.ranges: Array = np.empty((2, len(tree.joints)))
        self.ranges[0], self.ranges[1] = -np.inf, np.inf
        rows, scales, sums = [], [], [np.zeros(0, dtype=np.int64)]
        for place, k in enumerate(order):
            found = maps[k]
            if found is None:
                continue
            at = list(found.joints)
            self.ranges[0, at] = np.maximum(self.ranges[0, at], found.low - LIMIT_ROUNDING)
            self.ranges[1, at] = np.minimum(self.ranges[1, at], found.high + LIMIT_ROUNDING)
            if found.empty:
                continue
            side, unused = found.cells.shape[0], p.MAP_JOINTS - len(at)
            rows.append((place, len(at), sum(map(len, sums)), side, *at, *[0] * unused))
            width = found.high - found.low
            fine = np.divide(side, width, out=np.zeros(len(at)), where=width > 0.0)
            scales.append([*np.stack([found.low, fine], axis=1).ravel(), *[0.0] * (2 * unused)])
            sums.append(found.sums().ravel())
        self.rows: IntArray = np.array(rows, dtype=np.int64).reshape(-1, p.MAP_COLUMNS)
        self.scales: Array = np.array(scales).reshape(-1, 2 * p.MAP_JOINTS)
        self.sums: IntArray = np.concatenate(sums)
