"""How deep points lie inside a body, and so how deep two bodies penetrate at least.

A ball of radius r about x belongs to one body. If x lies inside another one, d below its surface,
then the ball of radius d about x belongs to that one, and no translation shorter than ``d + r``
takes two balls with one centre apart: the bodies penetrate by that much at least.
"""

from __future__ import annotations

import math

from standoff.compiled.jit import entry, kernel
from standoff.compiled.tables import Reals, Tables, Wholes, viewer
from standoff.geometry.narrowphase.bodies import bodies_at
from standoff.geometry.narrowphase.bvh import TREE_DEPTH, load_triangle
from standoff.geometry.narrowphase.layout import INT0, NODE0
from standoff.geometry.narrowphase.mesh_inside import convex_depth, inside_mesh
from standoff.geometry.narrowphase.rss import RADIUS
from standoff.geometry.narrowphase.rss_fit import rectangle_distance
from standoff.geometry.narrowphase.triangle import CORNERS_B, TRIANGLE_WORK, triangle_triangle
from standoff.geometry.narrowphase.vectors import point, store

#: Rows of the tables of a `Search` for the deepest ball.
DEEPEST_WORK = TRIANGLE_WORK + TREE_DEPTH + 2
DEEPEST_IWORK = TREE_DEPTH + 2


class Search(Tables):
    """What is looked for in one body."""

    work = Reals(doc="two triangles, then the bounds of the nodes that wait")
    iwork = Wholes(doc="the nodes that wait")
    balls = Reals(4, "centre, in the body's frame, and radius, [m]")


search_at = viewer(Search)


@entry("float64(int64, int64, int64)")
def deepest_in_mesh(bodies, i, search):
    """The largest ``d + r`` of the balls whose centres lie inside closed mesh ``i``; 0 where none
    does.

    A ball is given up as soon as a triangle nearer than ``best - r`` shows up, which is at once for
    most: only few get as far as the test of containment.
    """
    bodies, search = bodies_at(bodies), search_at(search)
    balls = search.balls
    best = 0.0
    for k in range(len(balls)):
        x0, x1, x2 = point(balls, k)
        r = balls[k, 3]
        d = _to_surface(x0, x1, x2, bodies, i, best - r, search)
        if d + r > best and inside_mesh(x0, x1, x2, bodies, i, search.iwork):
            best = d + r
    return best


@entry("float64(int64, int64, int64)")
def deepest_in_convex(bodies, i, search):
    """The same for a convex body."""
    bodies, search = bodies_at(bodies), search_at(search)
    balls = search.balls
    best = 0.0
    for k in range(len(balls)):
        d, _, _, _ = convex_depth(*point(balls, k), bodies, i)
        if d >= 0.0:
            best = max(best, d + balls[k, 3])
    return best


@kernel
def _to_surface(x0, x1, x2, bodies, i, enough, search):
    """Distance of a point to the surface of mesh ``i``, in whose frame it stands; some distance
    not above ``enough`` where a triangle is as near as that."""
    refs, solids, stack = bodies.refs, bodies.solids, search.iwork
    nodes, ints, node0, int0 = solids.nodes, solids.ints, refs[i, NODE0], refs[i, INT0]
    w = search.work[:TRIANGLE_WORK]
    corners = w[CORNERS_B : CORNERS_B + 9]
    bounds = search.work[TRIANGLE_WORK:]
    store(w, 0, x0, x1, x2)
    best = math.inf
    stack[0] = 0
    bounds[0] = 0.0
    top = 1
    while top > 0 and best > enough:
        top -= 1
        if bounds[top] >= best:
            continue
        node = stack[top]
        if node < 0:
            load_triangle(refs, i, solids.points, solids.faces, ~node, corners)
            squared = triangle_triangle(w, 1, 3, best * best)
            best = min(best, math.sqrt(squared))
            continue
        left, right = ints[int0 + 2 * node], ints[int0 + 2 * node + 1]
        near, far = _bound(x0, x1, x2, nodes, node0, left), _bound(x0, x1, x2, nodes, node0, right)
        if far < near:
            left, right, near, far = right, left, far, near
        stack[top], bounds[top] = right, far
        stack[top + 1], bounds[top + 1] = left, near
        top += 2
    return best


@kernel
def _bound(x0, x1, x2, nodes, first, node):
    """No point below the node is nearer; a triangle is left to the test of its own."""
    if node < 0:
        return 0.0
    n = first + node
    return max(rectangle_distance(nodes, n, x0, x1, x2) - nodes[n, RADIUS], 0.0)
