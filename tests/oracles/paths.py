"""Segments judged from outside: dense samples, refined wherever a pair comes close.

Nothing of the path checker is used: no bound on motion, no certificates. How far a body may have
strayed between two samples is told by the samples themselves: by the chord between its poses, a
tenth more for the arc, and four times the largest second difference, where it turns back. Poses
come from the tree's forward kinematics (tested against Pinocchio), distances from the pair kernels
(tested against Coal); `witness_distance` asks Coal itself.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from standoff.compiled.jit import kernel
from standoff.geometry.narrowphase import dispatch, layout
from standoff.geometry.narrowphase.bodies import Bodies, PairScratch, bodies_at, scratch_at
from standoff.geometry.narrowphase.dispatch import closed_form, general_pair
from standoff.robots.kernels import kinematics
from standoff.robots.kernels.kinematics import place_frames
from tests.oracles.coal import CoalCell

#: How fine the search is in the segment's parameter.
FINEST = 1e-7
#: Samples to begin with: this much joint motion each, [rad or m], summed over the joints.
STEP, FEWEST = 0.06, 64
#: An arc over its chord, for turns of up to 1 rad between two samples.
ARC = 1.1
#: A stay near the extreme of a path leaves no chord; its second differences tell of it.
TURN = 4.0
#: How much nearer another pair, or the same at another place, may come than the nearest found, [m].
PRECISION = 2e-4
#: Distances after which a segment is left undecided.
MOST = 300_000

_STACK, _ENTRY = 64, 52


@dataclass(frozen=True)
class Nearest:
    """The nearest that was found below the limit asked for.

    Attributes:
        distance: infinite where nothing came below the limit.
        t: where on the segment, 0 to 1.
        pair: the numbers of the two primitives.
        distances: how many were taken; -1 where the search was given up.
    """

    distance: float
    t: float
    pair: tuple[int, int]
    distances: int


class Oracle:
    """The watched pairs of a cell, primitive by primitive.

    Attributes:
        pairs: (p, 2) numbers of primitives in ``cell.model.tables``.
    """

    def __init__(self, cell) -> None:
        self.cell = cell
        model = cell.model
        tables = model.tables
        first = np.searchsorted(tables.owner, np.arange(len(model.names) + 1))
        index = model.index
        found = [
            (i, j)
            for a, b in cell.pairs.watched()
            for i in range(first[index[a]], first[index[a] + 1])
            for j in range(first[index[b]], first[index[b] + 1])
        ]
        self.pairs = np.array(found, dtype=np.int64).reshape(-1, 2)
        self._between = joints_between(cell, tables.frame[self.pairs])
        self.shapes = [shape for parts in model.parts for shape, _ in parts]
        self.balls = np.array([ball(shape) for shape in self.shapes]).reshape(-1, 4)
        self.first = first
        self._tree = (cell.tree.reals, cell.tree.ints)
        self._frame, self._local = tables.frame, tables.local
        self._bodies = Bodies(
            rows=tables.rows.copy(), refs=tables.refs, solids=tables.geometry.solids
        )
        kinds = tables.refs[:, layout.KIND]
        closed = all(
            dispatch.has_closed_form(int(a), int(b)) for a, b in kinds[self.pairs].reshape(-1, 2)
        )
        self._general = 0 if closed else dispatch.general_address()
        self._scratch = PairScratch()
        self._stack = np.zeros((_STACK, _ENTRY))

    def nearest(self, qa, qb, below: float = math.inf, *, all_of_it: bool = True) -> Nearest:
        """The nearest the watched pairs come on the way from ``qa`` to ``qb``, within PRECISION,
        if that is ``below`` or less; the first such found where not ``all_of_it`` is to be
        searched."""
        qa, qb = (np.ascontiguousarray(q, dtype=float) for q in (qa, qb))
        still = ~(self._between @ (qa != qb))
        way = float(np.abs(qb - qa).sum())
        samples = max(FEWEST, math.ceil(way / STEP)) if way > 0.0 else 1
        frames, bodies = len(self._tree[0]), len(self._frame)
        poses = np.empty(((samples + 1) * frames, 12))
        placed = np.empty(((samples + 1) * bodies, 12))
        centres = np.empty(((samples + 1) * bodies, 3))
        moves = np.zeros((samples, bodies))
        bends = np.zeros(bodies)
        out = np.zeros((1, layout.OUT_COLUMNS))
        found = np.array([below, -1.0, -1.0, 0.0, PRECISION if all_of_it else 0.0])
        q, turns = np.empty(len(qa)), self.cell.tree.scratch()
        sample(
            *self._tree, qa, qb, q, turns, self._frame, self._local, self.balls,
            poses, placed, centres, moves, bends,
        )  # fmt: skip
        search(
            self._general, *self._tree, qa, qb, q, turns, self._frame, self._local, self.balls,
            self.pairs, still, self._bodies.address, self._scratch.address, self._stack,
            poses, placed, centres, moves, bends, all_of_it, out, found,
        )  # fmt: skip
        if found[2] < 0:
            return Nearest(math.inf, -1.0, (-1, -1), int(found[3]))
        if all_of_it and found[3] >= 0:
            self._polish(qa, qb, q, turns, poses, placed, out, found, 1.0 / samples)
        a, b = self.pairs[int(found[2])]
        return Nearest(float(found[0]), float(found[1]), (int(a), int(b)), int(found[3]))

    def _polish(self, qa, qb, q, turns, poses, placed, out, found, step) -> None:
        """Golden section about the nearest found: its own bottom, as deep as float64 goes."""
        i, j = self.pairs[int(found[2])]

        def value(t):
            return distance_at(
                self._general, *self._tree, qa, qb, t, q, turns, self._frame, self._local,
                self._bodies.address, self._scratch.address, int(i), int(j), poses, placed, out,
            )  # fmt: skip

        low, high = max(0.0, found[1] - step), min(1.0, found[1] + step)
        ratio = 0.5 * (math.sqrt(5.0) - 1.0)
        a, b = high - ratio * (high - low), low + ratio * (high - low)
        fa, fb = value(a), value(b)
        while high - low > 1e-9:
            if fa < fb:
                high, b, fb = b, a, fa
                a = high - ratio * (high - low)
                fa = value(a)
            else:
                low, a, fa = a, b, fb
                b = low + ratio * (high - low)
                fb = value(b)
            if min(fa, fb) < found[0]:
                found[0], found[1] = min((fa, a), (fb, b))

    def touches(self, qa, qb, clearance: float = 0.0) -> Nearest:
        """A place where a pair is at ``clearance`` or nearer, if one is found."""
        return self.nearest(qa, qb, clearance, all_of_it=False)

    def at(self, q) -> float:
        """The smallest distance of the watched pairs at one configuration."""
        return self.nearest(q, q).distance

    def between(self, q, a: str, b: str) -> float:
        """The distance of two bodies at one configuration."""
        q = np.ascontiguousarray(q, dtype=float)
        poses, placed = np.empty((len(self._tree[0]), 12)), np.empty((2, 12))
        scratch, turns = np.empty(len(q)), self.cell.tree.scratch()
        out = np.zeros((1, layout.OUT_COLUMNS))
        one, other = (self.cell.model.index[name] for name in (a, b))
        return min(
            distance_at(
                self._general, *self._tree, q, q, 0.0, scratch, turns, self._frame, self._local,
                self._bodies.address, self._scratch.address, i, j, poses, placed, out,
            )
            for i in range(self.first[one], self.first[one + 1])
            for j in range(self.first[other], self.first[other + 1])
        )  # fmt: skip

    def names(self, pair) -> tuple[str, str]:
        """The bodies of two primitives."""
        owner = self.cell.model.tables.owner
        a, b = (self.cell.model.names[owner[i]] for i in pair)
        return a, b

    @cached_property
    def coal(self) -> CoalCell:
        return CoalCell(self.cell)

    def witness_distance(self, q, a: str, b: str) -> float:
        """The signed distance of two bodies at ``q`` as Coal has it; of meshes that overlap only
        the sign counts, and a closed mesh that holds the other body is asked by our own test."""
        coal = self.coal
        frames = coal.frames(q)
        return coal.nearest(coal.place(a, frames), coal.place(b, frames))


def joints_between(cell, frames) -> np.ndarray:
    """(pairs, joints): which joints move the frames of a pair against each other."""
    tree = cell.tree
    above = [{f, *ancestors(tree, f)} for f in range(tree.frames)]
    result = np.zeros((len(frames), len(tree.joints)), dtype=bool)
    for row, (a, b) in zip(result, frames):
        for f in above[a] ^ above[b]:
            row[tree.ints[f, kinematics.INDEX]] = True
    return result


def ancestors(tree, f):
    while f:
        f = int(tree.parent[f])
        yield f


def ball(shape) -> tuple[float, float, float, float]:
    """Centre, in the shape's own frame, and radius of a ball around it."""
    if not shape.bounded:
        return 0.0, 0.0, 0.0, math.inf
    low, high = shape.bounds()
    centre = 0.5 * (low + high)
    points, radius = shape.core()
    return (*centre, float(np.linalg.norm(points - centre, axis=1).max()) + radius)


