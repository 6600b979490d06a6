"""Points and surfaces of meshes: how deep a point lies inside a body, whether a mesh that is not
closed goes round it all the same, and where a surface goes through itself.

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
from standoff.geometry.narrowphase.layout import FACE0, INT0, NODE0
from standoff.geometry.narrowphase.mesh_inside import convex_depth, inside_mesh
from standoff.geometry.narrowphase.rss import DIAMETER, NODE_COLUMNS, RADIUS, rss_bound
from standoff.geometry.narrowphase.rss_fit import rectangle_distance, triangle_rss
from standoff.geometry.narrowphase.triangle import (
    CORNERS_B,
    TRIANGLE_WORK,
    face_normal,
    triangle_triangle,
)
from standoff.geometry.narrowphase.vectors import cross, dot, load, minus, plus, point, store

#: Rows of the tables of a `Search` for the deepest ball.
DEEPEST_WORK = TRIANGLE_WORK + TREE_DEPTH + 2
DEEPEST_IWORK = TREE_DEPTH + 2

#: An open mesh may be meant as a solid. A part of which more than this part of all directions, seen
#: from one of its points, ends at the mesh may be inside what was meant, [-]. One flat sheet ends
#: half of them at most, however near, so a part on one side of a sheet is no doubt; a point inside
#: a convex solid that lacks some of one face has more than half, wherever it is.
ENCLOSING_PART = 0.5

#: Each level of either tree leaves two pairs waiting at most.
CROSSING_STACK = 4 * TREE_DEPTH + 4


class Search(Tables):
    """What is looked for in one body."""

    work = Reals(doc="two triangles, then the bounds of the nodes that wait")
    iwork = Wholes(doc="the nodes that wait")
    balls = Reals(4, "centre, in the body's frame, and radius, [m]")


class Look(Tables):
    """A look round from points at an open mesh."""

    vertices = Reals(3)
    faces = Wholes(3)
    points = Reals(3)
    directions = Reals(3, "of lines, both ways")
    hits = Wholes(2, "scratch: how many triangles each line meets, that way and the other")


class Crossings(Tables):
    """A search of the crossings of a surface with itself, and its scratch."""

    triangles = Reals(doc="the corners of two")
    nodes = Reals(NODE_COLUMNS, "two, for the triangles")
    rotation = Reals(doc="the pose of the mesh in itself")
    pairs = Wholes(2, "nodes that wait, CROSSING_STACK pairs; a triangle t is ~t")
    found = Wholes(2, "pairs of triangles that cross")


search_at, look_at, crossings_at = viewer(Search), viewer(Look), viewer(Crossings)


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


@entry("int64(int64)")
def first_enclosed(look):
    """The number of the first point that the mesh goes round, or -1.

    A point is enclosed if most rays from it, taken both ways along each direction, cross the mesh
    an odd number of times, whichever way its triangles face; or if most of them cross it at all,
    and the winding number is above a half, however often a triangle is repeated. One flat sheet is
    crossed by half of the rays at most: of the two along a line one points away from it.
    """
    look = look_at(look)
    hits = look.hits
    most = ENCLOSING_PART * 2.0 * len(hits)
    for p in range(len(look.points)):
        winding = _look_around(look, p)
        covered, odd = 0, 0
        for k in range(len(hits)):
            for way in range(2):
                covered += hits[k, way] > 0
                odd += hits[k, way] & 1
        if odd > most or (covered > most and abs(winding) > ENCLOSING_PART):
            return p
    return -1


@kernel
def _look_around(look, p):
    """The winding number at point ``p``; ``hits`` becomes how many triangles the ray along each
    direction meets, and the ray against it."""
    V, F, directions, hits = look.vertices, look.faces, look.directions, look.hits
    hits[:] = 0
    x0, x1, x2 = point(look.points, p)
    angle = 0.0
    for t in range(len(F)):
        a0, a1, a2 = minus(*point(V, F[t, 0]), x0, x1, x2)
        b0, b1, b2 = minus(*point(V, F[t, 1]), x0, x1, x2)
        c0, c1, c2 = minus(*point(V, F[t, 2]), x0, x1, x2)
        m0, m1, m2 = cross(b0, b1, b2, c0, c1, c2)
        height = dot(a0, a1, a2, m0, m1, m2)
        if height == 0.0:
            continue  # seen edge on
        a, b = math.sqrt(dot(a0, a1, a2, a0, a1, a2)), math.sqrt(dot(b0, b1, b2, b0, b1, b2))
        c = math.sqrt(dot(c0, c1, c2, c0, c1, c2))
        flat = a * b * c + c * dot(a0, a1, a2, b0, b1, b2)
        flat += a * dot(b0, b1, b2, c0, c1, c2) + b * dot(c0, c1, c2, a0, a1, a2)
        angle += math.atan2(height, flat)
        n0, n1, n2 = cross(c0, c1, c2, a0, a1, a2)
        o0, o1, o2 = cross(a0, a1, a2, b0, b1, b2)
        for k in range(len(directions)):
            d0, d1, d2 = point(directions, k)
            # On which side of the three planes through the point and an edge the line runs.
            one = dot(d0, d1, d2, m0, m1, m2) > 0.0
            two = dot(d0, d1, d2, n0, n1, n2) > 0.0
            three = dot(d0, d1, d2, o0, o1, o2) > 0.0
            if one == two and two == three:
                hits[k, 0 if one == (height > 0.0) else 1] += 1
    return angle / (2.0 * math.pi)


@entry("int64(int64, int64, float64, int64)")
def self_crossings(bodies, i, margin, crossings):
    """How many pairs of triangles of mesh ``i`` without a common vertex cross; the first of them
    are written, as far as there is room.

    They cross where each has corners more than ``margin`` off the other's plane, on either side,
    and what they cut out of the line that the planes have in common is in common for more than
    ``margin``. Triangles that touch, or lie in one plane, do not cross.
    """
    bodies, crossings = bodies_at(bodies), crossings_at(crossings)
    refs, solids = bodies.refs, bodies.solids
    points, faces, ints = solids.points, solids.faces, solids.ints
    w, rotation, pairs, found = (
        crossings.triangles, crossings.rotation, crossings.pairs, crossings.found
    )  # fmt: skip
    for k in range(12):
        rotation[k] = 1.0 if k == 0 or k == 4 or k == 8 else 0.0
    base, face = refs[i, INT0], refs[i, FACE0]
    count = 0
    pairs[0, 0] = pairs[0, 1] = 0
    top = 1
    while top > 0:
        top -= 1
        p, q = pairs[top, 0], pairs[top, 1]
        if p == q:
            top = _push_within(pairs, top, ints[base + 2 * p], ints[base + 2 * p + 1])
            continue
        if p < 0:
            load_triangle(refs, i, points, faces, ~p, w[:9])
        if q < 0:
            load_triangle(refs, i, points, faces, ~q, w[9:])
        if p >= 0 or q >= 0:
            top = _push_between(bodies, i, crossings, p, q, margin, top)
        elif not _adjacent(faces, face + ~p, face + ~q) and _cross(w, margin):
            if count < len(found):
                found[count, 0], found[count, 1] = ~p, ~q
            count += 1
    return count


@kernel
def _push_between(bodies, i, crossings, p, q, margin, top):
    """The pairs of the children of the larger of two nodes and the other node, if the two are no
    farther apart than ``margin``; a triangle, which is loaded, has no children. Returns the new
    top."""
    refs, ints, leaf, pairs = bodies.refs, bodies.solids.ints, crossings.nodes, crossings.pairs
    X, x = bodies.solids.nodes, refs[i, NODE0] + p
    Y, y = bodies.solids.nodes, refs[i, NODE0] + q
    if p < 0:
        triangle_rss(crossings.triangles[:9], leaf, 0)
        X, x = leaf, 0
    if q < 0:
        triangle_rss(crossings.triangles[9:], leaf, 1)
        Y, y = leaf, 1
    if rss_bound(X, x, Y, y, crossings.rotation, margin, margin) > margin:
        return top
    split_p = q < 0 or (p >= 0 and X[x, DIAMETER] >= Y[y, DIAMETER])
    children = refs[i, INT0] + 2 * (p if split_p else q)
    for side in range(2):
        child = ints[children + side]
        pairs[top, 0], pairs[top, 1] = (child, q) if split_p else (p, child)
        top += 1
    return top


@kernel
def _push_within(pairs, top, left, right):
    """The pairs within a node: within each child, and between the two. Returns the new top."""
    for child in (left, right):
        if child >= 0:
            pairs[top, 0] = pairs[top, 1] = child
            top += 1
    if left != right:
        pairs[top, 0], pairs[top, 1] = left, right
        top += 1
    return top


@kernel
def _adjacent(F, a, b):
    """Whether two triangles have a vertex in common."""
    for c in range(3):
        for d in range(3):
            if F[a, c] == F[b, d]:
                return True
    return False


@kernel
def _cross(w, margin):
    """Whether two triangles have more than ``margin`` of a line in common."""
    m, n = _unit_normal(w, 0), _unit_normal(w, 9)
    d0, d1, d2 = cross(m[0], m[1], m[2], n[0], n[1], n[2])
    size = math.sqrt(dot(d0, d1, d2, d0, d1, d2))
    if size == 0.0:
        return False
    d = d0 / size, d1 / size, d2 / size
    low, high = _cut(w, 0, 9, n, d, margin)
    if low >= high:
        return False
    start, end = _cut(w, 9, 0, m, d, margin)
    return min(high, end) - max(low, start) > margin


@kernel
def _unit_normal(w, b):
    """Of the triangle at ``b``; 0 where it is flat."""
    n0, n1, n2 = face_normal(load(w, b), load(w, b + 3), load(w, b + 6))
    size = math.sqrt(dot(n0, n1, n2, n0, n1, n2))
    return (n0 / size, n1 / size, n2 / size) if size > 0.0 else (0.0, 0.0, 0.0)


@kernel
def _cut(w, a, b, n, d, margin):
    """From where to where along d the triangle at ``a`` meets the plane, with normal n, of the one
    at ``b``, counted from the first corner in ``w``; nothing (1, 0) where it has no
    corners more than ``margin`` off on either side."""
    (n0, n1, n2), (d0, d1, d2) = n, d
    o0, o1, o2 = load(w, 0)
    p0, p1, p2 = load(w, b)
    x0, x1, x2 = load(w, a + 6)
    h = dot(n0, n1, n2, x0 - p0, x1 - p1, x2 - p2)
    low, high, below, above = math.inf, -math.inf, h, h
    for k in range(3):
        y0, y1, y2 = load(w, a + 3 * k)
        g = dot(n0, n1, n2, y0 - p0, y1 - p1, y2 - p2)
        below, above = min(below, g), max(above, g)
        if h * g < 0.0 or (g == 0.0 and h != 0.0) or (h == 0.0 and g != 0.0):
            z0, z1, z2 = plus(x0, x1, x2, h / (h - g), y0 - x0, y1 - x1, y2 - x2)
            t = dot(d0, d1, d2, z0 - o0, z1 - o1, z2 - o2)
            low, high = min(low, t), max(high, t)
        x0, x1, x2, h = y0, y1, y2, g
    return (low, high) if below < -margin and above > margin else (1.0, 0.0)
