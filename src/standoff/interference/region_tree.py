"""The region octree: the space that bodies occupy, as cubes of falling size."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Self, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from standoff.broadphase.index import DEEPEST_LEVEL
from standoff.errors import InterferenceError, ShapeError
from standoff.geometry.mesh import Mesh
from standoff.geometry.narrowphase import layout
from standoff.geometry.narrowphase.bodies import Bodies, Solids
from standoff.geometry.polyhedron import Polyhedron
from standoff.geometry.pose import Array, as_pose, numbers
from standoff.geometry.pose import pose as position
from standoff.geometry.primitives import Box
from standoff.geometry.shape import IntArray, Shape
from standoff.interference.kernels.region_build import mesh_leaves, primitive_leaves
from standoff.interference.kernels.region_leaves import (
    DONE,
    LISTS_FULL,
    STACK,
    Forest,
    Leaves,
    Walk,
    coarser_leaves,
    gathered,
    grown_leaves,
    spread,
    union_leaves,
)
from standoff.interference.outlines import SIDES
from standoff.interference.parts import (
    Parts,
    Root,
    amount,
    checked_parts,
    level_count,
    root_cube,
    world_box,
)
from standoff.tolerances import EPS, GRAZING_TOLERANCE

#: What rounding may do to the distance of a node of a region octree and a body, in units of ``EPS``
#: times all coordinates and sizes in play, [-]. A corner of the node is three roundings, the body's
#: frame eight, a nearest point and its plane some twenty; twice as many, so that what is white is
#: white and what is black is black.
REGION_ROUNDING = 64.0

#: Rounding of a distance between nodes counted in whole cells, relative to it, [-]: three squares,
#: their sum, and the quotient of the distance and the edge of a cell.
CELL_ROUNDING = 8 * EPS

#: Most leaves of a region octree, [-]: 670 MB of them. A surface has four times as many on each
#: level more, so whoever asks for more has slipped a digit, and would only fill the memory.
MOST_REGION_LEAVES = 1 << 26


Depths = NDArray[np.integer]
#: Codes, depths, and which are sure.
LeafArrays = tuple[IntArray, Depths, NDArray[np.bool_]]

_NO_LEAVES: LeafArrays = (
    np.empty(0, dtype=np.int64), np.empty(0, dtype=np.uint8), np.empty(0, dtype=bool)
)  # fmt: skip
_NO_ROOT = np.zeros(4)


class TooManyLeavesError(InterferenceError):
    """More leaves than a region octree may have; whoever chose its levels knows why."""


@dataclass(frozen=True, eq=False)
class RegionTree:
    """A region octree, after paper 002: the root cube is cut into eight until a node is wholly
    inside the body (black), wholly outside (white) or on the finest level, where a node that is
    neither (grey) counts as black. So the leaves cover the body, whatever rounding does: a node is
    white only where it is proved to be farther from the body than ``grow``, and *sure* only where
    it is proved to lie in it. Touching a node is being in it.

    Trees are compared node by node, so they must have the same root and levels.

    Only the black leaves are stored, 10 bytes each: see `interference.kernels.region_leaves`.

    Attributes:
        low, edge: low corner (3,) and edge of the root cube, [m].
        levels: how often the root is cut in two; the finest nodes are ``edge / 2**levels`` wide.
        codes: the leaves; read-only.
        depths: how far below the root each of them is; read-only.
        sure: which of them are proved to be inside, the others count as black; read-only.
        outside: whether part of the body lies beyond the root cube, where no leaf can be.
    """

    low: Array
    edge: float
    levels: int
    codes: IntArray
    depths: Depths
    sure: NDArray[np.bool_]
    outside: bool

    @classmethod
    def build(
        cls,
        shape: Shape,
        pose: ArrayLike | None = None,
        *,
        root: Root,
        levels: int,
        grow: float = 0.0,
    ) -> Self:
        """The tree of a shape at a pose, grown by ``grow`` [m]: all points as near to it. ``root``
        is ((x, y, z), edge), the middle and the edge of the root cube, [m].

        A closed mesh is a solid, a sheet a surface, and any other mesh takes up all of its box, as
        what counts as its inside is there; a half space is cut off at the root cube,
        and so always reaches ``outside``."""
        if not isinstance(shape, Shape):
            raise ShapeError(
                "not a shape", element="shape", value=shape, allowed="a standoff shape"
            )
        low, edge = root_cube(root)
        placed = as_pose(pose)
        growth = amount("grow", grow, "m")
        cube = np.array((*low, edge))
        leaves, box = leaves_of(shape, placed, cube, level_count(levels), growth)
        return cls._of(low, edge, int(levels), leaves, _sticks_out(box, low, edge, growth))

    @classmethod
    def of_parts(cls, parts: Parts, *, root: Root, levels: int, grow: float = 0.0) -> Self:
        """The union of the trees of parts, given as shapes by name, each alone (at the origin) or
        with its pose, and made as `build` makes them; empty where there are none."""
        trees = [
            cls.build(p.shape, p.pose, root=root, levels=levels, grow=grow)
            for p in checked_parts(parts)
        ]
        if trees:
            return united(trees)
        low, edge = root_cube(root)
        return cls._of(low, edge, level_count(levels), _NO_LEAVES, False)

    @classmethod
    def _of(cls, low: Array, edge: float, levels: int, leaves: LeafArrays, outside: bool) -> Self:
        for array in leaves:
            array.setflags(write=False)
        return cls(low, edge, levels, *leaves, outside)

    def __len__(self) -> int:
        """How many leaves are black."""
        return len(self.codes)

    def __eq__(self, other: object) -> bool:
        """Whether both have the same root, levels and leaves."""
        return (
            isinstance(other, RegionTree)
            and self._alike(other)
            and self.outside == other.outside
            and np.array_equal(self.codes, other.codes)
            and np.array_equal(self.depths, other.depths)
            and np.array_equal(self.sure, other.sure)
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        more = ", reaches outside" if self.outside else ""
        return f"<RegionTree of {len(self)} leaves, {self.cell:.3g} m{more}>"

    @property
    def cell(self) -> float:
        """Edge of the finest nodes, [m]."""
        return self.edge / float(1 << self.levels)

    @property
    def nbytes(self) -> int:
        """Memory of the leaves, [bytes]."""
        return int(self.codes.nbytes + self.depths.nbytes + self.sure.nbytes)

    @cached_property
    def leaves(self) -> Leaves:
        """The leaves for kernels."""
        return Leaves(codes=self.codes, depths=self.depths, sure=self.sure.view(np.uint8))

    @property
    def leaf_levels(self) -> IntArray:
        """How far below the root each leaf is."""
        return self.depths.astype(np.int64)

    def boxes(self) -> Array:
        """The leaves as boxes (n, 6), low x y z then high x y z, [m]."""
        return boxes_of(self, self.codes, self.depths)

    def volume_bounds(self) -> tuple[float, float]:
        """The volume of the body is at least the first and at most the second, [m³]; without bound
        where it reaches beyond the root cube."""
        cells = np.left_shift(1, 3 * (self.levels - self.leaf_levels)).astype(object)
        unit = self.cell**3
        inside, all_ = sum(cells[self.sure], 0) * unit, sum(cells, 0) * unit
        more = 1.0 + 4.0 * CELL_ROUNDING
        return inside / more, math.inf if self.outside else all_ * more

    def contains(self, point: ArrayLike) -> bool:
        """Whether a point lies in a leaf, faces included. Beyond the root cube nothing is known of
        a body that reaches there: then every point counts."""
        return bool(self.covers([point])[0])

    def covers(self, points: ArrayLike | Sequence[ArrayLike]) -> NDArray[np.bool_]:
        """`contains` of many points (n, 3)."""
        given = numbers(points, "points")
        if given.ndim != 2 or given.shape[1] != 3 or not np.isfinite(given).all():
            raise InterferenceError(
                "not points", value=given.shape, allowed="finite numbers (n, 3), [m]"
            )
        found = np.zeros(len(given), dtype=bool)
        slack = REGION_ROUNDING * EPS * (np.abs(given) + np.abs(self.low) + self.edge)
        out = (given + slack < self.low) | (given - slack > self.low + self.edge)
        beyond = np.asarray(out.any(axis=1))
        if not len(self):
            return np.asarray(beyond & self.outside)
        for code in cell_codes(given, slack, self.low, self.cell, self.levels):
            at = np.maximum(np.searchsorted(self.codes, code, side="right") - 1, 0)
            shift = 3 * (self.levels - self.leaf_levels[at])
            found |= self.codes[at] >> shift == code >> shift
        return np.where(beyond, self.outside, found)

    def union(self, other: RegionTree) -> Self:
        """The tree of what is in either; both must have the same root and levels."""
        self.check_alike(other)
        one, two = self.leaves.address, other.leaves.address
        leaves = written(lambda walk: union_leaves(one, two, walk), self.levels)
        outside = self.outside or other.outside
        return self._of(self.low, self.edge, self.levels, leaves, outside)

    def grown(self, distance: float) -> Self:
        """The tree of all that is within ``distance`` [m] of a leaf: it holds the grown body, but
        is coarser than the tree of the grown body by up to the diagonal of a finest node."""
        cells = amount("distance", distance, "m") / self.cell
        outer = (cells * (1.0 + CELL_ROUNDING)) ** 2
        inner = (cells * (1.0 - CELL_ROUNDING)) ** 2
        leaves = _NO_LEAVES
        if len(self):
            room.walk.corners = np.empty((len(self), 3), dtype=np.int64)
            leaves = written(
                lambda walk: grown_leaves(self.leaves.address, outer, inner, walk),
                self.levels, lists=3 * len(self),
            )  # fmt: skip
        outside = self.outside
        if len(self) and cells > 0.0:
            corner = corners_of(self.codes, self.depths, self.levels)
            reach = cells * (1.0 + CELL_ROUNDING)
            over = float(corner[:, 3:].max()) + reach > float(1 << self.levels)
            outside = outside or over or float(corner[:, :3].min()) < reach
        return self._of(self.low, self.edge, self.levels, leaves, outside)

    def coarser(self, levels: int) -> Self:
        """The tree with fewer levels: finer leaves become the node that holds them. It holds all
        that this one holds, and can be compared with trees of so many levels."""
        coarse = level_count(levels)
        if coarse > self.levels:
            raise InterferenceError(
                "not coarser", element="levels", value=levels, allowed=f"0 to {self.levels}"
            )

        leaves = written(
            lambda walk: coarser_leaves(self.leaves.address, self.levels, walk), coarse
        )
        return self._of(self.low, self.edge, coarse, leaves, self.outside)

    def check_alike(self, other: RegionTree) -> None:
        """Raise unless the other tree has the same root and levels."""
        if not isinstance(other, RegionTree):
            raise InterferenceError("not a tree", value=other, allowed="a RegionTree")
        if not self._alike(other):
            raise InterferenceError(
                "trees of different roots or levels have no corresponding nodes",
                value=(other.low.tolist(), other.edge, other.levels),
                allowed=f"low corner {self.low.tolist()}, edge {self.edge}, {self.levels} levels",
            )

    def _alike(self, other: RegionTree) -> bool:
        return (
            np.array_equal(self.low, other.low)
            and self.edge == other.edge
            and self.levels == other.levels
        )


Tree = TypeVar("Tree", bound=RegionTree)


def united(trees: Sequence[Tree]) -> Tree:
    """The union of some trees, at least one: in pairs, so that no leaf is copied more often than
    need be."""
    while len(trees) > 1:
        pairs = [a.union(b) for a, b in zip(trees[0::2], trees[1::2])]
        trees = [*pairs, *trees[len(trees) - len(trees) % 2 :]]
    return trees[0]


def boxes_of(tree: RegionTree, codes: IntArray, depths: Depths) -> Array:
    """Boxes of nodes of a tree (n, 6), [m]."""
    cells = corners_of(codes, depths, tree.levels)
    return np.asarray(np.tile(tree.low, 2) + cells * tree.cell)


def _sticks_out(box: Array, low: Array, edge: float, grow: float) -> bool:
    """Whether the grown box leaves the root cube."""
    corner = low.tolist()
    slack = REGION_ROUNDING * EPS * (sum(map(abs, corner)) + edge + grow)
    reach = grow + slack
    lows, highs = box[:3].tolist(), box[3:].tolist()
    return any(a - reach < c or b + reach > c + edge for a, b, c in zip(lows, highs, corner))


# The kernels' own functions on whole numbers serve whole arrays where they are not compiled.
_spread = getattr(spread, "py_func", spread)
_gathered = getattr(gathered, "py_func", gathered)


def corners_of(codes: IntArray, depths: Depths, levels: int) -> IntArray:
    """Low and high corners (n, 6) of leaves, in cells of the finest level."""
    low = np.stack([_gathered(codes >> axis) for axis in range(3)], axis=1)
    size = np.left_shift(1, levels - depths.astype(np.int64))
    return np.concatenate((low, low + size[:, None]), axis=1)


def cell_codes(
    points: Array, slack: Array, low: Array, cell: float, levels: int
) -> Iterator[IntArray]:
    """The codes of the finest nodes that points within the root cube may lie in: up to eight, as a
    point on a face, as far as rounding can tell, lies in both."""
    last = (1 << levels) - 1
    sides = [
        np.clip(np.floor((points + sign * slack - low) / cell), 0, last).astype(np.int64)
        for sign in (-1.0, 1.0)
    ]
    for choice in product((0, 1), repeat=3):
        codes = [_spread(sides[side][:, axis]) << axis for axis, side in enumerate(choice)]
        yield codes[0] | codes[1] | codes[2]


class _Room(threading.local):
    """What leaves are written to before they are copied out, and the body that they are made of;
    kept from call to call."""

    def __init__(self) -> None:
        self.walk = Walk(
            codes=1 << 14, depths=1 << 14, sure=1 << 14, lists=1 << 10, stack=STACK,
            points=DEEPEST_LEVEL + 2,
        )  # fmt: skip
        #: What a walk found, as a plain array: reading it takes a tenth of the time.
        self.found = self.walk.arrays["found"].view(np.ndarray)
        self.forest = Forest(stack=STACK, meetings=1 << 10)
        self.body = Bodies(rows=1, refs=1)


room = _Room()


def written(
    write: Callable[[int], int],
    levels: int,
    root: Array = _NO_ROOT,
    *,
    grow: float = 0.0,
    slack: float = 0.0,
    near: float = 0.0,
    lists: int = 0,
) -> LeafArrays:
    """The leaves that ``write`` writes to the tables at an address, called again with more room
    where there was too little; ``lists`` is the least of those that it needs, the others are the
    numbers of `kernels.region_leaves.CUBE`."""
    walk = room.walk
    walk.arrays["cube"][0] = (*root[:3], root[3] / (1 << levels), levels, grow, slack, near)
    if len(walk.lists) < lists:
        walk.lists = np.empty(lists, dtype=np.int64)
    while (status := write(walk.address)) != DONE:
        if status == LISTS_FULL:
            walk.lists = np.empty(2 * len(walk.lists), dtype=np.int64)
        elif len(walk.codes) >= MOST_REGION_LEAVES:
            raise TooManyLeavesError(
                "more leaves than a region octree may have",
                element="levels",
                allowed=f"up to {MOST_REGION_LEAVES:,} leaves: a coarser resolution",
            )
        else:
            walk.codes = np.empty(2 * len(walk.codes), dtype=np.int64)
            walk.depths = np.empty(len(walk.codes), dtype=np.uint8)
            walk.sure = np.empty(len(walk.codes), dtype=np.uint8)
    count = room.found["leaves"][0]
    return (
        walk.codes[:count].copy(),
        walk.depths[:count].copy(),
        walk.sure[:count].copy().view(bool),
    )


def leaves_of(
    shape: Shape, pose: Array, root: Array, levels: int, grow: float
) -> tuple[LeafArrays, Array]:
    """The black leaves of a placed shape grown by ``grow``, and its box; ``root`` is low corner and
    edge."""
    if isinstance(shape, Mesh) and shape.open_solid:
        # What counts as its inside is somewhere in its box, and no leaf is sure to be.
        low, high = shape.bounds()
        at = pose @ position((low + high) / 2.0)
        (codes, depths, _), box = leaves_of(Box(high - low), at, root, levels, grow)
        return (codes, depths, np.zeros(len(codes), dtype=bool)), box
    box = world_box(shape, pose)
    # The sum of all coordinates and sizes in play.
    reach = float(np.abs(root).sum() + np.abs(pose[:3, 3]).sum()) + grow
    reach += float(np.abs(box).sum()) if shape.bounded else 0.0
    slack = REGION_ROUNDING * EPS * reach
    if isinstance(shape, (Polyhedron, Mesh)):
        vertices = np.ascontiguousarray(shape.vertices @ pose[:3, :3].T + pose[:3, 3])
        solids = Solids(points=vertices, faces=shape.faces)
        near = GRAZING_TOLERANCE * reach
        # Outside of all triangles, and in no direction in which parts are wont to stand.
        outside = box[:3] - (box[3:] - box[:3]) * (0.3711, 0.5177, 0.7369) - near
        room.walk.points[0] = (*outside, 0)
        closed = int(not isinstance(shape, Mesh) or shape.closed)
        leaves = written(
            lambda walk: mesh_leaves(solids.address, closed, walk),
            levels, root, grow=grow, slack=slack, near=near, lists=3 * len(shape.faces),
        )  # fmt: skip
        return leaves, box
    if layout.is_general(shape.kind):
        # A polytope around it: what is outside of that is white, and of no leaf it is sure.
        hull = Polyhedron(shape.outline(SIDES))
        growth = grow + shape.swept_radius
        (codes, depths, _), _ = leaves_of(hull, pose, root, levels, growth)
        return (codes, depths, np.zeros(len(codes), dtype=bool)), box
    return leaves_of_primitive(shape, pose, root, levels, grow, slack), box


def leaves_of_primitive(
    shape: Shape, pose: Array, root: Array, levels: int, grow: float, slack: float
) -> LeafArrays:
    """The same of a primitive, where rounding does up to ``slack`` to a distance."""
    body = room.body
    body.rows[0, : layout.SIZE], body.rows[0, layout.SIZE :] = pose[:3].ravel(), shape.size_row
    body.refs[0, layout.KIND] = shape.kind
    return written(
        lambda walk: primitive_leaves(body.address, walk), levels, root, grow=grow, slack=slack
    )
