"""Greedy distance: a lower bound on the distance of a surface of triangles and another one or a
convex body, for little more than the price of a collision test (paper 001, section 3.2).

Two trees of swept spheres are walked down from their roots. A pair of volumes farther apart than
``delta`` is let be; one that is not has the larger of the two split, or the other one where that is
a leaf. The walk ends at the first two leaves that are not farther apart than ``delta``, or with a
*front* of pairs that all are: the least of their bounds is a lower bound on the distance.

The walk only asks whether a pair is farther than ``delta``, and takes the first direction that
says so. Where the pair with the least bound has such a bound only, the exact one is taken; that
makes it the paper's. But the bound is what the path checker turns into covered length, and a few
volumes more make it far better: the pair with the least is split, and again, as long as the effort
allows. A front of one pair, the two roots, gains the most.

A bound for what is no swept sphere: for boxes, cylinders and polyhedra, by support functions.
"""

from __future__ import annotations

import math

from numba.core import types

from standoff.compiled.by_address import address_of, called
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
from standoff.geometry.narrowphase.dispatch import (
    TWO_BODIES,
    comes_second,
    swap,
    triangle_convex,
)
from standoff.geometry.narrowphase.layout import (
    BOX,
    CYLINDER,
    DISTANCE,
    KIND,
    MESH,
    NODE0,
    POINT0,
    POINT_A,
    POINTS,
    SLACK,
    is_general,
    is_round,
)
from standoff.geometry.narrowphase.mesh import surface_normal, write_nearest
from standoff.geometry.narrowphase.rss import CENTRE, HALF_U, HALF_V, RADIUS
from standoff.geometry.narrowphase.support import size_of, support_point
from standoff.geometry.narrowphase.triangle import NEAR_A, clamp, triangle_triangle
from standoff.geometry.narrowphase.vectors import (
    dot,
    load,
    minus,
    place,
    plus,
    point,
    unplace,
    unturn,
)

#: The two are farther apart than asked: the row's value is a lower bound on their distance.
FARTHER = 0
#: They are not, beyond doubt: the row shows two leaves that are near each other.
NEAR = 1

#: What is asked: ``general``, the address of `pair_distance`; ``delta`` [m]. The bound is raised
#: until it exceeds ``wanted`` [m] or is the distance itself, but by no more than ``effort`` splits:
#: with none it is the paper's, and with ``wanted = 0`` what the walk alone has shown.
ASK = fields(general=int, delta=float, wanted=float, effort=int)

#: What came out: a bound or a distance [m], and how many pairs of volumes and of triangles were
#: tested for it.
FOUND = fields(value=float, volumes=int, triangles=int)

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
    found = Record(FOUND)
    walk = Record(WALK)
    front = Records(APART, "a heap, the least bound first")
    pair = Nested(PairScratch)


greedy_scratch_at = viewer(GreedyScratch)


def greedy_scratch() -> GreedyScratch:
    """Room that serves any pair of which one is a mesh."""
    return GreedyScratch(front=FRONT_PAIRS, pair=PairScratch())


GREEDY = types.int64(*TWO_BODIES, GreedyScratch.numba_type, types.float64[:, ::1], types.int64)


@entry(GREEDY)
def greedy_pair(A, i, B, j, search, out, k):
    """Whether the surfaces of body ``i`` and body ``j``, one a mesh and the other a mesh or a
    convex body (which counts as solid), are farther apart than ``search.ask.delta >= 0`` [m].

    FARTHER: the row's distance, above ``delta``, is a lower bound on theirs, all rounding taken
    off, and the slack is 0; there are no witnesses and no normal. NEAR: the signed distance of two
    leaves, not above ``delta`` but for the slack, with their witnesses and normal as `mesh_pair`
    has them; the mesh pair's state has the triangles (the first of a mesh, where the other is
    convex).

    A closed mesh is looked at as a surface: what is inside of it without touching it is apart
    from it. `nested_pair` tells.
    """
    swapped = comes_second(A.refs[i, KIND], B.refs[j, KIND])
    if swapped:
        A, i, B, j = B, j, A, i
    pair = search.pair.mesh
    state, near, found = pair.state, pair.near, search.found
    begin(pair, A, i, B, j)
    if greedy_walk(search):
        out[k, POINT_A:SLACK] = math.nan
        out[k, DISTANCE], out[k, SLACK] = found.value, 0.0
        return FARTHER
    value, slack = found.value, state.margin
    if state.kind != MESH:
        value = pair.answer[0, DISTANCE]
        slack += pair.answer[0, SLACK]
    else:
        value = surface_normal(pair, value)
    out[k, DISTANCE], out[k, SLACK] = value, slack
    write_nearest(A.rows, i, near, out, k)
    if swapped:
        swap(out, k)
    return NEAR


