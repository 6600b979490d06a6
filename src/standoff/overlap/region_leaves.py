"""Calling the kernels that write leaves: arrays that are enlarged until all leaves fit."""

from __future__ import annotations

import threading
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from standoff.constants import (
    BOX_ROUNDING,
    EPS,
    GRAZING_TOLERANCE,
    MOST_REGION_LEAVES,
    REGION_ROUNDING,
)
from standoff.errors import InterferenceError
from standoff.kernels import layout
from standoff.kernels.boxes import bound_all
from standoff.kernels.overlap.region_codes import LEVEL, SCRATCH_FULL, STACK
from standoff.kernels.overlap.region_mesh import STACK_COLUMNS, mesh_leaves
from standoff.kernels.overlap.region_primitive import primitive_leaves
from standoff.shapes.mesh import Mesh
from standoff.shapes.polyhedron import Polyhedron
from standoff.shapes.pose import Array
from standoff.shapes.pose import pose as position
from standoff.shapes.primitives import Box
from standoff.shapes.shape import EMPTY, IntArray, Shape

Marks = NDArray[np.uint8]
Leaves = tuple[IntArray, Marks]


class TooManyLeavesError(InterferenceError):
    """More leaves than a region octree may have; whoever chose its levels knows why."""


class _Room(threading.local):
    """Arrays that leaves are written to before they are copied out, kept from call to call."""

    def __init__(self) -> None:
        self.codes: IntArray = np.empty(1 << 14, dtype=np.int64)
        self.marks: Marks = np.empty(1 << 14, dtype=np.uint8)
        self.lists: IntArray = np.empty(1 << 10, dtype=np.int64)
        self.stack: IntArray = np.empty((STACK, STACK_COLUMNS), dtype=np.int64)
        self.rows: Array = np.zeros((1, layout.ROW_COLUMNS))
        self.refs: IntArray = np.zeros((1, layout.REF_COLUMNS), dtype=np.int64)
        self.box: Array = np.zeros((1, 6))


room = _Room()


def written(write: Callable[[IntArray, Marks, IntArray], int], lists: int = 0) -> Leaves:
    """What ``write(codes, marks, lists)`` writes, called again with more room where it asks for
    more; ``lists`` is the least scratch it needs."""
    while True:
        if len(room.lists) < lists:
            room.lists = np.empty(lists, dtype=np.int64)
        count = write(room.codes, room.marks, room.lists)
        if count >= 0:
            return room.codes[:count].copy(), room.marks[:count].copy()
        if count == SCRATCH_FULL:
            lists = 2 * len(room.lists)
        elif len(room.codes) >= MOST_REGION_LEAVES:
            raise TooManyLeavesError(
                "more leaves than a region octree may have",
                element="levels",
                allowed=f"up to {MOST_REGION_LEAVES:,} leaves: a coarser resolution",
            )
        else:
            room.codes = np.empty(2 * len(room.codes), dtype=np.int64)
            room.marks = np.empty(2 * len(room.marks), dtype=np.uint8)


def placed_box(shape: Shape, pose: Array) -> Array:
    """The box of a placed shape along the axes, a rounding wider: low x y z, high x y z, [m]."""
    if isinstance(shape, (Polyhedron, Mesh)):
        return _box_of(_placed(shape, pose), pose)
    _place(shape, pose)
    bound_all(room.rows, room.refs, EMPTY.points, room.box)
    return np.array(room.box[0])


def leaves_of(
    shape: Shape, pose: Array, root: Array, levels: int, grow: float, *, touching: bool = True
) -> tuple[Leaves, Array]:
    """The black leaves of a placed shape grown by ``grow``, and its box; ``root`` is low corner and
    edge.

    Without ``touching`` a node that a primitive only touches, as far as rounding can tell, is
    outside of it, and one that it fills as far as rounding can tell is inside: for counting, not
    for proofs."""
    if isinstance(shape, Mesh) and shape.open_solid:
        # What counts as its inside is somewhere in its box, and no leaf is sure to be.
        low, high = shape.bounds()
        at = pose @ position((low + high) / 2.0)
        (codes, marks), box = leaves_of(Box(high - low), at, root, levels, grow, touching=touching)
        return (codes, marks & np.uint8(LEVEL)), box
    if isinstance(shape, (Polyhedron, Mesh)):
        return _of_triangles(shape, pose, root, levels, grow)
    box = placed_box(shape, pose)
    slack = REGION_ROUNDING * EPS * _reach(root, pose, box if shape.bounded else box[:0], grow)
    if not touching:
        slack = -slack

    def write(codes: IntArray, marks: Marks, lists: IntArray) -> int:
        return int(
            primitive_leaves(
                room.rows, shape.kind, root, levels, grow, slack, room.stack, codes, marks
            )
        )

    return written(write), box


def _of_triangles(
    shape: Polyhedron | Mesh, pose: Array, root: Array, levels: int, grow: float
) -> tuple[Leaves, Array]:
    vertices = _placed(shape, pose)
    box = _box_of(vertices, pose)
    reach = _reach(root, pose, box, grow)
    slack, near = REGION_ROUNDING * EPS * reach, GRAZING_TOLERANCE * reach
    known = np.zeros((levels + 2, 4))
    # Outside of all triangles, and in no direction in which parts are wont to stand.
    known[0, :3] = box[:3] - (box[3:] - box[:3]) * (0.3711, 0.5177, 0.7369) - near
    closed = 0 if isinstance(shape, Mesh) and not shape.closed else 1
    faces = shape.faces.copy()  # kernels are compiled for arrays that are not read-only

    def write(codes: IntArray, marks: Marks, lists: IntArray) -> int:
        count = mesh_leaves(
            vertices, faces, closed, root, levels, grow, slack, near,
            room.stack, lists, known, codes, marks,
        )  # fmt: skip
        return int(count)

    return written(write, 3 * len(faces)), box


def _placed(shape: Polyhedron | Mesh, pose: Array) -> Array:
    return np.ascontiguousarray(shape.vertices @ pose[:3, :3].T + pose[:3, 3])


def _box_of(vertices: Array, pose: Array) -> Array:
    low, high = vertices.min(axis=0), vertices.max(axis=0)
    # The largest product on the way to a coordinate is no larger than the vertex is far away.
    far = np.abs(pose[:3, 3]).max() + np.abs(vertices).max()
    slack = BOX_ROUNDING * EPS * far
    return np.concatenate((low - slack, high + slack))


def _reach(root: Array, pose: Array, box: Array, grow: float) -> float:
    """The sum of all coordinates and sizes in play."""
    return float(np.abs(root).sum() + np.abs(pose[:3, 3]).sum() + np.abs(box).sum()) + grow


def _place(shape: Shape, pose: Array) -> None:
    room.rows[0, : layout.SIZE] = pose[:3].ravel()
    room.rows[0, layout.SIZE :] = shape.size_row
    room.refs[0, layout.KIND] = shape.kind
