"""A robot cell as a predictor sees it: spheres with bounds on their speeds and accelerations.

The bounds follow from those of the joints. With ``R_j`` the farthest that a sphere's centre gets
from the axis of joint ``j`` (1 for a prismatic one), over the joints that carry it,

    speed         <=  Σ_j R_j s_j
    acceleration  <=  Σ_j R_j a_j + Σ_j R_j s_j (o_j s_j + 2 Σ_{k<j, k revolute} s_k)

where ``s_j`` and ``a_j`` bound the joint's speed and acceleration and ``o_j`` is 1 for a revolute
joint: the motion bound of `kernels.motion`, whose second sum is the centripetal and Coriolis part.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from standoff.cell import Cell
from standoff.cell.moving import moving_poses
from standoff.cell.world import World
from standoff.constants import (
    MOST_SPHERES,
    PATH_ROUNDING,
    SPEED_ROUNDING,
    SPHERE_RADIUS,
    STATIC_SPHERE_RADIUS,
)
from standoff.errors import PredictError, UnknownNameError
from standoff.kernels import kinematics
from standoff.kernels.predict.spheres import place_spheres
from standoff.predict.amounts import numbers, one
from standoff.predict.sphere_cover import drawn_in, spheres_of
from standoff.robots.joint_values import joint_values
from standoff.robots.motion import MotionBound
from standoff.robots.moving_body import MovingBody
from standoff.robots.tree import Tree
from standoff.shapes.pose import Array
from standoff.shapes.shape import IntArray

#: One number for all joints, one for each in the order of ``cell.joints``, or a dict by name.
PerJoint = ArrayLike | Mapping[str, float]


@dataclass(frozen=True, eq=False)
class CellSpheres:
    """Spheres that hold the links and bodies of a cell; made by `cell_spheres`.

    Attributes:
        names: link or body that each sphere belongs to.
        radii: [m].
        max_acceleration, max_speed: bounds on the motion of each centre, [m/s²] and [m/s]; 0 for
            what stands still.
        off: (k, 2) pairs of spheres that need no watching: those on one rigid body, those that both
            stand still, and those of pairs that the cell allows to touch.
        left_out: bodies that are not covered, as asked for.
        joint_speed: the speeds that the bounds count on, in the order of ``cell.joints``.
        cell: what they were made of, and ``revision``: when; see `changed`.
    """

    names: tuple[str, ...]
    radii: Array
    max_acceleration: Array
    max_speed: Array
    off: IntArray
    left_out: tuple[str, ...]
    joint_speed: Array
    cell: Cell = field(repr=False)
    revision: int
    _tree: Tree = field(repr=False)
    _moving: tuple[str, ...] = field(repr=False)
    _frame: IntArray = field(repr=False)
    _centre: Array = field(repr=False)
    _resting: Array = field(repr=False)

    def place(
        self, q: Any, dq: Any, poses: Any = None, twists: ArrayLike | None = None
    ) -> tuple[Array, Array]:
        """Centres and velocities of all spheres in the world, (n, 3) each, [m] and [m/s].

        Args:
            q, dq: joint values and speeds, arrays or dicts by joint.
            poses: of the cell's moving bodies, as for a monitor; None: as they were at the start.
            twists: their angular velocities and the velocities of their origins, (m, 6), world
                frame; None: they rest.
        """
        tree = self._tree
        joints, speeds = tree.configuration(q), tree.configuration(dq, "dq")
        count = len(self._moving)
        frames, moves = np.zeros((tree.frames + count, 12)), np.zeros((tree.frames + count, 6))
        if count:
            at = moving_poses(self._moving, list(self._resting), poses)
            frames[tree.frames :] = np.asarray(at)[:, :3].reshape(-1, 12)
            moves[tree.frames :] = _twists(twists, count)
        x, v = np.empty((len(self.radii), 3)), np.empty((len(self.radii), 3))
        place_spheres(
            tree.reals, tree.ints, joints, speeds, tree.scratch(), frames, moves,
            self._frame, self._centre, x, v,
        )  # fmt: skip
        return x, v

    @property
    def changed(self) -> bool:
        """Whether the cell is no longer what the spheres hold: a body was added, moved, attached,
        a pair allowed. They have to be made anew then."""
        return self.cell.revision != self.revision

    def broken(self, q: Any, dq: Any) -> tuple[str, ...]:
        """Joints that are beyond what the bounds count on: faster than `joint_speed`, or beyond the
        limits where they slide something along. (Reaches hold for any angle.)"""
        tree = self._tree
        joints, speeds = tree.configuration(q), tree.configuration(dq, "dq")
        sliding = tree.ints[:, kinematics.JOINT_KIND] == kinematics.PRISMATIC
        slides = np.zeros(len(tree.joints), dtype=bool)
        slides[tree.ints[sliding, kinematics.INDEX]] = True
        beyond = slides & ((joints < tree.lower) | (joints > tree.upper))
        beyond |= np.abs(speeds) > (1.0 + SPEED_ROUNDING) * self.joint_speed
        return tuple(name for name, bad in zip(tree.joints, beyond, strict=True) if bad)


def cell_spheres(
    cell: Cell,
    max_joint_acceleration: PerJoint,
    *,
    max_joint_speed: PerJoint | None = None,
    moving: Mapping[str, tuple[float, float]] | None = None,
    radius: float = SPHERE_RADIUS,
    static_radius: float = STATIC_SPHERE_RADIUS,
    leave_out: Iterable[str] = (),
) -> CellSpheres:
    """Cover the links and bodies of a cell by spheres, and bound how they move.

    Args:
        max_joint_acceleration: largest of each joint, [rad/s²] or [m/s²]. A URDF has none.
        max_joint_speed: largest of each joint, [rad/s] or [m/s]; by default that of the URDF.
        moving: for each moving body the largest speed, [m/s], and acceleration, [m/s²], of any of
            its points.
        radius: of the spheres on what moves, at most, where the shapes are thin enough, [m].
        static_radius: of those on what stands still, [m].
        leave_out: bodies that are not to be watched. A half space has no spheres and must be among
            them.

    Raises:
        PredictError: a joint without a speed, a moving body without bounds, a half space that is
            not left out, a number that makes no sense.
        UnknownNameError: a body that is not there.
    """
    cell.check_watched()
    tree, world = cell.tree, cell.world
    acceleration = _per_joint(max_joint_acceleration, tree, "max_joint_acceleration")
    speed = _joint_speed(max_joint_speed, tree)
    sizes = {
        True: one("static_radius", static_radius, "m", zero=False),
        False: one("radius", radius, "m", zero=False),
    }
    if isinstance(leave_out, str) or not isinstance(leave_out, Iterable):
        raise PredictError(
            "not names", element="leave_out", value=leave_out, allowed="a list of links or bodies"
        )
    if moving is not None and not isinstance(moving, Mapping):
        raise PredictError(
            "not by name", element="moving", value=moving,
            allowed="{body: (speed [m/s], acceleration [m/s²])}",
        )  # fmt: skip
    out = tuple(leave_out)
    for name in out:
        if name not in world.index:
            raise UnknownNameError(str(name), world.index, what="link or body")
    owner, frame, centre, radii = _covered(world, out, sizes, tree.frames)
    if len(owner) > MOST_SPHERES:
        named, counts = np.unique(owner, return_counts=True)
        most = int(counts.argmax())
        raise PredictError(
            "too many spheres", element=world.names[named[most]],
            value=f"{len(owner)}, {counts[most]} of them here",
            allowed=f"{MOST_SPHERES}: larger ones (static_radius, radius), or leave_out",
        )  # fmt: skip
    fastest, sharpest, blur = _bounds(tree, frame, centre, speed, acceleration)
    given = dict(moving or {})
    for name in given:
        if name not in cell.moving:
            raise UnknownNameError(str(name), cell.moving, what="moving body")
    for i, body in enumerate(owner):
        if frame[i] >= tree.frames:
            fastest[i], sharpest[i] = _of_mover(world.names[body], given)
    resting = np.array([cell.bodies[name].pose for name in cell.moving]).reshape(-1, 4, 4)
    arrays = radii + blur, sharpest, fastest, _off(world, cell.pairs.reasons, owner, frame)
    for array in (*arrays, speed, resting):  # not what the kernel takes: it would compile anew
        array.setflags(write=False)
    return CellSpheres(
        tuple(world.names[i] for i in owner), *arrays, out, speed, cell, cell.revision,
        tree, cell.moving, frame, centre, resting,
    )  # fmt: skip


def _per_joint(value: PerJoint, tree: Tree, what: str) -> Array:
    if not isinstance(value, Mapping) and np.ndim(value) == 0:
        value = np.full(len(tree.joints), one(what, value, "rad/s or m/s, squared for the latter"))
    return joint_values(value, tree.joints, what, negative=False)


def _joint_speed(value: PerJoint | None, tree: Tree) -> Array:
    if value is not None:
        return _per_joint(value, tree, "max_joint_speed")
    without = [n for n, v in zip(tree.joints, tree.velocity, strict=True) if not np.isfinite(v)]
    if without:
        raise PredictError(
            "joints without a speed limit in their file",
            element="max_joint_speed",
            value=without,
            allowed="one for each joint, [rad/s] or [m/s]",
        )
    return tree.velocity.copy()


def _covered(
    world: World, out: tuple[str, ...], sizes: Mapping[bool, float], jointed: int
) -> tuple[IntArray, IntArray, Array, Array]:
    """Body and frame of each sphere, its centre in that frame, its radius. Frames below
    ``jointed`` are those of links."""
    owner: list[int] = []
    centres, radii = [np.zeros((0, 3))], [np.zeros(0)]
    for i, (name, parts) in enumerate(zip(world.names, world.parts, strict=True)):
        for shape, pose in parts if name not in out else ():
            if not shape.bounded:
                raise PredictError(
                    "no spheres hold a body without bounds",
                    element=name,
                    value=shape,
                    allowed=f"leave_out=({name!r},), or a box in its place",
                )
            centre, radius = spheres_of(shape, pose, sizes[world.frame[i] == 0])
            if world.frame[i] >= jointed:
                # The bounds of a moving body are for its own points, and so for their hull.
                centre, radius = drawn_in(shape, pose, centre, radius)
            owner += [i] * len(radius)
            centres.append(centre)
            radii.append(radius)
    bodies = np.array(owner, dtype=np.int64)
    frames = np.array(world.frame, dtype=np.int64)[bodies]
    return bodies, frames, np.ascontiguousarray(np.concatenate(centres)), np.concatenate(radii)


def _bounds(
    tree: Tree, frame: IntArray, centre: Array, speed: Array, acceleration: Array
) -> tuple[Array, Array, Array]:
    """Largest speed and acceleration of each centre that joints move, 0 for the others; and what
    rounding can hide of where it is."""
    jointed = np.flatnonzero((frame > 0) & (frame < tree.frames))
    bodies = [MovingBody(str(i), int(frame[i]), centre[i : i + 1]) for i in jointed]
    bound = MotionBound(tree, bodies)
    motion = bound.curve(tree.lower, tree.upper, speed, acceleration)
    fastest, sharpest = np.zeros(len(frame)), np.zeros(len(frame))
    blur = PATH_ROUNDING * np.abs(centre).sum(axis=1)
    for i, body in zip(jointed, bodies, strict=True):
        pair = bound.pair(body.name)
        fastest[i], sharpest[i] = motion.length(pair), motion.curvature(pair)
        blur[i] += PATH_ROUNDING * bound.extent[frame[i]]
        if not np.isfinite([fastest[i], sharpest[i], blur[i]]).all():
            raise PredictError(
                "a link that can get endlessly far or fast",
                element=tree.frame_joint[frame[i]],
                value=(float(fastest[i]), float(sharpest[i])),
                allowed="joints with limits, finite speeds and accelerations",
            )
    return fastest, sharpest, blur


def _of_mover(name: str, given: Mapping[str, tuple[float, float]]) -> tuple[float, float]:
    if name not in given:
        raise PredictError(
            "a moving body without bounds",
            element=f"moving[{name!r}]",
            allowed="its largest speed [m/s] and acceleration [m/s²]",
        )
    try:
        speed, acceleration = given[name]
    except (TypeError, ValueError) as error:
        raise PredictError(
            "not two numbers",
            element=f"moving[{name!r}]",
            value=given[name],
            allowed="speed [m/s], acceleration [m/s²]",
        ) from error
    return (
        one(f"speed of moving[{name!r}]", speed, "m/s"),
        one(f"acceleration of moving[{name!r}]", acceleration, "m/s²"),
    )


def _off(
    world: World, reasons: Mapping[tuple[str, str], str], owner: IntArray, frame: IntArray
) -> IntArray:
    """Pairs of spheres on one frame, or of bodies that may touch."""
    spheres = [np.flatnonzero(owner == i) for i in range(len(world.names))]
    found = [np.zeros((0, 2), dtype=np.int64)]
    for one_frame in np.unique(frame):
        same = np.flatnonzero(frame == one_frame)
        first, second = np.triu_indices(len(same), 1)
        found.append(np.stack([same[first], same[second]], axis=1))
    for a, b in reasons:
        i, j = world.index[a], world.index[b]
        if world.frame[i] != world.frame[j]:
            both = np.meshgrid(spheres[i], spheres[j], indexing="ij")
            pairs = np.stack([side.ravel() for side in both], axis=1)
            found.append(np.sort(pairs, axis=1))
    return np.concatenate(found)


def _twists(twists: ArrayLike | None, count: int) -> Array:
    if twists is None:
        return np.zeros((count, 6))
    allowed = f"({count}, 6) finite numbers: angular, then linear velocity of each moving body"
    given = numbers("twists", twists, allowed)
    if given.shape != (count, 6) or not np.isfinite(given).all():
        raise PredictError("wrong shape", element="twists", value=given.shape, allowed=allowed)
    return given
