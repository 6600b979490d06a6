"""The tables of searches for a path.

Only the joints in ``moves`` are planned; the others stay as the start has them. A joint with a
period is a circle: distances and steps go the shorter way round, and the values of neighbouring
nodes differ by less than half a turn, however many turns a branch has made.
"""

from __future__ import annotations

from standoff.compiled.tables import (
    ANY,
    Nested,
    Reals,
    Record,
    Records,
    Tables,
    Wholes,
    fields,
    viewer,
)
from standoff.paths.kernels.path_tables import Motion

#: One joint of the space: limits, the weight of its distance, squared, and its period; 0: none.
JOINT = fields(low=float, high=float, weight=float, period=float)

TREES_HEADER = fields(
    nodes=(int, 2),  #: of either tree
    bridge=(int, 2),  #: nodes of either tree that met
    phase=int,
    tree=int,  #: whose turn it is
    near=int,  #: node that the present branch has reached
    meant=int,  #: node of the growing tree that the other one is to reach
    cursor=int,  #: random numbers that were used
    edges=int,  #: checked
    until=int,  #: edges at which to come back
    budget=int,  #: tests of one edge
    step=float,  #: longest edge
)


class Trees(Tables):
    """Two trees grow, 0 from the start and 1 from the goals. Both keep whole configurations,
    coordinate by coordinate, so that a scan for the nearest node runs along memory: column ``i`` of
    the rows ``tree * joints + j`` is node ``i``."""

    header = Record(TREES_HEADER)
    space = Records(JOINT)
    moves = Wholes(doc="the planned joints")
    nodes = Reals(ANY, "(2 * joints, nodes)")
    parents = Wholes(ANY, "(2, nodes); -1 for a root")
    strides = Reals(ANY, "(2, nodes) longest edge that a node tries")
    apart = Reals(doc="by node: squared distances")
    target = Reals(ANY, "(1, joints) where the present branch is to go")
    start = Reals(ANY, "(1, joints) ends of the edge that is checked")
    to = Reals(ANY, "(1, joints)")
    kinds = Wholes(doc="(1) what was found of the edge")


# phases of the trees
SAMPLING = 0
EXTENDING = 1
CONNECTING = 2

MILESTONE = fields(
    owner=int,  #: tree
    parent=int,  #: -1 for a root
    edge=int,  #: to the parent
    next=int,  #: in its cell of the grid; -1: the last
)

#: A cell of the grid: its first milestone, -1 for none, and how many it has.
GRID_CELL = fields(head=int, count=int)

ROADMAP_HEADER = fields(
    filled=(int, 2),  #: cells of either tree that have a milestone
    axes=(int, 2),  #: joints that the grid is over
    bridge=(int, 2),  #: a milestone of either tree
    bridge_edge=int,
    nodes=int,
    edges=int,  #: numbers given out
    phase=int,
    tree=int,
    expanded=int,  #: milestone that is expanded
    shrunk=int,  #: times its neighbourhood has shrunk
    cursor=int,
    work=int,  #: done so far, in checks of a milestone, about
    until=int,  #: work at which to come back
    budget=int,  #: tests of one milestone
    path_budget=int,  #: tests of one path
    checked=int,  #: edges whose check was begun
    started=int,  #: tests of the path check when the present path was begun
    length=int,  #: edges in `path`
    ordered=int,  #: milestones when the grid was laid; -1: it is to be laid anew
    tested=int,  #: paths
    reach=float,  #: half the neighbourhood of a milestone, as a part of each joint's range
)

#: Cells along either axis of the grid, and all of them.
AXIS = 10
CELLS = AXIS * AXIS


class Roadmap(Tables):
    """The roadmap of SBL: milestones of two trees, and the edges between them.

    Milestones move from tree to tree, so all are in one table, coordinate by coordinate. Edges have
    numbers of their own, which are the numbers of pieces in the scratch of the path check: there
    each keeps its open intervals for as long as the search lasts, so that no work is done twice,
    whatever path an edge turns up in (paper 001, section 3.4)."""

    header = Record(ROADMAP_HEADER)
    space = Records(JOINT)
    moves = Wholes(doc="the planned joints")
    nodes = Reals(ANY, "(joints, nodes)")
    milestones = Records(MILESTONE, "(nodes)")
    edges = Wholes(doc="what is known of each")
    motion = Nested(Motion, "every edge is a piece")
    point = Reals(ANY, "(1, joints) configuration that may become a milestone")
    apart = Reals(doc="by node")
    kinds = Wholes(doc="(1)")
    grid = Records(GRID_CELL, "(2 * CELLS); cells of tree 1 stand behind those of tree 0")
    filled = Wholes(doc="(2 * CELLS) the cells that have one")
    path = Wholes(doc="(nodes + 1) edges of the path that is tested")


# what is known of an edge
UNTESTED = 0
BEGUN = 1
PROVED = 2

SHORTCUTS_HEADER = fields(
    count=int,  #: of vertices
    used=int,  #: rows
    tried=int,
    taken=int,
    latest=int,  #: tries up to the last shortcut that was taken
    until=int,  #: tries at which to come back
    cursor=int,
    budget=int,
    checked=int,  #: segments
    length=float,  #: of the path
    window=float,  #: as a part of the path
)


class Shortcuts(Tables):
    """A path that is made shorter. The vertices are rows in any order."""

    header = Record(SHORTCUTS_HEADER)
    rows = Reals(ANY, "(rows, joints) vertices")
    order = Wholes(doc="the rows along the path")
    lengths = Reals(doc="of the edge from each vertex of the path to the next")
    weights = Reals(doc="by joint")
    ends = Reals(ANY, "(4, joints) the edge before, the shortcut and the edge behind it")
    nexts = Reals(ANY, "the same from its second row on: each segment goes from a row to the next")
    kinds = Wholes(doc="(3)")


trees_at, roadmap_at, shortcuts_at = viewer(Trees), viewer(Roadmap), viewer(Shortcuts)

# why a kernel came back
SOLVED = 0
AGAIN = 1  #: as many edges, or tries, as it was to check
NO_NUMBERS = 2  #: no random numbers left
NODES_FULL = 3  #: no room for another node
SCRATCH_FULL = 4  #: a table of the checker's scratch is too small
PATH_SCRATCH_FULL = 5  #: a table of the scratch that paths are tested in
