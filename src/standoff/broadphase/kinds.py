"""Which index, and how it is made: the options that indexes have."""

from __future__ import annotations

import math
from dataclasses import KW_ONLY, dataclass
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from standoff.broadphase.index import (
    DEEPEST_LEVEL,
    LARGEST_COUNT,
    Index,
    Links,
    checked_cube,
)
from standoff.broadphase.kernels import tables as x
from standoff.errors import ConfigurationError
from standoff.geometry.pose import Array
from standoff.geometry.shape import SMALLEST_SIZE
from standoff.scalars import amount, whole

#: Most cells along the edge of a grid, [-]: 2 million cells of 112 bytes.
LARGEST_GRID = 128

#: Levels of a region octree where no smallest node is asked for, [-]: 1/64 of the root cube. Each
#: level more makes four times as many nodes.
REGION_LEVELS = 6

#: Trees that follow the scene need 2 to 4 links an item; more than N boxes that overlap would
#: otherwise be split down to the smallest node, millions of them where that is a millimetre.
_OCTREE_LINKS = Links(each=16, least=4_096)

#: The region octree puts an item into every smallest node that the faces of its box meet: some
#: hundreds where a box is eight of them long.
_REGION_LINKS = Links(each=512, least=65_536)

#: How an octree follows what moves; see `Octree`.
Follow = Literal["above", "neighbours"]


@dataclass(frozen=True)
class IndexKind:
    """What all kinds have in common."""

    @property
    def margin(self) -> float | None:
        """How much wider than it is a mover is to be registered, [m]; None: a part of its size."""
        found: float | None = getattr(self, "reserve", 0.0)
        return found

    @property
    def least(self) -> float | None:
        """Edge of the smallest node that was asked for, [m]."""
        found: float | None = getattr(self, "smallest", None)
        return found

    @property
    def cube(self) -> tuple[Array, float] | None:
        """Low corner and edge of the root cube that was asked for."""
        root = getattr(self, "root", None)
        return None if root is None else (np.asarray(root[0]) - 0.5 * root[1], root[1])

    def build(self, items: int, low: ArrayLike, edge: float, *, step: float = 0.0) -> Index:
        """An empty index.

        Args:
            items: how many items there can be; grows with `Index.insert`.
            low: low corner of the root cube, [m].
            edge: its edge, [m].
            step: the farthest that a face of a box usually moves outwards in one step, [m]; no node
                is made smaller than that, unless another smallest node was asked for.
        """
        raise NotImplementedError


@dataclass(frozen=True)
class _Nodes(IndexKind):
    """An index with nodes in a root cube.

    Attributes:
        reserve: how much wider than extended a monitor registers a mover, [m]; on the side where it
            is heading, up to AHEAD times that. None: a part of its size.
        root: centre and edge of the root cube, [m]; None: around all that can be reached. What
            leaves it is held against everything, and still answered.

    Raises:
        ConfigurationError: an option that makes no sense.
    """

    _: KW_ONLY
    reserve: float | None = None
    root: tuple[ArrayLike, float] | None = None

    def __post_init__(self) -> None:
        for name in ("reserve", "smallest"):
            given = getattr(self, name, None)
            if given is not None:
                self._set(name, amount(name, given, ConfigurationError, "m"))
        if self.root is not None:
            try:
                centre, edge = self.root
            except (TypeError, ValueError) as error:
                raise ConfigurationError(
                    "root", value=self.root, allowed="((x, y, z), edge), [m]"
                ) from error
            middle, length = checked_cube(centre, "centre of the root cube", edge)
            self._set("root", (tuple(middle.tolist()), length))

    def _set(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)


