"""The walks that paper 001 compares with greedy distance in its Table 1, with their steps counted:
a collision test over boxes, and the exact and the approximate distance over swept spheres.

They are the algorithms of Larsen, Gottschalk, Lin and Manocha (2000), which the paper names; for
comparisons only. A step is a test of two volumes or of two triangles.
"""

from __future__ import annotations

import math

from standoff.compiled.jit import entry, kernel
from standoff.compiled.tables import Nested, Reals, Record, Tables, Wholes, fields, viewer
from standoff.geometry.narrowphase.bodies import Bodies
from standoff.geometry.narrowphase.box_box import best_edge, best_face
from standoff.geometry.narrowphase.bvh_walk import (
    OVER,
    SETTLED,
    SPLIT,
    begin,
    load_leaves,
    push_roots,
    volumes,
    walk,
)
from standoff.geometry.narrowphase.rss import CENTRE, HALF_U, HALF_V, RADIUS, rss_bound
from standoff.geometry.narrowphase.triangle import triangle_triangle
from standoff.geometry.narrowphase.vectors import in_axes, place, turn
from standoff.papers.kernels.greedy import GreedyScratch

#: What is asked, and the tests made for it.
COUNTED = fields(part=float, volumes=int, triangles=int)


class Walks(Tables):
    """Pairs of meshes, and what walks over them found."""

    bodies = Nested(Bodies)
    scratch = Nested(GreedyScratch)
    counted = Record(COUNTED)
    pairs = Wholes(2, "rows of the bodies")
    values = Reals(doc="of each pair")
    visits = Wholes(2, "tests of volumes and of triangles, for each pair")


walks_at = viewer(Walks)


@entry("void(int64, float64)")
def counted_walks(walks, part):
    """For each pair its ``values`` and ``visits``.

    With ``part`` 0 it is the collision test, and the value is 0 where the surfaces meet and
    infinite where they do not. Otherwise it is a lower bound on their distance and at least
    ``part`` of it, 1 for the distance itself: ``part`` times the distance of two triangles, where
    no other two are nearer than that.

    Depth first, the nearer child first. A pair is let be where its bound shows that the answer is
    good enough without it: ``bound >= part best``, or for a collision test that the volumes are
    apart at all."""
    asked = walks_at(walks)
    counted, pair, pairs = asked.counted, asked.scratch.pair.mesh, asked.pairs
    counted.part = part
    for p in range(len(pairs)):
        begin(pair, asked.bodies, pairs[p, 0], asked.bodies, pairs[p, 1])
        counted.volumes = counted.triangles = 0
        pair.state.best = math.inf
        top = push_roots(pair)
        pair.keys[0] = _bound(asked, 0, 0)
        walk(pair, top, asked, _measure, _arrive)
        best = pair.state.best
        if best <= pair.state.margin:
            asked.values[p] = 0.0
        else:
            asked.values[p] = math.inf if part == 0.0 else part * best
        asked.visits[p, 0], asked.visits[p, 1] = counted.volumes, counted.triangles


@kernel
def _measure(asked, p, q):
    """The key of a pair of volumes is its bound; triangles are measured at once."""
    pair = asked.scratch.pair.mesh
    state = pair.state
    if state.best <= state.margin:
        return math.inf
    if p < 0 and q < 0:
        asked.counted.triangles += 1
        load_leaves(pair, p, q)
        state.best = min(state.best, math.sqrt(triangle_triangle(pair.corners, 3, 3, math.inf)))
        return math.inf
    bound = _bound(asked, p, q)
    return math.inf if _settled(asked, bound) else bound


@kernel
def _arrive(asked, p, q, bound):
    state = asked.scratch.pair.mesh.state
    if state.best <= state.margin:
        return OVER
    return SETTLED if _settled(asked, bound) else SPLIT


@kernel
def _settled(asked, bound):
    part, state = asked.counted.part, asked.scratch.pair.mesh.state
    return bound > 0.0 if part == 0.0 else bound - state.margin >= part * state.best


@kernel
def _bound(asked, p, q):
    """Distance of two volumes; for a collision test, of the boxes about them only whether they are
    apart (> 0)."""
    pair = asked.scratch.pair.mesh
    asked.counted.volumes += 1
    X, x, Y, y = volumes(pair, p, q)
    if asked.counted.part > 0.0:
        return rss_bound(X, x, Y, y, pair.pose, 0.0, math.inf)
    return _widest_gap(X, x, Y, y, pair.pose)


@kernel
def _widest_gap(X, p, Y, q, rel):
    """The widest gap between the boxes about two swept spheres along any of their fifteen axes."""
    c0, c1, c2 = place(rel, Y[q, CENTRE], Y[q, CENTRE + 1], Y[q, CENTRE + 2])
    c = in_axes(X, p, c0 - X[p, CENTRE], c1 - X[p, CENTRE + 1], c2 - X[p, CENTRE + 2])
    u = in_axes(X, p, *turn(rel, Y[q, 0], Y[q, 1], Y[q, 2]))
    v = in_axes(X, p, *turn(rel, Y[q, 3], Y[q, 4], Y[q, 5]))
    w = in_axes(X, p, *turn(rel, Y[q, 6], Y[q, 7], Y[q, 8]))
    a = X[p, HALF_U] + X[p, RADIUS], X[p, HALF_V] + X[p, RADIUS], X[p, RADIUS]
    b = Y[q, HALF_U] + Y[q, RADIUS], Y[q, HALF_V] + Y[q, RADIUS], Y[q, RADIUS]
    gap, _ = best_face(c, u, v, w, a, b)
    if gap > 0.0:
        return gap
    gap, _, _, _ = best_edge(c, u, v, w, a, b)
    return gap
