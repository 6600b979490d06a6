"""Where the surface of a mesh goes through itself."""

from __future__ import annotations

import math

from standoff.compiled.jit import entry, kernel
from standoff.compiled.tables import Reals, Tables, Wholes, viewer
from standoff.geometry.narrowphase.bodies import bodies_at
from standoff.geometry.narrowphase.bvh import TREE_DEPTH, load_triangle
from standoff.geometry.narrowphase.layout import FACE0, INT0, NODE0
from standoff.geometry.narrowphase.rss import DIAMETER, NODE_COLUMNS, rss_bound
from standoff.geometry.narrowphase.rss_fit import triangle_rss
from standoff.geometry.narrowphase.triangle import face_normal
from standoff.geometry.narrowphase.vectors import cross, dot, load, plus

#: Each level of either tree leaves two pairs waiting at most.
CROSSING_STACK = 4 * TREE_DEPTH + 4


class Crossings(Tables):
    """A search of the crossings of a surface with itself, and its scratch."""

    triangles = Reals(doc="the corners of two")
    nodes = Reals(NODE_COLUMNS, "two, for the triangles")
    rotation = Reals(doc="the pose of the mesh in itself")
    pairs = Wholes(2, "nodes that wait, CROSSING_STACK pairs; a triangle t is ~t")
    found = Wholes(2, "pairs of triangles that cross")


crossings_at = viewer(Crossings)


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
