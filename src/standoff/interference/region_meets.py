"""Where region octrees meet, two of them or many at once; and interference by them: parts meet
where their trees have a node in common."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from standoff.broadphase.index import DEEPEST_LEVEL, LARGEST_COUNT, ROOT_MARGIN
from standoff.errors import InterferenceError
from standoff.geometry.distance import distance
from standoff.geometry.mesh import Mesh
from standoff.geometry.pose import Array
from standoff.geometry.shape import SMALLEST_SIZE
from standoff.interference.findings import Gap, Overlap
from standoff.interference.kernels.region_leaves import (
    DONE,
    MEETING,
    STACK,
    meet_many,
    meet_pair,
)
from standoff.interference.parts import Part, amount, world_box
from standoff.interference.region_tree import (
    CELL_ROUNDING,
    MOST_REGION_LEAVES,
    LeafArrays,
    RegionTree,
    TooManyLeavesError,
    boxes_of,
    corners_of,
    room,
    written,
)
from standoff.scalars import flag
from standoff.tolerances import COORDINATE_LIMIT, EPS, ROUNDING_UNITS


@dataclass(frozen=True, eq=False)
class Meeting:
    """Where two trees meet. True where they are `apart`.

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

    @property
    def apart(self) -> bool:
        """Whether the bodies are proved not to meet; doubt counts as meeting."""
        return not self.doubt and len(self.places) == 0

    def __bool__(self) -> bool:
        return self.apart


@dataclass(frozen=True, eq=False)
class Meetings:
    """Which trees of many meet, and where. True where all are `apart`.

    Attributes:
        pairs: the meeting of each two that may meet, by their numbers, the smaller first.
        visited: how many nodes of the common root the traversal looked at.
    """

    pairs: dict[tuple[int, int], Meeting]
    visited: int

    @property
    def apart(self) -> bool:
        """Whether no two of them may meet."""
        return not self.pairs

    def __bool__(self) -> bool:
        return self.apart


def meets(a: RegionTree, b: RegionTree, *, first: bool = False) -> Meeting:
    """Where two trees meet; with ``first``, the first place in the order of their leaves alone."""
    _check_trees((a, b))
    flag("first", first, InterferenceError)
    one, two, most = a.leaves.address, b.leaves.address, 1 if first else LARGEST_COUNT
    leaves = written(lambda walk: meet_pair(one, two, most, walk), a.levels)
    return _meeting(a, leaves, a.outside and b.outside, int(room.found["visited"][0]))


def meets_many(trees: Sequence[RegionTree]) -> Meetings:
    """Which of the trees meet and where, by one traversal of all of them: it goes on below a node
    as long as two trees are neither white nor black there."""
    if not isinstance(trees, Sequence):
        raise InterferenceError("not trees", value=trees, allowed="a list of RegionTree")
    _check_trees(trees)
    if len(trees) < 2:
        return Meetings({}, 0)
    forest = room.forest
    forest.starts = starts = np.cumsum([0, *map(len, trees)])
    leaves = starts[-1]
    if len(forest.codes) < leaves:
        forest.codes = np.empty(2 * leaves, dtype=np.int64)
        forest.depths = np.empty(2 * leaves, dtype=np.uint8)
        forest.sure = np.empty(2 * leaves, dtype=np.uint8)
    np.concatenate([tree.codes for tree in trees], out=forest.codes[:leaves])
    np.concatenate([tree.depths for tree in trees], out=forest.depths[:leaves])
    np.concatenate([tree.sure for tree in trees], out=forest.sure[:leaves])
    if forest.runs.shape[1] < 2 * len(trees):
        forest.runs = np.empty((STACK, 2 * len(trees)), dtype=np.int64)
    forest.cube.deepest = trees[0].levels
    while meet_many(forest.address) != DONE:
        forest.meetings = np.empty(2 * len(forest.meetings), MEETING)
    meetings, visited = forest.found.item()
    found = forest.arrays["meetings"].view(np.ndarray)[:meetings]
    return Meetings(_by_pair(trees, found, visited), visited)


def _check_trees(trees: Sequence[RegionTree]) -> None:
    """Raise unless all are trees of the same root and levels."""
    for tree in trees:
        if not isinstance(tree, RegionTree):
            raise InterferenceError("not a tree", value=tree, allowed="a RegionTree")
        trees[0].check_alike(tree)


def _by_pair(
    trees: Sequence[RegionTree], found: NDArray[Any], visited: int
) -> dict[tuple[int, int], Meeting]:
    number = found["first_tree"] * len(trees) + found["second_tree"]
    order = np.lexsort((found["place"], number))
    found, number = found[order], number[order]
    reaching = [k for k, tree in enumerate(trees) if tree.outside]
    doubtful = {a * len(trees) + b for n, a in enumerate(reaching) for b in reaching[n + 1 :]}
    pairs = {}
    for pair in sorted({*np.unique(number).tolist(), *doubtful}):
        rows = found[slice(*np.searchsorted(number, (pair, pair + 1)))]
        leaves = rows["place"], rows["depth"], rows["sure"] != 0
        pairs[divmod(pair, len(trees))] = _meeting(trees[0], leaves, pair in doubtful, visited)
    return pairs


