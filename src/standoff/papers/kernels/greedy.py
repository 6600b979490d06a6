"""Greedy distance: a lower bound on the distance of two surfaces of triangles, for little more than
the price of a collision test (paper 001, section 3.2).

Two trees of swept spheres are walked down from their roots. A pair of volumes farther apart than
``delta`` is let be; one that is not has the larger of the two split, or the other one where that is
a leaf. The walk ends at the first two leaves that are not farther apart than ``delta``, or with a
*front* of pairs that all are: the least of their bounds is a lower bound on the distance.

The walk only asks whether a pair is farther than ``delta``, and takes the first direction that
says so. Where the pair with the least bound has such a bound only, the exact one is taken; that
makes it the paper's. But the bound is what the path checker turns into covered length, and a few
volumes more make it far better: the pair with the least is split, and again, as long as the effort
allows. A front of one pair, the two roots, gains the most.
"""

from __future__ import annotations

import math

from standoff.compiled.jit import entry, kernel
from standoff.compiled.tables import Nested, Record, Records, Tables, fields, viewer
from standoff.geometry.narrowphase.bodies import PairScratch, bodies_at
from standoff.geometry.narrowphase.bvh_walk import (
    OVER,
    SETTLED,
    SPLIT,
    begin,
    load_leaves,
    push_roots,
    volume_bound,
    walk,
)
from standoff.geometry.narrowphase.layout import NODE0
from standoff.geometry.narrowphase.rss import CENTRE
from standoff.geometry.narrowphase.triangle import triangle_triangle
from standoff.geometry.narrowphase.vectors import dot, minus, place

#: In the place of a bound: the two are not farther apart than asked, beyond doubt.
NEAR = -1.0

#: What is asked: ``delta`` [m]. The bound is raised until it exceeds ``wanted`` [m] or is the
#: distance itself, but by no more than ``effort`` splits: with none it is the paper's, and with
#: ``wanted = 0`` what the walk alone has shown.
ASK = fields(delta=float, wanted=float, effort=int)

#: How many pairs of volumes and of triangles were tested for the answer.
TESTED = fields(volumes=int, triangles=int)

#: A pair of nodes that is known to be farther than asked for, and whether its bound is the exact
#: distance of the two.
APART = fields(bound=float, p=int, q=int, sharp=int)

#: Of the walk: pairs on the front; the bound of what is split, below which nothing is; the least
#: bound of those for which the front had no room; distances between which bounds are to be exact.
WALK = fields(front=int, above=float, least=float, limit=float, enough=float)

#: Pairs kept on the front. One walk in a hundred leaves more; those beyond are not refined.
FRONT_PAIRS = 256


class GreedyScratch(Tables):
    """Question, answer and room of a greedy distance; `greedy_scratch` makes it."""

    ask = Record(ASK)
    tested = Record(TESTED)
    walk = Record(WALK)
    front = Records(APART)
    pair = Nested(PairScratch)


greedy_scratch_at = viewer(GreedyScratch)


def greedy_scratch() -> GreedyScratch:
    """Room that serves any pair of meshes."""
    return GreedyScratch(front=FRONT_PAIRS, pair=PairScratch())


@entry("void(int64, int64[:, ::1], int64, float64[::1], int64[:, ::1])")
def greedy_distances(bodies, pairs, search, values, visits):
    """`greedy_distance` of each two meshes ``pairs[p]`` of one set into ``values[p]``, and how many
    pairs of volumes and of leaves it tested into ``visits[p]``."""
    A, room = bodies_at(bodies), greedy_scratch_at(search)
    for p in range(len(pairs)):
        values[p] = greedy_distance(A, pairs[p, 0], A, pairs[p, 1], room)
        visits[p, 0], visits[p, 1] = room.tested.volumes, room.tested.triangles


