"""The protocol of all indexes: items with boxes in, items that may touch out.

An *item* is a number; its box is axis-aligned, closed, low x y z then high x y z, in metres. All
kinds of index answer `near` alike; they differ in how much they look at.
"""

from __future__ import annotations

import operator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from standoff.broadphase.kernels import entries, layout
from standoff.compiled.arenas import Arena
from standoff.errors import ConfigurationError, DuplicateNameError, UnknownNameError
from standoff.geometry.pose import Array, numbers
from standoff.geometry.shape import SMALLEST_SIZE, IntArray
from standoff.tolerances import COORDINATE_LIMIT

#: Room around everything for the root cube that is chosen where none is given, [-]: as a part of
#: its edge.
ROOT_MARGIN = 0.05


#: Visits after which the marks of an index are cleared and counted from 1 again, [-]: those of an
#: unsigned number of 32 bits, as in paper 000.
VISIT_WRAP = 2**32 - 1

#: The largest count that people may give, [-]: far beyond any use, and far from overflow.
LARGEST_COUNT = 2**32

#: How much smaller than its edge a node may be, [-]: its faces are rounded, far from the origin
#: more than near. Boxes whose faces move by as much as what is left are inserted from the root.
EDGE_ROUNDING = 1e-6


@dataclass(frozen=True)
class IndexFigures:
    """What an index looks like and what it did since `Index.clear_counters`.

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


class Index:
    """Items in a root cube. What leaves the cube is held against everything, and still answered.

    Args:
        items: how many items there can be; grows with `insert`.
        low: low corner of the root cube, [m].
        edge: its edge, [m].
        wrap: visit number after which all marks are cleared and counting starts anew.

    Attributes:
        arena: the tables, see `broadphase.kernels.layout`.
        smallest: no node is smaller, [m]; a box whose face moves outwards by as much in one step is
            inserted from the root, and not from its neighbours.
    """

    kind: ClassVar[int]

    def __init__(
        self,
        items: int,
        low: ArrayLike,
        edge: float,
        *,
        nodes: int,
        smallest: float,
        wrap: int = VISIT_WRAP,
    ) -> None:
        corner = numbers(low, "low corner of the root cube")
        if corner.shape != (3,) or not np.isfinite(corner).all():
            raise ConfigurationError("low corner of the root cube", value=low, allowed="x, y, z")
        if not (isinstance(edge, (int, float)) and SMALLEST_SIZE <= edge <= COORDINATE_LIMIT):
            raise ConfigurationError(
                "edge of the root cube",
                value=edge,
                allowed=f"{SMALLEST_SIZE:g} to {COORDINATE_LIMIT:g} m",
            )
        if self._number(items) != items:
            raise ConfigurationError("items", value=items, allowed="a whole number")
        if not (isinstance(wrap, int) and wrap > 0):
            raise ConfigurationError("wrap", value=wrap, allowed="a whole number above 0")
        self.smallest = float(smallest)
        self.arena = Arena(
            {"boxes": (items, 6), "nodes": (nodes, 6), "space": (1, 4)},
            {
                "items": (items, layout.ITEM_COLUMNS),
                "tree": (nodes, layout.NODE_COLUMNS),
                "links": (max(3 * items, 64), layout.LINK_COLUMNS),
                "state": (1, layout.STATE_COLUMNS),
            },
        )
        self.arena["space"][0] = *corner, edge
        self._set(layout.KIND, self.kind)
        self._set(layout.WRAP, wrap)
        self._set(layout.TECHNIQUES, layout.ALL_TECHNIQUES)
        self._found: IntArray = np.empty(items, dtype=np.int64)

    def insert(self, item: int, box: ArrayLike) -> None:
        """Add an item that is not there."""
        item = self._number(item)
        self._reserve(item)
        if self.arena["items"][item, layout.STATE] != layout.ABSENT:
            raise DuplicateNameError("item is in the index already", value=item)
        self.insert_many(np.array([item]), self._box(box)[None])

    def insert_many(self, which: IntArray, boxes: Array) -> None:
        """Add items that are not there, in this order; unchecked."""
        self._reserve(int(which.max(initial=-1)))
        self.arena["boxes"][which] = boxes
        entries.insert_all(self.arena.F, self.arena.W, np.ascontiguousarray(which, dtype=np.int64))
        self.make_room()

    def remove(self, item: int) -> None:
        """Take an item out."""
        self._known(item)
        entries.remove_all(self.arena.F, self.arena.W, np.array([item], dtype=np.int64))

    def move(self, item: int, box: ArrayLike) -> None:
        """Register an item with another box."""
        self._known(item)
        which, fresh = np.array([item], dtype=np.int64), self._box(box)[None]
        entries.move_all(
            self.arena.F, self.arena.W, which, fresh.copy(), (1.0 - EDGE_ROUNDING) * self.smallest
        )
        self.make_room()

    def near(self, item: int) -> IntArray:
        """The items whose boxes meet that of ``item``, in ascending order, each once."""
        self._known(item)
        count = entries.near(self.arena.F, self.arena.W, item, self._found)
        return np.unique(self._found[:count])

    def make_room(self) -> None:
        """Enlarge the tables where an item found no place, and try it again. Until then it was
        held against everything: slow, and right."""
        while self.arena["state"][0, layout.FULL]:
            links, nodes = len(self.arena["links"]), len(self.arena["tree"])
            if self._coarsened(links):
                continue
            used = int(self.arena["state"][0, layout.NODES_USED])
            if 2 * used > nodes and self.kind in (layout.OCTREE, layout.REGION):
                nodes *= 2
            self.arena = self.arena.grown({"links": 2 * links, "tree": nodes, "nodes": nodes})
            entries.free_links(self.arena.W, links)
            entries.retry_outside(self.arena.F, self.arena.W)

    def _coarsened(self, links: int) -> bool:
        """Whether the index was made coarser instead: no box is told apart from another where the
        two overlap, and smaller nodes there only take memory."""
        return False

    def clear_counters(self) -> None:
        """Set all counts of `figures` to 0."""
        self.arena["state"][0, layout.SPLITS :] = 0

    def figures(self) -> IndexFigures:
        """What the index looks like now."""
        state, tree, nodes = self.arena["state"][0], self.arena["tree"], self.arena["nodes"]
        live = self._live_nodes()
        leaves = live[tree[live, layout.FIRST] == layout.NONE]
        counts = tree[leaves, layout.COUNT]
        inside = int((self.arena["items"][:, layout.STATE] == layout.INSIDE).sum())
        filled = int((counts > 0).sum())
        return IndexFigures(
            nodes=len(live),
            leaves=len(leaves),
            empty=len(leaves) - filled,
            items_per_leaf=float(counts.sum() / filled) if filled else 0.0,
            leaves_per_item=float(counts.sum() / inside) if inside else 0.0,
            depth=int(tree[live, layout.LEVEL].max(initial=0)),
            smallest=float((nodes[leaves, 3] - nodes[leaves, 0]).min()) if len(leaves) else 0.0,
            outside=int((self.arena["items"][:, layout.STATE] == layout.OUTSIDE).sum()),
            splits=int(state[layout.SPLITS]),
            merges=int(state[layout.MERGES]),
            node_tests=int(state[layout.NODE_TESTS]),
            neighbours=int(state[layout.NEIGHBOURS]),
            box_tests=int(state[layout.BOX_TESTS]),
            pair_tests=int(state[layout.PAIR_TESTS]),
            updates=int(state[layout.UPDATES]),
            reinserted=int(state[layout.REINSERTED]),
            nbytes=self.arena.nbytes,
        )

    def _live_nodes(self) -> IntArray:
        """The nodes that hang on the root; those of the grid all."""
        tree = self.arena["tree"]
        used = int(self.arena["state"][0, layout.NODES_USED])
        if self.kind not in (layout.OCTREE, layout.REGION):
            return np.arange(used)
        live = [np.zeros(1, dtype=np.int64)]
        while len(live[-1]):
            first = tree[live[-1], layout.FIRST]
            live.append((first[first != layout.NONE, None] + np.arange(8)).ravel())
        return np.concatenate(live)

    def _set(self, column: int, value: int) -> None:
        self.arena["state"][0, column] = value

    def _reserve(self, item: int) -> None:
        """Room for an item of this number."""
        have = len(self.arena["items"])
        if item < have:
            return
        rows = max(item + 1, 2 * have)
        links = len(self.arena["links"])
        grown = {"items": rows, "boxes": rows, "links": max(3 * rows, links)}
        self.arena = self.arena.grown(grown)
        self.arena["items"][have:, layout.HEAD] = layout.NONE
        entries.free_links(self.arena.W, links)
        self._found = np.empty(rows, dtype=np.int64)

    @staticmethod
    def _number(item: Any) -> int:
        """A number that an item can have."""
        try:
            if isinstance(item, (bool, np.bool_)):
                raise TypeError("not a number")
            number = operator.index(item)
        except TypeError as error:
            raise ConfigurationError("not an item", value=item, allowed="a whole number") from error
        if not 0 <= number < LARGEST_COUNT:
            raise ConfigurationError("not an item", value=item, allowed="0 and above")
        return number

    def _known(self, item: int) -> None:
        item = self._number(item)
        states = self.arena["items"][:, layout.STATE]
        if not 0 <= item < len(states) or states[item] == layout.ABSENT:
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
