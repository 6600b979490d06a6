"""SBL: single query, bidirectional, lazy (Sánchez and Latombe, 2001; paper 001's reference 22)
with the exact check, which makes it that paper's A-SBL.

Two trees of free configurations grow, without a look at what lies between them. A milestone is
picked where they are sparse, and a free configuration near it becomes its child: first in a box of
half width REACH (a part of each joint's range), then in ever smaller ones. Where the closest
milestone of the other tree is within REACH, a bridge makes a path, and only now its edges are
checked. The edge that is found not to be free is cut out, and what hangs between it and the bridge
changes trees.

The first path tried is the straight way from the start to the closest goal.

A path of the roadmap is tested with all its edges in one queue (`paths.kernels.heap`), the one
likeliest to collide first. An edge that an earlier path has left half proved goes on where it was;
what is open of an edge when a path is given up stays with the edge.
"""

from __future__ import annotations

import math

from standoff.compiled.jit import entry, kernel
from standoff.paths.kernels import path_tables as p
from standoff.paths.kernels.heap import push_node, requeue
from standoff.paths.kernels.search import check_at, search_motion_at
from standoff.plan.kernels import plan_tables as g
from standoff.plan.kernels.connect import turns

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


@entry("int64(int64, int64, int64, int64, int64, int64, int64, float64[::1])")
def grow_sbl(searcher, checker, cell, search, roadmap, edges, motion, U):
    """Grow until a path is proved, or one of the other reasons to come back. ``searcher`` and
    ``checker`` are the addresses of `search` and `check_segments`, ``cell`` and ``search`` what the
    latter takes; ``edges`` is scratch whose pieces are the edges of the roadmap, and ``motion`` the
    roadmap's."""
    its, opened = g.roadmap_at(roadmap), p.search_at(edges)
    header, planned = its.header, len(its.moves)
    while header.work < header.until:
        if header.phase <= DRAWING:
            if header.cursor + planned + 5 > len(U):
                return g.NO_NUMBERS
            if header.nodes + 1 > its.nodes.shape[1] or header.edges + 2 > len(its.edges):
                return g.NODES_FULL
            if header.phase == PICKING:
                pick_milestone(its, U)
            draw_near(its, U)
            header.phase = TRYING
        elif header.phase == TRYING:
            free = milestone_is_free(checker, cell, search, its)
            if free < 0:
                return g.SCRATCH_FULL
            header.work += 1
            if free == 1:
                install(its)
            else:
                header.shrunk += 1
                header.phase = DRAWING if header.shrunk < SMALLEST else PICKING
        elif header.phase == BRIDGING:
            list_path(its)
            if not begin_path(its, opened):
                return g.PATH_SCRATCH_FULL
            header.phase = TESTING
        else:
            before = opened.header.distances + opened.header.intervals
            opened.header.budget = before + PATH_SLICE
            status = search_motion_at(searcher, cell, edges, motion, 0)
            status = judge_path(its, opened, status, before)
            if status == p.FREE:
                header.phase = PICKING
                return g.SOLVED
            if status > p.SPENT:
                return g.PATH_SCRATCH_FULL
    return g.AGAIN


@kernel
def pick_milestone(roadmap, U):
    """A milestone of either tree to be expanded."""
    header = roadmap.header
    if header.ordered < 0 or header.nodes - header.ordered >= LAID:
        lay_grid(roadmap, U)
    at = header.cursor
    tree = 0 if U[at] < 0.5 else 1
    header.tree, header.shrunk = tree, 0
    header.expanded = pick(roadmap, tree, U[at + 1], U[at + 2])
    header.cursor = at + 3


@kernel
def draw_near(roadmap, U):
    """Into ``point``: a configuration in a box about the milestone, within the limits. The n-th box
    is an n-th of the first one wide."""
    header, moves, nodes, point = roadmap.header, roadmap.moves, roadmap.nodes, roadmap.point
    at, k = header.cursor, header.expanded
    part = header.reach / (1.0 + header.shrunk)
    for j in range(point.shape[1]):
        point[0, j] = nodes[j, k]
    for e in range(len(moves)):
        j = moves[e]
        joint = roadmap.space[j]
        half = part * (joint.high - joint.low)
        low, high = point[0, j] - half, point[0, j] + half
        if joint.period == 0.0:
            low, high = max(low, joint.low), min(high, joint.high)
        point[0, j] = min(low + U[at + e] * (high - low), high)
    header.cursor = at + len(moves)


