"""The checkers of paper 001, which ask every watched pair of primitives by itself: the exact one as
it describes it, and its rival, samples at a fixed resolution, which prove nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

import standoff as so
from standoff.cell.cell import Cell
from standoff.errors import Error
from standoff.geometry.narrowphase import layout
from standoff.geometry.narrowphase.bodies import Bodies
from standoff.geometry.narrowphase.dispatch import general_address, nested_address
from standoff.geometry.pose import Array
from standoff.geometry.shape import IntArray, Shape
from standoff.motion.motion_bound import MotionBound, MovingBody
from standoff.papers.kernels import pairwise, sampled
from standoff.papers.kernels.greedy import greedy_scratch
from standoff.papers.kernels.sampled import FREE, FULL
from standoff.robots.kernels.kinematics import MULTIPLIER, OFFSET
from standoff.robots.tree import WORLD, matrices
from standoff.tolerances import REACH_ROUNDING

Bound = Literal["paper", "sharp"]
Cover = Literal["a", "b", "c"]
Mask = NDArray[np.bool_]

#: Records of `papers.kernels.sampled.FOUND`, one a segment.
Found = Any

#: Where an experiment asks for contact itself, a checker that needs a tolerance above 0 is given
#: this one, [m]: a thousandth of the smallest distance that the experiments tell apart.
CONTACT_TOLERANCE = 1e-6

#: Instants whose poses are kept while a segment is searched, and rows of them at most.
_SLOTS = 258
_SLOT_ROWS = 1 << 16

#: Entries that the queue has room for, at first.
_ENTRIES = 8192


class WatchedCell:
    """One revision of a cell as the tables of `papers.kernels.sampled.Watched`, with so many slots.

    Moving bodies stand still where the cell has them.

    Attributes:
        revision: of the cell, when these were made.
        movers: numbers of the primitives that move; the motion bound has them in this order, behind
            all the rest in row 0.
        tables: of the kernels.
    """

    def __init__(self, cell: Cell, slots: int = 1) -> None:
        cell.check_watched()
        self.cell, self.revision, self.tree = cell, cell.revision, cell.tree
        model, tables = cell.model, cell.model.tables
        self.shapes: list[tuple[Shape, str]] = [
            (shape, name) for name, parts in zip(model.names, model.parts) for shape, _ in parts
        ]
        self.frame = np.where(tables.frame < self.tree.frames, tables.frame, WORLD)
        self.local, rows = tables.local.copy(), tables.rows.copy()
        for name in cell.moving:
            here = tables.owner == model.index[name]
            self.local[here] = rows[here, : layout.SIZE] = cell.pose(name)[:3].ravel()
        self.places = matrices(self.local)
        self.movers = np.flatnonzero(self.frame != WORLD)
        pairs = self._pairs(tables.owner)
        slots = max(min(slots, _SLOT_ROWS // max(len(rows), self.tree.frames, 1)), min(slots, 3))
        self.slots, frames = slots, slots * self.tree.frames
        calls = np.zeros(1, dtype=sampled.CALLS)
        calls["general"] = general_address()
        if (tables.refs[:, layout.KIND] == layout.MESH).any():
            calls["nested"] = nested_address()
        self.tables = sampled.Watched(
            calls=calls,
            reals=self.tree.reals,
            ints=self.tree.ints,
            turns=self.tree.scratch(),
            movers=self.movers,
            frame=self.frame,
            local=self.local,
            pairs=pairs,
            bodies=Bodies(
                rows=np.tile(rows, (slots, 1)),
                refs=np.tile(tables.refs, (slots, 1)),
                solids=tables.geometry.solids,
            ),
            poses=frames,
            twists=frames,
            q=len(self.tree.joints),
            scratch=greedy_scratch(),
            out=1,
        )

    @property
    def scale(self) -> Array:
        """One over the range of each joint, 2 pi for those without limits: ``max |dq| scale`` is
        the metric in which the space of configurations is the unit cube."""
        width = self.tree.upper - self.tree.lower
        return 1.0 / np.where(np.isfinite(width) & (width > 0.0), width, 2.0 * math.pi)

    def bound(self) -> MotionBound:
        """The motion bound of what moves."""
        return MotionBound(
            self.tree,
            [
                MovingBody.of_shape(str(k), int(self.frame[k]), self.shapes[k][0], self.places[k])
                for k in self.movers.tolist()
            ],
        )

    def balls(self) -> Array:
        """(n, 4) a centre in the primitive's frame and a radius that holds all of it, infinite for
        a half space."""
        return np.array([self._ball(k) for k in range(len(self.frame))]).reshape(-1, 4)

    def _ball(self, k: int) -> Array:
        shape, local = self.shapes[k][0], self.places[k]
        if not shape.bounded:
            return np.array([0.0, 0.0, 0.0, math.inf])
        points, grown = shape.core()
        centre = (points.min(axis=0) + points.max(axis=0)) / 2.0
        radius = float(np.linalg.norm(points - centre, axis=1).max()) + grown
        at = local[:3, :3] @ centre + local[:3, 3]
        return np.append(at, radius + REACH_ROUNDING * (radius + float(np.linalg.norm(at))))

    def _pairs(self, owner: IntArray) -> Any:
        """Every watched pair of primitives, one that moves first."""
        row = np.zeros(len(self.frame), dtype=np.int64)
        row[self.movers] = 1 + np.arange(len(self.movers))
        index, frame = self.cell.model.index, self.frame.tolist()
        found = []
        for names in self.cell.pairs.watched():
            first, second = (np.flatnonzero(owner == index[name]).tolist() for name in names)
            for i in first:
                for j in second:
                    if frame[i] != frame[j]:
                        a, b = (i, j) if frame[i] != WORLD else (j, i)
                        found.append((a, b, row[a], row[b], self.tree.common(frame[a], frame[b])))
        return np.array(found, dtype=sampled.PAIR)


#: Whether each of many segments is free: all that an experiment needs of a checker.
Checker = Callable[[Array, Array], Mask]


class _Plain:
    """What both checkers have in common."""

    watched: WatchedCell

    def __init__(self, cell: Cell) -> None:
        self.cell = cell
        self._prepare()

    def _prepare(self) -> None:
        """Tables and room for the cell as it is now."""
        raise NotImplementedError

    def _call(self, QA: Array, QB: Array) -> Found:
        raise NotImplementedError

    def segments(self, QA: ArrayLike, QB: ArrayLike) -> Mask:
        """Whether each of many segments (n, joints) is free, in one compiled call."""
        tree = self.cell.tree
        found = self.run(tree.configurations(QA, "QA"), tree.configurations(QB, "QB"))
        free: Mask = found.status == FREE
        return free

    def run(self, QA: Array, QB: Array) -> Found:
        """Records of `papers.kernels.sampled.FOUND`."""
        if self.watched.revision != self.cell.revision:
            self._prepare()
        return self._call(QA, QB)


class SampledChecker(_Plain):
    """Tests configurations on a segment, breadth first, the middle first, until neighbours are less
    than ``epsilon`` apart (paper 001, section 2).

    A contact between two samples is missed: ``free`` means only that no sample touched. It is the
    baseline that the exact checkers are measured against. The distance of two configurations is
    the largest ``|dq|`` of any joint over its range, so that ``epsilon`` is a part of the ranges.

    Args:
        epsilon: the resolution, [-]; 0 goes on until there is a contact or the budget is used up.
        ends: whether both ends are tested as well; a planner knows them to be free.
        budget: most configurations on one segment.
    """

    def __init__(
        self, cell: Cell, epsilon: float, *, ends: bool = True, budget: int = 1_000_000
    ) -> None:
        if not (isinstance(epsilon, (int, float)) and 0.0 <= epsilon < math.inf):
            raise Error("not a resolution", value=epsilon, allowed="a number >= 0")
        self._settings = float(epsilon), int(ends), int(budget)
        super().__init__(cell)

    def _prepare(self) -> None:
        self.watched = WatchedCell(self.cell)
        self._tables = sampled.Samples(watched=self.watched.tables, scale=self.watched.scale)
        self._tables.arrays["settings"][0] = self._settings

    def _call(self, QA: Array, QB: Array) -> Found:
        self._tables.found = len(QA)
        sampled.sampled_segments(self._tables.address, QA, QB)
        return self._tables.found


class PairwiseChecker(_Plain):
    """Paper 001's checker: one entry of a priority queue a pair, the least covered first.

    ``free`` is proven: no two bodies touch at any instant of the segment. It is kept as the paper
    has it, to be compared with; `PathChecker` gives the same answers sooner, and more of them.

    Args:
        delta: a pair found at this distance or nearer at an instant that is looked at ends the
            search, [m]; 0 asks for contact itself, and then a pair that all but touches may need
            the whole budget.
        bound: how far bodies can get: ``paper``, reach times angle; ``sharp``, speed and curvature
            where that is shorter.
        cover: where an uncovered stretch is split, (a), (b) or (c) of the paper's Fig. 4.
        shared: whether poses are kept and shared by all pairs, which (a) alone allows.
        lazy: whether a pair is measured only when its turn comes, by the balls around its bodies;
            the paper measures all pairs at both ends first.
        budget: most distances taken on one segment; ``undecided`` beyond.

    Raises:
        Error: a mimic joint whose angle is rounded, which the bounds do not count; or an argument
            is not what it should be.
    """

    def __init__(
        self,
        cell: Cell,
        delta: float = 0.001,
        bound: Bound = "sharp",
        cover: Cover = "a",
        shared: bool = True,
        *,
        lazy: bool = True,
        budget: int = 1_000_000,
    ) -> None:
        if not (isinstance(delta, (int, float)) and 0.0 <= delta < math.inf):
            raise Error("not a distance", element="delta", value=delta, allowed="metres, >= 0")
        for name, value, kinds in (("bound", bound, Bound), ("cover", cover, Cover)):
            if value not in get_args(kinds):
                allowed = ", ".join(get_args(kinds))
                raise Error(f"unknown {name}", value=value, allowed=allowed)
        self._settings = (
            float(delta), int(bound == "sharp"), get_args(Cover).index(cover), int(shared),
            int(lazy), int(budget),
        )  # fmt: skip
        self._shared, self._room = bool(shared), _ENTRIES
        super().__init__(cell)

    def _prepare(self) -> None:
        self.watched = t = WatchedCell(self.cell, _SLOTS if self._shared else 3)
        exact = (np.abs(t.tree.reals[:, MULTIPLIER]) == 1.0) & (t.tree.reals[:, OFFSET] == 0.0)
        if not exact[1:].all():
            raise Error("a mimic joint that rounds", allowed="a multiplier of 1 or -1, no offset")
        bound, frames, joints = t.bound(), t.tree.frames, len(t.tree.joints)
        of_joints = dict.fromkeys(("dq", "low", "high", "rounded"), joints)
        of_frames = dict.fromkeys(("speed", "error"), frames)
        self._tables = pairwise.Search(
            watched=t.tables,
            bound=pairwise.Bound(
                bodies=bound.bodies,
                chain=bound.chain,
                reach=bound.reach,
                points=bound.points,
                extent=bound.extent,
                size=bound.size,
                wide=len(bound.reach),
                totals=len(bound.bodies),
                **of_joints,
                **of_frames,
            ),
            balls=t.balls(),
            limits=len(t.tables.pairs),
            heap=self._room,
            now=1,
            intervals=4 * t.slots,
        )
        self._tables.arrays["settings"][0] = self._settings

    def _call(self, QA: Array, QB: Array) -> Found:
        self._tables.found = len(QA)
        pairwise.pairwise_segments(self._tables.address, QA, QB)
        found = self._tables.found
        full = np.flatnonzero(found.status == FULL)
        if full.size:
            self._room *= 4
            self._prepare()
            found[full] = self._call(QA[full], QB[full])
        return found


def exact_checkers(cell: Cell, delta: float) -> dict[str, Checker]:
    """The exact ones: as published; with shared transforms; with pairs measured when their turn
    comes; with our bound as well; and our own, on one thread as all the others."""
    own = so.PathChecker(cell, tolerance=max(delta, CONTACT_TOLERANCE))
    return {
        "as published": PairwiseChecker(cell, delta, "paper", shared=False, lazy=False).segments,
        "shared": PairwiseChecker(cell, delta, "paper", lazy=False).segments,
        "lazy": PairwiseChecker(cell, delta, "paper").segments,
        "our bound": PairwiseChecker(cell, delta, "sharp").segments,
        "PathChecker": partial(own.segments, threads=1),
    }