def _meeting(tree: RegionTree, leaves: LeafArrays, doubt: bool, visited: int) -> Meeting:
    codes, depths, sure = leaves
    return Meeting(boxes_of(tree, codes, depths), sure, doubt, visited)


def common_root(parts: Iterable[Part], *, grow: float = 0.0) -> tuple[Array, float]:
    """Middle and edge of a cube with room around all parts that are bounded, each grown by
    ``grow`` [m], so that none of their trees reaches outside. Half spaces do not count; without
    anything else it is the unit cube about the origin."""
    bounded = [part for part in parts if part.shape.bounded]
    boxes = np.array([world_box(part.shape, part.pose) for part in bounded])
    if not len(boxes):
        return np.zeros(3), 1.0
    reach = amount("grow", grow, "m")
    low, high = boxes[:, :3].min(axis=0) - reach, boxes[:, 3:].max(axis=0) + reach
    edge = float((high - low).max()) * (1.0 + 2.0 * ROOT_MARGIN)
    if edge > COORDINATE_LIMIT:
        axis = int((high - low).argmax())
        ends = boxes[:, axis].argmin(), boxes[:, 3 + axis].argmax()
        names = " to ".join(dict.fromkeys(bounded[int(k)].name for k in ends))
        raise InterferenceError(
            "too large a scene for an octree", element=names, value=f"{edge:.3g} m",
            allowed=f"a cube of {COORDINATE_LIMIT:g} m around all parts, with their clearance; is "
            "a part in another unit? The other methods take it as it is",
        )  # fmt: skip
    return 0.5 * (low + high), max(edge, SMALLEST_SIZE)


def check_leaves(parts: Iterable[Part], width: float, grow: float = 0.0) -> None:
    """Raise where trees with nodes of ``width`` [m] would have far too many leaves, and say so
    before the memory is full: a surface of area A crosses some ``A / width²`` nodes, and no
    body of volume V has less of it than a ball. Half of that is counted."""
    for part in parts:
        shape = part.shape
        if not shape.bounded:
            continue
        if isinstance(shape, Mesh):
            area = shape.area if grow == 0.0 else 0.0  # what is grown may have lost its folds
        else:
            area = (36.0 * math.pi * shape.volume**2) ** (1.0 / 3.0)
        if 0.5 * area > MOST_REGION_LEAVES * width**2:
            raise too_fine(part.name, width, math.sqrt(0.5 * area / MOST_REGION_LEAVES))


def too_fine(name: str, width: float, least: float) -> InterferenceError:
    """What is said of a part with more leaves than a tree may have."""
    return InterferenceError(
        f"too fine for {name}, whose octree would have more than {MOST_REGION_LEAVES:,} leaves",
        element="resolution",
        value=width,
        allowed=f"{least:.2g} m or more",
    )


def levels_for(edge: float, resolution: float) -> int:
    """How often a cube of that edge is cut in two until nodes are no wider than ``resolution``,
    [m]."""
    width = amount("resolution", resolution, "m", zero=False)
    levels = max(0, math.ceil(math.log2(edge) - math.log2(width)))  # the quotient may overflow
    while levels <= DEEPEST_LEVEL and edge / 2.0**levels > width:  # the logarithm was rounded
        levels += 1
    if 0 < levels <= DEEPEST_LEVEL + 1 and edge / 2.0 ** (levels - 1) <= width:  # or up
        levels -= 1
    if levels > DEEPEST_LEVEL:
        raise InterferenceError(
            "too fine for the size of the scene",
            element="resolution",
            value=resolution,
            allowed=f"at least {edge / 2.0**DEEPEST_LEVEL:.3g} m, 2^-{DEEPEST_LEVEL} of the root",
        )
    return levels


#: Smallest and largest number of levels that a comparison of parts by region octrees chooses where
#: no resolution is asked for, [-]: 1/32 and 1/256 of the scene, and how many cells the smallest
#: part is to be long, [-].
USUAL_REGION_LEVELS = (5, 8)
USUAL_REGION_CELLS = 16.0


