"""The tree of rectangle-swept spheres of a mesh, built top down.

A mesh of f triangles has ``node_count(f)`` inner nodes, the root first, each with two children in
``ints[2 n]`` and ``ints[2 n + 1]``: a node's number, or ``~t`` for triangle t, which is its own
bounding volume. After the children comes the number of connected parts of the surface and one
vertex of each, for tests of containment. All numbers count from the mesh's own first entry.
"""

from __future__ import annotations

import numpy as np

from standoff.compiled.jit import allocating, entry, kernel
from standoff.geometry.narrowphase.layout import FACE0, POINT0
from standoff.geometry.narrowphase.rss_fit import fit_rss
from standoff.geometry.narrowphase.vectors import dot, point, store

#: No path from the root to a triangle is longer, so that walks can have fixed stacks.
TREE_DEPTH = 64


@kernel
def node_count(triangles):
    return max(triangles - 1, 1)


#: Columns of what waits to be split: the triangles ``order[LOW:HIGH]``, their node's depth, and the
#: place in ``ints`` where its number goes, -1 for the root.
LOW, HIGH, DEPTH, LINK = range(4)


@entry(
    "void(float64[:, ::1], int64[:, ::1], float64, float64[:, ::1], int64[::1], int64[::1])",
    allocating,
)
def build_tree(points, faces, growth, nodes, ints, order):
    """Fill ``nodes`` (node_count, 16) and the children in ``ints``; ``order`` is scratch (f,).

    A node is split along its longest axis at the mean of its triangles' centres, which follows the
    shape better than the median; where that leaves a side empty, or so large that halving alone
    could not finish it within TREE_DEPTH, it is cut in two equal parts.
    """
    count = len(faces)
    for i in range(count):
        order[i] = i
    m = np.empty((3, 3))
    if count == 1:
        fit_rss(points, faces, order, growth, nodes, 0, m)
        ints[0] = ints[1] = ~0
        return
    stack = np.empty((TREE_DEPTH + 2, 4), np.int64)
    _wait(stack[0], 0, count, 0, -1)
    top = 1
    made = 0
    while top > 0:
        top -= 1
        low, high = stack[top, LOW], stack[top, HIGH]
        depth, link = stack[top, DEPTH], stack[top, LINK]
        if high - low == 1:
            ints[link] = ~order[low]
            continue
        node = made
        made += 1
        if link >= 0:
            ints[link] = node
        fit_rss(points, faces, order[low:high], growth, nodes, node, m)
        cut = _partition(points, faces, order, low, high, nodes, node)
        larger = max(cut - low, high - cut)
        if cut in (low, high) or depth + 1 + _halvings(larger) > TREE_DEPTH:
            cut = (low + high) // 2
        _wait(stack[top], cut, high, depth + 1, 2 * node + 1)
        _wait(stack[top + 1], low, cut, depth + 1, 2 * node)
        top += 2


@kernel
def _wait(row, low, high, depth, link):
    row[LOW], row[HIGH], row[DEPTH], row[LINK] = low, high, depth, link


@kernel
def _halvings(count):
    """Levels that halving needs to come down from ``count`` to 1."""
    levels = 0
    while count > 1:
        count = (count + 1) // 2
        levels += 1
    return levels


@kernel
def _partition(points, faces, order, low, high, nodes, node):
    """Bring the triangles whose centre lies below the mean along u to the front."""
    u0, u1, u2 = point(nodes, node)  # the first of its axes
    mean = 0.0
    for i in range(low, high):
        mean += _height(points, faces, order[i], u0, u1, u2)
    mean /= high - low
    cut = low
    for i in range(low, high):
        if _height(points, faces, order[i], u0, u1, u2) < mean:
            order[i], order[cut] = order[cut], order[i]
            cut += 1
    return cut


@kernel
def _height(points, faces, t, u0, u1, u2):
    """Three times the height of a triangle's centre along u."""
    height = 0.0
    for k in range(3):
        height += dot(u0, u1, u2, *point(points, faces[t, k]))
    return height


@kernel
def load_triangle(R, i, P, F, t, corners):
    """Nine floats: the corners of triangle ``t`` in the mesh's own frame."""
    for k in range(3):
        store(corners, 3 * k, *point(P, R[i, POINT0] + F[R[i, FACE0] + t, k]))
