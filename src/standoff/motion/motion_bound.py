"""The motion bound of bodies that the joints of a tree carry. For all who need it.

`MotionBound` holds, for each body of a `Tree`, its reach about every joint that carries it: the
tables of `motion.kernels.bound`, which path checks and monitors read. `MotionBound.curve` gives a
`Motion`, the bound over one stretch of time; a `Pair` picks the joints that move two bodies against
each other. How far does one get in the frame the other one shares with it is `Motion.length`, the
bound of paper 001; how far can it get from where its velocity takes it is `Motion.curvature`:

    |p(t) - p(tc) - (t - tc) v|  <=  (t - tc)² M / 2

The proofs stand in `motion.kernels.bound` and `motion.kernels.reach`, and the inequalities that
turn a bound and a distance into "free" in `motion.kernels.certify`. What they need from elsewhere:

- A separating direction exists between convex bodies only. Who computes the distance knows whether
  the bodies are convex; where one is not, `motion.kernels.closing.nearing_speed` takes the place of
  `closing_speeds` (or the bodies are split into convex parts, each a body of its own).
- A closed mesh is a solid: its surface may keep its distance while a body is inside. One test of
  containment a pair and segment belongs to the proof, and to whoever computes the distance.
- A continuous joint moves by the difference of its two values as given; angles that were wrapped
  are unwrapped before they get here.

A body as the motion bound sees it (`MovingBody`): a few points that move with a frame.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import ArrayLike

from standoff.errors import (
    CellError,
    ConfigurationError,
    DuplicateNameError,
    PoseError,
    ShapeError,
    UnknownNameError,
)
from standoff.geometry.pose import Array, as_pose, numbers
from standoff.geometry.shape import IntArray, Shape
from standoff.motion.kernels import bound as motion
from standoff.motion.kernels import reach as reach_kernel
from standoff.robots.kernels import kinematics
from standoff.robots.tree import WORLD, Tree
from standoff.scalars import whole
from standoff.tolerances import COORDINATE_LIMIT

Values = ArrayLike | Mapping[str, float]


@dataclass(frozen=True)
class Pair:
    """Two bodies, and the joints that move them against each other.

    Attributes:
        a, b: rows of the bodies in `MotionBound.bodies`.
        common: the last frame that carries both; motions are seen from it.
        chain_a, chain_b: the joints from there to each body, as (start, stop) in
            `MotionBound.chain`.
    """

    a: int
    b: int
    common: int
    chain_a: tuple[int, int]
    chain_b: tuple[int, int]


class MotionBound:
    """Reaches of all bodies, and bounds on their motion.

    Attributes:
        names: of the bodies; the first is ``world``, which never moves and stands for whatever is
            static.
        bodies, chain, reach, points: the tables of `motion.kernels.bound`.
        extent: (frames,) how far from the world's origin each frame can get within limits, [m].
        size: (bodies,) how far each body's points are from the origin of its frame, [m].
    """

    def __init__(self, tree: Tree, bodies: Sequence[MovingBody]) -> None:
        self.tree = tree
        self.names = ("world", *(body.name for body in bodies))
        self._rows = {name: row for row, name in enumerate(self.names)}
        if len(self._rows) != len(self.names):
            twice = next(n for n in self.names if self.names.count(n) > 1)
            raise DuplicateNameError("two bodies of one name", value=twice)
        rows = [[WORLD, 0, 0, 0]]
        found = [carried(tree, body) for body in bodies]
        links = first = 0
        for body, x in zip(bodies, found):
            rows.append([body.frame, links, first, len(x.points)])
            links, first = links + len(x.chain), first + len(x.points)
        self.bodies: IntArray = np.array(rows, dtype=np.int64)
        none = np.zeros((0, 2), dtype=np.int64)
        self.chain: IntArray = np.concatenate([none, *(x.chain for x in found)])
        self.reach: Array = np.concatenate([np.zeros(0), *(x.reach for x in found)])
        self.points: Array = np.concatenate([np.zeros((0, 3)), *(x.points for x in found)])
        self.extent: Array = extents(tree)
        self.size: Array = np.array([0.0, *(x.size for x in found)])

    def pair(self, a: str, b: str = "world") -> Pair:
        """The joints that count between two bodies."""
        row_a, row_b = self._row(a), self._row(b)
        common = self.tree.common(self._frame(row_a), self._frame(row_b))
        return Pair(row_a, row_b, common, self._tail(row_a, common), self._tail(row_b, common))

    def segment(self, qa: Values, qb: Values) -> Motion:
        """The bound over ``q(t) = qa + t (qb - qa)``, t from 0 to 1."""
        joints = self.tree.joints
        a, b = self.tree.configuration(qa, "qa"), self.tree.configuration(qb, "qb")
        with np.errstate(over="ignore"):
            way = np.abs(b - a)
        return self.curve(np.minimum(a, b), np.maximum(a, b), way, np.zeros(len(joints)))

    def curve(
        self,
        low: Values, high: Values, speed: Values, acceleration: Values,
    ) -> Motion:  # fmt: skip
        """The bound over any motion on which each joint stays from ``low`` to ``high`` and within
        ``speed`` and ``acceleration`` (>= 0), per unit of the motion's own time. ``low`` and
        ``high`` may be infinite; they matter where prismatic joints are."""
        joints = self.tree.joints
        low = self.tree.values(low, "low", infinite=True)
        high = self.tree.values(high, "high", infinite=True)
        if (low > high).any():
            at = int(np.argmax(low > high))
            raise ConfigurationError(
                "low is above high", element=joints[at], value=(float(low[at]), float(high[at]))
            )
        reach = np.empty(len(self.reach))
        tree = self.tree
        motion.widen_reach(
            tree.reals, tree.ints, self.bodies, self.chain, self.reach, low, high, reach
        )
        speed = tree.values(speed, "speed", negative=False)
        acceleration = tree.values(acceleration, "acceleration", negative=False)
        return Motion(self, reach, self._frames(speed), self._frames(acceleration))

    def _frames(self, values: Array) -> Array:
        result = np.empty(self.tree.frames)
        motion.joint_magnitudes(self.tree.reals, self.tree.ints, values, result)
        return result

    def _row(self, name: str) -> int:
        if name not in self._rows:
            raise UnknownNameError(name, self.names, what="body")
        return self._rows[name]

    def _frame(self, row: int) -> int:
        return int(self.bodies[row, motion.BODY_FRAME])

    def _tail(self, row: int, common: int) -> tuple[int, int]:
        first = int(self.bodies[row, motion.CHAIN0])
        depth = self.tree.ints[:, kinematics.DEPTH]
        return first + int(depth[common]), first + int(depth[self._frame(row)])


@dataclass(frozen=True, eq=False)
class Motion:
    """The bound over one stretch of motion. Times are those of the motion: for a segment from 0 to
    1, so that lengths are of the whole of it and speeds are [m] a segment.

    Attributes:
        reach: as `MotionBound.reach`, widened by what prismatic joints travel past their limits.
        speed, acceleration: (frames,) the largest of each frame's joint.
    """

    bound: MotionBound
    reach: Array
    speed: Array
    acceleration: Array

    def curvature(self, pair: Pair) -> float:
        """``M`` of both bodies together: what velocities foretell is right within h² M / 2."""
        chain = self.bound.chain
        total = self._length(pair, self.acceleration)
        for span in (pair.chain_a, pair.chain_b):
            total += motion.curvature(chain, self.reach, *span, self.speed)
        return total

    def length(self, pair: Pair) -> float:
        """Paper 001's bound ``λ_a + λ_b``: what both move together in unit time, seen from their
        common frame. Also the highest speed at which they can near each other, ever."""
        return self._length(pair, self.speed)

    def _length(self, pair: Pair, amounts: Array) -> float:
        chain = self.bound.chain
        total = 0.0
        for span in (pair.chain_a, pair.chain_b):
            total += motion.path_length(chain, self.reach, *span, amounts)
        return total


def _farthest(points: Array) -> float:
    return float(np.linalg.norm(points, axis=1).max(initial=0.0))


@dataclass(frozen=True, eq=False)
class Carried:
    """What the bound knows of one body: the joints that carry it (frame, kind), outwards; its reach
    about each; its few points, and how far the farthest is from the origin of its frame."""

    chain: IntArray
    reach: Array
    points: Array
    size: float


#: What is known of bodies of each tree, by frame and points: a cell that changes has most of its
#: bodies again, and several engines have the same ones.
_KNOWN: WeakKeyDictionary[Tree, dict[tuple[int, bytes], Carried]] = WeakKeyDictionary()

#: Bodies remembered for a tree.
_REMEMBERED = 100_000


def carried(tree: Tree, body: MovingBody) -> Carried:
    """What the bound knows of one body, worked out once for each tree."""
    if body.frame >= tree.frames:
        known = map(str, range(tree.frames))
        raise UnknownNameError(str(body.frame), known, what="frame", element=f"body {body.name!r}")
    memory = _KNOWN.setdefault(tree, {})
    key = body.frame, body.points.tobytes()
    found = memory.get(key)
    if found is None:
        frames, frame = [], body.frame
        while frame != WORLD:
            frames.append(frame)
            frame = int(tree.parent[frame])
        chain = np.zeros((len(frames), 2), dtype=np.int64)
        chain[:, motion.CHAIN_FRAME] = frames[::-1]
        chain[:, motion.CHAIN_KIND] = tree.ints[frames[::-1], kinematics.JOINT_KIND]
        reach = np.empty(len(chain))
        points = body.points.copy()  # writable: a read-only array would compile the kernel anew
        reach_kernel.reach(tree.reals, tree.ints, body.frame, points, reach)
        few = few_points(body.points)
        if len(memory) >= _REMEMBERED:
            memory.clear()
        found = memory[key] = Carried(chain, reach, few, _farthest(few))
    return found


def extents(tree: Tree) -> Array:
    """(frames,) how far from the world's origin each frame can get within limits, [m]."""
    result = np.zeros(tree.frames)
    for f in range(1, tree.frames):
        row = tree.reals[f]
        travel = 0.0
        if tree.ints[f, kinematics.JOINT_KIND] == kinematics.PRISMATIC:
            travel = float(np.abs(row[[kinematics.LOWEST, kinematics.HIGHEST]]).max())
        result[f] = result[tree.parent[f]] + float(np.linalg.norm(row[[3, 7, 11]])) + travel
    return result