@kernel
def put(qa, qb, t, q):
    for j in range(len(q)):
        q[j] = qa[j] + t * (qb[j] - qa[j])


@kernel
def compose(poses, f, local, i, placed, row):
    """Where primitive ``i`` stands when its frame is ``poses[f]``."""
    for r in range(0, 12, 4):
        a, b, c = poses[f, r], poses[f, r + 1], poses[f, r + 2]
        for k in range(4):
            placed[row, r + k] = a * local[i, k] + b * local[i, 4 + k] + c * local[i, 8 + k]
        placed[row, r + 3] += poses[f, r + 3]


@kernel
def centre(placed, row, balls, i, axis):
    r = 4 * axis
    return (
        placed[row, r] * balls[i, 0] + placed[row, r + 1] * balls[i, 1]
        + placed[row, r + 2] * balls[i, 2] + placed[row, r + 3]
    )  # fmt: skip


@kernel
def sample(
    reals, ints, qa, qb, q, turns, frame, local, balls, poses, placed, centres, moves, bends
):
    """Poses of all primitives at every sample, how far each moves from one to the next, and the
    largest second difference of each."""
    samples, bodies = moves.shape
    frames = reals.shape[0]
    for k in range(samples + 1):
        put(qa, qb, k / samples, q)
        at = poses[k * frames :]
        place_frames(reals, ints, q, q, turns, at, at, False)
        for i in range(bodies):
            row = k * bodies + i
            compose(poses, k * frames + frame[i], local, i, placed, row)
            for axis in range(3):
                centres[row, axis] = centre(placed, row, balls, i, axis)
    for i in range(bodies):
        if balls[i, 3] == math.inf:
            continue
        bends[i] = 0.0
        for k in range(samples):
            now, then = k * bodies + i, (k + 1) * bodies + i
            shift, turn = 0.0, 0.0
            for axis in range(3):
                shift += (centres[then, axis] - centres[now, axis]) ** 2
            for c in range(12):
                if c % 4 != 3:
                    turn += (placed[then, c] - placed[now, c]) ** 2
            moves[k, i] = math.sqrt(shift) + balls[i, 3] * math.sqrt(turn)
            if k > 0:
                before = (k - 1) * bodies + i
                shift, turn = 0.0, 0.0
                for axis in range(3):
                    bend = centres[before, axis] - 2 * centres[now, axis] + centres[then, axis]
                    shift += bend**2
                for c in range(12):
                    if c % 4 != 3:
                        bend = placed[before, c] - 2 * placed[now, c] + placed[then, c]
                        turn += bend**2
                bends[i] = max(bends[i], math.sqrt(shift) + balls[i, 3] * math.sqrt(turn))


