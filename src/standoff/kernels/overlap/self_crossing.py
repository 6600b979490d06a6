"""Where a surface goes through itself: an edge of one triangle through another one."""

from __future__ import annotations

import math

from standoff.kernels.jit import entry, kernel
from standoff.kernels.layout import FACE0, INT0, NODE0
from standoff.kernels.pairs.mesh_mesh import load_triangle
from standoff.kernels.pairs.triangle_triangle import face_normal
from standoff.kernels.rss import DIAMETER, rss_bound
from standoff.kernels.rss_fit import triangle_rss
from standoff.kernels.rss_tree import TREE_DEPTH
from standoff.kernels.vectors import cross, dot, load, minus, plus

#: Each level of either tree leaves two pairs waiting at most.
CROSSING_STACK = 4 * TREE_DEPTH + 4
#: Floats of scratch: two triangles, two nodes for them, and the pose of the mesh in itself.
CROSSING_WORK = 18 + 32 + 12


@entry(
    "int64(int64[:, ::1], int64, float64[:, ::1], int64[:, ::1], float64[:, ::1], int64[::1], "
    "float64, float64[::1], int64[:, ::1], int64[:, ::1])"
)
def self_crossings(refs, i, points, faces, nodes, ints, margin, work, pairs, found):
    """How many pairs of triangles of mesh ``i`` without a common vertex cross; the first of them
    into ``found`` (m, 2), as far as it goes. ``pairs`` is scratch (CROSSING_STACK, 2).

    They cross where each has corners more than ``margin`` off the other's plane, on either side,
    and an edge of one goes through the other, or past it by no more than ``margin``: faces of a
    solid are pierced where they meet, too, or no crossing of cubes in line would be seen. Triangles
    that touch, or lie in one plane, do not cross.
    """
    w = work[:18]
    leaf = work[18:50].reshape((2, 16))
    rel = work[50:62]
    for k in range(12):
        rel[k] = 1.0 if k == 0 or k == 4 or k == 8 else 0.0
    first, base = refs[i, NODE0], refs[i, INT0]
    count = 0
    pairs[0, 0] = pairs[0, 1] = 0
    top = 1
    while top > 0:
        top -= 1
        p, q = pairs[top, 0], pairs[top, 1]
        if p == q:  # the pairs within a node: within each child, and between the two
            left, right = ints[base + 2 * p], ints[base + 2 * p + 1]
            for child in (left, right):
                if child >= 0:
                    pairs[top, 0] = pairs[top, 1] = child
                    top += 1
            if left != right:
                pairs[top, 0], pairs[top, 1] = left, right
                top += 1
            continue
        if p < 0:
            load_triangle(refs, i, points, faces, ~p, w[:9])
        if q < 0:
            load_triangle(refs, i, points, faces, ~q, w[9:])
        if p < 0 and q < 0:
            face = refs[i, FACE0]
            if (
                not _adjacent(faces, face + ~p, face + ~q)
                and _straddles(w, 0, 9, margin)
                and _straddles(w, 9, 0, margin)
                and (_pierces(w, 0, 9, margin) or _pierces(w, 9, 0, margin))
            ):
                if count < len(found):
                    found[count, 0], found[count, 1] = ~p, ~q
                count += 1
            continue
        X, x, Y, y = nodes, first + p, nodes, first + q
        if p < 0:
            triangle_rss(w[:9], leaf, 0)
            X, x = leaf, 0
        if q < 0:
            triangle_rss(w[9:], leaf, 1)
            Y, y = leaf, 1
        if rss_bound(X, x, Y, y, rel, margin, margin) > margin:
            continue
        split_p = q < 0 or (p >= 0 and X[x, DIAMETER] >= Y[y, DIAMETER])
        for side in range(2):
            if split_p:
                pairs[top, 0], pairs[top, 1] = ints[base + 2 * p + side], q
            else:
                pairs[top, 0], pairs[top, 1] = p, ints[base + 2 * q + side]
            top += 1
    return count


@kernel
def _adjacent(F, a, b):
    """Whether two triangles have a vertex in common."""
    for c in range(3):
        for d in range(3):
            if F[a, c] == F[b, d]:
                return True
    return False


@kernel
def _unit_normal(w, b):
    """Of the triangle at ``b``; 0 where it is flat, and then nothing stands off its plane."""
    p0, p1, p2 = load(w, b)
    q0, q1, q2 = load(w, b + 3)
    r0, r1, r2 = load(w, b + 6)
    n0, n1, n2 = face_normal(p0, p1, p2, q0, q1, q2, r0, r1, r2)
    size = math.sqrt(dot(n0, n1, n2, n0, n1, n2))
    return (n0 / size, n1 / size, n2 / size) if size > 0.0 else (0.0, 0.0, 0.0)


@kernel
def _straddles(w, a, b, margin):
    """Whether the triangle at ``a`` has corners on either side of the plane of the one at ``b``."""
    n0, n1, n2 = _unit_normal(w, b)
    p0, p1, p2 = load(w, b)
    low, high = math.inf, -math.inf
    for k in range(3):
        x0, x1, x2 = load(w, a + 3 * k)
        height = dot(n0, n1, n2, x0 - p0, x1 - p1, x2 - p2)
        low, high = min(low, height), max(high, height)
    return low < -margin and high > margin


@kernel
def _pierces(w, a, b, margin):
    """Whether an edge of the triangle at ``a`` goes through the one at ``b``."""
    n0, n1, n2 = _unit_normal(w, b)
    p0, p1, p2 = load(w, b)
    x0, x1, x2 = load(w, a + 6)
    h = dot(n0, n1, n2, x0 - p0, x1 - p1, x2 - p2)
    for k in range(3):
        y0, y1, y2 = load(w, a + 3 * k)
        g = dot(n0, n1, n2, y0 - p0, y1 - p1, y2 - p2)
        if min(h, g) < -margin and max(h, g) > margin:
            z0, z1, z2 = plus(x0, x1, x2, h / (h - g), y0 - x0, y1 - x1, y2 - x2)
            if _over(w, b, n0, n1, n2, z0, z1, z2, margin):
                return True
        x0, x1, x2, h = y0, y1, y2, g
    return False


@kernel
def _over(w, b, n0, n1, n2, z0, z1, z2, margin):
    """Whether a point in the plane of the triangle at ``b`` is within ``margin`` of the inner side
    of each edge."""
    c0, c1, c2 = load(w, b + 6)
    for k in range(3):
        d0, d1, d2 = load(w, b + 3 * k)
        e0, e1, e2 = minus(d0, d1, d2, c0, c1, c2)
        m0, m1, m2 = cross(e0, e1, e2, z0 - c0, z1 - c1, z2 - c2)
        length = math.sqrt(dot(e0, e1, e2, e0, e1, e2))
        if dot(n0, n1, n2, m0, m1, m2) < -margin * length:
            return False
        c0, c1, c2 = d0, d1, d2
    return True
