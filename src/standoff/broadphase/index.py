"""The protocol of all indexes: items with boxes in, items that may touch out.

An *item* is a number; its box is axis-aligned, closed, low x y z then high x y z, in metres. All
kinds of index answer `near` alike; they differ in how much they look at.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from standoff.broadphase.kernels import entries
from standoff.broadphase.kernels import tables as x
from standoff.errors import ConfigurationError, DuplicateNameError, UnknownNameError
from standoff.geometry.pose import Array, numbers
from standoff.geometry.shape import SMALLEST_SIZE, IntArray
from standoff.scalars import number, whole
from standoff.tolerances import COORDINATE_LIMIT

#: Room around everything for the root cube that is chosen where none is given, [-]: as a part of
#: its edge.
ROOT_MARGIN = 0.05


#: The largest count that people may give, [-]: far beyond any use, and far from overflow.
LARGEST_COUNT = 2**32

#: How much smaller than its edge a node may be, [-]: its faces are rounded, far from the origin
#: more than near. Boxes whose faces move by as much as what is left are inserted from the root.
EDGE_ROUNDING = 1e-6


@dataclass(frozen=True)
class IndexFigures:
    """What an index looks like and what it did since it was made.

    Attributes:
        nodes, leaves, empty: how many nodes, how many of them leaves, how many of those empty.
        items_per_leaf: mean number of items in a leaf that is not empty.
        leaves_per_item: mean number of leaves that an item is in.
        depth: levels below the root.
        smallest: edge of the smallest leaf, [m].
        outside: items that are in no node.
        splits, merges, node_tests, neighbours, box_tests, pair_tests, updates, reinserted: counts.
        nbytes: memory of all tables, with the room for growth.
    """

    nodes: int
    leaves: int
    empty: int
    items_per_leaf: float
    leaves_per_item: float
    depth: int
    smallest: float
    outside: int
    splits: int
    merges: int
    node_tests: int
    neighbours: int
    box_tests: int
    pair_tests: int
    updates: int
    reinserted: int
    nbytes: int


#: Levels an octree may have below its root, [-]; the way to a neighbour is kept in three bits a
#: level of one 64-bit number, and a cube of 1 km has leaves of 1 mm there.
DEEPEST_LEVEL = 20


class Links(NamedTuple):
    """Links that a tree may have, of 32 bytes, before it is made a level coarser instead of larger:
    so many for each item, and these always."""

    each: int
    least: int


class Index:
    """Items in a root cube. What leaves the cube is held against everything, and still answered.

    Args:
        kind: OCTREE, GRID, NAIVE or REGION of `broadphase.kernels.tables`.
        items: how many items there can be; grows with `insert`.
        low: low corner of the root cube, [m].
        edge: its edge, [m].
        nodes: how many nodes there is room for at first.
        smallest: no node is smaller, [m]; a box whose face moves outwards by as much in one step is
            inserted from the root, and not from its neighbours.
        links: for trees.

    Attributes:
        tables: all that it is, see `broadphase.kernels.tables`.
    """

    def __init__(
        self,
        kind: int,
        items: int,
        low: ArrayLike,
        edge: float,
        nodes: int,
        smallest: float,
        links: Links | None = None,
    ) -> None:
        corner, edge = checked_cube(low, "low corner of the root cube", edge)
        if self._number(items) != items:
            raise ConfigurationError("items", value=items, allowed="a whole number")
        self.kind = kind
        self.smallest = float(smallest)
        self._links = links
        self.tables = x.IndexTables(
            boxes=items, items=items, nodes=nodes, tree=nodes, links=max(3 * items, 64), low=corner
        )
        state = self.tables.state
        state.kind, state.edge = kind, edge
        self._found: IntArray = np.empty(items, dtype=np.int64)

    def cleared(self) -> Index:
        """Itself, empty."""
        entries.clear(self.tables.address)
        return self

    def insert(self, item: int, box: ArrayLike) -> None:
        """Add an item that is not there."""
        item = self._number(item)
        self._reserve(item)
        if self.tables.items[item, x.STATE] != x.ABSENT:
            raise DuplicateNameError("item is in the index already", value=item)
        self.insert_many(np.array([item]), self._box(box)[None])

    def insert_many(self, which: IntArray, boxes: Array) -> None:
        """Add items that are not there, in this order; unchecked."""
        self._reserve(int(which.max(initial=-1)))
        self.tables.boxes[which] = boxes
        entries.insert_all(self.tables.address, np.ascontiguousarray(which, dtype=np.int64))
        self.make_room()

    def remove(self, item: int) -> None:
        """Take an item out."""
        self._known(item)
        entries.remove_all(self.tables.address, np.array([item], dtype=np.int64))

    def move(self, item: int, box: ArrayLike) -> None:
        """Register an item with another box."""
        self._known(item)
        which, fresh = np.array([item], dtype=np.int64), self._box(box)[None]
        entries.move_all(
            self.tables.address, which, fresh.copy(), (1.0 - EDGE_ROUNDING) * self.smallest
        )
        self.make_room()

    def near(self, item: int) -> IntArray:
        """The items whose boxes meet that of ``item``, in ascending order, each once."""
        self._known(item)
        count = entries.near(self.tables.address, item, self._found)
        return np.unique(self._found[:count])

    def make_room(self) -> None:
        """Enlarge the tables where an item found no place, and try it again. Until then it was
        held against everything: slow, and right."""
        while self.tables.state.full:
            links, nodes = len(self.tables.links), len(self.tables.tree)
            if self._coarsened(links):
                continue
            if 2 * int(self.tables.state.nodes_used) > nodes and self._is_tree:
                self._grow(nodes=2 * nodes, tree=2 * nodes)
            self._grow(links=2 * links)
            entries.free_links(self.tables.address, links)
            entries.retry_outside(self.tables.address)

    def _coarsened(self, links: int) -> bool:
        """Whether the tree was made one level less deep instead, once the links are as many as
        items may have: no box is told apart from another where the two overlap, and smaller nodes
        there only take memory."""
        state, items, most = self.tables.state, self.tables.items, self._links
        if most is None or links < max(most.each * len(items), most.least) or state.deepest == 0:
            return False
        state.deepest -= 1
        here = np.flatnonzero(items[:, x.STATE] != x.ABSENT)
        moved = items[:, x.MOVED].copy()
        self.cleared()
        entries.insert_all(self.tables.address, here)
        items[:, x.MOVED] = moved
        return True

    @property
    def _is_tree(self) -> bool:
        return self.kind in (x.OCTREE, x.REGION)

    def _grow(self, **rows: int) -> None:
        """Kernels ask the last of two tables for their length."""
        for name, count in rows.items():
            self.tables.grow(name, count)

    def figures(self) -> IndexFigures:
        """What the index looks like now."""
        tree, nodes = self.tables.tree, self.tables.nodes
        live = self._live_nodes()
        leaves = live[tree[live, x.FIRST] == x.NONE]
        counts = tree[leaves, x.COUNT]
        inside = int((self.tables.items[:, x.STATE] == x.INSIDE).sum())
        filled = int((counts > 0).sum())
        return IndexFigures(
            nodes=len(live),
            leaves=len(leaves),
            empty=len(leaves) - filled,
            items_per_leaf=float(counts.sum() / filled) if filled else 0.0,
            leaves_per_item=float(counts.sum() / inside) if inside else 0.0,
            depth=int(tree[live, x.LEVEL].max(initial=0)),
            smallest=float((nodes[leaves, 3] - nodes[leaves, 0]).min()) if len(leaves) else 0.0,
            outside=int((self.tables.items[:, x.STATE] == x.OUTSIDE).sum()),
            **{name: int(self.tables.state[name]) for name in x.COUNTERS},
            nbytes=self.tables.nbytes,
        )

    def _live_nodes(self) -> IntArray:
        """The nodes that hang on the root; those of the grid all."""
        tree = self.tables.tree
        used = int(self.tables.state.nodes_used)
        if not self._is_tree:
            return np.arange(used)
        live = [np.zeros(1, dtype=np.int64)]
        while len(live[-1]):
            first = tree[live[-1], x.FIRST]
            live.append((first[first != x.NONE, None] + np.arange(8)).ravel())
        return np.concatenate(live)

    def _reserve(self, item: int) -> None:
        """Room for an item of this number."""
        have = len(self.tables.items)
        if item < have:
            return
        rows = max(item + 1, 2 * have)
        links = len(self.tables.links)
        self._grow(boxes=rows, items=rows, links=max(3 * rows, links))
        self.tables.items[have:, x.HEAD] = x.NONE
        entries.free_links(self.tables.address, links)
        self._found = np.empty(rows, dtype=np.int64)

    @staticmethod
    def _number(item: Any) -> int:
        """A number that an item can have."""
        return whole("item", item, ConfigurationError, 0, LARGEST_COUNT - 1, problem="not an item")

    def _known(self, item: int) -> None:
        item = self._number(item)
        states = self.tables.items[:, x.STATE]
        if not 0 <= item < len(states) or states[item] == x.ABSENT:
            known = map(str, np.flatnonzero(states))
            raise UnknownNameError(str(item), known, what="item")

    @staticmethod
    def _box(box: ArrayLike) -> Array:
        result = numbers(box, "box")
        if result.shape != (6,) or not (result[:3] <= result[3:]).all():
            raise ConfigurationError(
                "not a box", value=result.tolist(), allowed="low x y z <= high x y z"
            )
        return result


def checked_cube(low: ArrayLike, element: str, edge: Any) -> tuple[Array, float]:
    """A point of a cube, its corner or its centre, and its edge."""
    point = np.array(numbers(low, element))
    if point.shape != (3,) or not np.isfinite(point).all():
        raise ConfigurationError(element, value=low, allowed="x, y, z, [m]")
    return point, number(
        "edge of the root cube", edge, ConfigurationError,
        least=SMALLEST_SIZE, most=COORDINATE_LIMIT, unit="m",
    )  # fmt: skip
