"""A cell as the checkers of paper 001 take it: every watched pair of primitives by itself."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from standoff.cell import Cell
from standoff.geometry.distance import distance
from standoff.geometry.narrowphase import layout
from standoff.geometry.narrowphase import unpacked as greedy_work
from standoff.geometry.narrowphase.dispatch import general_address as address
from standoff.geometry.narrowphase.dispatch import has_closed_form
from standoff.geometry.narrowphase.unpacked import greedy_address, nested_address
from standoff.geometry.pose import Array
from standoff.geometry.shape import IntArray, Shape
from standoff.motion.bound import MotionBound, MovingBody
from standoff.papers.kernels import sampled as s
from standoff.robots.tree import WORLD
from standoff.tolerances import REACH_ROUNDING

Kind = Literal["free", "collision", "too_close", "undecided"]


@dataclass(frozen=True, eq=False)
class Checked:
    """What became of a segment.

    Attributes:
        kind: ``free``; ``collision``, where ``q`` shows two bodies that touch or overlap;
            ``too_close``, where it shows two that are apart, but by no more than was asked;
            ``undecided``, where the budget ran out.
        t, q, pair: where that is, in [0, 1] of the segment, and whose; None where it is not shown.
        distance: of the pair there, [m]; 0 or less where they touch or overlap.
        configurations: for how many instants bodies were placed.
        distances: how many pairs were asked for their distance, at one instant each.
    """

    kind: Kind
    t: float | None
    q: Array | None
    pair: tuple[str, str] | None
    distance: float | None
    configurations: int
    distances: int

    @property
    def free(self) -> bool:
        """Whether it is free."""
        return self.kind == "free"


class PairTables:
    """The tables of `papers.kernels.sampled`, and of the motion bound, for one revision of a cell.

    Moving bodies stand still where the cell has them.

    Attributes:
        revision: of the cell, when these were made.
        bound: rows of its bodies are those of the primitives that move; row 0 is all the rest.
        pairs: int64 (n, 5), see `papers.kernels.sampled`.
        movers, frame, local, rows, refs, geometry: of the primitives.
        balls: (n, 4) a centre in the primitive's frame and a radius that holds all of it, infinite
            for a half space.
        at: addresses of the kernels that the pairs need; 0 for those that none does.
    """

    def __init__(self, cell: Cell) -> None:
        self.cell = cell
        cell.check_watched()
        self.revision = cell.revision
        self.tree = cell.tree
        world = cell.world
        tables = world.tables
        self._shapes: list[tuple[Shape, str]] = [
            (shape, name) for name, parts in zip(world.names, world.parts) for shape, _ in parts
        ]
        self.frame: IntArray = np.where(tables.frame < self.tree.frames, tables.frame, WORLD)
        self.local: Array = tables.local.copy()
        self.rows: Array = tables.rows.copy()
        for name in cell.moving:
            here = tables.owner == world.index[name]
            self.local[here] = self.rows[here, : layout.SIZE] = cell.pose(name)[:3].ravel()
        self.refs, self.geometry = tables.refs, tables.geometry
        self.balls: Array = np.array([self._ball(k) for k in range(len(self.frame))]).reshape(-1, 4)
        self.movers: IntArray = np.flatnonzero(self.frame != WORLD)
        row = np.zeros(len(self.frame), dtype=np.int64)
        row[self.movers] = 1 + np.arange(len(self.movers))
        self.bound = MotionBound(self.tree, [self._body(int(k)) for k in self.movers])
        self.pairs = self._pairs(row, tables.owner)
        self.at = self._addresses()
        self.turns = self.tree.scratch()
        self.work = np.zeros(greedy_work.GREEDY_WORK)
        self.iwork = np.zeros(greedy_work.GREEDY_IWORK, dtype=np.int64)
        self.out = np.zeros((1, layout.OUT_COLUMNS))

    @property
    def scale(self) -> Array:
        """One over the range of each joint, 2 pi for those without limits: ``max |dq| scale`` is
        the metric in which the space of configurations is the unit cube."""
        width = self.tree.upper - self.tree.lower
        return 1.0 / np.where(np.isfinite(width) & (width > 0.0), width, 2.0 * math.pi)

    @property
    def tables(self) -> tuple[object, ...]:
        """Tables of the primitives, in the order in which the kernels take them."""
        g = self.geometry
        return self.refs, g.points, g.faces, g.nodes, g.ints

    def checked(self, row: IntArray, t: float, qa: Array, qb: Array) -> Checked:
        """The answer of a kernel, as its row of ``found``, in words."""
        counts = int(row[s.CONFIGURATIONS]), int(row[s.DISTANCES])
        if row[s.STATUS] != s.HIT:
            kind: Kind = "free" if row[s.STATUS] == s.FREE else "undecided"
            return Checked(kind, None, None, None, None, *counts)
        q = qb.copy() if t == 1.0 else qa + t * (qb - qa)
        i, j = (int(k) for k in self.pairs[row[s.HIT_PAIR], [s.PRIM_A, s.PRIM_B]])
        frames = self.tree.forward(q)
        poses = [frames[self.frame[k]] @ _matrix(self.local[k]) for k in (i, j)]
        gap = distance(self._shapes[i][0], poses[0], self._shapes[j][0], poses[1]).value
        names = self._shapes[i][1], self._shapes[j][1]
        return Checked("too_close" if gap > 0.0 else "collision", t, q, names, gap, *counts)

    def _body(self, k: int) -> MovingBody:
        shape, frame = self._shapes[k][0], int(self.frame[k])
        return MovingBody.of_shape(str(k), frame, shape, _matrix(self.local[k]))

    def _ball(self, k: int) -> Array:
        shape, local = self._shapes[k][0], _matrix(self.local[k])
        if not shape.bounded:
            return np.array([0.0, 0.0, 0.0, math.inf])
        points, grown = shape.core()
        centre = (points.min(axis=0) + points.max(axis=0)) / 2.0
        radius = float(np.linalg.norm(points - centre, axis=1).max()) + grown
        at = local[:3, :3] @ centre + local[:3, 3]
        return np.append(at, radius + REACH_ROUNDING * (radius + float(np.linalg.norm(at))))

    def _pairs(self, row: IntArray, owner: IntArray) -> IntArray:
        parts: dict[int, list[int]] = {}
        for k, body in enumerate(owner.tolist()):
            parts.setdefault(body, []).append(k)
        index = self.cell.world.index
        found = []
        for a, b in self.cell.pairs.watched():
            for i in parts[index[a]]:
                for j in parts[index[b]]:
                    if self.frame[i] == self.frame[j]:
                        continue
                    if self.frame[i] == WORLD:
                        i, j = j, i
                    common = self.tree.common(int(self.frame[i]), int(self.frame[j]))
                    found.append([i, j, row[i], row[j], common])
        return np.array(found, dtype=np.int64).reshape(-1, s.PAIR_COLUMNS)

    def _addresses(self) -> IntArray:
        found = np.zeros(s.ADDRESSES, dtype=np.int64)
        kinds = self.refs[self.pairs[:, [s.PRIM_A, s.PRIM_B]], layout.KIND]
        for a, b in np.unique(kinds, axis=0).tolist():
            if has_closed_form(a, b):
                continue
            if layout.MESH in (a, b):
                found[s.GREEDY], found[s.NESTED] = greedy_address(), nested_address()
            if (a, b) != (layout.MESH, layout.MESH):
                found[s.GENERAL] = address()
        return found


def _matrix(row: Array) -> Array:
    result = np.eye(4)
    result[:3] = row.reshape(3, 4)
    return result
