"""The other columns of paper 001's Table 1: what a collision test, the exact distance and an
approximate one visit. For that experiment only, so nothing here is in a hurry.

All of them walk the trees that the greedy distance walks; what that one visits, it counts itself.
The collision test does so with oriented boxes, as the paper's does: each node's own axes, with the
extents of what is below it.
"""

from __future__ import annotations

import math

import numpy as np

from standoff.kernels.jit import allocating, entry, kernel
from standoff.kernels.layout import INT0, NODE0
from standoff.kernels.pairs.mesh import relative_pose, rounding_margin
from standoff.kernels.pairs.mesh_mesh import load_triangle
from standoff.kernels.pairs.mesh_work import BOUNDS, LEAF, PAIRS, REL, STACK, TRIANGLES
from standoff.kernels.pairs.triangle_triangle import CORNERS_B, TRIANGLE_WORK, triangle_triangle
from standoff.kernels.paths.greedy import nearer
from standoff.kernels.rss import CENTRE, DIAMETER, HALF_U, HALF_V, rss_bound
from standoff.kernels.rss_fit import triangle_rss
from standoff.kernels.rss_tree import TREE_DEPTH
from standoff.kernels.vectors import cross, dot, in_axes, place, plus, point, store, turn, unplace

#: Columns of a node's box: half extents along the node's axes, centre in the mesh's frame.
BOX_COLUMNS = 6


@entry(
    "void(float64[:, ::1], int64[:, ::1], float64[:, ::1], int64[::1], float64[:, ::1])",
    allocating,
)
def fit_boxes(points, faces, nodes, ints, boxes):
    """The oriented box of every node of one mesh into ``boxes`` (nodes, BOX_COLUMNS)."""
    stack = np.empty(TREE_DEPTH + 2, np.int64)
    low, high = np.empty(3), np.empty(3)
    for n in range(len(nodes)):
        low[:], high[:] = math.inf, -math.inf
        stack[0] = n
        top = 1
        while top > 0:
            top -= 1
            m = stack[top]
            if m >= 0:
                stack[top], stack[top + 1] = ints[2 * m], ints[2 * m + 1]
                top += 2
                continue
            for k in range(3):
                p0, p1, p2 = point(points, faces[~m, k])
                x = in_axes(nodes, n, p0, p1, p2)
                for r in range(3):
                    low[r], high[r] = min(low[r], x[r]), max(high[r], x[r])
        c0 = c1 = c2 = 0.0
        for r in range(3):
            boxes[n, r] = 0.5 * (high[r] - low[r])
            middle = 0.5 * (high[r] + low[r])
            a0, a1, a2 = nodes[n, 3 * r], nodes[n, 3 * r + 1], nodes[n, 3 * r + 2]
            c0, c1, c2 = plus(c0, c1, c2, middle, a0, a1, a2)
        boxes[n, 3], boxes[n, 4], boxes[n, 5] = c0, c1, c2


_TABLES = (
    "float64[:, ::1], int64[:, ::1], float64[:, ::1], int64[:, ::1], float64[:, ::1], int64[::1]"
)


