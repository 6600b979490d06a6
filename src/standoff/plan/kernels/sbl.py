"""SBL: single query, bidirectional, lazy (Sánchez and Latombe, 2001; paper 001's reference 22)
with the exact check, which makes it that paper's A-SBL.

Two trees of free configurations grow, without a look at what lies between them. A milestone is
picked where they are sparse, and a free configuration near it becomes its child: first in a box of
half width REACH (a part of each joint's range), then in ever smaller ones. Where the closest
milestone of the other tree is within REACH, a bridge makes a path, and only now its edges are
checked. The edge that is found not to be free is cut out, and what hangs between it and the bridge
changes trees.

The first path tried is the straight way from the start to the closest goal.

The test of a path of the roadmap: all its edges in one queue, the likeliest to collide first.

The queue is that of `paths.kernels.heap`. Edges that another path has left half proved go on where
they were; what is open of an edge when a path is given up stays with the edge.
"""

from __future__ import annotations

import math

from standoff.compiled.arena import reals, wholes
from standoff.compiled.jit import entry, kernel
from standoff.paths.kernels import layout as p
from standoff.paths.kernels.heap import push_node, requeue
from standoff.plan.kernels import layout as g
from standoff.plan.kernels import roadmap as m
from standoff.plan.kernels.checking import check_at, search_at
from standoff.plan.kernels.roadmap import (
    add_milestone,
    closest,
    cut,
    lay_grid,
    list_path,
    new_edge,
    pick,
)

# phases
PICKING = 0
DRAWING = 1
TRYING = 2
BRIDGING = 3
TESTING = 4

#: Boxes that are tried about a milestone before another one is picked.
SMALLEST = 20

#: New milestones after which the grid is laid over two other joints.
LAID = 128

#: Tests of a path between two looks at the outside world, and how many count as one milestone.
PATH_SLICE = 5_000
PER_MILESTONE = 8

#: The scratch of the path test is too small, beside the reasons of `plan.kernels.layout`.
CRAMPED_PATH = 5


@entry(
    f"int64(int64, {g.GROWING}, float64[::1], int64[::1],"
    " float64[:, :, ::1], float64[:, :, ::1], float64[:, ::1], float64[::1])"
)
def grow_sbl(
    searcher, checker, stepper, general, CF, CW, SF, SW, MF, MW, TF, TW, pieces, glides, rounding, U
):
    """Grow until a path is proved, or one of the other reasons to come back. ``searcher`` is the
    address of `search`; TF and TW its scratch, whose pieces are the edges of the roadmap: (n,
    POWERS, joints), with the glides of each and zeros for their rounding."""
    header, planned = wholes(MW, m.M_HEADER), wholes(MW, m.M_MOVES).shape[1]
    while header[0, m.WORK] < header[0, m.UNTIL]:
        phase = header[0, m.PHASE]
        if phase <= DRAWING:
            if header[0, m.CURSOR] + planned + 5 > U.shape[0]:
                return g.DRY
            crowded = header[0, m.NODES] + 1 > reals(MF, MW, m.M_NODES).shape[1]
            if crowded or header[0, m.EDGES] + 2 > wholes(MW, m.M_EDGES).shape[1]:
                return g.CROWDED
            if phase == PICKING:
                pick_milestone(MF, MW, U)
            draw_near(MF, MW, U)
            header[0, m.PHASE] = TRYING
        elif phase == TRYING:
            free = milestone_is_free(checker, stepper, general, CF, CW, SF, SW, MF, MW)
            if free < 0:
                return g.CRAMPED
            header[0, m.WORK] += 1
            if free == 1:
                install(MF, MW, pieces)
            else:
                header[0, m.SHRUNK] += 1
                header[0, m.PHASE] = DRAWING if header[0, m.SHRUNK] < SMALLEST else PICKING
        elif phase == BRIDGING:
            list_path(MW)
            if not begin_path(MW, TF, TW):
                return CRAMPED_PATH
            header[0, m.PHASE] = TESTING
        else:
            status = test_path(
                searcher, stepper, general, CF, CW, TF, TW, MW, pieces, glides, rounding
            )
            if status == p.FREE:
                header[0, m.PHASE] = PICKING
                return g.SOLVED
            if status > p.SPENT:
                return CRAMPED_PATH
    return g.AGAIN


@kernel
def pick_milestone(MF, MW, U):
    """A milestone of either tree to be expanded."""
    header = wholes(MW, m.M_HEADER)
    if header[0, m.SORTED] < 0 or header[0, m.NODES] - header[0, m.SORTED] >= LAID:
        lay_grid(MF, MW, U)
    at = header[0, m.CURSOR]
    tree = 0 if U[at] < 0.5 else 1
    header[0, m.TREE], header[0, m.SHRUNK] = tree, 0
    header[0, m.FROM] = pick(MW, tree, U[at + 1], U[at + 2])
    header[0, m.CURSOR] = at + 3


@kernel
def draw_near(MF, MW, U):
    """Into M_POINT: a configuration in a box about the milestone, within the limits. The n-th box
    is an n-th of the first one wide."""
    header, moves = wholes(MW, m.M_HEADER), wholes(MW, m.M_MOVES)
    nodes, space, point = (
        reals(MF, MW, m.M_NODES), reals(MF, MW, m.M_SPACE), reals(MF, MW, m.M_POINT)
    )  # fmt: skip
    at, k = header[0, m.CURSOR], header[0, m.FROM]
    part = reals(MF, MW, m.M_SETTINGS)[0, m.REACH] / (1.0 + header[0, m.SHRUNK])
    for j in range(point.shape[1]):
        point[0, j] = nodes[j, k]
    for e in range(moves.shape[1]):
        j = moves[0, e]
        half = part * (space[g.HIGH, j] - space[g.LOW, j])
        low, high = point[0, j] - half, point[0, j] + half
        if space[g.PERIOD, j] == 0.0:
            low, high = max(low, space[g.LOW, j]), min(high, space[g.HIGH, j])
        point[0, j] = min(low + U[at + e] * (high - low), high)
    header[0, m.CURSOR] = at + moves.shape[1]


