"""Where region octrees meet: two of them, or many at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from standoff.broadphase.index import LARGEST_COUNT
from standoff.errors import InterferenceError
from standoff.geometry.pose import Array
from standoff.geometry.shape import IntArray
from standoff.overlap.kernels.region_codes import STACK, SURE
from standoff.overlap.kernels.region_meet import (
    FIRST_TREE,
    FOUND_COLUMNS,
    MARK,
    PLACE,
    SECOND_TREE,
    meet_many,
    meet_pair,
)
from standoff.overlap.region import Leaves, Marks, RegionTree, boxes_of, written


@dataclass(frozen=True, eq=False)
class Meeting:
    """Where two trees meet.

    Attributes:
        places: nodes that both cover, the smaller leaf of each two that overlap, as boxes (n, 6),
            low x y z then high x y z, [m].
        sure: which of them are proved to lie in both bodies.
        doubt: whether both bodies reach beyond the root cube, where they may meet unseen.
        visited: how many corresponding nodes the paper's parallel traversal looks at to find it; of
            many trees, that of all together.
    """

    places: Array
    sure: NDArray[np.bool_]
    doubt: bool
    visited: int

    def __bool__(self) -> bool:
        """Whether the bodies may meet; doubt counts as meeting."""
        return self.doubt or len(self.places) > 0


@dataclass(frozen=True, eq=False)
class Meetings:
    """Which trees of many meet, and where.

    Attributes:
        pairs: the meeting of each two that may meet, by their numbers, the smaller first.
        visited: how many nodes of the common root the traversal looked at.
    """

    pairs: dict[tuple[int, int], Meeting]
    visited: int


def meets(a: RegionTree, b: RegionTree, *, first: bool = False) -> Meeting:
    """Where two trees meet; with ``first``, the first place in the order of their leaves alone."""
    _check_trees((a, b))
    visited = np.zeros(1, dtype=np.int64)

    def write(codes: IntArray, marks: Marks, lists: IntArray) -> int:
        most = 1 if first else LARGEST_COUNT
        return int(meet_pair(*a.arrays, *b.arrays, a.levels, most, codes, marks, visited))

    leaves = written(write)
    return _meeting(a, leaves, a.outside and b.outside, int(visited[0]))


def meets_many(trees: Sequence[RegionTree]) -> Meetings:
    """Which of the trees meet and where, by one traversal of all of them: it goes on below a node
    as long as two trees are neither white nor black there."""
    if not isinstance(trees, Sequence):
        raise InterferenceError("not trees", value=trees, allowed="a list of RegionTree")
    _check_trees(trees)
    if len(trees) < 2:
        return Meetings({}, 0)
    codes = np.concatenate([tree.codes for tree in trees])
    marks = np.concatenate([tree.marks for tree in trees])
    starts = np.cumsum([0, *map(len, trees)])
    stack = np.empty((STACK, 2), dtype=np.int64)
    runs = np.empty((STACK, 2 * len(trees)), dtype=np.int64)
    visited = np.zeros(1, dtype=np.int64)
    found = np.empty((1024, FOUND_COLUMNS), dtype=np.int64)
    while True:
        count = meet_many(codes, marks, starts, trees[0].levels, stack, runs, found, visited)
        if count >= 0:
            break
        found = np.empty((2 * len(found), FOUND_COLUMNS), dtype=np.int64)
    looked = int(visited[0])
    return Meetings(_by_pair(trees, found[:count], looked), looked)


def _check_trees(trees: Sequence[RegionTree]) -> None:
    """Raise unless all are trees of the same root and levels."""
    for tree in trees:
        if not isinstance(tree, RegionTree):
            raise InterferenceError("not a tree", value=tree, allowed="a RegionTree")
        trees[0].check_alike(tree)


def _by_pair(
    trees: Sequence[RegionTree], found: IntArray, visited: int
) -> dict[tuple[int, int], Meeting]:
    number = found[:, FIRST_TREE] * len(trees) + found[:, SECOND_TREE]
    order = np.lexsort((found[:, PLACE], number))
    found, number = found[order], number[order]
    reaching = [k for k, tree in enumerate(trees) if tree.outside]
    doubtful = {a * len(trees) + b for n, a in enumerate(reaching) for b in reaching[n + 1 :]}
    pairs = {}
    for pair in sorted({*np.unique(number).tolist(), *doubtful}):
        rows = found[slice(*np.searchsorted(number, (pair, pair + 1)))]
        leaves = rows[:, PLACE], rows[:, MARK].astype(np.uint8)
        pairs[divmod(pair, len(trees))] = _meeting(trees[0], leaves, pair in doubtful, visited)
    return pairs


def _meeting(tree: RegionTree, leaves: Leaves, doubt: bool, visited: int) -> Meeting:
    return Meeting(boxes_of(tree, *leaves), np.asarray(leaves[1] & SURE != 0), doubt, visited)
