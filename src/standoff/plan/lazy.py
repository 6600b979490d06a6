"""A-SBL: the roadmap of `plan.kernels.sbl`, its room, and the path it holds."""

from __future__ import annotations

from time import perf_counter
from typing import Any

import numpy as np

from standoff.compiled.arenas import Arena
from standoff.geometry.pose import Array
from standoff.paths.checker import PathChecker
from standoff.paths.kernels import layout as p
from standoff.paths.search import new_scratch
from standoff.plan.growing import Growing
from standoff.plan.kernels import checking, sbl
from standoff.plan.kernels import layout as g
from standoff.plan.kernels import roadmap as m
from standoff.plan.query import Query

#: Milestones that most searches do with.
_NODES = 512

#: Edges for each milestone: one to its parent, and a bridge that became an edge.
_EDGES = 2

#: Tests that one path may take, for each that an edge may.
_PATHS = 10


class Lazy(Growing):
    """A search by A-SBL.

    Attributes:
        roadmap: the tables of `plan.kernels.roadmap`.
        open: scratch of the path check, in which every edge is a piece.
    """

    kernel = "plan.kernels.sbl.grow_sbl"

    def __init__(self, checker: PathChecker, query: Query, seed: int, reach: float) -> None:
        super().__init__(checker, query, seed)
        joints = len(query.start)
        nodes = max(_NODES, 2 * len(query.goals))
        self.roadmap: Arena = self._room(nodes)
        space, rows = query.space, self.roadmap["space"]
        rows[g.LOW], rows[g.HIGH], rows[g.PERIOD] = space.low, space.high, space.period
        self.roadmap["moves"][0] = space.joints
        self.roadmap["settings"][0, m.REACH] = reach
        header = self.roadmap["header"][0]
        header[m.BUDGET], header[m.PATH_BUDGET] = self.budget, _PATHS * self.budget
        self._pieces: Array = np.zeros((_EDGES * nodes, p.POWERS, joints))
        self.open: Arena = self._room_for_edges(_EDGES * nodes)
        self._plant()

    @property
    def edges(self) -> int:
        return int(self.roadmap["header"][0, m.CHECKED])

    @property
    def nodes(self) -> tuple[int, int]:
        count = int(self.roadmap["header"][0, m.NODES])
        theirs = int(self.roadmap["trees"][m.OWNER, :count].sum())
        return count - theirs, theirs

    def grow(self) -> int:
        roadmap, header = self.roadmap, self.roadmap["header"][0]
        begun, work = perf_counter(), int(header[m.WORK])
        header[m.UNTIL] = work + self.pace.tries
        status = int(
            sbl.grow_sbl(
                checking.address("paths.kernels.search.search"), checking.address(),
                *self.lent.arguments, roadmap.F, roadmap.W, self.open.F, self.open.W,
                self._pieces, self._glides, self._rounding, self.numbers.values,
            )
        )  # fmt: skip
        if status == g.AGAIN:
            self.pace.took(int(header[m.WORK]) - work, perf_counter() - begun)
        elif status == g.DRY:
            self.numbers.refill(int(header[m.CURSOR]))
            header[m.CURSOR] = 0
        elif status == g.CROWDED:
            self._make_room()
        elif status == g.CRAMPED:
            self.lent.grow()
        elif status == sbl.CRAMPED_PATH:
            names = ("nodes", "linked", "pool")
            self.open = self.open.grown({name: 2 * len(self.open[name]) for name in names})
        return status

    def path(self) -> tuple[Array, int]:
        """Waypoints go on from one to the next by less than half a turn of any circle."""
        trees, header = self.roadmap["trees"], self.roadmap["header"][0]
        sides = []
        for tree in (0, 1):
            branch = [int(header[m.BRIDGE + tree])]
            while trees[m.PARENT, branch[-1]] >= 0:
                branch.append(int(trees[m.PARENT, branch[-1]]))
            sides.append(branch)
        found = self.roadmap["nodes"][:, [*sides[0][::-1], *sides[1]]].T.copy()
        # Whole turns are taken off the values as they are, so that a joint without any keeps its.
        taken = np.cumsum(self.query.space.turns(np.diff(found, axis=0)), axis=0)
        found[1:] -= taken
        return np.ascontiguousarray(found), sides[1][-1] - 1

    def restart(self) -> None:
        self._plant()
        self.roadmap["header"][0, m.PHASE] = sbl.PICKING

    def _plant(self) -> None:
        """The roots alone, about to try the straight way."""
        query, header, nodes = self.query, self.roadmap["header"][0], self.roadmap["nodes"]
        count = 1 + len(query.goals)
        nodes[:, 0], nodes[:, 1:count] = query.start, query.goals.T
        trees = self.roadmap["trees"]
        trees[m.OWNER, :count], trees[m.PARENT, :count] = 1, -1
        trees[m.OWNER, 0] = 0
        header[m.NODES], header[m.EDGES], header[m.SORTED] = count, 1, -1
        near = int(np.argmin(query.space.distances(query.start, query.goals)))
        header[m.BRIDGE : m.BRIDGE + 2], header[m.BRIDGE_EDGE] = (0, 1 + near), 0
        header[m.PHASE] = sbl.BRIDGING
        way = query.goals[near] - query.start
        self._pieces[0, 0], self._pieces[0, 1] = query.start, way - query.space.turns(way)
        self.roadmap["edges"][0, 0] = m.UNTESTED
        self.open["pieces"][:] = -1
        self.open["header"][0, [p.QUEUED, p.NODES_USED, p.POOL_USED]] = 0

    def _make_room(self) -> None:
        """For twice as many milestones and edges; the queue is empty at such a time."""
        old, opened, pieces = self.roadmap, self.open, self._pieces
        nodes, edges = old["nodes"].shape[1], old["edges"].shape[1]
        self.roadmap = self._room(2 * nodes)
        for name, room in (("nodes", nodes), ("trees", nodes), ("edges", edges)):
            self.roadmap[name][:, :room] = old[name]
        for name in ("space", "point", "settings", "moves", "grid", "header"):
            self.roadmap[name][:] = old[name]
        self._pieces = np.zeros((2 * edges, *pieces.shape[1:]))
        self._pieces[:edges] = pieces
        bigger = self._room_for_edges(2 * edges)
        names = ("nodes", "linked", "pool")
        self.open = bigger.grown({name: 2 * len(opened[name]) for name in names})
        for name in (*names, "pieces"):
            self.open[name][: len(opened[name])] = opened[name]
        self.open["header"][:] = opened["header"]
        self.open["header"][0, p.LOADED] = -1

    def _room_for_edges(self, edges: int) -> Arena:
        """Scratch of the path check, and what it takes for each edge beside its coefficients."""
        scratch = new_scratch(self.lent.tables, edges)
        resting = self.lent.resting
        self._glides: Array = np.ascontiguousarray(np.repeat(resting[None], edges, axis=0))
        self._rounding: Array = np.zeros((edges, self.lent.tables.joints))
        return scratch

    def _room(self, nodes: int) -> Arena:
        joints = len(self.query.start)
        row = (1, joints)
        reals: dict[str, Any] = {
            "nodes": (joints, nodes),
            "space": (g.SPACE_ROWS, joints),
            "point": row,
            "none": row,
            "apart": (1, nodes),
            "settings": (1, m.SETTINGS),
        }
        wholes: dict[str, Any] = {
            "trees": (m.NODE_ROWS, nodes),
            "edges": (1, _EDGES * nodes),
            "moves": (1, len(self.query.space.joints)),
            "kinds": (1, 1),
            "grid": (m.GRID_ROWS, 2 * m.CELLS),
            "path": (1, nodes + 1),
            "header": (1, m.HEADER_COLUMNS),
        }
        return Arena(reals, wholes)
