"""The roadmap of SBL: milestones of two trees, and the edges between them.

Milestones move from tree to tree, so all are in one table, coordinate by coordinate, each with the
tree it belongs to, its parent and the edge to it. Edges have numbers of their own, which are the
numbers of pieces in the scratch of the path check (`paths.kernels.layout`): there each keeps its
open intervals for as long as the search lasts, so that no work is done twice, whatever path an edge
turns up in (paper 001, section 3.4).
"""

from __future__ import annotations

import math

from standoff.compiled.arena import reals, wholes
from standoff.compiled.jit import kernel
from standoff.plan.kernels import layout as g
from standoff.plan.kernels.space import turns

# float64 tables
M_NODES = 0  #: (joints, nodes)
M_SPACE = 1  #: (SPACE_ROWS, joints), see `plan.kernels.layout`
M_POINT = 2  #: (1, joints) configuration that may become a milestone
M_NONE = 3  #: (1, joints) zeros
M_APART = 4  #: (1, nodes)
M_SETTINGS = 5  #: (1, SETTINGS)

# int64 tables
M_TREES = 6  #: (NODE_ROWS, nodes)
M_EDGES = 7  #: (1, edges) what is known of each
M_MOVES = 8  #: (1, planned joints)
M_KINDS = 9  #: (1, 1)
M_GRID = 10  #: (GRID_ROWS, 2 * CELLS)
M_PATH = 11  #: (1, nodes + 1) edges of the path that is tested
M_HEADER = 12  #: (1, HEADER_COLUMNS)

# columns of M_SETTINGS
REACH = 0  #: half the neighbourhood of a milestone, as a part of each joint's range
SETTINGS = 1

# rows of M_TREES
OWNER = 0
PARENT = 1  #: -1 for a root
EDGE = 2  #: to the parent
NEXT = 3  #: in its cell of the grid; -1: the last
NODE_ROWS = 4

# what is known of an edge
UNTESTED = 0
BEGUN = 1
PROVED = 2

# rows of M_GRID; cells of tree 1 stand behind those of tree 0
HEAD_OF = 0  #: first milestone of a cell; -1: none
COUNT_OF = 1
FILLED = 2  #: the cells that have one
GRID_ROWS = 3

#: Cells along either axis of the grid, and all of them.
AXIS = 10
CELLS = AXIS * AXIS

# columns of M_HEADER
NODES = 0
EDGES = 1  #: numbers given out
PHASE = 2
TREE = 3
FROM = 4  #: milestone that is expanded
SHRUNK = 5  #: times its neighbourhood has shrunk
CURSOR = 6
WORK = 7  #: done so far, in checks of a milestone, about
UNTIL = 8  #: work at which to come back
BUDGET = 9  #: tests of one milestone
PATH_BUDGET = 10  #: tests of one path
CHECKED = 11  #: edges whose check was begun
BRIDGE = 12  #: a milestone of either tree
BRIDGE_EDGE = 14
STARTED = 15  #: tests of the path check when the present path was begun
LENGTH = 16  #: edges in M_PATH
NUMBER_FILLED = 17  #: cells of either tree that have a milestone
AXES = 19  #: joints that the grid is over
SORTED = 21  #: milestones when the grid was laid; -1: it is to be laid anew
TESTED = 22  #: paths
HEADER_COLUMNS = 23


@kernel
def add_milestone(MF, MW, parent, edge, owner, q):
    """A new milestone, for which there is room; its number."""
    nodes, trees, header = reals(MF, MW, M_NODES), wholes(MW, M_TREES), wholes(MW, M_HEADER)
    k = header[0, NODES]
    for j in range(q.shape[1]):
        nodes[j, k] = q[0, j]
    trees[OWNER, k], trees[PARENT, k], trees[EDGE, k] = owner, parent, edge
    header[0, NODES] = k + 1
    put_in_grid(MF, MW, k)
    return k


@kernel
def new_edge(MF, MW, pieces, a, b):
    """A new edge straight from milestone ``a`` to ``b``, circles the shorter way round."""
    nodes, space, header = reals(MF, MW, M_NODES), reals(MF, MW, M_SPACE), wholes(MW, M_HEADER)
    e = header[0, EDGES]
    header[0, EDGES] = e + 1
    for j in range(nodes.shape[0]):
        way = nodes[j, b] - nodes[j, a]
        pieces[e, 0, j] = nodes[j, a]
        pieces[e, 1, j] = nodes[j, b] - turns(way, space[g.PERIOD, j]) - nodes[j, a]
    wholes(MW, M_EDGES)[0, e] = UNTESTED
    return e


@kernel
def lay_grid(MF, MW, U):
    """Sort all milestones into a grid over two joints picked at random."""
    header, moves, grid = wholes(MW, M_HEADER), wholes(MW, M_MOVES), wholes(MW, M_GRID)
    at, planned = header[0, CURSOR], moves.shape[1]
    first = min(planned - 1, int(U[at] * planned))
    second = min(max(planned - 2, 0), int(U[at + 1] * (planned - 1)))
    if second >= first and planned > 1:
        second += 1
    header[0, AXES], header[0, AXES + 1] = moves[0, first], moves[0, second]
    header[0, CURSOR] = at + 2
    for cell in range(2 * CELLS):
        grid[HEAD_OF, cell], grid[COUNT_OF, cell] = -1, 0
    header[0, NUMBER_FILLED] = header[0, NUMBER_FILLED + 1] = 0
    for k in range(header[0, NODES]):
        put_in_grid(MF, MW, k)
    header[0, SORTED] = header[0, NODES]


