"""Publishers that speak in turn: is it known how they passed each other?

The motion from reading to reading is certified one message at a time. While one publisher is read
twice, others are read in between; so what is certified goes along the sides of a staircase, and the
robots along its diagonal. At any instant there is a certified configuration that differs from the
true one by what one of the two moved in that time, whichever is less. As long as that is less than
what a pair keeps, no contact was missed.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from standoff.cell import Cell
from standoff.kernels.kinematics import INDEX, MULTIPLIER
from standoff.monitor.limits import measure_reaches
from standoff.monitor.scene import read_scene
from standoff.monitor.tables import own_box
from standoff.shapes.pose import Array
from standoff.shapes.shape import IntArray
from standoff.streams.options import WatchOptions

#: Joints that are read together, and in which of many readings.
Parts = Sequence[tuple[IntArray, IntArray]]

#: Instead of an infinite reach, which 0 could not be multiplied with, [m].
_ENDLESS = 1e30


class Passing:
    """Where a watch certifies the motion between readings, and its joints and bodies come in
    several messages.

    Attributes:
        names: of the joints, and behind them of the bodies.
    """

    def __init__(self, cell: Cell, options: WatchOptions) -> None:
        self._cell, self._sure, self._buffer = cell, options.sure, options.buffer
        self._revision = -1
        self.names: tuple[str, ...] = ()
        #: How far each has moved, [rad] or [m], and how far all had when each was last read.
        self._way: Array = np.zeros(0)
        self._seen: Array = np.zeros((0, 0))
        #: In which message each was last read, counted from 1 on; 0 before.
        self._read: IntArray = np.zeros(0, dtype=np.int64)
        self._count = 0
        #: For each robot and body, how far its points get for each joint and body that moves, [m].
        self._reach: Array = np.zeros((0, 0))
        self._own: list[list[int]] = []

    def _follow(self) -> None:
        """The cell may have changed."""
        cell = self._cell
        if cell.revision == self._revision:
            return
        self._revision = cell.revision
        before = {name: k for k, name in enumerate(self.names)}
        self.names = (*cell.joints, *cell.bodies)
        old = [before.get(name, -1) for name in self.names]
        self._way, self._read = np.append(self._way, 0.0)[old], np.append(self._read, 0)[old]
        self._seen = np.pad(self._seen, (0, 1))[np.ix_(old, old)]
        scene = read_scene(cell, ())
        found = measure_reaches(cell, scene.primitives)
        owners = {name: k for k, name in enumerate(dict.fromkeys((*cell.robots, *cell.bodies)))}
        reach = np.zeros((len(owners), len(self.names)))
        for p, row in zip(scene.primitives, found.rows):
            if row:
                mine = reach[owners[scene.owner[p.body]]]
                bound = found.bound
                start, stop = bound.pair(bound.names[row]).chain_a
                for (frame, _), far in zip(bound.chain[start:stop], bound.reach[start:stop]):
                    j = cell.tree.ints[frame, INDEX]
                    times = abs(cell.tree.reals[frame, MULTIPLIER])
                    mine[j] = max(mine[j], times * far)
        for name in cell.moving:
            reach[owners[name], self.names.index(name)] = 1.0
        self._reach = np.minimum(reach, _ENDLESS)
        self._own = [np.flatnonzero(row).tolist() for row in reach]

    def take(self, columns: IntArray, moved: Array) -> bool:
        """These joints were read together, and have moved by so much since they were before; those
        that never were have not. Whether it is not known how they passed the others meanwhile."""
        self._follow()
        step = np.zeros(len(self.names))
        known = (self._read[columns] > 0) & np.isfinite(moved)
        step[columns] = np.where(known, np.abs(moved), 0.0)
        doubtful = self._doubtful(step, self._since(columns, self._way))
        self._way += step
        self._count += 1
        self._seen[columns], self._read[columns] = self._way, self._count
        return doubtful

    def take_body(self, name: str, before: Array, now: Array) -> bool:
        """Likewise of a moving body, and its poses."""
        self._follow()
        reach = own_box(self._cell.bodies[name].shape)[2]
        turned = float(np.linalg.norm(now[:3, :3] - before[:3, :3], 2))
        moved = float(np.linalg.norm(now[:3, 3] - before[:3, 3])) + reach * turned
        return self.take(np.array([self.names.index(name)]), np.array([moved]))

    def first(self, Q: Array, parts: Parts) -> int:
        """The first of many readings that `take` finds doubtful; as many as there are where it
        finds none. Q: the joints before them, and at each."""
        self._follow()
        n = len(Q) - 1
        if len({*self._read.tolist()}) == 1:
            return n
        steps, ways = self._ways(Q)
        enough = (steps @ self._reach.T).sum(axis=1) >= self._least()
        for columns, at in parts:
            for i in np.flatnonzero(enough[at]).tolist():
                k = int(at[i])
                if k >= n:
                    break
                way = ways[k]
                since = way - ways[at[i - 1] + 1] if i else self._since(columns, way)
                since[columns] = 0.0
                n = k if self._doubtful(steps[k], since) else n
        return n

    def skip(self, Q: Array, parts: Parts) -> None:
        """Take over readings that `first` found nothing against."""
        _, ways = self._ways(Q)
        for columns, at in parts:
            if len(at):
                self._seen[columns] = ways[at[-1] + 1]
                self._read[columns] = self._count + 1 + at[-1]
        self._way = ways[-1].copy()
        self._count += len(Q) - 1

    def _ways(self, Q: Array) -> tuple[Array, Array]:
        """How far all move to each of these readings, and have moved before them and at each."""
        steps = np.zeros((len(Q) - 1, len(self.names)))
        steps[:, : Q.shape[1]] = np.abs(np.diff(Q, axis=0))
        ways = np.concatenate((self._way[None], self._way + steps.cumsum(axis=0)))
        return steps, ways

    def _since(self, columns: IntArray, way: Array) -> Array:
        """How far others have moved since these were read."""
        known = columns[self._read[columns] > 0]
        if not len(known):
            return np.zeros(len(way))
        since: Array = (way - self._seen[known]).max(axis=0)
        since[columns] = 0.0
        return since

    def _doubtful(self, step: Array, since: Array) -> bool:
        """Whether both, what was read now and what was read meanwhile, moved as far as a pair may
        keep. Of more than two that speak in turn each may be off."""
        if not (step.any() and since.any()):
            return False
        mine, others = self._reach @ step, self._reach @ since
        if mine.sum() < self._least():
            return False
        turns = np.array(self._turns())
        own = np.minimum(mine, others) * np.maximum(turns - 1, 1)
        each = np.minimum(mine[:, None] + mine, others[:, None] + others)
        each *= np.maximum(turns[:, None] + turns - 1, 1)
        np.fill_diagonal(each, 0.0)
        own, each = own[own > 0.0], each[each > 0.0]
        return bool((own >= self._sure).any() or (each >= 2.0 * self._buffer).any())

    def _least(self) -> float:
        """Whoever moves less than this in a reading leaves no doubt, [m]."""
        turns = sorted(self._turns())
        both = 2.0 * self._buffer / max(sum(turns[-2:]) - 1, 1)
        return both if turns[-1] <= 1 else min(both, self._sure / (turns[-1] - 1))

    def _turns(self) -> list[int]:
        """In how many messages each robot and body comes."""
        read = self._read.tolist()
        return [len({read[k] for k in own}) for own in self._own]
