"""A cell as numbers: bodies, frames, and one row a primitive for kernels that run a whole cycle."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from standoff.cell.body import Body
from standoff.geometry.narrowphase import layout
from standoff.geometry.pose import Array
from standoff.geometry.shape import Geometry, IntArray, Shape, frozen
from standoff.geometry.table import pack
from standoff.robots.mounted import MountedRobot
from standoff.robots.tree import Tree


@dataclass(frozen=True, eq=False)
class Tables:
    """The primitives of a world as kernels take them; columns: `geometry.narrowphase.layout`.

    Attributes:
        owner: body number of each primitive.
        frame: frame of each primitive.
        local: pose of each primitive in its frame, three rows of four.
        rows, refs, geometry: the primitives. The pose columns of ``rows`` are those of
            ``local``: right for what stands still, to be written each cycle for the rest.
    """

    owner: IntArray
    frame: IntArray
    local: Array
    rows: Array
    refs: IntArray
    geometry: Geometry


@dataclass(frozen=True, eq=False)
class World:
    """Everything that can be watched, numbered.

    Frames: 0 is the world, then the moving joints of the tree, then the moving bodies in the order
    of ``cell.body``. Bodies on one frame cannot move against each other.

    Attributes:
        names: links with geometry, then bodies; the place of each is its body number.
        index: body number by name.
        frame: frame of each body.
        parts: shapes of each body with their poses in its frame.
        frames: how many frames there are.
    """

    names: tuple[str, ...]
    index: Mapping[str, int]
    frame: tuple[int, ...]
    parts: tuple[tuple[tuple[Shape, Array], ...], ...]
    frames: int

    def frame_of(self, name: str) -> int:
        """The frame a link or body is fixed to."""
        return self.frame[self.index[name]]

    @cached_property
    def groups(self) -> Mapping[int, tuple[str, ...]]:
        """Names by the frame they are fixed to, in order."""
        found: dict[int, list[str]] = {}
        for name, frame in zip(self.names, self.frame, strict=True):
            found.setdefault(frame, []).append(name)
        return {frame: tuple(names) for frame, names in found.items()}

    @cached_property
    def tables(self) -> Tables:
        """The flat tables; the trees of meshes are built here, when first asked for."""
        placed = [(i, shape, pose) for i, parts in enumerate(self.parts) for shape, pose in parts]
        owner = np.array([i for i, _, _ in placed], dtype=np.int64)
        local = np.array([pose[:3].reshape(12) for _, _, pose in placed]).reshape(-1, 12)
        rows, refs, geometry = pack([shape for _, shape, _ in placed])
        rows[:, : layout.SIZE] = local
        return Tables(
            owner=owner,
            frame=np.array(self.frame, dtype=np.int64)[owner],
            local=local,
            rows=rows,
            refs=refs,
            geometry=geometry,
        )


def build_world(
    tree: Tree, robots: Mapping[str, MountedRobot], bodies: Mapping[str, Body]
) -> World:
    """Number the links of the robots, then the bodies."""
    names: list[str] = []
    frames: list[int] = []
    parts: list[tuple[tuple[Shape, Array], ...]] = []

    def add(name: str, frame: int, *placed: tuple[Shape, Array]) -> None:
        names.append(name)
        frames.append(frame)
        parts.append(tuple((shape, frozen(pose)) for shape, pose in placed))

    for robot, mounted in robots.items():
        for link in mounted.robot.links.values():
            if link.elements:
                full = f"{robot}/{link.name}"
                frame, offset = tree.link(full)
                add(full, frame, *((e.shape, offset @ e.origin) for e in link.elements))
    movers = 0
    for body in bodies.values():
        if body.attachment is not None:
            frame, offset = tree.link(body.attachment.link)
            add(body.name, frame, (body.shape, offset @ body.attachment.pose))
        elif body.moving:
            add(body.name, tree.frames + movers, (body.shape, np.eye(4)))
            movers += 1
        else:
            add(body.name, 0, (body.shape, body.pose))
    return World(
        names=tuple(names),
        index={name: i for i, name in enumerate(names)},
        frame=tuple(frames),
        parts=tuple(parts),
        frames=tree.frames + movers,
    )
