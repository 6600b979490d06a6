"""RRT-Connect: two trees that reach for random configurations, and then for each other.

The smaller tree takes one step of at most STEP towards a random configuration; where that is free,
the other tree goes towards the new node, step by step, until it is there or an edge is not free
(Kuffner and LaValle, 2000). An edge that is not proved free does not count as free. Each edge is
checked in the direction in which the path would run along it.

The first thing tried is the way from the goal nearest to the start straight there.
"""

from __future__ import annotations

from standoff.compiled.arena import reals, wholes
from standoff.compiled.jit import entry, inlined, kernel
from standoff.plan.kernels import layout as g
from standoff.plan.kernels.checking import check_at
from standoff.plan.kernels.space import add_node, draw, nearest, step_towards

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


@entry(f"int64({g.GROWING}, float64[::1])")
def grow_connect(checker, stepper, general, CF, CW, SF, SW, GF, GW, U):
    """Grow until the trees meet, or one of the other reasons to come back; then call again, with
    more room or more random numbers ``U``, and it goes on where it was."""
    header, target, to = (
        wholes(GW, g.G_HEADER), reals(GF, GW, g.G_TARGET), reals(GF, GW, g.G_TO)
    )  # fmt: skip
    room = reals(GF, GW, g.G_NODES).shape[1]
    planned = wholes(GW, g.G_MOVES).shape[1]
    while header[0, g.EDGES] < header[0, g.UNTIL]:
        if header[0, g.PHASE] == g.SAMPLING:
            if header[0, g.CURSOR] + planned > U.shape[0]:
                return g.DRY
            take_turns(header)
            draw(GF, GW, U, target)
            header[0, g.NEAR] = nearest(GF, GW, header[0, g.TREE], target)
            header[0, g.PHASE] = g.EXTENDING
        tree = header[0, g.TREE]
        if max(header[0, g.SIZE], header[0, g.SIZE + 1]) >= room:
            return g.CROWDED
        connecting = header[0, g.PHASE] == g.CONNECTING
        grown = 1 - tree if connecting else tree
        near = header[0, g.NEAR]
        reached = step_towards(GF, GW, grown, near, target, to)
        free = edge_is_free(checker, stepper, general, CF, CW, SF, SW, GF, GW, grown, near)
        if free < 0:
            return g.CRAMPED
        header[0, g.EDGES] += 1
        if free == 0:
            shrink(GF, GW, grown, near)
            header[0, g.PHASE] = g.SAMPLING
        elif connecting and reached:
            header[0, g.BRIDGE + tree], header[0, g.BRIDGE + grown] = header[0, g.MEANT], near
            header[0, g.PHASE] = g.SAMPLING
            return g.SOLVED
        else:
            new = add_node(GF, GW, grown, near, to)
            lengthen(GF, GW, grown, near, new)
            header[0, g.NEAR] = new
            if not connecting:
                for j in range(to.shape[1]):
                    target[0, j] = to[0, j]
                header[0, g.MEANT] = new
                header[0, g.NEAR] = nearest(GF, GW, 1 - tree, target)
                header[0, g.PHASE] = g.CONNECTING
    return g.AGAIN


@inlined
def take_turns(header):
    """It is the smaller tree's turn, unless the larger one has too few nodes for the edges that
    were checked; of two trees of one size, that of the other one than last time."""
    if header[0, g.SIZE] != header[0, g.SIZE + 1]:
        larger = 1 if header[0, g.SIZE] < header[0, g.SIZE + 1] else 0
        starved = STARVED * header[0, g.SIZE + larger] < header[0, g.EDGES]
        header[0, g.TREE] = larger if starved else 1 - larger
    else:
        header[0, g.TREE] = 1 - header[0, g.TREE]


@inlined
def shrink(GF, GW, tree, node):
    """Let a node try shorter edges."""
    strides, step = reals(GF, GW, g.G_STRIDES), reals(GF, GW, g.G_SETTINGS)[0, g.STEP]
    strides[tree, node] = max(SHRINK * strides[tree, node], SHORTEST * step)


@inlined
def lengthen(GF, GW, tree, parent, child):
    """Let a child try longer edges than its parent."""
    strides, step = reals(GF, GW, g.G_STRIDES), reals(GF, GW, g.G_SETTINGS)[0, g.STEP]
    strides[tree, child] = min(GROW * strides[tree, parent], step)


@kernel
def edge_is_free(checker, stepper, general, CF, CW, SF, SW, GF, GW, tree, near):
    """Whether the edge from a node to G_TO is free: 1 or 0; -1 where scratch is too small."""
    header, kinds = wholes(GW, g.G_HEADER), wholes(GW, g.G_KINDS)
    nodes, start, to = (
        reals(GF, GW, g.G_NODES), reals(GF, GW, g.G_FROM), reals(GF, GW, g.G_TO)
    )  # fmt: skip
    joints = to.shape[1]
    for j in range(joints):
        start[0, j] = nodes[tree * joints + j, near]
    none, found = reals(GF, GW, g.G_NONE), kinds.reshape(kinds.size)
    budget = header[0, g.BUDGET]
    if tree == 0:
        done = check_at(
            checker, stepper, general, CF, CW, SF, SW, start, to, none, budget, 0, 1, found
        )
    else:
        done = check_at(
            checker, stepper, general, CF, CW, SF, SW, to, start, none, budget, 0, 1, found
        )
    if done == 0:
        return -1
    return 1 if kinds[0, 0] == 0 else 0
