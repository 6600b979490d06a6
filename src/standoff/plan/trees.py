"""Two trees in the tables of `kernels.plan.layout`: room for them, and the path they make."""

from __future__ import annotations

import numpy as np

from standoff.index.arena import Arena
from standoff.kernels.plan import layout as g
from standoff.plan.query import Query
from standoff.shapes.pose import Array

#: Nodes that most searches do with.
_NODES = 1024


def new_trees(query: Query, step: float, budget: int) -> Arena:
    """Both trees with their roots, about to try the straight way."""
    arena = _room(query, max(_NODES, 2 * len(query.goals)))
    space = query.space
    arena["space"][g.LOW], arena["space"][g.HIGH] = space.low, space.high
    arena["space"][g.WEIGHT], arena["space"][g.PERIOD] = space.weights**2, space.period
    arena["moves"][0] = space.joints
    arena["settings"][0, g.STEP] = step
    arena["header"][0, g.BUDGET] = budget
    plant(arena, query)
    return arena


def plant(arena: Arena, query: Query) -> None:
    """Cut both trees down to their roots."""
    joints, goals = len(query.start), len(query.goals)
    header = arena["header"][0]
    arena["nodes"][:joints, 0] = query.start
    arena["nodes"][joints:, :goals] = query.goals.T
    arena["parents"][0, 0], arena["parents"][1, :goals] = -1, -1
    header[g.SIZE], header[g.SIZE + 1] = 1, goals
    header[g.PHASE], header[g.TREE], header[g.MEANT] = g.CONNECTING, 0, 0
    header[g.NEAR] = np.argmin(query.space.distances(query.start, query.goals))
    arena["target"][0] = arena["from"][0] = arena["to"][0] = query.start


def roomier(arena: Arena, query: Query) -> Arena:
    """A copy with room for twice as many nodes."""
    room = arena["nodes"].shape[1]
    result = _room(query, 2 * room)
    for name in ("nodes", "parents"):
        result[name][:, :room] = arena[name]
    for name in ("space", "target", "from", "to", "settings", "moves", "header"):
        result[name][:] = arena[name]
    return result


def _room(query: Query, nodes: int) -> Arena:
    joints = len(query.start)
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
        },
        {
            "parents": (2, nodes),
            "moves": (1, len(query.space.joints)),
            "kinds": (1, 1),
            "header": (1, g.HEADER_COLUMNS),
        },
    )


def sizes(arena: Arena) -> tuple[int, int]:
    """Nodes of either tree."""
    header = arena["header"][0]
    return int(header[g.SIZE]), int(header[g.SIZE + 1])


def bridged_path(arena: Arena, query: Query) -> tuple[Array, int]:
    """The waypoints from the start over the bridge to a goal, and which goal. Where a circle has
    made whole turns on one side, the waypoints behind the bridge go on from there."""
    header, joints = arena["header"][0], len(query.start)
    sides = []
    for tree in (0, 1):
        branch = [int(header[g.BRIDGE + tree])]
        while arena["parents"][tree, branch[-1]] >= 0:
            branch.append(int(arena["parents"][tree, branch[-1]]))
        sides.append(branch)
    here = arena["nodes"][:joints, sides[0][::-1]].T
    there = arena["nodes"][joints:, sides[1]].T
    shift = query.space.turns(there[0] - here[-1])
    return np.concatenate([here, there - shift]), sides[1][-1]