@entry(
    f"void({_TABLES}, float64[:, ::1], int64[:, ::1], float64[::1], int64[::1], boolean[::1], "
    "int64[:, ::1])"
)
def collision_visits(
    rows, refs, points, faces, nodes, ints, boxes, pairs, work, iwork, meets, counts
):
    """Whether the surfaces of meshes ``pairs[p]`` meet, and the pairs of boxes and of triangles
    that a recursive test has looked at, for each ``p``: the larger box is split, and it is over at
    the first two triangles that meet. The boxes of all meshes are in the order of the nodes."""
    w = work[TRIANGLES : TRIANGLES + TRIANGLE_WORK]
    rel = work[REL : REL + 12]
    leaf = work[LEAF : LEAF + 32].reshape((2, 16))
    stack = iwork[PAIRS : PAIRS + 2 * STACK].reshape((STACK, 2))
    for k in range(len(pairs)):
        i, j = pairs[k, 0], pairs[k, 1]
        relative_pose(rows, i, rows, j, work)
        node_a, node_b = refs[i, NODE0], refs[j, NODE0]
        margin = rounding_margin(rows, i, nodes, node_a, rows, j, nodes, node_b)
        volumes = triangles = 0
        meets[k] = False
        stack[0, 0] = stack[0, 1] = 0
        top = 1
        while top > 0 and not meets[k]:
            top -= 1
            p, q = stack[top, 0], stack[top, 1]
            if p < 0 and q < 0:
                triangles += 1
                meets[k] = _triangles(refs, i, j, points, faces, p, q, rel, w) <= margin * margin
                continue
            volumes += 1
            X, x, Y, y = nodes, node_a + p, nodes, node_b + q
            if p < 0:
                load_triangle(refs, i, points, faces, ~p, w)
                triangle_rss(w, leaf, 0)
                X, x = leaf, 0
            if q < 0:
                load_triangle(refs, j, points, faces, ~q, w)
                triangle_rss(w, leaf, 1)
                Y, y = leaf, 1
            if _boxes_apart(X, x, p, Y, y, q, boxes, rel, margin):
                continue
            # the nearer child first, as the greedy distance has it
            split_a = q < 0 or (p >= 0 and X[x, DIAMETER] >= Y[y, DIAMETER])
            if split_a:
                first, node = refs[i, INT0] + 2 * p, node_a
                x0, x1, x2 = place(rel, Y[y, CENTRE], Y[y, CENTRE + 1], Y[y, CENTRE + 2])
            else:
                first, node = refs[j, INT0] + 2 * q, node_b
                x0, x1, x2 = unplace(rel, X[x, CENTRE], X[x, CENTRE + 1], X[x, CENTRE + 2])
            c, d = ints[first], ints[first + 1]
            if c >= 0 and d >= 0 and nearer(nodes, node + c, node + d, x0, x1, x2):
                c, d = d, c
            stack[top, 0], stack[top, 1] = (c, q) if split_a else (p, c)
            stack[top + 1, 0], stack[top + 1, 1] = (d, q) if split_a else (p, d)
            top += 2
        counts[k, 0], counts[k, 1] = volumes, triangles


@entry(
    f"void({_TABLES}, int64[:, ::1], float64, float64[::1], int64[::1], float64[::1], "
    "int64[:, ::1])"
)
def distance_visits(
    rows, refs, points, faces, nodes, ints, pairs, error, work, iwork, values, counts
):
    """The distance of the surfaces of meshes ``pairs[p]``, exact or, with a relative ``error``
    below 1, a lower one between ``(1 - error) d`` and ``d``; and the pairs of volumes and of
    triangles looked at.

    Depth first, the nearer child first. A pair is let be where it is no nearer than
    ``(1 - error)`` times the least distance of two triangles so far: then so is the distance, and
    that product is the answer."""
    w = work[TRIANGLES : TRIANGLES + TRIANGLE_WORK]
    rel = work[REL : REL + 12]
    leaf = work[LEAF : LEAF + 32].reshape((2, 16))
    bounds = work[BOUNDS : BOUNDS + STACK]
    stack = iwork[PAIRS : PAIRS + 2 * STACK].reshape((STACK, 2))
    for k in range(len(pairs)):
        i, j = pairs[k, 0], pairs[k, 1]
        relative_pose(rows, i, rows, j, work)
        node_a, node_b = refs[i, NODE0], refs[j, NODE0]
        best = math.inf
        volumes, triangles = 1, 0  # the roots, whose bound decides nothing
        bounds[0] = -math.inf
        stack[0, 0] = stack[0, 1] = 0
        top = 1
        while top > 0 and best > 0.0:
            top -= 1
            if bounds[top] >= (1.0 - error) * best:
                continue
            p, q = stack[top, 0], stack[top, 1]
            split_a = q < 0 or (
                p >= 0 and nodes[node_a + p, DIAMETER] >= nodes[node_b + q, DIAMETER]
            )
            first = top
            for side in range(2):
                c, d = p, q
                if split_a:
                    c = ints[refs[i, INT0] + 2 * p + side]
                else:
                    d = ints[refs[j, INT0] + 2 * q + side]
                if c < 0 and d < 0:
                    triangles += 1
                    squared = _triangles(refs, i, j, points, faces, c, d, rel, w)
                    best = min(best, math.sqrt(squared))
                    continue
                volumes += 1
                X, x, Y, y = nodes, node_a + c, nodes, node_b + d
                if c < 0:
                    load_triangle(refs, i, points, faces, ~c, w)
                    triangle_rss(w, leaf, 0)
                    X, x = leaf, 0
                if d < 0:
                    load_triangle(refs, j, points, faces, ~d, w)
                    triangle_rss(w, leaf, 1)
                    Y, y = leaf, 1
                bound = rss_bound(X, x, Y, y, rel, 0.0, math.inf)
                if bound < (1.0 - error) * best:
                    bounds[top], stack[top, 0], stack[top, 1] = bound, c, d
                    top += 1
            if top == first + 2 and bounds[first + 1] > bounds[first]:
                bounds[first], bounds[first + 1] = bounds[first + 1], bounds[first]
                for r in range(2):
                    stack[first, r], stack[first + 1, r] = stack[first + 1, r], stack[first, r]
        values[k] = (1.0 - error) * best
        counts[k, 0], counts[k, 1] = volumes, triangles