@kernel
def distance(general, bodies, scratch, i, placed_i, row_i, j, placed_j, row_j, out):
    for c in range(12):
        bodies.rows[i, c] = placed_i[row_i, c]
        bodies.rows[j, c] = placed_j[row_j, c]
    if not closed_form(bodies, i, bodies, j, out, 0):
        general_pair(general, bodies, i, bodies, j, scratch, out, 0)
    return out[0, 0]


@kernel
def distance_at(
    general, reals, ints, qa, qb, t, q, turns, frame, local, bodies, scratch, i, j,
    poses, placed, out,
):  # fmt: skip
    """The distance of two primitives at one place of the segment."""
    put(qa, qb, t, q)
    place_frames(reals, ints, q, q, turns, poses, poses, False)
    compose(poses, frame[i], local, i, placed, 0)
    compose(poses, frame[j], local, j, placed, 1)
    bodies, scratch = bodies_at(bodies), scratch_at(scratch)
    return distance(general, bodies, scratch, i, placed, 0, j, placed, 1, out)


@kernel
def search(
    general, reals, ints, qa, qb, q, turns, frame, local, balls,
    pairs, still, bodies, scratch, stack,
    poses, placed, centres, moves, bends, all_of_it, out, found,
):  # fmt: skip
    """Each pair on each step between two samples on which it may come below ``found[0]``."""
    samples, count = moves.shape
    bodies, scratch = bodies_at(bodies), scratch_at(scratch)
    for p in range(len(pairs)):
        i, j = pairs[p, 0], pairs[p, 1]
        both = balls[i, 3] + balls[j, 3]
        bend = TURN * (bends[i] + bends[j])
        known, last = -1, 0.0
        before = -math.inf
        for k in range(2 if still[p] else samples + 1):
            a, b = k * count + i, k * count + j
            if both < math.inf:
                x = centres[a, 0] - centres[b, 0]
                y = centres[a, 1] - centres[b, 1]
                z = centres[a, 2] - centres[b, 2]
                apart = math.sqrt(x * x + y * y + z * z) - both
            else:
                apart = -math.inf
            if k > 0:
                travel = ARC * (moves[k - 1, i] + moves[k - 1, j]) + bend
                if not 0.5 * (before + apart - travel) > found[0] - found[4]:
                    if known != k - 1:
                        last = distance(
                            general, bodies, scratch,
                            i, placed, a - count, j, placed, b - count, out,
                        )  # fmt: skip
                        note(found, last, (k - 1) / samples, p)
                    value = distance(general, bodies, scratch, i, placed, a, j, placed, b, out)
                    known = k
                    note(found, value, k / samples, p)
                    if not still[p] and not 0.5 * (last + value - travel) > found[0] - found[4]:
                        refine(
                            general, reals, ints, qa, qb, q, turns, frame, local, balls,
                            p, i, j, bodies, scratch, stack,
                            poses, placed, a - count, b - count, a, b, last, value,
                            (k - 1) / samples, k / samples, bend, all_of_it, out, found,
                        )  # fmt: skip
                    if found[3] < 0.0 or (found[2] >= 0.0 and not all_of_it):
                        return
                    last = value
            before = apart


