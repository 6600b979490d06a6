"""A cell as plain arrays: frames from the robots' own descriptions, and parts.

The frames are those of the cell (`standoff.cell.model`), since a certificate speaks of them, but
where they stand is worked out from each robot's joints anew: origins, axes and mimics.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from standoff.cell.cell import Cell
from standoff.geometry.pose import Array
from standoff.geometry.shape import Shape
from standoff.paths.verify.support import core_points, core_support
from standoff.robots.description import Joint, Robot
from standoff.tolerances import ROTATION_EXACT

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

#: Columns of ``tree.reals``: the range of positions that the checker's reaches count on.
_LOWEST, _HIGHEST = 14, 15


class NotProvedError(Exception):
    """A certificate does not prove what it says; the message is the reason in words."""


@dataclass(frozen=True, eq=False)
class Part:
    """A shape at ``local`` (4 x 4) in a frame.

    Attributes:
        body: its name; number: the part's within the body.
    """

    body: str
    number: int
    frame: int
    shape: Shape
    local: Array

    @cached_property
    def core(self) -> Array:
        """(n, 3) in the frame: points whose hull, grown by the shape's radius, holds the part; it
        is the part but for cylinders, which get a prism of many sides."""
        points: Array = core_points(self.shape) @ self.local[:3, :3].T + self.local[:3, 3]
        return points

    @cached_property
    def corners(self) -> Array:
        """(8, 3) in the frame: of a box around the core, the lowest first and the highest last."""
        low, high = self.core.min(axis=0), self.core.max(axis=0)
        ends = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)])
        return np.asarray(np.where(ends == 0, low, high))

    def support(self, d: Array) -> Array:
        """How far the core reaches in directions ``d`` (k, 3), in the frame; see `core_support`."""
        turn, place = self.local[:3, :3], self.local[:3, 3]
        return np.asarray(core_support(self.shape, d @ turn) + d @ place)

    def __str__(self) -> str:
        return f"{self.body} (part {self.number})" if self.number else self.body


@dataclass(frozen=True, eq=False)
class Model:
    """The frames of a cell, parents before children: 0 the world, then ``joints`` moving joints,
    then the moving bodies.

    Attributes:
        parent, slides, index: of each frame up to the moving bodies: the frame it hangs on, whether
            its joint is prismatic, and the place in ``q`` that sets it.
        multiplier, offset: its position is ``multiplier q + offset``, along or about its own z.
        origin: (frames, 4, 4) the frame in its parent at position 0.
        range: (frames, 2) the positions that reaches count on.
        carried: (all frames, frames) whether joint j carries frame f.
        names: joints in the order of ``q``; moving: the moving bodies.
        parts: all of them, by body and number.
    """

    parent: Ints
    slides: Bools
    index: Ints
    multiplier: Array
    offset: Array
    origin: Array
    range: Array
    carried: Bools
    names: tuple[str, ...]
    moving: tuple[str, ...]
    parts: tuple[Part, ...]

    @property
    def frames(self) -> int:
        """How many frames the joint tree has, the world included."""
        return len(self.parent)

    @cached_property
    def locals(self) -> Array:
        """(parts, 4, 4): where each part is in its frame."""
        return np.array([part.local for part in self.parts]).reshape(-1, 4, 4)


def read_model(cell: Cell) -> Model:
    """What the cell holds now."""
    tree = cell.tree
    count = tree.frames
    number = {name: f for f, name in enumerate(tree.frame_joint)}
    place = {name: k for k, name in enumerate(tree.joints)}
    parent, index = np.zeros(count, np.int64), np.zeros(count, np.int64)
    slides = np.zeros(count, bool)
    multiplier, offset = np.zeros(count), np.zeros(count)
    origin = np.broadcast_to(np.eye(4), (count, 4, 4)).copy()
    for name, mounted in cell.robots.items():
        robot = mounted.robot
        links: dict[str, tuple[int, Array]] = {robot.root: (0, mounted.base)}
        for joint in robot.joints.values():
            above, to_link = links[joint.parent]
            start = to_link @ joint.origin
            if joint.kind == "fixed":
                links[joint.child] = (above, start)
                continue
            f = number[f"{name}/{joint.name}"]
            own, in_frame = tree.link(f"{name}/{joint.child}")
            turn = _turn(joint, in_frame, own == f)
            links[joint.child] = (f, in_frame)
            parent[f], slides[f] = above, joint.kind == "prismatic"
            master, multiplier[f], offset[f] = _leader(robot, joint)
            index[f] = place[f"{name}/{master}"]
            origin[f] = start @ turn
    if not (parent[1:] < np.arange(1, count)).all():
        raise NotProvedError("the cell's joints do not stand parents before children")
    return Model(
        parent=parent,
        slides=slides,
        index=index,
        multiplier=multiplier,
        offset=offset,
        origin=origin,
        range=np.array(tree.reals[:, [_LOWEST, _HIGHEST]]),
        carried=_carried(parent, cell.model.frames),
        names=tuple(tree.joints),
        moving=tuple(cell.moving),
        parts=_parts(cell),
    )


def _turn(joint: Joint, in_frame: Array, own: bool) -> Array:
    """The frame of a joint in the frame that its file gives: turned so that the axis is z."""
    turn = np.eye(4)
    turn[:3, :3] = in_frame[:3, :3].T
    axis = np.asarray(joint.axis, dtype=float)
    axis = axis / np.sqrt(axis @ axis)
    error = max(
        float(np.abs(turn[:3, :3] @ turn[:3, :3].T - np.eye(3)).max()),
        float(np.abs(turn[:3, 2] - axis).max()),
        float(np.abs(in_frame[:3, 3]).max()),
    )
    if not own or error > ROTATION_EXACT or np.linalg.det(turn[:3, :3]) < 0.0:
        raise NotProvedError(
            f"the frame of joint {joint.name!r} is not its own: its z is not the axis"
        )
    return turn


def _leader(robot: Robot, joint: Joint) -> tuple[str, float, float]:
    """The joint of ``q`` that moves this one, its factor and what is added."""
    multiplier, offset = 1.0, 0.0
    while joint.mimic is not None:
        offset += multiplier * joint.mimic.offset
        multiplier *= joint.mimic.multiplier
        joint = robot.joints[joint.mimic.joint]
    return joint.name, multiplier, offset


def _carried(parent: Ints, frames: int) -> Bools:
    count = len(parent)
    result = np.zeros((frames, count), bool)
    for f in range(1, count):
        result[f] = result[parent[f]]
        result[f, f] = True
    return result


def _parts(cell: Cell) -> tuple[Part, ...]:
    return tuple(
        Part(x.body, x.part, x.frame, x.shape, np.asarray(x.pose)) for x in cell.model.primitives
    )