@kernel
def _triangles(refs, i, j, points, faces, p, q, rel, w):
    """Squared distance of the triangles ``~p`` and ``~q``."""
    load_triangle(refs, i, points, faces, ~p, w)
    load_triangle(refs, j, points, faces, ~q, w[CORNERS_B:])
    for c in range(CORNERS_B, CORNERS_B + 9, 3):
        x0, x1, x2 = place(rel, w[c], w[c + 1], w[c + 2])
        store(w, c, x0, x1, x2)
    return triangle_triangle(w, 3, 3, math.inf)


@kernel
def _box(X, x, number, boxes):
    """Half extents and centre of a node's box, or of the flat one around a triangle's rectangle."""
    if number < 0:
        return (
            X[x, HALF_U], X[x, HALF_V], 0.0, X[x, CENTRE], X[x, CENTRE + 1], X[x, CENTRE + 2]
        )  # fmt: skip
    return (
        boxes[x, 0], boxes[x, 1], boxes[x, 2], boxes[x, 3], boxes[x, 4], boxes[x, 5]
    )  # fmt: skip


@kernel
def _boxes_apart(X, x, p, Y, y, q, boxes, rel, margin):
    """Whether one of the fifteen axes separates two oriented boxes by more than ``margin``."""
    g0, g1, g2, a0, a1, a2 = _box(X, x, p, boxes)
    h0, h1, h2, b0, b1, b2 = _box(Y, y, q, boxes)
    c0, c1, c2 = place(rel, b0, b1, b2)
    c0, c1, c2 = c0 - a0, c1 - a1, c2 - a2
    for axis in range(15):
        r, s = axis % 3, axis // 3
        if axis < 3:
            n0, n1, n2 = X[x, 3 * r], X[x, 3 * r + 1], X[x, 3 * r + 2]
        else:
            n0, n1, n2 = turn(rel, Y[y, 3 * r], Y[y, 3 * r + 1], Y[y, 3 * r + 2])
        if axis >= 6:
            s -= 2
            m0, m1, m2 = X[x, 3 * s], X[x, 3 * s + 1], X[x, 3 * s + 2]
            n0, n1, n2 = cross(m0, m1, m2, n0, n1, n2)
        length = math.sqrt(dot(n0, n1, n2, n0, n1, n2))
        u0, u1, u2 = in_axes(X, x, n0, n1, n2)
        v0, v1, v2 = (
            n0 * rel[0] + n1 * rel[3] + n2 * rel[6],
            n0 * rel[1] + n1 * rel[4] + n2 * rel[7],
            n0 * rel[2] + n1 * rel[5] + n2 * rel[8],
        )
        v0, v1, v2 = in_axes(Y, y, v0, v1, v2)
        reach = g0 * abs(u0) + g1 * abs(u1) + g2 * abs(u2)
        reach += h0 * abs(v0) + h1 * abs(v1) + h2 * abs(v2)
        if abs(dot(n0, n1, n2, c0, c1, c2)) - reach > margin * length:
            return True
    return False
