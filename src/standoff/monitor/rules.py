"""Who may touch whom, and which pairs have a threshold of their own, by the numbers of bodies."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from standoff.cell.allowed import Pairs
from standoff.geometry.pose import Array
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
        kinds = (thresholds.self_, thresholds.robot_robot, thresholds.robot_scene)
        # Those that name a robot first: whoever names its links one by one means them more.
        self._pairs = sorted(
            thresholds.pairs.items(), key=lambda item: -sum(name in robots for name in item[0])
        )
        self._zones = zones
        values = [np.nan if value is None else value for value in kinds]
        self._of_robots = max((v for v in values if not np.isnan(v)), default=0.0)
        self._of_scene = 0.0 if thresholds.robot_scene is None else thresholds.robot_scene
        self.values: Array = np.array(values + [value for _, value in self._pairs])

    def least(self, robot: int) -> float:
        """The largest threshold that a body may be in by what it is: a link is extended for all
        that it may meet; one that stands still is not extended at all, so that whatever moves about
        it is."""
        return self._of_robots if robot != m.NO_ROBOT else self._of_scene

    def exceptions(
        self,
        pairs: Pairs,
        number: Callable[[str], int | None],
        members: Callable[[str], list[int]],
        zone_numbers: Iterable[int],
        moving: Callable[[], Iterable[int]],
    ) -> Exceptions:
        """The rules of single pairs.

        Args:
            number: of a body of the cell, None where there is none.
            members: the bodies behind a name.
            zone_numbers: of the zones.
            moving: the bodies that move.
        """
        found = Exceptions()
        least = found.least
        for rule, ((a, b), value) in enumerate(self._pairs, m.ROBOT_SCENE + 1):
            for x in members(a):
                for y in members(b):
                    if x != y:
                        found.rules[min(x, y), max(x, y)] = rule
                        least[x] = max(least.get(x, 0.0), value)
                        least[y] = max(least.get(y, 0.0), value)
        for z, zone in zip(zone_numbers, self._zones):
            if zone.only is not None:
                meant = {b for name in zone.only for b in members(name)}
                for k in moving():
                    if k not in meant:
                        found.rules[min(k, z), max(k, z)] = m.ALLOWED
        for a, b in pairs.reasons:
            one, two = number(a), number(b)
            if one is not None and two is not None:
                found.rules[min(one, two), max(one, two)] = m.ALLOWED
        return found


@dataclass(frozen=True, eq=False)
class Exceptions:
    """Exceptions are kept for the pairs that have one: the tables grow with their number, and not
    with the number of pairs.

    Attributes:
        rules: by pair of bodies, the smaller number first.
        least: for each body in a threshold of its own the largest of them, [m].
    """

    rules: dict[tuple[int, int], int] = field(default_factory=dict)
    least: dict[int, float] = field(default_factory=dict)

    def differ(self, other: Exceptions) -> set[int]:
        """The bodies that have other rules there, or another least extension."""
        pairs = self.rules.items() ^ other.rules.items()
        both = self.least.items() ^ other.least.items()
        return {k for pair, _ in pairs for k in pair} | {k for k, _ in both}

    def of(self, bodies: set[int]) -> dict[int, list[tuple[int, int]]]:
        """For each of these bodies, the other one and the rule, ascending."""
        found: dict[int, list[tuple[int, int]]] = {k: [] for k in bodies}
        for (a, b), rule in self.rules.items():
            if a in found:
                found[a].append((b, rule))
            if b in found:
                found[b].append((a, rule))
        return {k: sorted(rows) for k, rows in found.items()}