@kernel
def put_in_grid(MF, MW, k):
    """Put a milestone into its cell."""
    nodes, space, trees = reals(MF, MW, M_NODES), reals(MF, MW, M_SPACE), wholes(MW, M_TREES)
    header, grid = wholes(MW, M_HEADER), wholes(MW, M_GRID)
    owner = trees[OWNER, k]
    cell = 0
    for axis in range(2):
        j = header[0, AXES + axis]
        low, wide = space[g.LOW, j], space[g.HIGH, j] - space[g.LOW, j]
        share = (nodes[j, k] - low) / wide if wide > 0.0 else 0.0
        if space[g.PERIOD, j] > 0.0:
            share -= math.floor(share)
        cell = cell * AXIS + min(max(int(AXIS * share), 0), AXIS - 1)
    cell += owner * CELLS
    if grid[HEAD_OF, cell] < 0:
        filled = header[0, NUMBER_FILLED + owner]
        grid[FILLED, owner * CELLS + filled] = cell
        header[0, NUMBER_FILLED + owner] = filled + 1
    trees[NEXT, k] = grid[HEAD_OF, cell]
    grid[HEAD_OF, cell] = k
    grid[COUNT_OF, cell] += 1


@kernel
def pick(MW, owner, u, v):
    """A milestone of a tree, each cell of the grid as likely as any other: where they are sparse,
    milestones are picked more often. ``u`` and ``v`` are random numbers."""
    header, grid, trees = wholes(MW, M_HEADER), wholes(MW, M_GRID), wholes(MW, M_TREES)
    filled = header[0, NUMBER_FILLED + owner]
    cell = grid[FILLED, owner * CELLS + min(filled - 1, int(u * filled))]
    count = grid[COUNT_OF, cell]
    k = grid[HEAD_OF, cell]
    for _ in range(min(count - 1, int(v * count))):
        k = trees[NEXT, k]
    return k


@kernel
def closest(MF, MW, k):
    """The milestone of the other tree that is closest to ``k``, and how far any joint is from it
    at most, as a part of its range."""
    nodes, space, trees = reals(MF, MW, M_NODES), reals(MF, MW, M_SPACE), wholes(MW, M_TREES)
    apart, moves = reals(MF, MW, M_APART), wholes(MW, M_MOVES)
    size = wholes(MW, M_HEADER)[0, NODES]
    for i in range(size):
        apart[0, i] = 0.0
    for m in range(moves.shape[1]):
        j = moves[0, m]
        at, wide, period = nodes[j, k], space[g.HIGH, j] - space[g.LOW, j], space[g.PERIOD, j]
        scale = 1.0 / wide if wide > 0.0 else 0.0
        for i in range(size):
            way = nodes[j, i] - at
            way = scale * abs(way - turns(way, period))
            apart[0, i] = max(apart[0, i], way)
    best, least = -1, math.inf
    for i in range(size):
        if trees[OWNER, i] != trees[OWNER, k] and apart[0, i] < least:
            best, least = i, apart[0, i]
    return best, least


@kernel
def list_path(MW):
    """The edges from either end of the bridge to its root, and the bridge, into M_PATH."""
    header, trees, path = wholes(MW, M_HEADER), wholes(MW, M_TREES), wholes(MW, M_PATH)
    path[0, 0] = header[0, BRIDGE_EDGE]
    count = 1
    for side in range(2):
        k = header[0, BRIDGE + side]
        while trees[PARENT, k] >= 0:
            path[0, count] = trees[EDGE, k]
            count += 1
            k = trees[PARENT, k]
    header[0, LENGTH] = count


@kernel
def cut(MW, edge):
    """Take an edge of the path out of the roadmap. If it is not the bridge, the bridge becomes an
    edge of a tree: what lies between them hangs on the other tree from now on. The grid has to be
    laid anew then."""
    header, trees = wholes(MW, M_HEADER), wholes(MW, M_TREES)
    if edge == header[0, BRIDGE_EDGE]:
        header[0, EDGES] -= 1  # it was the last one
        return
    header[0, SORTED] = -1
    for side in range(2):
        k = header[0, BRIDGE + side]
        while trees[PARENT, k] >= 0 and trees[EDGE, k] != edge:
            k = trees[PARENT, k]
        if trees[PARENT, k] >= 0:
            # Turn the parents round from the bridge down to the cut.
            above, along = header[0, BRIDGE + 1 - side], header[0, BRIDGE_EDGE]
            k = header[0, BRIDGE + side]
            while True:
                parent, below = trees[PARENT, k], trees[EDGE, k]
                trees[PARENT, k], trees[EDGE, k] = above, along
                if below == edge:
                    break
                above, along, k = k, below, parent
            break
    for k in range(header[0, NODES]):
        root = k
        while trees[PARENT, root] >= 0:
            root = trees[PARENT, root]
        trees[OWNER, k] = trees[OWNER, root]