@dataclass(frozen=True)
class Octree(_Nodes):
    """The N-objects octree of paper 000: a node with more than ``split`` items is split.

    Attributes:
        split: the paper's N.
        smallest: edge of the smallest node, [m]; None: the farthest step.
        follow: ``above``: a mover that leaves the room it is registered with is looked up from the
            smallest node that holds all of its new box. ``neighbours``: the paper's own algorithm,
            which looks at the tree in each cycle and goes from node to neighbour.
        reserve, root: as every index has them. No ``reserve``: a part of the size of a mover with
            ``above``, 0 with ``neighbours``.
    """

    split: int = 10
    _: KW_ONLY
    smallest: float | None = None
    follow: Follow = "above"

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set("split", whole("split", self.split, ConfigurationError, 1, LARGEST_COUNT))
        if self.follow not in get_args(Follow):
            allowed = ", ".join(get_args(Follow))
            raise ConfigurationError("follow", value=self.follow, allowed=allowed)

    @property
    def margin(self) -> float | None:
        return 0.0 if self.reserve is None and self.follow == "neighbours" else self.reserve

    def build(self, items: int, low: ArrayLike, edge: float, *, step: float = 0.0) -> Index:
        smallest = step if self.smallest is None else self.smallest
        levels, nodes = _levels(edge, smallest), _nodes(items, self.split)
        index = Index(x.OCTREE, items, low, edge, nodes, edge / 2.0**levels, _OCTREE_LINKS)
        state = index.tables.state
        state.split_above = state.merge_within = self.split
        state.deepest = levels
        if self.follow == "above":
            # Leaves are merged only when half of what would split them is left, so that one item
            # that comes and goes does not split and merge them by turns.
            state.from_above = 1
            state.merge_within = self.split // 2
        return index.cleared()


@dataclass(frozen=True)
class RegionOctree(_Nodes):
    """The region octree of paper 002: every node that an item's box covers in part is split, down
    to an edge of ``smallest``.

    A node is a leaf again when nothing is in it any more, not as soon as one box covers it: that
    would be found at the price of comparing eight lists, and costs only memory. An item that moves
    is taken out and put in anew.

    Attributes:
        smallest: edge of the smallest node, [m]; None: 1/64 of the root cube, and no less than the
            farthest step.
        reserve, root: as every index has them.
    """

    smallest: float | None = None

    def build(self, items: int, low: ArrayLike, edge: float, *, step: float = 0.0) -> Index:
        smallest = self.smallest
        if smallest is None:
            smallest = max(step, edge / 2.0**REGION_LEVELS)
        # No box is followed from node to node, however little it moves: 0.
        index = Index(x.REGION, items, low, edge, _nodes(items, 1), 0.0, _REGION_LINKS)
        state = index.tables.state
        state.split_above, state.merge_within, state.deepest = 1, 0, _levels(edge, smallest)
        return index.cleared()


@dataclass(frozen=True)
class Grid(_Nodes):
    """The grid that paper 000 compares the octree with. What moves is followed from cell to cell.

    Attributes:
        side: cells along each edge of the root cube, all of one size (the paper's G).
        reserve, root: as every index has them.
    """

    side: int = 16

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set("side", whole("side", self.side, ConfigurationError, 1, LARGEST_GRID))

    def build(self, items: int, low: ArrayLike, edge: float, *, step: float = 0.0) -> Index:
        index = Index(x.GRID, items, low, edge, self.side**3, edge / self.side)
        index.tables.state.side = self.side
        return index.cleared()


@dataclass(frozen=True)
class Naive(IndexKind):
    """No index at all: every item is held against every other; what all others must agree with."""

    def build(
        self, items: int, low: ArrayLike = (0.0, 0.0, 0.0), edge: float = 1.0, *, step: float = 0.0
    ) -> Index:
        return Index(x.NAIVE, items, (0.0, 0.0, 0.0), 1.0, 1, 1.0).cleared()


#: The kinds by the names that stand for them with their usual options.
KINDS: dict[str, type[IndexKind]] = {
    "octree": Octree, "grid": Grid, "naive": Naive, "region": RegionOctree,
}  # fmt: skip


def _levels(edge: float, smallest: float) -> int:
    """The deepest level whose nodes are not smaller: ``edge / 2^levels >= smallest``."""
    if smallest <= SMALLEST_SIZE:
        return DEEPEST_LEVEL
    return min(DEEPEST_LEVEL, max(0, math.floor(math.log2(edge / smallest))))


def _nodes(items: int, split: int) -> int:
    return 1 + 8 * max(64, math.ceil(items / split))