@kernel
def milestone_is_free(checker, stepper, general, CF, CW, SF, SW, MF, MW):
    """Whether M_POINT is free: 1 or 0; -1 where scratch is too small."""
    header, kinds, point = (
        wholes(MW, m.M_HEADER), wholes(MW, m.M_KINDS), reals(MF, MW, m.M_POINT)
    )  # fmt: skip
    done = check_at(
        checker, stepper, general, CF, CW, SF, SW, point, point, reals(MF, MW, m.M_NONE),
        header[0, m.BUDGET], 0, 1, kinds.reshape(kinds.size),
    )  # fmt: skip
    if done == 0:
        return -1
    return 1 if kinds[0, 0] == 0 else 0


@kernel
def install(MF, MW, pieces):
    """M_POINT becomes a milestone, and is bridged to the other tree if that is near."""
    header = wholes(MW, m.M_HEADER)
    parent, tree = header[0, m.FROM], header[0, m.TREE]
    k = add_milestone(MF, MW, parent, header[0, m.EDGES], tree, reals(MF, MW, m.M_POINT))
    if tree == 0:
        new_edge(MF, MW, pieces, parent, k)
    else:
        new_edge(MF, MW, pieces, k, parent)
    header[0, m.PHASE] = PICKING
    other, apart = closest(MF, MW, k)
    if apart < reals(MF, MW, m.M_SETTINGS)[0, m.REACH]:
        header[0, m.BRIDGE + tree], header[0, m.BRIDGE + 1 - tree] = k, other
        header[0, m.BRIDGE_EDGE] = new_edge(
            MF, MW, pieces, header[0, m.BRIDGE], header[0, m.BRIDGE + 1]
        )
        header[0, m.PHASE] = BRIDGING


@kernel
def test_path(searcher, stepper, general, CF, CW, TF, TW, MW, pieces, glides, rounding):
    """Go on with the test of the path. FREE: it is proved. SPENT: look again, there may be another
    path to be found. More than that: scratch is too small."""
    header, head = wholes(MW, m.M_HEADER), wholes(TW, p.S_HEADER)
    before = head[0, p.DISTANCES] + head[0, p.INTERVALS]
    head[0, p.BUDGET] = before + PATH_SLICE
    status = search_at(searcher, stepper, general, CF, CW, TF, TW, pieces, glides, rounding, 0)
    after = head[0, p.DISTANCES] + head[0, p.INTERVALS]
    header[0, m.WORK] += 1 + (after - before) // PER_MILESTONE
    if status > p.SPENT:
        return status
    if status == p.FREE:
        end_path(MW, TF, TW)
        return p.FREE
    bad = wholes(TW, p.S_QUEUE)[0, 0]
    if status == p.FOUND:
        bad = int(reals(TF, TW, p.S_RESULT)[0, p.PIECE])
    elif after >= head[0, p.BUDGET] and after - header[0, m.STARTED] < header[0, m.PATH_BUDGET]:
        return p.SPENT
    # Found not to be free; or too close to call, which counts as much.
    end_path(MW, TF, TW)
    cut(MW, bad)
    wholes(TW, p.S_PIECES)[bad, p.ROOT] = -1
    header[0, m.PHASE] = PICKING
    return p.SPENT


@kernel
def begin_path(MW, TF, TW):
    """Put the edges of M_PATH that are not proved into the queue; False where there is no room."""
    header, path, edges = wholes(MW, m.M_HEADER), wholes(MW, m.M_PATH), wholes(MW, m.M_EDGES)
    head, count = wholes(TW, p.S_HEADER), header[0, m.LENGTH]
    if head[0, p.NODES_USED] + count > reals(TF, TW, p.S_NODES).shape[0]:
        return False
    for k in range(count):
        e = path[0, k]
        if edges[0, e] == m.UNTESTED:
            push_node(TF, TW, e, 0.0, 1.0, math.inf, -1, 0, 0)
            edges[0, e] = m.BEGUN
            header[0, m.CHECKED] += 1
        if edges[0, e] == m.BEGUN:
            requeue(TF, TW, e)
    head[0, p.LOADED] = -1
    reals(TF, TW, p.S_RESULT)[0, p.KIND] = p.NOTHING
    header[0, m.STARTED] = head[0, p.DISTANCES] + head[0, p.INTERVALS]
    header[0, m.TESTED] += 1
    return True


@kernel
def end_path(MW, TF, TW):
    """Take what is left out of the queue, and note which edges are proved."""
    header, path, edges = wholes(MW, m.M_HEADER), wholes(MW, m.M_PATH), wholes(MW, m.M_EDGES)
    pieces = wholes(TW, p.S_PIECES)
    for k in range(header[0, m.LENGTH]):
        e = path[0, k]
        pieces[e, p.PLACE] = -1
        if pieces[e, p.ROOT] < 0:
            edges[0, e] = m.PROVED
    wholes(TW, p.S_HEADER)[0, p.QUEUED] = 0