@kernel
def milestone_is_free(checker, cell, search, roadmap):
    """Whether ``point`` is free: 1 or 0; -1 where scratch is too small."""
    point, kinds, budget = roadmap.point, roadmap.kinds, roadmap.header.budget
    if check_at(checker, cell, search, point, point, budget, 0, 1, kinds) == 0:
        return -1
    return 1 if kinds[0] == 0 else 0


@kernel
def install(roadmap):
    """``point`` becomes a milestone, and is bridged to the other tree if that is near."""
    header = roadmap.header
    parent, tree = header.expanded, header.tree
    k = add_milestone(roadmap)
    if tree == 0:
        new_edge(roadmap, parent, k)
    else:
        new_edge(roadmap, k, parent)
    header.phase = PICKING
    other, apart = closest(roadmap, k)
    if apart < header.reach:
        header.bridge[tree], header.bridge[1 - tree] = k, other
        header.bridge_edge = new_edge(roadmap, header.bridge[0], header.bridge[1])
        header.phase = BRIDGING


@kernel
def judge_path(roadmap, opened, status, before):
    """What the search of the path says after one slice, which ended with ``status``. FREE: it is
    proved. SPENT: look again, there may be another path to be found. More than that: scratch is too
    small."""
    header, head = roadmap.header, opened.header
    after = head.distances + head.intervals
    header.work += 1 + (after - before) // PER_MILESTONE
    if status > p.SPENT:
        return status
    if status == p.FREE:
        end_path(roadmap, opened)
        return p.FREE
    bad = opened.queue[0]
    if status == p.FOUND:
        bad = opened.result.piece
    elif after >= head.budget and after - header.started < header.path_budget:
        return p.SPENT
    # Found not to be free; or too close to call, which counts as much.
    end_path(roadmap, opened)
    cut(roadmap, bad)
    opened.pieces[bad].root = -1
    header.phase = PICKING
    return p.SPENT


@kernel
def begin_path(roadmap, opened):
    """Put the edges of the path that are not proved into the queue; False where there is no
    room."""
    header, path, edges, head = roadmap.header, roadmap.path, roadmap.edges, opened.header
    if head.nodes_used + header.length > len(opened.nodes):
        return False
    for k in range(header.length):
        e = path[k]
        if edges[e] == g.UNTESTED:
            push_node(opened, e, 0.0, 1.0, math.inf, -1, 0, 0)
            edges[e] = g.BEGUN
            header.checked += 1
        if edges[e] == g.BEGUN:
            requeue(opened, e)
    head.loaded = -1
    opened.result.kind = p.NOTHING
    header.started = head.distances + head.intervals
    header.tested += 1
    return True


@kernel
def end_path(roadmap, opened):
    """Take what is left out of the queue, and note which edges are proved."""
    path, edges, pieces = roadmap.path, roadmap.edges, opened.pieces
    for k in range(roadmap.header.length):
        e = path[k]
        pieces[e].place = -1
        if pieces[e].root < 0:
            edges[e] = g.PROVED
    opened.header.queued = 0


@kernel
def add_milestone(roadmap):
    """``point``, for which there is room, as a milestone of the tree whose turn it is, with the
    edge that is made next to the one that was expanded; its number."""
    nodes, point, header = roadmap.nodes, roadmap.point, roadmap.header
    k = header.nodes
    for j in range(point.shape[1]):
        nodes[j, k] = point[0, j]
    milestone = roadmap.milestones[k]
    milestone.owner, milestone.parent = header.tree, header.expanded
    milestone.edge = header.edges
    header.nodes = k + 1
    put_in_grid(roadmap, k)
    return k


@kernel
def new_edge(roadmap, a, b):
    """A new edge straight from milestone ``a`` to ``b``, circles the shorter way round."""
    nodes, pieces, e = roadmap.nodes, roadmap.motion.pieces, roadmap.header.edges
    roadmap.header.edges = e + 1
    row = p.POWERS * e
    for j in range(nodes.shape[0]):
        way = nodes[j, b] - nodes[j, a]
        pieces[row, j] = nodes[j, a]
        pieces[row + 1, j] = nodes[j, b] - turns(way, roadmap.space[j].period) - nodes[j, a]
    roadmap.edges[e] = g.UNTESTED
    return e


