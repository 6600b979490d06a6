"""The nearest watched pair of a cell: measured at single configurations, which proves nothing of
what lies between them.

`Nearest` takes many configurations at once. `NearestFinder` leaves out pairs that keep their
distance whatever a robot's first joint does (`keeps_distance`: proved, not sampled).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from standoff.geometry.distance import DistanceResult, distance
from standoff.geometry.narrowphase import batch, dispatch, layout
from standoff.geometry.narrowphase.bodies import Bodies, PairScratch
from standoff.geometry.pose import Array, inverse
from standoff.geometry.primitives import Capsule, Cylinder, HalfSpace, Sphere
from standoff.geometry.shape import IntArray, Shape
from standoff.robots.kernels.kinematics import JOINT_KIND, REVOLUTE
from standoff.robots.tree import matrices

if TYPE_CHECKING:
    from standoff.cell.cell import Cell

#: A pair whose distance is proved to vary by no more, wherever a joint is, keeps it, [m].
STILL_PAIR = 0.001


#: Which pairs: all that are watched, those within one robot and what it holds, or the others.
Among = Literal["all", "self", "others"]

#: Told from time to time how much is done, from 0 to 1.
Progress = Callable[[float], None]

#: Configurations of a way that are asked for together at most, [-]: those near each other share the
#: pairs that are out of the question.
_STRIDE = 20

#: Configurations times pairs whose boxes are compared together, [-]: a few arrays of 8 MB.
_TOGETHER = 1_000_000


class Nearest:
    """Asks a cell, as it is now, for the nearest pair at configurations that lie near each other.

    Two boxes along the world's axes bound the distance of what is in them from below, first over
    all configurations asked for together, then one by one; only what they leave open is computed.

    Attributes:
        pairs: rows (n, 2) of the world's table of primitives that are watched; the first moves.
    """

    def __init__(self, cell: Cell, among: Among = "all") -> None:
        self._cell, self._world = cell, cell.model
        self._tables = cell.model.tables
        self.pairs = watched_primitives(cell, among)
        kinds = self._tables.refs[:, layout.KIND]
        known = np.unique(kinds[self.pairs], axis=0).tolist()
        closed = all(dispatch.has_closed_form(a, b) for a, b in known)
        # Compiled only where it is needed: it takes half a minute.
        self._address = 0 if closed else dispatch.general_address()
        self._scratch = PairScratch()
        self._moves = np.flatnonzero(self._tables.frame != 0)
        self._local = matrices(self._tables.local)
        shapes = [shape for parts in self._world.parts for shape, _ in parts]
        corners = [s.bounds() if s.bounded else np.zeros((2, 3)) for s in shapes]
        self._corners = np.array(corners).reshape(-1, 2, 3)
        self._endless = np.array([not s.bounded for s in shapes], dtype=np.bool_)
        every = np.arange(len(shapes))
        self._low, self._high = self._boxes(self._local, every)

    def names(self, pair: int) -> tuple[str, str]:
        """The bodies of one of the pairs."""
        a, b = self._tables.owner[self.pairs[pair]]
        return self._world.names[a], self._world.names[b]

    def at(self, Q: Array, progress: Progress | None = None) -> tuple[Array, IntArray]:
        """For each row of ``Q``, in the order of a way, the smallest signed distance, [m], and
        which of the pairs has it; infinite and -1 where there is no pair."""
        distance, pair = np.full(len(Q), np.inf), np.full(len(Q), -1)
        stride = max(1, min(_STRIDE, _TOGETHER // max(1, len(self.pairs))))
        for k in range(0, len(Q), stride):
            some = slice(k, k + stride)
            distance[some], pair[some] = self.placed(self._frames(np.ascontiguousarray(Q[some])))
            if progress is not None:
                progress(min(1.0, (k + stride) / len(Q)))
        return distance, pair

    def placed(self, frames: Array) -> tuple[Array, IntArray]:
        """As `at`, for placements (n, frames, 4, 4) of all frames, all at once."""
        count = len(frames)
        if not len(self.pairs) or not count:
            return np.full(count, np.inf), np.full(count, -1)
        poses = frames[:, self._tables.frame[self._moves]] @ self._local[self._moves]
        low, high = self._boxes(poses, self._moves)
        kept = self._left_open(poses, low, high)
        least = np.empty((count, len(kept)))
        for k in range(count):
            least[k] = self._apart(low[k], high[k], kept)
        every = np.arange(count)
        best = np.argmin(least, axis=1)
        smallest = self._distances(poses, every, kept[best])
        least[every, best] = np.inf
        sample, pair = np.nonzero(least < smallest[:, None])
        values = self._distances(poses, sample, kept[pair])
        # Sorted by sample and then by distance, the first of each sample is its smallest.
        order = np.lexsort((pair, values, sample))
        sample, pair, values = sample[order], pair[order], values[order]
        first = np.flatnonzero(np.diff(sample, prepend=-1))
        better = first[values[first] < smallest[sample[first]]]
        smallest[sample[better]], best[sample[better]] = values[better], pair[better]
        return smallest, kept[best]

    def _left_open(self, poses: Array, low: Array, high: Array) -> IntArray:
        """Which pairs may be the nearest at some of the configurations: those whose boxes, each
        around all that its body passes, are nearer than one pair is at every configuration."""
        least = self._apart(low.min(axis=0), high.max(axis=0), np.arange(len(self.pairs)))
        first = int(np.argmin(least))
        one = np.full(len(poses), first)
        bound = self._distances(poses, np.arange(len(poses)), one).max()
        # Of two boxes along the axes bound and distance are the same but for rounding, so the pair
        # that gave the bound might not keep it.
        open_ = least <= bound
        open_[first] = True
        return np.flatnonzero(open_)

    def _frames(self, Q: Array) -> Array:
        """Poses of all frames, the moving bodies where the cell has them."""
        frames = self._cell.tree.forward_batch(Q)
        if not self._cell.moving:
            return frames
        given = np.array([self._cell.bodies[name].pose for name in self._cell.moving])
        return np.concatenate([frames, np.broadcast_to(given, (len(Q), *given.shape))], axis=1)

    def _boxes(self, poses: Array, which: IntArray) -> tuple[Array, Array]:
        """Lower and upper corners of boxes around the placed boxes of the shapes."""
        low, high = self._corners[which, 0], self._corners[which, 1]
        turn, shift = poses[..., :3, :3], poses[..., :3, 3]
        middle = np.einsum("...ij,...j->...i", turn, (low + high) / 2.0) + shift
        extent = np.einsum("...ij,...j->...i", np.abs(turn), (high - low) / 2.0)
        extent[..., self._endless[which], :] = np.inf
        return middle - extent, middle + extent

    def _apart(self, low: Array, high: Array, which: IntArray) -> Array:
        """A lower bound on the signed distance of pairs, the movers being in these boxes."""
        self._low[self._moves], self._high[self._moves] = low, high
        a, b = self.pairs[which].T
        gap = np.maximum(self._low[a] - self._high[b], self._low[b] - self._high[a])
        # Apart along some axis: the length of the gap. Otherwise no shift shorter than the smallest
        # overlap parts the boxes, and the bodies are no deeper in each other than their boxes.
        apart = np.sqrt(np.square(np.maximum(gap, 0.0)).sum(axis=1))
        bound: Array = np.where(apart > 0.0, apart, gap.max(axis=1))
        return bound

    def _distances(self, poses: Array, sample: IntArray, pair: IntArray) -> Array:
        """Signed distances of pairs, each at one of the configurations."""
        count, tables = len(pair), self._tables
        a, b = self.pairs[pair].T
        rows = np.concatenate([tables.rows[a], tables.rows[b]])
        refs = np.concatenate([tables.refs[a], tables.refs[b]])
        place = np.full(len(tables.frame), -1)
        place[self._moves] = np.arange(len(self._moves))
        mover = place[np.concatenate([a, b])]
        moved = np.flatnonzero(mover >= 0)
        at = poses[np.tile(sample, 2)[moved], mover[moved], :3]
        rows[moved, : layout.SIZE] = at.reshape(-1, layout.SIZE)
        bodies = Bodies(rows=rows, refs=refs, solids=tables.geometry.solids)
        pairs = np.arange(2 * count).reshape(2, count).T.copy()
        out = np.zeros((count, layout.OUT_COLUMNS))
        batch.distances(self._address, bodies.address, pairs, self._scratch.address, out)
        return out[:, 0].copy()


def watched_primitives(cell: Cell, among: Among = "all") -> IntArray:
    """Rows (n, 2) of the world's table of primitives that are watched against each other; the
    first of the two moves."""
    model = cell.model
    owner, frame = model.tables.owner, model.tables.frame
    count, every = len(model.names), np.arange(len(frame))
    allowed = np.array([[model.index[a], model.index[b]] for a, b in cell.pairs.reasons])
    keys = np.sort(allowed.reshape(-1, 2), axis=1).astype(np.int64) @ np.array([count, 1])
    robot = _robots(cell)
    found = [np.zeros((0, 2), dtype=np.int64)]
    for i in np.flatnonzero(frame != 0):
        # A pair of which both move is met twice, and taken where i comes first.
        others = np.flatnonzero((frame != frame[i]) & ((frame == 0) | (every > i)))
        theirs, mine = owner[others], owner[i]
        key = np.minimum(mine, theirs) * count + np.maximum(mine, theirs)
        keep = ~np.isin(key, keys)
        if among != "all":
            keep &= ((robot[mine] >= 0) & (robot[mine] == robot[theirs])) == (among == "self")
        others = others[keep]
        found.append(np.stack([np.full(len(others), i), others], axis=1))
    return np.concatenate(found)


def _robots(cell: Cell) -> IntArray:
    """For each body the number of the robot it belongs to or is held by, -1 for none."""
    number = {name: k for k, name in enumerate(cell.robots)}
    held = {b.name: b.attachment.link for b in cell.bodies.values() if b.attachment is not None}
    links = (held.get(name, name) for name in cell.model.names)
    found = [number.get(n.partition("/")[0], -1) if "/" in n else -1 for n in links]
    return np.array(found, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class NearPair:
    """Two bodies, their signed distance, [m], and the witness points, world frame."""

    a: str
    b: str
    distance: float
    point_a: Array
    point_b: Array


class NearestFinder:
    """Asks for the nearest watched pair of a cell as it is now.

    Args:
        among: which pairs.
        below: distance up to which a pair is not left out for keeping it, [m].
    """

    def __init__(self, cell: Cell, among: Among = "all", *, below: float = 0.0) -> None:
        # The cell may change, and on another thread: whatever is asked later is asked of these.
        self._frame = cell.model.tables.frame
        self._nearest = Nearest(cell, among)
        self._parts = [part for parts in cell.model.parts for part in parts]
        self._nearest.pairs = self._nearest.pairs[self._informative(cell, below)]
        self._last = -1

    @property
    def count(self) -> int:
        """How many pairs there are to be asked for."""
        return len(self._nearest.pairs)

    @property
    def any(self) -> bool:
        """Whether there are some."""
        return self.count > 0

    @property
    def asked(self) -> bool:
        """Whether there is a pair to be measured `again`."""
        return self._last >= 0

    def at(self, frames: Array) -> NearPair | None:
        """The pair where the frames of the world are there, (frames, 4, 4); None where no two are
        watched."""
        _, (pair,) = self._nearest.placed(frames[None])
        self._last = int(pair)
        return self.again(frames)

    def again(self, frames: Array) -> NearPair | None:
        """The pair that was the nearest when last asked, measured where the frames are now: by now
        another may be nearer."""
        if self._last < 0:
            return None
        found = self._distance(self._nearest.pairs[self._last], frames)
        a, b = self._nearest.names(self._last)
        return NearPair(a, b, found.distance, found.point_a, found.point_b)

    def along(self, Q: Array) -> Array:
        """The smallest distance at each of many configurations (n, joints) in their order, [m]."""
        return self._nearest.at(Q)[0]

    def _distance(self, rows: IntArray, frames: Array) -> DistanceResult:
        """Of two primitives, by their rows of the world's table."""
        frame = self._frame
        placed = [(self._parts[r][0], frames[frame[r]] @ self._parts[r][1]) for r in rows]
        return distance(*placed[0], *placed[1])

    def _informative(self, cell: Cell, below: float) -> NDArray[np.bool_]:
        """Which pairs say something. A link on the first joint of a robot and what it stands on may
        keep their distance wherever the joint is; a monitor watches them, and a line there would
        hide what comes nearer elsewhere. None is left out that is not farther apart than
        ``below``."""
        tree, pairs = cell.tree, self._nearest.pairs
        frame = self._frame[pairs]
        turns = np.zeros(int(frame.max(initial=0)) + 1, dtype=np.bool_)
        some = slice(0, min(len(turns), tree.frames))
        turns[some] = (tree.parent == 0)[some] & (tree.ints[some, JOINT_KIND] == REVOLUTE)
        kept = np.ones(len(pairs), dtype=np.bool_)
        frames = tree.forward(cell.q)
        for k in np.flatnonzero((frame[:, 1] == 0) & turns[frame[:, 0]]):
            (a, at), (b, other) = (self._parts[r] for r in pairs[k])
            axis = frames[frame[k, 0]]
            if keeps_distance(a, at, b, inverse(axis) @ other):
                kept[k] = self._distance(pairs[k], frames).distance <= below + STILL_PAIR
        return kept


