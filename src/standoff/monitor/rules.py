"""Who may touch whom, and which pairs have a threshold of their own, by the numbers of bodies."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np

from standoff.cell.allowed import Pairs
from standoff.geometry.pose import Array
from standoff.geometry.shape import IntArray
from standoff.monitor.buffers import Thresholds
from standoff.monitor.kernels import tables as m
from standoff.monitor.zones import Zone


class Rules:
    """Thresholds by their numbers; see `monitor.kernels.tables`.

    Attributes:
        values: the thresholds, [m]; those of the three kinds of pairs first.
    """

    def __init__(
        self, thresholds: Thresholds, zones: Sequence[Zone], robots: Sequence[str]
    ) -> None:
        kinds = (thresholds.self_collision, thresholds.robot_robot, thresholds.robot_scene)
        # Those that name a robot first: whoever names its links one by one means them more.
        self._pairs = sorted(
            thresholds.pairs.items(), key=lambda item: -sum(name in robots for name in item[0])
        )
        self._zones = zones
        values = [np.nan if value is None else value for value in kinds]
        self._of_robots = max((v for v in values if not np.isnan(v)), default=0.0)
        self._of_scene = 0.0 if thresholds.robot_scene is None else thresholds.robot_scene
        self.values: Array = np.array(values + [value for _, value in self._pairs])

    def least(self, robots: IntArray) -> Array:
        """The largest threshold that bodies of these robots may be in by what they are: a link is
        extended for all that it may meet; one that stands still is not extended at all, so that
        whatever moves about it is."""
        return np.where(robots != m.NO_ROBOT, self._of_robots, self._of_scene)

    def exceptions(
        self,
        pairs: Pairs,
        number: Callable[[str], int | None],
        members: Callable[[str], list[int]],
        zone_numbers: Iterable[int],
        moving: Sequence[int],
    ) -> tuple[dict[tuple[int, int], int], dict[int, float]]:
        """The rules of single pairs of bodies, the smaller number first; and for each body in a
        threshold of its own the largest of them, [m]. They are kept for the pairs that have one:
        the tables grow with their number, and not with the number of pairs.

        Args:
            number: of a body of the cell, None where there is none.
            members: the bodies behind a name.
            zone_numbers: of the zones.
            moving: the bodies that move.
        """
        rules: dict[tuple[int, int], int] = {}
        least: dict[int, float] = {}
        for rule, ((a, b), value) in enumerate(self._pairs, m.ROBOT_SCENE + 1):
            for x in members(a):
                for y in members(b):
                    if x != y:
                        rules[min(x, y), max(x, y)] = rule
                        least[x] = max(least.get(x, 0.0), value)
                        least[y] = max(least.get(y, 0.0), value)
        for z, zone in zip(zone_numbers, self._zones):
            if zone.only is not None:
                meant = {b for name in zone.only for b in members(name)}
                rules |= {(min(k, z), max(k, z)): m.ALLOWED for k in moving if k not in meant}
        for a, b in pairs.reasons:
            one, two = number(a), number(b)
            if one is not None and two is not None:
                rules[min(one, two), max(one, two)] = m.ALLOWED
        return rules, least