@kernel
def lay_grid(roadmap, U):
    """Sort all milestones into a grid over two joints picked at random."""
    header, moves, grid = roadmap.header, roadmap.moves, roadmap.grid
    at, planned = header.cursor, len(moves)
    first = min(planned - 1, int(U[at] * planned))
    second = min(max(planned - 2, 0), int(U[at + 1] * (planned - 1)))
    if second >= first and planned > 1:
        second += 1
    header.axes[0], header.axes[1] = moves[first], moves[second]
    header.cursor = at + 2
    for cell in range(2 * g.CELLS):
        grid[cell].head, grid[cell].count = -1, 0
    header.filled[0] = header.filled[1] = 0
    for k in range(header.nodes):
        put_in_grid(roadmap, k)
    header.ordered = header.nodes


@kernel
def put_in_grid(roadmap, k):
    """Put a milestone into its cell."""
    header, milestone = roadmap.header, roadmap.milestones[k]
    owner = milestone.owner
    place = 0
    for axis in range(2):
        j = header.axes[axis]
        joint = roadmap.space[j]
        wide = joint.high - joint.low
        share = (roadmap.nodes[j, k] - joint.low) / wide if wide > 0.0 else 0.0
        if joint.period > 0.0:
            share -= math.floor(share)
        place = place * g.AXIS + min(max(int(g.AXIS * share), 0), g.AXIS - 1)
    place += owner * g.CELLS
    cell = roadmap.grid[place]
    if cell.head < 0:
        filled = header.filled[owner]
        roadmap.filled[owner * g.CELLS + filled] = place
        header.filled[owner] = filled + 1
    milestone.next = cell.head
    cell.head = k
    cell.count += 1


@kernel
def pick(roadmap, owner, u, v):
    """A milestone of a tree, each cell of the grid as likely as any other: where they are sparse,
    milestones are picked more often. ``u`` and ``v`` are random numbers."""
    filled, milestones = roadmap.header.filled[owner], roadmap.milestones
    cell = roadmap.grid[roadmap.filled[owner * g.CELLS + min(filled - 1, int(u * filled))]]
    count, k = cell.count, cell.head
    for _ in range(min(count - 1, int(v * count))):
        k = milestones[k].next
    return k


@kernel
def closest(roadmap, k):
    """The milestone of the other tree that is closest to ``k``, and how far any joint is from it
    at most, as a part of its range."""
    nodes, milestones, apart = roadmap.nodes, roadmap.milestones, roadmap.apart
    moves, count = roadmap.moves, roadmap.header.nodes
    for i in range(count):
        apart[i] = 0.0
    for m in range(len(moves)):
        j = moves[m]
        joint = roadmap.space[j]
        at, wide, period = nodes[j, k], joint.high - joint.low, joint.period
        scale = 1.0 / wide if wide > 0.0 else 0.0
        for i in range(count):
            way = nodes[j, i] - at
            way = scale * abs(way - turns(way, period))
            apart[i] = max(apart[i], way)
    best, least, owner = -1, math.inf, milestones[k].owner
    for i in range(count):
        if milestones[i].owner != owner and apart[i] < least:
            best, least = i, apart[i]
    return best, least


@kernel
def list_path(roadmap):
    """The edges from either end of the bridge to its root, and the bridge, into ``path``."""
    header, milestones, path = roadmap.header, roadmap.milestones, roadmap.path
    path[0] = header.bridge_edge
    count = 1
    for side in range(2):
        k = header.bridge[side]
        while milestones[k].parent >= 0:
            path[count] = milestones[k].edge
            count += 1
            k = milestones[k].parent
    header.length = count


@kernel
def cut(roadmap, edge):
    """Take an edge of the path out of the roadmap. If it is not the bridge, the bridge becomes an
    edge of a tree: what lies between them hangs on the other tree from now on. The grid has to be
    laid anew then."""
    header, milestones = roadmap.header, roadmap.milestones
    if edge == header.bridge_edge:
        header.edges -= 1  # it was the last one
        return
    header.ordered = -1
    for side in range(2):
        k = header.bridge[side]
        while milestones[k].parent >= 0 and milestones[k].edge != edge:
            k = milestones[k].parent
        if milestones[k].parent >= 0:
            # Turn the parents round from the bridge down to the cut.
            above, along = header.bridge[1 - side], header.bridge_edge
            k = header.bridge[side]
            while True:
                parent, below = milestones[k].parent, milestones[k].edge
                milestones[k].parent, milestones[k].edge = above, along
                if below == edge:
                    break
                above, along, k = k, below, parent
            break
    for k in range(header.nodes):
        root = k
        while milestones[root].parent >= 0:
            root = milestones[root].parent
        milestones[k].owner = milestones[root].owner
