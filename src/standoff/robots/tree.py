"""Robots mounted in one world, as the flat joint tree that the kernels run over."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from standoff.errors import DuplicateNameError, RobotError, UnknownNameError
from standoff.geometry.pose import Array, as_pose, inverse, rigid
from standoff.geometry.shape import IntArray
from standoff.robots.description import Joint, Robot
from standoff.robots.joint_names import Found, JointNames, Kind
from standoff.robots.joint_values import joint_rows, joint_values
from standoff.robots.kernels import kinematics

MovingKind = Literal["revolute", "continuous", "prismatic"]

#: The frame that never moves.
WORLD = 0

#: The angles of a configuration are taken in blocks of this many (see `robots.kernels.kinematics`).
_BLOCK = 8


@dataclass(frozen=True, eq=False)
class Mount:
    """A robot under a name of its own, its root link standing at ``base`` (4 x 4) in the world."""

    name: str
    robot: Robot
    base: ArrayLike | None = None


class Tree:
    """The moving joints of several robots in one world, parents before children.

    Frame 0 is the world, and every moving joint, mimic joints included, is a frame behind it; fixed
    joints are folded into constants. **A frame is turned so that its joint's axis is z**, so it is
    not the joint's frame of the URDF: ask `link` or `link_pose` for the frames that have names.

    Attributes:
        joints: names of the joints that ``q`` sets, such as ``left/joint1``, in the order of ``q``;
            mimic joints follow theirs and are not among them.
        kinds, units: of each of them; units are ``rad`` or ``m``.
        lower, upper: their limits, infinite for continuous joints, [rad] or [m].
        velocity: their speed limits, infinite where none is given, [rad/s] or [m/s].
        links: names of all links, such as ``left/link3``.
        frames: how many frames there are.
        frame_joint: the joint that moves each frame; ``world`` for the first.
        parent: the frame that each frame hangs on; the world hangs on itself.
        reals, ints: the tables of `robots.kernels.kinematics`.

    Raises:
        DuplicateNameError: two robots of one name.
        RobotError: joints that make no tree (an unknown parent or master, masters in a circle).
    """

    def __init__(self, mounts: Sequence[Mount] = ()) -> None:
        self.mounts = tuple(mounts)
        self._links: dict[str, tuple[int, Array]] = {}
        self._active: dict[str, int] = {}
        self._index_joints()
        reals, ints, names = [np.zeros(16)], [[0, kinematics.FIXED, 0, 0]], ["world"]
        for mount in self.mounts:
            base = as_pose(mount.base, f"base of robot {mount.name!r}")
            self._links[f"{mount.name}/{mount.robot.root}"] = (WORLD, base)
            for joint in mount.robot.joints.values():
                parent, before = self._parent(mount, joint)
                origin = before @ rigid(joint.origin)
                child = f"{mount.name}/{joint.child}"
                if joint.kind == "fixed":
                    self._links[child] = (parent, origin)
                    continue
                turn = turn_to_z(joint.axis, mount, joint)
                row, index = self._row(mount, joint, origin @ turn)
                self._links[child] = (len(reals), inverse(turn))
                kind = kinematics.PRISMATIC if joint.kind == "prismatic" else kinematics.REVOLUTE
                ints.append([parent, kind, index, ints[parent][kinematics.DEPTH] + 1])
                reals.append(row)
                names.append(f"{mount.name}/{joint.name}")
        self.reals: Array = np.array(reals)
        self.reals[WORLD, [0, 5, 10]] = 1.0
        self.ints: IntArray = np.array(ints, dtype=np.int64)
        self.frames = len(names)
        self.frame_joint = tuple(names)
        self.parent: IntArray = self.ints[:, kinematics.PARENT].copy()
        self.links = tuple(self._links)
        for array in (self.parent, self.lower, self.upper, self.velocity):
            array.setflags(write=False)

    def link(self, name: str) -> tuple[int, Array]:
        """The frame that a link moves with, and the link's pose (4 x 4) in that frame."""
        try:
            frame, offset = self._links[name]
        except KeyError:
            raise UnknownNameError(name, self._links, what="link") from None
        return frame, offset.copy()

    def common(self, a: int, b: int) -> int:
        """The last frame that moves both frame ``a`` and frame ``b``."""
        while a != b:
            if a > b:
                a = int(self.parent[a])
            else:
                b = int(self.parent[b])
        return a

    @cached_property
    def names(self) -> JointNames:
        """What the names of joints, groups and named states mean."""
        mimics = [
            Found(
                name, int(self.ints[f, kinematics.INDEX]),
                float(self.reals[f, kinematics.MULTIPLIER]),
                float(self.reals[f, kinematics.OFFSET]), True,
            )
            for f, name in enumerate(self.frame_joint)
            if f != WORLD and name not in self._active
        ]  # fmt: skip
        return JointNames(self.joints, mimics, {m.name: m.robot for m in self.mounts})

    def configuration(
        self, q: ArrayLike | Mapping[str, float] | str, what: str = "q", others: Any = None
    ) -> Array:
        """One number a joint, checked: an array; a mapping by name; the name of a named state.

        Args:
            others: where the joints are that a mapping or a named state leaves out; None: leaving
                one out is an error.

        Raises:
            ConfigurationError: too many or too few, a number that is not finite, a mimic joint that
                is not where its master puts it; limits are not looked at.
            UnknownNameError: no such joint, or no such state.
        """
        if isinstance(q, str):
            q = self.names.state(q, what)
        return self.values(q, what, kind="position", others=others)

    def values(
        self,
        value: ArrayLike | Mapping[str, float],
        what: str,
        *,
        kind: Kind = "other",
        others: Any = None,
        negative: bool = True,
        infinite: bool = False,
    ) -> Array:
        """One number a joint, checked; a mapping gives them by name (`JointNames.values`)."""
        if not isinstance(value, Mapping):
            return joint_values(value, self.joints, what, negative=negative, infinite=infinite)
        return self.names.values(
            value, what, kind=kind, others=others, negative=negative, infinite=infinite
        )

    def configurations(self, Q: ArrayLike, what: str = "Q") -> Array:
        """Rows of numbers (n, joints), checked as `configuration` does."""
        return joint_rows(Q, self.joints, what)

    def scratch(self) -> Array:
        """Room for the angles of one configuration, as the kernels want it."""
        return np.zeros(scratch_shape(self.frames))

    def forward(self, q: ArrayLike | Mapping[str, float]) -> Array:
        """Poses (frames, 4, 4) of all frames in the world at ``q``."""
        poses = np.empty((self.frames, 12))
        kinematics.forward(self.reals, self.ints, self.configuration(q), self.scratch(), poses)
        return matrices(poses)

    def forward_batch(self, Q: ArrayLike) -> Array:
        """`forward` for each row of ``Q`` (n, joints), in one compiled call: (n, frames, 4, 4)."""
        Q = self.configurations(Q)
        poses = np.empty((len(Q), self.frames, 12))
        kinematics.forward_batch(self.reals, self.ints, Q, self.scratch(), poses)
        return matrices(poses)

    def velocities(
        self, q: ArrayLike | Mapping[str, float], dq: ArrayLike | Mapping[str, float]
    ) -> tuple[Array, Array]:
        """Poses (frames, 4, 4) at ``q``, and (frames, 6): the angular velocity [rad/s] of each
        frame and the velocity [m/s] of its origin, both in world coordinates, while the joints
        move at ``dq`` [rad/s or m/s]."""
        q, dq = self.configuration(q), self.values(dq, "dq", kind="velocity")
        poses, twists = np.empty((self.frames, 12)), np.empty((self.frames, 6))
        kinematics.forward_velocity(self.reals, self.ints, q, dq, self.scratch(), poses, twists)
        return matrices(poses), twists

    def link_pose(self, q: ArrayLike | Mapping[str, float], name: str) -> Array:
        """Pose (4 x 4) of a link in the world at ``q``."""
        frame, offset = self.link(name)
        pose: Array = self.forward(q)[frame] @ offset
        return pose

    def _index_joints(self) -> None:
        """Give each joint that is not a mimic its place in ``q``."""
        names = [mount.name for mount in self.mounts]
        for k, name in enumerate(names):
            if name in names[:k]:
                raise DuplicateNameError("two robots of one name", value=name)
        moving: dict[str, Joint] = {
            f"{mount.name}/{joint.name}": joint
            for mount in self.mounts
            for joint in mount.robot.joints.values()
            if joint.kind != "fixed" and joint.mimic is None
        }
        self._active.update((name, k) for k, name in enumerate(moving))
        self.joints = tuple(moving)
        given = moving.values()
        self.kinds: tuple[MovingKind, ...] = tuple(j.kind for j in given if j.kind != "fixed")
        self.units = tuple("m" if kind == "prismatic" else "rad" for kind in self.kinds)
        free = np.array(self.kinds) == "continuous"
        self.lower: Array = np.where(free, -math.inf, np.array([j.lower for j in given], float))
        self.upper: Array = np.where(free, math.inf, np.array([j.upper for j in given], float))
        self.velocity: Array = np.array([j.velocity for j in given], dtype=float)

    def _parent(self, mount: Mount, joint: Joint) -> tuple[int, Array]:
        try:
            return self._links[f"{mount.name}/{joint.parent}"]
        except KeyError:
            raise RobotError(
                "its parent link does not stand before it",
                file=mount.robot.file or None,
                element=f"joint {joint.name!r}",
                value=joint.parent,
                allowed="a tree of links, every parent before its children",
            ) from None

    def _row(self, mount: Mount, joint: Joint, origin: Array) -> tuple[Array, int]:
        """The row of `reals` for a joint, and the index of the number in ``q`` that sets it."""
        master, multiplier, offset = _master(mount, joint)
        index = self._active[f"{mount.name}/{master.name}"]
        # The travel that the reach counts on. Any range would be sound, since what a motion travels
        # beyond it is added then; this one is chosen so that little has to be.
        ends = np.array([joint.lower, joint.upper], dtype=float)
        if joint.mimic is not None and multiplier != 0.0:
            follows = multiplier * np.array([master.lower, master.upper], dtype=float) + offset
            ends = follows if np.isfinite(follows).all() else ends
        # A multiplier of 0 holds the joint at its offset, wherever an endless master may be.
        if joint.kind == "continuous" or multiplier == 0.0 or not np.isfinite(ends).all():
            ends = np.array([offset, offset])
        row = np.zeros(16)
        row[:12] = origin[:3].ravel()
        row[kinematics.MULTIPLIER] = multiplier
        row[kinematics.OFFSET] = offset
        row[kinematics.LOWEST] = ends.min()
        row[kinematics.HIGHEST] = ends.max()
        return row, index


