"""RRT-Connect: two trees that reach for random configurations, and then for each other.

The smaller tree takes one step of at most STEP towards a random configuration; where that is free,
the other tree goes towards the new node, step by step, until it is there or an edge is not free
(Kuffner and LaValle, 2000). An edge that is not proved free does not count as free. Each edge is
checked in the direction in which the path would run along it.

The first thing tried is the way from the goal nearest to the start straight there.

Distances in the space of the planned joints: ``d(a, b)² = Σ_j w_j (a_j - b_j)²``, the difference of
a joint with a period taken the shorter way round.
"""

from __future__ import annotations

import math

from standoff.compiled.jit import entry, inlined, kernel
from standoff.paths.kernels.search import check_at
from standoff.plan.kernels import plan_tables as g

#: What a node's longest edge is multiplied by when an edge from it is not free, what a child's is
#: of its parent's, and the shortest, as a part of STEP. A node in a tight place, such as a start
#: deep in a shelf, comes to try short edges; elsewhere nodes have few edges, and nothing changes.
SHRINK = 0.995
GROW = 1.2
SHORTEST = 1.0 / 16.0

#: Edges checked for each node of the larger tree before it takes a turn although the other one is
#: smaller: a tree whose root is trapped must not hold the other one back. Trees that take turns
#: whatever their sizes fill the open space with nodes that nobody needs: a third more edges on the
#: problems of `docs/planning.md`, and fewer narrow slots solved. 16 and 64 cost some of that, too.
STARVED = 256


@entry("int64(int64, int64, int64, int64, float64[::1])")
def grow_connect(checker, cell, search, trees, U):
    """Grow until the trees meet, or one of the other reasons to come back; then call again, with
    more room or more random numbers ``U``, and it goes on where it was. ``checker`` is the address
    of `check_segments`, ``cell`` and ``search`` are what it takes."""
    its = g.trees_at(trees)
    header, target, to = its.header, its.target, its.to
    room, planned = its.nodes.shape[1], len(its.moves)
    while header.edges < header.until:
        if header.phase == g.SAMPLING:
            if header.cursor + planned > len(U):
                return g.NO_NUMBERS
            take_turns(header)
            draw(its, U)
            header.near = nearest(its, header.tree, target)
            header.phase = g.EXTENDING
        tree, near = header.tree, header.near
        if max(header.nodes[0], header.nodes[1]) >= room:
            return g.NODES_FULL
        connecting = header.phase == g.CONNECTING
        grown = 1 - tree if connecting else tree
        reached = step_towards(its, grown, near)
        free = edge_is_free(checker, cell, search, its, grown, near)
        if free < 0:
            return g.SCRATCH_FULL
        header.edges += 1
        if free == 0:
            shrink(its, grown, near)
            header.phase = g.SAMPLING
        elif connecting and reached:
            header.bridge[tree], header.bridge[grown] = header.meant, near
            header.phase = g.SAMPLING
            return g.SOLVED
        else:
            header.near = add_node(its, grown, near)
            if not connecting:
                for j in range(to.shape[1]):
                    target[0, j] = to[0, j]
                header.meant = header.near
                header.near = nearest(its, 1 - tree, target)
                header.phase = g.CONNECTING
    return g.AGAIN


@inlined
def take_turns(header):
    """It is the smaller tree's turn, unless the larger one has too few nodes for the edges that
    were checked; of two trees of one size, that of the other one than last time."""
    nodes = header.nodes
    if nodes[0] != nodes[1]:
        larger = 1 if nodes[0] < nodes[1] else 0
        starved = STARVED * nodes[larger] < header.edges
        header.tree = larger if starved else 1 - larger
    else:
        header.tree = 1 - header.tree


@inlined
def shrink(trees, tree, node):
    """Let a node try shorter edges."""
    strides = trees.strides
    strides[tree, node] = max(SHRINK * strides[tree, node], SHORTEST * trees.header.step)


@kernel
def edge_is_free(checker, cell, search, trees, tree, near):
    """Whether the edge from a node to ``to`` is free: 1 or 0; -1 where scratch is too small."""
    nodes, start, to, kinds = trees.nodes, trees.start, trees.to, trees.kinds
    joints, budget = to.shape[1], trees.header.budget
    for j in range(joints):
        start[0, j] = nodes[tree * joints + j, near]
    if tree == 0:
        done = check_at(checker, cell, search, start, to, budget, 0, 1, kinds)
    else:
        done = check_at(checker, cell, search, to, start, budget, 0, 1, kinds)
    if done == 0:
        return -1
    return 1 if kinds[0] == 0 else 0


@inlined
def turns(difference, period):
    """The whole periods to take off so that a difference comes nearest to 0."""
    return 0.0 if period == 0.0 else period * math.floor(difference / period + 0.5)


@kernel
def nearest(trees, tree, q):
    """The node of a tree that is nearest to ``q`` (1, joints); the older one of two."""
    nodes, apart, moves = trees.nodes, trees.apart, trees.moves
    count, joints = trees.header.nodes[tree], q.shape[1]
    for i in range(count):
        apart[i] = 0.0
    for m in range(len(moves)):
        j = moves[m]
        joint, row, at = trees.space[j], tree * joints + j, q[0, j]
        weight, period = joint.weight, joint.period
        if period == 0.0:
            for i in range(count):
                difference = nodes[row, i] - at
                apart[i] += weight * difference * difference
        else:
            for i in range(count):
                difference = nodes[row, i] - at
                difference -= turns(difference, period)
                apart[i] += weight * difference * difference
    best = 0
    for i in range(1, count):
        if apart[i] < apart[best]:
            best = i
    return best


@kernel
def step_towards(trees, tree, near):
    """Into ``to``: what lies at most its stride from a node on the way to the target. Whether that
    is the target itself (up to whole periods)."""
    nodes, space, moves, target, to = trees.nodes, trees.space, trees.moves, trees.target, trees.to
    joints = to.shape[1]
    square = 0.0
    for j in range(joints):
        to[0, j] = nodes[tree * joints + j, near]
    for m in range(len(moves)):
        j = moves[m]
        difference = target[0, j] - to[0, j]
        difference -= turns(difference, space[j].period)
        square += space[j].weight * difference * difference
    length, step = math.sqrt(square), trees.strides[tree, near]
    reached = length <= step
    for m in range(len(moves)):
        j = moves[m]
        joint, way = space[j], target[0, j] - to[0, j]
        round_about = turns(way, joint.period)
        if reached:
            to[0, j] = target[0, j] - round_about
        else:
            to[0, j] += step / length * (way - round_about)
            if joint.period == 0.0:
                to[0, j] = min(max(to[0, j], joint.low), joint.high)
    return reached


@kernel
def add_node(trees, tree, parent):
    """``to`` becomes a node of a tree, which has room for it, and tries longer edges than its
    parent; its number."""
    nodes, to, counts, strides = trees.nodes, trees.to, trees.header.nodes, trees.strides
    joints, k = to.shape[1], counts[tree]
    for j in range(joints):
        nodes[tree * joints + j, k] = to[0, j]
    trees.parents[tree, k] = parent
    strides[tree, k] = min(GROW * strides[tree, parent], trees.header.step)
    counts[tree] = k + 1
    return k


@kernel
def draw(trees, U):
    """A target, uniform in the limits, from the next random numbers."""
    header, moves, target = trees.header, trees.moves, trees.target
    for m in range(len(moves)):
        joint = trees.space[moves[m]]
        low, high = joint.low, joint.high
        target[0, moves[m]] = min(low + U[header.cursor + m] * (high - low), high)
    header.cursor += len(moves)
