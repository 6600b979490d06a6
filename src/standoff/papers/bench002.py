"""How much of paper 002's experiments is run, and what several of them share."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from standoff.geometry.narrowphase import batch, dispatch, layout
from standoff.geometry.pose import Array
from standoff.geometry.shape import IntArray
from standoff.interference.parts import Part, placed_bodies
from standoff.interference.projection import Outline, ProjectionMethod
from standoff.interference.region_meets import Meetings, common_root, meets_many
from standoff.interference.region_tree import RegionTree
from standoff.papers.scenes002 import convex_scene, crooked_scene

#: As many planes as false alarms are counted for.
MOST_PLANES = 24

#: Numbers of planes in tables: the coordinate planes, those across the diagonals of a cube, those
#: across the diagonals of its faces, and others.
SOME_PLANES = (1, 2, 3, 5, 7, 9, 13, 18, 24)

#: No more rounds are run once they have taken so long, [s].
_ENOUGH = 2.0

#: Convex parts, and parts with cavities and holes.
CONVEX, CROOKED = "convex", "crooked"


@dataclass(frozen=True, eq=False)
class Pairs:
    """All pairs of a scene, and the truth about them.

    Attributes:
        parts: the scene.
        pairs: numbers of the parts, (n, 2).
        distance: how far apart they are, signed, (n,), [m].
        hull, true: for each pair the first plane of 24 that separates it, in the order of their
            sequence, or 24; by hulls and by true outlines.
    """

    parts: Sequence[Part]
    pairs: IntArray
    distance: Array
    hull: IntArray
    true: IntArray

    @property
    def apart(self) -> IntArray:
        """Which pairs are apart."""
        return np.flatnonzero(self.distance > 0.0)

    @property
    def meeting(self) -> IntArray:
        """Which pairs touch or overlap."""
        return np.flatnonzero(self.distance <= 0.0)

    def alarms(self, planes: int, outline: Outline = "hull") -> int:
        """How many pairs that are apart no plane of the first so many separates."""
        first = self.hull if outline == "hull" else self.true
        return int((first[self.apart] >= planes).sum())

    def missed(self, outline: Outline = "hull") -> int:
        """How many pairs that meet any of the 24 planes shows apart."""
        first = self.hull if outline == "hull" else self.true
        return int((first[self.meeting] < MOST_PLANES).sum())


class Bench:
    """How much is run.

    Attributes:
        quick: fewer parts, rounds and runs.
        count: parts in a scene.
        rounds: how often each time is taken; the lowest counts.
        levels: of octrees.
        runs: runs of bodies that move.
        tell: told what is under way, and how far it is: 0 to 1.
    """

    def __init__(self, *, quick: bool = False) -> None:
        self.quick = quick
        self.count = 40 if quick else 140
        self.rounds = 3 if quick else 9
        self.levels = tuple(range(3, 7 if quick else 9))
        self.runs = 40 if quick else 400
        self.tell: Callable[[str, float], None] = lambda what, part: None
        self.pairs = cache(self._pairs)
        self.meetings = cache(self._meetings)

    def parts(self, kind: str) -> list[Part]:
        """The scene of a kind."""
        return convex_scene(self.count) if kind == CONVEX else crooked_scene(self.count)

    def _pairs(self, kind: str) -> Pairs:
        return judged(self.parts(kind))

    def _meetings(self, kind: str, levels: int) -> tuple[Meetings, int]:
        """Which trees of a scene meet at so many levels, and how many leaves they have."""
        trees = trees_of(self.pairs(kind).parts, levels)
        return meets_many(trees), sum(map(len, trees))

    def lowest(self, call: Callable[[], object]) -> float:
        """Seconds of the processor for one call, the lowest of all rounds, fewer where they take
        seconds; one before the clock starts. A processor that others use too changes little."""
        return self.in_turn([call])[0]

    def in_turn(self, calls: Sequence[Callable[[], object]]) -> list[float]:
        """`lowest` of several calls that are to be compared: they take turns, so that whatever else
        the machine does hits all of them alike."""
        for call in calls:
            call()
        best, spent = np.full(len(calls), np.inf), 0.0
        for _ in range(self.rounds):
            for k, call in enumerate(calls):
                start = time.thread_time()
                call()
                took = time.thread_time() - start
                best[k], spent = min(best[k], took), spent + took
            if spent > _ENOUGH * len(calls):
                break
        return best.tolist()


def judged(parts: Sequence[Part]) -> Pairs:
    """All pairs of parts by projections and by their distance."""
    order = np.arange(MOST_PLANES, dtype=np.int64)
    first = []
    outlines: tuple[Outline, ...] = ("hull", "true")
    for outline in outlines:
        method = ProjectionMethod(parts, planes=MOST_PLANES, outline=outline)
        found = method.separating_planes(order=order)
        first.append(np.where(found < 0, MOST_PLANES, found))
    pairs = method.pairs()
    return Pairs(parts, pairs, distances(parts, pairs)[0], first[0], first[1])


def distances(parts: Sequence[Part], pairs: IntArray) -> tuple[Array, Array]:
    """The signed distance of each pair and what it may be too long by, [m]; one compiled call."""
    bodies, scratch = placed_bodies(parts), dispatch.pair_scratch()
    out = np.zeros((len(pairs), layout.OUT_COLUMNS))
    batch.distances(dispatch.general_address(), bodies.address, pairs, scratch.address, out)
    return out[:, 0].copy(), out[:, layout.SLACK].copy()


def trees_of(parts: Sequence[Part], levels: int) -> list[RegionTree]:
    """A tree for each part, all with the root cube around the scene."""
    root = common_root(parts)
    return [RegionTree.build(p.shape, p.pose, root=root, levels=levels) for p in parts]


def slope(x: Sequence[float], y: Sequence[float]) -> float:
    """The exponent of the power of ``x`` that ``y`` grows with, by least squares."""
    return float(np.polyfit(np.log(x), np.log(y), 1)[0])


def per_cent(part: float, whole: float) -> str:
    """A share with one digit behind the point."""
    return f"{100.0 * part / whole:.1f} %" if whole else "0.0 %"