def scratch_shape(frames: int) -> tuple[int, int]:
    """Of `Tree.scratch`, for as many frames."""
    return 3, -(-frames // _BLOCK) * _BLOCK


def matrices(poses: Array) -> Array:
    """Poses of twelve numbers as 4 x 4 matrices, any number of them."""
    result = np.zeros((*poses.shape[:-1], 4, 4))
    result[..., :3, :] = poses.reshape(*poses.shape[:-1], 3, 4)
    result[..., 3, 3] = 1.0
    return result


def turn_to_z(axis: Array, mount: Mount, joint: Joint) -> Array:
    """The shortest turn (4 x 4) that carries z to ``axis``; exact for the axes of coordinates."""
    length = float(np.linalg.norm(axis))
    if not (length > 0.0 and math.isfinite(length)):
        raise RobotError(
            "an axis without direction",
            file=mount.robot.file or None,
            element=f"joint {joint.name!r}",
            value=np.asarray(axis).tolist(),
            allowed="a vector that is not zero",
        )
    x, y, z = np.asarray(axis, dtype=float) / length
    result = np.eye(4)
    if z < 0.0:  # turn z to the opposite of the axis, and then over
        x, y, z = -x, -y, -z
        flip = np.array([1.0, -1.0, -1.0])
    else:
        flip = np.ones(3)
    result[:3, :3] = (
        np.array(
            [
                [1.0 - x * x / (1.0 + z), -x * y / (1.0 + z), x],
                [-x * y / (1.0 + z), 1.0 - y * y / (1.0 + z), y],
                [-x, -y, z],
            ]
        )
        * flip
    )
    return result


def _master(mount: Mount, joint: Joint) -> tuple[Joint, float, float]:
    """The joint that sets this one at the end of its chain of mimics, and how."""
    multiplier, offset, first, seen = 1.0, 0.0, joint, {joint.name}
    while joint.mimic is not None:
        offset += multiplier * joint.mimic.offset
        multiplier *= joint.mimic.multiplier
        master = mount.robot.joints.get(joint.mimic.joint)
        if master is None or master.kind == "fixed" or master.name in seen:
            raise RobotError(
                "mimics a joint that cannot lead it",
                file=mount.robot.file or None,
                element=f"joint {first.name!r}",
                value=joint.mimic.joint,
                allowed="a moving joint of the same robot that does not follow this one",
            )
        seen.add(master.name)
        joint = master
    return joint, multiplier, offset
