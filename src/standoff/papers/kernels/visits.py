"""The walks that paper 001 compares with greedy distance in its Table 1, with their steps counted:
a collision test over boxes, and the exact and the approximate distance over swept spheres.

They are the algorithms of Larsen, Gottschalk, Lin and Manocha (2000), which the paper names; for
comparisons only. A step is a test of two volumes or of two triangles.
"""

from __future__ import annotations

import math

from standoff.compiled.jit import entry, kernel
from standoff.compiled.tables import Nested, Reals, Tables, Wholes, viewer
from standoff.geometry.narrowphase.bodies import Bodies
from standoff.geometry.narrowphase.box_axes import best_edge, best_face
from standoff.geometry.narrowphase.bvh_walk import rounding_margin
from standoff.geometry.narrowphase.greedy import GreedyScratch
from standoff.geometry.narrowphase.layout import INT0, NODE0
from standoff.geometry.narrowphase.mesh_mesh import (
    BOUNDS,
    LEAF,
    PAIRS,
    REL,
    STACK,
    TRIANGLES,
    load_triangle,
    relative_pose,
)
from standoff.geometry.narrowphase.rss import CENTRE, DIAMETER, HALF_U, HALF_V, RADIUS, rss_bound
from standoff.geometry.narrowphase.rss_fit import triangle_rss
from standoff.geometry.narrowphase.triangle import CORNERS_B, TRIANGLE_WORK, triangle_triangle
from standoff.geometry.narrowphase.vectors import in_axes, place, store, turn


class Walks(Tables):
    """Pairs of meshes, and what walks over them found."""

    bodies = Nested(Bodies)
    scratch = Nested(GreedyScratch)
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
    no other two are nearer than that."""
    walk = walks_at(walks)
    A, nodes = walk.bodies, walk.bodies.solids.nodes
    for p in range(len(walk.pairs)):
        i, j = walk.pairs[p, 0], walk.pairs[p, 1]
        relative_pose(A.rows, i, A.rows, j, walk.scratch.pair.work)
        margin = rounding_margin(
            A.rows, i, nodes, A.refs[i, NODE0], A.rows, j, nodes, A.refs[j, NODE0]
        )
        walk.visits[p, 0], walk.visits[p, 1] = 0, 0
        walk.values[p] = _walk(walk, p, part, margin)


@kernel
def _walk(walk, p, part, margin):
    """Depth first, the nearer child first. A pair is let be where its bound shows that the answer
    is good enough without it: ``bound >= part best``, or for a collision test that the volumes are
    apart at all."""
    refs, i, j = walk.bodies.refs, walk.pairs[p, 0], walk.pairs[p, 1]
    nodes, ints = walk.bodies.solids.nodes, walk.bodies.solids.ints
    bounds = walk.scratch.pair.work[BOUNDS : BOUNDS + STACK]
    stack = walk.scratch.pair.iwork[PAIRS : PAIRS + 2 * STACK].reshape((STACK, 2))
    node_a, node_b, int_a, int_b = refs[i, NODE0], refs[j, NODE0], refs[i, INT0], refs[j, INT0]
    best = math.inf
    stack[0, 0] = stack[0, 1] = 0
    bounds[0] = _bound(walk, p, 0, 0, part)
    top = 1
    while top > 0:
        top -= 1
        if _settled(bounds[top], best, part, margin):
            continue
        a, b = stack[top, 0], stack[top, 1]
        split_a = b < 0 or (a >= 0 and nodes[node_a + a, DIAMETER] >= nodes[node_b + b, DIAMETER])
        waiting = top
        for side in range(2):
            c, d = a, b
            if split_a:
                c = ints[int_a + 2 * a + side]
            else:
                d = ints[int_b + 2 * b + side]
            bound = _bound(walk, p, c, d, part)
            if c < 0 and d < 0:
                best = min(best, bound)
                if best <= margin:
                    return 0.0
            elif not _settled(bound, best, part, margin):
                bounds[top], stack[top, 0], stack[top, 1] = bound, c, d
                top += 1
        if top == waiting + 2 and bounds[top - 1] > bounds[waiting]:
            m = top - 1
            bounds[m], bounds[waiting] = bounds[waiting], bounds[m]
            for k in range(2):
                stack[m, k], stack[waiting, k] = stack[waiting, k], stack[m, k]
    return math.inf if part == 0.0 else part * best


@kernel
def _settled(bound, best, part, margin):
    return bound > 0.0 if part == 0.0 else bound - margin >= part * best


@kernel
def _bound(walk, p, c, d, part):
    """Distance of two triangles or two volumes; for a collision test, of the boxes about volumes
    only whether they are apart (> 0)."""
    refs, i, j = walk.bodies.refs, walk.pairs[p, 0], walk.pairs[p, 1]
    solids, work = walk.bodies.solids, walk.scratch.pair.work
    w = work[TRIANGLES : TRIANGLES + TRIANGLE_WORK]
    rel = work[REL : REL + 12]
    leaf = work[LEAF : LEAF + 32].reshape((2, 16))
    if c < 0:
        load_triangle(refs, i, solids.points, solids.faces, ~c, w)
    if d < 0:
        load_triangle(refs, j, solids.points, solids.faces, ~d, w[CORNERS_B:])
    if c < 0 and d < 0:
        walk.visits[p, 1] += 1
        for k in range(CORNERS_B, CORNERS_B + 9, 3):
            x0, x1, x2 = place(rel, w[k], w[k + 1], w[k + 2])
            store(w, k, x0, x1, x2)
        return math.sqrt(triangle_triangle(w, 3, 3, math.inf))
    walk.visits[p, 0] += 1
    X, x, Y, y = solids.nodes, refs[i, NODE0] + c, solids.nodes, refs[j, NODE0] + d
    if c < 0:
        triangle_rss(w, leaf, 0)
        X, x = leaf, 0
    if d < 0:
        triangle_rss(w[CORNERS_B:], leaf, 1)
        Y, y = leaf, 1
    if part > 0.0:
        return rss_bound(X, x, Y, y, rel, 0.0, math.inf)
    return _box_gap(X, x, Y, y, rel)


@kernel
def _box_gap(X, p, Y, q, rel):
    """The widest gap between the boxes about two swept spheres along any of their fifteen axes."""
    c0, c1, c2 = place(rel, Y[q, CENTRE], Y[q, CENTRE + 1], Y[q, CENTRE + 2])
    c = in_axes(X, p, c0 - X[p, CENTRE], c1 - X[p, CENTRE + 1], c2 - X[p, CENTRE + 2])
    m0, m1, m2 = turn(rel, Y[q, 0], Y[q, 1], Y[q, 2])
    u = in_axes(X, p, m0, m1, m2)
    m0, m1, m2 = turn(rel, Y[q, 3], Y[q, 4], Y[q, 5])
    v = in_axes(X, p, m0, m1, m2)
    m0, m1, m2 = turn(rel, Y[q, 6], Y[q, 7], Y[q, 8])
    w = in_axes(X, p, m0, m1, m2)
    a = X[p, HALF_U] + X[p, RADIUS], X[p, HALF_V] + X[p, RADIUS], X[p, RADIUS]
    b = Y[q, HALF_U] + Y[q, RADIUS], Y[q, HALF_V] + Y[q, RADIUS], Y[q, RADIUS]
    gap, _ = best_face(c, u, v, w, a, b)
    if gap > 0.0:
        return gap
    gap, _, _, _ = best_edge(c, u, v, w, a, b)
    return gap