#: ``call_greedy(address, A, i, B, j, search, out, k)``: compiled once, and not into the kernels of
#: checkers, which are needed without meshes as well.
call_greedy = called(GREEDY)


def greedy_address() -> int:
    """Where the machine code of `greedy_pair` is, compiling it if need be."""
    return address_of("papers.kernels.greedy.greedy_pair")


@entry("void(int64, int64[:, ::1], int64, float64[:, ::1], int64[:, ::1])")
def greedy_distances(bodies, pairs, search, out, visits):
    """`greedy_pair` of each two bodies ``pairs[p]`` of one set into row ``p`` (FARTHER where the
    slack is 0, and only there), and how many pairs of volumes and of leaves it tested into
    ``visits[p]``."""
    A, room = bodies_at(bodies), greedy_scratch_at(search)
    for p in range(len(pairs)):
        greedy_pair(A, pairs[p, 0], A, pairs[p, 1], room, out, p)
        visits[p, 0], visits[p, 1] = room.found.volumes, room.found.triangles


@kernel
def greedy_walk(search):
    """Whether the two bodies of the mesh pair are farther apart than ``delta`` beyond doubt. Found
    is a lower bound on their distance, above ``delta`` and less the rounding margin, if they are;
    else the distance of the two leaves that are not, 0 or less where they meet: their nearest
    points are then in ``near``, for a convex body also the normal, and the triangles in the state.
    """
    ask, found, own, front, pair = (
        search.ask, search.found, search.walk, search.front, search.pair.mesh
    )  # fmt: skip
    margin, effort = pair.state.margin, ask.effort
    found.volumes = found.triangles = 0
    own.front = 0
    own.above, own.least = -math.inf, math.inf
    own.limit = own.enough = ask.delta + margin
    top = push_roots(pair)
    while True:
        if walk(pair, top, search, _by_centres, _farther):
            return False
        bound, p, q, sharp = front[0].bound, front[0].p, front[0].q, front[0].sharp == 1
        done = (p < 0 and q < 0) or bound - margin > ask.wanted or bound >= own.least
        if done or (sharp and effort <= 0):
            found.value = min(bound, own.least) - margin
            return True
        pop(front, own.front)
        own.front -= 1
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
    X, x, Y, y = A.solids.nodes, A.refs[i, NODE0] + p, pair.own, 1
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
    ask, found, own, margin = search.ask, search.found, search.walk, search.pair.mesh.state.margin
    if p < 0 and q < 0:
        found.triangles += 1
        bound = _leaves(search, p, q)
        if not bound - margin > ask.delta:
            found.value = bound
            return OVER
    else:
        found.volumes += 1
        bound = _volumes(search, p, q)
    bound = max(bound, own.above)
    if not bound - margin > ask.delta:
        return SPLIT
    front = search.front
    if own.front == len(front):
        # full: of this pair and the last of the heap, the farther one is not refined
        last = front[own.front - 1].bound
        own.least = min(own.least, max(bound, last))
        if bound >= last:
            return SETTLED
        own.front -= 1
    push(front, own.front, bound, p, q, 1 if own.above > 0.0 else 0)
    own.front += 1
    return SETTLED


@kernel
def _volumes(search, p, q):
    """A lower bound on the distance of two volumes: exact above ``limit`` up to ``enough`` for
    swept spheres, and the best of three for other bodies."""
    pair, enough = search.pair.mesh, search.walk.enough
    bound = volume_bound(pair, p, q, search.walk.limit, enough)
    kind = pair.state.kind
    if q < 0 and not (kind == MESH or is_round(kind) or bound > enough):
        X, x = pair.a.solids.nodes, pair.a.refs[pair.state.i, NODE0] + p
        if p < 0:
            X, x = pair.own, 0
        bound = max(bound, support_bound(pair, X, x, enough))
    return bound


@kernel
def _leaves(search, p, q):
    """The distance of two triangles, or of one and the convex body less what it is uncertain by;
    with the nearest points and the triangles."""
    pair = search.pair.mesh
    state, w, out, near = pair.state, pair.corners, pair.answer, pair.near
    state.triangle_a, state.triangle_b = ~p, ~q
    load_leaves(pair, p, q)
    if state.kind == MESH:
        squared = triangle_triangle(w, 3, 3, math.inf)
        for r in range(6):
            near[r] = w[NEAR_A + r]
        return math.sqrt(squared)
    triangle_convex(search.ask.general, search.pair)
    for r in range(9):
        near[r] = out[0, POINT_A + r]
    return out[0, DISTANCE] - out[0, SLACK]


#: Directions tried. The first is from centre to centre; three more are worth what they cost.
_DIRECTIONS = 4