@kernel
def note(found, value, t, p):
    found[3] += 1.0
    if value <= found[0]:
        found[0], found[1], found[2] = value, t, p


@kernel
def refine(
    general, reals, ints, qa, qb, q, turns, frame, local, balls,
    p, i, j, bodies, scratch, stack,
    poses, placed, a0, b0, a1, b1, d0, d1, t0, t1, bend, all_of_it, out, found,
):  # fmt: skip
    """Halve the step from ``t0`` to ``t1`` again and again where the pair may come below.

    An entry of the stack: t0, t1, d0, d1, and where both primitives are at t0 and at t1. The two
    rows behind the last entry hold the poses at the middle."""
    whole = t1 - t0
    top = 0
    stack[0, 0], stack[0, 1], stack[0, 2], stack[0, 3] = t0, t1, d0, d1
    for c in range(12):
        stack[0, 4 + c], stack[0, 16 + c] = placed[a0, c], placed[b0, c]
        stack[0, 28 + c], stack[0, 40 + c] = placed[a1, c], placed[b1, c]
    room = stack.shape[0] - 2
    while top >= 0:
        t0, t1, d0, d1 = stack[top, 0], stack[top, 1], stack[top, 2], stack[top, 3]
        share = (t1 - t0) / whole
        travel = moved(stack, top, 4, 28, balls, i) + moved(stack, top, 16, 40, balls, j)
        travel = ARC * travel + bend * share * share
        if t1 - t0 <= FINEST or 0.5 * (d0 + d1 - travel) > found[0] - found[4]:
            top -= 1
            continue
        if found[3] > MOST:
            found[3] = -1.0
            return
        middle = 0.5 * (t0 + t1)
        put(qa, qb, middle, q)
        place_frames(reals, ints, q, q, turns, poses, poses, False)
        compose(poses, frame[i], local, i, stack, room)
        compose(poses, frame[j], local, j, stack, room + 1)
        value = distance(general, bodies, scratch, i, stack, room, j, stack, room + 1, out)
        note(found, value, middle, p)
        if found[2] >= 0.0 and not all_of_it:
            return
        # The first half goes on top of the second, which takes the place of the whole.
        stack[top + 1, 0], stack[top + 1, 1] = t0, middle
        stack[top + 1, 2], stack[top + 1, 3] = d0, value
        stack[top, 0], stack[top, 2] = middle, value
        for c in range(12):
            stack[top + 1, 4 + c], stack[top + 1, 16 + c] = stack[top, 4 + c], stack[top, 16 + c]
            stack[top + 1, 28 + c], stack[top + 1, 40 + c] = stack[room, c], stack[room + 1, c]
            stack[top, 4 + c], stack[top, 16 + c] = stack[room, c], stack[room + 1, c]
        top += 1


@kernel
def moved(stack, top, before, after, balls, i):
    """The chord of a primitive's ball, and its radius times how far its axes turned."""
    if balls[i, 3] == math.inf:
        return 0.0
    shift, turn = 0.0, 0.0
    for r in range(0, 12, 4):
        way = 0.0
        for c in range(4):
            change = stack[top, after + r + c] - stack[top, before + r + c]
            if c < 3:
                turn += change * change
                way += change * balls[i, c]
            else:
                way += change
        shift += way * way
    return math.sqrt(shift) + balls[i, 3] * math.sqrt(turn)
