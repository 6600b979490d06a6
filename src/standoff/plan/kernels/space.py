"""Distances and steps in the space of the planned joints.

``d(a, b)² = Σ_j w_j (a_j - b_j)²`` over the planned joints, the difference of a joint with a period
taken the shorter way round.
"""

from __future__ import annotations

import math

from standoff.compiled.arena import reals, wholes
from standoff.compiled.jit import inlined, kernel
from standoff.plan.kernels import layout as g


@inlined
def turns(difference, period):
    """The whole periods to take off so that a difference comes nearest to 0."""
    return 0.0 if period == 0.0 else period * math.floor(difference / period + 0.5)


@kernel
def nearest(GF, GW, tree, q):
    """The node of a tree that is nearest to ``q`` (1, joints); the older one of two."""
    nodes, apart = reals(GF, GW, g.G_NODES), reals(GF, GW, g.G_APART)
    space, moves = reals(GF, GW, g.G_SPACE), wholes(GW, g.G_MOVES)
    size = wholes(GW, g.G_HEADER)[0, g.SIZE + tree]
    joints = q.shape[1]
    for i in range(size):
        apart[0, i] = 0.0
    for m in range(moves.shape[1]):
        j = moves[0, m]
        row, at, weight, period = (
            tree * joints + j, q[0, j], space[g.WEIGHT, j], space[g.PERIOD, j]
        )  # fmt: skip
        if period == 0.0:
            for i in range(size):
                difference = nodes[row, i] - at
                apart[0, i] += weight * difference * difference
        else:
            for i in range(size):
                difference = nodes[row, i] - at
                difference -= turns(difference, period)
                apart[0, i] += weight * difference * difference
    best = 0
    for i in range(1, size):
        if apart[0, i] < apart[0, best]:
            best = i
    return best


@kernel
def step_towards(GF, GW, tree, near, target, to):
    """Into ``to`` (1, joints): what lies at most its stride from a node on the way to ``target``.
    Whether that is the target itself (up to whole periods)."""
    nodes, space = reals(GF, GW, g.G_NODES), reals(GF, GW, g.G_SPACE)
    moves = wholes(GW, g.G_MOVES)
    joints = to.shape[1]
    square = 0.0
    for j in range(joints):
        to[0, j] = nodes[tree * joints + j, near]
    for m in range(moves.shape[1]):
        j = moves[0, m]
        difference = target[0, j] - to[0, j]
        difference -= turns(difference, space[g.PERIOD, j])
        square += space[g.WEIGHT, j] * difference * difference
    length, step = math.sqrt(square), reals(GF, GW, g.G_STRIDES)[tree, near]
    reached = length <= step
    for m in range(moves.shape[1]):
        j = moves[0, m]
        period = space[g.PERIOD, j]
        way = target[0, j] - to[0, j]
        round_about = turns(way, period)
        if reached:
            to[0, j] = target[0, j] - round_about
        else:
            to[0, j] += step / length * (way - round_about)
            if period == 0.0:
                to[0, j] = min(max(to[0, j], space[g.LOW, j]), space[g.HIGH, j])
    return reached


@kernel
def add_node(GF, GW, tree, parent, q):
    """A new node of a tree, which has room for it; its number."""
    nodes, header = reals(GF, GW, g.G_NODES), wholes(GW, g.G_HEADER)
    joints = q.shape[1]
    k = header[0, g.SIZE + tree]
    for j in range(joints):
        nodes[tree * joints + j, k] = q[0, j]
    wholes(GW, g.G_PARENTS)[tree, k] = parent
    header[0, g.SIZE + tree] = k + 1
    return k


@kernel
def draw(GF, GW, U, q):
    """A configuration ``q`` (1, joints), uniform in the limits, from the next random numbers."""
    space, moves, header = reals(GF, GW, g.G_SPACE), wholes(GW, g.G_MOVES), wholes(GW, g.G_HEADER)
    at = header[0, g.CURSOR]
    for m in range(moves.shape[1]):
        j = moves[0, m]
        low, high = space[g.LOW, j], space[g.HIGH, j]
        q[0, j] = min(low + U[at + m] * (high - low), high)
    header[0, g.CURSOR] = at + moves.shape[1]
