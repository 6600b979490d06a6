"""The Python side of the search: runs the kernels that grow the trees, in slices of time, and gives
them room and random numbers.

`Connect` runs RRT-Connect (`plan.kernels.connect`), `Lazy` A-SBL (`plan.kernels.sbl`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from time import perf_counter
from typing import Any, Literal

import numpy as np

from standoff.compiled.by_address import address_of
from standoff.errors import PlanError
from standoff.geometry.pose import Array
from standoff.geometry.shape import IntArray
from standoff.paths.checker import PathChecker
from standoff.paths.glide import Glides
from standoff.paths.kernels import path_tables as p
from standoff.paths.options import LARGEST_BUDGET
from standoff.paths.path_search import Motion, Scratch, grow_room, new_scratch
from standoff.paths.verdict import Verdict
from standoff.plan.kernels import plan_tables as g
from standoff.plan.kernels import sbl
from standoff.plan.kernels.connect import grow_connect
from standoff.plan.query import Query, Space
from standoff.plan.result import Progress
from standoff.scalars import function

#: Distances and configurations that one edge may take. Most take less than a hundred; one that
#: comes so close that it takes more costs more than a way around it.
EDGE_BUDGET = 20_000


class Slices(ABC):
    """A search in compiled code that comes back after a while. What it finds does not depend on
    how long the slices are.

    Attributes:
        time: spent in `run`, [s].
    """

    #: Entry of its kernel.
    kernel: str

    def __init__(self, checker: PathChecker, seed: int) -> None:
        self._checker = checker
        self.lent = Borrowed(checker)
        self.numbers = Numbers(seed)
        self.pace = Pace()
        self.budget = min(checker.budget, EDGE_BUDGET)
        self.time = 0.0

    @abstractmethod
    def grow(self) -> int:
        """One slice, and what it needs to go on: why the kernel came back."""

    @abstractmethod
    def so_far(self, time: float) -> Any:
        """How far it has come in so many seconds."""

    def run(
        self,
        begun: float,
        end: float,
        progress: Callable[[Any], object] | None,
        cancelled: Callable[[], bool] | None,
    ) -> Literal["timeout", "cancelled"] | None:
        """Go on until it is done (None), or until there is a reason to give up. ``begun`` and
        ``end`` are times of `perf_counter`."""
        report = function("progress", progress, PlanError, "how far it has come")
        give_up = function("cancelled", cancelled, PlanError, "nothing")
        since = perf_counter()
        try:
            while True:
                status = self.grow()
                if status == g.SOLVED:
                    return None
                now = perf_counter()
                if status == g.AGAIN:
                    report(self.so_far(now - begun))
                if give_up():
                    return "cancelled"
                if now > end:
                    return "timeout"
        finally:
            self.time += perf_counter() - since

    def close(self) -> None:
        """Let others use the scratch, until it goes on."""
        self.lent.give_back()


class Growing(Slices):
    """Two trees of one query that grow until they meet."""

    def __init__(self, checker: PathChecker, query: Query, seed: int) -> None:
        super().__init__(checker, seed)
        self.query = query

    @property
    @abstractmethod
    def edges(self) -> int:
        """Checked so far."""

    @property
    @abstractmethod
    def nodes(self) -> tuple[int, int]:
        """Of the tree from the start, and of that from the goals."""

    @abstractmethod
    def path(self) -> tuple[Array, int]:
        """The waypoints where the trees have met, and which goal they lead to."""

    @abstractmethod
    def restart(self) -> None:
        """From the roots, with other random numbers."""

    def so_far(self, time: float) -> Progress:
        return Progress(time, self.edges, self.nodes)

    def reopen(self) -> None:
        """Go on from the roots, with other random numbers.

        Raises:
            PlanError: the cell is not the one that the trees grew in.
        """
        before = self.lent
        self.lent = Borrowed(self._checker)
        moved = self.lent.tables is not before.tables
        if moved or not np.array_equal(self.lent.resting, before.resting):
            raise PlanError(
                "the cell changed while a path was searched",
                element="cell",
                allowed="a cell that stays as it is until plan returns",
            )
        self.restart()


def prove(checker: PathChecker, waypoints: Array, budget: int) -> Verdict:
    """The verdict on a path whose every segment was proved with no more than ``budget`` tests: as
    many for each, so that no path is too long for its proof."""
    enough = min(budget * max(len(waypoints) - 1, 1), LARGEST_BUDGET)
    return checker.path(waypoints, budget=max(checker.budget, enough))


#: Random numbers that are drawn at once, at first and at most.
_FEW = 512
_MANY = 1 << 16

#: How long compiled code runs before the outside world is looked at, [s], about.
_SLICE = 0.02

#: Tries of the first slice, and the most of any.
_TRIES = 64
_MOST = 1 << 20


class Numbers:
    """Numbers from 0 to 1, 1 not among them, one stream for each seed.

    Attributes:
        values: those at hand.
    """

    def __init__(self, seed: int) -> None:
        self._random = np.random.default_rng(seed)
        self._draw = _FEW
        self.values: Array = np.zeros(0)

    def refill(self, used: int) -> None:
        """More behind those that are left after ``used`` ones: the stream does not depend on how
        many are drawn at once."""
        self.values = np.concatenate([self.values[used:], self._random.random(self._draw)])
        self._draw = min(2 * self._draw, _MANY)


class Pace:
    """How many tries make a slice; what is tried does not depend on it.

    Attributes:
        tries: of the next slice.
    """

    def __init__(self) -> None:
        self.tries = _TRIES

    def took(self, tries: int, seconds: float) -> None:
        """Learn from a slice that is over."""
        wanted = tries * _SLICE / max(seconds, _SLICE / _MOST)
        self.tries = int(min(max(wanted, 1.0), 4.0 * self.tries, _MOST))


class Borrowed:
    """Tables of a checker as they are now, with scratch that nobody else uses meanwhile.

    Attributes:
        resting: where moving bodies stand, as the scratch has them.
    """

    def __init__(self, checker: PathChecker) -> None:
        self.tables = checker.tables
        self.scratch = checker.scratch(self.tables)
        self.resting: Glides = self.scratch.glides.copy()
        self._returned = False

    @property
    def addresses(self) -> tuple[Any, Any]:
        """``cell, search`` of `check_segments`."""
        return self.tables.cell.address, self.scratch.address

    def give_back(self) -> None:
        """Let others use the scratch; a second time it does nothing."""
        if not self._returned:
            self.tables.spare.append(self.scratch)
        self._returned = True


def supply(
    status: int, header: Any, numbers: Numbers, lent: Borrowed, make_room: Callable[[], None]
) -> None:
    """Give a kernel what it came back for: random numbers, room of its own or in the scratch."""
    if status == g.NO_NUMBERS:
        numbers.refill(int(header.cursor))
        header.cursor = 0
    elif status == g.NODES_FULL:
        make_room()
    elif status == g.SCRATCH_FULL:
        grow_room(lent.scratch)


def address_of_check() -> int:
    """Where the machine code of `check_segments` is; it is compiled if need be."""
    return address_of(_CHECK)


def compile_for(entry: str) -> None:
    """Compile what a search by ``entry`` needs: done before the clock starts."""
    for name in (_CHECK, _SEARCH, entry):
        address_of(name)


_CHECK, _SEARCH = "paths.kernels.search.check_segments", "paths.kernels.search.search"


def lay_out_space(rows: Any, space: Space) -> None:
    """The space as kernels take it: `plan_tables.JOINT`."""
    rows.low, rows.high = space.low, space.high
    rows.weight, rows.period = space.weights**2, space.period


#: Nodes that most searches do with.
_TREE_NODES = 1024


class Connect(Growing):
    """A search by RRT-Connect.

    Attributes:
        trees: the tables of `plan.kernels.connect`.
    """

    kernel = "plan.kernels.connect.grow_connect"

    def __init__(self, checker: PathChecker, query: Query, seed: int, step: float) -> None:
        super().__init__(checker, query, seed)
        nodes, joints = max(_TREE_NODES, 2 * len(query.goals)), len(query.start)
        row = (1, joints)
        self.trees = g.Trees(
            space=joints, moves=query.space.joints, nodes=(2 * joints, nodes), parents=(2, nodes),
            strides=(2, nodes), apart=nodes, target=row, start=row, to=row, kinds=1,
        )  # fmt: skip
        lay_out_space(self.trees.space, query.space)
        header = self.trees.header
        header.step, header.budget = step, self.budget
        self._plant()

    @property
    def edges(self) -> int:
        return int(self.trees.header.edges)

    @property
    def nodes(self) -> tuple[int, int]:
        mine, theirs = self.trees.header.nodes.tolist()
        return mine, theirs

    def grow(self) -> int:
        header, begun, edges = self.trees.header, perf_counter(), self.edges
        header.until = edges + self.pace.tries
        status = int(
            grow_connect(
                address_of_check(), *self.lent.addresses, self.trees.address, self.numbers.values
            )
        )
        if status == g.AGAIN:
            self.pace.took(self.edges - edges, perf_counter() - begun)
        supply(status, header, self.numbers, self.lent, self._make_room)
        return status

    def path(self) -> tuple[Array, int]:
        """Where a circle has made whole turns on one side, the waypoints behind the bridge go on
        from there."""
        trees, joints = self.trees, len(self.query.start)
        sides = [_branch(trees.parents[t], trees.header.bridge[t]) for t in (0, 1)]
        here = trees.nodes[:joints, sides[0][::-1]].T
        there = trees.nodes[joints:, sides[1]].T
        shift = self.query.space.turns(there[0] - here[-1])
        return np.concatenate([here, there - shift]), sides[1][-1]

    def restart(self) -> None:
        self._plant()
        self.trees.header.phase = g.SAMPLING

    def _plant(self) -> None:
        """Cut both trees down to their roots, about to try the straight way."""
        trees, query = self.trees, self.query
        joints, goals, header = len(query.start), len(query.goals), trees.header
        trees.nodes[:joints, 0] = query.start
        trees.nodes[joints:, :goals] = query.goals.T
        trees.parents[0, 0], trees.parents[1, :goals] = -1, -1
        trees.strides[:, :goals] = header.step
        header.nodes = 1, goals
        header.phase, header.tree, header.meant = g.CONNECTING, 0, 0
        header.near = np.argmin(query.space.distances(query.start, query.goals))
        trees.target[0] = trees.start[0] = trees.to[0] = query.start

    def _make_room(self) -> None:
        """For twice as many nodes."""
        trees, room = self.trees, self.trees.nodes.shape[1]
        for name in ("nodes", "parents", "strides"):
            setattr(trees, name, widened(trees.arrays[name]))
        trees.apart = np.zeros(2 * room)


def _branch(parents: IntArray, tip: int) -> list[int]:
    """The nodes from a tip to the root of its tree."""
    found = [int(tip)]
    while parents[found[-1]] >= 0:
        found.append(int(parents[found[-1]]))
    return found


def widened(rows: Any) -> Any:
    """With twice as many columns, 0 where they are new."""
    wide = np.zeros((len(rows), 2 * rows.shape[1]), rows.dtype)
    wide[:, : rows.shape[1]] = rows
    return wide


#: Milestones that most searches do with.
_MILESTONES = 512

#: Edges for each milestone: one to its parent, and a bridge that became an edge.
_EDGES = 2

#: Tests that one path may take, for each that an edge may.
_PATHS = 10


class Lazy(Growing):
    """A search by A-SBL.

    Attributes:
        roadmap: the tables of `plan.kernels.sbl`.
        open: scratch of the path check, in which every edge is a piece.
    """

    kernel = "plan.kernels.sbl.grow_sbl"

    def __init__(self, checker: PathChecker, query: Query, seed: int, reach: float) -> None:
        super().__init__(checker, query, seed)
        nodes, joints = max(_MILESTONES, 2 * len(query.goals)), len(query.start)
        edges = _EDGES * nodes
        self._pieces: Array = np.zeros((edges, p.POWERS, joints))
        self.open = self._room_for_edges(edges)
        self.roadmap = g.Roadmap(
            space=joints, moves=query.space.joints, nodes=(joints, nodes), milestones=nodes,
            edges=edges, motion=self._motion.tables, point=(1, joints), apart=nodes, kinds=1,
            grid=2 * g.CELLS, filled=2 * g.CELLS, path=nodes + 1,
        )  # fmt: skip
        lay_out_space(self.roadmap.space, query.space)
        header = self.roadmap.header
        header.reach = reach
        header.budget, header.path_budget = self.budget, _PATHS * self.budget
        self._plant()

    @property
    def edges(self) -> int:
        return int(self.roadmap.header.checked)

    @property
    def nodes(self) -> tuple[int, int]:
        count = int(self.roadmap.header.nodes)
        theirs = int(self.roadmap.milestones.owner[:count].sum())
        return count - theirs, theirs

    def grow(self) -> int:
        roadmap, header = self.roadmap, self.roadmap.header
        begun, work = perf_counter(), int(header.work)
        header.until = work + self.pace.tries
        status = int(
            sbl.grow_sbl(
                address_of(_SEARCH), address_of(_CHECK), *self.lent.addresses, roadmap.address,
                self.open.address, self._motion.tables.address, self.numbers.values,
            )
        )  # fmt: skip
        if status == g.AGAIN:
            self.pace.took(int(header.work) - work, perf_counter() - begun)
        elif status == g.PATH_SCRATCH_FULL:
            grow_room(self.open)
        supply(status, header, self.numbers, self.lent, self._make_room)
        return status

    def path(self) -> tuple[Array, int]:
        """Waypoints go on from one to the next by less than half a turn of any circle."""
        parents, bridge = self.roadmap.milestones.parent, self.roadmap.header.bridge
        sides = [_branch(parents, bridge[tree]) for tree in (0, 1)]
        found = self.roadmap.nodes[:, [*sides[0][::-1], *sides[1]]].T.copy()
        # Whole turns are taken off the values as they are, so that a joint without any keeps its.
        taken = np.cumsum(self.query.space.turns(np.diff(found, axis=0)), axis=0)
        found[1:] -= taken
        return np.ascontiguousarray(found), sides[1][-1] - 1

    def restart(self) -> None:
        self._plant()
        self.roadmap.header.phase = sbl.PICKING

    def _plant(self) -> None:
        """The roots alone, about to try the straight way."""
        query, header, nodes = self.query, self.roadmap.header, self.roadmap.nodes
        count = 1 + len(query.goals)
        nodes[:, 0], nodes[:, 1:count] = query.start, query.goals.T
        milestones = self.roadmap.milestones
        milestones.owner[:count], milestones.parent[:count] = 1, -1
        milestones.owner[0] = 0
        header.nodes, header.edges, header.ordered = count, 1, -1
        near = int(np.argmin(query.space.distances(query.start, query.goals)))
        header.bridge, header.bridge_edge = (0, 1 + near), 0
        header.phase = sbl.BRIDGING
        way = query.goals[near] - query.start
        self._pieces[0, 0], self._pieces[0, 1] = query.start, way - query.space.turns(way)
        self.roadmap.edges[0] = g.UNTESTED
        self.open.pieces.root = self.open.pieces.place = -1
        head = self.open.header
        head.queued = head.nodes_used = head.pool_used = 0

    def _make_room(self) -> None:
        """For twice as many milestones and edges; the queue is empty at such a time."""
        roadmap, pieces = self.roadmap, self._pieces
        nodes, edges = roadmap.nodes.shape[1], len(roadmap.edges)
        for name, rows in (("milestones", 2 * nodes), ("edges", 2 * edges)):
            roadmap.grow(name, rows)
        roadmap.nodes = widened(roadmap.nodes)
        roadmap.apart, roadmap.path = np.zeros(2 * nodes), np.zeros(2 * nodes + 1, dtype=np.int64)
        self._pieces = np.concatenate([pieces, np.zeros_like(pieces)])
        opened, self.open = self.open, self._room_for_edges(2 * edges)
        for name in ("nodes", "pool", "pieces"):
            if name != "pieces":
                self.open.grow(name, 2 * len(opened.arrays[name]))
            self.open.arrays[name][: len(opened.arrays[name])] = opened.arrays[name]
        self.open.arrays["header"][:] = opened.arrays["header"]
        self.open.header.loaded = -1
        roadmap.motion = self._motion.tables

    def _room_for_edges(self, edges: int) -> Scratch:
        """Scratch of the path check, and what it takes for each edge beside its coefficients."""
        tables, resting = self.lent.tables, self.lent.resting
        glides = np.ascontiguousarray(np.repeat(resting[None], edges, axis=0))
        self._motion = Motion(self._pieces, glides, np.zeros((edges, tables.joints)))
        return new_scratch(tables, edges)