def keeps_distance(a: Shape, at: Array, b: Shape, other: Array) -> bool:
    """Whether the distance of two shapes varies by STILL_PAIR at most while the first turns about
    z; both poses are in a frame on that axis.

    To turn one is to turn the other backwards, so it is enough that one of the two moves little.
    """
    bounds = (
        _motion_bound(a, at), _motion_bound(b, other), _over(a, at, b, other),
        _over(b, other, a, at),
    )  # fmt: skip
    return min(bounds) <= STILL_PAIR


def _motion_bound(shape: Shape, at: Array) -> float:
    """How far a shape is from itself turned about z, at most, [m]: no point of the one is farther
    from the other; infinite where nothing is known.

    A point at e from the axis moves by 2 e at most, and those between two by no more than they. A
    cylinder's ends may tilt: its axis u, of length l, turns to u' with |u' - u| <= 4 e / l, and a
    point of its rim, at r from u, moves by r |u' - u| besides.
    """
    if isinstance(shape, Sphere):
        return 2.0 * math.hypot(*at[:2, 3])
    if not isinstance(shape, Capsule | Cylinder):
        return math.inf
    half = 0.5 * shape.length * at[:3, 2]
    most = max(math.hypot(*(at[:3, 3] + side * half)[:2]) for side in (-1.0, 1.0))
    if isinstance(shape, Capsule):
        return 2.0 * most
    return 2.0 * most * (1.0 + 2.0 * shape.radius / shape.length)


def _over(shape: Shape, at: Array, plane: Shape, other: Array) -> float:
    """By how much the height of a shape above a half space varies: a point at e from the axis by
    2 e |n|, n what the normal has across the axis."""
    if not (isinstance(plane, HalfSpace) and shape.bounded):
        return math.inf
    low, high = shape.bounds()
    corners = np.array([(x, y, z, 1.0) for x in (low[0], high[0]) for y in (low[1], high[1])
                        for z in (low[2], high[2])])  # fmt: skip
    far = np.hypot(*(corners @ at.T)[:, :2].T).max()
    return float(2.0 * far * math.hypot(*other[:2, 2]))