@kernel
def greedy_distance(A, i, B, j, search):
    """A lower bound on the distance of the surfaces of two meshes, above ``search.ask.delta >= 0``
    [m], all rounding taken off; NEAR where they are not farther apart than that beyond doubt.

    A closed mesh is looked at as a surface: what is inside of it without touching it is apart
    from it. `nested_pair` tells.
    """
    ask, own, front, pair = search.ask, search.walk, search.front, search.pair.mesh
    begin(pair, A, i, B, j)
    margin, effort = pair.state.margin, ask.effort
    search.tested.volumes = search.tested.triangles = 0
    own.front = 0
    own.above, own.least = -math.inf, math.inf
    own.limit = own.enough = ask.delta + margin
    top = push_roots(pair)
    while True:
        if walk(pair, top, search, _by_centres, _farther):
            return NEAR
        k = _first(front, own.front, 1.0)
        bound, p, q, sharp = front[k].bound, front[k].p, front[k].q, front[k].sharp == 1
        done = (p < 0 and q < 0) or bound - margin > ask.wanted or bound >= own.least
        if done or (sharp and effort <= 0):
            return min(bound, own.least) - margin
        own.front -= 1
        last, gap = front[own.front], front[k]
        gap.bound, gap.p, gap.q, gap.sharp = last.bound, last.p, last.q, last.sharp
        # Nothing below this pair is nearer than it, however its own bound comes out.
        own.above, own.enough = bound, ask.wanted + margin
        effort -= sharp
        pair.waiting[0, 0], pair.waiting[0, 1] = p, q
        pair.keys[0] = math.inf if sharp else 0.0
        top = 1


@kernel
def _by_centres(search, p, q):
    """The nearer volumes are walked first; once on the front, both are looked at in any case."""
    if p < 0 or search.walk.above >= 0.0:
        return math.nan
    pair = search.pair.mesh
    A, B, i, j = pair.a, pair.b, pair.state.i, pair.state.j
    X, x, Y, y = A.solids.nodes, A.refs[i, NODE0] + p, pair.own, 1  # the triangle q, still there
    if q >= 0:
        Y, y = B.solids.nodes, B.refs[j, NODE0] + q
    x0, x1, x2 = place(pair.pose, Y[y, CENTRE], Y[y, CENTRE + 1], Y[y, CENTRE + 2])
    x0, x1, x2 = minus(x0, x1, x2, X[x, CENTRE], X[x, CENTRE + 1], X[x, CENTRE + 2])
    return dot(x0, x1, x2, x0, x1, x2)


@kernel
def _farther(search, p, q, key):
    """A pair that is farther than asked goes onto the front; the first leaves that are not end the
    walk. A key of infinity is that of a pair from the front which is to be split."""
    if key == math.inf:
        return SPLIT
    pair, own, delta = search.pair.mesh, search.walk, search.ask.delta
    margin = pair.state.margin
    if p < 0 and q < 0:
        search.tested.triangles += 1
        load_leaves(pair, p, q)
        bound = math.sqrt(triangle_triangle(pair.corners, 3, 3, math.inf))
        if not bound - margin > delta:
            return OVER
    else:
        search.tested.volumes += 1
        bound = volume_bound(pair, p, q, own.limit, own.enough)
    bound = max(bound, own.above)
    if not bound - margin > delta:
        return SPLIT
    k = own.front
    if k == len(search.front):  # full: of this pair and the farthest, the farther is not refined
        k = _first(search.front, k, -1.0)
        own.least = min(own.least, max(bound, search.front[k].bound))
        if bound >= search.front[k].bound:
            return SETTLED
    else:
        own.front += 1
    kept = search.front[k]
    kept.bound, kept.p, kept.q, kept.sharp = bound, p, q, 1 if own.above > 0.0 else 0
    return SETTLED


@kernel
def _first(front, count, sign):
    """Which pair of a front has the least bound, or with ``sign`` -1 the largest."""
    found = 0
    for k in range(1, count):
        if sign * front[k].bound < sign * front[found].bound:
            found = k
    return found