#: Sides of the polytope around a curved shape; it is 1 / cos(pi / 8) = 8 % wider.
_SIDES = 8

#: A body with more points than this is moved by the eight corners of its box instead.
_MOST_POINTS = 64


@dataclass(frozen=True, eq=False)
class MovingBody:
    """A body as the bound sees it: points fixed in a frame of the tree.

    The body must lie in the hull of ``points`` grown by a ball, **and be that grown hull exactly**
    where the ball's radius is not 0: a sphere, a capsule. (A cylinder is not the capsule around it:
    it turns inside it, and its rim moves where the capsule stands still.) Then the radius does not
    enter the motion. `of_shape` takes care of this.

    Attributes:
        frame: the frame of the `Tree` it moves with.
        points: (n, 3) in that frame, [m]; none for a body without bounds, which must not move.

    Raises:
        ShapeError: points of another shape, that are not finite, or farther than COORDINATE_LIMIT;
            no points for a body that moves.
        CellError: a frame that is not a whole number >= 0.
    """

    name: str
    frame: int
    points: Array

    def __post_init__(self) -> None:
        frame = whole(f"frame of body {self.name!r}", self.frame, CellError)
        object.__setattr__(self, "frame", frame)
        object.__setattr__(self, "points", _checked(self.points, self.name))
        if self.frame != WORLD and len(self.points) == 0:
            raise ShapeError(
                "a body without points cannot move", element=str(self.name), allowed="the world"
            )

    @classmethod
    def of_shape(cls, name: str, frame: int, shape: Shape, local: ArrayLike) -> MovingBody:
        """The body of a shape at ``local`` (4 x 4) in its frame."""
        local = as_pose(local, f"pose of body {name!r}")
        points = shape.outline(_SIDES)
        if frame != WORLD and len(points) == 0:
            raise ShapeError(
                "a body without bounds cannot move", element=name, value=shape, allowed="the world"
            )
        return cls(name, frame, points @ local[:3, :3].T + local[:3, 3])


def _checked(points: ArrayLike, name: str) -> Array:
    """A copy of the points, (n, 3)."""
    element = f"points of body {name!r}"
    try:
        result = np.ascontiguousarray(numbers(points, element))
    except PoseError as error:
        raise ShapeError("not numbers", element=element, value=points) from error
    if result.ndim != 2 or result.shape[1] != 3:
        raise ShapeError("wrong shape", element=element, value=result.shape, allowed="(n, 3)")
    if not np.isfinite(result).all():
        raise ShapeError("a moving body needs finite points", element=element)
    farthest = float(np.abs(result).max(initial=0.0))
    if farthest > COORDINATE_LIMIT:
        raise ShapeError(
            "too far away", element=element, value=farthest, allowed=f"<= {COORDINATE_LIMIT:g} m"
        )
    result.setflags(write=False)
    return result


def few_points(points: Array) -> Array:
    """The points, or the corners of their box where they are many: the hull only grows."""
    if len(points) <= _MOST_POINTS:
        return points
    ends = np.stack([points.min(axis=0), points.max(axis=0)])
    return np.array([[x, y, z] for x in ends[:, 0] for y in ends[:, 1] for z in ends[:, 2]])