@kernel
def support_bound(pair, X, x, enough):
    """A lower bound on the distance of node ``x`` and the convex b; one above ``enough`` ends the
    search for a better.

    y is a point of the body, z the nearest to it of the node's rectangle with centre c and half
    lengths h and g, n = y - z. With p the point of the body that is lowest along n,

        |n| d  >=  n.(p - c) - h |n.u| - g |n.v| - |n| radius    for any n:

    the rectangle's reach is not taken from z, as n is mostly rounding where y and z nearly touch.
    The next y is the nearest to z between y and p (Frank and Wolfe).
    """
    rel = pair.pose
    c0, c1, c2 = unplace(rel, X[x, CENTRE], X[x, CENTRE + 1], X[x, CENTRE + 2])
    u0, u1, u2 = unturn(rel, X[x, 0], X[x, 1], X[x, 2])
    v0, v1, v2 = unturn(rel, X[x, 3], X[x, 4], X[x, 5])
    y0, y1, y2 = load(pair.box, 3)
    best = -math.inf
    for _ in range(_DIRECTIONS):
        d0, d1, d2 = minus(y0, y1, y2, c0, c1, c2)
        s = clamp(dot(d0, d1, d2, u0, u1, u2), -X[x, HALF_U], X[x, HALF_U])
        t = clamp(dot(d0, d1, d2, v0, v1, v2), -X[x, HALF_V], X[x, HALF_V])
        z0, z1, z2 = plus(*plus(c0, c1, c2, s, u0, u1, u2), t, v0, v1, v2)
        n0, n1, n2 = minus(y0, y1, y2, z0, z1, z2)
        length = math.sqrt(dot(n0, n1, n2, n0, n1, n2))
        if length == 0.0:
            break
        p0, p1, p2 = _lowest(pair, n0, n1, n2)
        reach = X[x, HALF_U] * abs(dot(n0, n1, n2, u0, u1, u2))
        reach += X[x, HALF_V] * abs(dot(n0, n1, n2, v0, v1, v2))
        gap = dot(n0, n1, n2, p0 - c0, p1 - c1, p2 - c2) - reach
        best = max(best, gap / length - X[x, RADIUS])
        if best > enough:
            break
        e0, e1, e2 = minus(p0, p1, p2, y0, y1, y2)
        square = dot(e0, e1, e2, e0, e1, e2)
        if square == 0.0:
            break
        y0, y1, y2 = plus(
            y0, y1, y2, clamp(-dot(n0, n1, n2, e0, e1, e2) / square, 0.0, 1.0), e0, e1, e2
        )
    return best


@kernel
def _lowest(pair, n0, n1, n2):
    """A point of the convex b, in its own frame, that is lowest along n."""
    kind, refs, points, j = pair.state.kind, pair.b.refs, pair.b.solids.points, pair.state.j
    p0, p1, p2 = load(pair.box, 0)
    if kind == BOX:
        return math.copysign(p0, -n0), math.copysign(p1, -n1), math.copysign(p2, -n2)
    if kind == CYLINDER:
        across = math.hypot(n0, n1)
        if across > 0.0:
            return -p0 * n0 / across, -p0 * n1 / across, math.copysign(p2, -n2)
        return 0.0, 0.0, math.copysign(p2, -n2)
    if is_general(kind):
        return support_point(kind, size_of(pair.b.rows, j), -n0, -n1, -n2)
    low = math.inf
    for p in range(refs[j, POINT0], refs[j, POINT0] + refs[j, POINTS]):
        q0, q1, q2 = point(points, p)
        height = dot(n0, n1, n2, q0, q1, q2)
        if height < low:
            low = height
            p0, p1, p2 = q0, q1, q2
    return p0, p1, p2


@kernel
def push(front, size, bound, p, q, sharp):
    """Add a pair to a heap of ``size`` that has room for it."""
    at = size
    while at > 0 and bound < front[(at - 1) // 2].bound:
        _move(front, (at - 1) // 2, at)
        at = (at - 1) // 2
    pair = front[at]
    pair.bound, pair.p, pair.q, pair.sharp = bound, p, q, sharp


@kernel
def pop(front, size):
    """Take the first of ``size`` pairs away; it is to be read beforehand."""
    last = size - 1
    at = 0
    while 2 * at + 1 < last:
        below = 2 * at + 1
        if below + 1 < last and front[below + 1].bound < front[below].bound:
            below += 1
        if front[last].bound <= front[below].bound:
            break
        _move(front, below, at)
        at = below
    _move(front, last, at)


@kernel
def _move(front, source, target):
    a, b = front[source], front[target]
    b.bound, b.p, b.q, b.sharp = a.bound, a.p, a.q, a.sharp