class OctreeMethod:
    """Trees of all parts with one root cube around them, each made when it is first needed. Half
    spaces are cut off at the cube: what else there is lies inside it, and can meet them nowhere
    else.

    Args:
        parts: what is compared.
        resolution: the finest nodes are no wider, [m]; None: a sixteenth of the smallest part, but
            not below 1/256 of the scene.
        clearance: parts that are no farther apart overlap, [m]; each is grown by half of it.

    Attributes:
        tests: "trees" built, "leaves" in them, "nodes" that parallel traversals looked at.
    """

    def __init__(
        self, parts: Sequence[Part], *, resolution: float | None, clearance: float
    ) -> None:
        self.parts = tuple(parts)
        self.clearance = amount("clearance", clearance, "m")
        # Twice the half, rounded up, is no less than the clearance.
        self.grow = math.nextafter(0.5 * self.clearance, math.inf) if self.clearance else 0.0
        self.root = common_root(self.parts, grow=self.grow)
        self.levels = (
            self._usual_levels() if resolution is None else levels_for(self.root[1], resolution)
        )
        check_leaves(self.parts, self.root[1] / 2.0**self.levels, self.grow)
        self.tests = {"trees": 0, "leaves": 0, "nodes": 0}
        self._trees: dict[int, RegionTree] = {}

    def tree(self, i: int) -> RegionTree:
        """The tree of part ``i``, grown by half the clearance."""
        if i not in self._trees:
            part = self.parts[i]
            try:
                tree = RegionTree.build(
                    part.shape, part.pose, root=self.root, levels=self.levels, grow=self.grow
                )
            except TooManyLeavesError as error:
                cell = self.root[1] / 2.0**self.levels
                raise too_fine(part.name, cell, 2.0 * cell) from error
            self._trees[i] = tree
            self.tests["trees"] += 1
            self.tests["leaves"] += len(tree)
        return self._trees[i]

    def judge(self, i: int, j: int) -> Overlap | Gap:
        """Part ``i`` against part ``j``."""
        a, b = self.tree(i), self.tree(j)
        if a.outside and b.outside:
            return self._of_half_spaces(i, j)
        found = meets(a, b)
        self.tests["nodes"] += found.visited
        return self._gap(i, j, found.visited) if found.apart else self._overlap(i, j, found)

    def _overlap(self, i: int, j: int, found: Meeting) -> Overlap:
        certain = bool(found.sure.any())
        words = f"{len(found.places)} common nodes"
        words += f", {int(found.sure.sum())} of them inside both" if certain else ", none for sure"
        return Overlap(
            self.parts[i].name,
            self.parts[j].name,
            "octree",
            certain,
            None,
            found.places[:, :3].min(axis=0),
            found.places[:, 3:].max(axis=0),
            f"{words}; {self._resolution()}",
        )

    def _gap(self, i: int, j: int, visited: int) -> Gap:
        a, b = self.tree(i), self.tree(j)
        return Gap(
            self.parts[i].name,
            self.parts[j].name,
            "octree",
            self.clearance + _apart(a, b),
            None,
            f"no common node among {visited}; {self._resolution()}",
        )

    def _of_half_spaces(self, i: int, j: int) -> Overlap | Gap:
        """Two parts that both reach beyond the cube: half spaces, whose distance is known."""
        a, b = self.parts[i], self.parts[j]
        value = distance(a.shape, a.pose, b.shape, b.pose).distance
        far = float(np.abs(a.pose[:3, 3]).sum() + np.abs(b.pose[:3, 3]).sum())
        value -= ROUNDING_UNITS * EPS * far
        if value > self.clearance:
            words = "two half spaces that face away from each other"
            return Gap(a.name, b.name, "octree", value, None, words, exact=True)
        low, high = np.full(3, -np.inf), np.full(3, np.inf)
        words = "two half spaces that overlap"
        return Overlap(a.name, b.name, "octree", True, value, low, high, words)

    def _resolution(self) -> str:
        return f"nodes of {self.root[1] / 2.0**self.levels:.3g} m"

    def _usual_levels(self) -> int:
        sizes = [
            float((box[3:] - box[:3]).max())
            for part in self.parts
            if part.shape.bounded
            for box in (world_box(part.shape, part.pose),)
        ]
        least, most = USUAL_REGION_LEVELS
        if not sizes:
            return least
        cells = USUAL_REGION_CELLS * self.root[1] / min(sizes)
        return min(max(math.ceil(math.log2(cells)), least), most)


def _apart(a: RegionTree, b: RegionTree) -> float:
    """No leaf of one tree is nearer to one of the other, [m]: how far the boxes around all leaves
    are apart, counted in cells."""
    if not len(a) or not len(b):  # nothing is inside the cube, and it holds all parts
        return 0.0
    one, two = (corners_of(t.codes, t.depths, t.levels) for t in (a, b))
    between = np.maximum(
        one[:, :3].min(axis=0) - two[:, 3:].max(axis=0),
        two[:, :3].min(axis=0) - one[:, 3:].max(axis=0),
    )
    cells = math.sqrt(float((np.maximum(between, 0) ** 2).sum()))
    return cells * a.cell * (1.0 - CELL_ROUNDING)
