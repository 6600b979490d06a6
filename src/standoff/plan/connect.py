"""RRT-Connect: the two trees of `plan.kernels.connect`, their room, and the path they make."""

from __future__ import annotations

from time import perf_counter

import numpy as np

from standoff.compiled.arenas import Arena
from standoff.geometry.pose import Array
from standoff.paths.checker import PathChecker
from standoff.plan.growing import Growing
from standoff.plan.kernels import checking
from standoff.plan.kernels import layout as g
from standoff.plan.kernels.connect import grow_connect
from standoff.plan.query import Query

#: Nodes that most searches do with.
_NODES = 1024


class Connect(Growing):
    """A search by RRT-Connect.

    Attributes:
        trees: the tables of `plan.kernels.layout`.
    """

    kernel = "plan.kernels.connect.grow_connect"

    def __init__(self, checker: PathChecker, query: Query, seed: int, step: float) -> None:
        super().__init__(checker, query, seed)
        self.trees: Arena = self._room(max(_NODES, 2 * len(query.goals)))
        space = query.space
        rows = self.trees["space"]
        rows[g.LOW], rows[g.HIGH] = space.low, space.high
        rows[g.WEIGHT], rows[g.PERIOD] = space.weights**2, space.period
        self.trees["moves"][0] = space.joints
        self.trees["settings"][0, g.STEP] = step
        self.trees["header"][0, g.BUDGET] = self.budget
        self._plant()

    @property
    def edges(self) -> int:
        return int(self.trees["header"][0, g.EDGES])

    @property
    def nodes(self) -> tuple[int, int]:
        header = self.trees["header"][0]
        return int(header[g.SIZE]), int(header[g.SIZE + 1])

    def grow(self) -> int:
        trees, header = self.trees, self.trees["header"][0]
        begun, edges = perf_counter(), self.edges
        header[g.UNTIL] = edges + self.pace.tries
        status = int(
            grow_connect(
                checking.address(), *self.lent.arguments, trees.F, trees.W, self.numbers.values
            )
        )
        if status == g.AGAIN:
            self.pace.took(self.edges - edges, perf_counter() - begun)
        elif status == g.DRY:
            self.numbers.refill(int(header[g.CURSOR]))
            header[g.CURSOR] = 0
        elif status == g.CROWDED:
            self._make_room()
        elif status == g.CRAMPED:
            self.lent.grow()
        return status

    def path(self) -> tuple[Array, int]:
        """Where a circle has made whole turns on one side, the waypoints behind the bridge go on
        from there."""
        trees, joints = self.trees, len(self.query.start)
        sides = []
        for tree in (0, 1):
            branch = [int(trees["header"][0, g.BRIDGE + tree])]
            while trees["parents"][tree, branch[-1]] >= 0:
                branch.append(int(trees["parents"][tree, branch[-1]]))
            sides.append(branch)
        here = trees["nodes"][:joints, sides[0][::-1]].T
        there = trees["nodes"][joints:, sides[1]].T
        shift = self.query.space.turns(there[0] - here[-1])
        return np.concatenate([here, there - shift]), sides[1][-1]

    def restart(self) -> None:
        self._plant()
        self.trees["header"][0, g.PHASE] = g.SAMPLING

    def _plant(self) -> None:
        """Cut both trees down to their roots, about to try the straight way."""
        trees, query = self.trees, self.query
        joints, goals, header = len(query.start), len(query.goals), trees["header"][0]
        trees["nodes"][:joints, 0] = query.start
        trees["nodes"][joints:, :goals] = query.goals.T
        trees["parents"][0, 0], trees["parents"][1, :goals] = -1, -1
        trees["strides"][:, :goals] = trees["settings"][0, g.STEP]
        header[g.SIZE], header[g.SIZE + 1] = 1, goals
        header[g.PHASE], header[g.TREE], header[g.MEANT] = g.CONNECTING, 0, 0
        header[g.NEAR] = np.argmin(query.space.distances(query.start, query.goals))
        trees["target"][0] = trees["from"][0] = trees["to"][0] = query.start

    def _make_room(self) -> None:
        """For twice as many nodes."""
        old = self.trees
        room = old["nodes"].shape[1]
        self.trees = self._room(2 * room)
        for name in ("nodes", "parents", "strides"):
            self.trees[name][:, :room] = old[name]
        for name in ("space", "target", "from", "to", "settings", "moves", "header"):
            self.trees[name][:] = old[name]

    def _room(self, nodes: int) -> Arena:
        joints = len(self.query.start)
        row = (1, joints)
        return Arena(
            {
                "nodes": (2 * joints, nodes),
                "space": (g.SPACE_ROWS, joints),
                "target": row,
                "from": row,
                "to": row,
                "none": row,
                "apart": (1, nodes),
                "settings": (1, g.SETTINGS),
                "strides": (2, nodes),
            },
            {
                "parents": (2, nodes),
                "moves": (1, len(self.query.space.joints)),
                "kinds": (1, 1),
                "header": (1, g.HEADER_COLUMNS),
            },
        )
